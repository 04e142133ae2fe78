/*
 * update_number.c
 *	  The update operators of numbers: $inc, $mul, $bit.
 *
 * Two int32 give an int32 if it fits, else an int64; an int64 with an integer
 * an int64, whose overflow is an error; a double with any of them a double;
 * a decimal with any number a decimal, rounded to 34 digits.
 */
#include "mongo/update/update_operator.h"

#include "common/int.h"
#include "core/bytes/value.h"
#include "core/number/decimal_from.h"
#include "core/number/decimal_math.h"
#include "core/order/compare.h"

/* The number in the run's memory */
static void
put_integer(PgBsonUpdateRun *run, PgBsonType type, int64 n, PgBsonValue *new)
{
	new->type = type;
	new->len = type == PGBSON_INT32 ? 4 : 8;
	new->data = run->number;
	if (type == PGBSON_INT32)
		PgBsonWriteU32(run->number, (uint32) (int32) n);
	else
		PgBsonWriteU64(run->number, (uint64) n);
}

pg_noreturn static void
report_overflow(const PgBsonUpdateOp *op)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("bson value at \"%s\" is out of range after \"%s\"",
					PgBsonNameInMessage(op->path, op->path_len), op->operator->name)));
}

static void
calculate(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *a,
		  const PgBsonValue *b, bool multiply, PgBsonValue *new)
{
	if (a->type == PGBSON_DECIMAL128 || b->type == PGBSON_DECIMAL128)
	{
		uint8		x[PGBSON_DECIMAL128_SIZE];
		uint8		y[PGBSON_DECIMAL128_SIZE];

		PgBsonNumberToDecimal(a, x);
		PgBsonNumberToDecimal(b, y);
		if (multiply)
			PgBsonDecimalMultiply(x, y, run->number);
		else
			PgBsonDecimalAdd(x, y, run->number);
		new->type = PGBSON_DECIMAL128;
		new->len = PGBSON_DECIMAL128_SIZE;
		new->data = run->number;
	}
	else if (a->type == PGBSON_DOUBLE || b->type == PGBSON_DOUBLE)
	{
		double		x = PgBsonDoubleOf(a);
		double		y = PgBsonDoubleOf(b);

		PgBsonWriteDouble(run->number, multiply ? x * y : x + y);
		new->type = PGBSON_DOUBLE;
		new->len = sizeof(double);
		new->data = run->number;
	}
	else
	{
		bool		narrow = a->type == PGBSON_INT32 && b->type == PGBSON_INT32;
		int64		n;

		if (multiply ? pg_mul_s64_overflow(PgBsonIntegerOf(a), PgBsonIntegerOf(b), &n)
			: pg_add_s64_overflow(PgBsonIntegerOf(a), PgBsonIntegerOf(b), &n))
			report_overflow(op);
		narrow = narrow && n >= PG_INT32_MIN && n <= PG_INT32_MAX;
		put_integer(run, narrow ? PGBSON_INT32 : PGBSON_INT64, n, new);
	}
}

void
PgBsonPrepareNumber(PgBsonUpdateOp *op)
{
	if (!PgBsonIsNumber(op->operand.type))
		PgBsonUpdateWrongOperand(op, gettext_noop("A number is expected."));
}

/* The result, unless it is of the old number's type and equal to it */
static bool
change_number(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old,
			  bool multiply, PgBsonValue *new)
{
	if (!PgBsonIsNumber(old->type))
		PgBsonUpdateWrongTarget(op, old->type, gettext_noop("A number is expected there."));
	calculate(run, op, old, &op->operand, multiply, new);
	return new->type != old->type || !PgBsonEqual(new, old);
}

bool
PgBsonChangeInc(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	if (old != NULL)
		return change_number(run, op, old, false, new);
	*new = op->operand;
	return true;
}

bool
PgBsonChangeMul(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	static const uint8 zero_bytes[4] = {0, 0, 0, 0};
	const PgBsonValue zero = {PGBSON_INT32, sizeof(zero_bytes), zero_bytes};

	if (old != NULL)
		return change_number(run, op, old, true, new);
	/* a zero of the operand's type */
	calculate(run, op, &op->operand, &zero, true, new);
	return true;
}

void
PgBsonPrepareBit(PgBsonUpdateOp *op)
{
	if (op->operand.type != PGBSON_DOCUMENT || op->operand.len == PGBSON_MIN_SIZE)
		PgBsonUpdateWrongOperand(op, gettext_noop("A document such as {\"and\": 5} is expected."));
	PgBsonForEach(iter, PgBsonValueView(&op->operand))
	{
		if (!PgBsonIterIs(&iter, "and") && !PgBsonIterIs(&iter, "or") && !PgBsonIterIs(&iter, "xor"))
			PgBsonUpdateWrongOperand(op, gettext_noop("The bitwise operations are \"and\", \"or\" and \"xor\"."));
		if (iter.value.type != PGBSON_INT32 && iter.value.type != PGBSON_INT64)
			PgBsonUpdateWrongOperand(op, gettext_noop("A bitwise operation takes an int or long."));
	}
}

bool
PgBsonChangeBit(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	PgBsonType	type = old == NULL ? PGBSON_INT32 : old->type;
	int64		bits;

	if (type != PGBSON_INT32 && type != PGBSON_INT64)
		PgBsonUpdateWrongTarget(op, type, gettext_noop("An int or long is expected there."));
	bits = old == NULL ? 0 : PgBsonIntegerOf(old);
	PgBsonForEach(iter, PgBsonValueView(&op->operand))
	{
		int64		operand = PgBsonIntegerOf(&iter.value);

		if (PgBsonIterIs(&iter, "and"))
			bits &= operand;
		else if (PgBsonIterIs(&iter, "or"))
			bits |= operand;
		else
			bits ^= operand;
		if (iter.value.type == PGBSON_INT64)
			type = PGBSON_INT64;
	}
	put_integer(run, type, bits, new);
	return old == NULL || !PgBsonSameBytes(new, old);
}
