/*
 * group.c
 *	  Stages that make one document of many.
 *
 * See src/mongo/db/pipeline/document_source_group_base.cpp,
 * document_source_count.cpp, document_source_sort_by_count.cpp,
 * document_source_bucket.cpp and document_source_bucket_auto.cpp of MongoDB.
 */
#include "pipeline/parse/stage.h"

#include "core/number/number.h"
#include "core/order/compare.h"

/* The name of a field of the result */
static void
check_field_name(const char *stage, const char *name, uint32 len)
{
	if (len > 0 && name[0] == '$')
		PgBsonStageWrong(stage, gettext_noop("A field's name must not begin with a dollar sign."));
	if (memchr(name, '.', len) != NULL)
		PgBsonStageWrong(stage, gettext_noop("A field's name must not have a dot."));
	if (memchr(name, '\0', len) != NULL)
		PgBsonStageWrong(stage, gettext_noop("A field's name must not contain U+0000."));
}

/* {field: {accumulator: operand}}: the accumulator */
static PgBsonIter
accumulator_of(const char *stage, const PgBsonIter *field)
{
	PgBsonIter	iter;
	PgBsonIter	next;

	check_field_name(stage, field->key, field->key_len);
	if (field->value.type != PGBSON_DOCUMENT)
		PgBsonStageWrong(stage, gettext_noop("A field must be a document with an accumulator."));
	if (!PgBsonFirst(&field->value, &iter) || iter.key_len == 0 || iter.key[0] != '$')
		PgBsonStageWrong(stage, gettext_noop("A field must be a document with an accumulator."));
	next = iter;
	if (PgBsonIterNext(&next))
		PgBsonStageWrong(stage, gettext_noop("A field must have one accumulator."));
	return iter;
}

/* In {field: expression} a number or boolean is refused; in $project it would include or exclude the field */
static void
check_id(const char *stage, const PgBsonValue *id)
{
	if (id->type != PGBSON_DOCUMENT)
		return;
	PgBsonForEach(iter, PgBsonValueView(id))
	{
		if (iter.key[0] == '$')
			break;
		if (PgBsonIsNumber(iter.value.type) || iter.value.type == PGBSON_BOOL)
			PgBsonStageWrong(stage, gettext_noop("A field of \"_id\" must not be a number or boolean; $literal makes it a constant."));
	}
}

/* A step that groups; all of "fields" but _id are accumulators */
static PgBsonGroup *
add_group(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand, const PgBsonValue *id,
		  const PgBsonValue *fields)
{
	PgBsonGroup *group = PgBsonParseStep(parse, chain, PGBSON_NODE_GROUP, sizeof(PgBsonGroup), name, operand);

	group->id = *id;
	group->fields = *fields;
	group->otherwise = group->granularity = PgBsonMissing;
	PgBsonForEach(iter, PgBsonValueView(fields))
	{
		PgBsonIter	accumulator;

		if (PgBsonIterIs(&iter, "_id"))
			continue;
		accumulator = accumulator_of(name, &iter);
		group->ordered |= PgBsonAccumulatorIsOrdered(accumulator.key, accumulator.key_len);
		PgBsonParseCountAccumulator(parse);
	}
	return group;
}

void
PgBsonParseGroup(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonValue id;

	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(name, gettext_noop("A document is expected."));
	if (PgBsonHasDuplicateKeys(PgBsonValueView(operand)))
		PgBsonStageWrong(name, gettext_noop("A field occurs twice."));
	if (!PgBsonFindField(operand, "_id", &id))
		PgBsonStageWrong(name, gettext_noop("It needs the field \"_id\"."));
	check_id(name, &id);
	(void) add_group(parse, chain, name, operand, &id, operand);
}

void
PgBsonParseCountStage(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	const char *field;
	uint32		len;

	if (operand->type != PGBSON_STRING)
		PgBsonStageWrong(name, gettext_noop("A string is expected."));
	field = PgBsonValueString(operand, &len);
	if (len == 0 || PgBsonKeyIs(field, len, "_id"))
		PgBsonStageWrong(name, gettext_noop("The field's name must not be empty, nor be \"_id\"."));
	check_field_name(name, field, len);
	(void) PgBsonParseStep(parse, chain, PGBSON_NODE_COUNT, sizeof(PgBsonStage), name, operand);
}

static void
sort_by(PgBsonParse *parse, PgBsonChain *chain, const char *field, int direction)
{
	PgBsonValue order = PgBsonMakeInt32(direction);
	PgBsonValue sort = PgBsonMakeDocument(field, &order, NULL);

	PgBsonParseSort(parse, chain, &sort);
}

/* The accumulator that counts documents */
static PgBsonValue
counting(void)
{
	return PgBsonMakeDocument("$sum", &PgBsonOne, NULL);
}

static void
need_expression(const char *stage, const PgBsonValue *operand)
{
	if (!PgBsonOperandComputes(operand))
		PgBsonStageWrong(stage, gettext_noop("A path that begins with a dollar sign, or a document with an operator, is expected."));
}

