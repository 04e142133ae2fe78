/*
 * bytes.c
 *	  Any bytes: valid ones survive text and back; damaged ones are read to an error, not a crash.
 */
#include "fuzz.h"

#include "core/bytes/keys.h"
#include "core/bytes/value.h"
#include "core/find/path.h"
#include "core/number/number.h"
#include "core/order/compare.h"
#include "core/order/contain.h"
#include "core/write/elements.h"
#include "core/write/modify.h"
#include "json/extjson.h"
#include "json/print.h"
#include "json/transcode.h"

static PgBson *input;
static PgBsonView view;
static PgBsonValue root;

static void
begin(void *arg)
{
	view = PgBsonViewOf(input);
	root = PgBsonRootOf(view);
}

static void
print(void *arg)
{
	StringInfoData out;
	PgBsonStyle style = (PgBsonStyle) (intptr_t) arg;

	initStringInfo(&out);
	FuzzCheck(PgBsonPrint(&out, &root, style, style == PGBSON_RELAXED ? 4 : 0) || style == PGBSON_LOSSLESS);
	FuzzCheck(strlen(out.data) == out.len);
}

static void
print_plain(void *arg)
{
	(void) PgBsonValueToText(&root);
}

static void
compare(void *arg)
{
	PgBsonValue wrapper = {PGBSON_DOCUMENT, view.len, view.data};
	PgBsonSpine spine;

	(void) PgBsonCompare(&root, &wrapper);
	FuzzCheck(PgBsonCompare(&root, &root) == 0);
	FuzzCheck(PgBsonEqual(&root, &root));
	PgBsonSpineInit(&spine, &root);
	(void) PgBsonSortPrefix(&spine, &wrapper);
	(void) PgBsonHash(&root, 0);
}

static void
contain(void *arg)
{
	PgBsonStep	key = {PGBSON_STEP_KEY, 0, "a", 1};
	PgBsonReader reader;

	PgBsonReaderPlain(&reader, root);
	(void) PgBsonContains(&root, &root);
	(void) PgBsonHasKey(&reader, &key, NULL);
}

static void
inspect(void *arg)
{
	(void) PgBsonDepth(&root);
	(void) PgBsonViewCount(view);
	(void) PgBsonHasDuplicateKeys(view);
	(void) PgBsonExtJsonClaims(view);
}

static void
walk_numbers(void *arg)
{
	PgBsonIter	iter;
	int32		i32;
	int64		i64;
	bool		exact;

	PgBsonIterInit(&iter, view);
	while (PgBsonIterNext(&iter))
	{
		(void) PgBsonTypeName(iter.value.type);
		(void) PgBsonNumberToInt32(&iter.value, &i32);
		(void) PgBsonNumberToInt64(&iter.value, &i64);
		if (PgBsonTypeRank(iter.value.type) == PgBsonTypeRank(PGBSON_INT32))
			(void) PgBsonNumberToDouble(&iter.value, &exact);
		(void) PgBsonValueToText(&iter.value);
	}
}

static void
find(void *arg)
{
	PgBsonStep	steps[2] = {{PGBSON_STEP_PATH, 0, "a", 1}, {PGBSON_STEP_PATH, 0, "0", 1}};
	PgBsonValue result;

	(void) PgBsonFind(root, steps, 2, &result);
	(void) PgBsonFind(root, steps + 1, 1, &result);
}

static void
change(void *arg)
{
	PgBsonStep	steps[2] = {{PGBSON_STEP_PATH, 0, "a", 1}, {PGBSON_STEP_PATH, 0, "0", 1}};

	(void) PgBsonChangePath(view, steps, 1 + ((intptr_t) arg & 1), (PgBsonChange) ((intptr_t) arg >> 1), &root);
}

static void
strip(void *arg)
{
	(void) PgBsonStripNulls(view, arg != NULL);
}

static void
concat(void *arg)
{
	bool		is_right;

	(void) PgBsonConcat(view, view, &is_right);
}

static void
reparse(void *arg)
{
	StringInfoData out;
	PgBson	   *back;

	initStringInfo(&out);
	if (!PgBsonPrint(&out, &root, PGBSON_LOSSLESS, 0))
		return;
	back = PgBsonFromJson(out.data, out.len, PGBSON_NUMBERS_EXACT, NULL);
	if (VARSIZE(back) - VARHDRSZ != view.len || memcmp(VARDATA(back), view.data, view.len) != 0)
		FuzzFail("reads back to other bytes: %s", out.data);
}

/* run, and of a valid document allow no error but of its own nature */
static void
run(FuzzCall call, intptr_t arg, bool valid)
{
	if (FuzzTry(call, (void *) arg) || !valid)
		return;
	if (fuzz_sqlstate == ERRCODE_DATA_CORRUPTED || fuzz_sqlstate == ERRCODE_INVALID_BINARY_REPRESENTATION)
		FuzzFail("a valid document is called damaged");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PgBsonFault fault;
	bool		valid = PgBsonCheck(data, size, &fault);

	input = FuzzDatum(data, size);
	if (!valid)
		FuzzCheck(fault.reason != NULL && fault.offset <= size);
	if (FuzzTry(begin, NULL))
	{
		for (int style = PGBSON_LOSSLESS; style <= PGBSON_CANONICAL; style++)
			run(print, style, valid);
		run(print_plain, 0, valid);
		run(compare, 0, valid);
		run(contain, 0, valid);
		run(inspect, 0, valid);
		run(walk_numbers, 0, valid);
		run(find, 0, valid);
		for (int i = 0; i <= PGBSON_ASSIGN * 2 + 1; i++)
			run(change, i, valid);
		run(strip, 0, valid);
		run(strip, 1, valid);
		run(concat, 0, valid);
		if (valid && !FuzzTry(reparse, NULL))
			FuzzFail("what was printed is not read: %x", fuzz_sqlstate);
	}
	else
		FuzzCheck(!valid);
	FuzzReset();
	return 0;
}

/*
 * Mutations that get past the first check: now and then a valid document in
 * place of all, and the length word right more often than not.
 */
extern size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
extern size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static PgBson *made;

static void
make(void *in)
{
	made = FuzzMake(in);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	if (seed % 16 == 0)
	{
		FuzzInput	in;

		size = LLVMFuzzerMutate(data, size, max_size);
		in.p = data;
		in.end = data + size;
		if (FuzzTry(make, &in))
		{
			size = Min(VARSIZE(made) - VARHDRSZ, max_size);
			memmove(data, VARDATA(made), size);
		}
		FuzzReset();
		return size;
	}
	size = LLVMFuzzerMutate(data, size, max_size);
	if (size >= 5 && seed % 16 < 12)
	{
		PgBsonWriteU32(data, size);
		data[size - 1] = 0;
	}
	return size;
}
