/*
 * window_function.c
 *	  Functions of $setWindowFields that are no accumulators.
 *
 * See src/mongo/db/pipeline/window_function/window_function_expression.cpp of
 * MongoDB.
 */
#include "pipeline/deparse/window_function.h"

#include "core/number/decimal.h"
#include "mongo/common/options.h"
#include "pipeline/deparse/operand.h"

/* Whether a function can have a window of its own: never, always, or only if the stage names one */
typedef enum WindowUse
{
	NO_WINDOW, ANY_WINDOW, GIVEN_WINDOW
} WindowUse;

typedef struct WindowFunction
{
	const char *name;
	const char *(*sql) (const PgBsonWindows *windows, const PgBsonIter *function, const char *over);
	bool		sorted;			/* it needs a sort */
	WindowUse	use;
} WindowFunction;

const char *
PgBsonWindowPlace(const PgBsonWindows *windows, bool or_null)
{
	PgBsonIter	iter;
	PgBsonValue path;

	(void) PgBsonFirst(&windows->window->sort, &iter);
	path = PgBsonOperandField(iter.key, iter.key_len);
	return (or_null ? PgBsonOperandOrNull : PgBsonOperandSql) (windows->select, &path);
}

static const char *
number_sql(const PgBsonWindows *windows, const PgBsonIter *function, const char *over)
{
	const char *of = PgBsonIterIs(function, "$rank") ? "rank" :
		PgBsonIterIs(function, "$denseRank") ? "dense_rank" : "row_number";

	if (function->value.type != PGBSON_DOCUMENT || !PgBsonIsEmpty(&function->value))
		PgBsonStageWrong(windows->name, gettext_noop("$rank, $denseRank and $documentNumber take an empty document."));
	if (PgBsonWindowPaths(windows) != 1)
		PgBsonStageWrong(windows->name, gettext_noop("$rank, $denseRank and $documentNumber need a \"sortBy\" of one path."));
	return PgBsonSql(windows->select->all, "pg_catalog.%s() OVER (%s)", of, windows->over);
}

/* $shift, {output, by, default}: the value in the document that is "by" places before or behind */
static const char *
shift_sql(const PgBsonWindows *windows, const PgBsonIter *function, const char *over)
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
locf_sql(const PgBsonWindows *windows, const PgBsonIter *function, const char *over)
{
	const PgBsonTranslation *all = windows->select->all;
	const char *value = PgBsonOperandSql(windows->select, &function->value);

	return PgBsonSql(all, "COALESCE(#bson_last(%s) FILTER (WHERE #bson_typeof(%s) OPERATOR(pg_catalog.<>) ALL ('{\"null\",undefined}'::pg_catalog.text[])) OVER (%s ROWS UNBOUNDED PRECEDING), #bson 'null')",
					 value, value, windows->over);
}

/* $derivative and $integral, {input, unit} */
static const char *
points_sql(const PgBsonWindows *windows, const PgBsonIter *function, const char *over)
{
	const char *name = PgBsonIterIs(function, "$integral") ? "$integral" : "$derivative";
	PgBsonValue input;
	PgBsonValue unit;
	const PgBsonUnit *named = NULL;

	if (PgBsonWindowPaths(windows) != 1 || windows->window->order->paths[0].descending)
		PgBsonStageWrong(windows->name, gettext_noop("$derivative and $integral need a \"sortBy\" of one path, ascending."));
	PgBsonStageOptions(name, &function->value, "input! unit:s", &input, &unit);
	if (unit.type != PGBSON_MISSING)
	{
		named = PgBsonOperandUnit(&unit);
		(void) PgBsonFixedUnit(named->name, strlen(named->name));
	}
	return PgBsonSql(windows->select->all, "COALESCE(#bson_%s(%s, %s, %s)%s, #bson 'null')", name + 1, PgBsonWindowPlace(windows, false),
					 PgBsonOperandSql(windows->select, &input), PgBsonOperandUnitSql(named), over);
}

/* The weight of a new value in the moving average of n values: 2 / (n + 1) */
static PgBsonValue
weight_of(const PgBsonWindows *windows, const PgBsonValue *n)
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
moving_average_sql(const PgBsonWindows *windows, const PgBsonIter *function, const char *over)
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
linear_fill_sql(const PgBsonWindows *windows, const PgBsonIter *function, const char *over)
{
	if (PgBsonWindowPaths(windows) != 1)
		PgBsonStageWrong(windows->name, gettext_noop("$linearFill needs a \"sortBy\" of one path."));
	return PgBsonSql(windows->select->all, "COALESCE(#bson_linear_fill(%s, %s) OVER (%s), #bson 'null')",
					 PgBsonWindowPlace(windows, false), PgBsonOperandSql(windows->select, &function->value),
					 windows->over);
}

/* $covariancePop, $covarianceSamp: the operand's value is an array of two numbers; other values are ignored */
static const char *
covariance_sql(const PgBsonWindows *windows, const PgBsonIter *function, const char *over)
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

const char *
PgBsonWindowFunctionSql(const PgBsonWindows *windows, const PgBsonIter *function, const char *over, bool given)
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
