/*
 * prefix.h
 *	  The first 64 bits of an encoding that sorts as compare.h orders.
 */
#ifndef PGBSON_PREFIX_H
#define PGBSON_PREFIX_H

#include "core/view.h"

/* A number that never sorts against PgBsonCompare: less means less, equal says nothing */
extern uint64 PgBsonSortPrefix(const PgBsonValue *value);

#endif							/* PGBSON_PREFIX_H */
