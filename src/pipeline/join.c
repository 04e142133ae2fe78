/*
 * join.c
 *	  Stages that read other tables, or have pipelines of their own.
 *
 * See src/mongo/db/pipeline/document_source_lookup.cpp,
 * document_source_union_with.cpp and document_source_facet.cpp of MongoDB.
 */
#include "pipeline/join.h"

#include "core/bytes/recode.h"
#include "miscadmin.h"
#include "core/number/number.h"
#include "mongo/stage/lookup.h"
#include "mongo/stage/unwind.h"
#include "pipeline/operand.h"
#include "pipeline/source.h"
#include "pipeline/sql_text.h"
#include "pipeline/stage.h"

/* Pipelines without a collection */

/* The first stage, which is to be $documents; the rest as a pipeline of their own */
static PgBsonValue
split_documents(const PgBsonValue *pipeline, PgBsonValue *documents)
{
	PgBsonExprMaker maker;
	PgBsonIter	iter;
	PgBsonIter	stage;

	if (pipeline->type != PGBSON_ARRAY)
		PgBsonStageWrong("$documents", gettext_noop("A pipeline without a collection must be an array that begins with it."));
	PgBsonIterInit(&iter, PgBsonValueView(pipeline));
	if (PgBsonIterNext(&iter) && iter.value.type == PGBSON_DOCUMENT)
	{
		PgBsonIterInit(&stage, PgBsonValueView(&iter.value));
		if (PgBsonIterNext(&stage) && PgBsonIterIs(&stage, "$documents"))
		{
			*documents = stage.value;
			if (PgBsonIterNext(&stage))
				PgBsonStageWrong("$documents", gettext_noop("A stage has one field, its name."));
			PgBsonExprOpen(&maker, pipeline->len);
			while (PgBsonIterNext(&iter))
				PgBsonExprPush(&maker, &iter.value);
			return PgBsonExprClose(&maker, PGBSON_ARRAY);
		}
	}
	PgBsonStageWrong("$documents", gettext_noop("It must be the first stage of a pipeline without a collection."));
}

/* Elements of an array that cannot be documents, whatever is read */
static void
check_documents(const PgBsonValue *documents)
{
	PgBsonIter	iter;
	uint32		len;

	if (documents->type != PGBSON_ARRAY)
		return;
	PgBsonIterInit(&iter, PgBsonValueView(documents));
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		if (iter.value.type != PGBSON_DOCUMENT &&
			!(iter.value.type == PGBSON_STRING && PgBsonValueString(&iter.value, &len)[0] == '$'))
			PgBsonStageWrong("$documents", gettext_noop("An array of documents is expected."));
	}
}

/* What $documents makes, and the stages behind it */
static PgBsonSelect *
select_documents(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonValue *pipeline, PgBsonValue *rest)
{
	PgBsonValue documents;
	char	   *alias = PgBsonSelectAlias(all);
	PgBsonSelect *select = PgBsonSelectNew(all, scope, NULL, NULL);
	bool		varies;

	*rest = split_documents(pipeline, &documents);
	varies = PgBsonOperandVaries(scope, PgBsonExpressionParse(&documents));
	check_documents(&documents);
	all->nstages++;
	select->from = PgBsonSql(all, "#bson_array_elements(#bson_eval('{}', %s%s)) AS %s(data)",
							 PgBsonSqlConstant(all->schema, &documents), varies ? PgBsonOperandVariables(select) : "", alias);
	select->base = psprintf("%s.data", alias);
	return select;
}

PgBsonSelect *
PgBsonJoinDocuments(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonValue *pipeline)
{
	PgBsonValue rest;
	PgBsonSelect *select = select_documents(all, scope, pipeline, &rest);

	PgBsonStagesAdd(select, &rest);
	return select;
}

/* A table that a stage names; *document is its column */
static PgBsonSelect *
select_from(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonValue *from)
{
	PgBsonSource source = PgBsonSourceNamed(from, all->column, all->type);
	char	   *alias = PgBsonSelectAlias(all);

	return PgBsonSelectNew(all, scope, psprintf("%s AS %s", source.name, alias), psprintf("%s.%s", alias, source.column));
}

