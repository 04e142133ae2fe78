/*
 * selectivity.c
 *	  Estimators of @> <@ ? ?| ?& @? @@ @~.
 *
 * A query is broken down as for a GIN index (index/gin.c): into keys, joined by
 * "and" and "or".  ANALYZE counted how many rows have a key (planner/analyze.c). If
 * there are no statistics, and for keys too rare to be kept, there are guesses.  If
 * an index or CREATE STATISTICS is about an expression that yields the value in
 * question, the statistics of that expression are used.
 *
 * If a query is computed from a row of another table, its values are not known
 * while planning, but its fields are: see made_query.
 *
 * The operator itself is never run, because that would read documents while
 * planning.  So an estimate costs only a few binary searches.
 */
#include "planner/selectivity.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "core/write/from_value.h"
#include "core/write/write.h"
#include "door.h"
#include "nodes/nodeFuncs.h"
#include "planner/chain.h"
#include "sql/site/type.h"
#include "utils/builtins.h"

/*
 * If an "and" or "or" has more conditions than this, only the first ones are estimated, and the
 * others are assumed to be like these
 */
#define MOST_CONDITIONS		2000

/* <@ has no GIN strategy, so it is given a number here */
#define CONTAINED			100

/* --- keys --- */

static PgBsonQueryKey *
new_key(const PgBsonGinPath *path, uint64 hash)
{
	PgBsonQueryKey *k = palloc0(sizeof(PgBsonQueryKey));

	k->hash = hash;
	k->path = *path;
	k->factor = 1;
	return k;
}

static Datum
estimated_value_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonValue *value,
					PgBsonGinStrength *strength)
{
	PgBsonQueryKey *k = new_key(path, PgBsonStatHash(value, path->hash, path->via));

	k->field = PgBsonFieldHash(path->hash, path->via);
	k->value = *value;
	k->is_value = true;
	*strength = PGBSON_GIN_PROOF;
	return PointerGetDatum(k);
}

static Datum
estimated_field_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, bool *exact)
{
	*exact = true;
	return PointerGetDatum(new_key(path, PgBsonFieldHash(path->hash, path->via)));
}

/* The condition that a row has the path; only the fraction "factor" of the rows with the path is counted */
static PgBsonGinNode *
part_of_rows(const PgBsonGinPath *path, double factor)
{
	PgBsonGinPath way = *path;
	List	   *nodes = NIL;

	if (path->nkeys == 0)
		return NULL;
	for (int nested = 0; nested <= 1; nested++)
	{
		PgBsonQueryKey *k;

		way.via = nested ? PGBSON_GIN_NESTED : PGBSON_GIN_PLAIN;
		k = new_key(&way, PgBsonFieldHash(way.hash, way.via));
		k->factor = factor;
		nodes = lappend(nodes, PgBsonGinKeyNode(PointerGetDatum(k), true));
	}
	return PgBsonGinAny(nodes);
}

/*
 * The condition of a comparison: one or several ranges of keys of bson_range_ops, which are looked up
 * in histograms.  A node with a bound is such a range.
 */
static PgBsonGinNode *
ranges(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonGinComparison *comparison)
{
	PgBsonGinNode *node = PgBsonGinRangeOps.compare(keys, path, comparison);

	if (node == NULL)
		return node;
	foreach_ptr(PgBsonGinNode, range, node->args)
	{
		const uint8 *bytes;

		PgBsonGinKeyBytes(range->key, &bytes);
		range->bound->field = PgBsonFieldHash(path->hash, PgBsonGinRangeInArray(bytes) ? PGBSON_GIN_NESTED
											  : PGBSON_GIN_PLAIN);
	}
	return node;
}

static PgBsonGinNode *
compare_for_estimate(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonGinComparison *comparison)
{
	switch (comparison->op)
	{
		case jpiEqual:
			return PgBsonGinEquality(estimated_value_key, keys, path, comparison);
		case jpiNotEqual:
			return part_of_rows(path, 1 - DEFAULT_EQ_SEL);
		case jpiLikeRegex:
			return part_of_rows(path, PGBSON_PATTERN_SEL);
		default:
			return ranges(keys, path, comparison);
	}
}

