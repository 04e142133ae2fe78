/*
 * keys.h
 *	  Does a document have a key twice?
 *
 * For a caller that walks the document anyway: tell the watch each key, and it
 * says whether that key may have been there before.  Few keys cost a bit test
 * each; from PGBSON_FEW_KEYS on, one call looks at the document as a whole.
 */
#ifndef PGBSON_KEYS_H
#define PGBSON_KEYS_H

#include "core/view.h"

#define PGBSON_FEW_KEYS	64

typedef struct PgBsonKeyWatch
{
	PgBsonView	doc;
	uint32		count;			/* keys seen; beyond PGBSON_FEW_KEYS: all are settled */
	uint64		seen[4];		/* a bit for each signature seen */
	uint32		signature[PGBSON_FEW_KEYS];
} PgBsonKeyWatch;

/* The exact answer, in time linear in the keys */
extern bool PgBsonHasDuplicateKeys(PgBsonView doc);

/*
 * A number that differs for most different keys.  Reads nothing past the key:
 * its two ends, and of a long one the middle.
 */
static inline uint32
PgBsonKeySignature(const char *key, uint32 len)
{
	uint64		a = 0;
	uint64		b = 0;

	if (len >= 8)
	{
		memcpy(&a, key, 8);
		memcpy(&b, key + len - 8, 8);
		if (len > 16)
		{
			uint64		middle;

			memcpy(&middle, key + len / 2 - 4, 8);
			a += middle * UINT64CONST(0xff51afd7ed558ccd);
		}
	}
	else if (len >= 4)
	{
		memcpy(&a, key, 4);
		memcpy(&b, key + len - 4, 4);
	}
	else if (len > 0)
	{
		a = (uint8) key[0];
		b = (uint8) key[len / 2] | (uint64) (uint8) key[len - 1] << 8;
	}
	a = (a ^ len) * UINT64CONST(0x9e3779b97f4a7c15);
	b = (b ^ (a >> 32)) * UINT64CONST(0xc2b2ae3d27d4eb4f);
	return (uint32) (b >> 32);
}

static inline void
PgBsonKeyWatchInit(PgBsonKeyWatch *watch, PgBsonView doc)
{
	watch->doc = doc;
	watch->count = 0;
	memset(watch->seen, 0, sizeof(watch->seen));
}

/* The signature was seen, or there are many keys: settle it */
extern bool PgBsonKeyWatchSettle(PgBsonKeyWatch *watch, uint32 signature);

/*
 * The document's next key.  False if the document is known to have a key
 * twice; if it has one, that is known after its last key at the latest.
 */
static inline bool
PgBsonKeyWatchAdd(PgBsonKeyWatch *watch, const char *key, uint32 len)
{
	uint32		signature;
	uint64	   *word;
	uint64		bit;

	if (watch->count > PGBSON_FEW_KEYS)
		return true;
	signature = PgBsonKeySignature(key, len);
	word = &watch->seen[signature >> 6 & 3];
	bit = UINT64CONST(1) << (signature & 63);
	if (((*word & bit) != 0 || watch->count == PGBSON_FEW_KEYS) &&
		!PgBsonKeyWatchSettle(watch, signature))
		return false;
	*word |= bit;
	if (watch->count < PGBSON_FEW_KEYS)
		watch->signature[watch->count] = signature;
	watch->count++;
	return true;
}

/* For a caller that has keys, but no document yet */
typedef struct PgBsonKeyRef
{
	const char *key;
	uint32		len;			/* bytes */
} PgBsonKeyRef;

/* In "last": this key occurred before */
#define PGBSON_KEY_REPEATED PG_UINT32_MAX

/*
 * Find out where each key occurs for the last time: last[i] is that index where
 * i is the first occurrence, else PGBSON_KEY_REPEATED.  Returns the index of
 * some key that occurred before, or -1 if all n differ.
 */
extern int64 PgBsonFindRepeatedKeys(const PgBsonKeyRef *keys, uint32 n, uint32 *last);

#endif							/* PGBSON_KEYS_H */
