/*
 * prefix.h
 *	  Abbreviated keys of sorts: the first 64 bits of an encoding that sorts as compare.h orders.
 */
#ifndef PGBSON_PREFIX_H
#define PGBSON_PREFIX_H

#include "core/stored/reader.h"

/*
 * The way from the root of a value to the first scalar in it: the rank of each value on the way, and
 * the key of each value below the root.  The documents of a sort mostly have the same spine.  A spine
 * of zeroes has no levels.
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
 * The abbreviated key of a value.  Of two keys that were made with the same spine, the lesser one
 * belongs to the value that PgBsonCompare puts first; equal keys tell nothing.  Values that have the
 * spine themselves are told apart best.
 */
extern uint64 PgBsonSortPrefix(const PgBsonSpine *spine, const PgBsonValue *value);

/* Read as much of a reader's value as PgBsonSpineInit and PgBsonSortPrefix look at: up to its first scalar */
extern void PgBsonReachSpine(PgBsonReader *reader);

#endif							/* PGBSON_PREFIX_H */
