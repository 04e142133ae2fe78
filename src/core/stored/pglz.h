/*
 * pglz.h
 *	  Decompressing what the server compressed with pglz.
 */
#ifndef PGBSON_PGLZ_H
#define PGBSON_PGLZ_H

#include "postgres.h"

/* Bytes behind the result that may be written, too */
#define PGBSON_PGLZ_ROOM	(8 * 273 + 32)

/* The most bytes of a stream that may be left undone where more of them come */
#define PGBSON_PGLZ_AHEAD	64

/* How far a stream is decompressed: zeroes at first, but for where it begins and where its bytes go */
typedef struct PgBsonPglz
{
	const uint8 *source;		/* the next group of the stream */
	uint8	   *result;			/* the first byte of all */
	uint32		done;			/* bytes of it that are there */
} PgBsonPglz;

/*
 * Decompress on until "want" bytes are there, or more, of "whole" ones, for which there is room and PGBSON_PGLZ_ROOM
 * bytes behind it.  The stream is there up to "end", and ends there if "ends" is set; else less than
 * that may be done, as a group at its end may not be all there.  False if the stream is damaged,
 * which includes that it and the result do not end together.
 */
extern bool PgBsonPglzDecompress(PgBsonPglz *state, const uint8 *end, bool ends, uint32 want, uint32 whole);

#endif							/* PGBSON_PGLZ_H */
