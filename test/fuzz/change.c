/*
 * change.c
 *	  A chain of changes: each result is valid, and has what was put into it.
 */
#include "fuzz.h"

#include "core/bytes/keys.h"
#include "core/order/compare.h"
#include "core/write/modify.h"

static PgBson *doc;

/* the input of a chain */
static void
step(void *arg)
{
	FuzzInput  *in = arg;
	PgBsonStep	path[4];
	int			npath = 1 + FuzzByte(in) % lengthof(path);
	uint8		what = FuzzByte(in) % 11;
	PgBsonView	view = PgBsonViewOf(doc);
	PgBson	   *value;
	PgBson	   *result;
	PgBsonValue root;
	PgBsonValue there;
	PgBsonKeySet keys;
	bool		is_right;

	for (int i = 0; i < npath; i++)
	{
		path[i].kind = PGBSON_STEP_PATH;
		path[i].key = FuzzKey(in, &path[i].key_len);
	}
	switch (what)
	{
		case 6:
			PgBsonKeySetInit(&keys);
			for (int i = 0; i < npath; i++)
				PgBsonKeySetAdd(&keys, path[i].key, path[i].key_len, NULL);
			result = PgBsonDeleteKeys(view, &keys);
			PgBsonKeySetFree(&keys);
			break;
		case 7:
			result = PgBsonDeleteIndex(view, (int8) FuzzByte(in));
			break;
		case 8:
			value = FuzzMake(in);
			result = PgBsonConcat(view, PgBsonViewOf(value), &is_right);
			break;
		case 9:
		case 10:
			result = PgBsonStripNulls(view, what == 10);
			if (result != NULL)
				FuzzCheck(PgBsonStripNulls(PgBsonViewOf(result), what == 10) == NULL);
			break;
		default:
			value = FuzzMake(in);
			root = PgBsonRoot(value);
			result = PgBsonChangePath(view, path, npath, what, &root);
			if (result == NULL || what > PGBSON_SET)
				break;
			there = PgBsonRoot(result);
			if (what == PGBSON_REPLACE)
				FuzzCheck(PgBsonFind(there, path, npath, &there) && PgBsonCompare(&there, &root) == 0);
	}
	if (result != NULL)
	{
		FuzzCheckDatum(result);
		/* a block of its very size for the next step */
		doc = FuzzDatum((uint8 *) VARDATA(result), VARSIZE(result) - VARHDRSZ);
	}
}

static void
make(void *in)
{
	doc = FuzzMake(in);
	FuzzCheckDatum(doc);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput	in = {data, data + size};

	if (FuzzTry(make, &in))
	{
		for (int i = 0; i < 8 && in.p < in.end; i++)
			FuzzTryValid(step, &in);
	}
	FuzzReset();
	return 0;
}
