/*
 * fetch.c
 *	  Getting at the bytes of a bson datum that may be toasted.
 */
#include "core/fetch.h"

bool
PgBsonFetchPath(Datum datum, const PgBsonStep *steps, int nsteps,
				PgBsonFetchHint *hint, PgBsonValue *result)
{
	return PgBsonFind(PgBsonRoot(DatumGetPgBsonPP(datum)), steps, nsteps, result);
}
