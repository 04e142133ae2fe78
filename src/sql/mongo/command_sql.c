/*
 * command_sql.c
 *	  Pipelines, finds and other commands of MongoDB as statements.
 */
#include "door.h"

#include "core/bytes/recode.h"
#include "pipeline/command.h"
#include "sql/mongo/statement.h"
#include "utils/builtins.h"

/* A bson argument; NULL if it is not given */
static const PgBsonValue *
value_argument(FunctionCallInfo fcinfo, int argno, PgBsonValue *room)
{
	if (PG_ARGISNULL(argno))
		return NULL;
	*room = PgBsonRoot(PG_GETARG_PGBSON_PP(argno));
	return room;
}

/* A statement as text, if it would call nothing foreign now */
static Datum
checked_text(FunctionCallInfo fcinfo, char *statement)
{
	(void) PgBsonStatementAnalyze(fcinfo->flinfo->fn_oid, statement);
	return PointerGetDatum(cstring_to_text(statement));
}

/* SQL: bson_pipeline_sql(relation regclass, pipeline bson, column_name name DEFAULT NULL) returns text */
PG_FUNCTION_INFO_V1(pgbson_pipeline_sql);
Datum
pgbson_pipeline_sql(PG_FUNCTION_ARGS)
{
	PgBsonTarget target;
	PgBsonValue pipeline;
	const char *head;
	const char *tail;
	char	   *statement;
	char	   *whole;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 2);
	pipeline = PgBsonRoot(PG_GETARG_PGBSON_PP(1));
	statement = PgBsonCommandPipeline(&target, &pipeline, &head, &tail);
	if (head == NULL)
		return checked_text(fcinfo, statement);
	whole = psprintf("%s%s%s", head, statement, tail);
	/* what CREATE TABLE AS contains is not analyzed with it */
	(void) PgBsonStatementAnalyze(fcinfo->flinfo->fn_oid, statement);
	return checked_text(fcinfo, whole);
}

/* A number of documents, 0 if it is not given */
static int64
count_argument(FunctionCallInfo fcinfo, int argno, const char *name)
{
	int64		count = PG_ARGISNULL(argno) ? 0 : PG_GETARG_INT64(argno);

	if (count < 0)
		PgBsonReportInvalid(errmsg("\"%s\" of a find must not be negative", name));
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
	char	   *statement;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 6);
	statement = PgBsonTranslateFind(&target, value_argument(fcinfo, 1, &filter), value_argument(fcinfo, 2, &projection),
									value_argument(fcinfo, 3, &sort), count_argument(fcinfo, 4, "skip"),
									count_argument(fcinfo, 5, "limit"));
	return checked_text(fcinfo, statement);
}

/* SQL: bson_update_sql(relation, filter, update, options bson DEFAULT '{}', column_name name DEFAULT NULL) returns text */
PG_FUNCTION_INFO_V1(pgbson_update_sql);
Datum
pgbson_update_sql(PG_FUNCTION_ARGS)
{
	PgBsonTarget target;
	PgBsonValue rooms[3];

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 4);
	return checked_text(fcinfo, PgBsonCommandUpdate(&target, value_argument(fcinfo, 1, &rooms[0]), value_argument(fcinfo, 2, &rooms[1]),
													value_argument(fcinfo, 3, &rooms[2])));
}

/* SQL: bson_delete_sql(relation, filter, options bson DEFAULT '{}', column_name name DEFAULT NULL) returns text */
PG_FUNCTION_INFO_V1(pgbson_delete_sql);
Datum
pgbson_delete_sql(PG_FUNCTION_ARGS)
{
	PgBsonTarget target;
	PgBsonValue rooms[2];

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 3);
	return checked_text(fcinfo, PgBsonCommandDelete(&target, value_argument(fcinfo, 1, &rooms[0]), value_argument(fcinfo, 2, &rooms[1])));
}

/* SQL: bson_find_and_modify_sql(relation, command bson, column_name name DEFAULT NULL) returns text */
PG_FUNCTION_INFO_V1(pgbson_find_and_modify_sql);
Datum
pgbson_find_and_modify_sql(PG_FUNCTION_ARGS)
{
	PgBsonTarget target;
	PgBsonValue room;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 2);
	return checked_text(fcinfo, PgBsonCommandFindAndModify(&target, value_argument(fcinfo, 1, &room)));
}

/* SQL: bson_distinct_sql(relation, filter bson, field text, column_name name DEFAULT NULL) returns text */
PG_FUNCTION_INFO_V1(pgbson_distinct_sql);
Datum
pgbson_distinct_sql(PG_FUNCTION_ARGS)
{
	PgBsonTarget target;
	PgBsonValue room;
	const char *field;
	uint32		len;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 3);
	len = VARSIZE_ANY_EXHDR(PG_GETARG_TEXT_PP(2));
	field = PgBsonFromServerText(VARDATA_ANY(PG_GETARG_TEXT_PP(2)), &len);
	return checked_text(fcinfo, PgBsonCommandDistinct(&target, field, len, value_argument(fcinfo, 1, &room)));
}

/* SQL: bson_count_sql(relation, filter bson DEFAULT NULL, column_name name DEFAULT NULL) returns text */
PG_FUNCTION_INFO_V1(pgbson_count_sql);
Datum
pgbson_count_sql(PG_FUNCTION_ARGS)
{
	PgBsonTarget target;
	PgBsonValue room;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 2);
	return checked_text(fcinfo, PgBsonCommandCount(&target, value_argument(fcinfo, 1, &room)));
}
