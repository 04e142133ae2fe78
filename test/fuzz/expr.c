/*
 * expr.c
 *	  MongoDB's expressions: values are valid, and the same at each evaluation.
 *
 * The operators are those of the tables.  There is no numeric, and of the time
 * zones only offsets.
 */
#include "fuzz.h"

#include "core/write/from_value.h"
#include "mongo/expr/expr.h"

static const PgBsonExprOp *const tables[] = {
	PgBsonExprLogic, PgBsonExprArith, PgBsonExprArray, PgBsonExprLoop, PgBsonExprString, PgBsonExprObject, PgBsonExprSet,
	PgBsonExprDate, PgBsonExprDateText, PgBsonExprConvert, PgBsonExprMath, PgBsonExprAccumulate, PgBsonExprDateMath, PgBsonExprRegex
};

static PgBsonValue doc;
static PgBsonValue expression;
static PgBsonExpression *parsed;
static PgBsonValue first;

static void put_expression(PgBsonBuilder *b, FuzzInput *in, int level);

/* A string that means something in one place or another */
static void
put_string(PgBsonBuilder *b, FuzzInput *in)
{
	static const char *const strings[] = {
		"$a", "$b", "$a.b", "$$ROOT", "$$this", "$$value", "$$v", "$$REMOVE", "a", "", "aab\303\244", "day", "month", "week", "hour",
		"millisecond", "+05:30", "UTC", "2024-02-29T12:34:56Z", "%Y-%m-%d %H:%M:%S.%L %z %j %V", "approximate", "(a)|(b*)", "i",
		"int", "decimal", "string", "date", "double", "objectId", "12345", "1.5e3", "mon",
		"binData", "long", "big", "little", "auto", "hex", "base64", "base64url", "utf8", "uuid", "-0xff", "-000012", "\t2024-02-29 12:34\302\240", "ab", "AQID",
		"01020304-0506-0708-090a-0b0c0d0e0f10"
	};
	const char *s = strings[FuzzByte(in) % lengthof(strings)];

	PgBsonBuilderString(b, s, strlen(s));
}

/* Those of the names "input! as in!" that the input chooses, most of them */
static void
put_named(PgBsonBuilder *b, FuzzInput *in, int level, const char *names)
{
	PgBsonBuilderOpenDocument(b);
	while (*names != '\0')
	{
		Size		width = strcspn(names, " !");

		if (FuzzByte(in) % 4 != 0)
		{
			PgBsonBuilderKey(b, names, width);
			if (width == 2 && memcmp(names, "as", 2) == 0)
				PgBsonBuilderString(b, "v", 1);
			else
				put_expression(b, in, level + 1);
		}
		names += strcspn(names, " ");
		names += strspn(names, " ");
	}
	PgBsonBuilderClose(b);
}

static void
put_operator(PgBsonBuilder *b, FuzzInput *in, int level)
{
	static const char *const others[] = {
		"input as in", "input as cond limit", "input initialValue in", "vars in", "branches default", "case then", "if then else", "input sortBy",
		"inputs defaults useLongestLength", "v", "field input value"
	};
	const PgBsonExprOp *op = tables[FuzzByte(in) % lengthof(tables)];
	int			count = 0;

	while (op[count].name != NULL)
		count++;
	op += FuzzByte(in) % count;
	PgBsonBuilderOpenDocument(b);
	FuzzPutKey(b, op->name);
	if (op->fields != NULL && FuzzByte(in) % 8 != 0)
		put_named(b, in, level, op->fields);
	else if (op->parse != NULL && FuzzByte(in) % 4 != 0)
		put_named(b, in, level, others[FuzzByte(in) % lengthof(others)]);
	else if (FuzzByte(in) % 4 == 0)
		put_expression(b, in, level + 1);
	else
	{
		int			n = op->max < 0 ? FuzzByte(in) % 4 : Max(op->max, 1);

		PgBsonBuilderOpenArray(b);
		while (n-- > 0)
			put_expression(b, in, level + 1);
		PgBsonBuilderClose(b);
	}
	PgBsonBuilderClose(b);
}

static void
put_expression(PgBsonBuilder *b, FuzzInput *in, int level)
{
	switch (level < 6 ? FuzzByte(in) % 8 : 0)
	{
		case 0:
			FuzzPutValue(b, in);
			break;
		case 1:
		case 2:
			put_string(b, in);
			break;
		case 3:
			PgBsonBuilderOpenArray(b);
			for (int n = FuzzByte(in) % 4; n > 0; n--)
				put_expression(b, in, level + 1);
			PgBsonBuilderClose(b);
			break;
		default:
			put_operator(b, in, level);
			break;
	}
}

static void
make(void *arg)
{
	FuzzInput  *in = arg;
	PgBsonBuilder *b = PgBsonBuilderBegin();

	put_expression(b, in, 0);
	expression = PgBsonRoot(PgBsonBuilderFinish(b));
	doc = PgBsonRoot(FuzzMake(in));
}

static void
parse(void *arg)
{
	parsed = PgBsonExpressionParse(&expression, NULL);
}

static void
evaluate(void *arg)
{
	PgBsonValue value = PgBsonExpressionEvaluate(parsed, &doc, NULL, NULL);

	if (value.type != PGBSON_MISSING)
	{
		PgBsonCheckDepth(&value, 1);
		FuzzCheckDatum(PgBsonFromValue(&value));
	}
	*(PgBsonValue *) arg = value;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput	in = {data, data + size};
	PgBsonValue second;

	/* what is constant is calculated by the first evaluation */
	if (FuzzTry(make, &in) && FuzzTryValid(parse, NULL) && FuzzTryValid(evaluate, &first))
	{
		FuzzCheck(FuzzTryValid(evaluate, &second));
		FuzzCheck(first.type == second.type && first.len == second.len &&
				  (first.len == 0 || memcmp(first.data, second.data, first.len) == 0));
	}
	FuzzReset();
	return 0;
}
