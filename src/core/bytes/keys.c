/*
 * keys.c
 *	  Does a document have a key twice?
 */
#include "core/bytes/keys.h"

#include "common/hashfn.h"
#include "core/bytes/keyset.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"

/*
 * A key in the table: its signature, and its offset in the document (0: a free
 * slot).  The table is our own, as lib/simplehash.h took 8 ns a key where this
 * takes 5 (300 keys; 16 and 7 with ten keys), and would not stop when keys were
 * chosen to make it slow.
 */
typedef struct Slot
{
	uint32		signature;
	uint32		offset;
} Slot;

/* By secret hashes: for keys that share their signatures, perhaps on purpose */
static bool
has_duplicates_hashed(PgBsonView doc)
{
	PgBsonKeySet set;
	PgBsonIter	iter;
	bool		found = false;

	PgBsonKeySetInit(&set);
	PgBsonIterInit(&iter, doc);
	while (!found && PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonKeySetEnter(&set, iter.key, iter.key_len, &found);
	}
	PgBsonKeySetFree(&set);
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
		uint32		i = murmurhash32(signature) & mask;

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
				return has_duplicates_hashed(doc);
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
	if (PgBsonHasDuplicateKeys(watch->doc))
		return false;
	watch->count = PGBSON_FEW_KEYS + 1;
	return true;
}

int64
PgBsonFindRepeatedKeys(const PgBsonKeyRef *keys, uint32 n, uint32 *last)
{
	uint32	   *first = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) n + 1));
	int64		repeated = -1;
	PgBsonKeySet set;

	PgBsonKeySetInit(&set);
	for (uint32 i = 0; i < n; i++)
	{
		bool		found;
		PgBsonKeyEntry *entry = PgBsonKeySetEnter(&set, keys[i].key, keys[i].len, &found);
		uint32		name = entry - set.entries; /* names are numbered as they come */

		CHECK_FOR_INTERRUPTS();
		last[i] = i;
		if (!found)
			first[name] = i;
		else
		{
			last[first[name]] = i;
			last[i] = PGBSON_KEY_REPEATED;
			repeated = i;
		}
	}
	PgBsonKeySetFree(&set);
	pfree(first);
	return repeated;
}
