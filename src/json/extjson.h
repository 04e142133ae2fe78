/*
 * extjson.h
 *	  Extended JSON: the wrapper objects for values that have no JSON syntax.
 *
 * {"$oid": "..."} is such an object.  We read Extended JSON v2, canonical and
 * relaxed, and the spellings that mongoexport wrote before it: $binary with
 * $type, $regex with $options, a number for $date.
 *
 * An object is a wrapper if it has any of the keys
 *
 *		$binary $code $date $dbPointer $maxKey $minKey $numberDecimal
 *		$numberDouble $numberInt $numberLong $oid $regularExpression $symbol
 *		$timestamp $undefined $uuid
 *
 * whatever else it holds: a wrong value or another key beside them is an
 * error, and does not make it an ordinary document.  An object with just the
 * keys $regex and $options, both strings, is a wrapper, too.  Any other use of
 * these two keys is a MongoDB query and stays a document, and so does an
 * object with any other key that begins with a dollar: {"$set": ...},
 * {"$type": ...}, a DBRef, $scope without $code.
 */
#ifndef PGBSON_EXTJSON_H
#define PGBSON_EXTJSON_H

#include "core/write/write.h"

/* The keys of wrappers, for the code that reads and the code that writes them */
#define PGBSON_DOLLAR_BINARY				"$binary"
#define PGBSON_DOLLAR_CODE					"$code"
#define PGBSON_DOLLAR_DATE					"$date"
#define PGBSON_DOLLAR_DBPOINTER				"$dbPointer"
#define PGBSON_DOLLAR_MAX_KEY				"$maxKey"
#define PGBSON_DOLLAR_MIN_KEY				"$minKey"
#define PGBSON_DOLLAR_NUMBER_DECIMAL		"$numberDecimal"
#define PGBSON_DOLLAR_NUMBER_DOUBLE			"$numberDouble"
#define PGBSON_DOLLAR_NUMBER_INT			"$numberInt"
#define PGBSON_DOLLAR_NUMBER_LONG			"$numberLong"
#define PGBSON_DOLLAR_OID					"$oid"
#define PGBSON_DOLLAR_REGULAR_EXPRESSION	"$regularExpression"
#define PGBSON_DOLLAR_SYMBOL				"$symbol"
#define PGBSON_DOLLAR_TIMESTAMP				"$timestamp"
#define PGBSON_DOLLAR_UNDEFINED				"$undefined"
#define PGBSON_DOLLAR_UUID					"$uuid"

/* Other keys in wrappers */
#define PGBSON_DOLLAR_SCOPE					"$scope"
#define PGBSON_DOLLAR_REGEX					"$regex"
#define PGBSON_DOLLAR_OPTIONS				"$options"
#define PGBSON_DOLLAR_TYPE					"$type"
#define PGBSON_DOLLAR_REF					"$ref"
#define PGBSON_DOLLAR_ID					"$id"

/*
 * Would this document, printed as an ordinary JSON object, be read as a
 * wrapper or refused?  Looks at the document's own keys, not into its values.
 */
extern bool PgBsonExtJsonClaims(PgBsonView doc);

/* Can an object with this key be a wrapper?  Ask this before PgBsonExtJsonConvert. */
extern bool PgBsonExtJsonIsKey(const char *key, uint32 len);

/*
 * The value of {"key": "str"} for the wrappers that hold just a string and stand for a value of fixed size: its type
 * and its encoded bytes, at most PGBSON_EXTJSON_FIXED of them.  Returns the number of bytes, or 0 if this is not such a
 * wrapper or is malformed.
 */
#define PGBSON_EXTJSON_FIXED	32

extern uint32 PgBsonExtJsonFixed(const char *key, uint32 key_len, const char *str, uint32 len,
								 PgBsonType *type, uint8 *bytes);

/*
 * A JSON value in the form that the code for wrappers needs.  The value itself
 * is in json-c's tree, in jsonb, or in the text.
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
	const void *ref;			/* of an OBJECT: the holder's own pointer to it */
} PgBsonNode;

