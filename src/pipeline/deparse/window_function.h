/*
 * window_function.h
 *	  Functions of $setWindowFields that are no accumulators.
 */
#ifndef PGBSON_WINDOW_FUNCTION_H
#define PGBSON_WINDOW_FUNCTION_H

#include "pipeline/deparse/select.h"

/* The step that is being written */
typedef struct PgBsonWindows
{
	PgBsonSelect *select;
	const PgBsonWindow *window;
	const char *name;			/* of the stage */
	const char *partition_sql;	/* "PARTITION BY ... ", or empty */
	const char *over;			/* the same and "ORDER BY ..." */
	const char *key;			/* the column of the sort's key; NULL: there is none */
} PgBsonWindows;

/* The number of paths in the sort */
static inline int
PgBsonWindowPaths(const PgBsonWindows *windows)
{
	return windows->window->order == NULL ? 0 : windows->window->order->npaths;
}

/* The value at the only path of the sort, in SQL; where it is missing, BSON null if "or_null", else NULL */
extern const char *PgBsonWindowPlace(const PgBsonWindows *windows, bool or_null);

/* A function in SQL over this window, NULL if it is none of these; "given": the stage names the window */
extern const char *PgBsonWindowFunctionSql(const PgBsonWindows *windows, const PgBsonIter *function,
										   const char *over, bool given);

#endif							/* PGBSON_WINDOW_FUNCTION_H */
