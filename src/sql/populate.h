/*
 * populate.h
 *	  bson values as SQL values of given types: rows, arrays, domains, scalars.
 *
 * Where a BSON value and an SQL type are of one kind the value passes as it
 * is: numbers that fit exactly, booleans, dates, bytes, UUIDs, text, and
 * documents into bson, jsonb and json.  All else goes as the text of ->>
 * through the type's input function, as jsonb_populate_record does it.
 */
#ifndef PGBSON_POPULATE_H
#define PGBSON_POPULATE_H

#include "core/view.h"

#include "access/htup_details.h"
#include "access/tupdesc.h"

/* A target: what was looked up about a type, for the life of a call site */
typedef struct PgBsonTarget PgBsonTarget;

/* The target for this type; its memory comes from the context */
extern PgBsonTarget *PgBsonTargetOf(MemoryContext context, Oid typid, int32 typmod);

/* For a target of type record: which row type it is now */
extern void PgBsonTargetSetRowType(PgBsonTarget *target, Oid typid, int32 typmod);

/* The columns of a row target; good until the next row is made */
extern TupleDesc PgBsonTargetColumns(PgBsonTarget *target);

/*
 * A document as a row.  Columns it does not name are as in "base", which may
 * be NULL.
 */
extern HeapTupleHeader PgBsonToRow(PgBsonTarget *target, const PgBsonValue *value,
								   HeapTupleHeader base);

#endif							/* PGBSON_POPULATE_H */
