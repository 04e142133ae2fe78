/*
 * selectivity.h
 *	  What the estimators of sql/selectivity.c share.
 */
#ifndef PGBSON_SELECTIVITY_H
#define PGBSON_SELECTIVITY_H

#include "sql/statistics.h"

#include "nodes/pathnodes.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

/* Guesses where there are no statistics: of rows that have a value, and a field */
#define PGBSON_VALUE_SEL			0.01
#define PGBSON_FIELD_SEL			0.1

/* And if it is in an array's documents, as fewer are */
#define PGBSON_NESTED_PART			0.1

/* Of rows for a query that says nothing about keys, or is not known */
#define PGBSON_UNKNOWN_SEL			0.1

/* Of rows contained in something, of which there are few if the column holds more than parts */
#define PGBSON_CONTAINED_SEL		0.001

/* However many conditions there are, they are not as independent as all that */
#define PGBSON_LEAST_SEL			0.00001

/* Of rows with a field, those that pass some test of it */
#define PGBSON_PATTERN_SEL			0.05

/* What a key of a query stands for */
typedef struct PgBsonQueryKey
{
	Datum		key;			/* of bson_ops */
	Datum		field;			/* of a value: the key of its field; 0: none */
	double		factor;			/* of the rows with the key, what fraction is meant */
	PgBsonGinPath path;
	PgBsonValue value;			/* of a value */
	bool		is_value;
} PgBsonQueryKey;

/* What is known about the column */
typedef struct PgBsonKnown
{
	PlannerInfo *root;
	VariableStatData *vardata;
	bool		has_keys;		/* ANALYZE counted */
	AttStatsSlot slot;
	int			nkeys;			/* of the slot's values; the others are bounds of histograms */
	List	   *expressions;	/* accessors of the column that may have statistics */
} PgBsonKnown;

/* --- selectivity_keys.c: what ANALYZE counted --- */

/* The fraction of rows that have the key; and that have a value in a range of bson_range_ops */
extern double PgBsonKeySelectivity(const PgBsonKnown *known, const PgBsonQueryKey *key);
extern double PgBsonRangeSelectivity(const PgBsonKnown *known, Datum key,
									 const PgBsonGinBound *bound);

/* --- selectivity_expr.c: statistics of expressions --- */

/* The accessors of the column that an index or CREATE STATISTICS is about */
extern List *PgBsonFindAccessors(RelOptInfo *rel, Node *column);

/* The fraction of rows with a value, if one of these has statistics about it */
extern bool PgBsonAskAccessors(const PgBsonKnown *known, const PgBsonQueryKey *key, double *sel);

#endif							/* PGBSON_SELECTIVITY_H */
