/*
 * statistics.h
 *	  The statistics that ANALYZE stores of a bson column, and how estimators find them.
 *
 * For documents over 1 kB the server keeps no common values and no histogram,
 * so the statistics that matter are those of their contents: how many rows
 * have a path, or a value at a path.  These are counted as keys of the GIN
 * class bson_ops (index/gin_ops.c), and are stored in a slot of pg_statistic
 * of our own kind:
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
 * In addition, the names of fields of root documents are stored in a slot of
 * the kind MCELEM, which the view pg_stats shows.
 */
#ifndef PGBSON_STATISTICS_H
#define PGBSON_STATISTICS_H

#include "index/gin.h"

/* From the range that pg_statistic.h reserves for private use */
#define PGBSON_STATISTIC_KIND	24317

/*
 * The largest size of a key of bson_ops; as a key of a hash table it is padded
 * with zeroes, and its length precedes it
 */
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
	/* the field of an element is reached in the same way as its array */
	if (field.via == PGBSON_GIN_ELEMENT)
		field.via = PGBSON_GIN_PLAIN;
	return PgBsonGinOps.field_key(keys, &field, &exact);
}

/* --- analyze_range.c --- */

typedef struct PgBsonRangeSample PgBsonRangeSample;

/*
 * Begin a sample of documents, in the current memory context; add a document
 * to it, and return the number of its keys
 */
extern PgBsonRangeSample *PgBsonRangeSampleBegin(void);
extern int	PgBsonRangeSampleAdd(PgBsonRangeSample *s, const PgBsonValue *root);

/*
 * The bounds of its histograms and their number, and for each bound the number
 * of values of its path and type per document; palloc'd.
 */
extern int	PgBsonRangeSampleFinish(PgBsonRangeSample *s, int target,
									Datum **bounds, float4 **counts);

#endif							/* PGBSON_STATISTICS_H */
