/*
 * keyset.c
 *	  A set of keys, each with a value, looked up while passing over a document.
 */
#include "core/keyset.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

void
PgBsonKeySetInit(PgBsonKeySet *set)
{
	set->entries = set->small;
	set->count = 0;
	set->capacity = PGBSON_KEYSET_SMALL;
	set->unseen = 0;
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
	for (int i = 0; i < set->count; i++)
		set->entries[i].seen = false;
	set->unseen = set->count;
}

static inline bool
same_key(const PgBsonKeyEntry *entry, const char *key, uint32 key_len)
{
	return entry->key_len == key_len && memcmp(entry->key, key, key_len) == 0;
}

/*
 * Keys come from users, so the hash has a secret: nobody can choose keys that
 * all fall into one bucket.
 */
static uint64
secret_seed(void)
{
	static uint64 seed = 0;

	while (seed == 0)
	{
		if (!pg_strong_random(&seed, sizeof(seed)))
			seed = (uint64) GetCurrentTimestamp() | 1;
	}
	return seed;
}

static inline uint32
key_hash(const char *key, uint32 key_len)
{
	return (uint32) hash_bytes_extended((const unsigned char *) key, (int) key_len,
										secret_seed());
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
 * Double the room, and hash from now on.  Not lib/simplehash.h: it moves its
 * elements, and callers number the entries in the order in which they came.
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
	set->mask = capacity - 1;	/* a power of two, as PGBSON_KEYSET_SMALL is */
	set->buckets = palloc_extended((Size) capacity * sizeof(int32), MCXT_ALLOC_HUGE);
	memset(set->buckets, 0xFF, (Size) capacity * sizeof(int32));
	for (int i = 0; i < set->count; i++)
		link_entry(set, i);
}

PgBsonKeyEntry *
PgBsonKeySetFind(PgBsonKeySet *set, const char *key, uint32 key_len)
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
	entry->seen = false;
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
	PgBsonIter	iter;

	PgBsonIterInit(&iter, doc);
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonKeySetAdd(set, iter.key, iter.key_len, &iter.value);
	}
}
