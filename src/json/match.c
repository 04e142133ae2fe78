/*
 * match.c
 *	  A query made ready, against a document.
 */
#include "json/match.h"

#include "catalog/pg_collation.h"
#include "core/compare.h"
#include "core/number.h"
#include "json/recode.h"
#include "miscadmin.h"
#include "regex/regex.h"

/* Both numbers, and one of them NaN and the other not?  Nothing orders them. */
static bool
is_unordered(const PgBsonValue *a, const PgBsonValue *b)
{
	static const uint8 infinity_bytes[8] = {0, 0, 0, 0, 0, 0, 0xF0, 0xFF};
	PgBsonValue least = {PGBSON_DOUBLE, sizeof(infinity_bytes), infinity_bytes};

	/* NaN comes before the least number, -Infinity */
	return PgBsonIsNumber(a->type) && PgBsonIsNumber(b->type) &&
		(PgBsonNumberCompare(a, &least) < 0) != (PgBsonNumberCompare(b, &least) < 0);
}

/* A comparison operator on one value; NULL: the path leads nowhere, which is as null */
static bool
compare_holds(const PgBsonQuery *test, const PgBsonValue *value)
{
	static const PgBsonValue null = {PGBSON_NULL, 0, (const uint8 *) ""};
	const PgBsonValue *operand = &test->operand;
	PgBsonValue left = value != NULL ? *value : null;
	bool		ends = operand->type == PGBSON_MINKEY || operand->type == PGBSON_MAXKEY;
	int			cmp;

	if (PgBsonIsNullish(left.type))
		left = null;
	if (PgBsonIsNullish(operand->type))
		operand = &null;

	/* only within a type, but everything lies between the two ends */
	if (!(ends && test->kind != PGBSON_QUERY_EQ) &&
		PgBsonTypeRank(left.type) != PgBsonTypeRank(operand->type))
		return false;
	if (test->kind == PGBSON_QUERY_EQ)
		return PgBsonEqual(&left, operand);
	if (is_unordered(&left, operand))
		return false;
	cmp = PgBsonCompare(&left, operand);
	switch (test->kind)
	{
		case PGBSON_QUERY_GT:
			return cmp > 0;
		case PGBSON_QUERY_GTE:
			return cmp >= 0;
		case PGBSON_QUERY_LT:
			return cmp < 0;
		default:
			return cmp <= 0;
	}
}

static bool
regex_holds(const PgBsonQuery *test, const PgBsonValue *value)
{
	uint32		len;
	const char *utf8;
	const char *s;
	bool		matches;

	if (value->type == PGBSON_REGEX && test->operand.type == PGBSON_REGEX)
		return PgBsonEqual(value, &test->operand);
	if (value->type != PGBSON_STRING && value->type != PGBSON_SYMBOL)
		return false;
	s = utf8 = PgBsonValueString(value, &len);
	/* the server's matcher would stop there */
	if (memchr(utf8, 0, len) != NULL)
		return false;
	if (PgBsonServerRecodes())
		s = PgBsonToServerText(utf8, &len);
	matches = RE_compile_and_execute(test->pattern, unconstify(char *, s), len,
									 test->flags, DEFAULT_COLLATION_OID, 0, NULL);
	if (s != utf8)
		pfree(unconstify(char *, s));
	return matches;
}

static bool
in_holds(const PgBsonQuery *test, const PgBsonValue *value)
{
	if (value == NULL || PgBsonIsNullish(value->type))
		return test->with_null;
	if (PgBsonIsAmong(test->values, test->nvalues, value))
		return true;
	for (int i = 0; i < test->nchildren; i++)
	{
		if (regex_holds(test->children[i], value))
			return true;
	}
	return false;
}

/* $mod looks at the integer part, as MongoDB */
static bool
mod_holds(const PgBsonQuery *test, const PgBsonValue *value)
{
	int64		n;

	if (!PgBsonIsNumber(value->type))
		return false;
	if (!PgBsonNumberToInt64(value, &n))
	{
		bool		exact;
		double		d = PgBsonNumberToDouble(value, &exact);

		if (!(d > -9e18 && d < 9e18))
			return false;
		n = (int64) d;
	}
	/* INT64_MIN % -1 traps */
	return (test->divisor == -1 ? 0 : n % test->divisor) == test->remainder;
}

static bool
elem_holds(const PgBsonQuery *test, const PgBsonValue *value)
{
	PgBsonIter	iter;

	if (value->type != PGBSON_ARRAY)
		return false;
	PgBsonIterInit(&iter, PgBsonValueView(value));
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		if (test->kind == PGBSON_QUERY_ELEM_QUERY)
		{
			if (!PgBsonIsContainer(iter.value.type))
				continue;
			/* of an array within the array the positions are names, as MongoDB has it */
			iter.value.type = PGBSON_DOCUMENT;
		}
		if (PgBsonQueryMatches(test->children[0], &iter.value))
			return true;
	}
	return false;
}

