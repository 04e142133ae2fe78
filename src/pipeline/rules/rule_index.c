/*
 * rule_index.c
 *	  Conditions and orders that a btree index on a field serves.
 *
 * The conditions on such a field become those that deparse/where.c writes for an index.  The documents are the same.
 */
#include "pipeline/rules/rules.h"

#include "core/number/number.h"
#include "core/order/compare.h"
#include "mongo/query/match.h"

static PgBsonCondition *
compare(const PgBsonIndexed *field, const char *operator, const PgBsonValue *value)
{
	PgBsonCondition *condition = PgBsonConditionNew(PGBSON_CONDITION_COMPARE, value, NIL);

	condition->field = field;
	condition->operator = operator;
	return condition;
}

bool
PgBsonBracketOf(const PgBsonValue *value, PgBsonValue *least, PgBsonValue *above)
{
	static const uint8 zeroes[12];
	static const uint8 least_date[8] = {[7] = 0x80};
	static const uint8 nan[8] = {[6] = 0xF8, [7] = 0x7F};
	const PgBsonValue ends[] = {
		{PGBSON_DOUBLE, 8, nan}, PgBsonMakeString("", 0), PgBsonMakeDocument(NULL), PgBsonMakeArray(NULL, 0),
		{PGBSON_OBJECTID, 12, zeroes}, {PGBSON_BOOL, 1, zeroes}, {PGBSON_DATE, 8, least_date},
		{PGBSON_TIMESTAMP, 8, zeroes}
	};

	for (int i = 0; i < lengthof(ends) - 1; i++)
	{
		if (PgBsonTypeRank(ends[i].type) == PgBsonTypeRank(value->type) && value->type != PGBSON_ARRAY)
		{
			*least = ends[i];
			*above = ends[i + 1];
			/* NaN compares with nothing */
			return !PgBsonIsNumber(value->type) || PgBsonCompare(value, least) > 0;
		}
	}
	return false;
}

/* Does the query match a document without fields? */
static bool
matches_missing(const PgBsonValue *query)
{
	const PgBsonValue empty = PgBsonMakeDocument(NULL);

	return PgBsonQueryMatches(PgBsonQueryParse(query), &empty);
}

/* Can the value be looked for?  A regular expression is a pattern, unless "exactly". */
static bool
is_plain(const PgBsonValue *value, bool exactly)
{
	return value->type != PGBSON_UNDEFINED && (exactly || value->type != PGBSON_REGEX);
}

/* The condition {$in: list} on the field's value; NULL if it has a pattern, or is empty */
static PgBsonCondition *
in_list(const PgBsonIndexed *field, const PgBsonValue *list)
{
	PgBsonCondition *condition = PgBsonConditionNew(PGBSON_CONDITION_ANY, list, NIL);

	if (list->type != PGBSON_ARRAY || PgBsonIsEmpty(list))
		return NULL;
	PgBsonForEach(iter, PgBsonValueView(list))
	{
		if (!is_plain(&iter.value, false))
			return NULL;
	}
	condition->field = field;
	return condition;
}

/* The conditions {operator: operand, ...} on the field's value; NIL if it has another operator than those served */
static List *
operators(const PgBsonIndexed *field, const PgBsonValue *operand)
{
	bool		bounded[2] = {false, false};
	PgBsonValue least = {PGBSON_MISSING};
	PgBsonValue above;
	PgBsonValue first;
	List	   *conditions = NIL;

	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		const char *sign = PgBsonComparisonSign(&iter);
		PgBsonCondition *condition = NULL;

		if (PgBsonIterIs(&iter, "$eq"))
			condition = is_plain(&iter.value, true) ? compare(field, sign, &iter.value) : NULL;
		else if (PgBsonIterIs(&iter, "$in"))
			condition = in_list(field, &iter.value);
		else if (sign != NULL && PgBsonBracketOf(&iter.value, &first, &above) &&
				 (least.type == PGBSON_MISSING || PgBsonCompare(&least, &first) == 0))
		{
			least = first;
			bounded[sign[0] == '<'] = true;
			condition = compare(field, sign, &iter.value);
		}
		if (condition == NULL)
			return NIL;
		conditions = lappend(conditions, condition);
	}
	if (least.type != PGBSON_MISSING && !bounded[0])
		conditions = lappend(conditions, compare(field, PgBsonIsNumber(least.type) ? ">" : ">=", &least));
	if (least.type != PGBSON_MISSING && !bounded[1])
		conditions = lappend(conditions, compare(field, "<", &above));
	return conditions;
}

