/*
 * numeral.c
 *	  Numbers in jsonpath: written in the path or computed (numerals) as BSON numbers, and comparison.
 */
#include "jsonpath/exec.h"

#include <math.h>

#include "core/number/decimal.h"
#include "core/number/number_text.h"
#include "json/json_number.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"

Numeric
PgBsonJpNumeralNumeric(const PgBsonJpNumeral *numeral)
{
	return numeral->num != NULL ? numeral->num : int64_div_fast_to_numeric(numeral->fixed, numeral->scale);
}

Numeric
PgBsonJpItemNumeric(const PgBsonJpItem *item, PgBsonJpWidth *width)
{
	if (item->kind == PGBSON_JP_NUMERAL)
	{
		*width = item->u.numeral.width;
		return PgBsonJpNumeralNumeric(&item->u.numeral);
	}
	*width = item->u.value.type == PGBSON_DECIMAL128 ? PGBSON_JP_DECIMAL :
		item->u.value.type == PGBSON_DOUBLE ? PGBSON_JP_DOUBLE : PGBSON_JP_INTEGER;
	return PgBsonNumberToNumeric(&item->u.value);
}

static bool
text_is_double(const char *text, PgBsonValue *result)
{
	double		d;

	if (!PgBsonTextIsDouble(text, strlen(text), &d))
		return false;
	*result = PgBsonMakeDouble(d);
	return true;
}

static bool
text_is_decimal(const char *text, PgBsonValue *result)
{
	uint8		bytes[PGBSON_DECIMAL128_SIZE];

	if (!PgBsonDecimalFromText(text, strlen(text), bytes))
		return false;
	*result = PgBsonMakeDecimal(bytes);
	return true;
}

/* NaN or an infinity, as a BSON number of this width */
static PgBsonValue
special_value(Numeric num, PgBsonJpWidth width)
{
	char	   *text = PgBsonNumericText(num);
	PgBsonValue result;

	if (width == PGBSON_JP_DECIMAL && text_is_decimal(text, &result))
		return result;
	if (numeric_is_nan(num))
		return PgBsonMakeDouble(get_float8_nan());
	return PgBsonMakeDouble(text[0] == '-' ? -get_float8_infinity() : get_float8_infinity());
}

static inline bool
is_special(Numeric num)
{
	return num != NULL && (numeric_is_nan(num) || numeric_is_inf(num));
}

/* The shortest spelling of a double has no more than 17 digits */
#define MOST_DOUBLE_DIGITS	INT64CONST(99999999999999999)

/* A BSON number of this width for a fixed numeral whose text is not needed for that; false for others */
static bool
fixed_value(const PgBsonJpNumeral *numeral, PgBsonJpWidth width, PgBsonValue *result)
{
	PgBsonDecimal decimal;
	uint8		bytes[PGBSON_DECIMAL128_SIZE];
	int64		digits = numeral->fixed;
	int			scale = numeral->scale;

	if (numeral->num != NULL || width == PGBSON_JP_DECIMAL)
		return false;
	for (; scale > 0 && digits % 10 == 0; scale--)
		digits /= 10;
	if (width == PGBSON_JP_INTEGER && numeral->scale == 0)
		*result = PgBsonMakeInteger(digits);
#ifdef PGBSON_DOUBLES_ROUND_ONCE
	else if (digits >= -PGBSON_SAFE_DIGITS && digits <= PGBSON_SAFE_DIGITS && scale < PGBSON_EXACT_POWERS)
		*result = PgBsonMakeDouble((double) digits / PgBsonPowersOfTen[scale]);
#endif
	else if (scale > 0 && (digits > MOST_DOUBLE_DIGITS || digits < -MOST_DOUBLE_DIGITS))
	{
		PgBsonDecimalFromInt64(numeral->fixed, &decimal);
		decimal.exponent = -numeral->scale;
		PgBsonDecimalEncode(&decimal, bytes);
		*result = PgBsonMakeDecimal(bytes);
	}
	else
		return false;
	return true;
}

bool
PgBsonJpNumeralValue(PgBsonJpState *st, const PgBsonJpNumeral *numeral, PgBsonValue *result)
{
	Numeric		num;
	char	   *text;
	uint8		bytes[PGBSON_NUMBER_BYTES];

	if (is_special(numeral->num))
	{
		*result = special_value(numeral->num, numeral->width);
		return true;
	}

	if (fixed_value(numeral, numeral->width, result))
		return true;
	num = PgBsonJpNumeralNumeric(numeral);
	text = PgBsonNumericText(num);
	if (numeral->width == PGBSON_JP_INTEGER)
	{
		result->type = PgBsonJsonNumber(text, strlen(text), PGBSON_NUMBERS_EXACT, bytes, &result->len);
		if (result->type != PGBSON_EOD)
		{
			result->data = memcpy(palloc(result->len), bytes, result->len);
			return true;
		}
	}
	else if (numeral->width == PGBSON_JP_DOUBLE && text_is_double(text, result))
		return true;
	/*
	 * an integer that neither int64 nor decimal128 can hold becomes a double if some double's
	 * shortest spelling is equal to it
	 */
	if (text_is_decimal(text, result) ||
		(numeral->width != PGBSON_JP_DECIMAL && text_is_double(text, result)) ||
		/* to 34 digits, rounded half away from zero as numeric rounds */
		(numeral->computed && text_is_decimal(numeric_out_sci(num, PGBSON_DECIMAL_DIGITS - 1), result)))
		return true;

	if (st->raise)
		PgBsonReportOutOfRange(errmsg("number of a jsonpath is out of range for type bson"),
							   errdetail("A decimal128 holds 34 digits and magnitudes up to 1E+6145."));
	return false;
}

