/*
 * expr_regex.c
 *	  Expressions: regular expressions, $regexMatch, $regexFind and $regexFindAll.
 *
 * The authority is MongoDB's src/mongo/db/exec/expression/evaluate_regex.cpp.
 */
#include "mongo/expr/expr.h"

#include "mongo/common/regex.h"

enum
{
	MATCH, FIND, FIND_ALL
};

/* The compiled regular expression that a node used last */
typedef struct RegexSite
{
	MemoryContext context;		/* of all but this */
	PgBsonRegex *regex;			/* NULL: none yet */
	char	   *key;			/* its pattern and options */
	uint32		pattern_len;
	uint32		options_len;
	int64	   *groups;
} RegexSite;

/* The arguments: input, regex, options */
typedef struct RegexCall
{
	const char *input;			/* NULL: input is null or missing */
	uint32		input_len;
	const char *pattern;		/* the same */
	uint32		pattern_len;
	const char *options;
	uint32		options_len;
} RegexCall;

static bool
site_has(const RegexSite *site, const RegexCall *call)
{
	return site->regex != NULL && site->pattern_len == call->pattern_len &&
		site->options_len == call->options_len &&
		memcmp(site->key, call->pattern, call->pattern_len) == 0 &&
		memcmp(site->key + call->pattern_len, call->options, call->options_len) == 0;
}

/* The compiled expression; the node's last one is used again if pattern and options are the same */
static RegexSite *
ready_regex(const PgBsonExpr *e, const RegexCall *call)
{
	PgBsonExpr *node = (PgBsonExpr *) e;
	RegexSite  *site = (RegexSite *) node->extra;
	MemoryContext old;

	if (site == NULL)
	{
		MemoryContext of_tree = GetMemoryChunkContext(node);

		site = MemoryContextAllocZero(of_tree, sizeof(RegexSite));
		site->context = AllocSetContextCreate(of_tree, "bson regular expression", ALLOCSET_SMALL_SIZES);
		node->extra = site;
	}
	if (site_has(site, call))
		return site;

	site->regex = NULL;
	MemoryContextReset(site->context);
	old = MemoryContextSwitchTo(site->context);
	site->key = palloc(call->pattern_len + call->options_len + 1);
	memcpy(site->key, call->pattern, call->pattern_len);
	memcpy(site->key + call->pattern_len, call->options, call->options_len);
	site->pattern_len = call->pattern_len;
	site->options_len = call->options_len;
	/* remember it only now, when compiling has raised no error */
	site->regex = PgBsonRegexMake(call->pattern, call->pattern_len, call->options, call->options_len);
	site->groups = palloc(PgBsonRegexGroups(site->regex) * 2 * sizeof(int64));
	MemoryContextSwitchTo(old);
	return site;
}

/* Evaluate and check the arguments; *site is NULL if there is no pattern */
static RegexSite *
prepare_regex_call(PgBsonExprRun *run, const PgBsonExpr *e, RegexCall *call)
{
	PgBsonValue input = PgBsonExprArg(run, e, 0);
	PgBsonValue regex = PgBsonExprArg(run, e, 1);
	PgBsonValue options = PgBsonExprArg(run, e, 2);
	RegexSite  *site = NULL;

	memset(call, 0, sizeof(RegexCall));
	call->options = "";
	if (regex.type == PGBSON_REGEX)
	{
		call->pattern = (const char *) regex.data;
		call->pattern_len = strlen(call->pattern);
		call->options = call->pattern + call->pattern_len + 1;
		call->options_len = strlen(call->options);
	}
	else if (regex.type == PGBSON_STRING)
		call->pattern = PgBsonExprToString(e, &regex, &call->pattern_len);
	else if (!PgBsonIsNothing(&regex))
		PgBsonExprWrongType(e, &regex, gettext_noop("\"regex\" must be a string or a regular expression."));
	if (!PgBsonIsNothing(&options))
	{
		if (call->options_len > 0)
			PgBsonExprWrongValue(e, gettext_noop("Options must be given in \"regex\" or in \"options\", not in both."));
		call->options = PgBsonExprToString(e, &options, &call->options_len);
	}
	if (call->pattern != NULL)
		site = ready_regex(e, call);
	else if (call->options_len > 0)
		/* the options are checked even if there is no pattern */
		(void) PgBsonRegexMake("", 0, call->options, call->options_len);
	if (!PgBsonIsNothing(&input))
		call->input = PgBsonExprToString(e, &input, &call->input_len);
	return site;
}

