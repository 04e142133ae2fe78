/*
 * populate_array.h
 *	  bson arrays as SQL arrays of any number of dimensions.
 */
#ifndef PGBSON_POPULATE_ARRAY_H
#define PGBSON_POPULATE_ARRAY_H

#include "sql/convert/populate.h"

/*
 * An array whose elements are of the type "element", which is "typid".
 * Raises 22P02 for what is no array, or has no even dimensions, 54000 for too
 * many of these.  "colname" is the key of the value for messages, or NULL.
 */
extern Datum PgBsonToArray(PgBsonSqlType *element, Oid typid, const char *colname, const PgBsonValue *value);

#endif							/* PGBSON_POPULATE_ARRAY_H */