static const PgBsonGinClass query_class = {NULL, estimated_value_key, estimated_field_key, compare_for_estimate, true};

/* --- queries --- */

static double
node_selectivity(const PgBsonKnown *known, const PgBsonGinNode *node)
{
	double		sel = 1;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (node->bound != NULL)
		return PgBsonRangeSelectivity(known, node->key, node->bound);
	if (node->kind == PGBSON_GIN_KEY)
		return PgBsonKeySelectivity(known, (PgBsonQueryKey *) DatumGetPointer(node->key));
	foreach_ptr(const PgBsonGinNode, arg, node->args)
	{
		double		s = node_selectivity(known, arg);
		int			seen = foreach_current_index(arg) + 1;

		/* any, or not one */
		sel *= node->kind == PGBSON_GIN_AND ? s : 1 - s;
		if (seen == MOST_CONDITIONS)
			sel = pow(sel, (double) list_length(node->args) / seen);
		/* the result is at least PGBSON_LEAST_SEL, so further conditions cannot change it */
		if (seen == MOST_CONDITIONS || sel < PGBSON_LEAST_SEL)
			break;
	}
	return node->kind == PGBSON_GIN_OR ? 1 - sel : sel;
}

/* Is this an empty document or array, which every document or array contains? */
static bool
is_empty_container(Datum query)
{
	PgBsonValue root = PgBsonRoot(DatumGetPgBsonPP(query));

	return PgBsonIsContainer(root.type) && root.len == PGBSON_MIN_SIZE;
}

/* The selectivity among the rows that are not NULL */
static double
query_selectivity(const PgBsonKnown *known, StrategyNumber strategy, Datum query)
{
	PgBsonGinKeys keys = {&query_class};
	bool		never;
	PgBsonGinNode *node;

	node = PgBsonGinQueryNode(&keys, query, strategy, &never);
	if (node != NULL)
		return Max(node_selectivity(known, node), PGBSON_LEAST_SEL);
	if (never)
		return 0;
	if (strategy == PGBSON_GIN_EXISTS_ALL ||
		(strategy == PGBSON_GIN_CONTAINS && is_empty_container(query)))
		return 1;
	return PGBSON_UNKNOWN_SEL;
}

/*
 * Does the strategy's operator take this type on its right side?  Any operator can name our
 * estimators, so a constant may only be read after this check.
 */
static bool
is_query_type(StrategyNumber strategy, Oid type)
{
	switch (strategy)
	{
		case PGBSON_GIN_EXISTS:
			return type == TEXTOID || getBaseType(type) == TEXTOID;
		case PGBSON_GIN_EXISTS_ANY:
		case PGBSON_GIN_EXISTS_ALL:
			return type == TEXTARRAYOID || getBaseType(type) == TEXTARRAYOID;
		case PGBSON_GIN_PATH_EXISTS:
		case PGBSON_GIN_PATH_MATCH:
			return type == JSONPATHOID || getBaseType(type) == JSONPATHOID;
		default:
			return PgBsonIsBsonOrDomain(type);
	}
}

/* The column's statistics, if there are any that the user may see */
static void
learn_statistics(PgBsonKnown *known, PlannerInfo *root, VariableStatData *vardata, Oid operator)
{
	memset(known, 0, sizeof(*known));
	known->root = root;
	known->vardata = vardata;
	if (vardata->var != NULL && IsA(vardata->var, Var))
		known->expressions = PgBsonFindAccessors(vardata->rel, vardata->var);
	if (HeapTupleIsValid(vardata->statsTuple) &&
		(vardata->acl_ok || statistic_proc_security_check(vardata, get_opcode(operator))))
		PgBsonReadStatistics(known, vardata->statsTuple);
}

