/*
 * contain.c
 *	  @> <@ ? ?| ?& and their functions.
 */
#include "core/contain.h"

#include "core/fetch.h"
#include "core/fields.h"
#include "core/path_args.h"
#include "core/sparse.h"
#include "sql/site.h"

PG_FUNCTION_INFO_V1(pgbson_contains);
PG_FUNCTION_INFO_V1(pgbson_contained);
PG_FUNCTION_INFO_V1(pgbson_exists);
PG_FUNCTION_INFO_V1(pgbson_exists_any);
PG_FUNCTION_INFO_V1(pgbson_exists_all);

/* What a call site of @> or <@ remembers */
typedef struct ContainSite
{
	bool		looked;			/* it was checked what the value to look for is */
	bool		constant;		/* a constant */
	int			credit;			/* a parameter, which may change so often that this is gone */
	MemoryContext context;		/* of what is kept of a parameter */
	PgBsonView	kept;			/* the parameter that "part" was made of */
	PgBsonPart *part;			/* the value to look for, if it is one of these */
	PgBsonFetchHint *hints;		/* one for each of its fields */
	PgBsonFetchHint *any_hints; /* the same for values that are not kept */
	PgBsonWhole *whole;			/* the value to look in, if that is a constant */
} ContainSite;

/* To begin with, at most, and what each change of a parameter takes */
#define PARAM_CREDIT		64
#define MOST_PARAM_CREDIT	256
#define PARAM_CHANGE		16

/* Hints for so many fields; with "always", these are the same each time */
static PgBsonFetchHint *
make_hints(MemoryContext context, int n, bool always)
{
	PgBsonFetchHint *hints = MemoryContextAllocZero(context, Max(n, 1) * sizeof(PgBsonFetchHint));

	for (int i = 0; always && i < n; i++)
		hints[i].shapes.context = context;
	return hints;
}

/* Keep a copy of the value to look for, and what is made of it */
static void
keep_part(FunctionCallInfo fcinfo, ContainSite *site, int wanted, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	PgBson	   *copy = PG_GETARG_PGBSON_P_COPY(wanted);
	PgBsonValue root = PgBsonRoot(copy);
	PgBsonPart *part = palloc_object(PgBsonPart);

	PgBsonPartInit(part, &root);
	PgBsonPartMeasure(part);
	site->hints = make_hints(context, part->few_fields ? part->fields.count : 0, true);
	site->kept = PgBsonViewOf(copy);
	site->part = part;
	MemoryContextSwitchTo(old);
}

/* Is the value to look for a parameter, and kept? */
static bool
param_is_kept(FunctionCallInfo fcinfo, ContainSite *site, int wanted)
{
	PgBsonView	param;

	if (site->credit <= 0)
		return false;
	param = PgBsonViewOf(PG_GETARG_PGBSON_PP(wanted));
	if (site->part != NULL && param.len == site->kept.len && memcmp(param.data, site->kept.data, param.len) == 0)
	{
		site->credit = Min(site->credit + 1, MOST_PARAM_CREDIT);
		return true;
	}
	site->part = NULL;
	if (site->context == NULL)
		site->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "bson parameter", ALLOCSET_SMALL_SIZES);
	MemoryContextReset(site->context);
	site->credit -= PARAM_CHANGE;
	if (site->credit <= 0)
		return false;
	keep_part(fcinfo, site, wanted, site->context);
	return true;
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

/* Neither is a constant, or the one to look in is */
static bool
contains_any(FunctionCallInfo fcinfo, ContainSite *site, int whole, int wanted)
{
	Datum		datum = PG_GETARG_DATUM(whole);
	PgBsonValue root;
	PgBsonPart	part;

	/* where nothing is saved by looking up its fields one by one */
	if (!PgBsonIsToasted((struct varlena *) DatumGetPointer(datum)))
	{
		PgBsonValue value = PgBsonRootOf(PgBsonFetchWhole(datum));

		root = PgBsonRootOf(PgBsonFetchWhole(PG_GETARG_DATUM(wanted)));
		if (site == NULL || !PgBsonArgIsConst(fcinfo->flinfo, whole))
			return PgBsonContains(&value, &root);
		if (site->whole == NULL)
			site->whole = make_whole(fcinfo, whole);
		return PgBsonWholeContains(site->whole, &root);
	}
	root = PgBsonRoot(PG_GETARG_PGBSON_PP(wanted));
	PgBsonPartInit(&part, &root);
	if (site != NULL && site->any_hints == NULL)
		site->any_hints = make_hints(fcinfo->flinfo->fn_mcxt, PGBSON_FEW_FIELDS, false);
	return PgBsonDatumContains(datum, &part, site == NULL ? NULL : site->any_hints);
}

