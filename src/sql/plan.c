/*
 * plan.c
 *	  What the planner is told: chains of accessors as one walk, and how many
 *	  rows an expansion returns.
 *
 * d -> 'a' -> 3 ->> 'b' would copy a container per step.  The support function
 * of the accessors turns it into bson_walk_text(d, 'a', 3, 'b'): the steps are
 * the arguments, their types (text, int4, text[]) say of which kind each is,
 * so the meaning stays.  It is the support function of the casts, too:
 * (d -> 'a')::int becomes bson_walk_to_int4(d, 'a'), and no bson is made that
 * is read but once.  Views and dumps keep what the user wrote, as this happens
 * in the planner; an index on such an expression still matches, as index
 * expressions are simplified alike.
 */
#include "pgbson.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "core/view.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* Is this function an accessor of ours?  They share their support function. */
static bool
is_accessor(Oid funcid, Oid support)
{
	return OidIsValid(funcid) && get_func_support(funcid) == support;
}

/* A call's function and arguments, whether written as operator or function */
static bool
call_of(Node *node, Oid *funcid, List **args)
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

/* May these arguments be steps of a walk?  A path must be known, lest its errors move. */
static bool
are_steps(List *args)
{
	ListCell   *lc;

	for_each_from(lc, args, 1)
	{
		Node	   *arg = (Node *) lfirst(lc);
		Const	   *path = (Const *) arg;

		switch (exprType(arg))
		{
			case TEXTOID:
			case INT4OID:
				break;
			case TEXTARRAYOID:
				if (!IsA(arg, Const) || path->constisnull ||
					ARR_NDIM(DatumGetArrayTypeP(path->constvalue)) > 1)
					return false;
				break;
			default:
				return false;
		}
	}
	return true;
}

/*
 * The walk that ends as this function does, in its schema.  What has no steps
 * of its own, as the casts, has one of its name: of bson_to_int4 it is
 * bson_walk_to_int4.
 */
static Oid
walk_function(Oid function, bool has_steps, Oid bsontype, Oid rettype)
{
	Oid			argtypes[2] = {bsontype, ANYOID};
	char	   *own = get_func_name(function);
	const char *name;

	if (own == NULL)
		return InvalidOid;
	if (has_steps)
		name = rettype == TEXTOID ? "bson_walk_text"
			: rettype == INT4OID ? "bson_walk_int4"
			: rettype == BOOLOID ? "bson_walk_bool"
			: "bson_walk";
	else if (strncmp(own, "bson_", 5) == 0)
		name = psprintf("bson_walk_%s", own + 5);
	else
		return InvalidOid;
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
						   CStringGetDatum(name),
						   PointerGetDatum(buildoidvector(argtypes, 2)),
						   ObjectIdGetDatum(get_func_namespace(function)));
}

/*
 * f(accessor(x, steps), steps): one walk from x; else NULL.  The outer one is
 * an accessor, or a function of nothing but the value: a cast, or
 * bson_array_length.
 */
static Node *
collapse(FuncExpr *call)
{
	Oid			support = get_func_support(call->funcid);
	Node	   *first = (Node *) linitial(call->args);
	Oid			inner;
	List	   *inner_args;
	Oid			walk;

	if (!call_of((Node *) call, &inner, &inner_args) || !are_steps(call->args))
		return NULL;
	if (!call_of(first, &inner, &inner_args) ||
		!is_accessor(inner, support) || !are_steps(inner_args))
		return NULL;

	/* pg_proc knows no more arguments than that */
	if (list_length(inner_args) + list_length(call->args) - 1 > FUNC_MAX_ARGS)
		return NULL;

	walk = walk_function(call->funcid, list_length(call->args) > 1, exprType((Node *) linitial(inner_args)),
						 call->funcresulttype);
	if (!OidIsValid(walk))
		return NULL;
	return (Node *) makeFuncExpr(walk, call->funcresulttype,
								 list_concat(list_copy(inner_args),
											 list_copy_tail(call->args, 1)),
								 call->funccollid, call->inputcollid,
								 COERCE_EXPLICIT_CALL);
}

/* SQL: bson_accessor_support(internal) returns internal */
PG_FUNCTION_INFO_V1(pgbson_accessor_support);
Datum
pgbson_accessor_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(collapse(((SupportRequestSimplify *) request)->fcall));
	PG_RETURN_POINTER(NULL);
}

/*
 * SQL: bson_walk_support(internal) returns internal
 *
 * A walk to a cast that comes as text, as from postgres_fdw, has the collation
 * of its keys, which it does not use; one that collapse() made has none.
 * Without it an index on the cast matches both.
 */
PG_FUNCTION_INFO_V1(pgbson_walk_support);
Datum
pgbson_walk_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestSimplify))
	{
		FuncExpr   *call = ((SupportRequestSimplify *) request)->fcall;

		if (OidIsValid(call->inputcollid))
		{
			call = copyObject(call);
			call->inputcollid = InvalidOid;
			PG_RETURN_POINTER(call);
		}
	}
	PG_RETURN_POINTER(NULL);
}

/* Elements of a known document or array; of a scalar, which is an error later, one */
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
PG_FUNCTION_INFO_V1(pgbson_expansion_support);
Datum
pgbson_expansion_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestRows))
	{
		SupportRequestRows *rows = (SupportRequestRows *) request;

		if (is_funcclause(rows->node))
		{
			Node	   *arg = (Node *) linitial(((FuncExpr *) rows->node)->args);

			if (rows->root != NULL)
				arg = estimate_expression_value(rows->root, arg);
			if (IsA(arg, Const))
			{
				rows->rows = count_elements((Const *) arg);
				PG_RETURN_POINTER(rows);
			}
		}
	}
	PG_RETURN_POINTER(NULL);
}
