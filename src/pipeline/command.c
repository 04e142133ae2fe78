/*
 * command.c
 *	  MongoDB's commands that write, and distinct and count, as one SQL statement each.
 *
 * See src/mongo/db/commands/find_and_modify.cpp, query/write_ops/ and pipeline/document_source_merge.cpp of MongoDB.
 *
 * A command that changes one of the documents found locks it in an inner SELECT, and finds it by its _id outside: a
 * statement that had to wait for another session does not see the ctid of the document's newest version.
 */
#include "pipeline/translate.h"

#include "access/xact.h"
#include "core/order/compare.h"
#include "mongo/project/project.h"
#include "mongo/stage/nested.h"
#include "mongo/update/update.h"
#include "pipeline/deparse/operand.h"
#include "pipeline/deparse/step.h"
#include "pipeline/deparse/sql_text.h"
#include "pipeline/let.h"
#include "pipeline/parse/stage.h"
#include "pipeline/rules/rules.h"

/* A command that is being translated, and the SELECT from its table */
typedef struct Command
{
	const char *name;
	const PgBsonTarget *target;
	PgBsonTranslation *all;
	PgBsonParse *parse;
	const PgBsonScope *scope;	/* the variables of the command */
	const PgBsonSource *source;
	PgBsonSelect *select;
	const char *column;			/* the column's name alone */
	const char *id;				/* the _id of a row's document, in SQL */
	const PgBsonValue *filter;	/* with variables, where it is a condition of the statement */
	PgBsonValue query;			/* the same without, as an argument of functions */
} Command;

/* Select from this source the documents that meet the filter, if there is one; in this order, if "sort" is not missing */
static void
select_from(Command *command, const PgBsonSource *source, const PgBsonValue *filter, const PgBsonValue *sort)
{
	PgBsonChain chain = {source, NIL};

	if (filter != NULL)
		PgBsonParseFilter(command->parse, &chain, filter);
	if (sort->type != PGBSON_MISSING)
		PgBsonParseSort(command->parse, &chain, sort);
	chain = PgBsonRulesApply(&chain, command->all->is_old);
	command->source = source;
	command->select = PgBsonDeparseChain(command->all, command->scope, &chain, NULL);
	PgBsonConditionsAddShape(command->select);
	command->column = strchr(command->select->document.base, '.') + 1;
	command->id = PgBsonSql(command->all, "(%s OPERATOR(#->) '_id')", command->select->document.base);
}

static void
prepare(Command *command, const char *name, const PgBsonTarget *target)
{
	*command = (Command) {name, target, palloc_object(PgBsonTranslation), palloc_object(PgBsonParse)};
	PgBsonTranslationBegin(target, command->all, command->parse);
	command->scope = PgBsonLetScope(command->all, &target->let);
}

static Command
begin(const char *name, const PgBsonTarget *target, const PgBsonValue *filter)
{
	Command		command;

	prepare(&command, name, target);
	command.filter = filter;
	if (filter != NULL)
		command.query = PgBsonLetInQuery(&target->let, filter);
	select_from(&command, PgBsonParseRelation(command.parse, target->relation), filter, &PgBsonMissing);
	return command;
}

/* Read the options of a command; see PgBsonOptionsRead.  Null means that an option is not given. */
static void
read_options(const char *name, const PgBsonValue *options, const char *names, PgBsonValue *values)
{
	PgBsonIter	unknown;

	if (options->type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("options of bson command \"%s\" must be a document", name));
	if (!PgBsonOptionsRead(options, names, values, &unknown))
	{
		if (PgBsonNameAmong("hint bypassDocumentValidation comment maxTimeMS writeConcern", unknown.key, unknown.key_len) >= 0)
			PgBsonReportUnsupported(errmsg("option \"%s\" of bson command \"%s\" is not supported", unknown.key, name),
									errhint("Leave it out."));
		PgBsonReportInvalid(errmsg("bson command \"%s\" has no option \"%s\"", name, PgBsonNameInMessage(unknown.key, unknown.key_len)));
	}
	for (int i = 0; i < PgBsonOptionsCount(names); i++)
	{
		if (PgBsonIsNothing(&values[i]))
			values[i] = PgBsonMissing;
	}
}

