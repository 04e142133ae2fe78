/*
 * match.c
 *	  Testing documents by a parsed query.
 *
 * The authority for each test is MongoDB's src/mongo/db/matcher/expression_leaf.cpp
 * and the files beside it (8.0).
 */
#include "mongo/query/match.h"

#include <math.h>

#include "core/number/number.h"
#include "core/order/compare.h"
#include "mongo/common/match_path.h"

/* Is exactly one of two numbers NaN?  Then neither is less than the other. */
static bool
is_unordered(const PgBsonValue *a, const PgBsonValue *b)
{
	/* the most common case first */
	if (PgBsonIsInteger(a->type) && PgBsonIsInteger(b->type))
		return false;
	return isnan(PgBsonDoubleOf(a)) != isnan(PgBsonDoubleOf(b));
}

/* Test one value by a comparison operator */
static bool
compare_holds(const PgBsonQuery *test, const PgBsonValue *value)
{
	/* the results of a comparison that each operator takes: 1 less, 2 equal, 4 greater */
	static const uint8 takes[] = {
		[PGBSON_QUERY_EQ] = 2, [PGBSON_QUERY_GT] = 4, [PGBSON_QUERY_GTE] = 6, [PGBSON_QUERY_LT] = 1,
		[PGBSON_QUERY_LTE] = 3
	};
	const PgBsonValue *operand = &test->operand;
	int			cmp;

	if (PgBsonIsNumber(operand->type))
	{
		if (!PgBsonIsNumber(value->type) ||
			(test->kind != PGBSON_QUERY_EQ && is_unordered(value, operand)))
			return false;
		cmp = PgBsonNumberCompare(value, operand);
	}
	else
	{
		if (test->kind == PGBSON_QUERY_EQ)
			return PgBsonEqual(value, operand);
		/* values of different types do not compare, except with MinKey and MaxKey */
		if (value->type != operand->type && operand->type != PGBSON_MINKEY &&
			operand->type != PGBSON_MAXKEY &&
			PgBsonTypeRank(value->type) != PgBsonTypeRank(operand->type))
			return false;
		cmp = PgBsonCompare(value, operand);
	}
	return (takes[test->kind] & (cmp < 0 ? 1 : cmp == 0 ? 2 : 4)) != 0;
}

static bool
regex_holds(const PgBsonQuery *test, const PgBsonValue *value)
{
	if (value->type == PGBSON_REGEX)
		return PgBsonSameBytes(value, &test->operand);
	if (value->type != PGBSON_STRING && value->type != PGBSON_SYMBOL)
		return false;
	return PgBsonRegexMatches(test->regex, PgBsonStringBytes(value), PgBsonStringLength(value));
}

