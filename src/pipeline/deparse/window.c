/*
 * window.c
 *	  Steps that calculate values from neighbouring documents, by window functions.
 *
 * See src/mongo/db/pipeline/window_function/ of MongoDB.  The values of the window functions become columns of a level,
 * and the next SELECT puts them into the documents, as $addFields does.
 */
#include "pipeline/deparse/step.h"

#include "core/number/decimal.h"
#include "mongo/common/options.h"

/* The step that is being written */
typedef struct Windows
{
	PgBsonSelect *select;
	const PgBsonWindow *window;
	const char *name;			/* of the stage */
	const char *partition_sql;	/* "PARTITION BY ... ", or empty */
	const char *over;			/* the same and "ORDER BY ..." */
	const char *key;			/* the column of the sort's key; NULL: there is none */
} Windows;

/* The number of paths in the sort */
static int
window_paths(const Windows *windows)
{
	return windows->window->order == NULL ? 0 : windows->window->order->npaths;
}

/* The value at the only path of the sort, in SQL; where it is missing, BSON null if "or_null", else NULL */
static const char *
window_place(const Windows *windows, bool or_null)
{
	PgBsonIter	iter;
	PgBsonValue path;

	(void) PgBsonFirst(&windows->window->sort, &iter);
	path = PgBsonOperandField(iter.key, iter.key_len);
	return (or_null ? PgBsonOperandOrNull : PgBsonOperandSql) (windows->select, &path);
}

/* A bound of a window */
typedef struct Bound
{
	enum
	{
		UNBOUNDED, CURRENT, OFFSET
	}			kind;
	PgBsonValue offset;			/* 0 for the current document */
} Bound;

static Bound
parse_bound(const Windows *windows, const PgBsonValue *operand)
{
	Bound		bound = {OFFSET, PgBsonMakeInt32(0)};

	if (PgBsonOptionIs(operand, "current"))
		bound.kind = CURRENT;
	else if (PgBsonOptionIs(operand, "unbounded"))
		bound.kind = UNBOUNDED;
	if (bound.kind != OFFSET || (PgBsonOperandConstant(operand, &bound.offset) && PgBsonIsNumber(bound.offset.type)))
		return bound;
	PgBsonStageWrong(windows->name, gettext_noop("A bound of a window must be \"unbounded\", \"current\" or a number."));
}

/* This number of units of time as an interval; intervals have no quarters, so these become months */
static const char *
interval_sql(const PgBsonUnit *unit, int32 count)
{
	int64		months = (int64) abs(count) * unit->months;

	return unit->months > 0 ? psprintf("'" INT64_FORMAT " months'::pg_catalog.interval", months) :
		psprintf("'%d %ss'::pg_catalog.interval", abs(count), unit->name);
}

/* A bound in SQL, of a window of documents or, with "range", of values, which may have a unit of time */
static const char *
bound_sql(const Windows *windows, const Bound *bound, bool lower, bool range, const PgBsonUnit *unit)
{
	const PgBsonTranslation *all = windows->select->all;
	PgBsonValue distance = bound->offset;
	int32		n = 0;
	int			sign;
	const char *text;

	if (bound->kind == UNBOUNDED)
		return lower ? "UNBOUNDED PRECEDING" : "UNBOUNDED FOLLOWING";
	sign = PgBsonNumberCompare(&bound->offset, &PgBsonZero);
	if (bound->kind == CURRENT || (sign == 0 && !range))
		return "CURRENT ROW";
	if ((!range || unit != NULL) && (!PgBsonNumberToInt32(&bound->offset, &n) || n == PG_INT32_MIN))
		PgBsonStageWrong(windows->name, gettext_noop("A bound of a window of documents, or with a unit, must be an integer."));
	if (sign < 0)
		distance = PgBsonExprSubtract(&PgBsonZero, &distance);
	text = !range ? psprintf("%d", abs(n)) : unit != NULL ? interval_sql(unit, n) : PgBsonSqlConstant(all, &distance);
	return psprintf("%s %s", text, sign < 0 || (sign == 0 && lower) ? "PRECEDING" : "FOLLOWING");
}

