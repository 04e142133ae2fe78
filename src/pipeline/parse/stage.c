/*
 * stage.c
 *	  The table of all stages, and those that concern single documents or the
 *	  order of documents.
 *
 * See src/mongo/db/pipeline/document_source_*.cpp of MongoDB.
 */
#include "pipeline/parse/stage.h"

#include <math.h>

#include "core/number/decimal.h"
#include "mongo/sort/sort_key.h"
#include "mongo/update/update.h"

/* The deepest nesting of pipelines: the outer one, and 20 levels in stages, as MongoDB allows */
#define MAX_DEPTH	21

/* The server compares each accumulator of a stage with all others of it, without a look for interrupts */
#define MAX_ACCUMULATORS	2000

void *
PgBsonParseStep(PgBsonParse *parse, PgBsonChain *chain, PgBsonStageKind kind, Size size, const char *name,
				const PgBsonValue *operand)
{
	PgBsonStage *node = palloc0(size);

	*node = (PgBsonStage) {kind, name, *operand, parse->stage};
	chain->steps = lappend(chain->steps, node);
	return node;
}

#define STEP(kind, type) ((type *) PgBsonParseStep(parse, chain, kind, sizeof(type), name, operand))

/* $sort, $limit, $skip, $sample */

void
PgBsonParseSort(PgBsonParse *parse, PgBsonChain *chain, const PgBsonValue *sort)
{
	(void) PgBsonSortParse(sort);
	(void) PgBsonParseStep(parse, chain, PGBSON_NODE_SORT, sizeof(PgBsonSortStep), "$sort", sort);
}

static void
parse_sort(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(name, gettext_noop("A document is expected."));
	if (PgBsonViewCount(PgBsonValueView(operand)) == 0)
		PgBsonStageWrong(name, gettext_noop("At least one path is expected."));
	PgBsonParseSort(parse, chain, operand);
}

void
PgBsonParseCut(PgBsonParse *parse, PgBsonChain *chain, int64 skip, int64 limit)
{
	PgBsonCut  *cut = PgBsonParseStep(parse, chain, PGBSON_NODE_CUT, sizeof(PgBsonCut), "$limit", &PgBsonMissing);

	cut->skip = skip;
	cut->limit = limit;
}

static void
parse_cut(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	bool		limits = strcmp(name, "$limit") == 0;
	int64		count;

	if (!PgBsonIsNumber(operand->type) || !PgBsonNumberToInt64(operand, &count) || count < limits)
		PgBsonStageWrong(name, limits ? gettext_noop("A positive integer is expected.") :
						 gettext_noop("An integer that is not negative is expected."));
	PgBsonParseCut(parse, chain, limits ? 0 : count, limits ? count : -1);
}

/*
 * The size of a sample.  As in MongoDB, a double is truncated, a decimal is rounded half to even, and a
 * number beyond 64 bits becomes the greatest integer.
 */
static int64
sample_size(const char *name, const PgBsonValue *size)
{
	PgBsonValue whole = *size;
	uint8		rounded[16];
	int64		count;

	if (size->type == PGBSON_DECIMAL128)
	{
		PgBsonDecimalQuantize(size->data, 0, PGBSON_ROUND_HALF_EVEN, rounded);
		if (!isnan(PgBsonNumberToDouble(&(PgBsonValue) {PGBSON_DECIMAL128, 16, rounded}, NULL)))
			whole.data = rounded;
	}
	if (!PgBsonIsNumber(whole.type) || !(PgBsonNumberToDouble(&whole, NULL) >= 1))
		PgBsonStageWrong(name, gettext_noop("A positive integer is expected."));
	return PgBsonNumberTruncate(&whole, &count) ? count : PG_INT64_MAX;
}

static void
parse_sample(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonValue size;
	int64		limit;

	PgBsonStageOptions(name, operand, "size!", &size);
	limit = sample_size(name, &size);
	STEP(PGBSON_NODE_SAMPLE, PgBsonCut)->limit = limit;
}

