/*
 * accumulator.c
 *	  Accumulators of $group as aggregates.
 *
 * See src/mongo/db/pipeline/accumulator_*.cpp of MongoDB.  Where no aggregate
 * does the same, the values of the group become an array, from which an
 * expression computes the result.
 */
#include "pipeline/accumulator.h"

#include "core/number/number.h"
#include "mongo/common/options.h"
#include "mongo/sort/sort_key.h"
#include "pipeline/operand.h"
#include "pipeline/sql_text.h"
#include "pipeline/stage.h"

typedef struct Accumulator Accumulator;

/* An accumulator that is being translated */
typedef struct Use
{
	PgBsonSelect *select;
	const Accumulator *accumulator;
	const PgBsonValue *operand;
	const char *key;
	const char *over;			/* " OVER (...)" for a window; empty for a group */
} Use;

struct Accumulator
{
	const char *name;
	bool		ordered;		/* its result depends on the order of the documents */
	const char *(*sql) (const Use *use);
	const char *function;		/* the aggregate; or the expression that makes the result */
	const char *options;		/* the names of its options, each followed by ! if it is required: "input! n!" */
};

pg_noreturn static void
wrong(const Use *use, const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid operand of accumulator \"%s\" of a bson pipeline", use->accumulator->name),
						errdetail_internal("%s", _(detail)));
}

/* " ORDER BY ..." for an aggregate whose result depends on the order; empty if no order is defined */
static const char *
order_of(const Use *use)
{
	/* a window has its own order */
	return use->select->order == NULL || *use->over != '\0' ? "" : psprintf(" ORDER BY %s", use->select->order);
}

static const char *
count_rows(const Use *use)
{
	return PgBsonSql(use->select->all, "pg_catalog.count(*)%s::pg_catalog.text::#bson", use->over);
}

static const char *
count_sql(const Use *use)
{
	if (use->operand->type != PGBSON_DOCUMENT || PgBsonViewCount(PgBsonValueView(use->operand)) > 0)
		wrong(use, gettext_noop("An empty document is expected."));
	return count_rows(use);
}

static const char *
sum_sql(const Use *use)
{
	if (use->operand->type == PGBSON_INT32 && PgBsonReadI32(use->operand->data) == 1)
		return count_rows(use);
	return PgBsonSql(use->select->all, "COALESCE(#sum(%s)%s, #bson '0')", PgBsonOperandSql(use->select, use->operand), use->over);
}

static const char *
plain_sql(const Use *use)
{
	return PgBsonSql(use->select->all, "#%s(%s%s)%s", use->accumulator->function,
					 PgBsonOperandSql(use->select, use->operand), use->accumulator->ordered ? order_of(use) : "", use->over);
}

static const char *
push_sql(const Use *use)
{
	return PgBsonSql(use->select->all, "COALESCE(#bson_agg_strict(%s%s)%s, #bson '[]')",
					 PgBsonOperandSql(use->select, use->operand), use->accumulator->ordered ? order_of(use) : "", use->over);
}

static const char *
set_sql(const Use *use)
{
	/* a window cannot have DISTINCT */
	if (*use->over != '\0')
		return PgBsonSql(use->select->all, "#bson_eval(%s, #bson '{\"$setUnion\": \"$$ROOT\"}')", push_sql(use));
	return PgBsonSql(use->select->all, "COALESCE(#bson_agg_strict(DISTINCT %s), #bson '[]')",
					 PgBsonOperandSql(use->select, use->operand));
}

/* The operator of this name, applied to the array of the values */
static const char *
array_sql(const Use *use)
{
	return PgBsonSql(use->select->all, "#bson_eval(%s, #bson '{\"%s\": \"$$ROOT\"}')", push_sql(use),
					 use->accumulator->name);
}

/* Named options in the order of the accumulator's list */
static void
read_options(const Use *use, PgBsonValue *values)
{
	const char *names = use->accumulator->options;
	PgBsonIter	unknown = {NULL};
	const char *text;

	if (use->operand->type != PGBSON_DOCUMENT)
		wrong(use, gettext_noop("A document is expected."));
	(void) PgBsonOptionsRead(use->operand, names, values, &unknown);
	text = PgBsonOptionsLacking(names, values);
	if (text != NULL)
		PgBsonReportInvalid(errmsg("accumulator \"%s\" of a bson pipeline needs the option \"%s\"",
								   use->accumulator->name, text));
	if (unknown.key != NULL)
		PgBsonReportInvalid(errmsg("accumulator \"%s\" of a bson pipeline has no option \"%s\"", use->accumulator->name,
								   PgBsonMessageText(unknown.key, unknown.key_len)));
}

/* Our variable for the array of the values; pipelines can neither define nor use a name with a space */
#define VALUES		"the values"

/*
 * Evaluate an expression that reads the array of the values as "$$the values", and the group's key as its
 * document.  "operand" is what the pipeline wrote of it, which may use the pipeline's variables.
 */
