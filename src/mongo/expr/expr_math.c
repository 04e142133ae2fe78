/*
 * expr_math.c
 *	  Expressions: powers and logarithms, trigonometry, bits.
 *
 * Functions of decimals are exact to 34 digits, except trigonometric functions, which have the
 * precision of doubles.
 *
 * The authority is MongoDB's src/mongo/db/exec/expression/evaluate_math.cpp.
 */
#include "mongo/expr/expr.h"

#include <float.h>
#include <math.h>

#include "core/number/decimal.h"
#include "core/number/number_text.h"

enum
{
	SQRT, EXP, LN, LOG10,
	SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, ASINH, ACOSH, ATANH, TO_RADIANS, TO_DEGREES
};

static PgBsonValue
decimal_from_double(double d)
{
	PgBsonValue value = PgBsonMakeDouble(d);

	return PgBsonExprDecimal(&value);
}

/* The number as a double; one that is too small for a double becomes DBL_MIN with its sign, not zero */
static double
nonzero_double(const PgBsonValue *number)
{
	double		x = PgBsonDoubleOf(number);

	return x == 0 && PgBsonExprIsTrue(number) ? copysign(DBL_MIN, x) : x;
}

pg_noreturn static void
report_domain(const PgBsonExpr *e, const char *detail)
{
	PgBsonReportInvalid(errmsg("bson operator \"%s\" is not defined for this number", e->op->name),
						errdetail("%s", _(detail)));
}

static double
to_radians(double x)
{
	return x * (M_PI / 180);
}

static double
to_degrees(double x)
{
	return x * (180 / M_PI);
}

/* Multiply by a constant of 34 digits */
static void
multiply_by_factor(const uint8 *decimal, const char *factor, uint8 *result)
{
	uint8		x[PGBSON_DECIMAL128_SIZE];

	(void) PgBsonDecimalFromText(factor, strlen(factor), x);
	PgBsonDecimalMultiply(decimal, x, result);
}

static void
decimal_to_radians(const uint8 *decimal, uint8 *result)
{
	multiply_by_factor(decimal, "0.01745329251994329576923690768488613", result);
}

static void
decimal_to_degrees(const uint8 *decimal, uint8 *result)
{
	multiply_by_factor(decimal, "57.29577951308232087679815481410517", result);
}

/* A function of one number, defined for numbers from "least" to "most"; NaN gives NaN */
typedef struct Function
{
	double		(*of_double) (double x);
	void		(*of_decimal) (const uint8 *x, uint8 *result);	/* NULL: that of doubles */
	double		least;
	double		most;
	const char *domain;			/* the numbers that are allowed, for the error */
} Function;

#define FINITE		-DBL_MAX, DBL_MAX, gettext_noop("A finite number is expected.")
#define POSITIVE	DBL_TRUE_MIN, INFINITY, gettext_noop("A positive number is expected.")
#define TO_ONE		-1, 1, gettext_noop("A number from -1 to 1 is expected.")
#define ANY			-INFINITY, INFINITY

static const Function functions[] = {
	[SQRT] = {sqrt, PgBsonDecimalSqrt, 0, INFINITY, gettext_noop("A number that is not negative is expected.")},
	[EXP] = {exp, PgBsonDecimalExp, ANY},
	[LN] = {log, PgBsonDecimalLn, POSITIVE},
	[LOG10] = {log10, PgBsonDecimalLog10, POSITIVE},
	[SIN] = {sin, NULL, FINITE},
	[COS] = {cos, NULL, FINITE},
	[TAN] = {tan, NULL, FINITE},
	[ASIN] = {asin, NULL, TO_ONE},
	[ACOS] = {acos, NULL, TO_ONE},
	[ATAN] = {atan, NULL, ANY},
	[SINH] = {sinh, NULL, ANY},
	[COSH] = {cosh, NULL, ANY},
	[TANH] = {tanh, NULL, ANY},
	[ASINH] = {asinh, NULL, ANY},
	[ACOSH] = {acosh, NULL, 1, INFINITY, gettext_noop("A number that is at least 1 is expected.")},
	[ATANH] = {atanh, NULL, TO_ONE},
	[TO_RADIANS] = {to_radians, decimal_to_radians, ANY},
	[TO_DEGREES] = {to_degrees, decimal_to_degrees, ANY}
};

/* Apply the function to a decimal; the result is a decimal */
static PgBsonValue
calculate_decimal(int code, const PgBsonValue *a)
{
	uint8		result[PGBSON_DECIMAL128_SIZE];
	PgBsonDecimal d;

	PgBsonDecimalDecode(a->data, &d);
	/* numeric's functions are not defined for infinity and NaN */
	if (functions[code].of_decimal == NULL || (d.kind != PGBSON_NUMBER_FINITE && code <= LOG10))
		return decimal_from_double(functions[code].of_double(PgBsonDoubleOf(a)));
	functions[code].of_decimal(a->data, result);
	return PgBsonMakeDecimal(result);
}

