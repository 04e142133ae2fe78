/*
 * jsonb.c
 *	  bson to jsonb and back, value by value.
 *
 * To jsonb, what JSON has no syntax for becomes the wrapper object of relaxed
 * Extended JSON.  From jsonb, json/extjson.c says what a wrapper means.
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

/*
 * numeric's text has a point and digits behind it, or is an integer.  Is it one
 * that int64 holds?
 */
static bool
text_is_int64(const char *text, int64 *result)
{
	const char *p = text + (*text == '-');
	int64		v = 0;
	char	   *end;

	/* eighteen digits cannot overflow */
	while (*p >= '0' && *p <= '9' && p - text < 18)
		v = v * 10 + (*p++ - '0');
	if (*p == '\0')
	{
		*result = *text == '-' ? -v : v;
		return true;
	}
	errno = 0;
	*result = strtoi64(text, &end, 10);
	return errno == 0 && *end == '\0';
}

static char *
numeric_text(Numeric num)
{
	return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(num)));
}

/* A number by the rules of JSON text */
static void
build_number(PgBsonBuilder *b, Numeric num)
{
	char	   *text = numeric_text(num);
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	uint32		len;
	int64		i;
	double		d;

	if (text_is_int64(text, &i))
	{
		if (i >= PG_INT32_MIN && i <= PG_INT32_MAX)
			PgBsonBuilderInt32(b, (int32) i);
		else
			PgBsonBuilderInt64(b, i);
		pfree(text);
		return;
	}

	len = strlen(text);
	if (strchr(text, '.') != NULL && PgBsonTextIsDouble(text, len, &d))
		PgBsonBuilderDouble(b, d);
	else if (PgBsonDecimalFromText(text, len, decimal))
		PgBsonBuilderDecimal128(b, decimal);
	else
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("number \"%s\" is out of range for type %s", PgBsonExcerpt(text, len), "bson"),
				 errdetail("Beyond a 64-bit integer or a double it must be exactly a decimal128, which has 34 digits.")));
	pfree(text);
}

static void
build_scalar(PgBsonBuilder *b, JsonbValue *v)
{
	uint32		len;
	const char *s;

	switch (v->type)
	{
		case jbvNull:
			PgBsonBuilderNull(b);
			break;
		case jbvBool:
			PgBsonBuilderBool(b, v->val.boolean);
			break;
		case jbvNumeric:
			build_number(b, v->val.numeric);
			break;
		case jbvString:
			len = v->val.string.len;
			s = PgBsonFromServerText(v->val.string.val, &len);
			PgBsonBuilderString(b, s, len);
			break;
		default:
			elog(ERROR, "unexpected jsonb value type %d", (int) v->type);
	}
}

static PgBsonNode
object_node(JsonbContainer *object)
{
	PgBsonNode	node = {PGBSON_NODE_OBJECT};

	node.ref = object;
	return node;
}

/* PgBsonTree, for the wrappers */
static PgBsonNode
node_of(JsonbValue *v)
{
	PgBsonNode	node = {PGBSON_NODE_NULL};
	char	   *text;

	switch (v->type)
	{
		case jbvNull:
			break;
		case jbvBool:
			node.kind = PGBSON_NODE_BOOL;
			node.boolean = v->val.boolean;
			break;
		case jbvNumeric:
			text = numeric_text(v->val.numeric);
			node.kind = text_is_int64(text, &node.integer) ? PGBSON_NODE_INTEGER : PGBSON_NODE_NUMBER;
			pfree(text);
			break;
		case jbvString:
			node.kind = PGBSON_NODE_STRING;
			node.len = v->val.string.len;
			node.str = PgBsonFromServerText(v->val.string.val, &node.len);
			break;
		case jbvBinary:
			if (JsonContainerIsObject(v->val.binary.data))
				return object_node(v->val.binary.data);
			node.kind = PGBSON_NODE_ARRAY;
			break;
		default:
			elog(ERROR, "unexpected jsonb value type %d", (int) v->type);
	}
	return node;
}

static JsonbContainer *
container_of(const PgBsonNode *object)
{
	return (JsonbContainer *) unconstify(void *, object->ref);
}

