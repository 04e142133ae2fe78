/*
 * expr_string.c
 *	  Expressions: strings, by bytes and by code points.
 *
 * The authority is MongoDB's src/mongo/db/exec/expression/evaluate_string.cpp.
 */
#include "mongo/expr/expr.h"

#include "core/number/decimal.h"
#include "lib/stringinfo.h"

enum
{
	LEFT = 1, RIGHT = 2
};

/* Check for a cancelled query after this number of bytes */
#define INTERRUPT_EVERY	0x400000

static inline void
check_interrupts(uint32 i)
{
	if (i % INTERRUPT_EVERY == 0)
		CHECK_FOR_INTERRUPTS();
}

/* Is this the first byte of a character in UTF-8? */
static inline bool
begins_character(char c)
{
	return ((unsigned char) c & 0xC0) != 0x80;
}

/* The length in bytes of the character that begins here; not beyond the end of the string */
static inline uint32
character_length(const char *s, const char *end)
{
	uint32		len = 1;

	while (s + len < end && !begins_character(s[len]))
		len++;
	return len;
}

uint32
PgBsonCountCharacters(const char *s, uint32 len)
{
	uint32		count = 0;

	for (uint32 i = 0; i < len; i++)
	{
		check_interrupts(i);
		count += begins_character(s[i]);
	}
	return count;
}

/* The place where the character number "count" begins, from 0 on; the end if the string is shorter */
static const char *
skip_characters(const char *s, const char *end, int64 count)
{
	while (count > 0 && s < end)
	{
		check_interrupts(count);
		s += character_length(s, end);
		count--;
	}
	return s;
}

/* The string for a value: empty for null and missing, the spelling of numbers, dates and the like */
static const char *
string_of(const PgBsonExpr *e, const PgBsonValue *value, uint32 *len)
{
	PgBsonValue text;

	if (PgBsonIsNothing(value))
	{
		*len = 0;
		return "";
	}
	text = PgBsonExprSpell(e, value);
	return PgBsonExprToString(e, &text, len);
}

static PgBsonValue
eval_concat(PgBsonExprRun *run, const PgBsonExpr *e)
{
	StringInfoData all;

	check_stack_depth();
	initStringInfo(&all);
	for (int i = 0; i < e->nargs; i++)
	{
		PgBsonValue value;
		const char *s;
		uint32		len;

		CHECK_FOR_INTERRUPTS();
		if (!PgBsonExprTake(run, e, i, 's', &value))
			return PgBsonNull;
		s = PgBsonValueString(&value, &len);
		if (len + (Size) all.len > PgBsonMostBytes())
			PgBsonReportMadeTooLarge(e->op->name);
		appendBinaryStringInfo(&all, s, len);
	}
	return PgBsonMakeString(all.data, all.len);
}

/* $toLower and $toUpper: null and missing are an empty string */
static PgBsonValue
change_case(const PgBsonExpr *e, const PgBsonValue *args)
{
	uint32		len;
	const char *s = string_of(e, &args[0], &len);
	char	   *copy = palloc(len + 1);

	/* like MongoDB, only ASCII letters */
	for (uint32 i = 0; i < len; i++)
	{
		check_interrupts(i);
		copy[i] = e->op->code != 0 ? pg_ascii_toupper((unsigned char) s[i]) : pg_ascii_tolower((unsigned char) s[i]);
	}
	return PgBsonMakeString(copy, len);
}

/* $strcasecmp: -1, 0 or 1; ASCII letters are compared without regard to case */
static PgBsonValue
compare_without_case(const PgBsonExpr *e, const PgBsonValue *args)
{
	uint32		a_len;
	uint32		b_len;
	const char *s = string_of(e, &args[0], &a_len);
	const char *t = string_of(e, &args[1], &b_len);

	for (uint32 i = 0; i < Min(a_len, b_len); i++)
	{
		unsigned char c = pg_ascii_toupper((unsigned char) s[i]);
		unsigned char d = pg_ascii_toupper((unsigned char) t[i]);

		check_interrupts(i);
		if (c != d)
			return PgBsonMakeInt32(c < d ? -1 : 1);
	}
	return PgBsonMakeInt32(a_len < b_len ? -1 : a_len > b_len);
}

