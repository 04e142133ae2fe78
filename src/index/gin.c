/*
 * gin.c
 *	  GIN: what is indexed of a bson value; and the default class, bson_ops.
 *
 * PATHS AND VALUES
 *
 * A value is indexed as its scalars, each with the path that leads to it.  The
 * path is made of the names of fields; positions in arrays do not count, as no
 * operator asks for them.  What does count is whether there are arrays on the
 * way at all ("via"):
 *
 *		{"a": {"b": 5}}			plain	a.b = 5
 *		{"a": {"b": [5, 6]}}	element	a.b = 5, a.b = 6
 *		{"a": [{"b": 5}]}		nested	a.b = 5
 *
 * With it, most keys are proofs and not just hints.  A row with the plain key
 * a.b = 5 contains {"a": {"b": 5}}, whatever else is in it; one with the
 * element keys a.b = 5 and a.b = 6 contains {"a": {"b": [5, 6]}}.  Such rows
 * are not fetched to be tested again, which for large documents is where the
 * time goes.  Nested keys may come of several elements, {"a": [{"b": 5}, {"c":
 * 6}]}, so their rows are tested again.
 *
 * Of fields with the same name in one document only the first is indexed: no
 * operator sees the others, save jsonpath's wildcards, which keys do not serve.
 *
 * Equal values have equal keys: 5, 5.0, int64 5 and decimal128 5 are one, and a
 * symbol is a string.
 *
 * bson_ops has keys for values and for fields:
 *
 *		byte 0		via (2 bits), kind (5 bits), is it hashed (1 bit)
 *		byte 1		bytes of the path
 *		...			the path: each name with its zero byte
 *		...			the value
 *
 * A key that would be longer than 30 bytes is hashed: byte 0 and a 64-bit
 * hash of path and value follow one another.  Such a key is a hint.  So the
 * size of the index is bounded, and the short values that many rows share,
 * where testing again would hurt, are exact.
 *
 * The key of a field is its path without a value; its kind tells it from the
 * others.  For the operators ? ?| ?&, strings in a root array, and a root
 * string, have the key of a field of that name.
 *
 * bson_path_ops (gin_path.c) has keys for values only, 64-bit hashes all: a
 * smaller index, whose rows are always tested again.  bson_range_ops
 * (gin_range.c) has keys that sort, for comparisons.
 *
 * The keys are on disk, so they are fixed from version 1.0 on, and with them
 * the hashes of core/hash.c, of which big-endian machines have others.
 */
#include "index/gin.h"

#include <math.h>

#include "common/hashfn.h"
#include "core/compare.h"
#include "core/number.h"

/* Kinds of keys: a type's rank, or one of these */
#define KIND_FIELD		31
#define KIND_DOUBLE		30		/* a number that is no int64; 3, the numbers' rank, is for int64 */
#define KIND_NAN		29

typedef struct ValueBytes
{
	int			kind;
	bool		exact;			/* do the bytes say everything? */
	uint32		len;
	const uint8 *bytes;
	uint8		room[8];		/* for numbers */
} ValueBytes;

/* An integer in as few bytes as tell it and its sign, little-endian */
static void
integer_bytes(int64 i, ValueBytes *v)
{
	uint32		n = 8;

	PgBsonWriteU64(v->room, (uint64) i);
	while (n > 0 && v->room[n - 1] == (i < 0 ? 0xFF : 0) &&
		   (n == 1 ? i >= 0 : (v->room[n - 2] & 0x80) == (i < 0 ? 0x80 : 0)))
		n--;
	v->bytes = v->room;
	v->len = n;
}

static void
number_bytes(const PgBsonValue *value, ValueBytes *v)
{
	int64		i;
	double		d;
	uint64		bits;

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
	/* what is no double is hashed */
	memcpy(&bits, &d, sizeof(bits));
	PgBsonWriteU64(v->room, bits);
	v->kind = KIND_DOUBLE;
	v->bytes = v->room;
	v->len = 8;
}

