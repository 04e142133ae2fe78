/*
 * pipelines.c
 *	  The table of all stages; and the stages that have pipelines of their own, $lookup, $unionWith and $facet, and
 *	  $graphLookup.
 *
 * See src/mongo/db/pipeline/document_source_lookup.cpp, document_source_graph_lookup.cpp,
 * document_source_union_with.cpp and document_source_facet.cpp of MongoDB.
 */
#include "pipeline/parse/stage.h"

#include "core/number/number.h"
#include "mongo/update/update.h"

/* The deepest nesting of pipelines: the outer one, and 20 levels in stages, as MongoDB allows */
#define MAX_DEPTH	21

/* The documents of another table, or of a pipeline that begins with $documents, and the stages after that */
static PgBsonChain
parse_other(PgBsonParse *parse, const PgBsonValue *from, const PgBsonValue *pipeline)
{
	PgBsonChain other = {NULL, NIL};
	PgBsonValue stages = *pipeline;

	other.source = from->type == PGBSON_MISSING ? PgBsonParseDocuments(parse, pipeline, &stages) :
		PgBsonParseNamed(parse, from, !PgBsonMissingCollections);
	if (pipeline->type != PGBSON_MISSING)
		PgBsonParseStages(parse, &other, &stages);
	return other;
}

/* $lookup */

static void
check_lookup(PgBsonLookup *lookup, const PgBsonValue *from, const PgBsonValue *pipeline)
{
	const char *name = lookup->node.name;

	if (PgBsonHasDuplicateKeys(PgBsonValueView(&lookup->node.operand)))
		PgBsonStageWrong(name, gettext_noop("A field occurs twice."));
	if (PgBsonOptionIs(&lookup->local, "") && PgBsonOptionIs(&lookup->foreign, ""))
		lookup->local = lookup->foreign = PgBsonMissing;
	if ((lookup->local.type == PGBSON_MISSING) != (lookup->foreign.type == PGBSON_MISSING))
		PgBsonStageWrong(name, gettext_noop("\"localField\" and \"foreignField\" belong together."));
	if (lookup->local.type == PGBSON_MISSING && pipeline->type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("It needs \"localField\" and \"foreignField\", or \"pipeline\"."));
	if (lookup->let.type != PGBSON_MISSING && pipeline->type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("\"let\" is for a \"pipeline\"."));
	if (from->type == PGBSON_MISSING && pipeline->type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("It needs the field \"from\"."));
	(void) PgBsonOperandPath(&lookup->as, "\"as\" of stage \"$lookup\"");
}

/* The names in scope, and those of "let", whose expressions may use the former */
static List *
names_of_let(const List *names, const PgBsonValue *let)
{
	PgBsonLet  *parsed = PgBsonLetParse(let);
	List	   *all = list_copy(names);
	int			n = 0;

	PgBsonForEach(iter, PgBsonValueView(let))
	{
		(void) PgBsonOperandVaries(names, parsed->expressions[n++]);
		all = PgBsonAppendName(all, iter.key, iter.key_len);
	}
	return all;
}

static void
parse_lookup(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonLookup *lookup = PgBsonParseStep(parse, chain, PGBSON_NODE_LOOKUP, sizeof(PgBsonLookup), name, operand);
	List	   *outer = parse->names;
	PgBsonValue from;
	PgBsonValue pipeline;

	PgBsonStageOptions(name, operand, "from:s localField:s? foreignField:s? let? pipeline as:s!", &from, &lookup->local,
					   &lookup->foreign, &lookup->let, &pipeline, &lookup->as);
	check_lookup(lookup, &from, &pipeline);
	lookup->piped = pipeline.type != PGBSON_MISSING;
	if (lookup->let.type != PGBSON_MISSING)
		parse->names = names_of_let(outer, &lookup->let);
	lookup->names = parse->names;
	lookup->other = parse_other(parse, &from, &pipeline);
	parse->names = outer;
	if (lookup->local.type == PGBSON_MISSING)
		return;
	(void) PgBsonOperandPath(&lookup->local, "\"localField\" of stage \"$lookup\"");
	(void) PgBsonOperandPath(&lookup->foreign, "\"foreignField\" of stage \"$lookup\"");
}

/* $graphLookup */

