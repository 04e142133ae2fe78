/*
 * selectivity.c
 *	  Estimators of @> <@ ? ?| ?& @? @@ @~.
 *
 * A query is taken apart as a GIN index would (index/gin.c): into keys, joined
 * by and and or.  How many rows have a key, ANALYZE counted (sql/analyze.c).  If
 * it did not, and for keys too rare to be kept, there are guesses.  Where an
 * expression of the column that yields the very value asked for has statistics
 * of its own, of an index or of CREATE STATISTICS, those are asked.
 *
 * The operator itself is never run, as that would read documents while
 * planning: the cost is that of a few binary searches.
 */
#include "sql/statistics.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_statistic_ext.h"
#include "core/build.h"
#include "json/recode.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/typcache.h"

/* Guesses where there are no statistics: of rows that have a value, and a field */
#define VALUE_SEL			0.01
#define FIELD_SEL			0.1

/* And if it is in an array's documents, as fewer are */
#define NESTED_PART			0.1

/* Of rows for a query that says nothing about keys, or is not known */
#define UNKNOWN_SEL			0.1

/* Of rows contained in something, of which there are few if the column holds more than parts */
#define CONTAINED_SEL		0.001

/* However many conditions there are, they are not as independent as all that */
#define LEAST_SEL			0.00001

/* Of rows with a field, those that pass some test of it */
#define PATTERN_SEL			0.05

/* For <@; not one of the strategies of GIN */
#define CONTAINED			100

/* What a key of a query stands for */
typedef struct QueryKey
{
	Datum		key;			/* of bson_ops */
	Datum		field;			/* of a value: the key of its field; 0: none */
	double		factor;			/* of the rows with the key, what fraction is meant */
	PgBsonGinPath path;
	PgBsonValue value;			/* of a value */
	bool		is_value;
} QueryKey;

/* What is known about the column */
typedef struct Known
{
	PlannerInfo *root;
	VariableStatData *vardata;
	bool		has_keys;		/* ANALYZE counted */
	AttStatsSlot slot;
	int			nkeys;			/* of the slot's values; the others are bounds of histograms */
	List	   *expressions;	/* accessors of the column that may have statistics */
} Known;

/* --- keys --- */

static QueryKey *
new_key(Datum key, const PgBsonGinPath *path)
{
	QueryKey   *k = palloc0(sizeof(QueryKey));

	k->key = key;
	k->path = *path;
	k->factor = 1;
	return k;
}

static Datum
value_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonValue *value, bool *exact)
{
	QueryKey   *k = new_key(PgBsonGinOps.value_key(keys, path, value, exact), path);

	k->field = PgBsonStatFieldOf(keys, path);
	k->value = *value;
	k->is_value = true;
	return PointerGetDatum(k);
}

static Datum
field_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, bool *exact)
{
	return PointerGetDatum(new_key(PgBsonGinOps.field_key(keys, path, exact), path));
}

/* Rows that have the path at all, of which a fraction is meant */
static PgBsonGinNode *
part_of_rows(PgBsonGinKeys *keys, const PgBsonGinPath *path, double factor)
{
	PgBsonGinPath way = *path;
	List	   *nodes = NIL;
	bool		exact;

	if (path->nkeys == 0)
		return NULL;
	for (int nested = 0; nested <= 1; nested++)
	{
		QueryKey   *k;

		way.via = nested ? PGBSON_GIN_NESTED : PGBSON_GIN_PLAIN;
		k = new_key(PgBsonGinOps.field_key(keys, &way, &exact), &way);
		k->factor = factor;
		nodes = lappend(nodes, PgBsonGinKeyNode(PointerGetDatum(k), true));
	}
	return PgBsonGinAny(nodes);
}

