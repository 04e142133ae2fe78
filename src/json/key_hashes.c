/*
 * key_hashes.c
 *	  Do the keys of an object differ?
 */
#include "json/key_hashes.h"

/* A table with this many places is on the stack */
#define SMALL_TABLE		256

void
PgBsonGrowKeyHashes(PgBsonKeyHashes *keys)
{
	Size		bytes = (Size) keys->capacity * 2 * sizeof(uint32);

	if (keys->values == keys->fixed)
	{
		keys->values = palloc(bytes);
		memcpy(keys->values, keys->fixed, sizeof(keys->fixed));
	}
	else
		keys->values = repalloc_huge(keys->values, bytes);
	keys->capacity *= 2;
}

/*
 * Are two of the hashes equal?  They are put into a table; if they were chosen to make
 * that slow, the answer is yes, too.  This is not lib/simplehash.h, because that would not stop in this case, and because
 * its elements have a status besides the four bytes of a hash.
 */
static bool
hashes_repeat(const uint32 *hashes, uint32 n)
{
	uint32		small[SMALL_TABLE];
	uint32		size = pg_nextpower2_32(n * 2);
	uint32		budget = n * 4;
	uint32	   *table = small;
	bool		repeat = false;

	if (size > SMALL_TABLE)
		table = MemoryContextAllocHuge(CurrentMemoryContext, (Size) size * sizeof(uint32));
	memset(table, 0, (Size) size * sizeof(uint32));

	for (uint32 i = 0; i < n && !repeat; i++)
	{
		uint32		hash = Max(hashes[i], 1);	/* 0 is a free place */
		uint32		place = hash & (size - 1);

		while (table[place] != 0)
		{
			if (table[place] == hash || budget-- == 0)
			{
				repeat = true;
				break;
			}
			place = (place + 1) & (size - 1);
		}
		table[place] = hash;
	}
	if (table != small)
		pfree(table);
	return repeat;
}

bool
PgBsonKeysDiffer(const uint32 *hashes, uint32 n, const uint8 *object)
{
	PgBsonView	view = {object, PgBsonReadU32(object)};

	return n < 2 || !hashes_repeat(hashes, n) || !PgBsonHasDuplicateKeys(view);
}
