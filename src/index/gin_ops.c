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
 * Such a key is exact: a proof that the row has this value at this path.  Those of short values are
 * exact, because many rows may share a short value, and testing all of them again would be slow.
 * Other values, and whatever would make a key longer than 30 bytes, have hashed keys, which are hints:
 *
 *		byte 0		as above
 *		bytes 1-5	of an integer or date the last five bytes, of a string a hash, of other
 *					values two bytes that sort and a hash of three
 *		byte 6		a hash of the path
 *
 * Most values are hashed, and each mostly has an entry of its own, so their size decides that of the
 * index: with a header and one row, an entry takes 28 bytes up to seven bytes of key, and then 8
 * more for each 8 bytes.  The value comes before the path, so that the keys of equal values in several
 * fields are next to each other, and those of neighbouring values, as rows that are written one after
 * the other have them, are near each other: both make building and changing the index faster.
 *
 * A hashed key leaves out names where these make the index large.  A query then asks for the key of
 * the field with its first names, too.
 *
 * - Of a path of more than two names there are the first and the last.  The names between them are often
 *	 data themselves (a method, a day, a version), so that with them each value would have a key of its own.
 * - Strings of 17 bytes or more have no path at all.  Such a string is mostly an identifier, an address or a
 *	 text, of which a row may have copies in several fields; few rows have it in another field only.
 *
 * The key of a field is its path without a value; its kind tells it from the others.  Fields with paths
 * of more than two names have none: deep documents have most of their fields there, and keys of those
 * made the index of the caniuse data a quarter larger, and its build take 1.6 times as long.  The operators
 * ? ?| ?& ask for three keys of each name: a root string, and a string in a root array, have keys as values
 * only, so that the key of a field proves that there is one, and an array of strings has one key for each.
 */
#include "index/gin.h"

#include <math.h>

#include "core/number/number.h"
#include "core/order/compare.h"
#include "door.h"

/* The kind in a key: the rank of a type, or one of these */
#define KIND_FIELD		31
#define KIND_DOUBLE		30		/* a number that is not an int64; those have the rank of numbers, 3, as their kind */
#define KIND_NAN		29

/*
 * How many bytes of a value are in a hashed key.  With one byte before them, one after them, and the
 * length, an entry of the index has eight.
 */
#define HASHED_VALUE	5

/* The most bytes of values with exact keys: strings, others, and all below more than two names */
#define SHORT_STRING	8
#define SHORT_OTHER		2
#define SHORT_DEEP		1

/* Strings of this number of bytes have hashed keys without a path */
#define LONG_STRING		17

/* Of a path with more names, the hash is that of the first and the last */
#define WHOLE_PATH		2

typedef struct ValueBytes
{
	int			kind;
	bool		exact;			/* no different value of the same kind has these bytes */
	bool		integer;		/* the bytes are the last ones of the int64 in "room" */
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
	v->integer = true;
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
	bool		exact;

	if (PgBsonNumberToInt64(value, &i))
	{
		integer_bytes(i, v);
		return;
	}
	/* all numbers but integers and NaN have hashed keys */
	v->exact = isnan(PgBsonNumberToDouble(value, &exact));
	v->kind = v->exact ? KIND_NAN : KIND_DOUBLE;
}

/* The bytes of a scalar in its key: the same for equal values, different for unequal values of the same kind */
static void
value_bytes(const PgBsonValue *value, ValueBytes *v)
{
	v->kind = PgBsonTypeRank(value->type);
	v->exact = true;
	v->integer = false;
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
hashed_key(PgBsonGinKeys *keys, PgBsonGinVia via, int kind, const uint8 *value, uint8 path)
{
	uint8	   *p;
	Datum		key = PgBsonGinNewKey(keys, HASHED_VALUE + 2, &p);

	p[0] = head_byte(via, kind, true);
	memcpy(p + 1, value, HASHED_VALUE);
	p[1 + HASHED_VALUE] = path;
	return key;
}

/* The bytes of a value in a hashed key */
static void
hashed_bytes(const PgBsonValue *value, const ValueBytes *v, uint8 *bytes)
{
	uint8		word[8];
	bool		whole;

	if (v->integer)
	{
		memcpy(bytes, v->room + sizeof(v->room) - HASHED_VALUE, HASHED_VALUE);
		return;
	}
	PgBsonGinPutWord(word, PgBsonHash(value, 0));
	memcpy(bytes, word, HASHED_VALUE);
	if (v->kind != PgBsonTypeRank(PGBSON_STRING))
		(void) PgBsonSortableBytes(value, bytes, 2, &whole);
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

/* Is the key exact? */
static bool
is_exact(const PgBsonGinPath *path, const ValueBytes *v)
{
	uint32		most = path->nkeys > PGBSON_GIN_START ? SHORT_DEEP : v->kind == PgBsonTypeRank(PGBSON_STRING)
		? SHORT_STRING : SHORT_OTHER;

	return v->exact && v->len <= most && path->len <= PGBSON_GIN_KEY_MAX - 2 - v->len;
}

static Datum
value_key_of_ops(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonValue *value, PgBsonGinStrength *strength)
{
	ValueBytes	v;
	uint8		bytes[HASHED_VALUE];

	value_bytes(value, &v);
	if (is_exact(path, &v))
	{
		*strength = PGBSON_GIN_PROOF;
		return exact_key(keys, path, v.kind, v.bytes, v.len);
	}
	hashed_bytes(value, &v, bytes);
	if (v.kind == PgBsonTypeRank(PGBSON_STRING) && v.len >= LONG_STRING)
	{
		*strength = PGBSON_GIN_LOOSE;
		return hashed_key(keys, PGBSON_GIN_PLAIN, v.kind, bytes, 0);
	}
	*strength = path->nkeys > WHOLE_PATH ? PGBSON_GIN_LOOSE : PGBSON_GIN_HINT;
	return hashed_key(keys, path->via, v.kind, bytes, (uint8) path->ends);
}

static Datum
field_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, bool *exact)
{
	uint8		word[8];

	*exact = path->len <= PGBSON_GIN_KEY_MAX - 2;
	if (*exact)
		return exact_key(keys, path, KIND_FIELD, NULL, 0);
	PgBsonGinPutWord(word, path->hash);
	return hashed_key(keys, path->via, KIND_FIELD, word, word[HASHED_VALUE]);
}

static PgBsonGinNode *
compare_by_ops(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonGinComparison *comparison)
{
	if (comparison->op != jpiEqual)
		return NULL;
	return PgBsonGinEquality(value_key_of_ops, keys, path, comparison);
}

const PgBsonGinClass PgBsonGinOps = {PgBsonGinSortBytes, value_key_of_ops, field_key, compare_by_ops, false, true};

PGBSON_DOOR(pgbson_gin_extract_value, PgBsonGinExtractValue(fcinfo, &PgBsonGinOps));
PGBSON_DOOR(pgbson_gin_extract_query, PgBsonGinExtractQuery(fcinfo, &PgBsonGinOps));
