/*
 * type.h
 *	  Which type of the catalog is bson.
 */
#ifndef PGBSON_TYPE_H
#define PGBSON_TYPE_H

#include "postgres.h"

/* Is this base type bson? */
extern bool PgBsonIsBsonType(Oid typid);

/*
 * Is the type bson, or a domain over it?  Functions that the planner, ANALYZE or the parser calls must
 * ask this before they read a value, because users can attach them to operators, functions and types of
 * their own.
 */
extern bool PgBsonIsBsonOrDomain(Oid typid);

#endif							/* PGBSON_TYPE_H */
