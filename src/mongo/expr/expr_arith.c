/*
 * expr_arith.c
 *	  Expressions: the basic arithmetic of numbers and dates.
 *
 * The result has the widest type of the operands: int, long, double, decimal.
 * An int that overflows is a long, a long that overflows is a double.
 *
 * The authority is MongoDB's src/mongo/db/exec/expression/evaluate_math.cpp.
 */
#include "mongo/expr/expr.h"

#include <math.h>

#include "core/number/decimal.h"

static bool
either_is(PgBsonType type, const PgBsonValue *a, const PgBsonValue *b)
{
	return a->type == type || b->type == type;
}

/* An int if it can hold the number, else a long, in the node's memory */
static inline PgBsonValue
integer_of_node(const PgBsonExpr *e, int64 n)
{
	bool		is_int = n >= PG_INT32_MIN && n <= PG_INT32_MAX;

	PgBsonWriteU64(unconstify(PgBsonExpr *, e)->room, (uint64) n);
	return (PgBsonValue) {is_int ? PGBSON_INT32 : PGBSON_INT64, is_int ? 4 : 8, e->room};
}

/* The result of integer arithmetic: an int if both operands are, and an int can hold it; else a long */
static PgBsonValue
integer_result(const PgBsonValue *a, const PgBsonValue *b, int64 n)
{
	return either_is(PGBSON_INT64, a, b) ? PgBsonMakeInt64(n) : PgBsonMakeInteger(n);
}

/* The milliseconds that a number stands for, rounded */
static int64
milliseconds_of(const PgBsonValue *number)
{
	uint8		rounded[PGBSON_DECIMAL128_SIZE];
	PgBsonValue whole = {PGBSON_DECIMAL128, sizeof(rounded), rounded};
	int64		n;
	double		d;

	if (number->type == PGBSON_DOUBLE)
	{
		d = PgBsonReadDouble(number->data);
		if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0))
			PgBsonReportDateOutOfRange();
		return (int64) round(d);
	}
	if (number->type != PGBSON_DECIMAL128)
		return PgBsonIntegerOf(number);
	PgBsonDecimalQuantize(number->data, 0, PGBSON_ROUND_HALF_EVEN, rounded);
	if (!PgBsonNumberToInt64(&whole, &n))
		PgBsonReportDateOutOfRange();
	return n;
}

PgBsonValue
PgBsonExprDecimal(const PgBsonValue *number)
{
	uint8		decimal[PGBSON_DECIMAL128_SIZE];

	PgBsonNumberToDecimal(number, decimal);
	return PgBsonMakeDecimal(decimal);
}

PgBsonValue
PgBsonExprDecimals(PgBsonDecimalOperation operation, const PgBsonValue *a, const PgBsonValue *b)
{
	uint8		x[PGBSON_DECIMAL128_SIZE];
	uint8		y[PGBSON_DECIMAL128_SIZE];

	PgBsonNumberToDecimal(a, x);
	PgBsonNumberToDecimal(b, y);
	operation(x, y, x);
	return PgBsonMakeDecimal(x);
}

/* The wider of two numbers' types */
static PgBsonType
wider_of(PgBsonType a, PgBsonType b)
{
	PgBsonType	last = Max(a, b);

	/* but for doubles, wider types have higher numbers */
	return last != PGBSON_DECIMAL128 && Min(a, b) == PGBSON_DOUBLE ? PGBSON_DOUBLE : last;
}

/* A sum or product while operands are added: its type, and its value in that type */
typedef struct Total
{
	PgBsonType	type;
	bool		is_date;		/* the operands include a date; the integer is the date in milliseconds */
	int64		integers;
	double		doubles;
	uint8		decimals[PGBSON_DECIMAL128_SIZE];
} Total;

/* The sum or product so far, as a value */
static PgBsonValue
value_of_total(const Total *total)
{
	if (total->is_date)
		return PgBsonMakeDate(total->integers);
	switch (total->type)
	{
		case PGBSON_INT32:
			return PgBsonMakeInteger(total->integers);
		case PGBSON_INT64:
			return PgBsonMakeInt64(total->integers);
		case PGBSON_DOUBLE:
			return PgBsonMakeDouble(total->doubles);
		default:
			return PgBsonMakeDecimal(total->decimals);
	}
}

