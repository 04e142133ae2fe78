/*
 * chain_sql.c
 *	  The steps of a pipeline; and those that read others: $lookup, $graphLookup, $unionWith and $facet.
 */
#include "pipeline/deparse/step.h"

#include "mongo/common/options.h"

static void add_steps(PgBsonSelect *select, const List *steps);

/*
 * The documents of the other table that have one of the values.  An _id is
 * never an array or missing, so an ordinary index on it serves; for other fields
 * an index that serves @~ does.
 */
static char *
equality_sql(PgBsonTranslation *all, const PgBsonLookup *lookup, const char *document, const char *other)
{
	const char *local = PgBsonSqlTextOf(&lookup->local);

	if (PgBsonOptionIs(&lookup->foreign, "_id") && all->collation == NULL)
		return PgBsonSql(all, "(%s OPERATOR(#->) $'_id') OPERATOR(#=) ANY (#bson_lookup_values(%s, %s))", other, document,
						 local);
	return PgBsonMatchSql(all, other, PgBsonSql(all, "#bson_lookup_query(%s, %s, %s)", document, local,
												PgBsonSqlTextOf(&lookup->foreign)));
}

/* The scope of a pipeline that has "let": these variables become a column of the SELECT */
static const PgBsonScope *
let_scope(PgBsonSelect *select, const PgBsonLookup *lookup)
{
	PgBsonScope *scope = palloc0_object(PgBsonScope);
	const char *variables = PgBsonSql(select->all, "#bson_let(%s, %s%s) AS variables", PgBsonSelectDocument(select),
									  PgBsonSqlArgument(select->all, &lookup->let), PgBsonSelectVariables(select));

	scope->names = lookup->names;
	scope->variables = psprintf("%s.variables", PgBsonSelectLevel(select, variables));
	return scope;
}

/* Put a column into the document as the field "as" */
static void
put_found(PgBsonSelect *select, const PgBsonLookup *lookup, const char *column)
{
	PgBsonSelectCompute(select, PgBsonSql(select->all, "#bson_put(%s, %s, %s)", PgBsonSelectDocument(select),
										  PgBsonSqlTextOf(&lookup->as), column));
}

/* "level JOIN table ON _id = level.id": this kind of join with the documents of another SELECT, by their _id */
static char *
join_on_id(PgBsonSelect *select, const char *level, const char *join, const PgBsonSelect *other)
{
	return PgBsonSql(select->all, "%s %s %s ON (%s OPERATOR(#->) $'_id') OPERATOR(#=) %s.id", level, join, other->clauses.from,
					 other->document.base, level);
}

/*
 * $lookup by _id, and $unwind: a join by values, which can be a hash join.  Each document has one _id,
 * and each value to look for occurs once, so no document is found twice.
 */
static void
join_by_id(PgBsonSelect *select, const PgBsonSelect *other, const PgBsonLookup *lookup)
{
	PgBsonDocumentPart part = {.sql = other->document.base, .is_document = true};
	const char *ids = PgBsonSql(select->all, "#bson_lookup_alone(%s, %s) AS id", PgBsonSelectDocument(select),
								PgBsonSqlTextOf(&lookup->local));

	select->clauses.unwinds = 1;
	select->clauses.from = join_on_id(select, PgBsonSelectLevel(select, ids), "JOIN", other);
	part.name.key = PgBsonValueString(&lookup->as, &part.name.len);
	if (memchr(part.name.key, '.', part.name.len) == NULL)
		PgBsonSelectParts(select, &part, 1);
	else
		put_found(select, lookup, part.sql);
}

/*
 * $lookup by an _id that is unique, as a join: mostly a document looks for one _id, and keeps its row if there is none.
 * A document that looks for several has a subquery of its own.
 */
