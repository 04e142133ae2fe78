/*
 * to_jsonb.h
 *	  bson to jsonb and back, value by value, without passing through text.
 */
#ifndef PGBSON_TO_JSONB_H
#define PGBSON_TO_JSONB_H

#include "core/bytes/view.h"
#include "utils/jsonb.h"

/*
 * A value as jsonb: relaxed Extended JSON, numbers plain as numeric.  Of
 * duplicate keys the last is kept, as in jsonb.  Error 22P05 for U+0000, which
 * jsonb cannot hold.
 */
extern Jsonb *PgBsonToJsonb(const PgBsonValue *value);

/* --- from_jsonb.c --- */

/*
 * jsonb as bson, with the number rules of JSON text; wrappers such as {"$oid":
 * ...} become the values that they stand for
 */
extern PgBson *PgBsonFromJsonb(Jsonb *jb);

#endif							/* PGBSON_TO_JSONB_H */
