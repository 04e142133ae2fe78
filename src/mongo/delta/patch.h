/*
 * patch.h
 *	  Applying a delta (mongo/delta/diff.h).
 *
 * As in MongoDB, deleting a field that is missing does nothing, and updating a field that is
 * missing adds it, so a delta can be applied twice.  A change within a field that is missing, or of
 * another type, is an error.
 * The authority is MongoDB's src/mongo/db/update/document_diff_applier.cpp.
 */
#ifndef PGBSON_PATCH_H
#define PGBSON_PATCH_H

#include "core/bytes/view.h"

/* The most nulls that a delta adds to an array, to reach a position behind its end */
#define PGBSON_PATCH_MAX_PADDING	1500000

/* Apply the delta to a stored document, palloc'd; NULL if the result is the delta itself.  Raises 22023. */
extern PgBson *PgBsonPatch(PgBsonView doc, PgBsonView delta);

#endif							/* PGBSON_PATCH_H */
