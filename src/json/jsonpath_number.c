/*
 * jsonpath_number.c
 *	  Numbers in jsonpath: comparison, arithmetic, and what becomes of the result.
 *
 * Arithmetic is done by numeric, on the exact decimal value of each operand (a
 * double's: its shortest spelling).  Results stay numeric, with full
 * precision, until something wants a BSON value.
 */
#include "json/jsonpath_exec.h"

#include "core/number.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"

#define DECIMAL128_DIGITS	34

Numeric
PgBsonJpItemNumeric(const PgBsonJpItem *item, PgBsonJpWidth *width)
{
	if (item->kind == PGBSON_JP_NUMERAL)
	{
		*width = item->u.numeral.width;
		return item->u.numeral.num;
	}
	if (item->u.value.type == PGBSON_DECIMAL128)
		*width = PGBSON_JP_DECIMAL;
	else if (item->u.value.type == PGBSON_DOUBLE)
		*width = PGBSON_JP_DOUBLE;
	else
		*width = PGBSON_JP_INTEGER;
	return PgBsonNumberToNumeric(&item->u.value);
}

static char *
numeric_text(Numeric num)
{
	return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(num)));
}

/* The text of a numeric as int64, if it is written without a fraction and fits */
static bool
text_is_int64(const char *text, int64 *result)
{
	char	   *end;

	if (strchr(text, '.') != NULL)
		return false;
	errno = 0;
	*result = strtoll(text, &end, 10);
	return errno == 0 && end != text && *end == '\0';
}

static bool
text_is_double(const char *text, PgBsonValue *result)
{
	double		d;

	if (!PgBsonTextIsDouble(text, strlen(text), &d))
		return false;
	*result = PgBsonJpMakeDouble(d);
	return true;
}

static bool
text_is_decimal(const char *text, PgBsonValue *result)
{
	uint8		bytes[PGBSON_DECIMAL128_SIZE];
	uint8	   *copy;

	if (!PgBsonDecimalFromText(text, strlen(text), bytes))
		return false;
	copy = palloc(sizeof(bytes));
	memcpy(copy, bytes, sizeof(bytes));
	result->type = PGBSON_DECIMAL128;
	result->len = sizeof(bytes);
	result->data = copy;
	return true;
}

/* NaN and the infinities, as the width has them */
static PgBsonValue
special_value(Numeric num, PgBsonJpWidth width)
{
	char	   *text = numeric_text(num);
	PgBsonValue result;

	if (width == PGBSON_JP_DECIMAL && text_is_decimal(text, &result))
		return result;
	if (numeric_is_nan(num))
		return PgBsonJpMakeDouble(get_float8_nan());
	return PgBsonJpMakeDouble(text[0] == '-' ? -get_float8_infinity() : get_float8_infinity());
}

static inline bool
is_special(Numeric num)
{
	return numeric_is_nan(num) || numeric_is_inf(num);
}

/*
 * The first 34 significant digits of a decimal text, rounded half away from
 * zero as numeric rounds, with the exponent that goes with them.
 */
static char *
round_text(const char *text)
{
	StringInfoData out;
	char		digits[DECIMAL128_DIGITS + 1];
	int			ndigits = 0;
	int			exponent = 0;
	bool		fraction = false;
	bool		round_up = false;

	digits[0] = '0';			/* room for a carry */
	for (const char *p = text; *p != '\0'; p++)
	{
		if (*p == '.')
			fraction = true;
		if (!isdigit((unsigned char) *p))
			continue;
		if (ndigits == DECIMAL128_DIGITS)
		{
			round_up = *p >= '5';
			/* the integer digits that go */
			for (; !fraction && *p != '\0' && *p != '.'; p++)
				exponent++;
			break;
		}
		if (ndigits > 0 || *p != '0')
			digits[++ndigits] = *p;
		if (fraction)
			exponent--;
	}
	if (round_up)
	{
		int			i = ndigits;

		while (digits[i] == '9')
			digits[i--] = '0';
		digits[i]++;
	}
	/* a carry beyond the first digit leaves only zeroes behind it */
	if (digits[0] != '0')
	{
		exponent++;
		ndigits--;
	}

	initStringInfo(&out);
	if (text[0] == '-')
		appendStringInfoChar(&out, '-');
	appendBinaryStringInfo(&out, digits, ndigits + 1);
	appendStringInfo(&out, "e%d", exponent);
	return out.data;
}

