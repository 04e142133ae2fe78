/*
 * memory.h
 *	  Memory of lists that grow.
 */
#ifndef PGBSON_MEMORY_H
#define PGBSON_MEMORY_H

#include "postgres.h"

/*
 * Memory of this size for a list, which is NULL if there is none yet:
 * palloc'd in the current context, or grown where it is, beyond 1 GB as well.
 */
static inline void *
PgBsonResize(void *list, Size bytes)
{
	return list == NULL ? palloc(bytes) : repalloc_huge(list, bytes);
}

#endif							/* PGBSON_MEMORY_H */
