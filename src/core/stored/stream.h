/*
 * stream.h
 *	  The bytes of one toasted value, as they are asked for.
 *
 * Room for all bytes is reserved at once, so that they never move; what was not asked for is undefined.  A value
 * compressed with pglz is decompressed on from where that ended.  One compressed with lz4 is
 * decompressed again from its beginning, by the server.  Of one that is stored in chunks as it is, the
 * chunks are read that are asked for, and BSON tells how long each value is: a search steps over the others.
 */
#ifndef PGBSON_STREAM_H
#define PGBSON_STREAM_H

#include "core/stored/reader.h"

#include "access/detoast.h"
#include "core/stored/pglz.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"

/* So near to its end a compressed value is decompressed whole */
#define PGBSON_IS_NEAR_END(want, whole)	((want) >= (whole) - (whole) / 8)

struct PgBsonStream
{
	PgBsonByteSource source;
	struct varlena *bytes;		/* room for all; a plain varlena once they are there */
	Size		room;			/* how much that is, the header included */
	uint32		whole;			/* bytes of payload */
	uint32		front;			/* how many bytes are there from the first one on, without a gap */
	MemoryContext context;		/* of all that is allocated */
	bool		external;
	bool		compressed;
	bool		lz4;			/* not pglz */
	struct varatt_external pointer;	/* of an external one */
	Relation	toast;			/* its table, if it is open */
	LOCKMODE	release;		/* how to close that */
	uint32		cost;			/* of all that was read of it, see stream.c */

	/* of a compressed one */
	struct varlena *packed;		/* its compressed bytes; NULL: none are there yet */
	uint32		stored;			/* how many they are, behind the length word */
	uint32		have;			/* how many of them are there */
	uint32		used;			/* how many of those are decompressed; pglz only */
	PgBsonPglz	pglz;

	/* of one in chunks as it is */
	uint32		nchunks;
	uint64		few;			/* a bit for each chunk that is there, if they are few ... */
	uint64	   *filled;			/* ... else here; NULL: no others than those of the front */
	uint32		next;			/* the chunk behind those read last */
	uint32		ahead;			/* how many were read then */
	uint32		run;			/* how far it was read from the front before something was stepped over */
	bool		jumped;			/* something was */
};

/* Begin to read a value, which is compressed or external and must live as long; all is allocated in the current memory context */
extern void PgBsonStreamBegin(PgBsonStream *s, const struct varlena *value);

/* The same with room for the bytes that another value took before, which is used or freed */
extern void PgBsonStreamReuse(PgBsonStream *s, struct varlena *bytes, Size room);

/* See to it that "upto" bytes from the first one on are there, or all, and return where they begin */
extern const uint8 *PgBsonStreamFront(PgBsonStream *s, uint32 upto);

/* Close what was opened to read on */
extern void PgBsonStreamRest(PgBsonStream *s);

/* Free all but "bytes" */
extern void PgBsonStreamEnd(PgBsonStream *s);

/* Since the cost was this, was less or as much of an external value read as it costs to read all at once? */
extern bool PgBsonStreamPaid(const PgBsonStream *s, uint32 cost_before);

#endif							/* PGBSON_STREAM_H */
