/*
 * match_parse.c
 *	  A MongoDB query document as a tree of tests.
 */
#include "json/match.h"

#include "catalog/pg_collation.h"
#include "core/compare.h"
#include "core/number.h"
#include "core/value.h"
#include "json/recode.h"
#include "miscadmin.h"
#include "regex/regex.h"
#include "utils/builtins.h"

static PgBsonQuery *parse_query(const PgBsonValue *doc);
static PgBsonQuery *parse_operators(PgBsonView operators, const PgBsonStep *path, int npath);

pg_noreturn static void
wrong_operand(const char *operator, const char *expected)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid operand of \"%s\" in a bson query", operator),
			 errdetail("%s is expected.", expected)));
}

static PgBsonQuery *
new_node(PgBsonQueryKind kind, const PgBsonStep *path, int npath)
{
	PgBsonQuery *node = palloc0_object(PgBsonQuery);

	node->kind = kind;
	node->path = path;
	node->npath = npath;
	return node;
}

static void
add_child(PgBsonQuery *node, PgBsonQuery *child)
{
	/* doubled at powers of two */
	if ((node->nchildren & (node->nchildren - 1)) == 0)
	{
		Size		size = sizeof(PgBsonQuery *) * Max(node->nchildren * 2, 1);

		node->children = node->children == NULL ? palloc(size) : repalloc(node->children, size);
	}
	node->children[node->nchildren++] = child;
}

static PgBsonQuery *
not_of(PgBsonQuery *child)
{
	PgBsonQuery *node = new_node(PGBSON_QUERY_NOT, NULL, 0);

	add_child(node, child);
	return node;
}

/*
 * A regular expression, MongoDB's options as the server's flags: i, m, x, s.
 * Without s a dot does not match a newline.
 */
static PgBsonQuery *
parse_regex(const char *pattern, uint32 pattern_len, const char *options, uint32 options_len,
			const PgBsonStep *path, int npath)
{
	PgBsonQuery *node = new_node(PGBSON_QUERY_REGEX, path, npath);
	const char *s;

	if (memchr(pattern, 0, pattern_len) != NULL)
		wrong_operand("$regex", "A pattern without U+0000");
	node->flags = REG_ADVANCED | REG_NOSUB | REG_NLSTOP;
	for (uint32 i = 0; i < options_len; i++)
	{
		switch (options[i])
		{
			case 'i':
				node->flags |= REG_ICASE;
				break;
			case 'm':
				node->flags |= REG_NLANCH;
				break;
			case 's':
				node->flags &= ~REG_NLSTOP;
				break;
			case 'x':
				node->flags |= REG_EXPANDED;
				break;
			case 'u':			/* text is Unicode anyway */
				break;
			default:
				wrong_operand("$options", "A string of the options i, m, s, u, x");
		}
	}

	s = PgBsonToServerText(pattern, &pattern_len);
	node->pattern = cstring_to_text_with_len(s, pattern_len);
	/* a bad one is an error now, not at the first string it meets */
	RE_compile_and_cache(node->pattern, node->flags, DEFAULT_COLLATION_OID);
	return node;
}

static PgBsonQuery *
parse_regex_value(const PgBsonValue *regex, const PgBsonStep *path, int npath)
{
	const char *pattern = (const char *) regex->data;
	Size		pattern_len = strlen(pattern);
	const char *options = pattern + pattern_len + 1;
	PgBsonQuery *node = parse_regex(pattern, pattern_len, options, strlen(options), path, npath);

	node->operand = *regex;		/* it also matches itself */
	return node;
}

