/*
 * select.c
 *	  A SELECT in the making.
 */
#include "pipeline/deparse/select.h"

#include "common/int.h"

/*
 * A level that is read once becomes a subquery of the next one, which lets conditions, limits and
 * workers reach the tables.  But the server copies a subquery at each level around it, in more than quadratic time and
 * without a look for interrupts, so after so many levels one is planned by itself (MATERIALIZED): the first that has
 * to see all its rows anyway, or the last.
 */
#define NESTED_GROUPS	8
#define NESTED_LEVELS	16

PgBsonSelect *
PgBsonSelectNew(PgBsonTranslation *all, const PgBsonScope *scope, const char *from, const char *base)
{
	PgBsonSelect *select = palloc0_object(PgBsonSelect);

	select->all = all;
	select->scope = scope;
	select->clauses = (PgBsonClauses) {.from = from, .limit = -1};
	select->document.base = base;
	select->first = select->last = all->stage;
	return select;
}

const char *
PgBsonSelectVariables(const PgBsonSelect *select)
{
	if (select->scope->variables != NULL)
		return psprintf(", %s", select->scope->variables);
	return PgBsonSql(select->all, ", #bson_build_object('NOW', pg_catalog.now())");
}

const char *
PgBsonSelectDocument(PgBsonSelect *select)
{
	PgBsonDocument *document = &select->document;

	if (document->stages.count > 0)
	{
		PgBsonValue stages = PgBsonWriterEnd(&document->stages, PGBSON_ARRAY);
		const char *sql = PgBsonSql(select->all, "#bson_transform(%s, %s%s)", document->base,
									PgBsonSqlArgument(select->all, &stages),
									document->stages_vary ? PgBsonSelectVariables(select) : "");

		*document = (PgBsonDocument) {.base = sql, .computed = true};
	}
	return document->base;
}

void
PgBsonSelectCompute(PgBsonSelect *select, const char *document)
{
	Assert(select->document.stages.count == 0);
	select->document = (PgBsonDocument) {.base = document, .computed = true};
	select->last = select->all->stage;
}

void
PgBsonSelectParts(PgBsonSelect *select, const PgBsonDocumentPart *parts, int count)
{
	const char *rest = PgBsonSelectDocument(select);
	List	   *list = NIL;

	for (int i = 0; i < count; i++)
	{
		PgBsonDocumentPart *part = palloc_object(PgBsonDocumentPart);

		*part = parts[i];
		list = lappend(list, part);
	}
	PgBsonSelectCompute(select, PgBsonSqlPut(select->all, rest, list));
	select->document.rest = rest;
	select->document.parts = list;
}

const char *
PgBsonSelectNumber(const PgBsonSelect *select)
{
	const List *parts = select->document.parts;

	return list_length(parts) == 1 ? ((const PgBsonDocumentPart *) linitial(parts))->number : NULL;
}

/* Note which stages are in level "number", or in a SELECT that is none (0) */
static void
note_stages(PgBsonSelect *select, int number)
{
	List	  **spans = &select->all->spans;

	*spans = lappend_int(lappend_int(lappend_int(*spans, number), select->first), Max(select->first, select->last));
	select->first = select->all->stage;
}

/*
 * Conditions for the documents that an index has in order, in which no value of these fields is missing or an array;
 * or, unless "scalar", one for the others
 */
static List *
in_order(const PgBsonSelect *select, const List *fields, bool scalar)
{
	List	   *conditions = NIL;

	foreach_ptr(const PgBsonIndexed, field, fields)
	{
		const char *x = PgBsonIndexedSql(select->all, select->clauses.column, field);
		const char *array = PgBsonIndexedIsArray(select->all, x);

		conditions = lappend(conditions, psprintf(scalar ? "%s IS NOT NULL AND NOT (%s)" : "%s OR %s IS NULL", scalar ? x : array, scalar ? array : x));
	}
	return scalar ? conditions : list_make1(psprintf("(%s)", PgBsonSqlJoin(conditions, " OR ")));
}

/* The conditions of WHERE but the one with "arms"; "scalar": for documents without an array in the field that they are ordered by */
static List *
other_conditions(const PgBsonClauses *clauses, bool scalar)
{
	List	   *conditions = NIL;

	foreach_ptr(const PgBsonWhere, where, clauses->where)
	{
		bool		simpler = scalar && where->scalar != NULL && where->field == linitial(clauses->order.index.fields);

		if (where->arms == NIL)
			conditions = lappend(conditions, unconstify(char *, simpler ? where->scalar : where->sql));
	}
	return conditions;
}

