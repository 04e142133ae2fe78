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

const PgBsonValue PgBsonMissing = {PGBSON_MISSING, 0, NULL};

/* Making values */

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
	PgBsonWriterClose(&maker->w, 0);
	return PgBsonWriterResult(&maker->w, type);
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
			return PgBsonNumberCompare(value, &PgBsonZero) != 0;
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
	PgBsonReportLimit(errmsg("result of bson operator \"%s\" is too large", name_of(e)),
					  errdetail("It may have %d megabytes at most.", (int) (PGBSON_EXPR_MAX_VALUE / 1024 / 1024)));
}

void
PgBsonReportDateOutOfRange(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("bson date is out of range")));
}

void
PgBsonExprNeed(const PgBsonExpr *e, const PgBsonValue *value, char letter)
{
	PgBsonType	type = value->type;

	if (letter == 'n' && !PgBsonIsNumber(type))
		PgBsonExprWrongType(e, value, gettext_noop("A number is expected."));
	else if (letter == 'a' && type != PGBSON_ARRAY)
		PgBsonExprWrongType(e, value, gettext_noop("An array is expected."));
	else if (letter == 's' && type != PGBSON_STRING)
		PgBsonExprWrongType(e, value, gettext_noop("A string is expected."));
	else if (letter == 'd' && type != PGBSON_DOCUMENT)
		PgBsonExprWrongType(e, value, gettext_noop("A document is expected."));
	else if (letter == 't' && type != PGBSON_TIMESTAMP)
		PgBsonExprWrongType(e, value, gettext_noop("A timestamp is expected."));
	else if (letter == 'i' && !PgBsonIsInteger(type))
		PgBsonExprWrongType(e, value, gettext_noop("An int or long is expected."));
}

bool
PgBsonExprTake(PgBsonExprRun *run, const PgBsonExpr *e, int i, char letter, PgBsonValue *value)
{
	*value = PgBsonExprArg(run, e, i);
	if (PgBsonIsNothing(value))
		return false;
	PgBsonExprNeed(e, value, letter);
	return true;
}

int32
PgBsonExprToInt32(const PgBsonExpr *e, const PgBsonValue *value)
{
	int32		n;

	PgBsonExprNeed(e, value, 'n');
	if (!PgBsonNumberToInt32(value, &n))
		PgBsonExprWrongValue(e, gettext_noop("A number that is an integer of 32 bits is expected."));
	return n;
}

int64
PgBsonExprToInt64(const PgBsonExpr *e, const PgBsonValue *value)
{
	int64		n;

	PgBsonExprNeed(e, value, 'n');
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
	PgBsonExprNeed(e, value, 's');
	return PgBsonValueString(value, len);
}
