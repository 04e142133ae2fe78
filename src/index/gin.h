/*
 * gin.h
 *	  What the GIN operator classes share.  The essay is in gin.c.
 */
#ifndef PGBSON_GIN_H
#define PGBSON_GIN_H

#include "core/bytes/memory.h"
#include "core/bytes/view.h"

#include "access/gin.h"
#include "access/stratnum.h"
#include "nodes/pg_list.h"
#include "utils/jsonpath.h"

/* Strategy numbers, the same as jsonb's */
#define PGBSON_GIN_CONTAINS		7
#define PGBSON_GIN_EXISTS		9
#define PGBSON_GIN_EXISTS_ANY	10
#define PGBSON_GIN_EXISTS_ALL	11
#define PGBSON_GIN_PATH_EXISTS	15
#define PGBSON_GIN_PATH_MATCH	16
#define PGBSON_GIN_MATCH		17	/* @~, which jsonb does not have */

/* --- gin_walk.c: paths and keys --- */

/* Which arrays are on the way from the root to a value */
typedef enum PgBsonGinVia
{
	PGBSON_GIN_PLAIN,			/* there are none */
	PGBSON_GIN_ELEMENT,			/* one array, of which the value is an element */
	PGBSON_GIN_NESTED			/* any others */
} PgBsonGinVia;

/* How many bytes of a path are kept in addition to their hash */
#define PGBSON_GIN_PATH_ROOM	32

/*
 * Fields whose paths have more names than this have no keys in bson_ops; a condition on one asks for
 * the key of the first names of its path
 */
#define PGBSON_GIN_START		2

/* The names on the way from the root to a value, without positions in arrays */
typedef struct PgBsonGinPath
{
	uint64		hash;			/* of all names */
	uint64		ends;			/* of the first name and the last one */
	uint64		first;			/* of the first name */
	uint64		start;			/* the hash of the first PGBSON_GIN_START names */
	uint32		start_len;		/* the length of these names */
	uint32		nkeys;
	uint32		len;			/* the length of all names with zero bytes; a longer path has the greatest uint32 */
	PgBsonGinVia via;
	char		names[PGBSON_GIN_PATH_ROOM];	/* the names themselves, if they fit */
} PgBsonGinPath;

/* Begin with the path of the root; add a name */
extern void PgBsonGinPathInit(PgBsonGinPath *path);
extern void PgBsonGinPathAddKey(PgBsonGinPath *path, const char *key, uint32 key_len);

/*
 * A hash of a scalar and a path, which begins with bytes that sort as values do.  Neighbouring values,
 * which the same row or rows written one after the other often have, so have keys that are near each
 * other in the index.
 */
extern uint64 PgBsonGinHash(const PgBsonValue *value, uint64 path);

typedef struct PgBsonGinClass PgBsonGinClass;
typedef struct PgBsonGinNode PgBsonGinNode;

/* A growing list of index keys and the memory that they are in; begins as zeroes, but for the class */
typedef struct PgBsonGinKeys
{
	const PgBsonGinClass *class;
	Datum	   *keys;
	int			count;
	int			room;
	PgBsonArena arena;			/* of the keys; from where any of them begins eight bytes can be read */
} PgBsonGinKeys;

/*
 * The bytes of a key of type bytea.  Keys are short, so they are never compressed or toasted.  They
 * sort as memcmp sorts; if one key is the beginning of another, it comes first.
 */
static inline uint32
PgBsonGinKeyBytes(Datum key, const uint8 **bytes)
{
	const uint8 *p = (const uint8 *) DatumGetPointer(key);

	/* keys always have a short header, unless a user calls these functions directly */
	if (likely(VARATT_IS_1B(p) && !VARATT_IS_1B_E(p)))
	{
		*bytes = p + VARHDRSZ_SHORT;
		return VARSIZE_1B(p) - VARHDRSZ_SHORT;
	}
	*bytes = (const uint8 *) VARDATA_ANY(p);
	return VARSIZE_ANY_EXHDR(p);
}

/* The next eight, or four, bytes as a number that compares as memcmp does */
static inline uint64
PgBsonGinWord(const uint8 *p)
{
	return pg_bswap64(PgBsonReadU64(p));
}

/* Write such a number */
static inline void
PgBsonGinPutWord(uint8 *p, uint64 word)
{
	PgBsonWriteU64(p, pg_bswap64(word));
}

static inline uint32
PgBsonGinHalfWord(const uint8 *p)
{
	return pg_bswap32(PgBsonReadU32(p));
}