bool
PgBsonJpNumeralValue(PgBsonJpState *st, const PgBsonJpNumeral *numeral, PgBsonValue *result)
{
	char	   *text;
	bool		fraction;
	int64		i;

	if (is_special(numeral->num))
	{
		*result = special_value(numeral->num, numeral->width);
		return true;
	}

	text = numeric_text(numeral->num);
	fraction = strchr(text, '.') != NULL;
	if (numeral->width == PGBSON_JP_INTEGER && text_is_int64(text, &i))
	{
		*result = PgBsonJpMakeInteger(i);
		return true;
	}
	/* an integer too long for int64 is no double, unless nothing else holds it */
	if ((numeral->width == PGBSON_JP_DOUBLE ||
		 (numeral->width == PGBSON_JP_INTEGER && fraction)) &&
		text_is_double(text, result))
		return true;
	if (text_is_decimal(text, result) ||
		(numeral->width != PGBSON_JP_DECIMAL && text_is_double(text, result)) ||
		(numeral->computed && text_is_decimal(round_text(text), result)))
		return true;

	if (st->raise)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("number of a jsonpath is out of range for type bson"),
				 errdetail("A decimal128 holds 34 digits and magnitudes up to 1E+6145.")));
	return false;
}

/*
 * A numeral as the BSON number it counts as against a double or against
 * another type; false if there is none.
 */
static bool
numeral_form(const PgBsonJpNumeral *numeral, bool against_double, PgBsonValue *result)
{
	char	   *text;
	int64		i;
	bool		ok = true;

	if (is_special(numeral->num))
	{
		*result = special_value(numeral->num, PGBSON_JP_DOUBLE);
		return true;
	}
	text = numeric_text(numeral->num);
	if (text_is_int64(text, &i))
		*result = PgBsonJpMakeInt64(i);
	else if (against_double)
		ok = text_is_double(text, result) || text_is_decimal(text, result);
	else
		ok = text_is_decimal(text, result) || text_is_double(text, result);
	pfree(text);
	return ok;
}

int
PgBsonJsonpathNumberForms(Numeric num, PgBsonValue forms[2])
{
	PgBsonJpNumeral numeral = {num, PGBSON_JP_INTEGER, true, false};

	/* where one kind cannot hold it, the other stands for both */
	if (!numeral_form(&numeral, false, &forms[0]))
		return 0;
	numeral_form(&numeral, true, &forms[1]);
	return PgBsonNumberCompare(&forms[0], &forms[1]) == 0 ? 1 : 2;
}

/* The form of a numeral, remembered if it is a literal of the path */
static bool
numeral_against(PgBsonJpState *st, const PgBsonJpNumeral *numeral, const PgBsonValue *other,
				PgBsonValue *result)
{
	bool		against_double = other->type == PGBSON_DOUBLE;
	int			slot = against_double ? PGBSON_JP_DOUBLE : PGBSON_JP_DECIMAL;
	PgBsonJpLiteral *literal;

	if (!numeral->literal)
		return numeral_form(numeral, against_double, result);

	literal = PgBsonJpLiteralAt(st, numeral->num);
	if (!literal->tried[slot])
	{
		MemoryContext saved = MemoryContextSwitchTo(st->context);

		literal->fits[slot] = numeral_form(numeral, against_double, &literal->value[slot]);
		literal->tried[slot] = true;
		MemoryContextSwitchTo(saved);
	}
	*result = literal->value[slot];
	return literal->fits[slot];
}

static int
compare_numerics(Numeric a, Numeric b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp,
											 NumericGetDatum(a), NumericGetDatum(b)));
}

