/*
 * extjson.c
 *	  Extended JSON wrappers: which objects are wrappers, and what they stand for.
 *
 * One table describes them all: the key, the only key that may stand beside
 * it, the error detail that says what the value should have been, and the
 * functions that read the value.  The strings of fixed size are read by
 * json/encode.c.
 */
#include "json/extjson.h"

#include "core/bytes/digits.h"
#include "core/bytes/sort.h"

/* An error message shows at most this much of the input's text */
#define EXCERPT_BYTES	64

/* A wrapper being read */
typedef struct Wrapper
{
	const struct WrapperKey *key;
	const PgBsonTree *tree;
	PgBsonWriter *out;			/* to which the value's bytes are appended */
	PgBsonType	type;			/* of the value */
	const PgBsonNode *value;	/* of the wrapper's key */
	const PgBsonNode *companion;	/* of the key beside it, or NULL */
} Wrapper;

/* Write the bytes of the wrapper's value; false if it is malformed */
typedef bool (*Reader) (Wrapper *w);

/* The bytes that a string stands for: their number, 0 if it is malformed */
typedef uint32 (*Encoder) (const char *str, uint32 len, uint8 *bytes);

typedef struct WrapperKey
{
	const char *name;
	PgBsonType	type;			/* of the value that it spells */
	const char *companion;		/* the only key that may stand beside it */
	Reader		read;
	const char *expected;		/* detail of the error for anything else */
	Encoder		encode;			/* for a string that means something of fixed size */
} WrapperKey;

/* The member of this name, or NULL */
static const PgBsonNode *
find_wrapper_member(const PgBsonMember *members, uint32 count, const char *name)
{
	for (uint32 i = 0; i < count; i++)
	{
		if (PgBsonKeyIs(members[i].key, members[i].key_len, name))
			return &members[i].value;
	}
	return NULL;
}

/*
 * The values of an object that has exactly these two members, or only the
 * first if name2 is NULL; false for any other object
 */
static bool
object_of(Wrapper *w, const PgBsonNode *object, const char *name1, PgBsonNode *value1,
		  const char *name2, PgBsonNode *value2)
{
	PgBsonMember members[2];
	uint32		count = name2 == NULL ? 1 : 2;
	const PgBsonNode *found;

	if (object->kind != PGBSON_NODE_OBJECT || w->tree->count(w->tree->state, object) != count)
		return false;
	w->tree->members(w->tree->state, object, members);
	if ((found = find_wrapper_member(members, count, name1)) == NULL)
		return false;
	*value1 = *found;
	if (name2 == NULL)
		return true;
	if ((found = find_wrapper_member(members, count, name2)) == NULL)
		return false;
	*value2 = *found;
	return true;
}

static inline bool
is_string(const PgBsonNode *node)
{
	return node->kind == PGBSON_NODE_STRING;
}

/* A string that BSON can hold as a C string */
static bool
is_cstring(const PgBsonNode *node)
{
	return is_string(node) && memchr(node->str, 0, node->len) == NULL;
}

static bool
read_symbol(Wrapper *w)
{
	if (!is_string(w->value))
		return false;
	PgBsonWriterString(w->out, w->value->str, w->value->len);
	return true;
}

/*
 * One or two hexadecimal digits, which old versions of mongoexport
 * sign-extended to eight; or, beside base64 text, a number
 */
static bool
node_to_subtype(const PgBsonNode *node, bool legacy, uint8 *result)
{
	char		digits[2] = {'0', '0'};

	if (node->kind == PGBSON_NODE_INTEGER)
	{
		*result = (uint8) node->integer;
		return legacy && node->integer >= 0 && node->integer <= 0xFF;
	}
	if (!is_string(node))
		return false;
	if (node->len == 1)
		digits[1] = node->str[0];
	else if (node->len == 2)
		memcpy(digits, node->str, 2);
	else if (legacy && node->len == 8 && pg_strncasecmp(node->str, "ffffff", 6) == 0)
		memcpy(digits, node->str + 6, 2);
	else
		return false;
	return PgBsonDecodeHex(digits, 1, result);
}

