/*
 * window.c
 *	  Stages that calculate of neighbouring documents, by window functions.
 *
 * See src/mongo/db/pipeline/document_source_set_window_fields.cpp,
 * document_source_fill.cpp and window_function/ of MongoDB.
 *
 * What the windows give are columns of a level, which the next SELECT puts into
 * the documents as $addFields does.
 */
#include "pipeline/window.h"

#include "core/bytes/recode.h"
#include "core/number/number.h"
#include "miscadmin.h"
#include "mongo/project/project.h"
#include "mongo/sort/sort_key.h"
#include "pipeline/accumulator.h"
#include "pipeline/operand.h"
#include "pipeline/sql_text.h"
#include "pipeline/stage.h"

/* The stage under way */
typedef struct Windows
{
	PgBsonSelect *select;
	const char *name;			/* of the stage */
	PgBsonValue partition;
	PgBsonValue sort;
	PgBsonValue output;
	int			nsort;			/* paths of the sort */
	const char *over;			/* "PARTITION BY ... ORDER BY ..." */
} Windows;

/* A function of an output field */
typedef struct WindowFunction
{
	const char *name;
	const char *(*sql) (const Windows *windows, const PgBsonIter *function);
	bool		sorted;			/* it needs a sort */
} WindowFunction;

static const char *
number_sql(const Windows *windows, const PgBsonIter *function)
{
	const char *of = PgBsonIterIs(function, "$rank") ? "rank" :
		PgBsonIterIs(function, "$denseRank") ? "dense_rank" : "row_number";

	if (function->value.type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(&function->value)) > 0)
		PgBsonStageWrong(windows->name, gettext_noop("$rank, $denseRank and $documentNumber take an empty document."));
	if (windows->nsort != 1)
		PgBsonStageWrong(windows->name, gettext_noop("$rank, $denseRank and $documentNumber need a \"sortBy\" of one path."));
	return PgBsonSql(windows->select->all, "pg_catalog.%s() OVER (%s)::pg_catalog.text::#bson", of, windows->over);
}

/* {output, by, default}: of the document so many places before or behind */
static const char *
shift_sql(const Windows *windows, const PgBsonIter *function)
{
	const PgBsonTranslation *all = windows->select->all;
	PgBsonValue output = PgBsonExprMissing();
	PgBsonValue by = PgBsonExprMissing();
	PgBsonValue otherwise = PgBsonExprNull();
	PgBsonIter	iter;
	int32		places;
	const char *of;

	if (function->value.type != PGBSON_DOCUMENT)
		PgBsonStageWrong(windows->name, gettext_noop("$shift takes a document."));
	PgBsonIterInit(&iter, PgBsonValueView(&function->value));
	while (PgBsonIterNext(&iter))
	{
		if (PgBsonIterIs(&iter, "output"))
			output = iter.value;
		else if (PgBsonIterIs(&iter, "by"))
			by = iter.value;
		else if (!PgBsonIterIs(&iter, "default"))
			PgBsonStageUnknown("$shift", &iter);
		else if (!PgBsonOperandConstant(&iter.value, &otherwise) || otherwise.type == PGBSON_MISSING)
			PgBsonStageWrong(windows->name, gettext_noop("The default of $shift must be a constant."));
	}
	if (output.type == PGBSON_MISSING || !PgBsonIsNumber(by.type) || !PgBsonNumberToInt32(&by, &places) ||
		places == PG_INT32_MIN)
		PgBsonStageWrong(windows->name, gettext_noop("$shift needs \"output\", and \"by\", an integer."));
	of = places < 0 ? "lag" : "lead";
	places = abs(places);
	/* a missing value there is missing; the default is for places outside */
	return PgBsonSql(all, "COALESCE(pg_catalog.%s(%s, %d) OVER (%s), CASE WHEN pg_catalog.%s(true, %d) OVER (%s) IS NULL THEN %s END)",
					 of, PgBsonOperandSql(windows->select, &output), places, windows->over, of, places, windows->over,
					 PgBsonSqlConstant(all->schema, &otherwise));
}