static void
add_to_date(Total *total, int64 ms)
{
	if (pg_add_s64_overflow(total->integers, ms, &total->integers))
		PgBsonReportDateOutOfRange();
}

/* A date was added: what the total was so far becomes milliseconds */
static void
add_date(const PgBsonExpr *e, Total *total, const PgBsonValue *date)
{
	PgBsonValue before = value_of_total(total);

	if (total->is_date)
		PgBsonExprWrongValue(e, gettext_noop("Only one of the values may be a date."));
	total->integers = milliseconds_of(&before);
	total->is_date = true;
	add_to_date(total, PgBsonReadI64(date->data));
}

/* Make a total of type "before" a decimal */
static void
total_to_decimal(Total *total, PgBsonType before)
{
	PgBsonValue value;

	if (before == PGBSON_DECIMAL128)
		return;
	value = before == PGBSON_DOUBLE ? PgBsonMakeDouble(total->doubles) : PgBsonMakeInt64(total->integers);
	PgBsonNumberToDecimal(&value, total->decimals);
}

/* Add a number to the total, which takes the wider type of both */
static void
add_number(Total *total, const PgBsonValue *number)
{
	PgBsonType	before = total->type;
	uint8		decimal[PGBSON_DECIMAL128_SIZE];

	if (total->is_date)
	{
		add_to_date(total, milliseconds_of(number));
		return;
	}
	total->type = wider_of(before, number->type);
	if (total->type == PGBSON_DECIMAL128)
	{
		total_to_decimal(total, before);
		PgBsonNumberToDecimal(number, decimal);
		PgBsonDecimalAdd(total->decimals, decimal, total->decimals);
		return;
	}
	if (total->type == PGBSON_DOUBLE)
		total->doubles = (before == PGBSON_DOUBLE ? total->doubles : (double) total->integers) + PgBsonDoubleOf(number);
	else
	{
		int64		sum;

		if (pg_add_s64_overflow(total->integers, PgBsonIntegerOf(number), &sum))
		{
			total->type = PGBSON_DOUBLE;
			total->doubles = (double) total->integers + PgBsonDoubleOf(number);
		}
		else
			total->integers = sum;
	}
}

/* MongoDB keeps the product of doubles apart from that of integers */
static void
multiply_by(Total *total, const PgBsonValue *number)
{
	PgBsonType	before = total->type;
	uint8		decimal[PGBSON_DECIMAL128_SIZE];

	total->type = wider_of(before, number->type);
	if (total->type == PGBSON_DECIMAL128)
	{
		total_to_decimal(total, before);
		PgBsonNumberToDecimal(number, decimal);
		PgBsonDecimalMultiply(total->decimals, decimal, total->decimals);
		return;
	}
	total->doubles *= PgBsonDoubleOf(number);
	if (total->type != PGBSON_DOUBLE &&
		pg_mul_s64_overflow(total->integers, PgBsonIntegerOf(number), &total->integers))
		total->type = PGBSON_DOUBLE;
}

/* Begin a product with a number that is no decimal */
static inline void
begin_product(Total *total, const PgBsonValue *number)
{
	total->type = number->type;
	total->doubles = PgBsonDoubleOf(number);
	total->integers = PgBsonIsInteger(number->type) ? PgBsonIntegerOf(number) : 0;
}

PgBsonValue
PgBsonExprCalculate(const PgBsonValue *a, const PgBsonValue *b, bool multiply, bool *overflow)
{
	Total		total = {a->type, .doubles = PgBsonDoubleOf(a)};
	bool		integers = PgBsonIsInteger(a->type) && PgBsonIsInteger(b->type);

	if (PgBsonIsInteger(a->type))
		total.integers = PgBsonIntegerOf(a);
	else if (a->type == PGBSON_DECIMAL128)
		memcpy(total.decimals, a->data, sizeof(total.decimals));
	if (multiply)
		multiply_by(&total, b);
	else
		add_number(&total, b);
	*overflow = integers && total.type == PGBSON_DOUBLE;
	return value_of_total(&total);
}

