/*
 * parse.c
 *	  JSON text to bson with json-c: any text, and all errors.
 *
 * json-c makes the tree, but does not decide what JSON is: even in strict mode
 * it accepts control characters in strings, [1.], NaN, and lone surrogates; it
 * cuts keys at U+0000, and clamps long integers.  So the text passes three
 * stages:
 *
 *	1. PgBsonCheckGrammar (grammar.c): the server's own JSON parser says whether
 *	   it is JSON, and how deep it nests.
 *	2. PgBsonFeedText (feed.c) passes over the tokens and hands the text to
 *	   json-c's incremental parser.
 *	3. PgBsonFromTree (tree.c) passes over the tree once, into the builder.
 *
 * json-c's memory is malloc'd, and is freed when these stages end, by an error
 * as well.  That recurses, so probe_stack first makes sure that there is enough
 * stack for it.
 */
#include "json/parse.h"

/* An upper bound of the stack that json_object_put and its helpers take for each level */
#define FREE_FRAME_SIZE		512

/* Raise an error unless there is enough stack to free a tree of this many levels. */
static pg_noinline int
probe_stack(int levels)
{
	volatile char frame[FREE_FRAME_SIZE];

	check_stack_depth();
	frame[0] = (char) levels;
	return levels > 1 ? probe_stack(levels - 1) + frame[0] : frame[0];
}

/* Stages 2 and 3; frees json-c's memory at the end */
static PgBson *
parse_checked(PgBsonFeed *f, int max_depth)
{
	PgBson	   *volatile result = NULL;

	PG_TRY();
	{
		PgBsonFeedBegin(f, max_depth);
		if (PgBsonFeedText(f))
			result = PgBsonFromTree(f->tree, f->in.escontext);
	}
	PG_CATCH();
	{
		PgBsonFeedRelease(f);
		PG_RE_THROW();
	}
	PG_END_TRY();
	PgBsonFeedRelease(f);
	return result;
}

PgBson *
PgBsonParseJson(const char *text, Size len, PgBsonNumbers numbers, Node *escontext)
{
	/* palloc'd, so that it survives a longjmp */
	PgBsonFeed *f = palloc0(sizeof(PgBsonFeed));
	int			max_depth;
	PgBson	   *result = NULL;

	/* this also verifies the text if the server does not know its encoding */
	f->in.text = pg_server_to_any(text, len, PG_UTF8);
	f->in.len = f->in.text == text ? len : strlen(f->in.text);
	if (f->in.len > MaxAllocSize)
		PgBsonReportLimit(errmsg("JSON text is too large for type %s", "bson"));
	f->next = f->in.text;
	f->in.escontext = escontext;
	f->numbers = numbers;

	if (PgBsonCheckGrammar(&f->in, &max_depth))
	{
		probe_stack(max_depth);
		result = parse_checked(f, max_depth);
	}
	if (f->in.text != text)
		pfree(unconstify(char *, f->in.text));
	pfree(f);
	return result;
}
