/*
 * match_parse.c
 *	  A MongoDB query document as a tree of tests.
 *
 * The authority is MongoDB's src/mongo/db/matcher/expression_parser.cpp.
 */
#include "mongo/query/match_operator.h"

#include "core/bytes/sort.h"
#include "core/number/number.h"
#include "mongo/common/match_path.h"

static PgBsonQuery *parse_query(const PgBsonValue *doc, bool in_element);
static PgBsonQuery *parse_operators(PgBsonOperators *ops);
static PgBsonOperatorParser parse_all;
static PgBsonOperatorParser parse_elem_match;
static PgBsonOperatorParser parse_ne;
static PgBsonOperatorParser parse_nin;
static PgBsonOperatorParser parse_not;

/* The operators that test a path.  Those without a function are known, but not offered. */
typedef struct Operator
{
	const char *name;
	PgBsonQueryKind kind;
	PgBsonOperatorParser *parse;
	const char *hint;
} Operator;

#define GEOMETRY_HINT \
	gettext_noop("Use PostGIS, for example with ST_GeomFromGeoJSON of the field.")

static const Operator operators[] = {
	{"$eq", PGBSON_QUERY_EQ, PgBsonParseComparison},
	{"$ne", PGBSON_QUERY_EQ, parse_ne},
	{"$gt", PGBSON_QUERY_GT, PgBsonParseComparison},
	{"$gte", PGBSON_QUERY_GTE, PgBsonParseComparison},
	{"$lt", PGBSON_QUERY_LT, PgBsonParseComparison},
	{"$lte", PGBSON_QUERY_LTE, PgBsonParseComparison},
	{"$in", PGBSON_QUERY_IN, PgBsonParseIn},
	{"$nin", PGBSON_QUERY_IN, parse_nin},
	{"$not", PGBSON_QUERY_NOT, parse_not},
	{"$exists", PGBSON_QUERY_EXISTS, PgBsonParseExists},
	{"$type", PGBSON_QUERY_TYPE, PgBsonParseType},
	{"$regex", PGBSON_QUERY_REGEX, PgBsonParseRegex},
	{"$options", PGBSON_QUERY_REGEX, PgBsonParseRegex},
	{"$elemMatch", PGBSON_QUERY_ELEM_VALUE, parse_elem_match},
	{"$all", PGBSON_QUERY_ALL, parse_all},
	{"$size", PGBSON_QUERY_SIZE, PgBsonParseSize},
	{"$mod", PGBSON_QUERY_MOD, PgBsonParseMod},
	{"$bitsAllSet", PGBSON_QUERY_BITS_ALL_SET, PgBsonParseBits},
	{"$bitsAllClear", PGBSON_QUERY_BITS_ALL_CLEAR, PgBsonParseBits},
	{"$bitsAnySet", PGBSON_QUERY_BITS_ANY_SET, PgBsonParseBits},
	{"$bitsAnyClear", PGBSON_QUERY_BITS_ANY_CLEAR, PgBsonParseBits},
	{"$geoWithin", 0, NULL, GEOMETRY_HINT},
	{"$geoIntersects", 0, NULL, GEOMETRY_HINT},
	{"$near", 0, NULL, GEOMETRY_HINT},
	{"$nearSphere", 0, NULL, GEOMETRY_HINT},
	{"$within", 0, NULL, GEOMETRY_HINT},
	{"$geoNear", 0, NULL, GEOMETRY_HINT},
	{"$maxDistance", 0, NULL, GEOMETRY_HINT},
	{"$minDistance", 0, NULL, GEOMETRY_HINT}
};

/* Operators that stand in the place of a path and are not offered, with what to write instead */
static const Operator not_offered[] = {
	{"$where", 0, NULL, gettext_noop("Write the condition in SQL.")},
	{"$text", 0, NULL, gettext_noop("Use full text search: to_tsvector(configuration, document) @@ a tsquery.")},
	{"$sampleRate", 0, NULL, gettext_noop("Use TABLESAMPLE or random().")}
};

pg_noreturn static void
report_not_offered(const Operator *operator)
{
	PgBsonReportUnsupported(errmsg("operator \"%s\" is not supported in a bson query", operator->name),
							errhint("%s", _(operator->hint)));
}

pg_noreturn static void
report_unknown(const PgBsonIter *iter)
{
	PgBsonReportInvalid(errmsg("unknown operator in a bson query: \"%s\"", iter->key));
}

static const Operator *
find_operator(const Operator *among, int count, const PgBsonIter *iter)
{
	for (int i = 0; i < count; i++)
	{
		if (PgBsonIterIs(iter, among[i].name))
			return &among[i];
	}
	return NULL;
}

bool
PgBsonQueryIsOperator(const PgBsonIter *field)
{
	return find_operator(operators, lengthof(operators), field) != NULL;
}

static PgBsonQuery *
parse_ne(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	if (operand->type == PGBSON_REGEX)
		PgBsonWrongOperand(name, gettext_noop("Only $eq compares with a regular expression."));
	return PgBsonQueryNot(PgBsonParseComparison(ops, kind, name, operand));
}

