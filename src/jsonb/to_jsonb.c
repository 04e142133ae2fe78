/*
 * to_jsonb.c
 *	  bson to jsonb, value by value.
 *
 * The datum is written in one pass (jsonb_format.h).  The server's way, a tree
 * of all values whose objects are sorted by qsort, takes three times as long.
 *
 * A value that has no JSON syntax becomes the wrapper object of relaxed
 * Extended JSON. from_jsonb.c has the way back.
 */
#include "jsonb/to_jsonb.h"

#include <math.h>

#include "common/base64.h"
#include "core/bytes/recode.h"
#include "core/number/number_text.h"
#include "json/extjson.h"
#include "json/print.h"
#include "jsonb/jsonb_format.h"
#include "utils/builtins.h"

/* One conversion */
typedef struct Pass
{
	PgBsonJsonbWriter w;
	PgBsonJsonbMembers members;
} Pass;

static void put_jsonb_value(Pass *pass, const PgBsonValue *value);

/* UTF-8 */
static inline void
put_string(PgBsonJsonbWriter *w, const char *s, uint32 len)
{
	s = PgBsonToServerText(s, &len);
	PgBsonJsonbText(w, s, len);
}

/* {"key": "s"}; s as in put_string */
static void
put_wrapped(PgBsonJsonbWriter *w, const char *key, const char *s, uint32 len)
{
	PgBsonJsonbFrame frame;

	PgBsonJsonbOpen(w, &frame, JB_FOBJECT, 2);
	PgBsonJsonbKey(w, key);
	put_string(w, s, len);
	PgBsonJsonbClose(w);
}

/*
 * A double has a decimal point in jsonb, even if its value is an integer.
 * This distinguishes it from an integer, so that it comes back as a double.
 */
static void
put_jsonb_double(PgBsonJsonbWriter *w, const PgBsonValue *value)
{
	double		d = PgBsonReadDouble(value->data);
	char		text[PGBSON_SPELL_SIZE];

	if (isnan(d) || isinf(d))
		put_wrapped(w, PGBSON_DOLLAR_NUMBER_DOUBLE, text, PgBsonDoubleToText(d, text));
	else if (d != floor(d))
		PgBsonJsonbNumeric(w, PgBsonNumberToNumeric(value));
	else if (fabs(d) <= PGBSON_EXACT_DOUBLE)
		PgBsonJsonbNumeric(w, int64_div_fast_to_numeric((int64) d * 10, 1));
	else
		PgBsonJsonbNumeric(w, DatumGetNumeric(DirectFunctionCall2(numeric_round,
														   NumericGetDatum(PgBsonNumberToNumeric(value)),
														   Int32GetDatum(1))));
}

static void
put_decimal(PgBsonJsonbWriter *w, const PgBsonValue *value)
{
	Numeric		num = PgBsonNumberToNumeric(value);
	char		text[PGBSON_DECIMAL128_TEXT];

	if (numeric_is_nan(num) || numeric_is_inf(num))
		put_wrapped(w, PGBSON_DOLLAR_NUMBER_DECIMAL, text, PgBsonDecimalToText(value->data, text));
	else
		PgBsonJsonbNumeric(w, num);
}

static void
put_jsonb_date(PgBsonJsonbWriter *w, int64 ms)
{
	char		text[PGBSON_SPELL_SIZE];
	PgBsonJsonbFrame frame;

	if (PgBsonDateHasIso(ms))
		put_wrapped(w, PGBSON_DOLLAR_DATE, text, PgBsonSpellDate(ms, text));
	else
	{
		PgBsonJsonbOpen(w, &frame, JB_FOBJECT, 2);
		PgBsonJsonbKey(w, PGBSON_DOLLAR_DATE);
		put_wrapped(w, PGBSON_DOLLAR_NUMBER_LONG, text, pg_lltoa(ms, text));
		PgBsonJsonbClose(w);
	}
}

static void
put_object_id(PgBsonJsonbWriter *w, const uint8 *oid)
{
	char		text[PGBSON_SPELL_SIZE];

	put_wrapped(w, PGBSON_DOLLAR_OID, text, PgBsonSpellHex(oid, 12, text));
}

/*
 * {"key": {"first": ..., "second": ...}}: the two values follow.  The shorter
 * key comes first; of two keys of equal length the lesser.
 */
static void
open_wrapped_pair(PgBsonJsonbWriter *w, PgBsonJsonbFrame *frames, const char *key, const char *first,
				  const char *second)
{
	PgBsonJsonbOpen(w, &frames[0], JB_FOBJECT, 2);
	PgBsonJsonbKey(w, key);
	PgBsonJsonbOpen(w, &frames[1], JB_FOBJECT, 4);
	PgBsonJsonbKey(w, first);
	PgBsonJsonbKey(w, second);
}

static void
close_wrapped_pair(PgBsonJsonbWriter *w)
{
	PgBsonJsonbClose(w);
	PgBsonJsonbClose(w);
}

