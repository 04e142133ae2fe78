/*
 * path.c
 *	  A path: the same found in the whole, in front parts of a document, where bytes come as they are asked for,
 *	  and by the shape of other documents; and nothing read that is not there.
 */
#include "fuzz.h"

#include <sanitizer/asan_interface.h>

#include "core/path.h"

static PgBson *doc;
static PgBson *other;
static PgBsonStep steps[4];
static int	nsteps;

/* An array of many elements, in runs of one kind */
static PgBson *
make_array(FuzzInput *in)
{
	PgBsonBuilder *b = PgBsonBuilderBegin();
	bool		in_field = FuzzByte(in) & 1;

	if (in_field)
	{
		PgBsonBuilderOpenDocument(b);
		PgBsonBuilderKey(b, "a", 1);
	}
	PgBsonBuilderOpenArray(b);
	for (int runs = FuzzByte(in) % 8; runs > 0; runs--)
	{
		uint8		kind = FuzzByte(in) % 6;

		for (int n = FuzzByte(in); n > 0; n--)
		{
			if (kind == 0)
				PgBsonBuilderInt32(b, n);
			else if (kind == 1)
				PgBsonBuilderNull(b);
			else if (kind == 2)
				PgBsonBuilderString(b, "0123456789", n % 10);
			else if (kind == 3)
				FuzzPutValue(b, in);
			else if (kind == 4)
				PgBsonBuilderBool(b, n & 1);
			else
				PgBsonBuilderDouble(b, n);
		}
	}
	PgBsonBuilderClose(b);
	if (in_field)
		PgBsonBuilderClose(b);
	return PgBsonBuilderFinish(b);
}

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
	doc = FuzzByte(in) & 1 ? FuzzMake(in) : make_array(in);
	other = FuzzMake(in);
}

/* --- as slowly as can be --- */

static bool
slow_step(PgBsonValue *from, const PgBsonStep *step)
{
	PgBsonIter	iter;
	int64		index = step->index;
	int32		parsed;

	if (!PgBsonIsContainer(from->type))
		return false;
	if (from->type == PGBSON_DOCUMENT ? step->kind == PGBSON_STEP_INDEX : step->kind == PGBSON_STEP_KEY)
		return false;
	if (from->type == PGBSON_ARRAY && step->kind == PGBSON_STEP_PATH)
	{
		if (!PgBsonStepAsIndex(step->key, step->key_len, &parsed))
			return false;
		index = parsed;
	}
	if (from->type == PGBSON_ARRAY && index < 0)
	{
		for (PgBsonIterInit(&iter, PgBsonValueView(from)); PgBsonIterNext(&iter);)
			index++;
		if (index < 0)
			return false;
	}
	for (PgBsonIterInit(&iter, PgBsonValueView(from)); PgBsonIterNext(&iter);)
	{
		if (from->type == PGBSON_ARRAY ? index-- == 0
			: iter.key_len == step->key_len && memcmp(iter.key, step->key, step->key_len) == 0)
		{
			*from = iter.value;
			return true;
		}
	}
	return false;
}

static bool
slow_find(PgBsonValue from, PgBsonValue *result)
{
	for (int i = 0; i < nsteps; i++)
	{
		if (!slow_step(&from, &steps[i]))
			return false;
	}
	*result = from;
	return true;
}

/* --- bytes that come as they are asked for, the others being poisoned --- */

#define PIECE	16

typedef struct Pieces
{
	PgBsonSource source;
	uint8	   *data;			/* aligned to pieces */
	uint32		len;
	bool		there[65536];
} Pieces;

static const uint8 *
reach(PgBsonSource *source, const uint8 *from, const uint8 *upto)
{
	Pieces	   *p = (Pieces *) source;
	uint32		piece = (from - p->data) / PIECE;

	FuzzCheck(from >= p->data && upto <= p->data + p->len);
	for (uint32 i = piece; i * PIECE < upto - p->data; i++)
	{
		p->there[i] = true;
		__asan_unpoison_memory_region(p->data + i * PIECE, Min(PIECE, p->len - i * PIECE));
	}
	while (piece * PIECE < p->len && p->there[piece])
		piece++;
	return p->data + Min(piece * PIECE, p->len);
}

static void
check_pieces(PgBsonView view, PgBsonValue root, bool is_there, const PgBsonValue *expected)
{
	static Pieces p;
	PgBsonValue result = {0};

	if (view.len > sizeof(p.there))
		return;
	memset(p.there, 0, sizeof(p.there));
	p.source.reach = reach;
	p.len = view.len;
	p.data = aligned_alloc(PIECE, (view.len + PIECE - 1) / PIECE * PIECE);
	memcpy(p.data, view.data, view.len);
	__asan_poison_memory_region(p.data, view.len);
	root.data = p.data + (root.data - view.data);
	FuzzCheck(PgBsonFindFrom(&p.source, root, reach(&p.source, p.data, p.data + Min(p.len, 16)), NULL, steps, nsteps, &result) == is_there);
	if (is_there)
		FuzzCheck(result.type == expected->type && result.len == expected->len &&
				  result.data - p.data == expected->data - view.data &&
				  memcmp(result.data, expected->data, expected->len) == 0);
	__asan_unpoison_memory_region(p.data, view.len);
	free(p.data);
}

/* --- by the shape of what came before --- */

static void
check_shapes(PgBsonValue root, bool is_there, const PgBsonValue *expected)
{
	static const bool order[] = {false, false, false, true, false, true, true, true, false, false};
	PgBsonValue root2 = PgBsonRootOf(PgBsonViewOf(other));
	PgBsonValue expected2 = {0};
	bool		is_there2 = slow_find(root2, &expected2);
	PgBsonShapes shapes = {CurrentMemoryContext};

	for (int i = 0; i < lengthof(order); i++)
	{
		const PgBsonValue *from = order[i] ? &root2 : &root;
		const PgBsonValue *want = order[i] ? &expected2 : expected;
		PgBsonValue result = {0};
		const uint8 *need;
		PgBsonFound found = PgBsonFindWithin(*from, from->data + from->len, &shapes, steps, nsteps, &result, &need);

		FuzzCheck(found == ((order[i] ? is_there2 : is_there) ? PGBSON_FOUND : PGBSON_ABSENT));
		if (found == PGBSON_FOUND)
			FuzzCheck(result.type == want->type && result.len == want->len && result.data == want->data);
	}
}

static void
check(void *arg)
{
	PgBsonView	view = PgBsonViewOf(doc);
	PgBsonValue root = PgBsonRootOf(view);
	PgBsonValue found = {0};
	bool		is_there = PgBsonFind(root, steps, nsteps, &found);
	PgBsonValue slow = {0};
	uint32		front = root.data - view.data;
	uint32		avail = front + Min(root.len, 5);

	FuzzCheck(slow_find(root, &slow) == is_there);
	if (is_there)
		FuzzCheck(slow.type == found.type && slow.data == found.data && slow.len == found.len);
	check_pieces(view, root, is_there, &found);
	check_shapes(root, is_there, &found);

	for (;;)
	{
		uint8	   *part = palloc(avail);	/* a block that ends there */
		PgBsonValue from = {root.type, root.len, part + front};
		PgBsonValue result;
		const uint8 *need = NULL;
		PgBsonFound answer;

		memcpy(part, view.data, avail);
		answer = PgBsonFindWithin(from, part + avail, NULL, steps, nsteps, &result, &need);
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
