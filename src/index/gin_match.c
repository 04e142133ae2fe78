/*
 * gin_match.c
 *	  The conditions that a MongoDB query sets on a row's keys.
 *
 * Equality and comparisons become keys, as in a jsonpath (gin_jsonpath.c).
 * Other tests require at least that there is a value.  A test that a missing
 * value can satisfy, such as equality with null or any negated test, requires
 * nothing.
 */
#include "index/gin.h"

#include "mongo/query/match.h"

/*
 * A number in a path may be a name or a position in an array, so each doubles the places to look
 * at; a path with more numbers than this sets no condition
 */
#define MAX_NUMBERS		2

static PgBsonGinNode *query_condition(PgBsonGinKeys *keys, const PgBsonQuery *query,
									  const PgBsonGinPath *at, bool proves);

static PgBsonGinNode *
existence_of_path(PgBsonGinKeys *keys, const PgBsonGinPath *path)
{
	return PgBsonGinExists(keys, path, false);
}

/* The condition that there is a value at the path, for a test that keys say nothing about */
static PgBsonGinNode *
other_test(PgBsonGinKeys *keys, const PgBsonGinPath *path)
{
	PgBsonGinComparison c;
	PgBsonGinNode *node;

	c.op = jpiLikeRegex;
	c.nforms = 0;
	c.plain_proves = c.element_proves = false;
	node = keys->class->compare(keys, path, &c);
	return PgBsonGinHint(node != NULL ? node : existence_of_path(keys, path));
}

/* The condition that some value at the path compares with the given one as "op" says */
static PgBsonGinNode *
comparison(PgBsonGinKeys *keys, JsonPathItemType op, const PgBsonValue *operand,
		   const PgBsonGinPath *path, bool proves)
{
	PgBsonGinComparison c;
	PgBsonGinNode *node;

	/* a missing value counts as null, so null sets no condition; and every value lies between MinKey and MaxKey */
	if (PgBsonIsNullish(operand->type) ||
		(op != jpiEqual &&
		 (operand->type == PGBSON_MINKEY || operand->type == PGBSON_MAXKEY)))
		return NULL;

	if (PgBsonIsContainer(operand->type))
		return other_test(keys, path);
	c.op = op;
	c.nforms = 1;
	c.forms[0] = *operand;
	c.plain_proves = c.element_proves = proves;
	node = keys->class->compare(keys, path, &c);
	return node != NULL ? node : existence_of_path(keys, path);
}

/* The conditions that each of the test's values is there */
static List *
each_value(PgBsonGinKeys *keys, const PgBsonQuery *test, const PgBsonGinPath *path, bool proves)
{
	List	   *nodes = NIL;

	for (int i = 0; i < test->nvalues; i++)
	{
		CHECK_FOR_INTERRUPTS();
		nodes = lappend(nodes, comparison(keys, jpiEqual, &test->values[i], path, proves));
	}
	return nodes;
}

/* The condition of $in: the value is in the list, or is a string that matches one of its regular expressions */
static PgBsonGinNode *
membership(PgBsonGinKeys *keys, const PgBsonQuery *test, const PgBsonGinPath *path, bool proves)
{
	if (test->with_null)
		return NULL;
	if (test->nchildren > 0)
		return other_test(keys, path);
	/* no row satisfies $in of an empty list, but that is too rare to be handled */
	return PgBsonGinAny(each_value(keys, test, path, proves));
}

/* The condition of a regular expression: that a string begins as it must, or that the expression itself is there */
static PgBsonGinNode *
from_pattern(PgBsonGinKeys *keys, const PgBsonQuery *test, const PgBsonGinPath *path)
{
	PgBsonGinComparison c = {jpiStartsWith, 1};
	PgBsonGinNode *node = NULL;

	if (PgBsonRegexPrefix(&test->operand, &c.forms[0]))
		node = keys->class->compare(keys, path, &c);
	if (node == NULL)
		return other_test(keys, path);
	return PgBsonGinHint(PgBsonGinAny(list_make2(node, comparison(keys, jpiEqual, &test->operand, path, false))));
}