/* Read the fields of "window", and refuse fields that exclude each other */
static void
parse_window(const Windows *windows, const PgBsonValue *window, PgBsonValue *documents, PgBsonValue *range,
			 const PgBsonUnit **unit)
{
	PgBsonValue named;

	if (window->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(windows->name, gettext_noop("\"window\" must be a document."));
	PgBsonStageOptions(windows->name, window, "documents:a range:a unit:s", documents, range, &named);
	if (named.type != PGBSON_MISSING)
		*unit = PgBsonOperandUnit(&named);
	if (documents->type != PGBSON_MISSING && range->type != PGBSON_MISSING)
		PgBsonStageWrong(windows->name, gettext_noop("A window must have \"documents\" or \"range\", not both."));
	if (range->type == PGBSON_MISSING && *unit != NULL)
		PgBsonStageWrong(windows->name, gettext_noop("The \"unit\" of a window is for a \"range\"."));
}

/*
 * " OVER (...)" for {documents: [lower, upper]} or {range: [lower, upper], unit}; if "window" is
 * missing, for the whole partition.  *moves tells whether its beginning moves.
 */
static const char *
window_sql(const Windows *windows, const PgBsonValue *window, bool *moves)
{
	PgBsonValue documents = PgBsonMissing;
	PgBsonValue range = PgBsonMissing;
	const PgBsonUnit *unit = NULL;
	const char *over = windows->over;
	PgBsonValue *ends;
	Bound		lower = {UNBOUNDED};
	Bound		upper = {UNBOUNDED};
	bool		ranges;
	int			count;

	if (window->type != PGBSON_MISSING)
		parse_window(windows, window, &documents, &range, &unit);
	ranges = range.type != PGBSON_MISSING;
	if (ranges || documents.type != PGBSON_MISSING)
	{
		ends = PgBsonValuesOf(ranges ? &range : &documents, &count);
		if (count != 2)
			PgBsonStageWrong(windows->name, gettext_noop("\"documents\" and \"range\" of a window must be arrays of two bounds."));
		lower = parse_bound(windows, &ends[0]);
		upper = parse_bound(windows, &ends[1]);
	}
	if (lower.kind != UNBOUNDED && upper.kind != UNBOUNDED && PgBsonNumberCompare(&lower.offset, &upper.offset) > 0)
		PgBsonStageWrong(windows->name, gettext_noop("The lower bound of a window must not be greater than the upper one."));
	*moves = lower.kind != UNBOUNDED;
	if (windows->window->sort.type == PGBSON_MISSING && (lower.kind != UNBOUNDED || upper.kind != UNBOUNDED))
		PgBsonStageWrong(windows->name, gettext_noop("A window with bounds needs \"sortBy\"."));
	if (ranges)
	{
		if (window_paths(windows) != 1 || windows->window->order->paths[0].descending)
			PgBsonStageWrong(windows->name, gettext_noop("A window of a range needs a \"sortBy\" of one path, ascending."));
		over = PgBsonSql(windows->select->all, "%sORDER BY #bson_range_value(%s, %s)", windows->partition_sql,
						 window_place(windows, true), PgBsonOperandUnitSql(unit));
	}
	return psprintf(" OVER (%s%s%s BETWEEN %s AND %s)", over, *over == '\0' ? "" : " ",
					lower.kind == OFFSET || upper.kind == OFFSET ? ranges ? "RANGE" : "ROWS" : "ROWS",
					bound_sql(windows, &lower, true, ranges, unit), bound_sql(windows, &upper, false, ranges, unit));
}

/* $first and $last: a value that is missing in the document stays missing, but an empty window gives null */
static const char *
end_sql(const Windows *windows, const PgBsonIter *function, const char *over)
{
	return PgBsonSql(windows->select->all, "COALESCE(pg_catalog.%s(%s)%s, CASE WHEN pg_catalog.count(*)%s OPERATOR(pg_catalog.=) 0 THEN 'null'::#bson END)",
					 PgBsonIterIs(function, "$first") ? "first_value" : "last_value",
					 PgBsonOperandSql(windows->select, &function->value), over, over);
}

/* --- functions that are no accumulators --- */

/* Whether a function can have a window of its own: never, always, or only if the stage names one */
typedef enum WindowUse
{
	NO_WINDOW, ANY_WINDOW, GIVEN_WINDOW
} WindowUse;

typedef struct WindowFunction
{
	const char *name;
	const char *(*sql) (const Windows *windows, const PgBsonIter *function, const char *over);
	bool		sorted;			/* it needs a sort */
	WindowUse	use;
} WindowFunction;

static const char *
number_sql(const Windows *windows, const PgBsonIter *function, const char *over)
{
	const char *of = PgBsonIterIs(function, "$rank") ? "rank" :
		PgBsonIterIs(function, "$denseRank") ? "dense_rank" : "row_number";

	if (function->value.type != PGBSON_DOCUMENT || !PgBsonIsEmpty(&function->value))
		PgBsonStageWrong(windows->name, gettext_noop("$rank, $denseRank and $documentNumber take an empty document."));
	if (window_paths(windows) != 1)
		PgBsonStageWrong(windows->name, gettext_noop("$rank, $denseRank and $documentNumber need a \"sortBy\" of one path."));
	return PgBsonSql(windows->select->all, "pg_catalog.%s() OVER (%s)", of, windows->over);
}

/* $shift, {output, by, default}: the value in the document that is "by" places before or behind */
static const char *
shift_sql(const Windows *windows, const PgBsonIter *function, const char *over)
{
	const PgBsonTranslation *all = windows->select->all;
	PgBsonValue output;
	PgBsonValue by;
	PgBsonValue otherwise;
	int32		places;
	const char *of;

	PgBsonStageOptions("$shift", &function->value, "output! by! default", &output, &by, &otherwise);
	if (otherwise.type == PGBSON_MISSING)
		otherwise = PgBsonNull;
	else if (!PgBsonOperandConstant(&otherwise, &otherwise) || otherwise.type == PGBSON_MISSING)
		PgBsonStageWrong(windows->name, gettext_noop("The default of $shift must be a constant."));
	if (!PgBsonIsNumber(by.type) || !PgBsonNumberToInt32(&by, &places) || places == PG_INT32_MIN)
		PgBsonStageWrong(windows->name, gettext_noop("\"by\" of $shift must be an integer."));
	of = places < 0 ? "lag" : "lead";
	places = abs(places);
	/* a value that is missing in that document stays missing; the default is for places outside of the partition */
	return PgBsonSql(all, "COALESCE(pg_catalog.%s(%s, %d) OVER (%s), CASE WHEN pg_catalog.%s(true, %d) OVER (%s) IS NULL THEN %s END)",
					 of, PgBsonOperandSql(windows->select, &output), places, windows->over, of, places, windows->over,
					 PgBsonSqlConstant(all, &otherwise));
}

/* $locf: the last value up to here that is not null */
static const char *
locf_sql(const Windows *windows, const PgBsonIter *function, const char *over)
{
	const PgBsonTranslation *all = windows->select->all;
	const char *value = PgBsonOperandSql(windows->select, &function->value);

	return PgBsonSql(all, "COALESCE(#bson_last(%s) FILTER (WHERE #bson_typeof(%s) OPERATOR(pg_catalog.<>) ALL ('{\"null\",undefined}'::pg_catalog.text[])) OVER (%s ROWS UNBOUNDED PRECEDING), #bson 'null')",
					 value, value, windows->over);
}

/* $derivative and $integral, {input, unit} */
static const char *
points_sql(const Windows *windows, const PgBsonIter *function, const char *over)
{
	const char *name = PgBsonIterIs(function, "$integral") ? "$integral" : "$derivative";
	PgBsonValue input;
	PgBsonValue unit;
	const PgBsonUnit *named = NULL;

	if (window_paths(windows) != 1 || windows->window->order->paths[0].descending)
		PgBsonStageWrong(windows->name, gettext_noop("$derivative and $integral need a \"sortBy\" of one path, ascending."));
	PgBsonStageOptions(name, &function->value, "input! unit:s", &input, &unit);
	if (unit.type != PGBSON_MISSING)
	{
		named = PgBsonOperandUnit(&unit);
		(void) PgBsonFixedUnit(named->name, strlen(named->name));
	}
	return PgBsonSql(windows->select->all, "COALESCE(#bson_%s(%s, %s, %s)%s, #bson 'null')", name + 1, window_place(windows, false),
					 PgBsonOperandSql(windows->select, &input), PgBsonOperandUnitSql(named), over);
}

/* The weight of a new value in the moving average of n values: 2 / (n + 1) */
static PgBsonValue
weight_of(const Windows *windows, const PgBsonValue *n)
{
	PgBsonValue two = PgBsonMakeInt32(2);
	PgBsonValue divisor;
	uint8		a[PGBSON_DECIMAL128_SIZE];
	uint8		b[PGBSON_DECIMAL128_SIZE];
	int64		count;

	if (!PgBsonIsNumber(n->type) || !PgBsonNumberToInt64(n, &count) || count <= 0 || count == PG_INT64_MAX)
		PgBsonStageWrong(windows->name, gettext_noop("\"N\" of $expMovingAvg must be a positive integer."));
	divisor = PgBsonMakeInt64(count + 1);
	PgBsonNumberToDecimal(&two, a);
	PgBsonNumberToDecimal(&divisor, b);
	PgBsonDecimalDivide(a, b, a);
	return PgBsonMakeDecimal(a);
}

/* $expMovingAvg, {input, N} or {input, alpha} */
static const char *
moving_average_sql(const Windows *windows, const PgBsonIter *function, const char *over)
{
	const PgBsonTranslation *all = windows->select->all;
	PgBsonValue input;
	PgBsonValue n;
	PgBsonValue alpha;

	PgBsonStageOptions("$expMovingAvg", &function->value, "input! N alpha", &input, &n, &alpha);
	if (PgBsonViewCount(PgBsonValueView(&function->value)) != 2)
		PgBsonStageWrong(windows->name, gettext_noop("$expMovingAvg takes a document with \"input\", and \"N\" or \"alpha\"."));
	if (n.type != PGBSON_MISSING)
		alpha = weight_of(windows, &n);
	else if (!PgBsonIsNumber(alpha.type) || PgBsonNumberCompare(&alpha, &PgBsonZero) <= 0 ||
			 PgBsonNumberCompare(&alpha, &PgBsonOne) >= 0)
		PgBsonStageWrong(windows->name, gettext_noop("\"alpha\" of $expMovingAvg must be a number greater than 0 and less than 1."));
	return PgBsonSql(all, "COALESCE(#bson_exp_moving_avg(%s, %s) OVER (%s), #bson 'null')",
					 PgBsonOperandSql(windows->select, &input), PgBsonSqlArgument(all, &alpha), windows->over);
}

static const char *
linear_fill_sql(const Windows *windows, const PgBsonIter *function, const char *over)
{
	if (window_paths(windows) != 1)
		PgBsonStageWrong(windows->name, gettext_noop("$linearFill needs a \"sortBy\" of one path."));
	return PgBsonSql(windows->select->all, "COALESCE(#bson_linear_fill(%s, %s) OVER (%s), #bson 'null')",
					 window_place(windows, false), PgBsonOperandSql(windows->select, &function->value),
					 windows->over);
}

/* $covariancePop, $covarianceSamp: the operand's value is an array of two numbers; other values are ignored */
static const char *
covariance_sql(const Windows *windows, const PgBsonIter *function, const char *over)
{
	const PgBsonTranslation *all = windows->select->all;
	const char *of = PgBsonIterIs(function, "$covariancePop") ? "pop" : "samp";
	const char *pair = PgBsonOperandSql(windows->select, &function->value);
	PgBsonValue *items;
	int			count;

	if (function->value.type == PGBSON_ARRAY)
	{
		items = PgBsonValuesOf(&function->value, &count);
		if (count == 2)
			return PgBsonSql(all, "COALESCE(#bson_covar_%s(%s, %s)%s, #bson 'null')", of,
							 PgBsonOperandSql(windows->select, &items[0]),
							 PgBsonOperandSql(windows->select, &items[1]), over);
	}
	return PgBsonSql(all, "COALESCE(#bson_covar_%s(%s OPERATOR(#->) 0, %s OPERATOR(#->) 1) FILTER (WHERE CASE WHEN #bson_typeof(%s) OPERATOR(pg_catalog.=) 'array' THEN #bson_array_length(%s) OPERATOR(pg_catalog.=) 2 END)%s, #bson 'null')",
					 of, pair, pair, pair, pair, over);
}

static const WindowFunction functions[] = {
	{"$rank", number_sql, true, NO_WINDOW},
	{"$denseRank", number_sql, true, NO_WINDOW},
	{"$documentNumber", number_sql, true, NO_WINDOW},
	{"$shift", shift_sql, true, NO_WINDOW},
	{"$locf", locf_sql, false, NO_WINDOW},
	{"$linearFill", linear_fill_sql, true, NO_WINDOW},
	{"$expMovingAvg", moving_average_sql, true, NO_WINDOW},
	{"$derivative", points_sql, true, GIVEN_WINDOW},
	{"$integral", points_sql, true, ANY_WINDOW},
	{"$covariancePop", covariance_sql, false, ANY_WINDOW},
	{"$covarianceSamp", covariance_sql, false, ANY_WINDOW},
};

/* Such a function over this window; NULL if it is none; "given": the stage names the window */
static const char *
window_function_sql(const Windows *windows, const PgBsonIter *function, const char *over, bool given)
{
	const WindowFunction *found = PgBsonRowNamed(functions, function->key, function->key_len);

	if (found == NULL)
		return NULL;
	if (given && found->use == NO_WINDOW)
		PgBsonStageWrong(windows->name, gettext_noop("$rank, $denseRank, $documentNumber, $shift, $locf, $linearFill and $expMovingAvg have no \"window\"."));
	if (!given && found->use == GIVEN_WINDOW)
		PgBsonStageWrong(windows->name, gettext_noop("$derivative needs a \"window\" with bounds."));
	if (found->sorted && windows->window->sort.type == PGBSON_MISSING)
		PgBsonStageWrong(windows->name, gettext_noop("A function that depends on the order of documents needs \"sortBy\"."));
	return found->sql(windows, function, over);
}

/* {function: operand, window: ...} in SQL */
static const char *
function_sql(const Windows *windows, const PgBsonValue *field)
{
	PgBsonIter	function = {0};
	PgBsonValue window = PgBsonMissing;
	const char *over;
	const char *sql;
	bool		moves;

	if (field->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(windows->name, gettext_noop("A field of \"output\" must be a document with a function."));
	PgBsonForEach(iter, PgBsonValueView(field))
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
	over = window_sql(windows, &window, &moves);
	sql = window_function_sql(windows, &function, over, window.type != PGBSON_MISSING);
	if (sql != NULL)
		return sql;
	if (PgBsonIterIs(&function, "$first") || PgBsonIterIs(&function, "$last"))
		return end_sql(windows, &function, over);
	return PgBsonSql(windows->select->all, "COALESCE(%s, #bson 'null')",
					 PgBsonAccumulatorSql(windows->select, &function, PgBsonSql(windows->select->all, "'{}'::#bson"), over, moves,
										  false));
}

/* A key that descends takes longer to be compared than one for DESC */
static bool
key_descends(const Windows *windows)
{
	return windows->window->order->paths[0].descending && windows->select->all->collation == NULL;
}

static const char *
sort_key(const Windows *windows)
{
	return PgBsonSql(windows->select->all, key_descends(windows) ? "#bson_sort_key_desc(%s, %s)" : "#bson_sort_key(%s, %s)",
					 PgBsonSelectDocument(windows->select), PgBsonSqlArgument(windows->select->all,
																			  &windows->window->sort));
}

/* Make PARTITION BY and ORDER BY of the windows.  A missing value and null are one partition. */
static void
make_over(Windows *windows)
{
	PgBsonSelect *select = windows->select;
	const PgBsonTranslation *all = select->all;

	windows->partition_sql = windows->over = "";
	if (windows->window->partition.type != PGBSON_MISSING)
	{
		windows->over = PgBsonSql(all, "#bson_key_value(%s)", PgBsonOperandOrNull(select, &windows->window->partition));
		windows->over = psprintf("PARTITION BY %s", PgBsonCollatedSql(all, windows->over));
		windows->partition_sql = psprintf("%s ", windows->over);
	}
	if (windows->window->order != NULL)
		windows->over = psprintf("%sORDER BY %s%s", windows->partition_sql, windows->key != NULL ? windows->key : sort_key(windows),
								 key_descends(windows) ? " DESC NULLS LAST" : "");
	else if (select->clauses.order.sql != NULL)
		windows->over = psprintf("%sORDER BY %s", windows->partition_sql, select->clauses.order.sql);
}

/* Can the function return a missing value, as an expression of a document can? */
static bool
can_be_missing(const PgBsonValue *field)
{
	PgBsonForEach(iter, PgBsonValueView(field))
	{
		if (PgBsonIterIs(&iter, "$first") || PgBsonIterIs(&iter, "$last") || PgBsonIterIs(&iter, "$shift"))
			return true;
	}
	return false;
}

/* What is put into the document for a function */
static const char *
column_value(const PgBsonTranslation *all, const PgBsonValue *field, const char *column)
{
	return PgBsonWindowCounts(field) ? PgBsonSql(all, "%s::pg_catalog.text::#bson", column) : column;
}

/* Put the columns of the level into the document, as $addFields would do with variables of their names */
static void
put_columns(PgBsonSelect *select, const PgBsonValue *output, const char *level)
{
	const PgBsonTranslation *all = select->all;
	List	   *names = NIL;
	List	   *values = NIL;
	const char *value;
	StringInfoData missing;
	PgBsonWriter maker;
	PgBsonValue stages;
	PgBsonIter	first;
	int			n = 0;

	if (PgBsonOnlyField(output, &first) && !can_be_missing(&first.value) &&
		memchr(first.key, '.', first.key_len) == NULL)
	{
		PgBsonDocumentPart	part = {{first.key, first.key_len}};

		value = psprintf("%s.w1", level);
		part.sql = column_value(all, &first.value, value);
		part.number = PgBsonWindowCounts(&first.value) ? value : NULL;
		PgBsonSelectParts(select, &part, 1);
		return;
	}
	initStringInfo(&missing);
	PgBsonWriterBegin(&maker, output->len);
	PgBsonForEach(iter, PgBsonValueView(output))
	{
		char	   *variable = psprintf("$$w%d", ++n);
		PgBsonValue path = PgBsonMakeString(variable, strlen(variable));

		PgBsonWriterField(&maker, iter.key, iter.key_len, &path);
		names = lappend(names, psprintf("'w%d'", n));
		values = lappend(values, unconstify(char *, column_value(all, &iter.value, psprintf("%s.w%d", level, n))));
		if (can_be_missing(&iter.value))
			appendStringInfo(&missing, "%sCASE WHEN %s.w%d IS NULL THEN 'w%d' END", missing.len == 0 ? "" : ", ", level, n, n);
	}
	if (missing.len > 0)
	{
		names = lappend(names, "'" PGBSON_NO_VALUE "'");
		values = lappend(values, PgBsonSql(all, "#array_to_bson(pg_catalog.array_remove(ARRAY[%s], NULL))", missing.data));
	}
	stages = PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
	stages = PgBsonMakeDocument("$addFields", &stages, NULL);
	stages = PgBsonMakeArray(&stages, 1);
	PgBsonSelectCompute(select, PgBsonSql(all, "#bson_transform(%s, %s, %s)", PgBsonSelectDocument(select),
										  PgBsonSqlArgument(all, &stages), PgBsonSqlDocument(all, names, values)));
}

void
PgBsonDeparseWindow(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonWindow *window = (const PgBsonWindow *) node;
	Windows windows = {select, window, node->name};
	List	   *columns = NIL;
	const char *level;

	PgBsonSelectPlain(select);
	if (window->kept.type != PGBSON_MISSING)
	{
		const char *key = window->divided && window->order != NULL ? psprintf("%s AS k", sort_key(&windows)) : NULL;

		level = PgBsonOperandCarry(select, window->carried, PgBsonSql(select->all, "#bson_project(%s, %s)", PgBsonSelectDocument(select),
																	  PgBsonSqlArgument(select->all, &window->kept)),
																	  key, NULL);
		windows.key = key == NULL ? NULL : psprintf("%s.k", level);
	}
	make_over(&windows);
	PgBsonForEach(iter, PgBsonValueView(&window->output))
		columns = lappend(columns, psprintf("%s AS w%d", function_sql(&windows, &iter.value), list_length(columns) + 1));
	select->clauses.windowed = true;
	level = PgBsonSelectLevel(select, PgBsonSqlJoin(columns, ",\n    "));
	put_columns(select, &window->output, level);
}
