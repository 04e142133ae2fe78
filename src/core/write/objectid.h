/*
 * objectid.h
 *	  MongoDB's 12-byte ObjectIds: seconds since 1970, a random part, a counter.
 */
#ifndef PGBSON_OBJECTID_H
#define PGBSON_OBJECTID_H

#include "pgbson.h"

#define PGBSON_OBJECTID_SIZE 12 /* bytes */

/* A new one, unlike any other of this or another backend */
extern void PgBsonObjectIdMake(uint8 *oid);

/* Seconds since 1970 when it was made */
extern int64 PgBsonObjectIdSeconds(const uint8 *oid);

#endif							/* PGBSON_OBJECTID_H */
