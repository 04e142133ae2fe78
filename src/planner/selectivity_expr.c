/*
 * selectivity_expr.c
 *	  Estimates from the statistics of expressions.
 *
 * A condition that the document has a value at a path determines what an
 * accessor of that path yields: data @> '{"kind": "x"}' implies that data ->>
 * 'kind' is 'x'.  If there are statistics of the accessor, from an index or
 * CREATE STATISTICS, they say how often it is 'x'.  To find what the accessor
 * yields, it is run on a document with just that value.  Accessors raise no
 * errors, so they may be run while planning; other expressions are not run.
 */
#include "planner/selectivity.h"

#include "catalog/pg_statistic_ext.h"
#include "catalog/pg_type.h"
#include "core/bytes/recode.h"
#include "core/find/path.h"
#include "core/write/write.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "planner/chain.h"
#include "utils/typcache.h"

extern PGDLLEXPORT Datum pgbson_accessor_support(PG_FUNCTION_ARGS);

/* Is the function an accessor, which never raises an error for a valid value? */
static bool
is_safe_accessor(Oid function)
{
	Oid			support = get_func_support(function);
	FmgrInfo	info;

	if (!OidIsValid(support))
		return false;
	fmgr_info(support, &info);
	return info.fn_addr == pgbson_accessor_support;
}

/*
 * Append the names in an argument of an accessor, each with its zero byte; false if the argument is
 * not constant, or is a position in an array
 */
static bool
add_names(StringInfo names, const Const *c, int *count)
{
	PgBsonSteps steps = {0};
	PgBsonStep	step;

	if (!IsA(c, Const) || c->constisnull)
		return false;
	if (c->consttype == TEXTOID)
	{
		step = PgBsonStepFromText(DatumGetTextPP(c->constvalue), PGBSON_STEP_KEY);
		steps.steps = &step;
		steps.count = 1;
	}
	else if (c->consttype == TEXTARRAYOID && ARR_NDIM(DatumGetArrayTypeP(c->constvalue)) <= 1)
		steps = PgBsonStepsFromArray(DatumGetArrayTypeP(c->constvalue));
	else
		return false;
	for (int i = 0; i < steps.count; i++)
	{
		if (steps.steps[i].key == NULL)
			return false;
		appendBinaryStringInfo(names, steps.steps[i].key, steps.steps[i].key_len);
		appendStringInfoChar(names, '\0');
	}
	*count += steps.count;
	return true;
}

List *
PgBsonAccessorArgs(Node *expr)
{
	List	   *args;
	Oid			function;

	if (!PgBsonCallOf(expr, &function, &args))
		return NIL;
	/* without steps it is a cast or bson_array_length, which can raise errors */
	return list_length(args) >= 2 && is_safe_accessor(function) ? args : NIL;
}

bool
PgBsonAddNames(StringInfo names, List *args, int *count)
{
	ListCell   *lc;

	for_each_from(lc, args, 1)
	{
		if (!add_names(names, lfirst(lc), count))
			return false;
	}
	return *count > 0;
}

/* The arguments of an accessor, if it reads this column */
static List *
accessor_args(Node *expr, Node *column)
{
	List	   *args = PgBsonAccessorArgs(expr);

	return args != NIL && equal(linitial(args), column) ? args : NIL;
}

/* An accessor that may have statistics, and the path that it reads */
typedef struct Accessor
{
	Node	   *expr;
	int			count;			/* of the names */
	StringInfoData names;		/* as in a PgBsonGinPath */
} Accessor;

static List *
add_accessors(List *result, List *expressions, Node *column)
{
	foreach_ptr(Node, expr, expressions)
	{
		List	   *args = accessor_args(expr, column);
		Accessor   *accessor;

		if (args == NIL)
			continue;
		accessor = palloc0_object(Accessor);
		accessor->expr = expr;
		initStringInfo(&accessor->names);
		if (PgBsonAddNames(&accessor->names, args, &accessor->count))
			result = lappend(result, accessor);
	}
	return result;
}

