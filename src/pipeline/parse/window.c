/*
 * window.c
 *	  Stages that calculate values from neighbouring documents.
 *
 * See src/mongo/db/pipeline/document_source_set_window_fields.cpp and document_source_fill.cpp of MongoDB.
 */
#include "pipeline/parse/stage.h"

#include "mongo/project/project.h"
#include "mongo/sort/sort_key.h"

/* Check that $addFields can set the names of "output" */
static void
check_names(const PgBsonValue *output)
{
	PgBsonWriter maker;
	PgBsonValue fields;

	PgBsonWriterBegin(&maker, 0);
	PgBsonForEach(iter, PgBsonValueView(output))
		PgBsonWriterField(&maker, iter.key, iter.key_len, &PgBsonOne);
	fields = PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
	(void) PgBsonProjectionParseAdd(&fields, NULL);
}

void
PgBsonParseWindow(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonValue partition;
	PgBsonValue sort;
	PgBsonValue output;
	PgBsonWindow *window;

	PgBsonStageOptions(name, operand, "partitionBy sortBy? output:d!", &partition, &sort, &output);
	if (PgBsonHasDuplicateKeys(PgBsonValueView(&output)))
		PgBsonStageWrong(name, gettext_noop("A field of \"output\" occurs twice."));
	if (PgBsonIsEmpty(&output))
		return;
	window = PgBsonParseStep(parse, chain, PGBSON_NODE_WINDOW, sizeof(PgBsonWindow), name, operand);
	window->partition = partition;
	window->sort = sort;
	window->output = output;
	/* an empty sort means that the documents are in order already */
	if (sort.type != PGBSON_MISSING && !(sort.type == PGBSON_DOCUMENT && PgBsonIsEmpty(&sort)))
		window->order = PgBsonSortParse(&sort);
	check_names(&output);
	for (uint32 i = PgBsonViewCount(PgBsonValueView(&output)); i > 0; i--)
		PgBsonParseCountAccumulator(parse);
}

/* $fill */

/* Divide "output" of $fill: {value: ...} goes to $addFields, {method: "locf"} to $setWindowFields */
static void
split_fill(const char *name, const PgBsonValue *output, PgBsonWriter *values, PgBsonWriter *methods)
{
	PgBsonIter	how;

	PgBsonForEach(iter, PgBsonValueView(output))
	{
		PgBsonValue field = PgBsonOperandField(iter.key, iter.key_len);

		if (!PgBsonOnlyField(&iter.value, &how))
			PgBsonStageWrong(name, gettext_noop("A field of \"output\" must have \"value\" or \"method\"."));
		if (PgBsonIterIs(&how, "value"))
		{
			PgBsonValue filled = PgBsonMakeArray((PgBsonValue[]) {field, how.value}, 2);

			filled = PgBsonMakeDocument("$ifNull", &filled, NULL);
			PgBsonWriterField(values, iter.key, iter.key_len, &filled);
		}
		else
		{
			bool		locf = PgBsonOptionIs(&how.value, "locf");
			PgBsonValue function;

			if (!PgBsonIterIs(&how, "method") || !(locf || PgBsonOptionIs(&how.value, "linear")))
				PgBsonStageWrong(name, gettext_noop("A field of \"output\" must have \"value\", or \"method\" with \"locf\" or \"linear\"."));
			function = PgBsonMakeDocument(locf ? "$locf" : "$linearFill", &field, NULL);
			PgBsonWriterField(methods, iter.key, iter.key_len, &function);
		}
	}
}

/* ["a", "b"] as the expression {p0: "$a", p1: "$b"} */
static PgBsonValue
partition_of(const char *name, const PgBsonValue *fields)
{
	PgBsonWriter maker;

	PgBsonWriterBegin(&maker, 0);
	PgBsonForEach(iter, PgBsonValueView(fields))
	{
		uint32		len;
		const char *s;
		PgBsonValue path;
		char		key[16];

		if (iter.value.type != PGBSON_STRING)
			PgBsonStageWrong(name, gettext_noop("\"partitionByFields\" must be an array of names."));
		s = PgBsonValueString(&iter.value, &len);
		if (len == 0 || s[0] == '$' || memchr(s, '\0', len) != NULL)
			PgBsonStageWrong(name, gettext_noop("A name of \"partitionByFields\" must not be empty, nor begin with a dollar sign."));
		path = PgBsonOperandField(s, len);
		/* p0, p1 and so on, as a path with dots cannot be the name of a field */
		snprintf(key, sizeof(key), "p%u", maker.count);
		PgBsonWriterField(&maker, key, strlen(key), &path);
	}
	return PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
}

void
PgBsonParseFill(PgBsonParse *parse, PgBsonChain *chain, const char *name, const PgBsonValue *operand)
{
	PgBsonWriter values;
	PgBsonWriter methods;
	PgBsonValue output;
	PgBsonValue partition;
	PgBsonValue fields;
	PgBsonValue sort;
	PgBsonValue stage;

	PgBsonStageOptions(name, operand, "output:d! sortBy partitionBy partitionByFields:a", &output, &sort, &partition, &fields);
	if (partition.type != PGBSON_MISSING && fields.type != PGBSON_MISSING)
		PgBsonStageWrong(name, gettext_noop("There may be one of \"partitionBy\" and \"partitionByFields\"."));
	if (fields.type != PGBSON_MISSING)
		partition = partition_of(name, &fields);
	if (PgBsonIsEmpty(&output))
		PgBsonStageWrong(name, gettext_noop("It needs \"output\", a document with a field at least."));
	PgBsonWriterBegin(&values, 0);
	PgBsonWriterBegin(&methods, 0);
	split_fill(name, &output, &values, &methods);
	if (methods.count > 0)
	{
		stage = PgBsonWriterEnd(&methods, PGBSON_DOCUMENT);
		stage = PgBsonMakeDocument("partitionBy", &partition, "sortBy", &sort, "output", &stage, NULL);
		PgBsonParseWindow(parse, chain, name, &stage);
	}
	if (values.count > 0)
	{
		stage = PgBsonWriterEnd(&values, PGBSON_DOCUMENT);
		PgBsonParseCompute(parse, chain, "$addFields", &stage);
	}
}
