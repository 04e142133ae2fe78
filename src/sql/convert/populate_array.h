/*
 * populate_array.h
 *	  bson arrays as SQL arrays of any number of dimensions.
 */
#ifndef PGBSON_POPULATE_ARRAY_H
#define PGBSON_POPULATE_ARRAY_H

#include "sql/convert/populate.h"

/*
 * An array whose elements are of the type "element", which is "typid".
 * Raises 22P02 for a value that is not an array, or whose dimensions do not match,
 * 54000 for too many dimensions.  "colname" is the key of the value for messages, or NULL.
 */
extern Datum PgBsonToArray(PgBsonSqlType *element, Oid typid, const char *colname, const PgBsonValue *value);

#endif							/* PGBSON_POPULATE_ARRAY_H */