/* PgBsonTree */
static uint32
tree_count(void *state, const PgBsonNode *object)
{
	return JsonContainerSize(container_of(object));
}

/* PgBsonTree */
static void
tree_members(void *state, const PgBsonNode *object, PgBsonMember *members)
{
	JsonbIterator *it = JsonbIteratorInit(container_of(object));
	JsonbIteratorToken tok;
	JsonbValue	v;

	while ((tok = JsonbIteratorNext(&it, &v, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (tok == WJB_KEY)
		{
			members->key_len = v.val.string.len;
			members->key = PgBsonFromServerText(v.val.string.val, &members->key_len);
		}
		else if (tok == WJB_VALUE)
		{
			members->value = node_of(&v);
			members++;
		}
	}
}

static void build_container(PgBsonBuilder *b, JsonbContainer *container);
static bool build_wrapper(PgBsonBuilder *b, JsonbContainer *object);
static void build_plain(PgBsonBuilder *b, JsonbContainer *container);

/* PgBsonTree: a scope, as a document of its own */
static PgBson *
tree_document(void *state, const PgBsonNode *object)
{
	PgBsonBuilder *b = PgBsonBuilderBegin();

	if (build_wrapper(b, container_of(object)))
		return NULL;
	build_plain(b, container_of(object));
	return PgBsonBuilderFinish(b);
}

/*
 * Has the object a key that a wrapper has?  Its keys lie side by side, behind
 * the entries of keys and values, so one look tells most objects.
 */
static bool
has_wrapper_key(JsonbContainer *object)
{
	uint32		n = JsonContainerSize(object);
	const char *keys = (const char *) &object->children[n * 2];
	JsonbIterator *it;
	JsonbIteratorToken tok;
	JsonbValue	v;

	if (memchr(keys, '$', getJsonbOffset(object, n)) == NULL)
		return false;

	it = JsonbIteratorInit(object);
	while ((tok = JsonbIteratorNext(&it, &v, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (tok == WJB_KEY && PgBsonExtJsonIsKey(v.val.string.val, v.val.string.len))
			return true;
	}
	return false;
}

/* If the object is a wrapper, build what it stands for */
static bool
build_wrapper(PgBsonBuilder *b, JsonbContainer *object)
{
	PgBsonTree	tree = {NULL, tree_count, tree_members, tree_document};
	PgBsonNode	node = object_node(object);

	return has_wrapper_key(object) &&
		PgBsonExtJsonConvert(&tree, &node, b, NULL) == PGBSON_WRAPPER;
}

/* An array, or an object that is no wrapper, or the array that holds a scalar at the root */
static void
build_plain(PgBsonBuilder *b, JsonbContainer *container)
{
	JsonbIterator *it = JsonbIteratorInit(container);
	JsonbIteratorToken tok;
	JsonbValue	v;
	uint32		key_len;
	const char *key;

	/* nested containers come as one value each, not piece by piece */
	while ((tok = JsonbIteratorNext(&it, &v, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		switch (tok)
		{
			case WJB_BEGIN_ARRAY:
				if (!v.val.array.rawScalar)
					PgBsonBuilderOpenArray(b);
				break;
			case WJB_BEGIN_OBJECT:
				PgBsonBuilderOpenDocument(b);
				break;
			case WJB_END_ARRAY:
			case WJB_END_OBJECT:
				if (!JsonContainerIsScalar(container))
					PgBsonBuilderClose(b);
				break;
			case WJB_KEY:
				key_len = v.val.string.len;
				key = PgBsonFromServerText(v.val.string.val, &key_len);
				PgBsonBuilderKey(b, key, key_len);
				break;
			default:
				if (v.type == jbvBinary)
					build_container(b, v.val.binary.data);
				else
					build_scalar(b, &v);
				break;
		}
	}
}

static void
build_container(PgBsonBuilder *b, JsonbContainer *container)
{
	check_stack_depth();
	if (!JsonContainerIsObject(container) || !build_wrapper(b, container))
		build_plain(b, container);
}

PgBson *
PgBsonFromJsonb(Jsonb *jb)
{
	PgBsonBuilder *b = PgBsonBuilderBegin();

	build_container(b, &jb->root);
	return PgBsonBuilderFinish(b);
}
