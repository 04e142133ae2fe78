/*
 * gin_node.c
 *	  Conditions on the keys of a row: making, joining and evaluating them.
 *
 * A condition is a tree: keys, joined by and and or.  It is necessary for a row
 * to satisfy a query; where it is sufficient as well, it is exact, and the row
 * need not be looked at.
 */
#include "index/gin.h"

#include "miscadmin.h"

/* So many alternatives are grouped, so that they take few steps to evaluate */
#define MANY_ALTERNATIVES	8

PgBsonGinNode *
PgBsonGinKeyNode(Datum key, bool exact)
{
	PgBsonGinNode *node = palloc0(sizeof(PgBsonGinNode));

	node->kind = PGBSON_GIN_KEY;
	node->exact = exact;
	node->key = key;
	return node;
}

PgBsonGinNode *
PgBsonGinRangeNode(Datum first, PgBsonGinBound *bound)
{
	PgBsonGinNode *node = PgBsonGinKeyNode(first, false);

	node->bound = bound;
	return node;
}

PgBsonGinNode *
PgBsonGinHint(PgBsonGinNode *node)
{
	if (node != NULL)
		node->exact = false;
	return node;
}

/* An operation on nodes, none of them NULL; of one node, that */
static PgBsonGinNode *
join_nodes(PgBsonGinNodeKind kind, List *nodes, bool exact)
{
	PgBsonGinNode *node;

	if (list_length(nodes) == 1)
	{
		node = linitial(nodes);
		node->exact = node->exact && exact;
		return node;
	}
	node = palloc0(sizeof(PgBsonGinNode));
	node->kind = kind;
	node->exact = exact;
	node->args = nodes;
	return node;
}

/* The range of keys in both of two, of the same prefix */
static PgBsonGinNode *
intersect_ranges(PgBsonGinNode *a, PgBsonGinNode *b)
{
	const uint8 *a_first;
	const uint8 *b_first;
	uint32		a_len = PgBsonGinKeyBytes(a->key, &a_first);
	uint32		b_len = PgBsonGinKeyBytes(b->key, &b_first);
	Datum		first = PgBsonGinCompareBytes(a_first, a_len, b_first, b_len) > 0 ? a->key : b->key;
	PgBsonGinBound *x = a->bound;
	PgBsonGinBound *y = b->bound;

	if (x->len == 0 ||
		(y->len != 0 && PgBsonGinCompareBytes(x->last, x->len, y->last, y->len) > 0))
		x = y;
	return PgBsonGinRangeNode(first, x);
}

/*
 * Two conditions, each that one of several ranges of keys is met, the first
 * of values that are not in arrays (gin_range.c).  If they are about the same
 * path and type, one range takes the place of two: that of such values in
 * both.  Values in arrays may be different ones, so their ranges remain two.
 */
static PgBsonGinNode *
merge_ranges(PgBsonGinNode *a, PgBsonGinNode *b)
{
	PgBsonGinNode *a_plain = linitial(a->args);
	PgBsonGinNode *b_plain = linitial(b->args);
	uint32		prefix = a_plain->bound->prefix;
	const uint8 *a_bytes;
	const uint8 *b_bytes;
	PgBsonGinNode *both;
	PgBsonGinNode *node;

	if (b_plain->bound->prefix != prefix || PgBsonGinKeyBytes(a_plain->key, &a_bytes) < prefix ||
		PgBsonGinKeyBytes(b_plain->key, &b_bytes) < prefix || memcmp(a_bytes, b_bytes, prefix) != 0)
		return NULL;

	both = palloc0(sizeof(PgBsonGinNode));
	both->kind = PGBSON_GIN_AND;
	both->args = list_make2(lsecond(a->args), lsecond(b->args));
	node = palloc0(sizeof(PgBsonGinNode));
	node->kind = PGBSON_GIN_OR;
	node->args = list_make2(intersect_ranges(a_plain, b_plain), both);
	return node;
}

/* Add to the conditions that must hold all; those of an and for themselves, so that ranges meet */
static List *
add_condition(List *known, PgBsonGinNode *node, bool *exact)
{
	ListCell   *lc;

	if (node->kind == PGBSON_GIN_AND)
	{
		*exact = *exact && node->exact;
		foreach(lc, node->args)
			known = add_condition(known, lfirst(lc), exact);
		return known;
	}
	if (node->kind == PGBSON_GIN_OR && node->ranges)
	{
		foreach(lc, known)
		{
			PgBsonGinNode *other = lfirst(lc);
			PgBsonGinNode *merged;

			if (other->kind != PGBSON_GIN_OR || !other->ranges)
				continue;
			merged = merge_ranges(other, node);
			if (merged != NULL)
			{
				lfirst(lc) = merged;
				return known;
			}
		}
	}
	return lappend(known, node);
}

PgBsonGinNode *
PgBsonGinAll(List *nodes)
{
	List	   *known = NIL;
	bool		exact = true;
	ListCell   *lc;

	foreach(lc, nodes)
	{
		if (lfirst(lc) == NULL)
			exact = false;
		else
			known = add_condition(known, lfirst(lc), &exact);
	}
	return known != NIL ? join_nodes(PGBSON_GIN_AND, known, exact) : NULL;
}

