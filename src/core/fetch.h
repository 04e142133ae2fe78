/*
 * fetch.h
 *	  Getting at the bytes of a bson datum that may be toasted.
 */
#ifndef PGBSON_FETCH_H
#define PGBSON_FETCH_H

#include "core/path.h"

/*
 * What a call site learned about how much of a toasted value its answers need,
 * in bytes.  Zero-initialised; kept in fn_extra; NULL where there is no site.
 */
typedef uint32 PgBsonFetchHint;

/*
 * Follow the steps in the datum.  *result points into memory that lives until
 * the next fetch, or as long as the datum.
 */
extern bool PgBsonFetchPath(Datum datum, const PgBsonStep *steps, int nsteps,
							PgBsonFetchHint *hint, PgBsonValue *result);

#endif							/* PGBSON_FETCH_H */
