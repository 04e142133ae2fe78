/*
 * follow.h
 *	  Finding a value at steps that are arguments of a call, which its site keeps.
 */
#ifndef PGBSON_FOLLOW_H
#define PGBSON_FOLLOW_H

#include "core/find/path.h"
#include "sql/site/kept.h"

/* Adds path steps of the arguments to none; there is room for one.  "copy": they outlive the arguments. */
typedef void (*PgBsonMakeSteps) (FunctionCallInfo fcinfo, bool copy, PgBsonSteps *steps);

/* What a call site remembers between calls; begins as zeroes */
typedef struct PgBsonGetSite
{
	PgBsonKept	kept;			/* the first member */
	PgBsonFetchHint hint;
	PgBsonMakeSteps make;
	PgBsonSteps steps;			/* made of the arguments, while they are kept */
	PgBsonStep	room;			/* for a single one */
} PgBsonGetSite;

/* PgBsonFindSteps with steps that are not kept, or have to be made anew because the arguments changed */
extern bool PgBsonFindAnew(FunctionCallInfo fcinfo, PgBsonGetSite *site, int argno, PgBsonMakeSteps make, PgBsonValue *result);

/* Find the value in argument "argno" at the steps that the arguments behind it give.  Mostly these have been made. */
static inline bool
PgBsonFindSteps(FunctionCallInfo fcinfo, PgBsonGetSite *site, int argno, PgBsonMakeSteps make, PgBsonValue *result)
{
	if (unlikely(site == NULL || !PgBsonIsKept(&site->kept, fcinfo) || site->steps.has_null))
		return PgBsonFindAnew(fcinfo, site, argno, make, result);
	return PgBsonFetchPath(PG_GETARG_DATUM(argno), site->steps.steps, site->steps.count, &site->hint, result);
}

/*
 * The value in the last argument but one at the names in the last one, a text[], as a chain of -> finds it: it points into
 * that argument.  Null if there is none.
 */
extern PgBsonValue PgBsonFindNames(FunctionCallInfo fcinfo, PgBsonGetSite *site);

#endif							/* PGBSON_FOLLOW_H */
