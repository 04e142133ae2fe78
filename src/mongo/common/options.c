/*
 * options.c
 *	  Documents of named options, as operators, stages and accumulators take them.
 *
 * MongoDB's server reads most of them by parsers that are generated from .idl files; others
 * by hand, as in src/mongo/db/pipeline/expression.cpp.
 */
#include "mongo/common/options.h"

int
PgBsonOptionsCount(const char *names)
{
	int			count = 1;

	for (const char *p = names; *p != '\0'; p++)
		count += *p == ' ';
	return count;
}

bool
PgBsonOptionsRead(const PgBsonValue *doc, const char *names, PgBsonValue *values, PgBsonIter *unknown)
{
	bool		all_known = true;

	memset(values, 0, PgBsonOptionsCount(names) * sizeof(PgBsonValue));
	PgBsonForEach(iter, PgBsonValueView(doc))
	{
		int			position = PgBsonNameAmong(names, iter.key, iter.key_len);

		if (position >= 0)
			values[position] = iter.value;
		else if (all_known)
		{
			*unknown = iter;
			all_known = false;
		}
	}
	return all_known;
}

bool
PgBsonOptionIs(const PgBsonValue *value, const char *string)
{
	uint32		len = strlen(string);

	return value->type == PGBSON_STRING && value->len == len + 5 && memcmp(value->data + 4, string, len) == 0;
}

char *
PgBsonOptionsLacking(const char *names, const PgBsonValue *values)
{
	for (int i = 0; *names != '\0'; i++)
	{
		Size		width = strcspn(names, " ");

		if (names[width - 1] == '!' && values[i].type == PGBSON_EOD)
			return pnstrdup(names, width - 1);
		names += width;
		names += strspn(names, " ");
	}
	return NULL;
}
