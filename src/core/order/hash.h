/*
 * hash.h
 *	  A hash that agrees with the order of compare.h.
 */
#ifndef PGBSON_HASH_H
#define PGBSON_HASH_H

#include "core/bytes/view.h"

/* A hash of a value.  Equal values (PgBsonEqual) have equal hashes with the same seed.  Allocates nothing. */
extern uint64 PgBsonHash(const PgBsonValue *value, uint64 seed);

#endif							/* PGBSON_HASH_H */