/* An operator of one number, by the table of functions; 22023 where it is not defined */
static PgBsonValue
eval_math_function(const PgBsonExpr *e, const PgBsonValue *args)
{
	const Function *function = &functions[e->op->code];
	PgBsonValue a = args[0];
	double		x = nonzero_double(&a);

	if (x < function->least || x > function->most)
		report_domain(e, function->domain);
	/* the logarithm of NaN is NaN, as a double */
	if (a.type == PGBSON_DECIMAL128 && !(isnan(x) && (e->op->code == LN || e->op->code == LOG10)))
		return calculate_decimal(e->op->code, &a);
	return PgBsonMakeDouble(function->of_double(PgBsonDoubleOf(&a)));
}

/* 1 / (1 + exp(-x)) */
static PgBsonValue
sigmoid(const PgBsonExpr *e, const PgBsonValue *args)
{
	PgBsonValue x = PgBsonMakeInt32(-1);

	if (args[0].type != PGBSON_DECIMAL128)
		return PgBsonMakeDouble(1 / (1 + exp(-PgBsonDoubleOf(&args[0]))));
	x = PgBsonExprDecimals(PgBsonDecimalMultiply, &x, &args[0]);
	x = calculate_decimal(EXP, &x);
	x = PgBsonExprDecimals(PgBsonDecimalAdd, &PgBsonOne, &x);
	return PgBsonExprDecimals(PgBsonDecimalDivide, &PgBsonOne, &x);
}

static PgBsonValue
arctangent2(const PgBsonExpr *e, const PgBsonValue *args)
{
	double		result = atan2(PgBsonDoubleOf(&args[0]), PgBsonDoubleOf(&args[1]));
	bool		decimal = args[0].type == PGBSON_DECIMAL128 || args[1].type == PGBSON_DECIMAL128;

	return decimal ? decimal_from_double(result) : PgBsonMakeDouble(result);
}

/* The logarithm of decimals to any base: like MongoDB divide two rounded logarithms */
static PgBsonValue
logarithm(const PgBsonExpr *e, const PgBsonValue *args)
{
	PgBsonValue a = args[0];
	PgBsonValue b = args[1];
	double		base;
	volatile double log_a;		/* volatile: the x87 would keep more digits than a double has up to the division */
	volatile double log_base;

	base = nonzero_double(&b);
	if (nonzero_double(&a) <= 0)
		report_domain(e, gettext_noop("A positive number is expected."));
	if (base <= 0 || (base == 1 && PgBsonNumberCompare(&b, &PgBsonOne) == 0))
		report_domain(e, gettext_noop("A base that is positive and not 1 is expected."));
	if ((a.type != PGBSON_DECIMAL128 && b.type != PGBSON_DECIMAL128) || isnan(PgBsonDoubleOf(&a)) || isnan(base))
	{
		log_a = log(PgBsonDoubleOf(&a));
		log_base = log(base);
		return PgBsonMakeDouble(log_a / log_base);
	}
	a = PgBsonExprDecimal(&a);
	a = calculate_decimal(LN, &a);
	b = PgBsonExprDecimal(&b);
	b = calculate_decimal(LN, &b);
	return PgBsonExprDecimals(PgBsonDecimalDivide, &a, &b);
}

/* The power of an integer, with an exponent up to 63; false on overflow */
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

/* A power whose base or exponent is a decimal */
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
		return PgBsonMakeDecimal(x);
	}
	result = decimal_from_double(pow(nonzero_double(a), nonzero_double(b)));
	PgBsonDecimalPad(result.data, x);
	return PgBsonMakeDecimal(x);
}

/* $pow: integers give an integer if 64 bits can hold it, else a double */
static PgBsonValue
power(const PgBsonExpr *e, const PgBsonValue *args)
{
	PgBsonValue a = args[0];
	PgBsonValue b = args[1];
	int64		base;
	int64		exponent;
	int64		n;
	bool		is_long;

	if (!PgBsonExprIsTrue(&a) && PgBsonDoubleOf(&b) < 0)
		report_domain(e, gettext_noop("Zero has no negative powers."));
	if (a.type == PGBSON_DECIMAL128 || b.type == PGBSON_DECIMAL128)
		return power_of_decimals(&a, &b);
	if (a.type == PGBSON_DOUBLE || b.type == PGBSON_DOUBLE)
		return PgBsonMakeDouble(pow(PgBsonDoubleOf(&a), PgBsonDoubleOf(&b)));

	base = PgBsonIntegerOf(&a);
	exponent = PgBsonIntegerOf(&b);
	is_long = a.type == PGBSON_INT64 || b.type == PGBSON_INT64;
	if (base == -1 || base == 1)
		n = exponent % 2 == 0 ? 1 : base;
	else if (base == 0)
		n = exponent == 0;
	else if (exponent < 0 || exponent > 63 || !power_of_integers(base, exponent, &n))
		return PgBsonMakeDouble(pow((double) base, (double) exponent));
	return is_long ? PgBsonMakeInt64(n) : PgBsonMakeInteger(n);
}