/* The bytes that stand for a scalar: equal for equal values, different for others of the kind */
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
			/* not the length before them */
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
			/* equal ones may have numbers of different types in their scopes */
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

/* A key of so many bytes, which the caller fills in at the address given */
static Datum
new_key(PgBsonGinKeys *keys, Size size, uint8 **bytes)
{
	/* a short varlena header, as the index has it */
	char	   *key = PgBsonGinAlloc(keys, size + VARHDRSZ_SHORT);

	SET_VARSIZE_SHORT(key, size + VARHDRSZ_SHORT);
	*bytes = (uint8 *) VARDATA_SHORT(key);
	return PointerGetDatum(key);
}

static Datum
hashed_key(PgBsonGinKeys *keys, PgBsonGinVia via, int kind, uint64 hash)
{
	uint8	   *p;
	Datum		key = new_key(keys, 1 + sizeof(hash), &p);

	p[0] = head_byte(via, kind, true);
	PgBsonWriteU64(p + 1, hash);
	return key;
}

static Datum
exact_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, int kind, const void *bytes, uint32 len)
{
	uint8	   *p;
	Datum		key = new_key(keys, 2 + path->len + len, &p);

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
	return hashed_key(keys, path->via, v.kind, PgBsonHash(value, path->hash));
}

static Datum
field_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, bool *exact)
{
	*exact = path->len <= PGBSON_GIN_KEY_MAX - 2;
	if (*exact)
		return exact_key(keys, path, KIND_FIELD, NULL, 0);
	return hashed_key(keys, path->via, KIND_FIELD, path->hash);
}

bool
PgBsonGinIsValueKey(Datum key)
{
	const uint8 *p = (const uint8 *) VARDATA_ANY(DatumGetPointer(key));

	return (p[0] >> 1 & 31) != KIND_FIELD;
}

bool
PgBsonGinIsRootField(const uint8 *key, uint32 len, const char **name, uint32 *name_len)
{
	if (len < 3 || key[0] != head_byte(PGBSON_GIN_PLAIN, KIND_FIELD, false))
		return false;
	*name = (const char *) key + 2;
	*name_len = key[1] - 1;
	/* of one name, not of several */
	return memchr(*name, '\0', *name_len) == NULL;
}

PgBsonGinNode *
PgBsonGinEquality(PgBsonGinValueKey make_key, PgBsonGinKeys *keys, const PgBsonGinPath *path,
				  const PgBsonGinComparison *comparison)
{
	List	   *nodes = NIL;

	for (int i = 0; i < comparison->nforms; i++)
	{
		for (int via = PGBSON_GIN_PLAIN; via <= PGBSON_GIN_NESTED; via++)
		{
			PgBsonGinPath *way = palloc(sizeof(PgBsonGinPath));
			bool		proves = via == PGBSON_GIN_PLAIN ? comparison->plain_proves :
				via == PGBSON_GIN_ELEMENT && comparison->element_proves;
			bool		exact;
			Datum		key;

			*way = *path;
			way->via = via;
			key = make_key(keys, way, &comparison->forms[i], &exact);
			nodes = lappend(nodes, PgBsonGinKeyNode(key, exact && proves));
		}
	}
	return PgBsonGinAny(nodes);
}

static PgBsonGinNode *
compare(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonGinComparison *comparison)
{
	if (comparison->op != jpiEqual)
		return NULL;
	return PgBsonGinEquality(value_key, keys, path, comparison);
}

const PgBsonGinClass PgBsonGinOps = {PgBsonGinSortBytes, value_key, field_key, compare};

PG_FUNCTION_INFO_V1(pgbson_gin_extract_value);
PG_FUNCTION_INFO_V1(pgbson_gin_extract_query);

Datum
pgbson_gin_extract_value(PG_FUNCTION_ARGS)
{
	return PgBsonGinExtractValue(fcinfo, &PgBsonGinOps);
}

Datum
pgbson_gin_extract_query(PG_FUNCTION_ARGS)
{
	return PgBsonGinExtractQuery(fcinfo, &PgBsonGinOps);
}
