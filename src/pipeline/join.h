/*
 * join.h
 *	  Stages that read other tables, or have pipelines of their own: $lookup,
 *	  $graphLookup, $unionWith, $facet.
 */
#ifndef PGBSON_JOIN_H
#define PGBSON_JOIN_H

#include "pipeline/select.h"

extern void PgBsonJoinAddLookup(PgBsonSelect *select, const char *name, const PgBsonValue *operand);
extern void PgBsonJoinAddGraph(PgBsonSelect *select, const char *name, const PgBsonValue *operand);
extern void PgBsonJoinAddUnion(PgBsonSelect *select, const char *name, const PgBsonValue *operand);
extern void PgBsonJoinAddFacet(PgBsonSelect *select, const char *name, const PgBsonValue *operand);

/*
 * The SELECT of a pipeline that reads no table: its first stage is $documents, and
 * all are translated.  Raises 22023 for another.
 */
extern PgBsonSelect *PgBsonJoinDocuments(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonValue *pipeline);

#endif							/* PGBSON_JOIN_H */