static void
parse_graph(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonGraph *graph = PgBsonParseStep(parse, chain, PGBSON_NODE_GRAPH, sizeof(PgBsonGraph), name, operand);
	PgBsonValue from;
	PgBsonValue most;
	PgBsonValue match;

	PgBsonStageOptions(name, operand, "from:s! startWith! connectFromField:s! connectToField:s! as:s! depthField:s maxDepth restrictSearchWithMatch:d",
					   &from, &graph->start, &graph->connect_from, &graph->connect_to, &graph->as, &graph->depth,
					   &most, &match);
	graph->most = -1;
	if (most.type != PGBSON_MISSING && (!PgBsonIsNumber(most.type) || !PgBsonNumberToInt64(&most, &graph->most) ||
										graph->most < 0))
		PgBsonStageWrong(name, gettext_noop("\"maxDepth\" must be an integer that is not negative."));
	(void) PgBsonOperandVaries(parse->names, PgBsonExpressionParse(&graph->start, NULL));
	if (graph->depth.type != PGBSON_MISSING)
		(void) PgBsonOperandPath(&graph->depth, "\"depthField\" of stage \"$graphLookup\"");
	graph->source = PgBsonParseNamed(parse, &from, !PgBsonMissingCollections);
	if (match.type != PGBSON_MISSING)
		graph->conditions = PgBsonParseConditions(parse, graph->source, &match);
	(void) PgBsonOperandPath(&graph->connect_to, "\"connectToField\" of stage \"$graphLookup\"");
	(void) PgBsonOperandPath(&graph->connect_from, "\"connectFromField\" of stage \"$graphLookup\"");
	(void) PgBsonOperandPath(&graph->as, "\"as\" of stage \"$graphLookup\"");
}

/* $unionWith */

static void
parse_union(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonValue from = *operand;
	PgBsonValue pipeline = PgBsonMissing;
	PgBsonChain other;

	if (operand->type == PGBSON_DOCUMENT)
		PgBsonStageOptions(name, operand, "coll:s pipeline", &from, &pipeline);
	if (from.type != PGBSON_STRING && pipeline.type == PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("A name, or a document with the fields \"coll\" and \"pipeline\", is expected."));
	other = parse_other(parse, &from, &pipeline);
	((PgBsonUnion *) PgBsonParseStep(parse, chain, PGBSON_NODE_UNION, sizeof(PgBsonUnion), name,
									 operand))->other = other;
}

/* $facet */

static void
check_facet(const char *name, const PgBsonIter *field)
{
	PgBsonNames path = PgBsonNestedSplit(field->key, field->key_len, "a field of stage \"$facet\"");
	PgBsonIter	stage;

	if (path.count > 1)
		PgBsonStageWrong(name, gettext_noop("A field's name must not have a dot."));
	if (field->value.type != PGBSON_ARRAY)
		PgBsonStageWrong(name, gettext_noop("Each field must be a pipeline."));
	PgBsonForEach(iter, PgBsonValueView(&field->value))
	{
		if (iter.value.type == PGBSON_DOCUMENT && PgBsonFirst(&iter.value, &stage) && PgBsonIterIs(&stage, "$documents"))
			PgBsonStageWrong(name, gettext_noop("A pipeline of it must not have the stage $documents."));
	}
}

static void
parse_facet(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonSource *input = palloc0_object(PgBsonSource);
	PgBsonFacet *facet;

	if (operand->type != PGBSON_DOCUMENT || PgBsonIsEmpty(operand))
		PgBsonStageWrong(name, gettext_noop("A document with at least one pipeline is expected."));
	if (PgBsonHasDuplicateKeys(PgBsonValueView(operand)))
		PgBsonStageWrong(name, gettext_noop("A field occurs twice."));
	if (parse->in_facet)
		PgBsonStageWrong(name, gettext_noop("It must not be within another one."));
	parse->in_facet = true;
	input->given = true;
	input->ordered = PgBsonChainIsOrdered(chain, list_length(chain->steps));
	facet = PgBsonParseStep(parse, chain, PGBSON_NODE_FACET, sizeof(PgBsonFacet), name, operand);
	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		PgBsonChain *branch = palloc0_object(PgBsonChain);

		check_facet(name, &iter);
		PgBsonParseCount(parse);
		branch->source = input;
		PgBsonParseStages(parse, branch, &iter.value);
		facet->names = PgBsonAppendName(facet->names, iter.key, iter.key_len);
		facet->branches = lappend(facet->branches, branch);
	}
	parse->in_facet = false;
}

/* What is not offered, and what to do instead */
typedef struct Refused
{
	const char *name;
	const char *hint;
} Refused;

