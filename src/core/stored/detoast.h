/*
 * detoast.h
 *	  A bson datum as plain bytes, for functions that need all of an argument.
 *
 * These are the server's PG_DETOAST_DATUM_PACKED and PG_DETOAST_DATUM_COPY for bson, faster.  Functions that
 * are called with a column of each row open the datum instead (core/stored/reader.h), which keeps what was
 * decompressed for the next function and reads no more than is needed.
 */
#ifndef PGBSON_DETOAST_H
#define PGBSON_DETOAST_H

#include "pgbson.h"

/*
 * All bytes of a value that is compressed or stored out of line: a plain varlena with a long header, palloc'd in the
 * current memory context.  Raises XX001 for damaged compression.
 */
extern struct varlena *PgBsonDetoast(struct varlena *value);

/* The value as a plain varlena, perhaps with a short header: itself if it is one, else PgBsonDetoast of it */
static inline struct varlena *
PgBsonDetoastPacked(struct varlena *value)
{
	return VARATT_IS_COMPRESSED(value) || VARATT_IS_EXTERNAL(value) ? PgBsonDetoast(value) : value;
}

/* A copy of the value as a plain varlena with a long header, palloc'd in the current memory context */
extern struct varlena *PgBsonDetoastCopy(struct varlena *value);

/* The bytes of the document, however it is stored; nothing is read for it */
extern Size PgBsonPayloadSize(Datum datum);

#define DatumGetPgBsonPP(d)		PgBsonDetoastPacked((struct varlena *) DatumGetPointer(d))
#define DatumGetPgBsonPCopy(d)	PgBsonDetoastCopy((struct varlena *) DatumGetPointer(d))
#define PG_GETARG_PGBSON_PP(n)	DatumGetPgBsonPP(PG_GETARG_DATUM(n))
#define PG_GETARG_PGBSON_P_COPY(n)	DatumGetPgBsonPCopy(PG_GETARG_DATUM(n))

#endif							/* PGBSON_DETOAST_H */
