/*
 * select.c
 *	  A SELECT in the making.
 */
#include "pipeline/select.h"

#include "pipeline/operand.h"
#include "pipeline/sql_text.h"

/* A call has at most 100 arguments, two for each field */
#define MAX_FIELDS	40

/*
 * A level that is read once becomes a subquery of the next one, which lets conditions, limits and
 * workers reach the tables.  But the server copies a subquery at each level around it, in more than quadratic time and
 * without a look for interrupts, so after so many levels one is planned by itself (MATERIALIZED): the first that has
 * to see all its rows anyway, or the last.
 */
#define NESTED_GROUPS	8
#define NESTED_LEVELS	16

char *
PgBsonSql(const PgBsonTranslation *all, const char *format,...)
{
	/* a percent sign in the schema's name is doubled, so that it is none of the format's */
	char	   *schema = psprintf("%s.", PgBsonSqlReplace(all->schema, '%', "%%"));
	char	   *form = PgBsonSqlReplace(format, '#', schema);
	StringInfoData buf;
	va_list		args;

	initStringInfo(&buf);
	for (;;)
	{
		int			needed;

		va_start(args, format);
		needed = appendStringInfoVA(&buf, form, args);
		va_end(args);
		if (needed == 0)
			return buf.data;
		enlargeStringInfo(&buf, needed);
	}
}

char *
PgBsonSqlDocument(const PgBsonTranslation *all, List *names, List *values)
{
	StringInfoData buf;
	ListCell   *n;
	ListCell   *v;
	bool		many = list_length(names) > 2;
	int			count = 0;

	initStringInfo(&buf);
	forboth(n, names, v, values)
	{
		if (count % MAX_FIELDS == 0)
			appendStringInfo(&buf, "%s", count == 0 ? PgBsonSql(all, "#bson_build_object(") :
							 PgBsonSql(all, ") OPERATOR(#||) #bson_build_object("));
		appendStringInfo(&buf, "%s%s%s, %s", count % MAX_FIELDS == 0 ? "" : many ? "," : ", ", many ? "\n    " : "",
						 (char *) lfirst(n), (char *) lfirst(v));
		count++;
	}
	appendStringInfoChar(&buf, ')');
	return count > MAX_FIELDS ? psprintf("(%s)", buf.data) : buf.data;
}

void *
PgBsonFindNamed(const List *list, const char *name, uint32 len)
{
	ListCell   *lc;

	foreach(lc, list)
	{
		const PgBsonKeyRef *known = lfirst(lc);

		if (known->len == len && memcmp(known->key, name, len) == 0)
			return lfirst(lc);
	}
	return NULL;
}

PgBsonSelect *
PgBsonSelectNew(PgBsonTranslation *all, const PgBsonScope *scope, const char *from, const char *base)
{
	PgBsonSelect *select = palloc0_object(PgBsonSelect);

	select->all = all;
	select->scope = scope;
	select->from = from;
	select->base = base;
	select->limit = -1;
	select->first = select->last = all->stage;
	return select;
}

const char *
PgBsonSelectDocument(PgBsonSelect *select)
{
	if (select->stages.count > 0)
	{
		PgBsonValue stages = PgBsonWriterEnd(&select->stages, PGBSON_ARRAY);

		select->base = PgBsonSql(select->all, "#bson_transform(%s, %s%s)", select->base,
								 PgBsonSqlArgument(select->all->schema, &stages),
								 select->stages_vary ? PgBsonOperandVariables(select) : "");
		select->computed = true;
		select->stages.count = 0;
		select->stages_vary = false;
		select->part = select->unwind = NULL;
		select->fields = NIL;
	}
	return select->base;
}

void
PgBsonSelectCompute(PgBsonSelect *select, const char *document)
{
	Assert(select->stages.count == 0);
	select->base = document;
	select->last = select->all->stage;
	select->computed = true;
	select->part = select->unwind = NULL;
	select->number = NULL;
	select->carried = select->fields = NIL;
	select->part_is_document = false;
}

void
PgBsonSelectPart(PgBsonSelect *select, const char *rest, const char *name, uint32 len, const char *part)
{
	PgBsonSelectCompute(select, PgBsonSql(select->all, "#bson_put(%s, %s, %s)", rest, PgBsonSqlText(name, len), part));
	select->rest = rest;
	select->part_name.key = name;
	select->part_name.len = len;
	select->part = part;
}

/* Note which stages are in level "number", or in a SELECT that is none (0) */
static void
note_stages(PgBsonSelect *select, int number)
{
	List	  **spans = &select->all->spans;

	*spans = lappend_int(lappend_int(lappend_int(*spans, number), select->first), Max(select->first, select->last));
	select->first = select->all->stage;
}