/* Compare as memcmp does; of two that begin alike, the shorter one comes first */
static inline int
PgBsonGinCompareBytes(const uint8 *a, uint32 a_len, const uint8 *b, uint32 b_len)
{
	uint32		len = Min(a_len, b_len);
	uint64		x = 0;
	uint64		y = 0;

	if (len >= 8)
	{
		x = PgBsonGinWord(a);
		y = PgBsonGinWord(b);
		/* the last eight bytes may overlap with those that were compared before */
		for (uint32 i = 8; x == y && i < len; i += 8)
		{
			x = PgBsonGinWord(a + Min(i, len - 8));
			y = PgBsonGinWord(b + Min(i, len - 8));
		}
	}
	else if (len >= 4)
	{
		x = (uint64) PgBsonGinHalfWord(a) << 32 | PgBsonGinHalfWord(a + len - 4);
		y = (uint64) PgBsonGinHalfWord(b) << 32 | PgBsonGinHalfWord(b + len - 4);
	}
	else
	{
		for (uint32 i = 0; x == y && i < len; i++)
		{
			x = a[i];
			y = b[i];
		}
	}
	return x != y ? (x < y ? -1 : 1) : (a_len > b_len) - (a_len < b_len);
}

/* Compare keys by their bytes */
extern int	PgBsonGinCompareKeys(Datum a, Datum b);

/* Sort keys by their bytes and remove duplicates; returns how many are left */
extern int	PgBsonGinSortBytes(Datum *keys, int n);

/* A key of type bytea with this number of bytes, palloc'd, which the caller writes at *bytes */
extern Datum PgBsonGinNewKey(PgBsonGinKeys *keys, Size size, uint8 **bytes);

/* The keys of a value to be indexed */
extern PgBsonGinKeys PgBsonGinKeysOf(const PgBsonGinClass *class, const PgBsonValue *root);

/* The condition that @> sets on keys */
extern PgBsonGinNode *PgBsonGinContainsNode(PgBsonGinKeys *keys, const PgBsonValue *part);

/* --- gin_node.c: conditions on a row's keys --- */

/* Where a scan over a range of keys ends; keys are compared by their bytes */
typedef struct PgBsonGinBound
{
	uint32		prefix;			/* how many bytes a key must share with the first key of the range */
	uint32		len;			/* of "last"; 0 if there is no last key */
	bool		closed;			/* a key that continues after the bytes of "last" is outside the range */
	uint64		field;			/* only for estimates: the hash of the field with the values (planner/statistics.h) */
	uint8		last[FLEXIBLE_ARRAY_MEMBER];
} PgBsonGinBound;

typedef enum PgBsonGinNodeKind
{
	PGBSON_GIN_KEY,
	PGBSON_GIN_AND,
	PGBSON_GIN_OR,
	PGBSON_GIN_NOT				/* only used for estimates */
} PgBsonGinNodeKind;

/*
 * A condition on a row's keys that is necessary for the row to satisfy a
 * query.  A NULL pointer means that the keys say nothing about the query.
 */
struct PgBsonGinNode
{
	PgBsonGinNodeKind kind;
	bool		exact;			/* the condition is sufficient, too */
	Datum		key;			/* of PGBSON_GIN_KEY */
	PgBsonGinBound *bound;		/* PGBSON_GIN_KEY: the end of the range that begins at "key"; NULL: only "key" itself */
	int			index;			/* PGBSON_GIN_KEY: the key's number in the query; others: that of the first key below */
	int			run;			/* others: the number of args, if all are keys and all or none of them exact; else 0 */
	bool		ranges;			/* PGBSON_GIN_OR: the args are ranges, and a row has keys in one of them at most */
	List	   *args;			/* others: the PgBsonGinNodes below */
};

/* A condition, palloc'd: the row has this key */
extern PgBsonGinNode *PgBsonGinKeyNode(Datum key, bool exact);

/* The row has some key from this one up to the bound.  The condition is not sufficient. */
extern PgBsonGinNode *PgBsonGinRangeNode(Datum first, PgBsonGinBound *bound);

/* All, or any, of these conditions hold.  NULLs in the list mean unknown conditions; the result may be NULL, too. */
extern PgBsonGinNode *PgBsonGinAll(List *nodes);
extern PgBsonGinNode *PgBsonGinAny(List *nodes);

/* The negation, if the class supports that */
extern PgBsonGinNode *PgBsonGinNot(PgBsonGinKeys *keys, PgBsonGinNode *node);

/* The condition marked as necessary but not sufficient: rows that meet it are tested again */
extern PgBsonGinNode *PgBsonGinHint(PgBsonGinNode *node);

/* gin_simplify.c: the same condition without needless levels.  The given tree is used up. */
extern PgBsonGinNode *PgBsonGinSimplify(PgBsonGinNode *node);

/* Prepare a condition for evaluation: number its keys and append them to the list */
extern void PgBsonGinCollect(PgBsonGinNode *node, List **leaves);

/* The truth of the condition; "check" has the truth of each key */
extern GinTernaryValue PgBsonGinEvaluate(const PgBsonGinNode *node, const GinTernaryValue *check);

