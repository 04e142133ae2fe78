/*
 * gin_ops.c
 *	  GIN class bson_ops, the default: paths with values, and fields.
 *
 * The keys (gin.c says what they are made of):
 *
 *		byte 0		via (2 bits), kind (5 bits), is it hashed (1 bit)
 *		byte 1		bytes of the path
 *		...			the path: each name with its zero byte
 *		...			the value; numbers and dates most significant byte first
 *
 * A key that would be longer than 30 bytes is hashed: byte 0 and a 64-bit hash
 * of path and value (PgBsonGinHash) follow one another.  Such a key is a hint.  This bounds
 * the size of the index, while short values, which many rows may share so that
 * testing all of them again would be slow, have exact keys.
 *
 * Of a path of more than three names the hash has the first and the last two.
 * The names between them are often data themselves (a method, a day), so hashing all names would
 * give nearly each value a key of its own.  With the documents of browser-compat-data this makes the
 * index eight times smaller, and its build seven times faster.  A query asks for the key of the
 * field with its first names, too.
 *
 * The key of a field is its path without a value; its kind tells it from the others.  Fields with paths
 * of more than two names have none: deep documents have most of their fields there, and keys of those
 * made the index of the caniuse data a quarter larger, and its build take 1.6 times as long.  For the
 * operators ? ?| ?&, strings in a root array, and a root string, have the key of a field of that name.
 */
#include "index/gin.h"

#include <math.h>

#include "core/number/number.h"
#include "core/order/compare.h"
#include "door.h"

/* The kind in a key: the rank of a type, or one of these */
#define KIND_FIELD		31
#define KIND_DOUBLE		30		/* a number that is not an int64; an int64's kind is 3, the rank of numbers */
#define KIND_NAN		29

typedef struct ValueBytes
{
	int			kind;
	bool		exact;			/* no different value of the same kind has these bytes */
	uint32		len;
	const uint8 *bytes;
	uint8		room[8];		/* for numbers */
} ValueBytes;

/* An integer in as few bytes as can hold it with its sign, most significant first */
static void
integer_bytes(int64 i, ValueBytes *v)
{
	uint32		n = 8;

	PgBsonGinPutWord(v->room, (uint64) i);
	v->bytes = v->room;
	while (n > 0 && v->bytes[0] == (i < 0 ? 0xFF : 0) && (n == 1 ? i >= 0 : (v->bytes[1] & 0x80) == (i < 0 ? 0x80 : 0)))
	{
		v->bytes++;
		n--;
	}
	v->len = n;
}

static void
number_bytes(const PgBsonValue *value, ValueBytes *v)
{
	int64		i;
	double		d;

	if (PgBsonNumberToInt64(value, &i))
	{
		integer_bytes(i, v);
		return;
	}
	d = PgBsonNumberToDouble(value, &v->exact);
	if (isnan(d))
	{
		v->kind = KIND_NAN;
		v->exact = true;
		return;
	}
	/* neither an integer nor a double has this value (a decimal): hash it */
	PgBsonGinPutWord(v->room, PgBsonNumberSortBits(value));
	v->kind = KIND_DOUBLE;
	v->bytes = v->room;
	v->len = 8;
}

/*
 * The bytes of a scalar in its key: the same for equal values, different for unequal values of the
 * same kind
 */
static void
value_bytes(const PgBsonValue *value, ValueBytes *v)
{
	v->kind = PgBsonTypeRank(value->type);
	v->exact = true;
	v->len = 0;
	v->bytes = value->data;

	switch (value->type)
	{
		case PGBSON_DOUBLE:
		case PGBSON_INT32:
		case PGBSON_INT64:
		case PGBSON_DECIMAL128:
			number_bytes(value, v);
			break;
		case PGBSON_STRING:
		case PGBSON_SYMBOL:
		case PGBSON_CODE:
			v->bytes = (const uint8 *) PgBsonValueString(value, &v->len);
			break;
		case PGBSON_DATE:
			integer_bytes(PgBsonReadI64(value->data), v);
			break;
		case PGBSON_BINARY:
		case PGBSON_DBPOINTER:
			/* leave out the length before the bytes */
			v->bytes = value->data + 4;
			v->len = value->len - 4;
			break;
		case PGBSON_OBJECTID:
		case PGBSON_BOOL:
		case PGBSON_TIMESTAMP:
		case PGBSON_REGEX:
			v->len = value->len;
			break;
		case PGBSON_CODE_W_SCOPE:
			/* the scopes of equal values may hold numbers of different types, so hash */
			v->exact = false;
			break;
		default:
			break;
	}
}

static inline uint8
head_byte(PgBsonGinVia via, int kind, bool hashed)
{
	return (uint8) (via << 6 | kind << 1 | (hashed ? 1 : 0));
}

static Datum
hashed_key(PgBsonGinKeys *keys, PgBsonGinVia via, int kind, uint64 hash)
{
	uint8	   *p;
	Datum		key = PgBsonGinNewKey(keys, 1 + sizeof(hash), &p);

	p[0] = head_byte(via, kind, true);
	PgBsonGinPutWord(p + 1, hash);
	return key;
}

static Datum
exact_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, int kind, const void *bytes, uint32 len)
{
	uint8	   *p;
	Datum		key = PgBsonGinNewKey(keys, 2 + path->len + len, &p);

	p[0] = head_byte(path->via, kind, false);
	p[1] = (uint8) path->len;
	memcpy(p + 2, path->names, path->len);
	if (len > 0)
		memcpy(p + 2 + path->len, bytes, len);
	return key;
}

static Datum
value_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonValue *value, bool *exact)
{
	ValueBytes	v;

	value_bytes(value, &v);
	*exact = v.exact && path->len <= PGBSON_GIN_KEY_MAX - 2 && v.len <= PGBSON_GIN_KEY_MAX - 2 - path->len;
	if (*exact)
		return exact_key(keys, path, v.kind, v.bytes, v.len);
	return hashed_key(keys, path->via, v.kind, PgBsonGinHash(value, path->ends));
}

static Datum
field_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, bool *exact)
{
	*exact = path->len <= PGBSON_GIN_KEY_MAX - 2;
	if (*exact)
		return exact_key(keys, path, KIND_FIELD, NULL, 0);
	return hashed_key(keys, path->via, KIND_FIELD, path->ends);
}

static PgBsonGinNode *
compare(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonGinComparison *comparison)
{
	if (comparison->op != jpiEqual)
		return NULL;
	return PgBsonGinStart(keys, path, PgBsonGinEquality(value_key, keys, path, comparison));
}

const PgBsonGinClass PgBsonGinOps = {PgBsonGinSortBytes, value_key, field_key, compare, false, true};

PGBSON_DOOR(pgbson_gin_extract_value, PgBsonGinExtractValue(fcinfo, &PgBsonGinOps));
PGBSON_DOOR(pgbson_gin_extract_query, PgBsonGinExtractQuery(fcinfo, &PgBsonGinOps));
