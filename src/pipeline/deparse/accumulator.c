/*
 * accumulator.c
 *	  Accumulators of $group as aggregates.
 *
 * See src/mongo/db/pipeline/accumulator_*.cpp of MongoDB.  Where no aggregate
 * does the same, the values of the group become an array, from which an
 * expression computes the result.
 */
#include "pipeline/deparse/step.h"

#include "core/bytes/recode.h"
#include "core/number/number.h"
#include "mongo/common/options.h"

typedef struct Accumulator Accumulator;

/* An accumulator that is being translated */
typedef struct Use
{
	PgBsonSelect *select;
	const Accumulator *accumulator;
	const PgBsonValue *operand;
	const char *key;
	const char *over;			/* " OVER (...)" for a window; empty for a group */
	bool		moves;			/* the window has a beginning that moves */
	bool		only_ends;		/* see PgBsonGroup */
} Use;

struct Accumulator
{
	const char *name;
	const char *(*sql) (const Use *use);
	const char *function;		/* the aggregate */
	const char *options;		/* the names of its options, each followed by ! if it is required: "input! n!" */
};

pg_noreturn static void
wrong(const Use *use, const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid operand of accumulator \"%s\" of a bson pipeline", use->accumulator->name),
						errdetail_internal("%s", _(detail)));
}

/* " ORDER BY ..." if the result depends on the order, and one is defined; else empty.  A window has its own. */
static const char *
order_of(const Use *use)
{
	const char *order = use->select->clauses.order.sql;

	return order == NULL || *use->over != '\0' || !PgBsonAccumulatorIsOrdered(use->accumulator->name,
																			  strlen(use->accumulator->name)) ? "" :
		psprintf(" ORDER BY %s", order);
}

static const char *
count_rows(const Use *use)
{
	return PgBsonSql(use->select->all, "pg_catalog.count(*)%s::pg_catalog.text::#bson", use->over);
}

static const char *
count_sql(const Use *use)
{
	if (use->operand->type != PGBSON_DOCUMENT || !PgBsonIsEmpty(use->operand))
		wrong(use, gettext_noop("An empty document is expected."));
	return count_rows(use);
}

/*
 * $sum and $avg as the aggregates: of the value, or of the document and the path in it or an expression, which make no
 * value.  The server writes a window's function without its VARIADIC, so a view with that could not be restored.
 */
static const char *
total_sql(const Use *use)
{
	bool		is_group = *use->over == '\0';
	/* an array on the way would give an array, which is no number */
	const char *names = is_group ? PgBsonOperandNames(use->select, use->operand) : NULL;
	const char *evaluated = is_group ? PgBsonOperandEvaluated(use->select, use->operand) : NULL;

	return PgBsonSql(use->select->all, "#%s%s(%s)%s", evaluated != NULL ? "bson_" : "", use->accumulator->function,
					 evaluated != NULL ? evaluated : names != NULL ? names :
					 PgBsonOperandSql(use->select, use->operand), use->over);
}

static const char *
sum_sql(const Use *use)
{
	if (use->operand->type == PGBSON_INT32 && PgBsonReadI32(use->operand->data) == 1)
		return count_rows(use);
	return PgBsonSql(use->select->all, "COALESCE(%s, #bson '0')", total_sql(use));
}

static const char *
plain_sql(const Use *use)
{
	return PgBsonSql(use->select->all, "#%s(%s%s)%s", use->accumulator->function,
					 PgBsonOperandSql(use->select, use->operand), order_of(use), use->over);
}

static const char *
extreme_sql(const Use *use)
{
	const PgBsonTranslation *all = use->select->all;

	if (all->collation == NULL)
		return plain_sql(use);
	return PgBsonSql(all, "#bson_uncollated(#bson_collated_%s(%s)%s)", use->accumulator->name + 1,
					 PgBsonCollatedSql(all, PgBsonOperandSql(use->select, use->operand)), use->over);
}

/*
 * $first and $last: if others need no order, the value with the least or greatest sort key is found without sorting.
 * Other accumulators see equal documents in the order of a sort, and these must be the first and last of them.
 */
static const char *
group_end_sql(const Use *use)
{
	const PgBsonOrder *order = &use->select->clauses.order;
	bool		first = strcmp(use->accumulator->name, "$first") == 0;

	if (!order->is_key || *use->over != '\0' || !use->only_ends || use->select->all->collation != NULL)
		return plain_sql(use);
	/* a row without a document is behind all others, as with ORDER BY */
	return PgBsonSql(use->select->all, "(#bson_%s(%s, COALESCE(%s, #bson '{\"$maxKey\": 1}'), #bson '1'%s) OPERATOR(#->) 0)",
					 first ? "top" : "bottom", PgBsonOperandSql(use->select, use->operand), order->sql, first ? "" : ", true");
}

/* The array of the values, in SQL */
static const char *
gather(const Use *use, const char *value)
{
	return PgBsonSqlGather(use->select->all, use->accumulator->name, value, order_of(use), use->over);
}