static bool
is_true(const char *name, const PgBsonValue *option)
{
	if (option->type == PGBSON_MISSING)
		return false;
	if (option->type != PGBSON_BOOL && !PgBsonIsNumber(option->type))
		PgBsonReportInvalid(errmsg("bson command \"%s\" has an option that must be a boolean or a number, but is of type %s",
								   name, PgBsonTypeName(option->type)));
	return PgBsonExprIsTrue(option);
}

/* Commands for one document need the unique index that every collection of MongoDB has */
static void
need_unique_id(const Command *command)
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
	PgBsonWriter others;

	if (filter->type != PGBSON_DOCUMENT || !PgBsonFindKey(PgBsonValueView(filter), "_id", 3, id) ||
		PgBsonIsContainer(id->type) || id->type == PGBSON_NULL || id->type == PGBSON_REGEX)
		return false;
	PgBsonWriterBegin(&others, filter->len);
	PgBsonForEach(iter, PgBsonValueView(filter))
	{
		if (!PgBsonIterIs(&iter, "_id"))
			PgBsonWriterField(&others, iter.key, iter.key_len, &iter.value);
	}
	*rest = PgBsonWriterEnd(&others, PGBSON_DOCUMENT);
	return true;
}

/* SELECT ... FOR UPDATE of the first document that meets the filter: of the document, or of its _id alone */
static char *
locked_sql(const Command *command, const PgBsonValue *sort, bool document)
{
	Command		inner = *command;

	select_from(&inner, command->source, command->filter, sort);
	/* rows of a UNION cannot be locked */
	inner.select->clauses.whole = true;
	PgBsonSelectLimit(inner.select, 1);
	if (!document)
		PgBsonSelectCompute(inner.select, inner.id);
	return psprintf("%s\nFOR UPDATE", PgBsonSelectText(inner.select));
}

/* WHERE for one document that meets the filter */
static const char *
where_one(const Command *command, const PgBsonValue *sort)
{
	const PgBsonTranslation *all = command->all;
	PgBsonValue id;
	PgBsonValue rest;

	need_unique_id(command);
	/* a collation may find another string than this one */
	if (!demanded_id(&command->query, &id, &rest) || (all->collation != NULL && PgBsonTypeRank(id.type) == PgBsonTypeRank(PGBSON_STRING)))
		return PgBsonSql(all, "\nWHERE %s OPERATOR(#=) (\n%s\n)", command->id,
						 PgBsonSqlIndent(locked_sql(command, sort, false)));
	return psprintf("\nWHERE %s%s%s", PgBsonSql(all, "%s OPERATOR(#=) %s", command->id, PgBsonSqlArgument(all->schema, &id)),
					PgBsonViewCount(PgBsonValueView(&rest)) == 0 ? "" : " AND ",
					PgBsonViewCount(PgBsonValueView(&rest)) == 0 ? "" :
					PgBsonMatchSql(all, command->select->document.base, PgBsonSqlArgument(all->schema, &rest)));
}

/* The arguments of bson_update and bson_upsert after the document or the filter */
static char *
update_arguments(const Command *command, const PgBsonValue *update, const PgBsonValue *filter, const PgBsonValue *filters)
{
	const char *schema = command->all->schema;

	return psprintf("%s%s%s%s%s", PgBsonSqlArgument(schema, update), filter == NULL ? "" : ", ",
					filter == NULL ? "" : PgBsonSqlArgument(schema, filter), filters->type == PGBSON_MISSING ? "" : ", ",
					filters->type == PGBSON_MISSING ? "" : PgBsonSqlArgument(schema, filters));
}

static char *
set_sql(const Command *command, const PgBsonValue *update, const PgBsonValue *filters)
{
	return PgBsonSql(command->all, "%s = #bson_update(%s, %s)", command->column, command->select->document.base,
					 update_arguments(command, update, &command->query, filters));
}

/* The field's value in the document, by a path without arrays; false if there is none */
static bool
inserted_value(const PgBsonValue *document, const PgBsonKeyRef *path, PgBsonValue *value)
{
	const char *rest = path->key;
	const char *end = path->key + path->len;

	for (*value = *document; value->type == PGBSON_DOCUMENT; rest++)
	{
		const char *dot = memchr(rest, '.', end - rest);
		uint32		len = (dot == NULL ? end : dot) - rest;

		if (!PgBsonFindKey(PgBsonValueView(value), rest, len, value))
			return false;
		if (dot == NULL)
			return true;
		rest = dot;
	}
	return false;
}