/* $add and $multiply: the total begins with an int, 0 or 1 */
static PgBsonValue
eval_total(PgBsonExprRun *run, const PgBsonExpr *e)
{
	bool		multiply = e->op->code != 0;
	Total		total = {PGBSON_INT32, false, multiply, multiply};

	check_stack_depth();
	for (int i = 0; i < e->nargs; i++)
	{
		PgBsonValue value = PgBsonExprArg(run, e, i);

		CHECK_FOR_INTERRUPTS();
		if (PgBsonIsNothing(&value))
			return PgBsonNull;
		/* 64 bits hold the sum of as many ints as there can be */
		if (value.type == PGBSON_INT32 && total.type == PGBSON_INT32 && !total.is_date && !multiply)
			total.integers += PgBsonReadI32(value.data);
		else if (value.type == PGBSON_DATE && !multiply)
			add_date(e, &total, &value);
		else if (!PgBsonIsNumber(value.type))
			PgBsonExprWrongType(e, &value, multiply ? gettext_noop("Numbers can be multiplied.") :
								gettext_noop("Numbers and dates can be added."));
		else if (multiply && i == 0 && value.type != PGBSON_DECIMAL128)
			begin_product(&total, &value);
		else if (multiply)
			multiply_by(&total, &value);
		else
			add_number(&total, &value);
	}
	/* opaque, or the compiler would read two members at once, and the processor wait until both are written */
	if (PgBsonOpaque(total.is_date))
		return value_of_total(&total);
	if (total.type == PGBSON_INT32)
		return integer_of_node(e, total.integers);
	if (total.type != PGBSON_DOUBLE)
		return value_of_total(&total);
	PgBsonWriteDouble(unconstify(PgBsonExpr *, e)->room, total.doubles);
	return (PgBsonValue) {PGBSON_DOUBLE, 8, e->room};
}

PgBsonValue
PgBsonExprAdd(const PgBsonValue *a, const PgBsonValue *b)
{
	Total		total = {PGBSON_INT32};

	add_number(&total, a);
	add_number(&total, b);
	return value_of_total(&total);
}

PgBsonValue
PgBsonExprMultiply(const PgBsonValue *a, const PgBsonValue *b)
{
	Total		total = {PGBSON_INT32, false, 1, 1};

	multiply_by(&total, a);
	multiply_by(&total, b);
	return value_of_total(&total);
}

PgBsonValue
PgBsonExprSubtract(const PgBsonValue *a, const PgBsonValue *b)
{
	uint8		x[PGBSON_DECIMAL128_SIZE];
	uint8		y[PGBSON_DECIMAL128_SIZE];
	int64		n;

	if (a->type == PGBSON_DATE)
	{
		if (pg_sub_s64_overflow(PgBsonReadI64(a->data), PgBsonReadI64(b->data), &n))
			PgBsonReportDateOutOfRange();
		return PgBsonMakeInt64(n);
	}
	if (either_is(PGBSON_DECIMAL128, a, b))
	{
		PgBsonNumberToDecimal(a, x);
		PgBsonNumberToDecimal(b, y);
		if (!isnan(PgBsonDoubleOf(b)))
			y[15] ^= 0x80;
		PgBsonDecimalAdd(x, y, x);
		return PgBsonMakeDecimal(x);
	}
	if (either_is(PGBSON_DOUBLE, a, b) ||
		pg_sub_s64_overflow(PgBsonIntegerOf(a), PgBsonIntegerOf(b), &n))
		return PgBsonMakeDouble(PgBsonDoubleOf(a) - PgBsonDoubleOf(b));
	return integer_result(a, b, n);
}

