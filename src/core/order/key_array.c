/*
 * key_array.c
 *	  The elements of a text[] as keys: a set of them, and whether a value has them.
 */
#include "core/order/contain.h"

/* Does the value have at most "n" elements? */
static bool
has_at_most(const PgBsonValue *value, int n)
{
	if (!PgBsonIsContainer(value->type))
		return true;
	PgBsonForEach(iter, PgBsonValueView(value))
	{
		if (n-- == 0)
			return false;
	}
	return true;
}

/* Add what a value has as keys: those of a document, the strings in an array, or the string itself */
static void
add_keys_of(const PgBsonValue *value, PgBsonKeySet *keys)
{
	const char *s;
	uint32		len;

	if (value->type == PGBSON_DOCUMENT)
		PgBsonKeySetAddFields(keys, PgBsonValueView(value));
	else if (value->type == PGBSON_ARRAY)
	{
		PgBsonForEach(iter, PgBsonValueView(value))
		{
			if (PgBsonValueIsString(&iter.value, &s, &len))
				PgBsonKeySetAdd(keys, s, len, NULL);
		}
	}
	else if (PgBsonValueIsString(value, &s, &len))
		PgBsonKeySetAdd(keys, s, len, NULL);
}

/*
 * The keys of a value that has few of them, to look up the many keys of an array in: this takes a
 * fraction of the time in which a set of the many is made.  "bits" has the key_bit of each, so that
 * most keys that are not in the set need no lookup.
 */
typedef struct FewKeys
{
	uint64		bits;
	PgBsonKeySet set;
} FewKeys;

static inline uint64
key_bit(const char *key, uint32 len)
{
	uint32		sum = len;

	if (len > 0)
		sum += (uint8) key[0] * 5 + (uint8) key[len - 1] * 11;
	return UINT64CONST(1) << (sum & 63);
}

/*
 * Make the set, which the caller frees.  False if the value has too many keys for this to pay when "n"
 * keys are looked up.
 */
static bool
few_keys_of(const PgBsonValue *value, int n, FewKeys *few)
{
	if (n <= PGBSON_KEYSET_SMALL || !has_at_most(value, n / 4))
		return false;
	PgBsonKeySetInit(&few->set);
	add_keys_of(value, &few->set);
	few->bits = 0;
	for (int i = 0; i < few->set.count; i++)
		few->bits |= key_bit(few->set.entries[i].key, few->set.entries[i].key_len);
	return true;
}

static inline bool
among_few(FewKeys *few, const char *key, uint32 len)
{
	return (few->bits & key_bit(key, len)) != 0 && PgBsonKeySetFind(&few->set, key, len) != NULL;
}

void
PgBsonKeysFromArray(ArrayType *array, const PgBsonValue *value, PgBsonKeySet *keys)
{
	PgBsonArrayKeys all = PgBsonKeysOf(array);
	FewKeys		few;
	const char *key;
	uint32		len;

	PgBsonKeySetInit(keys);
	if (value != NULL && few_keys_of(value, all.n, &few))
	{
		while (PgBsonNextKey(&all, &key, &len))
		{
			if (among_few(&few, key, len))
				PgBsonKeySetAdd(keys, key, len, NULL);
		}
		PgBsonKeySetFree(&few.set);
		return;
	}
	while (PgBsonNextKey(&all, &key, &len))
		PgBsonKeySetAdd(keys, key, len, NULL);
}

/*
 * Of more than KEYS_AT_ONCE keys a few are looked up first, then TIMES_AS_MANY times as many, and so
 * on: often the first ones decide
 */
#define KEYS_AT_ONCE	64
#define TIMES_AS_MANY	32

bool
PgBsonHasKeysOfArray(const PgBsonValue *value, ArrayType *array, bool all)
{
	PgBsonArrayKeys keys = PgBsonKeysOf(array);
	int			most = keys.n <= KEYS_AT_ONCE ? KEYS_AT_ONCE : PGBSON_KEYSET_SMALL;
	bool		result = all;
	FewKeys		few;
	const char *key;
	uint32		len;

	if (few_keys_of(value, keys.n, &few))
	{
		while (result == all && PgBsonNextKey(&keys, &key, &len))
			result = among_few(&few, key, len);
		PgBsonKeySetFree(&few.set);
		return result;
	}
	while (result == all && keys.i < keys.n)
	{
		PgBsonKeySet some;

		PgBsonKeySetInit(&some);
		while (some.count < most && PgBsonNextKey(&keys, &key, &len))
			PgBsonKeySetAdd(&some, key, len, NULL);
		result = PgBsonHasKeys(value, &some, all);
		PgBsonKeySetFree(&some);
		most = most < keys.n / TIMES_AS_MANY ? most * TIMES_AS_MANY : keys.n;
	}
	return result;
}
