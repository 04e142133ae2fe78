/*
 * from_jsonb.h
 *	  jsonb to bson, value by value, without passing through text.
 */
#ifndef PGBSON_FROM_JSONB_H
#define PGBSON_FROM_JSONB_H

#include "pgbson.h"

#include "utils/jsonb.h"

/*
 * jsonb as bson, with the number rules of JSON text; wrappers such as {"$oid":
 * ...} become the values that they stand for
 */
extern PgBson *PgBsonFromJsonb(Jsonb *jb);

#endif							/* PGBSON_FROM_JSONB_H */
