/*
 * collate.c
 *	  What a statement compares by a collation, if its command has one.
 */
#include "pipeline/deparse/select.h"

#include "pipeline/deparse/sql_text.h"

/* Functions that compare strings; for each there is one named bson_collated_..., with a text of the collation before the other arguments */
static const char functions[] = "match eval transform redact let project update sort_key bucket";

const char *
PgBsonCollatedFormat(const PgBsonTranslation *all, const char *format)
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
