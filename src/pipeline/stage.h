/*
 * stage.h
 *	  Stages of a pipeline, added to a SELECT one after the other.  Some have files of their own.
 */
#ifndef PGBSON_STAGE_H
#define PGBSON_STAGE_H

#include "core/bytes/recode.h"
#include "mongo/common/options.h"
#include "pipeline/select.h"

/*
 * Add all stages of an array to the SELECT; error 22023 if the value is not an array.
 */
extern void PgBsonStagesAdd(PgBsonSelect *select, const PgBsonValue *pipeline);

/* Count a stage, or an accumulator; error 54000 if there are too many in the whole pipeline */
extern void PgBsonStageCount(PgBsonTranslation *all);
extern void PgBsonStageCountAccumulator(PgBsonTranslation *all);

/* Add the conditions of a query (match.c) */
extern void PgBsonMatchAdd(PgBsonSelect *select, const PgBsonValue *query);

/* Order the documents as $sort does */
extern void PgBsonStageSort(PgBsonSelect *select, const PgBsonValue *sort);

/* Add the stage "name" with its operand */
typedef void PgBsonStageAdd(PgBsonSelect *select, const char *name, const PgBsonValue *operand);

/* Stages that change single documents */
extern PgBsonStageAdd PgBsonStageTransform;

/* $group and other stages that make one document of many (group.c) */
extern PgBsonStageAdd PgBsonGroupAdd, PgBsonGroupAddCount, PgBsonGroupAddSortByCount;
extern PgBsonStageAdd PgBsonGroupAddBucket, PgBsonGroupAddBucketAuto;

/* $lookup (join.c), $graphLookup (graph.c), $unionWith and $facet (union.c) */
extern PgBsonStageAdd PgBsonJoinAddLookup, PgBsonGraphAdd, PgBsonUnionAdd, PgBsonUnionAddFacet;

/* $setWindowFields and $fill (window.c), $densify (densify.c) */
extern PgBsonStageAdd PgBsonWindowAdd, PgBsonWindowAddFill, PgBsonDensifyAdd;

/* --- accumulator.c: accumulators of $group as aggregates --- */

/* Does the accumulator in {accumulator: operand} depend on the order of documents?  Raises 22023 for an unknown one. */
extern bool PgBsonAccumulatorIsOrdered(const PgBsonIter *accumulator);

/*
 * The accumulator in SQL.  The document of the SELECT must be a column.  "key" is the _id of the group, from
 * which "n" may be computed; if it is NULL, "n" must be a constant.  "over" is the window, " OVER (...)", or
 * NULL; "moves" tells that its beginning moves.
 */
extern const char *PgBsonAccumulatorSql(PgBsonSelect *select, const PgBsonIter *accumulator, const char *key,
										const char *over, bool moves);

#endif							/* PGBSON_STAGE_H */
