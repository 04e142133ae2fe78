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

/* The factor if it is in documents of an array, because those are fewer */
#define PGBSON_NESTED_PART			0.1

/* The fraction of rows for a query that says nothing about keys, or is not known */
#define PGBSON_UNKNOWN_SEL			0.1

/* The fraction of rows that are contained in a value. They are few if most rows hold whole documents */
#define PGBSON_CONTAINED_SEL		0.001

/* A lower bound: many conditions are not as independent as their product would suggest */
#define PGBSON_LEAST_SEL			0.00001

/* The fraction of rows with a field that pass some test of it */
#define PGBSON_PATTERN_SEL			0.05

/* The meaning of a key of a query: a field, or a value in one */
typedef struct PgBsonQueryKey
{
	uint64		hash;			/* as in statistics.h */
	uint64		field;			/* of a value: the hash of its field */
	double		factor;			/* the fraction of the rows with the key that is meant */
	PgBsonGinPath path;
	PgBsonValue value;			/* of a value */
	bool		is_value;
} PgBsonQueryKey;

/* What is known about the column */
typedef struct PgBsonKnown
{
	PlannerInfo *root;
	VariableStatData *vardata;
	bool		made;			/* the values of the query are stand-ins: any may be meant */
	const PgBsonStatistics *statistics; /* NULL: none */
	const uint64 *fields;		/* the parts of these */
	const uint64 *values;
	const PgBsonHistogram *histograms;
	const uint64 *bounds;
	const PgBsonFieldNumbers *field_numbers;
	const float4 *value_rows;
	List	   *expressions;	/* accessors of the column that may have statistics */
} PgBsonKnown;

/* --- selectivity.c --- */

/*
 * The fraction of rows whose column meets a query, of the type that the strategy of GIN takes; "made": one whose
 * values are not known
 */
extern double PgBsonColumnSelectivity(PlannerInfo *root, VariableStatData *vardata, Oid operator,
									  StrategyNumber strategy, Datum query, bool made);

/* --- selectivity_keys.c: what ANALYZE counted --- */

/* Read the statistics that a row of pg_statistic has */
extern void PgBsonReadStatistics(PgBsonKnown *known, HeapTuple row);

/* The fraction of rows that have the key; and the fraction that have a value in a range of bson_range_ops */
extern double PgBsonKeySelectivity(const PgBsonKnown *known, const PgBsonQueryKey *key);
extern double PgBsonRangeSelectivity(const PgBsonKnown *known, Datum key,
									 const PgBsonGinBound *bound);

/* --- selectivity_expr.c: statistics of expressions --- */

/* The accessors of the column that an index or CREATE STATISTICS is about */
extern List *PgBsonFindAccessors(RelOptInfo *rel, Node *column);

/* The arguments of an accessor, the first of which is what it reads; NIL if the expression is not an accessor */
extern List *PgBsonAccessorArgs(Node *expr);

/* Add the names in the arguments behind the first, each with its zero byte, and their number; false if there are none, or others than constant names */
extern bool PgBsonAddNames(StringInfo names, List *args, int *count);

/* The fraction of rows with a value, if one of these accessors has statistics about it */
extern bool PgBsonAskAccessors(const PgBsonKnown *known, const PgBsonQueryKey *key, double *sel);

#endif							/* PGBSON_SELECTIVITY_H */
