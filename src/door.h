/*
 * door.h
 *	  The functions that SQL calls.
 *
 *		PGBSON_FUNCTION(pgbson_typeof)
 *		{
 *			...
 *		}
 *
 * defines the C function behind SQL's bson_typeof, and its entry for the server's function manager.
 * Most do no more than call another one:
 *
 *		PGBSON_DOOR(pgbson_typeof, type_name(fcinfo));
 *
 * is the same with a body that returns the value of that expression, a Datum.
 */
#ifndef PGBSON_DOOR_H
#define PGBSON_DOOR_H

#include "pgbson.h"

#define PGBSON_FUNCTION(name) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS)

#define PGBSON_DOOR(name, result) \
	PGBSON_FUNCTION(name) \
	{ \
		return result; \
	} \
	extern PGDLLEXPORT Datum name(PG_FUNCTION_ARGS)

#endif							/* PGBSON_DOOR_H */
