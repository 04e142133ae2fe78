/*
 * expr_math.c
 *	  Expressions: powers and logarithms, trigonometry, bits.
 *
 * Functions of decimals have 34 digits, those of trigonometry a double's
 * precision.
 */
#include "mongo/expr/expr.h"

#include <float.h>
#include <math.h>

#include "common/int.h"
#include "core/number/decimal.h"
#include "core/number/decimal_from.h"
#include "core/number/decimal_functions.h"
#include "core/number/decimal_math.h"
#include "core/number/number_text.h"
#include "miscadmin.h"
#include "utils/builtins.h"

enum
{
	SQRT, EXP, LN, LOG10,
	SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, ASINH, ACOSH, ATANH, TO_RADIANS, TO_DEGREES
};

static PgBsonValue
decimal_from_double(double d)
{
	uint8		bytes[8];
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	PgBsonValue value = {PGBSON_DOUBLE, 8, bytes};

	PgBsonWriteDouble(bytes, d);
	PgBsonNumberToDecimal(&value, decimal);
	return PgBsonExprDecimal(decimal);
}

/* As a double that is not zero unless the number is */
static double
sign_kept(const PgBsonValue *number)
{
	double		x = PgBsonDoubleOf(number);

	return x == 0 && PgBsonExprIsTrue(number) ? copysign(DBL_MIN, x) : x;
}

pg_noreturn static void
report_domain(const PgBsonExpr *e, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("bson operator \"%s\" is not defined for this number", e->op->name),
			 errdetail("%s", _(detail))));
}

/* Raise where the function has no value; NaN has one, NaN */
static void
check_domain(const PgBsonExpr *e, double x)
{
	switch (e->op->code)
	{
		case SQRT:
			if (x < 0)
				report_domain(e, gettext_noop("A number that is not negative is expected."));
			break;
		case LN:
		case LOG10:
			if (x <= 0)
				report_domain(e, gettext_noop("A positive number is expected."));
			break;
		case SIN:
		case COS:
		case TAN:
			if (isinf(x))
				report_domain(e, gettext_noop("A finite number is expected."));
			break;
		case ASIN:
		case ACOS:
		case ATANH:
			if (x < -1 || x > 1)
				report_domain(e, gettext_noop("A number from -1 to 1 is expected."));
			break;
		case ACOSH:
			if (x < 1)
				report_domain(e, gettext_noop("A number that is at least 1 is expected."));
			break;
		default:
			break;
	}
}

static double
calculate(int code, double x)
{
	switch (code)
	{
		case SQRT:
			return sqrt(x);
		case EXP:
			return exp(x);
		case LN:
			return log(x);
		case LOG10:
			return log10(x);
		case SIN:
			return sin(x);
		case COS:
			return cos(x);
		case TAN:
			return tan(x);
		case ASIN:
			return asin(x);
		case ACOS:
			return acos(x);
		case ATAN:
			return atan(x);
		case SINH:
			return sinh(x);
		case COSH:
			return cosh(x);
		case TANH:
			return tanh(x);
		case ASINH:
			return asinh(x);
		case ACOSH:
			return acosh(x);
		case ATANH:
			return atanh(x);
		case TO_RADIANS:
			return x * (M_PI / 180);
		default:
			return x * (180 / M_PI);
	}
}

/* $degreesToRadians, $radiansToDegrees: times a constant of 34 digits */
static PgBsonValue
convert_angle(int code, const uint8 *decimal)
{
	const char *text = code == TO_RADIANS ? "0.01745329251994329576923690768488613" : "57.29577951308232087679815481410517";
	uint8		factor[PGBSON_DECIMAL128_SIZE];

	(void) PgBsonDecimalFromText(text, strlen(text), factor);
	PgBsonDecimalMultiply(decimal, factor, factor);
	return PgBsonExprDecimal(factor);
}

