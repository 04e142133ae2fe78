/*
 * contain.c
 *	  @> <@ ? ?| ?& and their functions.
 */
#include "core/contain.h"

#include "core/fetch.h"
#include "sql/steps.h"

PG_FUNCTION_INFO_V1(pgbson_contains);
PG_FUNCTION_INFO_V1(pgbson_contained);
PG_FUNCTION_INFO_V1(pgbson_exists);
PG_FUNCTION_INFO_V1(pgbson_exists_any);
PG_FUNCTION_INFO_V1(pgbson_exists_all);

/* What the call site knows of how far its answers lie; a direct call knows nothing */
static PgBsonFetchHint *
fetch_hint(FunctionCallInfo fcinfo)
{
	if (fcinfo->flinfo == NULL)
		return NULL;
	if (fcinfo->flinfo->fn_extra == NULL)
		fcinfo->flinfo->fn_extra =
			MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(PgBsonFetchHint));
	return (PgBsonFetchHint *) fcinfo->flinfo->fn_extra;
}

/* What a call site of @> or <@ remembers */
typedef struct ContainSite
{
	PgBsonFetchHint hint;
	bool		part_known;		/* what is looked for never changes */
	PgBsonPart	part;
} ContainSite;

static ContainSite *
contain_site(FmgrInfo *flinfo)
{
	if (flinfo->fn_extra == NULL)
		flinfo->fn_extra = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(ContainSite));
	return (ContainSite *) flinfo->fn_extra;
}

static bool
arg_contains_arg(FunctionCallInfo fcinfo, int whole, int wanted)
{
	Datum		datum = PG_GETARG_DATUM(whole);
	FmgrInfo   *flinfo = fcinfo->flinfo;
	ContainSite *site = flinfo == NULL ? NULL : contain_site(flinfo);
	PgBsonValue root;
	PgBsonPart	part;

	if (site == NULL || !PgBsonArgIsConst(flinfo, wanted))
	{
		root = PgBsonRoot(PG_GETARG_PGBSON_PP(wanted));
		PgBsonPartInit(&part, &root);
		return PgBsonDatumContains(datum, &part, site == NULL ? NULL : &site->hint);
	}

	if (!site->part_known)
	{
		MemoryContext old = MemoryContextSwitchTo(flinfo->fn_mcxt);

		root = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(wanted));
		PgBsonPartInit(&site->part, &root);
		MemoryContextSwitchTo(old);
		site->part_known = true;
	}
	return PgBsonDatumContains(datum, &site->part, &site->hint);
}

/* SQL: bson_contains(bson, bson) returns bool; @> */
Datum
pgbson_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(arg_contains_arg(fcinfo, 0, 1));
}

/* SQL: bson_contained(bson, bson) returns bool; <@ */
Datum
pgbson_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(arg_contains_arg(fcinfo, 1, 0));
}

/* SQL: bson_exists(bson, text) returns bool; ? */
Datum
pgbson_exists(PG_FUNCTION_ARGS)
{
	PgBsonStep	key = PgBsonStepFromText(PG_GETARG_TEXT_PP(1), PGBSON_STEP_KEY);

	PG_RETURN_BOOL(PgBsonDatumHasKey(PG_GETARG_DATUM(0), &key, fetch_hint(fcinfo)));
}

/* The keys of ?| or ?&; a call site remembers them if they never change */
static PgBsonKeySet *
keys_of_arg(FunctionCallInfo fcinfo, PgBsonKeySet *room)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	MemoryContext old;
	PgBsonKeySet *keys;

	if (!PgBsonArgIsConst(flinfo, 1))
	{
		PgBsonKeysFromArray(PG_GETARG_ARRAYTYPE_P(1), room);
		return room;
	}

	if (flinfo->fn_extra == NULL)
	{
		/* a copy of the array, as the set points into it */
		old = MemoryContextSwitchTo(flinfo->fn_mcxt);
		keys = palloc(sizeof(PgBsonKeySet));
		PgBsonKeysFromArray(PG_GETARG_ARRAYTYPE_P_COPY(1), keys);
		MemoryContextSwitchTo(old);
		flinfo->fn_extra = keys;
	}
	keys = (PgBsonKeySet *) flinfo->fn_extra;
	PgBsonKeySetUnmark(keys);
	return keys;
}

static bool
has_keys(FunctionCallInfo fcinfo, bool all)
{
	PgBsonKeySet room;
	PgBsonKeySet *keys = keys_of_arg(fcinfo, &room);
	PgBsonValue root = PgBsonRootOf(PgBsonFetchWhole(PG_GETARG_DATUM(0)));

	return PgBsonHasKeys(&root, keys, all);
}

/* SQL: bson_exists_any(bson, text[]) returns bool; ?| */
Datum
pgbson_exists_any(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(has_keys(fcinfo, false));
}

/* SQL: bson_exists_all(bson, text[]) returns bool; ?& */
Datum
pgbson_exists_all(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(has_keys(fcinfo, true));
}
