/*
 * mongo.c
 *	  MongoDB's updates and queries: results are valid documents, and $nor finds what the query does not.
 */
#include "fuzz.h"

#include "mongo/query/match.h"
#include "mongo/update/update.h"

static PgBsonValue doc;
static PgBsonValue update;
static PgBsonValue query;
static PgBsonValue nor;

static void
make(void *arg)
{
	FuzzInput  *in = arg;
	PgBsonBuilder *b;

	doc = PgBsonRoot(FuzzMake(in));

	b = PgBsonBuilderBegin();
	FuzzPutUpdate(b, in);
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
	PgBsonUpdateInput input = {true, 1, true, 2};
	PgBson	   *result = PgBsonUpdateApply(PgBsonUpdateParse(&update, NULL, false), view, &input);

	if (result != NULL)
		FuzzCheckDatum(result);
}

static void
upsert(void *arg)
{
	PgBsonUpdateInput input = {true, 1, true, 2};

	FuzzCheckDatum(PgBsonUpsert(PgBsonUpdateParse(&update, NULL, true), &query, &input));
}

/* An element is found only in a document that the query finds */
static void
position(void *arg)
{
	uint32		index;

	if (PgBsonPositionFind(PgBsonPositionParse(&query), &doc, &index))
		FuzzCheck(PgBsonQueryMatches(PgBsonQueryParse(&query), &doc));
}

static void
match(void *arg)
{
	PgBsonQuery *parsed = PgBsonQueryParse(&query);
	PgBsonQuery *negated = PgBsonQueryParse(&nor);

	FuzzCheck(PgBsonQueryMatches(parsed, &doc) != PgBsonQueryMatches(negated, &doc));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput	in = {data, data + size};

	if (FuzzTry(make, &in))
	{
		if (doc.type == PGBSON_DOCUMENT)
			FuzzTryValid(change, NULL);
		FuzzTryValid(upsert, NULL);
		FuzzTryValid(position, NULL);
		FuzzTryValid(match, NULL);
	}
	FuzzReset();
	return 0;
}
