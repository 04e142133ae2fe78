/*
 * fetch.h
 *	  A value at a path in a bson datum that may be toasted.
 */
#ifndef PGBSON_FETCH_H
#define PGBSON_FETCH_H

#include "core/find/path.h"

/*
 * What a call site learned.  Zero-initialised; kept in fn_extra.  Where its steps are
 * always the same, shapes.context is set, and what documents look like is kept there.
 */
typedef struct PgBsonFetchHint
{
	PgBsonReadHint read;
	PgBsonShapes shapes;
} PgBsonFetchHint;

/*
 * Follow the steps in the datum: PgBsonFindIn in its root.  *result points into memory that lives until
 * the next datum is opened, or as long as this one.  "hint" may be NULL.
 */
extern bool PgBsonFetchPath(Datum datum, const PgBsonStep *steps, int nsteps,
							PgBsonFetchHint *hint, PgBsonValue *result);

#endif							/* PGBSON_FETCH_H */