static const char *
push_sql(const Use *use)
{
	return gather(use, PgBsonOperandSql(use->select, use->operand));
}

static const char *
values_set_sql(const Use *use)
{
	const PgBsonTranslation *all = use->select->all;
	const char *value = PgBsonOperandSql(use->select, use->operand);

	/* the aggregate knows no collation, and in 1.0 no sets; DISTINCT would have the server sort for all others, too */
	if (all->is_old || all->collation != NULL)
		return PgBsonSql(all, "#bson_eval(%s, #bson '{\"$setUnion\": \"$$ROOT\"}')",
						 PgBsonSqlGather(all, "$push", value, "", use->over));
	return gather(use, value);
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
read_accumulator_options(const Use *use, PgBsonValue *values)
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
								   PgBsonNameInMessage(unknown.key, unknown.key_len)));
}

/*
 * "n" in SQL: a constant, which is checked now, so that a wrong one is an error even without documents; or computed
 * from the group's key, as in MongoDB
 */
static const char *
count_of(const Use *use, const PgBsonValue *n)
{
	const PgBsonTranslation *all = use->select->all;
	PgBsonValue value;
	int64		count;

	if (PgBsonOperandConstant(n, &value))
	{
		if (!PgBsonIsNumber(value.type) || !PgBsonNumberToInt64(&value, &count) || count <= 0)
			wrong(use, gettext_noop("\"n\" must be a positive integer."));
		return PgBsonSqlArgument(all, &value);
	}
	if (use->key == NULL)
		wrong(use, gettext_noop("\"n\" must be a constant."));
	return PgBsonSql(all, "#bson_eval(CASE WHEN #bson_typeof(%s) OPERATOR(pg_catalog.=) 'object' THEN %s ELSE #bson '{}' END, %s%s)", use->key, use->key,
					 PgBsonSqlArgument(all, n),
					 PgBsonOperandVaries(use->select->scope->names, PgBsonExpressionParse(n, NULL)) ?
					 PgBsonSelectVariables(use->select) : "");
}

/* {operator: {input: values, name: option, ...}} for an array of values.  "variables" are those of the options. */
static const char *
expression_sql(const Use *use, const char *array, const char *variables, const char *name, const PgBsonValue *option,
			   const char *other, const PgBsonValue *other_option)
{
	const PgBsonTranslation *all = use->select->all;
	PgBsonValue input = PgBsonMakeString("$$ROOT", strlen("$$ROOT"));
	PgBsonValue expression = PgBsonMakeDocument("input", &input, name, option, other, other_option, NULL);

	expression = PgBsonMakeDocument(use->accumulator->name, &expression, NULL);
	(void) PgBsonExpressionParse(&expression, NULL);
	return PgBsonSql(all, "#bson_eval(%s, %s%s)", array, PgBsonSqlArgument(all, &expression), variables);
}

/* $firstN, $lastN, $minN, $maxN: {input, n} */
static const char *
several_sql(const Use *use)
{
	const PgBsonTranslation *all = use->select->all;
	PgBsonValue options[2];
	PgBsonValue n;
	const char *count;
	const char *variables = "";

	read_accumulator_options(use, options);
	count = count_of(use, &options[1]);
	if (!PgBsonOperandConstant(&options[1], &n))
	{
		n = PgBsonMakeString("$$n", strlen("$$n"));
		variables = PgBsonSql(all, ", #bson_build_object('n', %s)", count);
	}
	return expression_sql(use, gather(use, PgBsonOperandOrNull(use->select, &options[0])), variables, "n", &n, NULL, NULL);
}

/* $median, $percentile: {input, method, p} */
static const char *
quantile_sql(const Use *use)
{
	PgBsonValue options[3] = {{PGBSON_MISSING}, {PGBSON_MISSING}, {PGBSON_MISSING}};
	const char *variables = "";

	read_accumulator_options(use, options);
	if (options[2].type != PGBSON_MISSING &&
		PgBsonOperandVaries(use->select->scope->names, PgBsonExpressionParse(&options[2], NULL)))
		variables = PgBsonSelectVariables(use->select);
	return expression_sql(use, gather(use, PgBsonOperandSql(use->select, &options[0])), variables, "method", &options[1],
						  "p", &options[2]);
}

