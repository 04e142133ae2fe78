/*
 * expr_convert.h
 *	  Conversions of expressions between types, as MongoDB's $convert makes them.
 *
 * Each returns false where the value has no conversion; what it gives lives in the
 * current memory context, or as long as the value.
 */
#ifndef PGBSON_EXPR_CONVERT_H
#define PGBSON_EXPR_CONVERT_H

#include "mongo/expr/expr.h"

/* What a conversion is to give */
typedef struct PgBsonConvertTarget
{
	PgBsonType	type;
	uint8		subtype;		/* of binary values */
	const char *format;			/* NULL: none was given */
	uint32		format_len;		/* bytes */
	bool		big_endian;		/* numbers in binary values */
} PgBsonConvertTarget;

/* Is this the format that was given? */
extern bool PgBsonConvertFormatIs(const PgBsonConvertTarget *target, const char *name);

/* A string, number or date as text; false: the type has no spelling */
extern bool PgBsonConvertSpell(const PgBsonValue *value, PgBsonValue *result);

/* An integer that the type, one of a number, can hold */
extern PgBsonValue PgBsonConvertInteger(PgBsonType type, int64 n);

/* Between types of numbers, and from text to one */
extern bool PgBsonConvertNumber(const PgBsonValue *value, PgBsonType type, PgBsonValue *result);
extern bool PgBsonConvertStringToNumber(const char *s, uint32 len, PgBsonType type, PgBsonValue *result);

/* Two of these sixteen digits for each byte */
extern const char PgBsonConvertSmallDigits[];
extern void PgBsonConvertWriteHex(const uint8 *bytes, uint32 len, const char *digits, char *s);

/* Between binary data and text in the target's format */
extern bool PgBsonConvertStringToBinary(const char *s, uint32 len, const PgBsonConvertTarget *target, PgBsonValue *result);
extern bool PgBsonConvertBinaryToString(const PgBsonValue *value, const PgBsonConvertTarget *target, PgBsonValue *result);

/* Between binary data and numbers in the target's order of bytes */
extern bool PgBsonConvertBinaryToNumber(const PgBsonValue *value, const PgBsonConvertTarget *target, PgBsonValue *result);
extern PgBsonValue PgBsonConvertNumberToBinary(const PgBsonValue *value, const PgBsonConvertTarget *target);

#endif							/* PGBSON_EXPR_CONVERT_H */