/*
 * Does the filter demand one value of each field of this index, and nothing else, and has the document that an upsert
 * inserts these values?  Then *values is a list of them (PgBsonValue *).
 */
static bool
decides(const PgBsonIndex *index, const PgBsonValue *filter, const PgBsonValue *inserted, List **values)
{
	ListCell   *lc;

	*values = NIL;
	foreach(lc, index->columns)
	{
		const PgBsonIndexed *field = lfirst(lc);
		PgBsonValue *value = palloc_object(PgBsonValue);
		PgBsonValue has;
		PgBsonIter	first;

		if (!PgBsonFindKey(PgBsonValueView(filter), field->path.key, field->path.len, value))
			return false;
		if (value->type == PGBSON_DOCUMENT && PgBsonViewCount(PgBsonValueView(value)) == 1 && PgBsonFirst(value, &first) && PgBsonIterIs(&first, "$eq"))
			*value = first.value;
		if (PgBsonIsContainer(value->type) || PgBsonIsNullish(value->type) || value->type == PGBSON_REGEX ||
			!inserted_value(inserted, &field->path, &has) || PgBsonCompare(&has, value) != 0)
			return false;
		*values = lappend(*values, value);
	}
	/* the sort key must be of these values, too */
	if (index->sort.type == PGBSON_DOCUMENT)
	{
		PgBsonForEach(iter, PgBsonValueView(&index->sort))
		{
			if (PgBsonFindNamed(index->columns, iter.key, iter.key_len) == NULL)
				return false;
		}
	}
	return index->unique && PgBsonViewCount(PgBsonValueView(filter)) == list_length(index->columns);
}

/* The unique index by which an upsert finds its document; NULL if there is none */
static const PgBsonIndex *
deciding_index(const Command *command, const PgBsonValue *update, const PgBsonValue *filters, List **values)
{
	PgBsonUpdateInput input = {true, GetCurrentTransactionStartTimestamp()};
	PgBsonValue inserted;
	ListCell   *lc;

	/* what a pipeline would insert could be another document each time */
	if (command->source->indexes == NIL || command->source->collated || update->type != PGBSON_DOCUMENT)
		return NULL;
	inserted = PgBsonRoot(PgBsonUpsert(PgBsonUpdateParse(update, filters->type == PGBSON_MISSING ? NULL : filters, true), &command->query, &input));
	foreach(lc, command->source->indexes)
	{
		if (decides(lfirst(lc), &command->query, &inserted, values))
			return lfirst(lc);
	}
	return NULL;
}

/*
 * What is inserted where there is no document with these values; an error if there is one that the filter finds because
 * it has them in an array, which the unique index does not see.  $switch without a branch is that error.
 */
static const char *
inserted_sql(const Command *command, const PgBsonIndex *index, const List *values, const char *upsert)
{
	const PgBsonTranslation *all = command->all;
	Command		inner = *command;
	List	   *equal = NIL;
	bool		scalar = command->source->rooted;
	ListCell   *lc;
	ListCell   *value;

	select_from(&inner, command->source, command->filter, &PgBsonMissing);
	forboth(lc, index->columns, value, values)
	{
		scalar &= ((const PgBsonIndexed *) lfirst(lc))->scalar;
		equal = lappend(equal, PgBsonSql(all, "%s OPERATOR(#=) %s", PgBsonIndexedSql(all, inner.select->clauses.column, lfirst(lc)),
										 PgBsonSqlArgument(all->schema, lfirst(value))));
	}
	if (scalar)
		return upsert;
	return PgBsonSql(all, "COALESCE((\n    SELECT #bson_eval(%s, '{\"$switch\": {\"branches\": [{\"case\": false, \"then\": \"an array has the value\"}]}}')\n    FROM %s%s\n      AND (%s) IS NOT TRUE\n    LIMIT 1\n), %s)",
					 inner.select->document.base, inner.select->clauses.from, PgBsonSqlIndent(PgBsonSelectWhere(inner.select)),
					 PgBsonSqlJoin(equal, " AND "), upsert);
}

