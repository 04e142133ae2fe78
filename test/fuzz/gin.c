/*
 * gin.c
 *	  A value and a condition of @> or @~: the keys of each class let pass every row that meets
 *	  it, and prove no other.
 *
 * The support functions are called as GIN calls them.  jsonpath's part is not
 * here: the server has its parser to itself.
 */
#include "fuzz.h"

#include "core/find/path.h"
#include "core/order/contain.h"
#include "index/gin.h"
#include "mongo/query/match.h"

extern Datum pgbson_gin_extract_value(PG_FUNCTION_ARGS);
extern Datum pgbson_gin_extract_query(PG_FUNCTION_ARGS);
extern Datum pgbson_gin_extract_value_path(PG_FUNCTION_ARGS);
extern Datum pgbson_gin_extract_query_path(PG_FUNCTION_ARGS);
extern Datum pgbson_gin_extract_value_range(PG_FUNCTION_ARGS);
extern Datum pgbson_gin_extract_query_range(PG_FUNCTION_ARGS);
extern Datum pgbson_gin_triconsistent(PG_FUNCTION_ARGS);
extern Datum pgbson_gin_compare(PG_FUNCTION_ARGS);
extern Datum pgbson_gin_compare_partial(PG_FUNCTION_ARGS);

static const struct
{
	PGFunction	extract_value;
	PGFunction	extract_query;
	Size		key_max;		/* 0: keys are hashes */
} classes[] = {
	{pgbson_gin_extract_value, pgbson_gin_extract_query, PGBSON_GIN_KEY_MAX},
	{pgbson_gin_extract_value_path, pgbson_gin_extract_query_path, 0},
	{pgbson_gin_extract_value_range, pgbson_gin_extract_query_range, PGBSON_GIN_RANGE_HEAD + 16 + 4} /* a head, a prefix, a hash */
};

/* --- stand-ins that only these files need --- */

PgBsonGinNode *
PgBsonGinFromJsonpath(PgBsonGinKeys *keys, JsonPath *path, bool match)
{
	FuzzFail("a jsonpath");
}

void
PgBsonKeysFromArray(ArrayType *array, const PgBsonValue *of, PgBsonKeySet *keys)
{
	FuzzFail("an operator that is not tried");
}

/* --- the target --- */

static FuzzInput input;
static PgBson *row;
static PgBson *part;
static PgBson *query;
static int	strategy;

static Datum
call(PGFunction function, int nargs, const Datum *args)
{
	LOCAL_FCINFO(fcinfo, 8);

	InitFunctionCallInfoData(*fcinfo, NULL, nargs, InvalidOid, NULL, NULL);
	for (int i = 0; i < nargs; i++)
		fcinfo->args[i] = (NullableDatum) {args[i], false};
	return function(fcinfo);
}

static int
compare_keys(bool hashes, Datum a, Datum b)
{
	if (hashes)
		return DatumGetInt64(a) < DatumGetInt64(b) ? -1 : DatumGetInt64(a) > DatumGetInt64(b);
	return DatumGetInt32(call(pgbson_gin_compare, 2, (Datum[]) {a, b}));
}

/* Does a scan for this key of a query, in an index of this row alone, meet the row? */
static bool
meets(bool hashes, const Datum *keys, int nkeys, Datum wanted, bool partial, Pointer extra)
{
	bool		found = false;
	bool		ended = false;

	for (int i = 0; i < nkeys; i++)
	{
		int			cmp;

		if (!partial)
		{
			found |= compare_keys(hashes, keys[i], wanted) == 0;
			continue;
		}
		if (compare_keys(hashes, keys[i], wanted) < 0)
			continue;
		cmp = DatumGetInt32(call(pgbson_gin_compare_partial, 4,
								 (Datum[]) {wanted, keys[i], UInt16GetDatum(strategy), PointerGetDatum(extra)}));
		/* where it ends, it stays ended */
		FuzzCheck(!ended || cmp > 0);
		ended |= cmp > 0;
		found |= cmp == 0;
	}
	return found;
}

