/*
 * redact.c
 *	  $redact of MongoDB's pipelines.
 *
 * See src/mongo/db/pipeline/document_source_redact.cpp of MongoDB.
 */
#include "mongo/stage/nested.h"

/*
 * The variables of the expression: $$CURRENT, the document at this level, and the three results $$DESCEND, $$PRUNE and
 * $$KEEP, which are strings as in MongoDB
 */
enum
{
	LEVEL, DESCEND, PRUNE, KEEP, NVARIABLES
};

typedef struct Redaction
{
	const PgBsonExpression *expression;
	const PgBsonValue *root;
	const PgBsonValue *variables;
	PgBsonValue values[NVARIABLES];
	MemoryContext scratch;		/* where the expression's values are allocated */
	PgBsonWriter w;
} Redaction;

PgBsonExpression *
PgBsonRedactParse(const PgBsonValue *expression)
{
	return PgBsonExpressionParse(expression, "CURRENT DESCEND PRUNE KEEP");
}

/* Evaluate the expression for a level; returns which of the variables its value equals */
static int
verdict_of(Redaction *redaction, const PgBsonValue *level)
{
	MemoryContext old;
	PgBsonValue verdict;

	PgBsonExprScratchTrim(redaction->scratch);
	old = MemoryContextSwitchTo(redaction->scratch);
	redaction->values[LEVEL] = *level;
	verdict = PgBsonExpressionEvaluate(redaction->expression, redaction->root, redaction->variables, redaction->values);
	MemoryContextSwitchTo(old);
	for (int i = DESCEND; i < NVARIABLES; i++)
	{
		if (PgBsonSameBytes(&verdict, &redaction->values[i]))
			return i;
	}
	PgBsonReportInvalid(errmsg("expression of stage \"$redact\" of a bson pipeline must be $$KEEP, $$PRUNE or $$DESCEND"),
						errdetail("It is of type %s.", PgBsonExprTypeName(&verdict)));
}

/* Write what remains of a level or an array: documents in it are levels of their own, other values stay */
static void
redact_within(Redaction *redaction, const PgBsonValue *container)
{
	PgBsonWriter *w = &redaction->w;
	Size		start = PgBsonWriterOpen(w);
	uint32		count = 0;

	check_stack_depth();
	PgBsonForEach(iter, PgBsonValueView(container))
	{
		const PgBsonValue *value = &iter.value;
		int			verdict = value->type == PGBSON_ARRAY ? DESCEND : KEEP;

		if (value->type == PGBSON_DOCUMENT)
			verdict = verdict_of(redaction, value);
		if (verdict == PRUNE)
			continue;
		if (container->type == PGBSON_DOCUMENT)
			PgBsonWriterKey(w, value->type, iter.key, iter.key_len);
		else
			PgBsonWriterIndex(w, value->type, count++);
		if (verdict == DESCEND)
			redact_within(redaction, value);
		else
			PgBsonWriterValue(w, value);
	}
	PgBsonWriterClose(w, start);
}

PgBsonValue
PgBsonRedact(const PgBsonExpression *expression, const PgBsonValue *doc, const PgBsonValue *variables)
{
	Redaction	redaction = {expression, doc, variables};
	PgBsonValue result = *doc;
	int			verdict;

	redaction.values[DESCEND] = PgBsonMakeString("descend", strlen("descend"));
	redaction.values[PRUNE] = PgBsonMakeString("prune", strlen("prune"));
	redaction.values[KEEP] = PgBsonMakeString("keep", strlen("keep"));
	redaction.scratch = PgBsonExprScratch();
	verdict = verdict_of(&redaction, doc);
	if (verdict == PRUNE)
		result = PgBsonMissing;
	else if (verdict == DESCEND)
	{
		PgBsonWriterInit(&redaction.w, doc->len);
		redact_within(&redaction, doc);
		result = PgBsonWriterResult(&redaction.w, PGBSON_DOCUMENT);
	}
	MemoryContextDelete(redaction.scratch);
	return result;
}
