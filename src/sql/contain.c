/*
 * contain.c
 *	  @> <@ ? ?| ?& and their functions.
 */
#include "door.h"

#include "core/order/contain.h"

#include "catalog/pg_type.h"
#include "sql/site/kept.h"

/* What a call site of @> or <@ remembers */
typedef struct ContainSite
{
	PgBsonKept	kept;			/* the first member */
	int			wanted;			/* which argument is the value to look for */
	PgBsonPart *part;			/* the value to look for, if that is kept */
	PgBsonReadHint hint;		/* of the values to look in */
	PgBsonFindHint hints[PGBSON_FEW_FIELDS];	/* one for each of the part's first fields */
	PgBsonWhole *whole;			/* the value to look in, if that is a constant */
} ContainSite;

/* Make the value to look for ready */
static void
keep_part(FunctionCallInfo fcinfo, void *contain_site)
{
	ContainSite *site = contain_site;
	PgBsonValue root = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(site->wanted));

	site->part = palloc_object(PgBsonPart);
	PgBsonPartInit(site->part, &root);
	PgBsonPartMeasure(site->part);
}

static PgBsonWhole *
make_whole(FunctionCallInfo fcinfo, int arg)
{
	MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	PgBsonValue root = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(arg));
	PgBsonWhole *whole = palloc_object(PgBsonWhole);

	PgBsonWholeInit(whole, &root);
	MemoryContextSwitchTo(old);
	return whole;
}

static bool
arg_contains_arg(FunctionCallInfo fcinfo, int whole, int wanted)
{
	ContainSite *site = PgBsonSite(fcinfo->flinfo, sizeof(ContainSite));
	Datum		datum = PG_GETARG_DATUM(whole);
	PgBsonReader reader;
	PgBsonReader part;
	bool		kept;
	bool		answer;

	if (site != NULL)
		site->wanted = wanted;
	kept = PgBsonKeep(site, fcinfo, wanted, 1, keep_part);
	if (kept && PgBsonPayloadSize(datum) < site->part->least)
		return false;
	if (!kept && site != NULL && PgBsonArgIsConst(fcinfo, whole))
	{
		if (site->whole == NULL)
			site->whole = make_whole(fcinfo, whole);
		(void) PgBsonOpenWhole(&part, PG_GETARG_DATUM(wanted));
		answer = PgBsonWholeContains(site->whole, &part.root);
		PgBsonClose(&part);
		return answer;
	}
	PgBsonOpen(&reader, datum, site == NULL ? NULL : &site->hint);
	if (kept)
		answer = PgBsonContainsPart(&reader, site->part, site->hints);
	else
	{
		(void) PgBsonOpenWhole(&part, PG_GETARG_DATUM(wanted));
		answer = PgBsonReaderContains(&reader, &part.root);
		PgBsonClose(&part);
	}
	PgBsonClose(&reader);
	return answer;
}

/* SQL: bson_contains(bson, bson) and bson_contained(bson, bson) return bool; @> and <@ */
PGBSON_DOOR(pgbson_contains, BoolGetDatum(arg_contains_arg(fcinfo, 0, 1)));
PGBSON_DOOR(pgbson_contained, BoolGetDatum(arg_contains_arg(fcinfo, 1, 0)));

/* What a call site of ? ?| ?& remembers */
typedef struct ExistsSite
{
	PgBsonKept	kept;
	PgBsonWantedKeys wanted;	/* if they are kept */
	PgBsonReadHint hint;		/* of the values that are asked */
	PgBsonFindHint find;		/* where the last values had the key, if there is one key */
} ExistsSite;

/* The keys of argument 1, a text or a text[], which the set points into */
static void
keep_keys(FunctionCallInfo fcinfo, void *exists_site)
{
	ExistsSite *site = exists_site;
	Datum		arg = PointerGetDatum(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(1)));

	PgBsonKeySetInit(&site->wanted.keys);
	if (get_fn_expr_argtype(fcinfo->flinfo, 1) == TEXTARRAYOID)
		PgBsonKeysFromArray(DatumGetArrayTypeP(arg), NULL, &site->wanted.keys);
	else
	{
		PgBsonStep	step = PgBsonStepFromText(DatumGetTextPP(arg), PGBSON_STEP_KEY);

		PgBsonKeySetAdd(&site->wanted.keys, step.key, step.key_len, NULL);
	}
	PgBsonWantedKeysInit(&site->wanted);
}

/* SQL: bson_exists(bson, text) returns bool; ? */
PGBSON_FUNCTION(pgbson_exists)
{
	ExistsSite *site = PgBsonSite(fcinfo->flinfo, sizeof(ExistsSite));
	bool		kept = PgBsonKeep(site, fcinfo, 1, 1, keep_keys);
	PgBsonReader reader;
	PgBsonStep	key;
	bool		answer;

	if (kept)
	{
		key.kind = PGBSON_STEP_KEY;
		key.key = site->wanted.keys.entries[0].key;
		key.key_len = site->wanted.keys.entries[0].key_len;
	}
	else
		key = PgBsonStepFromText(PG_GETARG_TEXT_PP(1), PGBSON_STEP_KEY);
	PgBsonOpen(&reader, PG_GETARG_DATUM(0), site == NULL ? NULL : &site->hint);
	answer = PgBsonHasKey(&reader, &key, kept ? &site->find : NULL);
	PgBsonClose(&reader);
	PG_RETURN_BOOL(answer);
}

static bool
has_keys(FunctionCallInfo fcinfo, bool all)
{
	ExistsSite *site = PgBsonSite(fcinfo->flinfo, sizeof(ExistsSite));
	bool		kept = PgBsonKeep(site, fcinfo, 1, 1, keep_keys);
	PgBsonReader reader;
	bool		answer;

	/* without kept keys all of the value is read, which says nothing about how much of the next ones is needed */
	PgBsonOpen(&reader, PG_GETARG_DATUM(0), kept ? &site->hint : NULL);
	if (kept)
		answer = PgBsonReaderHasKeys(&reader, &site->wanted, all);
	else
	{
		PgBsonReachValue(&reader, &reader.root);
		answer = PgBsonHasKeysOfArray(&reader.root, PG_GETARG_ARRAYTYPE_P(1), all);
	}
	PgBsonClose(&reader);
	return answer;
}

/* SQL: bson_exists_any(bson, text[]) and bson_exists_all(bson, text[]) return bool; ?| and ?& */
PGBSON_DOOR(pgbson_exists_any, BoolGetDatum(has_keys(fcinfo, false)));
PGBSON_DOOR(pgbson_exists_all, BoolGetDatum(has_keys(fcinfo, true)));