/* The conditions that an anchored regular expression sets, and the expression itself: NIL if the query is no such */
static List *
pattern(const PgBsonIndexed *field, const PgBsonValue *alone)
{
	const PgBsonQuery *test = PgBsonQueryParse(alone);
	PgBsonCondition *range;
	PgBsonValue prefix;
	PgBsonValue end;
	List	   *parts;

	if (test->kind != PGBSON_QUERY_REGEX || !PgBsonRegexPrefix(&test->operand, &prefix) ||
		!PgBsonPrefixEnd(&prefix, &end))
		return NIL;
	parts = list_make2(compare(field, ">=", &prefix), compare(field, "<", &end));
	range = PgBsonConditionNew(PGBSON_CONDITION_AND, NULL, parts);
	parts = list_make2(range, compare(field, "=", &test->operand));
	return list_make2(PgBsonConditionNew(PGBSON_CONDITION_OR, NULL, parts),
					  PgBsonConditionNew(PGBSON_CONDITION_QUERY, alone, NIL));
}

PgBsonCondition *
PgBsonServeField(const PgBsonSource *source, const PgBsonIndexed *field, const PgBsonIter *iter)
{
	const PgBsonIndexed *id = PgBsonFindNamed(source->indexed, "_id", 3);
	PgBsonCondition *served;
	List	   *parts = NIL;
	PgBsonValue alone;

	if (PgBsonHasOperator(&iter->value))
		parts = operators(field, &iter->value);
	else if (is_plain(&iter->value, false))
		parts = list_make1(compare(field, "=", &iter->value));
	alone = PgBsonMakePair(iter->key, iter->key_len, &iter->value);
	/* a collation has strings in another order */
	if (parts == NIL && !source->collated)
		parts = pattern(field, &alone);
	if (parts == NIL)
		return NULL;
	served = PgBsonConditionNew(PGBSON_CONDITION_INDEXED, &alone, parts);
	served->field = served->array = field;
	/* if documents without the field do not match, arrays are what is left, in which -> '_id' finds nothing, either */
	if (id != NULL && memchr(iter->key, '.', iter->key_len) == NULL && !matches_missing(&alone))
		served->array = id;
	return served;
}

/* $and and $or: the conditions of each query of the array; an index must serve at least one for $and, each for $or */
static bool
serve_queries(const PgBsonSource *source, const PgBsonIter *iter, List **conditions)
{
	bool		is_or = PgBsonIterIs(iter, "$or");
	bool		some = false;
	List	   *all = NIL;

	if (!(is_or || PgBsonIterIs(iter, "$and")) || iter->value.type != PGBSON_ARRAY)
		return false;
	PgBsonForEach(element, PgBsonValueView(&iter->value))
	{
		List	   *of_element = NIL;
		PgBsonValue rest = PgBsonServeQuery(source, &element.value, NIL, &of_element);

		some |= of_element != NIL;
		if (is_or && of_element == NIL)
			return false;
		if (!PgBsonIsEmpty(&rest))
			of_element = lappend(of_element, PgBsonConditionNew(PGBSON_CONDITION_QUERY, &rest, NIL));
		if (is_or)
			of_element = list_make1(PgBsonConditionNew(PGBSON_CONDITION_AND, NULL, of_element));
		all = list_concat(all, of_element);
	}
	if (some && is_or)
		all = list_make1(PgBsonConditionNew(PGBSON_CONDITION_OR, NULL, all));
	if (some)
		*conditions = list_concat(*conditions, all);
	return some;
}