/* The last value that is not null, up to here */
static const char *
locf_sql(const Windows *windows, const PgBsonIter *function)
{
	const PgBsonTranslation *all = windows->select->all;
	const char *value = PgBsonOperandSql(windows->select, &function->value);

	return PgBsonSql(all, "COALESCE(#bson_last(%s) FILTER (WHERE #bson_typeof(%s) OPERATOR(pg_catalog.<>) ALL ('{\"null\",undefined}'::pg_catalog.text[])) OVER (%s ROWS UNBOUNDED PRECEDING), 'null'::#bson)",
					 value, value, windows->over);
}

static const WindowFunction functions[] = {
	{"$rank", number_sql, true},
	{"$denseRank", number_sql, true},
	{"$documentNumber", number_sql, true},
	{"$shift", shift_sql, true},
	{"$locf", locf_sql, true},
};

/* A bound of a window in SQL; *place is where it is, for comparison */
static const char *
bound_sql(const Windows *windows, const PgBsonValue *bound, bool lower, bool numbers, double *place)
{
	uint32		len;
	const char *s;
	PgBsonValue value;
	int32		n;

	if (bound->type == PGBSON_STRING)
	{
		s = PgBsonValueString(bound, &len);
		*place = 0;
		if (PgBsonKeyIs(s, len, "current"))
			return "CURRENT ROW";
		if (!PgBsonKeyIs(s, len, "unbounded"))
			PgBsonStageWrong(windows->name, gettext_noop("A bound of a window must be \"unbounded\", \"current\" or a number."));
		*place = lower ? -1e300 : 1e300;
		return lower ? "UNBOUNDED PRECEDING" : "UNBOUNDED FOLLOWING";
	}
	if (!PgBsonOperandConstant(bound, &value) || !PgBsonIsNumber(value.type))
		PgBsonStageWrong(windows->name, gettext_noop("A bound of a window must be \"unbounded\", \"current\" or a number."));
	if (!numbers)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("windows with ranges of numbers are not supported in a bson pipeline"),
				 errhint("Write a window function in SQL, with an order by a number or a timestamp: OVER (ORDER BY (data -> 'n')::numeric RANGE BETWEEN 10 PRECEDING AND CURRENT ROW).")));
	if (!PgBsonNumberToInt32(&value, &n) || n == PG_INT32_MIN)
		PgBsonStageWrong(windows->name, gettext_noop("A bound of a window of documents must be an integer."));
	*place = n;
	if (n == 0)
		return "CURRENT ROW";
	return psprintf("%d %s", abs(n), n < 0 ? "PRECEDING" : "FOLLOWING");
}

