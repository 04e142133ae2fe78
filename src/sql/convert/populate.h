/*
 * populate.h
 *	  bson values as SQL values of given types: rows, arrays, domains, scalars.
 *
 * If a BSON value and an SQL type are of the same kind, the value is converted
 * directly: numbers that fit exactly, booleans, dates, bytes, UUIDs, text, and
 * documents to bson, jsonb and json.  All other values are passed as the text
 * of ->> to the type's input function, as in jsonb_populate_record.
 */
#ifndef PGBSON_POPULATE_H
#define PGBSON_POPULATE_H

#include "core/stored/reader.h"

#include "access/tupdesc.h"
#include "utils/tuplestore.h"
#include "core/bytes/view.h"

/* How values of an SQL type are made of bson, looked up once for a call site */
typedef struct PgBsonSqlType PgBsonSqlType;

/* Look this type up; its memory comes from the context */
extern PgBsonSqlType *PgBsonSqlTypeOf(MemoryContext context, Oid typid, int32 typmod);

/* Set the row type that "record" stands for in this call */
extern void PgBsonSqlTypeSetRow(PgBsonSqlType *type, Oid typid, int32 typmod);

/* The columns of a row type; valid until the next row is made */
extern TupleDesc PgBsonSqlTypeColumns(PgBsonSqlType *type);

/*
 * Convert a document to a row.  Columns that it does not name have their
 * values in "base", which may be NULL.
 */
extern HeapTupleHeader PgBsonToRow(PgBsonSqlType *type, const PgBsonValue *value,
								   HeapTupleHeader base);

/*
 * The same for a datum that may be toasted; reads no more of it than it needs to.  "hint" is that of
 * the call site.
 */
extern HeapTupleHeader PgBsonDatumToRow(PgBsonSqlType *type, Datum datum, PgBsonReadHint *hint,
										HeapTupleHeader base);

/* What PgBsonToRow makes, as a row of a store; the memory that it takes is the caller's to free */
extern void PgBsonStoreRow(Tuplestorestate *store, PgBsonSqlType *type, const PgBsonValue *value, HeapTupleHeader base);

/*
 * Convert a value (NULL if there is none) to the type.  "colname" is
 * its key for messages, or NULL; "base" the row that it replaces, if any.
 */
extern Datum PgBsonToDatum(PgBsonSqlType *type, const char *colname, const PgBsonValue *value,
						   Datum base, bool *isnull);

/* --- populate_array.c: arrays of any number of dimensions --- */

/*
 * An array whose elements are of the type "element", which is "typid".
 * Raises 22P02 for a value that is not an array, or whose dimensions do not match,
 * 54000 for too many dimensions.  "colname" is the key of the value for messages, or NULL.
 */
extern Datum PgBsonToArray(PgBsonSqlType *element, Oid typid, const char *colname, const PgBsonValue *value);

/* --- native.c: values of the SQL types of their kind --- */

/*
 * Convert the value directly if it is of the same kind as the type; false if
 * the type's input function has to decide.  Error 22008 for a date that the
 * type cannot hold.
 */
extern bool PgBsonToNative(Oid typid, int32 typmod, const PgBsonValue *value, Datum *result);

#endif							/* PGBSON_POPULATE_H */
