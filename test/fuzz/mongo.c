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
static const char *const query_operators[] = {
	"$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$type", "$all", "$elemMatch", "$size",
	"$regex", "$options", "$mod", "$not", "$and", "$or", "$nor"
};
static const char *const paths[] = {"a", "b", "a.b", "a.0", "a.1.b", "b.c.0", "0", "_id", "a.$", ".", "a.", "ab.10", ""};

static PgBsonValue doc;
static PgBsonValue update;
static PgBsonValue query;
static PgBsonValue nor;

#define PICK(in, list) ((list)[FuzzByte(in) % lengthof(list)])

static void
put_key(PgBsonBuilder *b, const char *key)
{
	PgBsonBuilderKey(b, key, strlen(key));
}

static void
put_value(PgBsonBuilder *b, FuzzInput *in)
{
	PgBsonValue value = PgBsonRoot(FuzzMake(in));

	PgBsonBuilderValue(b, &value);
}

static void put_query(PgBsonBuilder *b, FuzzInput *in, int level);

/* What an operator of a query, or a path in it, is given */
static void
put_operand(PgBsonBuilder *b, FuzzInput *in, int level)
{
	uint8		what = level < 5 ? FuzzByte(in) % 8 : 0;

	switch (what)
	{
		case 5:
		case 6:
			put_query(b, in, level + 1);
			break;
		case 7:
			PgBsonBuilderOpenArray(b);
			for (int n = FuzzByte(in) % 4; n > 0; n--)
				put_operand(b, in, level + 1);
			PgBsonBuilderClose(b);
			break;
		default:
			put_value(b, in);
	}
}

static void
put_query(PgBsonBuilder *b, FuzzInput *in, int level)
{
	PgBsonBuilderOpenDocument(b);
	for (int n = 1 + FuzzByte(in) % 3; n > 0; n--)
	{
		put_key(b, FuzzByte(in) % 2 ? PICK(in, query_operators) : PICK(in, paths));
		put_operand(b, in, level);
	}
	PgBsonBuilderClose(b);
}

static void
put_change(PgBsonBuilder *b, FuzzInput *in)
{
	uint8		what = FuzzByte(in) % 8;

	if (what < 4)
		put_value(b, in);
	else if (what == 4)
		put_query(b, in, 3);
	else if (what == 5)
	{
		const char *path = PICK(in, paths);

		PgBsonBuilderString(b, path, strlen(path));
	}
	else
	{
		PgBsonBuilderOpenDocument(b);
		for (int n = 1 + FuzzByte(in) % 3; n > 0; n--)
		{
			put_key(b, PICK(in, push_operators));
			put_value(b, in);
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
		put_key(b, PICK(in, update_operators));
		PgBsonBuilderOpenDocument(b);
		for (int m = 1 + FuzzByte(in) % 3; m > 0; m--)
		{
			put_key(b, PICK(in, paths));
			put_change(b, in);
		}
		PgBsonBuilderClose(b);
	}
	PgBsonBuilderClose(b);
	update = PgBsonRoot(PgBsonBuilderFinish(b));

	b = PgBsonBuilderBegin();
	put_query(b, in, 0);
	query = PgBsonRoot(PgBsonBuilderFinish(b));

	b = PgBsonBuilderBegin();
	PgBsonBuilderOpenDocument(b);
	put_key(b, "$nor");
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