static bool
arg_contains_arg(FunctionCallInfo fcinfo, int whole, int wanted)
{
	ContainSite *site = PgBsonSite(fcinfo->flinfo, sizeof(ContainSite));

	if (site != NULL && !site->looked)
	{
		site->looked = true;
		if (PgBsonArgIsParam(fcinfo->flinfo, wanted))
			site->credit = PARAM_CREDIT;
		else if (PgBsonArgIsConst(fcinfo->flinfo, wanted))
		{
			keep_part(fcinfo, site, wanted, fcinfo->flinfo->fn_mcxt);
			site->constant = true;
		}
	}
	if (site == NULL || !(site->constant || param_is_kept(fcinfo, site, wanted)))
		return contains_any(fcinfo, site, whole, wanted);
	return PgBsonDatumContains(PG_GETARG_DATUM(whole), site->part, site->hints);
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

/* After so many walks through long documents the keys are looked up one by one again */
#define WALKS_AT_ONCE	64

/* What a call site of ? ?| ?& remembers */
typedef struct ExistsSite
{
	bool		looked;			/* it was checked whether the keys are constant */
	bool		constant;		/* they are constant; if not, only the first hint is used */
	PgBsonKeySet keys;
	PgBsonFetchHint *hints;		/* for each of a few keys, which are looked up one by one; else one */
	PgBsonShape shape;			/* the keys of whole documents that were examined; its ends note the results for them */
	uint32		walks;			/* of whole documents */
	PgBsonFieldShape walked;	/* what they look like */
} ExistsSite;

/* NULL for a direct call; "add" puts keys into a set */
static inline ExistsSite *
exists_site(FunctionCallInfo fcinfo, void (*add) (Datum arg, PgBsonKeySet *keys))
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	ExistsSite *site = PgBsonSite(flinfo, sizeof(ExistsSite));
	MemoryContext old;

	if (site != NULL && !site->looked)
	{
		site->looked = true;
		if (!PgBsonArgIsConst(flinfo, 1))
		{
			site->hints = make_hints(flinfo->fn_mcxt, 1, false);
			return site;
		}
		old = MemoryContextSwitchTo(flinfo->fn_mcxt);
		PgBsonKeySetInit(&site->keys);
		/* copied, because the set points into it */
		add(PointerGetDatum(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(1))), &site->keys);
		site->hints = make_hints(flinfo->fn_mcxt, site->keys.count <= PGBSON_KEYSET_SMALL ? site->keys.count : 0, true);
		site->walked.context = flinfo->fn_mcxt;
		MemoryContextSwitchTo(old);
		site->constant = true;
	}
	return site;
}

static PgBsonStep
step_of(const PgBsonKeyEntry *entry)
{
	PgBsonStep	step = {PGBSON_STEP_KEY, 0, entry->key, entry->key_len};

	return step;
}

static void
add_text(Datum arg, PgBsonKeySet *keys)
{
	PgBsonStep	step = PgBsonStepFromText(DatumGetTextPP(arg), PGBSON_STEP_KEY);

	PgBsonKeySetAdd(keys, step.key, step.key_len, NULL);
}

static void
add_array(Datum arg, PgBsonKeySet *keys)
{
	PgBsonKeysFromArray(DatumGetArrayTypeP(arg), NULL, keys);
}

/* SQL: bson_exists(bson, text) returns bool; ? */
Datum
pgbson_exists(PG_FUNCTION_ARGS)
{
	ExistsSite *site = exists_site(fcinfo, add_text);
	PgBsonStep	key;

	if (site != NULL && site->constant)
		key = step_of(&site->keys.entries[0]);
	else
		key = PgBsonStepFromText(PG_GETARG_TEXT_PP(1), PGBSON_STEP_KEY);
	PG_RETURN_BOOL(PgBsonDatumHasKey(PG_GETARG_DATUM(0), &key, site == NULL ? NULL : &site->hints[0]));
}

/* The answer for a plain value; it is that of an earlier one if both have the same keys */
static bool
has_keys_of_site(Datum datum, ExistsSite *site, MemoryContext context, bool pauses, bool all)
{
	PgBsonValue root = PgBsonRootOf(PgBsonFetchWhole(datum));
	PgBsonView	view = PgBsonValueView(&root);
	PgBsonValue none;
	bool		shaped = root.type == PGBSON_DOCUMENT && !pauses;
	bool		answer;

	if (shaped && site->shape.count > 0 &&
		PgBsonShapeCompare(&site->shape, view, view.data + view.len, &none) == PGBSON_SHAPE_ABSENT)
	{
		PgBsonShapeServes(&site->shape);
		return site->shape.last->field != 0;
	}
	PgBsonKeySetUnmark(&site->keys);
	answer = PgBsonHasKeys(&root, &site->keys, all);
	if (shaped && PgBsonShapeDiffers(&site->shape, context, view, view.data + view.len, NULL))
		site->shape.last->field = answer;
	return answer;
}

