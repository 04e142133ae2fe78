/*
 * position.c
 *	  The element of an array that a query found: MongoDB's "$" in a path.
 *
 * The query itself tells whether a document meets it.  For the element, each
 * condition is taken by itself and asked of the elements one by one: as a
 * query about the rest of its path for an array on the way, as one about a
 * field "" for an array at its end.
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

/* A list of parts, all of which hold */
typedef struct Part
{
	struct PgBsonPosition *branches;	/* of $or; NULL: a condition */
	int			nbranches;
	Condition	condition;
} Part;

struct PgBsonPosition
{
	PgBsonQuery *query;			/* the whole */
	Part	   *parts;
	int			nparts;
};

static void parse_into(PgBsonPosition *p, PgBsonView query);

static Part *
add_part(PgBsonPosition *p)
{
	/* doubled at powers of two */
	if ((p->nparts & (p->nparts - 1)) == 0)
	{
		Size		size = sizeof(Part) * Max((Size) p->nparts * 2, 1);

		p->parts = p->parts == NULL ? palloc(size) : repalloc(p->parts, size);
	}
	memset(&p->parts[p->nparts], 0, sizeof(Part));
	return &p->parts[p->nparts++];
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
	Part	   *part = add_part(p);
	Condition  *condition = &part->condition;

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

/* The operators of one path: those that find elements */
static void
parse_operators(PgBsonPosition *p, const PgBsonStep *path, int npath, PgBsonView operators)
{
	PgBsonIter	iter;
	PgBsonValue options;
	bool		has_options = PgBsonFindKey(operators, "$options", 8, &options) &&
		options.type == PGBSON_STRING;

	PgBsonIterInit(&iter, operators);
	while (PgBsonIterNext(&iter))
	{
		if (PgBsonIterIs(&iter, "$not") || PgBsonIterIs(&iter, "$ne") || PgBsonIterIs(&iter, "$nin") ||
			PgBsonIterIs(&iter, "$options") || PgBsonIterIs(&iter, "$comment"))
			continue;
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

static void
parse_or(PgBsonPosition *p, const PgBsonValue *branches)
{
	Part	   *part = add_part(p);
	PgBsonIter	iter;
	PgBsonPosition *list = palloc0_array(PgBsonPosition, PgBsonViewCount(PgBsonValueView(branches)));

	part->branches = list;
	part->nbranches = PgBsonViewCount(PgBsonValueView(branches));
	PgBsonIterInit(&iter, PgBsonValueView(branches));
	for (; PgBsonIterNext(&iter); list++)
	{
		list->query = PgBsonQueryParse(&iter.value);
		parse_into(list, PgBsonValueView(&iter.value));
	}
}

static void
parse_into(PgBsonPosition *p, PgBsonView query)
{
	PgBsonIter	iter;
	PgBsonIter	part;

	check_stack_depth();
	PgBsonIterInit(&iter, query);
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		if (PgBsonIterIs(&iter, "$and"))
		{
			PgBsonIterInit(&part, PgBsonValueView(&iter.value));
			while (PgBsonIterNext(&part))
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

static bool
find_for_parts(const PgBsonPosition *p, const PgBsonValue *doc, uint32 *index)
{
	check_stack_depth();
	for (int i = p->nparts - 1; i >= 0; i--)
	{
		const Part *part = &p->parts[i];

		CHECK_FOR_INTERRUPTS();
		if (part->branches == NULL)
		{
			if (find_for_condition(&part->condition, doc, index))
				return true;
			continue;
		}
		for (int j = 0; j < part->nbranches; j++)
		{
			if (!PgBsonQueryMatches(part->branches[j].query, doc))
				continue;
			if (find_for_parts(&part->branches[j], doc, index))
				return true;
			break;
		}
	}
	return false;
}

bool
PgBsonPositionFind(const PgBsonPosition *position, const PgBsonValue *doc, uint32 *index)
{
	return PgBsonQueryMatches(position->query, doc) && find_for_parts(position, doc, index);
}
