/*
 * sortable.h
 *	  The first bytes of an encoding of scalars that sorts as compare.h orders.
 */
#ifndef PGBSON_SORTABLE_H
#define PGBSON_SORTABLE_H

#include "core/bytes/view.h"

/*
 * Write at most "room" bytes of the encoding of a scalar into "bytes", and
 * return how many.  If memcmp of the encodings of two scalars of one rank says
 * that one is less, it is; if it says that they are equal, they may not be.
 * *whole is set unless bytes of a string or binary
 * are missing; numbers have those of the nearest double.
 */
extern uint32 PgBsonSortableBytes(const PgBsonValue *value, uint8 *bytes, uint32 room, bool *whole);

#endif							/* PGBSON_SORTABLE_H */
