/*
 * method.c
 *	  The item methods type(), size(), double() and keyvalue().
 */
#include "jsonpath/exec.h"

#include <math.h>

#include "core/write/write.h"
#include "utils/float.h"

/* An id of keyvalue() is this times the number of the base object, plus the object's offset in it */
#define BASE_ID_FACTOR		INT64CONST(10000000000)

/* .type() */
PgBsonJpOutcome
PgBsonJpType(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	const char *name = PgBsonJpTypeName(item);

	return PgBsonJpNextValue(st, step, PgBsonJpLiteralString(st, name, name, strlen(name)), out);
}

/* .size() */
PgBsonJpOutcome
PgBsonJpSize(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	PgBsonJpItem result;
	int64		size = 1;

	if (PgBsonJpIsType(item, PGBSON_ARRAY))
		size = PgBsonViewCount(PgBsonValueView(&item->u.value));
	else if (!st->lax)
		return PgBsonJpMismatch(st, ERRCODE_SQL_JSON_ARRAY_NOT_FOUND,
								"jsonpath item method .%s() can only be applied to an array",
									jspOperationName(step->type));
	result = PgBsonJpValueItem(PgBsonMakeInteger(size));
	return PgBsonJpNextMade(st, step, &result, out, unconstify(uint8 *, result.u.value.data));
}

/* Convert the text of a number, or a string, to a double; false if it is not a number, or out of range */
static bool
text_to_double(char *text, double *result)
{
	PgBsonSoftError soft = PGBSON_SOFT_ERROR_INIT;

	*result = PGBSON_FLOAT8IN(text, &soft);
	return !PGBSON_SOFT_ERROR_RAISED(&soft);
}

/* .double() */
PgBsonJpOutcome
PgBsonJpDouble(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	PgBsonJpItem result;
	char	   *text = NULL;
	double		d;

	if (PgBsonJpIsType(item, PGBSON_DOUBLE))
		d = PgBsonReadDouble(item->u.value.data);
	else if (!PgBsonJpIsNumber(item) && !PgBsonJpIsString(item))
		return PgBsonJpFailAt(st, step, ERRCODE_NON_NUMERIC_SQL_JSON_ITEM,
							"jsonpath item method .%s() can only be applied to a string or numeric value");
	else
	{
		text = PgBsonJpScalarText(st, item);
		if (text == NULL || !text_to_double(text, &d))
			return PgBsonJpFail(st, ERRCODE_NON_NUMERIC_SQL_JSON_ITEM,
								"argument \"%s\" of jsonpath item method .%s() is invalid for type %s",
								text != NULL ? text : "", jspOperationName(step->type),
								"double precision");
	}
	if (isnan(d) || isinf(d))
		return PgBsonJpFailAt(st, step, ERRCODE_NON_NUMERIC_SQL_JSON_ITEM,
							"NaN or Infinity is not allowed for jsonpath item method .%s()");
	if (text != NULL)
		pfree(text);
	result = PgBsonJpValueItem(PgBsonMakeDouble(d));
	return PgBsonJpNextMade(st, step, &result, out, unconstify(uint8 *, result.u.value.data));
}

/* Make a document {"key": ..., "value": ..., "id": ...} of this member */
static PgBson *
make_pair(const PgBsonIter *member, int64 id)
{
	PgBsonValue id_value = PgBsonMakeInteger(id);
	PgBsonWriter w;
	Size		start;

	PgBsonCheckDepth(&member->value, 1);
	PgBsonWriterInit(&w, 48 + (Size) member->key_len + member->value.len);
	start = PgBsonWriterOpen(&w);
	PgBsonWriterKey(&w, PGBSON_STRING, "key", 3);
	PgBsonWriterString(&w, member->key, member->key_len);
	PgBsonWriterField(&w, "value", 5, &member->value);
	PgBsonWriterField(&w, "id", 2, &id_value);
	PgBsonWriterClose(&w, start);
	return PgBsonWriterFinish(&w);
}

/*
 * .keyvalue().  The id identifies an object: it combines the number of the base object that the object is in (0 for the
 * root, 1 for the variables, higher numbers for those made by keyvalue() itself) and the object's byte offset in that.
 */
PgBsonJpOutcome
PgBsonJpKeyvalue(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	const uint8 *saved_base = st->base;
	int64		saved_base_id = st->base_id;
	PgBsonJpOutcome result = PGBSON_JP_EMPTY;
	PgBsonIter	iter;
	int64		id;

	if (!PgBsonJpIsType(item, PGBSON_DOCUMENT))
		return PgBsonJpFailAt(st, step, ERRCODE_SQL_JSON_OBJECT_NOT_FOUND,
							"jsonpath item method .%s() can only be applied to an object");

	id = st->base_id * BASE_ID_FACTOR + (item->u.value.data - st->base);
	PgBsonIterInit(&iter, PgBsonValueView(&item->u.value));
	while (PgBsonIterNext(&iter) && !PgBsonJpSettled(result, out))
	{
		PgBson	   *made;
		PgBsonJpItem pair;
		PgBsonJpOutcome outcome;

		CHECK_FOR_INTERRUPTS();
		if (out == NULL && !jspHasNext(step))
			return PGBSON_JP_FOUND;
		made = make_pair(&iter, id);
		pair = PgBsonJpValueItem(PgBsonRoot(made));
		st->base = pair.u.value.data;
		st->base_id = st->next_base_id++;
		outcome = PgBsonJpNextMade(st, step, &pair, out, made);
		if (outcome != PGBSON_JP_EMPTY)
			result = outcome;
		st->base = saved_base;
		st->base_id = saved_base_id;
	}
	return result;
}