static pg_noinline PgBsonValue
subtract_others(const PgBsonExpr *e, const PgBsonValue *args)
{
	PgBsonValue a = args[0];
	PgBsonValue b = args[1];
	int64		n;

	if (a.type == PGBSON_DATE && b.type == PGBSON_DATE)
		return PgBsonExprSubtract(&a, &b);
	if (a.type == PGBSON_DATE && PgBsonIsNumber(b.type))
	{
		if (pg_sub_s64_overflow(PgBsonReadI64(a.data), milliseconds_of(&b), &n))
			PgBsonReportDateOutOfRange();
		return PgBsonMakeDate(n);
	}
	if (!PgBsonIsNumber(a.type) || !PgBsonIsNumber(b.type))
		PgBsonExprWrongType(e, PgBsonIsNumber(a.type) ? &b : &a,
							gettext_noop("A number can be subtracted from a number or a date, and a date from a date."));
	return PgBsonExprSubtract(&a, &b);
}

/* The arguments were just written, so ints are read without a copy of both: the processor would wait for the writes */
static PgBsonValue
subtract(const PgBsonExpr *e, const PgBsonValue *args)
{
	if (likely(args[0].type == PGBSON_INT32 && args[1].type == PGBSON_INT32))
		return integer_of_node(e, (int64) PgBsonReadI32(args[0].data) - PgBsonReadI32(args[1].data));
	return subtract_others(e, args);
}

static bool
is_zero_number(const PgBsonValue *number)
{
	return !PgBsonExprIsTrue(number);
}

pg_noreturn static void
report_division_by_zero(const PgBsonExpr *e)
{
	PgBsonReport(ERRCODE_DIVISION_BY_ZERO, errmsg("division by zero in bson operator \"%s\"", e->op->name));
}

PgBsonValue
PgBsonExprDivide(const PgBsonValue *a, const PgBsonValue *b)
{
	if (is_zero_number(b))
		return PgBsonNull;
	if (either_is(PGBSON_DECIMAL128, a, b))
		return PgBsonExprDecimals(PgBsonDecimalDivide, a, b);
	return PgBsonMakeDouble(PgBsonDoubleOf(a) / PgBsonDoubleOf(b));
}

static pg_noinline PgBsonValue
divide_others(const PgBsonExpr *e, const PgBsonValue *args)
{
	PgBsonValue a = args[0];
	PgBsonValue b = args[1];
	bool		modulo = e->op->code != 0;
	int64		y;

	if (!PgBsonIsNumber(a.type) || !PgBsonIsNumber(b.type))
		PgBsonExprWrongType(e, PgBsonIsNumber(a.type) ? &b : &a,
							gettext_noop("A number can be divided by a number."));
	if (is_zero_number(&b))
		report_division_by_zero(e);
	if (!modulo)
		return PgBsonExprDivide(&a, &b);
	if (either_is(PGBSON_DECIMAL128, &a, &b))
		return PgBsonExprDecimals(PgBsonDecimalRemainder, &a, &b);
	if (either_is(PGBSON_DOUBLE, &a, &b))
		return PgBsonMakeDouble(fmod(PgBsonDoubleOf(&a), PgBsonDoubleOf(&b)));
	y = PgBsonIntegerOf(&b);
	return integer_result(&a, &b, y == -1 ? 0 : PgBsonIntegerOf(&a) % y);
}

static PgBsonValue
divide_or_mod(const PgBsonExpr *e, const PgBsonValue *args)
{
	if (e->op->code != 0 && args[0].type == PGBSON_INT32 && args[1].type == PGBSON_INT32 &&
		PgBsonReadI32(args[1].data) > 0)
		return integer_of_node(e, PgBsonReadI32(args[0].data) % PgBsonReadI32(args[1].data));
	return divide_others(e, args);
}

/* $abs: the least long has no absolute value that is a long */
static PgBsonValue
absolute(const PgBsonExpr *e, const PgBsonValue *args)
{
	PgBsonValue a = args[0];
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	int64		n;

	if (a.type == PGBSON_DOUBLE)
		return PgBsonMakeDouble(fabs(PgBsonReadDouble(a.data)));
	if (a.type == PGBSON_DECIMAL128)
	{
		memcpy(decimal, a.data, sizeof(decimal));
		decimal[15] &= 0x7F;
		return PgBsonMakeDecimal(decimal);
	}
	n = PgBsonIntegerOf(&a);
	if (n == PG_INT64_MIN)
		PgBsonReportOutOfRange(errmsg("result of bson operator \"%s\" is out of range", e->op->name));
	if (n >= 0)
		return a;
	return integer_result(&a, &a, -n);
}

