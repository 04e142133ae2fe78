/*
 * patch.h
 *	  Applying a delta (mongo/delta/diff.h).
 *
 * A field that is to be deleted may be missing, and one that is to be updated
 * is added then, as MongoDB does, so that a delta can be applied twice.  But a
 * change within what is not there, or is of another type, is an error.
 */
#ifndef PGBSON_PATCH_H
#define PGBSON_PATCH_H

#include "core/bytes/view.h"

/* As many nulls a delta puts into an array to reach a position behind its end */
#define PGBSON_PATCH_MAX_PADDING	1500000

/* What a delta makes of a stored document, palloc'd; NULL where that is the delta itself.  Raises 22023. */
extern PgBson *PgBsonPatch(PgBsonView doc, PgBsonView delta);

#endif							/* PGBSON_PATCH_H */
