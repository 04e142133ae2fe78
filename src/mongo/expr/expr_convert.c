/*
 * expr_convert.c
 *	  Expressions: conversions between types.
 *
 * The authority is MongoDB's src/mongo/db/exec/expression/evaluate_convert.cpp.
 */
#include "mongo/expr/expr_convert.h"

#include "core/bytes/digits.h"
#include "core/number/decimal.h"
#include "mongo/common/options.h"
#include "mongo/expr/expr_date.h"
#include "utils/builtins.h"

/* To each type */

static PgBsonValue
string_from(const PgBsonValue *value, const PgBsonConversion *conversion)
{
	char		digits[2 * PGBSON_OBJECTID_SIZE];

	switch (value->type)
	{
		case PGBSON_BOOL:
			return value->data[0] ? PgBsonMakeString("true", 4) : PgBsonMakeString("false", 5);
		case PGBSON_OBJECTID:
			return PgBsonMakeString(digits, hex_encode((const char *) value->data, PGBSON_OBJECTID_SIZE, digits));
		case PGBSON_BINARY:
			return PgBsonConvertBinaryToString(value, conversion);
		case PGBSON_CODE:
		case PGBSON_SYMBOL:
			return PgBsonMissing;
		default:
			return PgBsonConvertSpell(value);
	}
}

/* A long, double or decimal becomes a date; an int does not */
static PgBsonValue
date_from(const PgBsonValue *value)
{
	int64		ms;

	switch (value->type)
	{
		case PGBSON_DATE:
			return *value;
		case PGBSON_TIMESTAMP:
			ms = (int64) PgBsonReadU32(value->data + 4) * 1000;
			break;
		case PGBSON_OBJECTID:
			ms = PgBsonExprObjectIdDate(value);
			break;
		case PGBSON_INT64:
		case PGBSON_DOUBLE:
		case PGBSON_DECIMAL128:
			if (!PgBsonNumberTruncate(value, &ms))
				return PgBsonMissing;
			break;
		case PGBSON_STRING:
			if (!PgBsonExprReadDate(PgBsonStringBytes(value), PgBsonStringLength(value), NULL, &ms))
				return PgBsonMissing;
			break;
		default:
			return PgBsonMissing;
	}
	return PgBsonMakeDate(ms);
}

static PgBsonValue
number_from(const PgBsonValue *value, const PgBsonConversion *conversion)
{
	PgBsonType	type = conversion->type;

	if (PgBsonIsNumber(value->type))
		return PgBsonConvertNumber(value, type);
	switch (value->type)
	{
		case PGBSON_BOOL:
			return PgBsonConvertInteger(type, value->data[0]);
		case PGBSON_DATE:
			if (type == PGBSON_INT32)
				return PgBsonMissing;
			return PgBsonConvertInteger(type, PgBsonReadI64(value->data));
		case PGBSON_STRING:
			return PgBsonConvertStringToNumber(PgBsonStringBytes(value), PgBsonStringLength(value), type);
		case PGBSON_BINARY:
			return PgBsonConvertBinaryToNumber(value, conversion);
		default:
			return PgBsonMissing;
	}
}

static PgBsonValue
objectid_from(const PgBsonValue *value)
{
	uint8		oid[PGBSON_OBJECTID_SIZE];

	if (value->type == PGBSON_OBJECTID)
		return *value;
	if (value->type != PGBSON_STRING)
		return PgBsonMissing;
	if (PgBsonStringLength(value) != 2 * PGBSON_OBJECTID_SIZE ||
		!PgBsonDecodeHex(PgBsonStringBytes(value), PGBSON_OBJECTID_SIZE, oid))
		return PgBsonMissing;
	return PgBsonMakeBytes(PGBSON_OBJECTID, oid, sizeof(oid));
}

static PgBsonValue
binary_from(const PgBsonValue *value, const PgBsonConversion *conversion)
{
	if (value->type == PGBSON_STRING)
	{
		return PgBsonConvertStringToBinary(PgBsonStringBytes(value), PgBsonStringLength(value), conversion);
	}
	if (PgBsonIsNumber(value->type) && value->type != PGBSON_DECIMAL128)
		return PgBsonConvertNumberToBinary(value, conversion);
	if (value->type != PGBSON_BINARY || value->data[4] != conversion->subtype)
		return PgBsonMissing;
	return *value;
}

