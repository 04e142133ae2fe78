/*
 * from_jsonb.c
 *	  jsonb to bson, value by value.
 *
 * Numbers go by the rules of JSON text; json/extjson.c says what a wrapper
 * means.
 */
#include "json/jsonb.h"

#include "core/build.h"
#include "core/number.h"
#include "json/extjson.h"
#include "json/recode.h"
#include "miscadmin.h"
#include "utils/builtins.h"

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
