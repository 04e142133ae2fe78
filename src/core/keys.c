/*
 * keys.c
 *	  Does a document have a key twice?
 */
#include "core/keys.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/timestamp.h"

/* A key in the table: its signature, and its offset in the document (0: a free slot) */
typedef struct Slot
{
	uint32		signature;
	uint32		offset;
} Slot;

static int
compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/* By sorting: for keys that were chosen to share their signatures */
static bool
has_duplicates_sorted(PgBsonView doc, uint32 count)
{
	const char **keys = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(char *));
	PgBsonIter	iter;
	uint32		n = 0;
	bool		found = false;

	PgBsonIterInit(&iter, doc);
	while (PgBsonIterNext(&iter))
		keys[n++] = iter.key;
	qsort(keys, n, sizeof(char *), compare_keys);
	for (uint32 i = 1; i < n && !found; i++)
		found = strcmp(keys[i - 1], keys[i]) == 0;
	pfree(keys);
	return found;
}

bool
PgBsonHasDuplicateKeys(PgBsonView doc)
{
	uint32		count = PgBsonViewCount(doc);
	uint64		budget;
	uint32		mask;
	Slot	   *table;
	PgBsonIter	iter;
	bool		found = false;

	if (count < 2)
		return false;
	mask = pg_nextpower2_32(count * 2) - 1;
	table = MemoryContextAllocExtended(CurrentMemoryContext, ((Size) mask + 1) * sizeof(Slot),
									   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	budget = (uint64) count * 8 + 64;

	PgBsonIterInit(&iter, doc);
	while (!found && PgBsonIterNext(&iter))
	{
		uint32		signature = PgBsonKeySignature(iter.key, iter.key_len);
		uint32		i = signature & mask;

		CHECK_FOR_INTERRUPTS();
		for (; table[i].offset != 0; i = (i + 1) & mask)
		{
			if (table[i].signature == signature &&
				strcmp((const char *) doc.data + table[i].offset, iter.key) == 0)
			{
				found = true;
				break;
			}
			if (budget-- == 0)
			{
				pfree(table);
				return has_duplicates_sorted(doc, count);
			}
		}
		table[i].signature = signature;
		table[i].offset = (const uint8 *) iter.key - doc.data;
	}
	pfree(table);
	return found;
}

bool
PgBsonKeyWatchSettle(PgBsonKeyWatch *watch, uint32 signature)
{
	if (watch->count < PGBSON_FEW_KEYS)
	{
		bool		seen = false;

		for (uint32 i = 0; i < watch->count; i++)
			seen |= watch->signature[i] == signature;
		if (!seen)
			return true;
	}
	return !PgBsonHasDuplicateKeys(watch->doc);
}

/* up to here, comparing all pairs of keys is cheaper than hashing */
#define PAIRS_OF_KEYS 8

static inline bool
same_key(const PgBsonKeyRef *a, const PgBsonKeyRef *b)
{
	return a->len == b->len && memcmp(a->key, b->key, a->len) == 0;
}

/*
 * Keys come from users, so the hash has a secret: nobody can choose keys that
 * all fall into one place.
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

/* "i" has the name of "first": it counts from now on */
#define NOTE_REPEATED(first, i) \
	(last[first] = (i), last[i] = PGBSON_KEY_REPEATED, repeated = (i))

int64
PgBsonFindRepeatedKeys(const PgBsonKeyRef *keys, uint32 n, uint32 *last)
{
	int64		repeated = -1;
	uint32	   *table;
	uint64		mask;
	uint64		seed;

	for (uint32 i = 0; i < n; i++)
		last[i] = i;

	if (n <= PAIRS_OF_KEYS)
	{
		for (uint32 i = 1; i < n; i++)
		{
			for (uint32 j = 0; j < i; j++)
			{
				if (same_key(&keys[i], &keys[j]))
				{
					NOTE_REPEATED(j, i);
					break;
				}
			}
		}
		return repeated;
	}

	/* open addressing, at most half full; holds the index of a first occurrence, plus one */
	mask = 32;
	while (mask < (uint64) n * 2)
		mask *= 2;
	table = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(uint32) * mask,
									   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	mask--;
	seed = secret_seed();
	for (uint32 i = 0; i < n; i++)
	{
		uint64		slot = hash_bytes_extended((const unsigned char *) keys[i].key,
											   keys[i].len, seed) & mask;

		while (table[slot] != 0 && !same_key(&keys[i], &keys[table[slot] - 1]))
			slot = (slot + 1) & mask;
		if (table[slot] == 0)
			table[slot] = i + 1;
		else
			NOTE_REPEATED(table[slot] - 1, i);
		CHECK_FOR_INTERRUPTS();
	}
	pfree(table);
	return repeated;
}
