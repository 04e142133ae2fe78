/*
 * update_number.c
 *	  The update operators of numbers: $inc, $mul, $bit.
 *
 * Two int32 give an int32 if it fits, else an int64; an int64 with an integer
 * an int64, whose overflow is an error; a double with any of them a double;
 * a decimal with any number a decimal, rounded to 34 digits.
 *
 * The authority is MongoDB's src/mongo/db/update/arithmetic_node.cpp and bit_node.cpp.
 */
#include "mongo/update/update_tree.h"

#include "core/number/number.h"
#include "core/order/compare.h"

void
PgBsonPrepareNumber(PgBsonUpdateOp *op)
{
	if (!PgBsonIsNumber(op->operand.type))
		PgBsonUpdateWrongOperand(op, gettext_noop("A number is expected."));
}

/* $inc, and $mul with the code 1: the result is set unless it has the old number's type and is equal to it */
bool
PgBsonChangeNumber(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	bool		multiply = op->operator->code != 0;
	bool		overflow;

	if (old != NULL && !PgBsonIsNumber(old->type))
		PgBsonUpdateWrongPlace(op, old->type, gettext_noop("A number is expected there."));
	*new = op->operand;
	if (old == NULL && !multiply)
		return true;
	/* $mul of a missing value: a zero of the operand's type */
	*new = PgBsonExprCalculate(old != NULL ? old : &PgBsonZero, &op->operand, multiply, &overflow);
	if (overflow)
		PgBsonReportOutOfRange(errmsg("bson value at \"%s\" is out of range after \"%s\"",
									  PgBsonNameInMessage(op->path, op->path_len), op->operator->name));
	return old == NULL || new->type != old->type || !PgBsonEqual(new, old);
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
		if (!PgBsonIsInteger(iter.value.type))
			PgBsonUpdateWrongOperand(op, gettext_noop("A bitwise operation takes an int or long."));
	}
}

bool
PgBsonChangeBit(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	PgBsonType	type = old == NULL ? PGBSON_INT32 : old->type;
	int64		bits;

	if (!PgBsonIsInteger(type))
		PgBsonUpdateWrongPlace(op, type, gettext_noop("An int or long is expected there."));
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
	*new = type == PGBSON_INT32 ? PgBsonMakeInt32((int32) bits) : PgBsonMakeInt64(bits);
	return old == NULL || !PgBsonSameBytes(new, old);
}
