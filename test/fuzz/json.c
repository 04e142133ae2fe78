/*
 * json.c
 *	  JSON text: the short cut and json-c make the same bytes of it, valid ones, by either rule for numbers; and text of them reads back.
 */
#include "fuzz.h"

#include "json/print.h"
#include "json/transcode.h"
#include "mb/pg_wchar.h"

static const char *text_in;
static size_t text_len;
static PgBsonNumbers numbers;
static PgBson *result;

static void
parse(void *arg)
{
	result = PgBsonFromJson(text_in, text_len, numbers, NULL);
}

static void
print(void *arg)
{
	PgBsonValue root = PgBsonRoot(result);
	StringInfoData out;

	initStringInfo(&out);
	if (!PgBsonPrint(&out, &root, PGBSON_LOSSLESS, 0))
		return;
	text_in = out.data;
	text_len = out.len;
}

static bool
same(const PgBson *a, const PgBson *b)
{
	return VARSIZE(a) == VARSIZE(b) && memcmp(a, b, VARSIZE(a)) == 0;
}

/* The datum by one rule; NULL if it is refused */
static PgBson *
parse_twice(PgBsonNumbers rule)
{
	PgBson	   *tree = NULL;
	PgBson	   *quick;

	numbers = rule;
	PgBsonJsonParserSetting = PGBSON_PARSER_JSON_C;
	if (FuzzTry(parse, NULL))
	{
		tree = result;
		FuzzCheckDatum(tree);
	}
	quick = PgBsonTranscode(text_in, text_len, rule);
	if (quick != NULL)
	{
		FuzzCheckDatum(quick);
		if (tree == NULL)
			FuzzFail("the short cut takes what json-c refuses");
		if (!same(quick, tree))
			FuzzFail("the short cut makes other bytes than json-c");
	}
	return tree;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *copy;
	PgBson	   *tree;

	/* the server has seen to this before */
	if (memchr(data, 0, size) != NULL || pg_encoding_verifymbstr(PG_UTF8, (const char *) data, size) != size)
		return 0;

	/* no terminator, to see who counts on one */
	copy = palloc(size);
	memcpy(copy, data, size);
	text_in = copy;
	text_len = size;

	(void) parse_twice(PGBSON_NUMBERS_MONGODB);
	tree = parse_twice(PGBSON_NUMBERS_EXACT);
	if (tree != NULL)
	{
		FuzzCheck(FuzzTry(print, NULL));
		PgBsonJsonParserSetting = PGBSON_PARSER_AUTO;
		if (!FuzzTry(parse, NULL))
			FuzzFail("what was printed is not read: %x, %s", fuzz_sqlstate, text_in);
		if (!same(result, tree))
			FuzzFail("reads back to other bytes: %s", text_in);
	}
	FuzzReset();
	return 0;
}
