/*
 * detoast.h
 *	  Values that are compressed, or stored out of line, as plain bytes.
 */
#ifndef PGBSON_DETOAST_H
#define PGBSON_DETOAST_H

#include "postgres.h"

#include "access/detoast.h"
#include "compat.h"
#include "core/bytes/ahead.h"
#include "fmgr.h"

/*
 * What the server's detoast_attr does, faster, for a value that is not plain already: the result
 * is a plain varlena, palloc'd.  Raises XX001 for damaged compression.  Who need not read all of a value
 * opens it (core/stored/reader.h).
 */
extern struct varlena *PgBsonDetoast(struct varlena *value);

/* How many bytes a value has, however it is stored */
static inline Size
PgBsonPayloadSize(Datum datum)
{
	return toast_raw_datum_size(datum) - VARHDRSZ;
}

/* Is it anything but plain? */
static inline bool
PgBsonIsToasted(const struct varlena *value)
{
	return VARATT_IS_COMPRESSED(value) || VARATT_IS_EXTERNAL(value);
}

/* A value as plain bytes, with a short header perhaps; itself, if it is plain already */
static inline struct varlena *
PgBsonDetoastPacked(struct varlena *value)
{
	return PgBsonIsToasted(value) ? PgBsonDetoast(value) : value;
}

/* The same of a column of each row, all of which will be read */
static inline struct varlena *
PgBsonDetoastRow(struct varlena *value)
{
	PgBsonAskAhead(value);
	return PgBsonDetoastPacked(value);
}

/* A value as plain bytes of the caller's own, palloc'd, with a long header */
static inline struct varlena *
PgBsonDetoastCopy(struct varlena *value)
{
	return PgBsonIsToasted(value) ? PgBsonDetoast(value) : pg_detoast_datum_copy(value);
}

#endif							/* PGBSON_DETOAST_H */
