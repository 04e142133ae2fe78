/*
 * modify.h
 *	  Changing a stored document as a whole: concatenate, strip, delete keys.
 *
 * The order of keys, and the bytes of what does not change, stay as they are.  Each
 * function returns a new datum, palloc'd, or NULL if nothing changes: then the caller
 * can return the original datum, toasted as it was.
 *
 * Of several fields with one name, which only binary input can have, deleting deletes
 * all; otherwise the next one would be read then.
 */
#ifndef PGBSON_MODIFY_H
#define PGBSON_MODIFY_H

#include "core/bytes/keyset.h"

/* Delete fields of these keys from a document, or elements that are these strings from an array */
extern PgBson *PgBsonDeleteKeys(PgBsonView doc, PgBsonKeySet *keys);

/* Delete the element at this position, negative from the end, from an array */
extern PgBson *PgBsonDeleteIndex(PgBsonView doc, int32 index);

/*
 * "left" and then "right": fields of two documents, those of the left in their
 * places with the values of the right; otherwise elements of one array, and a
 * value that is not an array counts as one element.  Returns NULL if the result is
 * one of the two, the right one if *is_right is set.
 */
extern PgBson *PgBsonConcat(PgBsonView left, PgBsonView right, bool *is_right);

/* Delete fields that are null, at every level, and with "in_arrays" elements of arrays that are null, too */
extern PgBson *PgBsonStripNulls(PgBsonView doc, bool in_arrays);

/* Returns what a string becomes, UTF-8, *len bytes, which the caller copies; NULL if the string stays as it is */
typedef const char *(*PgBsonStringMap) (const PgBsonValue *string, uint32 *len, void *arg);

/* Replace every string, at every level, by what "map" returns for it */
extern PgBson *PgBsonMapStrings(PgBsonView doc, PgBsonStringMap map, void *arg);

#endif							/* PGBSON_MODIFY_H */
