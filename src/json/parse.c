/*
 * parse.c
 *	  JSON text to bson, with json-c.  No other file uses json-c.
 *
 * json-c makes the tree, but does not decide what JSON is: even in strict mode
 * it accepts control characters in strings, [1.], NaN, and lone surrogates; it
 * cuts keys at U+0000, and clamps long integers.  So the text passes three
 * stages:
 *
 *	1. PgBsonCheckGrammar (grammar.c): the server's own JSON parser says whether it is
 *	   JSON, and how deep it nests.
 *	2. feed_text: passes over the tokens, refuses what the server's parser lets
 *	   pass without de-escaping (surrogates) and what BSON has no room for
 *	   (U+0000 in keys), and hands the text to json-c's incremental parser; the
 *	   few number tokens json-c cannot hold it replaces on the way by a
 *	   spelling that it can.
 *	3. append_value: passes over the tree once, into the builder.
 *
 * json-c's memory is malloc'd, and is freed when these stages end, by an error
 * as well. json_object_put recurses, so probe_stack first makes sure that
 * there is enough stack for it.
 *
 * json-c and utils/builtins.h cannot be included together, see json_c.h.
 */
#include "json/parse.h"

#include "core/build.h"
#include "json/extjson.h"
#include "json/grammar.h"
#include "json/json_c.h"
#include "json/json_number.h"
#include "json/transcode.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

/* An upper bound of the stack that json_object_put and its helpers take for each level */
#define FREE_FRAME_SIZE		512

/* json-c gets the text in pieces of about this size, and we check for interrupts between them */
#define FEED_SIZE			(1024 * 1024)

/* The context of an error names this many levels of keys */
#define SHOWN_PLACES		8

/* The state of one parse; it is in palloc'd memory, so that it survives a longjmp */
typedef struct Parse
{
	PgBsonJsonText in;
	PgBsonNumbers numbers;
	int			max_depth;		/* the deepest nesting in the text */

	struct json_tokener *tokener;
	struct json_object *tree;	/* NULL can also be the tree of the text "null" */
	bool		fed;			/* the tree is complete */
	const char *next;			/* json-c has not got the text from here on yet */
} Parse;

/* The text before the digits of a decimal */
#define OPEN_DECIMAL	"{\"" PGBSON_DOLLAR_NUMBER_DECIMAL "\":\""

/* The place in the tree, for the error context; the innermost level first */
typedef struct Place
{
	struct Place *up;
	const char *key;			/* of a field, or NULL */
	Size		index;			/* of an array element */
} Place;

/* The state of the pass over the tree */
typedef struct TreePass
{
	PgBsonBuilder *builder;
	Node	   *escontext;
	Place	   *place;			/* NULL at the root */
	int			depth;			/* BSON levels around the current value */
} TreePass;

static bool append_value(TreePass *w, struct json_object *v);


/* Errors --------------------------------------------------------------------- */