/* Convert the value; the result is a missing value if the conversion does not exist */
static PgBsonValue
convert_value(const PgBsonValue *value, const PgBsonConversion *conversion)
{
	switch (conversion->type)
	{
		case PGBSON_INT32:
		case PGBSON_INT64:
		case PGBSON_DOUBLE:
		case PGBSON_DECIMAL128:
			return number_from(value, conversion);
		case PGBSON_STRING:
			return string_from(value, conversion);
		case PGBSON_BOOL:
			return PgBsonMakeBool(PgBsonExprIsTrue(value));
		case PGBSON_DATE:
			return date_from(value);
		case PGBSON_OBJECTID:
			return objectid_from(value);
		case PGBSON_BINARY:
			return binary_from(value, conversion);
		default:
			return PgBsonMissing;
	}
}

pg_noreturn static void
report_failed_conversion(const PgBsonExpr *e, const PgBsonValue *value, PgBsonType type)
{
	PgBsonReportInvalid(errmsg("cannot convert bson %s to %s in operator \"%s\"", PgBsonExprTypeName(value),
								type == PGBSON_MISSING ? "missing" : PgBsonTypeName(type), e->op->name),
						errdetail("The types have no conversion, or this value has none."));
}

/* $toInt and the like */
static PgBsonValue
convert_to(const PgBsonExpr *e, const PgBsonValue *args)
{
	PgBsonConversion conversion = {e->op->code};
	PgBsonValue result;

	conversion.format = conversion.type == PGBSON_BINARY ? PGBSON_FORMAT_UUID : PGBSON_FORMAT_AUTO;
	conversion.subtype = PGBSON_UUID_SUBTYPE;
	result = convert_value(&args[0], &conversion);
	if (result.type == PGBSON_MISSING)
		report_failed_conversion(e, &args[0], conversion.type);
	return result;
}

/* A type by its name or number; false if there is none */
static bool
find_type(const PgBsonExpr *e, const PgBsonValue *value, PgBsonType *type)
{
	const char *s;
	uint32		len;
	int32		n;

	if (value->type != PGBSON_STRING)
	{
		n = PgBsonExprToInt32(e, value);
		*type = n == -1 ? PGBSON_MINKEY : n >= 0 && n <= PGBSON_MAXKEY ? n : PGBSON_EOD;
		return *type != PGBSON_EOD && PgBsonSizeClass[*type] != PGBSON_SIZE_UNKNOWN;
	}
	s = PgBsonValueString(value, &len);
	*type = PgBsonTypeOfName(s, len);
	/* MongoDB also knows a type "missing", but converts nothing to it */
	return *type != PGBSON_EOD || PgBsonKeyIs(s, len, "missing");
}

/* The argument "to": a type, or a document with the type and perhaps the subtype of binary values */
static PgBsonValue
read_to(const PgBsonExpr *e, const PgBsonValue *to, PgBsonConversion *conversion)
{
	PgBsonValue values[2] = {*to};	/* type, subtype */
	PgBsonIter	unknown;

	if (to->type == PGBSON_DOCUMENT)
		(void) PgBsonOptionsRead(to, "type subtype", values, &unknown);
	if (!find_type(e, &values[0], &conversion->type))
		PgBsonExprWrongValue(e, gettext_noop("\"to\" must name a type."));
	return values[1];
}

static void
read_format(const PgBsonExpr *e, const PgBsonValue *format, PgBsonConversion *conversion)
{
	uint32		len;
	const char *s = PgBsonExprToString(e, format, &len);
	int			position = PgBsonNameAmong("base64 base64url utf8 hex uuid auto", s, len);

	if (position < 0)
		PgBsonExprWrongValue(e, gettext_noop("\"format\" must be base64, base64url, utf8, hex, uuid or auto."));
	conversion->format = PGBSON_FORMAT_BASE64 + position;
}

