/*
 * command_sql.c
 *	  bson_pipeline_sql, bson_find_sql and so on: the text of the SQL statement for a command of MongoDB.
 */
#include "door.h"

#include "core/bytes/recode.h"
#include "sql/mongo/statement.h"
#include "utils/builtins.h"

/* A bson argument, in *room; NULL if the argument is NULL */
static const PgBsonValue *
value_argument(FunctionCallInfo fcinfo, int argno, PgBsonValue *room)
{
	if (PG_ARGISNULL(argno))
		return NULL;
	*room = PgBsonRoot(PG_GETARG_PGBSON_PP(argno));
	return room;
}

/*
 * The result of these functions: the statement as a text.  Error 42725 if a call in it would be resolved to a function
 * that belongs neither to the server nor to this extension.
 */
static Datum
checked_text(FunctionCallInfo fcinfo, const char *statement)
{
	return PointerGetDatum(cstring_to_text(PgBsonStatementShort(fcinfo->flinfo->fn_oid, statement)));
}

/* SQL: bson_pipeline_sql(relation regclass, pipeline bson, column_name name [, let bson]) returns text */
PGBSON_FUNCTION(pgbson_pipeline_sql)
{
	PgBsonTarget target;
	PgBsonValue pipeline;
	const char *before;
	const char *after;
	const char *statement;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 2);
	pipeline = PgBsonRoot(PG_GETARG_PGBSON_PP(1));
	/* only the SELECT is checked; what makes a table, CREATE TABLE AS, is put around its text afterwards */
	statement = PgBsonStatementShort(fcinfo->flinfo->fn_oid,
									 PgBsonCommandPipeline(&target, &pipeline, &before, &after));
	PG_RETURN_TEXT_P(cstring_to_text(psprintf("%s%s%s", before, statement, after)));
}

/* An argument that is a number of documents; 0 if it is NULL */
static int64
count_argument(FunctionCallInfo fcinfo, int argno, const char *name)
{
	int64		count = PG_ARGISNULL(argno) ? 0 : PG_GETARG_INT64(argno);

	if (count < 0)
		PgBsonReportInvalid(errmsg("\"%s\" of a find must not be negative", name));
	return count;
}

/* SQL: bson_find_sql(relation, filter, projection, sort, skip, limit, column_name name[, let bson]) returns text */
PGBSON_FUNCTION(pgbson_find_sql)
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

/*
 * The worker of the functions for commands.  Their arguments are the table, "count" bson values, and the name of the
 * column.  If the table or one of the first "required" values is NULL, the result is NULL.
 */
static Datum
command_sql(FunctionCallInfo fcinfo, int count, int required, PgBsonCommand *function)
{
	PgBsonTarget target;
	PgBsonValue rooms[3];
	const PgBsonValue *arguments[3];

	for (int i = 0; i <= required; i++)
	{
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	}
	target = PgBsonTargetOf(fcinfo, count + 1);
	for (int i = 0; i < count; i++)
		arguments[i] = value_argument(fcinfo, i + 1, &rooms[i]);
	return checked_text(fcinfo, function(&target, arguments));
}

/*
 * SQL: bson_update_sql(relation, filter, update, options bson, column_name), bson_delete_sql(relation, filter,
 * options, column_name), bson_find_and_modify_sql(relation, command, column_name) and bson_count_sql(relation,
 * filter, column_name) return text
 */
PGBSON_DOOR(pgbson_update_sql, command_sql(fcinfo, 3, 3, PgBsonCommandUpdate));
PGBSON_DOOR(pgbson_delete_sql, command_sql(fcinfo, 2, 2, PgBsonCommandDelete));
PGBSON_DOOR(pgbson_find_and_modify_sql, command_sql(fcinfo, 1, 1, PgBsonCommandFindAndModify));
PGBSON_DOOR(pgbson_count_sql, command_sql(fcinfo, 1, 0, PgBsonCommandCount));

/* SQL: bson_distinct_sql(relation, filter bson, field text, column_name name DEFAULT NULL) returns text */
PGBSON_FUNCTION(pgbson_distinct_sql)
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

/* SQL: bson_create_index_sql(relation, spec bson, column_name name DEFAULT NULL) returns text, of several statements */
PGBSON_FUNCTION(pgbson_create_index_sql)
{
	PgBsonTarget target;
	PgBsonValue room;
	const PgBsonValue *spec;
	char	   *statements;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 2);
	spec = value_argument(fcinfo, 1, &room);
	statements = PgBsonCommandIndex(&target, &spec);
	if (statements == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(statements));
}
