/*
 * schema.h
 *	  $jsonSchema of MongoDB: testing whether a value satisfies a JSON Schema.
 *
 * It is draft 4 with bsonType, as MongoDB's server 8.0 has it.  A keyword for
 * one type is satisfied by values of other types: minLength is about strings,
 * so any number satisfies it.  The authority is MongoDB's
 * src/mongo/db/matcher/schema/json_schema_parser.cpp.
 */
#ifndef PGBSON_SCHEMA_H
#define PGBSON_SCHEMA_H

#include "core/find/path.h"

typedef struct PgBsonSchema PgBsonSchema;

/*
 * Parse a schema, palloc'd; the result points into its bytes.  Raises 22023 for what MongoDB refuses, 0A000 for
 * keywords of JSON Schema that it does not support, 2201B for a bad regular expression.
 */
extern PgBsonSchema *PgBsonSchemaParse(const PgBsonValue *schema);

/* Is the schema met? */
extern bool PgBsonSchemaHolds(const PgBsonSchema *schema, const PgBsonValue *value);

/*
 * Called for each fault, with the path to the value, the keyword of the schema that the value does
 * not satisfy, the keyword's operand and, if a field is missing, its name.  "path" is valid during
 * the call only; "operand" is valid as long as the schema and the bytes it was made from.
 */
typedef void (*PgBsonSchemaReporter) (const PgBsonStep *path, int npath, const char *keyword,
									  const PgBsonValue *operand, void *arg);

/* Report all faults.  anyOf, oneOf and not each count as one fault, whatever is wrong within them. */
extern void PgBsonSchemaReport(const PgBsonSchema *schema, const PgBsonValue *value,
							   PgBsonSchemaReporter report, void *arg);

#endif							/* PGBSON_SCHEMA_H */