typedef struct PgBsonMember
{
	const char *key;			/* UTF-8, not NUL-terminated */
	uint32		key_len;		/* bytes */
	PgBsonNode	value;
} PgBsonMember;

/* The functions that the holder of the values provides */
typedef struct PgBsonTree
{
	void	   *state;			/* the holder's own */
	/* how many members an object has, and all of them */
	uint32		(*count) (void *state, const PgBsonNode *object);
	void		(*members) (void *state, const PgBsonNode *object, PgBsonMember *members);
	/* an object that is not a wrapper, as a document of its own; NULL after a soft error or for a wrapper */
	PgBson	   *(*document) (void *state, const PgBsonNode *object);
	/* do not report malformed wrappers; the slow way will report them */
	bool		quiet;
} PgBsonTree;

typedef enum PgBsonConverted
{
	PGBSON_NO_WRAPPER,			/* it is an ordinary object; nothing was done */
	PGBSON_WRAPPER,				/* its value was written */
	PGBSON_BAD_WRAPPER			/* a soft error was reported, or the tree is quiet */
} PgBsonConverted;

/*
 * If the object is a wrapper, append the bytes of the value that it stands for
 * to "out", and set *type; error 22P02 if it is malformed.
 */
extern PgBsonConverted PgBsonExtJsonConvert(const PgBsonTree *tree, const PgBsonNode *object,
											PgBsonWriter *out, PgBsonType *type, struct Node *escontext);

/*
 * A regular expression's options in alphabetical order, as BSON and Extended
 * JSON require; palloc'd.  Options that are not all ASCII keep their order.
 */
extern char *PgBsonSortedOptions(const char *options, uint32 len);

/* A few characters of some UTF-8 text for an error message, in the server's encoding; palloc'd */
extern char *PgBsonExcerpt(const char *text, Size len);

/*
 * encode.c: the strings within wrappers, as the bytes they stand for; the inverse of json/spell.c.  Each "Encode"
 * function writes the value's bytes as they are in a document and returns their number, or 0 if the string is
 * malformed.
 */

/* 24 hexadecimal digits */
extern uint32 PgBsonEncodeObjectId(const char *str, uint32 len, uint8 *bytes);

/* With hyphens at their four places, or with none; becomes binary of subtype 4 */
extern uint32 PgBsonEncodeUuid(const char *str, uint32 len, uint8 *bytes);

/* An optional minus and digits */
extern uint32 PgBsonEncodeInt32(const char *str, uint32 len, uint8 *bytes);
extern uint32 PgBsonEncodeInt64(const char *str, uint32 len, uint8 *bytes);

/* The nearest double; or Infinity, -Infinity, NaN */
extern uint32 PgBsonEncodeDouble(const char *str, uint32 len, uint8 *bytes);

/* A number that decimal128 can hold exactly */
extern uint32 PgBsonEncodeDecimal(const char *str, uint32 len, uint8 *bytes);

/* ISO 8601 */
extern uint32 PgBsonEncodeDate(const char *str, uint32 len, uint8 *bytes);

/*
 * Strict base64: whole groups of four, padded, no line breaks, and no leftover bits that would be lost.  The server's
 * decoder accepts leftover bits.  The bytes are palloc'd; NULL if it is malformed.
 */
extern uint8 *PgBsonDecodeBase64(const char *s, uint32 len, uint32 *result_len);

/* --- wrapper.c: wrappers in JSON text, read in place --- */

/*
 * The value of the object that begins at "s", its brace, if it is a wrapper:
 * its type, and its bytes, which are written to *out and take less room than
 * the text.  Returns the place after the closing brace; or NULL, with *out
 * unchanged, for any other object and for wrappers that are left to the slow
 * way (malformed, with escapes, code with a scope).
 */
extern const uint8 *PgBsonReadWrapper(const uint8 *s, const uint8 *end, PgBsonType *type, uint8 **out);

#endif							/* PGBSON_EXTJSON_H */
