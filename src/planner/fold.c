/*
 * fold.c
 *	  The planner support function of bson_build_object and bson_build_array: a
 *	  call is a constant if its arguments are constants of types whose
 *	  conversion depends on no setting.
 *
 * These functions are STABLE, because they take values of any type, and a
 * type's output may depend on settings.  The planner replaces a call with
 * harmless constants by a constant, so that an index, a partition or a shard
 * can be found by it.
 */
#include "door.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/planmain.h"
#include "planner/chain.h"
#include "utils/lsyscache.h"

/* Does a value of this type convert to the same bson under all settings? */
static bool
converts_alike(Oid type, Oid bsontype)
{
	Oid			element = get_base_element_type(type);

	switch (getBaseType(OidIsValid(element) ? element : type))
	{
		case BOOLOID:
		case BPCHAROID:
		case BYTEAOID:
		case DATEOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case JSONBOID:
		case JSONOID:
		case NAMEOID:
		case NUMERICOID:
		case OIDOID:
		case TEXTOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case UNKNOWNOID:
		case UUIDOID:
		case VARCHAROID:
			return true;
		default:
			return type == bsontype;
	}
}

/* Is the function bson_build_object or bson_build_array of ours?  Any function can name this support function. */
static bool
builds_bson(FuncExpr *call)
{
	char	   *name = get_func_name(call->funcid);

	return name != NULL && !call->funcretset &&
		(strcmp(name, "bson_build_object") == 0 || strcmp(name, "bson_build_array") == 0);
}

static bool
all_harmless_constants(FuncExpr *call)
{
	foreach_ptr(Node, arg, call->args)
	{
		if (!IsA(arg, Const) || !converts_alike(exprType(arg), call->funcresulttype))
			return false;
	}
	return call->args != NIL;
}

/* SQL: bson_build_support(internal) returns internal */
PGBSON_FUNCTION(pgbson_build_support)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestSimplify))
	{
		PlannerInfo *root = ((SupportRequestSimplify *) request)->root;
		FuncExpr   *call = ((SupportRequestSimplify *) request)->fcall;

		if (builds_bson(call) && all_harmless_constants(call))
		{
			/* so that GRANT and REVOKE make a new plan */
			if (root != NULL)
				record_plan_function_dependency(root, call->funcid);
			if (!PgBsonIsPublic(call->funcid))
				PG_RETURN_POINTER(NULL);
			PG_RETURN_POINTER(evaluate_expr((Expr *) copyObject(call), call->funcresulttype, -1, call->funccollid));
		}
	}
	PG_RETURN_POINTER(NULL);
}