static bool
read_binary(Wrapper *w)
{
	PgBsonNode	base64;
	PgBsonNode	subtype_node;
	bool		legacy = w->companion != NULL;
	uint8		subtype;
	uint8	   *bytes;
	uint8	   *p;
	uint32		len;
	uint32		inner;			/* bytes of the inner length that subtype 2 has */

	if (legacy)
	{
		base64 = *w->value;
		subtype_node = *w->companion;
	}
	else if (!object_of(w, w->value, "base64", &base64, "subType", &subtype_node))
		return false;

	if (!is_string(&base64) || !node_to_subtype(&subtype_node, legacy, &subtype))
		return false;
	bytes = PgBsonDecodeBase64(base64.str, base64.len, &len);
	if (bytes == NULL)
		return false;
	inner = subtype == 0x02 ? 4 : 0;
	p = PgBsonWriterRoom(w->out, (Size) len + inner + 5);
	PgBsonWriteU32(p, len + inner);
	p[4] = subtype;
	if (inner > 0)
		PgBsonWriteU32(p + 5, len);
	memcpy(p + 5 + inner, bytes, len);
	pfree(bytes);
	return true;
}

static bool
read_code(Wrapper *w)
{
	PgBson	   *scope;
	PgBsonView	view;
	Size		start;

	if (!is_string(w->value))
		return false;
	if (w->companion == NULL)
	{
		PgBsonWriterString(w->out, w->value->str, w->value->len);
		return true;
	}
	if (w->companion->kind != PGBSON_NODE_OBJECT)
		return false;
	scope = w->tree->document(w->tree->state, w->companion);
	if (scope == NULL)
		return false;
	view = PgBsonViewOf(scope);
	w->type = PGBSON_CODE_W_SCOPE;
	start = PgBsonWriterOpen(w->out);
	PgBsonWriterString(w->out, w->value->str, w->value->len);
	PgBsonWriterBytes(w->out, view.data, view.len);
	PgBsonWriteU32(w->out->data + start, w->out->len - start);
	pfree(scope);
	return true;
}

static bool
read_timestamp(Wrapper *w)
{
	PgBsonNode	t;
	PgBsonNode	i;
	uint8	   *p;

	if (!object_of(w, w->value, "t", &t, "i", &i) ||
		t.kind != PGBSON_NODE_INTEGER || t.integer < 0 || t.integer > PG_UINT32_MAX ||
		i.kind != PGBSON_NODE_INTEGER || i.integer < 0 || i.integer > PG_UINT32_MAX)
		return false;
	p = PgBsonWriterRoom(w->out, 8);
	PgBsonWriteU32(p, (uint32) i.integer);
	PgBsonWriteU32(p + 4, (uint32) t.integer);
	return true;
}

static int
compare_chars(const void *a, const void *b)
{
	return *(const unsigned char *) a - *(const unsigned char *) b;
}

char *
PgBsonSortedOptions(const char *options, uint32 len)
{
	char	   *sorted = pnstrdup(options, len);
	bool		ascii = true;

	for (uint32 i = 0; i < len; i++)
		ascii &= !IS_HIGHBIT_SET(sorted[i]);
	if (ascii)
		PgBsonSort(sorted, len, 1, compare_chars);
	return sorted;
}

static bool
append_regex(Wrapper *w, const PgBsonNode *pattern, const PgBsonNode *options)
{
	char	   *sorted;

	if (!is_cstring(pattern) || !is_cstring(options))
		return false;
	sorted = PgBsonSortedOptions(options->str, options->len);
	PgBsonWriterBytes(w->out, pattern->str, pattern->len);
	*PgBsonWriterRoom(w->out, 1) = 0;
	PgBsonWriterBytes(w->out, sorted, options->len + 1);
	pfree(sorted);
	return true;
}

static bool
read_regular_expression(Wrapper *w)
{
	PgBsonNode	pattern;
	PgBsonNode	options;

	return object_of(w, w->value, "pattern", &pattern, "options", &options) &&
		append_regex(w, &pattern, &options);
}