static const char *
of_key_sql(const Use *use, const char *array, const PgBsonValue *expression, const PgBsonValue *operand)
{
	const PgBsonTranslation *all = use->select->all;
	bool		varies = PgBsonOperandVaries(use->select->scope, PgBsonExpressionParse(operand, NULL));

	if (use->key == NULL)
		wrong(use, gettext_noop("\"n\" must be a constant."));
	return PgBsonSql(all, "#bson_eval(CASE #bson_typeof(%s) WHEN 'object' THEN %s ELSE '{}' END, %s, #bson_build_object('" VALUES "', %s)%s%s)",
					 use->key, use->key, PgBsonSqlArgument(all->schema, expression), array,
					 varies ? PgBsonSql(all, " OPERATOR(#||) ") : "", varies ? PgBsonOperandVariables(use->select) + 2 : "");
}

/*
 * {operator: {input: values, name: option, ...}} for an array of values.  An option "n" that is no constant is
 * computed from the group's key, as in MongoDB.  "other" is NULL if there is only one option.
 */
static const char *
expression_sql(const Use *use, const char *array, const char *operator, const char *name, const PgBsonValue *option,
			   const char *other, const PgBsonValue *other_option)
{
	const PgBsonTranslation *all = use->select->all;
	PgBsonValue constant;
	bool		fixed = other != NULL || PgBsonOperandConstant(option, &constant);
	const char *values = fixed ? "$$ROOT" : "$$" VALUES;
	PgBsonValue input = PgBsonMakeString(values, strlen(values));
	PgBsonValue expression = PgBsonExprDocument("input", &input, name, option, other, other_option, NULL);

	expression = PgBsonExprDocument(operator, &expression, NULL);
	array = PgBsonSql(all, "COALESCE(%s, #bson '[]')", array);
	if (!fixed)
		return of_key_sql(use, array, &expression, option);
	(void) PgBsonExpressionParseFor(&expression, NULL);
	return PgBsonSql(all, "#bson_eval(%s, %s)", array, PgBsonSqlArgument(all->schema, &expression));
}

/* Check a constant "n" now, so that a wrong one is an error even without documents */
static void
check_count(const Use *use, const PgBsonValue *n)
{
	PgBsonValue value;
	int64		count;

	if (PgBsonOperandConstant(n, &value) &&
		(!PgBsonIsNumber(value.type) || !PgBsonNumberToInt64(&value, &count) || count <= 0))
		wrong(use, gettext_noop("\"n\" must be a positive integer."));
}

/* $firstN, $lastN, $minN, $maxN: {input, n} */
static const char *
several_sql(const Use *use)
{
	PgBsonValue options[2];
	const char *input;

	read_options(use, options);
	check_count(use, &options[1]);
	input = PgBsonOperandSql(use->select, &options[0]);
	return expression_sql(use, PgBsonSql(use->select->all, "#bson_agg(%s%s)%s", input, use->accumulator->ordered ? order_of(use) : "",
									 use->over),
						  use->accumulator->name, "n", &options[1], NULL, NULL);
}

/* $median, $percentile: {input, method, p} */
static const char *
quantile_sql(const Use *use)
{
	PgBsonValue options[3] = {{PGBSON_MISSING}};

	read_options(use, options);
	return expression_sql(use, PgBsonSql(use->select->all, "#bson_agg_strict(%s)%s", PgBsonOperandSql(use->select, &options[0]),
									 use->over),
						  use->accumulator->name, "method", &options[1], "p", &options[2]);
}

static void
check_sort(const Use *use, const PgBsonValue *sort)
{
	if (sort->type != PGBSON_DOCUMENT)
		wrong(use, gettext_noop("\"sortBy\" must be a document."));
	(void) PgBsonSortParse(sort);
}

/*
 * $top and similar accumulators in a window.  Aggregates over a window cannot have an ORDER BY of their
 * own, so an array of the documents, each with its output, is sorted by an expression.
 */
static const char *
window_top_sql(const Use *use, const PgBsonValue *sort, const PgBsonValue *output, const char *operator, const PgBsonValue *n)
{
	const PgBsonTranslation *all = use->select->all;
	PgBsonValue values = PgBsonMakeString("$$" VALUES, strlen("$$" VALUES));
	PgBsonValue in = PgBsonMakeString("$$this.o", strlen("$$this.o"));
	PgBsonValue expression;
	PgBsonExprMaker maker;

	check_sort(use, sort);
	PgBsonExprOpen(&maker, sort->len);
	PgBsonForEach(iter, PgBsonValueView(sort))
		PgBsonExprField(&maker, psprintf("d.%s", iter.key), iter.key_len + 2, &iter.value);
	expression = PgBsonExprClose(&maker, PGBSON_DOCUMENT);
	expression = PgBsonExprDocument("input", &values, "sortBy", &expression, NULL);
	expression = PgBsonExprDocument("$sortArray", &expression, NULL);
	expression = PgBsonExprDocument("input", &expression, "n", n, NULL);
	expression = PgBsonExprDocument(operator, &expression, NULL);
	expression = PgBsonExprDocument("input", &expression, "in", &in, NULL);
	expression = PgBsonExprDocument("$map", &expression, NULL);
	return of_key_sql(use, PgBsonSql(all, "COALESCE(#bson_agg(#bson_build_object('d', %s, 'o', %s))%s, #bson '[]')",
									 PgBsonSelectDocument(use->select), PgBsonOperandSql(use->select, output), use->over),
					  &expression, n);
}