static PgBsonValue
calculate_decimal(int code, const PgBsonValue *a)
{
	double		x = PgBsonDoubleOf(a);
	uint8		result[PGBSON_DECIMAL128_SIZE];
	PgBsonDecimal d;

	PgBsonDecimalDecode(a->data, &d);
	/* what is special goes by doubles, and so does what numeric has no function for */
	if (d.kind != PGBSON_NUMBER_FINITE || code > LOG10)
	{
		if (code == TO_RADIANS || code == TO_DEGREES)
			return convert_angle(code, a->data);
		return decimal_from_double(calculate(code, x));
	}
	switch (code)
	{
		case SQRT:
			PgBsonDecimalSqrt(a->data, result);
			break;
		case EXP:
			PgBsonDecimalExp(a->data, result);
			break;
		case LN:
			PgBsonDecimalLn(a->data, result);
			break;
		default:
			PgBsonDecimalLog10(a->data, result);
			break;
	}
	return PgBsonExprDecimal(result);
}

static PgBsonValue
eval_function(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue a = PgBsonExprArg(run, e, 0);

	if (PgBsonIsNothing(&a))
		return PgBsonExprNull();
	if (!PgBsonIsNumber(a.type))
		PgBsonExprWrongType(e, &a, gettext_noop("A number is expected."));
	check_domain(e, sign_kept(&a));
	/* NaN has a logarithm, and it is a double */
	if (a.type == PGBSON_DECIMAL128 && !(isnan(PgBsonDoubleOf(&a)) && (e->op->code == LN || e->op->code == LOG10)))
		return calculate_decimal(e->op->code, &a);
	return PgBsonExprDouble(calculate(e->op->code, PgBsonDoubleOf(&a)));
}

/* The operand is no list of arguments */
static void
parse_sigmoid(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	e->args = palloc(sizeof(PgBsonExpr *));
	e->args[e->nargs++] = PgBsonExprParseOperand(parser, operand);
}

/* 1 / (1 + exp(-x)) */
static PgBsonValue
eval_sigmoid(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue a = PgBsonExprArg(run, e, 0);
	uint8		one[PGBSON_DECIMAL128_SIZE];
	uint8		x[PGBSON_DECIMAL128_SIZE];
	PgBsonValue negative = {PGBSON_DECIMAL128, sizeof(x), x};
	PgBsonValue power;

	if (PgBsonIsNothing(&a))
		return PgBsonExprNull();
	if (!PgBsonIsNumber(a.type))
		PgBsonExprWrongType(e, &a, gettext_noop("A number is expected."));
	if (a.type != PGBSON_DECIMAL128)
		return PgBsonExprDouble(1 / (1 + exp(-PgBsonDoubleOf(&a))));
	(void) PgBsonDecimalFromText("-1", 2, x);
	PgBsonDecimalMultiply(x, a.data, x);
	power = calculate_decimal(EXP, &negative);
	(void) PgBsonDecimalFromText("1", 1, one);
	PgBsonDecimalAdd(one, power.data, x);
	PgBsonDecimalDivide(one, x, x);
	return PgBsonExprDecimal(x);
}

/* Two numbers; false: the result is null */
static bool
two_numbers(PgBsonExprRun *run, const PgBsonExpr *e, PgBsonValue *a, PgBsonValue *b)
{
	*a = PgBsonExprArg(run, e, 0);
	*b = PgBsonExprArg(run, e, 1);
	if (PgBsonIsNothing(a) || PgBsonIsNothing(b))
		return false;
	if (!PgBsonIsNumber(a->type))
		PgBsonExprWrongType(e, a, gettext_noop("A number is expected."));
	if (!PgBsonIsNumber(b->type))
		PgBsonExprWrongType(e, b, gettext_noop("A number is expected."));
	return true;
}

static PgBsonValue
eval_atan2(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue a;
	PgBsonValue b;
	double		result;

	if (!two_numbers(run, e, &a, &b))
		return PgBsonExprNull();
	result = atan2(PgBsonDoubleOf(&a), PgBsonDoubleOf(&b));
	if (a.type == PGBSON_DECIMAL128 || b.type == PGBSON_DECIMAL128)
		return decimal_from_double(result);
	return PgBsonExprDouble(result);
}