static PgBsonValue
length_of(const PgBsonExpr *e, const PgBsonValue *args)
{
	uint32		len;
	const char *s = PgBsonValueString(&args[0], &len);

	return PgBsonMakeInt32(e->op->code == 0 ? len : PgBsonCountCharacters(s, len));
}

/* A bound of $substrBytes: a double is truncated, a decimal rounded; -1 if 64 bits cannot hold it */
static int64
bytes_arg(const PgBsonExpr *e, const PgBsonValue *value)
{
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	PgBsonValue number = *value;
	int64		n;

	PgBsonExprNeed(e, value, 'n');
	if (value->type == PGBSON_DECIMAL128)
	{
		PgBsonDecimalQuantize(value->data, 0, PGBSON_ROUND_HALF_EVEN, decimal);
		number.data = decimal;
	}
	if (PgBsonNumberTruncate(&number, &n))
		return n;
	if (value->type == PGBSON_DOUBLE)
		PgBsonExprWrongValue(e, gettext_noop("A number that an integer of 64 bits holds is expected."));
	return -1;
}

/* $substrBytes and $substr: a bound within a character is an error */
static PgBsonValue
substring_bytes(const PgBsonExpr *e, const PgBsonValue *args)
{
	uint32		len;
	const char *s = string_of(e, &args[0], &len);
	int64		from = bytes_arg(e, &args[1]);
	int64		count = bytes_arg(e, &args[2]);

	if (from < 0)
		PgBsonExprWrongValue(e, gettext_noop("The start must not be negative."));
	if (from >= len)
		return PgBsonMakeString("", 0);
	if (count < 0 || count > len - from)
		count = len - from;
	if (!begins_character(s[from]) || (from + count < len && !begins_character(s[from + count])))
		PgBsonExprWrongValue(e, gettext_noop("A bound is in the middle of a character."));
	return PgBsonMakeString(s + from, count);
}

/* $substrCP: positions are counted in characters; a position after the end gives an empty string */
static PgBsonValue
substring_characters(const PgBsonExpr *e, const PgBsonValue *args)
{
	uint32		len;
	const char *s = string_of(e, &args[0], &len);
	int32		from = PgBsonExprToInt32(e, &args[1]);
	int32		count = PgBsonExprToInt32(e, &args[2]);
	const char *begin;

	if (from < 0 || count < 0)
		PgBsonExprWrongValue(e, gettext_noop("The start and the length must not be negative."));
	begin = skip_characters(s, s + len, from);
	return PgBsonMakeString(begin, skip_characters(begin, s + len, count) - begin);
}

/*
 * The first occurrence of a string in another; NULL if there is none.  memmem cannot be cancelled, so it searches one
 * window of the string after another; a match may end behind the window that it begins in.
 */
static const char *
find_string(const char *in, const char *end, const char *what, uint32 len)
{
	const ptrdiff_t window = Max(len, INTERRUPT_EVERY);
	const char *found;

	for (;; in += window)
	{
		CHECK_FOR_INTERRUPTS();
		found = memmem(in, Min(end - in, window + len), what, len);
		if (found != NULL || end - in <= window + len)
			return found;
	}
}

