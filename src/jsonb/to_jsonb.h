/*
 * to_jsonb.h
 *	  bson to jsonb, value by value, without passing through text.
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

#endif							/* PGBSON_TO_JSONB_H */
