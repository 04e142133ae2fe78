/*
 * match.h
 *	  $match: the conditions of a query as those of a SELECT.
 */
#ifndef PGBSON_PIPELINE_MATCH_H
#define PGBSON_PIPELINE_MATCH_H

#include "pipeline/select.h"

/* Add the conditions of a query */
extern void PgBsonMatchAdd(PgBsonSelect *select, const PgBsonValue *query);

#endif							/* PGBSON_PIPELINE_MATCH_H */
