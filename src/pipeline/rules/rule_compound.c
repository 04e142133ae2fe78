/*
 * rule_compound.c
 *	  Conditions and an order that one btree index serves together.
 *
 * MongoDB's compound indexes are made for equality on the first fields, and a range or a sort on the next: {status: 1,
 * at: -1} serves find({status: "new"}).sort({at: -1}).limit(50).  Here the same is an index on the columns (data ->
 * 'status') and (data -> 'at').  Documents with an array in one of the fields are found in other parts of the same
 * index.
 *
 * Where LIMIT needs only some documents and there is no order, an index of one field serves in the same way.
 */
#include "pipeline/rules/rules.h"

#include "core/number/number.h"

/* What an index serves: some fields of the filter, and the sort */
typedef struct Service
{
	List	   *conditions;		/* PgBsonCondition *, on its first columns */
	List	   *keys;			/* PgBsonKeyRef *: the fields of the filter that they are of */
	PgBsonIndexOrder order;		/* its columns after those with one value, by which the sort sorts */
} Service;

/* Is it a comparison with one value?  Where it is with an array, an index cannot tell the arms of conditions apart. */
static bool
is_equality(const PgBsonCondition *condition, bool *compares_array)
{
	bool		equality = false;

	foreach_ptr(const PgBsonCondition, part, condition->parts)
	{
		equality |= part->kind == PGBSON_CONDITION_COMPARE && strcmp(part->operator, "=") == 0;
		*compares_array |= part->value.type == PGBSON_ARRAY && part->kind == PGBSON_CONDITION_COMPARE;
		if (part->kind == PGBSON_CONDITION_ANY)
		{
			PgBsonForEach(iter, PgBsonValueView(&part->value))
				*compares_array |= iter.value.type == PGBSON_ARRAY;
		}
	}
	return equality;
}

/* Is the rest of the index's columns the order of the sort, or the reverse of it? */
static bool
sort_by_columns(Service *service, const PgBsonIndex *index, int column, const PgBsonValue *sort)
{
	int			reversed = -1;

	PgBsonForEach(path, PgBsonValueView(sort))
	{
		const PgBsonIndexed *field = column < list_length(index->columns) ? list_nth(index->columns, column) : NULL;
		bool		descends;

		if (field == NULL || !PgBsonIsNumber(path.value.type) ||
			!PgBsonSameKey(field->path.key, field->path.len, path.key, path.key_len))
			return false;
		descends = PgBsonDoubleOf(&path.value) < 0;
		if (reversed < 0)
			reversed = descends != (bool) list_nth_int(index->descends, column);
		if (reversed != (descends != (bool) list_nth_int(index->descends, column)))
			return false;
		service->order.fields = lappend(service->order.fields, unconstify(PgBsonIndexed *, field));
		service->order.descends = lappend_int(service->order.descends, descends);
		column++;
	}
	return true;
}

/* What this index serves of a query and a sort, which may be missing; false if it is not worth while */
static bool
serve(const PgBsonSource *source, const PgBsonIndex *index, const PgBsonValue *query, const PgBsonValue *sort,
	  bool is_cut, Service *service)
{
	int			column = 0;
	bool		equality = true;
	bool		sorts;

	*service = (Service) {NIL};
	for (; equality && column < list_length(index->columns); column++)
	{
		const PgBsonIndexed *field = list_nth(index->columns, column);
		PgBsonCondition *condition = NULL;
		bool		compares_array = false;
		bool		one_value;

		PgBsonForEach(iter, PgBsonValueView(query))
		{
			if (condition == NULL && PgBsonSameKey(iter.key, iter.key_len, field->path.key, field->path.len))
				condition = PgBsonServeField(source, field, &iter);
		}
		if (condition == NULL)
			break;
		one_value = is_equality(condition, &compares_array);
		if (compares_array)
			break;
		equality = one_value;
		service->conditions = lappend(service->conditions, condition);
		service->keys = lappend(service->keys, unconstify(PgBsonKeyRef *, &field->path));
	}
	/* a range can be of the field that is sorted by */
	sorts = sort->type != PGBSON_MISSING && sort_by_columns(service, index, equality ? column : column - 1, sort);
	if (!sorts)
		service->order = (PgBsonIndexOrder) {NIL};
	if (service->conditions == NIL)
		return false;
	if (sort->type != PGBSON_MISSING)
		return sorts ? list_length(service->conditions) > !equality : list_length(service->conditions) > 1;
	return is_cut || list_length(service->conditions) > 1;
}

/* The conditions of a filter of which the first is the query, with those of the index in their place */
static List *
replace(const PgBsonSource *source, const List *conditions, const Service *service)
{
	const PgBsonCondition *query = linitial(conditions);
	PgBsonCondition *rest = palloc_object(PgBsonCondition);
	List	   *result = list_make1(PgBsonConditionNew(PGBSON_CONDITION_COMPOUND, NULL, service->conditions));

	*rest = *query;
	rest->value = PgBsonServeQuery(source, &query->value, service->keys, &result);
	if (!PgBsonIsEmpty(&rest->value))
		result = lappend(result, rest);
	return list_concat(result, list_copy_tail(conditions, 1));
}

/* The best of what the indexes serve: most conditions, and then the sort */
static int
weight(const Service *service)
{
	return 2 * list_length(service->conditions) + (service->order.fields != NIL);
}

void
PgBsonRuleCompound(PgBsonChain *chain, int step)
{
	const PgBsonValue *query = PgBsonChainQuery(chain);
	PgBsonFilter *filter = list_nth(chain->steps, step);
	PgBsonSortStep *second = list_length(chain->steps) > 1 ? lsecond(chain->steps) : NULL;
	PgBsonValue sort = PgBsonMissing;
	Service		best = {NIL};
	bool		is_cut = false;

	if (step > 0 || query == NULL)
		return;
	if (second != NULL && second->node.kind == PGBSON_NODE_SORT)
		sort = second->node.operand;
	foreach_ptr(const PgBsonStage, node, chain->steps)
		is_cut |= node->kind == PGBSON_NODE_CUT;
	foreach_ptr(const PgBsonIndex, index, chain->source->indexes)
	{
		Service		service;

		if (serve(chain->source, index, query, &sort, is_cut, &service) && weight(&service) > weight(&best))
			best = service;
	}
	if (best.conditions == NIL)
		return;
	filter->conditions = replace(chain->source, filter->conditions, &best);
	if (best.order.fields != NIL)
		second->index = best.order;
}
