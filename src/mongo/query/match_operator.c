/*
 * match_operator.c
 *	  The operators of one path in a MongoDB query: {path: {operator: operand, ...}}.
 *
 * The authority for what each accepts is MongoDB's src/mongo/db/matcher/expression_parser.cpp (8.0).
 */
#include "mongo/query/match_operator.h"

#include "core/bytes/memory.h"
#include "core/number/number.h"
#include "core/order/compare.h"

/* MongoDB's number for MinKey, and the largest of its numbers for types except MaxKey's */
#define MINKEY_NUMBER	(-1)
#define LAST_NUMBER		PGBSON_DECIMAL128

void
PgBsonWrongOperand(const char *operator, const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid operand of \"%s\" in a bson query", operator),
						errdetail_internal("%s", _(detail)));
}

PgBsonQuery *
PgBsonQueryNew(PgBsonQueryKind kind, const PgBsonOperators *ops)
{
	PgBsonQuery *node = palloc0_object(PgBsonQuery);

	node->kind = kind;
	if (ops != NULL)
	{
		node->path = ops->path;
		node->npath = ops->npath;
	}
	return node;
}

void
PgBsonQueryAdd(PgBsonQuery *node, PgBsonQuery *child)
{
	node->children = PgBsonRoomForOne(node->children, node->nchildren, sizeof(PgBsonQuery *));
	node->children[node->nchildren++] = child;
}

PgBsonQuery *
PgBsonQueryNot(PgBsonQuery *child)
{
	PgBsonQuery *node = PgBsonQueryNew(PGBSON_QUERY_NOT, NULL);

	PgBsonQueryAdd(node, child);
	return node;
}

bool
PgBsonIsOperators(const PgBsonValue *value, bool incomplete_reference)
{
	bool		first = true;
	bool		ref = false;
	bool		id = false;
	bool		db = false;

	if (value->type != PGBSON_DOCUMENT)
		return false;
	PgBsonForEach(iter, PgBsonValueView(value))
	{
		if (first && (iter.key_len == 0 || iter.key[0] != '$'))
			return false;
		first = false;
		ref |= PgBsonIterIs(&iter, "$ref");
		id |= PgBsonIterIs(&iter, "$id");
		db |= PgBsonIterIs(&iter, "$db");
	}
	return !first && !(incomplete_reference ? ref || id || db : ref && id);
}

static void
refuse_undefined(const char *name, const PgBsonValue *operand)
{
	if (operand->type == PGBSON_UNDEFINED)
		PgBsonWrongOperand(name, gettext_noop("Nothing can be compared with undefined."));
}

PgBsonQuery *
PgBsonParseComparison(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	PgBsonQuery *node = PgBsonQueryNew(kind, ops);

	refuse_undefined(name, operand);
	if (operand->type == PGBSON_REGEX && strcmp(name, "$eq") != 0)
		PgBsonWrongOperand(name, gettext_noop("Only $eq compares with a regular expression."));
	node->operand = *operand;
	return node;
}

PgBsonQuery *
PgBsonParseIn(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	PgBsonQuery *node = PgBsonQueryNew(kind, ops);

	if (operand->type != PGBSON_ARRAY)
		PgBsonWrongOperand(name, gettext_noop("An array is expected."));
	node->values = PgBsonAllocList(PgBsonViewCount(PgBsonValueView(operand)), sizeof(PgBsonValue));
	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		refuse_undefined(name, &iter.value);
		if (PgBsonIsOperators(&iter.value, false))
			PgBsonWrongOperand(name, gettext_noop("The values must not be operators."));
		if (iter.value.type == PGBSON_REGEX)
		{
			PgBsonOperators alone = {0};

			PgBsonQueryAdd(node, PgBsonParseRegexValue(&alone, &iter.value));
		}
		else if (iter.value.type == PGBSON_NULL)
			node->with_null = true;
		else
			node->values[node->nvalues++] = iter.value;
	}
	node->nvalues = PgBsonSortDistinct(node->values, node->nvalues);
	return node;
}

