/*
 * from_value.h
 *	  Making bson datums of values whose bytes are there already.
 *
 * A root that is not a document goes into an envelope, as pgbson.h says.  Size
 * beyond PGBSON_MAX_SIZE raises 54000.
 */
#ifndef PGBSON_FROM_VALUE_H
#define PGBSON_FROM_VALUE_H

#include "core/bytes/view.h"

/* A datum holding just this value, palloc'd */
extern PgBson *PgBsonFromValue(const PgBsonValue *value);

/* A document or an array without elements, palloc'd */
extern PgBson *PgBsonEmptyOf(PgBsonType type);

/* For a datum in the caller's memory: how many bytes it holds besides its header, and how to write them */
extern Size PgBsonRootSize(const PgBsonValue *value);
extern void PgBsonPutRoot(const PgBsonValue *value, uint8 *p, Size size);

/* The datum of a document that was built: the same one, or, if it looks like an envelope (pgbson.h), a new one that has it in an envelope */
extern PgBson *PgBsonEncloseLookalike(PgBson *document);

/* A datum holding a copy of these bytes, one valid document, palloc'd */
extern PgBson *PgBsonFromBytes(const uint8 *data, Size len);

/*
 * Allocate a datum with palloc for a root value of this type and size.  What is
 * around the value is written; the caller writes the value's own bytes, "len" of
 * them, to the address that is returned.
 */
extern uint8 *PgBsonAllocate(PgBsonType type, Size len, PgBson **result);

/* Raise 54000: beyond PGBSON_MAX_SIZE */
pg_noreturn extern void PgBsonReportTooLarge(void);

#endif							/* PGBSON_FROM_VALUE_H */
