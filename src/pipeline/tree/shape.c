/*
 * shape.c
 *	  What of a filter decides the statement that it becomes, and what is a parameter of it.
 */
#include "pipeline/tree/shape.h"

#include <math.h>

#include "core/number/number.h"
#include "mongo/common/options.h"
#include "mongo/query/match.h"
#include "pipeline/tree/node.h"

/* A filter with more values is not worth a statement of its own */
#define MAX_VALUES	500

static void number_query(PgBsonShape *shape, const PgBsonValue *query);

static int
number(PgBsonShape *shape, const PgBsonValue *value)
{
	shape->values = PgBsonAppendValue(shape->values, value);
	if (list_length(shape->values) > MAX_VALUES)
		shape->parametric = false;
	return list_length(shape->values) - 1;
}

static bool
is_not_a_number(const PgBsonValue *value)
{
	return (value->type == PGBSON_DOUBLE && isnan(PgBsonDoubleOf(value))) ||
		(value->type == PGBSON_DECIMAL128 && (value->data[PGBSON_DECIMAL128_SIZE - 1] & 0x7C) == 0x7C);
}

/* Number a value that documents' values are compared with, and all in it; the scalars are constants if "literal" */
static void
number_value(PgBsonShape *shape, const PgBsonValue *value, bool literal)
{
	int			n = number(shape, value);

	check_stack_depth();
	if (!shape->parametric)
		return;
	if (PgBsonIsContainer(value->type))
	{
		PgBsonForEach(iter, PgBsonValueView(value))
			number_value(shape, &iter.value, literal);
	}
	else if (literal && value->type != PGBSON_REGEX && value->type != PGBSON_CODE_W_SCOPE && !is_not_a_number(value))
		shape->constants = lappend_int(shape->constants, n);
}

/* Number {$operator: operand, ...}, or a value that stands for {$eq: value} */
static void
number_condition(PgBsonShape *shape, const PgBsonValue *condition)
{
	check_stack_depth();
	if (!PgBsonHasOperator(condition))
	{
		number_value(shape, condition, true);
		return;
	}
	(void) number(shape, condition);
	PgBsonForEach(iter, PgBsonValueView(condition))
	{
		/* the filter could not be a parameter of @~, which does not know geometry */
		if (PgBsonNameAmong("$geoWithin $within $geoIntersects $near $nearSphere", iter.key, iter.key_len) >= 0)
			shape->parametric = false;
		if (PgBsonIterIs(&iter, "$elemMatch") && iter.value.type == PGBSON_DOCUMENT && !PgBsonHasOperator(&iter.value))
			number_query(shape, &iter.value);
		else if ((PgBsonIterIs(&iter, "$elemMatch") || PgBsonIterIs(&iter, "$not")) && PgBsonHasOperator(&iter.value))
			number_condition(shape, &iter.value);
		else
			number_value(shape, &iter.value, PgBsonNameAmong("$eq $ne $gt $gte $lt $lte $in $nin", iter.key, iter.key_len) >= 0);
	}
}

static void
number_query(PgBsonShape *shape, const PgBsonValue *query)
{
	check_stack_depth();
	(void) number(shape, query);
	if (query->type != PGBSON_DOCUMENT)
		return;
	PgBsonForEach(iter, PgBsonValueView(query))
	{
		if (iter.key_len == 0 || iter.key[0] != '$')
			number_condition(shape, &iter.value);
		else if (PgBsonQueryIsLogical(&iter))
		{
			(void) number(shape, &iter.value);
			PgBsonForEach(element, PgBsonValueView(&iter.value))
				number_query(shape, &element.value);
		}
		else
		{
			/* an expression may use variables, which parameters could not */
			if (!PgBsonIterIs(&iter, "$comment"))
				shape->parametric = false;
			number_value(shape, &iter.value, false);
		}
		if (!shape->parametric)
			return;
	}
}

void
PgBsonShapeOnce(PgBsonShape *shape)
{
	shape->once = true;
	shape->parametric = false;
	shape->constants = NIL;
}

void
PgBsonShapeBegin(PgBsonShape *shape, const PgBsonValue *filter, bool varies)
{
	*shape = (PgBsonShape) {.parametric = filter != NULL && !varies};
	if (shape->parametric)
		number_query(shape, filter);
	if (!shape->parametric)
		shape->constants = NIL;
}

void
PgBsonShapeBeginPipeline(PgBsonShape *shape, const PgBsonValue *pipeline, bool varies)
{
	PgBsonIter	stage;
	PgBsonIter	match;

	*shape = (PgBsonShape) {0};
	if (varies || pipeline->type != PGBSON_ARRAY || !PgBsonFirst(pipeline, &stage) ||
		stage.value.type != PGBSON_DOCUMENT || !PgBsonFirst(&stage.value, &match) || !PgBsonIterIs(&match, "$match"))
		return;
	shape->parametric = true;
	(void) number(shape, pipeline);
	(void) number(shape, &stage.value);
	shape->filter = list_length(shape->values);
	number_query(shape, &match.value);
	if (!shape->parametric)
		shape->constants = NIL;
}

void
PgBsonShapeWrites(PgBsonShape *shape, const PgBsonValue *query)
{
	if (shape != NULL)
		shape->current = shape->parametric && query != NULL &&
			query->data == ((PgBsonValue *) list_nth(shape->values, shape->filter))->data;
}

static int
parameter_of(PgBsonShape *shape, int value)
{
	foreach_int(place, shape->places)
	{
		if (place == value)
			return foreach_current_index(place) + 1;
	}
	shape->places = lappend_int(shape->places, value);
	return list_length(shape->places);
}

int
PgBsonShapeParameter(PgBsonShape *shape, const PgBsonValue *value)
{
	if (shape == NULL || !shape->parametric)
		return 0;
	foreach_ptr(const PgBsonValue, known, shape->values)
	{
		if (known->data == value->data)
			return parameter_of(shape, foreach_current_index(known));
	}
	return 0;
}

int
PgBsonShapeFilter(PgBsonShape *shape)
{
	return shape == NULL || !shape->current ? 0 : parameter_of(shape, shape->filter);
}
