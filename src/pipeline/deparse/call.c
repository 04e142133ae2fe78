/*
 * call.c
 *	  Calls and operators in SQL, and what they compare by a collation if the command has one.
 */
#include "pipeline/deparse/select.h"

/* A call has at most 100 arguments, two for each field */
#define MAX_FIELDS	40

/* Functions that compare strings; for each there is bson_collated_..., with a text of the collation before all else */
static const char functions[] = "match eval transform redact let project update sort_key bucket";

static const char *
collated_format(const PgBsonTranslation *all, const char *format)
{
	StringInfoData buf;
	uint32		len;

	if (all->collation == NULL)
		return format;
	initStringInfo(&buf);
	while (*format != '\0')
	{
		if (strncmp(format, "#bson_", 6) == 0)
		{
			len = strspn(format + 6, "abcdefghijklmnopqrstuvwxyz_");
			if (format[6 + len] == '(' && PgBsonNameAmong(functions, format + 6, len) >= 0)
			{
				appendStringInfo(&buf, "#bson_collated_%.*s(''::pg_catalog.text COLLATE %s, ", (int) len, format + 6,
								 PgBsonSqlReplace(all->collation, '%', "%%"));
				format += 6 + len + 1;
				continue;
			}
		}
		appendStringInfoChar(&buf, *format++);
	}
	return buf.data;
}

char *
PgBsonSql(const PgBsonTranslation *all, const char *format,...)
{
	/* a percent sign in the schema's name is doubled, so that it is none of the format's */
	const char *schema = PgBsonSqlReplace(all->schema, '%', "%%");
	StringInfoData form;
	StringInfoData buf;
	va_list		args;

	initStringInfo(&form);
	for (const char *c = collated_format(all, format); *c != '\0'; c++)
	{
		if (*c == '#')
			appendStringInfo(&form, "%s.", schema);
		else if (c[0] == '$' && c[1] == '\'')
			appendStringInfoString(&form, "pg_catalog.text ");
		else
			appendStringInfoChar(&form, *c);
	}
	initStringInfo(&buf);
	for (;;)
	{
		int			needed;

		va_start(args, format);
		needed = appendStringInfoVA(&buf, form.data, args);
		va_end(args);
		if (needed == 0)
			return buf.data;
		enlargeStringInfo(&buf, needed);
	}
}

char *
PgBsonSqlGather(const PgBsonTranslation *all, const char *name, const char *value, const char *after, const char *over)
{
	if (all->is_old)
		return PgBsonSql(all, "COALESCE(#bson_agg_strict(%s%s)%s, #bson '[]')", value, after, over);
	return PgBsonSql(all, "#bson_accumulate(%s, $'%s'%s)%s", value, name, after, over);
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

const char *
PgBsonCollatedSql(const PgBsonTranslation *all, const char *value)
{
	return all->collation == NULL ? value : psprintf("%s COLLATE %s", PgBsonCollatedConstant(all, value), all->collation);
}

const char *
PgBsonCollatedConstant(const PgBsonTranslation *all, const char *value)
{
	return all->collation == NULL ? value : PgBsonSql(all, "#bson_collate(%s)", value);
}

char *
PgBsonMatchSql(const PgBsonTranslation *all, const char *document, const char *query)
{
	return PgBsonSql(all, all->collation == NULL ? "%s OPERATOR(#@~) %s" : "#bson_match(%s, %s)", document, query);
}

const char *
PgBsonSqlPut(const PgBsonTranslation *all, const char *document, const List *parts)
{
	foreach_ptr(const PgBsonDocumentPart, part, parts)
	{
		document = PgBsonSql(all, "#bson_put(%s, %s, %s)", document, PgBsonSqlText(part->name.key, part->name.len), part->sql);
	}
	return document;
}

const char *
PgBsonIndexedSql(const PgBsonTranslation *all, const char *column, const PgBsonIndexed *field)
{
	const char *sql = column;

	foreach_ptr(const PgBsonIndexStep, step, field->way)
	{
		sql = PgBsonSql(all, step->is_path ? "%s OPERATOR(#%s) %s::pg_catalog.text[]" : "%s OPERATOR(#%s) pg_catalog.text %s", sql,
						step->is_path ? "#>" : "->", PgBsonSqlString(step->operand));
	}
	return PgBsonCollatedSql(all, psprintf("(%s)", sql));
}

const char *
PgBsonIndexedIsArray(const PgBsonTranslation *all, const char *value)
{
	static const uint8 no_bytes[5];
	const PgBsonValue array = PgBsonMakeArray(NULL, 0);
	const PgBsonValue binary = {PGBSON_BINARY, sizeof(no_bytes), no_bytes};

	return PgBsonSql(all, "%s OPERATOR(#>=) %s AND %s OPERATOR(#<) %s", value, PgBsonCollatedConstant(all, PgBsonSqlArgument(all, &array)),
					 value, PgBsonCollatedConstant(all, PgBsonSqlArgument(all, &binary)));
}
