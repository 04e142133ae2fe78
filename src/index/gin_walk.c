/*
 * gin_walk.c
 *	  The walk through a value that is to be indexed.
 */
#include "index/gin.h"

#include "common/hashfn.h"
#include "core/bytes/keys.h"
#include "core/bytes/keyset.h"
#include "core/bytes/sort.h"
#include "core/order/compare.h"
#include "lib/qunique.h"

/* Before a list with at least this number of keys grows, duplicates are removed */
#define MANY_KEYS		(1024 * 1024)

/* How many bytes of a hash sort: few values share 24 bits, and the other 40 bits tell those apart */
#define SORTED_BYTES	3

uint64
PgBsonGinHash(const PgBsonValue *value, uint64 path)
{
	uint8		sorted[8] = {0};
	bool		whole;

	(void) PgBsonSortableBytes(value, sorted, SORTED_BYTES, &whole);
	return PgBsonGinWord(sorted) | PgBsonHash(value, path) >> (8 * SORTED_BYTES);
}

void
PgBsonGinPathInit(PgBsonGinPath *path)
{
	path->hash = path->ends = path->first = path->start = 0;
	path->nkeys = 0;
	path->len = 0;
	path->via = PGBSON_GIN_PLAIN;
}

void
PgBsonGinPathAddKey(PgBsonGinPath *path, const char *key, uint32 key_len)
{
	uint64		name = hash_bytes_extended((const unsigned char *) key, key_len, 1);

	path->hash = hash_combine64(path->hash, name);
	if (path->nkeys == 0)
		path->first = path->ends = path->hash;
	else
		path->ends = hash_combine64(path->first, name);
	path->nkeys++;
	if (path->len < sizeof(path->names) && key_len < sizeof(path->names) - path->len)
	{
		memcpy(path->names + path->len, key, key_len);
		path->names[path->len + key_len] = '\0';
		path->len += key_len + 1;
	}
	else
		path->len = sizeof(path->names) + 1;
	if (path->nkeys == PGBSON_GIN_START)
	{
		path->start = path->hash;
		path->start_len = path->len;
	}
	if (path->via == PGBSON_GIN_ELEMENT)
		path->via = PGBSON_GIN_NESTED;
}

/* A step from an array to an element */
static void
add_element(PgBsonGinPath *path)
{
	path->via = path->via == PGBSON_GIN_PLAIN ? PGBSON_GIN_ELEMENT : PGBSON_GIN_NESTED;
}

int
PgBsonGinCompareKeys(Datum a, Datum b)
{
	const uint8 *a_bytes;
	const uint8 *b_bytes;
	uint32		a_len = PgBsonGinKeyBytes(a, &a_bytes);
	uint32		b_len = PgBsonGinKeyBytes(b, &b_bytes);

	return PgBsonGinCompareBytes(a_bytes, a_len, b_bytes, b_len);
}

/* A key with its first eight bytes as a number: comparing these mostly decides */
typedef struct SortKey
{
	uint64		first;
	Datum		key;
} SortKey;

static SortKey
key_to_sort(Datum key)
{
	SortKey		result = {0, key};
	const uint8 *bytes;
	uint32		len = PgBsonGinKeyBytes(key, &bytes);

	result.first = PgBsonGinWord(bytes);
	if (len < 8)
		result.first &= ~(~UINT64CONST(0) >> (8 * len));
	return result;
}

static inline int
order_bytes(const void *a, const void *b)
{
	const SortKey *x = a;
	const SortKey *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return PgBsonGinCompareKeys(x->key, y->key);
}

int
PgBsonGinSortBytes(Datum *keys, int n)
{
	SortKey    *sorted = palloc_extended(sizeof(SortKey) * (Size) n, MCXT_ALLOC_HUGE);

	for (int i = 0; i < n; i++)
		sorted[i] = key_to_sort(keys[i]);
	PgBsonSortInline(sorted, n, sizeof(SortKey), order_bytes);
	n = qunique(sorted, n, sizeof(SortKey), order_bytes);
	for (int i = 0; i < n; i++)
		keys[i] = sorted[i].key;
	pfree(sorted);
	return n;
}

Datum
PgBsonGinNewKey(PgBsonGinKeys *keys, Size size, uint8 **bytes)
{
	char	   *key;

	/* the header of a short varlena, which is what an index stores; keys are not aligned */
	size += VARHDRSZ_SHORT;
	key = PgBsonArenaTake(&keys->arena, CurrentMemoryContext, size);
	SET_VARSIZE_SHORT(key, size);
	*bytes = (uint8 *) VARDATA_SHORT(key);
	return PointerGetDatum(key);
}

/* Sort the keys and remove duplicates.  The server sorts them again, but sorting a sorted array is fast. */
static void
sort_keys(PgBsonGinKeys *keys)
{
	if (keys->count > 0)
		keys->count = keys->class->sort(keys->keys, keys->count);
}

static void
make_key_room(PgBsonGinKeys *keys)
{
	/* the server does not accept more keys of one value */
	if (keys->room > MaxAllocSize / sizeof(Datum) / 4)
		PgBsonReportLimit(errmsg("bson value has too many elements for an index"));
	keys->room = Max(keys->room * 2, 32);
	keys->keys = PgBsonResize(keys->keys, keys->room * sizeof(Datum));
}

static void
add_key(PgBsonGinKeys *keys, Datum key)
{
	if (keys->count == keys->room)
	{
		/*
		 * a document of a gigabyte may have many elements, but few different ones, so duplicates
		 * are removed meanwhile
		 */
		if (keys->room >= MANY_KEYS)
			sort_keys(keys);
		if (keys->count >= keys->room / 2)
			make_key_room(keys);
	}
	keys->keys[keys->count++] = key;
}

