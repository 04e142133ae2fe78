/*
 * expr_value.c
 *	  The values of expressions: reading those of arguments.
 *
 * The authority is MongoDB's src/mongo/db/exec/document_value/value.cpp.
 */
#include "mongo/expr/expr.h"

#include "core/bytes/value.h"
#include "core/number/number.h"
#include "core/order/compare.h"

const PgBsonValue PgBsonMissing = {PGBSON_MISSING, 0, NULL};

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

void
PgBsonExprWrongType(const PgBsonExpr *e, const PgBsonValue *value, const char *detail)
{
	PgBsonReportInvalid(errmsg("bson operator \"%s\" does not take a value of type %s", PgBsonExprName(e),
								PgBsonExprTypeName(value)),
						errdetail("%s", _(detail)));
}

void
PgBsonExprWrongValue(const PgBsonExpr *e, const char *detail)
{
	PgBsonReportInvalid(errmsg("bson operator \"%s\" does not take this value", PgBsonExprName(e)),
						errdetail("%s", _(detail)));
}

void
PgBsonReportDateOutOfRange(void)
{
	PgBsonReport(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE, errmsg("bson date is out of range"));
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
