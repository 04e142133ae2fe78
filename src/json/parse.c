/*
 * parse.c
 *	  JSON text to bson, with json-c.  The only file that knows json-c.
 *
 * json-c makes the tree, but does not decide what JSON is: even when told to
 * be strict it takes control characters in strings, [1.], NaN, lone
 * surrogates; it cuts keys at U+0000, and clamps long integers.  So the text
 * passes three stages:
 *
 *	1. PgBsonCheckGrammar (grammar.c): the server's own JSON parser says whether it is
 *	   JSON, and how deep it nests.
 *	2. feed_text: walks over the tokens, refuses what the server's parser lets
 *	   pass without de-escaping (surrogates) and what BSON has no room for
 *	   (U+0000 in keys), and hands the text to json-c's incremental parser; the
 *	   few number tokens json-c cannot hold it replaces on the way by a
 *	   spelling that it can.
 *	3. append_value: walks over the tree once, into the builder.
 *
 * json-c's memory is malloc'd, and is freed when these stages are left,
 * whichever way.  json_object_put recurses, so probe_stack makes sure first
 * that there is stack for it.
 *
 * json-c and utils/builtins.h cannot be included together: both declare
 * json_object.
 */
#include "json/parse.h"

#include <json-c/json.h>

#include "core/build.h"
#include "core/number.h"
#include "json/extjson.h"
#include "json/grammar.h"
#include "json/transcode.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

/* Stack that json_object_put and its helpers take for a level, amply */
#define FREE_FRAME_SIZE		512

/* json-c is given the text in pieces of about this size, with a chance to be interrupted between them */
#define FEED_SIZE			(1024 * 1024)

/* The context of an error names so many levels of keys */
#define SHOWN_PLACES		8

/* One parse; lives in palloc'd memory, so that it survives a longjmp */
typedef struct Parse
{
	PgBsonJsonText in;
	int			max_depth;		/* the deepest nesting in the text */

	struct json_tokener *tokener;
	struct json_object *tree;	/* NULL is also the tree of the text "null" */
	bool		fed;			/* the tree is complete */
	const char *next;			/* text from here on was not given to json-c yet */
} Parse;

/* Where in the tree we are, for the error context; the innermost first */
typedef struct Place
{
	struct Place *up;
	const char *key;			/* of a field, or NULL */
	Size		index;			/* of an array element */
} Place;

/* A walk over the tree */
typedef struct Walk
{
	PgBsonBuilder *builder;
	Node	   *escontext;
	Place	   *place;			/* NULL at the root */
	int			depth;			/* BSON levels around the current value */
} Walk;

static bool append_value(Walk *w, struct json_object *v);


/* Errors --------------------------------------------------------------------- */

static bool
report_number(const Parse *p, const char *at, Size len)
{
	ereturn(p->in.escontext, false,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("number \"%s\" is out of range for type %s", PgBsonExcerpt(at, len), "bson"),
			 errdetail("Beyond a 64-bit integer or a double it must be exactly a decimal128, which has 34 digits."),
			 PgBsonJsonContext(&p->in, at)));
}

static void
report_no_memory(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("out of memory"),
			 errdetail("Failed while reading JSON text as %s.", "bson")));
}

/* Error context callback: where in the document a wrapper is that was refused */
static void
place_context(void *arg)
{
	Walk	   *w = (Walk *) arg;
	Place	   *places[SHOWN_PLACES];
	int			n = 0;
	StringInfoData path;

	if (w->place == NULL)
		return;
	for (Place *place = w->place; place != NULL; place = place->up)
	{
		if (n == SHOWN_PLACES)
			break;
		places[n++] = place;
	}

	initStringInfo(&path);
	if (places[n - 1]->up != NULL)
		appendStringInfoString(&path, "...");
	while (n-- > 0)
	{
		if (places[n]->key != NULL)
			appendStringInfoString(&path, PgBsonExcerpt(places[n]->key, strlen(places[n]->key)));
		else
			appendStringInfo(&path, "%zu", places[n]->index);
		if (n > 0)
			appendStringInfoChar(&path, '.');
	}
	errcontext("JSON data, field %s", path.data);
}


