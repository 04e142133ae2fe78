/*
 * collated.c
 *	  Functions of MongoDB's languages that compare strings by a collation, and the type that is sorted by one.
 *
 * A value of the type bson_collated is a document of values, each under the key "+" or, where it sorts in the opposite
 * order, "-".  The type is collatable, so the collation of a comparison, an index, ORDER BY or GROUP BY reaches the
 * functions here as that of any text would.  The functions bson_collated_... have a text before the arguments of the
 * function that they stand for; it is empty, and has the collation.
 */
#include "sql/mongo/collated.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_namespace.h"
#include "core/order/compare.h"
#include "core/write/from_value.h"
#include "core/write/write.h"
#include "door.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "mongo/common/collation.h"
#include "nodes/nodeFuncs.h"
#include "sql/mongo/statement.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* Call the function, which compares strings by the collation of this call */
static Datum
collated_call(FunctionCallInfo call, PGFunction function, Oid collation)
{
	Oid			outer = PgBsonCollation;
	Datum		result;

	PG_TRY();
	{
		PgBsonCollation = collation;
		result = function(call);
	}
	PG_CATCH();
	{
		PgBsonCollation = outer;
		PG_RE_THROW();
	}
	PG_END_TRY();
	PgBsonCollation = outer;
	return result;
}

Datum
PgBsonCallCollated(FunctionCallInfo fcinfo, PGFunction function)
{
	Oid			collation = PG_GET_COLLATION();

	/* those of bson_collation are not deterministic; no other one had a meaning in version 1.0 */
	return !OidIsValid(collation) || collation == DEFAULT_COLLATION_OID || get_collation_isdeterministic(collation) ?
		function(fcinfo) : collated_call(fcinfo, function, collation);
}

static Oid
call_collation(FunctionCallInfo fcinfo)
{
	if (!OidIsValid(PG_GET_COLLATION()))
		PgBsonReport(ERRCODE_INDETERMINATE_COLLATION, errmsg("could not determine which collation to use for bson values"),
					 errhint("Use the COLLATE clause to set the collation explicitly."));
	/* the strings of BSON are UTF-8, and ICU would take them as text of the database */
	if (GetDatabaseEncoding() != PG_UTF8)
		PgBsonReportUnsupported(errmsg("bson values are compared by a collation in databases of encoding UTF8 only"));
	return PG_GET_COLLATION();
}

/* The same call without its first argument, as the function of all others sees it */
static FmgrInfo *
inner_call(FunctionCallInfo fcinfo)
{
	FmgrInfo   *outer = fcinfo->flinfo;
	FmgrInfo   *inner = outer->fn_extra;
	FuncExpr   *call = (FuncExpr *) outer->fn_expr;
	MemoryContext before;

	if (inner != NULL)
		return inner;
	before = MemoryContextSwitchTo(outer->fn_mcxt);
	inner = palloc_object(FmgrInfo);
	*inner = *outer;
	inner->fn_nargs--;
	if (call != NULL && IsA(call, FuncExpr))
	{
		FuncExpr   *shorter = makeNode(FuncExpr);

		*shorter = *call;
		shorter->args = list_copy_tail(call->args, 1);
		inner->fn_expr = (Node *) shorter;
	}
	else
		inner->fn_expr = NULL;
	outer->fn_extra = inner;
	MemoryContextSwitchTo(before);
	return inner;
}

static Datum
collated(FunctionCallInfo fcinfo, PGFunction function)
{
	LOCAL_FCINFO(call, 5);
	Datum		result;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	InitFunctionCallInfoData(*call, inner_call(fcinfo), PG_NARGS() - 1, call_collation(fcinfo), fcinfo->context, NULL);
	for (int i = 0; i < call->nargs; i++)
		call->args[i] = fcinfo->args[i + 1];
	result = collated_call(call, function, call->fncollation);
	fcinfo->isnull = call->isnull;
	return result;
}