/* Stages that make of a document another one */

void
PgBsonParseCompute(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonValue stage = PgBsonMakeDocument(name, operand, NULL);
	PgBsonValue stages = PgBsonMakeArray(&stage, 1);
	PgBsonCompute *compute = STEP(PGBSON_NODE_COMPUTE, PgBsonCompute);
	ListCell   *lc;

	compute->stage = stage;
	/* parse each alone, to raise its errors and to see whether it uses variables */
	foreach(lc, PgBsonPipelineParse(&stages, true)->use.expressions)
		compute->varies |= PgBsonOperandVaries(parse->names, lfirst(lc));
}

static void
parse_unwind(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonUnwindStep *step = STEP(PGBSON_NODE_UNWIND, PgBsonUnwindStep);

	step->unwind = PgBsonUnwindParse(operand);
}

/* $redact: a document of which nothing is left is removed */
static void
parse_redact(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	bool		varies = PgBsonOperandVaries(parse->names, PgBsonRedactParse(operand));

	STEP(PGBSON_NODE_REDACT, PgBsonRedactStep)->varies = varies;
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
	{"$geoNear", gettext_noop("Use PostGIS: ORDER BY ST_GeomFromGeoJSON(data ->> 'place') <-> point.")},
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
	{"$unwind", parse_unwind},
	{"$redact", parse_redact},
	{"$sort", parse_sort},
	{"$limit", parse_cut},
	{"$skip", parse_cut},
	{"$sample", parse_sample},
	{"$group", PgBsonParseGroup},
	{"$count", PgBsonParseCountStage},
	{"$sortByCount", PgBsonParseSortByCount},
	{"$bucket", PgBsonParseBucket},
	{"$bucketAuto", PgBsonParseBucketAuto},
	{"$lookup", PgBsonParseLookup},
	{"$graphLookup", PgBsonParseGraph},
	{"$unionWith", PgBsonParseUnion},
	{"$facet", PgBsonParseFacet},
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
						stage->key_len > 0 && stage->key[0] == '$' ? 0 : errhint("The name of a stage begins with a dollar sign."));
}

static void
count_one(int *count, int most, const char *message)
{
	if (++*count > most)
		PgBsonReportLimit(errmsg_internal("%s", _(message)),
						  errdetail("There may be %d at most.", most));
}

void
PgBsonParseCount(PgBsonParse *parse)
{
	count_one(&parse->nstages, PGBSON_MAX_STAGES, gettext_noop("too many stages of a bson pipeline"));
}

void
PgBsonParseCountAccumulator(PgBsonParse *parse)
{
	count_one(&parse->naccumulators, MAX_ACCUMULATORS, gettext_noop("too many accumulators of a bson pipeline"));
}

void
PgBsonParseStages(PgBsonParse *parse, PgBsonChain *chain, const PgBsonValue *pipeline)
{
	PgBsonIter	stage;

	check_stack_depth();
	if (pipeline->type != PGBSON_ARRAY)
		PgBsonReportInvalid(errmsg("a bson pipeline must be an array of stages"),
							errdetail("It is of type %s.", PgBsonTypeName(pipeline->type)));
	if (++parse->depth > MAX_DEPTH)
		PgBsonReportLimit(errmsg("pipelines within stages of a bson pipeline nest too deeply"),
						  errdetail("There may be %d levels at most.", MAX_DEPTH - 1));
	PgBsonForEach(iter, PgBsonValueView(pipeline))
	{
		PgBsonParseCount(parse);
		if (parse->depth == 1)
			parse->stage++;
		if (iter.value.type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(&iter.value)) != 1)
			PgBsonReportInvalid(errmsg("invalid stage of a bson pipeline"),
								errdetail("A document with one field, the name of the stage, is expected."));
		(void) PgBsonFirst(&iter.value, &stage);
		parse_stage(parse, chain, &stage);
	}
	parse->depth--;
}
