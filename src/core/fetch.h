/*
 * fetch.h
 *	  Getting at the bytes of a bson datum that may be toasted.
 *
 * BSON is sequential: a key near the front needs only the front of a
 * compressed or external value.  And several operators of one query often look
 * at the same value.  So a fetch reads a prefix where it can, and keeps what
 * it read in a small cache of this backend.
 */
#ifndef PGBSON_FETCH_H
#define PGBSON_FETCH_H

#include "core/path.h"

/*
 * What a call site learned about how many bytes of a toasted value its answers
 * need.  Zero-initialised; kept in fn_extra.
 */
typedef uint32 PgBsonFetchHint;

/* GUC bson.detoast_cache_size, in kB: how much the cache may hold; 0 turns it off */
extern int	PgBsonDetoastCacheSize;

/*
 * Follow the steps in the datum.  *result points into memory that lives until
 * the next fetch, or as long as the datum.  "hint" may be NULL.
 */
extern bool PgBsonFetchPath(Datum datum, const PgBsonStep *steps, int nsteps,
							PgBsonFetchHint *hint, PgBsonValue *result);

/* The whole of the datum, which lives until the next fetch, or as long as the datum */
extern PgBsonView PgBsonFetchWhole(Datum datum);

#endif							/* PGBSON_FETCH_H */