/* $regex, with the $options beside it */
static PgBsonQuery *
parse_regex_operator(PgBsonView operators, const PgBsonValue *operand,
					 const PgBsonStep *path, int npath)
{
	PgBsonIter	iter;
	const char *options = "";
	uint32		options_len = 0;
	const char *pattern;
	uint32		pattern_len;

	PgBsonIterInit(&iter, operators);
	while (PgBsonIterNext(&iter))
	{
		if (!PgBsonIterIs(&iter, "$options"))
			continue;
		if (iter.value.type != PGBSON_STRING)
			wrong_operand("$options", "A string of the options i, m, s, u, x");
		options = PgBsonValueString(&iter.value, &options_len);
	}

	if (operand->type == PGBSON_REGEX && options_len == 0)
		return parse_regex_value(operand, path, npath);
	if (operand->type == PGBSON_REGEX)
		pattern_len = strlen(pattern = (const char *) operand->data);
	else if (operand->type == PGBSON_STRING)
		pattern = PgBsonValueString(operand, &pattern_len);
	else
		wrong_operand("$regex", "A string or regular expression");
	return parse_regex(pattern, pattern_len, options, options_len, path, npath);
}

static PgBsonQuery *
parse_in(const PgBsonValue *operand, const PgBsonStep *path, int npath)
{
	PgBsonQuery *node = new_node(PGBSON_QUERY_IN, path, npath);
	PgBsonIter	iter;

	if (operand->type != PGBSON_ARRAY)
		wrong_operand("$in", "An array");
	node->values = palloc_array(PgBsonValue, PgBsonViewCount(PgBsonValueView(operand)) + 1);
	PgBsonIterInit(&iter, PgBsonValueView(operand));
	while (PgBsonIterNext(&iter))
	{
		if (iter.value.type == PGBSON_REGEX)
			add_child(node, parse_regex_value(&iter.value, NULL, 0));
		if (PgBsonIsNullish(iter.value.type))
			node->with_null = true;
		else
			node->values[node->nvalues++] = iter.value;
	}
	/* so that a long list is searched and not walked */
	qsort(node->values, node->nvalues, sizeof(PgBsonValue), PgBsonCompareSorted);
	return node;
}

/* $all: a conjunction of equalities, or of $elemMatches */
static PgBsonQuery *
parse_all(const PgBsonValue *operand, const PgBsonStep *path, int npath)
{
	PgBsonQuery *node = new_node(PGBSON_QUERY_AND, NULL, 0);
	PgBsonIter	iter;

	if (operand->type != PGBSON_ARRAY)
		wrong_operand("$all", "An array");
	PgBsonIterInit(&iter, PgBsonValueView(operand));
	while (PgBsonIterNext(&iter))
	{
		PgBsonIter	field;
		PgBsonQuery *child;

		if (iter.value.type == PGBSON_DOCUMENT)
		{
			PgBsonIterInit(&field, PgBsonValueView(&iter.value));
			if (PgBsonIterNext(&field) && PgBsonIterIs(&field, "$elemMatch"))
			{
				add_child(node, parse_operators(PgBsonValueView(&iter.value), path, npath));
				continue;
			}
		}
		if (iter.value.type == PGBSON_REGEX)
			child = parse_regex_value(&iter.value, path, npath);
		else
		{
			child = new_node(PGBSON_QUERY_EQ, path, npath);
			child->operand = iter.value;
		}
		add_child(node, child);
	}
	/* $all of nothing matches nothing */
	if (node->nchildren == 0)
		node->kind = PGBSON_QUERY_OR;
	return node;
}

static void
set_type(PgBsonQuery *node, PgBsonType type)
{
	node->types[type / 32] |= (uint32) 1 << (type % 32);
}