/* INSERT ... ON CONFLICT: a unique index, of the _id or of all fields of the filter, decides whether a document is inserted or updated */
static char *
upsert_sql(const Command *command, const PgBsonValue *update, const PgBsonValue *filters)
{
	const PgBsonTranslation *all = command->all;
	const PgBsonIndex *index = NULL;
	const char *inserted = PgBsonSql(all, "#bson_upsert(%s, %s)", PgBsonSqlArgument(all->schema, &command->query), update_arguments(command, update, NULL, filters));
	const char *by = PgBsonSql(all, "(%s OPERATOR(#->) '_id')", command->column);
	List	   *columns = NIL;
	List	   *values;
	PgBsonValue id;

	if (!PgBsonUpsertId(&command->query, &id))
	{
		ListCell   *lc;

		index = deciding_index(command, update, filters, &values);
		if (index == NULL)
			PgBsonReportUnsupported(errmsg("an upsert of bson documents needs a filter {\"_id\": value}, or of the fields of a unique index"),
									errdetail("Otherwise no unique index decides whether the document is there, and two sessions would both insert it."),
									errhint("Make a unique index on the fields of the filter, or lock the table, and use MERGE."));
		foreach(lc, index->columns)
			columns = lappend(columns, unconstify(char *, PgBsonIndexedSql(all, command->column, lfirst(lc))));
		if (index->sort.type != PGBSON_MISSING)
			columns = lappend(columns, PgBsonSql(all, "#bson_sort_key(%s, %s)", command->column, PgBsonSqlArgument(all->schema, &index->sort)));
		by = PgBsonSqlJoin(columns, ", ");
		inserted = inserted_sql(command, index, values, inserted);
	}
	else
	{
		need_unique_id(command);
		if (all->collation != NULL && PgBsonTypeRank(id.type) == PgBsonTypeRank(PGBSON_STRING))
			PgBsonReportUnsupported(errmsg("an upsert of bson documents by an \"_id\" that is a string cannot have a collation"),
									errdetail("The unique index on the \"_id\" compares strings by their bytes."));
	}
	return psprintf("INSERT INTO %s (%s)\nVALUES (%s)\nON CONFLICT (%s) DO UPDATE SET %s", command->select->clauses.from, command->column,
					inserted, by, set_sql(command, update, filters));
}

static void
check_update(const char *name, const PgBsonValue *update, const PgBsonValue *filters, bool multi)
{
	PgBsonIter	first;

	(void) PgBsonUpdateParse(update, filters->type == PGBSON_MISSING ? NULL : filters, false);
	if (multi && update->type == PGBSON_DOCUMENT && !(PgBsonFirst(update, &first) && first.key[0] == '$'))
		PgBsonReportInvalid(errmsg("bson command \"%s\" cannot replace several documents", name));
}

/* The target with the variables of a command's option "let", and its collation */
static PgBsonTarget
with_options(const PgBsonTarget *target, const PgBsonValue *let, const PgBsonValue *collation)
{
	PgBsonTarget with = *target;

	with.let = *let;
	with.collation = *collation;
	return with;
}

char *
PgBsonCommandUpdate(const PgBsonTarget *target, const PgBsonValue *const *arguments)
{
	static const char *name = "update";
	enum
	{
		MULTI, UPSERT, FILTERS, SORT, LET, COLLATION, COUNT
	};
	PgBsonValue values[COUNT];
	PgBsonTarget with;
	PgBsonValue update;
	Command		command;
	const PgBsonValue *filters = &values[FILTERS];
	bool		multi;

	read_options(name, arguments[2], "multi upsert arrayFilters sort let collation", values);
	with = with_options(target, &values[LET], &values[COLLATION]);
	command = begin(name, &with, arguments[0]);
	multi = is_true(name, &values[MULTI]);
	update = PgBsonLetInUpdate(&with.let, arguments[1]);
	check_update(name, &update, filters, multi);
	if (multi && values[SORT].type != PGBSON_MISSING)
		PgBsonReportInvalid(errmsg("bson command \"%s\" does not sort several documents", name));
	if (is_true(name, &values[UPSERT]))
		return upsert_sql(&command, &update, filters);
	return psprintf("UPDATE %s SET %s%s", command.select->clauses.from, set_sql(&command, &update, filters),
					multi ? PgBsonSelectWhere(command.select) : where_one(&command, &values[SORT]));
}

char *
PgBsonCommandDelete(const PgBsonTarget *target, const PgBsonValue *const *arguments)
{
	static const char *name = "delete";
	PgBsonValue values[3];
	PgBsonValue sort = PgBsonMissing;
	PgBsonTarget with;
	Command		command;

	read_options(name, arguments[1], "multi let collation", values);
	with = with_options(target, &values[1], &values[2]);
	command = begin(name, &with, arguments[0]);
	return psprintf("DELETE FROM %s%s", command.select->clauses.from,
					is_true(name, &values[0]) ? PgBsonSelectWhere(command.select) : where_one(&command, &sort));
}

