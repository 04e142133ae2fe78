/*
 * union.h
 *	  Pipelines beside each other: $unionWith, $facet.
 */
#ifndef PGBSON_UNION_H
#define PGBSON_UNION_H

#include "pipeline/select.h"

extern void PgBsonUnionAdd(PgBsonSelect *select, const char *name, const PgBsonValue *operand);
extern void PgBsonUnionAddFacet(PgBsonSelect *select, const char *name, const PgBsonValue *operand);

#endif							/* PGBSON_UNION_H */
