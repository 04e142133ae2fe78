/*
 * match.h
 *	  MongoDB's query language: parsing queries, and testing documents by them.
 *
 * A query is parsed once into a tree of tests.  An operator that does not exist
 * is an error then (22023), and so is one that is known but not offered (0A000);
 * it is never ignored.
 *
 * match_path.h says how a path finds its values.  A missing value equals null; undefined does not (as in MongoDB 8.0).
 * Comparisons hold only within one type (numbers being one), in the order of core/order/compare.h.
 * The authority is MongoDB's src/mongo/db/matcher/expression_parser.cpp.
 */
#ifndef PGBSON_MATCH_H
#define PGBSON_MATCH_H

#include "core/bytes/value.h"
#include "core/find/fields.h"
#include "mongo/common/regex.h"
#include "mongo/expr/expr.h"
#include "mongo/query/schema.h"

typedef enum PgBsonQueryKind
{
	/* of several queries */
	PGBSON_QUERY_AND,
	PGBSON_QUERY_OR,
	PGBSON_QUERY_NOT,			/* the children together do not hold */
	/* from here on tests of the values at a path: the elements of an array are tested, too */
	PGBSON_QUERY_EQ,
	PGBSON_QUERY_GT,
	PGBSON_QUERY_GTE,
	PGBSON_QUERY_LT,
	PGBSON_QUERY_LTE,
	PGBSON_QUERY_IN,
	PGBSON_QUERY_ALL,			/* for each value of the list, some value at the path is equal to it */
	PGBSON_QUERY_EXISTS,
	PGBSON_QUERY_TYPE,
	PGBSON_QUERY_MOD,
	PGBSON_QUERY_REGEX,
	PGBSON_QUERY_BITS_ALL_SET,
	PGBSON_QUERY_BITS_ALL_CLEAR,
	PGBSON_QUERY_BITS_ANY_SET,
	PGBSON_QUERY_BITS_ANY_CLEAR,
	/* from here on tests of the value at a path: an array is tested as a whole */
	PGBSON_QUERY_SIZE,
	PGBSON_QUERY_ELEM_QUERY,	/* $elemMatch: some element is a document that satisfies the children */
	PGBSON_QUERY_ELEM_VALUE,	/* $elemMatch: some element satisfies the children, which have no path */
	/* of the document */
	PGBSON_QUERY_SCHEMA,		/* $jsonSchema */
	PGBSON_QUERY_EXPR			/* $expr */
} PgBsonQueryKind;

typedef struct PgBsonQuery PgBsonQuery;

struct PgBsonQuery
{
	PgBsonQueryKind kind;
	int			nchildren;
	PgBsonQuery **children;		/* AND, OR, NOT, ELEM_*: the tests below; IN: its regular expressions */
	int			npath;			/* 0: the value itself */
	const PgBsonStep *path;		/* the names of the path, see PgBsonPathSplit */
	PgBsonValue operand;		/* of comparisons; REGEX: a stored regex that matches, too; AND for $all: the array */
	int			nvalues;		/* IN, ALL: the number of values, which are sorted by PgBsonCompare and all different */
	PgBsonValue *values;
	bool	   *seen;			/* ALL: while it is tested, which of the values were seen */
	bool		with_null;		/* IN: null is in the list */
	PgBsonTypeSet types;		/* of TYPE */
	int64		divisor;		/* of MOD */
	int64		remainder;		/* MOD: the remainder; SIZE: the number of elements */
	PgBsonRegex *regex;			/* of REGEX */
	const PgBsonSchema *schema; /* of SCHEMA */
	const PgBsonExpression *expression;	/* of EXPR */
	uint64		mask;			/* of BITS_*, for numbers */
	int			npositions;		/* BITS_*, for binary data: the number of positions, or ... */
	uint32	   *positions;
	uint32		nbytes;			/* ... the number of bytes that hold the bits */
	const uint8 *bits;
};

/*
 * Parse a query, palloc'd; the result points into its bytes.  Raises 22023 for what MongoDB refuses, 0A000 for an
 * operator that is not offered, 2201B for a bad regular expression.
 */
extern PgBsonQuery *PgBsonQueryParse(const PgBsonValue *query);