static void
join_one(PgBsonSelect *select, const PgBsonLookup *lookup)
{
	PgBsonTranslation *all = select->all;
	const char *id = PgBsonSql(all, "#bson_lookup_value(%s, %s) AS id", PgBsonSelectDocument(select),
							   PgBsonSqlTextOf(&lookup->local));
	const char *level = PgBsonSelectLevel(select, id);
	PgBsonSelect *one = PgBsonDeparseSource(all, select->scope, lookup->other.source, NULL);
	PgBsonSelect *several = PgBsonDeparseSource(all, select->scope, lookup->other.source, NULL);
	PgBsonDocumentPart part = {.optional = lookup->first, .is_document = lookup->first};
	const char *data = one->document.base;

	part.name.key = PgBsonValueString(&lookup->as, &part.name.len);
	(void) PgBsonSelectAddWhere(several, equality_sql(all, lookup, select->document.base, several->document.base));
	select->clauses.from = join_on_id(select, level, "LEFT JOIN", one);
	if (lookup->first)
	{
		PgBsonSelectLimit(several, 1);
		part.sql = psprintf("CASE WHEN %s IS NOT NULL THEN %s WHEN %s.id IS NULL THEN (\n%s\n) END", data, data, level,
							PgBsonSqlIndent(PgBsonSelectText(several)));
	}
	else
		part.sql = PgBsonSql(all, "CASE WHEN %s IS NOT NULL THEN #bson_build_array(%s) WHEN %s.id IS NULL THEN %s "
							 "ELSE #bson '[]' END", data, data, level, PgBsonSelectArray(several, "$lookup"));
	part.sql = psprintf("%s.found", PgBsonSelectLevel(select, psprintf("%s AS found", part.sql)));
	PgBsonSelectParts(select, &part, 1);
}

/*
 * $lookup and $unwind as a join: a document for each one that is found.  If a document stays for which none was found,
 * bson_put takes the field away, as $unwind does with an empty array.
 */
static void
join_found(PgBsonSelect *select, PgBsonSelect *other, const PgBsonLookup *lookup)
{
	char	   *alias = psprintf("t%d", ++select->all->ntables);
	bool		preserves = lookup->unwind->preserves;

	select->clauses.from = psprintf("%s %s JOIN LATERAL (\n%s\n) AS %s%s", select->clauses.from, preserves ? "LEFT" : "CROSS",
									PgBsonSqlIndent(PgBsonSelectText(other)), alias, preserves ? " ON true" : "");
	put_found(select, lookup, psprintf("%s.data", alias));
}

static void
lookup_step(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonLookup *lookup = (const PgBsonLookup *) node;
	PgBsonTranslation *all = select->all;
	const PgBsonScope *scope = select->scope;
	bool		by_id = PgBsonOptionIs(&lookup->foreign, "_id") && !lookup->piped && all->collation == NULL;
	PgBsonSelect *other;

	PgBsonSelectColumn(select);
	if (lookup->by_id)
	{
		join_one(select, lookup);
		return;
	}
	if (lookup->let.type != PGBSON_MISSING)
		scope = let_scope(select, lookup);
	other = PgBsonDeparseSource(all, scope, lookup->other.source, NULL);
	if (lookup->local.type != PGBSON_MISSING)
		(void) PgBsonSelectAddWhere(other, equality_sql(all, lookup, PgBsonSelectDocument(select),
														other->document.base));
	add_steps(other, lookup->other.steps);
	all->stage = node->stage;
	/* the step only compares with the other table's _id */
	if (lookup->unwind != NULL && !lookup->unwind->preserves && by_id)
		join_by_id(select, other, lookup);
	else if (lookup->unwind != NULL)
		join_found(select, other, lookup);
	else
		put_found(select, lookup, PgBsonSelectArray(other, "$lookup"));
}

