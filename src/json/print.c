/*
 * print.c
 *	  BSON to Extended JSON text.
 *
 * One pass over the bytes into one growing buffer.  Every element first
 * reserves ROOM bytes, enough for the punctuation and any value of bounded
 * size.  Strings, keys and binary data reserve their own space and leave ROOM
 * bytes after it.  So the code in between need not check for the buffer's end.
 *
 * The lossless style is the readable style with a check: printing stops at the
 * first value that no text can be read back to.
 */
#include "json/print.h"

#include <math.h>

#include "common/base64.h"
#include "core/keys.h"
#include "core/number.h"
#include "core/number_text.h"
#include "core/recode.h"
#include "core/scan.h"
#include "json/extjson.h"
#include "json/spell.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

/*
 * What an element may write without reserving more: its share of punctuation,
 * a key shorter than sixteen bytes, and the longest value of bounded size (a
 * decimal128 in its wrapper, some 70 bytes).
 */
#define ROOM	256

/* The quiet NaN that the text NaN is read as */
#define CANONICAL_NAN	UINT64CONST(0x7ff8000000000000)

typedef struct Printer
{
	char	   *p;				/* next byte to write */
	char	   *end;			/* end of the buffer, short of its NUL */
	StringInfo	out;			/* out->len is stale while printing */
	const uint8 *start;			/* the bytes, for offsets in errors */
	const uint8 *limit;			/* their end; no bytes beyond it may be read */
	PgBsonStyle style;
	bool		strict;			/* stop at a value that would not read back to the same bytes */
	bool		recode;			/* the server's encoding is not UTF-8 */
	int			indent;			/* spaces a level, or 0 */
} Printer;

static bool print_value(Printer *pr, const PgBsonValue *value, int level);
static const uint8 *print_bytes(Printer *pr, PgBsonType type, const uint8 *p,
								const uint8 *end, int level);

/* Append a literal */
#define PUT(pr, literal) \
	(memcpy((pr)->p, literal, sizeof(literal) - 1), (pr)->p += sizeof(literal) - 1)

/* The beginning of a wrapper with this key */
#define OPEN(key)	"{\"" key "\": "

/* Tell the StringInfo how much was written */
static void
sync_buffer(Printer *pr)
{
	pr->out->len = pr->p - pr->out->data;
	pr->out->data[pr->out->len] = '\0';
}

static pg_noinline void
grow(Printer *pr, Size room)
{
	StringInfo	out = pr->out;

	sync_buffer(pr);
	/* if it is too large for a StringInfo, this raises 54000 */
	enlargeStringInfo(out, (int) Min(room, MaxAllocSize));
	pr->p = out->data + out->len;
	pr->end = out->data + out->maxlen - 1;
}

static inline void
reserve(Printer *pr, Size room)
{
	if (unlikely((Size) (pr->end - pr->p) < room))
		grow(pr, room);
}

static void
put_escape(Printer *pr, uint8 c)
{
	static const char digits[] = "0123456789abcdef";
	char		letter;

	switch (c)
	{
		case '"':
		case '\\':
			letter = c;
			break;
		case '\b':
			letter = 'b';
			break;
		case '\f':
			letter = 'f';
			break;
		case '\n':
			letter = 'n';
			break;
		case '\r':
			letter = 'r';
			break;
		case '\t':
			letter = 't';
			break;
		default:
			PUT(pr, "\\u00");
			*pr->p++ = digits[c >> 4];
			*pr->p++ = digits[c & 0xf];
			return;
	}
	*pr->p++ = '\\';
	*pr->p++ = letter;
}

/*
 * The inside of a JSON string, from bytes that need no recoding.  "limit" is
 * the end of what may be read, at or beyond s + len.
 *
 * Here and below, hot code keeps the cursor in a local variable, because the
 * compiler must assume that a store through a char pointer changes pr->p.
 */
static void
put_escaped(Printer *pr, const uint8 *s, uint32 len, const uint8 *limit)
{
	const uint8 *end = s + len;
	char	   *out;

	reserve(pr, (Size) len + ROOM);
	out = pr->p;
	while (s < end)
	{
		uint32		n;

		/* copy sixteen bytes in any case; the cursor moves only past those that need no escape */
		if (limit - s >= 16)
		{
			memcpy(out, s, 16);
			n = PgBsonPlainRun16(s);
			n = Min(n, end - s);
		}
		else
		{
			n = PgBsonPlainRun(s, end - s);
			memcpy(out, s, n);
		}
		out += n;
		s += n;
		if (s < end && n < 16)
		{
			CHECK_FOR_INTERRUPTS();
			pr->p = out;
			put_escape(pr, *s++);
			reserve(pr, (Size) (end - s) + ROOM);
			out = pr->p;
		}
	}
	pr->p = out;
}

