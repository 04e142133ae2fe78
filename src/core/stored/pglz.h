/*
 * pglz.h
 *	  Decompressing what the server compressed with pglz.
 */
#ifndef PGBSON_PGLZ_H
#define PGBSON_PGLZ_H

#include "postgres.h"

/* The caller allocates so many bytes behind the result, which may be overwritten */
#define PGBSON_PGLZ_ROOM	(8 * 273 + 32)

/* At most so many bytes of a stream that is not all there stay unused, as a group may be cut off */
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

#endif							/* PGBSON_PGLZ_H */
