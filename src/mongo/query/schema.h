/*
 * schema.h
 *	  $jsonSchema: MongoDB's JSON Schema, made ready, against values.
 *
 * It is draft 4 as MongoDB's server 8.0 takes it, with bsonType.  A keyword
 * says nothing of a value of another type than its own; so minLength is about
 * strings, and a number meets it.
 */
#ifndef PGBSON_SCHEMA_H
#define PGBSON_SCHEMA_H

#include "core/find/path.h"

typedef struct PgBsonSchema PgBsonSchema;

/*
 * Make a schema ready, palloc'd; it points into the bytes given.  Raises 22023
 * for what it does not understand, 0A000 for keywords that MongoDB does not
 * support, 2201B for a bad regular expression.
 */
extern PgBsonSchema *PgBsonSchemaParse(const PgBsonValue *schema);

/* Is the schema met? */
extern bool PgBsonSchemaHolds(const PgBsonSchema *schema, const PgBsonValue *value);

/*
 * Called for a fault: where it is, which keyword of the schema is not met and
 * what it says, of names that must be there the one that is not.  "path" is for
 * the call alone; "operand" lives as long as the schema, and what it was made
 * from.
 */
typedef void (*PgBsonSchemaReporter) (const PgBsonStep *path, int npath, const char *keyword,
									  const PgBsonValue *operand, void *arg);

/* Report all faults; anyOf, oneOf and not are one fault each, whatever is wrong within */
extern void PgBsonSchemaReport(const PgBsonSchema *schema, const PgBsonValue *value,
							   PgBsonSchemaReporter report, void *arg);

#endif							/* PGBSON_SCHEMA_H */