/* A character as \uXXXX, or as two of these if it is beyond the BMP */
static void
put_unicode_escape(Printer *pr, const uint8 *s)
{
	pg_wchar	c = utf8_to_unicode(s);

	if (c >= 0x10000)
	{
		c -= 0x10000;
		pr->p += sprintf(pr->p, "\\u%04x\\u%04x",
						 0xd800 + (c >> 10), 0xdc00 + (c & 0x3ff));
	}
	else
		pr->p += sprintf(pr->p, "\\u%04x", c);
}

/* Whole characters beyond ASCII, at most PGBSON_RECODE_RUN bytes */
static void
put_recoded_run(Printer *pr, const char *s, int len)
{
	char		result[PGBSON_RECODE_ROOM];
	int			result_len = PgBsonRecode(s, len, result);

	if (result_len >= 0)
	{
		reserve(pr, (Size) result_len + ROOM);
		memcpy(pr->p, result, result_len);
		pr->p += result_len;
		return;
	}

	/* convert them one by one */
	while (len > 0)
	{
		int			size = pg_utf_mblen((const unsigned char *) s);

		reserve(pr, PGBSON_RECODE_ROOM + ROOM);
		result_len = PgBsonRecode(s, size, pr->p);
		if (result_len >= 0)
			pr->p += result_len;
		else
			put_unicode_escape(pr, (const uint8 *) s);
		s += size;
		len -= size;
	}
}

/* The inside of a JSON string, in a server whose encoding is not UTF-8 */
static void
put_recoded(Printer *pr, const char *s, uint32 len)
{
	const char *end = s + len;

	while (s < end)
	{
		const char *run = s;

		while (s < end && !IS_HIGHBIT_SET(*s))
			s++;
		put_escaped(pr, (const uint8 *) run, s - run, (const uint8 *) s);
		run = s;
		while (s < end && IS_HIGHBIT_SET(*s) &&
			   s - run <= PGBSON_RECODE_RUN - MAX_MULTIBYTE_CHAR_LEN)
			s += pg_utf_mblen((const unsigned char *) s);
		put_recoded_run(pr, run, s - run);
		CHECK_FOR_INTERRUPTS();
	}
	reserve(pr, ROOM);
}

/* A JSON string */
static void
put_string(Printer *pr, const char *s, uint32 len)
{
	/* the usual string, handled like the usual key in put_key */
	if (len <= 16 && pr->limit - (const uint8 *) s >= 16 && !pr->recode &&
		PgBsonPlainRun16((const uint8 *) s) >= len)
	{
		char	   *out = pr->p;

		*out++ = '"';
		memcpy(out, s, 16);
		out += len;
		*out++ = '"';
		pr->p = out;
		return;
	}

	*pr->p++ = '"';
	if (unlikely(pr->recode))
		put_recoded(pr, s, len);
	else
		put_escaped(pr, (const uint8 *) s, len, pr->limit);
	*pr->p++ = '"';
}

static void
put_newline(Printer *pr, int level)
{
	Size		width = (Size) level * pr->indent;

	reserve(pr, width + 1 + ROOM);
	*pr->p++ = '\n';
	memset(pr->p, ' ', width);
	pr->p += width;
}

/* Does the style distinguish int64 from int32? */
static inline bool
spells_types(const Printer *pr)
{
	return pr->style == PGBSON_LOSSLESS || pr->style == PGBSON_READABLE;
}

/* The text before an element: the comma after the preceding element, and a space or a new line */
static inline void
put_separator(Printer *pr, bool first, int level)
{
	if (pr->indent > 0)
	{
		if (!first)
			*pr->p++ = ',';
		put_newline(pr, level);
	}
	else if (!first)
	{
		memcpy(pr->p, ", ", 2);
		pr->p += 2;
	}
}

static inline void
put_bool(Printer *pr, bool v)
{
	if (v)
		PUT(pr, "true");
	else
		PUT(pr, "false");
}

static inline void
put_int32(Printer *pr, int32 v)
{
	if (pr->style == PGBSON_CANONICAL)
	{
		PUT(pr, OPEN(PGBSON_DOLLAR_NUMBER_INT) "\"");
		pr->p += pg_ltoa(v, pr->p);
		PUT(pr, "\"}");
	}
	else
		pr->p += pg_ltoa(v, pr->p);
}

