/*
 * keyset.h
 *	  A set of keys, each with a value, looked up while passing over a document.
 *
 * Which of many keys a document has is found out in one pass over it, which looks up
 * each of its keys in the set.  A few keys are compared one by one; more are hashed, so
 * that two large documents take time in proportion to the sum of their sizes.
 */
#ifndef PGBSON_KEYSET_H
#define PGBSON_KEYSET_H

#include "core/bytes/view.h"

/* Up to this number of keys, comparing is faster than hashing */
#define PGBSON_KEYSET_SMALL 8

typedef struct PgBsonKeyEntry
{
	const char *key;			/* not copied; need not be NUL-terminated */
	uint32		key_len;		/* bytes */
	uint32		hash;			/* set when the keys are hashed */
	int32		next;			/* the next entry in the bucket, -1 at its end */
	uint32		round;			/* the round in which the caller marked it, see PgBsonKeySetMark */
	PgBsonValue value;
} PgBsonKeyEntry;

/* It must not be moved, because it points into itself while it is small */
typedef struct PgBsonKeySet
{
	PgBsonKeyEntry *entries;	/* in order of addition */
	int			count;
	int			capacity;
	int			unseen;			/* the number of entries that are not marked */
	uint32		round;			/* the current round; a mark of another round does not count */
	uint64		bits;			/* those of its keys, so that most keys that are not in the set need no lookup */
	int32	   *buckets;		/* NULL while small */
	uint32		mask;			/* buckets - 1 */
	PgBsonKeyEntry small[PGBSON_KEYSET_SMALL];
} PgBsonKeySet;

/*
 * Make an empty set.  Memory for more than PGBSON_KEYSET_SMALL keys is palloc'd in the context in which
 * they are added.
 */
extern void PgBsonKeySetInit(PgBsonKeySet *set);

/* Add a key with a value, unless the set has the key: the first one counts.  "value" may be NULL. */
extern void PgBsonKeySetAdd(PgBsonKeySet *set, const char *key, uint32 key_len,
							const PgBsonValue *value);

/* The entry of a key, which is added without a value if the set does not have it; *found says whether it had it */
extern PgBsonKeyEntry *PgBsonKeySetEnter(PgBsonKeySet *set, const char *key, uint32 key_len,
										 bool *found);

/* Add all fields of a document */
extern void PgBsonKeySetAddFields(PgBsonKeySet *set, PgBsonView doc);

/* The bit of a key, by its length, its first and its last byte */
static inline uint64
PgBsonKeyBit(const char *key, uint32 key_len)
{
	uint32		sum = key_len;

	if (key_len > 0)
		sum += (uint8) key[0] * 5 + (uint8) key[key_len - 1] * 11;
	return UINT64CONST(1) << (sum & 63);
}

/* The entry of a key; NULL if the set does not have it */
extern PgBsonKeyEntry *PgBsonKeySetLookUp(PgBsonKeySet *set, const char *key, uint32 key_len);
static inline PgBsonKeyEntry *
PgBsonKeySetFind(PgBsonKeySet *set, const char *key, uint32 key_len)
{
	return (set->bits & PgBsonKeyBit(key, key_len)) == 0 ? NULL : PgBsonKeySetLookUp(set, key, key_len);
}

/* Is an entry marked as seen? */
static inline bool
PgBsonKeySetSeen(const PgBsonKeySet *set, const PgBsonKeyEntry *entry)
{
	return entry->round == set->round;
}

static inline void
PgBsonKeySetMark(PgBsonKeySet *set, PgBsonKeyEntry *entry)
{
	if (!PgBsonKeySetSeen(set, entry))
		set->unseen--;
	entry->round = set->round;
}

/* Remove all marks, in constant time */
extern void PgBsonKeySetUnmark(PgBsonKeySet *set);

/* Free what the set allocated; not needed where its memory context will be reset */
extern void PgBsonKeySetFree(PgBsonKeySet *set);

#endif							/* PGBSON_KEYSET_H */
