/*
 * regex.c
 *	  MongoDB's regular expressions: PCRE2, over UTF-8.
 *
 * PCRE2 cannot be interrupted.  A call tries to match at one place of the string after another, and
 * PCRE2's limit counts the steps for each place anew; a single step may go over the whole string.
 * So a string that is not long is searched in windows, which have few enough places for a call to
 * end within a second even where each takes all the steps that it may.  For longer strings, and
 * where the limit of steps was reached, the expression is compiled once more with callouts, which are
 * slower but look for interrupts at every item.
 *
 * PCRE2's code is at most 64 kB, and callouts make it up to seven times as long.  If it
 * then does not fit, and nothing in the pattern is repeated, the time of a step is bounded
 * by the length of the code, so one callout before each place of the string is enough.
 *
 * A class with its quantifier is one item, though a character may be compared with
 * thousands of members.  So long classes are repeated in parts, see add_parts, and so are
 * classes that are made of several, (?[...]), which PCRE2 has since 10.45.
 *
 * Options and flags are those of MongoDB's src/mongo/util/pcre.cpp.
 */
#include "mongo/common/regex.h"

#include <ctype.h>

#include "core/bytes/report.h"
#include "libraries/libpcre2.h"
#include "miscadmin.h"

/* The longest string, in bytes, that is searched without callouts */
#define LONGEST_FAST		16384

/* The limit of steps at a place without callouts: FAST_STEPS by the string's bytes, within these bounds */
#define FAST_STEPS			(1 << 20)
#define MIN_FAST_STEPS		500
#define MAX_FAST_STEPS		20000

/* The most work of a call without callouts: places times steps times bytes */
#define FAST_WORK			(1 << 29)

/* The limits with callouts: PCRE2's default number of steps, and memory in kilobytes */
#define SLOW_STEPS			10000000
#define HEAP_LIMIT			65536

/* Larger code may get too large by callouts: one takes six bytes, and an item at least one */
#define LARGE_CODE			8192

/* The most work where callouts do not fit: steps at one place times bytes of code */
#define LARGE_WORK			1000000000

/* A longer pattern is refused before PCRE2, which cannot be interrupted, reads it */
#define LONGEST_PATTERN		(1 << 20)

/* A class of more bytes than this is repeated in parts of PART characters, and so is any that begins with CLASSES */
#define LONG_CLASS			100
#define CLASSES				"(?["
#define PART				4096
/* The greatest number that a quantifier may have */
#define MOST_REPEATS		65535

/* The number of matches after which it pays to compile to machine code */
#define USES_BEFORE_JIT		100

/* bson.regex_jit */
bool		PgBsonRegexJit = true;

struct PgBsonRegex
{
	MemoryContext context;
	pcre2_general_context *general;
	pcre2_match_context *match;
	pcre2_match_data *data;
	pcre2_code *fast;
	pcre2_code *slow;			/* code with callouts; NULL if it was not needed yet */
	uint32		slow_steps;		/* the limit of its steps at one place */
	uint32		flags;			/* PCRE2's options */
	char	   *pattern;
	uint32		pattern_len;
	bool		whole;			/* search strings as a whole, always by "slow", and not in windows */
	uint32		uses;
	MemoryContextCallback on_reset;
};