/* One type, by its alias or its number */
static void
add_type(PgBsonQuery *node, const PgBsonValue *operand)
{
	int32		number;

	if (operand->type == PGBSON_STRING)
	{
		uint32		len;
		const char *alias = PgBsonValueString(operand, &len);

		if (PgBsonKeyIs(alias, len, "number"))
		{
			set_type(node, PGBSON_INT32);
			set_type(node, PGBSON_INT64);
			set_type(node, PGBSON_DOUBLE);
			set_type(node, PGBSON_DECIMAL128);
			return;
		}
		for (int type = 1; type < 256; type++)
		{
			if (PgBsonSizeClass[type] != PGBSON_SIZE_UNKNOWN &&
				PgBsonKeyIs(alias, len, PgBsonTypeName(type)))
			{
				set_type(node, type);
				return;
			}
		}
	}
	else if (PgBsonNumberToInt32(operand, &number))
	{
		/* MongoDB writes MinKey as -1 */
		if (number == -1)
			number = PGBSON_MINKEY;
		if (number > 0 && number < 256 && PgBsonSizeClass[number] != PGBSON_SIZE_UNKNOWN)
		{
			set_type(node, number);
			return;
		}
	}
	wrong_operand("$type", "The name or number of a BSON type, or an array of them");
}

static PgBsonQuery *
parse_type(const PgBsonValue *operand, const PgBsonStep *path, int npath)
{
	PgBsonQuery *node = new_node(PGBSON_QUERY_TYPE, path, npath);
	PgBsonIter	iter;

	if (operand->type != PGBSON_ARRAY)
		add_type(node, operand);
	else
	{
		PgBsonIterInit(&iter, PgBsonValueView(operand));
		while (PgBsonIterNext(&iter))
			add_type(node, &iter.value);
	}
	return node;
}

static PgBsonQuery *
parse_mod(const PgBsonValue *operand, const PgBsonStep *path, int npath)
{
	PgBsonQuery *node = new_node(PGBSON_QUERY_MOD, path, npath);
	PgBsonIter	iter;

	if (operand->type == PGBSON_ARRAY)
	{
		PgBsonIterInit(&iter, PgBsonValueView(operand));
		if (PgBsonIterNext(&iter) && PgBsonNumberToInt64(&iter.value, &node->divisor) &&
			PgBsonIterNext(&iter) && PgBsonNumberToInt64(&iter.value, &node->remainder) &&
			!PgBsonIterNext(&iter) && node->divisor != 0)
			return node;
	}
	wrong_operand("$mod", "An array of a divisor that is not 0 and a remainder, both integers,");
	return NULL;				/* keep compiler quiet */
}

static PgBsonQuery *
parse_size(const PgBsonValue *operand, const PgBsonStep *path, int npath)
{
	PgBsonQuery *node = new_node(PGBSON_QUERY_SIZE, path, npath);

	if (!PgBsonNumberToInt64(operand, &node->remainder) || node->remainder < 0)
		wrong_operand("$size", "An integer that is not negative");
	return node;
}

static bool
is_true(const PgBsonValue *value)
{
	int64		n;

	if (value->type == PGBSON_BOOL)
		return value->data[0] != 0;
	if (PgBsonNumberToInt64(value, &n))
		return n != 0;
	return !PgBsonIsNullish(value->type);
}

static PgBsonQuery *
parse_exists(const PgBsonValue *operand, const PgBsonStep *path, int npath)
{
	PgBsonQuery *node = new_node(PGBSON_QUERY_EXISTS, path, npath);

	return is_true(operand) ? node : not_of(node);
}

/* Does the document consist of operators such as $gt, and not of fields? */
static bool
has_operators(const PgBsonValue *value)
{
	PgBsonIter	iter;

	if (value->type != PGBSON_DOCUMENT)
		return false;
	PgBsonIterInit(&iter, PgBsonValueView(value));
	return PgBsonIterNext(&iter) && iter.key_len > 0 && iter.key[0] == '$' &&
		!PgBsonIterIs(&iter, "$ref") && !PgBsonIterIs(&iter, "$id") && !PgBsonIterIs(&iter, "$db");
}

