/*
 * follow.c
 *	  Finding a value at steps that are arguments of a call, which its site keeps.
 */
#include "sql/site/follow.h"

static void
keep_steps(FunctionCallInfo fcinfo, void *call_site)
{
	PgBsonGetSite *site = call_site;

	site->steps = (PgBsonSteps) {0, false, &site->room};
	/* constants live as long as the site */
	site->make(fcinfo, site->kept.nargs > 0, &site->steps);
}

pg_noinline bool
PgBsonFindAnew(FunctionCallInfo fcinfo, PgBsonGetSite *site, int argno, PgBsonMakeSteps make, PgBsonValue *result)
{
	PgBsonStep	room;
	PgBsonSteps steps = {0, false, &room};

	if (site != NULL)
		site->make = make;
	if (site != NULL && !site->kept.never && PgBsonKeepAnew(&site->kept, fcinfo, argno + 1, PG_NARGS() - argno - 1, keep_steps))
		steps = site->steps;
	else
		make(fcinfo, false, &steps);
	return !steps.has_null &&
		PgBsonFetchPath(PG_GETARG_DATUM(argno), steps.steps, steps.count, site == NULL ? NULL : &site->hint, result);
}

static void
make_names(FunctionCallInfo fcinfo, bool copy, PgBsonSteps *steps)
{
	int			argno = PG_NARGS() - 1;

	*steps = PgBsonStepsFromArray(copy ? PG_GETARG_ARRAYTYPE_P_COPY(argno) : PG_GETARG_ARRAYTYPE_P(argno));
	for (int i = 0; i < steps->count; i++)
		steps->steps[i].kind = PGBSON_STEP_KEY;
}

PgBsonValue
PgBsonFindNames(FunctionCallInfo fcinfo, PgBsonGetSite *site)
{
	int			argno = PG_NARGS() - 2;
	PgBsonValue value;

	if (PG_ARGISNULL(argno) || PG_ARGISNULL(argno + 1) || !PgBsonFindSteps(fcinfo, site, argno, make_names, &value))
		return PgBsonNull;
	return value;
}
