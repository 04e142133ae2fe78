/*
 * command.c
 *	  What MongoDB's commands have in common; and distinct and count, as one SQL statement each.
 */
#include "pipeline/command.h"

#include "mongo/expr/expr.h"

PgBsonSelect *
PgBsonCommandSelect(const PgBsonCommandState *command, const PgBsonValue *sort)
{
	PgBsonChain chain = {command->source, NIL};

	if (command->filter != NULL)
		PgBsonParseFilter(&command->statement->parse, &chain, command->filter);
	if (sort->type != PGBSON_MISSING)
		PgBsonParseSort(&command->statement->parse, &chain, sort);
	return PgBsonStatementSelect(command->statement, &chain);
}

void
PgBsonCommandOpen(PgBsonCommandState *command, const PgBsonSource *source)
{
	command->source = source;
	command->select = PgBsonCommandSelect(command, &PgBsonMissing);
	command->table = command->select->clauses.from;
	command->document = command->select->document.base;
	command->column = strchr(command->document, '.') + 1;
	command->id = PgBsonSql(command->all, "(%s OPERATOR(#->) $'_id')", command->document);
}

/* Read the options of a command; see PgBsonOptionsRead.  Null means that an option is not given. */
static void
read_options(PgBsonCommandState *command, const PgBsonValue *options, const char *names)
{
	static const char *const refused = "hint bypassDocumentValidation comment maxTimeMS writeConcern";
	PgBsonIter	unknown;

	if (options->type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("options of bson command \"%s\" must be a document", command->name));
	if (!PgBsonOptionsRead(options, names, command->options, &unknown))
	{
		if (PgBsonNameAmong(refused, unknown.key, unknown.key_len) >= 0)
			PgBsonReportUnsupported(errmsg("option \"%s\" of bson command \"%s\" is not supported", unknown.key,
										   command->name),
									errhint("Leave it out."));
		PgBsonReportInvalid(errmsg("bson command \"%s\" has no option \"%s\"", command->name,
								   PgBsonNameInMessage(unknown.key, unknown.key_len)));
	}
	for (int i = 0; i < PgBsonOptionsCount(names); i++)
	{
		if (PgBsonIsNothing(&command->options[i]))
			command->options[i] = PgBsonMissing;
	}
}

PgBsonCommandState *
PgBsonCommandBegin(const char *name, const PgBsonTarget *target, const PgBsonValue *filter, const PgBsonValue *options,
				   const char *names)
{
	PgBsonCommandState *command = palloc0_object(PgBsonCommandState);
	PgBsonTarget *own = palloc_object(PgBsonTarget);

	*own = *target;
	command->name = name;
	for (int i = 0; i < lengthof(command->options); i++)
		command->options[i] = PgBsonMissing;
	if (options != NULL)
	{
		read_options(command, options, names);
		own->let = command->options[PGBSON_OPTION_LET];
		own->collation = command->options[PGBSON_OPTION_COLLATION];
	}
	if (command->options[PGBSON_OPTION_QUERY].type != PGBSON_MISSING)
		filter = &command->options[PGBSON_OPTION_QUERY];
	command->filter = filter;
	if (filter != NULL)
		command->query = PgBsonLetInQuery(&own->let, filter);
	command->statement = PgBsonStatementBegin(own);
	command->all = &command->statement->all;
	PgBsonCommandOpen(command, PgBsonParseRelation(&command->statement->parse, target->relation));
	return command;
}

bool
PgBsonCommandIs(const PgBsonCommandState *command, int option)
{
	const PgBsonValue *value = &command->options[option];

	if (value->type == PGBSON_MISSING)
		return false;
	if (value->type != PGBSON_BOOL && !PgBsonIsNumber(value->type))
		PgBsonReportInvalid(errmsg("bson command \"%s\" has an option that must be a boolean or a number, but is of type %s",
								   command->name, PgBsonTypeName(value->type)));
	return PgBsonExprIsTrue(value);
}

void
PgBsonCommandNeedId(const PgBsonCommandState *command)
{
	if (!command->source->unique_id)
		PgBsonReport(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					 errmsg("there is no unique index on the \"_id\" of the documents"),
					 errdetail("The command \"%s\" changes one document, which it finds by its \"_id\".", command->name),
					 errhint("Make an index with CREATE UNIQUE INDEX on the expression (%s -> '_id').", command->column));
}

const char *
PgBsonCommandFilters(const PgBsonCommandState *command)
{
	const PgBsonValue *filters = &command->options[PGBSON_OPTION_FILTERS];

	return filters->type == PGBSON_MISSING ? "" : psprintf(", %s", PgBsonSqlArgument(command->all, filters));
}

char *
PgBsonCommandSet(const PgBsonCommandState *command)
{
	return PgBsonSql(command->all, "%s = #bson_update(%s, %s, %s%s)", command->column, command->document,
					 PgBsonSqlArgument(command->all, &command->options[PGBSON_OPTION_UPDATE]),
					 PgBsonSqlArgument(command->all, &command->query), PgBsonCommandFilters(command));
}

char *
PgBsonCommandDistinct(const PgBsonTarget *target, const char *field, uint32 len, const PgBsonValue *filter)
{
	PgBsonCommandState *command = PgBsonCommandBegin("distinct", target, filter, NULL, NULL);
	PgBsonNames names = PgBsonNestedSplit(field, len, "the field of bson command \"distinct\"");
	const char *on = command->all->collation == NULL ? "" :
		psprintf("ON (%s) ", PgBsonCollatedSql(command->all, "v.data"));
	const char *found = names.count == 1 ?
		PgBsonSql(command->all, "%s OPERATOR(#->) %s", command->document, PgBsonSqlText(field, len)) :
		PgBsonSql(command->all, "#bson_path_query_array(%s, %s::pg_catalog.jsonpath)", command->document, PgBsonSqlJsonpath(&names));

	/* a value that many documents have is looked into once */
	return PgBsonSql(command->all, "WITH found AS MATERIALIZED (\n    SELECT DISTINCT %s AS data\n    FROM %s%s\n)\n"
					 "SELECT DISTINCT %sv.data\nFROM (\n"
					 "    SELECT data FROM found WHERE #bson_typeof(data) OPERATOR(pg_catalog.<>) $'array'\n"
					 "    UNION ALL\n"
					 "    SELECT e.data FROM found, #bson_path_query(found.data, '$[*]'::pg_catalog.jsonpath) AS e(data)"
					 " WHERE #bson_typeof(found.data) OPERATOR(pg_catalog.=) $'array'\n"
					 ") AS v(data)", found, command->table, PgBsonSqlReplace(PgBsonSelectWhere(command->select), '\n', "\n    "), on);
}

char *
PgBsonCommandCount(const PgBsonTarget *target, const PgBsonValue *const *arguments)
{
	PgBsonCommandState *command = PgBsonCommandBegin("count", target, arguments[0], NULL, NULL);

	return psprintf("SELECT pg_catalog.count(*)\nFROM %s%s", command->table, PgBsonSelectWhere(command->select));
}