/* $lookup */

typedef struct Lookup
{
	PgBsonValue from;
	PgBsonValue local;
	PgBsonValue foreign;
	PgBsonValue let;
	PgBsonValue pipeline;
	PgBsonValue as;
} Lookup;

static void
need_string(const char *stage, const PgBsonValue *value)
{
	if (value->type != PGBSON_STRING)
		PgBsonStageWrong(stage, gettext_noop("The names of collections and fields must be strings."));
}

/* A path that a stage names, in SQL */
static const char *
path_sql(const PgBsonValue *path, const char *what)
{
	uint32		len;
	const char *s = PgBsonValueString(path, &len);

	(void) PgBsonNestedSplit(s, len, what);
	return PgBsonSqlText(s, len);
}

static bool
is_empty(const PgBsonValue *string)
{
	uint32		len = 1;

	if (string->type == PGBSON_STRING)
		(void) PgBsonValueString(string, &len);
	return len == 0;
}

static void
parse_lookup(Lookup *lookup, const char *name, const PgBsonValue *operand)
{
	PgBsonIter	iter;

	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(name, gettext_noop("A document is expected."));
	lookup->from = lookup->local = lookup->foreign = lookup->let = lookup->pipeline = lookup->as = PgBsonExprMissing();
	PgBsonIterInit(&iter, PgBsonValueView(operand));
	while (PgBsonIterNext(&iter))
	{
		PgBsonValue *option = PgBsonIterIs(&iter, "from") ? &lookup->from :
			PgBsonIterIs(&iter, "localField") ? &lookup->local :
			PgBsonIterIs(&iter, "foreignField") ? &lookup->foreign :
			PgBsonIterIs(&iter, "as") ? &lookup->as :
			PgBsonIterIs(&iter, "let") ? &lookup->let :
			PgBsonIterIs(&iter, "pipeline") ? &lookup->pipeline : NULL;

		if (option == NULL)
			PgBsonStageUnknown(name, &iter);
		if (option->type != PGBSON_MISSING)
			PgBsonStageWrong(name, gettext_noop("A field is there twice."));
		/* as if it were not there */
		if (iter.value.type == PGBSON_NULL && (option == &lookup->let || option == &lookup->local || option == &lookup->foreign))
			continue;
		*option = iter.value;
		if (option != &lookup->let && option != &lookup->pipeline)
			need_string(name, &iter.value);
	}
	if (is_empty(&lookup->local) && is_empty(&lookup->foreign))
		lookup->local = lookup->foreign = PgBsonExprMissing();
	if (lookup->as.type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("It needs the field \"as\"."));
	if ((lookup->local.type == PGBSON_MISSING) != (lookup->foreign.type == PGBSON_MISSING))
		PgBsonStageWrong(name, gettext_noop("\"localField\" and \"foreignField\" belong together."));
	if (lookup->local.type == PGBSON_MISSING && lookup->pipeline.type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("It needs \"localField\" and \"foreignField\", or \"pipeline\"."));
	if (lookup->let.type != PGBSON_MISSING && lookup->pipeline.type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("\"let\" is for a \"pipeline\"."));
	if (lookup->from.type == PGBSON_MISSING && lookup->pipeline.type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("It needs the field \"from\"."));
}

/*
 * The documents of the other table that have one of the values.  An _id is
 * never an array or missing, so an ordinary index on it serves; for other fields
 * an index that serves @~ does.
 */
static const char *
equality_sql(PgBsonTranslation *all, const Lookup *lookup, const char *document, const char *other)
{
	const char *local = path_sql(&lookup->local, "\"localField\" of stage \"$lookup\"");
	const char *foreign = path_sql(&lookup->foreign, "\"foreignField\" of stage \"$lookup\"");

	if (strcmp(foreign, "'_id'") == 0)
		return PgBsonSql(all, "(%s OPERATOR(#->) '_id') OPERATOR(#=) ANY (#bson_lookup_values(%s, %s))", other, document, local);
	return PgBsonSql(all, "%s OPERATOR(#@~) #bson_lookup_query(%s, %s, %s)", other, document, local, foreign);
}