static PgBsonQuery *
parse_elem_match(const PgBsonValue *operand, const PgBsonStep *path, int npath)
{
	PgBsonIter	iter;
	bool		of_values = has_operators(operand);
	PgBsonQuery *node;

	if (operand->type != PGBSON_DOCUMENT)
		wrong_operand("$elemMatch", "A document");
	PgBsonIterInit(&iter, PgBsonValueView(operand));
	if (PgBsonIterNext(&iter) &&
		(PgBsonIterIs(&iter, "$and") || PgBsonIterIs(&iter, "$or") || PgBsonIterIs(&iter, "$nor")))
		of_values = false;

	node = new_node(of_values ? PGBSON_QUERY_ELEM_VALUE : PGBSON_QUERY_ELEM_QUERY, path, npath);
	add_child(node, of_values
			  ? parse_operators(PgBsonValueView(operand), NULL, 0)
			  : parse_query(operand));
	return node;
}

static PgBsonQuery *
parse_not(const PgBsonValue *operand, const PgBsonStep *path, int npath)
{
	if (operand->type == PGBSON_REGEX)
		return not_of(parse_regex_value(operand, path, npath));
	if (!has_operators(operand))
		wrong_operand("$not", "A document of operators or a regular expression");
	return not_of(parse_operators(PgBsonValueView(operand), path, npath));
}

static PgBsonQuery *
comparison(PgBsonQueryKind kind, const PgBsonValue *operand, const PgBsonStep *path, int npath)
{
	PgBsonQuery *node = new_node(kind, path, npath);

	node->operand = *operand;
	return node;
}

/* One operator of {path: {operator: operand, ...}}; NULL for one that only goes with another */
static PgBsonQuery *
parse_operator(PgBsonView operators, const PgBsonIter *iter, const PgBsonStep *path, int npath)
{
	const PgBsonValue *operand = &iter->value;

	if (PgBsonIterIs(iter, "$eq"))
		return comparison(PGBSON_QUERY_EQ, operand, path, npath);
	if (PgBsonIterIs(iter, "$ne"))
		return not_of(comparison(PGBSON_QUERY_EQ, operand, path, npath));
	if (PgBsonIterIs(iter, "$gt"))
		return comparison(PGBSON_QUERY_GT, operand, path, npath);
	if (PgBsonIterIs(iter, "$gte"))
		return comparison(PGBSON_QUERY_GTE, operand, path, npath);
	if (PgBsonIterIs(iter, "$lt"))
		return comparison(PGBSON_QUERY_LT, operand, path, npath);
	if (PgBsonIterIs(iter, "$lte"))
		return comparison(PGBSON_QUERY_LTE, operand, path, npath);
	if (PgBsonIterIs(iter, "$in"))
		return parse_in(operand, path, npath);
	if (PgBsonIterIs(iter, "$nin"))
		return not_of(parse_in(operand, path, npath));
	if (PgBsonIterIs(iter, "$exists"))
		return parse_exists(operand, path, npath);
	if (PgBsonIterIs(iter, "$type"))
		return parse_type(operand, path, npath);
	if (PgBsonIterIs(iter, "$all"))
		return parse_all(operand, path, npath);
	if (PgBsonIterIs(iter, "$elemMatch"))
		return parse_elem_match(operand, path, npath);
	if (PgBsonIterIs(iter, "$size"))
		return parse_size(operand, path, npath);
	if (PgBsonIterIs(iter, "$mod"))
		return parse_mod(operand, path, npath);
	if (PgBsonIterIs(iter, "$not"))
		return parse_not(operand, path, npath);
	if (PgBsonIterIs(iter, "$regex"))
		return parse_regex_operator(operators, operand, path, npath);
	if (PgBsonIterIs(iter, "$options"))
	{
		PgBsonValue regex;

		/* read with the $regex beside it */
		if (!PgBsonFindKey(operators, "$regex", 6, &regex))
			wrong_operand("$options", "A $regex beside it");
		return NULL;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown operator in a bson query: \"%s\"", iter->key)));
}