static const Refused refused[] = {
	{"$out", gettext_noop("Run the statement that bson_pipeline_sql gives for this pipeline.")},
	{"$merge", gettext_noop("Run the statement that bson_pipeline_sql gives for this pipeline.")},
	{"$search", gettext_noop("Use full text search: to_tsvector('english', data) @@ to_tsquery('english', 'word').")},
	{"$searchMeta", gettext_noop("Use full text search, and count its rows.")},
	{"$vectorSearch", gettext_noop("Use pgvector: ORDER BY embedding <-> vector.")},
	{"$rankFusion", gettext_noop("Rank by a window function, and combine the ranks in SQL.")},
	{"$changeStream", gettext_noop("Use logical replication, or a trigger that notifies.")},
	{"$changeStreamSplitLargeEvent", gettext_noop("Use logical replication, or a trigger that notifies.")},
	{"$indexStats", gettext_noop("Query the view pg_stat_user_indexes.")},
	{"$collStats", gettext_noop("Query the view pg_stat_user_tables, and call pg_table_size().")},
	{"$planCacheStats", gettext_noop("Query the view pg_prepared_statements.")},
	{"$currentOp", gettext_noop("Query the view pg_stat_activity.")},
	{"$listSessions", gettext_noop("Query the view pg_stat_activity.")},
	{"$listLocalSessions", gettext_noop("Query the view pg_stat_activity.")},
	{"$listSearchIndexes", gettext_noop("Search is a service of MongoDB Atlas. Query the view pg_indexes.")},
	{"$listSampledQueries", gettext_noop("Use the extension pg_stat_statements.")},
	{"$querySettings", gettext_noop("Query the view pg_settings.")},
	{"$queryStats", gettext_noop("Use the extension pg_stat_statements.")},
	{"$shardedDataDistribution", gettext_noop("With Citus, query the view citus_shards.")},
};

typedef struct StageKind
{
	const char *name;
	PgBsonStageParser *parse;
} StageKind;

static const StageKind kinds[] = {
	{"$match", PgBsonParseMatch},
	{"$project", PgBsonParseCompute},
	{"$addFields", PgBsonParseCompute},
	{"$set", PgBsonParseCompute},
	{"$unset", PgBsonParseCompute},
	{"$replaceRoot", PgBsonParseCompute},
	{"$replaceWith", PgBsonParseCompute},
	{"$unwind", PgBsonParseUnwind},
	{"$redact", PgBsonParseRedact},
	{"$sort", PgBsonParseSortStage},
	{"$limit", PgBsonParseCutStage},
	{"$skip", PgBsonParseCutStage},
	{"$sample", PgBsonParseSample},
	{"$geoNear", PgBsonParseGeoNear},
	{"$group", PgBsonParseGroup},
	{"$count", PgBsonParseCountStage},
	{"$sortByCount", PgBsonParseSortByCount},
	{"$bucket", PgBsonParseBucket},
	{"$bucketAuto", PgBsonParseBucketAuto},
	{"$lookup", parse_lookup},
	{"$graphLookup", parse_graph},
	{"$unionWith", parse_union},
	{"$facet", parse_facet},
	{"$setWindowFields", PgBsonParseWindow},
	{"$fill", PgBsonParseFill},
	{"$densify", PgBsonParseDensify},
};

static void
parse_stage(PgBsonParse *parse, PgBsonChain *chain, const PgBsonIter *stage)
{
	const StageKind *kind = PgBsonRowNamed(kinds, stage->key, stage->key_len);
	const Refused *known = PgBsonRowNamed(refused, stage->key, stage->key_len);

	if (kind != NULL)
	{
		kind->parse(parse, chain, kind->name, &stage->value);
		return;
	}
	if (known != NULL)
		PgBsonReportUnsupported(errmsg("stage \"%s\" of a bson pipeline is not supported", known->name),
								errhint("%s", _(known->hint)));
	if (PgBsonIterIs(stage, "$documents"))
		PgBsonStageWrong("$documents", gettext_noop("It must be the first stage of a pipeline without a collection."));
	PgBsonReportInvalid(errmsg("unknown stage of a bson pipeline: \"%s\"", PgBsonNameInMessage(stage->key, stage->key_len)),
						stage->key[0] == '$' ? 0 : errhint("The name of a stage begins with a dollar sign."));
}

void
PgBsonParseStages(PgBsonParse *parse, PgBsonChain *chain, const PgBsonValue *pipeline)
{
	PgBsonView	stages = PgBsonStagesOf(pipeline);
	int			number = 0;
	int			scored = 0;		/* the last stage that reads the score of $text */

	check_stack_depth();
	if (++parse->depth > MAX_DEPTH)
		PgBsonReportLimit(errmsg("pipelines within stages of a bson pipeline nest too deeply"),
						  errdetail("There may be %d levels at most.", MAX_DEPTH - 1));
	PgBsonForEach(iter, stages)
	{
		PgBsonIter	stage;

		PgBsonParseCount(parse);
		if (parse->depth == 1)
			parse->stage++;
		stage = PgBsonStageField(&iter.value);
		if (number++ < scored)
			stage.value = PgBsonScoreIn(&stage.value, PgBsonIterIs(&stage, "$sort"));
		parse_stage(parse, chain, &stage);
		if (number == 1 && PgBsonIterIs(&stage, "$match"))
			scored = PgBsonParseScore(parse, chain, pipeline);
		else if (number == scored)
			PgBsonParseScoreEnd(parse, chain);
	}
	parse->depth--;
}
