/*
 * type.h
 *	  Which type of the catalog is bson.
 */
#ifndef PGBSON_TYPE_H
#define PGBSON_TYPE_H

#include "pgbson.h"

/* The type's output function (sql/io.c), by which the type is known */
extern PGDLLEXPORT Datum pgbson_out(PG_FUNCTION_ARGS);

/* Is this base type bson? */
extern bool PgBsonIsBsonType(Oid typid);

/*
 * Is the type bson, or a domain over it?  Functions that the planner, ANALYZE or the parser calls must
 * ask this before they read a value, because users can attach them to operators, functions and types of
 * their own.
 */
extern bool PgBsonIsBsonOrDomain(Oid typid);

#endif							/* PGBSON_TYPE_H */
