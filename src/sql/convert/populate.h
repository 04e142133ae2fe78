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

#include "access/htup_details.h"
#include "access/tupdesc.h"
#include "utils/tuplestore.h"

/* A target: information about a type, kept for the life of a call site */
typedef struct PgBsonTarget PgBsonTarget;

/* The target for this type; its memory comes from the context */
extern PgBsonTarget *PgBsonTargetOf(MemoryContext context, Oid typid, int32 typmod);

/* Set the row type of a target of type record */
extern void PgBsonTargetSetRowType(PgBsonTarget *target, Oid typid, int32 typmod);

/* The columns of a row target; valid until the next row is made */
extern TupleDesc PgBsonTargetColumns(PgBsonTarget *target);

/*
 * Convert a document to a row.  Columns that it does not name have their
 * values in "base", which may be NULL.
 */
extern HeapTupleHeader PgBsonToRow(PgBsonTarget *target, const PgBsonValue *value,
								   HeapTupleHeader base);

/*
 * The same for a datum that may be toasted; reads no more of it than it needs to.  "hint" is that of
 * the call site.
 */
extern HeapTupleHeader PgBsonDatumToRow(PgBsonTarget *target, Datum datum, PgBsonReadHint *hint,
										HeapTupleHeader base);

/* What PgBsonToRow makes, as a row of a store; the memory that it takes is the caller's to free */
extern void PgBsonStoreRow(Tuplestorestate *store, PgBsonTarget *target, const PgBsonValue *value, HeapTupleHeader base);

/*
 * Convert a value (NULL if there is none) to the target's type.  "colname" is
 * its key for messages, or NULL; "base" the row that it replaces, if any.
 */
extern Datum PgBsonToDatum(PgBsonTarget *target, const char *colname, const PgBsonValue *value,
						   Datum base, bool *isnull);

#endif							/* PGBSON_POPULATE_H */
