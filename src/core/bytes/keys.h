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

/* Does a document have two fields of one name?  The time is linear in the number of keys; what is allocated is freed. */
extern bool PgBsonHasDuplicateKeys(PgBsonView doc);

/* The signature of a key, of two words that stand for its bytes: it differs for most different keys, also in its highest bits */
#define PGBSON_KEY_SIGNATURE(a, b) \
	((a) * UINT64CONST(0x9e3779b97f4a7c15) ^ (b) * UINT64CONST(0xc2b2ae3d27d4eb4f))

/* The signature of a key of less than sixteen bytes, where sixteen can be read */
static inline uint64
PgBsonShortKeySignature(const char *key, uint32 len)
{
	uint64		a = PgBsonReadU64((const uint8 *) key);
	uint64		b = PgBsonReadU64((const uint8 *) key + 8);

	/* without a branch on the length, which processors do not predict well */
	a &= len >= 8 ? PG_UINT64_MAX : ~(PG_UINT64_MAX << (len * 8));
	b &= len <= 8 ? 0 : ~(PG_UINT64_MAX << (len * 8 - 64));
	return PGBSON_KEY_SIGNATURE(a, b);
}

/* The signature of a longer key: of more than 24 bytes, eight at the begin, in the middle and at the end count */
static inline uint64
PgBsonLongKeySignature(const char *key, uint32 len)
{
	const uint8 *k = (const uint8 *) key;
	uint64		middle = PgBsonReadU64(k + len / 2 - 4);

	return PGBSON_KEY_SIGNATURE(PgBsonReadU64(k) + len + (middle << 29 | middle >> 35), PgBsonReadU64(k + len - 8) ^ middle);
}

/* The signature of any key; nothing behind the key is read */
static inline uint64
PgBsonKeySignature(const char *key, uint32 len)
{
	char		padded[16] = {0};

	if (len >= 16)
		return PgBsonLongKeySignature(key, len);
	return PgBsonShortKeySignature(memcpy(padded, key, len), len);
}

/* The signatures of the keys that were seen in all documents that are open, those of the innermost document last */
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
 * At the end of a document, whose signatures are those from "first" on: are two of them equal?  The signatures are removed.
 * If so, PgBsonHasDuplicateKeys must tell whether two keys are equal: different keys may have one signature, and the
 * answer is also true for keys that were chosen to make the comparison slow.
 */
extern bool PgBsonSignaturesRepeat(PgBsonSignatures *signatures, uint32 first);

static inline void
PgBsonSignaturesFree(PgBsonSignatures *signatures)
{
	if (signatures->all != signatures->few)
		pfree(signatures->all);
}

/* A key that is not in a document yet */
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
