/*
 * match.h
 *	  MongoDB's query language: a query document, made ready, against documents.
 *
 * A query is parsed once into a tree of tests.  An operator that does not exist
 * is an error then (22023), and so is one that is known but not offered (0A000);
 * it is never ignored.
 *
 * match_path.h says how a path finds its values.  What is missing equals
 * null; undefined does not (MongoDB 8.0; it did in 7.0).  Comparisons hold only
 * within one type (numbers being one), in the order of core/order/compare.h.
 */
#ifndef PGBSON_MATCH_H
#define PGBSON_MATCH_H

#include "core/bytes/value.h"
#include "core/find/path.h"
#include "mongo/common/regex.h"
#include "mongo/expr/expr.h"
#include "mongo/query/schema.h"

typedef enum PgBsonQueryKind
{
	/* of several queries */
	PGBSON_QUERY_AND,
	PGBSON_QUERY_OR,
	PGBSON_QUERY_NOT,			/* of the conjunction of its children */
	/* of the values at a path: elements of an array count */
	PGBSON_QUERY_EQ,
	PGBSON_QUERY_GT,
	PGBSON_QUERY_GTE,
	PGBSON_QUERY_LT,
	PGBSON_QUERY_LTE,
	PGBSON_QUERY_IN,
	PGBSON_QUERY_ALL,			/* each of the values is equal to some value at the path */
	PGBSON_QUERY_EXISTS,
	PGBSON_QUERY_TYPE,
	PGBSON_QUERY_MOD,
	PGBSON_QUERY_REGEX,
	PGBSON_QUERY_BITS_ALL_SET,
	PGBSON_QUERY_BITS_ALL_CLEAR,
	PGBSON_QUERY_BITS_ANY_SET,
	PGBSON_QUERY_BITS_ANY_CLEAR,
	/* of the value at a path, an array as a whole */
	PGBSON_QUERY_SIZE,
	PGBSON_QUERY_ELEM_QUERY,	/* $elemMatch: a document among the elements meets the children */
	PGBSON_QUERY_ELEM_VALUE,	/* $elemMatch: an element meets the children, which have no path */
	/* of the document */
	PGBSON_QUERY_SCHEMA,		/* $jsonSchema */
	PGBSON_QUERY_EXPR			/* $expr */
} PgBsonQueryKind;

typedef struct PgBsonQuery PgBsonQuery;

struct PgBsonQuery
{
	PgBsonQueryKind kind;
	int			nchildren;
	PgBsonQuery **children;		/* of AND, OR, NOT, ELEM_*; the regular expressions of IN */
	int			npath;			/* 0: the value itself */
	const PgBsonStep *path;		/* names of the path, see PgBsonPathSplit */
	PgBsonShapes *shapes;		/* what documents look like at each of them; NULL: nothing is remembered */
	PgBsonValue operand;		/* of comparisons; of REGEX: a stored regex that it matches; of the AND of $all: its array */
	int			nvalues;		/* of IN, ALL: sorted by PgBsonCompare, no two equal */
	PgBsonValue *values;
	bool	   *seen;			/* of ALL, while it is tested: which of them */
	bool		with_null;		/* of IN: null is among them */
	PgBsonTypeSet types;		/* of TYPE */
	int64		divisor;		/* of MOD */
	int64		remainder;		/* of MOD; of SIZE: the number */
	PgBsonRegex *regex;			/* of REGEX */
	const PgBsonSchema *schema; /* of SCHEMA */
	const PgBsonExpression *expression;	/* of EXPR */
	uint64		mask;			/* of BITS_*, for numbers */
	int			npositions;		/* of BITS_*, for binary values: their numbers, or ... */
	uint32	   *positions;
	uint32		nbytes;			/* ... bytes that have them */
	const uint8 *bits;
};

/*
 * Make a query ready, palloc'd; it points into the query's bytes.  Raises
 * 22023 for what it does not understand, 0A000 for what it does not offer,
 * 2201B for a bad regular expression.
 */
extern PgBsonQuery *PgBsonQueryParse(const PgBsonValue *query);

/* Is this field of a condition an operator of a path, such as $gt, offered or not? */
extern bool PgBsonQueryIsOperator(const PgBsonIter *field);

/*
 * The condition of $pull, for single elements of an array: operators, a
 * regular expression, a query for documents, or a value to be equal to.
 */
extern PgBsonQuery *PgBsonQueryParseElement(const PgBsonValue *condition);

/*
 * Have the first tests of the query remember what documents look like, in the current memory
 * context; for a query that many documents are matched with.
 */
extern void PgBsonQueryRemember(PgBsonQuery *query);

/* Is a condition of this kind anywhere in the query?  Not everything that takes a query takes EXPR and SCHEMA. */
extern bool PgBsonQueryHas(const PgBsonQuery *query, PgBsonQueryKind kind);

/* Is the query met by this value, mostly a document?  Errors are those of $expr. */
extern bool PgBsonQueryMatches(const PgBsonQuery *query, const PgBsonValue *doc);

/* Does a test hold of one value, the elements of an array aside?  NULL: the path leads nowhere. */
extern bool PgBsonQueryValueHolds(const PgBsonQuery *test, const PgBsonValue *value);

/* The position of the first element of an array that meets an $elemMatch; -1: none, or it is no array */
extern int32 PgBsonQueryFindElement(const PgBsonQuery *test, const PgBsonValue *value);

/* Does a test with a path hold?  "value" is where the names of the path before number "name" lead; NULL: nothing is there. */
extern bool PgBsonQueryTestFrom(const PgBsonQuery *test, int name, const PgBsonValue *value);

#endif							/* PGBSON_MATCH_H */
