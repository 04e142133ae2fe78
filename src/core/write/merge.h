/*
 * merge.h
 *	  Merging two documents at every level.
 */
#ifndef PGBSON_MERGE_H
#define PGBSON_MERGE_H

#include "core/bytes/view.h"

typedef enum PgBsonMerging
{
	PGBSON_MERGE_ROOT,			/* fields of the roots only */
	PGBSON_MERGE_ALL,			/* fields at every level */
	PGBSON_MERGE_REMOVE			/* the same, and a null of the second removes the field (RFC 7396) */
} PgBsonMerging;

/*
 * The first stored document with the fields of the second: a field of the second replaces that of the
 * first, but where both are documents they are merged, as far as "how" says.  Fields keep their places,
 * and new fields come last.  If one of the roots is not a document, the result is the second.  Of
 * several fields of one name the first one is replaced; a null removes all of them.
 *
 * Returns a new datum, palloc'd, or NULL if the result is one of the two: the second if *is_second is
 * set, else the first.
 */
extern PgBson *PgBsonMerge(PgBsonView first, PgBsonView second, PgBsonMerging how, bool *is_second);

#endif							/* PGBSON_MERGE_H */
