/*
 * from_value.h
 *	  Making values, and bson datums of values that are already encoded.
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

/* For a datum in memory of the caller: how many bytes it needs besides its header, and how to write them */
extern Size PgBsonRootSize(const PgBsonValue *value);
extern void PgBsonPutRoot(const PgBsonValue *value, uint8 *p, Size size);

/*
 * The datum of a document that was built: the given one or, if the document looks like an envelope
 * (pgbson.h), a new one, palloc'd, in which it is inside an envelope
 */
extern PgBson *PgBsonEncloseLookalike(PgBson *document);

/* A datum holding a copy of these bytes, one valid document, palloc'd */
extern PgBson *PgBsonFromBytes(const uint8 *data, Size len);

/*
 * Palloc a datum whose root is an array, with all bytes but those of its elements, which have "len" bytes.  Returns where
 * these go.
 */
extern uint8 *PgBsonAllocateArray(uint64 len, PgBson **result);

/* Raise 54000: beyond PGBSON_MAX_SIZE */
pg_noreturn extern void PgBsonReportTooLarge(void);

/* --- make.c: values.  Each is palloc'd, but for the booleans, which are constants. --- */

extern PgBsonValue PgBsonMakeBool(bool b);
extern PgBsonValue PgBsonMakeInt32(int32 n);
extern PgBsonValue PgBsonMakeInt64(int64 n);
extern PgBsonValue PgBsonMakeInteger(int64 n);	/* int32 where it fits */
extern PgBsonValue PgBsonMakeDouble(double d);
extern PgBsonValue PgBsonMakeDecimal(const uint8 *bytes);
extern PgBsonValue PgBsonMakeDate(int64 ms);
extern PgBsonValue PgBsonMakeString(const char *s, Size len);	/* UTF-8 */
extern PgBsonValue PgBsonMakeBytes(PgBsonType type, const uint8 *bytes, Size len);
extern PgBsonValue PgBsonMakeArray(const PgBsonValue *elements, int count);	/* missing: null */

/* A document of these keys and values (const PgBsonValue *), up to a key that is NULL; missing values have no fields */
extern PgBsonValue PgBsonMakeDocument(const char *key,...);

/* The document {key: value}; how deep it is nested is not checked */
extern PgBsonValue PgBsonMakePair(const char *key, uint32 key_len, const PgBsonValue *value);

/* The elements of an array, palloc'd */
extern PgBsonValue *PgBsonValuesOf(const PgBsonValue *array, int *count);

/* The bytes of one of MongoDB's ObjectIds: seconds since 1970, a random part, a counter */
#define PGBSON_OBJECTID_SIZE	12

/* Write a new ObjectId, different from any other of this or another backend */
extern void PgBsonObjectIdMake(uint8 *oid);

/* When the ObjectId was made, in seconds since 1970 */
extern int64 PgBsonObjectIdSeconds(const uint8 *oid);

#endif							/* PGBSON_FROM_VALUE_H */