/* $all with values and regular expressions */
PgBsonQuery *
PgBsonParseAllValues(PgBsonOperators *ops, const PgBsonValue *operand)
{
	PgBsonQuery *node = PgBsonQueryNew(PGBSON_QUERY_ALL, ops);
	PgBsonQuery *all = PgBsonQueryNew(PGBSON_QUERY_AND, NULL);

	all->operand = *operand;
	node->values = PgBsonAllocList(PgBsonViewCount(PgBsonValueView(operand)), sizeof(PgBsonValue));
	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		refuse_undefined("$all", &iter.value);
		if (iter.value.type == PGBSON_REGEX)
			PgBsonQueryAdd(all, PgBsonParseRegexValue(ops, &iter.value));
		else
			node->values[node->nvalues++] = iter.value;
	}
	node->nvalues = PgBsonSortDistinct(node->values, node->nvalues);
	node->seen = PgBsonAllocList(node->nvalues, sizeof(bool));
	/* $all of an empty array matches nothing */
	if (node->nvalues == 0 && all->nchildren == 0)
		all->kind = PGBSON_QUERY_OR;
	if (node->nvalues == 1)
	{
		node->kind = PGBSON_QUERY_EQ;
		node->operand = node->values[0];
	}
	if (node->nvalues > 0)
		PgBsonQueryAdd(all, node);
	return all;
}

/* Is the operand of $exists true?  False, 0, null and undefined are not. */
static bool
is_true_operand(const PgBsonValue *value)
{
	int64		n;

	if (value->type == PGBSON_BOOL)
		return value->data[0] != 0;
	if (PgBsonNumberToInt64(value, &n))
		return n != 0;
	return !PgBsonIsNullish(value->type);
}

PgBsonQuery *
PgBsonParseExists(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	PgBsonQuery *node = PgBsonQueryNew(kind, ops);

	return is_true_operand(operand) ? node : PgBsonQueryNot(node);
}

/* Read a type, by its alias or its number */
static void
add_type(PgBsonQuery *node, const char *name, const PgBsonValue *operand)
{
	int32		number;

	if (operand->type == PGBSON_STRING)
	{
		if (PgBsonTypeSetAddName(&node->types, PgBsonStringBytes(operand), PgBsonStringLength(operand)))
			return;
	}
	else if (PgBsonNumberToInt32(operand, &number))
	{
		if (number == MINKEY_NUMBER)
			number = PGBSON_MINKEY;
		else if (number < 1 || (number > LAST_NUMBER && number != PGBSON_MAXKEY))
			PgBsonWrongOperand(name, gettext_noop("There is no type of that number."));
		PgBsonTypeSetAdd(&node->types, number);
		return;
	}
	PgBsonWrongOperand(name,
					   gettext_noop("The name or number of a BSON type, or an array of them, is expected."));
}

PgBsonQuery *
PgBsonParseType(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	PgBsonQuery *node = PgBsonQueryNew(kind, ops);

	if (operand->type != PGBSON_ARRAY)
	{
		add_type(node, name, operand);
		return node;
	}
	if (operand->len == PGBSON_MIN_SIZE)
		PgBsonWrongOperand(name, gettext_noop("An array of at least one type is expected."));
	PgBsonForEach(iter, PgBsonValueView(operand))
		add_type(node, name, &iter.value);
	return node;
}

PgBsonQuery *
PgBsonParseMod(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	PgBsonQuery *node = PgBsonQueryNew(kind, ops);
	PgBsonIter	iter;

	if (operand->type == PGBSON_ARRAY && PgBsonFirst(operand, &iter) &&
		PgBsonNumberTruncate(&iter.value, &node->divisor) &&
		PgBsonIterNext(&iter) && PgBsonNumberTruncate(&iter.value, &node->remainder) &&
		!PgBsonIterNext(&iter) && node->divisor != 0)
		return node;
	PgBsonWrongOperand(name,
					   gettext_noop("An array of a divisor that is not 0 and a remainder, both 64-bit integers once their fractions are cut off, is expected."));
	return NULL;				/* keep compiler quiet */
}

PgBsonQuery *
PgBsonParseSize(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	PgBsonQuery *node = PgBsonQueryNew(kind, ops);
	int32		size;

	if (!PgBsonNumberToInt32(operand, &size) || size < 0)
		PgBsonWrongOperand(name, gettext_noop("A 32-bit integer that is not negative is expected."));
	node->remainder = size;
	return node;
}

static void
set_bits(PgBsonQuery *node, const uint8 *bytes, uint32 len)
{
	node->bits = bytes;
	node->nbytes = len;
	for (uint32 i = 0; i < len; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (bytes[i] != 0)
			node->mask |= i < sizeof(node->mask) ? (uint64) bytes[i] << (i * 8) : UINT64CONST(1) << 63;
	}
}

