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
 * Is it bson, or a domain over it?  Functions that the planner, ANALYZE or the
 * parser calls ask this before they read a value: whoever may create
 * operators, functions and types can attach them to any.
 */
extern bool PgBsonIsBsonOrDomain(Oid typid);

#endif							/* PGBSON_TYPE_H */
