/*
 * jsonb.c
 *	  bson to jsonb, value by value.
 *
 * What JSON has no syntax for becomes the wrapper object of relaxed Extended
 * JSON.  The way back is in from_jsonb.c.
 */
#include "json/jsonb.h"

#include <math.h>

#include "common/base64.h"
#include "core/number.h"
#include "json/extjson.h"
#include "json/recode.h"
#include "json/spell.h"
#include "miscadmin.h"
#include "utils/builtins.h"

/* A jsonb value being made */
typedef struct Writer
{
	JsonbParseState *state;
	JsonbIteratorToken slot;	/* what the next value is: WJB_VALUE or WJB_ELEM */
	JsonbValue	root;			/* if the state is empty: the finished value */
} Writer;

static void
put(Writer *w, JsonbValue *v)
{
	if (w->state == NULL)
		w->root = *v;
	else
		pushJsonbValue(&w->state, w->slot, v);
}

/* "begin" is WJB_BEGIN_OBJECT or WJB_BEGIN_ARRAY; returns what close wants */
static JsonbIteratorToken
open_container(Writer *w, JsonbIteratorToken begin)
{
	JsonbIteratorToken outer_slot = w->slot;

	pushJsonbValue(&w->state, begin, NULL);
	w->slot = begin == WJB_BEGIN_OBJECT ? WJB_VALUE : WJB_ELEM;
	return outer_slot;
}

static void
close_container(Writer *w, JsonbIteratorToken end, JsonbIteratorToken outer_slot)
{
	JsonbValue *done = pushJsonbValue(&w->state, end, NULL);

	w->slot = outer_slot;
	if (w->state == NULL)
		w->root = *done;
}

static JsonbValue
string_value(const char *s, uint32 len)
{
	JsonbValue	v;

	s = PgBsonToServerText(s, &len);
	v.type = jbvString;
	v.val.string.val = unconstify(char *, s);
	v.val.string.len = len;
	return v;
}

static void
put_key(Writer *w, const char *key, uint32 len)
{
	JsonbValue	v = string_value(key, len);

	pushJsonbValue(&w->state, WJB_KEY, &v);
}

/* UTF-8, not copied: it must live until the end */
static void
put_string(Writer *w, const char *s, uint32 len)
{
	JsonbValue	v = string_value(s, len);

	put(w, &v);
}

static void
put_numeric(Writer *w, Numeric num)
{
	JsonbValue	v;

	v.type = jbvNumeric;
	v.val.numeric = num;
	put(w, &v);
}

/* {"key": "s"}; s as in put_string */
static void
put_wrapped(Writer *w, const char *key, const char *s, uint32 len)
{
	JsonbIteratorToken outer = open_container(w, WJB_BEGIN_OBJECT);

	put_key(w, key, strlen(key));
	put_string(w, s, len);
	close_container(w, WJB_END_OBJECT, outer);
}

static void
put_key_and_int(Writer *w, const char *key, int64 v)
{
	put_key(w, key, strlen(key));
	put_numeric(w, int64_to_numeric(v));
}

/*
 * A double has a point in jsonb, even where its value is an integer: so it is
 * told from an integer, and comes back as a double.
 */
static void
put_double(Writer *w, const PgBsonValue *value)
{
	double		d = PgBsonReadDouble(value->data);

	if (isnan(d) || isinf(d))
	{
		char	   *text = palloc(PGBSON_SPELL_SIZE);

		put_wrapped(w, "$numberDouble", text, PgBsonDoubleToText(d, text));
	}
	else if (d != floor(d))
		put_numeric(w, PgBsonNumberToNumeric(value));
	else if (fabs(d) <= PGBSON_EXACT_DOUBLE)
		put_numeric(w, int64_div_fast_to_numeric((int64) d * 10, 1));
	else
		put_numeric(w, DatumGetNumeric(DirectFunctionCall2(numeric_round,
														   NumericGetDatum(PgBsonNumberToNumeric(value)),
														   Int32GetDatum(1))));
}

