/*
 * memory.h
 *	  Memory of lists that grow.
 */
#ifndef PGBSON_MEMORY_H
#define PGBSON_MEMORY_H

#include "postgres.h"

/* Make a list this large: palloc it in the current context if it is NULL, else enlarge it in its own, also beyond 1 GB */
static inline void *
PgBsonResize(void *list, Size bytes)
{
	return list == NULL ? palloc(bytes) : repalloc_huge(list, bytes);
}

/* A list for this many, each "width" bytes; never without memory, also beyond 1 GB */
static inline void *
PgBsonAllocList(Size count, Size width)
{
	return palloc_extended(Max(count, 1) * width, MCXT_ALLOC_HUGE);
}

/* Make room for one more in a list of this many, each "width" bytes: it is doubled when their number is a power of two */
static inline void *
PgBsonRoomForOne(void *list, Size count, Size width)
{
	return (count & (count - 1)) == 0 ? PgBsonResize(list, Max(count * 2, 1) * width) : list;
}

#endif							/* PGBSON_MEMORY_H */
