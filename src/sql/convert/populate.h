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

#include "core/bytes/keyset.h"
#include "core/find/fields.h"

#include "utils/tuplestore.h"

/* How values of an SQL type are made of bson, looked up once for a call site */
typedef struct PgBsonSqlType PgBsonSqlType;

/* Look this type up; its memory comes from the context */
extern PgBsonSqlType *PgBsonSqlTypeOf(MemoryContext context, Oid typid, int32 typmod);

/* Set the row type that "record" stands for in this call */
extern void PgBsonSqlTypeSetRow(PgBsonSqlType *type, Oid typid, int32 typmod);

/* The columns of a row type; valid until the next row is made */
extern TupleDesc PgBsonSqlTypeColumns(PgBsonSqlType *type);

/* Convert a document to a row.  Columns that it does not name have their values in "base", which may be NULL. */
extern HeapTupleHeader PgBsonToRow(PgBsonSqlType *type, const PgBsonValue *value,
								   HeapTupleHeader base);

/* The same for a datum that may be toasted; reads no more of it than it needs to.  "hint" is that of the call site. */
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
 * Convert the value directly if it is of the same kind as the type; false if the type's input function has to decide.
 * Error 22008 for a date that the type cannot hold.
 */
extern bool PgBsonToNative(Oid typid, int32 typmod, const PgBsonValue *value, Datum *result);

/* --- columns.c: the columns of a row type, and where a document has their values --- */

/* A column, and the name that is searched for */
typedef struct PgBsonColumn
{
	const char *name;			/* UTF-8 */
	uint32		name_len;
	int			same_as;		/* an earlier column of the same name, or -1 */
	PgBsonSqlType *type;		/* NULL until needed */
} PgBsonColumn;

/* What is known about a row type while its definition stays the same */
typedef struct PgBsonColumns
{
	MemoryContext context;		/* of the following */
	uint64		identifier;		/* of the definition */
	TupleDesc	tupdesc;
	PgBsonColumn *columns;
	uint32		wanted;			/* the number of columns to find: those neither dropped nor same_as another */
	PgBsonKeySet names;			/* the names of these columns */
	int		   *by_name;		/* the column of each entry of that set */
	PgBsonFields fields;		/* the same names, if they are few */
} PgBsonColumns;

/*
 * The row type's current columns: a named type may be altered during the life of a call site.  They are kept in *kept,
 * which is NULL at first; their memory comes from "context".
 */
extern PgBsonColumns *PgBsonColumnsOf(MemoryContext context, PgBsonColumns **kept, Oid typid, int32 typmod);

/*
 * Find for each column the value of that name (the first of duplicates) in the document that the reader has
 * open; the others keep type PGBSON_EOD.  "values" has room for tupdesc->natts of them.
 */
extern void PgBsonColumnsFind(PgBsonColumns *row, PgBsonReader *reader, PgBsonValue *values);

#endif							/* PGBSON_POPULATE_H */
