/*
 * encode.h
 *	  The strings within Extended JSON wrappers, as the bytes they stand for.
 *
 * The other way of json/spell.h.  Each "Encode" writes a value's bytes as they
 * stand in a document and returns their number, 0 if the string is malformed.
 */
#ifndef PGBSON_ENCODE_H
#define PGBSON_ENCODE_H

#include "postgres.h"

/* 24 hexadecimal digits */
extern uint32 PgBsonEncodeObjectId(const char *str, uint32 len, uint8 *bytes);

/* Hyphens at their four places, or none at all; binary of subtype 4 */
extern uint32 PgBsonEncodeUuid(const char *str, uint32 len, uint8 *bytes);

/* An optional minus and digits */
extern uint32 PgBsonEncodeInt32(const char *str, uint32 len, uint8 *bytes);
extern uint32 PgBsonEncodeInt64(const char *str, uint32 len, uint8 *bytes);

/* The nearest double; or Infinity, -Infinity, NaN */
extern uint32 PgBsonEncodeDouble(const char *str, uint32 len, uint8 *bytes);

/* What decimal128 holds exactly */
extern uint32 PgBsonEncodeDecimal(const char *str, uint32 len, uint8 *bytes);

/* ISO 8601 */
extern uint32 PgBsonEncodeDate(const char *str, uint32 len, uint8 *bytes);

/* Two hexadecimal digits a byte, of either case; false if they are others */
extern bool PgBsonDecodeHex(const char *s, int nbytes, uint8 *result);

/*
 * Strict base64: whole groups of four, padded, no line breaks, and no bits left
 * over that would get lost.  The server's decoder lets the last pass.  The
 * bytes are palloc'd; NULL if it is malformed.
 */
extern uint8 *PgBsonDecodeBase64(const char *s, uint32 len, uint32 *result_len);

#endif							/* PGBSON_ENCODE_H */