/* $in: is the value in the list, or does it match one of the regular expressions? */
static bool
in_holds(const PgBsonQuery *test, const PgBsonValue *value)
{
	if (value->type == PGBSON_NULL)
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

/* $mod: numbers are truncated to integers; values of other types do not match */
static bool
mod_holds(const PgBsonQuery *test, const PgBsonValue *value)
{
	int64		n;

	if (!PgBsonIsNumber(value->type) || !PgBsonNumberTruncate(value, &n))
		return false;
	/* INT64_MIN % -1 traps */
	return (test->divisor == -1 ? 0 : n % test->divisor) == test->remainder;
}

/* Is the bit set?  Bits beyond the end of binary data are not. */
static bool
has_bit(const uint8 *data, uint32 len, uint32 position)
{
	return position / 8 < len && (data[position / 8] >> (position % 8) & 1) != 0;
}

/* Do all bits that are tested or, unless "all", one of them have the wanted value in the data? */
static bool
bytes_hold(const PgBsonQuery *test, const uint8 *data, uint32 len, bool set, bool all)
{
	for (uint32 i = 0; i < test->nbytes; i++)
	{
		uint8		byte = i < len ? data[i] : 0;
		uint8		found = (set ? byte : ~byte) & test->bits[i];

		CHECK_FOR_INTERRUPTS();
		if (all ? found != test->bits[i] : found != 0)
			return !all;
	}
	return all;
}

/* $bitsAllSet and the like, for numbers that are 64-bit integers, and for binary data */
static bool
bits_hold(const PgBsonQuery *test, const PgBsonValue *value)
{
	bool		set = test->kind == PGBSON_QUERY_BITS_ALL_SET || test->kind == PGBSON_QUERY_BITS_ANY_SET;
	bool		all = test->kind == PGBSON_QUERY_BITS_ALL_SET || test->kind == PGBSON_QUERY_BITS_ALL_CLEAR;
	int64		n;
	uint64		found;

	if (PgBsonNumberToInt64(value, &n))
	{
		found = (set ? (uint64) n : ~(uint64) n) & test->mask;
		return all ? found == test->mask : found != 0;
	}
	if (value->type != PGBSON_BINARY)
		return false;
	/* the data follow length and subtype; for subtype 2 MongoDB counts the inner length among them */
	if (test->bits != NULL)
		return bytes_hold(test, value->data + 5, value->len - 5, set, all);
	for (int i = 0; i < test->npositions; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (has_bit(value->data + 5, value->len - 5, test->positions[i]) == set ? !all : all)
			return !all;
	}
	return all;
}

int32
PgBsonQueryFindElement(const PgBsonQuery *test, const PgBsonValue *value)
{
	int32		position = 0;

	if (value->type != PGBSON_ARRAY)
		return -1;
	PgBsonForEach(iter, PgBsonValueView(value))
	{
		bool		fits = test->kind == PGBSON_QUERY_ELEM_VALUE || PgBsonIsContainer(iter.value.type);

		/* for $elemMatch on an array within an array, MongoDB takes positions as names */
		if (test->kind == PGBSON_QUERY_ELEM_QUERY)
			iter.value.type = PGBSON_DOCUMENT;
		if (fits && PgBsonQueryMatches(test->children[0], &iter.value))
			return position;
		position++;
	}
	return -1;
}

static bool
expression_holds(const PgBsonQuery *test, const PgBsonValue *doc)
{
	PgBsonValue result = PgBsonExpressionEvaluate(test->expression, doc, NULL, NULL);

	return PgBsonExprIsTrue(&result);
}

/* Does the test hold if the path leads to nothing?  Comparisons and lists take a missing value as null. */
static bool
nothing_holds(const PgBsonQuery *test)
{
	if (test->kind >= PGBSON_QUERY_EQ && test->kind <= PGBSON_QUERY_LTE)
		return compare_holds(test, &PgBsonNull);
	return test->kind == PGBSON_QUERY_IN && test->with_null;
}

bool
PgBsonQueryValueHolds(const PgBsonQuery *test, const PgBsonValue *value)
{
	if (value == NULL)
		return nothing_holds(test);
	switch (test->kind)
	{
		case PGBSON_QUERY_EQ:
		case PGBSON_QUERY_GT:
		case PGBSON_QUERY_GTE:
		case PGBSON_QUERY_LT:
		case PGBSON_QUERY_LTE:
			return compare_holds(test, value);
		case PGBSON_QUERY_IN:
			return in_holds(test, value);
		case PGBSON_QUERY_EXISTS:
			return true;
		case PGBSON_QUERY_TYPE:
			return PgBsonTypeSetHas(&test->types, value->type);
		case PGBSON_QUERY_MOD:
			return mod_holds(test, value);
		case PGBSON_QUERY_REGEX:
			return regex_holds(test, value);
		case PGBSON_QUERY_BITS_ALL_SET:
		case PGBSON_QUERY_BITS_ALL_CLEAR:
		case PGBSON_QUERY_BITS_ANY_SET:
		case PGBSON_QUERY_BITS_ANY_CLEAR:
			return bits_hold(test, value);
		case PGBSON_QUERY_SIZE:
			return value->type == PGBSON_ARRAY &&
				PgBsonViewCount(PgBsonValueView(value)) == test->remainder;
		case PGBSON_QUERY_ELEM_QUERY:
		case PGBSON_QUERY_ELEM_VALUE:
			return PgBsonQueryFindElement(test, value) >= 0;
		case PGBSON_QUERY_SCHEMA:
			return PgBsonSchemaHolds(test->schema, value);
		case PGBSON_QUERY_EXPR:
			return expression_holds(test, value);
		default:
			elog(ERROR, "unexpected kind of bson query: %d", (int) test->kind);
			return false;
	}
}

/* A visitor of paths */
static bool
test_holds_for(const PgBsonValue *value, void *arg)
{
	return PgBsonQueryValueHolds(arg, value);
}

/* While $all is tested: which of its values were seen, and how many are left */
typedef struct AllSeen
{
	const PgBsonQuery *test;
	int			left;
} AllSeen;

/* A visitor of paths for $all: mark the value as seen; true when all values are */
static bool
see_value(const PgBsonValue *value, void *arg)
{
	AllSeen    *all = arg;
	const PgBsonQuery *test = all->test;
	const PgBsonValue *found = PgBsonFindAmong(test->values, test->nvalues, value != NULL ? value : &PgBsonNull);

	if (found == NULL || test->seen[found - test->values])
		return false;
	test->seen[found - test->values] = true;
	return --all->left == 0;
}

bool
PgBsonQueryTestFrom(const PgBsonQuery *test, int name, const PgBsonValue *value)
{
	bool		whole = test->kind >= PGBSON_QUERY_SIZE || test->npath == 0;
	PgBsonPathVisitor visit = test_holds_for;
	void	   *arg = unconstify(PgBsonQuery *, test);
	AllSeen		all = {test, test->nvalues};
	PgBsonValue inner;

	/* the most common cases first: a scalar at the end of the path; the path leads through documents */
	if (name >= test->npath && value != NULL && !PgBsonIsContainer(value->type) && test->kind != PGBSON_QUERY_ALL)
		return PgBsonQueryValueHolds(test, value);
	for (; name < test->npath && value != NULL && value->type == PGBSON_DOCUMENT; name++)
	{
		inner = *value;
		value = PgBsonPathField(&test->path[name], &inner) ? &inner : NULL;
	}
	if (test->kind == PGBSON_QUERY_ALL)
	{
		memset(test->seen, 0, test->nvalues * sizeof(bool));
		visit = see_value;
		arg = &all;
	}
	if (name < test->npath && value != NULL)
		return PgBsonPathVisit(test->path, test->npath, name, whole, value, NULL, visit, arg);
	if (value != NULL && value->type == PGBSON_ARRAY && !whole)
	{
		PgBsonForEach(iter, PgBsonValueView(value))
		{
			if (visit(&iter.value, arg))
				return true;
		}
	}
	return visit(value, arg);
}

static bool
all_match(const PgBsonQuery *query, const PgBsonValue *value)
{
	for (int i = 0; i < query->nchildren; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!PgBsonQueryMatches(query->children[i], value))
			return false;
	}
	return true;
}

bool
PgBsonQueryHas(const PgBsonQuery *query, PgBsonQueryKind kind)
{
	check_stack_depth();
	if (query->kind == kind)
		return true;
	for (int i = 0; i < query->nchildren; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (PgBsonQueryHas(query->children[i], kind))
			return true;
	}
	return false;
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
				CHECK_FOR_INTERRUPTS();
				if (PgBsonQueryMatches(query->children[i], doc))
					return true;
			}
			return false;
		case PGBSON_QUERY_NOT:
			return !all_match(query, doc);
		default:
			return PgBsonQueryTestFrom(query, 0, doc);
	}
}