static void
put_number_long(Printer *pr, int64 v)
{
	PUT(pr, OPEN(PGBSON_DOLLAR_NUMBER_LONG) "\"");
	pr->p += pg_lltoa(v, pr->p);
	PUT(pr, "\"}");
}

static void
put_int64(Printer *pr, int64 v)
{
	bool		fits_int32 = v >= PG_INT32_MIN && v <= PG_INT32_MAX;

	if (pr->style == PGBSON_CANONICAL || (spells_types(pr) && fits_int32))
		put_number_long(pr, v);
	else
		pr->p += pg_lltoa(v, pr->p);
}

static bool
put_double(Printer *pr, const uint8 *data)
{
	double		d = PgBsonReadDouble(data);
	bool		wrapped = pr->style == PGBSON_CANONICAL || isnan(d) || isinf(d);
	char	   *text;
	int			len;

	if (pr->strict && isnan(d) && PgBsonReadU64(data) != CANONICAL_NAN)
		return false;
	if (wrapped)
		PUT(pr, OPEN(PGBSON_DOLLAR_NUMBER_DOUBLE) "\"");
	text = pr->p;
	len = PgBsonDoubleToText(d, text);
	pr->p += len;
	if (wrapped)
		PUT(pr, "\"}");
	if (pr->style == PGBSON_CANONICAL)
	{
		/* the specification writes exponents with an upper-case E */
		char	   *e = memchr(text, 'e', len);

		if (e != NULL)
			*e = 'E';
	}
	return true;
}

static bool
put_decimal(Printer *pr, const uint8 *data)
{
	char		text[PGBSON_DECIMAL128_TEXT];
	int			len = PgBsonDecimalToText(data, text);

	if (pr->style == PGBSON_JSON && isdigit((unsigned char) text[len - 1]))
	{
		/* neither NaN nor Infinity */
		memcpy(pr->p, text, len);
		pr->p += len;
		return true;
	}
	PUT(pr, OPEN(PGBSON_DOLLAR_NUMBER_DECIMAL) "\"");
	memcpy(pr->p, text, len);
	pr->p += len;
	PUT(pr, "\"}");

	/* one decimal can be encoded in several ways, and a NaN has a payload */
	return !pr->strict || PgBsonDecimalIsPlain(data);
}

static void
put_date(Printer *pr, int64 ms)
{
	PUT(pr, OPEN(PGBSON_DOLLAR_DATE));
	if (pr->style != PGBSON_CANONICAL && PgBsonDateHasIso(ms))
	{
		*pr->p++ = '"';
		pr->p += PgBsonSpellDate(ms, pr->p);
		*pr->p++ = '"';
	}
	else
		put_number_long(pr, ms);
	*pr->p++ = '}';
}

static void
put_object_id(Printer *pr, const uint8 *oid)
{
	PUT(pr, OPEN(PGBSON_DOLLAR_OID) "\"");
	pr->p += PgBsonSpellHex(oid, 12, pr->p);
	PUT(pr, "\"}");
}

static void
put_binary(Printer *pr, const PgBsonValue *value)
{
	uint8		subtype;
	uint32		len;
	const uint8 *data = PgBsonValueBinary(value, &subtype, &len);
	Size		room = ((Size) len + 2) / 3 * 4 + 1;

	reserve(pr, room + ROOM);
	PUT(pr, OPEN(PGBSON_DOLLAR_BINARY) "{\"base64\": \"");
	/* void *: the server's prototypes differ in signedness */
	pr->p += pg_b64_encode((const void *) data, len, pr->p, room);
	PUT(pr, "\", \"subType\": \"");
	pr->p += PgBsonSpellHex(&subtype, 1, pr->p);
	PUT(pr, "\"}}");
}

static void
put_timestamp(Printer *pr, const uint8 *data)
{
	PUT(pr, OPEN(PGBSON_DOLLAR_TIMESTAMP) "{\"t\": ");
	pr->p = pg_ultostr(pr->p, PgBsonReadU32(data + 4));
	PUT(pr, ", \"i\": ");
	pr->p = pg_ultostr(pr->p, PgBsonReadU32(data));
	PUT(pr, "}}");
}

/* Are the options in alphabetical order? Reading the text back sorts them. */
static bool
options_sorted(const char *options)
{
	for (; options[0] != '\0' && options[1] != '\0'; options++)
	{
		if ((uint8) options[0] > (uint8) options[1])
			return false;
	}
	return true;
}