/* Is it nothing but an equality with the other table's _id? */
static bool
is_by_id(const Lookup *lookup)
{
	uint32		len = 0;
	const char *foreign = lookup->foreign.type == PGBSON_STRING ? PgBsonValueString(&lookup->foreign, &len) : NULL;

	return PgBsonKeyIs(foreign, len, "_id") && lookup->from.type != PGBSON_MISSING && lookup->pipeline.type == PGBSON_MISSING;
}

/* The scope of a pipeline with variables of its own, which are a column of the SELECT from here on */
static PgBsonScope *
let_scope(PgBsonSelect *select, const PgBsonValue *let)
{
	PgBsonScope *scope = palloc0_object(PgBsonScope);
	PgBsonLet  *parsed = PgBsonLetParse(let);
	PgBsonIter	iter;
	const char *level;

	for (int i = 0; i < parsed->count; i++)
		(void) PgBsonOperandVaries(select->scope, parsed->expressions[i]);
	level = PgBsonSelectLevel(select, PgBsonSql(select->all, "#bson_let(%s, %s%s) AS variables", PgBsonSelectDocument(select),
												PgBsonSqlConstant(select->all->schema, let), PgBsonOperandVariables(select)));
	scope->variables = psprintf("%s.variables", level);
	scope->names = list_copy(select->scope->names);
	PgBsonIterInit(&iter, PgBsonValueView(let));
	while (PgBsonIterNext(&iter))
	{
		PgBsonKeyRef *ref = palloc_object(PgBsonKeyRef);

		ref->key = iter.key;
		ref->len = iter.key_len;
		scope->names = lappend(scope->names, ref);
	}
	return scope;
}

/* An array of what a SELECT returns */
static const char *
array_of(PgBsonSelect *select)
{
	return PgBsonSql(select->all, "#array_to_bson(ARRAY(\n%s\n))", PgBsonSqlIndent(PgBsonSelectText(select)));
}

/* Is the next stage an $unwind of this field, without an index?  Then it is taken. */
static PgBsonUnwind *
take_unwind(PgBsonSelect *select, const PgBsonValue *as)
{
	PgBsonIter	next = select->next;
	PgBsonIter	stage;
	PgBsonUnwind *unwind;
	const PgBsonKeyRef *first;
	uint32		len;
	const char *path;

	if (!PgBsonIterNext(&next) || next.value.type != PGBSON_DOCUMENT)
		return NULL;
	PgBsonIterInit(&stage, PgBsonValueView(&next.value));
	if (!PgBsonIterNext(&stage) || !PgBsonIterIs(&stage, "$unwind"))
		return NULL;
	unwind = PgBsonUnwindParse(&stage.value);
	if (PgBsonIterNext(&stage) || unwind->with_index)
		return NULL;
	/* the names lie one behind the other, as they were written */
	path = PgBsonValueString(as, &len);
	first = &unwind->path.names[0];
	if (first[unwind->path.count - 1].key + first[unwind->path.count - 1].len - first->key != len ||
		memcmp(first->key, path, len) != 0)
		return NULL;
	select->next = next;
	select->all->nstages++;
	return unwind;
}

/*
 * $lookup by _id and $unwind: a join by values, which may be a hash join.  A
 * document has one _id, and each value is there once, so none is found twice.
 */
