/*
 * pipeline.c
 *	  Changing a document by a pipeline.
 *
 * See src/mongo/db/update/pipeline_executor.cpp of MongoDB.
 */
#include "mongo/update/pipeline.h"

#include "core/bytes/recode.h"
#include "core/bytes/value.h"
#include "core/bytes/view.h"
#include "miscadmin.h"
#include "mongo/expr/expr.h"
#include "mongo/project/project.h"

typedef struct Stage
{
	const char *name;
	PgBsonProjection *projection;	/* NULL: the next */
	PgBsonExpression *replacement;
} Stage;

struct PgBsonPipeline
{
	int			nstages;
	Stage	   *stages;
	bool		open;			/* the caller gives the variables of expressions */
	bool		uses_now;		/* of one that is not open */
	List	   *expressions;	/* if "open": the expressions, PgBsonExpression */
};

/* A kind of stage, and how its operand is made ready */
typedef struct StageKind
{
	const char *name;
	void		(*parse) (PgBsonPipeline *pipeline, Stage *stage, const PgBsonValue *operand);
} StageKind;

/* Raise 22023: "detail" is a whole sentence */
pg_noreturn static void
wrong_operand(const Stage *stage, const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid operand of stage \"%s\" of a bson pipeline", stage->name),
						errdetail_internal("%s", _(detail)));
}

static void
parse_add(PgBsonPipeline *pipeline, Stage *stage, const PgBsonValue *operand)
{
	if (operand->type != PGBSON_DOCUMENT)
		wrong_operand(stage, gettext_noop("A document is expected."));
	stage->projection = PgBsonProjectionParseAdd(operand, pipeline->open);
}

static void
parse_project(PgBsonPipeline *pipeline, Stage *stage, const PgBsonValue *operand)
{
	if (operand->type != PGBSON_DOCUMENT)
		wrong_operand(stage, gettext_noop("A document is expected."));
	if (PgBsonViewCount(PgBsonValueView(operand)) == 0)
		wrong_operand(stage, gettext_noop("At least one field is expected."));
	stage->projection = PgBsonProjectionParseStage(operand, pipeline->open);
}

static void
parse_unset(PgBsonPipeline *pipeline, Stage *stage, const PgBsonValue *operand)
{
	if (operand->type == PGBSON_ARRAY)
	{
		if (PgBsonViewCount(PgBsonValueView(operand)) == 0)
			wrong_operand(stage, gettext_noop("At least one field is expected."));
		PgBsonForEach(iter, PgBsonValueView(operand))
		{
			if (iter.value.type != PGBSON_STRING)
				wrong_operand(stage, gettext_noop("A string or an array of strings is expected."));
		}
	}
	else if (operand->type != PGBSON_STRING)
		wrong_operand(stage, gettext_noop("A string or an array of strings is expected."));
	stage->projection = PgBsonProjectionParseUnset(operand);
}

static void
parse_replace_with(PgBsonPipeline *pipeline, Stage *stage, const PgBsonValue *operand)
{
	if (!pipeline->open)
		stage->replacement = PgBsonExpressionParseClosed(operand, &pipeline->uses_now);
	else
	{
		stage->replacement = PgBsonExpressionParse(operand);
		pipeline->expressions = lappend(pipeline->expressions, stage->replacement);
	}
}

/* {"newRoot": expression} */
static void
parse_replace_root(PgBsonPipeline *pipeline, Stage *stage, const PgBsonValue *operand)
{
	PgBsonIter	iter;

	if (operand->type != PGBSON_DOCUMENT)
		wrong_operand(stage, gettext_noop("A document is expected."));
	if (!PgBsonFirst(operand, &iter) || !PgBsonIterIs(&iter, "newRoot"))
		wrong_operand(stage, gettext_noop("A document with the field \"newRoot\" alone is expected."));
	parse_replace_with(pipeline, stage, &iter.value);
	if (PgBsonIterNext(&iter))
		wrong_operand(stage, gettext_noop("A document with the field \"newRoot\" alone is expected."));
}

static const StageKind kinds[] = {
	{"$set", parse_add},
	{"$addFields", parse_add},
	{"$unset", parse_unset},
	{"$project", parse_project},
	{"$replaceWith", parse_replace_with},
	{"$replaceRoot", parse_replace_root}
};

