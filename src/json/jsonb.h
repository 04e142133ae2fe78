/*
 * jsonb.h
 *	  bson to jsonb and back, value by value, without passing through text.
 */
#ifndef PGBSON_JSONB_H
#define PGBSON_JSONB_H

#include "core/build.h"
#include "utils/jsonb.h"

/*
 * A value as jsonb: relaxed Extended JSON, numbers plain as numeric.  Of
 * duplicate keys the last stays, as jsonb has it.  22P05 for U+0000, as jsonb
 * cannot hold it.
 */
extern Jsonb *PgBsonToJsonb(const PgBsonValue *value);

/* jsonb as bson, with the number rules of JSON text; wrappers such as {"$oid": ...} become what they say */
extern PgBson *PgBsonFromJsonb(Jsonb *jb);

#endif							/* PGBSON_JSONB_H */
