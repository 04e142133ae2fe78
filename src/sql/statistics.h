/*
 * statistics.h
 *	  What ANALYZE keeps of a bson column, and how estimators name what they ask.
 *
 * Documents over 1 kB leave no common values and no histogram, so the
 * statistics that matter are those of what is in them: which paths and which
 * values at paths rows have, and how many rows.  They are counted by the keys
 * of the GIN class bson_ops (index/gin.c), in a slot of pg_statistic of a
 * kind of our own:
 *
 *		stavalues	bytea[]: n keys, in the order of their bytes; then the
 *					h bounds of histograms (analyze_range.c), in that order, too
 *		stanumbers	2n + 2 + h: for each key the fraction of rows (that are not
 *					NULL) with it; for each key of a field, the fraction of rows
 *					that have one particular value there which is not among the
 *					keys; the least of the first n; the fraction of rows to be
 *					expected with a field that is not among the keys; for each
 *					bound, how many values of its path and type a row has
 *
 * Besides, the names of fields of root documents are a slot of the kind
 * MCELEM, which the view pg_stats shows to people.
 */
#ifndef PGBSON_STATISTICS_H
#define PGBSON_STATISTICS_H

#include "index/gin.h"

/* From the range that pg_statistic.h leaves to private use */
#define PGBSON_STATISTIC_KIND	24317

/* A key of bson_ops is at most so long; as hash keys they are padded with zeroes, their length before them */
#define PGBSON_STAT_KEY_ROOM	32

StaticAssertDecl(PGBSON_STAT_KEY_ROOM > PGBSON_GIN_KEY_MAX, "a key has room");

/* The key of the field that has the values at this path; 0 if there is none */
static inline Datum
PgBsonStatFieldOf(PgBsonGinKeys *keys, const PgBsonGinPath *path)
{
	PgBsonGinPath field = *path;
	bool		exact;

	if (path->nkeys == 0)
		return 0;
	/* an element's field is reached as its array is */
	if (field.via == PGBSON_GIN_ELEMENT)
		field.via = PGBSON_GIN_PLAIN;
	return PgBsonGinOps.field_key(keys, &field, &exact);
}

/* --- analyze_range.c --- */

typedef struct PgBsonRangeSample PgBsonRangeSample;

/* A sample of documents, in the current memory context, and one document more */
extern PgBsonRangeSample *PgBsonRangeSampleBegin(void);
extern void PgBsonRangeSampleAdd(PgBsonRangeSample *s, const PgBsonValue *root);

/*
 * The bounds of its histograms, how many, and for each the number of values
 * there is of its path and type per document; palloc'd.
 */
extern int	PgBsonRangeSampleFinish(PgBsonRangeSample *s, int target,
									Datum **bounds, float4 **counts);

#endif							/* PGBSON_STATISTICS_H */