/* Tree ------------------------------------------------------------------------- */

static const char *
skip_space(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n'))
		s++;
	return s;
}

/* Give json-c some text */
static void
feed(Parse *p, const char *text, Size len)
{
	enum json_tokener_error error;

	if (p->fed || len == 0)
		return;					/* only white space was left */
	p->tree = json_tokener_parse_ex(p->tokener, text, (int) len);
	error = json_tokener_get_error(p->tokener);
	if (error == json_tokener_continue)
		return;

	/*
	 * json-c has an error for want of memory since 0.17, where it comes before
	 * that for texts beyond 2 GB, which ours are not; since 0.18 it comes after
	 * it.  Before 0.17 it returned nothing.
	 */
	if (error > json_tokener_error_parse_utf8_string ||
		(error == json_tokener_success && p->tree == NULL &&
		 *skip_space(p->in.text, p->in.text + p->in.len) != 'n'))
		report_no_memory();
	if (error != json_tokener_success)
		elog(ERROR, "json-c refuses what is JSON: %s", json_tokener_error_desc(error));
	p->fed = true;
}

/* Give json-c the text up to here, but not from here to "resume" */
static void
feed_until(Parse *p, const char *end, const char *resume)
{
	feed(p, p->next, end - p->next);
	p->next = resume;
}

