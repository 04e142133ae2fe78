/*
 * group.c
 *	  Stages that make one document of many.
 *
 * See src/mongo/db/pipeline/document_source_group_base.cpp,
 * document_source_count.cpp, document_source_sort_by_count.cpp,
 * document_source_bucket.cpp and document_source_bucket_auto.cpp of MongoDB.
 */
#include "pipeline/stage.h"

#include "core/number/number.h"
#include "core/order/compare.h"
#include "pipeline/operand.h"
#include "pipeline/sql_text.h"

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

/* Does the result of a field depend on the order of the documents?  Notes whether only on the first and the last one. */
static bool
needs_order(PgBsonSelect *select, const char *stage, const PgBsonValue *operand)
{
	bool		ordered = false;

	select->only_ends = true;
	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		PgBsonIter	accumulator;

		if (PgBsonIterIs(&iter, "_id"))
			continue;
		accumulator = accumulator_of(stage, &iter);
		ordered |= PgBsonAccumulatorIsOrdered(&accumulator);
		select->only_ends &= PgBsonIterIs(&accumulator, "$first") || PgBsonIterIs(&accumulator, "$last") ||
			!PgBsonAccumulatorIsOrdered(&accumulator);
	}
	return ordered;
}

/* Is it a document of one field, which is no operator? */
static bool
is_pair(const PgBsonValue *id, PgBsonIter *field)
{
	return id->type == PGBSON_DOCUMENT && PgBsonViewCount(PgBsonValueView(id)) == 1 && PgBsonFirst(id, field) &&
		!(field->key_len > 0 && field->key[0] == '$');
}

/*
 * Replace an $unwind by columns: the element, and the document with the other fields.  Otherwise each row would have a copy of
 * the whole document.  Paths that "fields" read in the other fields are columns, too, as they are the same for all elements.
 */
static void
divide(PgBsonSelect *select, const PgBsonValue *fields)
{
	const PgBsonKeyRef name = select->part_name;
	const char *unwind = select->unwind;
	int			first = select->first;
	StringInfoData made;
	const char *columns = "";
	const char *level;
	List	   *carried;
	ListCell   *lc;

	initStringInfo(&made);
	select->base = select->rest;
	select->computed = false;
	select->order = NULL;
	PgBsonForEach(iter, PgBsonValueView(fields))
	{
		PgBsonIter	operand = iter;

		if (!PgBsonIterIs(&iter, "_id"))
			(void) PgBsonFirst(&iter.value, &operand);
		else
			(void) is_pair(&iter.value, &operand);
		PgBsonOperandCarry(select, &operand.value, &made);
	}
	carried = select->carried;
	if (carried != NIL)
	{
		select->unwinds = 0;
		level = PgBsonSelectLevel(select, made.data);
		foreach(lc, carried)
			columns = psprintf("%s%s.%s, ", columns, level, ((const PgBsonCarried *) lfirst(lc))->column);
		select->unwinds = 1;
		select->first = first;
	}
	level = PgBsonSelectLevel(select, PgBsonSql(select->all, "%s#bson_unwind_values(%s, %s) AS element", columns,
												select->base, unwind));
	PgBsonSelectPart(select, select->base, name.key, name.len, psprintf("%s.element", level));
	select->carried = PgBsonOperandCarriedBy(carried, level);
}

