/*
 * key_hashes.h
 *	  Do the keys of an object differ?  For the transcoder, which meets them one by one.
 *
 * The hash of each key is kept until its object closes, and the hashes are
 * compared once, then.  Keys are compared only if two hashes are equal.
 */
#ifndef PGBSON_KEY_HASHES_H
#define PGBSON_KEY_HASHES_H

#include "core/bytes/keys.h"

/* Hashes of the keys of all open objects, the innermost last */
typedef struct PgBsonKeyHashes
{
	uint32	   *values;			/* "fixed", until there are too many */
	uint32		count;
	uint32		capacity;
	uint32		fixed[256];
} PgBsonKeyHashes;

/*
 * The key's hash.  Reads up to seven bytes past the key, which are within the
 * buffer.  The hash is not secret: if keys were chosen to have equal hashes,
 * PgBsonKeysDiffer notices.
 */
static inline uint32
PgBsonHashKey(const uint8 *key, uint32 len)
{
	uint64		h = len;

	while (len > 8)
	{
		h = (h ^ PgBsonReadU64(key)) * UINT64CONST(0x9e3779b97f4a7c15);
		h ^= h >> 32;
		key += 8;
		len -= 8;
	}
	if (len > 0)
		h ^= PgBsonReadU64(key) << (64 - 8 * len);
	h *= UINT64CONST(0x9e3779b97f4a7c15);
	h = (h ^ (h >> 32)) * UINT64CONST(0xc2b2ae3d27d4eb4f);
	return (uint32) (h >> 32);
}

/* Make room for more hashes, in palloc'd memory */
extern void PgBsonGrowKeyHashes(PgBsonKeyHashes *keys);

static inline void
PgBsonPushKeyHash(PgBsonKeyHashes *keys, uint32 hash)
{
	if (unlikely(keys->count == keys->capacity))
		PgBsonGrowKeyHashes(keys);
	keys->values[keys->count++] = hash;
}

/*
 * Do all keys of this finished object differ?  The last "n" hashes are its
 * own.  Equal hashes do not prove that keys are equal, so then the keys are
 * compared.
 */
extern bool PgBsonKeysDiffer(const uint32 *hashes, uint32 n, const uint8 *object);

#endif							/* PGBSON_KEY_HASHES_H */
