/*
 * step.h
 *	  Steps of a pipeline, added to a SELECT one after the other.  Some have files of their own.
 */
#ifndef PGBSON_STEP_H
#define PGBSON_STEP_H

#include "pipeline/deparse/operand.h"

/* A SELECT of the documents of a source; of a given one those of the SELECT "outer", of which it is a branch */
extern PgBsonSelect *PgBsonDeparseSource(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonSource *source,
										 const PgBsonSelect *outer);

/* Add a step */
typedef void PgBsonDeparseStep(PgBsonSelect *select, const PgBsonStage *node);

extern PgBsonDeparseStep PgBsonDeparseFilter, PgBsonDeparseCompute, PgBsonDeparseProject, PgBsonDeparseRedact;
extern PgBsonDeparseStep PgBsonDeparseUnwind, PgBsonDeparseSort, PgBsonDeparseCut, PgBsonDeparseSample;
extern PgBsonDeparseStep PgBsonDeparseScore;
extern PgBsonDeparseStep PgBsonDeparseGroup, PgBsonDeparseCount;	/* group.c */
extern PgBsonDeparseStep PgBsonDeparseWindow;	/* window.c */
extern PgBsonDeparseStep PgBsonDeparseDensify;	/* densify.c */
extern PgBsonDeparseStep PgBsonDeparseGraph;	/* graph.c */
extern PgBsonDeparseStep PgBsonDeparseNear; /* geometry.c */

/* --- chain_sql.c: all steps --- */

/* A SELECT of the documents of a pipeline */
extern PgBsonSelect *PgBsonDeparseChain(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonChain *chain,
										const PgBsonSelect *outer);

/* Add steps to a SELECT */
extern void PgBsonDeparseSteps(PgBsonSelect *select, const List *steps);

/*
 * --- accumulator.c ---
 *
 * An accumulator as an aggregate.  The document of the SELECT must be a column.  "key" is the _id of the group, from
 * which "n" may be computed; if it is NULL, "n" must be a constant.  "over" is the window, " OVER (...)", or
 * NULL; "moves" tells that its beginning moves.  "only_ends": see PgBsonGroup.
 */
extern const char *PgBsonAccumulatorSql(PgBsonSelect *select, const PgBsonIter *accumulator, const char *key,
										const char *over, bool moves, bool only_ends);

#endif							/* PGBSON_STEP_H */