char *
PgBsonCommandFindAndModify(const PgBsonTarget *target, const PgBsonValue *const *arguments)
{
	static const char *name = "findAndModify";
	enum
	{
		QUERY, SORT, REMOVE, UPDATE, NEW, FIELDS, UPSERT, FILTERS, LET, COLLATION, COUNT
	};
	PgBsonValue values[COUNT];
	PgBsonValue *query = &values[QUERY];
	PgBsonTarget with;
	Command		command;
	const char *statement;
	const char *returned;
	bool		removes;
	bool		returns_new;
	bool		upserts;

	read_options(name, arguments[0], "query sort remove update new fields upsert arrayFilters let collation", values);
	if (query->type == PGBSON_MISSING)
		*query = PgBsonMakeDocument(NULL);
	removes = is_true(name, &values[REMOVE]);
	returns_new = is_true(name, &values[NEW]);
	upserts = is_true(name, &values[UPSERT]);
	if (removes == (values[UPDATE].type != PGBSON_MISSING))
		PgBsonReportInvalid(errmsg("bson command \"%s\" needs \"remove\" or \"update\", not both", name));
	if (removes && (returns_new || upserts || values[FILTERS].type != PGBSON_MISSING))
		PgBsonReportInvalid(errmsg("bson command \"%s\" with \"remove\" has no \"new\", \"upsert\" or \"arrayFilters\"", name));
	with = with_options(target, &values[LET], &values[COLLATION]);
	values[UPDATE] = PgBsonLetInUpdate(&with.let, &values[UPDATE]);
	command = begin(name, &with, query);
	returned = command.select->document.base;
	if (removes)
		statement = psprintf("DELETE FROM %s%s", command.select->clauses.from, where_one(&command, &values[SORT]));
	else
	{
		check_update(name, &values[UPDATE], &values[FILTERS], false);
		if (upserts)
		{
			if (!returns_new)
				PgBsonReportUnsupported(errmsg("bson command \"%s\" with \"upsert\" returns the new document only", name),
										errhint("Add the option \"new\"."));
			statement = upsert_sql(&command, &values[UPDATE], &values[FILTERS]);
		}
		else if (returns_new)
			statement = psprintf("UPDATE %s SET %s%s", command.select->clauses.from, set_sql(&command, &values[UPDATE], &values[FILTERS]),
								 where_one(&command, &values[SORT]));
		else
		{
			/* the document as it was: RETURNING has it only from PostgreSQL 18 on */
			need_unique_id(&command);
			returned = "found.data";
			statement = psprintf("WITH found AS (\n%s\n)\nUPDATE %s SET %s\nFROM found\nWHERE %s",
								 PgBsonSqlIndent(locked_sql(&command, &values[SORT], true)), command.select->clauses.from,
								 set_sql(&command, &values[UPDATE], &values[FILTERS]),
								 PgBsonSql(command.all, "%s OPERATOR(#=) (found.data OPERATOR(#->) '_id')", command.id));
		}
	}
	if (values[FIELDS].type != PGBSON_MISSING)
	{
		values[FIELDS] = PgBsonLetInFields(&with.let, &values[FIELDS]);
		(void) PgBsonProjectionParse(&values[FIELDS], &command.query);
		returned = PgBsonSql(command.all, "#bson_project(%s, %s, %s)", returned, PgBsonSqlArgument(command.all->schema, &values[FIELDS]),
							 PgBsonSqlArgument(command.all->schema, &command.query));
	}
	return psprintf("%s\nRETURNING %s AS data", statement, returned);
}

char *
PgBsonCommandDistinct(const PgBsonTarget *target, const char *field, uint32 len, const PgBsonValue *filter)
{
	Command		command = begin("distinct", target, filter);
	PgBsonNames names = PgBsonNestedSplit(field, len, "the field of bson command \"distinct\"");

	return PgBsonSql(command.all, "SELECT DISTINCT %sv.data\nFROM %s, #bson_path_query(%s, %s::pg_catalog.jsonpath) AS v(data)%s",
					 command.all->collation == NULL ? "" : psprintf("ON (%s) ", PgBsonCollatedSql(command.all, "v.data")), command.select->clauses.from, command.select->document.base, PgBsonSqlJsonpath(&names), PgBsonSelectWhere(command.select));
}

