/*
 * merge_stage.c
 *	  $merge and $out, the last stages of pipelines that write: INSERT ... ON CONFLICT, MERGE or CREATE TABLE AS.
 *
 * See src/mongo/db/pipeline/document_source_merge.cpp of MongoDB.
 */
#include "pipeline/command.h"

#include "mongo/update/update.h"

/* The operand of $merge */
typedef struct MergeOptions
{
	PgBsonValue into;			/* the name of a collection, a string */
	PgBsonValue on;				/* an array of paths */
	bool		by_id;			/* _id is one of them */
	PgBsonValue let;
	PgBsonValue matched;
	bool		inserts;		/* whenNotMatched: insert, discard or fail */
	bool		discards;
} MergeOptions;

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

/* Read "on" as an array of paths */
static void
read_on_paths(const char *stage, MergeOptions *options)
{
	PgBsonValue id = PgBsonMakeString("_id", 3);
	bool		wrong;

	if (options->on.type != PGBSON_ARRAY)
		options->on = PgBsonMakeArray(options->on.type == PGBSON_MISSING ? &id : &options->on, 1);
	wrong = PgBsonIsEmpty(&options->on);
	PgBsonForEach(iter, PgBsonValueView(&options->on))
	{
		wrong |= iter.value.type != PGBSON_STRING;
		options->by_id |= PgBsonOptionIs(&iter.value, "_id");
	}
	if (wrong)
		PgBsonStageWrong(stage, gettext_noop("\"on\" must be a path, or an array of paths."));
}

static MergeOptions
read_merge(const char *stage, const PgBsonValue *operand)
{
	MergeOptions options = {*operand, PgBsonMissing, false, PgBsonMissing, PgBsonMissing};
	PgBsonValue not_matched = PgBsonMissing;

	if (operand->type != PGBSON_STRING)
		PgBsonStageOptions(stage, operand, "into on let? whenMatched whenNotMatched", &options.into, &options.on, &options.let,
						   &options.matched, &not_matched);
	options.into = collection_of(stage, &options.into);
	if (options.let.type != PGBSON_MISSING)
		(void) PgBsonLetParse(&options.let);
	options.inserts = not_matched.type == PGBSON_MISSING || PgBsonOptionIs(&not_matched, "insert");
	options.discards = PgBsonOptionIs(&not_matched, "discard");
	if (!options.inserts && !options.discards && !PgBsonOptionIs(&not_matched, "fail"))
		PgBsonStageWrong(stage, gettext_noop("\"whenNotMatched\" must be insert, discard or fail."));
	read_on_paths(stage, &options);
	return options;
}

/* For each path of "on" this format, of a document, "-> 'a' -> 'b'", another document, and the same again */
static char *
on_sql(const PgBsonCommandState *command, const PgBsonValue *on, const char *format, const char *document,
	   const char *other, const char *word)
{
	List	   *parts = NIL;

	PgBsonForEach(iter, PgBsonValueView(on))
	{
		List	   *steps = NIL;
		const char *chain;
		PgBsonNames names = PgBsonOperandPath(&iter.value, "\"on\"");

		for (int i = 0; i < names.count; i++)
			steps = lappend(steps, PgBsonSql(command->all, " OPERATOR(#->) %s",
											 PgBsonSqlText(names.names[i].key, names.names[i].key_len)));
		chain = PgBsonSqlJoin(steps, "");
		parts = lappend(parts, PgBsonSql(command->all, format, document, chain, other, chain));
	}
	return PgBsonSqlJoin(parts, word);
}