/* The frame of {documents: [lower, upper]} or {range: [lower, upper]}; missing: the whole partition */
static const char *
frame_sql(const Windows *windows, const PgBsonValue *window)
{
	PgBsonIter	iter;
	PgBsonValue *bounds;
	int			count;
	const char *kind;
	const char *lower;
	const char *upper;
	double		from;
	double		to;

	if (window->type == PGBSON_MISSING)
		return "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";
	if (window->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(windows->name, gettext_noop("\"window\" must be a document."));
	PgBsonIterInit(&iter, PgBsonValueView(window));
	if (!PgBsonIterNext(&iter))
		return "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";
	kind = PgBsonIterIs(&iter, "documents") ? "ROWS" : PgBsonIterIs(&iter, "range") ? "RANGE" : NULL;
	if (kind == NULL || iter.value.type != PGBSON_ARRAY || PgBsonViewCount(PgBsonValueView(&iter.value)) != 2)
		PgBsonStageWrong(windows->name, gettext_noop("\"window\" must have \"documents\" or \"range\", an array of two bounds."));
	bounds = PgBsonExprElements(&iter.value, &count);
	lower = bound_sql(windows, &bounds[0], true, *kind == 'R' && kind[1] == 'O', &from);
	upper = bound_sql(windows, &bounds[1], false, *kind == 'R' && kind[1] == 'O', &to);
	if (PgBsonIterNext(&iter))
		PgBsonStageWrong(windows->name, gettext_noop("\"window\" must have one field, or \"range\" and \"unit\" with numbers."));
	if (from > to)
		PgBsonStageWrong(windows->name, gettext_noop("The lower bound of a window must not be behind the upper one."));
	if (windows->nsort == 0 && (from > -1e300 || to < 1e300))
		PgBsonStageWrong(windows->name, gettext_noop("A window with bounds needs \"sortBy\"."));
	if (kind[1] == 'A' && windows->nsort != 1)
		PgBsonStageWrong(windows->name, gettext_noop("A window of a range needs a \"sortBy\" of one path."));
	return psprintf("%s BETWEEN %s AND %s", kind, lower, upper);
}

/* The first or last document of the window: a missing value there is missing, but null where there is none */
static const char *
end_sql(const Windows *windows, const PgBsonIter *function, const char *over)
{
	return PgBsonSql(windows->select->all, "COALESCE(pg_catalog.%s(%s)%s, CASE WHEN pg_catalog.count(*)%s OPERATOR(pg_catalog.=) 0 THEN 'null'::#bson END)",
					 PgBsonIterIs(function, "$first") ? "first_value" : "last_value",
					 PgBsonOperandSql(windows->select, &function->value), over, over);
}

/* {function: operand, window: ...} in SQL */
static const char *
function_sql(const Windows *windows, const PgBsonValue *field)
{
	static const char *const refused[] = {"$derivative", "$integral", "$expMovingAvg", "$linearFill", "$covariancePop", "$covarianceSamp", "$minMaxScaler"};
	PgBsonIter	iter;
	PgBsonIter	function = {0};
	PgBsonValue window = PgBsonExprMissing();
	const char *over;

	if (field->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(windows->name, gettext_noop("A field of \"output\" must be a document with a function."));
	PgBsonIterInit(&iter, PgBsonValueView(field));
	while (PgBsonIterNext(&iter))
	{
		if (PgBsonIterIs(&iter, "window"))
			window = iter.value;
		else if (function.key != NULL || iter.key_len == 0 || iter.key[0] != '$')
			PgBsonStageWrong(windows->name, gettext_noop("A field of \"output\" must have one function, and may have \"window\"."));
		else
			function = iter;
	}
	if (function.key == NULL)
		PgBsonStageWrong(windows->name, gettext_noop("A field of \"output\" must have one function, and may have \"window\"."));
	for (int i = 0; i < lengthof(refused); i++)
	{
		if (PgBsonIterIs(&function, refused[i]))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("window function \"%s\" of a bson pipeline is not supported", refused[i]),
					 errhint("Write it in SQL, with lag() and lead(), or with an aggregate of your own.")));
	}
	for (int i = 0; i < lengthof(functions); i++)
	{
		if (!PgBsonIterIs(&function, functions[i].name))
			continue;
		if (window.type != PGBSON_MISSING)
			PgBsonStageWrong(windows->name, gettext_noop("$rank, $denseRank, $documentNumber, $shift and $locf have no \"window\"."));
		if (functions[i].sorted && windows->nsort == 0)
			PgBsonStageWrong(windows->name, gettext_noop("$rank, $denseRank, $documentNumber, $shift and $locf need \"sortBy\"."));
		return functions[i].sql(windows, &function);
	}
	over = psprintf(" OVER (%s %s)", windows->over, frame_sql(windows, &window));
	if (PgBsonIterIs(&function, "$first") || PgBsonIterIs(&function, "$last"))
		return end_sql(windows, &function, over);
	return PgBsonSql(windows->select->all, "COALESCE(%s, 'null'::#bson)",
					 PgBsonAccumulatorSql(windows->select, &function, PgBsonSql(windows->select->all, "'null'::#bson"), over));
}