/* Of a positive number, as a decimal */
static void
ln_of(const PgBsonValue *number, uint8 *result)
{
	PgBsonDecimal d;

	PgBsonNumberToDecimal(number, result);
	PgBsonDecimalDecode(result, &d);
	if (d.kind == PGBSON_NUMBER_FINITE)
		PgBsonDecimalLn(result, result);
}

/* Of decimals: the quotient of two rounded logarithms, as the server has it */
static PgBsonValue
eval_log(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue a;
	PgBsonValue b;
	uint8		x[PGBSON_DECIMAL128_SIZE];
	uint8		y[PGBSON_DECIMAL128_SIZE];
	PgBsonValue one = PgBsonExprInt32(1);
	double		base;
	volatile double log_a;		/* else the x87 divides what its logarithms return, more than a double holds */
	volatile double log_base;

	if (!two_numbers(run, e, &a, &b))
		return PgBsonExprNull();
	base = sign_kept(&b);
	if (sign_kept(&a) <= 0)
		report_domain(e, gettext_noop("A positive number is expected."));
	if (base <= 0 || (base == 1 && PgBsonNumberCompare(&b, &one) == 0))
		report_domain(e, gettext_noop("A base that is positive and not 1 is expected."));
	if ((a.type != PGBSON_DECIMAL128 && b.type != PGBSON_DECIMAL128) || isnan(PgBsonDoubleOf(&a)) || isnan(base))
	{
		log_a = log(PgBsonDoubleOf(&a));
		log_base = log(base);
		return PgBsonExprDouble(log_a / log_base);
	}
	ln_of(&a, x);
	ln_of(&b, y);
	PgBsonDecimalDivide(x, y, x);
	return PgBsonExprDecimal(x);
}

/* The exponent is at most 63; false on overflow */
static bool
power_of_integers(int64 base, int64 exponent, int64 *result)
{
	*result = 1;
	for (int64 i = 0; i < exponent; i++)
	{
		if (pg_mul_s64_overflow(*result, base, result))
			return false;
	}
	return true;
}

static PgBsonValue
power_of_decimals(const PgBsonValue *a, const PgBsonValue *b)
{
	uint8		x[PGBSON_DECIMAL128_SIZE];
	uint8		y[PGBSON_DECIMAL128_SIZE];
	PgBsonDecimal dx;
	PgBsonDecimal dy;
	PgBsonValue result;

	PgBsonNumberToDecimal(a, x);
	PgBsonNumberToDecimal(b, y);
	PgBsonDecimalDecode(x, &dx);
	PgBsonDecimalDecode(y, &dy);
	if (dx.kind == PGBSON_NUMBER_FINITE && dy.kind == PGBSON_NUMBER_FINITE && PgBsonExprIsTrue(a))
	{
		PgBsonDecimalPower(x, y, x);
		return PgBsonExprDecimal(x);
	}
	result = decimal_from_double(pow(sign_kept(a), sign_kept(b)));
	PgBsonDecimalPad(result.data, x);
	return PgBsonExprDecimal(x);
}

static PgBsonValue
eval_pow(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue a;
	PgBsonValue b;
	int64		base;
	int64		exponent;
	int64		n;
	bool		is_long;

	if (!two_numbers(run, e, &a, &b))
		return PgBsonExprNull();
	if (!PgBsonExprIsTrue(&a) && PgBsonDoubleOf(&b) < 0)
		report_domain(e, gettext_noop("Zero has no negative powers."));
	if (a.type == PGBSON_DECIMAL128 || b.type == PGBSON_DECIMAL128)
		return power_of_decimals(&a, &b);
	if (a.type == PGBSON_DOUBLE || b.type == PGBSON_DOUBLE)
		return PgBsonExprDouble(pow(PgBsonDoubleOf(&a), PgBsonDoubleOf(&b)));

	base = PgBsonIntegerOf(&a);
	exponent = PgBsonIntegerOf(&b);
	is_long = a.type == PGBSON_INT64 || b.type == PGBSON_INT64;
	if (base == -1 || base == 1)
		n = exponent % 2 == 0 ? 1 : base;
	else if (base == 0)
		n = exponent == 0;
	else if (exponent < 0 || exponent > 63 || !power_of_integers(base, exponent, &n))
		return PgBsonExprDouble(pow((double) base, (double) exponent));
	return is_long ? PgBsonExprInt64(n) : PgBsonExprInteger(n);
}

