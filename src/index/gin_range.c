/*
 * gin_range.c
 *	  GIN class bson_range_ops: paths with values that sort.
 *
 * It serves comparisons of jsonpath, such as '$.age > 40'.  A key is
 *
 *		bytes 0-3	hash of the path (gin.c)
 *		byte 4		in an array, or below one (1 bit); rank of the type (7 bits)
 *		...			the value
 *
 * Keys are compared by their bytes, so the keys of one path and type are
 * together, and among them the key of a greater value does not come before
 * that of a lesser one:
 *
 *		PREFIX bytes of the encoding that sorts (core/order/sortable.c); of a
 *		longer string or binary a hash follows
 *
 * Different values may have the same key, so every row found is tested again.
 *
 * Values in arrays have separate keys because two elements may meet the two
 * comparisons of '$.age > 40 && $.age < 50'.  If a value is not in an array,
 * both comparisons are about the same value, so one scan from 40 to 50 serves
 * them.
 */
#include "index/gin.h"

#include "core/order/compare.h"
#include "door.h"

/* How many bytes of a string the sortable part of its key has */
#define PREFIX			16

#define HEAD			PGBSON_GIN_RANGE_HEAD

/* See PgBsonGinRangeInArray */
#define ARRAY_BIT		0x80

/* the head, the sortable bytes, and the hash */
#define KEY_ROOM		(HEAD + PREFIX + 4)

typedef struct RangeKey
{
	uint32		len;
	bool		whole;			/* the bytes identify the value; not used for numbers */
	uint8		bytes[KEY_ROOM];
} RangeKey;

void
PgBsonGinRangeHead(uint8 *key, uint64 path, bool in_array, PgBsonType type)
{
	uint32		hash = pg_hton32((uint32) (path ^ path >> 32));

	memcpy(key, &hash, 4);
	key[4] = (uint8) (PgBsonTypeRank(type) | (in_array ? ARRAY_BIT : 0));
}

/* All but the hash */
static void
put_start(RangeKey *key, const PgBsonGinPath *path, bool in_array, const PgBsonValue *value)
{
	PgBsonGinRangeHead(key->bytes, path->hash, in_array, value->type);
	key->len = HEAD + PgBsonSortableBytes(value, key->bytes + HEAD, PREFIX, &key->whole);
}

bool
PgBsonGinRangeNumber(uint8 type, uint64 word, double *number)
{
	if ((type & ~ARRAY_BIT) != PgBsonTypeRank(PGBSON_DOUBLE))
		return false;
	word ^= (word >> 63) ? UINT64CONST(1) << 63 : ~UINT64CONST(0);
	memcpy(number, &word, sizeof(word));
	return true;
}

static Datum
key_datum(PgBsonGinKeys *keys, const RangeKey *key)
{
	uint8	   *bytes;
	Datum		datum = PgBsonGinNewKey(keys, key->len, &bytes);

	memcpy(bytes, key->bytes, key->len);
	return datum;
}

static Datum
equality_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, bool in_array,
			 const PgBsonValue *value)
{
	RangeKey	key;
	uint32		hash;

	put_start(&key, path, in_array, value);
	/* a hash tells apart strings that differ only after the sortable bytes */
	if (!key.whole && value->type != PGBSON_CODE_W_SCOPE)
	{
		hash = (uint32) PgBsonHash(value, 0);
		memcpy(key.bytes + key.len, &hash, 4);
		key.len += 4;
	}
	return key_datum(keys, &key);
}

static Datum
value_key_of_range(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonValue *value,
				   PgBsonGinStrength *strength)
{
	*strength = PGBSON_GIN_HINT;
	return equality_key(keys, path, path->via != PGBSON_GIN_PLAIN, value);
}

static PgBsonGinNode *
equality(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonGinComparison *comparison)
{
	List	   *nodes = NIL;

	for (int i = 0; i < comparison->nforms; i++)
	{
		for (int in_array = 0; in_array <= 1; in_array++)
			nodes = lappend(nodes,
							PgBsonGinKeyNode(equality_key(keys, path, in_array,
														  &comparison->forms[i]), false));
	}
	return PgBsonGinAny(nodes);
}

/* The condition that a value is on one side of the literal or, for starts with, that it begins with the literal */
static PgBsonGinNode *
range(PgBsonGinKeys *keys, const PgBsonGinPath *path, bool in_array,
	  const PgBsonGinComparison *comparison)
{
	JsonPathItemType op = comparison->op;
	bool		upper = op == jpiLess || op == jpiLessOrEqual;
	RangeKey	key;
	PgBsonGinBound *bound = palloc0(offsetof(PgBsonGinBound, last) + KEY_ROOM);

	put_start(&key, path, in_array, &comparison->forms[0]);
	bound->prefix = op == jpiStartsWith ? key.len : HEAD;
	if (upper)
	{
		bound->len = key.len;
		bound->closed = key.whole;
		memcpy(bound->last, key.bytes, key.len);
		key.len = HEAD;
	}
	return PgBsonGinRangeNode(key_datum(keys, &key), bound);
}

static PgBsonGinNode *
compare_by_range(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonGinComparison *comparison)
{
	PgBsonGinNode *node;

	switch (comparison->op)
	{
		case jpiEqual:
			return equality(keys, path, comparison);
		case jpiLess:
		case jpiLessOrEqual:
		case jpiGreater:
		case jpiGreaterOrEqual:
			/* null and undefined are not ordered, so no value is less or greater */
			if (PgBsonIsNullish(comparison->forms[0].type))
				return NULL;
			break;
		case jpiStartsWith:
			if (comparison->forms[0].type != PGBSON_STRING)
				return NULL;
			break;
		default:
			return NULL;
	}
	node = PgBsonGinAny(list_make2(range(keys, path, false, comparison),
								   range(keys, path, true, comparison)));
	node->ranges = true;
	return node;
}

const PgBsonGinClass PgBsonGinRangeOps = {PgBsonGinSortBytes, value_key_of_range, NULL, compare_by_range};

PGBSON_DOOR(pgbson_gin_extract_value_range, PgBsonGinExtractValue(fcinfo, &PgBsonGinRangeOps));
PGBSON_DOOR(pgbson_gin_extract_query_range, PgBsonGinExtractQuery(fcinfo, &PgBsonGinRangeOps));
