/*
 * redact.c
 *	  $redact of MongoDB's pipelines.
 *
 * See src/mongo/db/pipeline/document_source_redact.cpp of MongoDB.
 */
#include "mongo/stage/redact.h"

#include "miscadmin.h"

/* The variables of the expression, the level itself and what it may say, which is a string as in MongoDB */
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
} Redaction;

PgBsonExpression *
PgBsonRedactParse(const PgBsonValue *expression)
{
	static const char *const names[NVARIABLES] = {"CURRENT", "DESCEND", "PRUNE", "KEEP"};

	return PgBsonExpressionParseIn(expression, names, NVARIABLES);
}

static bool
is_same(const PgBsonValue *a, const PgBsonValue *b)
{
	return a->type == b->type && a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

static PgBsonValue redact_level(Redaction *redaction, const PgBsonValue *level);

/* What is within a level, or an array: documents are levels of their own, the rest stays */
static PgBsonValue
redact_within(Redaction *redaction, const PgBsonValue *container)
{
	PgBsonExprMaker maker;

	check_stack_depth();
	PgBsonExprOpen(&maker, container->len);
	PgBsonForEach(iter, PgBsonValueView(container))
	{
		PgBsonValue value = iter.value;

		if (value.type == PGBSON_DOCUMENT)
			value = redact_level(redaction, &value);
		else if (value.type == PGBSON_ARRAY)
			value = redact_within(redaction, &value);
		if (container->type == PGBSON_DOCUMENT)
			PgBsonExprField(&maker, iter.key, iter.key_len, &value);
		else if (value.type != PGBSON_MISSING)
			PgBsonExprPush(&maker, &value);
	}
	return PgBsonExprClose(&maker, container->type);
}

static PgBsonValue
redact_level(Redaction *redaction, const PgBsonValue *level)
{
	PgBsonValue verdict;

	redaction->values[LEVEL] = *level;
	verdict = PgBsonExpressionEvaluateIn(redaction->expression, redaction->root, redaction->variables,
										 redaction->values, NVARIABLES);
	if (is_same(&verdict, &redaction->values[KEEP]))
		return *level;
	if (is_same(&verdict, &redaction->values[PRUNE]))
		return PgBsonExprMissing();
	if (is_same(&verdict, &redaction->values[DESCEND]))
		return redact_within(redaction, level);
	PgBsonReportInvalid(errmsg("expression of stage \"$redact\" of a bson pipeline must be $$KEEP, $$PRUNE or $$DESCEND"),
						errdetail("It is of type %s.", PgBsonExprTypeName(&verdict)));
}

PgBsonValue
PgBsonRedact(const PgBsonExpression *expression, const PgBsonValue *doc, const PgBsonValue *variables)
{
	Redaction	redaction = {expression, doc, variables};

	redaction.values[DESCEND] = PgBsonExprText("descend", strlen("descend"));
	redaction.values[PRUNE] = PgBsonExprText("prune", strlen("prune"));
	redaction.values[KEEP] = PgBsonExprText("keep", strlen("keep"));
	return redact_level(&redaction, doc);
}
