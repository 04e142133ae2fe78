/*
 * pipeline.c
 *	  Changing a document by a pipeline, an array of stages.
 *
 * $set and $addFields put calculated fields into it, $unset and $project leave fields out,
 * $replaceWith and $replaceRoot put another document in its place.  The authority is
 * MongoDB's src/mongo/db/update/pipeline_executor.cpp.
 */
#include "mongo/update/update.h"

#include "core/bytes/recode.h"
#include "core/bytes/value.h"
#include "mongo/common/options.h"
#include "mongo/project/project.h"

typedef struct PgBsonPipelineStage
{
	const char *name;
	PgBsonProjection *projection;	/* NULL: the next */
	PgBsonExpression *replacement;
} Stage;

/* A kind of stage, and the function that parses its operand */
typedef struct UpdateStage
{
	const char *name;
	void		(*parse) (PgBsonExprUse *use, Stage *stage, const PgBsonValue *operand);
} UpdateStage;

static void
parse_add(PgBsonExprUse *use, Stage *stage, const PgBsonValue *operand)
{
	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(stage->name, gettext_noop("A document is expected."));
	stage->projection = PgBsonProjectionParseAdd(operand, use);
}

static void
parse_project(PgBsonExprUse *use, Stage *stage, const PgBsonValue *operand)
{
	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(stage->name, gettext_noop("A document is expected."));
	if (PgBsonIsEmpty(operand))
		PgBsonStageWrong(stage->name, gettext_noop("At least one field is expected."));
	stage->projection = PgBsonProjectionParseStage(operand, use);
}

static void
parse_unset(PgBsonExprUse *use, Stage *stage, const PgBsonValue *operand)
{
	PgBsonValue paths = operand->type == PGBSON_ARRAY ? *operand : PgBsonMakeArray(operand, 1);

	if (PgBsonIsEmpty(&paths))
		PgBsonStageWrong(stage->name, gettext_noop("At least one field is expected."));
	PgBsonForEach(iter, PgBsonValueView(&paths))
	{
		if (iter.value.type != PGBSON_STRING)
			PgBsonStageWrong(stage->name, gettext_noop("A string or an array of strings is expected."));
	}
	stage->projection = PgBsonProjectionParseUnset(&paths);
}

static void
parse_replace_with(PgBsonExprUse *use, Stage *stage, const PgBsonValue *operand)
{
	stage->replacement = PgBsonExpressionParseFor(operand, use);
}

/* {"newRoot": expression} */
static void
parse_replace_root(PgBsonExprUse *use, Stage *stage, const PgBsonValue *operand)
{
	PgBsonIter	iter;

	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(stage->name, gettext_noop("A document is expected."));
	if (!PgBsonFirst(operand, &iter) || !PgBsonIterIs(&iter, "newRoot"))
		PgBsonStageWrong(stage->name, gettext_noop("A document with the field \"newRoot\" alone is expected."));
	parse_replace_with(use, stage, &iter.value);
	if (PgBsonIterNext(&iter))
		PgBsonStageWrong(stage->name, gettext_noop("A document with the field \"newRoot\" alone is expected."));
}

static const UpdateStage kinds[] = {
	{"$set", parse_add},
	{"$addFields", parse_add},
	{"$unset", parse_unset},
	{"$project", parse_project},
	{"$replaceWith", parse_replace_with},
	{"$replaceRoot", parse_replace_root}
};

PgBsonView
PgBsonStagesOf(const PgBsonValue *pipeline)
{
	if (pipeline->type != PGBSON_ARRAY)
		PgBsonReportInvalid(errmsg("a bson pipeline must be an array of stages"),
							errdetail("It is of type %s.", PgBsonTypeName(pipeline->type)));
	return PgBsonValueView(pipeline);
}

PgBsonIter
PgBsonStageField(const PgBsonValue *stage)
{
	PgBsonIter	field;

	if (!PgBsonOnlyField(stage, &field))
		PgBsonReportInvalid(errmsg("invalid stage of a bson pipeline"),
							errdetail("A document with one field, the name of the stage, is expected."));
	return field;
}

