/*
 * match_parse.c
 *	  A MongoDB query document as a tree of tests.
 *
 * The authority is MongoDB's src/mongo/db/matcher/expression_parser.cpp.
 */
#include "mongo/query/match_operator.h"

#include "core/bytes/names.h"
#include "core/bytes/sort.h"
#include "core/number/number.h"
#include "mongo/common/match_path.h"

static PgBsonQuery *parse_query(const PgBsonValue *doc, bool in_element);
static PgBsonQuery *parse_operators(PgBsonOperators *ops);
static PgBsonOperatorParser parse_all, parse_elem_match, parse_not, parse_several, parse_always, parse_schema,
	parse_expr;

typedef struct Operator
{
	const char *name;
	PgBsonQueryKind kind;
	PgBsonOperatorParser *parse;	/* NULL: not offered, or ignored if there is no hint */
	const char *hint;			/* what to write instead */
	bool		negated;		/* it is the negation of what "parse" makes */
} Operator;

#define GEOMETRY_HINT \
	gettext_noop("The statements of bson_find_sql and of other commands have it, for which PostGIS must be there.")

/* Operators that test a path */
static const Operator operators[] = {
	{"$eq", PGBSON_QUERY_EQ, PgBsonParseComparison},
	{"$ne", PGBSON_QUERY_EQ, PgBsonParseComparison, .negated = true},
	{"$gt", PGBSON_QUERY_GT, PgBsonParseComparison},
	{"$gte", PGBSON_QUERY_GTE, PgBsonParseComparison},
	{"$lt", PGBSON_QUERY_LT, PgBsonParseComparison},
	{"$lte", PGBSON_QUERY_LTE, PgBsonParseComparison},
	{"$in", PGBSON_QUERY_IN, PgBsonParseIn},
	{"$nin", PGBSON_QUERY_IN, PgBsonParseIn, .negated = true},
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

/* Operators that stand in the place of a path */
static const Operator pathless[] = {
	{"$and", PGBSON_QUERY_AND, parse_several},
	{"$or", PGBSON_QUERY_OR, parse_several},
	{"$nor", PGBSON_QUERY_OR, parse_several, .negated = true},
	{"$alwaysTrue", PGBSON_QUERY_AND, parse_always},
	{"$alwaysFalse", PGBSON_QUERY_OR, parse_always},
	{"$comment"},
	{"$jsonSchema", PGBSON_QUERY_SCHEMA, parse_schema},
	{"$expr", PGBSON_QUERY_EXPR, parse_expr},
	{"$where", 0, NULL, gettext_noop("Write the condition in SQL.")},
	{"$text", 0, NULL, gettext_noop("Use full text search: to_tsvector(configuration, document) @@ a tsquery.")},
	{"$sampleRate", 0, NULL, gettext_noop("Use TABLESAMPLE or random().")}
};

/* Parse the operator "iter", whose row of a table this is; NULL if the test has no part for it */
static PgBsonQuery *
parse_query_operator(PgBsonOperators *ops, const Operator *operator, const PgBsonIter *iter)
{
	PgBsonQuery *made = NULL;

	if (operator == NULL)
		PgBsonReportInvalid(errmsg("unknown operator in a bson query: \"%s\"", iter->key));
	if (operator->parse != NULL)
		made = operator->parse(ops, operator->kind, operator->name, &iter->value);
	else if (operator->hint != NULL)
		PgBsonReportUnsupported(errmsg("operator \"%s\" is not supported in a bson query", operator->name),
								errhint("%s", _(operator->hint)));
	return operator->negated ? PgBsonQueryNot(made) : made;
}

bool
PgBsonQueryIsOperator(const PgBsonIter *field)
{
	return PgBsonRowNamed(operators, field->key, field->key_len) != NULL;
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
	if (PgBsonIsOperators(operand, true) && PgBsonFirst(operand, &iter) &&
		PgBsonRowNamed(pathless, iter.key, iter.key_len) == NULL)
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
		PgBsonQuery *child = parse_query_operator(ops, PgBsonRowNamed(operators, iter.key, iter.key_len), &iter);

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

/* Put $expr behind other conditions, which cost less and may decide before it raises an error */
static void
expressions_last(PgBsonQuery *node)
{
	PgBsonSort(node->children, node->nchildren, sizeof(PgBsonQuery *), compare_kinds);
}

/* $and, $or, $nor: an array of queries */
static PgBsonQuery *
parse_several(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	PgBsonQuery *node = PgBsonQueryNew(kind, NULL);

	if (operand->type != PGBSON_ARRAY)
		PgBsonWrongOperand(name, gettext_noop("An array of queries is expected."));
	PgBsonForEach(iter, PgBsonValueView(operand))
		PgBsonQueryAdd(node, parse_query(&iter.value, ops->in_element));
	if (node->nchildren == 0)
		PgBsonWrongOperand(name, gettext_noop("An array of at least one query is expected."));
	expressions_last(node);
	return node;
}

/* $alwaysTrue and $alwaysFalse: an AND, or an OR, without conditions */
static PgBsonQuery *
parse_always(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	int64		one;

	if (!PgBsonNumberToInt64(operand, &one) || one != 1)
		PgBsonWrongOperand(name, gettext_noop("The number 1 is expected."));
	return PgBsonQueryNew(kind, NULL);
}

static PgBsonQuery *
parse_schema(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	PgBsonQuery *node = PgBsonQueryNew(kind, NULL);

	node->schema = PgBsonSchemaParse(operand);
	return node;
}

/* $expr is about the whole document, so it cannot stand in a condition for elements */
static PgBsonQuery *
parse_expr(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	PgBsonQuery *node = PgBsonQueryNew(kind, NULL);

	if (ops->in_element)
		PgBsonWrongOperand(name, gettext_noop("It is for the document, and not for the elements of an array."));
	node->expression = PgBsonExpressionParseFor(operand, NULL);
	return node;
}

/* A path and its condition: operators, a regular expression, or a value to be equal to */
static PgBsonQuery *
parse_query_path(const PgBsonIter *iter)
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
	PgBsonOperators ops = {.in_element = in_element};

	if (iter->key_len == 0 || iter->key[0] != '$')
		return parse_query_path(iter);
	/* a field of a reference (DBRef) is equal to its operand, whatever that looks like */
	if (PgBsonKeyIsReference(iter->key, iter->key_len))
	{
		ops.path = PgBsonPathSplit(iter->key, iter->key_len, &ops.npath);
		return PgBsonParseComparison(&ops, PGBSON_QUERY_EQ, "$eq", &iter->value);
	}
	return parse_query_operator(&ops, PgBsonRowNamed(pathless, iter->key, iter->key_len), iter);
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
