/*
 * chain.c
 *	  Planner support functions: they turn chains of accessors into one walk,
 *	  and estimate how many rows a set-returning function returns.
 *
 * d -> 'a' -> 3 ->> 'b' would copy a container per step.  The support function
 * of the accessors turns it into bson_walk_text(d, 'a', 3, 'b'): the arguments
 * are the steps, and their types (text, int4, text[]) say what kind of step
 * each is, so the meaning is the same.  It is the support function of the
 * casts, too: (d -> 'a')::int becomes bson_walk_to_int4(d, 'a'), so that no
 * bson is made just to be read once.  Views and dumps keep what the user
 * wrote, because this happens in the planner.  An index on such an expression
 * still matches, because index expressions are simplified in the same way.
 *
 * The executor checks the rights on the functions that it calls, and a plan that is kept may be
 * executed by several roles.  So only functions that PUBLIC may execute are replaced, and
 * only by such functions, and the plan depends on all of them: GRANT and REVOKE make a new one.
 */
#include "door.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "core/bytes/names.h"
#include "core/bytes/view.h"
#include "core/stored/detoast.h"
#include "planner/chain.h"
#include "sql/site/type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/planmain.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/*
 * The result of a lookup in the catalogs, which is kept, together with what was looked up, until a
 * function, an operator or a type changes.  A query may have many calls of accessors, but few different
 * ones.  The process keeps the results, because there are no call sites while a query is planned.
 */
typedef struct Remembered
{
	Oid			(*find) (struct Remembered *wanted);	/* the lookup; NULL: this entry is empty */
	bool		has_steps;		/* the outer call has more arguments than the first */
	Oid			function;		/* the function that is called */
	Oid			inner;			/* for a walk: the accessor that the first argument is a call of */
	Oid			types[2];		/* types: an operator's operands; a call's document and, but for a cast, result */
	Oid			result;			/* the operator or function found; InvalidOid: none */
	uint32		hashes[2];		/* of a walk: those of "function" and "inner" in the catalog's cache */
	bool		restricted;		/* PUBLIC may not execute all of the functions, so no call is replaced */
} Remembered;

#define REMEMBERED	64

static Remembered remembered[REMEMBERED];
static uint64 changes;			/* counts the calls of forget_remembered(): did the catalogs change during a lookup? */

static void
forget_remembered(Datum arg, int cacheid, uint32 hashvalue)
{
	changes++;
	memset(remembered, 0, sizeof(remembered));
}

/* The entry in which the result of this lookup would be; it may have that of another one */
static Remembered *
place_of(const Remembered *wanted)
{
	static bool registered = false;

	if (!registered)
	{
		CacheRegisterSyscacheCallback(PROCOID, forget_remembered, (Datum) 0);
		CacheRegisterSyscacheCallback(OPEROID, forget_remembered, (Datum) 0);
		CacheRegisterSyscacheCallback(TYPEOID, forget_remembered, (Datum) 0);
		registered = true;
	}
	return &remembered[murmurhash32(wanted->function * 31 + wanted->inner * 13 + wanted->types[0] * 7 +
									wanted->types[1] + (uint32) (uintptr_t) wanted->find + wanted->has_steps) %
					   REMEMBERED];
}

static inline bool
is_remembered(const Remembered *place, const Remembered *wanted)
{
	return place->find == wanted->find && place->has_steps == wanted->has_steps &&
		place->function == wanted->function && place->inner == wanted->inner &&
		place->types[0] == wanted->types[0] && place->types[1] == wanted->types[1];
}

/* Look up, or find the result that was kept */
static Oid
look_up_function(Remembered *wanted)
{
	Remembered *place = place_of(wanted);
	uint64		before = changes;

	if (is_remembered(place, wanted))
	{
		*wanted = *place;
		return wanted->result;
	}
	wanted->result = wanted->find(wanted);
	/* keep the result, unless the catalogs changed in the meantime */
	if (changes == before)
		*place = *wanted;
	return wanted->result;
}

bool
PgBsonIsPublic(Oid funcid)
{
	return PGBSON_MAY_EXECUTE(funcid, ACL_ID_PUBLIC);
}

/* Is this function an accessor of ours?  All accessors have the same support function. */
static bool
is_accessor(Oid funcid, Oid support)
{
	return OidIsValid(funcid) && get_func_support(funcid) == support;
}

bool
PgBsonCallOf(Node *node, Oid *funcid, List **args)
{
	if (IsA(node, FuncExpr))
	{
		FuncExpr   *call = (FuncExpr *) node;

		*funcid = call->funcid;
		*args = call->args;
		return !call->funcvariadic || list_length(call->args) == 2;
	}
	if (IsA(node, OpExpr))
	{
		OpExpr	   *op = (OpExpr *) node;

		set_opfuncid(op);
		*funcid = op->opfuncid;
		*args = op->args;
		return true;
	}
	return false;
}

