/*
 * window_function.h
 *	  Functions of $setWindowFields that are no accumulators.
 */
#ifndef PGBSON_WINDOW_FUNCTION_H
#define PGBSON_WINDOW_FUNCTION_H

#include "mongo/sort/sort_key.h"
#include "pipeline/select.h"

/* The stage under way */
typedef struct PgBsonWindows
{
	PgBsonSelect *select;
	const char *name;			/* of the stage */
	PgBsonValue partition;
	PgBsonValue sort;
	PgBsonValue output;
	const PgBsonSortOrder *order;	/* the sort; NULL: there is none */
	const char *partition_sql;	/* "PARTITION BY ... ", or empty */
	const char *over;			/* the same and "ORDER BY ..." */
} PgBsonWindows;

/* The number of paths in the sort */
static inline int
PgBsonWindowPaths(const PgBsonWindows *windows)
{
	return windows->order == NULL ? 0 : windows->order->npaths;
}

/* Is the function's value a bigint, which becomes an int or a long only where it is put into documents? */
extern bool PgBsonWindowCounts(const PgBsonValue *field);

/* The value at the only path of the sort, in SQL; where it is missing, BSON null if "or_null", else NULL */
extern const char *PgBsonWindowPlace(const PgBsonWindows *windows, bool or_null);

/* A function in SQL over this window, NULL if it is none of these; "given": the stage names the window */
extern const char *PgBsonWindowFunctionSql(const PgBsonWindows *windows, const PgBsonIter *function,
										   const char *over, bool given);

#endif							/* PGBSON_WINDOW_FUNCTION_H */
