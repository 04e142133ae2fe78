/*
 * native.h
 *	  bson values as values of the SQL types of their kind.
 */
#ifndef PGBSON_NATIVE_H
#define PGBSON_NATIVE_H

#include "core/view.h"

/*
 * The value as it is, where it and the type are of one kind; false if the
 * type's input function has to decide.  22008 for a date the type cannot hold.
 */
extern bool PgBsonToNative(Oid typid, int32 typmod, const PgBsonValue *value, Datum *result);

#endif							/* PGBSON_NATIVE_H */