/* $indexOfBytes and $indexOfCP: where a string first occurs between two positions; -1 if nowhere */
static PgBsonValue
eval_index_of(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue value = PgBsonExprArg(run, e, 0);
	PgBsonValue other;
	bool		by_bytes = e->op->code == 0;
	uint32		len;
	uint32		other_len;
	const char *s;
	const char *what;
	const char *begin;
	const char *end;
	const char *found;
	int64		from;
	int64		to;

	if (PgBsonIsNothing(&value))
		return PgBsonNull;
	s = PgBsonExprToString(e, &value, &len);
	other = PgBsonExprArg(run, e, 1);
	what = PgBsonExprToString(e, &other, &other_len);
	from = PgBsonExprBound(run, e, 2, 0);
	to = PgBsonExprBound(run, e, 3, PG_INT32_MAX);
	if (by_bytes)
	{
		begin = s + Min(from, len);
		end = s + Min(to, len);
	}
	else
	{
		begin = skip_characters(s, s + len, from);
		end = skip_characters(s, s + len, to);
		/* the occurrence must begin before the end position, and may extend beyond it */
		if (begin >= end && len + other_len > 0)
			return PgBsonMakeInt32(-1);
		end += Min((int64) other_len - 1, s + len - end);
		end = Max(end, begin);
	}
	if (to < from || from > (by_bytes ? len : PgBsonCountCharacters(s, len)))
		return PgBsonMakeInt32(-1);
	found = find_string(begin, end, what, other_len);
	if (found == NULL)
		return PgBsonMakeInt32(-1);
	return PgBsonMakeInt32(by_bytes ? found - s : PgBsonCountCharacters(s, found - s));
}

static PgBsonValue
split(const PgBsonExpr *e, const PgBsonValue *args)
{
	uint32		len;
	uint32		separator_len;
	const char *s = PgBsonValueString(&args[0], &len);
	const char *separator = PgBsonValueString(&args[1], &separator_len);
	const char *end = s + len;
	const char *found;
	PgBsonWriter maker;

	if (separator_len == 0)
		PgBsonExprWrongValue(e, gettext_noop("The separator must not be empty."));
	PgBsonExprBegin(&maker, 0, e);
	do
	{
		PgBsonValue part;

		CHECK_FOR_INTERRUPTS();
		found = find_string(s, end, separator, separator_len);
		part = PgBsonMakeString(s, (found == NULL ? end : found) - s);
		PgBsonWriterPush(&maker, &part);
		pfree((void *) part.data);
		if (found != NULL)
			s = found + separator_len;
	} while (found != NULL);
	return PgBsonWriterEnd(&maker, PGBSON_ARRAY);
}

/* The characters that $trim removes by default: Unicode's white space, and U+0000 */
static bool
is_blank(const char *c, uint32 len)
{
	if (len == 1)
		return *c == '\0' || *c == ' ' || (*c >= '\t' && *c <= '\r');
	if (len == 2)
		return memcmp(c, "\xC2\xA0", 2) == 0;
	if (len != 3)
		return false;
	if (memcmp(c, "\xE2\x80", 2) == 0)
		return (unsigned char) c[2] >= 0x80 && (unsigned char) c[2] <= 0x8A;
	return memcmp(c, "\xE1\x9A\x80", 3) == 0;
}

/* Is this character one of those to remove?  ASCII characters are looked up in a table of bits. */
typedef struct Characters
{
	const char *all;			/* NULL: white space */
	uint32		len;
	bool		ascii[128];
} Characters;

static bool
is_among_chars(const Characters *set, const char *c, uint32 len)
{
	const char *end;
	uint32		n;

	if (set->all == NULL)
		return is_blank(c, len);
	end = set->all + set->len;
	if (len == 1)
		return set->ascii[(unsigned char) *c & 0x7F];
	for (const char *p = set->all; p < end; p += n)
	{
		n = character_length(p, end);
		if (n == len && memcmp(p, c, n) == 0)
			return true;
	}
	return false;
}

