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
 * fraction of the time in which a set of the many is made.  Make the set, which the caller frees.  False
 * if the value has too many keys for this to pay when "n" keys are looked up.
 */
static bool
few_keys_of(const PgBsonValue *value, int n, PgBsonKeySet *few)
{
	if (n <= PGBSON_KEYSET_SMALL || !has_at_most(value, n / 4))
		return false;
	PgBsonKeySetInit(few);
	add_keys_of(value, few);
	return true;
}

void
PgBsonKeysFromArray(ArrayType *array, const PgBsonValue *value, PgBsonKeySet *keys)
{
	PgBsonArrayKeys all = PgBsonKeysOf(array);
	PgBsonKeySet few;
	const char *key;
	uint32		len;

	PgBsonKeySetInit(keys);
	if (value != NULL && few_keys_of(value, all.n, &few))
	{
		while (PgBsonNextKey(&all, &key, &len))
		{
			if (PgBsonKeySetFind(&few, key, len) != NULL)
				PgBsonKeySetAdd(keys, key, len, NULL);
		}
		PgBsonKeySetFree(&few);
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
	PgBsonKeySet few;
	const char *key;
	uint32		len;

	if (few_keys_of(value, keys.n, &few))
	{
		while (result == all && PgBsonNextKey(&keys, &key, &len))
			result = PgBsonKeySetFind(&few, key, len) != NULL;
		PgBsonKeySetFree(&few);
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
