/*
 * ahead.h
 *	  Prefetching rows and chunks from memory.
 */
#ifndef PGBSON_AHEAD_H
#define PGBSON_AHEAD_H

#include "compat.h"

/*
 * Prefetch the bytes of a value in its row, and of the rows that a sequential scan returns next.  For functions that are
 * called with a column of each row; it changes nothing but speed.
 */
extern void PgBsonAskAhead(Datum value);

/* Prefetch these bytes; they may lie in memory that is not mapped */
extern void PgBsonAskFor(const void *from, Size bytes);

#endif							/* PGBSON_AHEAD_H */