/* A string outside of the document, so the document's end is not its limit */
static void
put_copy(Printer *pr, const char *s, uint32 len)
{
	const uint8 *limit = pr->limit;

	pr->limit = (const uint8 *) s + len;
	put_string(pr, s, len);
	pr->limit = limit;
}

static bool
put_regex(Printer *pr, const PgBsonValue *value)
{
	const char *pattern = (const char *) value->data;
	Size		pattern_len = strlen(pattern);
	const char *options = pattern + pattern_len + 1;
	Size		options_len = value->len - pattern_len - 2;
	bool		sorted = options_sorted(options);

	PUT(pr, OPEN(PGBSON_DOLLAR_REGULAR_EXPRESSION) "{\"pattern\": ");
	put_string(pr, pattern, pattern_len);
	PUT(pr, ", \"options\": ");
	if (sorted)
		put_string(pr, options, options_len);
	else
		put_copy(pr, PgBsonSortedOptions(options, options_len), options_len);
	PUT(pr, "}}");
	return !pr->strict || sorted;
}

static void
put_dbpointer(Printer *pr, const PgBsonValue *value)
{
	PUT(pr, OPEN(PGBSON_DOLLAR_DBPOINTER) OPEN(PGBSON_DOLLAR_REF));
	put_string(pr, (const char *) value->data + 4, value->len - 17);
	PUT(pr, ", \"" PGBSON_DOLLAR_ID "\": ");
	put_object_id(pr, value->data + value->len - 12);
	PUT(pr, "}}");
}

/* A wrapper that holds one string */
static void
put_wrapped_string(Printer *pr, const char *key, const PgBsonValue *value)
{
	uint32		len;
	const char *s = PgBsonValueString(value, &len);

	pr->p += sprintf(pr->p, "{\"%s\": ", key);
	put_string(pr, s, len);
	*pr->p++ = '}';
}

static bool
put_code_with_scope(Printer *pr, const PgBsonValue *value, int level)
{
	PgBsonView	view = PgBsonValueScope(value);
	PgBsonValue scope = {PGBSON_DOCUMENT, view.len, view.data};
	uint32		len;
	const char *code = PgBsonValueScopedCode(value, &len);

	PUT(pr, OPEN(PGBSON_DOLLAR_CODE));
	put_string(pr, code, len);
	PUT(pr, ", \"" PGBSON_DOLLAR_SCOPE "\": ");
	if (!print_value(pr, &scope, level))
		return false;
	*pr->p++ = '}';
	return true;
}

/*
 * The key at "key", its quotes and the colon.  Returns its length, or
 * PGBSON_BAD_SIZE if it does not end before "end"; and its signature.
 */
static inline uint32
put_key(Printer *pr, const uint8 *key, const uint8 *end, uint32 *signature)
{
	const uint8 *nul;

	if (pr->limit - key >= 16 && !pr->recode)
	{
		uint32		n = PgBsonPlainRun16(key);

		/* the usual key: one load finds its end and shows that it needs no escapes */
		if (n < 16 && key[n] == 0 && n < end - key)
		{
			char	   *out = pr->p;

			*out++ = '"';
			memcpy(out, key, 16);
			out += n;
			memcpy(out, "\": ", 3);
			pr->p = out + 3;
			*signature = PgBsonShortKeySignature((const char *) key, n);
			return n;
		}
	}

	nul = memchr(key, 0, end - key);
	if (nul == NULL)
		return PGBSON_BAD_SIZE;
	put_string(pr, (const char *) key, nul - key);
	PUT(pr, ": ");
	*signature = PgBsonKeySignature((const char *) key, nul - key);
	return nul - key;
}

/* A decimal number that can be incremented */
typedef struct Counter
{
	char		digits[16];		/* with NUL */
	int			len;
} Counter;

/* Are these the counter's digits and their NUL?  "limit" is the end of what may be read. */
static inline bool
is_counter(const Counter *c, const uint8 *key, const uint8 *limit)
{
	Size		size = c->len + 1;

	if (size <= 8 && limit - key >= 8)
	{
		/* one comparison of words, which are shifted so that only the key's bytes take part */
		uint64		difference = PgBsonReadU64(key) ^ PgBsonReadU64((const uint8 *) c->digits);

		return difference << (64 - 8 * size) == 0;
	}
	return limit - key >= size && memcmp(key, c->digits, size) == 0;
}

