/*
 * match.h
 *	  MongoDB's query language: a query document, made ready, against documents.
 *
 * A query is parsed once into a tree of tests; what is not understood is an
 * error then (22023), never a silent non-match.
 *
 * How a path finds its values, and what a test sees, is MongoDB's: a dotted
 * path goes into the documents of an array, and to the element a number
 * names; a test sees the elements of an array it ends at, and then the array.
 * What is missing equals null.  Comparisons hold only within one type (numbers
 * being one), in the order of core/compare.h.
 */
#ifndef PGBSON_MATCH_H
#define PGBSON_MATCH_H

#include "core/path.h"

typedef enum PgBsonQueryKind
{
	/* of several queries */
	PGBSON_QUERY_AND,
	PGBSON_QUERY_OR,
	PGBSON_QUERY_NOT,			/* of the conjunction of its children */
	/* of the values at a path */
	PGBSON_QUERY_EQ,
	PGBSON_QUERY_GT,
	PGBSON_QUERY_GTE,
	PGBSON_QUERY_LT,
	PGBSON_QUERY_LTE,
	PGBSON_QUERY_IN,
	PGBSON_QUERY_EXISTS,
	PGBSON_QUERY_TYPE,
	PGBSON_QUERY_MOD,
	PGBSON_QUERY_REGEX,
	PGBSON_QUERY_SIZE,
	PGBSON_QUERY_ELEM_QUERY,	/* $elemMatch: a document among the elements meets the children */
	PGBSON_QUERY_ELEM_VALUE		/* $elemMatch: an element meets the children, which have no path */
} PgBsonQueryKind;

typedef struct PgBsonQuery PgBsonQuery;

struct PgBsonQuery
{
	PgBsonQueryKind kind;
	int			nchildren;
	PgBsonQuery **children;		/* of AND, OR, NOT, ELEM_*; the regular expressions of IN */
	int			npath;			/* 0: the value itself */
	const PgBsonStep *path;		/* names of the path, see PgBsonSplitDotted */
	PgBsonValue operand;
	int			nvalues;		/* of IN: sorted by PgBsonCompare; of TYPE: see "types" */
	PgBsonValue *values;
	bool		with_null;		/* of IN: null is among them */
	uint32		types[8];		/* of TYPE: a bit per type byte */
	int64		divisor;		/* of MOD */
	int64		remainder;
	text	   *pattern;		/* of REGEX: in the server's encoding */
	int			flags;
};

/*
 * Make a query ready, palloc'd; it points into the query's bytes.  Raises
 * 22023 for what it does not understand, 2201B for a bad regular expression.
 */
extern PgBsonQuery *PgBsonQueryParse(const PgBsonValue *query);

/*
 * The condition of $pull, for single elements of an array: operators, a
 * regular expression, a query for documents, or a value to be equal to.
 */
extern PgBsonQuery *PgBsonQueryParseElement(const PgBsonValue *condition);

extern bool PgBsonQueryMatches(const PgBsonQuery *query, const PgBsonValue *doc);

#endif							/* PGBSON_MATCH_H */
