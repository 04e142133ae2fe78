/*
 * feed.c
 *	  JSON text to json-c's tree.
 *
 * The text is passed over token by token and handed to json-c's incremental
 * parser.  What the server's parser lets pass without de-escaping is refused
 * (surrogates), and so is what BSON has no room for (U+0000 in keys).  The few
 * numbers that json-c cannot hold are replaced on the way by a spelling that
 * it can.
 */
#include "json/parse.h"

#include "core/bytes/digits.h"
#include "core/bytes/scan.h"
#include "json/extjson.h"
#include "libraries/json_c.h"

/* json-c gets the text in pieces of about this size, and we check for interrupts between them */
#define FEED_SIZE			(1024 * 1024)

/* The text before the digits of a decimal */
#define OPEN_DECIMAL	"{\"" PGBSON_DOLLAR_NUMBER_DECIMAL "\":\""

static bool
report_number(const PgBsonFeed *f, const char *at, Size len)
{
	ereturn(f->in.escontext, false,
			(PgBsonJsonNumberError(at, len, f->numbers),
			 PgBsonJsonContext(&f->in, at)));
}

static void
report_no_memory(void)
{
	PgBsonReport(ERRCODE_OUT_OF_MEMORY, errmsg("out of memory"),
				 errdetail("Failed while reading JSON text as %s.", "bson"));
}

void
PgBsonFeedBegin(PgBsonFeed *f, int max_depth)
{
	/* a replaced number adds a level, and json-c needs some to spare */
	f->tokener = JSON_C->json_tokener_new_ex(max_depth + 4);
	if (f->tokener == NULL)
		report_no_memory();

	/*
	 * Not strict, because the server's grammar is strict already, and because in strict mode json-c 0.18 takes every
	 * byte above 0x7F for a control character.
	 */
	JSON_C->json_tokener_set_flags(f->tokener, JSON_TOKENER_VALIDATE_UTF8);
}

void
PgBsonFeedRelease(PgBsonFeed *f)
{
	/* there may be no json-c */
	if (f->tokener == NULL)
		return;
	JSON_C->json_object_put(f->tree);
	JSON_C->json_tokener_free(f->tokener);
}

static const char *
skip_space(const char *s, const char *end)
{
	return (const char *) PgBsonSkipSpace((const uint8 *) s, (const uint8 *) end);
}

/* Give json-c some text */
static void
feed(PgBsonFeed *f, const char *text, Size len)
{
	enum json_tokener_error error;

	if (f->fed || len == 0)
		return;					/* only white space remained */
	f->tree = JSON_C->json_tokener_parse_ex(f->tokener, text, (int) len);
	error = JSON_C->json_tokener_get_error(f->tokener);
	if (error == json_tokener_continue)
		return;

	/*
	 * json-c has an error code for lack of memory since 0.17.  In 0.17 its number is just below that of the error for
	 * texts beyond 2 GB, which cannot occur here; since 0.18 it is just above.  Before 0.17 json-c returned no error.
	 */
	if (error > json_tokener_error_parse_utf8_string ||
		(error == json_tokener_success && f->tree == NULL &&
		 *skip_space(f->in.text, f->in.text + f->in.len) != 'n'))
		report_no_memory();
	if (error != json_tokener_success)
		elog(ERROR, "json-c refuses what is JSON: %s", JSON_C->json_tokener_error_desc(error));
	f->fed = true;
}

/* Give json-c the text up to here, but not from here to "resume" */
static void
feed_until(PgBsonFeed *f, const char *end, const char *resume)
{
	feed(f, f->next, end - f->next);
	f->next = resume;
}

/*
 * Give json-c a long text up to here, and check for interrupts.  In a string,
 * this place must be between two characters, and not between two surrogates.
 */
static void
feed_piece(PgBsonFeed *f, const char *here)
{
	if (here - f->next > FEED_SIZE)
	{
		CHECK_FOR_INTERRUPTS();
		feed_until(f, here, here);
	}
}

/* Of four hexadecimal digits, as the server's parser has found */
static unsigned
hex_value(const char *s)
{
	uint8		bytes[2] = {0};

	(void) PgBsonDecodeHex(s, 2, bytes);
	return bytes[0] << 8 | bytes[1];
}

