/*
 * collated.h
 *	  Calls of functions that compare strings by a collation.
 */
#ifndef PGBSON_COLLATED_H
#define PGBSON_COLLATED_H

#include "pgbson.h"

/* Call the function, which compares strings by the call's collation if that is one of bson_collation, else by bytes */
extern Datum PgBsonCallCollated(FunctionCallInfo fcinfo, PGFunction function);

#endif							/* PGBSON_COLLATED_H */
