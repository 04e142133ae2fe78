/*
 * sql_text.c
 *	  The words of a statement: names and constants.
 */
#include "pipeline/deparse/sql_text.h"

#include "core/bytes/recode.h"
#include "core/write/from_value.h"
#include "json/print.h"
#include "utils/builtins.h"
#include "utils/json.h"

char *
PgBsonSqlReplace(const char *s, char character, const char *by)
{
	StringInfoData buf;

	initStringInfo(&buf);
	for (; *s != '\0'; s++)
	{
		if (*s == character)
			appendStringInfoString(&buf, by);
		else
			appendStringInfoChar(&buf, *s);
	}
	return buf.data;
}

char *
PgBsonSqlIdentifier(const char *name)
{
	const char *quoted = quote_identifier(name);

	if (strchr(name, '\n') == NULL)
		return pstrdup(quoted);
	/* in an identifier with Unicode escapes, backslashes are doubled */
	return psprintf("U&%s", PgBsonSqlReplace(PgBsonSqlReplace(quoted, '\\', "\\\\"), '\n', "\\000A"));
}

char *
PgBsonSqlString(const char *s)
{
	char	   *quoted = quote_literal_cstr(s);
	char	   *escaped;

	if (strchr(quoted, '\n') == NULL)
		return quoted;
	/* a quoted string with backslashes begins with E already */
	escaped = PgBsonSqlReplace(quoted, '\n', "\\n");
	return escaped[0] == '\'' ? psprintf("E%s", escaped) : escaped;
}

char *
PgBsonSqlName(const char *s, uint32 len)
{
	const char *text = PgBsonToServerText(s, &len);

	return PgBsonSqlString(pnstrdup(text, len));
}

char *
PgBsonSqlText(const char *s, uint32 len)
{
	return psprintf("pg_catalog.text %s", PgBsonSqlName(s, len));
}

char *
PgBsonSqlTextOf(const PgBsonValue *string)
{
	return PgBsonSqlText(PgBsonStringBytes(string), PgBsonStringLength(string));
}

static char *
value_string(const PgBsonValue *value)
{
	StringInfoData buf;

	initStringInfo(&buf);
	if (!PgBsonPrint(&buf, value, PGBSON_LOSSLESS, 0))
	{
		PgBsonView	view = PgBsonViewOf(PgBsonFromValue(value));

		resetStringInfo(&buf);
		PgBsonPrintHex(&buf, view.data, view.len);
	}
	return PgBsonSqlString(buf.data);
}

char *
PgBsonSqlConstant(const PgBsonTranslation *all, const PgBsonValue *value)
{
	return psprintf("%s::%s.bson", value_string(value), all->schema);
}

char *
PgBsonSqlArgument(const PgBsonTranslation *all, const PgBsonValue *value)
{
	return psprintf("%s.bson %s", all->schema, value_string(value));
}

char *
PgBsonSqlArray(const PgBsonTranslation *all, const PgBsonValue *values, int count)
{
	List	   *texts = NIL;

	for (int i = 0; i < count; i++)
		texts = lappend(texts, value_string(&values[i]));
	return psprintf("ARRAY[%s]::%s.bson[]", PgBsonSqlJoin(texts, ", "), all->schema);
}

char *
PgBsonSqlJsonpath(const PgBsonNames *path)
{
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfoChar(&buf, '$');
	for (int i = 0; i < path->count; i++)
	{
		uint32		len = path->names[i].key_len;
		const char *name = PgBsonToServerText(path->names[i].key, &len);

		appendStringInfoChar(&buf, '.');
		escape_json(&buf, pnstrdup(name, len));
	}
	appendStringInfoString(&buf, "[*]");
	return PgBsonSqlString(buf.data);
}

/* Does the text begin with this word? Then step over it. */
static bool
pass(const char **text, const char *word)
{
	Size		len = strlen(word);

	if (strncmp(*text, word, len) != 0)
		return false;
	*text += len;
	return true;
}

/* Step over one of the schemas and its dot */
static bool
pass_schema(const char **text, List *schemas)
{
	foreach_ptr(const char, schema, schemas)
	{
		const char *end = *text;

		if (pass(&end, schema) && pass(&end, "."))
		{
			*text = end;
			return true;
		}
	}
	return false;
}

char *
PgBsonSqlShort(const char *sql, List *schemas)
{
	StringInfoData buf;

	initStringInfo(&buf);
	while (*sql != '\0')
	{
		const char *begin = sql;

		/* a name begins after a space or a sign */
		if (pass(&sql, "OPERATOR("))
		{
			(void) pass_schema(&sql, schemas);
			appendBinaryStringInfo(&buf, sql, strcspn(sql, ")"));
			sql += strcspn(sql, ")") + 1;
		}
		else if (pass(&sql, "::pg_catalog.text[]"))
			continue;
		else if (pass_schema(&sql, schemas))
		{
			const char *string = sql;

			if ((pass(&string, "bson ") || pass(&string, "text ")) && (*string == '\'' || *string == 'E'))
				sql = string;
		}
		else if (*sql == '\'' || *sql == '"')
		{
			/* to the next quote; one that is doubled begins another string */
			sql = strchr(sql + 1, *sql) + 1;
			appendBinaryStringInfo(&buf, begin, sql - begin);
		}
		else
		{
			/* a word, of which no part is taken for a schema */
			sql += Max(strspn(sql, "abcdefghijklmnopqrstuvwxyz0123456789_$"), 1);
			appendBinaryStringInfo(&buf, begin, sql - begin);
		}
	}
	return buf.data;
}

char *
PgBsonSqlIndent(const char *text)
{
	return psprintf("    %s", PgBsonSqlReplace(text, '\n', "\n    "));
}

char *
PgBsonSqlJoin(List *texts, const char *word)
{
	StringInfoData buf;

	initStringInfo(&buf);
	foreach_ptr(const char, text, texts)
		appendStringInfo(&buf, "%s%s", foreach_current_index(text) == 0 ? "" : word, text);
	return buf.data;
}