static void
join_by_id(PgBsonSelect *select, const PgBsonSelect *other, const Lookup *lookup)
{
	PgBsonTranslation *all = select->all;
	const char *as = path_sql(&lookup->as, "\"as\" of stage \"$lookup\"");
	uint32		len;
	const char *name = PgBsonValueString(&lookup->as, &len);
	const char *level;

	select->unwinds = true;
	level = PgBsonSelectLevel(select, PgBsonSql(all, "pg_catalog.unnest(#bson_lookup_values(%s, %s)) AS id", PgBsonSelectDocument(select),
												path_sql(&lookup->local, "\"localField\" of stage \"$lookup\"")));
	select->from = PgBsonSql(all, "%s JOIN %s ON (%s OPERATOR(#->) '_id') OPERATOR(#=) %s.id", level, other->from, other->base, level);
	if (memchr(name, '.', len) == NULL)
		PgBsonSelectPart(select, select->base, name, len, other->base);
	else
		PgBsonSelectCompute(select, PgBsonSql(all, "#bson_put(%s, %s, %s)", select->base, as, other->base));
}

/* $lookup and $unwind: a document for each that is found, which is a join */
static void
join_found(PgBsonSelect *select, PgBsonSelect *other, const PgBsonUnwind *unwind, const char *as, const PgBsonValue *path)
{
	PgBsonTranslation *all = select->all;
	char	   *alias = PgBsonSelectAlias(all);
	char	   *subquery = PgBsonSqlIndent(PgBsonSelectText(other));
	const char *found = PgBsonSql(all, "#bson_put(%s, %s, %s.data)", select->base, as, alias);

	if (!unwind->preserves)
		select->from = psprintf("%s CROSS JOIN LATERAL (\n%s\n) AS %s", select->from, subquery, alias);
	else
	{
		PgBsonExprMaker maker;
		PgBsonValue stages = PgBsonStagePair("$unset", path);

		PgBsonExprOpen(&maker, stages.len);
		PgBsonExprPush(&maker, &stages);
		stages = PgBsonExprClose(&maker, PGBSON_ARRAY);
		select->from = psprintf("%s LEFT JOIN LATERAL (\n%s\n) AS %s ON true", select->from, subquery, alias);
		found = PgBsonSql(all, "CASE WHEN %s.data IS NULL THEN #bson_transform(%s, %s) ELSE %s END", alias, select->base,
						  PgBsonSqlConstant(all->schema, &stages), found);
	}
	PgBsonSelectCompute(select, found);
}

void
PgBsonJoinAddLookup(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonTranslation *all = select->all;
	Lookup		lookup;
	const PgBsonScope *scope;
	PgBsonSelect *other;
	PgBsonUnwind *unwind;
	const char *as;

	parse_lookup(&lookup, name, operand);
	as = path_sql(&lookup.as, "\"as\" of stage \"$lookup\"");
	if (select->stages.count > 0 || select->computed || select->unwinds || select->grouped)
		(void) PgBsonSelectLevel(select, NULL);
	scope = select->scope;
	if (lookup.let.type != PGBSON_MISSING)
		scope = let_scope(select, &lookup.let);

	other = lookup.from.type == PGBSON_MISSING ? select_documents(all, scope, &lookup.pipeline, &lookup.pipeline) :
		select_from(all, scope, &lookup.from);
	if (lookup.local.type != PGBSON_MISSING)
		other->where = list_make1(unconstify(char *, equality_sql(all, &lookup, PgBsonSelectDocument(select), other->base)));
	if (lookup.pipeline.type != PGBSON_MISSING)
		PgBsonStagesAdd(other, &lookup.pipeline);
	/* not where the order counts, which a join need not keep */
	unwind = NULL;
	if (select->order == NULL && other->order == NULL && select->skip == 0 && select->limit < 0)
		unwind = take_unwind(select, &lookup.as);
	if (unwind != NULL && !unwind->preserves && is_by_id(&lookup))
		join_by_id(select, other, &lookup);
	else if (unwind != NULL)
		join_found(select, other, unwind, as, &lookup.as);
	else
		PgBsonSelectCompute(select, PgBsonSql(all, "#bson_put(%s, %s, %s)", PgBsonSelectDocument(select), as, array_of(other)));
}

/* $graphLookup */