static unsigned
hex_value(const char *s)
{
	unsigned	v = 0;

	for (int i = 0; i < 4; i++)
	{
		char		c = s[i];

		v = v << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return v;
}

/*
 * The escapes from "pair" to "next" are a surrogate pair.  json-c, once it has
 * joined one, still takes the character for a lone surrogate if its low 16
 * bits are one's (U+1D800, say): then it is fed the character itself.
 */
static void
feed_pair(Parse *p, const char *pair, const char *next)
{
	pg_wchar	c = 0x10000 + ((hex_value(pair + 2) & 0x3FF) << 10) + (hex_value(pair + 8) & 0x3FF);
	unsigned char utf8[MAX_MULTIBYTE_CHAR_LEN];

	if ((c & 0xF800) != 0xD800)
		return;
	feed_until(p, pair, next);
	unicode_to_utf8(c, utf8);
	feed(p, (char *) utf8, pg_encoding_mblen(PG_UTF8, (char *) utf8));
}

/*
 * Pass over a string, from behind its opening quote to behind its closing
 * one; NULL after an error.
 */
static const char *
scan_string(Parse *p, const char *s)
{
	const char *high = NULL;	/* the place after a high surrogate */
	const char *zero = NULL;	/* the place of a U+0000 */

	for (; *s != '"'; s++)
	{
		unsigned	c;

		if (*s != '\\')
			continue;
		if (*++s != 'u')
			continue;

		c = hex_value(s + 1);
		if (c >= 0xDC00 && c <= 0xDFFF)
		{
			/* s - 1 is the backslash */
			if (high != s - 1)
				return PgBsonReportSyntax(&p->in, s - 1, "Unicode low surrogate must follow a high surrogate."), NULL;
			feed_pair(p, high - 6, s + 5);
			high = NULL;
		}
		else if (c >= 0xD800 && c <= 0xDBFF && high != s - 1)
		{
			if (high != NULL)
				break;
			high = s + 5;
		}
		else if (high != NULL)
			break;
		else if (c == 0 && zero == NULL)
			zero = s - 1;
		s += 4;
	}
	if (high != NULL)
		return PgBsonReportSyntax(&p->in, high - 6, "Unicode high surrogate must be followed by a low surrogate."), NULL;
	s++;

	if (zero != NULL)
	{
		const char *end = p->in.text + p->in.len;
		const char *next = skip_space(s, end);

		if (next < end && *next == ':')
			return PgBsonReportSyntax(&p->in, zero, "\\u0000 cannot be held in a key."), NULL;
	}
	return s;
}

/* Does int64 hold this integer? */
static bool
fits_int64(const char *digits, Size len, bool negative)
{
	if (len != 19)
		return len < 19;
	return memcmp(digits, negative ? "9223372036854775808" : "9223372036854775807", 19) <= 0;
}

/*
 * Pass over a number, to behind it; NULL after an error.  If json-c cannot
 * hold it, an equivalent is fed in its place: within a wrapper such as
 * {"$date": ...} that is an error all the same.
 */
static const char *
scan_number(Parse *p, const char *s)
{
	const char *end = p->in.text + p->in.len;
	const char *next = s;
	bool		negative = *s == '-';
	bool		integer = true;
	Size		len;
	double		d;
	uint8		decimal[PGBSON_DECIMAL128_SIZE];

	while (next < end && strchr("-+.0123456789eE", *next) != NULL)
	{
		if (*next == '.' || *next == 'e' || *next == 'E')
			integer = false;
		next++;
	}
	len = next - s;

	if (integer)
	{
		if (negative && len == 2 && s[1] == '0')
		{
			/* zero with a sign is no integer */
			feed_until(p, s, next);
			feed(p, "-0.0", 4);
			return next;
		}
		if (fits_int64(s + negative, len - negative, negative))
			return next;
	}
	else if (PgBsonTextIsDouble(s, len, &d))
		return next;

	if (!PgBsonDecimalFromText(s, len, decimal))
		return report_number(p, s, len), NULL;
	feed_until(p, s, next);
	feed(p, "{\"$numberDecimal\":\"", 19);
	feed(p, s, len);
	feed(p, "\"}", 2);
	return next;
}

/* Stage 2: token by token */
static bool
feed_text(Parse *p)
{
	const char *s = p->in.text;
	const char *end = p->in.text + p->in.len;

	while (s != NULL && s < end)
	{
		if (*s == '"')
			s = scan_string(p, s + 1);
		else if (*s == '-' || (*s >= '0' && *s <= '9'))
			s = scan_number(p, s);
		else
		{
			s++;
			if (s - p->next > FEED_SIZE && s[-1] == ',')
			{
				CHECK_FOR_INTERRUPTS();
				feed_until(p, s, s);
			}
		}
	}
	if (s == NULL)
		return false;			/* a soft error */

	feed_until(p, end, end);
	feed(p, "", 1);				/* its NUL says that this is all */
	if (!p->fed)
		elog(ERROR, "json-c finds that JSON text incomplete");
	return true;
}


/* Values ----------------------------------------------------------------------- */

/* PgBsonTree, for the wrappers */

static PgBsonNode
node_of(struct json_object *v)
{
	PgBsonNode	node = {PGBSON_NODE_NULL};

	node.ref = v;
	switch (json_object_get_type(v))
	{
		case json_type_null:
			break;
		case json_type_boolean:
			node.kind = PGBSON_NODE_BOOL;
			node.boolean = json_object_get_boolean(v);
			break;
		case json_type_int:
			node.kind = PGBSON_NODE_INTEGER;
			node.integer = json_object_get_int64(v);
			break;
		case json_type_double:
			node.kind = PGBSON_NODE_NUMBER;
			break;
		case json_type_string:
			node.kind = PGBSON_NODE_STRING;
			node.str = json_object_get_string(v);
			node.len = json_object_get_string_len(v);
			break;
		case json_type_array:
			node.kind = PGBSON_NODE_ARRAY;
			break;
		case json_type_object:
			node.kind = PGBSON_NODE_OBJECT;
			break;
	}
	return node;
}

static uint32
tree_count(void *state, const PgBsonNode *object)
{
	return json_object_object_length(object->ref);
}

static void
tree_members(void *state, const PgBsonNode *object, PgBsonMember *members)
{
	struct json_object_iter it;

	json_object_object_foreachC(unconstify(void *, object->ref), it)
	{
		members->key = it.key;
		members->key_len = strlen(it.key);
		members->value = node_of(it.val);
		members++;
	}
}

/* Step into a container: one more level of BSON.  A root that is no document gets one around it, see pgbson.h */
static bool
enter(Walk *w, bool is_array)
{
	if (w->depth == 0 && is_array)
		w->depth = 1;
	if (w->depth >= PGBSON_MAX_DEPTH)
		return PgBsonRefuseTooDeep(w->escontext);
	w->depth++;
	return true;
}

static bool
has_wrapper_key(struct json_object *object)
{
	struct json_object_iter it;

	json_object_object_foreachC(object, it)
	{
		if (it.key[0] == '$' && PgBsonExtJsonIsKey(it.key, strlen(it.key)))
			return true;
	}
	return false;
}

/* An object that is no wrapper */
static bool
append_document(Walk *w, struct json_object *object)
{
	struct json_object_iter it;
	Place		place = {w->place};

	if (!enter(w, false))
		return false;
	PgBsonBuilderOpenDocument(w->builder);
	w->place = &place;
	json_object_object_foreachC(object, it)
	{
		place.key = it.key;
		PgBsonBuilderKey(w->builder, it.key, strlen(it.key));
		if (!append_value(w, it.val))
			return false;
	}
	w->place = place.up;
	PgBsonBuilderClose(w->builder);
	w->depth--;
	return true;
}

/* PgBsonTree: a scope, as a document of its own */
static PgBson *
tree_document(void *state, const PgBsonNode *object)
{
	Walk	   *w = (Walk *) state;
	PgBsonBuilder *outer = w->builder;
	struct json_object *v = unconstify(void *, object->ref);
	PgBson	   *result = NULL;

	if (w->depth == 0)
		w->depth = 1;			/* a root that is code with a scope, see enter */
	if (has_wrapper_key(v))
	{
		/* only a builder that is thrown away tells whether it is one: $regex may be none */
		PgBsonTree	tree = {w, tree_count, tree_members, tree_document};

		w->builder = PgBsonBuilderBegin();
		if (PgBsonExtJsonConvert(&tree, object, w->builder, w->escontext) != PGBSON_NO_WRAPPER)
		{
			w->builder = outer;
			return NULL;
		}
	}
	else
		w->builder = PgBsonBuilderBegin();
	if (append_document(w, v))
		result = PgBsonBuilderFinish(w->builder);
	w->builder = outer;
	return result;
}

static bool
append_object(Walk *w, struct json_object *object)
{
	if (has_wrapper_key(object))
	{
		PgBsonTree	tree = {w, tree_count, tree_members, tree_document};
		PgBsonNode	node = node_of(object);

		switch (PgBsonExtJsonConvert(&tree, &node, w->builder, w->escontext))
		{
			case PGBSON_NO_WRAPPER:
				break;
			case PGBSON_WRAPPER:
				return true;
			case PGBSON_BAD_WRAPPER:
				return false;
		}
	}
	return append_document(w, object);
}

static bool
append_array(Walk *w, struct json_object *array)
{
	Size		n = json_object_array_length(array);
	Place		place = {w->place};

	if (!enter(w, true))
		return false;
	PgBsonBuilderOpenArray(w->builder);
	w->place = &place;
	for (place.index = 0; place.index < n; place.index++)
	{
		if (!append_value(w, json_object_array_get_idx(array, place.index)))
			return false;
	}
	w->place = place.up;
	PgBsonBuilderClose(w->builder);
	w->depth--;
	return true;
}

static void
append_integer(PgBsonBuilder *b, int64 v)
{
	if (v >= PG_INT32_MIN && v <= PG_INT32_MAX)
		PgBsonBuilderInt32(b, (int32) v);
	else
		PgBsonBuilderInt64(b, v);
}

/* Stage 3: a value, with all below it; false after a soft error */
static bool
append_value(Walk *w, struct json_object *v)
{
	PgBsonBuilder *b = w->builder;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	switch (json_object_get_type(v))
	{
		case json_type_null:
			PgBsonBuilderNull(b);
			return true;
		case json_type_boolean:
			PgBsonBuilderBool(b, json_object_get_boolean(v));
			return true;
		case json_type_int:
			append_integer(b, json_object_get_int64(v));
			return true;
		case json_type_double:
			PgBsonBuilderDouble(b, json_object_get_double(v));
			return true;
		case json_type_string:
			PgBsonBuilderString(b, json_object_get_string(v), json_object_get_string_len(v));
			return true;
		case json_type_array:
			return append_array(w, v);
		case json_type_object:
			return append_object(w, v);
	}
	elog(ERROR, "unknown json-c type %d", (int) json_object_get_type(v));
}

static PgBson *
tree_to_bson(struct json_object *tree, Node *escontext)
{
	ErrorContextCallback callback;
	PgBson	   *result = NULL;
	Walk		w = {PgBsonBuilderBegin(), escontext};

	callback.callback = place_context;
	callback.arg = &w;
	callback.previous = error_context_stack;
	error_context_stack = &callback;

	if (append_value(&w, tree))
		result = PgBsonBuilderFinish(w.builder);

	error_context_stack = callback.previous;
	return result;
}

/* Is there stack for freeing a tree of so many levels?  An error if not. */
static pg_noinline int
probe_stack(int levels)
{
	volatile char frame[FREE_FRAME_SIZE];

	check_stack_depth();
	frame[0] = (char) levels;
	return levels > 1 ? probe_stack(levels - 1) + frame[0] : frame[0];
}

static void
release(Parse *p)
{
	json_object_put(p->tree);
	if (p->tokener != NULL)
		json_tokener_free(p->tokener);
}

/* Stages 2 and 3, and the end of json-c's memory */
static PgBson *
parse_checked(Parse *p)
{
	PgBson	   *volatile result = NULL;

	PG_TRY();
	{
		/* a replaced number is a level more, and json-c wants some to spare */
		p->tokener = json_tokener_new_ex(p->max_depth + 4);
		if (p->tokener == NULL)
			report_no_memory();

		/*
		 * Not strict: the server's grammar is that already, and json-c 0.18
		 * then takes every byte above 0x7F for a control character.
		 */
		json_tokener_set_flags(p->tokener, JSON_TOKENER_VALIDATE_UTF8);
		if (feed_text(p))
			result = tree_to_bson(p->tree, p->in.escontext);
	}
	PG_CATCH();
	{
		release(p);
		PG_RE_THROW();
	}
	PG_END_TRY();
	release(p);
	return result;
}

PgBson *
PgBsonFromJson(const char *text, Size len, Node *escontext)
{
	Parse	   *p;
	PgBson	   *result = NULL;

	if (PgBsonJsonParserSetting == PGBSON_PARSER_AUTO && GetDatabaseEncoding() == PG_UTF8 &&
		(result = PgBsonTranscode(text, len)) != NULL)
		return result;

	p = palloc0(sizeof(Parse));

	/* also verifies the text if the server does not know its encoding */
	p->in.text = pg_server_to_any(text, len, PG_UTF8);
	p->in.len = p->in.text == text ? len : strlen(p->in.text);
	if (p->in.len > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("JSON text is too large for type %s", "bson")));
	p->next = p->in.text;
	p->in.escontext = escontext;

	if (PgBsonCheckGrammar(&p->in, &p->max_depth))
	{
		probe_stack(p->max_depth);
		result = parse_checked(p);
	}
	if (p->in.text != text)
		pfree(unconstify(char *, p->in.text));
	pfree(p);
	return result;
}
