/*
 * position.c
 *	  The element of an array that a query found: MongoDB's "$" in a path.
 *
 * The query itself tells whether a document meets it.  To find the element, each condition that the
 * query joins by "and" is tested on its own: its path is followed until an element of the first
 * array on the way satisfies the condition.  If several conditions find an element, the last one
 * counts.  $all is a condition for each of its values; $or finds none, unless it has one branch or
 * its branches are values of one path, which are an $in.
 *
 * The authority is MongoDB's src/mongo/db/exec/matcher/matcher.h, its visits of
 * And, Or and the leaves, and what expression_optimizer.cpp makes of $or before.
 */
#include "mongo/query/match.h"

#include "mongo/common/match_path.h"

struct PgBsonPosition
{
	PgBsonQuery *query;			/* the whole */
	List	   *conditions;		/* PgBsonQuery: tests, and ORs of tests with one path, that must all hold */
};

/* Append a test for each value of $all, in order; those of regular expressions exist already */
static void
add_all(PgBsonPosition *p, const PgBsonQuery *all)
{
	int			next_regex = 0;

	PgBsonForEach(iter, PgBsonValueView(&all->operand))
	{
		PgBsonQuery *test = all->children[iter.value.type == PGBSON_REGEX ? next_regex++ : all->nchildren - 1];

		if (iter.value.type != PGBSON_REGEX)
		{
			test = memcpy(palloc_object(PgBsonQuery), test, sizeof(PgBsonQuery));
			test->kind = PGBSON_QUERY_EQ;
			test->operand = iter.value;
		}
		p->conditions = lappend(p->conditions, test);
	}
}

/* As MongoDB does, leave out branches that are never true, and replace a branch by its only condition */
static void
simplify_branches(PgBsonQuery *or)
{
	int			n = 0;

	for (int i = 0; i < or->nchildren; i++)
	{
		PgBsonQuery *branch = or->children[i];

		while (branch->kind <= PGBSON_QUERY_OR && branch->nchildren == 1 && branch->operand.type != PGBSON_ARRAY)
			branch = branch->children[0];
		if (branch->kind != PGBSON_QUERY_IN || branch->nvalues + branch->nchildren > 0)
			or->children[n++] = branch;
	}
	or->nchildren = n;
}

/* Is it an equality, or a regular expression? */
static bool
is_value(const PgBsonQuery *query)
{
	if (query->kind == PGBSON_QUERY_EQ)
		return query->operand.type != PGBSON_REGEX;
	return query->kind == PGBSON_QUERY_REGEX || (query->kind == PGBSON_QUERY_IN &&
												 query->nvalues + query->nchildren == 1);
}

/* Are all branches of an $or tests for a value at one path, so that it is an $in? */
static bool
is_in_list(const PgBsonQuery *or)
{
	const PgBsonQuery *first = or->children[0];

	for (int i = 0; i < or->nchildren; i++)
	{
		const PgBsonQuery *branch = or->children[i];

		if (!is_value(branch) || branch->npath != first->npath)
			return false;
		for (int name = 0; name < first->npath; name++)
		{
			if (branch->path[name].key_len != first->path[name].key_len ||
				memcmp(branch->path[name].key, first->path[name].key, first->path[name].key_len) != 0)
				return false;
		}
	}
	return true;
}

/* Collect the conditions of a query that must hold together; $nor and $not find no element */
static void
joint_conditions(PgBsonPosition *p, PgBsonQuery *query)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (query->kind == PGBSON_QUERY_OR)
		simplify_branches(query);
	if (query->kind == PGBSON_QUERY_AND && query->operand.type == PGBSON_ARRAY)
		add_all(p, query);
	else if (query->kind == PGBSON_QUERY_AND || (query->kind == PGBSON_QUERY_OR && query->nchildren == 1))
	{
		for (int i = 0; i < query->nchildren; i++)
			joint_conditions(p, query->children[i]);
	}
	else if (query->kind == PGBSON_QUERY_OR ? query->nchildren > 0 && is_in_list(query) : query->npath > 0)
		p->conditions = lappend(p->conditions, query);
}

PgBsonPosition *
PgBsonPositionParse(const PgBsonValue *query)
{
	PgBsonPosition *p = palloc0_object(PgBsonPosition);

	PgBsonValue known = PgBsonQueryKnown(query);

	p->query = PgBsonQueryParse(&known);
	joint_conditions(p, p->query);
	return p;
}

/* The search for the element that satisfies a condition */
typedef struct PositionSearch
{
	const PgBsonQuery *condition;
	int32		element;		/* its position in the first array on the way; -1 if there was none */
} PositionSearch;

/* A visitor of paths: does this value, an element or one that it leads to, meet the condition? */
static bool
finds_element(const PgBsonValue *value, void *arg)
{
	PositionSearch *search = arg;
	const PgBsonQuery *condition = search->condition;
	bool		holds = false;

	if (condition->kind != PGBSON_QUERY_OR)
		holds = PgBsonQueryValueHolds(condition, value);
	for (int i = 0; condition->kind == PGBSON_QUERY_OR && i < condition->nchildren && !holds; i++)
		holds = PgBsonQueryValueHolds(condition->children[i], value);
	/* $elemMatch takes the array and looks for the element itself */
	if (holds && search->element < 0 &&
		(condition->kind == PGBSON_QUERY_ELEM_QUERY || condition->kind == PGBSON_QUERY_ELEM_VALUE))
		search->element = PgBsonQueryFindElement(condition, value);
	return holds && search->element >= 0;
}

bool
PgBsonPositionFind(const PgBsonPosition *position, const PgBsonValue *doc, uint32 *index)
{
	if (!PgBsonQueryMatches(position->query, doc))
		return false;
	for (int i = list_length(position->conditions) - 1; i >= 0; i--)
	{
		PositionSearch search = {list_nth(position->conditions, i), -1};
		const PgBsonQuery *path = search.condition->kind == PGBSON_QUERY_OR ? search.condition->children[0]
			: search.condition;

		CHECK_FOR_INTERRUPTS();
		if (PgBsonPathVisit(path->path, path->npath, 0, search.condition->kind >= PGBSON_QUERY_SIZE, doc,
							&search.element, finds_element, &search))
		{
			*index = search.element;
			return true;
		}
	}
	return false;
}
