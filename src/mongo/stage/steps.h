/*
 * steps.h
 *	  Ranges of numbers, or of dates and a unit of time, for $densify and
 *	  $setWindowFields of MongoDB's pipelines.
 *
 * The authority is MongoDB's src/mongo/db/pipeline/document_source_densify.cpp.
 */
#ifndef PGBSON_STEPS_H
#define PGBSON_STEPS_H

#include "mongo/expr/expr_date.h"

/* The unit of this name; 22023 if there is none */
extern const PgBsonUnit *PgBsonRangeUnit(const char *name, uint32 len);

/* The unit of this name that is no longer than a week; 22023 if there is none */
extern const PgBsonUnit *PgBsonFixedUnit(const char *name, uint32 len);

/* Raise 22023 unless the value is a number or, with a unit, a date */
extern void PgBsonRangeCheck(const PgBsonValue *value, const PgBsonUnit *unit);

/* The values from one to another in equal steps */
typedef struct PgBsonEqualSteps
{
	PgBsonValue next;
	PgBsonValue last;
	PgBsonValue step;
	const PgBsonUnit *unit;
	int64		units;			/* the step as a number of units, for dates */
	uint8		room[16];		/* the bytes of "next" */
	const PgBsonValue *known;	/* existing values, sorted: where one equals "next", the series goes on from it, with its type */
	int			nknown;
} PgBsonEqualSteps;

/*
 * Begin a range.  The caller has set "next" to the first value, and "last", "step", "unit", "known" and "nknown".  Raises
 * 22023 if the values and the step have wrong types, or the step is not positive.
 */
extern void PgBsonStepsBegin(PgBsonEqualSteps *steps);

/* The next value, palloc'd; false after the last one */
extern bool PgBsonStepsNext(PgBsonEqualSteps *steps, PgBsonValue *value);

#endif							/* PGBSON_STEPS_H */