/* $trim, $ltrim and $rtrim: the arguments are input and chars */
static PgBsonValue
eval_trim(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue value = PgBsonExprArg(run, e, 0);
	PgBsonValue given = PgBsonExprArg(run, e, 1);
	Characters	set = {NULL};
	const char *s;
	const char *end;
	uint32		len;

	if (PgBsonIsNothing(&value))
		return PgBsonNull;
	s = PgBsonExprToString(e, &value, &len);
	end = s + len;
	if (e->args[1] != NULL)
	{
		if (PgBsonIsNothing(&given))
			return PgBsonNull;
		set.all = PgBsonExprToString(e, &given, &set.len);
		for (uint32 i = 0; i < set.len; i++)
		{
			if ((set.all[i] & 0x80) == 0)
				set.ascii[(unsigned char) set.all[i]] = true;
		}
		/* searched one by one for each character */
		if (set.len > 4096)
			PgBsonExprWrongValue(e, gettext_noop("There are too many characters to trim."));
	}
	while ((e->op->code & LEFT) != 0 && s < end)
	{
		uint32		n = character_length(s, end);

		CHECK_FOR_INTERRUPTS();
		if (!is_among_chars(&set, s, n))
			break;
		s += n;
	}
	while ((e->op->code & RIGHT) != 0 && s < end)
	{
		const char *p = end - 1;

		CHECK_FOR_INTERRUPTS();
		while (p > s && !begins_character(*p))
			p--;
		if (!is_among_chars(&set, p, end - p))
			break;
		end = p;
	}
	return PgBsonMakeString(s, end - s);
}

/* $replaceOne and $replaceAll: the arguments are input, find, replacement */
static PgBsonValue
eval_replace(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue args[3];
	const char *s[3];
	uint32		len[3];
	const char *end;
	const char *found;
	bool		nothing = false;
	StringInfoData all;

	for (int i = 0; i < 3; i++)
	{
		args[i] = PgBsonExprArg(run, e, i);
		if (PgBsonIsNothing(&args[i]))
			nothing = true;
		else
			s[i] = PgBsonExprToString(e, &args[i], &len[i]);
	}
	if (nothing)
		return PgBsonNull;
	end = s[0] + len[0];
	initStringInfo(&all);
	/* an empty string is found before each character and at the end */
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		found = find_string(s[0], end, s[1], len[1]);
		if (found == NULL)
			break;
		if (all.len + (Size) (found - s[0]) + len[2] > PgBsonMostBytes())
			PgBsonReportMadeTooLarge(e->op->name);
		appendBinaryStringInfo(&all, s[0], found - s[0]);
		appendBinaryStringInfo(&all, s[2], len[2]);
		s[0] = found + len[1];
		if (e->op->code == 0)
			break;
		if (len[1] == 0)
		{
			uint32		n;

			if (s[0] == end)
				break;
			n = character_length(s[0], end);
			appendBinaryStringInfo(&all, s[0], n);
			s[0] += n;
		}
	}
	appendBinaryStringInfo(&all, s[0], end - s[0]);
	return PgBsonMakeString(all.data, all.len);
}

const PgBsonExprOp PgBsonExprString[] = {
	{"$concat", 0, -1, eval_concat},
	PGBSON_EXPR_SIMPLE("$toLower", "V", change_case, 0),
	PGBSON_EXPR_SIMPLE("$toUpper", "V", change_case, 1),
	PGBSON_EXPR_SIMPLE("$strcasecmp", "VV", compare_without_case, 0),
	PGBSON_EXPR_SIMPLE("$strLenBytes", "S", length_of, 0),
	PGBSON_EXPR_SIMPLE("$strLenCP", "S", length_of, 1),
	PGBSON_EXPR_SIMPLE("$substr", "VVV", substring_bytes, 0),
	PGBSON_EXPR_SIMPLE("$substrBytes", "VVV", substring_bytes, 0),
	PGBSON_EXPR_SIMPLE("$substrCP", "VVV", substring_characters, 0),
	{"$indexOfBytes", 2, 4, eval_index_of, 0},
	{"$indexOfCP", 2, 4, eval_index_of, 1},
	PGBSON_EXPR_SIMPLE("$split", "ss", split, 0),
	{"$trim", 0, 0, eval_trim, LEFT | RIGHT, "input! chars"},
	{"$ltrim", 0, 0, eval_trim, LEFT, "input! chars"},
	{"$rtrim", 0, 0, eval_trim, RIGHT, "input! chars"},
	{"$replaceOne", 0, 0, eval_replace, 0, "input! find! replacement!"},
	{"$replaceAll", 0, 0, eval_replace, 1, "input! find! replacement!"},
	{NULL}
};
