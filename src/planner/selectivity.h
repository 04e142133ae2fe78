/*
 * selectivity.h
 *	  What the estimators of planner/selectivity.c share.
 */
#ifndef PGBSON_SELECTIVITY_H
#define PGBSON_SELECTIVITY_H

#include "planner/statistics.h"

#include "nodes/pathnodes.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

/* Guesses if there are no statistics: the fraction of rows that have a value, and that have a field */
#define PGBSON_VALUE_SEL			0.01
#define PGBSON_FIELD_SEL			0.1

/* The factor for values and fields in documents of an array, because fewer rows have these */
#define PGBSON_NESTED_PART			0.1

/* The fraction of rows for a query that sets no condition on keys, or is not known */
#define PGBSON_UNKNOWN_SEL			0.1

/* The fraction of rows contained in a value (<@).  It is small, as most rows hold whole documents. */
#define PGBSON_CONTAINED_SEL		0.001

/* The least estimate: conditions are often not as independent as multiplying their fractions assumes */
#define PGBSON_LEAST_SEL			0.00001

/* The guess for tests that cannot be estimated: which fraction of the rows with the field passes */
#define PGBSON_PATTERN_SEL			0.05

/* What a key of a query stands for: a field, or a value in a field */
typedef struct PgBsonQueryKey
{
	uint64		hash;			/* as in statistics.h */
	uint64		field;			/* for a value: the hash of the field that it is in */
	double		factor;			/* the fraction of the rows with this key that meet the condition */
	PgBsonGinPath path;
	PgBsonValue value;			/* of a value */
	bool		is_value;
} PgBsonQueryKey;

/* What is known about the column of a condition */
typedef struct PgBsonKnown
{
	PlannerInfo *root;
	VariableStatData *vardata;
	bool		made;			/* the query's values are stand-ins, see made_query */
	const PgBsonStatistics *statistics; /* NULL: none */
	const uint64 *fields;		/* the parts of these */
	const uint64 *values;
	const PgBsonHistogram *histograms;
	const uint64 *bounds;
	const PgBsonFieldNumbers *field_numbers;
	const float4 *value_rows;
	List	   *expressions;	/* accessors of the column that have statistics, or may have */
} PgBsonKnown;

/* --- selectivity.c --- */

/*
 * The fraction of rows whose column satisfies the query, of the type that the GIN strategy takes;
 * "made": its values are stand-ins
 */
extern double PgBsonColumnSelectivity(PlannerInfo *root, VariableStatData *vardata, Oid operator,
									  StrategyNumber strategy, Datum query, bool made);

/* The fraction of rows that have a field at this dotted path, as the operator @~ finds it */
extern double PgBsonFieldSelectivity(PlannerInfo *root, VariableStatData *vardata, Oid operator, const char *path,
									 uint32 len);

/* --- selectivity_keys.c: what ANALYZE counted --- */

/* Read the statistics in a row of pg_statistic */
extern void PgBsonReadStatistics(PgBsonKnown *known, HeapTuple row);

/* The fraction of rows that have the key; likewise, that have a value in a range of keys of bson_range_ops */
extern double PgBsonKeySelectivity(const PgBsonKnown *known, const PgBsonQueryKey *key);
extern double PgBsonRangeSelectivity(const PgBsonKnown *known, Datum key,
									 const PgBsonGinBound *bound);

/* --- selectivity_expr.c: statistics of expressions --- */

/* Collect the accessors of the column that an index or CREATE STATISTICS is about */
extern List *PgBsonFindAccessors(RelOptInfo *rel, Node *column);

/* The arguments of an accessor, with the document that it reads first; NIL if the expression is not an accessor */
extern List *PgBsonAccessorArgs(Node *expr);

/*
 * Append the names among the arguments after the first, each with its zero byte, and count them;
 * false unless these are constant names, one at least
 */
extern bool PgBsonAddNames(StringInfo names, List *args, int *count);

/* The fraction of rows with a value, if one of these accessors has statistics that tell it */
extern bool PgBsonAskAccessors(const PgBsonKnown *known, const PgBsonQueryKey *key, double *sel);

#endif							/* PGBSON_SELECTIVITY_H */
