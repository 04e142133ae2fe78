/*
 * gin.h
 *	  What the GIN operator classes share.  The essay is in gin.c.
 */
#ifndef PGBSON_GIN_H
#define PGBSON_GIN_H

#include "core/view.h"

#include "access/gin.h"
#include "access/stratnum.h"
#include "nodes/pg_list.h"
#include "utils/jsonpath.h"

/* Strategy numbers: jsonb's */
#define PGBSON_GIN_CONTAINS		7
#define PGBSON_GIN_EXISTS		9
#define PGBSON_GIN_EXISTS_ANY	10
#define PGBSON_GIN_EXISTS_ALL	11
#define PGBSON_GIN_PATH_EXISTS	15
#define PGBSON_GIN_PATH_MATCH	16
#define PGBSON_GIN_MATCH		17	/* @~, which jsonb has not */

/* --- gin_walk.c: paths and keys --- */

/* How arrays come into the way from the root to a value */
typedef enum PgBsonGinVia
{
	PGBSON_GIN_PLAIN,			/* not at all */
	PGBSON_GIN_ELEMENT,			/* an element of an array that is itself reached without any */
	PGBSON_GIN_NESTED			/* otherwise */
} PgBsonGinVia;

/* Bytes of a path that are kept besides their hash */
#define PGBSON_GIN_PATH_ROOM	32

/* The names on the way from the root to a value; positions in arrays do not count */
typedef struct PgBsonGinPath
{
	uint64		hash;			/* of all names */
	uint32		nkeys;
	uint32		len;			/* bytes of the names, each with its zero byte; saturates */
	PgBsonGinVia via;
	char		names[PGBSON_GIN_PATH_ROOM];	/* those bytes, if they fit */
} PgBsonGinPath;

extern void PgBsonGinPathInit(PgBsonGinPath *path);
extern void PgBsonGinPathAddKey(PgBsonGinPath *path, const char *key, uint32 key_len);
extern void PgBsonGinPathAddElement(PgBsonGinPath *path);

/* A growing list of index keys, and the memory they are in */
typedef struct PgBsonGinKeys
{
	Datum	   *keys;
	int			count;
	int			room;
	char	   *arena;			/* free memory for keys */
	Size		arena_left;		/* bytes */
	Size		arena_size;		/* of the last piece */
} PgBsonGinKeys;

/*
 * The bytes of a key that is a bytea: short, so it is never compressed, and
 * plain; and their order, that of memcmp, the shorter first.
 */
static inline uint32
PgBsonGinKeyBytes(Datum key, const uint8 **bytes)
{
	*bytes = (const uint8 *) VARDATA_ANY(DatumGetPointer(key));
	return VARSIZE_ANY_EXHDR(DatumGetPointer(key));
}

extern int	PgBsonGinCompareBytes(const uint8 *a, uint32 a_len, const uint8 *b, uint32 b_len);
extern int	PgBsonGinSortBytes(Datum *keys, int n);

/* Memory for a key, unaligned; it lives in the current memory context */
extern char *PgBsonGinAlloc(PgBsonGinKeys *keys, Size size);

typedef struct PgBsonGinClass PgBsonGinClass;
typedef struct PgBsonGinNode PgBsonGinNode;

/* The keys of a value to be indexed */
extern PgBsonGinKeys PgBsonGinKeysOf(const PgBsonGinClass *class, const PgBsonValue *root);

/* The condition that @> sets */
extern PgBsonGinNode *PgBsonGinContainsNode(const PgBsonGinClass *class, PgBsonGinKeys *keys,
											const PgBsonValue *part);

/* --- gin_node.c: what must hold of a row's keys --- */

/* Where a scan over a range of keys ends; keys are compared by their bytes */
typedef struct PgBsonGinBound
{
	uint32		prefix;			/* bytes that keys must have in common with the first key */
	uint32		len;			/* of "last"; 0: there is no last key */
	bool		closed;			/* keys that go on after "last" are beyond it */
	uint8		last[FLEXIBLE_ARRAY_MEMBER];
} PgBsonGinBound;

typedef enum PgBsonGinNodeKind
{
	PGBSON_GIN_KEY,
	PGBSON_GIN_AND,
	PGBSON_GIN_OR,
	PGBSON_GIN_NOT				/* only where conditions are estimated */
} PgBsonGinNodeKind;

/*
 * A condition on a row's keys, necessary for the row to satisfy a query; a
 * NULL pointer stands for a query that the keys tell nothing about.
 */
struct PgBsonGinNode
{
	PgBsonGinNodeKind kind;
	bool		exact;			/* sufficient, too */
	Datum		key;			/* of PGBSON_GIN_KEY */
	PgBsonGinBound *bound;		/* of PGBSON_GIN_KEY, if a range of keys begins there */
	int			index;			/* of PGBSON_GIN_KEY, among the query's; of the others, of the first below */
	int			run;			/* of the others, if all args are keys and equally exact: how many; else 0 */
	bool		ranges;			/* of PGBSON_GIN_OR: ranges of keys, of which no row meets two */
	List	   *args;			/* of the others: PgBsonGinNode */
};

extern PgBsonGinNode *PgBsonGinKeyNode(Datum key, bool exact);

