/*
 * join.h
 *	  $lookup: documents of another table, or of a pipeline, put into each document.
 */
#ifndef PGBSON_JOIN_H
#define PGBSON_JOIN_H

#include "pipeline/select.h"

extern void PgBsonJoinAddLookup(PgBsonSelect *select, const char *name, const PgBsonValue *operand);

#endif							/* PGBSON_JOIN_H */