/* SELECT of one step: the documents that it finds, and their _ids, without those whose _id is in "seen" */
static char *
round_sql(PgBsonSelect *select, const PgBsonGraph *graph, const char *docs, const char *path, const char *seen)
{
	PgBsonTranslation *all = select->all;
	PgBsonSelect *other = PgBsonDeparseSource(all, select->scope, graph->source, NULL);
	const char *data = other->document.base;
	const char *query = PgBsonSql(all, "(SELECT #bson_graph_query(%s, %s, %s))", docs, path,
								  PgBsonSqlTextOf(&graph->connect_to));
	char	   *found;

	PgBsonSelectAddWhere(other, PgBsonMatchSql(all, data, query));
	PgBsonConditionsAdd(other, graph->conditions, data);
	found = PgBsonSql(all, "SELECT %s AS data, COALESCE(%s OPERATOR(#->) $'_id', %s) AS id\nFROM %s%s", data, data, data,
					  other->clauses.from, PgBsonSelectWhere(other));
	/* OFFSET has the query run first: the long list of documents seen is searched for what it finds only */
	found = psprintf("SELECT pg_catalog.array_agg(f.data) AS docs, pg_catalog.array_agg(f.id) AS ids\n"
					 "FROM (\n%s\n    OFFSET '0'\n) AS f%s", PgBsonSqlIndent(found),
					 seen == NULL ? "" : PgBsonSql(all, "\nWHERE NOT (f.id OPERATOR(#=) ANY (%s))", seen));
	return PgBsonSqlIndent(found);
}

/* $graphLookup: a recursive query has a row for each step from document to document, with what that step found */
static void
graph_step(PgBsonSelect *select, const PgBsonStage *node)
{
	PgBsonTranslation *all = select->all;
	const PgBsonGraph *graph = (const PgBsonGraph *) node;
	PgBsonValue let = PgBsonMakeDocument("startWith", &graph->start, NULL);
	char	   *rounds;
	const char *start;
	const char *put = "d.data";
	StringInfoData buf;

	PgBsonSelectColumn(select);
	start = PgBsonSql(all, "ARRAY[#bson_let(%s, %s%s)]", PgBsonSelectDocument(select), PgBsonSqlArgument(all, &let),
					  PgBsonSelectVariables(select));
	rounds = psprintf("g%d", ++all->nlevels);
	if (graph->depth.type != PGBSON_MISSING)
		put = PgBsonSql(all, "#bson_put(d.data, %s, #to_bson(%s.depth))", PgBsonSqlTextOf(&graph->depth), rounds);

	initStringInfo(&buf);
	appendStringInfo(&buf, "WITH RECURSIVE %s(depth, docs, ids) AS (\n", rounds);
	appendStringInfo(&buf, "    SELECT 0::pg_catalog.int8, n.docs, n.ids\n    FROM (\n%s\n    ) AS n\n    UNION ALL\n",
					 PgBsonSqlIndent(round_sql(select, graph, start, PgBsonSqlText("startWith", strlen("startWith")), NULL)));
	/* LIMIT tells the planner that each step reads one row; it would assume ten */
	appendStringInfo(&buf, "    SELECT %s.depth OPERATOR(pg_catalog.+) 1, n.docs, %s.ids OPERATOR(pg_catalog.||) n.ids\n"
					 "    FROM (SELECT * FROM %s LIMIT '1') AS %s CROSS JOIN LATERAL (\n%s\n    ) AS n\n"
					 "    WHERE n.docs IS NOT NULL", rounds, rounds, rounds, rounds,
					 PgBsonSqlIndent(round_sql(select, graph, psprintf("%s.docs", rounds),
											   PgBsonSqlTextOf(&graph->connect_from), psprintf("%s.ids", rounds))));
	if (graph->most >= 0)
		appendStringInfo(&buf, " AND %s.depth OPERATOR(pg_catalog.<) " INT64_FORMAT, rounds, graph->most);
	appendStringInfo(&buf, "\n)\nSELECT %s AS data\nFROM %s, pg_catalog.unnest(%s.docs) AS d(data)", put, rounds, rounds);
	PgBsonSelectCompute(select, PgBsonSql(all, "#bson_put(%s, %s, (SELECT %s FROM (\n%s\n) AS a))",
										  PgBsonSelectDocument(select), PgBsonSqlTextOf(&graph->as),
										  PgBsonSqlGather(all, "$graphLookup", "a.data", "", ""),
										  PgBsonSqlIndent(buf.data)));
}

/* Does the SELECT only read from a UNION ALL that $unionWith made?  Then another table is added to that. */
static bool
is_only_union(const PgBsonSelect *select)
{
	const PgBsonClauses *clauses = &select->clauses;

	return select->with.union_name != NULL && clauses->from == select->with.union_name &&
		PgBsonSelectOnlyReads(select) && clauses->where == NIL && clauses->order.sql == NULL &&
		!PgBsonSelectIsCut(select);
}

