/*
 * arithmetic.c
 *	  Arithmetic in jsonpath.
 *
 * It is done by numeric, on the exact decimal value of each operand (a
 * double's: its shortest spelling), where neither integers nor fixed.c give the
 * same sooner.  Results stay numeric, with full precision, until something wants
 * a BSON value.
 */
#include "jsonpath/exec.h"

#include <math.h>

#include "common/int.h"
#include "core/number/number.h"
#include "utils/fmgrprotos.h"

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

/* One operand of an arithmetic operator; "message" is the error if it is not a single number */
static PgBsonJpOutcome
arithmetic_operand(PgBsonJpState *st, JsonPathItem *step, const char *message,
				   const PgBsonJpSequence *found, Numeric *num, PgBsonJpWidth *width)
{
	if (found->count != 1 || !PgBsonJpIsNumber(&found->items[0]))
		return PgBsonJpFail(st, ERRCODE_SINGLETON_SQL_JSON_ITEM_REQUIRED,
							message, jspOperationName(step->type));
	*num = PgBsonJpItemNumeric(&found->items[0], width);
	return PGBSON_JP_FOUND;
}

/* The result of an operator; NULL after an error that was suppressed */
static Numeric
compute(JsonPathItemType op, Numeric a, Numeric b, bool raise)
{
	PgBsonNumericError error = PGBSON_NUMERIC_ERROR_INIT;
	Numeric		result = NULL;

	switch (op)
	{
		case jpiAdd:
			result = PGBSON_NUMERIC(add) (a, b, raise ? NULL : PGBSON_NUMERIC_ERROR(&error));
			break;
		case jpiSub:
			result = PGBSON_NUMERIC(sub) (a, b, raise ? NULL : PGBSON_NUMERIC_ERROR(&error));
			break;
		case jpiMul:
			result = PGBSON_NUMERIC(mul) (a, b, raise ? NULL : PGBSON_NUMERIC_ERROR(&error));
			break;
		case jpiDiv:
			result = PGBSON_NUMERIC(div) (a, b, raise ? NULL : PGBSON_NUMERIC_ERROR(&error));
			break;
		case jpiMod:
			result = PGBSON_NUMERIC(mod) (a, b, raise ? NULL : PGBSON_NUMERIC_ERROR(&error));
			break;
		default:
			elog(ERROR, "unexpected jsonpath operator: %d", (int) op);
	}
	return PGBSON_NUMERIC_ERROR_RAISED(&error) ? NULL : result;
}

/* Is the number an int64, and spelled without a fraction if the path spells it? */
static bool
as_int64(PgBsonJpState *st, const PgBsonJpItem *item, int64 *i)
{
	if (PgBsonJpIsType(item, PGBSON_INT32))
		*i = PgBsonReadI32(item->u.value.data);
	else if (PgBsonJpIsType(item, PGBSON_INT64))
		*i = PgBsonReadI64(item->u.value.data);
	else
		return PgBsonJpLiteralInteger(st, item, i);
	return true;
}

/* The result of an operator on integers, if that is an int64: it has the type that numeric's result would become */
static bool
compute_integer(PgBsonJpState *st, JsonPathItemType op, const PgBsonJpItem *left, const PgBsonJpItem *right,
				PgBsonJpItem *result)
{
	int64		a;
	int64		b;
	int64		i;

	if (!as_int64(st, left, &a) || !as_int64(st, right, &b))
		return false;
	switch (op)
	{
		case jpiAdd:
			if (pg_add_s64_overflow(a, b, &i))
				return false;
			break;
		case jpiSub:
			if (pg_sub_s64_overflow(a, b, &i))
				return false;
			break;
		case jpiMul:
			if (pg_mul_s64_overflow(a, b, &i))
				return false;
			break;
		case jpiMod:
			if (b == 0 || b == -1)
				return false;
			i = a % b;
			break;
		default:
			return false;
	}
	*result = PgBsonJpValueItem(PgBsonJpMakeInteger(i));
	return true;
}

/* left op right, where both are single numbers */
static PgBsonJpOutcome
binary_of(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
		  PgBsonJpSequence *left, PgBsonJpSequence *right, PgBsonJpItem *result)
{
	JsonPathItem operand;
	Numeric		a = NULL;
	Numeric		b = NULL;
	PgBsonJpWidth a_width = PGBSON_JP_INTEGER;
	PgBsonJpWidth b_width = PGBSON_JP_INTEGER;
	Numeric		num;

	jspGetLeftArg(step, &operand);
	if (PgBsonJpOperand(st, &operand, item, true, left) == PGBSON_JP_FAILED)
		return PGBSON_JP_FAILED;
	jspGetRightArg(step, &operand);
	if (PgBsonJpOperand(st, &operand, item, true, right) == PGBSON_JP_FAILED)
		return PGBSON_JP_FAILED;
	if (left->count == 1 && right->count == 1 &&
		(compute_integer(st, step->type, &left->items[0], &right->items[0], result) ||
		 PgBsonJpFixedBinary(st, step->type, &left->items[0], &right->items[0], result)))
		return PGBSON_JP_FOUND;
	if (arithmetic_operand(st, step, gettext_noop("left operand of jsonpath operator %s is not a single numeric value"),
						   left, &a, &a_width) == PGBSON_JP_FAILED ||
		arithmetic_operand(st, step, gettext_noop("right operand of jsonpath operator %s is not a single numeric value"),
						   right, &b, &b_width) == PGBSON_JP_FAILED)
		return PGBSON_JP_FAILED;

	num = compute(step->type, a, b, st->raise);
	if (num == NULL)
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

	if (item->kind != PGBSON_JP_NUMERAL || item->u.numeral.num == NULL)
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
				if (!PgBsonJpFixedUnary(st, jpiMinus, &found.items[i], &number))
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

/*
 * .floor() or .ceiling() of a double as a double, which it becomes in the end: where nothing is done
 * with it but that, and it is an integer that a double spells exactly.
 */
static bool
round_double(JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out, double *result)
{
	double		d;

	if (step->type == jpiAbs || out == NULL || jspHasNext(step) || !PgBsonJpIsType(item, PGBSON_DOUBLE))
		return false;
	d = PgBsonReadDouble(item->u.value.data);
	/* there is no negative zero among numerics */
	*result = (step->type == jpiFloor ? floor(d) : ceil(d)) + 0.0;
	return fabs(d) < PGBSON_EXACT_DOUBLE;
}

/* .abs(), .floor(), .ceiling() */
PgBsonJpOutcome
PgBsonJpRounding(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
				 PgBsonJpSequence *out)
{
	PGFunction	function;
	PgBsonJpItem result;
	double		rounded;

	if (!PgBsonJpIsNumber(item))
		return PgBsonJpFail(st, ERRCODE_NON_NUMERIC_SQL_JSON_ITEM,
							"jsonpath item method .%s() can only be applied to a numeric value",
							jspOperationName(step->type));
	if (round_double(step, item, out, &rounded))
	{
		result = PgBsonJpValueItem(PgBsonJpMakeDouble(rounded));
		return PgBsonJpEmit(&result, out);
	}
	if (PgBsonJpFixedUnary(st, step->type, item, &result))
		return PgBsonJpNext(st, step, &result, out);
	if (step->type == jpiAbs)
		function = numeric_abs;
	else if (step->type == jpiFloor)
		function = numeric_floor;
	else
		function = numeric_ceil;
	result = apply(function, item);
	return PgBsonJpNextMade(st, step, &result, out, result.u.numeral.num);
}