static PgBsonGinNode *
compare(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonGinComparison *comparison)
{
	switch (comparison->op)
	{
		case jpiEqual:
			return PgBsonGinEquality(value_key, keys, path, comparison);
		case jpiNotEqual:
			return part_of_rows(keys, path, 1 - DEFAULT_EQ_SEL);
		case jpiLikeRegex:
			return part_of_rows(keys, path, PATTERN_SEL);
		default:
			/* ranges of keys of another class, known by their bounds */
			return PgBsonGinRangeOps.compare(keys, path, comparison);
	}
}

static const PgBsonGinClass query_class = {NULL, value_key, field_key, compare, true};

/* --- statistics of expressions --- */

extern PGDLLEXPORT Datum pgbson_accessor_support(PG_FUNCTION_ARGS);

/* Is the function an accessor, which never raises an error for a valid value? */
static bool
is_accessor(Oid function)
{
	Oid			support = get_func_support(function);
	FmgrInfo	info;

	if (!OidIsValid(support))
		return false;
	fmgr_info(support, &info);
	return info.fn_addr == pgbson_accessor_support;
}

/* The steps of an accessor, as names; -1 if some are not constant, or positions in arrays */
static int
count_steps(List *args)
{
	ListCell   *lc;
	int			n = 0;

	for_each_from(lc, args, 1)
	{
		Const	   *c = (Const *) lfirst(lc);

		if (!IsA(c, Const) || c->constisnull)
			return -1;
		if (c->consttype == TEXTOID)
			n++;
		else if (c->consttype == TEXTARRAYOID)
		{
			ArrayType  *array = DatumGetArrayTypeP(c->constvalue);

			n += ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
		}
		else
			return -1;
	}
	return n;
}

/* The arguments of an accessor of this column; NIL if the expression is none */
static List *
accessor_args(Node *expr, Node *column)
{
	List	   *args;
	Oid			function;

	if (IsA(expr, FuncExpr))
	{
		args = ((FuncExpr *) expr)->args;
		function = ((FuncExpr *) expr)->funcid;
	}
	else if (IsA(expr, OpExpr))
	{
		args = ((OpExpr *) expr)->args;
		set_opfuncid((OpExpr *) expr);
		function = ((OpExpr *) expr)->opfuncid;
	}
	else
		return NIL;
	if (list_length(args) < 2 || !equal(linitial(args), column) || !is_accessor(function))
		return NIL;
	return args;
}

static List *
add_accessors(List *result, List *expressions, Node *column)
{
	ListCell   *lc;

	foreach(lc, expressions)
	{
		List	   *args = accessor_args(lfirst(lc), column);

		if (args != NIL && count_steps(args) > 0)
			result = lappend(result, lfirst(lc));
	}
	return result;
}

/* The accessors of the column that an index or CREATE STATISTICS is about */
static List *
find_accessors(RelOptInfo *rel, Node *column)
{
	List	   *result = NIL;
	ListCell   *lc;

	if (rel == NULL)
		return NIL;
	foreach(lc, rel->indexlist)
		result = add_accessors(result, ((IndexOptInfo *) lfirst(lc))->indexprs, column);
	foreach(lc, rel->statlist)
	{
		StatisticExtInfo *info = (StatisticExtInfo *) lfirst(lc);

		if (info->kind == STATS_EXT_EXPRESSIONS)
			result = add_accessors(result, info->exprs, column);
	}
	return result;
}

/* A document with nothing but the value at the path, whose names are known */
static PgBson *
document_of(const PgBsonGinPath *path, const PgBsonValue *value)
{
	PgBsonBuilder *b = PgBsonBuilderBegin();
	const char *name = path->names;

	for (uint32 i = 0; i < path->nkeys; i++)
	{
		PgBsonBuilderOpenDocument(b);
		PgBsonBuilderKey(b, name, strlen(name));
		name += strlen(name) + 1;
	}
	PgBsonBuilderValue(b, value);
	for (uint32 i = 0; i < path->nkeys; i++)
		PgBsonBuilderClose(b);
	return PgBsonBuilderFinish(b);
}

