/*
 * string.c
 *	  The item methods for strings that came with PostgreSQL 19: lower(), upper(),
 *	  initcap(), ltrim(), rtrim(), btrim(), replace(), split_part().
 *
 * They do what the SQL functions of these names do. lower(), upper() and
 * initcap() follow the rules of the database's locale.  The other methods only
 * compare characters, so they work on UTF-8 as it is stored, including U+0000.
 */
#include "jsonpath/exec.h"

#ifdef PGBSON_JSONPATH_STRINGS

#include "catalog/pg_collation.h"
#include "common/int.h"
#include "core/bytes/recode.h"
#include "core/bytes/sort.h"
#include "utils/builtins.h"

/* The longest string that the methods make.  The value that holds it has some bytes more. */
#define MAX_LEN		(PGBSON_MAX_SIZE - 16)

/* Bytes of UTF-8 */
typedef struct Span
{
	const char *s;
	uint32		len;
} Span;

static Span
argument_string(JsonPathItem *arg)
{
	Span		span;

	if (arg->type != jpiString)
		elog(ERROR, "unexpected argument of a jsonpath item method: %d", (int) arg->type);
	span.s = PgBsonJsonpathString(arg, &span.len);
	return span;
}

static PgBsonJpOutcome
too_long(PgBsonJpState *st, JsonPathItem *step)
{
	return PgBsonJpFailAt(st, step, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
						"result of jsonpath item method .%s() is too long");
}

/* Take a string that was made to the next step */
static PgBsonJpOutcome
next_string(PgBsonJpState *st, JsonPathItem *step, Span s, PgBsonJpSequence *out)
{
	PgBsonJpItem result;

	if (s.len > MAX_LEN)
		return too_long(st, step);
	result = PgBsonJpValueItem(PgBsonMakeString(s.s, s.len));
	return PgBsonJpNextMade(st, step, &result, out, unconstify(uint8 *, result.u.value.data));
}

/* --- lower(), upper(), initcap() --- */

static PgBsonJpOutcome
case_method(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	PGFunction	function;
	char	   *s = PgBsonJpServerString(item);
	text	   *original;
	text	   *changed;
	Span		result;
	PgBsonJpOutcome outcome;

	if (s == NULL)
		return PgBsonJpFailAt(st, step, ERRCODE_UNTRANSLATABLE_CHARACTER,
							"jsonpath item method .%s() cannot be applied to a string that contains \\u0000");
	if (step->type == jpiStrLower)
		function = lower;
	else if (step->type == jpiStrUpper)
		function = upper;
	else
		function = initcap;
	original = cstring_to_text(s);
	pfree(s);
	changed = DatumGetTextPP(DirectFunctionCall1Coll(function, DEFAULT_COLLATION_OID,
													 PointerGetDatum(original)));
	pfree(original);
	result.s = PgBsonFromText(changed, &result.len);
	outcome = next_string(st, step, result, out);
	pfree(changed);
	return outcome;
}

/* --- ltrim(), rtrim(), btrim() --- */

/* Read the character that begins at "s": its bytes as one number, and their count in *len */
static uint32
first_char(const char *s, const char *end, int *len)
{
	uint32		c = (unsigned char) *s;
	int			n = 1;

	while (n < 4 && n < end - s && (s[n] & 0xC0) == 0x80)
		c = c << 8 | (unsigned char) s[n++];
	*len = n;
	return c;
}

/* Read the character that ends at "end": likewise */
static uint32
last_char(const char *s, const char *end, int *len)
{
	const char *p = end - 1;

	while (p > s && end - p < 4 && (*p & 0xC0) == 0x80)
		p--;
	return first_char(p, end, len);
}

static int
compare_flags(const void *a, const void *b)
{
	return pg_cmp_u32(*(const uint32 *) a, *(const uint32 *) b);
}

/* The characters of a string, sorted, as first_char gives them */
static uint32 *
char_set(Span chars, uint32 *count)
{
	const char *end = chars.s + chars.len;
	uint32	   *set = palloc_array(uint32, chars.len + 1);
	int			len;

	*count = 0;
	for (const char *p = chars.s; p < end; p += len)
		set[(*count)++] = first_char(p, end, &len);
	PgBsonSort(set, *count, sizeof(uint32), compare_flags);
	return set;
}

static PgBsonJpOutcome
trim_method(PgBsonJpState *st, JsonPathItem *step, Span s, PgBsonJpSequence *out)
{
	Span		chars = {" ", 1};
	JsonPathItem arg;
	uint32	   *set;
	uint32		count;
	int			len;

	if (step->content.arg)
	{
		jspGetArg(step, &arg);
		chars = argument_string(&arg);
	}
	set = char_set(chars, &count);
#define IN_SET(c)	(bsearch(&(c), set, count, sizeof(uint32), compare_flags) != NULL)

	while (step->type != jpiStrRtrim && s.len > 0)
	{
		uint32		c = first_char(s.s, s.s + s.len, &len);

		CHECK_FOR_INTERRUPTS();
		if (!IN_SET(c))
			break;
		s.s += len;
		s.len -= len;
	}
	while (step->type != jpiStrLtrim && s.len > 0)
	{
		uint32		c = last_char(s.s, s.s + s.len, &len);

		CHECK_FOR_INTERRUPTS();
		if (!IN_SET(c))
			break;
		s.len -= len;
	}
#undef IN_SET
	pfree(set);
	return next_string(st, step, s, out);
}