typedef struct Graph
{
	PgBsonValue from;
	PgBsonValue start;
	PgBsonValue connect_from;
	PgBsonValue connect_to;
	PgBsonValue as;
	PgBsonValue depth;
	PgBsonValue max;
	PgBsonValue match;
} Graph;

static void
parse_graph(Graph *graph, const char *name, const PgBsonValue *operand)
{
	PgBsonIter	iter;
	int64		max;

	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(name, gettext_noop("A document is expected."));
	graph->from = graph->start = graph->connect_from = graph->connect_to = graph->as = graph->depth = graph->max =
		graph->match = PgBsonExprMissing();
	PgBsonIterInit(&iter, PgBsonValueView(operand));
	while (PgBsonIterNext(&iter))
	{
		PgBsonValue *option = PgBsonIterIs(&iter, "from") ? &graph->from :
			PgBsonIterIs(&iter, "startWith") ? &graph->start :
			PgBsonIterIs(&iter, "connectFromField") ? &graph->connect_from :
			PgBsonIterIs(&iter, "connectToField") ? &graph->connect_to :
			PgBsonIterIs(&iter, "as") ? &graph->as :
			PgBsonIterIs(&iter, "depthField") ? &graph->depth :
			PgBsonIterIs(&iter, "maxDepth") ? &graph->max :
			PgBsonIterIs(&iter, "restrictSearchWithMatch") ? &graph->match : NULL;

		if (option == NULL)
			PgBsonStageUnknown(name, &iter);
		*option = iter.value;
		if (option != &graph->start && option != &graph->max && option != &graph->match)
			need_string(name, &iter.value);
	}
	if (graph->from.type == PGBSON_MISSING || graph->start.type == PGBSON_MISSING || graph->as.type == PGBSON_MISSING ||
		graph->connect_from.type == PGBSON_MISSING || graph->connect_to.type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("It needs the fields \"from\", \"startWith\", \"connectFromField\", \"connectToField\" and \"as\"."));
	if (graph->max.type != PGBSON_MISSING &&
		(!PgBsonIsNumber(graph->max.type) || !PgBsonNumberToInt64(&graph->max, &max) || max < 0))
		PgBsonStageWrong(name, gettext_noop("\"maxDepth\" must be an integer that is not negative."));
	if (graph->match.type != PGBSON_MISSING && graph->match.type != PGBSON_DOCUMENT)
		PgBsonStageWrong(name, gettext_noop("\"restrictSearchWithMatch\" must be a document."));
}

/* What one round finds: documents that the query finds, with their _ids, but for those of the condition */
static char *
round_sql(PgBsonSelect *select, const Graph *graph, const char *docs, const char *path, const char *unseen)
{
	PgBsonTranslation *all = select->all;
	PgBsonSelect *other = select_from(all, select->scope, &graph->from);
	const char *id = PgBsonSql(all, "COALESCE(%s OPERATOR(#->) '_id', %s)", other->base, other->base);
	StringInfoData buf;
	ListCell   *lc;

	if (graph->match.type != PGBSON_MISSING)
		PgBsonStageMatch(other, &graph->match);
	initStringInfo(&buf);
	appendStringInfo(&buf, "SELECT %s AS data, %s AS id\nFROM %s\nWHERE %s",
					 other->base, id, other->from,
					 PgBsonSql(all, "%s OPERATOR(#@~) (SELECT #bson_graph_query(%s, %s, %s))", other->base, docs, path,
							   path_sql(&graph->connect_to, "\"connectToField\" of stage \"$graphLookup\"")));
	foreach(lc, other->where)
		appendStringInfo(&buf, "\n  AND %s", (char *) lfirst(lc));
	/* OFFSET has the long list of those that were seen looked through for those alone that the query finds */
	id = psprintf("SELECT pg_catalog.array_agg(f.data) AS docs, pg_catalog.array_agg(f.id) AS ids\nFROM (\n%s\n    OFFSET '0'\n) AS f%s",
				  PgBsonSqlIndent(buf.data), unseen == NULL ? "" : PgBsonSql(all, "\nWHERE NOT (f.id OPERATOR(#=) ANY (%s))", unseen));
	return PgBsonSqlIndent(id);
}