static void
count_up(Counter *c)
{
	int			i = c->len - 1;

	while (i >= 0 && c->digits[i] == '9')
		c->digits[i--] = '0';
	if (i >= 0)
		c->digits[i]++;
	else
	{
		/* it was all nines, so it gets one more digit */
		c->digits[0] = '1';
		c->digits[c->len++] = '0';
		c->digits[c->len] = '\0';
	}
}

static bool
print_array(Printer *pr, PgBsonView array, int level)
{
	const uint8 *p = array.data + 4;
	const uint8 *end = array.data + array.len - 1;
	Counter		counter = {"0", 1};
	bool		first = true;

	check_stack_depth();
	reserve(pr, ROOM);
	*pr->p++ = '[';
	while (p < end)
	{
		const uint8 *element = p;
		PgBsonType	type;
		const uint8 *nul;

		CHECK_FOR_INTERRUPTS();
		reserve(pr, ROOM);
		put_separator(pr, first, level + 1);
		first = false;

		type = *p++;
		if (counter.len < end - p && is_counter(&counter, p, pr->limit))
			p += counter.len + 1;
		else if (pr->strict)
			return false;
		else
		{
			/* an element is known by its position; the key's text is not printed */
			nul = memchr(p, 0, end - p);
			if (nul == NULL)
				PgBsonReportDamaged(element - pr->start);
			p = nul + 1;
		}
		count_up(&counter);

		p = print_bytes(pr, type, p, end, level + 1);
		if (p == NULL)
			return false;
	}
	if (pr->indent > 0)
		put_newline(pr, level);
	*pr->p++ = ']';
	reserve(pr, ROOM);
	return true;
}

static bool
print_document(Printer *pr, PgBsonView doc, int level)
{
	const uint8 *p = doc.data + 4;
	const uint8 *end = doc.data + doc.len - 1;
	PgBsonKeyWatch watch;
	bool		first = true;
	bool		dollar = false; /* has a key begun with a dollar? */

	check_stack_depth();
	if (pr->strict)
		PgBsonKeyWatchInit(&watch, doc);
	reserve(pr, ROOM);
	*pr->p++ = '{';
	while (p < end)
	{
		const uint8 *element = p;
		PgBsonType	type;
		uint32		key_len;
		uint32		signature;

		CHECK_FOR_INTERRUPTS();
		reserve(pr, ROOM);
		put_separator(pr, first, level + 1);
		first = false;

		type = *p++;
		key_len = put_key(pr, p, end, &signature);
		if (key_len == PGBSON_BAD_SIZE)
			PgBsonReportDamaged(element - pr->start);
		if (pr->strict)
		{
			if (!PgBsonKeyWatchAdd(&watch, signature))
				return false;
			/* this one test covers all keys of the document */
			if (*p == '$' && !dollar && PgBsonExtJsonClaims(doc))
				return false;
			dollar |= *p == '$';
		}
		p += key_len + 1;

		p = print_bytes(pr, type, p, end, level + 1);
		if (p == NULL)
			return false;
	}
	if (pr->indent > 0)
		put_newline(pr, level);
	*pr->p++ = '}';
	reserve(pr, ROOM);
	return true;
}

/*
 * Any value; false if the style is strict and no text reads back to the value.
 * ROOM bytes, less a key and some punctuation, are available to write to;
 * strings and containers reserve more, and leave as many.
 */