/* Add to the conditions any of which suffices; those of an or for themselves */
static List *
add_alternative(List *alternatives, PgBsonGinNode *node)
{
	ListCell   *lc;

	if (node->kind != PGBSON_GIN_OR || !node->exact)
		return lappend(alternatives, node);
	foreach(lc, node->args)
		alternatives = add_alternative(alternatives, lfirst(lc));
	return alternatives;
}

/* Of many alternatives, the keys that are exact, those that are not, and the rest */
static List *
group_keys(List *nodes)
{
	List	   *groups[2] = {NIL, NIL};
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, nodes)
	{
		PgBsonGinNode *node = lfirst(lc);

		if (node->kind == PGBSON_GIN_KEY)
			groups[node->exact] = lappend(groups[node->exact], node);
		else
			result = lappend(result, node);
	}
	for (int exact = 0; exact <= 1; exact++)
	{
		if (groups[exact] != NIL)
			result = lappend(result, join_nodes(PGBSON_GIN_OR, groups[exact], true));
	}
	return result;
}

PgBsonGinNode *
PgBsonGinAny(List *nodes)
{
	List	   *alternatives = NIL;
	ListCell   *lc;

	foreach(lc, nodes)
	{
		if (lfirst(lc) == NULL)
			return NULL;
		alternatives = add_alternative(alternatives, lfirst(lc));
	}
	if (alternatives == NIL)
		return NULL;
	if (list_length(alternatives) > MANY_ALTERNATIVES)
		alternatives = group_keys(alternatives);
	return join_nodes(PGBSON_GIN_OR, alternatives, true);
}

PgBsonGinNode *
PgBsonGinNot(const PgBsonGinClass *class, PgBsonGinNode *node)
{
	PgBsonGinNode *result;

	if (node == NULL || !class->estimates)
		return NULL;
	result = palloc0(sizeof(PgBsonGinNode));
	result->kind = PGBSON_GIN_NOT;
	result->args = list_make1(node);
	return result;
}

/*
 * The truth of an operation on many keys.  The scan asks again for each key that
 * it might do without, so that it is worth to be quick.
 */
static GinTernaryValue
evaluate_run(const PgBsonGinNode *node, const GinTernaryValue *check)
{
	const GinTernaryValue *run = check + node->index;
	bool		exact = ((const PgBsonGinNode *) linitial(node->args))->exact;

	if (node->kind == PGBSON_GIN_AND)
	{
		if (memchr(run, GIN_FALSE, node->run) != NULL)
			return GIN_FALSE;
		return !exact || memchr(run, GIN_MAYBE, node->run) != NULL ? GIN_MAYBE : GIN_TRUE;
	}
	if (memchr(run, GIN_TRUE, node->run) != NULL)
		return exact ? GIN_TRUE : GIN_MAYBE;
	return memchr(run, GIN_MAYBE, node->run) != NULL ? GIN_MAYBE : GIN_FALSE;
}

GinTernaryValue
PgBsonGinEvaluate(const PgBsonGinNode *node, const GinTernaryValue *check)
{
	/* what decides; other than that, "maybe" outweighs the opposite */
	GinTernaryValue decisive = node->kind == PGBSON_GIN_AND ? GIN_FALSE : GIN_TRUE;
	GinTernaryValue result = node->kind == PGBSON_GIN_AND ? GIN_TRUE : GIN_FALSE;
	ListCell   *lc;

	CHECK_FOR_INTERRUPTS();
	if (node->kind == PGBSON_GIN_KEY)
		result = check[node->index];
	else if (node->run > 0)
		result = evaluate_run(node, check);
	else
	{
		foreach(lc, node->args)
		{
			GinTernaryValue v = PgBsonGinEvaluate(lfirst(lc), check);

			if (v == decisive)
			{
				result = v;
				break;
			}
			if (v == GIN_MAYBE)
				result = v;
		}
	}
	return result == GIN_TRUE && !node->exact ? GIN_MAYBE : result;
}

void
PgBsonGinCollect(PgBsonGinNode *node, List **leaves)
{
	bool		uniform = true;
	ListCell   *lc;

	check_stack_depth();
	node->index = list_length(*leaves);
	if (node->kind == PGBSON_GIN_KEY)
	{
		*leaves = lappend(*leaves, node);
		return;
	}
	foreach(lc, node->args)
	{
		PgBsonGinNode *arg = lfirst(lc);

		uniform = uniform && arg->kind == PGBSON_GIN_KEY &&
			arg->exact == ((PgBsonGinNode *) linitial(node->args))->exact;
		PgBsonGinCollect(arg, leaves);
	}
	node->run = uniform ? list_length(node->args) : 0;
}

PgBsonGinNode *
PgBsonGinExists(const PgBsonGinClass *class, PgBsonGinKeys *keys, const PgBsonGinPath *path,
				bool proves)
{
	PgBsonGinPath way = *path;
	PgBsonGinNode *plain;
	PgBsonGinNode *nested;
	bool		exact;
	Datum		key;

	if (class->field_key == NULL || path->nkeys == 0)
		return NULL;

	way.via = PGBSON_GIN_PLAIN;
	key = class->field_key(keys, &way, &exact);
	/* a single name may also be a string of a root array, see gin_walk.c */
	plain = PgBsonGinKeyNode(key, exact && proves && path->nkeys > 1);
	way.via = PGBSON_GIN_NESTED;
	key = class->field_key(keys, &way, &exact);
	nested = PgBsonGinKeyNode(key, false);
	return PgBsonGinAny(list_make2(plain, nested));
}