/* The argument "byteOrder", which is for numbers made of binary values, and the other way */
static void
read_byte_order(const PgBsonExpr *e, const PgBsonValue *order, PgBsonConversion *conversion)
{
	uint32		len;
	const char *s = PgBsonExprToString(e, order, &len);

	conversion->big_endian = PgBsonKeyIs(s, len, "big");
	if (!conversion->big_endian && !PgBsonKeyIs(s, len, "little"))
		PgBsonExprWrongValue(e, gettext_noop("\"byteOrder\" must be big or little."));
}

/* Check the arguments that a conversion requires; onError does not apply to these */
static void
check_conversion(const PgBsonExpr *e, const PgBsonValue *value, const PgBsonValue *subtype,
				 PgBsonConversion *conversion)
{
	int32		n;

	if (conversion->format == PGBSON_FORMAT_NONE &&
		((value->type == PGBSON_BINARY && conversion->type == PGBSON_STRING) ||
		 (value->type == PGBSON_STRING && conversion->type == PGBSON_BINARY)))
		PgBsonExprWrongValue(e, gettext_noop("A conversion between a string and binary data needs \"format\"."));
	if (conversion->type != PGBSON_BINARY || subtype->type == PGBSON_MISSING || value->type == PGBSON_DECIMAL128 ||
		(value->type != PGBSON_STRING && value->type != PGBSON_BINARY && !PgBsonIsNumber(value->type)))
		return;
	n = PgBsonExprToInt32(e, subtype);
	if (n < 0 || (n > 9 && n < 128) || n > 255)
		PgBsonExprWrongValue(e, gettext_noop("A subtype must be from 0 to 9 or from 128 to 255."));
	conversion->subtype = n;
}

/* $convert: the arguments are input, to, onError, onNull, format and byteOrder */
static PgBsonValue
eval_convert(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue value = PgBsonExprArg(run, e, 0);
	PgBsonValue to = PgBsonExprArg(run, e, 1);
	PgBsonValue format = PgBsonExprArg(run, e, 4);
	PgBsonValue order = PgBsonExprArg(run, e, 5);
	PgBsonValue subtype = PgBsonMissing;
	PgBsonConversion conversion = {0};
	PgBsonValue result;

	check_stack_depth();
	if (!PgBsonIsNothing(&to))
		subtype = read_to(e, &to, &conversion);
	if (PgBsonIsNothing(&value))
		return e->args[3] != NULL ? PgBsonExprArg(run, e, 3) : PgBsonNull;
	if (PgBsonIsNothing(&to))
		return PgBsonNull;
	if (!PgBsonIsNothing(&format))
		read_format(e, &format, &conversion);
	if (!PgBsonIsNothing(&order))
		read_byte_order(e, &order, &conversion);
	check_conversion(e, &value, &subtype, &conversion);
	result = convert_value(&value, &conversion);
	if (result.type != PGBSON_MISSING)
		return result;
	if (e->args[2] == NULL)
		report_failed_conversion(e, &value, conversion.type);
	return PgBsonExprArg(run, e, 2);
}

const PgBsonExprOp PgBsonExprConvert[] = {
	{"$convert", 0, 0, eval_convert, 0, "input! to! onError onNull format byteOrder"},
	PGBSON_EXPR_SIMPLE("$toInt", "v", convert_to, PGBSON_INT32),
	PGBSON_EXPR_SIMPLE("$toLong", "v", convert_to, PGBSON_INT64),
	PGBSON_EXPR_SIMPLE("$toDouble", "v", convert_to, PGBSON_DOUBLE),
	PGBSON_EXPR_SIMPLE("$toDecimal", "v", convert_to, PGBSON_DECIMAL128),
	PGBSON_EXPR_SIMPLE("$toString", "v", convert_to, PGBSON_STRING),
	PGBSON_EXPR_SIMPLE("$toBool", "v", convert_to, PGBSON_BOOL),
	PGBSON_EXPR_SIMPLE("$toDate", "v", convert_to, PGBSON_DATE),
	PGBSON_EXPR_SIMPLE("$toObjectId", "v", convert_to, PGBSON_OBJECTID),
	PGBSON_EXPR_SIMPLE("$toUUID", "v", convert_to, PGBSON_BINARY),
	{NULL}
};
