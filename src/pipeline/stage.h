/*
 * stage.h
 *	  Stages of a pipeline, added to a SELECT one after the other.  Some have files of their own.
 */
#ifndef PGBSON_STAGE_H
#define PGBSON_STAGE_H

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

/* Raise error 22023 for a stage's operand; "detail" is a whole sentence */
pg_noreturn extern void PgBsonStageWrong(const char *stage, const char *detail);

/* A key as text for a message */
extern const char *PgBsonMessageText(const char *key, uint32 len);

/*
 * Read the options of a stage or of a window function.  "names" is a list of their names; for each name
 * a PgBsonValue * follows, which is set to the option's value, or to a missing value if it is not
 * given.  Error 22023 if the operand is not a document, or has another field.
 */
extern void PgBsonStageOptions(const char *stage, const PgBsonValue *operand, const char *names,...);

/* Raise error 22023 if one of these options (const PgBsonValue *) is given and is not a string */
extern void PgBsonStageNeedNames(const char *stage, int count,...);

#endif							/* PGBSON_STAGE_H */
