/*
 * densify.c
 *	  $densify: documents for what is missing in a series of numbers or dates.
 *
 * See src/mongo/db/pipeline/document_source_densify.cpp of MongoDB.
 */
#include "pipeline/parse/stage.h"

#include "core/order/compare.h"

/* The names of a path */
static PgBsonNames
names_of(const PgBsonDensify *densify, const PgBsonValue *path)
{
	if (path->type != PGBSON_STRING)
		PgBsonStageWrong(densify->node.name, gettext_noop("The names of fields must be strings."));
	return PgBsonOperandPath(path, "a field of stage \"$densify\"");
}

/* Are two paths the same, or does one begin with the other? */
static bool
overlap(const PgBsonNames *a, const PgBsonNames *b)
{
	for (int i = 0; i < Min(a->count, b->count); i++)
	{
		if (!PgBsonSameKey(a->names[i].key, a->names[i].key_len, b->names[i].key, b->names[i].key_len))
			return false;
	}
	return true;
}

static void
parse_partition(PgBsonDensify *densify, const PgBsonValue *fields, PgBsonWriter *sort)
{
	if (PgBsonIsEmpty(fields))
		return;
	densify->partition = PgBsonMakeDocument(NULL);
	PgBsonForEach(iter, PgBsonValueView(fields))
	{
		PgBsonNames names = names_of(densify, &iter.value);
		PgBsonNames field = names_of(densify, &densify->field);
		uint32		len;
		const char *s = PgBsonValueString(&iter.value, &len);
		PgBsonValue path = PgBsonOperandField(s, len);

		if (overlap(&names, &field))
			PgBsonStageWrong(densify->node.name, gettext_noop("\"field\" must not be among \"partitionByFields\", nor within one or around one."));
		densify->partition = PgBsonNestedPut(&densify->partition, &names, &path);
		if (densify->bounds != PGBSON_BOUNDS_ALL)
			PgBsonWriterField(sort, s, len, &PgBsonOne);
	}
}

static void
parse_bounds(PgBsonDensify *densify, const PgBsonValue *bounds)
{
	PgBsonValue *ends;
	int			count;

	densify->lower = densify->upper = PgBsonMissing;
	densify->bounds = PgBsonOptionIs(bounds, "full") ? PGBSON_BOUNDS_ALL : PGBSON_BOUNDS_PARTITION;
	if (densify->bounds == PGBSON_BOUNDS_ALL || PgBsonOptionIs(bounds, "partition"))
		return;
	if (bounds->type == PGBSON_ARRAY)
	{
		ends = PgBsonValuesOf(bounds, &count);
		if (count == 2 && PgBsonCompare(&ends[0], &ends[1]) <= 0)
		{
			densify->bounds = PGBSON_BOUNDS_GIVEN;
			densify->lower = ends[0];
			densify->upper = ends[1];
			return;
		}
	}
	PgBsonStageWrong(densify->node.name, gettext_noop("\"bounds\" must be \"full\", \"partition\", or an array of two numbers or dates, the lower one first."));
}

/* Read {step, bounds, unit}. A series is begun with them, only to raise the errors of an invalid range now. */
static void
parse_range(PgBsonDensify *densify, const PgBsonValue *range)
{
	PgBsonEqualSteps steps = {0};
	PgBsonValue bounds;
	PgBsonValue unit;

	PgBsonStageOptions(densify->node.name, range, "step bounds unit:s", &densify->step, &bounds, &unit);
	if (unit.type != PGBSON_MISSING)
		steps.unit = densify->unit = PgBsonOperandUnit(&unit);
	parse_bounds(densify, &bounds);
	steps.step = densify->step;
	steps.next = densify->lower;
	steps.last = densify->upper;
	if (densify->bounds != PGBSON_BOUNDS_GIVEN)
		steps.next = steps.last = steps.unit == NULL ? PgBsonZero : PgBsonMakeDate(0);
	else if (steps.unit == NULL && (densify->lower.type != densify->upper.type ||
									densify->lower.type != densify->step.type))
		PgBsonStageWrong(densify->node.name, gettext_noop("\"step\" and \"bounds\" must be numbers of one type, or \"bounds\" be dates and have a \"unit\"."));
	PgBsonStepsBegin(&steps);
}

/* Read the operand; returns the sort that the stage ends with */
static PgBsonValue
parse_densify(PgBsonDensify *densify)
{
	PgBsonValue range;
	PgBsonValue partition;
	PgBsonWriter sort;

	PgBsonStageOptions(densify->node.name, &densify->node.operand, "field! range:d! partitionByFields:a", &densify->field, &range, &partition);
	(void) names_of(densify, &densify->field);
	parse_range(densify, &range);
	PgBsonWriterBegin(&sort, 0);
	if (partition.type != PGBSON_MISSING)
		parse_partition(densify, &partition, &sort);
	if (densify->bounds == PGBSON_BOUNDS_PARTITION && densify->partition.type == PGBSON_MISSING)
		PgBsonStageWrong(densify->node.name, gettext_noop("The bounds \"partition\" need \"partitionByFields\"."));
	PgBsonWriterField(&sort, PgBsonStringBytes(&densify->field), PgBsonStringLength(&densify->field), &PgBsonOne);
	return PgBsonWriterEnd(&sort, PGBSON_DOCUMENT);
}

/* The expression for the field's value.  Arrays are not entered, and null counts as missing. */
static PgBsonValue
value_expression(const PgBsonDensify *densify)
{
	PgBsonNames names = names_of(densify, &densify->field);
	PgBsonValue remove = PgBsonMakeString("$$REMOVE", strlen("$$REMOVE"));
	PgBsonValue value = PgBsonOperandField(names.names[0].key, names.names[0].key_len);

	for (int i = 1; i < names.count; i++)
	{
		PgBsonValue field = PgBsonMakeString(names.names[i].key, names.names[i].key_len);

		value = PgBsonMakeDocument("field", &field, "input", &value, NULL);
		value = PgBsonMakeDocument("$getField", &value, NULL);
	}
	value = PgBsonMakeArray((PgBsonValue[]) {value, remove}, 2);
	return PgBsonMakeDocument("$ifNull", &value, NULL);
}

void
PgBsonParseDensify(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonDensify *densify = PgBsonParseStep(parse, chain, PGBSON_NODE_DENSIFY, sizeof(PgBsonDensify), name, operand);
	PgBsonValue sort;

	densify->partition = PgBsonMissing;
	sort = parse_densify(densify);
	densify->value = value_expression(densify);
	PgBsonParseSort(parse, chain, &sort);
}
