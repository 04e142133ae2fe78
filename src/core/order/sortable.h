/*
 * sortable.h
 *	  The first bytes of an encoding of scalars that sorts as compare.h orders.
 */
#ifndef PGBSON_SORTABLE_H
#define PGBSON_SORTABLE_H

#include "core/bytes/view.h"

/*
 * Write at most "room" bytes, and return how many.  Among scalars of one rank
 * their order, as memcmp has it, never is against PgBsonCompare: less means
 * less, equal says nothing.  *whole is set unless bytes of a string or binary
 * are missing; numbers have those of the nearest double.
 */
extern uint32 PgBsonSortableBytes(const PgBsonValue *value, uint8 *bytes, uint32 room, bool *whole);

#endif							/* PGBSON_SORTABLE_H */
