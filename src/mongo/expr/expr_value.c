/*
 * expr_value.c
 *	  The values of expressions: making them, and reading those of arguments.
 *
 * The authority is MongoDB's src/mongo/db/exec/document_value/value.cpp.
 */
#include "mongo/expr/expr.h"

#include "core/bytes/value.h"
#include "core/number/number.h"
#include "core/order/compare.h"

/* Making values */

PgBsonValue
PgBsonExprBytes(PgBsonType type, const uint8 *bytes, Size len)
{
	PgBsonValue value = {type, len, NULL};
	uint8	   *copy;

	if (len > PGBSON_MAX_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("bson value of an expression is too large")));
	copy = palloc(Max(len, 1));
	if (len > 0)
		memcpy(copy, bytes, len);
	value.data = copy;
	return value;
}

PgBsonValue
PgBsonExprNull(void)
{
	return (PgBsonValue) {PGBSON_NULL, 0, NULL};
}

PgBsonValue
PgBsonExprMissing(void)
{
	return (PgBsonValue) {PGBSON_MISSING, 0, NULL};
}

PgBsonValue
PgBsonExprBool(bool b)
{
	static const uint8 bytes[2] = {0, 1};

	return (PgBsonValue) {PGBSON_BOOL, 1, bytes + (b ? 1 : 0)};
}

PgBsonValue
PgBsonExprInt32(int32 n)
{
	uint8	   *bytes = palloc(4);
	PgBsonValue value = {PGBSON_INT32, 4, bytes};

	PgBsonWriteU32(bytes, (uint32) n);
	return value;
}

static PgBsonValue
eight_bytes(PgBsonType type, uint64 bits)
{
	uint8	   *bytes = palloc(8);
	PgBsonValue value = {type, 8, bytes};

	PgBsonWriteU64(bytes, bits);
	return value;
}

PgBsonValue
PgBsonExprInt64(int64 n)
{
	return eight_bytes(PGBSON_INT64, (uint64) n);
}

PgBsonValue
PgBsonExprInteger(int64 n)
{
	if (n >= PG_INT32_MIN && n <= PG_INT32_MAX)
		return PgBsonExprInt32((int32) n);
	return PgBsonExprInt64(n);
}

PgBsonValue
PgBsonExprDateOf(int64 ms)
{
	return eight_bytes(PGBSON_DATE, (uint64) ms);
}

PgBsonValue
PgBsonExprDouble(double d)
{
	uint64		bits;

	memcpy(&bits, &d, sizeof(bits));
	return eight_bytes(PGBSON_DOUBLE, bits);
}

PgBsonValue
PgBsonExprDecimal(const uint8 *bytes)
{
	return PgBsonExprBytes(PGBSON_DECIMAL128, bytes, PGBSON_DECIMAL128_SIZE);
}

PgBsonValue
PgBsonExprText(const char *s, Size len)
{
	uint8	   *bytes;
	PgBsonValue value = {PGBSON_STRING, len + PGBSON_STRING_EXTRA, NULL};

	if (len > PGBSON_MAX_SIZE - PGBSON_STRING_EXTRA)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("bson value of an expression is too large")));
	bytes = palloc(len + PGBSON_STRING_EXTRA);
	PgBsonPutString(bytes, s, (uint32) len);
	value.data = bytes;
	return value;
}

void
PgBsonExprOpen(PgBsonExprMaker *maker, Size expected)
{
	PgBsonWriterInit(&maker->w, Max(expected, 64));
	(void) PgBsonWriterOpen(&maker->w);
	maker->count = 0;
}

void
PgBsonExprPush(PgBsonExprMaker *maker, const PgBsonValue *value)
{
	PgBsonCheckDepth(value, 1);
	PgBsonWriterIndex(&maker->w, value->type == PGBSON_MISSING ? PGBSON_NULL : value->type, maker->count++);
	PgBsonWriterValue(&maker->w, value);
}