static bool
read_regex(Wrapper *w)
{
	return append_regex(w, w->value, w->companion);
}

static bool
read_dbpointer(Wrapper *w)
{
	PgBsonNode	ref;
	PgBsonNode	id;
	PgBsonNode	oid_node;
	uint8		oid[12];

	if (!object_of(w, w->value, PGBSON_DOLLAR_REF, &ref, PGBSON_DOLLAR_ID, &id) || !is_string(&ref) ||
		!object_of(w, &id, PGBSON_DOLLAR_OID, &oid_node, NULL, NULL) || !is_string(&oid_node) ||
		PgBsonEncodeObjectId(oid_node.str, oid_node.len, oid) == 0)
		return false;
	PgBsonWriterString(w->out, ref.str, ref.len);
	PgBsonWriterBytes(w->out, oid, sizeof(oid));
	return true;
}

/* A wrapper that holds just a string */
static bool
read_fixed_wrapper(Wrapper *w)
{
	uint8		bytes[PGBSON_EXTJSON_FIXED];
	uint32		len = is_string(w->value) ? w->key->encode(w->value->str, w->value->len, bytes) : 0;

	PgBsonWriterBytes(w->out, bytes, len);
	return len > 0;
}

static bool
read_date(Wrapper *w)
{
	PgBsonNode	number;
	uint8		bytes[8];
	int64		ms;

	if (is_string(w->value))
		return read_fixed_wrapper(w);
	if (w->value->kind == PGBSON_NODE_INTEGER)
		ms = w->value->integer;
	else if (object_of(w, w->value, PGBSON_DOLLAR_NUMBER_LONG, &number, NULL, NULL) && is_string(&number) &&
			 PgBsonEncodeInt64(number.str, number.len, bytes) != 0)
		ms = PgBsonReadI64(bytes);
	else
		return false;
	PgBsonWriteU64(PgBsonWriterRoom(w->out, 8), (uint64) ms);
	return true;
}

/* A value that has no bytes: MinKey, MaxKey or undefined */
static bool
read_marker(Wrapper *w)
{
	if (w->type == PGBSON_UNDEFINED)
		return w->value->kind == PGBSON_NODE_BOOL && w->value->boolean;
	return w->value->kind == PGBSON_NODE_INTEGER && w->value->integer == 1;
}

