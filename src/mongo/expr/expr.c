/*
 * expr.c
 *	  Evaluating an expression: paths, documents, arrays; and making values.
 *
 * The authority is MongoDB's ExpressionFieldPath, ExpressionObject and
 * ExpressionArray in src/mongo/db/pipeline/expression.cpp.
 */
#include "mongo/expr/expr.h"

#include "core/bytes/value.h"
#include "core/find/path.h"
#include "core/number/number.h"
#include "core/order/compare.h"
#include "core/write/write.h"
#include "miscadmin.h"

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
	PgBsonValue value = {PGBSON_NULL, 0, NULL};

	return value;
}

PgBsonValue
PgBsonExprMissing(void)
{
	PgBsonValue value = {PGBSON_MISSING, 0, NULL};

	return value;
}

PgBsonValue
PgBsonExprBool(bool b)
{
	static const uint8 bytes[2] = {0, 1};
	PgBsonValue value = {PGBSON_BOOL, 1, bytes + (b ? 1 : 0)};

	return value;
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

	/* push either a few large values or many small ones */
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

static void
need_number(const PgBsonExpr *e, const PgBsonValue *value)
{
	if (!PgBsonIsNumber(value->type))
		PgBsonExprWrongType(e, value, gettext_noop("A number is expected."));
}

int32
PgBsonExprToInt32(const PgBsonExpr *e, const PgBsonValue *value)
{
	int32		n;

	need_number(e, value);
	if (!PgBsonNumberToInt32(value, &n))
		PgBsonExprWrongValue(e, gettext_noop("A number that is an integer of 32 bits is expected."));
	return n;
}

int64
PgBsonExprToInt64(const PgBsonExpr *e, const PgBsonValue *value)
{
	int64		n;

	need_number(e, value);
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
	need_number(e, number);
	return true;
}

/* Raise an error unless the value has the type that the small letter stands for (see PGBSON_EXPR_SIMPLE) */
static void
check_argument(const PgBsonExpr *e, const PgBsonValue *value, char letter)
{
	PgBsonType	type = value->type;

	if (letter == 'n')
		need_number(e, value);
	else if (letter == 'a')
		PgBsonExprNeedArray(e, value);
	else if (letter == 's' && type != PGBSON_STRING)
		PgBsonExprWrongType(e, value, gettext_noop("A string is expected."));
	else if (letter == 'd' && type != PGBSON_DOCUMENT)
		PgBsonExprWrongType(e, value, gettext_noop("A document is expected."));
	else if (letter == 't' && type != PGBSON_TIMESTAMP)
		PgBsonExprWrongType(e, value, gettext_noop("A timestamp is expected."));
	else if (letter == 'i' && !PgBsonIsInteger(type))
		PgBsonExprWrongType(e, value, gettext_noop("An int or long is expected."));
}

PgBsonValue
PgBsonExprEvalSimple(PgBsonExprRun *run, const PgBsonExpr *e)
{
	const char *takes = e->op->takes;
	PgBsonValue args[PGBSON_EXPR_MAX_SIMPLE];
	bool		null = false;

	for (int i = 0; i < e->nargs; i++)
	{
		args[i] = PgBsonExprArg(run, e, i);
		null |= PgBsonIsNothing(&args[i]) && takes[i] >= 'a';
	}
	if (null)
		return PgBsonExprNull();
	for (int i = 0; i < e->nargs; i++)
	{
		if ((takes[i] | 0x20) != 'v')
			check_argument(e, &args[i], takes[i] | 0x20);
	}
	return e->op->simple(e, args);
}

/* Nodes that are not operators */

PgBsonValue
PgBsonExprEvalConstant(PgBsonExprRun *run, const PgBsonExpr *e)
{
	return e->constant;
}

/*
 * The first evaluation of a constant part: its value, allocated where the tree is, replaces the
 * calculation
 */
PgBsonValue
PgBsonExprEvalOnce(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonExpr *node = (PgBsonExpr *) e;
	MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(node));

	node->constant = e->once(run, e);
	MemoryContextSwitchTo(old);
	node->eval = PgBsonExprEvalConstant;
	return node->constant;
}

static PgBsonValue path_of(const PgBsonValue *value, const PgBsonKeyRef *names, int nnames);