void
PgBsonExprField(PgBsonExprMaker *maker, const char *key, uint32 len, const PgBsonValue *value)
{
	if (value->type == PGBSON_MISSING)
		return;
	PgBsonCheckDepth(value, 1);
	PgBsonWriterField(&maker->w, key, len, value);
	maker->count++;
}

PgBsonValue
PgBsonExprClose(PgBsonExprMaker *maker, PgBsonType type)
{
	PgBsonValue value = {type, 0, NULL};

	PgBsonWriterClose(&maker->w, 0);
	value.len = maker->w.len;
	value.data = maker->w.data;
	return value;
}

PgBsonValue
PgBsonExprPair(const char *key, uint32 key_len, const PgBsonValue *value)
{
	Size		len = (Size) value->len + key_len + 7;
	uint8	   *bytes = palloc_extended(len, MCXT_ALLOC_HUGE);
	PgBsonValue document = {PGBSON_DOCUMENT, (uint32) len, bytes};

	PgBsonWriteU32(bytes, (uint32) len);
	bytes[4] = value->type;
	memcpy(bytes + 5, key, key_len);
	bytes[5 + key_len] = 0;
	if (value->len > 0)
		memcpy(bytes + 6 + key_len, value->data, value->len);
	bytes[len - 1] = 0;
	return document;
}

PgBsonValue
PgBsonExprMakeArray(const PgBsonValue *elements, int count)
{
	PgBsonExprMaker maker;

	PgBsonExprOpen(&maker, 0);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonExprPush(&maker, &elements[i]);
	}
	return PgBsonExprClose(&maker, PGBSON_ARRAY);
}

PgBsonValue
PgBsonExprDocument(const char *key,...)
{
	PgBsonExprMaker maker;
	va_list		args;

	PgBsonExprOpen(&maker, 0);
	va_start(args, key);
	for (; key != NULL; key = va_arg(args, const char *))
		PgBsonExprField(&maker, key, strlen(key), va_arg(args, const PgBsonValue *));
	va_end(args);
	return PgBsonExprClose(&maker, PGBSON_DOCUMENT);
}

PgBsonValue *
PgBsonExprElements(const PgBsonValue *array, int *count)
{
	Size		room = array->len / 7 + 1;
	PgBsonValue *elements;
	int			n = 0;

	/* an array of few bytes has few elements, a long one may have few that are large: make room for some first */
	room = Min(room, 64);
	elements = palloc(room * sizeof(PgBsonValue));
	PgBsonForEach(iter, PgBsonValueView(array))
	{
		if (n == room)
		{
			room *= 2;
			elements = repalloc_huge(elements, room * sizeof(PgBsonValue));
		}
		elements[n++] = iter.value;
	}
	*count = n;
	return elements;
}

/* Reading them */

bool
PgBsonExprIsTrue(const PgBsonValue *value)
{
	switch (value->type)
	{
		case PGBSON_MISSING:
		case PGBSON_NULL:
		case PGBSON_UNDEFINED:
			return false;
		case PGBSON_BOOL:
			return value->data[0] != 0;
		case PGBSON_INT32:
			return PgBsonReadI32(value->data) != 0;
		case PGBSON_INT64:
			return PgBsonReadI64(value->data) != 0;
		case PGBSON_DOUBLE:
			return PgBsonReadDouble(value->data) != 0;
		case PGBSON_DECIMAL128:
			{
				static const uint8 zero_bytes[4] = {0, 0, 0, 0};
				const PgBsonValue zero = {PGBSON_INT32, 4, zero_bytes};

				return PgBsonNumberCompare(value, &zero) != 0;
			}
		default:
			return true;
	}
}

