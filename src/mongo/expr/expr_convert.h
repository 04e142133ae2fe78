/*
 * expr_convert.h
 *	  Conversions of expressions between types, as MongoDB's $convert makes them.
 *
 * Each returns a missing value if the value cannot be converted.  The result lives in the current
 * memory context, or as long as the value.  The authority is MongoDB's
 * src/mongo/db/exec/expression/evaluate_convert.cpp.
 */
#ifndef PGBSON_EXPR_CONVERT_H
#define PGBSON_EXPR_CONVERT_H

#include "mongo/expr/expr.h"

/* How the bytes of binary data are written in a string */
typedef enum PgBsonConvertFormat
{
	PGBSON_FORMAT_NONE,			/* none was given */
	PGBSON_FORMAT_BASE64,
	PGBSON_FORMAT_BASE64URL,
	PGBSON_FORMAT_UTF8,
	PGBSON_FORMAT_HEX,
	PGBSON_FORMAT_UUID,
	PGBSON_FORMAT_AUTO			/* a UUID is written as one, other data in base64 */
} PgBsonConvertFormat;

/* What a conversion is to make */
typedef struct PgBsonConversion
{
	PgBsonType	type;
	uint8		subtype;		/* of binary values */
	PgBsonConvertFormat format;
	bool		big_endian;		/* in binary values the most significant byte of a number comes first */
} PgBsonConversion;

/* A string, number or date as text */
extern PgBsonValue PgBsonConvertSpell(const PgBsonValue *value);

/* This integer as a number of the given type; missing if the type cannot hold it */
extern PgBsonValue PgBsonConvertInteger(PgBsonType type, int64 n);

/* Convert a number to another type of number; and text to a number */
extern PgBsonValue PgBsonConvertNumber(const PgBsonValue *value, PgBsonType type);
extern PgBsonValue PgBsonConvertStringToNumber(const char *s, uint32 len, PgBsonType type);

/* Convert binary data to text in the conversion's format, and back */
extern PgBsonValue PgBsonConvertStringToBinary(const char *s, uint32 len, const PgBsonConversion *conversion);
extern PgBsonValue PgBsonConvertBinaryToString(const PgBsonValue *value, const PgBsonConversion *conversion);

/* Convert binary data to numbers in the conversion's byte order, and back */
extern PgBsonValue PgBsonConvertBinaryToNumber(const PgBsonValue *value, const PgBsonConversion *conversion);
extern PgBsonValue PgBsonConvertNumberToBinary(const PgBsonValue *value, const PgBsonConversion *conversion);

#endif							/* PGBSON_EXPR_CONVERT_H */