/* A numeral with a BSON number */
static int
compare_numeral(PgBsonJpState *st, const PgBsonJpNumeral *numeral, const PgBsonValue *value)
{
	PgBsonValue form;

	if (numeral_against(st, numeral, value, &form))
		return PgBsonNumberCompare(&form, value);
	/* more digits than any BSON number has */
	return compare_numerics(numeral->num, PgBsonNumberToNumeric(value));
}

int
PgBsonJpCompareNumbers(PgBsonJpState *st, const PgBsonJpItem *a, const PgBsonJpItem *b)
{
	bool		a_numeral = a->kind == PGBSON_JP_NUMERAL;
	bool		b_numeral = b->kind == PGBSON_JP_NUMERAL;

	if (a_numeral && b_numeral)
		return compare_numerics(a->u.numeral.num, b->u.numeral.num);
	if (a_numeral)
		return compare_numeral(st, &a->u.numeral, &b->u.value);
	if (b_numeral)
		return -compare_numeral(st, &b->u.numeral, &a->u.value);
	return PgBsonNumberCompare(&a->u.value, &b->u.value);
}

/* An array subscript: the number without its fraction; false if out of range */
bool
PgBsonJpToIndex(const PgBsonJpItem *item, int32 *index)
{
	PgBsonJpWidth width;
	Datum		whole;
	bool		failed = false;

	if (item->kind == PGBSON_JP_VALUE && PgBsonNumberToInt32(&item->u.value, index))
		return true;
	whole = DirectFunctionCall2(numeric_trunc,
								NumericGetDatum(PgBsonJpItemNumeric(item, &width)),
								Int32GetDatum(0));
	*index = numeric_int4_opt_error(DatumGetNumeric(whole), &failed);
	return !failed;
}

static PgBsonJpItem
computed_item(Numeric num, PgBsonJpWidth width)
{
	PgBsonJpItem item;

	item.kind = PGBSON_JP_NUMERAL;
	item.u.numeral.num = num;
	item.u.numeral.width = width;
	item.u.numeral.literal = false;
	item.u.numeral.computed = true;
	return item;
}

/* One side of an arithmetic operator; "side" names it in the error */
static PgBsonJpOutcome
arithmetic_operand(PgBsonJpState *st, JsonPathItem *step, const char *side,
				   const PgBsonJpSequence *found, Numeric *num, PgBsonJpWidth *width)
{
	if (found->count != 1 || !PgBsonJpIsNumber(&found->items[0]))
		return PgBsonJpFail(st, ERRCODE_SINGLETON_SQL_JSON_ITEM_REQUIRED,
							"%s operand of jsonpath operator %s is not a single numeric value",
							side, jspOperationName(step->type));
	*num = PgBsonJpItemNumeric(&found->items[0], width);
	return PGBSON_JP_FOUND;
}

static Numeric
compute(JsonPathItemType op, Numeric a, Numeric b, bool *failed)
{
	switch (op)
	{
		case jpiAdd:
			return numeric_add_opt_error(a, b, failed);
		case jpiSub:
			return numeric_sub_opt_error(a, b, failed);
		case jpiMul:
			return numeric_mul_opt_error(a, b, failed);
		case jpiDiv:
			return numeric_div_opt_error(a, b, failed);
		case jpiMod:
			return numeric_mod_opt_error(a, b, failed);
		default:
			elog(ERROR, "unexpected jsonpath operator: %d", (int) op);
	}
	return NULL;				/* keep compiler quiet */
}

/* left op right, both single numbers */
static PgBsonJpOutcome
binary_of(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
		  PgBsonJpSequence *left, PgBsonJpSequence *right, PgBsonJpItem *result)
{
	JsonPathItem operand;
	Numeric		a = NULL;
	Numeric		b = NULL;
	PgBsonJpWidth a_width = PGBSON_JP_INTEGER;
	PgBsonJpWidth b_width = PGBSON_JP_INTEGER;
	bool		failed = false;
	Numeric		num;

	jspGetLeftArg(step, &operand);
	if (PgBsonJpOperand(st, &operand, item, true, left) == PGBSON_JP_FAILED)
		return PGBSON_JP_FAILED;
	jspGetRightArg(step, &operand);
	if (PgBsonJpOperand(st, &operand, item, true, right) == PGBSON_JP_FAILED)
		return PGBSON_JP_FAILED;
	if (arithmetic_operand(st, step, "left", left, &a, &a_width) == PGBSON_JP_FAILED ||
		arithmetic_operand(st, step, "right", right, &b, &b_width) == PGBSON_JP_FAILED)
		return PGBSON_JP_FAILED;

	num = compute(step->type, a, b, st->raise ? NULL : &failed);
	if (failed)
		return PGBSON_JP_FAILED;
	*result = computed_item(num, Max(a_width, b_width));
	return PGBSON_JP_FOUND;
}

