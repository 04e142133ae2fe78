/*
 * fetch.c
 *	  A value at a path in a bson datum that may be toasted.
 */
#include "core/find/fetch.h"

static pg_noinline bool
find_toasted(Datum datum, const PgBsonStep *steps, int nsteps, PgBsonFetchHint *hint, PgBsonValue *result)
{
	PgBsonReader reader;
	bool		found;

	PgBsonOpen(&reader, datum, hint == NULL ? NULL : &hint->read);
	*result = reader.root;
	found = PgBsonFindIn(&reader, result, hint == NULL ? NULL : &hint->shapes, steps, nsteps);
	PgBsonClose(&reader);
	return found;
}

bool
PgBsonFetchPath(Datum datum, const PgBsonStep *steps, int nsteps,
				PgBsonFetchHint *hint, PgBsonValue *result)
{
	if (unlikely(PgBsonIsStream((struct varlena *) DatumGetPointer(datum))))
		return find_toasted(datum, steps, nsteps, hint, result);
	/* no reader where there is nothing to be read: most values are plain, and small */
	*result = PgBsonPlainRoot(datum);
	return PgBsonFindIn(NULL, result, hint == NULL ? NULL : &hint->shapes, steps, nsteps);
}
