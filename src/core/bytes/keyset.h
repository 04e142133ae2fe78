/*
 * keyset.h
 *	  A set of keys, each with a value, looked up while passing over a document.
 *
 * Documents are sequential, so "which of these keys are here" is answered by
 * one pass that asks the set about every key it passes.  A few keys are
 * compared one by one; beyond that the set hashes, so that no pair of large
 * documents costs more than their sum.
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
	uint32		hash;			/* once the set hashes */
	int32		next;			/* in the bucket, -1 at its end */
	uint32		round;			/* in which the caller marked it, see PgBsonKeySetMark */
	PgBsonValue value;
} PgBsonKeyEntry;

/* Lives on the caller's stack and must not be moved: it points into itself while small */
typedef struct PgBsonKeySet
{
	PgBsonKeyEntry *entries;	/* in order of addition */
	int			count;
	int			capacity;
	int			unseen;			/* entries without the mark */
	uint32		round;			/* of marking: a mark of another round is none */
	int32	   *buckets;		/* NULL while small */
	uint32		mask;			/* buckets - 1 */
	PgBsonKeyEntry small[PGBSON_KEYSET_SMALL];
} PgBsonKeySet;

/* Make an empty set.  What more than PGBSON_KEYSET_SMALL keys need is palloc'd in the context in which they are added. */
extern void PgBsonKeySetInit(PgBsonKeySet *set);

/* Add a key unless it is there: of duplicates the first counts.  "value" may be NULL. */
extern void PgBsonKeySetAdd(PgBsonKeySet *set, const char *key, uint32 key_len,
							const PgBsonValue *value);

/* The entry of this key, added (without a value) unless it is there, as *found tells */
extern PgBsonKeyEntry *PgBsonKeySetEnter(PgBsonKeySet *set, const char *key, uint32 key_len,
										 bool *found);

/* Add every field of a document */
extern void PgBsonKeySetAddFields(PgBsonKeySet *set, PgBsonView doc);

/* The entry of this key, or NULL */
extern PgBsonKeyEntry *PgBsonKeySetFind(PgBsonKeySet *set, const char *key, uint32 key_len);

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

/* Take all marks off, however many there are */
extern void PgBsonKeySetUnmark(PgBsonKeySet *set);

/* Release what the set allocated; it need not be called where the memory context will do it */
extern void PgBsonKeySetFree(PgBsonKeySet *set);

#endif							/* PGBSON_KEYSET_H */