static PgBsonQuery *
parse_nin(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	return PgBsonQueryNot(PgBsonParseIn(ops, kind, name, operand));
}

/* Does the document begin with this operator or, if NULL, with any operator that tests a path? */
static bool
begins_with(const PgBsonValue *value, const char *name)
{
	PgBsonIter	first;

	if (value->type != PGBSON_DOCUMENT || !PgBsonFirst(value, &first))
		return false;
	if (name != NULL)
		return PgBsonIterIs(&first, name);
	return PgBsonQueryIsOperator(&first) && !PgBsonIterIs(&first, "$not");
}

/* $all: either values, or only $elemMatches */
static PgBsonQuery *
parse_all(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	PgBsonQuery *all = PgBsonQueryNew(PGBSON_QUERY_AND, NULL);
	bool		of_elements = false;
	bool		first = true;
	PgBsonIter	inner;

	if (operand->type != PGBSON_ARRAY)
		PgBsonWrongOperand(name, gettext_noop("An array is expected."));
	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		bool		of_element = begins_with(&iter.value, "$elemMatch");

		if (first)
			of_elements = of_element;
		first = false;
		if (of_element != of_elements)
			PgBsonWrongOperand(name, gettext_noop("Either all or none of the values may be $elemMatch."));
		if (!of_element && begins_with(&iter.value, NULL))
			PgBsonWrongOperand(name, gettext_noop("The values must not be operators."));
		if (!of_element)
			continue;
		(void) PgBsonFirst(&iter.value, &inner);
		PgBsonQueryAdd(all, parse_elem_match(ops, kind, "$elemMatch", &inner.value));
	}
	return of_elements ? all : PgBsonParseAllValues(ops, operand);
}

/* Is this an operator that can stand in the place of a path? */
static bool
is_pathless(const PgBsonIter *iter)
{
	return PgBsonNameAmong("$and $or $nor $comment $alwaysTrue $alwaysFalse $jsonSchema $expr", iter->key, iter->key_len) >= 0 ||
		find_operator(not_offered, lengthof(not_offered), iter) != NULL;
}

/* $elemMatch: operators that test elements, or a query for documents among them */
static PgBsonQuery *
parse_elem_match(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	PgBsonQuery *node = PgBsonQueryNew(PGBSON_QUERY_ELEM_VALUE, ops);
	PgBsonOperators inner = {0};
	PgBsonIter	iter;

	check_stack_depth();
	/* JSON text with {"$regex": ..., "$options": ...} gives a regular expression */
	if (operand->type == PGBSON_REGEX)
	{
		PgBsonQueryAdd(node, PgBsonParseRegexValue(&inner, operand));
		return node;
	}
	if (operand->type != PGBSON_DOCUMENT)
		PgBsonWrongOperand(name, gettext_noop("A document is expected."));
	if (PgBsonIsOperators(operand, true) && PgBsonFirst(operand, &iter) && !is_pathless(&iter))
	{
		inner.doc = PgBsonValueView(operand);
		PgBsonQueryAdd(node, parse_operators(&inner));
		return node;
	}
	node->kind = PGBSON_QUERY_ELEM_QUERY;
	PgBsonQueryAdd(node, parse_query(operand, true));
	return node;
}

/* $not: the negation of operators, or of a regular expression */
static PgBsonQuery *
parse_not(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	PgBsonOperators inner = {PgBsonValueView(operand), ops->path, ops->npath};

	if (operand->type == PGBSON_REGEX)
		return PgBsonQueryNot(PgBsonParseRegexValue(ops, operand));
	if (operand->type != PGBSON_DOCUMENT || PgBsonViewCount(inner.doc) == 0)
		PgBsonWrongOperand(name, gettext_noop("A document of operators or a regular expression is expected."));
	return PgBsonQueryNot(parse_operators(&inner));
}

/* All operators that test one path; they must all hold */
static PgBsonQuery *
parse_operators(PgBsonOperators *ops)
{
	PgBsonQuery *node = PgBsonQueryNew(PGBSON_QUERY_AND, NULL);

	check_stack_depth();
	PgBsonForEach(iter, ops->doc)
	{
		const Operator *operator = find_operator(operators, lengthof(operators), &iter);
		PgBsonQuery *child;

		if (operator == NULL)
			report_unknown(&iter);
		if (operator->parse == NULL)
			report_not_offered(operator);
		child = operator->parse(ops, operator->kind, operator->name, &iter.value);
		if (child != NULL)
			PgBsonQueryAdd(node, child);
	}
	return node->nchildren == 1 ? node->children[0] : node;
}

static int
compare_kinds(const void *a, const void *b)
{
	const PgBsonQuery *x = *(PgBsonQuery *const *) a;
	const PgBsonQuery *y = *(PgBsonQuery *const *) b;

	return (x->kind == PGBSON_QUERY_EXPR) - (y->kind == PGBSON_QUERY_EXPR);
}

/*
 * Move expressions behind the other conditions, which cost less and may decide before an expression
 * raises an error
 */
static void
expressions_last(PgBsonQuery *node)
{
	PgBsonSort(node->children, node->nchildren, sizeof(PgBsonQuery *), compare_kinds);
}