PgBsonQuery *
PgBsonParseBits(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	PgBsonQuery *node = PgBsonQueryNew(kind, ops);
	int32		position;
	int64		mask;
	uint8	   *bytes;

	if (operand->type == PGBSON_ARRAY)
	{
		node->positions = PgBsonAllocList(PgBsonViewCount(PgBsonValueView(operand)), sizeof(uint32));
		PgBsonForEach(iter, PgBsonValueView(operand))
		{
			if (!PgBsonNumberToInt32(&iter.value, &position) || position < 0)
				PgBsonWrongOperand(name,
								   gettext_noop("The positions of bits must be 32-bit integers that are not negative."));
			/* beyond bit 63 a number has copies of this bit, its sign */
			node->mask |= UINT64CONST(1) << Min(position, 63);
			node->positions[node->npositions++] = position;
		}
	}
	else if (operand->type == PGBSON_BINARY)
	{
		/* the data follow length and subtype; for subtype 2 MongoDB counts the inner length among them */
		set_bits(node, operand->data + 5, operand->len - 5);
	}
	else
	{
		if (!PgBsonNumberToInt64(operand, &mask) || mask < 0)
			PgBsonWrongOperand(name,
							   gettext_noop("A 64-bit integer that is not negative, a binary value, or an array of the positions of bits is expected."));
		bytes = palloc(sizeof(mask));
		PgBsonWriteU64(bytes, mask);
		set_bits(node, bytes, sizeof(mask));
	}
	return node;
}

/* A test of strings by a regular expression, which the same expression as a stored value meets, too */
static PgBsonQuery *
make_regex(PgBsonOperators *ops, const char *pattern, uint32 pattern_len,
		   const char *options, uint32 options_len)
{
	PgBsonQuery *node = PgBsonQueryNew(PGBSON_QUERY_REGEX, ops);
	char	   *stored;

	node->regex = PgBsonRegexMake(pattern, pattern_len, options, options_len);
	stored = palloc(pattern_len + options_len + 2);
	memcpy(stored, pattern, pattern_len);
	stored[pattern_len] = '\0';
	memcpy(stored + pattern_len + 1, options, options_len);
	stored[pattern_len + 1 + options_len] = '\0';
	node->operand.type = PGBSON_REGEX;
	node->operand.data = (const uint8 *) stored;
	node->operand.len = pattern_len + options_len + 2;
	return node;
}

PgBsonQuery *
PgBsonParseRegexValue(PgBsonOperators *ops, const PgBsonValue *regex)
{
	const char *pattern = (const char *) regex->data;
	Size		pattern_len = strlen(pattern);
	const char *options = pattern + pattern_len + 1;

	return make_regex(ops, pattern, pattern_len, options, strlen(options));
}

static void
refuse_options_twice(void)
{
	PgBsonWrongOperand("$regex",
					   gettext_noop("The options must be either in the regular expression or in $options."));
}

/* Read $regex and $options, of each the last one; empty $options count as given if they come after $regex */
PgBsonQuery *
PgBsonParseRegex(PgBsonOperators *ops, PgBsonQueryKind kind, const char *name, const PgBsonValue *operand)
{
	const char *pattern = NULL;
	uint32		pattern_len = 0;
	const char *options = "";
	uint32		options_len = 0;

	if (ops->regex_done)
		return NULL;
	ops->regex_done = true;

	PgBsonForEach(iter, ops->doc)
	{
		if (PgBsonIterIs(&iter, "$options"))
		{
			if (iter.value.type != PGBSON_STRING)
				PgBsonWrongOperand("$options", gettext_noop("A string is expected."));
			if (options_len > 0)
				refuse_options_twice();
			options = PgBsonValueString(&iter.value, &options_len);
		}
		else if (PgBsonIterIs(&iter, "$regex"))
		{
			if (iter.value.type == PGBSON_STRING)
			{
				pattern = PgBsonValueString(&iter.value, &pattern_len);
				continue;
			}
			if (iter.value.type != PGBSON_REGEX)
				PgBsonWrongOperand("$regex",
								   gettext_noop("A string or a regular expression is expected."));
			pattern = (const char *) iter.value.data;
			pattern_len = strlen(pattern);
			if (pattern[pattern_len + 1] == '\0')
				continue;
			if (options_len > 0)
				refuse_options_twice();
			options = pattern + pattern_len + 1;
			options_len = strlen(options);
		}
	}
	if (pattern == NULL)
		PgBsonWrongOperand("$options", gettext_noop("A \"$regex\" is expected in the same document."));
	return make_regex(ops, pattern, pattern_len, options, options_len);
}
