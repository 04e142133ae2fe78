/*
 * sortable.h
 *	  The first bytes of an encoding of scalars that sorts as compare.h orders.
 */
#ifndef PGBSON_SORTABLE_H
#define PGBSON_SORTABLE_H

#include "core/bytes/view.h"

/*
 * Write the first bytes of the encoding of a scalar, at most "room" of them, and return how many.  Of
 * two scalars of one rank, the one whose bytes are less (memcmp) is less; if the bytes are equal, the
 * scalars may differ.  *whole is false if "room" bytes were too few for a string or binary.  Numbers
 * are encoded as their nearest double.
 */
extern uint32 PgBsonSortableBytes(const PgBsonValue *value, uint8 *bytes, uint32 room, bool *whole);

#endif							/* PGBSON_SORTABLE_H */
