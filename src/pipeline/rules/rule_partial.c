/*
 * rule_partial.c
 *	  Partial indexes, WHERE data @~ '{"active": true}', for filters that imply their condition.
 *
 * The server uses such an index only if the statement has its condition, as it is written there.  So the filter gets
 * this condition, too.  A filter implies one if it has for each field the same test, or one that is met by no other
 * values.
 */
#include "pipeline/rules/rules.h"

#include "core/order/compare.h"
#include "mongo/common/options.h"
#include "mongo/expr/expr.h"
#include "mongo/query/match.h"

/*
 * Does a value that equals this one meet {operator: operand}?  Null, which is also what is missing, and patterns are
 * not looked into.
 */
static bool
equal_meets(const PgBsonValue *value, const PgBsonValue *test)
{
	PgBsonValue query = PgBsonMakePair("x", 1, test);
	PgBsonValue document = PgBsonMakePair("x", 1, value);

	return !PgBsonIsNullish(value->type) && value->type != PGBSON_REGEX && value->type != PGBSON_ARRAY &&
		PgBsonQueryMatches(PgBsonQueryParse(&query), &document);
}

/* Does each value that is in the range of one operator lie in that of the other? */
static bool
range_within(const PgBsonIter *given, const PgBsonIter *wanted)
{
	bool		upper = PgBsonIterIs(given, "$lt") || PgBsonIterIs(given, "$lte");
	bool		open = PgBsonIterIs(wanted, "$gt") || PgBsonIterIs(wanted, "$lt");
	PgBsonValue least[2];
	PgBsonValue above;
	int			cmp;

	if (PgBsonNameAmong("$gt $gte $lt $lte", given->key, given->key_len) < 0 ||
		!PgBsonBracketOf(&given->value, &least[0], &above))
		return false;
	if (PgBsonIterIs(wanted, "$exists"))
		return PgBsonExprIsTrue(&wanted->value);
	if (PgBsonNameAmong(upper ? "$lt $lte" : "$gt $gte", wanted->key, wanted->key_len) < 0 ||
		!PgBsonBracketOf(&wanted->value, &least[1], &above) || PgBsonCompare(&least[0], &least[1]) != 0)
		return false;
	cmp = PgBsonCompare(&given->value, &wanted->value);
	return cmp == 0 ? !open || PgBsonIterIs(given, upper ? "$lt" : "$gt") : (cmp < 0) == upper;
}

/* Does a field that meets {given: operand} meet {wanted: operand}? */
static bool
operator_implies(const PgBsonIter *given, const PgBsonIter *wanted)
{
	PgBsonValue test = PgBsonMakePair(wanted->key, wanted->key_len, &wanted->value);

	/* what $regex means depends on the operator beside it */
	if (PgBsonNameAmong("$regex $options", wanted->key, wanted->key_len) >= 0)
		return false;
	if (PgBsonIterIs(given, wanted->key) && PgBsonSameBytes(&given->value, &wanted->value))
		return true;
	if (PgBsonNameAmong("$eq $gt $gte $lt $lte $in $exists", wanted->key, wanted->key_len) < 0)
		return false;
	if (PgBsonIterIs(given, "$eq"))
		return equal_meets(&given->value, &test);
	if (PgBsonIterIs(given, "$in") && given->value.type == PGBSON_ARRAY)
	{
		PgBsonForEach(iter, PgBsonValueView(&given->value))
		{
			if (!equal_meets(&iter.value, &test))
				return false;
		}
		return !PgBsonIsEmpty(&given->value);
	}
	return range_within(given, wanted);
}

/* The tests of a field's condition, as {operator: operand, ...} */
static PgBsonValue
operators_of(const PgBsonValue *condition)
{
	return PgBsonHasOperator(condition) ? *condition : PgBsonMakePair("$eq", 3, condition);
}

static bool
condition_implies(const PgBsonValue *given, const PgBsonValue *wanted)
{
	PgBsonValue tests = operators_of(wanted);
	PgBsonValue others = operators_of(given);

	if (PgBsonSameBytes(given, wanted))
		return true;
	PgBsonForEach(test, PgBsonValueView(&tests))
	{
		bool		implied = false;

		PgBsonForEach(other, PgBsonValueView(&others))
			implied |= operator_implies(&other, &test);
		if (!implied)
			return false;
	}
	return true;
}

/* Does a query have a field, perhaps in its $and, whose condition implies this one? */
static bool
field_implies(const PgBsonValue *query, const PgBsonIter *wanted)
{
	check_stack_depth();
	PgBsonForEach(iter, PgBsonValueView(query))
	{
		if (PgBsonIterIs(&iter, wanted->key) && (iter.key[0] == '$' ? PgBsonSameBytes(&iter.value, &wanted->value) :
												 condition_implies(&iter.value, &wanted->value)))
			return true;
		if (PgBsonIterIs(&iter, "$and") && iter.value.type == PGBSON_ARRAY)
		{
			PgBsonForEach(element, PgBsonValueView(&iter.value))
			{
				if (field_implies(&element.value, wanted))
					return true;
			}
		}
	}
	return false;
}

static bool
implies(const PgBsonValue *query, const PgBsonValue *condition)
{
	PgBsonForEach(iter, PgBsonValueView(condition))
	{
		if (!field_implies(query, &iter))
			return false;
	}
	return true;
}

/* Is the index's first field one of the query or the sort? */
static bool
is_of_use(const PgBsonIndex *index, const PgBsonValue *query, const PgBsonStage *next)
{
	const PgBsonKeyRef *path = &((const PgBsonIndexed *) linitial(index->columns))->path;
	PgBsonValue value;

	return PgBsonFindKey(PgBsonValueView(query), path->key, path->len, &value) ||
		(next != NULL && next->kind == PGBSON_NODE_SORT &&
		 PgBsonFindKey(PgBsonValueView(&next->operand), path->key, path->len, &value));
}

void
PgBsonRulePartial(PgBsonChain *chain, int step)
{
	PgBsonSource *source = palloc_object(PgBsonSource);
	const PgBsonValue *query = PgBsonChainQuery(chain);
	const PgBsonStage *next = list_length(chain->steps) > 1 ? lsecond(chain->steps) : NULL;
	PgBsonFilter *filter = list_nth(chain->steps, step);
	List	   *conditions = NIL;

	if (step > 0 || query == NULL)
		return;
	*source = *chain->source;
	source->indexed = list_copy(source->indexed);
	source->indexes = list_copy(source->indexes);
	foreach_ptr(PgBsonIndex, index, source->partial)
	{
		if (!is_of_use(index, query, next) || !implies(query, &index->condition))
			continue;
		conditions = lappend(conditions, PgBsonConditionNew(PGBSON_CONDITION_QUERY, &index->condition, NIL));
		source->indexed = list_append_unique_ptr(source->indexed, linitial(index->columns));
		source->indexes = lappend(source->indexes, index);
	}
	if (conditions == NIL)
		return;
	chain->source = source;
	filter->conditions = list_concat_copy(filter->conditions, conditions);
}