/* --- regex_prefix.c --- */

/* What each string begins with that this regular expression matches; false if that is not known */
extern bool PgBsonRegexPrefix(const PgBsonValue *regex, PgBsonValue *prefix);

/* The least string greater than all that begin with these characters; false if there is none */
extern bool PgBsonPrefixEnd(const PgBsonValue *prefix, PgBsonValue *end);

/* Is this field's name an operator that tests a path, such as $gt?  It may be one that is not offered. */
extern bool PgBsonQueryIsOperator(const PgBsonIter *field);

/* Does the query have a condition of this kind at any level?  Some callers refuse EXPR and SCHEMA. */
extern bool PgBsonQueryHas(const PgBsonQuery *query, PgBsonQueryKind kind);

/* Does the value, mostly a document, satisfy the query?  Raises the errors of $expr. */
extern bool PgBsonQueryMatches(const PgBsonQuery *query, const PgBsonValue *doc);

/* Does a test hold for this value itself, not for its elements?  NULL: the path leads to nothing. */
extern bool PgBsonQueryValueHolds(const PgBsonQuery *test, const PgBsonValue *value);

/* Which element of an array is the first to satisfy an $elemMatch; -1 if none does, or it is no array */
extern int32 PgBsonQueryFindElement(const PgBsonQuery *test, const PgBsonValue *value);

/* Does a test hold for the values at its path, whose names before number "name" led to "value" (NULL: to nothing)? */
extern bool PgBsonQueryTestFrom(const PgBsonQuery *test, int name, const PgBsonValue *value);

/*
 * --- known.c: what only a statement decides, $text and geometry, which PgBsonQueryParse refuses ---
 *
 * A function that is given the filter of a statement, for a document that it has found, takes the rest of it.
 */

/* Does the query, a field of it, or an operator of a path have a part that only a statement decides? */
extern bool PgBsonQueryIsBeyond(const PgBsonValue *query);
extern bool PgBsonQueryFieldIsBeyond(const PgBsonIter *field);
extern bool PgBsonQueryOperatorIsBeyond(const PgBsonIter *operator);

/* Is the field an $and, $or or $nor with an array? */
extern bool PgBsonQueryIsLogical(const PgBsonIter *field);

/* Add the field without these parts, if anything is left of it that must hold */
extern void PgBsonQueryAddKnown(PgBsonWriter *query, const PgBsonIter *field);

/* The query without these parts, palloc'd unless it has none */
extern PgBsonValue PgBsonQueryKnown(const PgBsonValue *query);

/* --- match_fields.c: queries that test several fields, in one pass that ends when the answer is known --- */

typedef struct PgBsonQueryFields PgBsonQueryFields;

/* Prepare a query for one pass over each document, palloc'd; NULL if its tests are not of that kind */
extern PgBsonQueryFields *PgBsonQueryFieldsMake(const PgBsonQuery *query);

/* Does the document that the reader has open satisfy the query?  It reads only what the answer needs. */
extern bool PgBsonFieldsMatch(PgBsonQueryFields *fields, PgBsonReader *reader);

/*
 * The same of values without a document: field "i" has the value number which[i], or none if that is -1.  The number of a
 * field by its name; -1 if it is not tested.
 */
extern bool PgBsonFieldsMatchValues(const PgBsonQueryFields *fields, const PgBsonValue *values, const int *which);
extern int	PgBsonQueryFieldsFind(const PgBsonQueryFields *fields, const PgBsonStep *name);

/* --- position.c: the element of an array that a query found, MongoDB's "$" in a path --- */

typedef struct PgBsonPosition PgBsonPosition;

/*
 * Parse a query to find elements by, palloc'd; the result points into its bytes.  What only a statement decides is left
 * out; the other errors are PgBsonQueryParse's.
 */
extern PgBsonPosition *PgBsonPositionParse(const PgBsonValue *query);

/* Set *index to the element's position; false if the query is not satisfied, or is without looking into an array */
extern bool PgBsonPositionFind(const PgBsonPosition *position, const PgBsonValue *doc, uint32 *index);

#endif							/* PGBSON_MATCH_H */