/* The value of the accessor for a document that has just this value; NULL if it is none */
static Const *
accessor_value(const Known *known, Node *expr, const QueryKey *key)
{
	Node	   *call = copyObject(expr);
	List	   *args = accessor_args(call, known->vardata->var);
	PgBson	   *doc = document_of(&key->path, &key->value);
	Node	   *result;

	linitial(args) = makeConst(exprType(linitial(args)), -1, InvalidOid, -1,
							   PointerGetDatum(doc), false, false);
	result = estimate_expression_value(known->root, call);
	if (!IsA(result, Const) || ((Const *) result)->constisnull)
		return NULL;
	return (Const *) result;
}

/* The fraction of rows whose accessor has this value, if that has statistics */
static bool
accessor_selectivity(const Known *known, Node *expr, const Const *value, double *sel)
{
	TypeCacheEntry *type = lookup_type_cache(value->consttype, TYPECACHE_EQ_OPR);
	VariableStatData vardata;
	bool		found;

	if (!OidIsValid(type->eq_opr))
		return false;
	examine_variable(known->root, expr, 0, &vardata);
	found = HeapTupleIsValid(vardata.statsTuple);
	if (found)
		*sel = var_eq_const(&vardata, type->eq_opr, value->constcollid, value->constvalue,
							false, true, false);
	ReleaseVariableStats(vardata);
	return found;
}

/* Whether a string can be a text, which the accessors raise an error about */
static bool
is_textual(const PgBsonValue *value)
{
	const char *s;
	uint32		len;

	if (value->type != PGBSON_STRING && value->type != PGBSON_SYMBOL)
		return PgBsonIsNumber(value->type) || value->type == PGBSON_BOOL ||
			value->type == PGBSON_DATE || value->type == PGBSON_OBJECTID;
	s = PgBsonValueString(value, &len);
	return memchr(s, '\0', len) == NULL && !PgBsonServerRecodes();
}

static bool
ask_expressions(const Known *known, const QueryKey *key, double *sel)
{
	ListCell   *lc;

	if (known->expressions == NIL || !key->is_value || key->path.via != PGBSON_GIN_PLAIN ||
		key->path.nkeys == 0 || key->path.len > sizeof(key->path.names) ||
		!is_textual(&key->value))
		return false;
	foreach(lc, known->expressions)
	{
		Node	   *expr = lfirst(lc);
		Const	   *value;

		if (count_steps(accessor_args(expr, known->vardata->var)) != key->path.nkeys)
			continue;
		value = accessor_value(known, expr, key);
		if (value != NULL && accessor_selectivity(known, expr, value, sel))
			return true;
	}
	return false;
}

/* --- statistics of keys --- */