/* How many keys of fields are remembered, to add each only once */
#define RECENT_FIELDS	64

/*
 * The state of a walk, which makes either the keys of a value to be indexed or the condition of a
 * value to be contained
 */
typedef struct Walk
{
	PgBsonGinKeys *keys;
	bool		is_query;
	List	   *conditions;
	Datum		recent[RECENT_FIELDS];	/* by the path's hash, the last keys of fields below arrays; 0: none */
} Walk;

static void walk_value(Walk *walk, const PgBsonValue *value, const PgBsonGinPath *path);

/* A scalar */
static void
walk_leaf(Walk *walk, const PgBsonValue *value, const PgBsonGinPath *path)
{
	PgBsonGinStrength strength;
	Datum		key = walk->keys->class->value_key(walk->keys, path, value, &strength);

	if (!walk->is_query)
		add_key(walk->keys, key);
	else
	{
		/* two keys below an array may come from two of its elements, so they do not prove one element with both */
		PgBsonGinNode *node = PgBsonGinKeyNode(key, strength == PGBSON_GIN_PROOF && path->via != PGBSON_GIN_NESTED);

		if (strength == PGBSON_GIN_LOOSE)
			node = PgBsonGinAll(list_make2(node, PgBsonGinExists(walk->keys, path, false)));
		walk->conditions = lappend(walk->conditions, node);
	}
}

/*
 * Add the key of a field, unless it is remembered: documents in an array mostly have the same
 * fields, and adding a key only once is cheaper than removing duplicates later
 */
static void
add_field(Walk *walk, const PgBsonGinPath *field)
{
	bool		exact;
	Datum		key = walk->keys->class->field_key(walk->keys, field, &exact);

	if (field->via != PGBSON_GIN_PLAIN)
	{
		Datum	   *recent = &walk->recent[field->hash % RECENT_FIELDS];

		if (*recent != 0 && PgBsonGinCompareKeys(key, *recent) == 0)
			return;
		*recent = key;
	}
	add_key(walk->keys, key);
}

static void
walk_field(Walk *walk, const PgBsonIter *iter, const PgBsonGinPath *path)
{
	PgBsonGinPath field = *path;

	PgBsonGinPathAddKey(&field, iter->key, iter->key_len);
	if (walk->keys->class->field_key != NULL && !walk->is_query &&
		(!walk->keys->class->shallow || field.nkeys <= PGBSON_GIN_START))
		add_field(walk, &field);
	walk_value(walk, &iter->value, &field);
}

/* Of several fields with the same name operators see only the first one, so only that one gets keys */
static uint32
walk_document(Walk *walk, PgBsonView doc, const PgBsonGinPath *path)
{
	PgBsonKeySet firsts;
	bool		has_duplicates = PgBsonHasDuplicateKeys(doc);
	uint32		count = 0;

	if (has_duplicates)
	{
		PgBsonKeySetInit(&firsts);
		PgBsonKeySetAddFields(&firsts, doc);
	}
	PgBsonForEach(iter, doc)
	{
		count++;
		if (has_duplicates &&
			PgBsonKeySetFind(&firsts, iter.key, iter.key_len)->value.data != iter.value.data)
			continue;
		walk_field(walk, &iter, path);
	}
	if (has_duplicates)
		PgBsonKeySetFree(&firsts);
	return count;
}

static uint32
walk_array(Walk *walk, PgBsonView array, const PgBsonGinPath *path)
{
	PgBsonGinPath element = *path;
	uint32		count = 0;

	add_element(&element);
	PgBsonForEach(iter, array)
	{
		walk_value(walk, &iter.value, &element);
		count++;
	}
	return count;
}

static void
walk_value(Walk *walk, const PgBsonValue *value, const PgBsonGinPath *path)
{
	uint32		count;

	if (!PgBsonIsContainer(value->type))
	{
		walk_leaf(walk, value, path);
		return;
	}
	check_stack_depth();
	if (value->type == PGBSON_DOCUMENT)
		count = walk_document(walk, PgBsonValueView(value), path);
	else
		count = walk_array(walk, PgBsonValueView(value), path);
	/* no key tells empty containers from others, only that there is a value */
	if (count == 0 && walk->is_query)
		walk->conditions = lappend(walk->conditions, PgBsonGinExists(walk->keys, path, false));
}

PgBsonGinKeys
PgBsonGinKeysOf(const PgBsonGinClass *class, const PgBsonValue *root)
{
	PgBsonGinKeys keys = {class};
	Walk		walk = {&keys, false, NIL};
	PgBsonGinPath path;

	PgBsonGinPathInit(&path);
	/*
	 * a class without keys of fields needs only the hash of a path; mark the path as too long, so
	 * that names are not kept
	 */
	if (class->field_key == NULL)
		path.len = sizeof(path.names) + 1;
	walk_value(&walk, root, &path);
	sort_keys(&keys);
	return keys;
}

PgBsonGinNode *
PgBsonGinContainsNode(PgBsonGinKeys *keys, const PgBsonValue *part)
{
	Walk		walk = {keys, true, NIL};
	PgBsonGinPath path;

	PgBsonGinPathInit(&path);
	walk_value(&walk, part, &path);
	if (PgBsonIsContainer(part->type))
		return PgBsonGinAll(walk.conditions);

	/* a scalar is contained in an equal scalar and in an array that has an equal element */
	add_element(&path);
	walk_value(&walk, part, &path);
	return PgBsonGinAny(walk.conditions);
}
