/*
 * stage.h
 *	  Stages of a pipeline, added to a SELECT one after the other.
 */
#ifndef PGBSON_STAGE_H
#define PGBSON_STAGE_H

#include "pipeline/select.h"

/* Translate all stages of an array, 22023 for another value.  "where" names it in errors, as "a bson pipeline". */
extern void PgBsonStagesAdd(PgBsonSelect *select, const PgBsonValue *pipeline);

/* Conditions of a query */
extern void PgBsonStageMatch(PgBsonSelect *select, const PgBsonValue *query);

/* The order of a sort */
extern void PgBsonStageSort(PgBsonSelect *select, const PgBsonValue *sort);

/* One stage that changes documents, as an element of an array of such */
extern void PgBsonStageTransform(PgBsonSelect *select, const char *name, const PgBsonValue *operand);

/* Raise 22023 for a stage's operand; "detail" is a whole sentence */
pg_noreturn extern void PgBsonStageWrong(const char *stage, const char *detail);

/* The same where an option is unknown */
pg_noreturn extern void PgBsonStageUnknown(const char *stage, const PgBsonIter *option);

/* {name: value} */
extern PgBsonValue PgBsonStagePair(const char *name, const PgBsonValue *value);

#endif							/* PGBSON_STAGE_H */
