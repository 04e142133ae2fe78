/*
 * keys.h
 *	  Does a document have a key twice?
 *
 * For a caller that passes over the document anyway: tell the watch each key, and it
 * says whether that key may have been there before.  Few keys cost a bit test
 * each; from PGBSON_FEW_KEYS on, one call looks at the document as a whole.
 */
#ifndef PGBSON_KEYS_H
#define PGBSON_KEYS_H

#include "core/bytes/view.h"

#define PGBSON_FEW_KEYS	64

typedef struct PgBsonKeyWatch
{
	PgBsonView	doc;
	uint32		count;			/* keys seen; beyond PGBSON_FEW_KEYS: all are settled */
	uint64		seen[4];		/* a bit for each signature seen */
	uint32		signature[PGBSON_FEW_KEYS];	/* their high halves */
} PgBsonKeyWatch;

/* The exact answer, in time linear in the keys */
extern bool PgBsonHasDuplicateKeys(PgBsonView doc);

/*
 * Do two of these signatures agree?  Yes, too, if they were chosen to make it slow to tell; so only the keys
 * themselves tell whether two agree.
 */
extern bool PgBsonSignaturesRepeat(const uint64 *signatures, uint32 n);

/* A number that differs for most different keys, its highest bits, too, of two words that stand for the key */
#define PGBSON_KEY_SIGNATURE(a, b) \
	((a) * UINT64CONST(0x9e3779b97f4a7c15) ^ (b) * UINT64CONST(0xc2b2ae3d27d4eb4f))

/* That of a key shorter than sixteen bytes, when sixteen can be read */
static inline uint64
PgBsonShortKeySignature(const char *key, uint32 len)
{
	uint64		a = PgBsonReadU64((const uint8 *) key);
	uint64		b = PgBsonReadU64((const uint8 *) key + 8);

	/* no branch on the length, which no processor foresees */
	a &= len >= 8 ? PG_UINT64_MAX : ~(PG_UINT64_MAX << (len * 8));
	b &= len <= 8 ? 0 : ~(PG_UINT64_MAX << (len * 8 - 64));
	return PGBSON_KEY_SIGNATURE(a, b);
}

/* That of a longer one, of which beyond 24 bytes those at both ends and in the middle count */
static inline uint64
PgBsonLongKeySignature(const char *key, uint32 len)
{
	const uint8 *k = (const uint8 *) key;
	uint64		middle = PgBsonReadU64(k + len / 2 - 4);

	return PGBSON_KEY_SIGNATURE(PgBsonReadU64(k) + len + (middle << 29 | middle >> 35), PgBsonReadU64(k + len - 8) ^ middle);
}

/* Of any key; reads nothing past it */
static inline uint64
PgBsonKeySignature(const char *key, uint32 len)
{
	char		padded[16] = {0};

	if (len >= 16)
		return PgBsonLongKeySignature(key, len);
	return PgBsonShortKeySignature(memcpy(padded, key, len), len);
}

static inline void
PgBsonKeyWatchInit(PgBsonKeyWatch *watch, PgBsonView doc)
{
	watch->doc = doc;
	watch->count = 0;
	memset(watch->seen, 0, sizeof(watch->seen));
}

/* The signature was seen, or there are many keys: settle it */
extern bool PgBsonKeyWatchSettle(PgBsonKeyWatch *watch, uint64 signature);

/*
 * The document's next key, by its signature.  False if the document is known to have a key
 * twice; if it has one, that is known after its last key at the latest.
 */
static inline bool
PgBsonKeyWatchAdd(PgBsonKeyWatch *watch, uint64 signature)
{
	uint64	   *word;
	uint64		bit;

	if (watch->count > PGBSON_FEW_KEYS)
		return true;
	word = &watch->seen[signature >> 62];
	bit = UINT64CONST(1) << (signature >> 56 & 63);
	if (((*word & bit) != 0 || watch->count == PGBSON_FEW_KEYS) &&
		!PgBsonKeyWatchSettle(watch, signature))
		return false;
	*word |= bit;
	if (watch->count < PGBSON_FEW_KEYS)
		watch->signature[watch->count] = signature >> 32;
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
