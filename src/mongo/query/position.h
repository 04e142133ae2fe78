/*
 * position.h
 *	  The element of an array that a query found: MongoDB's "$" in a path.
 *
 * If a condition looks into an array, the element is the first one that satisfies it.  If several
 * conditions do, the last in the query counts; in $or, the first branch that holds.  $nor, $not, $ne
 * and $nin find no element.  The authority is MongoDB's src/mongo/db/exec/matcher/matcher.h.
 */
#ifndef PGBSON_POSITION_H
#define PGBSON_POSITION_H

#include "mongo/query/match.h"

typedef struct PgBsonPosition PgBsonPosition;

/* Prepare the search, palloc'd and pointing into the query's bytes; errors are those of PgBsonQueryParse */
extern PgBsonPosition *PgBsonPositionParse(const PgBsonValue *query);

/* False if the document does not satisfy the query, or satisfies it without looking into an array */
extern bool PgBsonPositionFind(const PgBsonPosition *position, const PgBsonValue *doc, uint32 *index);

#endif							/* PGBSON_POSITION_H */
