/*
 * change_path.h
 *	  Changing a stored document at a path: set, insert, delete, assign.
 *
 * The order of keys and the bytes of what does not change stay.  The function
 * returns a new datum, palloc'd, or NULL if nothing changes, so that the caller
 * can return the original datum, toasted as it was.
 *
 * Of duplicate keys, which only binary input can have, the first is read, so
 * the first is set; deleting a key deletes all of them, as otherwise the next
 * one would be read.
 */
#ifndef PGBSON_CHANGE_PATH_H
#define PGBSON_CHANGE_PATH_H

#include "core/find/path.h"

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

#endif							/* PGBSON_CHANGE_PATH_H */