static void
put_binary(PgBsonJsonbWriter *w, const PgBsonValue *value)
{
	uint8		subtype;
	uint32		len;
	const uint8 *data = PgBsonValueBinary(value, &subtype, &len);
	Size		room = ((Size) len + 2) / 3 * 4 + 1;
	char	   *base64 = palloc_extended(room, MCXT_ALLOC_HUGE);
	char		hex[2];
	PgBsonJsonbFrame frames[2];

	open_wrapped_pair(w, frames, PGBSON_DOLLAR_BINARY, "base64", "subType");
	/* void *: the server's prototypes differ in signedness */
	PgBsonJsonbText(w, base64, pg_b64_encode((const void *) data, len, base64, room));
	PgBsonJsonbText(w, hex, PgBsonSpellHex(&subtype, 1, hex));
	close_wrapped_pair(w);
	pfree(base64);
}

static void
put_timestamp(PgBsonJsonbWriter *w, const uint8 *data)
{
	PgBsonJsonbFrame frames[2];

	open_wrapped_pair(w, frames, PGBSON_DOLLAR_TIMESTAMP, "i", "t");
	PgBsonJsonbNumeric(w, int64_to_numeric(PgBsonReadU32(data)));
	PgBsonJsonbNumeric(w, int64_to_numeric(PgBsonReadU32(data + 4)));
	close_wrapped_pair(w);
}

static void
put_regex(PgBsonJsonbWriter *w, const PgBsonValue *value)
{
	const char *pattern = (const char *) value->data;
	const char *options = pattern + strlen(pattern) + 1;
	uint32		options_len = strlen(options);
	PgBsonJsonbFrame frames[2];

	open_wrapped_pair(w, frames, PGBSON_DOLLAR_REGULAR_EXPRESSION, "options", "pattern");
	put_string(w, PgBsonSortedOptions(options, options_len), options_len);
	put_string(w, pattern, strlen(pattern));
	close_wrapped_pair(w);
}

static void
put_dbpointer(PgBsonJsonbWriter *w, const PgBsonValue *value)
{
	PgBsonJsonbFrame frames[2];

	open_wrapped_pair(w, frames, PGBSON_DOLLAR_DBPOINTER, PGBSON_DOLLAR_ID, PGBSON_DOLLAR_REF);
	put_object_id(w, value->data + value->len - 12);
	put_string(w, (const char *) value->data + 4, value->len - 17);
	close_wrapped_pair(w);
}

static void
put_scoped_code(Pass *pass, const PgBsonValue *value)
{
	PgBsonJsonbWriter *w = &pass->w;
	PgBsonView	view = PgBsonValueScope(value);
	PgBsonValue scope = {PGBSON_DOCUMENT, view.len, view.data};
	uint32		len;
	const char *code = PgBsonValueScopedCode(value, &len);
	PgBsonJsonbFrame frame;

	PgBsonJsonbOpen(w, &frame, JB_FOBJECT, 4);
	PgBsonJsonbKey(w, PGBSON_DOLLAR_CODE);
	PgBsonJsonbKey(w, PGBSON_DOLLAR_SCOPE);
	put_string(w, code, len);
	put_jsonb_value(pass, &scope);
	PgBsonJsonbClose(w);
}

/* {"$minKey": 1} and similar wrappers; without a number the value is true */
static void
put_marker(PgBsonJsonbWriter *w, const char *key, Numeric num)
{
	PgBsonJsonbFrame frame;

	PgBsonJsonbOpen(w, &frame, JB_FOBJECT, 2);
	PgBsonJsonbKey(w, key);
	if (num != NULL)
		PgBsonJsonbNumeric(w, num);
	else
		PgBsonJsonbEnd(w, JENTRY_ISBOOL_TRUE);
	PgBsonJsonbClose(w);
}

static void
put_jsonb_container(Pass *pass, PgBsonView view, bool is_document)
{
	PgBsonJsonbWriter *w = &pass->w;
	PgBsonJsonbMembers *members = &pass->members;
	uint32		first = members->count;
	uint32		n = PgBsonJsonbPush(members, view, is_document);
	PgBsonJsonbFrame frame;

	check_stack_depth();
	if (is_document)
	{
		n = PgBsonJsonbSort(members, first);
		PgBsonJsonbOpen(w, &frame, JB_FOBJECT, n * 2);
		for (uint32 i = 0; i < n; i++)
			PgBsonJsonbText(w, members->list[first + i].key, members->list[first + i].key_len);
	}
	else
		PgBsonJsonbOpen(w, &frame, JB_FARRAY, n);
	for (uint32 i = 0; i < n; i++)
	{
		/* not a pointer, as the list may move */
		PgBsonValue value = members->list[first + i].value;

		CHECK_FOR_INTERRUPTS();
		put_jsonb_value(pass, &value);
	}
	PgBsonJsonbClose(w);
	members->count = first;
}

