/*
 * modify.h
 *	  Changing a stored document as a whole: concatenate, strip, delete keys.
 *
 * Key order is kept, and the bytes of what does not change.  Each function
 * returns NULL where it would change nothing, so that the caller can hand back
 * the original datum, toasted as it was.
 *
 * Of duplicate keys, which only binary input can bring, deleting one deletes
 * all of them, so that no other comes to light.  change_path.h sets the first,
 * the one that is read.
 */
#ifndef PGBSON_MODIFY_H
#define PGBSON_MODIFY_H

#include "core/bytes/keyset.h"
#include "core/bytes/view.h"

/* Without these fields, or in an array these strings */
extern PgBson *PgBsonDeleteKeys(PgBsonView doc, PgBsonKeySet *keys);

/* Without the array element at this position, negative from the end */
extern PgBson *PgBsonDeleteIndex(PgBsonView doc, int32 index);

/*
 * "left" and then "right": fields of two documents, those of the left in their
 * places with the values of the right; otherwise elements of one array, and a
 * value that is not an array counts as one element.  Returns NULL if the result is
 * one of the two, the right one if *is_right is set.
 */
extern PgBson *PgBsonConcat(PgBsonView left, PgBsonView right, bool *is_right);

/* Without fields that are null, at every level, and if so wished array elements */
extern PgBson *PgBsonStripNulls(PgBsonView doc, bool in_arrays);

/*
 * With every string, at every level, replaced by what "map" makes of it: UTF-8,
 * *len bytes of it; NULL to leave it as it is.
 */
typedef const char *(*PgBsonStringMap) (const PgBsonValue *string, uint32 *len, void *arg);

/* palloc'd; NULL if all stay as they are */
extern PgBson *PgBsonMapStrings(PgBsonView doc, PgBsonStringMap map, void *arg);

#endif							/* PGBSON_MODIFY_H */
