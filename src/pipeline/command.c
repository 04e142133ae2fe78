/*
 * command.c
 *	  MongoDB's commands update, delete and findAndModify, and distinct and count, as one SQL statement each.
 *
 * See src/mongo/db/commands/find_and_modify.cpp and query/write_ops/ of MongoDB.
 *
 * A command that changes one of the documents found locks it in an inner SELECT, and finds it by its _id outside: a
 * statement that had to wait for another session does not see the ctid of the document's newest version.
 */
#include "pipeline/command.h"

#include "core/order/compare.h"
#include "mongo/project/project.h"
#include "mongo/update/update.h"
#include "pipeline/deparse/sql_text.h"
#include "pipeline/let.h"

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

/* Begin a command with these options, NULL if it has none, of which "query" can be the filter */
static PgBsonCommandState *
begin_command(const char *name, const PgBsonTarget *target, const PgBsonValue *filter, const PgBsonValue *options,
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

static bool
is_true(const PgBsonCommandState *command, int option)
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
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there is no unique index on the \"_id\" of the documents"),
				 errdetail("The command \"%s\" changes one document, which it finds by its \"_id\".", command->name),
				 errhint("Make an index with CREATE UNIQUE INDEX on the expression (%s -> '_id').", command->column)));
}

/* The _id that the filter demands, if that is one value; *rest is set to the other fields */
static bool
demanded_id(const PgBsonValue *filter, PgBsonValue *id, PgBsonValue *rest)
{
	PgBsonNames path = PgBsonNestedSplit("_id", 3, "");

	if (filter->type != PGBSON_DOCUMENT || !PgBsonFindKey(PgBsonValueView(filter), "_id", 3, id) ||
		PgBsonIsContainer(id->type) || id->type == PGBSON_NULL || id->type == PGBSON_REGEX)
		return false;
	*rest = PgBsonNestedPut(filter, &path, &PgBsonMissing);
	return true;
}

/* SELECT ... FOR UPDATE of the first document that the filter finds: of the document, or of its _id alone */
static char *
locked_sql(const PgBsonCommandState *command, bool document)
{
	PgBsonSelect *select = PgBsonCommandSelect(command, &command->options[PGBSON_OPTION_SORT]);

	/* rows of a UNION cannot be locked */
	select->clauses.whole = true;
	PgBsonSelectLimit(select, 1);
	if (!document)
		PgBsonSelectCompute(select, PgBsonSql(command->all, "(%s OPERATOR(#->) $'_id')", select->document.base));
	return PgBsonSqlIndent(psprintf("%s\nFOR UPDATE", PgBsonSelectText(select)));
}

/* WHERE for one document that the filter finds */
static const char *
where_one(const PgBsonCommandState *command)
{
	const PgBsonTranslation *all = command->all;
	const char *id_is = PgBsonSql(all, "\nWHERE %s OPERATOR(#=) ", command->id);
	PgBsonValue id;
	PgBsonValue rest;

	PgBsonCommandNeedId(command);
	/* a collation may find another string than this one */
	if (!demanded_id(&command->query, &id, &rest) ||
		(all->collation != NULL && PgBsonTypeRank(id.type) == PgBsonTypeRank(PGBSON_STRING)))
		return psprintf("%s(\n%s\n)", id_is, locked_sql(command, false));
	id_is = psprintf("%s%s", id_is, PgBsonSqlArgument(all->schema, &id));
	if (PgBsonViewCount(PgBsonValueView(&rest)) == 0)
		return id_is;
	return psprintf("%s AND %s", id_is, PgBsonMatchSql(all, command->document, PgBsonSqlArgument(all->schema, &rest)));
}

const char *
PgBsonCommandFilters(const PgBsonCommandState *command)
{
	const PgBsonValue *filters = &command->options[PGBSON_OPTION_FILTERS];

	return filters->type == PGBSON_MISSING ? "" : psprintf(", %s", PgBsonSqlArgument(command->all->schema, filters));
}

char *
PgBsonCommandSet(const PgBsonCommandState *command)
{
	const char *schema = command->all->schema;

	return PgBsonSql(command->all, "%s = #bson_update(%s, %s, %s%s)", command->column, command->document,
					 PgBsonSqlArgument(schema, &command->options[PGBSON_OPTION_UPDATE]),
					 PgBsonSqlArgument(schema, &command->query), PgBsonCommandFilters(command));
}

static void
check_update(const PgBsonCommandState *command, bool multi)
{
	const PgBsonValue *update = &command->options[PGBSON_OPTION_UPDATE];
	const PgBsonValue *filters = &command->options[PGBSON_OPTION_FILTERS];
	PgBsonIter	first;

	(void) PgBsonUpdateParse(update, filters->type == PGBSON_MISSING ? NULL : filters, false);
	if (multi && update->type == PGBSON_DOCUMENT && !(PgBsonFirst(update, &first) && first.key[0] == '$'))
		PgBsonReportInvalid(errmsg("bson command \"%s\" cannot replace several documents", command->name));
	if (multi && command->options[PGBSON_OPTION_SORT].type != PGBSON_MISSING)
		PgBsonReportInvalid(errmsg("bson command \"%s\" does not sort several documents", command->name));
}

