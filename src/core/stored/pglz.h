/*
 * pglz.h
 *	  Decompressing what the server compressed with pglz.
 */
#ifndef PGBSON_PGLZ_H
#define PGBSON_PGLZ_H

#include "postgres.h"

/* So many bytes behind those that are wanted are written, too */
#define PGBSON_PGLZ_ROOM	(8 * 273 + 32)

/*
 * The first "want" bytes of what is compressed in "len" bytes at "source" (the
 * stream alone, or a part of it that is long enough), into "result", which has
 * PGBSON_PGLZ_ROOM bytes more.  "all" says that both must end together.  False
 * if the stream is damaged.
 */
extern bool PgBsonPglzDecompress(const uint8 *source, uint32 len, uint8 *result, uint32 want, bool all);

#endif							/* PGBSON_PGLZ_H */
