/*
 * gin_simplify.c
 *	  Conditions on the keys of a row: making the tree shallow.
 *
 * An "and" directly inside an "and" is merged into it, and so is an "or"
 * directly inside an "or".  Ranges of the same path and type are merged into
 * one.  All this takes time and memory in proportion to the number of
 * conditions.
 */
#include "index/gin.h"

#include "core/bytes/keyset.h"

/* A condition with more alternatives is split into groups, so that each group can be evaluated at once */
#define MANY_ALTERNATIVES	8

/* The conditions of an "and" while they are collected */
typedef struct Conditions
{
	List	   *nodes;
	bool		exact;			/* the conditions together are sufficient */
	PgBsonKeySet prefixes;		/* the ranges among them */
	List	   *ranges;			/* the nodes with ranges, in the order of the set's entries */
} Conditions;

/* The intersection of two ranges whose keys share the same prefix */
static PgBsonGinNode *
intersect_ranges(PgBsonGinNode *a, PgBsonGinNode *b)
{
	Datum		first = PgBsonGinCompareKeys(a->key, b->key) > 0 ? a->key : b->key;
	PgBsonGinBound *x = a->bound;
	PgBsonGinBound *y = b->bound;

	if (x->len == 0 || (y->len != 0 && PgBsonGinCompareBytes(x->last, x->len, y->last, y->len) > 0))
		x = y;
	return PgBsonGinRangeNode(first, x);
}

/*
 * Merge two conditions about the same path and type.  Each is a list of ranges, of which a row must
 * have a key in one.  The first range of each is for values that are not in arrays (gin_range.c);
 * both conditions are then about one value, so these two are replaced by their intersection.
 * Values in arrays may be different elements, so the ranges for them remain as they are.
 */
static void
merge_ranges(PgBsonGinNode *known, PgBsonGinNode *node)
{
	PgBsonGinNode *in_arrays = lsecond(known->args);

	if (in_arrays->kind != PGBSON_GIN_AND)
	{
		PgBsonGinNode *both = palloc0(sizeof(PgBsonGinNode));

		both->kind = PGBSON_GIN_AND;
		both->args = list_make1(in_arrays);
		lsecond(known->args) = in_arrays = both;
	}
	in_arrays->args = lappend(in_arrays->args, lsecond(node->args));
	linitial(known->args) = intersect_ranges(linitial(known->args), linitial(node->args));
	known->exact = false;
}

/* Add an "or" of ranges; if there is one about the same path and type already, merge them */
static void
add_ranges(Conditions *c, PgBsonGinNode *node)
{
	PgBsonGinNode *plain = linitial(node->args);
	const uint8 *bytes;
	uint32		len = PgBsonGinKeyBytes(plain->key, &bytes);
	bool		found = false;
	PgBsonKeyEntry *entry;

	if (len >= plain->bound->prefix)
	{
		entry = PgBsonKeySetEnter(&c->prefixes, (const char *) bytes, plain->bound->prefix, &found);
		if (found)
		{
			merge_ranges(list_nth(c->ranges, entry - c->prefixes.entries), node);
			return;
		}
		c->ranges = lappend(c->ranges, node);
	}
	c->nodes = lappend(c->nodes, node);
}

/* Add the conditions of an "and" one by one, merging ranges */
static void
add_conditions(Conditions *c, PgBsonGinNode *node)
{
	check_stack_depth();
	c->exact = c->exact && node->exact;
	foreach_ptr(PgBsonGinNode, arg, node->args)
	{
		CHECK_FOR_INTERRUPTS();
		if (arg->kind == PGBSON_GIN_AND)
			add_conditions(c, arg);
		else if (arg->kind == PGBSON_GIN_OR && arg->ranges)
			add_ranges(c, arg);
		else
			c->nodes = lappend(c->nodes, PgBsonGinSimplify(arg));
	}
}

static PgBsonGinNode *
simplify_and(PgBsonGinNode *node)
{
	Conditions	c = {NIL, true};

	PgBsonKeySetInit(&c.prefixes);
	add_conditions(&c, node);
	PgBsonKeySetFree(&c.prefixes);
	list_free(c.ranges);
	node = PgBsonGinAll(c.nodes);
	node->exact = node->exact && c.exact;
	return node;
}

/* Append the alternatives of an "or" one by one */
static List *
add_alternatives(List *alternatives, PgBsonGinNode *node)
{
	check_stack_depth();
	foreach_ptr(PgBsonGinNode, arg, node->args)
	{
		CHECK_FOR_INTERRUPTS();
		if (arg->kind == PGBSON_GIN_OR && arg->exact)
			alternatives = add_alternatives(alternatives, arg);
		else
			alternatives = lappend(alternatives, PgBsonGinSimplify(arg));
	}
	return alternatives;
}

/* Put the alternatives into three groups: exact keys, other keys, and all else */
static List *
group_keys(List *nodes)
{
	List	   *groups[2] = {NIL, NIL};
	List	   *result = NIL;

	foreach_ptr(PgBsonGinNode, node, nodes)
	{
		if (node->kind == PGBSON_GIN_KEY)
			groups[node->exact] = lappend(groups[node->exact], node);
		else
			result = lappend(result, node);
	}
	for (int exact = 0; exact <= 1; exact++)
	{
		if (groups[exact] != NIL)
			result = lappend(result, PgBsonGinAny(groups[exact]));
	}
	return result;
}

static PgBsonGinNode *
simplify_or(PgBsonGinNode *node)
{
	/* merge relies on the order of ranges, so it must not change */
	if (node->ranges)
		return node;
	node->args = add_alternatives(NIL, node);
	if (list_length(node->args) > MANY_ALTERNATIVES)
		node->args = group_keys(node->args);
	return node;
}

PgBsonGinNode *
PgBsonGinSimplify(PgBsonGinNode *node)
{
	check_stack_depth();
	switch (node->kind)
	{
		case PGBSON_GIN_AND:
			return simplify_and(node);
		case PGBSON_GIN_OR:
			return simplify_or(node);
		case PGBSON_GIN_NOT:
			linitial(node->args) = PgBsonGinSimplify(linitial(node->args));
			return node;
		case PGBSON_GIN_KEY:
			break;
	}
	return node;
}