void
PgBsonParseSortByCount(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonValue count = counting();
	PgBsonValue fields;

	need_expression(name, operand);
	fields = PgBsonMakeDocument("_id", operand, "count", &count, NULL);
	check_id(name, operand);
	(void) add_group(parse, chain, name, operand, operand, &fields);
	sort_by(parse, chain, "count", -1);
}

static PgBsonValue
constant_of(const char *stage, const PgBsonValue *operand)
{
	PgBsonValue value;

	if (!PgBsonOperandConstant(operand, &value) || value.type == PGBSON_MISSING)
		PgBsonStageWrong(stage, gettext_noop("Boundaries and the default must be constants."));
	return value;
}

/* Numbers of all widths count as one type */
static PgBsonType
canonical_type(const PgBsonValue *value)
{
	return PgBsonIsNumber(value->type) ? PGBSON_DOUBLE : value->type;
}

static PgBsonValue *
parse_boundaries(const char *name, const PgBsonValue *array, int *count)
{
	PgBsonValue *given = PgBsonValuesOf(array, count);
	PgBsonValue *boundaries = palloc_array(PgBsonValue, *count);

	if (*count < 2)
		PgBsonStageWrong(name, gettext_noop("\"boundaries\" must have two elements at least."));
	for (int i = 0; i < *count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		boundaries[i] = constant_of(name, &given[i]);
		if (i > 0 && (canonical_type(&boundaries[i]) != canonical_type(&boundaries[0]) ||
					  PgBsonCompare(&boundaries[i - 1], &boundaries[i]) >= 0))
			PgBsonStageWrong(name, gettext_noop("\"boundaries\" must be of one type, and ascend."));
	}
	return boundaries;
}

/* The operand of $group with the same result: "_id", and the fields of "output" or, without it, a count */
static PgBsonValue
bucket_fields(const char *stage, const PgBsonValue *id, const PgBsonValue *output)
{
	PgBsonWriter maker;
	PgBsonValue fields;
	PgBsonValue count = counting();

	if (output->type == PGBSON_MISSING)
		return PgBsonMakeDocument("_id", id, "count", &count, NULL);
	PgBsonWriterBegin(&maker, 0);
	PgBsonWriterField(&maker, "_id", 3, id);
	PgBsonForEach(iter, PgBsonValueView(output))
		PgBsonWriterField(&maker, iter.key, iter.key_len, &iter.value);
	fields = PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
	if (PgBsonHasDuplicateKeys(PgBsonValueView(&fields)))
		PgBsonStageWrong(stage, gettext_noop("A field of \"output\" occurs twice, or is \"_id\"."));
	return fields;
}

void
PgBsonParseBucket(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonValue by;
	PgBsonValue array;
	PgBsonValue otherwise;
	PgBsonValue output;
	PgBsonValue fields;
	PgBsonValue *boundaries;
	PgBsonGroup *group;
	int			count;

	PgBsonStageOptions(name, operand, "groupBy! boundaries:a! default output:d", &by, &array, &otherwise, &output);
	boundaries = parse_boundaries(name, &array, &count);
	if (otherwise.type != PGBSON_MISSING)
		otherwise = constant_of(name, &otherwise);
	need_expression(name, &by);
	if (otherwise.type != PGBSON_MISSING && canonical_type(&otherwise) == canonical_type(&boundaries[0]) &&
		PgBsonCompare(&otherwise, &boundaries[0]) >= 0 && PgBsonCompare(&otherwise, &boundaries[count - 1]) < 0)
		PgBsonStageWrong(name, gettext_noop("The default must not be within the boundaries."));
	fields = bucket_fields(name, &by, &output);
	group = add_group(parse, chain, name, operand, &by, &fields);
	group->boundaries = boundaries;
	group->nboundaries = count;
	group->otherwise = otherwise;
	sort_by(parse, chain, "_id", 1);
}

void
PgBsonParseBucketAuto(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonValue by;
	PgBsonValue output;
	PgBsonValue fields;
	PgBsonValue buckets;
	PgBsonValue series;
	PgBsonGroup *group;
	const char *s = NULL;
	int32		count;
	uint32		len;

	PgBsonStageOptions(name, operand, "groupBy! buckets! output:d granularity:s", &by, &buckets, &output, &series);
	if (!PgBsonIsNumber(buckets.type) || !PgBsonNumberToInt32(&buckets, &count) || count <= 0)
		PgBsonStageWrong(name, gettext_noop("\"buckets\" must be a positive integer."));
	if (series.type != PGBSON_MISSING)
		s = PgBsonValueString(&series, &len);
	if (s != NULL && PgBsonSeriesNamed(s, len) == NULL)
		PgBsonStageWrong(name, gettext_noop("\"granularity\" must be R5, R10, R20, R40, R80, 1-2-5, E6, E12, E24, E48, E96, E192 or POWERSOF2."));
	need_expression(name, &by);
	/* unlike in $bucket, an empty "output" means a count, too */
	if (output.type == PGBSON_DOCUMENT && PgBsonIsEmpty(&output))
		output = PgBsonMissing;
	fields = bucket_fields(name, &by, &output);
	group = add_group(parse, chain, name, operand, &by, &fields);
	group->buckets = count;
	group->granularity = series;
	sort_by(parse, chain, "_id", 1);
}