/* --- replace(), split_part() --- */

/* The next place at which "what", which is not empty, occurs; NULL if there is none */
static const char *
find_span(Span what, const char *s, const char *end)
{
	CHECK_FOR_INTERRUPTS();
	return memmem(s, end - s, what.s, what.len);
}

static uint32
count_matches(Span what, Span s)
{
	const char *end = s.s + s.len;
	uint32		n = 0;

	for (const char *p = find_span(what, s.s, end); p != NULL; p = find_span(what, p + what.len, end))
		n++;
	return n;
}

/*
 * Append to the buffer; false if the result would get too long.  StringInfo would raise an error,
 * which could not be suppressed.
 */
static bool
append_to_text(StringInfo buf, const char *s, uint32 len)
{
	if ((Size) buf->len + len > MAX_LEN)
		return false;
	appendBinaryStringInfo(buf, s, len);
	return true;
}

static PgBsonJpOutcome
replace_method(PgBsonJpState *st, JsonPathItem *step, Span s, PgBsonJpSequence *out)
{
	const char *end = s.s + s.len;
	const char *p = s.s;
	StringInfoData buf;
	JsonPathItem arg;
	Span		from;
	Span		to;
	Span		result;
	PgBsonJpOutcome outcome;
	bool		fits = true;

	jspGetLeftArg(step, &arg);
	from = argument_string(&arg);
	jspGetRightArg(step, &arg);
	to = argument_string(&arg);
	if (from.len == 0)
		return next_string(st, step, s, out);

	initStringInfo(&buf);
	for (const char *match = find_span(from, p, end); match != NULL && fits; match = find_span(from, p, end))
	{
		fits = append_to_text(&buf, p, match - p) && append_to_text(&buf, to.s, to.len);
		p = match + from.len;
	}
	if (fits && append_to_text(&buf, p, end - p))
	{
		result.s = buf.data;
		result.len = buf.len;
		outcome = next_string(st, step, result, out);
	}
	else
		outcome = too_long(st, step);
	pfree(buf.data);
	return outcome;
}

static PgBsonJpOutcome
split_part_method(PgBsonJpState *st, JsonPathItem *step, Span s, PgBsonJpSequence *out)
{
	const char *end = s.s + s.len;
	PgBsonNumericError error = PGBSON_NUMERIC_ERROR_INIT;
	JsonPathItem arg;
	Span		delimiter;
	Span		part = {s.s, 0};
	int64		n;
	const char *match;

	jspGetLeftArg(step, &arg);
	delimiter = argument_string(&arg);
	jspGetRightArg(step, &arg);
	if (arg.type != jpiNumeric)
		elog(ERROR, "unexpected argument of a jsonpath item method: %d", (int) arg.type);
	n = PGBSON_NUMERIC(int4) (jspGetNumeric(&arg), PGBSON_NUMERIC_ERROR(&error));
	if (PGBSON_NUMERIC_ERROR_RAISED(&error))
		return PgBsonJpFailAt(st, step, ERRCODE_INVALID_PARAMETER_VALUE,
							"field position of jsonpath item method .%s() is out of range for type integer");
	if (n == 0)
		return PgBsonJpFailAt(st, step, ERRCODE_INVALID_PARAMETER_VALUE,
							"field position of jsonpath item method .%s() must not be zero");

	/* the delimiter does not occur, so the string is both the first part and the last */
	if (delimiter.len == 0)
		return next_string(st, step, n == 1 || n == -1 ? s : part, out);

	/* count from the end */
	if (n < 0)
		n += (int64) count_matches(delimiter, s) + 2;
	if (n < 1)
		return next_string(st, step, part, out);

	match = find_span(delimiter, part.s, end);
	while (--n > 0 && match != NULL)
	{
		part.s = match + delimiter.len;
		match = find_span(delimiter, part.s, end);
	}
	if (n == 0)
		part.len = (match != NULL ? match : end) - part.s;
	return next_string(st, step, part, out);
}

PgBsonJpOutcome
PgBsonJpStringMethod(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	Span		s;

	if (!PgBsonJpIsString(item))
		return PgBsonJpFailAt(st, step, ERRCODE_INVALID_PARAMETER_VALUE,
							"jsonpath item method .%s() can only be applied to a string");
	s.s = PgBsonValueString(&item->u.value, &s.len);
	switch (step->type)
	{
		case jpiStrLtrim:
		case jpiStrRtrim:
		case jpiStrBtrim:
			return trim_method(st, step, s, out);

		case jpiStrReplace:
			return replace_method(st, step, s, out);

		case jpiStrSplitPart:
			return split_part_method(st, step, s, out);

		default:
			return case_method(st, step, item, out);
	}
}

#endif							/* PGBSON_JSONPATH_STRINGS */
