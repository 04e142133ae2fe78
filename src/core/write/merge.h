/*
 * merge.h
 *	  Merging two documents at every level.
 */
#ifndef PGBSON_MERGE_H
#define PGBSON_MERGE_H

#include "core/bytes/view.h"

/*
 * The first stored document with the fields of the second: a field that is a document in both is
 * merged; any other field of the second replaces that of the first.  Fields keep their places, and new
 * fields come last.  With "remove_nulls" a null of the second removes the field (RFC 7396).  If one of
 * the roots is not a document, the result is the second.  Of several fields with one name the first is
 * changed; but all are removed.
 *
 * Returns a new datum, palloc'd, or NULL if the result is one of the two: the second if *is_second is
 * set, else the first.
 */
extern PgBson *PgBsonMerge(PgBsonView first, PgBsonView second, bool remove_nulls,
						   bool *is_second);

#endif							/* PGBSON_MERGE_H */