/* DELETE if there is no update, else UPDATE or, for an upsert, INSERT.  "old": FROM "found", the document as it was. */
static char *
change_sql(PgBsonCommandState *command, bool multi, bool old)
{
	PgBsonValue *update = &command->options[PGBSON_OPTION_UPDATE];
	const char *with = "";
	const char *where;

	if (update->type != PGBSON_MISSING)
	{
		*update = PgBsonLetInUpdate(&command->statement->target->let, update);
		check_update(command, multi);
		if (is_true(command, PGBSON_OPTION_UPSERT))
			return PgBsonCommandUpsert(command);
	}
	if (old)
	{
		PgBsonCommandNeedId(command);
		with = psprintf("WITH found AS (\n%s\n)\n", locked_sql(command, true));
		where = PgBsonSql(command->all, "\nFROM found\nWHERE %s OPERATOR(#=) (found.data OPERATOR(#->) $'_id')",
						  command->id);
	}
	else
		where = multi ? PgBsonSelectWhere(command->select) : where_one(command);
	if (update->type == PGBSON_MISSING)
		return psprintf("DELETE FROM %s%s", command->table, where);
	return psprintf("%sUPDATE %s SET %s%s", with, command->table, PgBsonCommandSet(command), where);
}

char *
PgBsonCommandUpdate(const PgBsonTarget *target, const PgBsonValue *const *arguments)
{
	PgBsonCommandState *command = begin_command("update", target, arguments[0], arguments[2],
												"let collation multi upsert arrayFilters sort");

	command->options[PGBSON_OPTION_UPDATE] = *arguments[1];
	return change_sql(command, is_true(command, PGBSON_OPTION_MULTI), false);
}

char *
PgBsonCommandDelete(const PgBsonTarget *target, const PgBsonValue *const *arguments)
{
	PgBsonCommandState *command = begin_command("delete", target, arguments[0], arguments[1], "let collation multi");

	return change_sql(command, is_true(command, PGBSON_OPTION_MULTI), false);
}

char *
PgBsonCommandFindAndModify(const PgBsonTarget *target, const PgBsonValue *const *arguments)
{
	PgBsonValue all = PgBsonMakeDocument(NULL);
	PgBsonCommandState *command = begin_command("findAndModify", target, &all, arguments[0], "let collation remove upsert "
												"arrayFilters sort query update new fields");
	const PgBsonValue *options = command->options;
	const char *schema = command->all->schema;
	bool		removes = is_true(command, PGBSON_OPTION_REMOVE);
	bool		returns_new = is_true(command, PGBSON_OPTION_NEW);
	bool		upserts = is_true(command, PGBSON_OPTION_UPSERT);
	/* RETURNING has the document as it was only from PostgreSQL 18 on */
	bool		returns_found = !removes && !returns_new;
	const char *returned = returns_found ? "found.data" : command->document;
	char	   *statement;

	if (removes == (options[PGBSON_OPTION_UPDATE].type != PGBSON_MISSING))
		PgBsonReportInvalid(errmsg("bson command \"%s\" needs \"remove\" or \"update\", not both", command->name));
	if (removes && (returns_new || upserts || options[PGBSON_OPTION_FILTERS].type != PGBSON_MISSING))
		PgBsonReportInvalid(errmsg("bson command \"%s\" with \"remove\" has no \"new\", \"upsert\" or \"arrayFilters\"",
								   command->name));
	if (upserts && !returns_new)
		PgBsonReportUnsupported(errmsg("bson command \"%s\" with \"upsert\" returns the new document only", command->name),
								errhint("Add the option \"new\"."));
	statement = change_sql(command, false, returns_found);
	if (options[PGBSON_OPTION_FIELDS].type != PGBSON_MISSING)
	{
		PgBsonValue fields = PgBsonLetInFields(&command->statement->target->let, &options[PGBSON_OPTION_FIELDS]);

		(void) PgBsonProjectionParse(&fields, &command->query);
		returned = PgBsonSql(command->all, "#bson_project(%s, %s, %s)", returned, PgBsonSqlArgument(schema, &fields),
							 PgBsonSqlArgument(schema, &command->query));
	}
	return psprintf("%s\nRETURNING %s AS data", statement, returned);
}

char *
PgBsonCommandDistinct(const PgBsonTarget *target, const char *field, uint32 len, const PgBsonValue *filter)
{
	PgBsonCommandState *command = begin_command("distinct", target, filter, NULL, NULL);
	PgBsonNames names = PgBsonNestedSplit(field, len, "the field of bson command \"distinct\"");
	const char *on = command->all->collation == NULL ? "" :
		psprintf("ON (%s) ", PgBsonCollatedSql(command->all, "v.data"));

	return PgBsonSql(command->all, "SELECT DISTINCT %sv.data\nFROM %s, "
					 "#bson_path_query(%s, %s::pg_catalog.jsonpath) AS v(data)%s", on, command->table, command->document,
					 PgBsonSqlJsonpath(&names), PgBsonSelectWhere(command->select));
}

char *
PgBsonCommandCount(const PgBsonTarget *target, const PgBsonValue *const *arguments)
{
	PgBsonCommandState *command = begin_command("count", target, arguments[0], NULL, NULL);

	return psprintf("SELECT pg_catalog.count(*)\nFROM %s%s", command->table, PgBsonSelectWhere(command->select));
}
