/*
 * graph.h
 *	  $graphLookup: documents that are found from each document, step by step.
 */
#ifndef PGBSON_GRAPH_H
#define PGBSON_GRAPH_H

#include "pipeline/select.h"

extern void PgBsonGraphAdd(PgBsonSelect *select, const char *name, const PgBsonValue *operand);

#endif							/* PGBSON_GRAPH_H */