void
PgBsonJoinAddGraph(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonTranslation *all = select->all;
	Graph		graph;
	char	   *rounds;
	const char *start;
	const char *put;
	StringInfoData buf;
	PgBsonValue let;

	parse_graph(&graph, name, operand);
	if (select->stages.count > 0 || select->computed || select->unwinds || select->grouped)
		(void) PgBsonSelectLevel(select, NULL);
	let = PgBsonStagePair("startWith", &graph.start);
	(void) PgBsonOperandVaries(select->scope, PgBsonExpressionParse(&graph.start));
	start = PgBsonSql(all, "ARRAY[#bson_let(%s, %s%s)]", PgBsonSelectDocument(select), PgBsonSqlConstant(all->schema, &let),
					  PgBsonOperandVariables(select));
	rounds = psprintf("g%d", ++all->nlevels);
	put = psprintf("d.data");
	if (graph.depth.type != PGBSON_MISSING)
		put = PgBsonSql(all, "#bson_put(d.data, %s, #to_bson(%s.depth))",
						path_sql(&graph.depth, "\"depthField\" of stage \"$graphLookup\""), rounds);

	initStringInfo(&buf);
	appendStringInfo(&buf, "WITH RECURSIVE %s(depth, docs, ids) AS (\n", rounds);
	appendStringInfo(&buf, "    SELECT 0::pg_catalog.int8, n.docs, n.ids\n    FROM (\n%s\n    ) AS n\n    UNION ALL\n",
					 PgBsonSqlIndent(round_sql(select, &graph, start, "'startWith'", NULL)));
	appendStringInfo(&buf, "    SELECT %s.depth OPERATOR(pg_catalog.+) 1, n.docs, %s.ids OPERATOR(pg_catalog.||) n.ids\n    FROM %s CROSS JOIN LATERAL (\n%s\n    ) AS n\n    WHERE n.docs IS NOT NULL",
					 rounds, rounds, rounds,
					 PgBsonSqlIndent(round_sql(select, &graph, psprintf("%s.docs", rounds),
											   path_sql(&graph.connect_from, "\"connectFromField\" of stage \"$graphLookup\""),
											   psprintf("%s.ids", rounds))));
	if (graph.max.type != PGBSON_MISSING)
	{
		int64		max = 0;

		(void) PgBsonNumberToInt64(&graph.max, &max);
		appendStringInfo(&buf, " AND %s.depth OPERATOR(pg_catalog.<) " INT64_FORMAT, rounds, max);
	}
	appendStringInfo(&buf, "\n)\nSELECT %s\nFROM %s, pg_catalog.unnest(%s.docs) AS d(data)", put, rounds, rounds);
	PgBsonSelectCompute(select, PgBsonSql(all, "#bson_put(%s, %s, #array_to_bson(ARRAY(\n%s\n)))", PgBsonSelectDocument(select),
										  path_sql(&graph.as, "\"as\" of stage \"$graphLookup\""), PgBsonSqlIndent(buf.data)));
}

/* $unionWith */

/* Is there nothing in the SELECT but what $unionWith made?  Then another table joins the others. */
static bool
is_only_union(const PgBsonSelect *select)
{
	return select->union_name != NULL && select->from == select->union_name && !select->computed && !select->unwinds &&
		!select->grouped && select->stages.count == 0 && select->where == NIL && select->order == NULL &&
		select->skip == 0 && select->limit < 0;
}