/* A match as a document: the match, its position in characters, and the groups */
static PgBsonValue
describe(const RegexSite *site, const RegexCall *call, int64 start, int64 end, int32 index)
{
	uint32		count = PgBsonRegexGroups(site->regex);
	PgBsonValue match = PgBsonMakeString(call->input + start, end - start);
	PgBsonValue position = PgBsonMakeInt32(index);
	PgBsonWriter captures;
	PgBsonValue value;

	PgBsonWriterBegin(&captures, 0);
	for (uint32 i = 1; i < count; i++)
	{
		const int64 *group = site->groups + 2 * i;

		value = group[0] < 0 || group[1] < group[0] ? PgBsonNull :
			PgBsonMakeString(call->input + group[0], group[1] - group[0]);
		PgBsonWriterPush(&captures, &value);
	}
	value = PgBsonWriterEnd(&captures, PGBSON_ARRAY);
	return PgBsonMakeDocument("match", &match, "idx", &position, "captures", &value, NULL);
}

/*
 * The first match, or all.  Each search begins after the last match; after an empty match one
 * character is skipped, and no search begins at the end of the string.
 */
static PgBsonValue
find_matches(const PgBsonExpr *e, RegexSite *site, const RegexCall *call)
{
	bool		all = e->op->code == FIND_ALL;
	uint32		from = 0;
	int32		index = 0;		/* the position of "from" in characters */
	MemoryContext of_result = CurrentMemoryContext;
	MemoryContext of_match = NULL;
	PgBsonWriter maker;

	if (all)
		of_match = AllocSetContextCreate(of_result, "bson match", ALLOCSET_SMALL_SIZES);
	PgBsonExprBegin(&maker, 0, e);
	do
	{
		int64		start;
		int64		end;
		PgBsonValue found;

		CHECK_FOR_INTERRUPTS();
		if (!PgBsonRegexFind(site->regex, call->input, call->input_len, from, site->groups))
			break;
		/* after \K a group can begin before the match */
		start = Max(site->groups[0], (int64) from);
		end = Max(site->groups[1], start);
		index += PgBsonCountCharacters(call->input + from, start - from);
		if (!all)
			return describe(site, call, start, end, index);
		MemoryContextSwitchTo(of_match);
		found = describe(site, call, start, end, index);
		MemoryContextSwitchTo(of_result);
		PgBsonWriterPush(&maker, &found);
		MemoryContextReset(of_match);
		from = end;
		if (end == start && from < call->input_len)
		{
			for (from++; from < call->input_len && ((uint8) call->input[from] & 0xC0) == 0x80;)
				from++;
		}
		index += PgBsonCountCharacters(call->input + start, from - start);
	} while (from < call->input_len);
	if (!all)
		return PgBsonNull;
	MemoryContextDelete(of_match);
	return PgBsonWriterEnd(&maker, PGBSON_ARRAY);
}

/* The result if input or pattern is null or missing: false, null, or an empty array */
static PgBsonValue
eval_regex(PgBsonExprRun *run, const PgBsonExpr *e)
{
	RegexCall	call;
	RegexSite  *site = prepare_regex_call(run, e, &call);
	bool		nothing = call.input == NULL || site == NULL;

	if (e->op->code == MATCH)
		return PgBsonMakeBool(!nothing && PgBsonRegexMatches(site->regex, call.input, call.input_len));
	if (nothing)
		return e->op->code == FIND ? PgBsonNull : PgBsonMakeArray(NULL, 0);
	return find_matches(e, site, &call);
}

const PgBsonExprOp PgBsonExprRegex[] = {
	{"$regexMatch", 0, 0, eval_regex, MATCH, "input! regex! options"},
	{"$regexFind", 0, 0, eval_regex, FIND, "input! regex! options"},
	{"$regexFindAll", 0, 0, eval_regex, FIND_ALL, "input! regex! options"},
	{NULL}
};