static void
parse_windows(Windows *windows, const PgBsonValue *operand)
{
	PgBsonIter	iter;

	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(windows->name, gettext_noop("A document is expected."));
	windows->partition = windows->sort = windows->output = PgBsonExprMissing();
	windows->nsort = 0;
	PgBsonIterInit(&iter, PgBsonValueView(operand));
	while (PgBsonIterNext(&iter))
	{
		if (PgBsonIterIs(&iter, "partitionBy"))
			windows->partition = iter.value;
		else if (PgBsonIterIs(&iter, "sortBy"))
			windows->sort = iter.value;
		else if (PgBsonIterIs(&iter, "output"))
			windows->output = iter.value;
		else
			PgBsonStageUnknown(windows->name, &iter);
	}
	if (windows->output.type != PGBSON_DOCUMENT)
		PgBsonStageWrong(windows->name, gettext_noop("It needs \"output\", a document."));
	if (PgBsonHasDuplicateKeys(PgBsonValueView(&windows->output)))
		PgBsonStageWrong(windows->name, gettext_noop("A field of \"output\" is there twice."));
	if (windows->sort.type != PGBSON_MISSING)
		windows->nsort = PgBsonSortParse(&windows->sort)->npaths;
}

/* "PARTITION BY ... ORDER BY ...": a missing value and null are one partition */
static const char *
over_sql(const Windows *windows)
{
	PgBsonSelect *select = windows->select;
	const PgBsonTranslation *all = select->all;
	const char *partition = "";
	const char *order = "";

	if (windows->partition.type != PGBSON_MISSING)
		partition = PgBsonSql(all, "PARTITION BY COALESCE(%s, 'null'::#bson)", PgBsonOperandSql(select, &windows->partition));
	if (windows->nsort > 0)
		order = PgBsonSql(all, "%sORDER BY #bson_sort_key(%s, %s)", *partition == '\0' ? "" : " ", PgBsonSelectDocument(select),
						  PgBsonSqlConstant(all->schema, &windows->sort));
	return psprintf("%s%s", partition, order);
}

/* Can a function give what is missing, as an expression of a document does? */
static bool
can_be_missing(const PgBsonValue *field)
{
	PgBsonIter	iter;

	PgBsonIterInit(&iter, PgBsonValueView(field));
	while (PgBsonIterNext(&iter))
	{
		if (PgBsonIterIs(&iter, "$first") || PgBsonIterIs(&iter, "$last") || PgBsonIterIs(&iter, "$shift"))
			return true;
	}
	return false;
}

/* Put the columns of the level into the document, as $addFields does with variables of their names */
static void
put_columns(PgBsonSelect *select, const PgBsonValue *output, const char *level)
{
	const PgBsonTranslation *all = select->all;
	List	   *names = NIL;
	List	   *values = NIL;
	StringInfoData missing;
	PgBsonExprMaker maker;
	PgBsonValue stage;
	PgBsonValue stages;
	PgBsonIter	iter;
	int			n = 0;

	PgBsonIterInit(&iter, PgBsonValueView(output));
	if (PgBsonViewCount(PgBsonValueView(output)) == 1 && PgBsonIterNext(&iter) && !can_be_missing(&iter.value) &&
		memchr(iter.key, '.', iter.key_len) == NULL)
	{
		PgBsonSelectPart(select, PgBsonSelectDocument(select), iter.key, iter.key_len, psprintf("%s.w1", level));
		return;
	}
	initStringInfo(&missing);
	PgBsonExprOpen(&maker, output->len);
	PgBsonIterInit(&iter, PgBsonValueView(output));
	while (PgBsonIterNext(&iter))
	{
		char	   *variable = psprintf("$$w%d", ++n);
		PgBsonValue path = PgBsonExprText(variable, strlen(variable));

		CHECK_FOR_INTERRUPTS();
		PgBsonExprField(&maker, iter.key, iter.key_len, &path);
		names = lappend(names, psprintf("'w%d'", n));
		values = lappend(values, psprintf("%s.w%d", level, n));
		if (can_be_missing(&iter.value))
			appendStringInfo(&missing, "%sCASE WHEN %s.w%d IS NULL THEN 'w%d' END", missing.len == 0 ? "" : ", ", level, n, n);
	}
	if (missing.len > 0)
	{
		names = lappend(names, "'" PGBSON_NO_VALUE "'");
		values = lappend(values, PgBsonSql(all, "#array_to_bson(pg_catalog.array_remove(ARRAY[%s], NULL))", missing.data));
	}
	stage = PgBsonExprClose(&maker, PGBSON_DOCUMENT);
	stage = PgBsonStagePair("$addFields", &stage);
	PgBsonExprOpen(&maker, 0);
	PgBsonExprPush(&maker, &stage);
	stages = PgBsonExprClose(&maker, PGBSON_ARRAY);
	PgBsonSelectCompute(select, PgBsonSql(all, "#bson_transform(%s, %s, %s)", PgBsonSelectDocument(select),
										  PgBsonSqlConstant(all->schema, &stages), PgBsonSqlDocument(all, names, values)));
}