PgBsonJpOutcome
PgBsonJpBinary(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
			   PgBsonJpSequence *out)
{
	PgBsonJpSequence left;
	PgBsonJpSequence right;
	PgBsonJpItem result;
	PgBsonJpOutcome outcome;

	PgBsonJpSequenceInit(&left);
	PgBsonJpSequenceInit(&right);
	outcome = binary_of(st, step, item, &left, &right, &result);
	PgBsonJpSequenceFree(&left);
	PgBsonJpSequenceFree(&right);
	if (outcome == PGBSON_JP_FAILED)
		return outcome;
	return PgBsonJpNext(st, step, &result, out);
}

/* A function of one numeric on a number */
static PgBsonJpItem
apply(PGFunction function, const PgBsonJpItem *item)
{
	PgBsonJpWidth width;
	Numeric		num = PgBsonJpItemNumeric(item, &width);
	Datum		result = DirectFunctionCall1(function, NumericGetDatum(num));

	if (item->kind != PGBSON_JP_NUMERAL)
		pfree(num);
	return computed_item(DatumGetNumeric(result), width);
}

/* + and - before each number of a sequence */
PgBsonJpOutcome
PgBsonJpUnary(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
			  PgBsonJpSequence *out)
{
	PgBsonJpSequence found;
	JsonPathItem operand;
	PgBsonJpOutcome result;
	bool		only_existence = out == NULL && !jspHasNext(step);

	PgBsonJpSequenceInit(&found);
	jspGetArg(step, &operand);
	result = PgBsonJpOperand(st, &operand, item, true, &found);
	if (result != PGBSON_JP_FAILED)
		result = PGBSON_JP_EMPTY;

	for (uint32 i = 0; i < found.count && !PgBsonJpSettled(result, out); i++)
	{
		PgBsonJpItem number = found.items[i];
		PgBsonJpOutcome outcome;

		if (PgBsonJpIsNumber(&number))
		{
			if (step->type == jpiMinus)
			{
				number = apply(numeric_uminus, &number);
				outcome = PgBsonJpNextMade(st, step, &number, out, number.u.numeral.num);
			}
			else
				outcome = PgBsonJpNext(st, step, &number, out);
		}
		else if (only_existence)
			outcome = PGBSON_JP_EMPTY;
		else
			outcome = PgBsonJpFail(st, ERRCODE_SQL_JSON_NUMBER_NOT_FOUND,
								   "operand of unary jsonpath operator %s is not a numeric value",
								   jspOperationName(step->type));
		if (outcome != PGBSON_JP_EMPTY)
			result = outcome;
	}
	PgBsonJpSequenceFree(&found);
	return result;
}

/* .abs(), .floor(), .ceiling() */
PgBsonJpOutcome
PgBsonJpRounding(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
				 PgBsonJpSequence *out)
{
	PGFunction	function;
	PgBsonJpItem result;

	if (!PgBsonJpIsNumber(item))
		return PgBsonJpFail(st, ERRCODE_NON_NUMERIC_SQL_JSON_ITEM,
							"jsonpath item method .%s() can only be applied to a numeric value",
							jspOperationName(step->type));
	if (step->type == jpiAbs)
		function = numeric_abs;
	else if (step->type == jpiFloor)
		function = numeric_floor;
	else
		function = numeric_ceil;
	result = apply(function, item);
	return PgBsonJpNextMade(st, step, &result, out, result.u.numeral.num);
}
