/*
 * gin_node.c
 *	  Conditions on the keys of a row: how they are made, joined and evaluated.
 *
 * A condition is a tree of keys, joined by "and" and "or".  It is necessary
 * for a row to satisfy a query.  If it is sufficient as well, it is exact, and
 * the row need not be tested again.  When the tree is complete, gin_simplify.c
 * makes it shallow, once, so that no part of it is copied at each level above.
 */
#include "index/gin.h"

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

/* Join conditions, none of which is NULL, by "and" or "or"; a single condition stays as it is */
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

PgBsonGinNode *
PgBsonGinAll(List *nodes)
{
	List	   *known = NIL;
	bool		exact = true;

	foreach_ptr(PgBsonGinNode, node, nodes)
	{
		if (node == NULL)
			exact = false;
		else
			known = lappend(known, node);
	}
	return known != NIL ? join_nodes(PGBSON_GIN_AND, known, exact) : NULL;
}

PgBsonGinNode *
PgBsonGinAny(List *nodes)
{
	foreach_ptr(PgBsonGinNode, node, nodes)
	{
		if (node == NULL)
			return NULL;
	}
	return nodes != NIL ? join_nodes(PGBSON_GIN_OR, nodes, true) : NULL;
}

PgBsonGinNode *
PgBsonGinNot(PgBsonGinKeys *keys, PgBsonGinNode *node)
{
	PgBsonGinNode *result;

	if (node == NULL || !keys->class->estimates)
		return NULL;
	result = palloc0(sizeof(PgBsonGinNode));
	result->kind = PGBSON_GIN_NOT;
	result->args = list_make1(node);
	return result;
}

/*
 * The truth of "and" or "or" over many keys.  The scan evaluates the condition again for each key
 * that it may do without, so this should be fast.
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
	/* a key with the deciding value decides; if there is none, "maybe" takes precedence over the other value */
	GinTernaryValue decisive = node->kind == PGBSON_GIN_AND ? GIN_FALSE : GIN_TRUE;
	GinTernaryValue result = node->kind == PGBSON_GIN_AND ? GIN_TRUE : GIN_FALSE;

	CHECK_FOR_INTERRUPTS();
	if (node->kind == PGBSON_GIN_KEY)
		result = check[node->index];
	else if (node->run > 0)
		result = evaluate_run(node, check);
	else
	{
		foreach_ptr(PgBsonGinNode, arg, node->args)
		{
			GinTernaryValue v = PgBsonGinEvaluate(arg, check);

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

	check_stack_depth();
	node->index = list_length(*leaves);
	if (node->kind == PGBSON_GIN_KEY)
	{
		*leaves = lappend(*leaves, node);
		return;
	}
	foreach_ptr(PgBsonGinNode, arg, node->args)
	{
		uniform = uniform && arg->kind == PGBSON_GIN_KEY &&
			arg->exact == ((PgBsonGinNode *) linitial(node->args))->exact;
		PgBsonGinCollect(arg, leaves);
	}
	node->run = uniform ? list_length(node->args) : 0;
}

/* The path, or its first names if the class has no keys of fields that are as deep */
static PgBsonGinPath
path_of_key(const PgBsonGinKeys *keys, const PgBsonGinPath *path)
{
	PgBsonGinPath result = *path;

	if (keys->class->shallow && path->nkeys > PGBSON_GIN_START)
	{
		result.hash = result.ends = path->start;
		result.len = path->start_len;
		result.nkeys = PGBSON_GIN_START;
	}
	return result;
}

PgBsonGinNode *
PgBsonGinExists(PgBsonGinKeys *keys, const PgBsonGinPath *path, bool proves)
{
	PgBsonGinPath way = path_of_key(keys, path);
	PgBsonGinNode *plain;
	PgBsonGinNode *nested;
	bool		exact;
	Datum		key;

	if (keys->class->field_key == NULL || path->nkeys == 0)
		return NULL;

	way.via = PGBSON_GIN_PLAIN;
	key = keys->class->field_key(keys, &way, &exact);
	plain = PgBsonGinKeyNode(key, exact && proves && path->nkeys == way.nkeys);
	way.via = PGBSON_GIN_NESTED;
	key = keys->class->field_key(keys, &way, &exact);
	nested = PgBsonGinKeyNode(key, false);
	return PgBsonGinAny(list_make2(plain, nested));
}

PgBsonGinNode *
PgBsonGinEquality(PgBsonGinValueKey make_key, PgBsonGinKeys *keys, const PgBsonGinPath *path,
				  const PgBsonGinComparison *comparison)
{
	List	   *nodes = NIL;
	bool		loose = false;
	PgBsonGinNode *any;

	for (int i = 0; i < comparison->nforms; i++)
	{
		for (int via = PGBSON_GIN_PLAIN; via <= PGBSON_GIN_NESTED; via++)
		{
			PgBsonGinPath *way = palloc(sizeof(PgBsonGinPath));
			bool		proves = via == PGBSON_GIN_PLAIN ? comparison->plain_proves :
				via == PGBSON_GIN_ELEMENT && comparison->element_proves;
			PgBsonGinStrength strength;
			Datum		key;

			*way = *path;
			way->via = via;
			key = make_key(keys, way, &comparison->forms[i], &strength);
			loose = loose || strength == PGBSON_GIN_LOOSE;
			nodes = lappend(nodes, PgBsonGinKeyNode(key, strength == PGBSON_GIN_PROOF && proves));
		}
	}
	any = PgBsonGinAny(nodes);
	return loose ? PgBsonGinAll(list_make2(any, PgBsonGinExists(keys, path, false))) : any;
}