/* The key's place in the statistics, or -1 */
static int
find_key(const Known *known, Datum key)
{
	const char *wanted = VARDATA_ANY(DatumGetPointer(key));
	int			wanted_len = VARSIZE_ANY_EXHDR(DatumGetPointer(key));
	int			low = 0;
	int			high = known->nkeys;

	while (low < high)
	{
		int			mid = low + (high - low) / 2;
		struct varlena *v = (struct varlena *) DatumGetPointer(known->slot.values[mid]);
		int			len = VARSIZE_ANY_EXHDR(v);
		int			cmp = memcmp(wanted, VARDATA_ANY(v), Min(len, wanted_len));

		if (cmp == 0)
			cmp = wanted_len - len;
		if (cmp == 0)
			return mid;
		if (cmp < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return -1;
}

static double
key_selectivity(const Known *known, const QueryKey *key)
{
	int			n = known->nkeys;
	double		absent;
	double		sel;
	int			i;

	if (ask_expressions(known, key, &sel))
		return sel;
	if (!known->has_keys)
		return key->factor * (key->is_value ? VALUE_SEL : FIELD_SEL) *
			(key->path.via == PGBSON_GIN_NESTED ? NESTED_PART : 1);

	i = find_key(known, key->key);
	if (i >= 0)
		return key->factor * known->slot.numbers[i];

	/* rarer than any that was kept; and a value is rarer than its field */
	absent = known->slot.numbers[2 * n + 1];
	if (!key->is_value)
		return key->factor * absent;
	if (key->field == 0)
		return Min(known->slot.numbers[2 * n] / 2, VALUE_SEL);
	i = find_key(known, key->field);
	return i >= 0 ? Min(known->slot.numbers[n + i], known->slot.numbers[2 * n]) : absent * VALUE_SEL;
}

/* --- histograms --- */

/* The first bound, from "low" on, that is not less than these bytes, or that is greater */
static int
search_bounds(const Known *known, int low, int high, const uint8 *bytes, uint32 len, bool greater)
{
	while (low < high)
	{
		int			mid = low + (high - low) / 2;
		const uint8 *v;
		uint32		v_len = PgBsonGinKeyBytes(known->slot.values[mid], &v);
		int			cmp = PgBsonGinCompareBytes(v, v_len, bytes, len);

		if (cmp < 0 || (greater && cmp == 0))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * What follows a key's head as a number, to tell how far a value is between two
 * bounds: of numbers, the number; else the first eight bytes.
 */
static double
bytes_as_number(const uint8 *bytes, uint32 len)
{
	uint8		padded[8] = {0};
	uint64		v;
	double		d;

	if (PgBsonGinRangeNumber(bytes, len, &d))
		return d;
	if (len > PGBSON_GIN_RANGE_HEAD)
		memcpy(padded, bytes + PGBSON_GIN_RANGE_HEAD, Min(len - PGBSON_GIN_RANGE_HEAD, 8));
	memcpy(&v, padded, 8);
	return (double) pg_ntoh64(v);
}

static double
bound_as_number(const Known *known, int i)
{
	const uint8 *bytes;
	uint32		len = PgBsonGinKeyBytes(known->slot.values[i], &bytes);

	return bytes_as_number(bytes, len);
}

/* The fraction of values, of those in the bounds from "first" to "last", that are less; "or_equal": or equal */
static double
fraction_below(const Known *known, int first, int last, const uint8 *bytes, uint32 len,
			   bool or_equal)
{
	int			i = search_bounds(known, first, last + 1, bytes, len, or_equal);
	double		left;
	double		right;
	double		within = 0.5;

	if (i == first || i > last)
		return i > last ? 1 : 0;
	left = bound_as_number(known, i - 1);
	right = bound_as_number(known, i);
	if (right > left && isfinite(right - left))
		within = (bytes_as_number(bytes, len) - left) / (right - left);
	return (i - 1 - first + Max(Min(within, 1), 0)) / (last - first);
}

/* The fraction of rows that have a value in the range */
static double
range_selectivity(const Known *known, Datum key, const PgBsonGinBound *bound)
{
	const uint8 *low;
	uint32		low_len = PgBsonGinKeyBytes(key, &low);
	bool		prefix = bound->prefix > PGBSON_GIN_RANGE_HEAD;
	uint8		high[PGBSON_GIN_RANGE_KEY_MAX + 1];
	int			first;
	int			last;
	double		below;
	bool		is_number = low_len > PGBSON_GIN_RANGE_HEAD
		? PgBsonGinRangeNumber(low, low_len, &below)
		: PgBsonGinRangeNumber(bound->last, bound->len, &below);
	double		upto = 1;
	double		fraction;

	if (!known->has_keys)
		return (prefix ? PATTERN_SEL
				: low_len > PGBSON_GIN_RANGE_HEAD && bound->len > 0 ? DEFAULT_RANGE_INEQ_SEL
				: DEFAULT_INEQ_SEL) * (PgBsonGinRangeInArray(low) ? NESTED_PART : 1);

	/* the bounds of this path and type: they begin with the same bytes */
	memcpy(high, low, PGBSON_GIN_RANGE_HEAD);
	first = search_bounds(known, known->nkeys, known->slot.nvalues, high,
						  PGBSON_GIN_RANGE_HEAD, false);
	memset(high + PGBSON_GIN_RANGE_HEAD, 0xFF, sizeof(high) - PGBSON_GIN_RANGE_HEAD);
	last = search_bounds(known, first, known->slot.nvalues, high, sizeof(high), true) - 1;
	if (first >= last)
		return known->slot.numbers[2 * known->nkeys + 1] * DEFAULT_INEQ_SEL;

	below = fraction_below(known, first, last, low, low_len, false);
	if (prefix)
	{
		memcpy(high, low, bound->prefix);
		upto = fraction_below(known, first, last, high, sizeof(high), true);
	}
	else if (bound->len > 0)
		upto = fraction_below(known, first, last, bound->last, bound->len, true);
	/* at least part of a bin; strings are not spread evenly between bounds */
	fraction = Max(upto - below, (is_number ? 0.02 : 0.1) / (last - first));
	return Min(fraction * known->slot.numbers[known->nkeys + 2 + first], 1);
}

/* --- queries --- */

static double
node_selectivity(const Known *known, const PgBsonGinNode *node)
{
	double		sel = 1;
	ListCell   *lc;

	check_stack_depth();
	if (node->bound != NULL)
		return range_selectivity(known, node->key, node->bound);
	if (node->kind == PGBSON_GIN_KEY)
		return key_selectivity(known, (QueryKey *) DatumGetPointer(node->key));
	foreach(lc, node->args)
	{
		double		s = node_selectivity(known, lfirst(lc));

		/* any, or not one */
		sel *= node->kind == PGBSON_GIN_AND ? s : 1 - s;
	}
	return node->kind == PGBSON_GIN_OR ? 1 - sel : sel;
}

/* Is this what every document, or array, contains? */
static bool
is_empty_container(Datum query)
{
	PgBsonValue root = PgBsonRoot(DatumGetPgBsonPP(query));

	return PgBsonIsContainer(root.type) && root.len == PGBSON_MIN_SIZE;
}

/* The selectivity among rows that are not NULL */
static double
query_selectivity(const Known *known, StrategyNumber strategy, Datum query)
{
	PgBsonGinKeys keys = {NULL};
	bool		never;
	PgBsonGinNode *node;

	node = PgBsonGinQueryNode(&query_class, &keys, query, strategy, &never);
	if (node != NULL)
		return Max(node_selectivity(known, node), LEAST_SEL);
	if (never)
		return 0;
	if (strategy == PGBSON_GIN_EXISTS_ALL ||
		(strategy == PGBSON_GIN_CONTAINS && is_empty_container(query)))
		return 1;
	return UNKNOWN_SEL;
}

/* What statistics there are, of those the user may see */
static void
learn(Known *known, PlannerInfo *root, VariableStatData *vardata, Oid function)
{
	memset(known, 0, sizeof(*known));
	known->root = root;
	known->vardata = vardata;
	if (vardata->var != NULL && IsA(vardata->var, Var))
		known->expressions = find_accessors(vardata->rel, vardata->var);
	if (HeapTupleIsValid(vardata->statsTuple) &&
		statistic_proc_security_check(vardata, function) &&
		get_attstatsslot(&known->slot, vardata->statsTuple, PGBSON_STATISTIC_KIND, InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
	{
		known->nkeys = known->slot.nnumbers - known->slot.nvalues - 2;
		known->has_keys = known->nkeys > 0 && known->nkeys <= known->slot.nvalues;
		if (!known->has_keys)
			free_attstatsslot(&known->slot);
	}
}

static double
column_selectivity(PlannerInfo *root, VariableStatData *vardata, Oid function,
				   StrategyNumber strategy, Datum query)
{
	double		nullfrac = 0;
	Known		known;
	double		sel;

	if (HeapTupleIsValid(vardata->statsTuple))
		nullfrac = ((Form_pg_statistic) GETSTRUCT(vardata->statsTuple))->stanullfrac;
	if (strategy == CONTAINED)
		return CONTAINED_SEL;

	learn(&known, root, vardata, function);
	sel = query_selectivity(&known, strategy, query) * (1 - nullfrac);
	if (known.has_keys)
		free_attstatsslot(&known.slot);
	return sel;
}

/* The guess where one side is not known while planning */
static double
default_selectivity(StrategyNumber strategy)
{
	switch (strategy)
	{
		case PGBSON_GIN_EXISTS:
		case PGBSON_GIN_EXISTS_ANY:
		case PGBSON_GIN_EXISTS_ALL:
			return FIELD_SEL;
		case CONTAINED:
			return CONTAINED_SEL;
		default:
			return VALUE_SEL;
	}
}

static Datum
restriction(FunctionCallInfo fcinfo, StrategyNumber strategy)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	Oid			operator = PG_GETARG_OID(1);
	List	   *args = (List *) PG_GETARG_POINTER(2);
	int			varRelid = PG_GETARG_INT32(3);
	VariableStatData vardata;
	Node	   *other;
	bool		varonleft;
	double		sel;

	if (!get_restriction_variable(root, args, varRelid, &vardata, &other, &varonleft))
		PG_RETURN_FLOAT8(default_selectivity(strategy));

	/* x @> column is column <@ x, and the other way round */
	if (!varonleft && strategy == CONTAINED)
		strategy = PGBSON_GIN_CONTAINS;
	else if (!varonleft && strategy == PGBSON_GIN_CONTAINS)
		strategy = CONTAINED;

	if (!IsA(other, Const) || (!varonleft && strategy != PGBSON_GIN_CONTAINS))
		sel = default_selectivity(strategy);
	else if (((Const *) other)->constisnull)
		sel = 0;
	else
		sel = column_selectivity(root, &vardata, get_opcode(operator), strategy,
								 ((Const *) other)->constvalue);
	ReleaseVariableStats(vardata);
	CLAMP_PROBABILITY(sel);
	PG_RETURN_FLOAT8(sel);
}

/* SQL: the RESTRICT function of each operator */

PG_FUNCTION_INFO_V1(pgbson_contains_sel);
Datum
pgbson_contains_sel(PG_FUNCTION_ARGS)
{
	return restriction(fcinfo, PGBSON_GIN_CONTAINS);
}

PG_FUNCTION_INFO_V1(pgbson_contained_sel);
Datum
pgbson_contained_sel(PG_FUNCTION_ARGS)
{
	return restriction(fcinfo, CONTAINED);
}

PG_FUNCTION_INFO_V1(pgbson_exists_sel);
Datum
pgbson_exists_sel(PG_FUNCTION_ARGS)
{
	return restriction(fcinfo, PGBSON_GIN_EXISTS);
}

PG_FUNCTION_INFO_V1(pgbson_exists_any_sel);
Datum
pgbson_exists_any_sel(PG_FUNCTION_ARGS)
{
	return restriction(fcinfo, PGBSON_GIN_EXISTS_ANY);
}

PG_FUNCTION_INFO_V1(pgbson_exists_all_sel);
Datum
pgbson_exists_all_sel(PG_FUNCTION_ARGS)
{
	return restriction(fcinfo, PGBSON_GIN_EXISTS_ALL);
}

PG_FUNCTION_INFO_V1(pgbson_path_exists_sel);
Datum
pgbson_path_exists_sel(PG_FUNCTION_ARGS)
{
	return restriction(fcinfo, PGBSON_GIN_PATH_EXISTS);
}

PG_FUNCTION_INFO_V1(pgbson_path_match_sel);
Datum
pgbson_path_match_sel(PG_FUNCTION_ARGS)
{
	return restriction(fcinfo, PGBSON_GIN_PATH_MATCH);
}

PG_FUNCTION_INFO_V1(pgbson_match_sel);
Datum
pgbson_match_sel(PG_FUNCTION_ARGS)
{
	return restriction(fcinfo, PGBSON_GIN_MATCH);
}
