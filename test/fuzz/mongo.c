/*
 * mongo.c
 *	  MongoDB's updates and queries: results are valid documents, and $nor finds what the query does not.
 */
#include "fuzz.h"

#include "json/match.h"
#include "json/update.h"

static const char *const update_operators[] = {
	"$set", "$unset", "$inc", "$mul", "$min", "$max", "$rename", "$push", "$pull", "$pullAll", "$addToSet", "$pop",
	"$currentDate", "$setOnInsert"
};
static const char *const push_operators[] = {"$each", "$slice", "$position", "$sort"};

static PgBsonValue doc;
static PgBsonValue update;
static PgBsonValue query;
static PgBsonValue nor;

static void
put_change(PgBsonBuilder *b, FuzzInput *in)
{
	uint8		what = FuzzByte(in) % 8;

	if (what < 4)
		FuzzPutValue(b, in);
	else if (what == 4)
		FuzzPutQuery(b, in, 3);
	else if (what == 5)
	{
		const char *path = FuzzPath(in);

		PgBsonBuilderString(b, path, strlen(path));
	}
	else
	{
		PgBsonBuilderOpenDocument(b);
		for (int n = 1 + FuzzByte(in) % 3; n > 0; n--)
		{
			FuzzPutKey(b, push_operators[FuzzByte(in) % lengthof(push_operators)]);
			FuzzPutValue(b, in);
		}
		PgBsonBuilderClose(b);
	}
}

static void
make(void *arg)
{
	FuzzInput  *in = arg;
	PgBsonBuilder *b;

	doc = PgBsonRoot(FuzzMake(in));

	b = PgBsonBuilderBegin();
	PgBsonBuilderOpenDocument(b);
	for (int n = 1 + FuzzByte(in) % 2; n > 0; n--)
	{
		FuzzPutKey(b, update_operators[FuzzByte(in) % lengthof(update_operators)]);
		PgBsonBuilderOpenDocument(b);
		for (int m = 1 + FuzzByte(in) % 3; m > 0; m--)
		{
			FuzzPutKey(b, FuzzPath(in));
			put_change(b, in);
		}
		PgBsonBuilderClose(b);
	}
	PgBsonBuilderClose(b);
	update = PgBsonRoot(PgBsonBuilderFinish(b));

	b = PgBsonBuilderBegin();
	FuzzPutQuery(b, in, 0);
	query = PgBsonRoot(PgBsonBuilderFinish(b));

	b = PgBsonBuilderBegin();
	PgBsonBuilderOpenDocument(b);
	FuzzPutKey(b, "$nor");
	PgBsonBuilderOpenArray(b);
	PgBsonBuilderValue(b, &query);
	PgBsonBuilderClose(b);
	PgBsonBuilderClose(b);
	nor = PgBsonRoot(PgBsonBuilderFinish(b));
}

static void
change(void *arg)
{
	PgBsonView	view = PgBsonValueView(&doc);
	PgBson	   *result = PgBsonUpdate(view, &update, 1);

	if (result != NULL)
		FuzzCheckDatum(result);
}

static void
match(void *arg)
{
	PgBsonQuery *parsed = PgBsonQueryParse(&query);
	PgBsonQuery *negated = PgBsonQueryParse(&nor);

	FuzzCheck(PgBsonQueryMatches(parsed, &doc) != PgBsonQueryMatches(negated, &doc));
}

static void
match_element(void *arg)
{
	(void) PgBsonQueryMatches(PgBsonQueryParseElement(&query), &doc);
}

static void
run(FuzzCall call)
{
	if (!FuzzTry(call, NULL) && fuzz_sqlstate == ERRCODE_DATA_CORRUPTED)
		FuzzFail("a valid document is called damaged");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput	in = {data, data + size};

	if (FuzzTry(make, &in))
	{
		if (doc.type == PGBSON_DOCUMENT)
			run(change);
		run(match);
		run(match_element);
	}
	FuzzReset();
	return 0;
}
