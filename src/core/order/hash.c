/*
 * hash.c
 *	  A hash that agrees with the order of compare.c.
 *
 * Each value's hash is the seed of the next one's, so that order counts and
 * nothing is allocated.  The rank is mixed in first: types that can be equal
 * share it, and the empty string, document and array differ by it.
 */
#include "core/order/compare.h"

#include "common/hashfn.h"
#include "core/number/number.h"

static uint64 hash_elements(PgBsonView view, bool with_keys, uint64 seed);

static inline uint64
hash_value(const PgBsonValue *value, uint64 seed)
{
	const char *string;
	uint32		len;

	seed = hash_combine64(seed, PgBsonTypeRank(value->type));
	switch (value->type)
	{
		case PGBSON_DOUBLE:
		case PGBSON_INT32:
		case PGBSON_INT64:
		case PGBSON_DECIMAL128:
			return PgBsonNumberHash(value, seed);
		case PGBSON_STRING:
		case PGBSON_SYMBOL:
		case PGBSON_CODE:
			string = PgBsonValueString(value, &len);
			return hash_bytes_extended((const unsigned char *) string, len, seed);
		case PGBSON_DOCUMENT:
			return hash_elements(PgBsonValueView(value), true, seed);
		case PGBSON_ARRAY:
			return hash_elements(PgBsonValueView(value), false, seed);
		case PGBSON_CODE_W_SCOPE:
			string = PgBsonValueScopedCode(value, &len);
			seed = hash_bytes_extended((const unsigned char *) string, len, seed);
			return hash_elements(PgBsonValueScope(value), true, seed);
		default:
			/* these types are equal only if their bytes are; null and the like have none */
			return hash_bytes_extended(value->data, value->len, seed);
	}
}

/* Is a value of this type equal to another one only if their bytes are the same? */
static inline bool
is_equal_by_bytes(PgBsonType type)
{
	return !PgBsonIsNumber(type) && type != PGBSON_DOCUMENT && type != PGBSON_ARRAY && type != PGBSON_CODE_W_SCOPE;
}

static uint64
hash_elements(PgBsonView view, bool with_keys, uint64 seed)
{
	PgBsonIter	iter;

	check_stack_depth();
	PgBsonIterInit(&iter, view);
	while (PgBsonIterNext(&iter))
	{
		const PgBsonValue *value = &iter.value;

		if (with_keys && is_equal_by_bytes(value->type))
		{
			/* the value follows its key in memory, so one call hashes both */
			seed = hash_combine64(seed, PgBsonTypeRank(value->type));
			seed = hash_bytes_extended((const unsigned char *) iter.key,
									   (int) (value->data + value->len - (const uint8 *) iter.key), seed);
			continue;
		}
		if (with_keys)
			seed = hash_bytes_extended((const unsigned char *) iter.key, iter.key_len, seed);
		seed = hash_value(value, seed);
	}
	return seed;
}

uint64
PgBsonHash(const PgBsonValue *value, uint64 seed)
{
	return hash_value(value, seed);
}
