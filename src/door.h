/*
 * door.h
 *	  The functions that SQL calls.
 *
 * The C function behind SQL's bson_typeof is pgbson_typeof.  Most do no more than call another function:
 *
 *		PGBSON_DOOR(pgbson_typeof, type_name(fcinfo));
 *
 * defines one with a body that returns the value of that expression, a Datum, and its entry for the server's
 * function manager.  PGBSON_FUNCTION(pgbson_typeof) begins one that has a body of its own.
 */
#ifndef PGBSON_DOOR_H
#define PGBSON_DOOR_H

#include "core/bytes/memory.h"
#include "core/stored/reader.h"

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

/* An argument that is a bson, whole; "otherwise" if it is NULL */
static inline PgBsonValue
PgBsonArgument(FunctionCallInfo fcinfo, int argno, PgBsonValue otherwise)
{
	return PG_ARGISNULL(argno) ? otherwise : PgBsonRoot(PG_GETARG_PGBSON_PP(argno));
}

/*
 * Error 54000 if this call has made a large value, of these bytes, and its statement has too many such; see
 * PgBsonCheckMemory
 */
static inline void
PgBsonCheckCall(FunctionCallInfo fcinfo, Size made, const char *where)
{
	/* a call site's own memory is that of the whole statement, which the contexts for rows are below */
	if (unlikely(made > PGBSON_LARGE_VALUE) && fcinfo->flinfo != NULL)
		PgBsonCheckMemory(fcinfo->flinfo->fn_mcxt, where);
}

#endif							/* PGBSON_DOOR_H */
