/*
 * arithmetic.c
 *	  Arithmetic in jsonpath.
 *
 * Each operand counts with its exact decimal value, a double with that of its shortest spelling.
 * fixed.c calculates with numbers of few digits; all others are calculated by the server's numeric,
 * with the same results.  Results stay numeric, with full precision, until something wants a BSON value.
 */
#include "jsonpath/exec.h"

#include "utils/fmgrprotos.h"

static PgBsonJpItem
computed_item(Numeric num, PgBsonJpWidth width)
{
	return (PgBsonJpItem) {PGBSON_JP_NUMERAL, .u.numeral = {.num = num, .width = width, .computed = true}};
}

/* The result of an operator, or NULL after an error that was suppressed */
static Numeric
compute_numeric(JsonPathItemType op, Numeric a, Numeric b, bool raise)
{
	static __typeof__(PGBSON_NUMERIC(add)) *const functions[] = {
		[jpiAdd] = PGBSON_NUMERIC(add),
		[jpiSub] = PGBSON_NUMERIC(sub),
		[jpiMul] = PGBSON_NUMERIC(mul),
		[jpiDiv] = PGBSON_NUMERIC(div),
		[jpiMod] = PGBSON_NUMERIC(mod)
	};
	PgBsonNumericError error = PGBSON_NUMERIC_ERROR_INIT;
	Numeric		result = functions[op] (a, b, raise ? NULL : PGBSON_NUMERIC_ERROR(&error));

	return PGBSON_NUMERIC_ERROR_RAISED(&error) ? NULL : result;
}

/* Apply the operator to two operands that each are a single number */
static PgBsonJpOutcome
binary_of(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
		  PgBsonJpSequence *left, PgBsonJpSequence *right, PgBsonJpItem *result)
{
	JsonPathItem operand;
	PgBsonJpWidth a_width;
	PgBsonJpWidth b_width;
	Numeric		num;

	jspGetLeftArg(step, &operand);
	if (PgBsonJpOperand(st, &operand, item, true, left) == PGBSON_JP_FAILED)
		return PGBSON_JP_FAILED;
	jspGetRightArg(step, &operand);
	if (PgBsonJpOperand(st, &operand, item, true, right) == PGBSON_JP_FAILED)
		return PGBSON_JP_FAILED;
	if (left->count == 1 && right->count == 1 &&
		PgBsonJpFixedBinary(st, step->type, &left->items[0], &right->items[0], result))
		return PGBSON_JP_FOUND;
	if (left->count != 1 || !PgBsonJpIsNumber(&left->items[0]))
		return PgBsonJpFailAt(st, step, ERRCODE_SINGLETON_SQL_JSON_ITEM_REQUIRED,
							  gettext_noop("left operand of jsonpath operator %s is not a single numeric value"));
	if (right->count != 1 || !PgBsonJpIsNumber(&right->items[0]))
		return PgBsonJpFailAt(st, step, ERRCODE_SINGLETON_SQL_JSON_ITEM_REQUIRED,
							  gettext_noop("right operand of jsonpath operator %s is not a single numeric value"));

	num = compute_numeric(step->type, PgBsonJpItemNumeric(&left->items[0], &a_width),
				  PgBsonJpItemNumeric(&right->items[0], &b_width), st->raise);
	if (num == NULL)
		return PGBSON_JP_FAILED;
	*result = computed_item(num, Max(a_width, b_width));
	return PGBSON_JP_FOUND;
}

PgBsonJpOutcome
PgBsonJpBinary(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
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

/* The number after a minus sign, .abs(), .floor() or .ceiling() */
static PgBsonJpItem
unary_of(PgBsonJpState *st, JsonPathItemType op, const PgBsonJpItem *item)
{
	PGFunction	function = op == jpiMinus ? numeric_uminus : op == jpiAbs ? numeric_abs :
		op == jpiFloor ? numeric_floor : numeric_ceil;
	PgBsonJpItem fixed;
	PgBsonJpWidth width;
	Numeric		num;
	Datum		result;

	if (PgBsonJpFixedUnary(st, op, item, &fixed))
		return fixed;
	num = PgBsonJpItemNumeric(item, &width);
	result = DirectFunctionCall1(function, NumericGetDatum(num));
	if (item->kind != PGBSON_JP_NUMERAL || item->u.numeral.num == NULL)
		pfree(num);
	return computed_item(DatumGetNumeric(result), width);
}

/* + and - before each number of a sequence */
PgBsonJpOutcome
PgBsonJpUnary(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
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
				number = unary_of(st, jpiMinus, &number);
				outcome = PgBsonJpNextMade(st, step, &number, out, number.u.numeral.num);
			}
			else
				outcome = PgBsonJpNext(st, step, &number, out);
		}
		else if (only_existence)
			outcome = PGBSON_JP_EMPTY;
		else
			outcome = PgBsonJpFailAt(st, step, ERRCODE_SQL_JSON_NUMBER_NOT_FOUND,
								   "operand of unary jsonpath operator %s is not a numeric value");
		if (outcome != PGBSON_JP_EMPTY)
			result = outcome;
	}
	PgBsonJpSequenceFree(&found);
	return result;
}

/* .abs(), .floor(), .ceiling() */
PgBsonJpOutcome
PgBsonJpRounding(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	PgBsonJpItem result;

	if (!PgBsonJpIsNumber(item))
		return PgBsonJpFailAt(st, step, ERRCODE_NON_NUMERIC_SQL_JSON_ITEM,
							"jsonpath item method .%s() can only be applied to a numeric value");
	result = unary_of(st, step->type, item);
	return PgBsonJpNextMade(st, step, &result, out, result.u.numeral.num);
}