/* From each document among the elements take what the path leads to; other elements give nothing */
static PgBsonValue
path_of_elements(const PgBsonValue *array, const PgBsonKeyRef *names, int nnames)
{
	PgBsonExprMaker maker;

	PgBsonExprOpen(&maker, 0);
	PgBsonForEach(iter, PgBsonValueView(array))
	{
		PgBsonValue found;

		if (iter.value.type != PGBSON_DOCUMENT)
			continue;
		found = path_of(&iter.value, names, nnames);
		if (found.type != PGBSON_MISSING)
			PgBsonExprPush(&maker, &found);
	}
	return PgBsonExprClose(&maker, PGBSON_ARRAY);
}

/*
 * The value at the path's names from number "name" on, below this value.  If an array is on the way
 * the result is an array with what its documents give.
 */
static PgBsonValue
path_of(const PgBsonValue *value, const PgBsonKeyRef *names, int nnames)
{
	PgBsonValue at = *value;

	for (int i = 0; i < nnames; i++)
	{
		if (at.type == PGBSON_ARRAY)
		{
			check_stack_depth();
			return path_of_elements(&at, names + i, nnames - i);
		}
		if (at.type != PGBSON_DOCUMENT ||
			!PgBsonFindKey(PgBsonValueView(&at), names[i].key, names[i].len, &at))
			return PgBsonExprMissing();
	}
	return at;
}

PgBsonValue
PgBsonExprEvalPath(PgBsonExprRun *run, const PgBsonExpr *e)
{
	return path_of(&run->slots[e->slot], e->names, e->nnames);
}

PgBsonValue
PgBsonExprEvalArray(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonExprMaker maker;

	check_stack_depth();
	PgBsonExprOpen(&maker, 0);
	for (int i = 0; i < e->nargs; i++)
	{
		PgBsonValue value = PgBsonExprArg(run, e, i);

		CHECK_FOR_INTERRUPTS();
		PgBsonExprPush(&maker, &value);
	}
	return PgBsonExprClose(&maker, PGBSON_ARRAY);
}

PgBsonValue
PgBsonExprEvalObject(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonExprMaker maker;

	check_stack_depth();
	PgBsonExprOpen(&maker, 0);
	for (int i = 0; i < e->nargs; i++)
	{
		PgBsonValue value = PgBsonExprArg(run, e, i);

		CHECK_FOR_INTERRUPTS();
		PgBsonExprField(&maker, e->names[i].key, e->names[i].len, &value);
	}
	return PgBsonExprClose(&maker, PGBSON_DOCUMENT);
}

/* Is this variable in the list of those that have no value? */
static bool
has_no_value(const PgBsonValue *variables, const PgBsonKeyRef *name)
{
	PgBsonValue list;

	if (!PgBsonFindKey(PgBsonValueView(variables), PGBSON_NO_VALUE, strlen(PGBSON_NO_VALUE), &list) ||
		list.type != PGBSON_ARRAY)
		return false;
	PgBsonForEach(iter, PgBsonValueView(&list))
	{
		uint32		len;
		const char *s;

		if (iter.value.type != PGBSON_STRING)
			continue;
		s = PgBsonValueString(&iter.value, &len);
		if (len == name->len && memcmp(s, name->key, len) == 0)
			return true;
	}
	return false;
}

/* The value of a variable that the caller gives; 22023 if the caller gave none of this name */
static PgBsonValue
variable_value(const PgBsonValue *variables, const PgBsonKeyRef *name)
{
	PgBsonValue value;

	if (variables != NULL)
	{
		if (has_no_value(variables, name))
			return PgBsonExprMissing();
		if (PgBsonFindKey(PgBsonValueView(variables), name->key, name->len, &value))
			return value;
	}
	PgBsonReportInvalid(errmsg("undefined variable in a bson expression: \"%.*s\"",
								(int) name->len, name->key));
}

PgBsonValue
PgBsonExpressionEvaluate(const PgBsonExpression *expression, const PgBsonValue *doc,
						 const PgBsonValue *variables, const PgBsonValue *values)
{
	PgBsonExprRun run;

	run.slots = palloc(expression->nslots * sizeof(PgBsonValue));
	run.slots[0] = *doc;
	for (int i = 0; i < expression->ndefined; i++)
		run.slots[i + 1] = values[i];
	for (int i = 0; i < expression->nvariables; i++)
		run.slots[expression->variable_slots[i]] = variable_value(variables, &expression->variables[i]);
	return expression->root->eval(&run, expression->root);
}
