/*
 * eval.c
 *	  bson_eval: MongoDB's aggregation expressions.
 */
#include "pgbson.h"

#include "core/bytes/value.h"
#include "core/stored/reader.h"
#include "core/write/from_value.h"
#include "mongo/expr/expr.h"
#include "sql/site/compiled.h"

typedef struct EvalSite
{
	PgBsonCompiled compiled;
	PgBsonExpression *expression;
} EvalSite;

static void
compile_expression(PgBsonCompiled *compiled)
{
	EvalSite   *site = (EvalSite *) compiled;
	PgBsonValue root = PgBsonRootOf(compiled->args[0]);

	site->expression = PgBsonExpressionParse(&root);
}

/* SQL: bson_eval(doc bson, expression bson, variables bson DEFAULT NULL) returns bson; NULL where there is no value */
PG_FUNCTION_INFO_V1(pgbson_eval);
Datum
pgbson_eval(PG_FUNCTION_ARGS)
{
	static const int args[] = {1};
	const EvalSite *site;
	PgBsonValue root;
	PgBsonValue variables;
	PgBsonValue result;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	site = PgBsonCompiledSite(fcinfo, sizeof(EvalSite), args, lengthof(args), compile_expression);
	root = PgBsonRootOf(PgBsonReadWhole(PG_GETARG_DATUM(0)));
	if (!PG_ARGISNULL(2))
	{
		variables = PgBsonRoot(PG_GETARG_PGBSON_PP(2));
		if (variables.type != PGBSON_DOCUMENT)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("variables of a bson expression must be a document"),
					 errdetail("They are of type %s.", PgBsonTypeName(variables.type))));
	}
	result = PgBsonExpressionEvaluate(site->expression, &root, PG_ARGISNULL(2) ? NULL : &variables);
	if (result.type == PGBSON_MISSING)
		PG_RETURN_NULL();
	PgBsonCheckDepth(&result, 1);
	PG_RETURN_PGBSON_P(PgBsonFromValue(&result));
}
