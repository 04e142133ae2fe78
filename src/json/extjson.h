/*
 * extjson.h
 *	  Extended JSON: the wrapper objects that spell what JSON has no syntax for.
 *
 * {"$oid": "..."} and its like.  Read are Extended JSON v2, canonical and
 * relaxed, and the spellings mongoexport wrote before it: $binary with $type,
 * $regex with $options, a number for $date.
 *
 * An object is a wrapper if it has any of the keys
 *
 *		$binary $code $date $dbPointer $maxKey $minKey $numberDecimal
 *		$numberDouble $numberInt $numberLong $oid $regularExpression $symbol
 *		$timestamp $undefined $uuid
 *
 * whatever else it holds: a wrong value or another key beside them is an
 * error, never an ordinary document.  Two strings under just $regex and
 * $options are a wrapper too; any other use of these two is a MongoDB query,
 * and stays a document, as does every other key with a dollar: {"$set": ...},
 * {"$type": ...}, a DBRef, $scope without $code.
 */
#ifndef PGBSON_EXTJSON_H
#define PGBSON_EXTJSON_H

#include "core/build.h"

/*
 * Would this document, printed as an ordinary JSON object, be read as a
 * wrapper or refused?  Looks at the document's own keys, not into its values.
 */
extern bool PgBsonExtJsonClaims(PgBsonView doc);

/* Can an object with this key be a wrapper?  Ask this before PgBsonExtJsonConvert. */
extern bool PgBsonExtJsonIsKey(const char *key, uint32 len);

/*
 * The value of {"key": "str"} for the wrappers that hold just a string and mean
 * something of fixed size: its type and its encoded bytes, at most
 * PGBSON_EXTJSON_FIXED of them.  Returns their number, 0 if it is no such
 * wrapper or malformed.
 */
#define PGBSON_EXTJSON_FIXED	32

extern uint32 PgBsonExtJsonFixed(const char *key, uint32 key_len, const char *str, uint32 len,
								 PgBsonType *type, uint8 *bytes);

/*
 * A JSON value as the wrappers need to see it, whoever holds it: json-c's tree
 * or jsonb.
 */
typedef enum PgBsonNodeKind
{
	PGBSON_NODE_NULL,
	PGBSON_NODE_BOOL,
	PGBSON_NODE_INTEGER,		/* a number that is an int64, and was written as one */
	PGBSON_NODE_NUMBER,			/* any other number */
	PGBSON_NODE_STRING,
	PGBSON_NODE_ARRAY,
	PGBSON_NODE_OBJECT
} PgBsonNodeKind;

typedef struct PgBsonNode
{
	PgBsonNodeKind kind;
	bool		boolean;		/* of a BOOL */
	int64		integer;		/* of an INTEGER */
	const char *str;			/* of a STRING: UTF-8, not NUL-terminated */
	uint32		len;			/* of str, in bytes */
	const void *ref;			/* of an OBJECT: whatever its holder knows it by */
} PgBsonNode;

typedef struct PgBsonMember
{
	const char *key;			/* UTF-8, not NUL-terminated */
	uint32		key_len;		/* bytes */
	PgBsonNode	value;
} PgBsonMember;

/* What the holder of the values can be asked */
typedef struct PgBsonTree
{
	void	   *state;			/* the holder's own */
	/* how many members an object has, and all of them */
	uint32		(*count) (void *state, const PgBsonNode *object);
	void		(*members) (void *state, const PgBsonNode *object, PgBsonMember *members);
	/* an object that is no wrapper as a document of its own; NULL after a soft error or for a wrapper */
	PgBson	   *(*document) (void *state, const PgBsonNode *object);
	/* do not report what is malformed: somebody else will */
	bool		quiet;
} PgBsonTree;

typedef enum PgBsonConverted
{
	PGBSON_NO_WRAPPER,			/* an ordinary object; nothing was done */
	PGBSON_WRAPPER,				/* its value was given to the builder */
	PGBSON_BAD_WRAPPER			/* a soft error was reported, or the tree is quiet */
} PgBsonConverted;

/* If the object is a wrapper, give the value it stands for to the builder; 22P02 if it is malformed */
extern PgBsonConverted PgBsonExtJsonConvert(const PgBsonTree *tree, const PgBsonNode *object,
											PgBsonBuilder *builder, struct Node *escontext);

/*
 * A regular expression's options in alphabetical order, as BSON and Extended
 * JSON want them; palloc'd.  An option outside ASCII is nobody's; such options
 * stay as they are.
 */
extern char *PgBsonSortedOptions(const char *options, uint32 len);

/* A few characters of some UTF-8 text for an error message, in the server's encoding; palloc'd */
extern char *PgBsonExcerpt(const char *text, Size len);

#endif							/* PGBSON_EXTJSON_H */
