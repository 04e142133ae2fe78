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

/*
 * Read the options of a stage, or of a window function: "names" is a list of them, and for each a
 * place (PgBsonValue *) follows, which is set to its value, a missing one if it is not given.
 * Raises 22023 if the operand is no document, or has another field.
 */
extern void PgBsonStageOptions(const char *stage, const PgBsonValue *operand, const char *names,...);

/* Raise 22023 for one of these options (const PgBsonValue *) that is there and no string */
extern void PgBsonStageNeedNames(const char *stage, int count,...);

#endif							/* PGBSON_STAGE_H */