/*
 * The escapes from "pair" to "next" are a surrogate pair.  After json-c has joined them, it mistakes the character for
 * a lone surrogate if its low 16 bits look like one, as those of U+1D800 do.  In that case json-c gets the character
 * itself instead of the escapes.
 */
static void
feed_pair(PgBsonFeed *f, const char *pair, const char *next)
{
	pg_wchar	c = 0x10000 + ((hex_value(pair + 2) & 0x3FF) << 10) + (hex_value(pair + 8) & 0x3FF);
	unsigned char utf8[MAX_MULTIBYTE_CHAR_LEN];

	if ((c & 0xF800) != 0xD800)
		return;
	feed_until(f, pair, next);
	unicode_to_utf8(c, utf8);
	feed(f, (char *) utf8, pg_encoding_mblen(PG_UTF8, (char *) utf8));
}

/* Pass over a string, from behind its opening quote to behind its closing one; NULL after an error. */
static const char *
scan_string(PgBsonFeed *f, const char *s)
{
	const char *high = NULL;	/* the place after a high surrogate */
	const char *zero = NULL;	/* the place of a U+0000 */

	for (; *s != '"'; s++)
	{
		unsigned	c;

		if (high == NULL && !IS_HIGHBIT_SET(*s))
			feed_piece(f, s);
		if (*s != '\\' || *++s != 'u')
			continue;

		c = hex_value(s + 1);
		if (c >= 0xDC00 && c <= 0xDFFF)
		{
			/* s - 1 is the backslash */
			if (high != s - 1)
				return PgBsonReportSyntax(&f->in, s - 1, "Unicode low surrogate must follow a high surrogate."), NULL;
			feed_pair(f, high - 6, s + 5);
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
		return PgBsonReportSyntax(&f->in, high - 6, "Unicode high surrogate must be followed by a low surrogate."),
			NULL;
	s++;

	if (zero != NULL)
	{
		const char *end = f->in.text + f->in.len;
		const char *next = skip_space(s, end);

		if (next < end && *next == ':')
			return PgBsonReportSyntax(&f->in, zero, "\\u0000 cannot be held in a key."), NULL;
	}
	return s;
}

/*
 * Pass over a number and return the place after it; NULL after an error.  If json-c cannot hold the number, it gets an
 * equivalent instead.  Within a wrapper such as {"$date": ...} the equivalent is an error, and so is the number.
 */
static const char *
scan_number(PgBsonFeed *f, const char *s)
{
	const char *end = f->in.text + f->in.len;
	const char *next = s;
	uint8		bytes[PGBSON_NUMBER_BYTES];
	uint32		size;
	Size		len;

	while (next < end && strchr("-+.0123456789eE", *next) != NULL)
		next++;
	len = next - s;

	switch (PgBsonJsonNumber(s, len, f->numbers, bytes, &size))
	{
		case PGBSON_EOD:
			return report_number(f, s, len), NULL;
		case PGBSON_DECIMAL128:
			feed_until(f, s, next);
			feed(f, OPEN_DECIMAL, strlen(OPEN_DECIMAL));
			feed(f, s, len);
			feed(f, "\"}", 2);
			break;
		case PGBSON_DOUBLE:
			if (PgBsonJsonNumberIsInteger(s, len))
			{
				/* json-c would take -0, or one too long for int64, for an integer */
				feed_until(f, next, next);
				feed(f, ".0", 2);
			}
			break;
		default:
			break;
	}
	return next;
}

bool
PgBsonFeedText(PgBsonFeed *f)
{
	const char *s = f->in.text;
	const char *end = f->in.text + f->in.len;

	while (s != NULL && s < end)
	{
		if (*s == '"')
			s = scan_string(f, s + 1);
		else if (*s == '-' || (*s >= '0' && *s <= '9'))
			s = scan_number(f, s);
		else if (*s++ == ',')
			feed_piece(f, s);
	}
	if (s == NULL)
		return false;			/* a soft error */

	feed_until(f, end, end);
	feed(f, "", 1);				/* the terminating NUL tells json-c that the text ends */
	if (!f->fed)
		elog(ERROR, "json-c finds that JSON text incomplete");
	return true;
}