/*
 * Can these arguments be steps of a walk?  A path (text[]) must be a constant, because errors of a
 * path that is calculated would be raised at another point.
 */
static bool
are_steps(List *args)
{
	ListCell   *lc;

	for_each_from(lc, args, 1)
	{
		const Const *arg = lfirst(lc);
		Oid			type = IsA(arg, Const) ? arg->consttype : exprType((const Node *) arg);
		bool		is_path = type == TEXTARRAYOID && IsA(arg, Const) && !arg->constisnull &&
			ARR_NDIM(DatumGetArrayTypeP(arg->constvalue)) <= 1;

		if (type != TEXTOID && type != INT4OID && !is_path)
			return false;
	}
	return true;
}

/* The function of this name in the schema that takes a bson and any other arguments */
static Oid
function_of(const char *name, Oid bsontype, Oid schema)
{
	Oid			argtypes[2] = {bsontype, ANYOID};

	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
						   PointerGetDatum(buildoidvector(argtypes, 2)), ObjectIdGetDatum(schema));
}

/*
 * The walk, in this function's schema, that has the same result type as this
 * function; InvalidOid if the function below is no accessor of ours, or does not
 * begin with a bson.  A function without steps, such as a cast, has a walk of a
 * similar name: that of bson_to_int4 is bson_walk_to_int4.
 */
static Oid
find_walk_function(Remembered *wanted)
{
	Oid			walk;
	Oid			bsontype = wanted->types[0];
	Oid			rettype = wanted->types[1];
	char	   *own;
	const char *name;

	if (!is_accessor(wanted->inner, get_func_support(wanted->function)) || !PgBsonIsBsonOrDomain(bsontype))
		return InvalidOid;
	if (wanted->has_steps)
		name = rettype == TEXTOID ? "bson_walk_text"
			: rettype == INT4OID ? "bson_walk_int4"
			: rettype == BOOLOID ? "bson_walk_bool"
			: "bson_walk";
	else if ((own = get_func_name(wanted->function)) != NULL && strncmp(own, "bson_", 5) == 0)
		name = psprintf("bson_walk_%s", own + 5);
	else
		return InvalidOid;
	walk = function_of(name, bsontype, get_func_namespace(wanted->function));
	wanted->restricted = OidIsValid(walk) &&
		!(PgBsonIsPublic(wanted->function) && PgBsonIsPublic(wanted->inner) && PgBsonIsPublic(walk));
	wanted->hashes[0] = GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(wanted->function));
	wanted->hashes[1] = GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(wanted->inner));
	return walk;
}

/* bson_walk_as or bson_walk_equals in the schema of this function, if it is an accessor of ours */
static Oid
find_text_call(Remembered *wanted)
{
	Oid			call;
	Oid			accessor = wanted->function;
	Oid			bsontype = wanted->types[0];
	Oid			schema = get_func_namespace(accessor);
	Oid			walk = function_of("bson_walk_text", bsontype, schema);

	if (!OidIsValid(walk) || !OidIsValid(get_func_support(walk)) || !is_accessor(accessor, get_func_support(walk)))
		return InvalidOid;
	call = function_of(OidIsValid(wanted->types[1]) ? "bson_walk_equals" : "bson_walk_as", bsontype, schema);
	wanted->restricted = OidIsValid(call) && !(PgBsonIsPublic(accessor) && PgBsonIsPublic(call));
	return call;
}

Oid
PgBsonTextCallOf(Node *node, Oid result, List **args)
{
	Remembered	wanted = {find_text_call, .types = {InvalidOid, result}};

	if (!PgBsonCallOf(node, &wanted.function, args) || list_length(*args) < 2 ||
		list_length(*args) + OidIsValid(result) > FUNC_MAX_ARGS || exprType(node) != TEXTOID || !are_steps(*args))
		return InvalidOid;
	wanted.types[0] = exprType((Node *) linitial(*args));
	(void) look_up_function(&wanted);
	return wanted.restricted ? InvalidOid : wanted.result;
}

/* The mark is the first of a plan's dependencies, an item of a cache of which plans have no others */
uint32
PgBsonMarksOf(List *invalItems)
{
	PlanInvalItem *first = invalItems != NIL ? linitial_node(PlanInvalItem, invalItems) : NULL;

	return first != NULL && first->cacheId == PROCNAMEARGSNSP ? first->hashValue : 0;
}

