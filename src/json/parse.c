/*
 * parse.c
 *	  JSON text to bson, with json-c.  The only file that knows json-c.
 *
 * json-c makes the tree, but does not decide what JSON is: even when told to
 * be strict it takes control characters in strings, [1.], NaN, lone
 * surrogates; it cuts keys at U+0000, and clamps long integers.  So the text
 * passes three stages:
 *
 *	1. check_grammar: the server's own JSON parser, the one behind the json type,
 *	   says whether it is JSON, and how deep it nests.
 *	2. feed_text: walks over the tokens, refuses what the server's parser lets
 *	   pass without de-escaping (surrogates) and what BSON has no room for
 *	   (U+0000 in keys), and hands the text to json-c's incremental parser; the
 *	   few number tokens json-c cannot hold it replaces on the way by a
 *	   spelling that it can.
 *	3. append_value: walks over the tree once, into the builder.
 *
 * json-c's memory is malloc'd, and is freed when these stages are left,
 * whichever way.  json_object_put recurses, so check_grammar also makes sure
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
#include "json/transcode.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

/*
 * Text nests deeper than the BSON it stands for: a scope has an object around
 * it, and the innermost value can be a wrapper of three objects (DBPointer).
 */
#define MAX_TEXT_DEPTH		(2 * PGBSON_MAX_DEPTH + 3)

/* Stack that json_object_put and its helpers take for a level, amply */
#define FREE_FRAME_SIZE		512

/* json-c is given the text in pieces of about this size, with a chance to be interrupted between them */
#define FEED_SIZE			(1024 * 1024)

/* The context of an error shows so much text before the place */
#define EXCERPT_BYTES		50

/* Or it names so many levels of keys */
#define SHOWN_PLACES		8

/* One parse; lives in palloc'd memory, so that it survives a longjmp */
typedef struct Parse
{
	const char *text;			/* UTF-8 */
	Size		len;
	Node	   *escontext;
	int			depth;			/* of the grammar pass */
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
report_too_deep(Node *escontext)
{
	ereturn(escontext, false,
			(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
			 errmsg("bson document is nested too deeply"),
			 errdetail("Documents and arrays may nest %d levels deep.", PGBSON_MAX_DEPTH)));
}

static inline bool
is_continuation(char c)
{
	return (c & 0xC0) == 0x80;
}

/* Error context: the line and character of "at", and the text up to it and a word on */
static int
context_at(const Parse *p, const char *at)
{
	const char *line_start = p->text;
	const char *end = p->text + p->len;
	const char *excerpt;
	const char *word;
	const char *nl;
	int			line = 1;
	int			character = 1;
	char	   *s;

	if (at == NULL || at > end)
		at = end;
	while ((nl = memchr(line_start, '\n', at - line_start)) != NULL)
	{
		line_start = nl + 1;
		line++;
	}
	for (const char *c = line_start; c < at; c++)
		character += !is_continuation(*c);

	excerpt = at - line_start > EXCERPT_BYTES ? at - EXCERPT_BYTES : line_start;
	while (excerpt < at && is_continuation(*excerpt))
		excerpt++;
	word = at;
	if (at < end && *at != '\n' && *at != '\r')
	{
		do
			at++;
		while (at < end && (is_continuation(*at) ||
							(at - word < EXCERPT_BYTES && strchr(" \t\r\n\",:[]{}", *at) == NULL)));
	}
	s = pnstrdup(excerpt, at - excerpt);
	s = pg_any_to_server(s, strlen(s), PG_UTF8);
	return errcontext("JSON data, line %d, character %d: %s%s", line, character,
					  excerpt > line_start ? "..." : "", s);
}

/* What the text has here is no JSON, or nothing bson can hold */
static bool
report_syntax(const Parse *p, const char *at, const char *detail)
{
	ereturn(p->escontext, false,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s", "bson"),
			 errdetail_internal("%s", detail),
			 context_at(p, at)));
}

