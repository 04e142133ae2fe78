/*
 * encode.h
 *	  The strings within Extended JSON wrappers, as the bytes they stand for.
 *
 * This is the inverse of json/spell.c.  Each "Encode" function writes the
 * value's bytes as they are in a document and returns their number, or 0 if
 * the string is malformed.
 */
#ifndef PGBSON_ENCODE_H
#define PGBSON_ENCODE_H

#include "postgres.h"

/* 24 hexadecimal digits */
extern uint32 PgBsonEncodeObjectId(const char *str, uint32 len, uint8 *bytes);

/* With hyphens at their four places, or with none; becomes binary of subtype 4 */
extern uint32 PgBsonEncodeUuid(const char *str, uint32 len, uint8 *bytes);

/* An optional minus and digits */
extern uint32 PgBsonEncodeInt32(const char *str, uint32 len, uint8 *bytes);
extern uint32 PgBsonEncodeInt64(const char *str, uint32 len, uint8 *bytes);

/* The nearest double; or Infinity, -Infinity, NaN */
extern uint32 PgBsonEncodeDouble(const char *str, uint32 len, uint8 *bytes);

/* A number that decimal128 can hold exactly */
extern uint32 PgBsonEncodeDecimal(const char *str, uint32 len, uint8 *bytes);

/* ISO 8601 */
extern uint32 PgBsonEncodeDate(const char *str, uint32 len, uint8 *bytes);

/*
 * Strict base64: whole groups of four, padded, no line breaks, and no leftover
 * bits that would be lost.  The server's decoder accepts leftover bits.  The
 * bytes are palloc'd; NULL if it is malformed.
 */
extern uint8 *PgBsonDecodeBase64(const char *s, uint32 len, uint32 *result_len);

#endif							/* PGBSON_ENCODE_H */