void
PgBsonMark(PlannerInfo *root, uint32 marks)
{
	PlanInvalItem *item;

	if (PgBsonMarksOf(root->glob->invalItems) == 0)
	{
		item = makeNode(PlanInvalItem);
		item->cacheId = PROCNAMEARGSNSP;
		root->glob->invalItems = lcons(item, root->glob->invalItems);
	}
	linitial_node(PlanInvalItem, root->glob->invalItems)->hashValue |= marks;
}

/*
 * Make the plan depend on a function of the server that a fused comparison no longer calls, as REVOKE can take it from
 * PUBLIC.  (record_plan_function_dependency assumes that such functions never change.)
 */
static void
depend_on_server(PlannerInfo *root, Oid function)
{
	PlanInvalItem *item = makeNode(PlanInvalItem);

	item->cacheId = PROCOID;
	item->hashValue = GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(function));
	root->glob->invalItems = lappend(root->glob->invalItems, item);
}

/*
 * Mark a plan that will have this call, whose text may be cast or compared, for fuse.c, which sees only finished
 * plans and often is not loaded yet when the first plan of a session is made.  Make the plan depend on
 * the functions that would replace the cast or the comparison.
 */
static void
mark_text(PlannerInfo *root, FuncExpr *call)
{
	Remembered	wanted = {find_text_call, .function = call->funcid};

	if (root == NULL || call->args == NIL || (PgBsonMarksOf(root->glob->invalItems) & PGBSON_MARK_TEXT))
		return;
	wanted.types[0] = exprType((Node *) linitial(call->args));
	if (!OidIsValid(look_up_function(&wanted)))
		return;
	PgBsonMark(root, PGBSON_MARK_TEXT);
	record_plan_function_dependency(root, wanted.result);
	wanted.types[1] = BOOLOID;
	record_plan_function_dependency(root, look_up_function(&wanted));
	depend_on_server(root, F_TEXTEQ);
	depend_on_server(root, F_TEXTNE);
}

/*
 * The collation that a call needs: its own if its result is collatable, so that the result has one, too; else none,
 * because keys are compared by bytes
 */
static Oid
collation_of(const FuncExpr *call)
{
	return OidIsValid(call->funccollid) ? call->inputcollid : InvalidOid;
}

/* Make the plan depend on a function that it no longer calls; a statement may have many chains, but of few functions */
static void
depend(PlannerInfo *root, Oid function, uint32 hash)
{
	foreach_ptr(PlanInvalItem, item, root->glob->invalItems)
	{
		if (item->cacheId == PROCOID && item->hashValue == hash)
			return;
	}
	record_plan_function_dependency(root, function);
}

/*
 * Make f(accessor(x, steps), steps) one walk from x; NULL for other calls.  The outer function f is
 * an accessor, or takes just the value, as casts and bson_array_length do.
 */
static Node *
collapse(PlannerInfo *root, FuncExpr *call)
{
	Oid			inner;
	List	   *inner_args;
	Remembered	walk = {find_walk_function};

	/* a function of another extension may name this support function, too; mostly the first argument is a column */
	if (call->args == NIL || !PgBsonCallOf((Node *) call, &inner, &inner_args) ||
		!PgBsonCallOf(linitial(call->args), &inner, &inner_args) || inner_args == NIL ||
		!are_steps(call->args) || !are_steps(inner_args))
		return NULL;

	/* a function cannot have more arguments */
	if (list_length(inner_args) + list_length(call->args) - 1 > FUNC_MAX_ARGS)
		return NULL;

	walk.has_steps = list_length(call->args) > 1;
	walk.function = call->funcid;
	walk.inner = inner;
	walk.types[0] = exprType((Node *) linitial(inner_args));
	walk.types[1] = call->funcresulttype;
	if (!OidIsValid(look_up_function(&walk)))
		return NULL;
	if (walk.restricted)
	{
		/* on the functions that it calls the plan depends anyway */
		if (root != NULL)
			record_plan_function_dependency(root, walk.result);
		return NULL;
	}
	if (root != NULL)
	{
		depend(root, walk.function, walk.hashes[0]);
		depend(root, walk.inner, walk.hashes[1]);
	}
	inner_args = list_delete_nth_cell(list_concat_copy(inner_args, call->args), list_length(inner_args));
	return (Node *) makeFuncExpr(walk.result, call->funcresulttype, inner_args, call->funccollid, collation_of(call),
								 COERCE_EXPLICIT_CALL);
}

/* The functions of operators that have an operand of type text, but another type of result */
#define OPERATOR_FUNCTIONS \
	"bson_object_field bson_object_field_int4 bson_object_field_bool bson_extract_path bson_extract_path_int4 " \
	"bson_extract_path_bool bson_exists bson_exists_any bson_exists_all bson_delete bson_delete_path " \
	"bson_eq_text bson_ne_text bson_lt_text bson_le_text bson_gt_text bson_ge_text " \
	"text_eq_bson text_ne_bson text_lt_bson text_le_bson text_gt_bson text_ge_bson"
