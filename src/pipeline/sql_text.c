/*
 * sql_text.c
 *	  The words of a statement: names and constants.
 */
#include "pipeline/sql_text.h"

#include "core/bytes/recode.h"
#include "core/write/from_value.h"
#include "json/print.h"
#include "utils/builtins.h"

/* Replace each newline by this spelling of it */
static char *
spell_newlines(const char *s, const char *spelling)
{
	StringInfoData buf;

	initStringInfo(&buf);
	for (; *s != '\0'; s++)
	{
		if (*s == '\n')
			appendStringInfoString(&buf, spelling);
		else
			appendStringInfoChar(&buf, *s);
	}
	return buf.data;
}

char *
PgBsonSqlIdentifier(const char *name)
{
	StringInfoData buf;

	if (strchr(name, '\n') == NULL)
		return pstrdup(quote_identifier(name));
	/* in an identifier with Unicode escapes, backslashes are doubled */
	initStringInfo(&buf);
	appendStringInfoString(&buf, "U&\"");
	for (; *name != '\0'; name++)
	{
		if (*name == '\n')
			appendStringInfoString(&buf, "\\000A");
		else
		{
			if (*name == '"' || *name == '\\')
				appendStringInfoChar(&buf, *name);
			appendStringInfoChar(&buf, *name);
		}
	}
	appendStringInfoChar(&buf, '"');
	return buf.data;
}

char *
PgBsonSqlString(const char *s)
{
	char	   *quoted = quote_literal_cstr(s);
	char	   *escaped;

	if (strchr(quoted, '\n') == NULL)
		return quoted;
	/* a quoted string with backslashes begins with E already */
	escaped = spell_newlines(quoted, "\\n");
	return escaped[0] == '\'' ? psprintf("E%s", escaped) : escaped;
}

char *
PgBsonSqlText(const char *s, uint32 len)
{
	const char *text = PgBsonToServerText(s, &len);

	return PgBsonSqlString(pnstrdup(text, len));
}

char *
PgBsonSqlConstant(const char *schema, const PgBsonValue *value)
{
	StringInfoData buf;

	initStringInfo(&buf);
	if (!PgBsonPrint(&buf, value, PGBSON_LOSSLESS, 0))
	{
		PgBsonView	view = PgBsonViewOf(PgBsonFromValue(value));

		resetStringInfo(&buf);
		PgBsonPrintHex(&buf, view.data, view.len);
	}
	return psprintf("%s::%s.bson", PgBsonSqlString(buf.data), schema);
}

char *
PgBsonSqlIndent(const char *text)
{
	return psprintf("    %s", spell_newlines(text, "\n    "));
}

char *
PgBsonSqlJoin(List *texts, const char *word)
{
	StringInfoData buf;
	ListCell   *lc;

	initStringInfo(&buf);
	foreach(lc, texts)
		appendStringInfo(&buf, "%s%s", foreach_current_index(lc) == 0 ? "" : word, (char *) lfirst(lc));
	return buf.data;
}
