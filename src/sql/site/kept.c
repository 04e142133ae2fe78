/*
 * kept.c
 *	  What call sites remember, and arguments that are the same from call to call.
 */
#include "sql/site/kept.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "core/stored/detoast.h"
#include "nodes/primnodes.h"

/*
 * The credit that a site begins with, the most that it can have, and what a change of an argument
 * costs.  A site without credit keeps nothing any more.
 */
#define FIRST_CREDIT	64
#define MOST_CREDIT		256
#define CHANGE			16

int			PgBsonCallLocation = -1;

/* The expression of an argument; NULL if it is not known */
static Node *
arg_node(FunctionCallInfo fcinfo, int argno)
{
	Node	   *call = fcinfo->flinfo == NULL ? NULL : fcinfo->flinfo->fn_expr;
	Aggref	   *aggregate = AggGetAggref(fcinfo);
	List	   *args;

	/*
	 * The call of a transition function has the state first, and of what is aggregated only the types.  So the
	 * arguments of the aggregate itself are looked at.  But the values of an aggregate with ORDER BY or DISTINCT are
	 * in the memory of a sort, constants too, and the final function of an ordered-set aggregate has other arguments.
	 */
	if (aggregate != NULL && aggregate->aggkind == AGGKIND_NORMAL && aggregate->aggorder == NIL &&
		aggregate->aggdistinct == NIL)
		return argno == 0 || argno > list_length(aggregate->args) ? NULL :
			(Node *) list_nth_node(TargetEntry, aggregate->args, argno - 1)->expr;
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
PgBsonArgIsConst(FunctionCallInfo fcinfo, int argno)
{
	Node	   *arg = arg_node(fcinfo, argno);

	return arg != NULL && IsA(arg, Const);
}

/* Is the argument a parameter, which mostly has the same value at each call? */
static bool
is_param(FunctionCallInfo fcinfo, int argno)
{
	Node	   *arg = arg_node(fcinfo, argno);

	/* a parameter of type varchar, taken as text */
	if (arg != NULL && IsA(arg, RelabelType))
		arg = (Node *) ((RelabelType *) arg)->arg;
	return arg != NULL && IsA(arg, Param);
}

bool
PgBsonKeptArgsAreSame(PgBsonKept *kept, FunctionCallInfo fcinfo)
{
	for (int i = 0; i < kept->nargs; i++)
	{
		PgBsonKeptArg *arg = &kept->args[i];
		struct varlena *held = (struct varlena *) DatumGetPointer(arg->value);
		struct varlena *given;

		if (PG_ARGISNULL(arg->argno) != arg->is_null)
			return false;
		if (arg->is_null)
			continue;
		if (arg->is_int)
		{
			if (DatumGetInt32(arg->value) != PG_GETARG_INT32(arg->argno))
				return false;
			continue;
		}
		given = PgBsonDetoastPacked((struct varlena *) PG_GETARG_POINTER(arg->argno));
		if (VARSIZE_ANY_EXHDR(given) != VARSIZE_ANY_EXHDR(held) ||
			memcmp(VARDATA_ANY(given), VARDATA_ANY(held), VARSIZE_ANY_EXHDR(held)) != 0)
			return false;
	}
	kept->credit = Min(kept->credit + 1, MOST_CREDIT);
	return true;
}

/* Find out which arguments are constants, and whether what is made of the others can be kept */
static void
look(PgBsonKept *kept, FunctionCallInfo fcinfo, int first, int count)
{
	kept->looked = true;
	for (int i = first; i < first + count; i++)
	{
		if (PgBsonArgIsConst(fcinfo, i))
			continue;
		kept->nargs++;
		if (!kept->always && !is_param(fcinfo, i))
			kept->never = true;
	}
	if (kept->never)
		kept->nargs = 0;
	kept->credit = FIRST_CREDIT;
	kept->context = fcinfo->flinfo->fn_mcxt;
}

/* Copy the arguments that are not constants; false if one is NULL and the result is only for other values */
static bool
copy_args(PgBsonKept *kept, FunctionCallInfo fcinfo, int first, int count)
{
	PgBsonKeptArg *arg = palloc0_array(PgBsonKeptArg, kept->nargs);

	kept->args = arg;
	for (int i = first; i < first + count; i++)
	{
		if (PG_ARGISNULL(i) && !kept->always)
			return false;
		if (PgBsonArgIsConst(fcinfo, i))
			continue;
		arg->argno = i;
		arg->is_null = PG_ARGISNULL(i);
		arg->is_int = get_fn_expr_argtype(fcinfo->flinfo, i) == INT4OID;
		arg->value = PG_GETARG_DATUM(i);
		if (!arg->is_int && !arg->is_null)
			arg->value = PointerGetDatum(PgBsonDetoastCopy((struct varlena *) PG_GETARG_POINTER(i)));
		arg++;
	}
	return true;
}

/* Prepare for keeping a result from now on, and forget the one before; false if it is not to be kept */
static bool
begin_keeping(PgBsonKept *kept, FunctionCallInfo fcinfo, int first, int count)
{
	if (!kept->looked)
	{
		look(kept, fcinfo, first, count);
		/* a result of parameters is kept from the second call on: a site that is called once would not profit */
		if (kept->never || (kept->nargs > 0 && !kept->always))
			return false;
	}
	if (kept->nargs == 0 && !kept->always)
		return true;

	kept->made = false;
	if (kept->context == fcinfo->flinfo->fn_mcxt)
		kept->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "bson parameters", ALLOCSET_SMALL_SIZES);
	MemoryContextReset(kept->context);
	kept->credit -= CHANGE;
	kept->never = kept->credit <= 0 && !kept->always;
	return !kept->never;
}