static const WrapperKey wrapper_keys[] =
{
	{PGBSON_DOLLAR_BINARY, PGBSON_BINARY, PGBSON_DOLLAR_TYPE, read_binary,
	gettext_noop("An object with \"base64\", padded base64 text, and \"subType\", one or two hexadecimal digits, is expected.")},
	{PGBSON_DOLLAR_CODE, PGBSON_CODE, PGBSON_DOLLAR_SCOPE, read_code,
	gettext_noop("A string is expected, and for \"$scope\", if any, a document.")},
	{PGBSON_DOLLAR_DATE, PGBSON_DATE, NULL, read_date,
	gettext_noop("An ISO 8601 date and time with its offset is expected, to the millisecond, or {\"$numberLong\": milliseconds}."),
	PgBsonEncodeDate},
	{PGBSON_DOLLAR_DBPOINTER, PGBSON_DBPOINTER, NULL, read_dbpointer,
	gettext_noop("An object with \"$ref\", a string, and \"$id\", an ObjectId, is expected.")},
	{PGBSON_DOLLAR_MAX_KEY, PGBSON_MAXKEY, NULL, read_marker,
	gettext_noop("The number 1 is expected.")},
	{PGBSON_DOLLAR_MIN_KEY, PGBSON_MINKEY, NULL, read_marker,
	gettext_noop("The number 1 is expected.")},
	{PGBSON_DOLLAR_NUMBER_DECIMAL, PGBSON_DECIMAL128, NULL, read_fixed_wrapper,
	gettext_noop("A string with a number that decimal128 holds exactly is expected."),
	PgBsonEncodeDecimal},
	{PGBSON_DOLLAR_NUMBER_DOUBLE, PGBSON_DOUBLE, NULL, read_fixed_wrapper,
	gettext_noop("A string with a number in the range of a double is expected, or with Infinity, -Infinity or NaN."),
	PgBsonEncodeDouble},
	{PGBSON_DOLLAR_NUMBER_INT, PGBSON_INT32, NULL, read_fixed_wrapper,
	gettext_noop("A string with a 32-bit integer is expected."),
	PgBsonEncodeInt32},
	{PGBSON_DOLLAR_NUMBER_LONG, PGBSON_INT64, NULL, read_fixed_wrapper,
	gettext_noop("A string with a 64-bit integer is expected."),
	PgBsonEncodeInt64},
	{PGBSON_DOLLAR_OID, PGBSON_OBJECTID, NULL, read_fixed_wrapper,
	gettext_noop("A 24-digit hexadecimal string is expected."),
	PgBsonEncodeObjectId},
	{PGBSON_DOLLAR_REGULAR_EXPRESSION, PGBSON_REGEX, NULL, read_regular_expression,
	gettext_noop("An object with the strings \"pattern\" and \"options\", without U+0000, is expected.")},
	{PGBSON_DOLLAR_SYMBOL, PGBSON_SYMBOL, NULL, read_symbol,
	gettext_noop("A string is expected.")},
	{PGBSON_DOLLAR_TIMESTAMP, PGBSON_TIMESTAMP, NULL, read_timestamp,
	gettext_noop("An object with \"t\" and \"i\", integers from 0 to 4294967295, is expected.")},
	{PGBSON_DOLLAR_UNDEFINED, PGBSON_UNDEFINED, NULL, read_marker,
	gettext_noop("The value true is expected.")},
	{PGBSON_DOLLAR_UUID, PGBSON_BINARY, NULL, read_fixed_wrapper,
	gettext_noop("A string of 32 hexadecimal digits in groups of 8-4-4-4-12 is expected."),
	PgBsonEncodeUuid},
};

/* The legacy regular expression, which is a wrapper only if both values are strings */
static const WrapperKey legacy_regex =
{
	PGBSON_DOLLAR_REGEX, PGBSON_REGEX, PGBSON_DOLLAR_OPTIONS, read_regex,
	gettext_noop("Strings without U+0000 are expected.")
};

static const WrapperKey *
find_wrapper_key(const char *key, uint32 len)
{
	if (len < 4 || key[0] != '$')
		return NULL;
	for (int i = 0; i < lengthof(wrapper_keys); i++)
	{
		/* the first letter distinguishes most of them */
		if (wrapper_keys[i].name[1] == key[1] && PgBsonKeyIs(key, len, wrapper_keys[i].name))
			return &wrapper_keys[i];
	}
	return NULL;
}

bool
PgBsonExtJsonIsKey(const char *key, uint32 len)
{
	return find_wrapper_key(key, len) != NULL || PgBsonKeyIs(key, len, legacy_regex.name);
}

bool
PgBsonExtJsonClaims(PgBsonView doc)
{
	uint32		count = 0;
	bool		regex = false;
	bool		options = false;

	PgBsonForEach(iter, doc)
	{
		if (find_wrapper_key(iter.key, iter.key_len) != NULL)
			return true;
		if (iter.value.type == PGBSON_STRING)
		{
			regex |= PgBsonKeyIs(iter.key, iter.key_len, legacy_regex.name);
			options |= PgBsonKeyIs(iter.key, iter.key_len, legacy_regex.companion);
		}
		count++;
	}
	return regex && options && count == 2;
}

uint32
PgBsonExtJsonFixed(const char *key, uint32 key_len, const char *str, uint32 len,
				   PgBsonType *type, uint8 *bytes)
{
	const WrapperKey *wrapper = find_wrapper_key(key, key_len);

	if (wrapper == NULL || wrapper->encode == NULL)
		return 0;
	*type = wrapper->type;
	return wrapper->encode(str, len, bytes);
}