enum
{
	BIT_AND, BIT_OR, BIT_XOR
};

/* $bitAnd, $bitOr, $bitXor: a long if an argument is one, else an int; null if one is null or missing */
static PgBsonValue
eval_bits(PgBsonExprRun *run, const PgBsonExpr *e)
{
	int64		bits = e->op->code == BIT_AND ? -1 : 0;
	bool		is_long = false;

	for (int i = 0; i < e->nargs; i++)
	{
		PgBsonValue value;

		CHECK_FOR_INTERRUPTS();
		if (!PgBsonExprTake(run, e, i, 'i', &value))
			return PgBsonNull;
		is_long |= value.type == PGBSON_INT64;
		if (e->op->code == BIT_AND)
			bits &= PgBsonIntegerOf(&value);
		else if (e->op->code == BIT_OR)
			bits |= PgBsonIntegerOf(&value);
		else
			bits ^= PgBsonIntegerOf(&value);
	}
	return is_long ? PgBsonMakeInt64(bits) : PgBsonMakeInt32((int32) bits);
}

static PgBsonValue
bit_not(const PgBsonExpr *e, const PgBsonValue *args)
{
	int64		bits = ~PgBsonIntegerOf(&args[0]);

	return args[0].type == PGBSON_INT64 ? PgBsonMakeInt64(bits) : PgBsonMakeInt32((int32) bits);
}

const PgBsonExprOp PgBsonExprMath[] = {
	PGBSON_EXPR_SIMPLE("$sqrt", "n", eval_math_function, SQRT),
	PGBSON_EXPR_SIMPLE("$exp", "n", eval_math_function, EXP),
	PGBSON_EXPR_SIMPLE("$ln", "n", eval_math_function, LN),
	PGBSON_EXPR_SIMPLE("$log10", "n", eval_math_function, LOG10),
	PGBSON_EXPR_SIMPLE("$log", "nn", logarithm, 0),
	{"$sigmoid", 0, 0, PgBsonExprEvalSimple, 0, NULL, PgBsonExprParseSingle, NULL, "n", sigmoid},
	PGBSON_EXPR_SIMPLE("$pow", "nn", power, 0),
	PGBSON_EXPR_SIMPLE("$sin", "n", eval_math_function, SIN),
	PGBSON_EXPR_SIMPLE("$cos", "n", eval_math_function, COS),
	PGBSON_EXPR_SIMPLE("$tan", "n", eval_math_function, TAN),
	PGBSON_EXPR_SIMPLE("$asin", "n", eval_math_function, ASIN),
	PGBSON_EXPR_SIMPLE("$acos", "n", eval_math_function, ACOS),
	PGBSON_EXPR_SIMPLE("$atan", "n", eval_math_function, ATAN),
	PGBSON_EXPR_SIMPLE("$atan2", "nn", arctangent2, 0),
	PGBSON_EXPR_SIMPLE("$sinh", "n", eval_math_function, SINH),
	PGBSON_EXPR_SIMPLE("$cosh", "n", eval_math_function, COSH),
	PGBSON_EXPR_SIMPLE("$tanh", "n", eval_math_function, TANH),
	PGBSON_EXPR_SIMPLE("$asinh", "n", eval_math_function, ASINH),
	PGBSON_EXPR_SIMPLE("$acosh", "n", eval_math_function, ACOSH),
	PGBSON_EXPR_SIMPLE("$atanh", "n", eval_math_function, ATANH),
	PGBSON_EXPR_SIMPLE("$degreesToRadians", "n", eval_math_function, TO_RADIANS),
	PGBSON_EXPR_SIMPLE("$radiansToDegrees", "n", eval_math_function, TO_DEGREES),
	{"$bitAnd", 0, -1, eval_bits, BIT_AND},
	{"$bitOr", 0, -1, eval_bits, BIT_OR},
	{"$bitXor", 0, -1, eval_bits, BIT_XOR},
	PGBSON_EXPR_SIMPLE("$bitNot", "i", bit_not, 0),
	{NULL}
};