/* ORDER BY for $top and similar accumulators: by "sortBy", or the other way round, then by the order of the documents */
static const char *
sorted_by(const Use *use, const PgBsonValue *sort, const char *direction)
{
	const PgBsonTranslation *all = use->select->all;

	check_sort(use, sort);
	return PgBsonSql(all, " ORDER BY #bson_sort_key(%s, %s)%s%s%s", PgBsonSelectDocument(use->select),
					 PgBsonSqlArgument(all->schema, sort), direction, use->select->order == NULL ? "" : ", ",
					 use->select->order == NULL ? "" : use->select->order);
}

/* $top, $bottom: {sortBy, output}.  Of documents with equal keys both take the first of a group, as in MongoDB. */
static const char *
top_sql(const Use *use)
{
	PgBsonValue options[2];
	PgBsonValue one = PgBsonMakeInt32(1);
	bool		top = strcmp(use->accumulator->name, "$top") == 0;

	read_options(use, options);
	if (*use->over != '\0')
		return PgBsonSql(use->select->all, "(%s OPERATOR(#->) 0)",
						 window_top_sql(use, &options[0], &options[1], top ? "$firstN" : "$lastN", &one));
	return PgBsonSql(use->select->all, "#bson_first(%s%s)", PgBsonOperandSql(use->select, &options[1]),
					 sorted_by(use, &options[0], top ? "" : " DESC"));
}

/* $topN, $bottomN: {sortBy, output, n} */
static const char *
top_several_sql(const Use *use)
{
	PgBsonValue options[3];
	const char *output;

	read_options(use, options);
	check_count(use, &options[2]);
	if (*use->over != '\0')
		return window_top_sql(use, &options[0], &options[1], use->accumulator->function, &options[2]);
	output = PgBsonOperandSql(use->select, &options[1]);
	return expression_sql(use, PgBsonSql(use->select->all, "#bson_agg(%s%s)", output, sorted_by(use, &options[0], "")),
						  use->accumulator->function, "n", &options[2], NULL, NULL);
}

static const char *
refused_sql(const Use *use)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("accumulator \"%s\" of a bson pipeline is not supported", use->accumulator->name),
			 errhint("Write an aggregate with CREATE AGGREGATE, and use it in SQL.")));
}

static const Accumulator accumulators[] = {
	{"$sum", false, sum_sql, "sum"},
	{"$avg", false, plain_sql, "avg"},
	{"$min", false, plain_sql, "bson_min"},
	{"$max", false, plain_sql, "bson_max"},
	{"$first", true, plain_sql, "bson_first"},
	{"$last", true, plain_sql, "bson_last"},
	{"$push", true, push_sql, NULL},
	{"$addToSet", false, set_sql, NULL},
	{"$count", false, count_sql, NULL},
	{"$mergeObjects", true, array_sql, NULL},
	{"$stdDevPop", false, array_sql, NULL},
	{"$stdDevSamp", false, array_sql, NULL},
	{"$firstN", true, several_sql, NULL, "input! n!"},
	{"$lastN", true, several_sql, NULL, "input! n!"},
	{"$minN", false, several_sql, NULL, "input! n!"},
	{"$maxN", false, several_sql, NULL, "input! n!"},
	{"$top", true, top_sql, NULL, "sortBy! output!"},
	{"$bottom", true, top_sql, NULL, "sortBy! output!"},
	{"$topN", true, top_several_sql, "$firstN", "sortBy! output! n!"},
	{"$bottomN", true, top_several_sql, "$lastN", "sortBy! output! n!"},
	{"$median", false, quantile_sql, NULL, "input! method!"},
	{"$percentile", false, quantile_sql, NULL, "input! method! p!"},
	{"$accumulator", false, refused_sql},
	{"$function", false, refused_sql},
};

static const Accumulator *
find(const PgBsonIter *accumulator)
{
	for (int i = 0; i < lengthof(accumulators); i++)
	{
		if (PgBsonIterIs(accumulator, accumulators[i].name))
			return &accumulators[i];
	}
	PgBsonReportInvalid(errmsg("unknown accumulator of a bson pipeline: \"%s\"", PgBsonMessageText(accumulator->key, accumulator->key_len)));
}

bool
PgBsonAccumulatorIsOrdered(const PgBsonIter *accumulator)
{
	return find(accumulator)->ordered;
}

const char *
PgBsonAccumulatorSql(PgBsonSelect *select, const PgBsonIter *accumulator, const char *key, const char *over)
{
	Use			use = {select, find(accumulator), &accumulator->value, key, over == NULL ? "" : over};

	/* in a window an array is an expression like any other */
	if (accumulator->value.type == PGBSON_ARRAY && over == NULL)
		wrong(&use, gettext_noop("An accumulator takes one operand."));
	return use.accumulator->sql(&use);
}
