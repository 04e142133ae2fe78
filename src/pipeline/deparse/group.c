/*
 * group.c
 *	  Steps that make one document of many.
 */
#include "pipeline/deparse/step.h"

/* Make the documents a column, or a column and parts (PgBsonSelectParts), in the order that the aggregates need */
static void
prepare_group(PgBsonSelect *select, bool ordered)
{
	if (!ordered)
	{
		bool		is_cut = PgBsonSelectIsCut(select);

		PgBsonSelectForgetOrder(select);
		if (is_cut || select->document.stages.count > 0 || select->document.parts == NIL)
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

/* Can values of the expression be equal without being the same, as 2 and 2.0 are? */
static bool
can_differ(const PgBsonValue *expression)
{
	static const char *const always_alike = "$year $month $dayOfMonth $dayOfWeek $dayOfYear $hour $minute $second $week $dateToString $dateTrunc "
		"$concat $toLower $toUpper $substr $substrCP $substrBytes $toString $type $toBool $cmp $eq $ne $gt $gte $lt $lte $size $strLenCP";
	PgBsonIter	first;

	if (expression->type != PGBSON_DOCUMENT)
		return PgBsonOperandComputes(expression);
	if (PgBsonOperandComputes(expression))
		return PgBsonFirst(expression, &first) && PgBsonNameAmong(always_alike, first.key, first.key_len) < 0;
	PgBsonForEach(iter, PgBsonValueView(expression))
	{
		if (can_differ(&iter.value))
			return true;
	}
	return false;
}

/* A group's key: of its first document, if they are sorted, as equal keys can differ in the type of a number */
static const char *
first_key(const PgBsonSelect *select, const PgBsonValue *expression, const char *key)
{
	const PgBsonOrder *order = &select->clauses.order;

	/* strings that a collation takes for equal differ in any order */
	if (select->all->collation != NULL)
		return PgBsonSql(select->all, "#bson_uncollated(%s)", PgBsonCollatedSql(select->all, key));
	if ((order->sql == NULL && !order->done) || !can_differ(expression))
		return key;
	if (!order->is_key)
		return PgBsonSql(select->all, order->done ? "#bson_first(%s)" : "#bson_first(%s ORDER BY %s)", key, order->sql);
	/* see group_end_sql() in accumulator.c */
	return PgBsonSql(select->all, "#bson_top(%s, COALESCE(%s, #bson '{\"$maxKey\": 1}'), #bson '1') OPERATOR(#->) 0", key, order->sql);
}

/* The lower boundary of a bucket; elsewhere the default or, without one, the error of $switch */
static const char *
bucket_id(const PgBsonTranslation *all, const PgBsonGroup *group, const char *key)
{
	const char *otherwise = group->otherwise.type != PGBSON_MISSING ? PgBsonSqlArgument(all, &group->otherwise) :
		PgBsonSql(all, "#bson_eval(#to_bson(%s), #bson '{\"$switch\": {\"branches\": [{\"case\": \"$$ROOT\", \"then\": 0}]}}')", key);

	return PgBsonSql(all, "COALESCE((%s)[%s], %s)", PgBsonSqlArray(all, group->boundaries, group->nboundaries - 1), key, otherwise);
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
		names = lappend(names, PgBsonSqlName(iter.key, iter.key_len));
		values = lappend(values, unconstify(char *, PgBsonAccumulatorSql(select, &accumulator, visible, NULL, false,
																		 group->only_ends)));
	}
	select->clauses.group = key;
	become_grouped(select, PgBsonSqlDocument(select->all, names, values));
	PgBsonForEach(iter, PgBsonValueView(&group->fields))
	{
		PgBsonSelectField *field = palloc_object(PgBsonSelectField);

		field->name = (PgBsonKeyRef) {iter.key, iter.key_len};
		field->is_document = PgBsonIterIs(&iter, "_id") && iter.value.type == PGBSON_DOCUMENT &&
			!PgBsonOperandComputes(&iter.value);
		select->document.fields = lappend(select->document.fields, field);
	}
}

/* The operands of accumulators that are expressions of the document */
static List *
read_operands(const PgBsonGroup *group)
{
	List	   *operands = NIL;
	PgBsonIter	accumulator;

	PgBsonForEach(iter, PgBsonValueView(&group->fields))
	{
		if (!PgBsonIterIs(&iter, "_id") && PgBsonFirst(&iter.value, &accumulator) &&
			PgBsonOperandComputes(&accumulator.value))
			operands = PgBsonAppendValue(operands, &accumulator.value);
	}
	return operands;
}

/*
 * If accumulators need the order, sort the documents by group, and then as they were: once for all accumulators, and
 * with no more columns than these read.  "keys" are what to group by, and become columns.
 */
static void
sort_groups(PgBsonSelect *select, const PgBsonGroup *group, List *keys)
{
	List	   *columns = NIL;
	List	   *order = NIL;
	const char *level;
	ListCell   *lc;

	if (!group->ordered || group->only_ends || select->clauses.order.sql == NULL || select->all->collation != NULL)
		return;
	foreach(lc, keys)
	{
		columns = lappend(columns, psprintf("%s AS k%d", (char *) lfirst(lc), foreach_current_index(lc)));
		order = lappend(order, psprintf("%s, ", (char *) lfirst(lc)));
	}
	level = PgBsonOperandCarry(select, read_operands(group), NULL,
							   columns == NIL ? NULL : PgBsonSqlJoin(columns, ", "), PgBsonSqlJoin(order, ""));
	foreach(lc, keys)
		lfirst(lc) = psprintf("%s.k%d", level, foreach_current_index(lc));
}

static void
group_by_id(PgBsonSelect *select, const PgBsonGroup *group)
{
	const PgBsonTranslation *all = select->all;
	PgBsonIter	field;
	/* as in MongoDB, a document of one field groups by the field's value */
	bool		is_pair = PgBsonOperandIsPair(&group->id, &field);
	const PgBsonValue *expression = is_pair ? &field.value : &group->id;
	/* null and what is missing are one group */
	List	   *keys = list_make1(unconstify(char *, PgBsonOperandOrNull(select, expression)));
	const char *key;
	const char *id;
	const char *visible;

	/* the name of the field may be wrong */
	(void) PgBsonExpressionParse(&group->id, NULL);
	/* a constant need not be sorted by */
	sort_groups(select, group, PgBsonIsContainer(expression->type) || PgBsonOperandComputes(expression) ? keys : NIL);
	id = first_key(select, expression, linitial(keys));
	key = PgBsonCollatedSql(all, linitial(keys));
	visible = all->collation == NULL ? key : PgBsonSql(all, "#bson_uncollated(%s)", key);
	if (is_pair)
	{
		const char *format = "#bson_build_object(%s, %s)";
		const char *name = PgBsonSqlName(field.key, field.key_len);

		id = PgBsonSql(all, format, name, id);
		visible = PgBsonSql(all, format, name, visible);
	}
	group_by(select, group, key, id, visible);
}

/*
 * An _id of several fields: each is a column to group by, and the document is made once for a group.  A field without a
 * value is not in the document.
 */
static void
group_by_fields(PgBsonSelect *select, const PgBsonGroup *group)
{
	List	   *keys = NIL;
	List	   *parts = NIL;
	List	   *firsts = NIL;
	const char *empty = PgBsonSql(select->all, "#bson '{}'");
	int			count = 0;

	PgBsonForEach(iter, PgBsonValueView(&group->id))
		keys = lappend(keys, unconstify(char *, PgBsonOperandSql(select, &iter.value)));
	sort_groups(select, group, keys);
	PgBsonForEach(iter, PgBsonValueView(&group->id))
	{
		PgBsonDocumentPart *part = palloc0_object(PgBsonDocumentPart);
		PgBsonDocumentPart *first = palloc_object(PgBsonDocumentPart);

		part->name = (PgBsonKeyRef) {iter.key, iter.key_len};
		part->sql = list_nth(keys, count++);
		parts = lappend(parts, part);
		*first = *part;
		first->sql = first_key(select, &iter.value, part->sql);
		if (first->sql != part->sql)
			first->sql = psprintf("CASE WHEN %s IS NOT NULL THEN %s END", part->sql, first->sql);
		firsts = lappend(firsts, first);
	}
	group_by(select, group, PgBsonSqlJoin(keys, ", "), PgBsonSqlPut(select->all, empty, firsts),
			 PgBsonSqlPut(select->all, empty, parts));
}

static void
group_by_boundaries(PgBsonSelect *select, const PgBsonGroup *group)
{
	const char *boundaries = PgBsonSqlArray(select->all, group->boundaries, group->nboundaries);
	/* an array on the way gives an array, which is in no bucket of other values */
	const char *names = group->boundaries[0].type == PGBSON_ARRAY || select->all->collation != NULL ? NULL :
		PgBsonOperandNames(select, &group->id);
	const char *key = names != NULL ? PgBsonSql(select->all, "#bson_bucket(%s, %s)", boundaries, names) :
		PgBsonSql(select->all, "#bson_bucket(%s, %s)", PgBsonOperandSql(select, &group->id), boundaries);
	const char *id = bucket_id(select->all, group, key);

	group_by(select, group, key, id, id);
}

static void
group_evenly(PgBsonSelect *select, const PgBsonGroup *group)
{
	const char *value = PgBsonOperandOrNull(select, &group->id);
	const char *key = PgBsonCollatedSql(select->all, value);
	const char *granularity = "";
	const char *bucket;

	if (group->granularity.type != PGBSON_MISSING)
		granularity = psprintf(", %s", PgBsonSqlTextOf(&group->granularity));
	/* the collation of this argument is that of the function */
	if (select->all->collation != NULL)
		granularity = psprintf("%s COLLATE %s", *granularity == '\0' ? ", NULL::pg_catalog.text" : granularity, select->all->collation);
	/* if the documents have no order, they come in the order of the buckets */
	if (group->ordered && select->clauses.order.sql == NULL)
		PgBsonSelectOrder(select, key);
	select->clauses.windowed = true;
	bucket = psprintf("%s.bucket", PgBsonSelectLevel(select, PgBsonSql(select->all, "#bson_bucket_auto(%s, %d%s) OVER (ORDER BY %s) AS bucket",
																	   value, group->buckets, granularity, key)));
	group_by(select, group, bucket, bucket, NULL);
}

void
PgBsonDeparseGroup(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonGroup *group = (const PgBsonGroup *) node;
	bool		sorted = select->clauses.order.is_key && select->all->collation == NULL && group->nboundaries == 0 &&
		group->buckets == 0 && can_differ(&group->id);

	prepare_group(select, group->ordered || sorted);
	(group->nboundaries > 0 ? group_by_boundaries : group->buckets > 0 ? group_evenly :
	 group->by_fields && select->all->collation == NULL ? group_by_fields : group_by_id) (select, group);
}

void
PgBsonDeparseCount(PgBsonSelect *select, const PgBsonStage *node)
{
	prepare_group(select, false);
	select->clauses.having = "pg_catalog.count(*) OPERATOR(pg_catalog.>) 0";
	become_grouped(select, PgBsonSql(select->all, "#bson_build_object(%s, pg_catalog.count(*)::pg_catalog.text::#bson)",
									 PgBsonSqlName(PgBsonStringBytes(&node->operand),
												   PgBsonStringLength(&node->operand))));
}
