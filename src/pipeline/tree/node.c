/*
 * node.c
 *	  What the nodes of a pipeline and their operands are.
 */
#include "pipeline/tree/node.h"

#include "core/bytes/recode.h"

void *
PgBsonFindNamed(const List *list, const char *name, uint32 len)
{
	foreach_ptr(PgBsonKeyRef, known, list)
	{
		if (PgBsonSameKey(known->key, known->len, name, len))
			return known;
	}
	return NULL;
}

List *
PgBsonAppendName(List *names, const char *name, uint32 len)
{
	PgBsonKeyRef *ref = palloc_object(PgBsonKeyRef);

	*ref = (PgBsonKeyRef) {name, len};
	return lappend(names, ref);
}

List *
PgBsonAppendValue(List *values, const PgBsonValue *value)
{
	PgBsonValue *copy = palloc_object(PgBsonValue);

	*copy = *value;
	return lappend(values, copy);
}

PgBsonCondition *
PgBsonConditionNew(PgBsonConditionKind kind, const PgBsonValue *value, List *parts)
{
	PgBsonCondition *condition = palloc0_object(PgBsonCondition);

	condition->kind = kind;
	condition->value = value == NULL ? PgBsonMissing : *value;
	condition->parts = parts;
	return condition;
}

bool
PgBsonStepIs(const PgBsonStep *step, const char *name, uint32 len)
{
	return PgBsonSameKey(step->key, step->key_len, name, len);
}

bool
PgBsonChainIsOrdered(const PgBsonChain *chain, int count)
{
	bool		ordered = chain->source->ordered;

	for (int i = 0; i < count; i++)
	{
		switch (((const PgBsonStage *) list_nth(chain->steps, i))->kind)
		{
			case PGBSON_NODE_SORT:
			case PGBSON_NODE_NEAR:
			case PGBSON_NODE_SAMPLE:
				ordered = true;
				break;
			case PGBSON_NODE_GROUP:
			case PGBSON_NODE_COUNT:
			case PGBSON_NODE_DENSIFY:
			case PGBSON_NODE_UNION:
			case PGBSON_NODE_FACET:
				ordered = false;
				break;
			default:
				break;
		}
	}
	return ordered;
}

const PgBsonValue *
PgBsonChainQuery(const PgBsonChain *chain)
{
	const PgBsonFilter *filter = chain->steps == NIL ? NULL : linitial(chain->steps);
	const PgBsonCondition *first;

	if (filter == NULL || filter->node.kind != PGBSON_NODE_FILTER || filter->conditions == NIL)
		return NULL;
	first = linitial(filter->conditions);
	return first->kind == PGBSON_CONDITION_QUERY ? &first->value : NULL;
}

bool
PgBsonChainReadsSource(const PgBsonChain *chain, int step)
{
	for (int i = 0; i < step; i++)
	{
		PgBsonStageKind kind = ((const PgBsonStage *) list_nth(chain->steps, i))->kind;

		if (kind != PGBSON_NODE_FILTER && kind != PGBSON_NODE_SORT)
			return false;
	}
	return true;
}

bool
PgBsonUnwindDivides(const PgBsonStage *node)
{
	const PgBsonUnwind *unwind = ((const PgBsonUnwindStep *) node)->unwind;

	return unwind->path.count == 1 && !unwind->preserves &&
		(!unwind->with_index || (unwind->index.count == 1 &&
								 !PgBsonStepIs(&unwind->index.names[0], unwind->path.names[0].key,
											   unwind->path.names[0].key_len)));
}

bool
PgBsonAccumulatorIsOrdered(const char *name, uint32 len)
{
	return PgBsonNameAmong("$first $last $push $mergeObjects $firstN $lastN $top $bottom $topN $bottomN", name, len) >= 0;
}

bool
PgBsonWindowCounts(const PgBsonValue *field)
{
	PgBsonIter	first;

	return PgBsonFirst(field, &first) &&
		(PgBsonIterIs(&first, "$rank") || PgBsonIterIs(&first, "$denseRank") || PgBsonIterIs(&first, "$documentNumber"));
}

bool
PgBsonOperandComputes(const PgBsonValue *expression)
{
	return expression->type == PGBSON_STRING ? PgBsonStringBytes(expression)[0] == '$' : PgBsonHasOperator(expression);
}

bool
PgBsonOperandIsPath(const PgBsonValue *expression, PgBsonKeyRef *path)
{
	uint32		len;
	const char *s;

	if (expression->type != PGBSON_STRING)
		return false;
	s = PgBsonValueString(expression, &len);
	*path = (PgBsonKeyRef) {s + 1, len - 1};
	return len > 1 && s[0] == '$' && s[1] != '$' && memchr(s, '\0', len) == NULL;
}

const char *
PgBsonComparisonSign(const PgBsonIter *operator)
{
	static const char *const signs[] = {"=", ">", ">=", "<", "<="};
	int			i = PgBsonNameAmong("$eq $gt $gte $lt $lte", operator->key, operator->key_len);

	return i < 0 ? NULL : signs[i];
}

bool
PgBsonOperandConstant(const PgBsonValue *expression, PgBsonValue *value)
{
	PgBsonExpression *parsed = PgBsonExpressionParse(expression, NULL);

	if (!PgBsonExprIsConstant(parsed->root))
		return false;
	*value = PgBsonExpressionEvaluate(parsed, &PgBsonNull, NULL, NULL);
	return true;
}

PgBsonValue
PgBsonOperandField(const char *path, uint32 len)
{
	return PgBsonMakeString(psprintf("$%s", pnstrdup(path, len)), len + 1);
}

bool
PgBsonOperandIsPair(const PgBsonValue *id, PgBsonIter *field)
{
	return PgBsonOnlyField(id, field) && field->key[0] != '$';
}

bool
PgBsonOperandVaries(const List *names, const PgBsonExpression *expression)
{
	for (int i = 0; i < expression->nvariables; i++)
	{
		const PgBsonKeyRef *name = &expression->variables[i];

		if (!PgBsonKeyIs(name->key, name->len, "NOW") && PgBsonFindNamed(names, name->key, name->len) == NULL)
			PgBsonReportInvalid(errmsg("undefined variable in a bson pipeline: \"%s\"", PgBsonNameInMessage(name->key, name->len)));
	}
	return expression->nvariables > 0;
}

PgBsonNames
PgBsonOperandPath(const PgBsonValue *path, const char *what)
{
	return PgBsonNestedSplit(PgBsonStringBytes(path), PgBsonStringLength(path), what);
}

const PgBsonUnit *
PgBsonOperandUnit(const PgBsonValue *option)
{
	return PgBsonRangeUnit(PgBsonStringBytes(option), PgBsonStringLength(option));
}