double
PgBsonColumnSelectivity(PlannerInfo *root, VariableStatData *vardata, Oid operator,
						StrategyNumber strategy, Datum query, bool made)
{
	double		nullfrac = 0;
	double		sel;
	PgBsonKnown known;
	MemoryContext work;
	MemoryContext old;

	if (HeapTupleIsValid(vardata->statsTuple))
		nullfrac = ((Form_pg_statistic) GETSTRUCT(vardata->statsTuple))->stanullfrac;
	if (strategy == CONTAINED)
		return PGBSON_CONTAINED_SEL;

	/* for ANY(array) the server calls the estimator once for each element and frees no memory before planning ends */
	work = AllocSetContextCreate(CurrentMemoryContext, "bson estimate", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(work);
	learn_statistics(&known, root, vardata, operator);
	known.made = made;
	sel = query_selectivity(&known, strategy, query) * (1 - nullfrac);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return sel;
}

double
PgBsonFieldSelectivity(PlannerInfo *root, VariableStatData *vardata, Oid operator, const char *path, uint32 len)
{
	PgBsonValue query = PgBsonMakeBool(true);

	query = PgBsonMakeDocument("$exists", &query, NULL);
	query = PgBsonMakePair(path, len, &query);
	return PgBsonColumnSelectivity(root, vardata, operator, PGBSON_GIN_MATCH, PointerGetDatum(PgBsonFromValue(&query)),
								   false);
}

/* The estimate if one side is not known while planning */
static double
default_selectivity(StrategyNumber strategy)
{
	switch (strategy)
	{
		case PGBSON_GIN_EXISTS:
		case PGBSON_GIN_EXISTS_ANY:
		case PGBSON_GIN_EXISTS_ALL:
			return PGBSON_FIELD_SEL;
		case CONTAINED:
			return PGBSON_CONTAINED_SEL;
		default:
			return PGBSON_VALUE_SEL;
	}
}

/*
 * The constant key of a call of bson_build_object, in UTF-8; NULL if it is not constant, or has a
 * "$" and so may be a query operator
 */
static const char *
made_key(const Const *key)
{
	char	   *s;

	if (!IsA(key, Const) || key->constisnull || (key->consttype != UNKNOWNOID && key->consttype != TEXTOID))
		return NULL;
	s = key->consttype == TEXTOID ? TextDatumGetCString(key->constvalue) : DatumGetCString(key->constvalue);
	return strchr(s, '$') != NULL ? NULL : pg_server_to_any(s, strlen(s), PG_UTF8);
}

/*
 * The arguments of a call that name the fields of the query which the call makes.  The call is bson_build_object('k',
 * x, ...), or one of the functions that pipelines use, whose last argument is the field.  NIL for other calls.
 */
static List *
made_fields(const FuncExpr *call)
{
	const char *name = get_func_name(call->funcid);
	List	   *fields = NIL;

	if (name == NULL || call->args == NIL || call->funcvariadic || !PgBsonIsBsonType(call->funcresulttype))
		return NIL;
	if (strcmp(name, "bson_lookup_query") == 0 || strcmp(name, "bson_graph_query") == 0 ||
		strcmp(name, "bson_equality_query") == 0)
		return list_make1(llast(call->args));
	if (strcmp(name, "bson_build_object") != 0)
		return NIL;
	foreach_ptr(Node, arg, call->args)
	{
		if (foreach_current_index(arg) % 2 == 0)
			fields = lappend(fields, arg);
	}
	return fields;
}

/*
 * If a call computes the query from a row of another table, make a query with the same fields for the estimate.  Its
 * values are not known while planning, so each is a stand-in, which is estimated like an average value of the field.
 */
static bool
made_query(Node *node, Datum *query)
{
	/* the stand-in: a value that is not among those with statistics */
	static const uint8 none[PGBSON_OBJECTID_SIZE] = {0xFF};
	PgBsonValue value = {PGBSON_OBJECTID, sizeof(none), none};
	List	   *fields = IsA(node, FuncExpr) ? made_fields((FuncExpr *) node) : NIL;
	PgBsonWriter w;

	if (fields == NIL)
		return false;
	PgBsonWriterBegin(&w, 0);
	foreach_ptr(Const, field, fields)
	{
		const char *key = made_key(field);

		if (key == NULL)
			return false;
		PgBsonWriterField(&w, key, strlen(key), &value);
	}
	PgBsonWriterClose(&w, 0);
	*query = PointerGetDatum(PgBsonWriterFinish(&w));
	return true;
}

static Datum
estimate_restriction(FunctionCallInfo fcinfo, StrategyNumber strategy)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	Oid			operator = PG_GETARG_OID(1);
	List	   *args = (List *) PG_GETARG_POINTER(2);
	int			varRelid = PG_GETARG_INT32(3);
	VariableStatData vardata;
	Node	   *other;
	Datum		query;
	bool		varonleft;
	double		sel;

	if (!get_restriction_variable(root, args, varRelid, &vardata, &other, &varonleft))
		PG_RETURN_FLOAT8(default_selectivity(strategy));

	/* x @> column is column <@ x, and vice versa */
	if (!varonleft && strategy == CONTAINED)
		strategy = PGBSON_GIN_CONTAINS;
	else if (!varonleft && strategy == PGBSON_GIN_CONTAINS)
		strategy = CONTAINED;

	if ((!varonleft && strategy != PGBSON_GIN_CONTAINS) || !PgBsonIsBsonOrDomain(vardata.vartype) ||
		!is_query_type(strategy, exprType(other)))
		sel = default_selectivity(strategy);
	else if (!IsA(other, Const))
		sel = made_query(other, &query) ? PgBsonColumnSelectivity(root, &vardata, operator, strategy, query, true)
			: default_selectivity(strategy);
	else if (((Const *) other)->constisnull)
		sel = 0;
	else
	{
		/* narrow.c may change a scan with this condition */
		if (strategy == PGBSON_GIN_MATCH)
			PgBsonMark(root, PGBSON_MARK_QUERY);
		sel = PgBsonColumnSelectivity(root, &vardata, operator, strategy, ((Const *) other)->constvalue, false);
	}
	ReleaseVariableStats(vardata);
	CLAMP_PROBABILITY(sel);
	PG_RETURN_FLOAT8(sel);
}

