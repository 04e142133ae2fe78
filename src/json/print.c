/*
 * print.c
 *	  BSON to Extended JSON text.
 *
 * One pass over the bytes into one growing buffer (json/printer.h).  The text
 * of the rarer types is in json/print_wrapper.c.
 *
 * The lossless style is the readable style with a check: printing stops at the
 * first value that no text can be read back to.
 */
#include "json/print.h"

#include <math.h>

#include "core/bytes/recode.h"
#include "core/bytes/scan.h"
#include "core/number/number_text.h"
#include "json/printer.h"
#include "utils/builtins.h"

/* The quiet NaN that the text NaN is read as */
#define CANONICAL_NAN	UINT64CONST(0x7ff8000000000000)

static bool print_value(PgBsonPrinter *pr, const PgBsonValue *value, int level);
static const uint8 *print_bytes(PgBsonPrinter *pr, PgBsonType type, const uint8 *p,
								const uint8 *end, int level);

static void
put_newline(PgBsonPrinter *pr, int level)
{
	Size		width = (Size) level * pr->indent;

	PgBsonPrinterReserve(pr, width + 1 + PGBSON_PRINT_ROOM);
	*pr->p++ = '\n';
	memset(pr->p, ' ', width);
	pr->p += width;
}

/* The text before an element: the comma after the preceding element, and a space or a new line */
static inline void
put_separator(PgBsonPrinter *pr, bool first, int level)
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
put_bool(PgBsonPrinter *pr, bool v)
{
	if (v)
		PGBSON_PUT(pr, "true");
	else
		PGBSON_PUT(pr, "false");
}

static inline void
put_int32(PgBsonPrinter *pr, int32 v)
{
	if (pr->style == PGBSON_CANONICAL)
	{
		PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_NUMBER_INT) "\"");
		pr->p += pg_ltoa(v, pr->p);
		PGBSON_PUT(pr, "\"}");
	}
	else
		pr->p += pg_ltoa(v, pr->p);
}

static void
put_number_long(PgBsonPrinter *pr, int64 v)
{
	PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_NUMBER_LONG) "\"");
	pr->p += pg_lltoa(v, pr->p);
	PGBSON_PUT(pr, "\"}");
}

static void
put_int64(PgBsonPrinter *pr, int64 v)
{
	/* the styles that distinguish it from int32 */
	bool		typed = pr->style == PGBSON_LOSSLESS || pr->style == PGBSON_READABLE;

	if (pr->style == PGBSON_CANONICAL || (typed && v >= PG_INT32_MIN && v <= PG_INT32_MAX))
		put_number_long(pr, v);
	else
		pr->p += pg_lltoa(v, pr->p);
}

static bool
put_double(PgBsonPrinter *pr, const uint8 *data)
{
	double		d = PgBsonReadDouble(data);
	bool		wrapped = pr->style == PGBSON_CANONICAL || isnan(d) || isinf(d);
	char	   *text;
	int			len;

	if (pr->strict && isnan(d) && PgBsonReadU64(data) != CANONICAL_NAN)
		return false;
	if (wrapped)
		PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_NUMBER_DOUBLE) "\"");
	text = pr->p;
	len = PgBsonDoubleToText(d, text);
	pr->p += len;
	if (wrapped)
		PGBSON_PUT(pr, "\"}");
	if (pr->style == PGBSON_CANONICAL)
	{
		/* the specification writes exponents with an upper-case E */
		char	   *e = memchr(text, 'e', len);

		if (e != NULL)
			*e = 'E';
	}
	return true;
}

static void
put_date(PgBsonPrinter *pr, int64 ms)
{
	PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_DATE));
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