PgBsonValue
PgBsonServeQuery(const PgBsonSource *source, const PgBsonValue *whole, const List *decided, List **conditions)
{
	PgBsonWriter rest;

	check_stack_depth();
	PgBsonWriterBegin(&rest, whole->len);
	PgBsonForEach(iter, PgBsonValueView(whole))
	{
		const PgBsonIndexed *field = PgBsonFindNamed(source->indexed, iter.key, iter.key_len);
		PgBsonCondition *served;

		CHECK_FOR_INTERRUPTS();
		if (PgBsonFindNamed(decided, iter.key, iter.key_len) != NULL)
			continue;
		served = field == NULL ? NULL : PgBsonServeField(source, field, &iter);
		if (served != NULL)
			*conditions = lappend(*conditions, served);
		else if (!serve_queries(source, &iter, conditions))
			PgBsonWriterField(&rest, iter.key, iter.key_len, &iter.value);
	}
	return PgBsonWriterEnd(&rest, PGBSON_DOCUMENT);
}

static List *
serve_conditions(const PgBsonSource *source, List *conditions)
{
	List	   *result = NIL;

	check_stack_depth();
	foreach_ptr(const PgBsonCondition, given, conditions)
	{
		PgBsonCondition *condition = palloc_object(PgBsonCondition);
		PgBsonValue rest;

		*condition = *given;
		if (condition->kind == PGBSON_CONDITION_QUERY)
		{
			rest = PgBsonServeQuery(source, &condition->value, NIL, &result);
			if (PgBsonIsEmpty(&rest))
				continue;
			condition->value = rest;
		}
		else if (condition->parts != NIL)
			condition->parts = serve_conditions(source, condition->parts);
		result = lappend(result, condition);
	}
	return result;
}

/* A sort by one path, of which there is an index */
static void
serve_sort(const PgBsonSource *source, PgBsonSortStep *step)
{
	const PgBsonIndexed *field;
	PgBsonIter	path;

	if (step->index.fields != NIL || !PgBsonOnlyField(&step->node.operand, &path) || !PgBsonIsNumber(path.value.type))
		return;
	field = PgBsonFindNamed(source->indexed, path.key, path.key_len);
	if (field == NULL)
		return;
	step->index.fields = list_make1(unconstify(PgBsonIndexed *, field));
	step->index.descends = list_make1_int(PgBsonDoubleOf(&path.value) < 0);
}

/* Have the step's conditions changed by this function, or the sort; of documents that a table with an index has */
static void
change_served(PgBsonChain *chain, int step, List *(*conditions) (const PgBsonSource *source, List *conditions),
			  void (*sort) (const PgBsonSource *source, PgBsonSortStep *step))
{
	PgBsonStage *node = list_nth(chain->steps, step);
	PgBsonGraph *graph = node->kind == PGBSON_NODE_GRAPH ? (PgBsonGraph *) node : NULL;
	const PgBsonSource *source = graph != NULL ? graph->source : chain->source;

	if (source->indexed == NIL || (source == chain->source && !PgBsonChainReadsSource(chain, step)))
		return;
	if (graph != NULL)
		graph->conditions = conditions(source, graph->conditions);
	else if (node->kind == PGBSON_NODE_FILTER)
		((PgBsonFilter *) node)->conditions = conditions(source, ((PgBsonFilter *) node)->conditions);
	else
		sort(source, (PgBsonSortStep *) node);
}

void
PgBsonRuleIndex(PgBsonChain *chain, int step)
{
	change_served(chain, step, serve_conditions, serve_sort);
}

/* The index decides conditions alone */
static List *
decide_conditions(const PgBsonSource *source, List *conditions)
{
	check_stack_depth();
	foreach_ptr(PgBsonCondition, condition, source->rooted ? conditions : NIL)
	{
		if (condition->kind != PGBSON_CONDITION_INDEXED)
		{
			condition->parts = decide_conditions(source, condition->parts);
			continue;
		}
		if (condition->field->scalar && (condition->field->present || !matches_missing(&condition->value)))
			condition->array = NULL;
		/* the other field is the _id, which all documents have */
		condition->only_arrays = condition->array != NULL && condition->array != condition->field;
	}
	return conditions;
}

static void
sort_surely(const PgBsonSource *source, PgBsonSortStep *step)
{
	foreach_ptr(PgBsonIndexed, field, source->rooted ? step->index.fields : NIL)
	{
		if (field->scalar && field->present)
			step->index.sure = lappend(step->index.sure, field);
	}
}

/* As fields never meet an array, a find by the _id is one scan of its index */
void
PgBsonRuleSure(PgBsonChain *chain, int step)
{
	change_served(chain, step, decide_conditions, sort_surely);
}
