/*
 * detoast.h
 *	  Values that are compressed, or stored out of line, as plain bytes.
 */
#ifndef PGBSON_DETOAST_H
#define PGBSON_DETOAST_H

#include "postgres.h"

#include "compat.h"
#include "core/bytes/ahead.h"
#include "fmgr.h"

/*
 * What the server's detoast_attr and detoast_attr_slice do, faster, for a value
 * that is not plain already.  The result is a plain varlena, palloc'd; a prefix
 * has the first "want" bytes, or all if there are no more.  Raises XX001 for
 * damaged compression.
 */
extern struct varlena *PgBsonDetoast(struct varlena *value);
extern struct varlena *PgBsonDetoastPrefix(struct varlena *value, uint32 want);

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