char *
PgBsonCommandCount(const PgBsonTarget *target, const PgBsonValue *const *arguments)
{
	Command		command = begin("count", target, arguments[0]);

	return psprintf("SELECT pg_catalog.count(*)\nFROM %s%s", command.select->clauses.from, PgBsonSelectWhere(command.select));
}

/* $merge and $out */

/* The name of a collection, "name" or {db: schema, coll: name}, as a string: "schema.name" */
static PgBsonValue
collection_of(const char *stage, const PgBsonValue *into)
{
	PgBsonValue db;
	PgBsonValue coll;
	const char *s;
	const char *t;
	char	   *name;
	uint32		len;
	uint32		coll_len;

	if (into->type == PGBSON_STRING)
		return *into;
	PgBsonStageOptions(stage, into, "db:s coll:s!", &db, &coll);
	if (db.type == PGBSON_MISSING)
		return coll;
	s = PgBsonValueString(&db, &len);
	if (len == 0 || memchr(s, '.', len) != NULL)
		PgBsonStageWrong(stage, gettext_noop("\"db\" must be the name of a schema, without a dot."));
	/* not a C string: U+0000 in a name is refused where the name is used */
	t = PgBsonValueString(&coll, &coll_len);
	name = palloc(len + 1 + coll_len);
	memcpy(name, s, len);
	name[len] = '.';
	memcpy(name + len + 1, t, coll_len);
	return PgBsonMakeString(name, len + 1 + coll_len);
}

/* The paths of "on", of which *by_id tells whether _id is one */
static PgBsonValue
on_of(const Command *command, const PgBsonValue *on, bool *by_id)
{
	PgBsonValue id = PgBsonMakeString("_id", 3);
	PgBsonValue array = on->type == PGBSON_ARRAY ? *on : PgBsonMakeArray(on->type == PGBSON_MISSING ? &id : on, 1);

	*by_id = false;
	PgBsonForEach(iter, PgBsonValueView(&array))
	{
		if (iter.value.type != PGBSON_STRING)
			PgBsonStageWrong(command->name, gettext_noop("\"on\" must be a path, or an array of paths."));
		*by_id |= PgBsonOptionIs(&iter.value, "_id");
	}
	if (PgBsonViewCount(PgBsonValueView(&array)) == 0)
		PgBsonStageWrong(command->name, gettext_noop("\"on\" must be a path, or an array of paths."));
	return array;
}

/*
 * The paths of "on": if "other" is NULL, as the columns of ON CONFLICT, (data -> 'a'), (data -> 'b' -> 'c');
 * else as a condition: that the document "other" has all these fields, or that they equal those of the table's
 * document.
 */
static const char *
on_sql(const Command *command, const PgBsonValue *on, const char *other, bool has)
{
	const PgBsonTranslation *all = command->all;
	List	   *parts = NIL;

	PgBsonForEach(iter, PgBsonValueView(on))
	{
		const char *chain = "";
		uint32		len;
		const char *s = PgBsonValueString(&iter.value, &len);
		PgBsonNames names = PgBsonNestedSplit(s, len, "\"on\"");

		for (int i = 0; i < names.count; i++)
			chain = PgBsonSql(all, "%s OPERATOR(#->) %s", chain, PgBsonSqlText(names.names[i].key, names.names[i].key_len));
		parts = lappend(parts, other == NULL ? psprintf("(%s%s)", command->column, chain) :
						has ? PgBsonSql(all, "#bson_key_value(%s%s, true) IS NOT NULL", other, chain) :
						PgBsonSql(all, "(%s%s) OPERATOR(#=) (%s%s)", command->select->document.base, chain, other, chain));
	}
	return PgBsonSqlJoin(parts, other == NULL ? ", " : " AND ");
}