/*
 * Do the shapes tell of each key where it is, or that it is absent?  They do not tell of late
 * keys of long documents, and there are none of external ones.
 */
static bool
shapes_tell(const ExistsSite *site)
{
	for (int i = 0; i < site->keys.count; i++)
	{
		if (PgBsonReadsOn(&site->hints[i]) || site->hints[i].shapes.steps[0].cut)
			return false;
	}
	return true;
}

/* One walk for all keys: the arguments of the search, and what it found */
typedef struct KeyWalk
{
	PgBsonFieldTarget targets[PGBSON_MAX_FIELDS];
	int			count;
	bool		all;
	bool		is_document;
	PgBsonFieldShape *shape;
} KeyWalk;

static PgBsonFound
walk_keys(PgBsonValue root, const uint8 *avail, void *arg, const uint8 **upto)
{
	KeyWalk    *keys = arg;
	PgBsonFieldWalk walk;
	PgBsonFound found;
	PgBsonValue value;
	int			which;

	keys->is_document = root.type == PGBSON_DOCUMENT;
	if (!keys->is_document)
		return PGBSON_ABSENT;
	PgBsonFieldWalkBegin(&walk, keys->targets, ((uint32) 1 << keys->count) - 1, PgBsonValueView(&root), avail);
	PgBsonFieldWalkRecall(&walk, keys->shape);
	while ((found = PgBsonNextField(&walk, &which, &value, upto)) == PGBSON_FOUND)
	{
		*upto = value.data + value.len;
		if (walk.left == 0 || !keys->all)
			break;
	}
	if (found != PGBSON_MORE)
		PgBsonFieldWalkEnd(&walk, keys->shape, keys->count);
	return found;
}

static bool
has_keys_by_walk(Datum datum, ExistsSite *site, bool all)
{
	KeyWalk		keys;
	bool		found;
	PgBsonValue root;

	keys.all = all;
	keys.shape = &site->walked;
	keys.count = site->keys.count;
	for (int i = 0; i < keys.count; i++)
		keys.targets[i] = PgBsonFieldTargetKey(site->keys.entries[i].key, site->keys.entries[i].key_len);
	found = PgBsonFetchSearch(datum, walk_keys, &keys, &site->hints[0]);
	if (keys.is_document)
		return found;
	PgBsonKeySetUnmark(&site->keys);
	root = PgBsonRootOf(PgBsonFetchWhole(datum));
	return PgBsonHasKeys(&root, &site->keys, all);
}

/* Is it?  Of what is read sparsely little may be read then; now and then it is tried, because documents change */
static bool
better_one_by_one(Datum datum, ExistsSite *site)
{
	return PgBsonIsSparse((struct varlena *) DatumGetPointer(datum)) &&
		(shapes_tell(site) || ++site->walks % WALKS_AT_ONCE == 0);
}

/*
 * Look up the keys one by one, because that need not read all of a toasted document.
 * Where all of them are wanted, it is read as far as the last one lies at once.
 */
static bool
has_few_keys(Datum datum, ExistsSite *site, bool all)
{
	for (int i = 1; all && i < site->keys.count; i++)
		site->hints[0].upto = Max(site->hints[0].upto, site->hints[i].upto);
	if (site->keys.count > 1 && !better_one_by_one(datum, site))
		return has_keys_by_walk(datum, site, all);

	for (int i = 0; i < site->keys.count; i++)
	{
		PgBsonStep	key = step_of(&site->keys.entries[i]);

		if (PgBsonDatumHasKey(datum, &key, &site->hints[i]) != all)
			return !all;
	}
	return all;
}

static bool
has_keys(FunctionCallInfo fcinfo, bool all)
{
	Datum		datum = PG_GETARG_DATUM(0);
	ExistsSite *site = exists_site(fcinfo, add_array);
	PgBsonValue root;

	if (site == NULL || !site->constant)
	{
		ArrayType  *array = PG_GETARG_ARRAYTYPE_P(1);

		root = PgBsonRootOf(PgBsonFetchWhole(datum));
		return PgBsonHasKeysOfArray(&root, array, all);
	}
	if (!PgBsonIsToasted((struct varlena *) DatumGetPointer(datum)))
	{
		bool		pauses = PgBsonShapePauses(&site->shape);

		if (pauses && site->keys.count > 0 && site->keys.count <= PGBSON_KEYSET_SMALL)
			return has_keys_by_walk(datum, site, all);
		return has_keys_of_site(datum, site, fcinfo->flinfo->fn_mcxt, pauses, all);
	}
	if (site->keys.count <= PGBSON_KEYSET_SMALL)
		return has_few_keys(datum, site, all);

	PgBsonKeySetUnmark(&site->keys);
	root = PgBsonRootOf(PgBsonFetchWhole(datum));
	return PgBsonHasKeys(&root, &site->keys, all);
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
