/*
 * native.h
 *	  bson values as values of the SQL types of their kind.
 */
#ifndef PGBSON_NATIVE_H
#define PGBSON_NATIVE_H

#include "core/bytes/view.h"

/*
 * Convert the value directly if it is of the same kind as the type; false if
 * the type's input function has to decide.  Error 22008 for a date that the
 * type cannot hold.
 */
extern bool PgBsonToNative(Oid typid, int32 typmod, const PgBsonValue *value, Datum *result);

#endif							/* PGBSON_NATIVE_H */