static void
put_decimal(Writer *w, const PgBsonValue *value)
{
	Numeric		num = PgBsonNumberToNumeric(value);

	if (numeric_is_nan(num) || numeric_is_inf(num))
	{
		char	   *text = palloc(PGBSON_DECIMAL128_TEXT);

		put_wrapped(w, "$numberDecimal", text, PgBsonDecimalToText(value->data, text));
	}
	else
		put_numeric(w, num);
}

static void
put_date(Writer *w, int64 ms)
{
	char	   *text = palloc(PGBSON_SPELL_SIZE);
	JsonbIteratorToken outer;

	if (PgBsonDateHasIso(ms))
		put_wrapped(w, "$date", text, PgBsonSpellDate(ms, text));
	else
	{
		outer = open_container(w, WJB_BEGIN_OBJECT);
		put_key(w, "$date", 5);
		put_wrapped(w, "$numberLong", text, pg_lltoa(ms, text));
		close_container(w, WJB_END_OBJECT, outer);
	}
}

static void
put_object_id(Writer *w, const uint8 *oid)
{
	char	   *text = palloc(PGBSON_SPELL_SIZE);

	put_wrapped(w, "$oid", text, PgBsonSpellHex(oid, 12, text));
}

static void
put_binary(Writer *w, const PgBsonValue *value)
{
	uint8		subtype;
	uint32		len;
	const uint8 *data = PgBsonValueBinary(value, &subtype, &len);
	Size		room = ((Size) len + 2) / 3 * 4 + 1;
	char	   *base64;
	char	   *hex = palloc(2);
	JsonbIteratorToken outer;
	JsonbIteratorToken inner;

	base64 = palloc(room);
	outer = open_container(w, WJB_BEGIN_OBJECT);
	put_key(w, "$binary", 7);
	inner = open_container(w, WJB_BEGIN_OBJECT);
	put_key(w, "base64", 6);
	/* void *: the server's prototypes differ in signedness */
	put_string(w, base64, pg_b64_encode((const void *) data, len, base64, room));
	put_key(w, "subType", 7);
	put_string(w, hex, PgBsonSpellHex(&subtype, 1, hex));
	close_container(w, WJB_END_OBJECT, inner);
	close_container(w, WJB_END_OBJECT, outer);
}

static void
put_timestamp(Writer *w, const uint8 *data)
{
	JsonbIteratorToken outer = open_container(w, WJB_BEGIN_OBJECT);
	JsonbIteratorToken inner;

	put_key(w, "$timestamp", 10);
	inner = open_container(w, WJB_BEGIN_OBJECT);
	put_key_and_int(w, "t", PgBsonReadU32(data + 4));
	put_key_and_int(w, "i", PgBsonReadU32(data));
	close_container(w, WJB_END_OBJECT, inner);
	close_container(w, WJB_END_OBJECT, outer);
}

static void
put_regex(Writer *w, const PgBsonValue *value)
{
	const char *pattern = (const char *) value->data;
	const char *options = pattern + strlen(pattern) + 1;
	uint32		options_len = strlen(options);
	JsonbIteratorToken outer = open_container(w, WJB_BEGIN_OBJECT);
	JsonbIteratorToken inner;

	put_key(w, "$regularExpression", 18);
	inner = open_container(w, WJB_BEGIN_OBJECT);
	put_key(w, "pattern", 7);
	put_string(w, pattern, strlen(pattern));
	put_key(w, "options", 7);
	put_string(w, PgBsonSortedOptions(options, options_len), options_len);
	close_container(w, WJB_END_OBJECT, inner);
	close_container(w, WJB_END_OBJECT, outer);
}

static void
put_dbpointer(Writer *w, const PgBsonValue *value)
{
	JsonbIteratorToken outer = open_container(w, WJB_BEGIN_OBJECT);
	JsonbIteratorToken inner;

	put_key(w, "$dbPointer", 10);
	inner = open_container(w, WJB_BEGIN_OBJECT);
	put_key(w, "$ref", 4);
	put_string(w, (const char *) value->data + 4, value->len - 17);
	put_key(w, "$id", 3);
	put_object_id(w, value->data + value->len - 12);
	close_container(w, WJB_END_OBJECT, inner);
	close_container(w, WJB_END_OBJECT, outer);
}

static void put_value(Writer *w, const PgBsonValue *value);