static const char *const operators[] = {
	"->", "-#>", "-&>", "#>", "-#>", "-&>", "?", "?|", "?&", "-", "#-",
	"=", "<>", "<", "<=", ">", ">=", "=", "<>", "<", "<=", ">", ">="
};

/* The operator that is implemented by this function; InvalidOid if there is none */
static Oid
find_operator_of(Remembered *wanted)
{
	char	   *name = get_func_name(wanted->function);
	int			i = name == NULL ? -1 : PgBsonNameAmong(OPERATOR_FUNCTIONS, name, strlen(name));
	Oid			operator = i < 0 ? InvalidOid
		: GetSysCacheOid4(OPERNAMENSP, Anum_pg_operator_oid, CStringGetDatum(operators[i]),
						  ObjectIdGetDatum(wanted->types[0]), ObjectIdGetDatum(wanted->types[1]),
						  ObjectIdGetDatum(get_func_namespace(wanted->function)));

	return OidIsValid(operator) && get_opcode(operator) == wanted->function ? operator : InvalidOid;
}

/*
 * Make a call without a collation, because its keys are compared by bytes; NULL if it has none, or if
 * its result is text, which must have one.  postgres_fdw ships a call without a collation, but not one
 * with that of a constant, which is not the collation of a remote column.  And an index matches the
 * call wherever it comes from.
 */
static Node *
without_collation(FuncExpr *call)
{
	Remembered	operator = {find_operator_of, .function = call->funcid};
	FuncExpr   *copy;

	if (!OidIsValid(call->inputcollid) || OidIsValid(collation_of(call)))
		return NULL;
	if (list_length(call->args) == 2)
	{
		operator.types[0] = exprType(linitial(call->args));
		operator.types[1] = exprType(lsecond(call->args));
		(void) look_up_function(&operator);
	}
	if (OidIsValid(operator.result))
		return (Node *) make_opclause(operator.result, call->funcresulttype, false, linitial(call->args),
									  lsecond(call->args), call->funccollid, InvalidOid);
	copy = makeNode(FuncExpr);
	*copy = *call;
	copy->inputcollid = InvalidOid;
	return (Node *) copy;
}

/* SQL: bson_accessor_support(internal) returns internal */
PGBSON_FUNCTION(pgbson_accessor_support)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestSimplify))
	{
		PlannerInfo *root = ((SupportRequestSimplify *) request)->root;
		FuncExpr   *call = ((SupportRequestSimplify *) request)->fcall;
		Node	   *simpler = collapse(root, call);

		if (call->funcresulttype == TEXTOID)
			mark_text(root, call);
		PG_RETURN_POINTER(simpler != NULL ? simpler : without_collation(call));
	}
	PG_RETURN_POINTER(NULL);
}

/*
 * SQL: bson_walk_support(internal) returns internal
 *
 * For functions that are neither accessors nor casts, but have keys among
 * their arguments: the typed getters, ? ?| ?&, the changes at a path, and the
 * walks themselves if a query names them, as those of postgres_fdw do.  And for
 * the comparisons with a text, which compare bytes.
 */
PGBSON_FUNCTION(pgbson_walk_support)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(without_collation(((SupportRequestSimplify *) request)->fcall));
	PG_RETURN_POINTER(NULL);
}

/*
 * The number of elements of a constant document or array; 1 for a scalar, for which the function
 * will raise an error when it runs
 */
static double
count_elements(Const *arg)
{
	PgBsonValue root;

	if (arg->constisnull)
		return 0;
	root = PgBsonRoot(DatumGetPgBsonPP(arg->constvalue));
	if (!PgBsonIsContainer(root.type))
		return 1;
	return PgBsonViewCount(PgBsonValueView(&root));
}

/* SQL: bson_expansion_support(internal) returns internal */
PGBSON_FUNCTION(pgbson_expansion_support)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestRows))
	{
		SupportRequestRows *rows = (SupportRequestRows *) request;

		/* a function of another extension may name this support function, too */
		if (is_funcclause(rows->node) && ((FuncExpr *) rows->node)->args != NIL)
		{
			Node	   *arg = (Node *) linitial(((FuncExpr *) rows->node)->args);

			if (rows->root != NULL)
				arg = estimate_expression_value(rows->root, arg);
			if (IsA(arg, Const) && PgBsonIsBsonOrDomain(((Const *) arg)->consttype))
			{
				rows->rows = count_elements((Const *) arg);
				PG_RETURN_POINTER(rows);
			}
		}
	}
	PG_RETURN_POINTER(NULL);
}