/* The text of the SELECT itself, without its levels; of a level also with its key and the column "extra" */
static char *
body_of(PgBsonSelect *select, bool with_key, const char *extra, bool ordered, bool fenced)
{
	StringInfoData buf;
	const char *word = "WHERE";
	const char *first;
	ListCell   *lc;

	initStringInfo(&buf);
	appendStringInfo(&buf, "SELECT %s AS data", PgBsonSelectDocument(select));
	if (with_key)
		appendStringInfo(&buf, ", %s AS key", select->order);
	if (extra != NULL)
		appendStringInfo(&buf, ", %s", extra);
	first = ordered ? PgBsonServedFirst(select) : NULL;
	if (select->from != NULL)
		appendStringInfo(&buf, "\nFROM %s", first != NULL ? first : select->from);
	foreach(lc, first != NULL ? NIL : select->where)
	{
		appendStringInfo(&buf, "\n%s %s", word, (char *) lfirst(lc));
		word = "  AND";
	}
	if (select->group != NULL)
		appendStringInfo(&buf, "\nGROUP BY %s", select->group);
	if (select->having != NULL)
		appendStringInfo(&buf, "\nHAVING %s", select->having);
	if (ordered)
		appendStringInfo(&buf, "\nORDER BY %s", select->order);
	if (select->limit >= 0)
		appendStringInfo(&buf, "\nLIMIT " INT64_FORMAT, select->limit);
	if (select->skip > 0)
		appendStringInfo(&buf, "\nOFFSET " INT64_FORMAT, select->skip);
	else if (fenced)
		/* in quotes it is a bigint without a cast: the planner sees that nothing is skipped, and may use parallel workers */
		appendStringInfoString(&buf, "\nOFFSET '0'");
	return buf.data;
}

static bool
is_cut(const PgBsonSelect *select)
{
	return select->skip > 0 || select->limit >= 0;
}

/* WITH and these entries, and then the body */
static char *
with_sql(const List *levels, const char *body)
{
	StringInfoData buf;
	ListCell   *lc;

	initStringInfo(&buf);
	foreach(lc, levels)
		appendStringInfo(&buf, "%s%s", foreach_current_index(lc) == 0 ? "WITH " : ", ", (char *) lfirst(lc));
	appendStringInfo(&buf, "%s%s", levels == NIL ? "" : "\n", body);
	return buf.data;
}

void
PgBsonSelectEntry(PgBsonSelect *select, const char *name, const char *body, bool gathers)
{
	int			nested = select->outer_nested + list_length(select->nested);

	if (nested + 1 < (gathers ? NESTED_GROUPS : NESTED_LEVELS))
	{
		select->nested = lappend(select->nested, psprintf("%s AS (\n%s\n)", name, PgBsonSqlIndent(body)));
		return;
	}
	/* the entries that it reads go into a WITH of its own, as the server searches a whole WITH for uses of each entry */
	select->levels = lappend(select->levels, psprintf("%s AS MATERIALIZED (\n%s\n)", name,
													  PgBsonSqlIndent(with_sql(select->nested, body))));
	select->nested = NIL;
	select->outer_nested = 0;
}

/* Complete the entry of WITH that tables could be added to */
static void
end_union(PgBsonSelect *select)
{
	if (select->union_name != NULL)
		PgBsonSelectEntry(select, select->union_name, select->united->data, false);
	select->union_name = NULL;
}

const char *
PgBsonSelectLevel(PgBsonSelect *select, const char *extra)
{
	int			number = ++select->all->nlevels;
	const char *name = psprintf("s%d", number);
	bool		keyed = select->order != NULL;
	bool		ordered = keyed && (is_cut(select) || select->unwinds);
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
				   (select->computed || extra != NULL) && !is_cut(select) && !select->unwinds && !select->windowed &&
				   (!select->grouped || select->from == NULL));
	PgBsonSelectEntry(select, name, body, select->grouped || (keyed && !is_cut(select)));
	select->from = name;
	select->base = psprintf("%s.data", name);
	select->order = keyed ? psprintf("%s.key", name) : NULL;
	select->computed = select->grouped = select->windowed = false;
	select->unwinds = 0;
	select->part = select->unwind = NULL;
	select->where = select->indexed = select->served = select->carried = NIL;
	select->sorted = NULL;
	select->width = 0;
	select->group = select->having = NULL;
	select->skip = 0;
	select->limit = -1;
	return name;
}

void
PgBsonSelectColumn(PgBsonSelect *select)
{
	if (select->stages.count > 0 || select->computed || select->unwinds || select->grouped)
		(void) PgBsonSelectLevel(select, NULL);
}

void
PgBsonSelectPlain(PgBsonSelect *select)
{
	if (is_cut(select))
		(void) PgBsonSelectLevel(select, NULL);
	PgBsonSelectColumn(select);
}

void
PgBsonSelectForgetOrder(PgBsonSelect *select)
{
	if (!is_cut(select))
		select->order = NULL;
	select->unwound = false;
}

void
PgBsonSelectSkip(PgBsonSelect *select, int64 count)
{
	if (select->limit >= 0)
		select->limit = Max(select->limit - count, 0);
	/* no table has so many rows */
	select->skip = count > PG_INT64_MAX - select->skip ? PG_INT64_MAX : select->skip + count;
}

void
PgBsonSelectLimit(PgBsonSelect *select, int64 count)
{
	select->limit = select->limit < 0 ? count : Min(select->limit, count);
}

char *
PgBsonSelectText(PgBsonSelect *select)
{
	char	   *body = body_of(select, false, NULL, select->order != NULL, false);

	end_union(select);
	note_stages(select, 0);
	return with_sql(list_concat_copy(select->levels, select->nested), body);
}

char *
PgBsonSelectArray(PgBsonSelect *select)
{
	return PgBsonSql(select->all, "#array_to_bson(ARRAY(\n%s\n))", PgBsonSqlIndent(PgBsonSelectText(select)));
}