static PgBsonValue
ceil_or_floor(const PgBsonExpr *e, const PgBsonValue *args)
{
	bool		floors = e->op->code != 0;
	PgBsonValue a = args[0];
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	double		x;

	if (a.type == PGBSON_DOUBLE)
	{
		x = PgBsonReadDouble(a.data);
		return PgBsonMakeDouble(floors ? floor(x) : ceil(x));
	}
	if (a.type != PGBSON_DECIMAL128)
		return a;
	PgBsonDecimalQuantize(a.data, 0, floors ? PGBSON_ROUND_FLOOR : PGBSON_ROUND_CEILING, decimal);
	return PgBsonMakeDecimal(decimal);
}

/* $round and $trunc, to a given number of decimal places */
static PgBsonValue
eval_round(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonRounding rounding = e->op->code != 0 ? PGBSON_ROUND_DOWN : PGBSON_ROUND_HALF_EVEN;
	PgBsonValue a;
	PgBsonValue b;
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	PgBsonValue rounded = {PGBSON_DECIMAL128, sizeof(decimal), decimal};
	PgBsonDecimal d;
	int64		places = 0;
	int64		n;

	if (!PgBsonExprTake(run, e, 0, 'n', &a))
		return PgBsonNull;
	if (e->nargs > 1)
	{
		b = PgBsonExprArg(run, e, 1);
		if (PgBsonIsNothing(&b))
			return PgBsonNull;
		places = PgBsonExprToInt64(e, &b);
		if (places < -20 || places > 100)
			PgBsonExprWrongValue(e, gettext_noop("The number of places must be from -20 to 100."));
	}
	switch (a.type)
	{
		case PGBSON_DOUBLE:
			if (!isfinite(PgBsonReadDouble(a.data)) || PgBsonReadDouble(a.data) == 0)
				return a;
			PgBsonDecimalFromDouble(PgBsonReadDouble(a.data), decimal);
			PgBsonDecimalQuantize(decimal, -places, rounding, decimal);
			/* the number has fewer decimal places than that */
			if (isnan(PgBsonDoubleOf(&rounded)))
				return a;
			return PgBsonMakeDouble(PgBsonDoubleOf(&rounded));
		case PGBSON_DECIMAL128:
			PgBsonDecimalDecode(a.data, &d);
			if (d.kind == PGBSON_NUMBER_NEG_INF || d.kind == PGBSON_NUMBER_POS_INF)
				return a;
			PgBsonDecimalQuantize(a.data, -places, rounding, decimal);
			/* with more places than 34 digits can hold, all digits are kept */
			if (d.kind == PGBSON_NUMBER_FINITE && isnan(PgBsonDoubleOf(&rounded)))
				PgBsonDecimalPad(a.data, decimal);
			return PgBsonMakeDecimal(decimal);
		default:
			if (places >= 0)
				return a;
			PgBsonNumberToDecimal(&a, decimal);
			PgBsonDecimalQuantize(decimal, -places, rounding, decimal);
			if (!PgBsonNumberToInt64(&rounded, &n))
				PgBsonReportOutOfRange(errmsg("result of bson operator \"%s\" is out of range", e->op->name));
			return integer_result(&a, &a, n);
	}
}

const PgBsonExprOp PgBsonExprArith[] = {
	{"$add", 0, -1, eval_total, 0},
	PGBSON_EXPR_SIMPLE("$subtract", "vv", subtract, 0),
	{"$multiply", 0, -1, eval_total, 1},
	PGBSON_EXPR_SIMPLE("$divide", "vv", divide_or_mod, 0),
	PGBSON_EXPR_SIMPLE("$mod", "vv", divide_or_mod, 1),
	PGBSON_EXPR_SIMPLE("$abs", "n", absolute, 0),
	PGBSON_EXPR_SIMPLE("$ceil", "n", ceil_or_floor, 0),
	PGBSON_EXPR_SIMPLE("$floor", "n", ceil_or_floor, 1),
	{"$round", 1, 2, eval_round, 0},
	{"$trunc", 1, 2, eval_round, 1},
	{NULL}
};