/* A test on one value, as it is; NULL: the path leads nowhere */
static bool
test_holds(const PgBsonQuery *test, const PgBsonValue *value)
{
	if (test->kind == PGBSON_QUERY_IN)
		return in_holds(test, value);
	if (test->kind >= PGBSON_QUERY_EQ && test->kind <= PGBSON_QUERY_LTE)
		return compare_holds(test, value);
	if (value == NULL)
		return false;

	switch (test->kind)
	{
		case PGBSON_QUERY_EXISTS:
			return true;
		case PGBSON_QUERY_TYPE:
			return (test->types[value->type / 32] >> (value->type % 32)) & 1;
		case PGBSON_QUERY_MOD:
			return mod_holds(test, value);
		case PGBSON_QUERY_REGEX:
			return regex_holds(test, value);
		case PGBSON_QUERY_SIZE:
			return value->type == PGBSON_ARRAY &&
				PgBsonViewCount(PgBsonValueView(value)) == test->remainder;
		case PGBSON_QUERY_ELEM_QUERY:
		case PGBSON_QUERY_ELEM_VALUE:
			return elem_holds(test, value);
		default:
			elog(ERROR, "unexpected kind of bson query: %d", (int) test->kind);
			return false;
	}
}

/* Where the path ends: the elements of an array, unless the test is about the array itself, then the value */
static bool
leaf_holds(const PgBsonQuery *test, const PgBsonValue *value)
{
	PgBsonIter	iter;

	if (value->type == PGBSON_ARRAY && test->kind != PGBSON_QUERY_EXISTS &&
		test->kind < PGBSON_QUERY_SIZE)
	{
		PgBsonIterInit(&iter, PgBsonValueView(value));
		while (PgBsonIterNext(&iter))
		{
			if (test_holds(test, &iter.value))
				return true;
		}
	}
	return test_holds(test, value);
}

static bool path_holds(const PgBsonQuery *test, int i, const PgBsonValue *from);

/* The value that name i of the path led to */
static bool
arrive(const PgBsonQuery *test, int i, const PgBsonValue *value)
{
	if (i + 1 == test->npath)
		return leaf_holds(test, value);
	if (PgBsonIsContainer(value->type))
		return path_holds(test, i + 1, value);
	return test_holds(test, NULL);
}

/* Does any value pass to which the path leads, from its name i on? */
static bool
path_holds(const PgBsonQuery *test, int i, const PgBsonValue *from)
{
	const char *name = test->path[i].key;
	uint32		name_len = test->path[i].key_len;
	PgBsonView	view = PgBsonValueView(from);
	PgBsonValue value;
	PgBsonIter	iter;
	int32		index;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (from->type == PGBSON_DOCUMENT)
	{
		if (!PgBsonFindKey(view, name, name_len, &value))
			return test_holds(test, NULL);
		return arrive(test, i, &value);
	}

	/* an array: the element of that number, and the documents among its elements */
	if (name_len > 0 && name[0] >= '0' && name[0] <= '9' &&
		PgBsonStepAsIndex(name, name_len, &index) &&
		PgBsonFindIndex(view, index, &value) && arrive(test, i, &value))
		return true;
	PgBsonIterInit(&iter, view);
	while (PgBsonIterNext(&iter))
	{
		if (iter.value.type == PGBSON_DOCUMENT && path_holds(test, i, &iter.value))
			return true;
	}
	return false;
}

static bool
all_match(const PgBsonQuery *query, const PgBsonValue *value)
{
	for (int i = 0; i < query->nchildren; i++)
	{
		if (!PgBsonQueryMatches(query->children[i], value))
			return false;
	}
	return true;
}

bool
PgBsonQueryMatches(const PgBsonQuery *query, const PgBsonValue *doc)
{
	check_stack_depth();
	switch (query->kind)
	{
		case PGBSON_QUERY_AND:
			return all_match(query, doc);
		case PGBSON_QUERY_OR:
			for (int i = 0; i < query->nchildren; i++)
			{
				if (PgBsonQueryMatches(query->children[i], doc))
					return true;
			}
			return false;
		case PGBSON_QUERY_NOT:
			return !all_match(query, doc);
		default:
			if (query->npath == 0)
				return test_holds(query, doc);
			/* a root array is searched as one within a document would be */
			if (!PgBsonIsContainer(doc->type))
				return test_holds(query, NULL);
			return path_holds(query, 0, doc);
	}
}