void
PgBsonJoinAddUnion(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonTranslation *all = select->all;
	PgBsonValue from = PgBsonExprMissing();
	PgBsonValue pipeline = PgBsonExprMissing();
	PgBsonSelect *other;
	const char *level;
	PgBsonIter	iter;

	if (operand->type == PGBSON_STRING)
		from = *operand;
	else if (operand->type == PGBSON_DOCUMENT)
	{
		PgBsonIterInit(&iter, PgBsonValueView(operand));
		while (PgBsonIterNext(&iter))
		{
			if (PgBsonIterIs(&iter, "coll"))
			{
				need_string(name, &iter.value);
				from = iter.value;
			}
			else if (PgBsonIterIs(&iter, "pipeline"))
				pipeline = iter.value;
			else
				PgBsonStageUnknown(name, &iter);
		}
	}
	if (from.type == PGBSON_MISSING && pipeline.type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("A name, or a document with the fields \"coll\" and \"pipeline\", is expected."));

	if (from.type == PGBSON_MISSING)
		other = PgBsonJoinDocuments(all, select->scope, &pipeline);
	else
	{
		other = select_from(all, select->scope, &from);
		if (pipeline.type != PGBSON_MISSING)
			PgBsonStagesAdd(other, &pipeline);
	}

	if (is_only_union(select))
		level = select->from;
	else
	{
		/* the order of all documents is not defined */
		PgBsonSelectForgetOrder(select);
		(void) PgBsonSelectLevel(select, NULL);
		level = psprintf("s%d", ++all->nlevels);
		select->united = makeStringInfo();
		appendStringInfo(select->united, "SELECT %s AS data\nFROM %s", select->base, select->from);
	}
	appendStringInfo(select->united, "\nUNION ALL (\n%s\n)", PgBsonSqlIndent(PgBsonSelectText(other)));
	select->union_name = select->from = level;
	select->base = psprintf("%s.data", level);
	select->order = NULL;
	select->unwound = false;
}

/* $facet */

static void
check_facet(const char *name, const PgBsonValue *pipeline)
{
	PgBsonIter	iter;
	PgBsonIter	stage;

	if (pipeline->type != PGBSON_ARRAY)
		PgBsonStageWrong(name, gettext_noop("Each field must be a pipeline."));
	PgBsonIterInit(&iter, PgBsonValueView(pipeline));
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		if (iter.value.type != PGBSON_DOCUMENT)
			continue;
		PgBsonIterInit(&stage, PgBsonValueView(&iter.value));
		if (PgBsonIterNext(&stage) && PgBsonIterIs(&stage, "$documents"))
			PgBsonStageWrong(name, gettext_noop("A pipeline of it must not have the stage $documents."));
	}
}

void
PgBsonJoinAddFacet(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonTranslation *all = select->all;
	const char *input;
	List	   *names = NIL;
	List	   *values = NIL;
	PgBsonIter	iter;

	if (operand->type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(operand)) == 0)
		PgBsonStageWrong(name, gettext_noop("A document with at least one pipeline is expected."));
	if (PgBsonHasDuplicateKeys(PgBsonValueView(operand)))
		PgBsonStageWrong(name, gettext_noop("A field is there twice."));
	if (all->in_facet)
		PgBsonStageWrong(name, gettext_noop("It must not be within another one."));
	all->in_facet = true;
	input = PgBsonSelectLevel(select, NULL);
	PgBsonIterInit(&iter, PgBsonValueView(operand));
	while (PgBsonIterNext(&iter))
	{
		PgBsonSelect *branch = PgBsonSelectNew(all, select->scope, input, select->base);
		PgBsonNames path = PgBsonNestedSplit(iter.key, iter.key_len, "a field of stage \"$facet\"");

		CHECK_FOR_INTERRUPTS();
		if (path.count > 1)
			PgBsonStageWrong(name, gettext_noop("A field's name must not have a dot."));
		check_facet(name, &iter.value);
		branch->order = select->order;
		branch->unwound = select->unwound;
		PgBsonStagesAdd(branch, &iter.value);
		names = lappend(names, PgBsonSqlText(iter.key, iter.key_len));
		values = lappend(values, unconstify(char *, array_of(branch)));
	}
	all->in_facet = false;
	select->from = NULL;
	PgBsonSelectCompute(select, PgBsonSqlDocument(all, names, values));
	select->order = NULL;
	select->unwound = false;
	select->grouped = true;
}
