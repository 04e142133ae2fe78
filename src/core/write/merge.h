/*
 * merge.h
 *	  Merging two documents at every level.
 */
#ifndef PGBSON_MERGE_H
#define PGBSON_MERGE_H

#include "core/bytes/view.h"

/*
 * The first stored document with the fields of the second: a field of both
 * that is a document in both is merged, another has the value of the second.
 * Fields keep their places, and new ones come last.  With "remove_nulls" a null
 * of the second removes the field instead (RFC 7396).  What is not a document
 * is replaced.  Of duplicate keys the first counts, and is changed; to remove a
 * field removes all of its name.
 *
 * NULL where the result is one of the two, the second if *is_second is set.
 */
extern PgBson *PgBsonMerge(PgBsonView first, PgBsonView second, bool remove_nulls,
						   bool *is_second);

#endif							/* PGBSON_MERGE_H */