/*
 * Is this a double of at least 2^53?  BSON comparison may take such a double for its exact integer,
 * arithmetic for its shortest spelling; the two can differ.
 */
static bool
is_spelled_otherwise(const PgBsonValue *value)
{
	double		d = value->type == PGBSON_DOUBLE ? PgBsonReadDouble(value->data) : 0;

	return isfinite(d) && fabs(d) >= PGBSON_EXACT_DOUBLE;
}

/* The BSON number that is equal to a numeral; false if there is none */
static bool
numeral_form(const PgBsonJpNumeral *numeral, PgBsonValue *result)
{
	char	   *text;
	int64		i;
	bool		ok = true;

	if (is_special(numeral->num))
	{
		*result = special_value(numeral->num, PGBSON_JP_DOUBLE);
		return true;
	}
	if (numeral->num == NULL && numeral->scale == 0)
	{
		*result = PgBsonMakeInt64(numeral->fixed);
		return true;
	}
	if (fixed_value(numeral, PGBSON_JP_DOUBLE, result))
		return true;
	text = PgBsonNumericText(PgBsonJpNumeralNumeric(numeral));
	if (PgBsonTextIsInt64(text, strlen(text), &i))
		*result = PgBsonMakeInt64(i);
	else
		ok = (text_is_double(text, result) && !is_spelled_otherwise(result)) || text_is_decimal(text, result);
	pfree(text);
	return ok;
}

bool
PgBsonJpNumberForm(Numeric num, PgBsonValue *form)
{
	PgBsonJpNumeral numeral = {num, 0, PGBSON_JP_INTEGER, 0, true, false};

	return numeral_form(&numeral, form);
}

/* numeral_form; a literal's result is remembered */
static bool
remembered_form(PgBsonJpState *st, const PgBsonJpNumeral *numeral, PgBsonValue *result)
{
	PgBsonJpLiteral *literal;

	if (!numeral->literal)
		return numeral_form(numeral, result);

	literal = PgBsonJpLiteralAt(st, numeral->num);
	if (!literal->tried)
	{
		MemoryContext saved = MemoryContextSwitchTo(st->memory->context);

		literal->fits = numeral_form(numeral, &literal->value);
		literal->tried = true;
		MemoryContextSwitchTo(saved);
	}
	*result = literal->value;
	return literal->fits;
}

static int
compare_numerics(Numeric a, Numeric b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp,
											 NumericGetDatum(a), NumericGetDatum(b)));
}

/* Compare a numeral with a BSON number */
static int
compare_numeral(PgBsonJpState *st, const PgBsonJpNumeral *numeral, const PgBsonValue *value)
{
	PgBsonValue form;

	if (remembered_form(st, numeral, &form) &&
		!(numeral->computed && form.type != PGBSON_DOUBLE && is_spelled_otherwise(value)))
		return PgBsonNumberCompare(&form, value);
	/* no BSON number is equal to the numeral, or the other number counts with its shortest spelling */
	return compare_numerics(PgBsonJpNumeralNumeric(numeral), PgBsonNumberToNumeric(value));
}

int
PgBsonJpCompareNumbers(PgBsonJpState *st, const PgBsonJpItem *a, const PgBsonJpItem *b)
{
	bool		a_numeral = a->kind == PGBSON_JP_NUMERAL;
	bool		b_numeral = b->kind == PGBSON_JP_NUMERAL;
	int			result;

	if (a_numeral && b_numeral && PgBsonJpFixedCompare(st, a, b, &result))
		return result;
	if (a_numeral && b_numeral)
		return compare_numerics(PgBsonJpNumeralNumeric(&a->u.numeral), PgBsonJpNumeralNumeric(&b->u.numeral));
	if (a_numeral)
		return compare_numeral(st, &a->u.numeral, &b->u.value);
	if (b_numeral)
		return -compare_numeral(st, &b->u.numeral, &a->u.value);
	return PgBsonNumberCompare(&a->u.value, &b->u.value);
}

/*
 * The value of a number that is written in the path as an int64; false for other items, and for numbers with a fraction
 */
static bool
literal_integer(PgBsonJpState *st, const PgBsonJpItem *item, int64 *i)
{
	PgBsonValue form;

	if (item->kind != PGBSON_JP_NUMERAL || !item->u.numeral.literal ||
		!remembered_form(st, &item->u.numeral, &form) || form.type != PGBSON_INT64)
		return false;
	*i = PgBsonReadI64(form.data);
	return true;
}

/* An array subscript: the number without its fraction; false if out of range */
bool
PgBsonJpToIndex(PgBsonJpState *st, const PgBsonJpItem *item, int32 *index)
{
	PgBsonJpWidth width;
	int64		literal;
	Datum		whole;
	PgBsonNumericError error = PGBSON_NUMERIC_ERROR_INIT;

	if (item->kind == PGBSON_JP_VALUE && PgBsonNumberToInt32(&item->u.value, index))
		return true;
	/* for a number written in the path the integer was found before */
	if (literal_integer(st, item, &literal) && literal == (int32) literal)
	{
		*index = (int32) literal;
		return true;
	}
	whole = DirectFunctionCall2(numeric_trunc,
								NumericGetDatum(PgBsonJpItemNumeric(item, &width)),
								Int32GetDatum(0));
	*index = PGBSON_NUMERIC(int4) (DatumGetNumeric(whole), PGBSON_NUMERIC_ERROR(&error));
	return !PGBSON_NUMERIC_ERROR_RAISED(&error);
}
