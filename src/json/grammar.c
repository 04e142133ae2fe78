/*
 * grammar.c
 *	  Is a text JSON? The server's parser, which the type json uses, decides.
 */
#include "json/parse.h"

#include <ctype.h>

/*
 * Text nests deeper than the BSON it stands for: a scope has an object around
 * it, and the innermost value can be a wrapper of three objects (DBPointer).
 */
#define MAX_TEXT_DEPTH		(2 * PGBSON_MAX_DEPTH + 3)

/* The context of an error shows this much text before the place */
#define EXCERPT_BYTES		50

/* The state of one pass over the text */
typedef struct GrammarPass
{
	Node	   *escontext;
	int			depth;
	int			max_depth;		/* the deepest nesting in the text */
} GrammarPass;

static inline bool
is_continuation(char c)
{
	return (c & 0xC0) == 0x80;
}

int
PgBsonJsonContext(const PgBsonJsonText *t, const char *at)
{
	const char *line_start = t->text;
	const char *end = t->text + t->len;
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

/* Is there a value as MongoDB's shell writes it, such as ObjectId("...")? */
static bool
looks_like_shell(const PgBsonJsonText *t, const char *at)
{
	static const char *const names[] = {
		"BinData", "Date", "Decimal128", "Double", "HexData", "ISODate", "Int32", "Long", "MD5", "MaxKey", "MinKey",
		"NumberDecimal", "NumberInt", "NumberLong", "ObjectId", "RegExp", "Timestamp", "UUID", "new "
	};

	if (at == NULL)
		return false;
	for (int i = 0; i < lengthof(names); i++)
	{
		Size		len = strlen(names[i]);

		if (t->text + t->len - at > len && memcmp(at, names[i], len) == 0 &&
			(names[i][len - 1] == ' ' || at[len] == '('))
			return true;
	}
	return false;
}

/* Does the text begin with a letter or digit, so that a string without its quotes was probably meant? */
static bool
looks_like_string(const PgBsonJsonText *t)
{
	const char *c = t->text;
	const char *end = t->text + t->len;

	while (c < end && strchr(" \t\r\n", *c) != NULL)
		c++;
	return c < end && !IS_HIGHBIT_SET(*c) && isalnum((unsigned char) *c);
}

bool
PgBsonReportSyntax(const PgBsonJsonText *t, const char *at, const char *detail)
{
	ereturn(t->escontext, false,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s", "bson"),
			 errdetail_internal("%s", detail),
			 looks_like_shell(t, at) ?
			 errhint("This is the syntax of MongoDB's shell. Write Extended JSON, such as {\"$oid\": \"...\"} or {\"$date\": \"...\"}.") :
			 looks_like_string(t) ?
			 errhint("If a string is meant, cast it: to_bson('...'::text).  What \"->>\" gives is a text, and is compared with one.") : 0,
			 PgBsonJsonContext(t, at)));
}

PGBSON_JSON_CALLBACK
container_start(void *state)
{
	GrammarPass *pass = (GrammarPass *) state;

	CHECK_FOR_INTERRUPTS();
	pass->depth++;
	pass->max_depth = Max(pass->max_depth, pass->depth);
	if (pass->depth > MAX_TEXT_DEPTH)
	{
		PgBsonRefuseTooDeep(pass->escontext);
		PGBSON_JSON_STOP;
	}
	PGBSON_JSON_CONTINUE;
}

PGBSON_JSON_CALLBACK
container_end(void *state)
{
	((GrammarPass *) state)->depth--;
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

bool
PgBsonCheckGrammar(const PgBsonJsonText *t, int *max_depth)
{
	GrammarPass	pass = {t->escontext, 0, 0};
	JsonSemAction actions = {0};
	JsonLexContext *lexer;
	JsonParseErrorType error;

	actions.semstate = &pass;
	actions.object_start = container_start;
	actions.object_end = container_end;
	actions.array_start = container_start;
	actions.array_end = container_end;
	actions.array_element_start = element_start;
	actions.object_field_start = field_start;

	lexer = PgBsonMakeJsonLexer(t->text, t->len);
	error = pg_parse_json(lexer, &actions);
	if (SOFT_ERROR_OCCURRED(t->escontext))
		return false;			/* reported by a callback */
	if (error != JSON_SUCCESS)
	{
		char	   *detail = json_errdetail(error, lexer);

		detail = pg_any_to_server(detail, strlen(detail), PG_UTF8);
		return PgBsonReportSyntax(t, error == JSON_EXPECTED_MORE ? NULL : lexer->token_start, detail);
	}
	PgBsonFreeJsonLexer(lexer);
	*max_depth = pass.max_depth;
	return true;
}
