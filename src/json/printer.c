/*
 * printer.c
 *	  Where JSON text is printed: a growing buffer, and strings in it.
 */
#include "json/printer.h"

#include "core/bytes/recode.h"
#include "core/bytes/scan.h"

void
PgBsonPrinterSync(PgBsonPrinter *pr)
{
	pr->out->len = pr->p - pr->out->data;
	pr->out->data[pr->out->len] = '\0';
}

pg_noinline void
PgBsonPrinterGrow(PgBsonPrinter *pr, Size room)
{
	StringInfo	out = pr->out;

	PgBsonPrinterSync(pr);
	/* if it is too large for a StringInfo, this raises 54000 */
	enlargeStringInfo(out, (int) Min(room, MaxAllocSize));
	pr->p = out->data + out->len;
	pr->end = out->data + out->maxlen - 1;
}

static void
put_escape(PgBsonPrinter *pr, uint8 c)
{
	static const char digits[] = "0123456789abcdef";
	static const char letters[256] = {
		['"'] = '"', ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'
	};

	*pr->p++ = '\\';
	if (letters[c] != '\0')
		*pr->p++ = letters[c];
	else
	{
		PGBSON_PUT(pr, "u00");
		*pr->p++ = digits[c >> 4];
		*pr->p++ = digits[c & 0xf];
	}
}

/*
 * The inside of a JSON string, from bytes that need no recoding.  "limit" is
 * the end of what may be read, at or beyond s + len.
 *
 * Here and below, hot code keeps the cursor in a local variable, because the
 * compiler must assume that a store through a char pointer changes pr->p.
 */
static void
put_escaped(PgBsonPrinter *pr, const uint8 *s, uint32 len, const uint8 *limit)
{
	const uint8 *end = s + len;
	char	   *out;

	PgBsonPrinterReserve(pr, (Size) len + PGBSON_PRINT_ROOM);
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
			PgBsonPrinterReserve(pr, (Size) (end - s) + PGBSON_PRINT_ROOM);
			out = pr->p;
		}
	}
	pr->p = out;
}

/* A character as \uXXXX, or as two of these if it is beyond the BMP */
static void
put_unicode_escape(PgBsonPrinter *pr, const uint8 *s)
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
put_recoded_run(PgBsonPrinter *pr, const char *s, int len)
{
	char		result[PGBSON_RECODE_ROOM];
	int			result_len = PgBsonRecode(s, len, result);

	if (result_len >= 0)
	{
		PgBsonPrinterReserve(pr, (Size) result_len + PGBSON_PRINT_ROOM);
		memcpy(pr->p, result, result_len);
		pr->p += result_len;
		return;
	}

	/* convert them one by one */
	while (len > 0)
	{
		int			size = pg_utf_mblen((const unsigned char *) s);

		PgBsonPrinterReserve(pr, PGBSON_RECODE_ROOM + PGBSON_PRINT_ROOM);
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
put_recoded(PgBsonPrinter *pr, const char *s, uint32 len)
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
	PgBsonPrinterReserve(pr, PGBSON_PRINT_ROOM);
}

void
PgBsonPrinterString(PgBsonPrinter *pr, const char *s, uint32 len)
{
	*pr->p++ = '"';
	if (unlikely(pr->recode))
		put_recoded(pr, s, len);
	else
		put_escaped(pr, (const uint8 *) s, len, pr->limit);
	*pr->p++ = '"';
}
