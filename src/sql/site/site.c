/*
 * site.c
 *	  The arguments of a call site: which stay the same, and path steps of them.
 */
#include "sql/site/site.h"

#include "catalog/pg_type.h"
#include "nodes/primnodes.h"

/* The expression of an argument; NULL if it is not known */
static Node *
arg_node(const FmgrInfo *flinfo, int argno)
{
	Node	   *call = flinfo == NULL ? NULL : flinfo->fn_expr;
	List	   *args;

	if (call == NULL)
		return NULL;
	if (IsA(call, FuncExpr))
		args = ((FuncExpr *) call)->args;
	else if (IsA(call, OpExpr))
		args = ((OpExpr *) call)->args;
	else
		return NULL;
	return argno < list_length(args) ? list_nth(args, argno) : NULL;
}

bool
PgBsonArgIsConst(const FmgrInfo *flinfo, int argno)
{
	Node	   *arg = arg_node(flinfo, argno);

	return arg != NULL && IsA(arg, Const);
}

bool
PgBsonArgIsParam(const FmgrInfo *flinfo, int argno)
{
	Node	   *arg = arg_node(flinfo, argno);

	/* varchar as text */
	if (arg != NULL && IsA(arg, RelabelType))
		arg = (Node *) ((RelabelType *) arg)->arg;
	return arg != NULL && IsA(arg, Param);
}

static void
add_step(PgBsonSteps *steps, PgBsonStep step, bool copy)
{
	if (copy && step.key != NULL)
		step.key = pnstrdup(step.key, step.key_len);
	steps->steps[steps->count++] = step;
}

PgBsonSteps
PgBsonStepsFromArgs(FunctionCallInfo fcinfo, int first, bool copy)
{
	PgBsonSteps result = {0, false, NULL};
	PgBsonSteps *paths = NULL;	/* of the arguments that are text[] */
	Oid			types[FUNC_MAX_ARGS];
	int			count = 0;

	for (int i = first; i < PG_NARGS(); i++)
	{
		types[i] = get_fn_expr_argtype(fcinfo->flinfo, i);
		if (types[i] != TEXTARRAYOID)
		{
			count++;
			continue;
		}
		if (paths == NULL)
			paths = palloc_array(PgBsonSteps, PG_NARGS());
		paths[i] = PgBsonStepsFromArray(PG_GETARG_ARRAYTYPE_P(i));
		count += paths[i].count;
	}

	result.steps = palloc_array(PgBsonStep, Max(count, 1));
	for (int i = first; i < PG_NARGS(); i++)
	{
		Oid			type = types[i];

		if (type == INT4OID)
			add_step(&result, PgBsonStepFromIndex(PG_GETARG_INT32(i)), false);
		else if (type == TEXTOID)
			add_step(&result, PgBsonStepFromText(PG_GETARG_TEXT_PP(i), PGBSON_STEP_KEY), copy);
		else if (type == TEXTARRAYOID && paths[i].has_null)
			result.has_null = true;
		else if (type == TEXTARRAYOID)
		{
			for (int j = 0; j < paths[i].count; j++)
				add_step(&result, paths[i].steps[j], copy);
		}
		else
			PgBsonReportInvalid(errmsg("a step into a bson value must be of type text, integer or text[]"));
	}
	if (paths != NULL)
		pfree(paths);
	return result;
}