static void
put_jsonb_value(Pass *pass, const PgBsonValue *value)
{
	PgBsonJsonbWriter *w = &pass->w;
	uint32		len;
	const char *s;

	switch (value->type)
	{
		case PGBSON_DOCUMENT:
		case PGBSON_ARRAY:
			put_jsonb_container(pass, PgBsonValueView(value), value->type == PGBSON_DOCUMENT);
			break;
		case PGBSON_STRING:
			s = PgBsonValueString(value, &len);
			put_string(w, s, len);
			break;
		case PGBSON_BOOL:
			PgBsonJsonbEnd(w, value->data[0] != 0 ? JENTRY_ISBOOL_TRUE : JENTRY_ISBOOL_FALSE);
			break;
		case PGBSON_NULL:
			PgBsonJsonbEnd(w, JENTRY_ISNULL);
			break;
		case PGBSON_INT32:
			PgBsonJsonbNumeric(w, int64_to_numeric(PgBsonReadI32(value->data)));
			break;
		case PGBSON_INT64:
			PgBsonJsonbNumeric(w, int64_to_numeric(PgBsonReadI64(value->data)));
			break;
		case PGBSON_DOUBLE:
			put_jsonb_double(w, value);
			break;
		case PGBSON_DECIMAL128:
			put_decimal(w, value);
			break;
		case PGBSON_DATE:
			put_jsonb_date(w, PgBsonReadI64(value->data));
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
			put_wrapped(w, PGBSON_DOLLAR_CODE, s, len);
			break;
		case PGBSON_SYMBOL:
			s = PgBsonValueString(value, &len);
			put_wrapped(w, PGBSON_DOLLAR_SYMBOL, s, len);
			break;
		case PGBSON_CODE_W_SCOPE:
			put_scoped_code(pass, value);
			break;
		case PGBSON_UNDEFINED:
			put_marker(w, PGBSON_DOLLAR_UNDEFINED, NULL);
			break;
		case PGBSON_MINKEY:
			put_marker(w, PGBSON_DOLLAR_MIN_KEY, int64_to_numeric(1));
			break;
		case PGBSON_MAXKEY:
			put_marker(w, PGBSON_DOLLAR_MAX_KEY, int64_to_numeric(1));
			break;
		case PGBSON_EOD:
			elog(ERROR, "unexpected bson type %d", (int) value->type);
	}
}

/*
 * A root that is not a container. jsonb stores it as the only element of an array that is marked accordingly.  If it
 * became a wrapper, it is an object instead.
 */
static void
put_scalar_root(Pass *pass, const PgBsonValue *value)
{
	PgBsonJsonbWriter *w = &pass->w;
	PgBsonJsonbFrame frame;
	JEntry		entry;

	PgBsonJsonbOpen(w, &frame, JB_FARRAY | JB_FSCALAR, 1);
	put_jsonb_value(pass, value);
	memcpy(&entry, w->out.data + frame.data - sizeof(entry), sizeof(entry));
	if (JBE_ISCONTAINER(entry))
	{
		w->out.len -= frame.data;
		memmove(w->out.data, w->out.data + frame.data, w->out.len);
	}
}

#ifdef USE_ASSERT_CHECKING

/* Larger values are not checked, because checking takes time */
#define MAX_CHECKED		(1024 * 1024)

static Jsonb *
jsonb_from_text(char *json)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json)));
}

/*
 * The format is written by hand, so builds with assertions check it against the server: the bytes must be those that
 * the server writes for this value, and the value must be that of the text of type json.
 */
static void
check_result(const PgBsonValue *value, Jsonb *made)
{
	Jsonb	   *again;
	Jsonb	   *expected;

	if (VARSIZE(made) > MAX_CHECKED)
		return;
	again = jsonb_from_text(JsonbToCString(NULL, &made->root, VARSIZE(made)));
	Assert(VARSIZE(again) == VARSIZE(made));
	Assert(memcmp(again, made, VARSIZE(made)) == 0);
	expected = jsonb_from_text(text_to_cstring(PgBsonToJson(value)));
	Assert(compareJsonbContainers(&made->root, &expected->root) == 0);
	pfree(again);
	pfree(expected);
}
#endif

Jsonb *
PgBsonToJsonb(const PgBsonValue *value)
{
	Jsonb	   *result;
	Pass		pass;

	/* jsonb is larger; the more keys and numbers there are, the larger it is */
	PgBsonWriterInit(&pass.w.out, (Size) value->len + value->len / 2);
	pass.w.frame = NULL;
	PgBsonJsonbMembersInit(&pass.members);

	if (PgBsonIsContainer(value->type))
		put_jsonb_value(&pass, value);
	else
		put_scalar_root(&pass, value);

	PgBsonJsonbMembersRelease(&pass.members);
	result = (Jsonb *) PgBsonWriterFinish(&pass.w.out);
#ifdef USE_ASSERT_CHECKING
	check_result(value, result);
#endif
	return result;
}
