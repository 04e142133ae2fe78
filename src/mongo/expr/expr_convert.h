/*
 * expr_convert.h
 *	  Conversions of expressions between types, as MongoDB's $convert makes them.
 *
 * Each returns a missing value where the value has no conversion; what it gives lives
 * in the current memory context, or as long as the value.
 */
#ifndef PGBSON_EXPR_CONVERT_H
#define PGBSON_EXPR_CONVERT_H

#include "mongo/expr/expr.h"

/* How bytes are spelled in a string */
typedef enum PgBsonConvertFormat
{
	PGBSON_FORMAT_NONE,			/* none was given */
	PGBSON_FORMAT_BASE64,
	PGBSON_FORMAT_BASE64URL,
	PGBSON_FORMAT_UTF8,
	PGBSON_FORMAT_HEX,
	PGBSON_FORMAT_UUID,
	PGBSON_FORMAT_AUTO			/* that of a UUID if it is one, else base64 */
} PgBsonConvertFormat;

/* What a conversion is to give */
typedef struct PgBsonConversion
{
	PgBsonType	type;
	uint8		subtype;		/* of binary values */
	PgBsonConvertFormat format;
	bool		big_endian;		/* numbers in binary values */
} PgBsonConversion;

/* A string, number or date as text */
extern PgBsonValue PgBsonConvertSpell(const PgBsonValue *value);

/* An integer that the type, one of a number, can hold */
extern PgBsonValue PgBsonConvertInteger(PgBsonType type, int64 n);

/* Between types of numbers, and from text to one */
extern PgBsonValue PgBsonConvertNumber(const PgBsonValue *value, PgBsonType type);
extern PgBsonValue PgBsonConvertStringToNumber(const char *s, uint32 len, PgBsonType type);

/* Two of these sixteen digits for each byte */
extern const char PgBsonConvertSmallDigits[];
extern void PgBsonConvertWriteHex(const uint8 *bytes, uint32 len, const char *digits, char *s);

/* Between binary data and text in the conversion's format */
extern PgBsonValue PgBsonConvertStringToBinary(const char *s, uint32 len, const PgBsonConversion *conversion);
extern PgBsonValue PgBsonConvertBinaryToString(const PgBsonValue *value, const PgBsonConversion *conversion);

/* Between binary data and numbers in the conversion's order of bytes */
extern PgBsonValue PgBsonConvertBinaryToNumber(const PgBsonValue *value, const PgBsonConversion *conversion);
extern PgBsonValue PgBsonConvertNumberToBinary(const PgBsonValue *value, const PgBsonConversion *conversion);

#endif							/* PGBSON_EXPR_CONVERT_H */
