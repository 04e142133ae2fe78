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

#endif							/* PGBSON_MEMORY_H */