/* The condition that a test sets on the values at the path */
static PgBsonGinNode *
test_condition(PgBsonGinKeys *keys, const PgBsonQuery *test, const PgBsonGinPath *path, bool proves)
{
	switch (test->kind)
	{
		case PGBSON_QUERY_EQ:
			return comparison(keys, jpiEqual, &test->operand, path, proves);
		case PGBSON_QUERY_GT:
			return comparison(keys, jpiGreater, &test->operand, path, proves);
		case PGBSON_QUERY_GTE:
			return comparison(keys, jpiGreaterOrEqual, &test->operand, path, proves);
		case PGBSON_QUERY_LT:
			return comparison(keys, jpiLess, &test->operand, path, proves);
		case PGBSON_QUERY_LTE:
			return comparison(keys, jpiLessOrEqual, &test->operand, path, proves);
		case PGBSON_QUERY_IN:
			return membership(keys, test, path, proves);
		case PGBSON_QUERY_ALL:
			return PgBsonGinAll(each_value(keys, test, path, proves));
		case PGBSON_QUERY_REGEX:
			return from_pattern(keys, test, path);
		case PGBSON_QUERY_EXISTS:
			return PgBsonGinExists(keys, path, proves);
		case PGBSON_QUERY_ELEM_QUERY:
		case PGBSON_QUERY_ELEM_VALUE:
			/* one and the same element must satisfy all conditions of $elemMatch, but keys do not identify elements */
			return PgBsonGinHint(PgBsonGinAll(list_make2(existence_of_path(keys, path),
														 query_condition(keys, test->children[0],
																		 path, false))));
		default:
			return other_test(keys, path);
	}
}

/*
 * Follow the test's path from its name "i" on and set the condition at its end; "numbers" more
 * names may be taken as positions
 */
static PgBsonGinNode *
query_path_condition(PgBsonGinKeys *keys, const PgBsonQuery *test, int i, const PgBsonGinPath *at,
			   bool proves, int numbers)
{
	PgBsonGinPath here = *at;
	const char *name;
	PgBsonGinNode *as_position;

	check_stack_depth();
	if (i == test->npath)
		return test_condition(keys, test, at, proves);

	/* in a path such as "a.", MongoDB ignores the empty name behind the dot if "a" is an array */
	if (i > 0 && i + 1 == test->npath && test->path[i].key_len == 0)
		return NULL;
	name = test->path[i].key;
	PgBsonGinPathAddKey(&here, name, test->path[i].key_len);
	if (test->path[i].key_len == 0 || name[0] < '0' || name[0] > '9')
		return query_path_condition(keys, test, i + 1, &here, proves, numbers);

	if (numbers == 0)
		return NULL;
	as_position = query_path_condition(keys, test, i + 1, at, false, numbers - 1);
	return PgBsonGinAny(list_make2(query_path_condition(keys, test, i + 1, &here, proves, numbers - 1),
								   as_position));
}

static PgBsonGinNode *
query_condition(PgBsonGinKeys *keys, const PgBsonQuery *query, const PgBsonGinPath *at, bool proves)
{
	List	   *nodes = NIL;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	switch (query->kind)
	{
		case PGBSON_QUERY_AND:
		case PGBSON_QUERY_OR:
		case PGBSON_QUERY_NOT:
			for (int i = 0; i < query->nchildren; i++)
				nodes = lappend(nodes, query_condition(keys, query->children[i], at, proves));
			if (query->kind == PGBSON_QUERY_OR)
				return PgBsonGinAny(nodes);
			if (query->kind == PGBSON_QUERY_AND)
				return PgBsonGinAll(nodes);
			return PgBsonGinNot(keys, PgBsonGinAll(nodes));
		case PGBSON_QUERY_SCHEMA:
			/* $jsonSchema is mostly used to validate documents, not to select them, so no keys are made of it */
			return NULL;
		case PGBSON_QUERY_EXPR:
			/* $expr compares values of one document with each other, about which keys say nothing */
			return NULL;
		default:
			return query_path_condition(keys, query, 0, at, proves, MAX_NUMBERS);
	}
}

PgBsonGinNode *
PgBsonGinFromMatch(PgBsonGinKeys *keys, const PgBsonValue *query)
{
	PgBsonGinPath root;

	PgBsonGinPathInit(&root);
	return query_condition(keys, PgBsonQueryParse(query), &root, true);
}