/* $top and its kin by a collation: the first or last elements of the array of all, in order */
static const char *
collated_top_sql(const Use *use, bool top, const PgBsonValue *options)
{
	const PgBsonTranslation *all = use->select->all;
	bool		several = options[2].type != PGBSON_MISSING;
	const char *count = several ? count_of(use, &options[2]) : "1";
	const char *array;

	if (*use->over != '\0')
		PgBsonReportUnsupported(errmsg("accumulator \"%s\" of a bson pipeline cannot have a collation in a window", use->accumulator->name),
								errhint("Compare the strings without one."));
	array = PgBsonSqlGather(all, use->accumulator->name, PgBsonOperandOrNull(use->select, &options[1]),
							PgBsonSql(all, " ORDER BY #bson_sort_key(%s, %s)", PgBsonSelectDocument(use->select), PgBsonSqlArgument(all, &options[0])), "");
	if (!several)
		return PgBsonSql(all, "(%s OPERATOR(#->) %s)", array, top ? "0" : "-1");
	return PgBsonSql(all, "#bson_eval(%s, #bson '{\"$%sN\": {\"input\": \"$$ROOT\", \"n\": \"$$n\"}}', #bson_build_object('n', %s))", array, top ? "first" : "last", count);
}

/*
 * $top, $bottom: {sortBy, output}; $topN, $bottomN: {sortBy, output, n}.  In a window with a beginning that moves
 * MongoDB prefers the last of documents with equal keys for $bottom, elsewhere the first.
 */
static const char *
top_sql(const Use *use)
{
	const PgBsonTranslation *all = use->select->all;
	bool		top = strncmp(use->accumulator->name, "$top", 4) == 0;
	PgBsonValue options[3] = {{PGBSON_MISSING}, {PGBSON_MISSING}, {PGBSON_MISSING}};
	bool		several;
	const char *sql;

	read_accumulator_options(use, options);
	several = options[2].type != PGBSON_MISSING;
	if (options[0].type != PGBSON_DOCUMENT || PgBsonIsEmpty(&options[0]))
		wrong(use, gettext_noop("\"sortBy\" must be a document of one path at least."));
	(void) PgBsonSortParse(&options[0]);
	if (all->collation != NULL)
		return collated_top_sql(use, top, options);
	sql = PgBsonSql(all, "#%s(%s, #bson_sort_key(%s, %s), %s%s%s)%s", top ? "bson_top" : "bson_bottom",
					PgBsonOperandSql(use->select, &options[1]), PgBsonSelectDocument(use->select),
					PgBsonSqlArgument(all, &options[0]), count_of(use, several ? &options[2] : &PgBsonOne),
					top ? "" : use->moves ? ", true" : ", false", order_of(use), use->over);
	return several ? PgBsonSql(all, "COALESCE(%s, #bson '[]')", sql) : PgBsonSql(all, "(%s OPERATOR(#->) 0)", sql);
}

static const char *
refused_sql(const Use *use)
{
	PgBsonReportUnsupported(errmsg("accumulator \"%s\" of a bson pipeline is not supported", use->accumulator->name),
							errhint("Write an aggregate with CREATE AGGREGATE, and use it in SQL."));
}

static const Accumulator accumulators[] = {
	{"$sum", sum_sql, "sum"},
	{"$avg", total_sql, "avg"},
	{"$min", extreme_sql, "bson_min"},
	{"$max", extreme_sql, "bson_max"},
	{"$first", group_end_sql, "bson_first"},
	{"$last", group_end_sql, "bson_last"},
	{"$push", push_sql, NULL},
	{"$addToSet", values_set_sql, NULL},
	{"$count", count_sql, NULL},
	{"$mergeObjects", array_sql, NULL},
	{"$stdDevPop", array_sql, NULL},
	{"$stdDevSamp", array_sql, NULL},
	{"$firstN", several_sql, NULL, "input! n!"},
	{"$lastN", several_sql, NULL, "input! n!"},
	{"$minN", several_sql, NULL, "input! n!"},
	{"$maxN", several_sql, NULL, "input! n!"},
	{"$top", top_sql, NULL, "sortBy! output!"},
	{"$bottom", top_sql, NULL, "sortBy! output!"},
	{"$topN", top_sql, NULL, "sortBy! output! n!"},
	{"$bottomN", top_sql, NULL, "sortBy! output! n!"},
	{"$median", quantile_sql, NULL, "input! method!"},
	{"$percentile", quantile_sql, NULL, "input! method! p!"},
	{"$accumulator", refused_sql},
	{"$function", refused_sql},
};

static const Accumulator *
find(const PgBsonIter *accumulator)
{
	const Accumulator *found = PgBsonRowNamed(accumulators, accumulator->key, accumulator->key_len);

	if (found == NULL)
		PgBsonReportInvalid(errmsg("unknown accumulator of a bson pipeline: \"%s\"", PgBsonNameInMessage(accumulator->key, accumulator->key_len)));
	return found;
}

const char *
PgBsonAccumulatorSql(PgBsonSelect *select, const PgBsonIter *accumulator, const char *key, const char *over, bool moves,
					 bool only_ends)
{
	Use			use = {select, find(accumulator), &accumulator->value, key, over == NULL ? "" : over, moves, only_ends};

	/* in a window an array is an expression like any other */
	if (accumulator->value.type == PGBSON_ARRAY && over == NULL)
		wrong(&use, gettext_noop("An accumulator takes one operand."));
	return use.accumulator->sql(&use);
}