/* Some key from this one on, up to the bound; it proves nothing */
extern PgBsonGinNode *PgBsonGinRangeNode(Datum first, PgBsonGinBound *bound);

/* All, or any, of these conditions; some of them may be NULL, and so may the result */
extern PgBsonGinNode *PgBsonGinAll(List *nodes);
extern PgBsonGinNode *PgBsonGinAny(List *nodes);

/* The opposite, if the class can have that */
extern PgBsonGinNode *PgBsonGinNot(const PgBsonGinClass *class, PgBsonGinNode *node);

/* What holds of the condition, as a necessary one only */
extern PgBsonGinNode *PgBsonGinHint(PgBsonGinNode *node);

/* Number the keys of a condition and add them to the list, which makes it ready to be evaluated */
extern void PgBsonGinCollect(PgBsonGinNode *node, List **leaves);

/* Its truth, given that of its keys */
extern GinTernaryValue PgBsonGinEvaluate(const PgBsonGinNode *node, const GinTernaryValue *check);

/* --- classes --- */

/* Something jsonpath compares the items of a path with, in lax mode */
typedef struct PgBsonGinComparison
{
	JsonPathItemType op;
	int			nforms;
	PgBsonValue forms[2];		/* what an equal value may be stored as, as far as their keys differ */
	bool		plain_proves;	/* an equal value at the path, of this way, is an item */
	bool		element_proves;
} PgBsonGinComparison;

/* A function that makes the key of a scalar at a path */
typedef Datum (*PgBsonGinValueKey) (PgBsonGinKeys *keys, const PgBsonGinPath *path,
									const PgBsonValue *value, bool *exact);

/* How a class makes keys.  "exact" is set if nothing else has the key. */
struct PgBsonGinClass
{
	/* Sorts keys as the index does, leaves out duplicates, returns how many are left; NULL: as they come */
	int			(*sort) (Datum *keys, int n);

	/* A scalar at a path */
	PgBsonGinValueKey value_key;

	/* A field, whatever its value; NULL if the class has no such keys */
	Datum		(*field_key) (PgBsonGinKeys *keys, const PgBsonGinPath *path, bool *exact);

	/*
	 * Some item at this path satisfies the comparison; NULL if keys tell nothing
	 * about it.  The operator jpiLikeRegex stands for any test that is none, too.
	 */
	PgBsonGinNode *(*compare) (PgBsonGinKeys *keys, const PgBsonGinPath *path,
							   const PgBsonGinComparison *comparison);

	/* Not for an index, but to estimate how many rows there are: conditions may be negated */
	bool		estimates;
};

/* gin.c: the default class; and equality by its keys, in each way there may be arrays */
extern const PgBsonGinClass PgBsonGinOps;
extern PgBsonGinNode *PgBsonGinEquality(PgBsonGinValueKey make_key, PgBsonGinKeys *keys,
										const PgBsonGinPath *path,
										const PgBsonGinComparison *comparison);

/* Is a key of that class one of a value?  Is it that of a field of a root document, by its name? */
extern bool PgBsonGinIsValueKey(Datum key);
extern bool PgBsonGinIsRootField(const uint8 *key, uint32 len, const char **name, uint32 *name_len);

/* The most bytes of a key of that class */
#define PGBSON_GIN_KEY_MAX		30

/* gin_range.c: the class of comparisons; bytes of a key before the value, and at most */
extern const PgBsonGinClass PgBsonGinRangeOps;

#define PGBSON_GIN_RANGE_HEAD		5
#define PGBSON_GIN_RANGE_KEY_MAX	25

/* Is a key of that class one of a value in an array? */
static inline bool
PgBsonGinRangeInArray(const uint8 *key)
{
	return (key[4] & 0x80) != 0;
}

/* Is it a key of a number?  Then *number is the nearest double. */
extern bool PgBsonGinRangeNumber(const uint8 *key, uint32 len, double *number);

/* gin_jsonpath.c: the condition that @? or @@ sets */
extern PgBsonGinNode *PgBsonGinFromJsonpath(const PgBsonGinClass *class, PgBsonGinKeys *keys,
											JsonPath *path, bool match);

/* gin_match.c: the condition that @~ sets */
extern PgBsonGinNode *PgBsonGinFromMatch(const PgBsonGinClass *class, PgBsonGinKeys *keys,
										 const PgBsonValue *query);

/* gin_node.c: there is something at the path, reached in any way; NULL if the class has no keys of fields */
extern PgBsonGinNode *PgBsonGinExists(const PgBsonGinClass *class, PgBsonGinKeys *keys,
									  const PgBsonGinPath *path, bool proves);

/*
 * gin_query.c: the condition that an operator, known by its strategy number, sets with this
 * query; *never is set where no row can meet it.
 */
extern PgBsonGinNode *PgBsonGinQueryNode(const PgBsonGinClass *class, PgBsonGinKeys *keys,
										 Datum query, StrategyNumber strategy, bool *never);

/* The support functions, for a class's own to call */
extern Datum PgBsonGinExtractValue(FunctionCallInfo fcinfo, const PgBsonGinClass *class);
extern Datum PgBsonGinExtractQuery(FunctionCallInfo fcinfo, const PgBsonGinClass *class);

#endif							/* PGBSON_GIN_H */