static void
put_code_with_scope(Writer *w, const PgBsonValue *value)
{
	PgBsonView	view = PgBsonValueScope(value);
	PgBsonValue scope = {PGBSON_DOCUMENT, view.len, view.data};
	uint32		len;
	const char *code = PgBsonValueScopedCode(value, &len);
	JsonbIteratorToken outer = open_container(w, WJB_BEGIN_OBJECT);

	put_key(w, "$code", 5);
	put_string(w, code, len);
	put_key(w, "$scope", 6);
	put_value(w, &scope);
	close_container(w, WJB_END_OBJECT, outer);
}

static void
put_container(Writer *w, PgBsonView view, bool is_document)
{
	JsonbIteratorToken outer;
	PgBsonIter	iter;

	check_stack_depth();
	outer = open_container(w, is_document ? WJB_BEGIN_OBJECT : WJB_BEGIN_ARRAY);
	PgBsonIterInit(&iter, view);
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		if (is_document)
			put_key(w, iter.key, iter.key_len);
		put_value(w, &iter.value);
	}
	close_container(w, is_document ? WJB_END_OBJECT : WJB_END_ARRAY, outer);
}

static void
put_value(Writer *w, const PgBsonValue *value)
{
	JsonbValue	v;
	uint32		len;
	const char *s;

	switch (value->type)
	{
		case PGBSON_DOCUMENT:
		case PGBSON_ARRAY:
			put_container(w, PgBsonValueView(value), value->type == PGBSON_DOCUMENT);
			break;
		case PGBSON_STRING:
			s = PgBsonValueString(value, &len);
			put_string(w, s, len);
			break;
		case PGBSON_BOOL:
			v.type = jbvBool;
			v.val.boolean = value->data[0] != 0;
			put(w, &v);
			break;
		case PGBSON_NULL:
			v.type = jbvNull;
			put(w, &v);
			break;
		case PGBSON_INT32:
			put_numeric(w, int64_to_numeric(PgBsonReadI32(value->data)));
			break;
		case PGBSON_INT64:
			put_numeric(w, int64_to_numeric(PgBsonReadI64(value->data)));
			break;
		case PGBSON_DOUBLE:
			put_double(w, value);
			break;
		case PGBSON_DECIMAL128:
			put_decimal(w, value);
			break;
		case PGBSON_DATE:
			put_date(w, PgBsonReadI64(value->data));
			break;
		case PGBSON_OBJECTID:
			put_object_id(w, value->data);
			break;
		case PGBSON_BINARY:
			put_binary(w, value);
			break;
		case PGBSON_TIMESTAMP:
			put_timestamp(w, value->data);
			break;
		case PGBSON_REGEX:
			put_regex(w, value);
			break;
		case PGBSON_DBPOINTER:
			put_dbpointer(w, value);
			break;
		case PGBSON_CODE:
			s = PgBsonValueString(value, &len);
			put_wrapped(w, "$code", s, len);
			break;
		case PGBSON_SYMBOL:
			s = PgBsonValueString(value, &len);
			put_wrapped(w, "$symbol", s, len);
			break;
		case PGBSON_CODE_W_SCOPE:
			put_code_with_scope(w, value);
			break;
		case PGBSON_UNDEFINED:
		case PGBSON_MINKEY:
		case PGBSON_MAXKEY:
			{
				JsonbIteratorToken outer = open_container(w, WJB_BEGIN_OBJECT);

				if (value->type == PGBSON_UNDEFINED)
				{
					put_key(w, "$undefined", 10);
					v.type = jbvBool;
					v.val.boolean = true;
					put(w, &v);
				}
				else
					put_key_and_int(w, value->type == PGBSON_MINKEY ? "$minKey" : "$maxKey", 1);
				close_container(w, WJB_END_OBJECT, outer);
				break;
			}
		case PGBSON_EOD:
			elog(ERROR, "unexpected bson type %d", (int) value->type);
	}
}

Jsonb *
PgBsonToJsonb(const PgBsonValue *value)
{
	Writer		w;

	w.state = NULL;
	w.slot = WJB_ELEM;
	put_value(&w, value);
	return JsonbValueToJsonb(&w.root);
}