/* $and, $or, $nor: an array of queries */
static PgBsonQuery *
parse_several(PgBsonQueryKind kind, const PgBsonIter *operator, bool in_element)
{
	PgBsonQuery *node = PgBsonQueryNew(kind, NULL);

	if (operator->value.type != PGBSON_ARRAY)
		PgBsonWrongOperand(operator->key, gettext_noop("An array of queries is expected."));
	PgBsonForEach(iter, PgBsonValueView(&operator->value))
		PgBsonQueryAdd(node, parse_query(&iter.value, in_element));
	if (node->nchildren == 0)
		PgBsonWrongOperand(operator->key, gettext_noop("An array of at least one query is expected."));
	expressions_last(node);
	return node;
}

/* $alwaysTrue and $alwaysFalse: an AND, or an OR, without conditions */
static PgBsonQuery *
parse_always(PgBsonQueryKind kind, const PgBsonIter *operator)
{
	int64		one;

	if (!PgBsonNumberToInt64(&operator->value, &one) || one != 1)
		PgBsonWrongOperand(operator->key, gettext_noop("The number 1 is expected."));
	return PgBsonQueryNew(kind, NULL);
}

static PgBsonQuery *
parse_schema(const PgBsonIter *iter)
{
	PgBsonQuery *node = PgBsonQueryNew(PGBSON_QUERY_SCHEMA, NULL);

	node->schema = PgBsonSchemaParse(&iter->value);
	return node;
}

/* $expr is about the whole document, so it cannot stand in a condition for elements */
static PgBsonQuery *
parse_expr(const PgBsonIter *iter, bool in_element)
{
	PgBsonQuery *node = PgBsonQueryNew(PGBSON_QUERY_EXPR, NULL);

	if (in_element)
		PgBsonWrongOperand(iter->key, gettext_noop("It is for the document, and not for the elements of an array."));
	node->expression = PgBsonExpressionParseFor(&iter->value, NULL);
	return node;
}

/* A path and its condition: operators, a regular expression, or a value to be equal to */
static PgBsonQuery *
parse_path(const PgBsonIter *iter)
{
	PgBsonOperators ops = {0};

	ops.path = PgBsonPathSplit(iter->key, iter->key_len, &ops.npath);
	if (PgBsonIsOperators(&iter->value, false))
	{
		ops.doc = PgBsonValueView(&iter->value);
		return parse_operators(&ops);
	}
	if (iter->value.type == PGBSON_REGEX)
		return PgBsonParseRegexValue(&ops, &iter->value);
	return PgBsonParseComparison(&ops, PGBSON_QUERY_EQ, "$eq", &iter->value);
}

/* One field of a query: a path with its condition, or queries combined by an operator; NULL for a comment */
static PgBsonQuery *
parse_field(const PgBsonIter *iter, bool in_element)
{
	const Operator *operator;

	if (iter->key_len == 0 || iter->key[0] != '$')
		return parse_path(iter);
	if (PgBsonIterIs(iter, "$and"))
		return parse_several(PGBSON_QUERY_AND, iter, in_element);
	if (PgBsonIterIs(iter, "$or"))
		return parse_several(PGBSON_QUERY_OR, iter, in_element);
	if (PgBsonIterIs(iter, "$nor"))
		return PgBsonQueryNot(parse_several(PGBSON_QUERY_OR, iter, in_element));
	if (PgBsonIterIs(iter, "$alwaysTrue"))
		return parse_always(PGBSON_QUERY_AND, iter);
	if (PgBsonIterIs(iter, "$alwaysFalse"))
		return parse_always(PGBSON_QUERY_OR, iter);
	if (PgBsonIterIs(iter, "$comment"))
		return NULL;
	if (PgBsonIterIs(iter, "$jsonSchema"))
		return parse_schema(iter);
	if (PgBsonIterIs(iter, "$expr"))
		return parse_expr(iter, in_element);
	/* the field of a reference (DBRef), in a query for elements */
	if (in_element && PgBsonKeyIsReference(iter->key, iter->key_len))
		return parse_path(iter);
	operator = find_operator(not_offered, lengthof(not_offered), iter);
	if (operator != NULL)
		report_not_offered(operator);
	report_unknown(iter);
}

/* A whole query or, with "in_element", that of $elemMatch; 22023 if the operand is not a document */
static PgBsonQuery *
parse_query(const PgBsonValue *doc, bool in_element)
{
	PgBsonQuery *node = PgBsonQueryNew(PGBSON_QUERY_AND, NULL);

	check_stack_depth();
	if (doc->type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("a bson query must be a document"),
							errdetail("It is of type %s.", PgBsonTypeName(doc->type)));
	PgBsonForEach(iter, PgBsonValueView(doc))
	{
		PgBsonQuery *child = parse_field(&iter, in_element);

		if (child != NULL)
			PgBsonQueryAdd(node, child);
	}
	expressions_last(node);
	return node->nchildren == 1 ? node->children[0] : node;
}

PgBsonQuery *
PgBsonQueryParse(const PgBsonValue *query)
{
	return parse_query(query, false);
}
