/*
 * change_path.h
 *	  Changing a stored document at a path: set, insert, delete, assign.
 *
 * The order of keys, and the bytes of what does not change, stay as they are.  The
 * function returns a new datum, palloc'd, or NULL if nothing changes: then the caller
 * can return the original datum, toasted as it was.
 *
 * Of several fields with one name, which only binary input can have, the first one is
 * set, because it is the one that is read.  Deleting deletes all of them; otherwise
 * the next one would be read then.
 */
#ifndef PGBSON_CHANGE_PATH_H
#define PGBSON_CHANGE_PATH_H

#include "core/find/path.h"

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

#endif							/* PGBSON_CHANGE_PATH_H */