static PgBsonQuery *
parse_operators(PgBsonView operators, const PgBsonStep *path, int npath)
{
	PgBsonQuery *node = new_node(PGBSON_QUERY_AND, NULL, 0);
	PgBsonIter	iter;

	check_stack_depth();
	PgBsonIterInit(&iter, operators);
	while (PgBsonIterNext(&iter))
	{
		PgBsonQuery *child = parse_operator(operators, &iter, path, npath);

		if (child != NULL)
			add_child(node, child);
	}
	return node->nchildren == 1 ? node->children[0] : node;
}

/* $and, $or, $nor: an array of queries */
static PgBsonQuery *
parse_several(PgBsonQueryKind kind, const char *operator, const PgBsonValue *operand)
{
	PgBsonQuery *node = new_node(kind, NULL, 0);
	PgBsonIter	iter;

	if (operand->type != PGBSON_ARRAY)
		wrong_operand(operator, "An array of queries");
	PgBsonIterInit(&iter, PgBsonValueView(operand));
	while (PgBsonIterNext(&iter))
		add_child(node, parse_query(&iter.value));
	if (node->nchildren == 0)
		wrong_operand(operator, "An array of at least one query");
	return node;
}

/* One field of a query: a path and what is asked of it, or queries combined; NULL for a comment */
static PgBsonQuery *
parse_field(const PgBsonIter *iter)
{
	const PgBsonValue *operand = &iter->value;
	const PgBsonStep *path;
	int			npath;

	if (iter->key_len > 0 && iter->key[0] == '$')
	{
		if (PgBsonIterIs(iter, "$and"))
			return parse_several(PGBSON_QUERY_AND, "$and", operand);
		if (PgBsonIterIs(iter, "$or"))
			return parse_several(PGBSON_QUERY_OR, "$or", operand);
		if (PgBsonIterIs(iter, "$nor"))
			return not_of(parse_several(PGBSON_QUERY_OR, "$nor", operand));
		if (PgBsonIterIs(iter, "$comment"))
			return NULL;
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown operator in a bson query: \"%s\"", iter->key)));
	}

	path = PgBsonSplitDotted(iter->key, iter->key_len, &npath);
	if (has_operators(operand))
		return parse_operators(PgBsonValueView(operand), path, npath);
	if (operand->type == PGBSON_REGEX)
		return parse_regex_value(operand, path, npath);
	return comparison(PGBSON_QUERY_EQ, operand, path, npath);
}

static PgBsonQuery *
parse_query(const PgBsonValue *doc)
{
	PgBsonQuery *node = new_node(PGBSON_QUERY_AND, NULL, 0);
	PgBsonIter	iter;

	check_stack_depth();
	if (doc->type != PGBSON_DOCUMENT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a bson query must be a document"),
				 errdetail("It is of type %s.", PgBsonTypeName(doc->type))));
	PgBsonIterInit(&iter, PgBsonValueView(doc));
	while (PgBsonIterNext(&iter))
	{
		PgBsonQuery *child = parse_field(&iter);

		if (child != NULL)
			add_child(node, child);
	}
	return node->nchildren == 1 ? node->children[0] : node;
}

PgBsonQuery *
PgBsonQueryParse(const PgBsonValue *query)
{
	return parse_query(query);
}

PgBsonQuery *
PgBsonQueryParseElement(const PgBsonValue *condition)
{
	PgBsonQuery *node;

	if (has_operators(condition))
		return parse_operators(PgBsonValueView(condition), NULL, 0);
	if (condition->type == PGBSON_REGEX)
		return parse_regex_value(condition, NULL, 0);
	if (condition->type != PGBSON_DOCUMENT)
		return comparison(PGBSON_QUERY_EQ, condition, NULL, 0);

	/* a query holds for documents only */
	node = new_node(PGBSON_QUERY_AND, NULL, 0);
	add_child(node, new_node(PGBSON_QUERY_TYPE, NULL, 0));
	set_type(node->children[0], PGBSON_DOCUMENT);
	add_child(node, parse_query(condition));
	return node;
}
