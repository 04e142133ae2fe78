/*
 * keys.h
 *	  Does a document have a key twice?
 *
 * Signatures of the keys are compared first.  A caller that passes over the document
 * for another purpose can collect them on the way.
 */
#ifndef PGBSON_KEYS_H
#define PGBSON_KEYS_H

#include "core/bytes/view.h"

/*
 * Do two fields of a document have one name?  This takes time in proportion to the number of keys, and
 * frees what it allocates.
 */
extern bool PgBsonHasDuplicateKeys(PgBsonView doc);

/*
 * The signature of a key, made of two words that stand for its bytes.  Most different keys have
 * signatures that differ, also in their highest bits.
 */
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

/* The signature of a longer key: if it has more than 24 bytes, of eight bytes each at its beginning, middle and end */
static inline uint64
PgBsonLongKeySignature(const char *key, uint32 len)
{
	const uint8 *k = (const uint8 *) key;
	uint64		middle = PgBsonReadU64(k + len / 2 - 4);

	return PGBSON_KEY_SIGNATURE(PgBsonReadU64(k) + len + (middle << 29 | middle >> 35),
								PgBsonReadU64(k + len - 8) ^ middle);
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

/* The signatures of the keys met so far in all documents that are open; those of the innermost document come last */
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
 * To be called at the end of a document, whose signatures are those from "first" on, and are removed:
 * are two of them equal?  Then PgBsonHasDuplicateKeys must tell whether two keys are equal, because
 * different keys may have the same signature, and the answer is also true if the keys were chosen to
 * make the comparison slow.
 */
extern bool PgBsonSignaturesRepeat(PgBsonSignatures *signatures, uint32 first);

static inline void
PgBsonSignaturesFree(PgBsonSignatures *signatures)
{
	if (signatures->all != signatures->few)
		pfree(signatures->all);
}

/* A key outside of a document */
typedef struct PgBsonKeyRef
{
	const char *key;
	uint32		len;			/* bytes */
} PgBsonKeyRef;

/* An entry of "last": this key occurred before */
#define PGBSON_KEY_REPEATED PG_UINT32_MAX

/*
 * Find out where each of "n" keys occurs for the last time: last[i] is the index of the last key that
 * is equal to key i, if i is the first of them, and PGBSON_KEY_REPEATED if it is not.  Returns the
 * index of a key that occurred before, or -1 if all are different.
 */
extern int64 PgBsonFindRepeatedKeys(const PgBsonKeyRef *keys, uint32 n, uint32 *last);

#endif							/* PGBSON_KEYS_H */