static bool
put_code_with_scope(PgBsonPrinter *pr, const PgBsonValue *value, int level)
{
	PgBsonView	view = PgBsonValueScope(value);
	PgBsonValue scope = {PGBSON_DOCUMENT, view.len, view.data};
	uint32		len;
	const char *code = PgBsonValueScopedCode(value, &len);

	PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_CODE));
	PgBsonPrinterString(pr, code, len);
	PGBSON_PUT(pr, ", \"" PGBSON_DOLLAR_SCOPE "\": ");
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
put_key(PgBsonPrinter *pr, const uint8 *key, const uint8 *end, uint64 *signature)
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
	PgBsonPrinterString(pr, (const char *) key, nul - key);
	PGBSON_PUT(pr, ": ");
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
	return limit - key > c->len && memcmp(key, c->digits, c->len + 1) == 0;
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
print_array(PgBsonPrinter *pr, PgBsonView array, int level)
{
	const uint8 *p = array.data + 4;
	const uint8 *end = array.data + array.len - 1;
	Counter		counter = {"0", 1};
	bool		first = true;

	check_stack_depth();
	PgBsonPrinterReserve(pr, PGBSON_PRINT_ROOM);
	*pr->p++ = '[';
	while (p < end)
	{
		const uint8 *element = p;
		PgBsonType	type;
		const uint8 *nul;

		CHECK_FOR_INTERRUPTS();
		PgBsonPrinterReserve(pr, PGBSON_PRINT_ROOM);
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
	PgBsonPrinterReserve(pr, PGBSON_PRINT_ROOM);
	return true;
}

static bool
print_document(PgBsonPrinter *pr, PgBsonView doc, int level)
{
	const uint8 *p = doc.data + 4;
	const uint8 *end = doc.data + doc.len - 1;
	uint32		first_key = pr->keys.count;
	bool		first = true;
	bool		dollar = false; /* has a key begun with a dollar? */

	check_stack_depth();
	PgBsonPrinterReserve(pr, PGBSON_PRINT_ROOM);
	*pr->p++ = '{';
	while (p < end)
	{
		const uint8 *element = p;
		PgBsonType	type;
		uint32		key_len;
		uint64		signature;

		CHECK_FOR_INTERRUPTS();
		PgBsonPrinterReserve(pr, PGBSON_PRINT_ROOM);
		put_separator(pr, first, level + 1);
		first = false;

		type = *p++;
		key_len = put_key(pr, p, end, &signature);
		if (key_len == PGBSON_BAD_SIZE)
			PgBsonReportDamaged(element - pr->start);
		if (pr->strict)
		{
			PgBsonSignaturesPush(&pr->keys, signature);
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
	if (PgBsonSignaturesRepeat(&pr->keys, first_key) && PgBsonHasDuplicateKeys(doc))
		return false;
	if (pr->indent > 0)
		put_newline(pr, level);
	*pr->p++ = '}';
	PgBsonPrinterReserve(pr, PGBSON_PRINT_ROOM);
	return true;
}

/*
 * Any value; false if the style is strict and no text reads back to the value. PGBSON_PRINT_ROOM bytes, less a key and
 * some punctuation, are available to write to; strings and containers reserve more, and leave as many.
 */
static bool
print_value(PgBsonPrinter *pr, const PgBsonValue *value, int level)
{
	switch (value->type)
	{
		case PGBSON_DOCUMENT:
			return print_document(pr, PgBsonValueView(value), level);
		case PGBSON_ARRAY:
			return print_array(pr, PgBsonValueView(value), level);
		case PGBSON_STRING:
			PgBsonPrinterString(pr, PgBsonStringBytes(value), PgBsonStringLength(value));
			return true;
		case PGBSON_BOOL:
			put_bool(pr, value->data[0] != 0);
			return true;
		case PGBSON_NULL:
			PGBSON_PUT(pr, "null");
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
			return PgBsonPrintDecimal(pr, value->data);
		case PGBSON_DATE:
			put_date(pr, PgBsonReadI64(value->data));
			return true;
		case PGBSON_OBJECTID:
			PgBsonPrintObjectId(pr, value->data);
			return true;
		case PGBSON_BINARY:
			PgBsonPrintBinary(pr, value);
			return true;
		case PGBSON_TIMESTAMP:
			PgBsonPrintTimestamp(pr, value->data);
			return true;
		case PGBSON_REGEX:
			return PgBsonPrintRegex(pr, value);
		case PGBSON_DBPOINTER:
			PgBsonPrintDBPointer(pr, value);
			return true;
		case PGBSON_CODE:
			PgBsonPrintWrapped(pr, PGBSON_DOLLAR_CODE, value);
			return true;
		case PGBSON_SYMBOL:
			PgBsonPrintWrapped(pr, PGBSON_DOLLAR_SYMBOL, value);
			return true;
		case PGBSON_CODE_W_SCOPE:
			return put_code_with_scope(pr, value, level);
		case PGBSON_UNDEFINED:
			PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_UNDEFINED) "true}");
			return true;
		case PGBSON_MINKEY:
			PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_MIN_KEY) "1}");
			return true;
		case PGBSON_MAXKEY:
			PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_MAX_KEY) "1}");
			return true;
		case PGBSON_EOD:
			break;
	}
	elog(ERROR, "unexpected bson type %d", (int) value->type);
	return false;
}

/*
 * The value of an element, whose bytes begin at "p" and end before "end". Returns their end, or NULL if the style is
 * strict and no text reads back to the value.  The size and text of the commonest types are handled here, in one
 * dispatch.
 */
static const uint8 *
print_bytes(PgBsonPrinter *pr, PgBsonType type, const uint8 *p, const uint8 *end, int level)
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
					PgBsonPrinterString(pr, (const char *) p + 4, len - 1);
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
	PgBsonPrinter pr;
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
	PgBsonSignaturesInit(&pr.keys);

	/* an estimate that avoids most enlargements */
	PgBsonPrinterReserve(&pr, Min((Size) value->len + value->len / 4, MaxAllocSize / 4) + PGBSON_PRINT_ROOM);
	ok = print_value(&pr, value, 0);
	PgBsonPrinterSync(&pr);
	PgBsonSignaturesFree(&pr.keys);
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