List *
PgBsonFindAccessors(RelOptInfo *rel, Node *column)
{
	List	   *result = NIL;

	if (rel == NULL)
		return NIL;
	foreach_ptr(IndexOptInfo, index, rel->indexlist)
		result = add_accessors(result, index->indexprs, column);
	foreach_ptr(StatisticExtInfo, info, rel->statlist)
	{
		if (info->kind == STATS_EXT_EXPRESSIONS)
			result = add_accessors(result, info->exprs, column);
	}
	return result;
}

/* Make a document with nothing but the value at a path of these names */
static PgBson *
document_at_path(const PgBsonGinPath *path, const PgBsonValue *value)
{
	const char *name = path->names;
	Size		starts[sizeof(path->names)];
	PgBsonWriter w;

	PgBsonWriterInit(&w, 0);
	for (uint32 i = 0; i < path->nkeys; i++)
	{
		starts[i] = PgBsonWriterOpenValue(&w, PGBSON_DOCUMENT);
		PgBsonWriterKey(&w, PGBSON_EOD, name, strlen(name));
		name += strlen(name) + 1;
	}
	PgBsonWriterPut(&w, value);
	for (uint32 i = path->nkeys; i-- > 0;)
		PgBsonWriterClose(&w, starts[i]);
	return PgBsonWriterFinish(&w);
}

/* What the accessor yields for a document with just this value; NULL if nothing */
static Const *
accessor_value(const PgBsonKnown *known, Node *expr, const PgBsonQueryKey *key)
{
	Node	   *call = copyObject(expr);
	List	   *args = accessor_args(call, known->vardata->var);
	PgBson	   *doc = document_at_path(&key->path, &key->value);
	Node	   *result;

	linitial(args) = makeConst(exprType(linitial(args)), -1, InvalidOid, -1,
							   PointerGetDatum(doc), false, false);
	result = estimate_expression_value(known->root, call);
	if (!IsA(result, Const) || ((Const *) result)->constisnull)
		return NULL;
	return (Const *) result;
}

/* The fraction of rows whose accessor yields this value, if the accessor has statistics */
static bool
accessor_selectivity(const PgBsonKnown *known, Node *expr, const Const *value, double *sel)
{
	TypeCacheEntry *type = lookup_type_cache(value->consttype, TYPECACHE_EQ_OPR);
	VariableStatData vardata;
	bool		found;

	if (!OidIsValid(type->eq_opr))
		return false;
	examine_variable(known->root, expr, 0, &vardata);
	found = HeapTupleIsValid(vardata.statsTuple);
	if (found)
		*sel = known->made ? var_eq_non_const(&vardata, type->eq_opr, value->constcollid, (Node *) value, true, false)
			: var_eq_const(&vardata, type->eq_opr, value->constcollid, value->constvalue, false, true, false);
	ReleaseVariableStats(vardata);
	return found;
}

/* Can the string be a text?  Otherwise accessors of text raise an error. */
static bool
is_textual(const PgBsonValue *value)
{
	if (value->type != PGBSON_STRING && value->type != PGBSON_SYMBOL)
		return PgBsonIsNumber(value->type) || value->type == PGBSON_BOOL ||
			value->type == PGBSON_DATE || value->type == PGBSON_OBJECTID;
	return memchr(PgBsonStringBytes(value), '\0', PgBsonStringLength(value)) == NULL && !PgBsonServerRecodes();
}

bool
PgBsonAskAccessors(const PgBsonKnown *known, const PgBsonQueryKey *key, double *sel)
{
	if (known->expressions == NIL || !key->is_value || key->path.via != PGBSON_GIN_PLAIN ||
		key->path.nkeys == 0 || key->path.len > sizeof(key->path.names) ||
		!is_textual(&key->value))
		return false;
	foreach_ptr(Accessor, accessor, known->expressions)
	{
		Const	   *value;

		if (accessor->count != key->path.nkeys || accessor->names.len != key->path.len ||
			memcmp(accessor->names.data, key->path.names, key->path.len) != 0)
			continue;
		value = accessor_value(known, accessor->expr, key);
		if (value != NULL && accessor_selectivity(known, accessor->expr, value, sel))
			return true;
	}
	return false;
}
