/*
 * group.c
 *	  Steps that make one document of many.
 */
#include "pipeline/deparse/step.h"

#include "pipeline/deparse/sql_text.h"

/* Make the documents a column, or a column and a part (PgBsonSelectPart), in the order that the aggregates need */
static void
prepare_group(PgBsonSelect *select, bool ordered)
{
	if (!ordered)
	{
		bool		is_cut = PgBsonSelectIsCut(select);

		PgBsonSelectForgetOrder(select);
		if (is_cut || select->document.stages.count > 0 || select->document.part == NULL)
			PgBsonSelectPlain(select);
		PgBsonSelectOrder(select, NULL);
		return;
	}
	PgBsonSelectPlain(select);
	if (select->unwound)
	{
		/* a row number keeps the elements of a document together where the order has equal documents */
		PgBsonSelectOrder(select, "pg_catalog.row_number() OVER ()");
		(void) PgBsonSelectLevel(select, NULL);
	}
}

/* From here on the SELECT has one document for each group */
static void
become_grouped(PgBsonSelect *select, const char *document)
{
	PgBsonSelectCompute(select, document);
	select->clauses.grouped = true;
	PgBsonSelectOrder(select, NULL);
	select->unwound = false;
}

/* The lower boundary of a bucket; elsewhere the default or, without one, the error of $switch */
static const char *
bucket_id(const PgBsonTranslation *all, const PgBsonGroup *group, const char *key)
{
	const char *otherwise = group->otherwise.type != PGBSON_MISSING ? PgBsonSqlArgument(all->schema, &group->otherwise) :
		PgBsonSql(all, "#bson_eval(#to_bson(%s), #bson '{\"$switch\": {\"branches\": [{\"case\": \"$$ROOT\", \"then\": 0}]}}')", key);

	return PgBsonSql(all, "COALESCE((%s)[%s], %s)", PgBsonSqlArray(all->schema, group->boundaries, group->nboundaries - 1), key, otherwise);
}

/* "key" is what is grouped by; "visible" is the _id that the "n" of accumulators may use */
static void
group_by(PgBsonSelect *select, const PgBsonGroup *group, const char *key, const char *id, const char *visible)
{
	List	   *names = list_make1("'_id'");
	List	   *values = list_make1(unconstify(char *, id));
	PgBsonIter	accumulator;

	PgBsonForEach(iter, PgBsonValueView(&group->fields))
	{
		if (PgBsonIterIs(&iter, "_id"))
			continue;
		(void) PgBsonFirst(&iter.value, &accumulator);
		names = lappend(names, PgBsonSqlText(iter.key, iter.key_len));
		values = lappend(values, unconstify(char *, PgBsonAccumulatorSql(select, &accumulator, visible, NULL, false, group->only_ends)));
	}
	select->clauses.group = key;
	become_grouped(select, PgBsonSqlDocument(select->all, names, values));
	PgBsonForEach(iter, PgBsonValueView(&group->fields))
	{
		PgBsonSelectField *field = palloc_object(PgBsonSelectField);

		field->name = (PgBsonKeyRef) {iter.key, iter.key_len};
		field->is_document = PgBsonIterIs(&iter, "_id") && iter.value.type == PGBSON_DOCUMENT && !PgBsonOperandComputes(&iter.value);
		select->document.fields = lappend(select->document.fields, field);
	}
}

static void
group_by_id(PgBsonSelect *select, const PgBsonGroup *group)
{
	const PgBsonTranslation *all = select->all;
	const char *key = PgBsonCollatedSql(all, PgBsonOperandOrNull(select, &group->id));
	const char *id = all->collation == NULL ? key : PgBsonSql(all, "#bson_uncollated(%s)", key);
	PgBsonIter	field;

	/* a missing _id and null are one group */
	if (PgBsonOperandIsPair(&group->id, &field))
	{
		/* as in MongoDB, a document of one field groups by the field's value: missing and null are one group */
		key = PgBsonCollatedSql(all, PgBsonOperandOrNull(select, &field.value));
		id = PgBsonSql(all, all->collation == NULL ? "#bson_build_object(%s, %s)" : "#bson_build_object(%s, #bson_uncollated(%s))",
					   PgBsonSqlText(field.key, field.key_len), key);
	}
	group_by(select, group, key, id, id);
}

static void
group_by_boundaries(PgBsonSelect *select, const PgBsonGroup *group)
{
	const char *boundaries = PgBsonSqlArray(select->all->schema, group->boundaries, group->nboundaries);
	/* an array on the way gives an array, which is in no bucket of other values */
	const char *names = group->boundaries[0].type == PGBSON_ARRAY || select->all->collation != NULL ? NULL : PgBsonOperandNames(select, &group->id);
	const char *key = names != NULL ? PgBsonSql(select->all, "#bson_bucket(%s, %s)", boundaries, names) :
		PgBsonSql(select->all, "#bson_bucket(%s, %s)", PgBsonOperandSql(select, &group->id), boundaries);
	const char *id = bucket_id(select->all, group, key);

	group_by(select, group, key, id, id);
}

static void
group_evenly(PgBsonSelect *select, const PgBsonGroup *group)
{
	const char *value = PgBsonOperandOrNull(select, &group->id);
	const char *granularity = "";
	const char *bucket;
	uint32		len;

	PgBsonRefuseCollation(select->all, "stage", "$bucketAuto");
	if (group->granularity.type != PGBSON_MISSING)
	{
		const char *s = PgBsonValueString(&group->granularity, &len);

		granularity = psprintf(", %s", PgBsonSqlText(s, len));
	}
	/* if the documents have no order, they come in the order of the buckets */
	if (group->ordered && select->clauses.order.sql == NULL)
		PgBsonSelectOrder(select, value);
	select->clauses.windowed = true;
	bucket = psprintf("%s.bucket", PgBsonSelectLevel(select, PgBsonSql(select->all, "#bson_bucket_auto(%s, %d%s) OVER (ORDER BY %s) AS bucket",
																	   value, group->buckets, granularity, value)));
	group_by(select, group, bucket, bucket, NULL);
}

void
PgBsonDeparseGroup(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonGroup *group = (const PgBsonGroup *) node;

	prepare_group(select, group->ordered);
	(group->nboundaries > 0 ? group_by_boundaries : group->buckets > 0 ? group_evenly : group_by_id) (select, group);
}

void
PgBsonDeparseCount(PgBsonSelect *select, const PgBsonStage *node)
{
	uint32		len;
	const char *field = PgBsonValueString(&node->operand, &len);

	prepare_group(select, false);
	select->clauses.having = "pg_catalog.count(*) OPERATOR(pg_catalog.>) 0";
	become_grouped(select, PgBsonSql(select->all, "#bson_build_object(%s, pg_catalog.count(*)::pg_catalog.text::#bson)",
									 PgBsonSqlText(field, len)));
}
