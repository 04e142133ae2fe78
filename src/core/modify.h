/*
 * modify.h
 *	  Changing a stored document: set, insert, delete, concatenate, strip.
 *
 * Key order is kept, and the bytes of what does not change.  Each function
 * returns NULL where it would change nothing, so that the caller can hand back
 * the original datum, toasted as it was.
 *
 * Of duplicate keys, which only binary input can bring, the first is the one
 * that is read, so it is the one that is set; deleting a key deletes all of
 * them, lest another come to light.
 */
#ifndef PGBSON_MODIFY_H
#define PGBSON_MODIFY_H

#include "core/keyset.h"
#include "core/path.h"

typedef enum PgBsonChange
{
	PGBSON_REPLACE,				/* what is there; nothing otherwise */
	PGBSON_SET,					/* what is there, or add it to its container */
	PGBSON_INSERT_BEFORE,		/* into an array at a position, or a new field */
	PGBSON_INSERT_AFTER,
	PGBSON_DELETE,
	PGBSON_ASSIGN				/* SET that also makes missing containers and fills gaps in arrays with null */
} PgBsonChange;

/*
 * Change what the path leads to.  Steps are of kind PATH; one without a key
 * stands for SQL NULL and is an error once it is reached.  "value" is not read
 * for DELETE.  Errors are those of jsonb_set and its kin.
 */
extern PgBson *PgBsonChangePath(PgBsonView doc, const PgBsonStep *path, int npath,
								PgBsonChange change, const PgBsonValue *value);

/* Without these fields, or in an array these strings */
extern PgBson *PgBsonDeleteKeys(PgBsonView doc, PgBsonKeySet *keys);

/* Without the array element at this position, negative from the end */
extern PgBson *PgBsonDeleteIndex(PgBsonView doc, int32 index);

/*
 * "left" and then "right": fields of two documents, those of the left in their
 * places with the values of the right; otherwise elements of one array, what
 * is no array counting as one element.  NULL if that is the left value; or
 * the right one, and *is_right says so.
 */
extern PgBson *PgBsonConcat(PgBsonView left, PgBsonView right, bool *is_right);

/* Without fields that are null, at every level, and if so wished array elements */
extern PgBson *PgBsonStripNulls(PgBsonView doc, bool in_arrays);

/*
 * With every string, at every level, replaced by what "map" makes of it: UTF-8,
 * *len bytes of it; NULL to leave it as it is.
 */
typedef const char *(*PgBsonStringMap) (const PgBsonValue *string, uint32 *len, void *arg);

extern PgBson *PgBsonMapStrings(PgBsonView doc, PgBsonStringMap map, void *arg);

#endif							/* PGBSON_MODIFY_H */
