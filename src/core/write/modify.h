/*
 * modify.h
 *	  Changing a stored document: as a whole, at a path, or by another document.
 *
 * The order of keys, and the bytes of what does not change, stay as they are.  Each
 * function returns a new datum, palloc'd, or NULL if nothing changes: then the caller
 * can return the original datum, toasted as it was.
 *
 * Of several fields with one name, which only binary input can have, the first one is
 * set, because it is the one that is read.  Deleting deletes all of them; otherwise
 * the next one would be read then.
 */
#ifndef PGBSON_MODIFY_H
#define PGBSON_MODIFY_H

#include "core/bytes/keyset.h"
#include "core/find/path.h"

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

/* --- change_path.c: set, insert, delete, assign at a path --- */

typedef enum PgBsonChange
{
	PGBSON_REPLACE,				/* replace a value that exists; change nothing otherwise */
	PGBSON_SET,					/* replace a value, or add it to its container */
	PGBSON_INSERT_BEFORE,		/* insert into an array at a position, or add a new field */
	PGBSON_INSERT_AFTER,
	PGBSON_DELETE,
	PGBSON_ASSIGN				/* as SET, but also add missing containers, and fill gaps in arrays with nulls */
} PgBsonChange;

/*
 * Change what the path leads to.  Steps are of kind PATH; one without a key stands for SQL NULL and is
 * an error if it is reached.  "value" is not used by DELETE.  The errors are those of jsonb_set and
 * similar functions.
 */
extern PgBson *PgBsonChangePath(PgBsonView doc, const PgBsonStep *path, int npath,
								PgBsonChange change, const PgBsonValue *value);

/* --- merge.c: two documents merged at every level --- */

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

#endif							/* PGBSON_MODIFY_H */
