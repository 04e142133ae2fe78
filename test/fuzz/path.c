/*
 * path.c
 *	  A path: the same found in the whole and in front parts of a document, and nothing read behind those.
 */
#include "fuzz.h"

#include "core/path.h"

static PgBson *doc;
static PgBsonStep steps[4];
static int	nsteps;

static void
make(void *arg)
{
	FuzzInput  *in = arg;

	nsteps = 1 + FuzzByte(in) % lengthof(steps);
	for (int i = 0; i < nsteps; i++)
	{
		steps[i].kind = FuzzByte(in) % 3;
		steps[i].index = (int8) FuzzByte(in);
		steps[i].key = FuzzKey(in, &steps[i].key_len);
	}
	doc = FuzzMake(in);
}

static void
check(void *arg)
{
	PgBsonView	view = PgBsonViewOf(doc);
	PgBsonValue root = PgBsonRootOf(view);
	PgBsonValue found = {0};
	bool		is_there = PgBsonFind(root, steps, nsteps, &found);
	uint32		front = root.data - view.data;
	uint32		avail = front + Min(root.len, 5);

	for (;;)
	{
		uint8	   *part = palloc(avail);	/* a block that ends there */
		PgBsonValue from = {root.type, root.len, part + front};
		PgBsonValue result;
		const uint8 *need = NULL;
		PgBsonFound answer;

		memcpy(part, view.data, avail);
		answer = PgBsonFindWithin(from, part + avail, steps, nsteps, &result, &need);
		if (answer != PGBSON_MORE)
		{
			FuzzCheck((answer == PGBSON_FOUND) == is_there);
			if (is_there)
				FuzzCheck(result.type == found.type && result.len == found.len &&
						  result.data - part == found.data - view.data &&
						  memcmp(result.data, found.data, found.len) == 0);
			break;
		}
		FuzzCheck(need > part + avail && need <= part + view.len);
		avail = need - part;
		pfree(part);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput	in = {data, data + size};

	if (FuzzTry(make, &in) && !FuzzTry(check, NULL))
		FuzzFail("an error: %x", fuzz_sqlstate);
	FuzzReset();
	return 0;
}
