/*
 * skip.h
 *	  Passing over many elements of an array.
 */
#ifndef PGBSON_SKIP_H
#define PGBSON_SKIP_H

#include "core/view.h"

/*
 * Pass over at most "count" elements, the first at "p" being number "position" of
 * its array, as long as they are of the common kind: their keys have as many
 * digits as their numbers, and their values, which end before "limit", are of
 * a fixed size, strings, documents or arrays.  Returns what is behind them, and
 * in *passed how many they were.
 */
extern const uint8 *PgBsonSkipElements(const uint8 *p, const uint8 *limit, uint32 position,
									   uint32 count, uint32 *passed);

/*
 * The element that is number "back" (1: the last) from the end of an array; false
 * if it has fewer.  It is the one after "rest" others, "from" being the first of them.
 * "begin", which is number "position", or NULL for the first one, is known not to come after it.
 */
extern bool PgBsonElementFromEnd(PgBsonView array, const uint8 *begin, uint32 position,
								 int64 back, const uint8 **from, uint32 *rest);

#endif							/* PGBSON_SKIP_H */
