/*
 * graph.c
 *	  $graphLookup: documents that are found from each document, step by step.  A recursive query has a
 *	  row for each step, with what that step found.
 */
#include "pipeline/deparse/step.h"

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

void
PgBsonDeparseGraph(PgBsonSelect *select, const PgBsonStage *node)
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
