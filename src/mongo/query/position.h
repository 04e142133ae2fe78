/*
 * position.h
 *	  The element of an array that a query found: MongoDB's "$" in a path.
 *
 * Where a condition looks into an array, the first element that meets it is
 * the one.  Of several such conditions the last of the query counts, of $or
 * the first branch that holds; $nor, $not, $ne and $nin find no element.
 */
#ifndef PGBSON_POSITION_H
#define PGBSON_POSITION_H

#include "mongo/query/match.h"

typedef struct PgBsonPosition PgBsonPosition;

/* Make ready, palloc'd, pointing into the query's bytes; errors are those of PgBsonQueryParse */
extern PgBsonPosition *PgBsonPositionParse(const PgBsonValue *query);

/* False if the document does not meet the query, or that without looking into an array */
extern bool PgBsonPositionFind(const PgBsonPosition *position, const PgBsonValue *doc, uint32 *index);

#endif							/* PGBSON_POSITION_H */
