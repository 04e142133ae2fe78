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
 *					keys; the same of the elements of arrays and of scalars that
 *					are not in a field; the fraction of rows to be expected with a
 *					field that is not among the keys; for each bound, how many
 *					values of its path and type a row has
 *
 * If there are no values in a field, but documents in large arrays, of which
 * only some elements were examined, more rows than usual are to be expected with
 * a field of them that is not among the keys: their fraction is the second
 * number of the array's key, as a negative one.
 *
 * In addition, the names of fields of root documents are stored in a slot of
 * the kind MCELEM, which the view pg_stats shows.
 */
#ifndef PGBSON_STATISTICS_H
#define PGBSON_STATISTICS_H

#include "index/gin.h"

/* From the range that pg_statistic.h reserves for private use */
#define PGBSON_STATISTIC_KIND	24317

/* How the field of the values at this path is reached: that of an element, in the same way as its array */
static inline PgBsonGinVia
PgBsonStatFieldVia(const PgBsonGinPath *path)
{
	return path->via == PGBSON_GIN_ELEMENT ? PGBSON_GIN_PLAIN : path->via;
}

/* The key of the field that has the values at this path; 0 if there is none */
static inline Datum
PgBsonStatFieldOf(PgBsonGinKeys *keys, const PgBsonGinPath *path)
{
	PgBsonGinPath field = *path;
	bool		exact;

	if (path->nkeys == 0)
		return 0;
	field.via = PgBsonStatFieldVia(path);
	return PgBsonGinWholeOps.field_key(keys, &field, &exact);
}

#endif							/* PGBSON_STATISTICS_H */