/* The new value of a document of the table when the document "new" comes; NULL if it stays, or that is an error */
static char *
matched_sql(const PgBsonCommandState *command, const MergeOptions *options, const char *new)
{
	const PgBsonTranslation *all = command->all;
	const PgBsonValue *matched = &options->matched;
	const PgBsonValue *let = &options->let;
	const char *old = command->document;
	PgBsonValue own;

	if (matched->type == PGBSON_ARRAY)
	{
		(void) PgBsonPipelineParse(matched, true);
		if (PgBsonFindField(let, "new", &own) && !PgBsonOptionIs(&own, "$$ROOT"))
			PgBsonStageWrong(command->name, gettext_noop("The variable \"new\" of \"let\" must be \"$$ROOT\"."));
		/* the _id stays, also if the pipeline leaves it out */
		return PgBsonSql(all, "#bson_update(%s, #bson_transform(%s, %s, #bson_build_object('NOW', pg_catalog.now(), 'new', %s)%s))",
						 old, old, PgBsonSqlArgument(all, matched), new, let->type == PGBSON_MISSING ? "" :
						 PgBsonSql(all, " OPERATOR(#||) #bson_let(%s, %s)", new, PgBsonSqlArgument(all, let)));
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
		PgBsonReport(ERRCODE_NAME_TOO_LONG,
					 errmsg("name in stage \"%s\" of a bson pipeline is too long: \"%s\"", stage, name),
					 errdetail("The name of a table or schema has %d bytes at most.", NAMEDATALEN - 1));
	return PgBsonSqlIdentifier(name);
}

/* The name of a collection as that of a table that is to be made */
static char *
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

/* What comes behind the statement that fills a new table: the index and the _id that every collection of MongoDB has */
static char *
collection_sql(const PgBsonTranslation *all, const char *table)
{
	const char *id = PgBsonSql(all, "data OPERATOR(#->) $'_id'");

	return PgBsonSql(all, ";\nCREATE UNIQUE INDEX ON %s ((%s));\n"
					 "ALTER TABLE %s ADD CHECK ((#bson_typeof(%s) OPERATOR(pg_catalog.<>) 'array') IS TRUE)",
					 table, id, table, id);
}

/* INSERT or MERGE of the documents that a SELECT makes */
static char *
merge_sql(PgBsonCommandState *command, const MergeOptions *options, const char *documents)
{
	const PgBsonTranslation *all = command->all;
	const PgBsonValue *on = &options->on;
	const char *new;
	const char *set;
	const char *unmatched = "";

	PgBsonCommandOpen(command, PgBsonParseNamed(&command->statement->parse, &options->into, true));
	if (!options->by_id)
		documents = psprintf("%s\nWHERE %s", documents,
							 on_sql(command, on, "#bson_key_value(%s%s, true) IS NOT NULL", "w.data", NULL, " AND "));

	/* if the _id is not in "on", the document in the table keeps its own; that of the new one may have been made here */
	new = options->inserts ? psprintf("excluded.%s", command->column) : "s.data";
	set = matched_sql(command, options, options->by_id ? new : PgBsonSql(all, "(%s OPERATOR(#-) $'_id')", new));
	if (set != NULL)
		set = psprintf("UPDATE SET %s = %s", command->column, set);
	if (options->inserts)
	{
		const char *insert = psprintf("INSERT INTO %s (%s)\n%s", command->table, command->column, documents);

		/* without ON CONFLICT the index raises the error */
		return PgBsonOptionIs(&options->matched, "fail") ? unconstify(char *, insert) :
			psprintf("%s\nON CONFLICT (%s) DO %s", insert, on_sql(command, on, "(%s%s)", command->column, NULL, ", "),
					 set == NULL ? "NOTHING" : set);
	}
	if (set == NULL)
		PgBsonStageWrong(command->name, gettext_noop("\"keepExisting\" and \"fail\" need \"whenNotMatched\" to be insert."));
	if (!options->discards)
		unmatched = PgBsonSql(all, all->is_old ? "\nWHEN NOT MATCHED THEN INSERT (%s) VALUES (#bson_eval(s.data, #bson "
							  "'{\"$switch\": {\"branches\": [{\"case\": false, \"then\": \"whenNotMatched: fail\"}]}}'))" :
							  "\nWHEN NOT MATCHED THEN INSERT (%s) VALUES (#bson_unmatched(s.data))", command->column);
	return psprintf("MERGE INTO %s\nUSING (\n%s\n) AS s ON %s\nWHEN MATCHED THEN %s%s", command->table, documents,
					on_sql(command, on, "(%s%s) OPERATOR(#=) (%s%s)", command->document, "s.data", " AND "), set, unmatched);
}

/* The last stage of a pipeline, if it is $merge or $out; *rest is set to a pipeline of the others */
static bool
split_last(const PgBsonValue *pipeline, PgBsonIter *last, PgBsonValue *rest)
{
	PgBsonValue *stages = NULL;
	int			count = 0;

	if (pipeline->type == PGBSON_ARRAY)
		stages = PgBsonValuesOf(pipeline, &count);
	if (count == 0 || !PgBsonOnlyField(&stages[count - 1], last) ||
		!(PgBsonIterIs(last, "$merge") || PgBsonIterIs(last, "$out")))
		return false;
	*rest = PgBsonMakeArray(stages, count - 1);
	return true;
}

char *
PgBsonCommandPipeline(const PgBsonTarget *target, const PgBsonValue *pipeline, const char **before, const char **after)
{
	PgBsonCommandState command = {"$merge", PgBsonStatementBegin(target)};
	MergeOptions options = {.by_id = true};
	PgBsonIter	last;
	PgBsonValue rest;
	char	   *documents;
	bool		merges;

	*before = *after = "";
	if (!split_last(pipeline, &last, &rest))
		return PgBsonTranslatePipeline(target, pipeline, NULL);
	command.all = &command.statement->all;
	/* a document without an _id gets one, as in MongoDB */
	documents = PgBsonSql(command.all, "SELECT CASE WHEN w.data OPERATOR(#?) $'_id' THEN w.data "
						  "ELSE #bson_build_object('_id', #bson_objectid()) OPERATOR(#||) w.data END AS data\nFROM (\n%s\n) AS w",
						  PgBsonSqlIndent(PgBsonTranslatePipeline(target, &rest, NULL)));
	merges = PgBsonIterIs(&last, "$merge");
	if (merges)
		options = read_merge(command.name, &last.value);
	else
		options.into = collection_of(command.name = "$out", &last.value);
	/* into a table that is not there yet all documents are new, if they are told apart by their _id */
	if (merges && !(options.inserts && options.by_id && PgBsonViewCount(PgBsonValueView(&options.on)) == 1 &&
					!OidIsValid(PgBsonParseFind(&options.into))))
		return merge_sql(&command, &options, documents);
	*before = psprintf("CREATE TABLE %s AS\n", table_sql(command.name, &options.into));
	if (merges)
		*after = collection_sql(command.all, table_sql(command.name, &options.into));
	return documents;
}
