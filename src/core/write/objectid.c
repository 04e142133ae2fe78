/*
 * objectid.c
 *	  MongoDB's 12-byte ObjectIds, made by libbson.
 */
#include "core/write/objectid.h"

#include "libraries/libbson.h"

void
PgBsonObjectIdMake(uint8 *oid)
{
	bson_oid_t	id;

	/* libbson's own context: random per process, noticing a fork */
	LIBBSON->bson_oid_init(&id, NULL);
	memcpy(oid, id.bytes, PGBSON_OBJECTID_SIZE);
}

int64
PgBsonObjectIdSeconds(const uint8 *oid)
{
	/* unsigned and big-endian, unlike the rest of BSON */
	return ((int64) oid[0] << 24) | (oid[1] << 16) | (oid[2] << 8) | oid[3];
}