/* The names of "output" must be such that $addFields can put them */
static void
check_names(const Windows *windows)
{
	PgBsonExprMaker maker;
	PgBsonValue one = PgBsonExprInt32(1);
	PgBsonValue fields;
	PgBsonIter	iter;

	PgBsonExprOpen(&maker, 0);
	PgBsonIterInit(&iter, PgBsonValueView(&windows->output));
	while (PgBsonIterNext(&iter))
		PgBsonExprField(&maker, iter.key, iter.key_len, &one);
	fields = PgBsonExprClose(&maker, PGBSON_DOCUMENT);
	(void) PgBsonProjectionParseAdd(&fields, false);
}

void
PgBsonWindowAdd(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	Windows		windows = {select, name};
	StringInfoData columns;
	PgBsonIter	iter;
	const char *level;
	int			n = 0;

	parse_windows(&windows, operand);
	if (PgBsonViewCount(PgBsonValueView(&windows.output)) == 0)
		return;
	check_names(&windows);
	PgBsonSelectPlain(select);
	windows.over = over_sql(&windows);
	initStringInfo(&columns);
	PgBsonIterInit(&iter, PgBsonValueView(&windows.output));
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		appendStringInfo(&columns, "%s%s AS w%d", n == 0 ? "" : ",\n    ", function_sql(&windows, &iter.value), n + 1);
		n++;
	}
	level = PgBsonSelectLevel(select, columns.data);
	put_columns(select, &windows.output, level);
}

/* $fill */

/* {output: {field: {value: ...}}} as $addFields, {method: "locf"} as $setWindowFields */
static void
split_fill(const char *name, const PgBsonValue *output, PgBsonExprMaker *values, PgBsonExprMaker *methods)
{
	PgBsonIter	iter;
	PgBsonIter	how;

	PgBsonIterInit(&iter, PgBsonValueView(output));
	while (PgBsonIterNext(&iter))
	{
		PgBsonValue field = PgBsonExprText(psprintf("$%s", iter.key), iter.key_len + 1);

		if (iter.value.type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(&iter.value)) != 1)
			PgBsonStageWrong(name, gettext_noop("A field of \"output\" must have \"value\" or \"method\"."));
		PgBsonIterInit(&how, PgBsonValueView(&iter.value));
		(void) PgBsonIterNext(&how);
		if (PgBsonIterIs(&how, "value"))
		{
			PgBsonExprMaker pair;
			PgBsonValue filled;

			PgBsonExprOpen(&pair, how.value.len);
			PgBsonExprPush(&pair, &field);
			PgBsonExprPush(&pair, &how.value);
			filled = PgBsonExprClose(&pair, PGBSON_ARRAY);
			filled = PgBsonStagePair("$ifNull", &filled);
			PgBsonExprField(values, iter.key, iter.key_len, &filled);
		}
		else
		{
			uint32		len;
			const char *method = NULL;
			PgBsonValue function;

			if (PgBsonIterIs(&how, "method") && how.value.type == PGBSON_STRING)
				method = PgBsonValueString(&how.value, &len);
			if (method == NULL || !(PgBsonKeyIs(method, len, "locf") || PgBsonKeyIs(method, len, "linear")))
				PgBsonStageWrong(name, gettext_noop("A field of \"output\" must have \"value\", or \"method\" with \"locf\" or \"linear\"."));
			function = PgBsonStagePair(PgBsonKeyIs(method, len, "locf") ? "$locf" : "$linearFill", &field);
			PgBsonExprField(methods, iter.key, iter.key_len, &function);
		}
	}
}

