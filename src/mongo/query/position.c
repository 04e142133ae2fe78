/*
 * position.c
 *	  The element of an array that a query found: MongoDB's "$" in a path.
 *
 * The query itself tells whether a document meets it.  For the element, each
 * condition is taken by itself and asked of the elements one by one: as a
 * query about the rest of its path for an array on the way, as one about a
 * field "" for an array at its end.  The last condition that finds one decides.
 * $all is a condition for each of its values; $or finds none, unless it has one
 * branch or its branches are values of one path, which are an $in.
 *
 * The authority is MongoDB's src/mongo/db/exec/matcher/matcher.h, its visits of
 * And, Or and the leaves.
 */
#include "mongo/query/position.h"

#include "core/write/build.h"
#include "miscadmin.h"

/* One condition at a path */
typedef struct Condition
{
	const PgBsonStep *path;
	int			npath;
	const char *operator;		/* NULL: the operand is the value itself */
	uint32		operator_len;
	PgBsonValue operand;
	const char *options;		/* beside $regex; or NULL */
	uint32		options_len;
	bool		whole;			/* $elemMatch: its array is in one more array, to be looked into */
	MemoryContext context;
	PgBsonQuery **rests;		/* of each step, when it was needed: the condition on what comes after it; of the last: on a field "" */
} Condition;

struct PgBsonPosition
{
	PgBsonQuery *query;			/* the whole */
	Condition  *conditions;		/* all of which hold */
	int			nconditions;
};

static void parse_into(PgBsonPosition *p, PgBsonView query);

static Condition *
new_condition(PgBsonPosition *p)
{
	/* doubled at powers of two */
	if ((p->nconditions & (p->nconditions - 1)) == 0)
	{
		Size		size = sizeof(Condition) * Max((Size) p->nconditions * 2, 1);

		p->conditions = p->conditions == NULL ? palloc(size) : repalloc(p->conditions, size);
	}
	memset(&p->conditions[p->nconditions], 0, sizeof(Condition));
	return &p->conditions[p->nconditions++];
}

/* The query {path: {operator: operand}}, the path from step "first" on; past its end the path is "" */
static PgBsonQuery *
query_of_rest(const Condition *condition, int first)
{
	PgBsonBuilder *b = PgBsonBuilderBegin();
	const char *path = "";
	uint32		len = 0;
	PgBsonValue query;

	if (first < condition->npath)
	{
		const PgBsonStep *last = &condition->path[condition->npath - 1];

		path = condition->path[first].key;
		len = last->key + last->key_len - path;
	}
	PgBsonBuilderOpenDocument(b);
	PgBsonBuilderKey(b, path, len);
	if (condition->operator != NULL)
	{
		PgBsonBuilderOpenDocument(b);
		PgBsonBuilderKey(b, condition->operator, condition->operator_len);
	}
	PgBsonBuilderValue(b, &condition->operand);
	if (condition->options != NULL)
	{
		PgBsonBuilderKey(b, "$options", 8);
		PgBsonBuilderString(b, condition->options, condition->options_len);
	}
	if (condition->operator != NULL)
		PgBsonBuilderClose(b);
	PgBsonBuilderClose(b);
	query = PgBsonRoot(PgBsonBuilderFinish(b));
	return PgBsonQueryParse(&query);
}

/* The query about what comes after step i, made ready when it is first needed */
static const PgBsonQuery *
rest_of(const Condition *condition, int i)
{
	if (condition->rests[i] == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(condition->context);

		condition->rests[i] = query_of_rest(condition, i + 1);
		MemoryContextSwitchTo(old);
	}
	return condition->rests[i];
}

static void
add_condition(PgBsonPosition *p, const PgBsonStep *path, int npath, const PgBsonIter *operator,
			  const PgBsonValue *operand, const PgBsonValue *options)
{
	Condition  *condition = new_condition(p);

	condition->path = path;
	condition->npath = npath;
	condition->operand = *operand;
	if (operator != NULL)
	{
		condition->operator = operator->key;
		condition->operator_len = operator->key_len;
		condition->whole = PgBsonIterIs(operator, "$elemMatch");
	}
	if (options != NULL)
		condition->options = PgBsonValueString(options, &condition->options_len);
	condition->context = CurrentMemoryContext;
	condition->rests = palloc0_array(PgBsonQuery *, npath);
}

