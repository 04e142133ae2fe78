/*
 * pipeline_sql.c
 *	  Pipelines of MongoDB's aggregation as statements, and their results.
 */
#include "pgbson.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "pipeline/translate.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* Where the function's statement is to be run: the schema of the function itself is that of all others */
static PgBsonTarget
target_of(FunctionCallInfo fcinfo, int column_arg)
{
	PgBsonTarget target = {0};
	Oid		   *types;
	int			ntypes;

	if (fcinfo->flinfo == NULL)
		elog(ERROR, "a bson pipeline cannot be translated without a call site");
	target.schema = get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid));
	/* the second argument is a bson */
	(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, &ntypes);
	target.type = types[1];
	target.relation = PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0);
	target.column = PG_ARGISNULL(column_arg) ? NULL : pstrdup(NameStr(*PG_GETARG_NAME(column_arg)));
	return target;
}

/* An argument's value; NULL if it is not given */
static const PgBsonValue *
value_argument(FunctionCallInfo fcinfo, int argno, PgBsonValue *room)
{
	if (PG_ARGISNULL(argno))
		return NULL;
	*room = PgBsonRoot(PG_GETARG_PGBSON_PP(argno));
	return room;
}

/* SQL: bson_pipeline_sql(relation regclass, pipeline bson, column_name name DEFAULT NULL) returns text */
PG_FUNCTION_INFO_V1(pgbson_pipeline_sql);
Datum
pgbson_pipeline_sql(PG_FUNCTION_ARGS)
{
	PgBsonTarget target;
	PgBsonValue pipeline;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	target = target_of(fcinfo, 2);
	pipeline = PgBsonRoot(PG_GETARG_PGBSON_PP(1));
	PG_RETURN_TEXT_P(cstring_to_text(PgBsonTranslatePipeline(&target, &pipeline)));
}

/* A number of documents, 0 if it is not given */
static int64
count_argument(FunctionCallInfo fcinfo, int argno, const char *name)
{
	int64		count = PG_ARGISNULL(argno) ? 0 : PG_GETARG_INT64(argno);

	if (count < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" of a find must not be negative", name)));
	return count;
}

/* SQL: bson_find_sql(relation, filter, projection, sort bson, skip, limit bigint, column_name name) returns text */
PG_FUNCTION_INFO_V1(pgbson_find_sql);
Datum
pgbson_find_sql(PG_FUNCTION_ARGS)
{
	PgBsonTarget target;
	PgBsonValue filter;
	PgBsonValue projection;
	PgBsonValue sort;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	target = target_of(fcinfo, 6);
	PG_RETURN_TEXT_P(cstring_to_text(PgBsonTranslateFind(&target, value_argument(fcinfo, 1, &filter),
														 value_argument(fcinfo, 2, &projection),
														 value_argument(fcinfo, 3, &sort),
														 count_argument(fcinfo, 4, "skip"),
														 count_argument(fcinfo, 5, "limit"))));
}

/*
 * SQL: bson_aggregate(relation regclass, pipeline bson, column_name name DEFAULT NULL) returns setof bson
 *
 * The rows go from the executor into the result, which is on disk beyond work_mem.
 */
PG_FUNCTION_INFO_V1(pgbson_aggregate);
Datum
pgbson_aggregate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	SPIExecuteOptions options = {0};
	PgBsonTarget target;
	PgBsonValue pipeline;
	char	   *statement;
	int			code;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(1))
		return (Datum) 0;
	target = target_of(fcinfo, 2);
	pipeline = PgBsonRoot(PG_GETARG_PGBSON_PP(1));
	statement = PgBsonTranslatePipeline(&target, &pipeline);

	options.read_only = true;
	options.dest = CreateDestReceiver(DestTuplestore);
	SetTuplestoreDestReceiverParams(options.dest, rsinfo->setResult, rsinfo->econtext->ecxt_per_query_memory, false,
									NULL, NULL);
	SPI_connect();
	code = SPI_execute_extended(statement, &options);
	if (code != SPI_OK_SELECT)
		elog(ERROR, "the statement of a bson pipeline failed: %s", SPI_result_code_string(code));
	SPI_finish();
	options.dest->rDestroy(options.dest);
	return (Datum) 0;
}
