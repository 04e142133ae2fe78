/*
 * stream.h
 *	  The bytes of one toasted value, as they are asked for.
 *
 * Memory for all bytes is allocated at once, so that they never move; bytes that were not asked for are undefined.  A
 * value compressed with pglz is decompressed further from where it ended.  One compressed with lz4 is decompressed
 * again from its beginning.  Of a value that is stored out of line without compression only the chunks are read that
 * are asked for: BSON tells how long each value is, so that a search can step over chunks.
 *
 * Only core/stored includes this header; others use core/stored/reader.h.
 */
#ifndef PGBSON_STREAM_H
#define PGBSON_STREAM_H

#include "core/stored/reader.h"

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"

/* --- pglz.c: decompressing what the server compressed with pglz --- */

/* The caller allocates this number of bytes behind the result, which may be overwritten */
#define PGBSON_PGLZ_ROOM	(8 * 273 + 32)

/* If not all of a stream is there, at most this number of its bytes stays unused, as a group may be cut off */
#define PGBSON_PGLZ_AHEAD	64

/* How far a stream is decompressed.  The caller sets "source" and "result" at first, and "done" to 0. */
typedef struct PgBsonPglz
{
	const uint8 *source;		/* the next group of the stream */
	uint8	   *result;			/* the first byte of all */
	uint32		done;			/* bytes of it that are there */
} PgBsonPglz;

/*
 * Go on until at least "want" of the "whole" bytes of the result are decompressed.  state->result has room for "whole"
 * and PGBSON_PGLZ_ROOM bytes.  The stream is there up to "end"; "ends" says that this is its end.  If it is not, fewer
 * than "want" bytes may be done.  Returns false if the stream is damaged, or does not end with the last byte of the
 * result.  Allocates nothing.
 */
extern bool PgBsonPglzDecompress(PgBsonPglz *state, const uint8 *end, bool ends, uint32 want, uint32 whole);

/* --- stream.c --- */

struct PgBsonStream
{
	PgBsonByteSource source;
	struct varlena *bytes;		/* room for all; a plain varlena once they are there */
	uint32		whole;			/* bytes of payload */
	uint32		front;			/* how many bytes are there without a gap from the first one on */
	MemoryContext context;		/* of all that is allocated */
	bool		external;
	bool		compressed;
	bool		lz4;			/* not pglz */
	struct varatt_external pointer;	/* of an external one */
	Relation	toast;			/* its table, if it is open */
	LOCKMODE	release;		/* the lock mode to close it with */
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
	uint32		next;			/* the chunk after the last one that was read */
	uint32		ahead;			/* the least number of chunks that the last read took; see stream.c */
	uint32		run;			/* the end of the bytes that were read without a gap before the first jump */
	bool		jumped;			/* chunks were stepped over */
};

/*
 * Begin to read a value that is compressed or stored out of line, and must live as long as the stream.  All memory is
 * allocated in the memory context that is current now; PgBsonStreamEnd frees it, except "bytes", which the caller
 * pfrees.
 */
extern void PgBsonStreamBegin(PgBsonStream *s, const struct varlena *value);

/* Read on until the first "upto" bytes are there, or all.  Returns the first one, which lives as long as s->bytes. */
extern const uint8 *PgBsonStreamFront(PgBsonStream *s, uint32 upto);

/* Close the TOAST table, if it is open; it is opened again when it is needed */
extern void PgBsonStreamRest(PgBsonStream *s);

/* Free everything but "bytes" */
extern void PgBsonStreamEnd(PgBsonStream *s);

/* Did it pay to step over chunks: did reading since s->cost was "cost_before" cost no more than all chunks at once? */
extern bool PgBsonStreamPaid(const PgBsonStream *s, uint32 cost_before);

/* --- toast.c: the chunks of a value that is stored out of line --- */

/* Bytes of a chunk, but for a value's last */
#define PGBSON_CHUNK	((uint32) TOAST_MAX_CHUNK_SIZE)

/* The TOAST table of a value, opened and locked, and how to close it: with table_close(toast, *release) */
extern Relation PgBsonOpenToast(Oid toast, LOCKMODE *release);

/*
 * Copy "len" bytes of a stored value to "into", from the beginning of its chunk "first"
 * on.  "toast" is its TOAST table, open.  What
 * table_relation_fetch_toast_slice does, with its errors, faster where values
 * are read in the order in which they lie.
 */
extern void PgBsonReadChunks(Relation toast, const struct varatt_external *pointer,
							 uint32 first, uint32 len, void *into);

#endif							/* PGBSON_STREAM_H */
