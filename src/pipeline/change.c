/*
 * change.c
 *	  MongoDB's commands update, delete and findAndModify, as one SQL statement each.
 *
 * See src/mongo/db/commands/find_and_modify.cpp and query/write_ops/ of MongoDB.
 *
 * A command that changes one of the documents found locks it in an inner SELECT, and finds it by its _id outside: a
 * statement that had to wait for another session does not see the ctid of the document's newest version.
 */
#include "pipeline/command.h"

#include "core/order/compare.h"
#include "mongo/project/project.h"
#include "mongo/query/match.h"
#include "mongo/update/update.h"

/* The _id that the filter demands, if that is one value; *rest is set to the other fields */
static bool
demanded_id(const PgBsonValue *filter, PgBsonValue *id, PgBsonValue *rest)
{
	PgBsonNames path = PgBsonNestedSplit("_id", 3, "");

	if (!PgBsonFindField(filter, "_id", id) ||
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
	if (PgBsonQueryIsBeyond(command->filter) || !demanded_id(&command->query, &id, &rest) ||
		(all->collation != NULL && PgBsonTypeRank(id.type) == PgBsonTypeRank(PGBSON_STRING)))
		return psprintf("%s(\n%s\n)", id_is, locked_sql(command, false));
	id_is = psprintf("%s%s", id_is, PgBsonSqlArgument(all, &id));
	if (PgBsonIsEmpty(&rest))
		return id_is;
	return psprintf("%s AND %s", id_is, PgBsonMatchSql(all, command->document, PgBsonSqlArgument(all, &rest)));
}

static void
check_update(const PgBsonCommandState *command, bool multi)
{
	const PgBsonValue *update = &command->options[PGBSON_OPTION_UPDATE];
	const PgBsonValue *filters = &command->options[PGBSON_OPTION_FILTERS];

	(void) PgBsonUpdateParse(update, filters->type == PGBSON_MISSING ? NULL : filters, false);
	if (multi && update->type == PGBSON_DOCUMENT && !PgBsonHasOperator(update))
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
	bool		upserts;

	if (update->type != PGBSON_MISSING)
	{
		*update = PgBsonLetInUpdate(&command->statement->target->let, update);
		check_update(command, multi);
		upserts = PgBsonCommandIs(command, PGBSON_OPTION_UPSERT);
		if (upserts && old)
			PgBsonReportUnsupported(errmsg("bson command \"%s\" with \"upsert\" returns the new document only", command->name),
									errhint("Add the option \"new\"."));
		if (upserts)
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
	PgBsonCommandState *command = PgBsonCommandBegin("update", target, arguments[0], arguments[2],
												"let collation multi upsert arrayFilters sort");

	command->options[PGBSON_OPTION_UPDATE] = *arguments[1];
	return change_sql(command, PgBsonCommandIs(command, PGBSON_OPTION_MULTI), false);
}

char *
PgBsonCommandDelete(const PgBsonTarget *target, const PgBsonValue *const *arguments)
{
	PgBsonCommandState *command = PgBsonCommandBegin("delete", target, arguments[0], arguments[1], "let collation multi");

	return change_sql(command, PgBsonCommandIs(command, PGBSON_OPTION_MULTI), false);
}

char *
PgBsonCommandDeleteAll(const PgBsonTarget *target, const PgBsonValue *filter)
{
	return change_sql(PgBsonCommandBegin("delete", target, filter, NULL, NULL), true, false);
}

char *
PgBsonCommandFindAndModify(const PgBsonTarget *target, const PgBsonValue *const *arguments)
{
	PgBsonValue all = PgBsonMakeDocument(NULL);
	PgBsonCommandState *command = PgBsonCommandBegin("findAndModify", target, &all, arguments[0], "let collation remove upsert "
												"arrayFilters sort query update new fields");
	const PgBsonValue *options = command->options;
	bool		removes = PgBsonCommandIs(command, PGBSON_OPTION_REMOVE);
	bool		returns_new = PgBsonCommandIs(command, PGBSON_OPTION_NEW);
	bool		upserts = PgBsonCommandIs(command, PGBSON_OPTION_UPSERT);
	/* RETURNING has the document as it was only from PostgreSQL 18 on */
	bool		returns_found = !removes && !returns_new;
	const char *returned = returns_found ? "found.data" : command->document;
	char	   *statement;

	if (removes == (options[PGBSON_OPTION_UPDATE].type != PGBSON_MISSING))
		PgBsonReportInvalid(errmsg("bson command \"%s\" needs \"remove\" or \"update\", not both", command->name));
	if (removes && (returns_new || upserts || options[PGBSON_OPTION_FILTERS].type != PGBSON_MISSING))
		PgBsonReportInvalid(errmsg("bson command \"%s\" with \"remove\" has no \"new\", \"upsert\" or \"arrayFilters\"",
								   command->name));
	statement = change_sql(command, false, returns_found);
	if (options[PGBSON_OPTION_FIELDS].type != PGBSON_MISSING)
	{
		PgBsonValue fields = PgBsonLetInFields(&command->statement->target->let, &options[PGBSON_OPTION_FIELDS]);

		(void) PgBsonProjectionParse(&fields, &command->query);
		returned = PgBsonSql(command->all, "#bson_project(%s, %s, %s)", returned, PgBsonSqlArgument(command->all, &fields),
							 PgBsonSqlArgument(command->all, &command->query));
	}
	return psprintf("%s\nRETURNING %s AS data", statement, returned);
}