/* ["a", "b"] as the expression {a: "$a", b: "$b"} */
static PgBsonValue
partition_of(const char *name, const PgBsonValue *fields)
{
	PgBsonExprMaker maker;
	PgBsonIter	iter;

	if (fields->type != PGBSON_ARRAY)
		PgBsonStageWrong(name, gettext_noop("\"partitionByFields\" must be an array of names."));
	PgBsonExprOpen(&maker, 0);
	PgBsonIterInit(&iter, PgBsonValueView(fields));
	while (PgBsonIterNext(&iter))
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
		path = PgBsonExprText(psprintf("$%s", pnstrdup(s, len)), len + 1);
		/* names of their own, as a name with dots is none of a document */
		snprintf(key, sizeof(key), "p%u", maker.count);
		PgBsonExprField(&maker, key, strlen(key), &path);
	}
	return PgBsonExprClose(&maker, PGBSON_DOCUMENT);
}

void
PgBsonWindowAddFill(PgBsonSelect *select, const char *name, const PgBsonValue *operand)
{
	PgBsonExprMaker values;
	PgBsonExprMaker methods;
	PgBsonExprMaker windows;
	PgBsonValue output = PgBsonExprMissing();
	PgBsonValue partition = PgBsonExprMissing();
	PgBsonValue sort = PgBsonExprMissing();
	PgBsonValue stage;
	PgBsonIter	iter;

	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(name, gettext_noop("A document is expected."));
	PgBsonIterInit(&iter, PgBsonValueView(operand));
	while (PgBsonIterNext(&iter))
	{
		if (PgBsonIterIs(&iter, "output"))
			output = iter.value;
		else if (PgBsonIterIs(&iter, "sortBy"))
			sort = iter.value;
		else if (!PgBsonIterIs(&iter, "partitionBy") && !PgBsonIterIs(&iter, "partitionByFields"))
			PgBsonStageUnknown(name, &iter);
		else if (partition.type != PGBSON_MISSING)
			PgBsonStageWrong(name, gettext_noop("There may be one of \"partitionBy\" and \"partitionByFields\"."));
		else
			partition = PgBsonIterIs(&iter, "partitionBy") ? iter.value : partition_of(name, &iter.value);
	}
	if (output.type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(&output)) == 0)
		PgBsonStageWrong(name, gettext_noop("It needs \"output\", a document with a field at least."));
	PgBsonExprOpen(&values, 0);
	PgBsonExprOpen(&methods, 0);
	split_fill(name, &output, &values, &methods);
	if (methods.count > 0)
	{
		PgBsonExprOpen(&windows, 0);
		PgBsonExprField(&windows, "partitionBy", strlen("partitionBy"), &partition);
		PgBsonExprField(&windows, "sortBy", strlen("sortBy"), &sort);
		stage = PgBsonExprClose(&methods, PGBSON_DOCUMENT);
		PgBsonExprField(&windows, "output", strlen("output"), &stage);
		stage = PgBsonExprClose(&windows, PGBSON_DOCUMENT);
		PgBsonWindowAdd(select, name, &stage);
	}
	if (values.count > 0)
	{
		stage = PgBsonExprClose(&values, PGBSON_DOCUMENT);
		PgBsonStageTransform(select, "$addFields", &stage);
	}
}