#define COLLATED(name) \
	extern PGDLLEXPORT Datum pgbson_##name(PG_FUNCTION_ARGS); \
	PGBSON_DOOR(pgbson_collated_##name, collated(fcinfo, pgbson_##name))

/*
 * SQL: bson_collated_match(text, doc bson, query bson) returns boolean, bson_collated_sort_key(text, doc bson,
 * sort bson) returns bson_collated, bson_collated_bucket(text, value bson, boundaries bson[]) integer; the others bson
 */
COLLATED(match);
COLLATED(eval);
COLLATED(transform);
COLLATED(redact);
COLLATED(let);
COLLATED(project);
COLLATED(update);
COLLATED(sort_key);
COLLATED(bucket);

/* SQL: bson_collate(value bson) returns bson_collated, the cast */
PGBSON_FUNCTION(pgbson_collate)
{
	PgBsonReader reader;
	PgBsonWriter w;

	(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	PgBsonWriterInit(&w, 64);
	(void) PgBsonWriterOpen(&w);
	PgBsonWriterField(&w, PGBSON_COLLATED_UP, 1, &reader.root);
	PgBsonWriterClose(&w, 0);
	PgBsonClose(&reader);
	PG_RETURN_PGBSON_P(PgBsonWriterFinish(&w));
}

/* SQL: bson_uncollated(value bson_collated) returns bson, the cast: the first of its values */
PGBSON_FUNCTION(pgbson_uncollated)
{
	PgBsonValue root = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	PgBsonIter	first;

	if (root.type != PGBSON_DOCUMENT || !PgBsonFirst(&root, &first))
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(PgBsonFromValue(&first.value));
}

/* The order of two values of the type bson_collated */
static int
compare_collated(const PgBsonValue *a, const PgBsonValue *b)
{
	PgBsonIter	x;
	PgBsonIter	y;

	if (a->type != PGBSON_DOCUMENT || b->type != PGBSON_DOCUMENT)
		return PgBsonCompare(a, b);
	PgBsonIterInit(&x, PgBsonValueView(a));
	PgBsonIterInit(&y, PgBsonValueView(b));
	for (;;)
	{
		bool		more_x = PgBsonIterNext(&x);
		bool		more_y = PgBsonIterNext(&y);
		int			cmp;

		if (!more_x || !more_y)
			return (int) more_x - (int) more_y;
		cmp = strcmp(x.key, y.key);
		if (cmp != 0)
			return cmp;
		cmp = PgBsonCompare(&x.value, &y.value);
		if (cmp != 0)
			return strcmp(x.key, PGBSON_COLLATED_DOWN) == 0 ? -cmp : cmp;
	}
}

static Datum
compare_arguments(FunctionCallInfo fcinfo)
{
	PgBsonValue a = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	PgBsonValue b = PgBsonRoot(PG_GETARG_PGBSON_PP(1));

	PG_RETURN_INT32(compare_collated(&a, &b));
}

static int
compared(FunctionCallInfo fcinfo)
{
	return DatumGetInt32(collated_call(fcinfo, compare_arguments, call_collation(fcinfo)));
}

/* SQL: bson_collated_cmp(bson_collated, bson_collated) returns integer, and the functions of the operators */
PGBSON_DOOR(pgbson_collated_cmp, Int32GetDatum(compared(fcinfo)));
PGBSON_DOOR(pgbson_collated_lt, BoolGetDatum(compared(fcinfo) < 0));
PGBSON_DOOR(pgbson_collated_le, BoolGetDatum(compared(fcinfo) <= 0));
PGBSON_DOOR(pgbson_collated_eq, BoolGetDatum(compared(fcinfo) == 0));
PGBSON_DOOR(pgbson_collated_ne, BoolGetDatum(compared(fcinfo) != 0));
PGBSON_DOOR(pgbson_collated_ge, BoolGetDatum(compared(fcinfo) >= 0));
PGBSON_DOOR(pgbson_collated_gt, BoolGetDatum(compared(fcinfo) > 0));

static Datum
hash_argument(FunctionCallInfo fcinfo)
{
	PgBsonValue root = PgBsonRoot(PG_GETARG_PGBSON_PP(0));

	PG_RETURN_UINT64(PgBsonHash(&root, PG_NARGS() > 1 ? (uint64) PG_GETARG_INT64(1) : 0));
}

static uint64
hashed(FunctionCallInfo fcinfo)
{
	return DatumGetUInt64(collated_call(fcinfo, hash_argument, call_collation(fcinfo)));
}

/* SQL: bson_collated_hash(bson_collated) returns integer, bson_collated_hash_extended(bson_collated, bigint) bigint */
PGBSON_DOOR(pgbson_collated_hash, UInt32GetDatum((uint32) hashed(fcinfo)));
PGBSON_DOOR(pgbson_collated_hash_extended, UInt64GetDatum(hashed(fcinfo)));

/* Is there a value in argument 1, and is it not null? */
static bool
value_counts(FunctionCallInfo fcinfo)
{
	PgBsonValue root;
	PgBsonIter	first;

	if (PG_ARGISNULL(1))
		return false;
	root = PgBsonRoot(PG_GETARG_PGBSON_PP(1));
	return root.type == PGBSON_DOCUMENT && PgBsonFirst(&root, &first) && !PgBsonIsNullish(first.value.type);
}

/* The lesser argument if "sign" is 1, the greater one if it is -1; of equal ones the first.  Null does not count. */
static Datum
collated_extreme(FunctionCallInfo fcinfo, int sign)
{
	if (value_counts(fcinfo) && (PG_ARGISNULL(0) || compared(fcinfo) * sign > 0))
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* SQL: bson_collated_min_transfn(bson_collated, bson_collated), and of max, return bson_collated */
PGBSON_DOOR(pgbson_collated_min_transfn, collated_extreme(fcinfo, 1));
PGBSON_DOOR(pgbson_collated_max_transfn, collated_extreme(fcinfo, -1));

/* Does the server know the locale?  It has a collation for each that ICU knows. */
static bool
knows_locale(const char *tag)
{
	char	   *name = psprintf("%.*s-x-icu", (int) (strstr(tag, "-u-") - tag), tag);

	return strlen(name) < NAMEDATALEN &&
		SearchSysCacheExists3(COLLNAMEENCNSP, CStringGetDatum(name), Int32GetDatum(-1),
							  ObjectIdGetDatum(PG_CATALOG_NAMESPACE));
}

static Oid
type_of_argument(FunctionCallInfo fcinfo)
{
	Oid		   *types;
	int			ntypes;

	(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, &ntypes);
	return types[0];
}

/* SQL: bson_collation(spec bson) returns regcollation */
PGBSON_FUNCTION(pgbson_collation)
{
	PgBsonValue spec = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	char	   *tag = PgBsonCollationTag(&spec);
	Oid			schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	char	   *statement;
	Oid			oid;

	if (tag == NULL)
		PG_RETURN_NULL();
	oid = PgBsonCollationFind(tag, schema, type_of_argument(fcinfo));
	if (OidIsValid(oid))
		PG_RETURN_OID(oid);
	if (!knows_locale(tag))
		PgBsonReportInvalid(errmsg("invalid specification of a collation"), errdetail("The \"locale\" is not known."),
							errhint("The table pg_collation has a collation \"...-x-icu\" for each locale of ICU."));
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	statement = psprintf("CREATE COLLATION IF NOT EXISTS %s.%s (provider = icu, locale = %s, deterministic = false)",
						 quote_identifier(get_namespace_name(schema)), quote_identifier(tag),
						 quote_literal_cstr(tag));
	if (SPI_execute(statement, false, 0) != SPI_OK_UTILITY)
		elog(ERROR, "CREATE COLLATION failed");
	SPI_finish();
	oid = PgBsonCollationFind(tag, schema, type_of_argument(fcinfo));
	if (!OidIsValid(oid))
		PgBsonReport(ERRCODE_DUPLICATE_OBJECT,
					 errmsg("collation \"%s\" in the schema of the extension is not one of bson_collation", tag));
	PG_RETURN_OID(oid);
}