/* Each value of $all, which may be an $elemMatch */
static void
parse_all(PgBsonPosition *p, const PgBsonStep *path, int npath, const PgBsonValue *values)
{
	PgBsonIter	operator;

	PgBsonForEach(iter, PgBsonValueView(values))
	{
		if (iter.value.type == PGBSON_DOCUMENT)
		{
			PgBsonIterInit(&operator, PgBsonValueView(&iter.value));
			if (PgBsonIterNext(&operator) && PgBsonIterIs(&operator, "$elemMatch"))
			{
				add_condition(p, path, npath, &operator, &operator.value, NULL);
				continue;
			}
		}
		add_condition(p, path, npath, NULL, &iter.value, NULL);
	}
}

/* The operators of one path: those that find elements */
static void
parse_operators(PgBsonPosition *p, const PgBsonStep *path, int npath, PgBsonView operators)
{
	PgBsonValue options;
	bool		has_options = PgBsonFindKey(operators, "$options", 8, &options) &&
		options.type == PGBSON_STRING;

	PgBsonForEach(iter, operators)
	{
		if (PgBsonIterIs(&iter, "$not") || PgBsonIterIs(&iter, "$ne") || PgBsonIterIs(&iter, "$nin") ||
			PgBsonIterIs(&iter, "$options") || PgBsonIterIs(&iter, "$comment"))
			continue;
		if (PgBsonIterIs(&iter, "$all"))
		{
			parse_all(p, path, npath, &iter.value);
			continue;
		}
		add_condition(p, path, npath, &iter, &iter.value,
					  has_options && PgBsonIterIs(&iter, "$regex") ? &options : NULL);
	}
}

static void
parse_field(PgBsonPosition *p, const PgBsonIter *field)
{
	const PgBsonValue *operand = &field->value;
	PgBsonIter	iter;
	const PgBsonStep *path;
	int			npath;

	path = PgBsonSplitDotted(field->key, field->key_len, &npath);
	if (npath > PGBSON_MAX_DEPTH)
		return;
	if (operand->type == PGBSON_DOCUMENT)
	{
		PgBsonIterInit(&iter, PgBsonValueView(operand));
		if (PgBsonIterNext(&iter) && iter.key_len > 0 && iter.key[0] == '$')
		{
			parse_operators(p, path, npath, PgBsonValueView(operand));
			return;
		}
	}
	add_condition(p, path, npath, NULL, operand, NULL);
}

/* The value that a branch {path: value} or {path: {"$eq": value}} asks for */
static bool
equality_of_branch(const PgBsonValue *branch, PgBsonIter *field, PgBsonValue *value)
{
	PgBsonIter	rest;
	PgBsonIter	operator;

	PgBsonIterInit(field, PgBsonValueView(branch));
	if (!PgBsonIterNext(field) || field->key_len == 0 || field->key[0] == '$')
		return false;
	rest = *field;
	if (PgBsonIterNext(&rest))
		return false;
	*value = field->value;
	if (value->type != PGBSON_DOCUMENT)
		return true;
	PgBsonIterInit(&operator, PgBsonValueView(value));
	if (!PgBsonIterNext(&operator) || operator.key_len == 0 || operator.key[0] != '$')
		return true;
	*value = operator.value;
	return PgBsonIterIs(&operator, "$eq") && !PgBsonIterNext(&operator);
}

/* An $or of one branch is the branch; one of values of one path is an $in; others find no element */
static void
parse_or(PgBsonPosition *p, const PgBsonValue *branches)
{
	const PgBsonIter in = {.key = "$in", .key_len = 3};
	PgBsonBuilder *b;
	PgBsonIter	iter;
	PgBsonIter	first;
	PgBsonIter	field;
	PgBsonValue value;
	const PgBsonStep *path;
	int			npath;

	PgBsonIterInit(&iter, PgBsonValueView(branches));
	(void) PgBsonIterNext(&iter);
	if (PgBsonViewCount(PgBsonValueView(branches)) == 1)
	{
		parse_into(p, PgBsonValueView(&iter.value));
		return;
	}
	if (!equality_of_branch(&iter.value, &first, &value))
		return;
	b = PgBsonBuilderBegin();
	PgBsonBuilderOpenArray(b);
	do
	{
		CHECK_FOR_INTERRUPTS();
		if (!equality_of_branch(&iter.value, &field, &value) || field.key_len != first.key_len ||
			memcmp(field.key, first.key, first.key_len) != 0)
			return;
		PgBsonBuilderValue(b, &value);
	} while (PgBsonIterNext(&iter));
	PgBsonBuilderClose(b);
	value = PgBsonRoot(PgBsonBuilderFinish(b));
	path = PgBsonSplitDotted(first.key, first.key_len, &npath);
	if (npath <= PGBSON_MAX_DEPTH)
		add_condition(p, path, npath, &in, &value, NULL);
}

