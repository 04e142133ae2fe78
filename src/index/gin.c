/*
 * gin.c
 *	  GIN: what an index contains of a bson value, and what all operator classes share.
 *
 * PATHS AND VALUES
 *
 * A value is indexed as its scalars, each with the path that leads to it.  The
 * path is made of the names of fields.  Positions in arrays are left out,
 * because no operator uses them.  But a key says whether there are arrays on
 * the way ("via"):
 *
 *		{"a": {"b": 5}}			plain	a.b = 5
 *		{"a": {"b": [5, 6]}}	element	a.b = 5, a.b = 6
 *		{"a": [{"b": 5}]}		nested	a.b = 5
 *
 * Because of this, a key can be a proof and not just a hint.  A row with the
 * plain key a.b = 5 contains {"a": {"b": 5}}, whatever else is in it; one with
 * the element keys a.b = 5 and a.b = 6 contains {"a": {"b": [5, 6]}}.  Such
 * rows need not be fetched and tested again, which for large documents takes
 * most of the time.  Nested keys may come from several elements, as in {"a":
 * [{"b": 5}, {"c": 6}]}, so rows found by them are tested again.
 *
 * If a document has several fields with the same name, only the first is
 * indexed.  Only wildcards of jsonpath can see the others, and keys are not
 * used for those.
 *
 * Equal values have equal keys: 5, 5.0, int64 5 and decimal128 5 have one key,
 * and a symbol has that of a string.
 *
 * CLASSES
 *
 * A class defines the keys that it makes of a scalar and of a field
 * (PgBsonGinClass in gin.h). Each has a file:
 *
 *		gin_ops.c		bson_ops: paths with values, and fields; keys of short values are proofs
 *		gin_path.c		bson_path_ops: 64-bit hashes; a smaller index, whose rows are
 *						always tested again
 *		gin_range.c		bson_range_ops: keys that sort, for comparisons
 *
 * The rest is common to all classes: the walk through a value (gin_walk.c),
 * the conditions that a query sets on keys (gin_node.c), and how these are
 * derived from a jsonpath (gin_jsonpath.c) and from a query of MongoDB
 * (gin_match.c).
 *
 * The keys are on disk, so they are fixed from version 1.0 on, and so are the
 * hashes of core/order/hash.c.  The hashes differ on big-endian machines.
 */
#include "index/gin.h"

#include "core/order/contain.h"
#include "core/write/from_value.h"

/* The extra data of each key: the condition tree, which only the first key points to, and where the key's range ends */
typedef struct Extra
{
	PgBsonGinNode *root;
	PgBsonGinBound *bound;
} Extra;

/* The condition of ?: the row has the field, or it is a string, or an array with one as its element */
static PgBsonGinNode *
name_node(PgBsonGinKeys *keys, const char *name, uint32 len)
{
	PgBsonGinPath path;
	bool		exact;
	Datum		key;
	List	   *nodes;

	PgBsonGinPathInit(&path);
	PgBsonGinPathAddKey(&path, name, len);
	key = keys->class->field_key(keys, &path, &exact);
	nodes = list_make1(PgBsonGinKeyNode(key, exact));
	if (!keys->class->estimates)
	{
		PgBsonValue string = PgBsonMakeString(name, len);

		PgBsonGinPathInit(&path);
		for (path.via = PGBSON_GIN_PLAIN; path.via <= PGBSON_GIN_ELEMENT; path.via++)
		{
			PgBsonGinStrength strength;

			key = keys->class->value_key(keys, &path, &string, &strength);
			nodes = lappend(nodes, PgBsonGinKeyNode(key, strength == PGBSON_GIN_PROOF));
			/* such a key leaves out the way */
			if (strength == PGBSON_GIN_LOOSE)
				break;
		}
	}
	return PgBsonGinAny(nodes);
}

/* Make the condition of ?| and ?&: one condition for each key in the array */
static List *
field_nodes(PgBsonGinKeys *keys, ArrayType *array)
{
	PgBsonKeySet wanted;
	List	   *nodes = NIL;

	PgBsonKeysFromArray(array, NULL, &wanted);
	for (int i = 0; i < wanted.count; i++)
		nodes = lappend(nodes, name_node(keys, wanted.entries[i].key, wanted.entries[i].key_len));
	return nodes;
}