/* The condition with "arms"; NULL if there is none */
static const PgBsonWhere *
armed(const PgBsonClauses *clauses)
{
	foreach_ptr(const PgBsonWhere, where, clauses->where)
	{
		if (where->arms != NIL)
			return where;
	}
	return NULL;
}

/* The columns of the index that has the documents in order */
static char *
index_order(const PgBsonSelect *select)
{
	const PgBsonOrder *order = &select->clauses.order;
	List	   *columns = NIL;

	for (int i = 0; i < list_length(order->index.fields); i++)
	{
		const char *column = PgBsonIndexedSql(select->all, select->clauses.column, list_nth(order->index.fields, i));

		columns = lappend(columns, psprintf("%s%s", column, list_nth_int(order->index.descends, i) ? " DESC" : ""));
	}
	return PgBsonSqlJoin(columns, ", ");
}

/* The fields of the order that may lack a value, or have an array, in documents that meet WHERE, or its first arm */
static List *
unsure_fields(const PgBsonClauses *clauses)
{
	List	   *unsure = list_difference_ptr(clauses->order.index.fields, clauses->order.index.sure);

	foreach_ptr(const PgBsonWhere, where, clauses->where)
		unsure = list_difference_ptr(unsure, where->sure);
	return unsure;
}

/* Does an index have all documents of the SELECT in order? */
static bool
orders_plainly(const PgBsonClauses *clauses)
{
	return clauses->order.index.fields != NIL && unsure_fields(clauses) == NIL && armed(clauses) == NULL &&
		!clauses->unwinds && !clauses->grouped;
}

/*
 * A SELECT of at most "count" of the table's documents, by an arm and the conditions of WHERE, in order; "unsure": those
 * in which no value of these fields is missing or an array or, unless "scalar", the others
 */
static char *
first_of(const PgBsonSelect *select, List *arm, bool scalar, List *unsure, const char *order, int64 count)
{
	const PgBsonClauses *clauses = &select->clauses;
	List	   *conditions = list_concat(list_concat_copy(arm, other_conditions(clauses, scalar)),
										 unsure == NIL ? NIL : in_order(select, unsure, scalar));

	return psprintf("    (SELECT %s FROM %s\n    WHERE %s\n%s%s%s    LIMIT " INT64_FORMAT ")", clauses->column,
					clauses->from, PgBsonSqlJoin(conditions, "\n      AND "), order == NULL ? "" : "    ORDER BY ",
					order == NULL ? "" : order, order == NULL ? "" : "\n", count);
}

/*
 * An entry of FROM with the first documents that an index has in order, or that it finds, as many as LIMIT needs; NULL
 * if no index does.  They are those of several parts: of the documents without arrays in the fields, which
 * the index has in order, and of the others, which are sorted.
 */
static const char *
first_documents(const PgBsonSelect *select)
{
	const PgBsonClauses *clauses = &select->clauses;
	const PgBsonOrder *order = &clauses->order;
	const PgBsonWhere *where = armed(clauses);
	List	   *arms = where == NULL ? NIL : where->arms;
	List	   *first = arms == NIL ? NIL : list_make1(linitial(arms));
	List	   *unsure = unsure_fields(clauses);
	List	   *parts = NIL;
	const char *alias;
	int64		count;

	/* after $unwind or $group, LIMIT counts other rows than these documents */
	if ((order->sql == NULL || unsure == NIL ? arms == NIL : order->index.fields == NIL) || clauses->limit < 0 ||
		clauses->unwinds || clauses->grouped || clauses->whole ||
		pg_add_s64_overflow(clauses->limit, clauses->skip, &count))
		return NULL;
	alias = pnstrdup(clauses->column, strchr(clauses->column, '.') - clauses->column);
	if (order->index.fields != NIL)
		parts = lappend(parts, first_of(select, first, true, unsure, index_order(select), count));
	if (order->index.fields != NIL && unsure != NIL)
		parts = lappend(parts, first_of(select, first, false, unsure, order->sql, count));
	for (int i = order->index.fields != NIL; i < list_length(arms); i++)
		parts = lappend(parts, first_of(select, list_make1(list_nth(arms, i)), false, NIL, order->sql, count));
	return psprintf("(\n%s\n) AS %s(%s)", PgBsonSqlJoin(parts, "\n    UNION ALL\n"), alias,
					clauses->column + strlen(alias) + 1);
}

