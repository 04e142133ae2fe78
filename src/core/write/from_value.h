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

/* The same in the caller's memory: how many bytes a datum holds that has this value, and those bytes */
extern Size PgBsonRootSize(const PgBsonValue *value);
extern void PgBsonPutRoot(const PgBsonValue *value, uint8 *p, Size size);

/* A document that was built: itself, or in an envelope if it would be taken for one (pgbson.h) */
extern PgBson *PgBsonEncloseLookalike(PgBson *document);

/* A datum holding a copy of these bytes, one valid document, palloc'd */
extern PgBson *PgBsonFromBytes(const uint8 *data, Size len);

/*
 * A datum, palloc'd, whose root value is of this type and takes len bytes: all
 * but the value's own bytes is written; those go to the address returned.
 */
extern uint8 *PgBsonAllocate(PgBsonType type, Size len, PgBson **result);

/* Raise 54000: beyond PGBSON_MAX_SIZE */
pg_noreturn extern void PgBsonReportTooLarge(void);

#endif							/* PGBSON_FROM_VALUE_H */
