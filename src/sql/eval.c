/*
 * eval.c
 *	  bson_eval: MongoDB's aggregation expressions.
 */
#include "pgbson.h"

#include "core/build.h"
#include "core/fetch.h"
#include "core/value.h"
#include "mongo/expr.h"

/* What a call site remembers: the expression it made ready last */
typedef struct EvalSite
{
	MemoryContext context;		/* of all this */
	PgBson	   *bytes;			/* the expression; NULL: none yet */
	PgBsonExpression *expression;
} EvalSite;

static EvalSite *
eval_site(FmgrInfo *flinfo)
{
	EvalSite   *site = (EvalSite *) flinfo->fn_extra;

	if (site == NULL)
	{
		site = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(EvalSite));
		site->context = AllocSetContextCreate(flinfo->fn_mcxt, "bson expression", ALLOCSET_SMALL_SIZES);
		flinfo->fn_extra = site;
	}
	return site;
}

/* The expression, made ready unless it is the one of the last call */
static const PgBsonExpression *
ready_expression(FmgrInfo *flinfo, const PgBson *bytes)
{
	PgBsonView	view = PgBsonViewOf(bytes);
	PgBsonValue root = PgBsonRootOf(view);
	EvalSite   *site;
	MemoryContext old;
	PgBson	   *copy;

	if (flinfo == NULL)
		return PgBsonExpressionParse(&root);

	site = eval_site(flinfo);
	if (site->bytes != NULL && VARSIZE(site->bytes) - VARHDRSZ == view.len &&
		memcmp(VARDATA(site->bytes), view.data, view.len) == 0)
		return site->expression;

	site->bytes = NULL;
	MemoryContextReset(site->context);
	old = MemoryContextSwitchTo(site->context);
	copy = PgBsonFromBytes(view.data, view.len);
	root = PgBsonRoot(copy);
	site->expression = PgBsonExpressionParse(&root);
	MemoryContextSwitchTo(old);
	/* known by its bytes only when all went well */
	site->bytes = copy;
	return site->expression;
}

/* SQL: bson_eval(doc bson, expression bson, variables bson DEFAULT NULL) returns bson; NULL where there is no value */
PG_FUNCTION_INFO_V1(pgbson_eval);
Datum
pgbson_eval(PG_FUNCTION_ARGS)
{
	const PgBsonExpression *expression;
	PgBsonValue root;
	PgBsonValue variables;
	PgBsonValue result;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	expression = ready_expression(fcinfo->flinfo, PG_GETARG_PGBSON_PP(1));
	root = PgBsonRootOf(PgBsonFetchWhole(PG_GETARG_DATUM(0)));
	if (!PG_ARGISNULL(2))
	{
		variables = PgBsonRoot(PG_GETARG_PGBSON_PP(2));
		if (variables.type != PGBSON_DOCUMENT)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("variables of a bson expression must be a document"),
					 errdetail("They are of type %s.", PgBsonTypeName(variables.type))));
	}
	result = PgBsonExpressionEvaluate(expression, &root, PG_ARGISNULL(2) ? NULL : &variables);
	if (result.type == PGBSON_MISSING)
		PG_RETURN_NULL();
	PgBsonCheckDepth(&result, 1);
	PG_RETURN_PGBSON_P(PgBsonFromValue(&result));
}