/* The new value of a document of the table when the document "new" comes; NULL if it stays, or that is an error */
static const char *
matched_sql(const Command *command, const PgBsonValue *matched, const PgBsonValue *let, const char *new)
{
	const PgBsonTranslation *all = command->all;
	const char *old = command->select->document.base;
	PgBsonValue own;

	if (matched->type == PGBSON_ARRAY)
	{
		(void) PgBsonPipelineParse(matched, true);
		if (let->type == PGBSON_DOCUMENT && PgBsonFindKey(PgBsonValueView(let), "new", 3, &own) && !PgBsonOptionIs(&own, "$$ROOT"))
			PgBsonStageWrong(command->name, gettext_noop("The variable \"new\" of \"let\" must be \"$$ROOT\"."));
		/* the _id stays, also if the pipeline leaves it out */
		return PgBsonSql(all, "#bson_update(%s, #bson_transform(%s, %s, #bson_build_object('NOW', pg_catalog.now(), 'new', %s)%s))", old, old,
						 PgBsonSqlArgument(all->schema, matched), new, let->type == PGBSON_MISSING ? "" :
						 PgBsonSql(all, " OPERATOR(#||) #bson_let(%s, %s)", new, PgBsonSqlArgument(all->schema, let)));
	}
	if (let->type != PGBSON_MISSING)
		PgBsonStageWrong(command->name, gettext_noop("\"let\" is for a pipeline as \"whenMatched\"."));
	if (matched->type == PGBSON_MISSING || PgBsonOptionIs(matched, "merge"))
		return PgBsonSql(all, "%s OPERATOR(#||) %s", old, new);
	if (PgBsonOptionIs(matched, "replace"))
		return PgBsonSql(all, "#bson_update(%s, %s)", old, new);
	if (PgBsonOptionIs(matched, "keepExisting") || PgBsonOptionIs(matched, "fail"))
		return NULL;
	PgBsonStageWrong(command->name, gettext_noop("\"whenMatched\" must be merge, replace, keepExisting, fail, or a pipeline."));
}

/* A name of a table or schema that is to be made, quoted.  CREATE TABLE would shorten a long one without an error. */
static char *
new_identifier(const char *stage, const char *name)
{
	if (*name == '\0')
		PgBsonStageWrong(stage, gettext_noop("The name of a collection, and of its schema, must not be empty."));
	if (strlen(name) >= NAMEDATALEN)
		ereport(ERROR,
				(errcode(ERRCODE_NAME_TOO_LONG),
				 errmsg("name in stage \"%s\" of a bson pipeline is too long: \"%s\"", stage, name),
				 errdetail("The name of a table or schema has %d bytes at most.", NAMEDATALEN - 1)));
	return PgBsonSqlIdentifier(name);
}

/* The name of a collection as that of a table that is to be made */
static const char *
table_sql(const char *stage, const PgBsonValue *into)
{
	uint32		len;
	const char *s = PgBsonValueString(into, &len);
	const char *text = PgBsonToServerText(s, &len);
	char	   *name = pnstrdup(text, len);
	char	   *dot = strchr(name, '.');

	if (dot == NULL)
		return new_identifier(stage, name);
	*dot = '\0';
	return psprintf("%s.%s", new_identifier(stage, name), new_identifier(stage, dot + 1));
}

/* The text around a statement that creates the table which it fills */
typedef struct Around
{
	const char *before;
	const char *after;
} Around;