static void
union_step(PgBsonSelect *select, const PgBsonStage *node)
{
	PgBsonTranslation *all = select->all;
	PgBsonSelect *other = PgBsonDeparseChain(all, select->scope, &((const PgBsonUnion *) node)->other, NULL);
	const char *level = select->clauses.from;

	if (!is_only_union(select))
	{
		/* the order of all documents is not defined */
		PgBsonSelectForgetOrder(select);
		(void) PgBsonSelectLevel(select, NULL);
		level = psprintf("s%d", ++all->nlevels);
		select->with.united = makeStringInfo();
		appendStringInfo(select->with.united, "SELECT %s AS data\nFROM %s", select->document.base, select->clauses.from);
	}
	appendStringInfo(select->with.united, "\nUNION ALL (\n%s\n)", PgBsonSqlIndent(PgBsonSelectText(other)));
	select->with.union_name = level;
	select->clauses = (PgBsonClauses) {.from = level, .limit = -1};
	select->document = (PgBsonDocument) {.base = psprintf("%s.data", level)};
	select->unwound = false;
}

static void
facet_step(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonFacet *facet = (const PgBsonFacet *) node;
	List	   *names = NIL;
	List	   *values = NIL;
	ListCell   *n;
	ListCell   *b;

	(void) PgBsonSelectLevel(select, NULL);
	forboth(n, facet->names, b, facet->branches)
	{
		const PgBsonKeyRef *name = lfirst(n);

		names = lappend(names, PgBsonSqlName(name->key, name->len));
		values = lappend(values, PgBsonSelectArray(PgBsonDeparseChain(select->all, select->scope, lfirst(b), select),
												   "$facet"));
	}
	select->clauses = (PgBsonClauses) {.limit = -1, .grouped = true};
	PgBsonSelectCompute(select, PgBsonSqlDocument(select->all, names, values));
	select->unwound = false;
}

/* By kind */
static PgBsonDeparseStep *const writers[] = {
	[PGBSON_NODE_FILTER] = PgBsonDeparseFilter,
	[PGBSON_NODE_COMPUTE] = PgBsonDeparseCompute,
	[PGBSON_NODE_PROJECT] = PgBsonDeparseProject,
	[PGBSON_NODE_REDACT] = PgBsonDeparseRedact,
	[PGBSON_NODE_UNWIND] = PgBsonDeparseUnwind,
	[PGBSON_NODE_SORT] = PgBsonDeparseSort,
	[PGBSON_NODE_NEAR] = PgBsonDeparseNear,
	[PGBSON_NODE_CUT] = PgBsonDeparseCut,
	[PGBSON_NODE_SAMPLE] = PgBsonDeparseSample,
	[PGBSON_NODE_GROUP] = PgBsonDeparseGroup,
	[PGBSON_NODE_COUNT] = PgBsonDeparseCount,
	[PGBSON_NODE_WINDOW] = PgBsonDeparseWindow,
	[PGBSON_NODE_DENSIFY] = PgBsonDeparseDensify,
	[PGBSON_NODE_LOOKUP] = lookup_step,
	[PGBSON_NODE_GRAPH] = graph_step,
	[PGBSON_NODE_UNION] = union_step,
	[PGBSON_NODE_FACET] = facet_step,
	[PGBSON_NODE_SCORE] = PgBsonDeparseScore,
};

/* Add steps to a SELECT */
static void
add_steps(PgBsonSelect *select, const List *steps)
{
	check_stack_depth();
	foreach_ptr(const PgBsonStage, node, steps)
	{
		select->all->stage = node->stage;
		writers[node->kind] (select, node);
		select->last = node->stage;
	}
}

PgBsonSelect *
PgBsonDeparseChain(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonChain *chain,
				   const PgBsonSelect *outer)
{
	PgBsonSelect *select = PgBsonDeparseSource(all, scope, chain->source, outer);

	add_steps(select, chain->steps);
	return select;
}