pg_noinline bool
PgBsonKeepAnew(PgBsonKept *kept, FunctionCallInfo fcinfo, int first, int count, PgBsonKeeper make)
{
	MemoryContext old;
	bool		copied;

	if (!begin_keeping(kept, fcinfo, first, count))
		return false;
	old = MemoryContextSwitchTo(kept->context);
	copied = kept->nargs == 0 || copy_args(kept, fcinfo, first, count);
	if (copied)
		make(fcinfo, kept);
	MemoryContextSwitchTo(old);
	/* set only after everything has succeeded */
	kept->made = copied;
	return copied;
}

void
PgBsonLocateCall(FunctionCallInfo fcinfo)
{
	const Aggref *aggregate = AggGetAggref(fcinfo);
	const Node *call = fcinfo->flinfo->fn_expr;

	if (aggregate != NULL)
		PgBsonCallLocation = aggregate->location;
	else if (call != NULL && IsA(call, FuncExpr))
		PgBsonCallLocation = ((const FuncExpr *) call)->location;
	else
		PgBsonCallLocation = call != NULL && IsA(call, OpExpr) ? ((const OpExpr *) call)->location : -1;
}

pg_noinline void *
PgBsonKeepAlways(FunctionCallInfo fcinfo, Size size, int first, int count, PgBsonKeeper make)
{
	PgBsonKept *kept = PgBsonSite(fcinfo->flinfo, size);

	if (kept == NULL)
	{
		kept = palloc0(size);
		make(fcinfo, kept);
		return kept;
	}
	kept->always = true;
	PgBsonLocateCall(fcinfo);
	kept->location = PgBsonCallLocation;
	(void) PgBsonKeepAnew(kept, fcinfo, first, Min(count, PG_NARGS() - first), make);
	return kept;
}

PgBsonValue
PgBsonKeptValue(FunctionCallInfo fcinfo, const void *site, int argno)
{
	const PgBsonKept *kept = site;
	PgBsonValue none = {PGBSON_EOD, 0, NULL};

	if (argno >= PG_NARGS() || PG_ARGISNULL(argno))
		return none;
	for (int i = 0; i < kept->nargs; i++)
	{
		if (kept->args[i].argno == argno)
			return PgBsonRoot((PgBson *) DatumGetPointer(kept->args[i].value));
	}
	return PgBsonRoot(PG_GETARG_PGBSON_P_COPY(argno));
}

static void
keep_steps(FunctionCallInfo fcinfo, void *call_site)
{
	PgBsonGetSite *site = call_site;

	site->steps = (PgBsonSteps) {0, false, &site->room};
	/* constants live as long as the site */
	site->make(fcinfo, site->kept.nargs > 0, &site->steps);
}

pg_noinline bool
PgBsonFindAnew(FunctionCallInfo fcinfo, PgBsonGetSite *site, int argno, PgBsonMakeSteps make, PgBsonValue *result)
{
	PgBsonStep	room;
	PgBsonSteps steps = {0, false, &room};

	if (site == NULL)
		site = PgBsonSite(fcinfo->flinfo, sizeof(PgBsonGetSite));
	if (site != NULL)
		site->make = make;
	/* steps with a NULL are kept, too: made anew for each row, those of constants would pile up */
	if (PgBsonKeep(site, fcinfo, argno + 1, PG_NARGS() - argno - 1, keep_steps))
		steps = site->steps;
	else
		make(fcinfo, false, &steps);
	return !steps.has_null &&
		PgBsonFetchPath(PG_GETARG_DATUM(argno), steps.steps, steps.count, site == NULL ? NULL : &site->hint, result);
}

static void
make_names(FunctionCallInfo fcinfo, bool copy, PgBsonSteps *steps)
{
	int			argno = PG_NARGS() - 1;

	*steps = PgBsonStepsFromArray(copy ? PG_GETARG_ARRAYTYPE_P_COPY(argno) : PG_GETARG_ARRAYTYPE_P(argno));
	for (int i = 0; i < steps->count; i++)
		steps->steps[i].kind = PGBSON_STEP_KEY;
}

PgBsonValue
PgBsonFindNames(FunctionCallInfo fcinfo, PgBsonGetSite *site)
{
	int			argno = PG_NARGS() - 2;
	PgBsonValue value;

	if (PG_ARGISNULL(argno) || PG_ARGISNULL(argno + 1) || !PgBsonFindSteps(fcinfo, site, argno, make_names, &value))
		return PgBsonNull;
	return PgBsonCopyFresh(&value);
}
