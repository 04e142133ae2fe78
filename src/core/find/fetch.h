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

#include "core/find/path.h"

/*
 * What a call site learned.  Zero-initialised; kept in fn_extra.  Where its steps are
 * always the same, shapes.context is set, and what documents look like is kept there.
 */
typedef struct PgBsonFetchHint
{
	uint32		upto;			/* how many bytes of a toasted value its answers need */
	PgBsonType	root;			/* of the value that was searched last */
	bool		dense;			/* it was external, and had nothing large enough to step over */
	PgBsonShapes shapes;
} PgBsonFetchHint;

/* The front of an external value, as long as this, is had for the price of one chunk; in bytes */
#define PGBSON_EXTERNAL_FRONT	4096

/*
 * Did the last external value have to be read on beyond its front, as nothing
 * on the way could be stepped over?  Then one walk for all that is asked of it
 * is faster than one for each.
 */
static inline bool
PgBsonReadsOn(const PgBsonFetchHint *hint)
{
	return hint->dense && hint->upto > PGBSON_EXTERNAL_FRONT;
}

/* GUC bson.detoast_cache_size, in kB: how much the cache may hold; 0 turns it off */
extern int	PgBsonDetoastCacheSize;

/*
 * Follow the steps in the datum.  *result points into memory that lives until
 * the next fetch, or as long as the datum; if nothing is found it has the type of
 * the value in which a step found nothing.  "hint" may be NULL.
 */
extern bool PgBsonFetchPath(Datum datum, const PgBsonStep *steps, int nsteps,
							PgBsonFetchHint *hint, PgBsonValue *result);

/*
 * A search of a root value of which the bytes before "avail" may be read.  It
 * returns what PgBsonFindWithin does: with PGBSON_MORE, *upto is how far the
 * bytes must reach for it to get on, and it will be called again with more of
 * them, perhaps elsewhere; else *upto is how far it looked, at most.
 */
typedef PgBsonFound (*PgBsonSearcher) (PgBsonValue root, const uint8 *avail, void *arg,
									   const uint8 **upto);

/* Search the datum so; what the search points to lives as long as after PgBsonFetchPath */
extern bool PgBsonFetchSearch(Datum datum, PgBsonSearcher search, void *arg,
							  PgBsonFetchHint *hint);

/* The whole of the datum, which lives until the next fetch, or as long as the datum */
extern PgBsonView PgBsonFetchWhole(Datum datum);

/* The same; another call site with a hint of its own does not push this value out of the cache */
extern PgBsonView PgBsonFetchWholeAt(Datum datum, const PgBsonFetchHint *hint);

/*
 * The root value, of whose datum "avail" bytes of payload are there and "whole" ones count; false
 * if that takes more of them
 */
extern bool PgBsonRootWithin(const uint8 *data, uint32 avail, uint32 whole, PgBsonValue *root);

/* The type of the root value, for which little of the datum is read */
extern PgBsonType PgBsonFetchType(Datum datum);

#endif							/* PGBSON_FETCH_H */