/* Parse one stage, {name: operand}; 22023 if there is no such stage */
static void
parse_update_stage(PgBsonExprUse *use, Stage *stage, const PgBsonValue *value)
{
	PgBsonIter	iter = PgBsonStageField(value);
	const UpdateStage *kind = PgBsonRowNamed(kinds, iter.key, iter.key_len);

	if (kind == NULL)
		PgBsonReportInvalid(errmsg("unknown stage of a bson pipeline: \"%.200s\"",
								   PgBsonNameInMessage(iter.key, iter.key_len)),
							errdetail("The stages are $set, $addFields, $unset, $project, $replaceWith and $replaceRoot."));
	stage->name = kind->name;
	kind->parse(use, stage, &iter.value);
}

PgBsonPipeline *
PgBsonPipelineParse(const PgBsonValue *stages, bool open)
{
	PgBsonPipeline *pipeline = palloc0_object(PgBsonPipeline);
	uint32		count = PgBsonViewCount(PgBsonStagesOf(stages));

	if (count > PGBSON_MAX_STAGES)
		PgBsonReportLimit(errmsg("too many stages of a bson pipeline"),
						  errdetail("There may be %d at most.", PGBSON_MAX_STAGES));
	pipeline->use.open = open;
	pipeline->stages = palloc0_array(Stage, count + 1);
	PgBsonForEach(iter, PgBsonValueView(stages))
		parse_update_stage(&pipeline->use, &pipeline->stages[pipeline->nstages++], &iter.value);
	return pipeline;
}

/* The document that the expression of $replaceWith makes; 22023 if it makes something else */
static PgBsonValue
replace_with(const Stage *stage, const PgBsonValue *doc, const PgBsonValue *variables)
{
	PgBsonValue new = PgBsonExpressionEvaluate(stage->replacement, doc, variables, NULL);

	if (new.type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("stage \"%s\" of a bson pipeline makes no document", stage->name),
							errdetail("Its expression yields a value of type %s.", PgBsonExprTypeName(&new)));
	PgBsonCheckDepth(&new, 0);
	return PgBsonCopyFresh(&new);
}

/* Error context callback: say which stage makes what is too large */
static void
show_stage(void *arg)
{
	if (geterrcode() == ERRCODE_PROGRAM_LIMIT_EXCEEDED)
		errcontext("stage \"%s\" of a bson pipeline", ((const Stage *) arg)->name);
}

PgBsonValue
PgBsonPipelineApply(const PgBsonPipeline *pipeline, const PgBsonValue *doc, const PgBsonValue *variables)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext own[2] = {NULL, NULL};	/* two take turns, as a stage reads the result of the one before */
	PgBsonValue result = PgBsonCopyFresh(doc);
	ErrorContextCallback callback = {error_context_stack, show_stage, NULL};

	error_context_stack = &callback;
	for (int i = 0; i < pipeline->nstages; i++)
	{
		Stage	   *stage = &pipeline->stages[i];

		CHECK_FOR_INTERRUPTS();
		callback.arg = stage;
		if (pipeline->nstages > 1)
		{
			MemoryContext *mine = &own[i % 2];

			if (*mine == NULL)
				*mine = AllocSetContextCreate(caller, "bson pipeline", ALLOCSET_SMALL_SIZES);
			else
				MemoryContextReset(*mine);
			MemoryContextSwitchTo(*mine);
		}
		if (stage->projection != NULL)
			result = PgBsonProjectValue(stage->projection, &result, variables);
		else
		{
			result = replace_with(stage, &result, variables);
			/* it may be part of the last stage's document, which will be freed */
			if (pipeline->nstages > 1)
				result = PgBsonMakeBytes(result.type, result.data, result.len);
		}
	}
	error_context_stack = callback.previous;
	MemoryContextSwitchTo(caller);
	if (pipeline->nstages > 1)
	{
		result = PgBsonMakeBytes(result.type, result.data, result.len);
		MemoryContextDelete(own[0]);
		MemoryContextDelete(own[1]);
	}
	return PgBsonCopyFresh(&result);
}