/* PCRE2 allocates its memory in the memory context of the expression */
static void *
allocate_for_pcre2(PCRE2_SIZE size, void *context)
{
	/* NULL makes PCRE2 report an error of its own */
	return MemoryContextAllocExtended((MemoryContext) context, Max(size, 1),
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

static void
release(void *memory, void *context)
{
	if (memory != NULL)
		pfree(memory);
}

/* The machine code is the only memory that PCRE2 does not take from the memory context */
static void
free_code(void *arg)
{
	PCRE2->pcre2_code_free(((PgBsonRegex *) arg)->fast);
}

/* Translate MongoDB's options to PCRE2's; 22023 for an unknown letter */
static uint32
flags_of(const char *options, uint32 len)
{
	uint32		flags = 0;

	for (uint32 i = 0; i < len; i++)
	{
		switch (options[i])
		{
			case 'i':
				flags |= PCRE2_CASELESS;
				break;
			case 'm':
				flags |= PCRE2_MULTILINE;
				break;
			case 's':
				flags |= PCRE2_DOTALL;
				break;
			case 'x':
				flags |= PCRE2_EXTENDED;
				break;
			case 'u':
				break;
			default:
				PgBsonReportInvalid(errmsg("invalid option of a regular expression"),
									errdetail("The options are i, m, s, u and x."));
		}
	}
	return flags;
}

/* Called at callouts: end the match if there is an interrupt, which is then served outside of PCRE2 */
static int
look_for_interrupt(pcre2_callout_block *block, void *arg)
{
	return INTERRUPTS_PENDING_CONDITION() && InterruptHoldoffCount == 0 &&
		QueryCancelHoldoffCount == 0 && CritSectionCount == 0 ? PCRE2_ERROR_CALLOUT : 0;
}

/* Compile the pattern.  Returns NULL if the code would be too large and the caller can cope with that. */
static pcre2_code *
compile(PgBsonRegex *regex, const char *pattern, Size len, uint32 flags, bool may_be_large)
{
	pcre2_compile_context *context = PCRE2->pcre2_compile_context_create(regex->general);
	int			error = PCRE2_ERROR_NOMEMORY;
	PCRE2_SIZE	offset = 0;
	pcre2_code *code = NULL;
	PCRE2_UCHAR message[256];

	if (context != NULL)
	{
		/* the defaults may have been changed when the library was built */
		PCRE2->pcre2_set_newline(context, PCRE2_NEWLINE_LF);
		PCRE2->pcre2_set_bsr(context, PCRE2_BSR_UNICODE);
		code = PCRE2->pcre2_compile((PCRE2_SPTR) pattern, len, regex->flags | flags, &error, &offset, context);
		PCRE2->pcre2_compile_context_free(context);
	}
	if (code == NULL && !(may_be_large && error == PCRE2_ERROR_PATTERN_TOO_LARGE))
	{
		PCRE2->pcre2_get_error_message(error, message, sizeof(message));
		PgBsonReport(ERRCODE_INVALID_REGULAR_EXPRESSION, errmsg("invalid regular expression: %s", (char *) message),
					 errdetail("PCRE2 stopped at byte %zu of the pattern.", (Size) offset));
	}
	return code;
}

/* --- the code with callouts --- */

/* The state of rewriting a pattern so that long classes are repeated in parts */
typedef struct Parted
{
	const char *source;
	uint32		done;			/* bytes of the source that were copied to the result or replaced */
	uint32		copied;			/* of these in the result */
	StringInfoData result;
	bool		has_long;		/* is there a long class? */
} Parted;

/* A quantifier without an upper bound */
typedef struct Quantifier
{
	uint32		least;
	char		kind;			/* 0, '?' or '+' */
} Quantifier;

/* Read the quantifier after a class; false if it has an upper bound, or (*strange) is not understood */
static bool
read_quantifier(const char *s, const char *end, Quantifier *quantifier, bool *strange)
{
	char	   *after;

	/* with the option x PCRE2 skips blanks before a quantifier */
	for (; s < end && isspace((unsigned char) *s); s++)
		;
	for (; s < end && isspace((unsigned char) end[-1]); end--)
		;
	after = (char *) s + 1;
	*strange = false;
	quantifier->least = s < end && *s == '+';
	if (s == end || *s == '?')
		return false;
	if (*s == '{')
	{
		quantifier->least = strtoul(s + 1, &after, 10);
		/* {n} and {n,m} */
		if (*after == '}' || (*after == ',' && isdigit((unsigned char) after[1])))
			return false;
		after += 2;
	}
	else if (*s != '*' && *s != '+')
		*strange = true;
	quantifier->kind = after < end ? *after : 0;
	*strange = *strange || quantifier->least > MOST_REPEATS - PART ||
		(*s == '{' && strncmp(after - 2, ",}", 2) != 0) ||
		!(after == end || (after + 1 == end && (*after == '?' || *after == '+')));
	return !*strange;
}

/*
 * Rewrite a class with its quantifier so that it matches the same strings in the same order, but in
 * parts, each of which has its callouts: [c]* becomes (?:[c]{4096})*[c]{0,4095}
 */
static void
add_parts(StringInfo result, const char *class, int len, const Quantifier *quantifier)
{
	const char *lazy = quantifier->kind == '?' ? "?" : "";

	appendStringInfoString(result, quantifier->kind == '+' ? "(?>" : "");
	appendStringInfo(result, "(?:%.*s{%d})*%s", len, class, PART, lazy);
	appendStringInfo(result, "%.*s{%u,%u}%s", len, class,
					 quantifier->least, quantifier->least + PART - 1, lazy);
	appendStringInfoString(result, quantifier->kind == '+' ? ")" : "");
}

/* Pass over an item of the pattern with its quantifier; returns 1 for a quantifier that is not understood */
static int
part_item(pcre2_callout_enumerate_block *item, void *arg)
{
	Parted	   *parted = arg;
	const char *class = parted->source + item->pattern_position;
	const char *end = class + item->next_item_length;
	const char *after = end;
	Quantifier	quantifier;
	bool		strange;

	/* PCRE2 may copy the code of a repeated group, and each copy has callouts */
	if (item->pattern_position < parted->done ||
		(*class == '[' ? item->next_item_length <= LONG_CLASS : strncmp(class, CLASSES, strlen(CLASSES)) != 0))
		return 0;
	parted->done = end - parted->source;
	parted->has_long = true;
	while (after[-1] != (*class == '[' ? ']' : ')'))
		after--;
	if (read_quantifier(after, end, &quantifier, &strange))
	{
		appendBinaryStringInfo(&parted->result, parted->source + parted->copied,
							   item->pattern_position - parted->copied);
		add_parts(&parted->result, class, after - class, &quantifier);
		parted->copied = parted->done;
	}
	return strange;
}

/* If the pattern has long classes, compile it once more with these repeated in parts */
static void
part_classes(PgBsonRegex *regex)
{
	Parted		parted = {regex->pattern};

	initStringInfo(&parted.result);
	if (PCRE2->pcre2_callout_enumerate(regex->slow, part_item, &parted) != 0)
		PgBsonReport(ERRCODE_INVALID_REGULAR_EXPRESSION,
					 errmsg("invalid regular expression: regular expression is too large"),
					 errdetail("A class of more than %d bytes is followed by a comment, or repeated more than %d times.",
							   LONG_CLASS, MOST_REPEATS - PART));
	if (parted.copied > 0)
	{
		appendBinaryStringInfo(&parted.result, regex->pattern + parted.copied, regex->pattern_len - parted.copied);
		PCRE2->pcre2_code_free(regex->slow);
		regex->slow = compile(regex, parted.result.data, parted.result.len, PCRE2_AUTO_CALLOUT, false);
	}
	pfree(parted.result.data);
	/* with such classes a step can take long for a single character, so short strings are not safe, either */
	regex->whole = regex->whole || parted.has_long;
}

/* Can the pattern repeat something, so that a step can go over more characters than the pattern has items? */
static bool
repeats(const PgBsonRegex *regex)
{
	return strpbrk(regex->pattern, "*+{") != NULL || strstr(regex->pattern, "\\X") != NULL;
}

/* Compile the pattern with callouts or, if the code gets too large, with just one callout for each place */
static void
compile_slow(PgBsonRegex *regex)
{
	MemoryContext old = MemoryContextSwitchTo(regex->context);
	bool		plain = !regex->whole && !repeats(regex);
	size_t		size = LARGE_CODE;

	regex->slow_steps = SLOW_STEPS;
	regex->slow = compile(regex, regex->pattern, regex->pattern_len, PCRE2_AUTO_CALLOUT, plain);
	if (regex->slow == NULL)
	{
		char	   *pattern = psprintf("(?C)%s", regex->pattern);

		regex->slow = compile(regex, pattern, strlen(pattern), 0, false);
		PCRE2->pcre2_pattern_info(regex->slow, PCRE2_INFO_SIZE, &size);
		regex->slow_steps = LARGE_WORK / size;
		regex->whole = true;
		pfree(pattern);
	}
	else if (regex->pattern_len > LONG_CLASS || strstr(regex->pattern, CLASSES) != NULL)
		part_classes(regex);
	MemoryContextSwitchTo(old);
}

/* --- making --- */

PgBsonRegex *
PgBsonRegexMake(const char *pattern, uint32 pattern_len, const char *options, uint32 options_len)
{
	PgBsonRegex *regex = palloc0_object(PgBsonRegex);
	size_t		size = 0;

	if (memchr(pattern, 0, pattern_len) != NULL)
		PgBsonReport(ERRCODE_INVALID_REGULAR_EXPRESSION, errmsg("a regular expression must not contain U+0000"));
	if (pattern_len > LONGEST_PATTERN)
		PgBsonReport(ERRCODE_INVALID_REGULAR_EXPRESSION,
					 errmsg("invalid regular expression: regular expression is too large"),
					 errdetail("A pattern has at most %d bytes.", LONGEST_PATTERN));
	/* \C could end a match in the middle of a character */
	regex->flags = PCRE2_UTF | PCRE2_USE_OFFSET_LIMIT | PCRE2_NEVER_BACKSLASH_C |
		flags_of(options, options_len);
	regex->context = CurrentMemoryContext;
	regex->pattern = pnstrdup(pattern, pattern_len);
	regex->pattern_len = pattern_len;

	regex->general = PCRE2->pcre2_general_context_create(allocate_for_pcre2, release, regex->context);
	if (regex->general != NULL)
		regex->match = PCRE2->pcre2_match_context_create(regex->general);
	if (regex->match == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	PCRE2->pcre2_set_heap_limit(regex->match, HEAP_LIMIT);
	regex->fast = compile(regex, regex->pattern, pattern_len, 0, false);
	/* \G means the place of the call, and verbs such as (*COMMIT) end it, so windows would change a search */
	regex->whole = strstr(regex->pattern, "\\G") != NULL || strstr(regex->pattern, "(*") != NULL;
	/* compile this now, so that whether a pattern is too large does not depend on the string */
	if ((PCRE2->pcre2_pattern_info(regex->fast, PCRE2_INFO_SIZE, &size) == 0 && size > LARGE_CODE) ||
		(pattern_len > LONG_CLASS && strchr(regex->pattern, '[') != NULL))
		compile_slow(regex);
	regex->data = PCRE2->pcre2_match_data_create_from_pattern(regex->fast, regex->general);
	if (regex->data == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	return regex;
}

uint32
PgBsonRegexGroups(const PgBsonRegex *regex)
{
	return PCRE2->pcre2_get_ovector_count(regex->data);
}

/* Call PCRE2 once, for a match that begins at "last" or before */
static int
search_once(PgBsonRegex *regex, const pcre2_code *code, const char *string, uint32 len,
	   uint32 from, uint32 last)
{
	PCRE2->pcre2_set_offset_limit(regex->match, last);
	return PCRE2->pcre2_match(code, (PCRE2_SPTR) string, len, from, PCRE2_NO_UTF_CHECK,
					   regex->data, regex->match);
}

/* Search by the code with callouts, which looks for interrupts: where PCRE2 reached its limits */
static int
search_slowly(PgBsonRegex *regex, const char *string, uint32 len, uint32 from, uint32 last)
{
	int			result;

	if (regex->slow == NULL)
		compile_slow(regex);
	PCRE2->pcre2_set_match_limit(regex->match, regex->slow_steps);
	PCRE2->pcre2_set_callout(regex->match, look_for_interrupt, NULL);
	do
	{
		CHECK_FOR_INTERRUPTS();
		result = search_once(regex, regex->slow, string, len, from, last);
	} while (result == PCRE2_ERROR_CALLOUT);
	PCRE2->pcre2_set_callout(regex->match, NULL, NULL);
	return result;
}

pg_noreturn static void
report_pcre2_failure(int error)
{
	PCRE2_UCHAR message[256];

	PCRE2->pcre2_get_error_message(error, message, sizeof(message));
	PgBsonReportLimit(errmsg("regular expression failed: %s", (char *) message),
					  errhint("Write the pattern so that it has fewer ways to match the same text."));
}

/* The number of groups that a call has set; 0 if there is no match */
static int
groups_set(int result)
{
	if (result < 0 && result != PCRE2_ERROR_NOMATCH)
		report_pcre2_failure(result);
	return result == PCRE2_ERROR_NOMATCH ? 0 : Max(result, 1);
}

/* Search the string from byte "from" on; the result is that of groups_set */
static int
find_match(PgBsonRegex *regex, const char *string, uint32 len, uint32 from)
{
	uint32		steps;
	uint32		window;

	if (regex->whole || len > LONGEST_FAST)
		return groups_set(search_slowly(regex, string, len, from, len));
	if (regex->uses < USES_BEFORE_JIT && ++regex->uses == USES_BEFORE_JIT && PgBsonRegexJit)
	{
		regex->on_reset.func = free_code;
		regex->on_reset.arg = regex;
		MemoryContextRegisterResetCallback(regex->context, &regex->on_reset);
		/* if the platform has no such compiler the code is interpreted */
		(void) PCRE2->pcre2_jit_compile(regex->fast, PCRE2_JIT_COMPLETE);
	}

	steps = Min(Max(FAST_STEPS / (len + 1), MIN_FAST_STEPS), MAX_FAST_STEPS);
	window = Max(FAST_WORK / steps / (len + 1), 1);
	for (;;)
	{
		uint32		last = len - from > window ? from + window : len;
		int			result;

		CHECK_FOR_INTERRUPTS();
		PCRE2->pcre2_set_match_limit(regex->match, steps);
		result = search_once(regex, regex->fast, string, len, from, last);
		if (result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_JIT_STACKLIMIT ||
			result == PCRE2_ERROR_HEAPLIMIT)
			result = search_slowly(regex, string, len, from, last);
		if (result != PCRE2_ERROR_NOMATCH || last == len)
			return groups_set(result);
		/* go to the next character, because a match cannot begin within one */
		from = last + 1;
		while (from < len && ((uint8) string[from] & 0xC0) == 0x80)
			from++;
	}
}

bool
PgBsonRegexMatches(PgBsonRegex *regex, const char *string, uint32 len)
{
	return find_match(regex, string, len, 0) > 0;
}

bool
PgBsonRegexFind(PgBsonRegex *regex, const char *string, uint32 len, uint32 from, int64 *groups)
{
	uint32		count = PgBsonRegexGroups(regex);
	int			set = find_match(regex, string, len, from);
	const PCRE2_SIZE *places = PCRE2->pcre2_get_ovector_pointer(regex->data);

	if (set == 0)
		return false;
	for (uint32 i = 0; i < count * 2; i++)
		groups[i] = i < set * 2 && places[i] != PCRE2_UNSET ? (int64) places[i] : -1;
	return true;
}