static bool
report_number(const Parse *p, const char *at, Size len)
{
	ereturn(p->in.escontext, false,
			(PgBsonJsonNumberError(at, len, p->numbers),
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

/* Error context callback: the place in the document of a wrapper that was refused */
static void
place_context(void *arg)
{
	TreePass   *w = (TreePass *) arg;
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
		return;					/* only white space remained */
	p->tree = JSON_C->json_tokener_parse_ex(p->tokener, text, (int) len);
	error = JSON_C->json_tokener_get_error(p->tokener);
	if (error == json_tokener_continue)
		return;

	/*
	 * json-c has an error code for lack of memory since 0.17.  In 0.17 its
	 * number is just below that of the error for texts beyond 2 GB, which
	 * cannot occur here; since 0.18 it is just above.  Before 0.17 json-c
	 * returned no error.
	 */
	if (error > json_tokener_error_parse_utf8_string ||
		(error == json_tokener_success && p->tree == NULL &&
		 *skip_space(p->in.text, p->in.text + p->in.len) != 'n'))
		report_no_memory();
	if (error != json_tokener_success)
		elog(ERROR, "json-c refuses what is JSON: %s", JSON_C->json_tokener_error_desc(error));
	p->fed = true;
}

/* Give json-c the text up to here, but not from here to "resume" */
static void
feed_until(Parse *p, const char *end, const char *resume)
{
	feed(p, p->next, end - p->next);
	p->next = resume;
}

/*
 * Give json-c a long text up to here, and check for interrupts.  In a string,
 * this place must be between two characters, and not between two surrogates.
 */
static void
feed_piece(Parse *p, const char *here)
{
	if (here - p->next > FEED_SIZE)
	{
		CHECK_FOR_INTERRUPTS();
		feed_until(p, here, here);
	}
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
 * The escapes from "pair" to "next" are a surrogate pair.  After json-c has
 * joined them, it mistakes the character for a lone surrogate if its low 16
 * bits look like one, as those of U+1D800 do.  In that case json-c gets the
 * character itself instead of the escapes.
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

		if (high == NULL && !IS_HIGHBIT_SET(*s))
			feed_piece(p, s);
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

/*
 * Pass over a number and return the place after it; NULL after an error.  If
 * json-c cannot hold the number, it gets an equivalent instead.  Within a
 * wrapper such as {"$date": ...} the equivalent is an error, and so is the
 * number.
 */
static const char *
scan_number(Parse *p, const char *s)
{
	const char *end = p->in.text + p->in.len;
	const char *next = s;
	uint8		bytes[PGBSON_NUMBER_BYTES];
	uint32		size;
	Size		len;

	while (next < end && strchr("-+.0123456789eE", *next) != NULL)
		next++;
	len = next - s;

	switch (PgBsonJsonNumber(s, len, p->numbers, bytes, &size))
	{
		case PGBSON_EOD:
			return report_number(p, s, len), NULL;
		case PGBSON_DECIMAL128:
			feed_until(p, s, next);
			feed(p, OPEN_DECIMAL, strlen(OPEN_DECIMAL));
			feed(p, s, len);
			feed(p, "\"}", 2);
			break;
		case PGBSON_DOUBLE:
			if (PgBsonJsonNumberIsInteger(s, len))
			{
				/* json-c would take -0, or one too long for int64, for an integer */
				feed_until(p, next, next);
				feed(p, ".0", 2);
			}
			break;
		default:
			break;
	}
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
			if (*s++ == ',')
				feed_piece(p, s);
		}
	}
	if (s == NULL)
		return false;			/* a soft error */

	feed_until(p, end, end);
	feed(p, "", 1);				/* the terminating NUL tells json-c that the text ends */
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
	switch (JSON_C->json_object_get_type(v))
	{
		case json_type_null:
			break;
		case json_type_boolean:
			node.kind = PGBSON_NODE_BOOL;
			node.boolean = JSON_C->json_object_get_boolean(v);
			break;
		case json_type_int:
			node.kind = PGBSON_NODE_INTEGER;
			node.integer = JSON_C->json_object_get_int64(v);
			break;
		case json_type_double:
			node.kind = PGBSON_NODE_NUMBER;
			break;
		case json_type_string:
			node.kind = PGBSON_NODE_STRING;
			node.str = JSON_C->json_object_get_string(v);
			node.len = JSON_C->json_object_get_string_len(v);
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
	return JSON_C->json_object_object_length(object->ref);
}

static void
tree_members(void *state, const PgBsonNode *object, PgBsonMember *members)
{
	struct json_object_iter it;

	JSON_C_FOREACH(unconstify(void *, object->ref), it)
	{
		members->key = it.key;
		members->key_len = strlen(it.key);
		members->value = node_of(it.val);
		members++;
	}
}

/*
 * Step into a container: one more level of BSON.  A root that is not a document
 * gets one more, its envelope (pgbson.h).
 */
static bool
enter(TreePass *w, bool is_array)
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

	JSON_C_FOREACH(object, it)
	{
		if (it.key[0] == '$' && PgBsonExtJsonIsKey(it.key, strlen(it.key)))
			return true;
	}
	return false;
}

/* An object that is not a wrapper */
static bool
append_document(TreePass *w, struct json_object *object)
{
	struct json_object_iter it;
	Place		place = {w->place};

	if (!enter(w, false))
		return false;
	PgBsonBuilderOpenDocument(w->builder);
	w->place = &place;
	JSON_C_FOREACH(object, it)
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
	TreePass   *w = (TreePass *) state;
	PgBsonBuilder *outer = w->builder;
	struct json_object *v = unconstify(void *, object->ref);
	PgBson	   *result = NULL;

	if (w->depth == 0)
		w->depth = 1;			/* a root that is code with a scope, see enter */
	if (has_wrapper_key(v))
	{
		/*
		 * to learn whether it is a wrapper, try it with a builder that is
		 * thrown away: an object with $regex may be a document
		 */
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
append_object(TreePass *w, struct json_object *object)
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
append_array(TreePass *w, struct json_object *array)
{
	Size		n = JSON_C->json_object_array_length(array);
	Place		place = {w->place};

	if (!enter(w, true))
		return false;
	PgBsonBuilderOpenArray(w->builder);
	w->place = &place;
	for (place.index = 0; place.index < n; place.index++)
	{
		if (!append_value(w, JSON_C->json_object_array_get_idx(array, place.index)))
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
append_value(TreePass *w, struct json_object *v)
{
	PgBsonBuilder *b = w->builder;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	switch (JSON_C->json_object_get_type(v))
	{
		case json_type_null:
			PgBsonBuilderNull(b);
			return true;
		case json_type_boolean:
			PgBsonBuilderBool(b, JSON_C->json_object_get_boolean(v));
			return true;
		case json_type_int:
			append_integer(b, JSON_C->json_object_get_int64(v));
			return true;
		case json_type_double:
			PgBsonBuilderDouble(b, JSON_C->json_object_get_double(v));
			return true;
		case json_type_string:
			PgBsonBuilderString(b, JSON_C->json_object_get_string(v), JSON_C->json_object_get_string_len(v));
			return true;
		case json_type_array:
			return append_array(w, v);
		case json_type_object:
			return append_object(w, v);
	}
	elog(ERROR, "unknown json-c type %d", (int) JSON_C->json_object_get_type(v));
}

static PgBson *
tree_to_bson(struct json_object *tree, Node *escontext)
{
	ErrorContextCallback callback;
	PgBson	   *result = NULL;
	TreePass	w = {PgBsonBuilderBegin(), escontext};

	callback.callback = place_context;
	callback.arg = &w;
	callback.previous = error_context_stack;
	error_context_stack = &callback;

	if (append_value(&w, tree))
		result = PgBsonBuilderFinish(w.builder);

	error_context_stack = callback.previous;
	return result;
}

/* Raise an error unless there is enough stack to free a tree of this many levels. */
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
	/* there may be no json-c */
	if (p->tokener == NULL)
		return;
	JSON_C->json_object_put(p->tree);
	JSON_C->json_tokener_free(p->tokener);
}

/* Stages 2 and 3; frees json-c's memory at the end */
static PgBson *
parse_checked(Parse *p)
{
	PgBson	   *volatile result = NULL;

	PG_TRY();
	{
		/* a replaced number adds a level, and json-c needs some to spare */
		p->tokener = JSON_C->json_tokener_new_ex(p->max_depth + 4);
		if (p->tokener == NULL)
			report_no_memory();

		/*
		 * Not strict, because the server's grammar is strict already, and
		 * because in strict mode json-c 0.18 takes every byte above 0x7F for a
		 * control character.
		 */
		JSON_C->json_tokener_set_flags(p->tokener, JSON_TOKENER_VALIDATE_UTF8);
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
PgBsonFromJson(const char *text, Size len, PgBsonNumbers numbers, Node *escontext)
{
	Parse	   *p;
	PgBson	   *result = NULL;

	if (PgBsonJsonParserSetting == PGBSON_PARSER_AUTO && GetDatabaseEncoding() == PG_UTF8 &&
		(result = PgBsonTranscode(text, len, numbers)) != NULL)
		return result;

	p = palloc0(sizeof(Parse));

	/* this also verifies the text if the server does not know its encoding */
	p->in.text = pg_server_to_any(text, len, PG_UTF8);
	p->in.len = p->in.text == text ? len : strlen(p->in.text);
	if (p->in.len > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("JSON text is too large for type %s", "bson")));
	p->next = p->in.text;
	p->in.escontext = escontext;
	p->numbers = numbers;

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
