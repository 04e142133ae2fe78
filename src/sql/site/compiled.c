/*
 * compiled.c
 *	  What a call site compiles from arguments that seldom change.
 */
#include "sql/site/compiled.h"

#include "core/write/from_value.h"
#include "sql/site/args.h"
#include "utils/memutils.h"

static bool
same_bytes(const PgBsonView *a, const PgBsonView *b)
{
	if (a->data == NULL || b->data == NULL)
		return a->data == b->data;
	return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

static PgBsonCompiled *
new_site(FunctionCallInfo fcinfo, Size size, const int *args, int nargs)
{
	PgBsonCompiled *site = PgBsonSite(fcinfo->flinfo, size);

	if (site == NULL)
	{
		site = palloc0(size);
		site->context = CurrentMemoryContext;
	}
	else if (site->context == NULL)
	{
		site->constant = true;
		for (int i = 0; i < nargs && site->constant; i++)
			site->constant = args[i] >= PG_NARGS() || PgBsonArgIsConst(fcinfo->flinfo, args[i]);
		site->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "bson call site", ALLOCSET_SMALL_SIZES);
	}
	return site;
}

PgBsonCompiled *
PgBsonCompileArgs(FunctionCallInfo fcinfo, Size size, const int *args, int nargs, PgBsonCompiler compile)
{
	PgBsonCompiled *site = new_site(fcinfo, size, args, nargs);
	PgBsonView	given[PGBSON_MAX_COMPILED] = {{NULL, 0}};
	bool		same = site->ready;
	MemoryContext old;

	for (int i = 0; i < nargs; i++)
	{
		if (args[i] < PG_NARGS() && !PG_ARGISNULL(args[i]))
			given[i] = PgBsonViewOf(PG_GETARG_PGBSON_PP(args[i]));
		same = same && same_bytes(&site->args[i], &given[i]);
	}
	if (same)
		return site;

	site->ready = false;
	if (fcinfo->flinfo != NULL)
		MemoryContextReset(site->context);
	old = MemoryContextSwitchTo(site->context);
	for (int i = 0; i < nargs; i++)
	{
		site->args[i] = given[i];
		if (given[i].data != NULL)
			site->args[i] = PgBsonViewOf(PgBsonFromBytes(given[i].data, given[i].len));
	}
	compile(site);
	MemoryContextSwitchTo(old);
	/* only after all has succeeded */
	site->ready = true;
	return site;
}