char *
PgBsonExcerpt(const char *text, Size len)
{
	char	   *result = palloc(EXCERPT_BYTES + sizeof("..."));
	Size		n = Min(len, EXCERPT_BYTES);

	/* a message would end at U+0000, and must not be cut in the middle of a character */
	n = strnlen(text, n);
	if (n < len)
		n = pg_encoding_mbcliplen(PG_UTF8, text, n, n);
	memcpy(result, text, n);
	strcpy(result + n, n < len ? "..." : "");

	/* an escape can stand for any character, even for one that the server's encoding lacks */
	if (GetDatabaseEncoding() != PG_UTF8)
	{
		char	   *to = result;

		for (const char *from = result; *from != '\0'; from++)
		{
			if (!IS_HIGHBIT_SET(*from))
				*to++ = *from;
			else if ((*from & 0xC0) != 0x80)
				*to++ = '?';
		}
		*to = '\0';
	}
	return result;
}

static PgBsonConverted
refuse_value(const WrapperKey *key, const PgBsonNode *value, Node *escontext)
{
	char	   *shown = NULL;

	if (is_string(value))
		shown = psprintf("\"%s\"", PgBsonExcerpt(value->str, value->len));
	else if (value->kind == PGBSON_NODE_INTEGER)
		shown = psprintf(INT64_FORMAT, value->integer);

	ereturn(escontext, PGBSON_BAD_WRAPPER,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 shown != NULL ? errmsg("invalid \"%s\" value: %s", key->name, shown) :
			 errmsg("invalid \"%s\" value", key->name),
			 errdetail_internal("%s", _(key->expected))));
}

static PgBsonConverted
refuse_keys(const WrapperKey *key, Node *escontext)
{
	ereturn(escontext, PGBSON_BAD_WRAPPER,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid \"%s\" object", key->name),
			 key->companion == NULL ?
			 errdetail("No other key may stand beside \"%s\".", key->name) :
			 errdetail("No other key than \"%s\" may stand beside \"%s\".", key->companion, key->name)));
}

/* Which wrapper is an object with these members? */
static const WrapperKey *
wrapper_of(const PgBsonMember *members, uint32 count)
{
	for (uint32 i = 0; i < count; i++)
	{
		const WrapperKey *key = find_wrapper_key(members[i].key, members[i].key_len);

		if (key != NULL)
			return key;
	}
	if (count == 2)
	{
		const PgBsonNode *regex = find_wrapper_member(members, count, legacy_regex.name);
		const PgBsonNode *options = find_wrapper_member(members, count, legacy_regex.companion);

		if (regex != NULL && is_string(regex) && options != NULL && is_string(options))
			return &legacy_regex;
	}
	return NULL;
}

PgBsonConverted
PgBsonExtJsonConvert(const PgBsonTree *tree, const PgBsonNode *object,
					 PgBsonWriter *out, PgBsonType *type, Node *escontext)
{
	uint32		count = tree->count(tree->state, object);
	PgBsonMember *members = palloc_extended(count * sizeof(PgBsonMember), MCXT_ALLOC_HUGE);
	PgBsonConverted result;
	const WrapperKey *key;
	Wrapper		w;

	tree->members(tree->state, object, members);
	key = wrapper_of(members, count);
	if (key == NULL)
		result = PGBSON_NO_WRAPPER;
	else
	{
		w.key = key;
		w.tree = tree;
		w.out = out;
		w.type = key->type;
		w.value = find_wrapper_member(members, count, key->name);
		w.companion = key->companion == NULL ? NULL : find_wrapper_member(members, count, key->companion);
		if (count != (w.companion == NULL ? 1 : 2))
			result = tree->quiet ? PGBSON_BAD_WRAPPER : refuse_keys(key, escontext);
		else if (key->read(&w))
			result = PGBSON_WRAPPER;
		else if (tree->quiet || SOFT_ERROR_OCCURRED(escontext))
			result = PGBSON_BAD_WRAPPER;	/* already reported while reading the scope, or not to be reported */
		else
			result = refuse_value(key, w.value, escontext);
		*type = w.type;
	}
	pfree(members);
	return result;
}