/* Make the documents a column, or a column and a part (PgBsonSelectPart), in the order that the aggregates need; "fields" are theirs */
static void
prepare(PgBsonSelect *select, bool ordered, const PgBsonValue *fields)
{
	bool		is_cut = select->skip > 0 || select->limit >= 0;

	if (!ordered)
		PgBsonSelectForgetOrder(select);
	if (!ordered && !is_cut && select->stages.count == 0 && (select->unwind != NULL || select->part != NULL))
	{
		if (select->unwind != NULL)
			divide(select, fields);
		select->order = NULL;
		return;
	}
	PgBsonSelectPlain(select);
	if (!ordered)
		select->order = NULL;
	else if (select->unwound)
	{
		/* a row number keeps the elements of a document together where the order has equal documents */
		select->order = "pg_catalog.row_number() OVER ()";
		(void) PgBsonSelectLevel(select, NULL);
	}
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

/* From here on the SELECT has one document for each group */
static void
become_grouped(PgBsonSelect *select, const char *document)
{
	PgBsonSelectCompute(select, document);
	select->grouped = true;
	select->order = NULL;
	select->unwound = false;
}

/* The options of $bucket */
typedef struct Bucket
{
	PgBsonValue by;
	PgBsonValue otherwise;
	PgBsonValue output;
	int			nboundaries;
	PgBsonValue *boundaries;
} Bucket;

/* The lower boundary of a bucket; elsewhere the default or, without one, the error of $switch */
static const char *
bucket_id(const PgBsonTranslation *all, const Bucket *bucket, const char *key)
{
	const char *otherwise = bucket->otherwise.type != PGBSON_MISSING ? PgBsonSqlArgument(all->schema, &bucket->otherwise) :
		PgBsonSql(all, "#bson_eval(#to_bson(%s), #bson '{\"$switch\": {\"branches\": [{\"case\": \"$$ROOT\", \"then\": 0}]}}')", key);

	return PgBsonSql(all, "COALESCE((%s)[%s], %s)", PgBsonSqlArray(all->schema, bucket->boundaries, bucket->nboundaries - 1), key, otherwise);
}

/* Group.  All fields but _id are accumulators; "visible" is the _id that their "n" may use. */
static void
group_by(PgBsonSelect *select, const char *name, const PgBsonValue *fields, const char *group, const char *id, const char *visible)
{
	List	   *names = list_make1("'_id'");
	List	   *values = list_make1(unconstify(char *, id));

	PgBsonForEach(iter, PgBsonValueView(fields))
	{
		PgBsonIter	accumulator;

		if (PgBsonIterIs(&iter, "_id"))
			continue;
		PgBsonStageCountAccumulator(select->all);
		accumulator = accumulator_of(name, &iter);
		names = lappend(names, PgBsonSqlText(iter.key, iter.key_len));
		values = lappend(values, unconstify(char *, PgBsonAccumulatorSql(select, &accumulator, visible, NULL, false)));
	}
	select->group = group;
	become_grouped(select, PgBsonSqlDocument(select->all, names, values));
	PgBsonForEach(iter, PgBsonValueView(fields))
	{
		PgBsonSelectField *field = palloc_object(PgBsonSelectField);

		field->name = (PgBsonKeyRef) {iter.key, iter.key_len};
		field->is_document = PgBsonIterIs(&iter, "_id") && iter.value.type == PGBSON_DOCUMENT && !PgBsonOperandComputes(&iter.value);
		select->fields = lappend(select->fields, field);
	}
}

void
PgBsonGroupAdd(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonValue id;
	PgBsonIter	field;
	const char *key;
	const char *id_sql;

	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(name, gettext_noop("A document is expected."));
	if (PgBsonHasDuplicateKeys(PgBsonValueView(operand)))
		PgBsonStageWrong(name, gettext_noop("A field occurs twice."));
	if (!PgBsonFindKey(PgBsonValueView(operand), "_id", strlen("_id"), &id))
		PgBsonStageWrong(name, gettext_noop("It needs the field \"_id\"."));
	check_id(name, &id);

	prepare(select, needs_order(select, name, operand), operand);
	/* a missing _id and null are one group */
	key = id_sql = PgBsonOperandOrNull(select, &id);
	if (is_pair(&id, &field))
	{
		/* as in MongoDB, a document of one field groups by the field's value: missing and null are one group */
		key = PgBsonOperandOrNull(select, &field.value);
		id_sql = PgBsonSql(select->all, "#bson_build_object(%s, %s)", PgBsonSqlText(field.key, field.key_len), key);
	}
	group_by(select, name, operand, key, id_sql, id_sql);
}

void
PgBsonGroupAddCount(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	const char *field;
	uint32		len;
	const PgBsonValue no_fields = PgBsonMakeDocument(NULL);

	if (operand->type != PGBSON_STRING)
		PgBsonStageWrong(name, gettext_noop("A string is expected."));
	field = PgBsonValueString(operand, &len);
	if (len == 0 || PgBsonKeyIs(field, len, "_id"))
		PgBsonStageWrong(name, gettext_noop("The field's name must not be empty, nor be \"_id\"."));
	check_field_name(name, field, len);
	prepare(select, false, &no_fields);
	select->having = "pg_catalog.count(*) OPERATOR(pg_catalog.>) 0";
	become_grouped(select, PgBsonSql(select->all, "#bson_build_object(%s, pg_catalog.count(*)::pg_catalog.text::#bson)",
									 PgBsonSqlText(field, len)));
}

static void
sort_by(PgBsonSelect *select, const char *field, int direction)
{
	PgBsonValue order = PgBsonMakeInt32(direction);
	PgBsonValue sort = PgBsonMakeDocument(field, &order, NULL);

	PgBsonStageSort(select, &sort);
}

/* The accumulator that counts documents */
static PgBsonValue
counting(void)
{
	PgBsonValue one = PgBsonMakeInt32(1);

	return PgBsonMakeDocument("$sum", &one, NULL);
}

static void
need_expression(const char *stage, const PgBsonValue *operand)
{
	if (!PgBsonOperandComputes(operand))
		PgBsonStageWrong(stage, gettext_noop("A path that begins with a dollar sign, or a document with an operator, is expected."));
}

void
PgBsonGroupAddSortByCount(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonValue count = counting();
	PgBsonValue group;

	need_expression(name, operand);
	group = PgBsonMakeDocument("_id", operand, "count", &count, NULL);
	PgBsonGroupAdd(select, name, &group);
	sort_by(select, "count", -1);
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

static void
parse_boundaries(Bucket *bucket, const char *name, const PgBsonValue *array)
{
	PgBsonValue *given;

	given = PgBsonValuesOf(array, &bucket->nboundaries);
	if (bucket->nboundaries < 2)
		PgBsonStageWrong(name, gettext_noop("\"boundaries\" must have two elements at least."));
	bucket->boundaries = palloc_array(PgBsonValue, bucket->nboundaries);
	for (int i = 0; i < bucket->nboundaries; i++)
	{
		CHECK_FOR_INTERRUPTS();
		bucket->boundaries[i] = constant_of(name, &given[i]);
		if (i > 0 && (canonical_type(&bucket->boundaries[i]) != canonical_type(&bucket->boundaries[0]) ||
					  PgBsonCompare(&bucket->boundaries[i - 1], &bucket->boundaries[i]) >= 0))
			PgBsonStageWrong(name, gettext_noop("\"boundaries\" must be of one type, and ascend."));
	}
}

static void
parse_bucket(Bucket *bucket, const char *name, const PgBsonValue *operand)
{
	PgBsonValue boundaries;

	PgBsonStageOptions(name, operand, "groupBy! boundaries:a! default output:d", &bucket->by, &boundaries, &bucket->otherwise,
					   &bucket->output);
	parse_boundaries(bucket, name, &boundaries);
	if (bucket->otherwise.type != PGBSON_MISSING)
		bucket->otherwise = constant_of(name, &bucket->otherwise);
	need_expression(name, &bucket->by);
	if (bucket->otherwise.type != PGBSON_MISSING && canonical_type(&bucket->otherwise) == canonical_type(&bucket->boundaries[0]) &&
		PgBsonCompare(&bucket->otherwise, &bucket->boundaries[0]) >= 0 &&
		PgBsonCompare(&bucket->otherwise, &bucket->boundaries[bucket->nboundaries - 1]) < 0)
		PgBsonStageWrong(name, gettext_noop("The default must not be within the boundaries."));
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
PgBsonGroupAddBucket(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	Bucket		bucket;
	const char *boundaries;
	const char *names;
	const char *key;
	const char *id;
	PgBsonValue group;

	parse_bucket(&bucket, name, operand);
	group = bucket_fields(name, &bucket.by, &bucket.output);
	prepare(select, needs_order(select, name, &group), &group);
	boundaries = PgBsonSqlArray(select->all->schema, bucket.boundaries, bucket.nboundaries);
	/* an array on the way gives an array, which is in no bucket of other values */
	names = bucket.boundaries[0].type == PGBSON_ARRAY ? NULL : PgBsonOperandNames(select, &bucket.by);
	key = names != NULL ? PgBsonSql(select->all, "#bson_bucket(%s, %s)", boundaries, names) :
		PgBsonSql(select->all, "#bson_bucket(%s, %s)", PgBsonOperandSql(select, &bucket.by), boundaries);
	id = bucket_id(select->all, &bucket, key);
	group_by(select, name, &group, key, id, id);
	sort_by(select, "_id", 1);
}

/* Read the options of $bucketAuto; *granularity is set to the argument that it becomes in SQL */
static void
parse_bucket_auto(const char *name, const PgBsonValue *operand, PgBsonValue *by, PgBsonValue *output, int32 *count,
				  const char **granularity)
{
	PgBsonValue buckets;
	PgBsonValue series;
	uint32		len;
	const char *s;

	PgBsonStageOptions(name, operand, "groupBy! buckets! output:d granularity:s", by, &buckets, output, &series);
	if (!PgBsonIsNumber(buckets.type) || !PgBsonNumberToInt32(&buckets, count) || *count <= 0)
		PgBsonStageWrong(name, gettext_noop("\"buckets\" must be a positive integer."));
	if (series.type != PGBSON_MISSING)
	{
		s = PgBsonValueString(&series, &len);
		if (PgBsonSeriesNamed(s, len) == NULL)
			PgBsonStageWrong(name, gettext_noop("\"granularity\" must be R5, R10, R20, R40, R80, 1-2-5, E6, E12, E24, E48, E96, E192 or POWERSOF2."));
		*granularity = psprintf(", %s", PgBsonSqlText(s, len));
	}
	need_expression(name, by);
}

void
PgBsonGroupAddBucketAuto(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonValue by;
	PgBsonValue output;
	PgBsonValue fields;
	int32		count;
	const char *granularity = "";
	const char *value;
	const char *level;
	bool		ordered;

	parse_bucket_auto(name, operand, &by, &output, &count, &granularity);
	/* unlike in $bucket, an empty "output" means a count, too */
	if (output.type == PGBSON_DOCUMENT && PgBsonViewCount(PgBsonValueView(&output)) == 0)
		output = PgBsonMissing;
	fields = bucket_fields(name, &by, &output);
	ordered = needs_order(select, name, &fields);
	prepare(select, ordered, &fields);
	value = PgBsonOperandOrNull(select, &by);
	/* if the documents have no order, they come in the order of the buckets */
	if (ordered && select->order == NULL)
		select->order = value;
	select->windowed = true;
	level = PgBsonSelectLevel(select, PgBsonSql(select->all, "#bson_bucket_auto(%s, %d%s) OVER (ORDER BY %s) AS bucket",
												value, count, granularity, value));
	group_by(select, name, &fields, psprintf("%s.bucket", level), psprintf("%s.bucket", level), NULL);
	sort_by(select, "_id", 1);
}
