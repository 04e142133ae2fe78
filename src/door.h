/*
 * door.h
 *	  Doors of one line: most functions that SQL calls do no more than call another one.
 *
 *		PGBSON_DOOR(pgbson_typeof, type_name(fcinfo));
 *
 * defines the C function behind SQL's bson_typeof, which returns the value of
 * that expression, a Datum.
 */
#ifndef PGBSON_DOOR_H
#define PGBSON_DOOR_H

#include "pgbson.h"

#define PGBSON_DOOR(name, result) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS) \
	{ \
		return result; \
	} \
	extern PGDLLEXPORT Datum name(PG_FUNCTION_ARGS)

#endif							/* PGBSON_DOOR_H */
