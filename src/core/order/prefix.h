/*
 * prefix.h
 *	  The first 64 bits of an encoding that sorts as compare.h orders.
 */
#ifndef PGBSON_PREFIX_H
#define PGBSON_PREFIX_H

#include "core/stored/reader.h"

/*
 * The way from the root to the first scalar in it: the rank of each value on it,
 * and the key of each but the root.  Documents that are sorted mostly have the
 * same.  Zero-initialised it has no levels.
 */
#define PGBSON_SPINE_LEVELS	8
#define PGBSON_SPINE_KEYS	128

typedef struct PgBsonSpine
{
	int			levels;
	int			ranks[PGBSON_SPINE_LEVELS];
	uint32		key_lens[PGBSON_SPINE_LEVELS];
	char		keys[PGBSON_SPINE_KEYS];	/* one after the other */
} PgBsonSpine;

/* Set the spine to that of a value, as far as there is room for it */
extern void PgBsonSpineInit(PgBsonSpine *spine, const PgBsonValue *value);

/*
 * A number that, among those of the same spine, never sorts against PgBsonCompare: less
 * means less, equal says nothing.  It says more of values that have the spine.
 */
extern uint64 PgBsonSortPrefix(const PgBsonSpine *spine, const PgBsonValue *value);

/* Read the bytes that PgBsonSpineInit and PgBsonSortPrefix need of a reader's value: up to its first scalar */
extern void PgBsonReachSpine(PgBsonReader *reader);

#endif							/* PGBSON_PREFIX_H */
