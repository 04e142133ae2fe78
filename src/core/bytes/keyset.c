/*
 * keyset.c
 *	  A set of keys, each with a value, looked up while passing over a document.
 */
#include "core/bytes/keyset.h"

#include "common/hashfn.h"
#include "utils/timestamp.h"

void
PgBsonKeySetInit(PgBsonKeySet *set)
{
	set->entries = set->small;
	set->count = 0;
	set->capacity = PGBSON_KEYSET_SMALL;
	set->unseen = 0;
	set->round = 1;
	set->bits = 0;
	set->buckets = NULL;
	set->mask = 0;
}

void
PgBsonKeySetFree(PgBsonKeySet *set)
{
	if (set->entries != set->small)
		pfree(set->entries);
	if (set->buckets != NULL)
		pfree(set->buckets);
}

void
PgBsonKeySetUnmark(PgBsonKeySet *set)
{
	set->unseen = set->count;
	if (likely(++set->round != 0))
		return;
	/* the rounds begin again */
	for (int i = 0; i < set->count; i++)
		set->entries[i].round = 0;
	set->round = 1;
}

static inline bool
same_key(const PgBsonKeyEntry *entry, const char *key, uint32 key_len)
{
	return PgBsonSameKey(entry->key, entry->key_len, key, key_len);
}

/*
 * Keys come from users, so the hash function has a secret, different in each process: nobody can choose
 * keys that all fall into one bucket.
 */
static uint64 secret[2];

static pg_noinline void
make_secret(void)
{
	while (secret[0] == 0)
	{
		if (pg_strong_random(secret, sizeof(secret)))
			continue;
		secret[0] = (uint64) GetCurrentTimestamp() | 1;
		secret[1] = secret[0] * UINT64CONST(0x9e3779b97f4a7c15);
	}
}

static inline uint32
key_hash(const char *key, uint32 key_len)
{
	if (unlikely(secret[0] == 0))
		make_secret();
#ifdef HAVE_INT128
	/*
	 * A short key is hashed as its length and two words, which may overlap.  Their product depends on
	 * all bits of both and of the secret.
	 */
	if (key_len <= 16)
	{
		const uint8 *k = (const uint8 *) key;
		uint64		first = 0;
		uint64		last = 0;
		uint128		product;

		if (key_len >= 8)
		{
			first = PgBsonReadU64(k);
			last = PgBsonReadU64(k + key_len - 8);
		}
		else if (key_len >= 4)
		{
			first = PgBsonReadU32(k);
			last = PgBsonReadU32(k + key_len - 4);
		}
		else if (key_len > 0)
		{
			first = k[0];
			last = k[key_len / 2] | (uint32) k[key_len - 1] << 8;
		}
		product = (uint128) (first ^ secret[0]) * (last ^ secret[1]);
		return (uint32) ((uint64) product ^ (uint64) (product >> 64)) + key_len * 0x9e3779b1;
	}
#endif
	return (uint32) hash_bytes_extended((const unsigned char *) key, (int) key_len, secret[0]);
}

static void
link_entry(PgBsonKeySet *set, int i)
{
	PgBsonKeyEntry *entry = &set->entries[i];
	int32	   *head = &set->buckets[entry->hash & set->mask];

	entry->next = *head;
	*head = i;
}

/*
 * Double the room, and hash the keys from now on.  lib/simplehash.h does not serve, because it moves
 * its elements, and callers number the entries in the order in which they were added.  Nor does the
 * table of keys.c, which has no room for values; but to find repeated keys by this set takes 1.15 to
 * 2.2 times as long.
 */
static void
grow(PgBsonKeySet *set)
{
	int			capacity = set->capacity * 2;
	Size		size = (Size) capacity * sizeof(PgBsonKeyEntry);

	if (set->entries == set->small)
	{
		set->entries = palloc_extended(size, MCXT_ALLOC_HUGE);
		memcpy(set->entries, set->small, sizeof(set->small));
		for (int i = 0; i < set->count; i++)
			set->entries[i].hash = key_hash(set->entries[i].key, set->entries[i].key_len);
	}
	else
	{
		set->entries = repalloc_huge(set->entries, size);
		pfree(set->buckets);
	}
	set->capacity = capacity;
	/*
	 * a power of two, as PGBSON_KEYSET_SMALL is; there are enough buckets that most keys that are not
	 * in the set meet an empty one
	 */
	set->mask = capacity * 2 - 1;
	size = ((Size) set->mask + 1) * sizeof(int32);
	set->buckets = palloc_extended(size, MCXT_ALLOC_HUGE);
	memset(set->buckets, 0xFF, size);
	for (int i = 0; i < set->count; i++)
		link_entry(set, i);
}

PgBsonKeyEntry *
PgBsonKeySetLookUp(PgBsonKeySet *set, const char *key, uint32 key_len)
{
	uint32		hash;

	if (set->buckets == NULL)
	{
		for (int i = 0; i < set->count; i++)
		{
			if (same_key(&set->entries[i], key, key_len))
				return &set->entries[i];
		}
		return NULL;
	}

	hash = key_hash(key, key_len);
	for (int32 i = set->buckets[hash & set->mask]; i >= 0; i = set->entries[i].next)
	{
		if (set->entries[i].hash == hash && same_key(&set->entries[i], key, key_len))
			return &set->entries[i];
	}
	return NULL;
}

PgBsonKeyEntry *
PgBsonKeySetEnter(PgBsonKeySet *set, const char *key, uint32 key_len, bool *found)
{
	PgBsonKeyEntry *entry = PgBsonKeySetFind(set, key, key_len);

	*found = entry != NULL;
	if (*found)
		return entry;
	if (set->count == set->capacity)
		grow(set);

	entry = &set->entries[set->count];
	entry->key = key;
	entry->key_len = key_len;
	entry->round = 0;
	set->bits |= PgBsonKeyBit(key, key_len);
	set->unseen++;
	if (set->buckets != NULL)
	{
		entry->hash = key_hash(key, key_len);
		link_entry(set, set->count);
	}
	set->count++;
	return entry;
}

void
PgBsonKeySetAdd(PgBsonKeySet *set, const char *key, uint32 key_len, const PgBsonValue *value)
{
	bool		found;
	PgBsonKeyEntry *entry = PgBsonKeySetEnter(set, key, key_len, &found);

	if (!found && value != NULL)
		entry->value = *value;
}

void
PgBsonKeySetAddFields(PgBsonKeySet *set, PgBsonView doc)
{
	PgBsonForEach(iter, doc)
		PgBsonKeySetAdd(set, iter.key, iter.key_len, &iter.value);
}
