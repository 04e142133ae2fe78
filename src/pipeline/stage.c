/*
 * stage.c
 *	  The table of all stages, and those that concern single documents or the
 *	  order of documents.
 *
 * See src/mongo/db/pipeline/document_source_*.cpp of MongoDB.
 */
#include "pipeline/stage.h"

#include <math.h>

#include "core/number/decimal.h"
#include "mongo/sort/sort_key.h"
#include "mongo/update/update.h"
#include "pipeline/operand.h"
#include "pipeline/sql_text.h"

/* The deepest nesting of pipelines: the outer one, and 20 levels in stages, as MongoDB allows */
#define MAX_DEPTH	21

/* The server compares each accumulator of a stage with all others of it, without a look for interrupts */
#define MAX_ACCUMULATORS	2000

/* So many $unwind of a SELECT become nested calls, and the server looks at each again for each call around it */
#define MAX_UNWINDS	10

/* $match */

static void
add_match(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(name, gettext_noop("A document is expected."));
	PgBsonMatchAdd(select, operand);
}

/* $sort, $limit, $skip, $sample */

void
PgBsonStageSort(PgBsonSelect *select, const PgBsonValue *sort)
{
	(void) PgBsonSortParse(sort);
	PgBsonSelectForgetOrder(select);
	PgBsonSelectPlain(select);
	select->order = PgBsonSql(select->all, "#bson_sort_key(%s, %s)", PgBsonSelectDocument(select),
							  PgBsonSqlArgument(select->all->schema, sort));
	PgBsonServedSort(select, sort);
}

static void
add_sort(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(name, gettext_noop("A document is expected."));
	if (PgBsonViewCount(PgBsonValueView(operand)) == 0)
		PgBsonStageWrong(name, gettext_noop("At least one path is expected."));
	PgBsonStageSort(select, operand);
}