static PgBsonGinNode *
query_node(PgBsonGinKeys *keys, Datum query, StrategyNumber strategy, bool *never)
{
	PgBsonValue part;
	PgBsonStep	key;
	List	   *nodes;

	*never = false;
	switch (strategy)
	{
		case PGBSON_GIN_CONTAINS:
			part = PgBsonRoot(DatumGetPgBsonPP(query));
			return PgBsonGinContainsNode(keys, &part);

		case PGBSON_GIN_EXISTS:
			key = PgBsonStepFromText(DatumGetTextPP(query), PGBSON_STEP_KEY);
			return name_node(keys, key.key, key.key_len);

		case PGBSON_GIN_EXISTS_ANY:
			nodes = field_nodes(keys, DatumGetArrayTypeP(query));
			*never = nodes == NIL;
			return PgBsonGinAny(nodes);

		case PGBSON_GIN_EXISTS_ALL:
			return PgBsonGinAll(field_nodes(keys, DatumGetArrayTypeP(query)));

		case PGBSON_GIN_PATH_EXISTS:
			return PgBsonGinFromJsonpath(keys, DatumGetJsonPathP(query), false);

		case PGBSON_GIN_PATH_MATCH:
			return PgBsonGinFromJsonpath(keys, DatumGetJsonPathP(query), true);

		case PGBSON_GIN_MATCH:
			part = PgBsonRoot(DatumGetPgBsonPP(query));
			return PgBsonGinFromMatch(keys, &part);

		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
	return NULL;				/* keep compiler quiet */
}

PgBsonGinNode *
PgBsonGinQueryNode(PgBsonGinKeys *keys, Datum query, StrategyNumber strategy, bool *never)
{
	PgBsonGinNode *node = query_node(keys, query, strategy, never);

	return node != NULL ? PgBsonGinSimplify(node) : NULL;
}

Datum
PgBsonGinExtractValue(FunctionCallInfo fcinfo, const PgBsonGinClass *class)
{
	int32	   *nkeys = (int32 *) PG_GETARG_POINTER(1);
	PgBsonReader reader;
	PgBsonGinKeys keys;

	(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	keys = PgBsonGinKeysOf(class, &reader.root);
	PgBsonDrop(&reader);
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
	PgBsonGinKeys arena = {class};
	List	   *leaves = NIL;
	PgBsonGinNode *root;
	Datum	   *keys;
	bool		never;

	*nkeys = 0;
	root = PgBsonGinQueryNode(&arena, PG_GETARG_DATUM(0), strategy, &never);
	if (root == NULL)
	{
		if (!never)
			*search_mode = GIN_SEARCH_MODE_ALL;
		PG_RETURN_POINTER(NULL);
	}

	PgBsonGinCollect(root, &leaves);
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

	/* a query that sets no condition on keys needs a scan of all rows */
	if (nkeys == 0)
		PG_RETURN_GIN_TERNARY_VALUE(GIN_MAYBE);
	PG_RETURN_GIN_TERNARY_VALUE(PgBsonGinEvaluate(extra[0]->root, check));
}

PG_FUNCTION_INFO_V1(pgbson_gin_compare);

/* SQL: the compare function of classes with bytea keys.  Mostly seven bytes decide, in one word with the header. */
Datum
pgbson_gin_compare(PG_FUNCTION_ARGS)
{
	const uint8 *a = (const uint8 *) DatumGetPointer(PG_GETARG_DATUM(0));
	const uint8 *b = (const uint8 *) DatumGetPointer(PG_GETARG_DATUM(1));

	if (likely(VARATT_IS_1B(a) && VARSIZE_1B(a) >= 8 && VARATT_IS_1B(b) && VARSIZE_1B(b) >= 8))
	{
		uint64		x = PgBsonGinWord(a) << 8;
		uint64		y = PgBsonGinWord(b) << 8;

		if (x != y)
			PG_RETURN_INT32(x < y ? -1 : 1);
	}
	PG_RETURN_INT32(PgBsonGinCompareKeys(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(pgbson_gin_compare_partial);

/*
 * SQL: the comparePartial function, which compares keys by their bytes.  The scan has begun at the
 * first key of the range, so only the end is tested.
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