/* The text of the SELECT itself, without its levels; of a level also with its key and the column "extra" */
static char *
body_of(PgBsonSelect *select, bool with_key, const char *extra, bool ordered, bool fenced)
{
	const PgBsonClauses *clauses = &select->clauses;
	StringInfoData buf;
	const char *first;

	initStringInfo(&buf);
	appendStringInfo(&buf, "SELECT %s AS data", PgBsonSelectDocument(select));
	if (with_key)
		appendStringInfo(&buf, ", %s AS key", clauses->order.sql);
	if (extra != NULL)
		appendStringInfo(&buf, ", %s", extra);
	first = ordered || clauses->order.sql == NULL ? first_documents(select) : NULL;
	if (clauses->from != NULL)
		appendStringInfo(&buf, "\nFROM %s", first != NULL ? first : clauses->from);
	if (first == NULL)
		appendStringInfoString(&buf, PgBsonSelectWhere(select));
	if (clauses->group != NULL)
		appendStringInfo(&buf, "\nGROUP BY %s", clauses->group);
	if (clauses->having != NULL)
		appendStringInfo(&buf, "\nHAVING %s", clauses->having);
	if (ordered)
		appendStringInfo(&buf, "\nORDER BY %s", first == NULL && orders_plainly(clauses) ? index_order(select) : clauses->order.sql);
	if (clauses->limit >= 0)
		appendStringInfo(&buf, "\nLIMIT " INT64_FORMAT, clauses->limit);
	if (clauses->skip > 0)
		appendStringInfo(&buf, "\nOFFSET " INT64_FORMAT, clauses->skip);
	else if (fenced)
		/* in quotes it is a bigint without a cast, so that the planner sees it, and may use parallel workers */
		appendStringInfoString(&buf, "\nOFFSET '0'");
	return buf.data;
}

bool
PgBsonSelectIsCut(const PgBsonSelect *select)
{
	return select->clauses.skip > 0 || select->clauses.limit >= 0;
}

/* WITH and these entries, and then the body */
static char *
with_sql(List *levels, char *body)
{
	return levels == NIL ? body : psprintf("WITH %s\n%s", PgBsonSqlJoin(levels, ", "), body);
}

void
PgBsonSelectEntry(PgBsonSelect *select, const char *name, char *body, bool gathers)
{
	int			nested = select->with.outer_nested + list_length(select->with.nested);

	if (nested + 1 < (gathers ? NESTED_GROUPS : NESTED_LEVELS))
	{
		select->with.nested = lappend(select->with.nested, psprintf("%s AS (\n%s\n)", name, PgBsonSqlIndent(body)));
		return;
	}
	/* what it reads goes into a WITH of its own, as the server searches a whole WITH for uses of each entry */
	select->with.levels = lappend(select->with.levels, psprintf("%s AS MATERIALIZED (\n%s\n)", name,
																PgBsonSqlIndent(with_sql(select->with.nested, body))));
	select->with.nested = NIL;
	select->with.outer_nested = 0;
}

/* Complete the entry of WITH that tables could be added to */
static void
end_union(PgBsonSelect *select)
{
	if (select->with.union_name != NULL)
		PgBsonSelectEntry(select, select->with.union_name, select->with.united->data, false);
	select->with.union_name = NULL;
}

const char *
PgBsonSelectLevel(PgBsonSelect *select, const char *extra)
{
	int			number = ++select->all->nlevels;
	const char *name = psprintf("s%d", number);
	const PgBsonClauses *clauses = &select->clauses;
	bool		keyed = clauses->order.sql != NULL;
	bool		is_cut = PgBsonSelectIsCut(select);
	bool		ordered = keyed && (is_cut || clauses->unwinds);
	char	   *body;

	/*
	 * What is calculated here is used more than once by what follows.  OFFSET
	 * keeps the planner from putting the calculation into each of these places, as GROUP BY and window functions do.
	 * (The fields of $facet are calculated without FROM.)
	 */
	(void) PgBsonSelectDocument(select);
	if (extra != NULL)
		select->last = select->all->stage;
	note_stages(select, number);
	end_union(select);
	body = body_of(select, keyed, extra, ordered,
				   (select->document.computed || extra != NULL) && !is_cut && !clauses->unwinds && !clauses->windowed &&
				   (!clauses->grouped || clauses->from == NULL));
	PgBsonSelectEntry(select, name, body, clauses->grouped || (keyed && !is_cut));
	select->clauses = (PgBsonClauses) {.from = name, .limit = -1};
	if (keyed)
		select->clauses.order.sql = psprintf("%s.key", name);
	/* what is known of the documents is true of the same documents in a column */
	select->document = (PgBsonDocument) {.base = psprintf("%s.data", name), .fields = select->document.fields};
	return name;
}

