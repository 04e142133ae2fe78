/*
 * keys.c
 *	  Does a document have a key twice?
 */
#include "core/bytes/keys.h"

#include "core/bytes/keyset.h"
#include "core/bytes/memory.h"

/* Up to this number of keys they are compared without a hash table */
#define FEW_KEYS		64

/* A table of at most this many places is in the struct itself */
#define FEW_PLACES		1024

/*
 * A hash table of signatures.  Each is in the place that its highest bits tell, or in the next free
 * one; 0 is a free place.  lib/simplehash.h took 8 ns a key where this takes 5 (300 keys; 16 and 7 with
 * ten keys), and would not stop when keys were chosen to make it slow.
 */
typedef struct Table
{
	uint64	   *places;			/* "few", or allocated */
	int			bits;			/* how many bits the number of a place has */
	uint64		budget;			/* how many taken places may be met before the keys count as chosen to be slow */
	uint64		few[FEW_PLACES];
} Table;

/* Begin a table for "n" signatures, at least one */
static void
table_init(Table *table, uint32 n)
{
	Size		size;

	table->bits = pg_leftmost_one_pos32(n) + 2;
	table->budget = (uint64) n * 8 + 64;
	table->places = table->few;
	size = sizeof(uint64) << table->bits;
	if (size > sizeof(table->few))
		table->places = MemoryContextAllocHuge(CurrentMemoryContext, size);
	memset(table->places, 0, size);
}

/* Add a signature; true if the table has it already, or if the keys seem to be chosen to make this slow */
static inline bool
table_repeats(Table *table, uint64 signature)
{
	Size		place = signature >> (64 - table->bits);

	CHECK_FOR_INTERRUPTS();
	signature = Max(signature, 1);
	for (; table->places[place] != 0; place = (place + 1) & (((Size) 1 << table->bits) - 1))
	{
		if (table->places[place] == signature || table->budget-- == 0)
			return true;
	}
	table->places[place] = signature;
	return false;
}

/*
 * Is one of a few signatures repeated?  Each is compared with those before it, but only if one of those
 * has the same highest eight bits.
 */
static bool
few_repeat(const uint64 *signatures, uint32 n)
{
	uint64		seen[4] = {0};

	for (uint32 i = 0; i < n; i++)
	{
		uint64	   *word = &seen[signatures[i] >> 62];
		uint64		bit = UINT64CONST(1) << (signatures[i] >> 56 & 63);

		for (uint32 j = 0; j < i && (*word & bit) != 0; j++)
		{
			if (signatures[j] == signatures[i])
				return true;
		}
		*word |= bit;
	}
	return false;
}

static bool
many_repeat(const uint64 *signatures, uint32 n)
{
	Table		table;
	bool		repeat = false;

	table_init(&table, n);
	for (uint32 i = 0; i < n && !repeat; i++)
		repeat = table_repeats(&table, signatures[i]);
	if (table.places != table.few)
		pfree(table.places);
	return repeat;
}

bool
PgBsonSignaturesRepeat(PgBsonSignatures *signatures, uint32 first)
{
	const uint64 *begin = signatures->all + first;
	uint32		n = signatures->count - first;

	signatures->count = first;
	return n <= FEW_KEYS ? few_repeat(begin, n) : many_repeat(begin, n);
}

void
PgBsonSignaturesGrow(PgBsonSignatures *signatures)
{
	signatures->all = PgBsonDoubleList(signatures->all, signatures->few, signatures->room * sizeof(uint64));
	signatures->room *= 2;
}

/*
 * The exact test, for keys with equal signatures.  A user may have chosen them, so it uses a set, whose
 * hash function is secret.
 */
static bool
has_duplicates_hashed(PgBsonView doc)
{
	PgBsonKeySet set;
	bool		found = false;

	PgBsonKeySetInit(&set);
	PgBsonForEach(iter, doc)
	{
		PgBsonKeySetEnter(&set, iter.key, iter.key_len, &found);
		if (found)
			break;
	}
	PgBsonKeySetFree(&set);
	return found;
}

bool
PgBsonHasDuplicateKeys(PgBsonView doc)
{
	PgBsonSignatures signatures;
	bool		repeat;

	PgBsonSignaturesInit(&signatures);
	PgBsonForEach(iter, doc)
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonSignaturesPush(&signatures, PgBsonKeySignature(iter.key, iter.key_len));
	}
	repeat = PgBsonSignaturesRepeat(&signatures, 0);
	PgBsonSignaturesFree(&signatures);
	return repeat && has_duplicates_hashed(doc);
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
		uint32		name = entry - set.entries; /* the set numbers different keys in the order in which they come */

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
