/*
 * contain.c
 *	  @> <@ ? ?| ?& and their functions.
 */
#include "core/order/contain.h"
#include "core/order/key_array.h"

#include "core/find/fetch.h"
#include "core/find/fields.h"
#include "core/stored/sparse.h"
#include "sql/site/args.h"
#include "sql/site/kept.h"
#include "sql/site/site.h"

PG_FUNCTION_INFO_V1(pgbson_contains);
PG_FUNCTION_INFO_V1(pgbson_contained);
PG_FUNCTION_INFO_V1(pgbson_exists);
PG_FUNCTION_INFO_V1(pgbson_exists_any);
PG_FUNCTION_INFO_V1(pgbson_exists_all);

/* Hints for so many fields that are kept */
typedef struct KeptHints
{
	PgBsonFetchHint *hints;
	int			count;
} KeptHints;

/* What a call site of @> or <@ remembers */
typedef struct ContainSite
{
	PgBsonKept	kept;
	PgBsonPart *part;			/* the value to look for, if that is kept */
	KeptHints	hints;			/* one for each of its first fields */
	PgBsonFetchHint *any_hints; /* the same for values that are not kept */
	PgBsonWhole *whole;			/* the value to look in, if that is a constant */
} ContainSite;

/* Hints for what is not the same each time */
static PgBsonFetchHint *
make_hints(MemoryContext context, int n)
{
	return MemoryContextAllocZero(context, Max(n, 1) * sizeof(PgBsonFetchHint));
}

/* Others in place of those for what was kept before */
static void
renew_hints(KeptHints *kept, MemoryContext context, int n)
{
	for (int i = 0; i < kept->count; i++)
		PgBsonShapesFree(&kept->hints[i].shapes);
	if (kept->hints != NULL)
		pfree(kept->hints);
	kept->hints = NULL;
	kept->count = 0;
	kept->hints = make_hints(context, n);
	kept->count = n;
	for (int i = 0; i < n; i++)
		kept->hints[i].shapes.context = context;
}

/* Take a value to look for apart, until it changes, which a constant does not */
static bool
keep_part(FunctionCallInfo fcinfo, ContainSite *site, int wanted)
{
	MemoryContext old;
	PgBsonValue root;

	if (!PgBsonKeepsAnew(&site->kept, fcinfo, wanted, 1))
		return false;
	old = MemoryContextSwitchTo(site->kept.context);
	root = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(wanted));
	site->part = palloc_object(PgBsonPart);
	PgBsonPartInit(site->part, &root);
	PgBsonPartMeasure(site->part);
	MemoryContextSwitchTo(old);
	renew_hints(&site->hints, fcinfo->flinfo->fn_mcxt, site->part->first);
	site->kept.made = true;
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
		site->any_hints = make_hints(fcinfo->flinfo->fn_mcxt, PGBSON_FEW_FIELDS);
	return PgBsonDatumContains(datum, &part, site == NULL ? NULL : site->any_hints);
}

static bool
arg_contains_arg(FunctionCallInfo fcinfo, int whole, int wanted)
{
	ContainSite *site = PgBsonSite(fcinfo->flinfo, sizeof(ContainSite));

	if (site == NULL || site->kept.never ||
		!(PgBsonIsKept(&site->kept, fcinfo) || keep_part(fcinfo, site, wanted)))
		return contains_any(fcinfo, site, whole, wanted);
	return PgBsonDatumContains(PG_GETARG_DATUM(whole), site->part, site->hints.hints);
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
	PgBsonKept	kept;
	PgBsonKeySet keys;			/* if they are kept */
	KeptHints	hints;			/* for each of a few keys, which are looked up one by one */
	PgBsonFetchHint *any_hint;	/* for a key that is not kept */
	PgBsonShape shape;			/* the keys of whole documents that were examined; its ends note the results for them */
	uint32		walks;			/* of whole documents */
	PgBsonFieldShape walked;	/* what they look like */
} ExistsSite;

typedef void (*AddKeys) (Datum arg, PgBsonKeySet *keys);

/* Make a set of the keys, until they change, which constants do not */
static pg_noinline bool
keep_keys(FunctionCallInfo fcinfo, ExistsSite *site, AddKeys add)
{
	MemoryContext context = fcinfo->flinfo->fn_mcxt;
	MemoryContext old;

	if (!PgBsonKeepsAnew(&site->kept, fcinfo, 1, 1))
		return false;
	old = MemoryContextSwitchTo(site->kept.context);
	PgBsonKeySetInit(&site->keys);
	/* copied, because the set points into it */
	add(PointerGetDatum(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(1))), &site->keys);
	MemoryContextSwitchTo(old);
	renew_hints(&site->hints, context, site->keys.count <= PGBSON_KEYSET_SMALL ? site->keys.count : 0);
	PgBsonShapeFree(&site->shape);
	PgBsonShapeFree(&site->walked.shape);
	site->walked.called = false;
	site->walked.context = context;
	site->kept.made = true;
	return true;
}

/* Are the keys kept? */
static inline bool
keys_are_kept(FunctionCallInfo fcinfo, ExistsSite *site, AddKeys add)
{
	return site != NULL && !site->kept.never &&
		(PgBsonIsKept(&site->kept, fcinfo) || keep_keys(fcinfo, site, add));
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
	ExistsSite *site = PgBsonSite(fcinfo->flinfo, sizeof(ExistsSite));
	PgBsonStep	key;

	if (keys_are_kept(fcinfo, site, add_text))
	{
		key = step_of(&site->keys.entries[0]);
		PG_RETURN_BOOL(PgBsonDatumHasKey(PG_GETARG_DATUM(0), &key, &site->hints.hints[0]));
	}
	key = PgBsonStepFromText(PG_GETARG_TEXT_PP(1), PGBSON_STEP_KEY);
	if (site != NULL && site->any_hint == NULL)
		site->any_hint = make_hints(fcinfo->flinfo->fn_mcxt, 1);
	PG_RETURN_BOOL(PgBsonDatumHasKey(PG_GETARG_DATUM(0), &key, site == NULL ? NULL : site->any_hint));
}

/* The answer for a plain value; it is that of an earlier one if both have the same keys */
static bool
has_keys_of_site(Datum datum, ExistsSite *site, bool pauses, bool all)
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
	if (shaped && PgBsonShapeDiffers(&site->shape, site->walked.context, view, view.data + view.len, NULL))
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
		if (PgBsonReadsOn(&site->hints.hints[i]) || site->hints.hints[i].shapes.steps[0].cut)
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
	found = PgBsonFetchSearch(datum, walk_keys, &keys, &site->hints.hints[0]);
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
		site->hints.hints[0].upto = Max(site->hints.hints[0].upto, site->hints.hints[i].upto);
	if (site->keys.count > 1 && !better_one_by_one(datum, site))
		return has_keys_by_walk(datum, site, all);

	for (int i = 0; i < site->keys.count; i++)
	{
		PgBsonStep	key = step_of(&site->keys.entries[i]);

		if (PgBsonDatumHasKey(datum, &key, &site->hints.hints[i]) != all)
			return !all;
	}
	return all;
}

static bool
has_keys(FunctionCallInfo fcinfo, bool all)
{
	Datum		datum = PG_GETARG_DATUM(0);
	ExistsSite *site = PgBsonSite(fcinfo->flinfo, sizeof(ExistsSite));
	PgBsonValue root;

	if (!keys_are_kept(fcinfo, site, add_array))
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
		return has_keys_of_site(datum, site, pauses, all);
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