static char *
merge_sql(Command *command, const PgBsonValue *operand, const char *documents, Around *around)
{
	PgBsonValue into;
	PgBsonValue on;
	PgBsonValue let;
	PgBsonValue matched;
	PgBsonValue not_matched;
	bool		by_id;
	bool		inserts;
	const char *new;
	const char *set;

	if (operand->type == PGBSON_STRING)
		into = on = let = matched = not_matched = PgBsonMissing;
	else
		PgBsonStageOptions(command->name, operand, "into on let? whenMatched whenNotMatched", &into, &on, &let, &matched, &not_matched);
	into = collection_of(command->name, operand->type == PGBSON_STRING ? operand : &into);
	if (let.type != PGBSON_MISSING)
		(void) PgBsonLetParse(&let);
	inserts = not_matched.type == PGBSON_MISSING || PgBsonOptionIs(&not_matched, "insert");
	if (!inserts && !PgBsonOptionIs(&not_matched, "discard") && !PgBsonOptionIs(&not_matched, "fail"))
		PgBsonStageWrong(command->name, gettext_noop("\"whenNotMatched\" must be insert, discard or fail."));
	on = on_of(command, &on, &by_id);
	if (inserts && by_id && PgBsonViewCount(PgBsonValueView(&on)) == 1 && !OidIsValid(PgBsonParseFind(&into)))
	{
		/* all documents are new; the table gets the index and the _id that every collection of MongoDB has */
		around->before = psprintf("CREATE TABLE %s AS\n", table_sql(command->name, &into));
		around->after = psprintf(";\nCREATE UNIQUE INDEX ON %s (%s);\nALTER TABLE %s ADD CHECK (%s)", table_sql(command->name, &into), PgBsonSql(command->all, "(data OPERATOR(#->) '_id')"),
								 table_sql(command->name, &into), PgBsonSql(command->all, "(#bson_typeof(data OPERATOR(#->) '_id') OPERATOR(pg_catalog.<>) 'array') IS TRUE"));
		return unconstify(char *, documents);
	}
	select_from(command, PgBsonParseNamed(command->parse, &into, true), NULL, &PgBsonMissing);
	if (!by_id)
		documents = psprintf("%s\nWHERE %s", documents, on_sql(command, &on, "w.data", true));

	/* if the _id is not in "on", the document in the table keeps its own; that of the new one may have been made here */
	new = inserts ? psprintf("excluded.%s", command->column) : "s.data";
	set = matched_sql(command, &matched, &let, by_id ? new : PgBsonSql(command->all, "(%s OPERATOR(#-) '_id')", new));
	if (inserts)
		/* without ON CONFLICT the index raises the error */
		return psprintf("INSERT INTO %s (%s)\n%s%s", command->select->clauses.from, command->column, documents, PgBsonOptionIs(&matched, "fail") ? "" :
						psprintf("\nON CONFLICT (%s) DO %s", on_sql(command, &on, NULL, false), set == NULL ? "NOTHING" :
								 psprintf("UPDATE SET %s = %s", command->column, set)));
	if (set == NULL)
		PgBsonStageWrong(command->name, gettext_noop("\"keepExisting\" and \"fail\" need \"whenNotMatched\" to be insert."));
	return psprintf("MERGE INTO %s\nUSING (\n%s\n) AS s ON %s\nWHEN MATCHED THEN UPDATE SET %s = %s%s", command->select->clauses.from, documents,
					on_sql(command, &on, "s.data", false), command->column, set, PgBsonOptionIs(&not_matched, "discard") ? "" :
					PgBsonSql(command->all, command->all->is_old ? "\nWHEN NOT MATCHED THEN INSERT (%s) VALUES (#bson_eval(s.data, #bson '{\"$switch\": {\"branches\": [{\"case\": false, \"then\": \"whenNotMatched: fail\"}]}}'))" :
							  "\nWHEN NOT MATCHED THEN INSERT (%s) VALUES (#bson_unmatched(s.data))", command->column));
}

char *
PgBsonCommandPipeline(const PgBsonTarget *target, const PgBsonValue *pipeline, const char **before, const char **after)
{
	PgBsonValue *stages = NULL;
	PgBsonValue rest;
	PgBsonIter	last;
	int			count = 0;
	Command		command = {NULL};
	Around		around = {"", ""};
	char	   *statement;

	*before = *after = "";
	if (pipeline->type == PGBSON_ARRAY)
		stages = PgBsonValuesOf(pipeline, &count);
	if (count == 0 || stages[count - 1].type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(&stages[count - 1])) != 1 ||
		!PgBsonFirst(&stages[count - 1], &last) || !(PgBsonIterIs(&last, "$merge") || PgBsonIterIs(&last, "$out")))
		return PgBsonTranslatePipeline(target, pipeline, NULL);
	rest = PgBsonMakeArray(stages, count - 1);
	prepare(&command, PgBsonIterIs(&last, "$merge") ? "$merge" : "$out", target);
	/* a document without an _id gets one, as in MongoDB */
	statement = PgBsonSql(command.all, "SELECT CASE WHEN w.data OPERATOR(#?) '_id' THEN w.data ELSE #bson_build_object('_id', #bson_objectid()) OPERATOR(#||) w.data END AS data\nFROM (\n%s\n) AS w",
						  PgBsonSqlIndent(PgBsonTranslatePipeline(target, &rest, NULL)));
	if (PgBsonIterIs(&last, "$merge"))
		statement = merge_sql(&command, &last.value, statement, &around);
	else
	{
		PgBsonValue into = collection_of(command.name, &last.value);

		around.before = psprintf("CREATE TABLE %s AS\n", table_sql(command.name, &into));
	}
	*before = around.before;
	*after = around.after;
	return statement;
}
