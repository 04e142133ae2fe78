/*
 * keys.h
 *	  Does a document have a key twice?
 *
 * Keys are first compared by their signatures, which a caller that passes over the document anyway may
 * collect on the way.
 */
#ifndef PGBSON_KEYS_H
#define PGBSON_KEYS_H

#include "core/bytes/view.h"

/* Does a document have two fields of one name?  Takes time linear in the number of keys; allocates and frees nothing that stays. */
extern bool PgBsonHasDuplicateKeys(PgBsonView doc);

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

/* Of the keys of all documents that are being passed over, the innermost last */
typedef struct PgBsonSignatures
{
	uint64	   *all;			/* "few", until there are too many */
	uint32		count;
	uint32		room;
	uint64		few[256];
} PgBsonSignatures;

static inline void
PgBsonSignaturesInit(PgBsonSignatures *signatures)
{
	signatures->all = signatures->few;
	signatures->count = 0;
	signatures->room = lengthof(signatures->few);
}

extern void PgBsonSignaturesGrow(PgBsonSignatures *signatures);

static inline void
PgBsonSignaturesPush(PgBsonSignatures *signatures, uint64 signature)
{
	if (unlikely(signatures->count == signatures->room))
		PgBsonSignaturesGrow(signatures);
	signatures->all[signatures->count++] = signature;
}

/*
 * Of a finished document, whose signatures are those from "first" on: do two agree?  Yes, too, if they were chosen to make
 * it slow to tell; so only PgBsonHasDuplicateKeys tells whether two keys are equal.  The signatures are removed.
 */
extern bool PgBsonSignaturesRepeat(PgBsonSignatures *signatures, uint32 first);

static inline void
PgBsonSignaturesFree(PgBsonSignatures *signatures)
{
	if (signatures->all != signatures->few)
		pfree(signatures->all);
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
