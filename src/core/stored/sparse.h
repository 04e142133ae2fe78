/*
 * sparse.h
 *	  Reading a large value that is stored out of line without reading all of it.
 *
 * BSON tells how long each value is.  Of a value stored EXTERNAL, which is in
 * chunks as it is, a search fetches the chunks in which headers lie, and steps
 * over the rest.
 */
#ifndef PGBSON_SPARSE_H
#define PGBSON_SPARSE_H

#include "pgbson.h"

#include "access/detoast.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"

/*
 * Bytes that come as they are asked for: "reach" sees to it that those from
 * "from" to before "upto" can be read, and returns where what can be read
 * from there on ends.
 */
typedef struct PgBsonSource PgBsonSource;
struct PgBsonSource
{
	const uint8 *(*reach) (PgBsonSource *source, const uint8 *from, const uint8 *upto);
};

typedef struct PgBsonSparse
{
	PgBsonSource source;
	struct varatt_external pointer;
	struct varlena *bytes;		/* room for all; what was not fetched is undefined */
	uint32		whole;			/* bytes of payload */
	uint32		nchunks;
	uint64	   *filled;			/* a bit for each chunk */
	uint32		next;			/* the chunk behind those fetched last */
	uint32		ahead;			/* how many were fetched then */
	uint32		run;			/* how far it was read from the front before something was stepped over */
	bool		jumped;			/* something was */
	uint32		cost;			/* of all fetches */
	Relation	toast;			/* during a search, if open */
	LOCKMODE	release;		/* how to close it */
} PgBsonSparse;

/* Is this a datum that can be read so, and large enough for it to pay? */
extern bool PgBsonIsSparse(const struct varlena *datum);

/* Begin to read it; palloc'd */
extern PgBsonSparse *PgBsonSparseBegin(const struct varlena *datum);
extern void PgBsonSparseFree(PgBsonSparse *sparse);

/* See to it that the first "upto" bytes are there; returns how many there are without a gap, or more */
extern uint32 PgBsonSparseReach(PgBsonSparse *sparse, uint32 upto);

/* Was what was fetched since, when the cost was this, no dearer than to read all at once? */
extern bool PgBsonSparsePaid(const PgBsonSparse *sparse, uint32 cost_before);

/* After a search: what it opened is closed */
extern void PgBsonSparseRest(PgBsonSparse *sparse);

#endif							/* PGBSON_SPARSE_H */
