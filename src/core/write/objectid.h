/*
 * objectid.h
 *	  MongoDB's 12-byte ObjectIds: seconds since 1970, a random part, a counter.
 */
#ifndef PGBSON_OBJECTID_H
#define PGBSON_OBJECTID_H

#include "pgbson.h"

#define PGBSON_OBJECTID_SIZE 12 /* bytes */

/* Write a new ObjectId, different from any other of this or another backend */
extern void PgBsonObjectIdMake(uint8 *oid);

/* When the ObjectId was made, in seconds since 1970 */
extern int64 PgBsonObjectIdSeconds(const uint8 *oid);

#endif							/* PGBSON_OBJECTID_H */
