/*
 * hash.h
 *	  A hash that agrees with the order of compare.h.
 */
#ifndef PGBSON_HASH_H
#define PGBSON_HASH_H

#include "core/bytes/view.h"

/* Equal values have equal hashes */
extern uint64 PgBsonHash(const PgBsonValue *value, uint64 seed);

#endif							/* PGBSON_HASH_H */