/* Make one stage, {name: operand}, ready; 22023 if there is no such stage */
static void
parse_stage(PgBsonPipeline *pipeline, Stage *stage, const PgBsonValue *value)
{
	PgBsonIter	iter;

	if (value->type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(value)) != 1)
		PgBsonReportInvalid(errmsg("invalid stage of a bson pipeline"),
							errdetail("A document with one field, the name of the stage, is expected."));
	(void) PgBsonFirst(value, &iter);
	for (int i = 0; i < lengthof(kinds); i++)
	{
		if (PgBsonIterIs(&iter, kinds[i].name))
		{
			stage->name = kinds[i].name;
			kinds[i].parse(pipeline, stage, &iter.value);
			if (stage->projection != NULL)
			{
				pipeline->uses_now |= PgBsonProjectionUsesNow(stage->projection);
				pipeline->expressions = list_concat(pipeline->expressions, PgBsonProjectionExpressions(stage->projection));
			}
			return;
		}
	}
	PgBsonReportInvalid(errmsg("unknown stage of a bson pipeline: \"%.200s\"", PgBsonNameInMessage(iter.key, iter.key_len)),
						errdetail("The stages are $set, $addFields, $unset, $project, $replaceWith and $replaceRoot."));
}

PgBsonPipeline *
PgBsonPipelineParse(const PgBsonValue *stages, bool open)
{
	PgBsonPipeline *pipeline = palloc0_object(PgBsonPipeline);
	uint32		count = PgBsonViewCount(PgBsonValueView(stages));

	if (count > PGBSON_MAX_STAGES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many stages of a bson pipeline"),
				 errdetail("There may be %d at most.", PGBSON_MAX_STAGES)));
	pipeline->open = open;
	pipeline->stages = palloc0_array(Stage, count + 1);
	PgBsonForEach(iter, PgBsonValueView(stages))
	{
		parse_stage(pipeline, &pipeline->stages[pipeline->nstages++], &iter.value);
	}
	return pipeline;
}

List *
PgBsonPipelineExpressions(const PgBsonPipeline *pipeline)
{
	return pipeline->expressions;
}

bool
PgBsonPipelineUsesNow(const PgBsonPipeline *pipeline)
{
	return pipeline->uses_now;
}

/* The document that the expression of $replaceWith makes; 22023 if it makes something else */
static PgBsonValue
replace(const Stage *stage, const PgBsonValue *doc, const PgBsonValue *variables)
{
	PgBsonValue new = PgBsonExpressionEvaluate(stage->replacement, doc, variables);

	if (new.type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("stage \"%s\" of a bson pipeline makes no document", stage->name),
							errdetail("Its expression yields a value of type %s.", PgBsonExprTypeName(&new)));
	PgBsonCheckDepth(&new, 0);
	return new;
}

static PgBsonValue
apply_stage(const Stage *stage, const PgBsonValue *doc, const PgBsonValue *variables)
{
	PgBsonValue new;

	if (stage->projection != NULL)
		return PgBsonProjectValue(stage->projection, doc, variables);
	/* the value may be part of the last stage's document, which will be freed, so copy it */
	new = replace(stage, doc, variables);
	return PgBsonExprBytes(new.type, new.data, new.len);
}

PgBsonValue
PgBsonPipelineApply(const PgBsonPipeline *pipeline, const PgBsonValue *doc, int64 now)
{
	PgBsonValue date;
	PgBsonValue variables;

	if (!pipeline->uses_now)
		return PgBsonPipelineApplyWith(pipeline, doc, NULL);
	date = PgBsonExprDateOf(now);
	variables = PgBsonExprPair("NOW", strlen("NOW"), &date);
	return PgBsonPipelineApplyWith(pipeline, doc, &variables);
}

PgBsonValue
PgBsonPipelineApplyWith(const PgBsonPipeline *pipeline, const PgBsonValue *doc, const PgBsonValue *variables)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext own[2] = {NULL, NULL};	/* with many stages, each stage and the one before it have a context of their own */
	PgBsonValue result = *doc;

	for (int i = 0; i < pipeline->nstages; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (pipeline->nstages > 1)
		{
			MemoryContext *mine = &own[i % 2];

			if (*mine == NULL)
				*mine = AllocSetContextCreate(caller, "bson pipeline", ALLOCSET_SMALL_SIZES);
			else
				MemoryContextReset(*mine);
			MemoryContextSwitchTo(*mine);
		}
		result = apply_stage(&pipeline->stages[i], &result, variables);
	}
	MemoryContextSwitchTo(caller);
	if (pipeline->nstages > 1)
	{
		result = PgBsonExprBytes(result.type, result.data, result.len);
		MemoryContextDelete(own[0]);
		MemoryContextDelete(own[1]);
	}
	return result;
}