static bool
report_number(const Parse *p, const char *at, Size len)
{
	ereturn(p->escontext, false,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("number \"%s\" is out of range for type %s", PgBsonExcerpt(at, len), "bson"),
			 errdetail("Beyond a 64-bit integer or a double it must be exactly a decimal128, which has 34 digits."),
			 context_at(p, at)));
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


/* Grammar ---------------------------------------------------------------------- */

PGBSON_JSON_CALLBACK
container_start(void *state)
{
	Parse	   *p = (Parse *) state;

	CHECK_FOR_INTERRUPTS();
	p->depth++;
	p->max_depth = Max(p->max_depth, p->depth);
	if (p->depth > MAX_TEXT_DEPTH)
	{
		report_too_deep(p->escontext);
		PGBSON_JSON_STOP;
	}
	PGBSON_JSON_CONTINUE;
}

PGBSON_JSON_CALLBACK
container_end(void *state)
{
	((Parse *) state)->depth--;
	PGBSON_JSON_CONTINUE;
}

PGBSON_JSON_CALLBACK
element_start(void *state, bool isnull)
{
	CHECK_FOR_INTERRUPTS();
	PGBSON_JSON_CONTINUE;
}

PGBSON_JSON_CALLBACK
field_start(void *state, char *fname, bool isnull)
{
	CHECK_FOR_INTERRUPTS();
	PGBSON_JSON_CONTINUE;
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

/* Is it JSON, as the server has it? */
static bool
check_grammar(Parse *p)
{
	JsonSemAction actions = {0};
	JsonLexContext *lexer;
	JsonParseErrorType error;

	actions.semstate = p;
	actions.object_start = container_start;
	actions.object_end = container_end;
	actions.array_start = container_start;
	actions.array_end = container_end;
	actions.array_element_start = element_start;
	actions.object_field_start = field_start;

	lexer = PgBsonMakeJsonLexer(p->text, p->len);
	error = pg_parse_json(lexer, &actions);
	if (SOFT_ERROR_OCCURRED(p->escontext))
		return false;			/* by a callback */
	if (error != JSON_SUCCESS)
	{
		char	   *detail = json_errdetail(error, lexer);

		detail = pg_any_to_server(detail, strlen(detail), PG_UTF8);
		return report_syntax(p, error == JSON_EXPECTED_MORE ? NULL : lexer->token_start, detail);
	}
	PgBsonFreeJsonLexer(lexer);

	probe_stack(p->max_depth);
	return true;
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

	/* json-c has errors for want of memory since 0.17; before, it returned nothing */
	if (error > json_tokener_error_size ||
		(error == json_tokener_success && p->tree == NULL &&
		 *skip_space(p->text, p->text + p->len) != 'n'))
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
				return report_syntax(p, s - 1, "Unicode low surrogate must follow a high surrogate."), NULL;
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
		return report_syntax(p, high - 6, "Unicode high surrogate must be followed by a low surrogate."), NULL;
	s++;

	if (zero != NULL)
	{
		const char *end = p->text + p->len;
		const char *next = skip_space(s, end);

		if (next < end && *next == ':')
			return report_syntax(p, zero, "\\u0000 cannot be held in a key."), NULL;
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
	const char *end = p->text + p->len;
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
	const char *s = p->text;
	const char *end = p->text + p->len;

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
		return report_too_deep(w->escontext);
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
			result = tree_to_bson(p->tree, p->escontext);
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
	p->text = pg_server_to_any(text, len, PG_UTF8);
	p->len = p->text == text ? len : strlen(p->text);
	if (p->len > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("JSON text is too large for type %s", "bson")));
	p->next = p->text;
	p->escontext = escontext;

	if (check_grammar(p))
		result = parse_checked(p);
	if (p->text != text)
		pfree(unconstify(char *, p->text));
	pfree(p);
	return result;
}
