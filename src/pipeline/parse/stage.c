/*
 * stage.c
 *	  Steps of a chain, and the stages that concern single documents or the order of documents.
 *
 * See src/mongo/db/pipeline/document_source_*.cpp of MongoDB.
 */
#include "pipeline/parse/stage.h"

#include <math.h>

#include "core/number/decimal.h"
#include "mongo/sort/sort_key.h"
#include "mongo/update/update.h"

/* The server compares each accumulator of a stage with all others of it, without a look for interrupts */
#define MAX_ACCUMULATORS	2000

void *
PgBsonParseStep(PgBsonParse *parse, PgBsonChain *chain, PgBsonStageKind kind, Size size, const char *name,
				const PgBsonValue *operand)
{
	PgBsonStage *node = palloc0(size);

	*node = (PgBsonStage) {kind, size, name, *operand, parse->stage};
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

void
PgBsonParseSortStage(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(name, gettext_noop("A document is expected."));
	if (PgBsonIsEmpty(operand))
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

void
PgBsonParseCutStage(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
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

void
PgBsonParseSample(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
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

	compute->stage = stage;
	/* parse each alone, to raise its errors and to see whether it uses variables */
	foreach_ptr(const PgBsonExpression, expression, PgBsonPipelineParse(&stages, true)->use.expressions)
		compute->varies |= PgBsonOperandVaries(parse->names, expression);
}

void
PgBsonParseUnwind(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonUnwindStep *step = STEP(PGBSON_NODE_UNWIND, PgBsonUnwindStep);

	step->unwind = PgBsonUnwindParse(operand);
}

/* $redact: a document of which nothing is left is removed */
void
PgBsonParseRedact(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	bool		varies = PgBsonOperandVaries(parse->names, PgBsonRedactParse(operand));

	STEP(PGBSON_NODE_REDACT, PgBsonCompute)->varies = varies;
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
