/*
 * kept.c
 *	  Arguments that are the same from call to call.
 */
#include "sql/site/kept.h"

#include "catalog/pg_type.h"
#include "sql/site/args.h"
#include "utils/memutils.h"

/* The credit that a site begins with, the most that it has, and what each change of a parameter costs; without credit nothing is kept any more */
#define FIRST_CREDIT	64
#define MOST_CREDIT		256
#define CHANGE			16

bool
PgBsonKeptParamsAreSame(PgBsonKept *kept, FunctionCallInfo fcinfo)
{
	for (int i = 0; i < kept->nparams; i++)
	{
		PgBsonKeptParam *param = &kept->params[i];
		struct varlena *held = (struct varlena *) DatumGetPointer(param->value);
		struct varlena *given;

		if (PG_ARGISNULL(param->argno))
			return false;
		if (param->is_int)
		{
			if (DatumGetInt32(param->value) != PG_GETARG_INT32(param->argno))
				return false;
			continue;
		}
		given = PgBsonDetoastPacked((struct varlena *) PG_GETARG_POINTER(param->argno));
		if (VARSIZE_ANY_EXHDR(given) != VARSIZE_ANY_EXHDR(held) ||
			memcmp(VARDATA_ANY(given), VARDATA_ANY(held), VARSIZE_ANY_EXHDR(held)) != 0)
			return false;
	}
	kept->credit = Min(kept->credit + 1, MOST_CREDIT);
	return true;
}

/* Are the arguments constants and parameters, and how many are parameters? */
static void
look(PgBsonKept *kept, FunctionCallInfo fcinfo, int first, int count)
{
	kept->looked = true;
	for (int i = first; i < first + count; i++)
	{
		if (PgBsonArgIsParam(fcinfo->flinfo, i))
			kept->nparams++;
		else if (!PgBsonArgIsConst(fcinfo->flinfo, i))
			kept->never = true;
	}
	if (kept->never)
		kept->nparams = 0;
	kept->credit = FIRST_CREDIT;
}

/* Copy the parameters; false if one is NULL */
static bool
copy_params(PgBsonKept *kept, FunctionCallInfo fcinfo, int first, int count)
{
	PgBsonKeptParam *param = palloc_array(PgBsonKeptParam, kept->nparams);

	kept->params = param;
	for (int i = first; i < first + count; i++)
	{
		if (PG_ARGISNULL(i))
			return false;
		if (!PgBsonArgIsParam(fcinfo->flinfo, i))
			continue;
		param->argno = i;
		param->is_int = get_fn_expr_argtype(fcinfo->flinfo, i) == INT4OID;
		param->value = PG_GETARG_DATUM(i);
		if (!param->is_int)
			param->value = PointerGetDatum(PgBsonDetoastCopy((struct varlena *) PG_GETARG_POINTER(i)));
		param++;
	}
	return true;
}

/* Is what is made of the arguments to be kept from now on?  What was kept before is gone. */
static bool
begin_keeping(PgBsonKept *kept, FunctionCallInfo fcinfo, int first, int count)
{
	MemoryContext old;
	bool		copied;

	if (!kept->looked)
	{
		look(kept, fcinfo, first, count);
		kept->context = fcinfo->flinfo->fn_mcxt;
		/* to keep anything of parameters would not pay for a site that is called once */
		return !kept->never && kept->nparams == 0;
	}
	if (kept->nparams == 0)
		return true;

	kept->made = false;
	if (kept->context == fcinfo->flinfo->fn_mcxt)
		kept->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "bson parameters", ALLOCSET_SMALL_SIZES);
	MemoryContextReset(kept->context);
	kept->credit -= CHANGE;
	kept->never = kept->credit <= 0;
	if (kept->never)
		return false;
	old = MemoryContextSwitchTo(kept->context);
	copied = copy_params(kept, fcinfo, first, count);
	MemoryContextSwitchTo(old);
	return copied;
}

pg_noinline bool
PgBsonKeepAnew(PgBsonKept *kept, FunctionCallInfo fcinfo, int first, int count, PgBsonKeeper make)
{
	MemoryContext old;

	if (!begin_keeping(kept, fcinfo, first, count))
		return false;
	old = MemoryContextSwitchTo(kept->context);
	make(fcinfo, kept);
	MemoryContextSwitchTo(old);
	/* only after all has succeeded */
	kept->made = true;
	return true;
}
