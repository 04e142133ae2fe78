/*
 * toast.h
 *	  The chunks of a value that is stored out of line.
 */
#ifndef PGBSON_TOAST_H
#define PGBSON_TOAST_H

#include "postgres.h"

#include "access/heaptoast.h"
#include "compat.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"

/* Bytes of a chunk, but for a value's last */
#define PGBSON_CHUNK	((uint32) TOAST_MAX_CHUNK_SIZE)

/*
 * The TOAST table of a value, opened and locked, and how to close it: with
 * table_close(toast, *release)
 */
extern Relation PgBsonOpenToast(Oid toast, LOCKMODE *release);

/*
 * Copy "len" bytes of a stored value to "into", from the beginning of its chunk "first"
 * on.  "toast" is its TOAST table, open.  What
 * table_relation_fetch_toast_slice does, with its errors, faster where values
 * are read in the order in which they lie.
 */
extern void PgBsonReadChunks(Relation toast, const struct varatt_external *pointer,
							 uint32 first, uint32 len, void *into);

#endif							/* PGBSON_TOAST_H */
