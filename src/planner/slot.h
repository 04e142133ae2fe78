/*
 * slot.h
 *	  The slot of pg_statistic with what ANALYZE counted in a bson column, taken apart.
 */
#ifndef PGBSON_SLOT_H
#define PGBSON_SLOT_H

#include "postgres.h"

#include "access/htup.h"
#include "utils/lsyscache.h"

/*
 * The values and numbers of the slot of our kind (planner/statistics.h) in a row of
 * pg_statistic; false if there is none.  Valid until the next call; nothing is to be freed.
 */
extern bool PgBsonFindSlot(HeapTuple statistics, AttStatsSlot *slot);

#endif							/* PGBSON_SLOT_H */