enum
{
	BIT_AND, BIT_OR, BIT_XOR
};

static void
need_integer(const PgBsonExpr *e, const PgBsonValue *value)
{
	if (value->type != PGBSON_INT32 && value->type != PGBSON_INT64)
		PgBsonExprWrongType(e, value, gettext_noop("An int or long is expected."));
}

static PgBsonValue
eval_bits(PgBsonExprRun *run, const PgBsonExpr *e)
{
	int64		bits = e->op->code == BIT_AND ? -1 : 0;
	bool		is_long = false;

	for (int i = 0; i < e->nargs; i++)
	{
		PgBsonValue value = PgBsonExprArg(run, e, i);

		CHECK_FOR_INTERRUPTS();
		if (PgBsonIsNothing(&value))
			return PgBsonExprNull();
		need_integer(e, &value);
		is_long |= value.type == PGBSON_INT64;
		if (e->op->code == BIT_AND)
			bits &= PgBsonIntegerOf(&value);
		else if (e->op->code == BIT_OR)
			bits |= PgBsonIntegerOf(&value);
		else
			bits ^= PgBsonIntegerOf(&value);
	}
	return is_long ? PgBsonExprInt64(bits) : PgBsonExprInt32((int32) bits);
}

static PgBsonValue
eval_bit_not(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue value = PgBsonExprArg(run, e, 0);

	if (PgBsonIsNothing(&value))
		return PgBsonExprNull();
	need_integer(e, &value);
	return value.type == PGBSON_INT64 ? PgBsonExprInt64(~PgBsonIntegerOf(&value)) :
		PgBsonExprInt32((int32) ~PgBsonIntegerOf(&value));
}

static const PgBsonExprOp ops[] = {
	{"$sqrt", 1, 1, eval_function, SQRT},
	{"$exp", 1, 1, eval_function, EXP},
	{"$ln", 1, 1, eval_function, LN},
	{"$log10", 1, 1, eval_function, LOG10},
	{"$log", 2, 2, eval_log},
	{"$sigmoid", 0, 0, eval_sigmoid, 0, NULL, parse_sigmoid},
	{"$pow", 2, 2, eval_pow},
	{"$sin", 1, 1, eval_function, SIN},
	{"$cos", 1, 1, eval_function, COS},
	{"$tan", 1, 1, eval_function, TAN},
	{"$asin", 1, 1, eval_function, ASIN},
	{"$acos", 1, 1, eval_function, ACOS},
	{"$atan", 1, 1, eval_function, ATAN},
	{"$atan2", 2, 2, eval_atan2},
	{"$sinh", 1, 1, eval_function, SINH},
	{"$cosh", 1, 1, eval_function, COSH},
	{"$tanh", 1, 1, eval_function, TANH},
	{"$asinh", 1, 1, eval_function, ASINH},
	{"$acosh", 1, 1, eval_function, ACOSH},
	{"$atanh", 1, 1, eval_function, ATANH},
	{"$degreesToRadians", 1, 1, eval_function, TO_RADIANS},
	{"$radiansToDegrees", 1, 1, eval_function, TO_DEGREES},
	{"$bitAnd", 0, -1, eval_bits, BIT_AND},
	{"$bitOr", 0, -1, eval_bits, BIT_OR},
	{"$bitXor", 0, -1, eval_bits, BIT_XOR},
	{"$bitNot", 1, 1, eval_bit_not}
};

const PgBsonExprTable PgBsonExprMath = {ops, lengthof(ops)};
