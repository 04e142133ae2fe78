/*
 * hash.c
 *	  A hash that agrees with the order of compare.c.
 *
 * The elements of a container are hashed each by itself, so that the processor need not end with one
 * before it begins the next, and their hashes are combined in order.  Nothing is allocated.  The rank is
 * mixed in: types that can be equal share it, and the empty string, document and array differ by it.
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
			if (unlikely(OidIsValid(PgBsonCollation)) && value->type != PGBSON_CODE)
				return PgBsonHashCollated(string, len, seed);
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

/* Without a seed, which would take as long as twelve bytes more */
static inline uint64
hash_range(const void *first, const void *end)
{
	return hash_bytes_extended(first, (int) ((const char *) end - (const char *) first), 0);
}

static uint64
hash_elements(PgBsonView view, bool with_keys, uint64 seed)
{
	bool		collated = OidIsValid(PgBsonCollation);
	PgBsonIter	iter;

	check_stack_depth();
	PgBsonIterInit(&iter, view);
	while (PgBsonIterStep(&iter))
	{
		const PgBsonValue *value = &iter.value;
		const char *string;
		uint32		len;
		uint64		hash;

		/* a value follows its key in memory, so one call hashes both */
		if (unlikely(collated))
			hash = hash_value(value, with_keys ? hash_range(iter.key, iter.key + iter.key_len) : 0);
		else if (with_keys && is_equal_by_bytes(value->type))
			hash = PgBsonTypeRank(value->type) + hash_range(iter.key, value->data + value->len);
		else if (with_keys)
			hash = hash_value(value, hash_range(iter.key, iter.key + iter.key_len));
		else if (PgBsonValueIsString(value, &string, &len))
			hash = hash_range(string, string + len);
		else
			hash = hash_value(value, 0);
		seed = hash_combine64(seed, hash);
	}
	return seed;
}

uint64
PgBsonHash(const PgBsonValue *value, uint64 seed)
{
	return hash_value(value, seed);
}
