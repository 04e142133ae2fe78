/*
 * graph.c
 *	  $graphLookup: documents that are found from each document, step by step.
 *
 * See src/mongo/db/pipeline/document_source_graph_lookup.cpp of MongoDB.  A recursive query has a
 * row for each step, with what that step found.
 */
#include "pipeline/stage.h"

#include "core/number/number.h"
#include "pipeline/operand.h"
#include "pipeline/sql_text.h"

/* The options of the stage */
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
	int64		most;			/* max as a number */
} Graph;

static void
parse_graph(Graph *graph, const char *name, const PgBsonValue *operand)
{
	PgBsonStageOptions(name, operand, "from:s! startWith! connectFromField:s! connectToField:s! as:s! depthField:s maxDepth restrictSearchWithMatch:d",
					   &graph->from, &graph->start, &graph->connect_from, &graph->connect_to, &graph->as, &graph->depth,
					   &graph->max, &graph->match);
	if (graph->max.type != PGBSON_MISSING &&
		(!PgBsonIsNumber(graph->max.type) || !PgBsonNumberToInt64(&graph->max, &graph->most) || graph->most < 0))
		PgBsonStageWrong(name, gettext_noop("\"maxDepth\" must be an integer that is not negative."));
}

/* SELECT of one step: the documents that it finds, and their _ids, without those whose _id is in "seen" */
static char *
round_sql(PgBsonSelect *select, const Graph *graph, const char *docs, const char *path, const char *seen)
{
	PgBsonTranslation *all = select->all;
	PgBsonSelect *other = PgBsonSourceNamed(all, select->scope, &graph->from);
	const char *id = PgBsonSql(all, "COALESCE(%s OPERATOR(#->) '_id', %s)", other->base, other->base);
	StringInfoData buf;
	ListCell   *lc;

	if (graph->match.type != PGBSON_MISSING)
		PgBsonMatchAdd(other, &graph->match);
	initStringInfo(&buf);
	appendStringInfo(&buf, "SELECT %s AS data, %s AS id\nFROM %s\nWHERE %s",
					 other->base, id, other->from,
					 PgBsonSql(all, "%s OPERATOR(#@~) (SELECT #bson_graph_query(%s, %s, %s))", other->base, docs, path,
							   PgBsonOperandPath(&graph->connect_to, "\"connectToField\" of stage \"$graphLookup\"")));
	foreach(lc, other->where)
		appendStringInfo(&buf, "\n  AND %s", (char *) lfirst(lc));
	/* OFFSET has the query run first: the long list of documents seen is searched for what it finds only */
	id = psprintf("SELECT pg_catalog.array_agg(f.data) AS docs, pg_catalog.array_agg(f.id) AS ids\nFROM (\n%s\n    OFFSET '0'\n) AS f%s",
				  PgBsonSqlIndent(buf.data), seen == NULL ? "" : PgBsonSql(all, "\nWHERE NOT (f.id OPERATOR(#=) ANY (%s))", seen));
	return PgBsonSqlIndent(id);
}

void
PgBsonGraphAdd(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonTranslation *all = select->all;
	Graph		graph;
	char	   *rounds;
	const char *start;
	const char *put;
	StringInfoData buf;
	PgBsonValue let;

	parse_graph(&graph, name, operand);
	PgBsonSelectColumn(select);
	let = PgBsonMakeDocument("startWith", &graph.start, NULL);
	(void) PgBsonOperandVaries(select->scope, PgBsonExpressionParse(&graph.start, NULL));
	start = PgBsonSql(all, "ARRAY[#bson_let(%s, %s%s)]", PgBsonSelectDocument(select), PgBsonSqlArgument(all->schema, &let),
					  PgBsonOperandVariables(select));
	rounds = psprintf("g%d", ++all->nlevels);
	put = "d.data";
	if (graph.depth.type != PGBSON_MISSING)
		put = PgBsonSql(all, "#bson_put(d.data, %s, #to_bson(%s.depth))",
						PgBsonOperandPath(&graph.depth, "\"depthField\" of stage \"$graphLookup\""), rounds);

	initStringInfo(&buf);
	appendStringInfo(&buf, "WITH RECURSIVE %s(depth, docs, ids) AS (\n", rounds);
	appendStringInfo(&buf, "    SELECT 0::pg_catalog.int8, n.docs, n.ids\n    FROM (\n%s\n    ) AS n\n    UNION ALL\n",
					 PgBsonSqlIndent(round_sql(select, &graph, start, "'startWith'", NULL)));
	/* LIMIT tells the planner that each step reads one row; it would assume ten */
	appendStringInfo(&buf, "    SELECT %s.depth OPERATOR(pg_catalog.+) 1, n.docs, %s.ids OPERATOR(pg_catalog.||) n.ids\n    FROM (SELECT * FROM %s LIMIT '1') AS %s CROSS JOIN LATERAL (\n%s\n    ) AS n\n    WHERE n.docs IS NOT NULL",
					 rounds, rounds, rounds, rounds,
					 PgBsonSqlIndent(round_sql(select, &graph, psprintf("%s.docs", rounds),
											   PgBsonOperandPath(&graph.connect_from, "\"connectFromField\" of stage \"$graphLookup\""),
											   psprintf("%s.ids", rounds))));
	if (graph.max.type != PGBSON_MISSING)
		appendStringInfo(&buf, " AND %s.depth OPERATOR(pg_catalog.<) " INT64_FORMAT, rounds, graph.most);
	appendStringInfo(&buf, "\n)\nSELECT %s\nFROM %s, pg_catalog.unnest(%s.docs) AS d(data)", put, rounds, rounds);
	PgBsonSelectCompute(select, PgBsonSql(all, "#bson_put(%s, %s, #array_to_bson(ARRAY(\n%s\n)))", PgBsonSelectDocument(select),
										  PgBsonOperandPath(&graph.as, "\"as\" of stage \"$graphLookup\""), PgBsonSqlIndent(buf.data)));
}
