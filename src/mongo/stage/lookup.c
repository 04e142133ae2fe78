/*
 * lookup.c
 *	  Queries and variables for $lookup and $graphLookup.
 *
 * See DocumentSourceLookUp::makeMatchStageFromInput in
 * src/mongo/db/pipeline/document_source_lookup.cpp of MongoDB.
 */
#include "mongo/stage/nested.h"

PgBsonValue *
PgBsonLookupValues(const PgBsonValue *doc, const PgBsonNames *local, int *count)
{
	PgBsonValue *values = NULL;

	*count = 0;
	PgBsonNestedCollect(doc, local, &values, count);
	if (*count > 0)
		return values;
	*count = 1;
	values = palloc_object(PgBsonValue);
	*values = PgBsonNull;
	return values;
}

/* The query {foreign: condition} */
static PgBsonValue
field_query(const char *foreign, uint32 len, const PgBsonValue *condition)
{
	PgBsonCheckDepth(condition, 1);
	return PgBsonMakePair(foreign, len, condition);
}

/* The query {foreign: {"$eq": value}} */
static PgBsonValue
equality_query(const char *foreign, uint32 len, const PgBsonValue *value)
{
	PgBsonValue condition = PgBsonMakeDocument("$eq", value, NULL);

	return field_query(foreign, len, &condition);
}

PgBsonValue
PgBsonLookupQuery(const PgBsonValue *values, int count, const char *foreign, uint32 len)
{
	PgBsonWriter maker;
	PgBsonValue list;
	bool		has_regex = false;

	if (count == 1)
		return equality_query(foreign, len, &values[0]);
	for (int i = 0; i < count; i++)
		has_regex |= values[i].type == PGBSON_REGEX;
	PgBsonWriterBegin(&maker, 0);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		/* a regular expression in $in would match strings, not equal values */
		if (has_regex)
		{
			PgBsonValue one = equality_query(foreign, len, &values[i]);

			PgBsonWriterPush(&maker, &one);
		}
		else
			PgBsonWriterPush(&maker, &values[i]);
	}
	list = PgBsonWriterEnd(&maker, PGBSON_ARRAY);
	if (has_regex)
		return PgBsonMakeDocument("$or", &list, NULL);
	list = PgBsonMakeDocument("$in", &list, NULL);
	return field_query(foreign, len, &list);
}

PgBsonValue
PgBsonLookupEquality(const PgBsonValue *value, const char *field, uint32 len)
{
	if (value->type != PGBSON_UNDEFINED && value->type != PGBSON_EOD)
		return equality_query(field, len, value);
	return PgBsonMakeDocument(NULL);
}

void
PgBsonGraphAddValues(PgBsonWriter *all, const PgBsonValue *doc, const PgBsonNames *from)
{
	PgBsonValue *values = NULL;
	int			count = 0;

	PgBsonNestedCollect(doc, from, &values, &count);
	for (int i = 0; i < count; i++)
		PgBsonWriterPush(all, &values[i]);
}

/* In $graphLookup null finds null, but not a missing field */
PgBsonValue
PgBsonGraphQuery(PgBsonWriter *all, const char *to, uint32 len)
{
	PgBsonValue exists = PgBsonMakeBool(true);
	PgBsonValue values = PgBsonWriterEnd(all, PGBSON_ARRAY);

	values = PgBsonMakeDocument("$in", &values, "$exists", &exists, NULL);
	return field_query(to, len, &values);
}

PgBsonLet *
PgBsonLetParse(const PgBsonValue *let)
{
	PgBsonLet  *result = palloc0_object(PgBsonLet);

	if (let->type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("variables of a bson pipeline must be a document"),
							errdetail("They are of type %s.", PgBsonTypeName(let->type)));
	result->doc = *let;
	result->expressions = palloc_array(PgBsonExpression *, PgBsonViewCount(PgBsonValueView(let)) + 1);
	PgBsonForEach(iter, PgBsonValueView(let))
	{
		const char *problem = PgBsonVariableNameProblem(iter.key, iter.key_len);

		if (problem != NULL)
			PgBsonReportInvalid(errmsg("invalid variable name in a bson pipeline: \"%s\"", iter.key),
								errdetail_internal("%s", _(problem)));
		result->expressions[result->count++] = PgBsonExpressionParse(&iter.value, NULL);
	}
	return result;
}

/* Append the names of the caller's variables without a value, except those that "let" defines anew */
static void
append_missing_names(PgBsonWriter *missing, const PgBsonLet *let, const PgBsonValue *names)
{
	PgBsonValue hidden;

	if (names->type != PGBSON_ARRAY)
		return;
	PgBsonForEach(iter, PgBsonValueView(names))
	{
		if (iter.value.type != PGBSON_STRING)
			continue;
		if (!PgBsonFindKey(PgBsonValueView(&let->doc), PgBsonStringBytes(&iter.value), PgBsonStringLength(&iter.value),
						   &hidden))
			PgBsonWriterPush(missing, &iter.value);
	}
}

/* Append the caller's variables, except those that "let" defines anew */
static void
append_known(PgBsonWriter *maker, PgBsonWriter *missing, const PgBsonLet *let, const PgBsonValue *known)
{
	PgBsonValue hidden;

	PgBsonForEach(iter, PgBsonValueView(known))
	{
		if (PgBsonIterIs(&iter, PGBSON_NO_VALUE))
			append_missing_names(missing, let, &iter.value);
		else if (!PgBsonFindKey(PgBsonValueView(&let->doc), iter.key, iter.key_len, &hidden))
			PgBsonWriterField(maker, iter.key, iter.key_len, &iter.value);
	}
}

PgBsonValue
PgBsonLetEvaluate(const PgBsonLet *let, const PgBsonValue *doc, const PgBsonValue *known)
{
	PgBsonWriter maker;
	PgBsonWriter missing;
	PgBsonValue missing_names;
	int			i = 0;

	PgBsonWriterBegin(&maker, 0);
	PgBsonWriterBegin(&missing, 0);
	PgBsonForEach(iter, PgBsonValueView(&let->doc))
	{
		PgBsonValue value = PgBsonExpressionEvaluate(let->expressions[i++], doc, known, NULL);
		PgBsonValue name;

		if (value.type != PGBSON_MISSING)
			PgBsonWriterField(&maker, iter.key, iter.key_len, &value);
		else
		{
			name = PgBsonMakeString(iter.key, iter.key_len);
			PgBsonWriterPush(&missing, &name);
		}
	}
	if (known != NULL)
		append_known(&maker, &missing, let, known);
	if (missing.count > 0)
	{
		missing_names = PgBsonWriterEnd(&missing, PGBSON_ARRAY);
		PgBsonWriterField(&maker, PGBSON_NO_VALUE, strlen(PGBSON_NO_VALUE), &missing_names);
	}
	return PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
}