static void
add_limit_or_skip(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	bool		limits = strcmp(name, "$limit") == 0;
	int64		count;

	if (!PgBsonIsNumber(operand->type) || !PgBsonNumberToInt64(operand, &count) || count < limits)
		PgBsonStageWrong(name, limits ? gettext_noop("A positive integer is expected.") :
						 gettext_noop("An integer that is not negative is expected."));
	(limits ? PgBsonSelectLimit : PgBsonSelectSkip) (select, count);
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
add_sample(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonValue size;

	PgBsonStageOptions(name, operand, "size!", &size);
	PgBsonSelectForgetOrder(select);
	PgBsonSelectPlain(select);
	select->order = "pg_catalog.random()";
	PgBsonSelectLimit(select, sample_size(name, &size));
}

/* Stages that make of a document another one */

void
PgBsonStageTransform(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonValue stage = PgBsonMakeDocument(name, operand, NULL);
	PgBsonValue stages = PgBsonMakeArray(&stage, 1);
	PgBsonReads reads = {NIL};
	ListCell   *lc;

	/* parse each alone, to raise its errors and to see whether it uses variables */
	foreach(lc, PgBsonPipelineParse(&stages, true)->use.expressions)
	{
		if (PgBsonOperandVaries(select->scope, lfirst(lc)))
			select->stages_vary = true;
	}
	if (PgBsonNameAmong("$set $addFields", name, strlen(name)) >= 0)
	{
		/* if later stages do not read whole documents, $project copies only what they read */
		PgBsonReadsStages(&reads, select->next);
		PgBsonForEach(iter, PgBsonValueView(operand))
		{
			reads.all |= reads.shown || PgBsonIterIs(&iter, "_id") || memchr(iter.key, '.', iter.key_len) != NULL ||
				!PgBsonOperandComputes(&iter.value);
			reads.names = list_delete_ptr(reads.names, PgBsonFindNamed(reads.names, iter.key, iter.key_len));
		}
		stages = PgBsonReadsProjection(&reads, PgBsonValueView(operand));
		if (stages.type != PGBSON_MISSING)
			stage = PgBsonMakeDocument("$project", &stages, NULL);
	}
	if (select->stages.count == 0)
		PgBsonWriterBegin(&select->stages, 0);
	PgBsonWriterPush(&select->stages, &stage);
}

static void
add_unwind(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	const PgBsonUnwind *unwind = PgBsonUnwindParse(operand);
	char	   *constant = PgBsonSqlArgument(select->all->schema, operand);
	const char *document;
	PgBsonReads reads = {NIL};
	bool		divides;

	/* a LIMIT in the same SELECT would count the rows after the function, so end it */
	if (select->skip > 0 || select->limit >= 0 || select->unwinds >= MAX_UNWINDS)
		(void) PgBsonSelectLevel(select, NULL);
	document = PgBsonSelectDocument(select);
	divides = !select->computed && unwind->path.count == 1 && !unwind->preserves && !unwind->with_index;
	PgBsonReadsExpression(&reads, operand);
	if (!divides && !select->computed && PgBsonReadsLeaveOut(select, &reads))
		document = select->base;
	PgBsonSelectCompute(select, PgBsonSql(select->all, "#bson_unwind(%s, %s)", document, constant));
	select->unwinds++;
	select->unwound = true;
	if (divides)
	{
		select->rest = document;
		select->part_name = (PgBsonKeyRef) {unwind->path.names[0].key, unwind->path.names[0].key_len};
		select->unwind = constant;
	}
}

/* $redact: a document of which nothing is left is removed */
static void
add_redact(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	bool		varies = PgBsonOperandVaries(select->scope, PgBsonRedactParse(operand));
	const char *level;

	PgBsonSelectCompute(select, PgBsonSql(select->all, "#bson_redact(%s, %s%s)", PgBsonSelectDocument(select),
										  PgBsonSqlArgument(select->all->schema, operand),
										  varies ? PgBsonOperandVariables(select) : ""));
	level = PgBsonSelectLevel(select, NULL);
	select->where = list_make1(psprintf("%s.data IS NOT NULL", level));
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
	{"$listSearchIndexes", gettext_noop("Query the view pg_indexes.")},
	{"$listSampledQueries", gettext_noop("Use the extension pg_stat_statements.")},
	{"$querySettings", gettext_noop("Query the view pg_settings.")},
	{"$queryStats", gettext_noop("Use the extension pg_stat_statements.")},
	{"$shardedDataDistribution", gettext_noop("With Citus, query the view citus_shards.")},
};

typedef struct StageKind
{
	const char *name;
	PgBsonStageAdd *add;
} StageKind;

static const StageKind kinds[] = {
	{"$match", add_match},
	{"$project", PgBsonStageTransform},
	{"$addFields", PgBsonStageTransform},
	{"$set", PgBsonStageTransform},
	{"$unset", PgBsonStageTransform},
	{"$replaceRoot", PgBsonStageTransform},
	{"$replaceWith", PgBsonStageTransform},
	{"$unwind", add_unwind},
	{"$redact", add_redact},
	{"$sort", add_sort},
	{"$limit", add_limit_or_skip},
	{"$skip", add_limit_or_skip},
	{"$sample", add_sample},
	{"$group", PgBsonGroupAdd},
	{"$count", PgBsonGroupAddCount},
	{"$sortByCount", PgBsonGroupAddSortByCount},
	{"$bucket", PgBsonGroupAddBucket},
	{"$bucketAuto", PgBsonGroupAddBucketAuto},
	{"$lookup", PgBsonJoinAddLookup},
	{"$graphLookup", PgBsonGraphAdd},
	{"$unionWith", PgBsonUnionAdd},
	{"$facet", PgBsonUnionAddFacet},
	{"$setWindowFields", PgBsonWindowAdd},
	{"$fill", PgBsonWindowAddFill},
	{"$densify", PgBsonDensifyAdd},
};

static void
add_stage(PgBsonSelect *select, const PgBsonIter *stage)
{
	const StageKind *kind = PgBsonRowNamed(kinds, stage->key, stage->key_len);
	const Refused *known = PgBsonRowNamed(refused, stage->key, stage->key_len);

	if (kind != NULL)
	{
		kind->add(select, kind->name, &stage->value);
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
PgBsonStageCount(PgBsonTranslation *all)
{
	count_one(&all->nstages, PGBSON_MAX_STAGES, gettext_noop("too many stages of a bson pipeline"));
}

void
PgBsonStageCountAccumulator(PgBsonTranslation *all)
{
	count_one(&all->naccumulators, MAX_ACCUMULATORS, gettext_noop("too many accumulators of a bson pipeline"));
}

void
PgBsonStagesAdd(PgBsonSelect *select, const PgBsonValue *pipeline)
{
	PgBsonIter	stage;

	check_stack_depth();
	if (pipeline->type != PGBSON_ARRAY)
		PgBsonReportInvalid(errmsg("a bson pipeline must be an array of stages"),
							errdetail("It is of type %s.", PgBsonTypeName(pipeline->type)));
	if (++select->all->depth > MAX_DEPTH)
		PgBsonReportLimit(errmsg("pipelines within stages of a bson pipeline nest too deeply"),
						  errdetail("There may be %d levels at most.", MAX_DEPTH - 1));
	PgBsonForEach(iter, PgBsonValueView(pipeline))
	{
		PgBsonStageCount(select->all);
		if (select->all->depth == 1)
			select->all->stage++;
		if (iter.value.type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(&iter.value)) != 1)
			PgBsonReportInvalid(errmsg("invalid stage of a bson pipeline"),
								errdetail("A document with one field, the name of the stage, is expected."));
		(void) PgBsonFirst(&iter.value, &stage);
		select->next = iter;
		add_stage(select, &stage);
		if (select->all->depth == 1)
			select->last = select->all->stage;
		iter = select->next;
	}
	select->all->depth--;
}