/* SQL: the RESTRICT function of each operator */
PGBSON_DOOR(pgbson_contains_sel, estimate_restriction(fcinfo, PGBSON_GIN_CONTAINS));
PGBSON_DOOR(pgbson_contained_sel, estimate_restriction(fcinfo, CONTAINED));
PGBSON_DOOR(pgbson_exists_sel, estimate_restriction(fcinfo, PGBSON_GIN_EXISTS));
PGBSON_DOOR(pgbson_exists_any_sel, estimate_restriction(fcinfo, PGBSON_GIN_EXISTS_ANY));
PGBSON_DOOR(pgbson_exists_all_sel, estimate_restriction(fcinfo, PGBSON_GIN_EXISTS_ALL));
PGBSON_DOOR(pgbson_path_exists_sel, estimate_restriction(fcinfo, PGBSON_GIN_PATH_EXISTS));
PGBSON_DOOR(pgbson_path_match_sel, estimate_restriction(fcinfo, PGBSON_GIN_PATH_MATCH));
PGBSON_DOOR(pgbson_match_sel, estimate_restriction(fcinfo, PGBSON_GIN_MATCH));

/*
 * If a join's condition is a query computed from the other table's row, estimate that; otherwise
 * return the server's default
 */
static Datum
join(FunctionCallInfo fcinfo, StrategyNumber strategy)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	List	   *args = (List *) PG_GETARG_POINTER(2);
	VariableStatData left;
	VariableStatData right;
	Datum		query;
	bool		reversed;
	double		sel;

	if (list_length(args) != 2 || !is_query_type(strategy, exprType(lsecond(args))) ||
		!made_query(lsecond(args), &query))
		return contjoinsel(fcinfo);
	get_join_variables(root, args, (SpecialJoinInfo *) PG_GETARG_POINTER(4), &left, &right, &reversed);
	sel = PgBsonIsBsonOrDomain(left.vartype) ? PgBsonColumnSelectivity(root, &left, PG_GETARG_OID(1), strategy, query,
																	   true)
		: default_selectivity(strategy);
	ReleaseVariableStats(left);
	ReleaseVariableStats(right);
	CLAMP_PROBABILITY(sel);
	PG_RETURN_FLOAT8(sel);
}

/* SQL: the JOIN function of @> and @~ */
PGBSON_DOOR(pgbson_contains_joinsel, join(fcinfo, PGBSON_GIN_CONTAINS));
PGBSON_DOOR(pgbson_match_joinsel, join(fcinfo, PGBSON_GIN_MATCH));