static bool
print_value(Printer *pr, const PgBsonValue *value, int level)
{
	uint32		len;
	const char *s;

	switch (value->type)
	{
		case PGBSON_DOCUMENT:
			return print_document(pr, PgBsonValueView(value), level);
		case PGBSON_ARRAY:
			return print_array(pr, PgBsonValueView(value), level);
		case PGBSON_STRING:
			s = PgBsonValueString(value, &len);
			put_string(pr, s, len);
			return true;
		case PGBSON_BOOL:
			put_bool(pr, value->data[0] != 0);
			return true;
		case PGBSON_NULL:
			PUT(pr, "null");
			return true;
		case PGBSON_INT32:
			put_int32(pr, PgBsonReadI32(value->data));
			return true;
		case PGBSON_INT64:
			put_int64(pr, PgBsonReadI64(value->data));
			return true;
		case PGBSON_DOUBLE:
			return put_double(pr, value->data);
		case PGBSON_DECIMAL128:
			return put_decimal(pr, value->data);
		case PGBSON_DATE:
			put_date(pr, PgBsonReadI64(value->data));
			return true;
		case PGBSON_OBJECTID:
			put_object_id(pr, value->data);
			return true;
		case PGBSON_BINARY:
			put_binary(pr, value);
			return true;
		case PGBSON_TIMESTAMP:
			put_timestamp(pr, value->data);
			return true;
		case PGBSON_REGEX:
			return put_regex(pr, value);
		case PGBSON_DBPOINTER:
			put_dbpointer(pr, value);
			return true;
		case PGBSON_CODE:
			put_wrapped_string(pr, PGBSON_DOLLAR_CODE, value);
			return true;
		case PGBSON_SYMBOL:
			put_wrapped_string(pr, PGBSON_DOLLAR_SYMBOL, value);
			return true;
		case PGBSON_CODE_W_SCOPE:
			return put_code_with_scope(pr, value, level);
		case PGBSON_UNDEFINED:
			PUT(pr, OPEN(PGBSON_DOLLAR_UNDEFINED) "true}");
			return true;
		case PGBSON_MINKEY:
			PUT(pr, OPEN(PGBSON_DOLLAR_MIN_KEY) "1}");
			return true;
		case PGBSON_MAXKEY:
			PUT(pr, OPEN(PGBSON_DOLLAR_MAX_KEY) "1}");
			return true;
		case PGBSON_EOD:
			break;
	}
	elog(ERROR, "unexpected bson type %d", (int) value->type);
	return false;
}

/*
 * The value of an element, whose bytes begin at "p" and end before "end".
 * Returns their end, or NULL if the style is strict and no text reads back to
 * the value.  The size and text of the commonest types are handled here, in
 * one dispatch.
 */
static const uint8 *
print_bytes(Printer *pr, PgBsonType type, const uint8 *p, const uint8 *end, int level)
{
	Size		avail = end - p;
	PgBsonValue value;

	switch (type)
	{
		case PGBSON_STRING:
			if (avail >= 5)
			{
				uint32		len = PgBsonReadU32(p);

				if (len >= 1 && len <= avail - 4)
				{
					put_string(pr, (const char *) p + 4, len - 1);
					return p + 4 + len;
				}
			}
			break;
		case PGBSON_INT32:
			if (avail >= 4)
			{
				put_int32(pr, PgBsonReadI32(p));
				return p + 4;
			}
			break;
		case PGBSON_INT64:
			if (avail >= 8)
			{
				put_int64(pr, PgBsonReadI64(p));
				return p + 8;
			}
			break;
		case PGBSON_BOOL:
			if (avail >= 1)
			{
				put_bool(pr, *p != 0);
				return p + 1;
			}
			break;
		default:
			break;
	}

	value.type = type;
	value.data = p;
	value.len = PgBsonValueSize(type, p, avail);
	if (value.len == PGBSON_BAD_SIZE)
		PgBsonReportDamaged(p - pr->start);
	return print_value(pr, &value, level) ? p + value.len : NULL;
}

bool
PgBsonPrint(StringInfo out, const PgBsonValue *value, PgBsonStyle style, int indent)
{
	Printer		pr;
	bool		ok;

	pr.out = out;
	pr.p = out->data + out->len;
	pr.end = out->data + out->maxlen - 1;
	pr.start = value->data;
	pr.limit = value->data + value->len;
	pr.style = style;
	pr.strict = style == PGBSON_LOSSLESS;
	pr.recode = PgBsonServerRecodes();
	pr.indent = indent;

	/* an estimate that avoids most enlargements */
	reserve(&pr, Min((Size) value->len + value->len / 4, MaxAllocSize / 4) + ROOM);
	ok = print_value(&pr, value, 0);
	sync_buffer(&pr);
	return ok;
}

text *
PgBsonPrintText(const PgBsonValue *value, PgBsonStyle style, int indent)
{
	StringInfoData out;

	/* print after the space for the header, so that no copy is needed */
	initStringInfo(&out);
	out.len = VARHDRSZ;
	(void) PgBsonPrint(&out, value, style, indent);
	SET_VARSIZE(out.data, out.len);
	return (text *) out.data;
}

text *
PgBsonToJson(const PgBsonValue *value)
{
	return PgBsonPrintText(value, PGBSON_JSON, 0);
}

void
PgBsonPrintHex(StringInfo out, const uint8 *data, uint32 len)
{
	Size		size = (Size) len * 2 + 2;

	/* an int would overflow */
	enlargeStringInfo(out, (int) Min(size, MaxAllocSize));
	appendStringInfoString(out, "\\x");
	out->len += hex_encode((const char *) data, len, out->data + out->len);
	out->data[out->len] = '\0';
}