/* --- classes --- */

/* A comparison of a path's items, in lax mode, with an operand */
typedef struct PgBsonGinComparison
{
	JsonPathItemType op;
	int			nforms;
	PgBsonValue forms[2];		/* the operand's equals as they may be stored, one for each different key */
	bool		plain_proves;	/* an equal value that is not in an array is always an item of the path */
	bool		element_proves;	/* an equal value that is an element of an array is always one, too */
} PgBsonGinComparison;

/* What the key of a scalar says of the row that has it */
typedef enum PgBsonGinStrength
{
	PGBSON_GIN_LOOSE,			/* the row may have this value, perhaps at the path: the key leaves out names */
	PGBSON_GIN_HINT,			/* the row may have this value at the path */
	PGBSON_GIN_PROOF			/* the row has this value at the path */
} PgBsonGinStrength;

/* A function that makes the key of a scalar at a path */
typedef Datum (*PgBsonGinValueKey) (PgBsonGinKeys *keys, const PgBsonGinPath *path,
									const PgBsonValue *value, PgBsonGinStrength *strength);

/* How an operator class makes keys.  "exact" is set if no other field has the same key. */
struct PgBsonGinClass
{
	/* Sorts keys in the order of the index, removes duplicates, and returns how many are left; not for estimates */
	int			(*sort) (Datum *keys, int n);

	/* A scalar at a path */
	PgBsonGinValueKey value_key;

	/* The key of a field, whatever its value; NULL if the class has no such keys */
	Datum		(*field_key) (PgBsonGinKeys *keys, const PgBsonGinPath *path, bool *exact);

	/*
	 * The condition that some item at this path satisfies the comparison; NULL
	 * if keys say nothing about it.  The operator jpiLikeRegex stands for any
	 * test that is not a comparison, too.
	 */
	PgBsonGinNode *(*compare) (PgBsonGinKeys *keys, const PgBsonGinPath *path,
							   const PgBsonGinComparison *comparison);

	/* The class is not an index's but serves to estimate the number of rows, and can negate conditions */
	bool		estimates;

	/* Fields deep in documents have no keys: see PGBSON_GIN_START */
	bool		shallow;
};

/* gin_ops.c: the default class, and the most bytes that one of its keys has */
extern const PgBsonGinClass PgBsonGinOps;

#define PGBSON_GIN_KEY_MAX		30

/*
 * gin_range.c: the class for comparisons, and the number of bytes before the value in its keys; the
 * last of them tells the type
 */
extern const PgBsonGinClass PgBsonGinRangeOps;

#define PGBSON_GIN_RANGE_HEAD		5

/* Write the bytes of a key that precede the value; "path" is the hash of the path */
extern void PgBsonGinRangeHead(uint8 *key, uint64 path, bool in_array, PgBsonType type);

/* Is this a key of bson_range_ops for a value in an array? */
static inline bool
PgBsonGinRangeInArray(const uint8 *key)
{
	return (key[4] & 0x80) != 0;
}

/*
 * Does this byte, the one before the value, say that the value is a number?  If so, set *number to
 * the double that "word", the first eight bytes of the value, encodes.
 */
extern bool PgBsonGinRangeNumber(uint8 type, uint64 word, double *number);

/* gin_jsonpath.c: the condition that @? or @@ sets */
extern PgBsonGinNode *PgBsonGinFromJsonpath(PgBsonGinKeys *keys, JsonPath *path, bool match);

/* gin_match.c: the condition that @~ sets */
extern PgBsonGinNode *PgBsonGinFromMatch(PgBsonGinKeys *keys, const PgBsonValue *query);

/*
 * gin_node.c: the condition that there is a value at the path, or at its first names if deeper fields
 * have no keys; NULL if the class has no keys of fields
 */
extern PgBsonGinNode *PgBsonGinExists(PgBsonGinKeys *keys, const PgBsonGinPath *path, bool proves);

/* gin_node.c: the condition that there is an equal value, with keys for each way through arrays */
extern PgBsonGinNode *PgBsonGinEquality(PgBsonGinValueKey make_key, PgBsonGinKeys *keys,
										const PgBsonGinPath *path,
										const PgBsonGinComparison *comparison);

/*
 * gin.c: the condition that an operator, given by its strategy number, sets with this
 * query; *never is set if no row can meet it.
 */
extern PgBsonGinNode *PgBsonGinQueryNode(PgBsonGinKeys *keys,
										 Datum query, StrategyNumber strategy, bool *never);

/* The classes' support functions call these */
extern Datum PgBsonGinExtractValue(FunctionCallInfo fcinfo, const PgBsonGinClass *class);
extern Datum PgBsonGinExtractQuery(FunctionCallInfo fcinfo, const PgBsonGinClass *class);

#endif							/* PGBSON_GIN_H */
