/*
 * gin_query.c
 *	  Queries as conditions on the keys of a row, and their evaluation.
 *
 * All operators of all classes become one kind of tree: keys, joined by and
 * and or.  Its condition is necessary for a row to satisfy the query; where it
 * is sufficient as well, the row need not be looked at.
 */
#include "index/gin.h"

#include "core/contain.h"
#include "miscadmin.h"
#include "sql/steps.h"

/* So many alternatives are grouped, so that they take few steps to evaluate */
#define MANY_ALTERNATIVES	8

/* What the scan keeps for each key: the tree, with the first; and a range's end */
typedef struct Extra
{
	PgBsonGinNode *root;
	PgBsonGinBound *bound;
} Extra;

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

/* The node's truth, given that of the keys */
static GinTernaryValue
evaluate(const PgBsonGinNode *node, const GinTernaryValue *check)
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
			GinTernaryValue v = evaluate(lfirst(lc), check);

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

/* Number the keys of a tree */
static void
collect_keys(PgBsonGinNode *node, List **leaves)
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
		collect_keys(arg, leaves);
	}
	node->run = uniform ? list_length(node->args) : 0;
}

static PgBsonGinNode *
field_node(const PgBsonGinClass *class, PgBsonGinKeys *keys, const char *key, uint32 key_len)
{
	PgBsonGinPath path;
	bool		exact;
	Datum		d;

	PgBsonGinPathInit(&path);
	PgBsonGinPathAddKey(&path, key, key_len);
	d = class->field_key(keys, &path, &exact);
	return PgBsonGinKeyNode(d, exact);
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

/* ?| and ?&: the conditions of all keys */
static List *
field_nodes(const PgBsonGinClass *class, PgBsonGinKeys *keys, ArrayType *array)
{
	PgBsonKeySet wanted;
	List	   *nodes = NIL;

	PgBsonKeysFromArray(array, &wanted);
	for (int i = 0; i < wanted.count; i++)
		nodes = lappend(nodes, field_node(class, keys, wanted.entries[i].key,
										  wanted.entries[i].key_len));
	return nodes;
}

PgBsonGinNode *
PgBsonGinQueryNode(const PgBsonGinClass *class, PgBsonGinKeys *keys, Datum query,
				   StrategyNumber strategy, bool *never)
{
	PgBsonValue part;
	PgBsonStep	key;
	List	   *nodes;

	*never = false;
	switch (strategy)
	{
		case PGBSON_GIN_CONTAINS:
			part = PgBsonRoot(DatumGetPgBsonPP(query));
			return PgBsonGinContainsNode(class, keys, &part);

		case PGBSON_GIN_EXISTS:
			key = PgBsonStepFromText(DatumGetTextPP(query), PGBSON_STEP_KEY);
			return field_node(class, keys, key.key, key.key_len);

		case PGBSON_GIN_EXISTS_ANY:
			nodes = field_nodes(class, keys, DatumGetArrayTypeP(query));
			*never = nodes == NIL;
			return PgBsonGinAny(nodes);

		case PGBSON_GIN_EXISTS_ALL:
			return PgBsonGinAll(field_nodes(class, keys, DatumGetArrayTypeP(query)));

		case PGBSON_GIN_PATH_EXISTS:
			return PgBsonGinFromJsonpath(class, keys, DatumGetJsonPathP(query), false);

		case PGBSON_GIN_PATH_MATCH:
			return PgBsonGinFromJsonpath(class, keys, DatumGetJsonPathP(query), true);

		case PGBSON_GIN_MATCH:
			part = PgBsonRoot(DatumGetPgBsonPP(query));
			return PgBsonGinFromMatch(class, keys, &part);

		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
	return NULL;				/* keep compiler quiet */
}

Datum
PgBsonGinExtractValue(FunctionCallInfo fcinfo, const PgBsonGinClass *class)
{
	PgBson	   *b = PG_GETARG_PGBSON_PP(0);
	int32	   *nkeys = (int32 *) PG_GETARG_POINTER(1);
	PgBsonValue root = PgBsonRoot(b);
	PgBsonGinKeys keys = PgBsonGinKeysOf(class, &root);

	PG_FREE_IF_COPY(b, 0);
	*nkeys = keys.count;
	PG_RETURN_POINTER(keys.keys);
}

Datum
PgBsonGinExtractQuery(FunctionCallInfo fcinfo, const PgBsonGinClass *class)
{
	int32	   *nkeys = (int32 *) PG_GETARG_POINTER(1);
	StrategyNumber strategy = PG_GETARG_UINT16(2);
	bool	  **partial = (bool **) PG_GETARG_POINTER(3);
	Pointer   **extra = (Pointer **) PG_GETARG_POINTER(4);
	int32	   *search_mode = (int32 *) PG_GETARG_POINTER(6);
	PgBsonGinKeys arena = {NULL};
	List	   *leaves = NIL;
	PgBsonGinNode *root;
	Datum	   *keys;
	bool		never;

	*nkeys = 0;
	root = PgBsonGinQueryNode(class, &arena, PG_GETARG_DATUM(0), strategy, &never);
	if (root == NULL)
	{
		if (!never)
			*search_mode = GIN_SEARCH_MODE_ALL;
		PG_RETURN_POINTER(NULL);
	}

	collect_keys(root, &leaves);
	*nkeys = list_length(leaves);
	keys = palloc(sizeof(Datum) * *nkeys);
	*partial = palloc0(sizeof(bool) * *nkeys);
	*extra = palloc0(sizeof(Pointer) * *nkeys);
	for (int i = 0; i < *nkeys; i++)
	{
		PgBsonGinNode *leaf = list_nth(leaves, i);

		keys[i] = leaf->key;
		(*partial)[i] = leaf->bound != NULL;
		if (i == 0 || leaf->bound != NULL)
		{
			Extra	   *e = palloc(sizeof(Extra));

			e->root = root;
			e->bound = leaf->bound;
			(*extra)[i] = (Pointer) e;
		}
	}
	PG_RETURN_POINTER(keys);
}

PG_FUNCTION_INFO_V1(pgbson_gin_triconsistent);

/* SQL: the triConsistent function of all classes */
Datum
pgbson_gin_triconsistent(PG_FUNCTION_ARGS)
{
	GinTernaryValue *check = (GinTernaryValue *) PG_GETARG_POINTER(0);
	int32		nkeys = PG_GETARG_INT32(3);
	Extra	  **extra = (Extra **) PG_GETARG_POINTER(4);

	/* without keys it is a scan of all rows */
	if (nkeys == 0)
		PG_RETURN_GIN_TERNARY_VALUE(GIN_MAYBE);
	PG_RETURN_GIN_TERNARY_VALUE(evaluate(extra[0]->root, check));
}

PG_FUNCTION_INFO_V1(pgbson_gin_compare);

/* SQL: the compare function of classes whose keys are bytea */
Datum
pgbson_gin_compare(PG_FUNCTION_ARGS)
{
	const uint8 *a;
	const uint8 *b;
	uint32		a_len = PgBsonGinKeyBytes(PG_GETARG_DATUM(0), &a);
	uint32		b_len = PgBsonGinKeyBytes(PG_GETARG_DATUM(1), &b);

	PG_RETURN_INT32(PgBsonGinCompareBytes(a, a_len, b, b_len));
}

PG_FUNCTION_INFO_V1(pgbson_gin_compare_partial);

/*
 * SQL: the comparePartial function; keys compare as their bytes do.  The scan
 * began at the first key of the range.
 */
Datum
pgbson_gin_compare_partial(PG_FUNCTION_ARGS)
{
	const PgBsonGinBound *bound = ((Extra *) PG_GETARG_POINTER(3))->bound;
	const uint8 *first;
	const uint8 *key;
	uint32		len;
	int			cmp;

	(void) PgBsonGinKeyBytes(PG_GETARG_DATUM(0), &first);
	len = PgBsonGinKeyBytes(PG_GETARG_DATUM(1), &key);

	if (len < bound->prefix || memcmp(key, first, bound->prefix) != 0)
		PG_RETURN_INT32(1);
	cmp = memcmp(key, bound->last, Min(len, bound->len));
	PG_RETURN_INT32(cmp > 0 || (cmp == 0 && bound->closed && len > bound->len) ? 1 : 0);
}
