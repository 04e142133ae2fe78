/*
 * steps.h
 *	  Ranges of numbers, or of dates with a unit of time, as $densify and
 *	  $setWindowFields of MongoDB's pipelines have them.
 */
#ifndef PGBSON_STEPS_H
#define PGBSON_STEPS_H

#include "mongo/expr/expr_date.h"

/* A unit by its name, 22023 for another */
extern const PgBsonUnit *PgBsonRangeUnit(const char *name, uint32 len);

/* The same for what is calculated by a unit: none longer than a week */
extern const PgBsonUnit *PgBsonFixedUnit(const char *name, uint32 len);

/* Raise 22023 unless the value is a number, or, with a unit, a date */
extern void PgBsonRangeCheck(const PgBsonValue *value, const PgBsonUnit *unit);

/* Values from one to another, in equal steps */
typedef struct PgBsonSteps
{
	PgBsonValue next;
	PgBsonValue last;
	PgBsonValue step;
	const PgBsonUnit *unit;
	int64		units;			/* in a step of dates */
	uint8		room[16];		/* for the bytes of "next" */
} PgBsonSteps;

/* "next", "last", "step" and "unit" are set: raise 22023 for what is no range */
extern void PgBsonStepsBegin(PgBsonSteps *steps);

/* The next value, palloc'd; false behind the last */
extern bool PgBsonStepsNext(PgBsonSteps *steps, PgBsonValue *value);

#endif							/* PGBSON_STEPS_H */
