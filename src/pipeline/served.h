/*
 * served.h
 *	  Conditions and orders that a btree index on a field serves: (data -> 'field').
 */
#ifndef PGBSON_SERVED_H
#define PGBSON_SERVED_H

#include "pipeline/select.h"
#include "utils/rel.h"

/* Note the fields with such an index, of the column of this name of the table that the SELECT reads */
extern void PgBsonServedFind(PgBsonSelect *select, Relation rel, const char *column);

/*
 * Add conditions for those fields of a query that an index serves.  Returns a query of the other fields.  The
 * document of the SELECT must be a column of a table.
 */
extern PgBsonValue PgBsonServedConditions(PgBsonSelect *select, const PgBsonValue *query, List **conditions);

/* The SELECT was sorted by this: remember it if an index serves it */
extern void PgBsonServedSort(PgBsonSelect *select, const PgBsonValue *sort);

/* An entry of FROM with the first documents in this order, as many as the SELECT's LIMIT needs; NULL if no index serves it */
extern const char *PgBsonServedFirst(const PgBsonSelect *select);

#endif							/* PGBSON_SERVED_H */