int
PgBsonExprCompare(const PgBsonValue *a, const PgBsonValue *b)
{
	if (a->type == PGBSON_MISSING || b->type == PGBSON_MISSING)
	{
		/* as with undefined, only MinKey sorts before it */
		PgBsonType	x = a->type == PGBSON_MISSING ? PGBSON_UNDEFINED : a->type;
		PgBsonType	y = b->type == PGBSON_MISSING ? PGBSON_UNDEFINED : b->type;

		return PgBsonTypeRank(x) - PgBsonTypeRank(y);
	}
	return PgBsonCompare(a, b);
}

const char *
PgBsonExprTypeName(const PgBsonValue *value)
{
	return value->type == PGBSON_MISSING ? "missing" : PgBsonTypeName(value->type);
}

static const char *
name_of(const PgBsonExpr *e)
{
	return e->op == NULL ? "" : e->op->name;
}

void
PgBsonExprWrongType(const PgBsonExpr *e, const PgBsonValue *value, const char *detail)
{
	PgBsonReportInvalid(errmsg("bson operator \"%s\" does not take a value of type %s", name_of(e),
								PgBsonExprTypeName(value)),
						errdetail("%s", _(detail)));
}

void
PgBsonExprWrongValue(const PgBsonExpr *e, const char *detail)
{
	PgBsonReportInvalid(errmsg("bson operator \"%s\" does not take this value", name_of(e)),
						errdetail("%s", _(detail)));
}

void
PgBsonExprTooLarge(const PgBsonExpr *e)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("result of bson operator \"%s\" is too large", name_of(e)),
			 errdetail("It may have %d megabytes at most.", (int) (PGBSON_EXPR_MAX_VALUE / 1024 / 1024))));
}

void
PgBsonReportDateOutOfRange(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("bson date is out of range")));
}

void
PgBsonExprNeedNumber(const PgBsonExpr *e, const PgBsonValue *value)
{
	if (!PgBsonIsNumber(value->type))
		PgBsonExprWrongType(e, value, gettext_noop("A number is expected."));
}

int32
PgBsonExprToInt32(const PgBsonExpr *e, const PgBsonValue *value)
{
	int32		n;

	PgBsonExprNeedNumber(e, value);
	if (!PgBsonNumberToInt32(value, &n))
		PgBsonExprWrongValue(e, gettext_noop("A number that is an integer of 32 bits is expected."));
	return n;
}

int64
PgBsonExprToInt64(const PgBsonExpr *e, const PgBsonValue *value)
{
	int64		n;

	PgBsonExprNeedNumber(e, value);
	if (!PgBsonNumberToInt64(value, &n))
		PgBsonExprWrongValue(e, gettext_noop("A number that is an integer of 64 bits is expected."));
	return n;
}

int32
PgBsonExprBound(PgBsonExprRun *run, const PgBsonExpr *e, int i, int32 otherwise)
{
	PgBsonValue value;
	int32		n;

	if (i >= e->nargs)
		return otherwise;
	value = PgBsonExprArg(run, e, i);
	n = PgBsonExprToInt32(e, &value);
	if (n < 0)
		PgBsonExprWrongValue(e, gettext_noop("The bounds must not be negative."));
	return n;
}

const char *
PgBsonExprToString(const PgBsonExpr *e, const PgBsonValue *value, uint32 *len)
{
	if (value->type != PGBSON_STRING)
		PgBsonExprWrongType(e, value, gettext_noop("A string is expected."));
	return PgBsonValueString(value, len);
}

void
PgBsonExprNeedArray(const PgBsonExpr *e, const PgBsonValue *value)
{
	if (value->type != PGBSON_ARRAY)
		PgBsonExprWrongType(e, value, gettext_noop("An array is expected."));
}

bool
PgBsonExprNumberArg(PgBsonExprRun *run, const PgBsonExpr *e, int i, PgBsonValue *number)
{
	*number = PgBsonExprArg(run, e, i);
	if (PgBsonIsNothing(number))
		return false;
	PgBsonExprNeedNumber(e, number);
	return true;
}
