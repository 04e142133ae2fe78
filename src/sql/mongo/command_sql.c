/*
 * command_sql.c
 *	  bson_pipeline_sql, bson_find_sql and so on: the text of the SQL statement for a command of MongoDB.
 */
#include "door.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "core/bytes/recode.h"
#include "core/write/from_value.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "pipeline/parse/stage.h"
#include "pipeline/tree/shape.h"
#include "sql/mongo/statement.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* Is the first argument no table: NULL, or the OID 0? */
static bool
no_table(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(0) || !OidIsValid(PG_GETARG_OID(0));
}

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

static Datum
integers(const List *numbers)
{
	Datum	   *elements = palloc_array(Datum, list_length(numbers) + 1);

	foreach_int(number, numbers)
		elements[foreach_current_index(number)] = Int32GetDatum(number);
	return PointerGetDatum(construct_array(elements, list_length(numbers), INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

/* The statement for a shape that was made last: when its transaction began, and the indexes of its table */
static TimestampTz made_at;
static int64 made_signature;

/*
 * The result of the functions for shapes: the statement, with all schemas, as it may be run under another search_path;
 * what its parameters are, or NULL if it is for once; and which values are constants
 */
static Datum
checked_shape(FunctionCallInfo fcinfo, const char *statement, const PgBsonTarget *target)
{
	const PgBsonShape *shape = target->shape;
	TupleDesc	desc;
	Datum		values[3];
	bool		nulls[3] = {false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE || desc->natts != lengthof(values))
		elog(ERROR, "a function for shapes of bson commands returns another type");
	PgBsonStatementCheck(fcinfo->flinfo->fn_oid, statement, list_length(shape->places), target->type);
	made_at = GetCurrentTransactionStartTimestamp();
	made_signature = PgBsonIndexesSignature(target->relation);
	values[0] = PointerGetDatum(cstring_to_text(statement));
	values[1] = integers(shape->places);
	nulls[1] = shape->once;
	values[2] = integers(shape->constants);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

/*
 * SQL: bson_shape_holds(relation regclass, signature bigint) returns boolean, which is true
 *
 * What a transaction with one snapshot has made is right to its end: all that the snapshot sees met the CHECKs of that
 * time.  And it could not be made again, as the error ends the transaction.  One that was made before, of
 * other indexes, is refused all the same.
 */
PGBSON_FUNCTION(pgbson_shape_holds)
{
	Oid			relation = PG_GETARG_OID(0);
	const char *name = get_rel_name(relation);

	if (PgBsonIndexesSignature(relation) != PG_GETARG_INT64(1) &&
		!(IsolationUsesXactSnapshot() && made_at == GetCurrentTransactionStartTimestamp() &&
		  made_signature == PG_GETARG_INT64(1)))
		PgBsonReport(ERRCODE_INVALID_SQL_STATEMENT_NAME,
					 errmsg("the indexes of table \"%s\" have changed since this statement was made", name == NULL ? psprintf("%u", relation) : name),
					 errhint("Make the statement again."));
	PG_RETURN_BOOL(true);
}

/*
 * SQL: bson_shape_support(internal) returns internal
 *
 * The planner's support function of bson_shape_holds.  The server plans a statement again when the table's indexes or
 * CHECKs have changed since; so where the call is true while a plan is made, it need not be made whenever that runs.
 */
PGBSON_FUNCTION(pgbson_shape_support)
{
	SupportRequestSimplify *request = (SupportRequestSimplify *) PG_GETARG_POINTER(0);
	PlannerGlobal *plan;
	Const	   *relation;
	Const	   *signature;

	/* the function may be the support function of any other one, too */
	if (!IsA(request, SupportRequestSimplify) || request->root == NULL || list_length(request->fcall->args) != 2 ||
		request->fcall->funcresulttype != BOOLOID)
		PG_RETURN_POINTER(NULL);
	relation = linitial(request->fcall->args);
	signature = lsecond(request->fcall->args);
	if (!IsA(relation, Const) || relation->consttype != REGCLASSOID || relation->constisnull ||
		!IsA(signature, Const) || signature->consttype != INT8OID || signature->constisnull ||
		PgBsonIndexesSignature(DatumGetObjectId(relation->constvalue)) != DatumGetInt64(signature->constvalue))
		PG_RETURN_POINTER(NULL);
	plan = request->root->glob;
	plan->relationOids = lappend_oid(plan->relationOids, DatumGetObjectId(relation->constvalue));
	PG_RETURN_POINTER(makeBoolConst(true, false));
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

/* SQL: bson_pipeline_shape(relation, pipeline bson, column_name name, let bson, OUT ...): a SELECT */
PGBSON_FUNCTION(pgbson_pipeline_shape)
{
	PgBsonTarget target;
	PgBsonShape shape;
	PgBsonValue pipeline;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 2);
	target.shape = &shape;
	pipeline = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(1));
	PgBsonShapeBeginPipeline(&shape, &pipeline, target.let.type != PGBSON_MISSING);
	return checked_shape(fcinfo, PgBsonTranslatePipeline(&target, &pipeline, NULL), &target);
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

/* The worker of bson_find_sql and bson_find_shape; "shape" is NULL for the former */
static Datum
find_statement(FunctionCallInfo fcinfo, PgBsonShape *shape)
{
	PgBsonTarget target;
	PgBsonValue rooms[3];
	const PgBsonValue *filter;
	char	   *statement;

	if (no_table(fcinfo) && shape == NULL)
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 6);
	filter = value_argument(fcinfo, 1, &rooms[0]);
	target.shape = shape;
	if (shape != NULL)
		PgBsonShapeBegin(shape, filter, target.let.type != PGBSON_MISSING);
	statement = PgBsonTranslateFind(&target, filter, value_argument(fcinfo, 2, &rooms[1]),
									value_argument(fcinfo, 3, &rooms[2]), count_argument(fcinfo, 4, "skip"),
									count_argument(fcinfo, 5, "limit"));
	return shape == NULL ? checked_text(fcinfo, statement) : checked_shape(fcinfo, statement, &target);
}

/*
 * SQL: bson_find_sql(relation, filter, projection, sort, skip, limit, column_name name[, let bson]) returns text
 *		bson_find_shape(relation, filter, projection, sort, skip, limit, column_name name, let bson, OUT ...)
 */
PGBSON_DOOR(pgbson_find_sql, find_statement(fcinfo, NULL));
PGBSON_DOOR(pgbson_find_shape, find_statement(fcinfo, &(PgBsonShape) {0}));

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
		if (i == 0 ? no_table(fcinfo) : PG_ARGISNULL(i))
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

static Datum
distinct_statement(FunctionCallInfo fcinfo, PgBsonShape *shape)
{
	PgBsonTarget target;
	PgBsonValue room;
	const PgBsonValue *filter;
	const char *field;
	const char *statement;
	uint32		len;

	if ((no_table(fcinfo) && shape == NULL) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 3);
	field = PgBsonFromText(PG_GETARG_TEXT_PP(2), &len);
	filter = value_argument(fcinfo, 1, &room);
	target.shape = shape;
	if (shape != NULL)
		PgBsonShapeBegin(shape, filter, false);
	statement = PgBsonCommandDistinct(&target, field, len, filter);
	return shape == NULL ? checked_text(fcinfo, statement) : checked_shape(fcinfo, statement, &target);
}

/*
 * SQL: bson_distinct_sql(relation, filter bson, field text, column_name name DEFAULT NULL) returns text, and
 * bson_distinct_shape with the same arguments
 */
PGBSON_DOOR(pgbson_distinct_sql, distinct_statement(fcinfo, NULL));
PGBSON_DOOR(pgbson_distinct_shape, distinct_statement(fcinfo, &(PgBsonShape) {0}));

/* SQL: bson_delete_shape(relation, filter bson, column_name name, let bson, collation bson, OUT ...): of all found */
PGBSON_FUNCTION(pgbson_delete_shape)
{
	PgBsonTarget target;
	PgBsonShape shape;
	PgBsonValue filter;

	if (no_table(fcinfo) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 2);
	target.shape = &shape;
	filter = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(1));
	PgBsonShapeBegin(&shape, &filter, target.let.type != PGBSON_MISSING);
	return checked_shape(fcinfo, PgBsonCommandDeleteAll(&target, &filter), &target);
}

/* SQL: bson_index_spec(spec bson) returns bson */
PGBSON_FUNCTION(pgbson_index_spec)
{
	PgBsonValue spec = PgBsonRoot(PG_GETARG_PGBSON_PP(0));

	spec = PgBsonIndexListed(&spec);
	PG_RETURN_PGBSON_P(PgBsonFromValue(&spec));
}

/* SQL: bson_create_index_sql(relation, spec bson, column_name name DEFAULT NULL) returns text, of several statements */
PGBSON_FUNCTION(pgbson_create_index_sql)
{
	PgBsonTarget target;
	PgBsonValue room;
	const PgBsonValue *spec;
	char	   *statements;

	if (no_table(fcinfo) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	target = PgBsonTargetOf(fcinfo, 2);
	spec = value_argument(fcinfo, 1, &room);
	statements = PgBsonCommandIndex(&target, &spec);
	if (statements == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(statements));
}