static void
check_class(int class, PgBson *asked, bool truth)
{
	bool		hashes = classes[class].key_max == 0;
	int32		nkeys;
	int32		nwanted;
	bool	   *partial = NULL;
	Pointer    *extra = NULL;
	bool	   *nulls = NULL;
	int32		mode = GIN_SEARCH_MODE_DEFAULT;
	Datum	   *keys = (Datum *) DatumGetPointer(call(classes[class].extract_value, 2,
													 (Datum[]) {PointerGetDatum(row), PointerGetDatum(&nkeys)}));
	Datum	   *wanted = (Datum *) DatumGetPointer(call(classes[class].extract_query, 7, (Datum[])
	{
		PointerGetDatum(asked), PointerGetDatum(&nwanted), UInt16GetDatum(strategy), PointerGetDatum(&partial),
			PointerGetDatum(&extra), PointerGetDatum(&nulls), PointerGetDatum(&mode)
	}));
	GinTernaryValue *check;

	for (int i = 0; i < nkeys; i++)
	{
		/* sorted as the index is, each once */
		FuzzCheck(i == 0 || compare_keys(hashes, keys[i - 1], keys[i]) < 0);
		FuzzCheck(hashes || VARSIZE_ANY_EXHDR(DatumGetPointer(keys[i])) <= classes[class].key_max);
	}
	if (nwanted == 0)
	{
		FuzzCheck(mode == GIN_SEARCH_MODE_ALL || !truth);
		return;
	}

	check = palloc(nwanted * sizeof(GinTernaryValue));
	for (int i = 0; i < nwanted; i++)
		check[i] = meets(hashes, keys, nkeys, wanted[i], partial[i], extra[i]) ? GIN_TRUE : GIN_FALSE;
	/* once as it is, once with some of the answers left open */
	for (int round = 0; round < 2; round++)
	{
		GinTernaryValue answer = DatumGetGinTernaryValue(call(pgbson_gin_triconsistent, 7, (Datum[])
		{
			PointerGetDatum(check), UInt16GetDatum(strategy), PointerGetDatum(asked), Int32GetDatum(nwanted),
				PointerGetDatum(extra), PointerGetDatum(wanted), PointerGetDatum(nulls)
		}));

		FuzzCheck(answer != GIN_FALSE || !truth);
		FuzzCheck(answer != GIN_TRUE || truth);
		for (int i = 0; i < nwanted; i++)
		{
			if (FuzzByte(&input) % 2)
				check[i] = GIN_MAYBE;
		}
	}
}

static void
contains(void *arg)
{
	PgBsonValue of = PgBsonRoot(row);
	PgBsonValue value = PgBsonRoot(part);
	bool		truth = PgBsonContains(&of, &value);

	strategy = PGBSON_GIN_CONTAINS;
	for (int i = 0; i < lengthof(classes); i++)
		check_class(i, part, truth);
}

static void
matches(void *arg)
{
	PgBsonValue of = PgBsonRoot(row);
	PgBsonValue value = PgBsonRoot(query);
	bool		truth = PgBsonQueryMatches(PgBsonQueryParse(&value), &of);

	strategy = PGBSON_GIN_MATCH;
	for (int i = 0; i < lengthof(classes); i++)
		check_class(i, query, truth);
}

/* A document of some fields of another */
static PgBson *
some_fields(const PgBsonValue *doc, bool compared)
{
	static const char *const operators[] = {"$eq", "$gte", "$lte", "$gt", "$lt", "$ne", "$all"};
	PgBsonBuilder *b = PgBsonBuilderBegin();
	PgBsonIter	iter;

	PgBsonBuilderOpenDocument(b);
	PgBsonIterInit(&iter, PgBsonValueView(doc));
	while (PgBsonIterNext(&iter))
	{
		uint8		what = FuzzByte(&input);

		if (what % 4 == 0)
			continue;
		PgBsonBuilderKey(b, iter.key, iter.key_len);
		if (compared && what % 4 != 1)
		{
			PgBsonBuilderOpenDocument(b);
			FuzzPutKey(b, operators[what / 4 % lengthof(operators)]);
			PgBsonBuilderValue(b, &iter.value);
			PgBsonBuilderClose(b);
		}
		else
			PgBsonBuilderValue(b, &iter.value);
	}
	PgBsonBuilderClose(b);
	return PgBsonBuilderFinish(b);
}

/* What is asked for is often made of the row, or it would seldom be there */
static void
make(void *arg)
{
	PgBsonValue root;
	uint8		what = FuzzByte(&input);

	row = FuzzMake(&input);
	root = PgBsonRoot(row);
	if (root.type == PGBSON_DOCUMENT && what % 2)
		part = some_fields(&root, false);
	else
		part = FuzzMake(&input);
	if (root.type == PGBSON_DOCUMENT && what & 2)
		query = some_fields(&root, true);
	else
	{
		PgBsonBuilder *b = PgBsonBuilderBegin();

		FuzzPutQuery(b, &input, 0);
		query = PgBsonBuilderFinish(b);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	input = (FuzzInput) {data, data + size};
	if (FuzzTry(make, NULL))
	{
		if (!FuzzTry(contains, NULL))
			FuzzFail("an error: %x", fuzz_sqlstate);
		/* what is no query is an error */
		FuzzTryValid(matches, NULL);
	}
	FuzzReset();
	return 0;
}