const char *
PgBsonSelectSorted(PgBsonSelect *select, const char *extra, const char *columns)
{
	int			number = ++select->all->nlevels;
	const char *name = psprintf("s%d", number);

	PgBsonSelectOrder(select, psprintf("%s%s", columns, select->clauses.order.sql));
	select->last = select->all->stage;
	note_stages(select, number);
	end_union(select);
	select->clauses = (PgBsonClauses) {
		.from = psprintf("(\n%s\n) AS %s", PgBsonSqlIndent(body_of(select, false, extra, true, false)), name),
		.order.done = true, .limit = -1
	};
	select->with.outer_nested++;
	select->document = (PgBsonDocument) {.base = psprintf("%s.data", name), .fields = select->document.fields};
	return name;
}

bool
PgBsonSelectOnlyReads(const PgBsonSelect *select)
{
	return select->document.stages.count == 0 && !select->document.computed && !select->clauses.unwinds &&
		!select->clauses.grouped;
}

void
PgBsonSelectColumn(PgBsonSelect *select)
{
	if (!PgBsonSelectOnlyReads(select))
		(void) PgBsonSelectLevel(select, NULL);
}

void
PgBsonSelectPlain(PgBsonSelect *select)
{
	if (PgBsonSelectIsCut(select))
		(void) PgBsonSelectLevel(select, NULL);
	PgBsonSelectColumn(select);
}

void
PgBsonSelectForgetOrder(PgBsonSelect *select)
{
	if (!PgBsonSelectIsCut(select))
		PgBsonSelectOrder(select, NULL);
	select->unwound = false;
}

void
PgBsonSelectOrder(PgBsonSelect *select, const char *order)
{
	select->clauses.order = (PgBsonOrder) {.sql = order};
}

void
PgBsonSelectSkip(PgBsonSelect *select, int64 count)
{
	if (select->clauses.limit >= 0)
		select->clauses.limit = Max(select->clauses.limit - count, 0);
	/* no table has so many rows */
	select->clauses.skip = count > PG_INT64_MAX - select->clauses.skip ? PG_INT64_MAX : select->clauses.skip + count;
}

void
PgBsonSelectLimit(PgBsonSelect *select, int64 count)
{
	select->clauses.limit = select->clauses.limit < 0 ? count : Min(select->clauses.limit, count);
}

PgBsonWhere *
PgBsonSelectAddWhere(PgBsonSelect *select, const char *sql)
{
	PgBsonWhere *where = palloc0_object(PgBsonWhere);

	where->sql = sql;
	select->clauses.where = lappend(select->clauses.where, where);
	return where;
}

const char *
PgBsonSelectWhere(const PgBsonSelect *select)
{
	List	   *conditions = NIL;

	foreach_ptr(const PgBsonWhere, where, select->clauses.where)
		conditions = lappend(conditions, unconstify(char *, where->sql));
	return conditions == NIL ? "" : psprintf("\nWHERE %s", PgBsonSqlJoin(conditions, "\n  AND "));
}

char *
PgBsonSelectText(PgBsonSelect *select)
{
	char	   *body = body_of(select, false, NULL, select->clauses.order.sql != NULL, false);

	end_union(select);
	note_stages(select, 0);
	return with_sql(list_concat_copy(select->with.levels, select->with.nested), body);
}

char *
PgBsonSelectArray(PgBsonSelect *select, const char *stage)
{
	const PgBsonClauses *clauses = &select->clauses;

	/* rows of a table need no subquery, which takes a third of the time to plan the whole */
	if (clauses->column != NULL && clauses->order.sql == NULL && PgBsonSelectOnlyReads(select) &&
		!PgBsonSelectIsCut(select))
	{
		PgBsonSelectCompute(select, PgBsonSqlGather(select->all, stage, select->document.base, "", ""));
		return psprintf("(\n%s\n)", PgBsonSqlIndent(PgBsonSelectText(select)));
	}
	return psprintf("(SELECT %s FROM (\n%s\n) AS a)", PgBsonSqlGather(select->all, stage, "a.data", "", ""),
					PgBsonSqlIndent(PgBsonSelectText(select)));
}
