/*
 * print_wrapper.c
 *	  The text of the rarer types that have a wrapper in Extended JSON.
 */
#include "json/printer.h"

#include "common/base64.h"
#include "core/number/number_text.h"
#include "utils/builtins.h"

bool
PgBsonPrintDecimal(PgBsonPrinter *pr, const uint8 *data)
{
	char		text[PGBSON_DECIMAL128_TEXT];
	int			len = PgBsonDecimalToText(data, text);
	/* NaN and Infinity are no numbers of JSON */
	bool		wrapped = pr->style != PGBSON_JSON || !isdigit((unsigned char) text[len - 1]);

	if (wrapped)
		PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_NUMBER_DECIMAL) "\"");
	memcpy(pr->p, text, len);
	pr->p += len;
	if (wrapped)
		PGBSON_PUT(pr, "\"}");
	/* one decimal can be encoded in several ways, and a NaN has a payload */
	return !wrapped || !pr->strict || PgBsonDecimalIsPlain(data);
}

void
PgBsonPrintBinary(PgBsonPrinter *pr, const PgBsonValue *value)
{
	uint8		subtype;
	uint32		len;
	const uint8 *data = PgBsonValueBinary(value, &subtype, &len);
	Size		room = ((Size) len + 2) / 3 * 4 + 1;

	PgBsonPrinterReserve(pr, room + PGBSON_PRINT_ROOM);
	PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_BINARY) "{\"base64\": \"");
	/* void *: the server's prototypes differ in signedness */
	pr->p += pg_b64_encode((const void *) data, len, pr->p, room);
	PGBSON_PUT(pr, "\", \"subType\": \"");
	pr->p += PgBsonSpellHex(&subtype, 1, pr->p);
	PGBSON_PUT(pr, "\"}}");
}

void
PgBsonPrintTimestamp(PgBsonPrinter *pr, const uint8 *data)
{
	PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_TIMESTAMP) "{\"t\": ");
	pr->p = pg_ultostr(pr->p, PgBsonReadU32(data + 4));
	PGBSON_PUT(pr, ", \"i\": ");
	pr->p = pg_ultostr(pr->p, PgBsonReadU32(data));
	PGBSON_PUT(pr, "}}");
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
put_copy(PgBsonPrinter *pr, const char *s, uint32 len)
{
	const uint8 *limit = pr->limit;

	pr->limit = (const uint8 *) s + len;
	PgBsonPrinterString(pr, s, len);
	pr->limit = limit;
}

bool
PgBsonPrintRegex(PgBsonPrinter *pr, const PgBsonValue *value)
{
	const char *pattern = (const char *) value->data;
	Size		pattern_len = strlen(pattern);
	const char *options = pattern + pattern_len + 1;
	Size		options_len = value->len - pattern_len - 2;
	bool		sorted = options_sorted(options);

	PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_REGULAR_EXPRESSION) "{\"pattern\": ");
	PgBsonPrinterString(pr, pattern, pattern_len);
	PGBSON_PUT(pr, ", \"options\": ");
	if (sorted)
		PgBsonPrinterString(pr, options, options_len);
	else
		put_copy(pr, PgBsonSortedOptions(options, options_len), options_len);
	PGBSON_PUT(pr, "}}");
	return !pr->strict || sorted;
}

void
PgBsonPrintDBPointer(PgBsonPrinter *pr, const PgBsonValue *value)
{
	PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_DBPOINTER) PGBSON_OPEN(PGBSON_DOLLAR_REF));
	PgBsonPrinterString(pr, (const char *) value->data + 4, value->len - 17);
	PGBSON_PUT(pr, ", \"" PGBSON_DOLLAR_ID "\": ");
	PgBsonPrintObjectId(pr, value->data + value->len - 12);
	PGBSON_PUT(pr, "}}");
}

void
PgBsonPrintWrapped(PgBsonPrinter *pr, const char *key, const PgBsonValue *value)
{
	pr->p += sprintf(pr->p, "{\"%s\": ", key);
	PgBsonPrinterString(pr, PgBsonStringBytes(value), PgBsonStringLength(value));
	*pr->p++ = '}';
}