static void
parse_into(PgBsonPosition *p, PgBsonView query)
{
	check_stack_depth();
	PgBsonForEach(iter, query)
	{
		if (PgBsonIterIs(&iter, "$and"))
		{
			PgBsonForEach(part, PgBsonValueView(&iter.value))
				parse_into(p, PgBsonValueView(&part.value));
		}
		else if (PgBsonIterIs(&iter, "$or"))
			parse_or(p, &iter.value);
		else if (iter.key_len == 0 || iter.key[0] != '$')
			parse_field(p, &iter);
	}
}

PgBsonPosition *
PgBsonPositionParse(const PgBsonValue *query)
{
	PgBsonPosition *p = palloc0_object(PgBsonPosition);

	/* the rest may then trust the query's form */
	p->query = PgBsonQueryParse(query);
	parse_into(p, PgBsonValueView(query));
	return p;
}

/* The value as the field "" of a document, or as an element of an array there */
static bool
value_meets(const PgBsonQuery *query, const PgBsonValue *value, bool in_array)
{
	PgBsonBuilder *b = PgBsonBuilderBegin();
	PgBson	   *wrapped;
	PgBsonValue root;
	bool		meets;

	PgBsonBuilderOpenDocument(b);
	PgBsonBuilderKey(b, "", 0);
	if (in_array)
		PgBsonBuilderOpenArray(b);
	PgBsonBuilderValue(b, value);
	if (in_array)
		PgBsonBuilderClose(b);
	PgBsonBuilderClose(b);
	wrapped = PgBsonBuilderFinish(b);
	root = PgBsonRoot(wrapped);
	meets = PgBsonQueryMatches(query, &root);
	pfree(wrapped);
	return meets;
}

/* Does an element of the array that step i led to meet the rest of the condition? */
static bool
find_in_array(const Condition *c, int i, PgBsonView array, uint32 *index)
{
	bool		last = i == c->npath - 1;
	PgBsonIter	iter;

	PgBsonIterInit(&iter, array);
	for (uint32 n = 0; PgBsonIterNext(&iter); n++)
	{
		bool		meets;

		CHECK_FOR_INTERRUPTS();
		if (last)
			meets = value_meets(rest_of(c, i), &iter.value,
								c->whole || iter.value.type == PGBSON_ARRAY);
		else
			meets = iter.value.type == PGBSON_DOCUMENT &&
				PgBsonQueryMatches(rest_of(c, i), &iter.value);
		if (meets)
		{
			*index = n;
			return true;
		}
	}
	return false;
}

/* In a query digits with a zero before them are a name */
static bool
is_index(const PgBsonStep *step)
{
	return step->key_len > 0 && step->key[0] >= '0' && step->key[0] <= '9' &&
		(step->key[0] != '0' || step->key_len == 1);
}

static bool
find_for_condition(const Condition *c, const PgBsonValue *doc, uint32 *index)
{
	PgBsonValue value = *doc;

	for (int i = 0; i < c->npath; i++)
	{
		const PgBsonStep *step = &c->path[i];
		int32		position;

		if (value.type == PGBSON_DOCUMENT)
		{
			if (!PgBsonFindKey(PgBsonValueView(&value), step->key, step->key_len, &value))
				return false;
		}
		else if (value.type != PGBSON_ARRAY || !is_index(step) ||
				 !PgBsonStepAsIndex(step->key, step->key_len, &position) ||
				 !PgBsonFindIndex(PgBsonValueView(&value), position, &value))
			return false;
		if (value.type == PGBSON_ARRAY && find_in_array(c, i, PgBsonValueView(&value), index))
			return true;
	}
	return false;
}

bool
PgBsonPositionFind(const PgBsonPosition *position, const PgBsonValue *doc, uint32 *index)
{
	if (!PgBsonQueryMatches(position->query, doc))
		return false;
	for (int i = position->nconditions - 1; i >= 0; i--)
	{
		CHECK_FOR_INTERRUPTS();
		if (find_for_condition(&position->conditions[i], doc, index))
			return true;
	}
	return false;
}
