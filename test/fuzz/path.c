/*
 * path.c
 *	  A path: the same found in the whole, in front parts of a document, where bytes come as they are asked for,
 *	  and by the shapes of other documents, damaged ones, too; and nothing read that is not there.
 */
#include "fuzz.h"

#include <sanitizer/asan_interface.h>

#include "core/find/fields.h"
#include "core/find/path.h"

/* As many kinds of documents meet at a call site; the last one is a damaged copy of the one before */
#define KINDS	12

static PgBson *doc;
static PgBson *kinds[KINDS];
static uint32 order;			/* in which they come */
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
	order = FuzzByte(in) | FuzzByte(in) << 8;
	for (int i = 0; i < KINDS - 1; i++)
		kinds[i] = FuzzMake(in);
	kinds[KINDS - 1] = FuzzDatum((uint8 *) VARDATA_ANY(kinds[KINDS - 2]), VARSIZE_ANY_EXHDR(kinds[KINDS - 2]));
	for (int i = 0; i < 3; i++)
	{
		uint32		at = 4 + FuzzByte(in) % (VARSIZE_ANY_EXHDR(kinds[KINDS - 1]) - 4);

		((uint8 *) VARDATA_ANY(kinds[KINDS - 1]))[at] = FuzzByte(in);
	}
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

/* A search of one of the kinds: what it found, or that it raised */
typedef struct Answer
{
	PgBsonShapes *shapes;		/* NULL: without */
	PgBsonFieldShape *fields;	/* of the keys of all steps instead; their values are added up */
	PgBsonValue from;
	const uint8 *avail;
	bool		found;
	bool		more;			/* of the bytes is wanted */
	bool		raised;
	PgBsonValue value;
	uint64		sum;
	bool		plainly;		/* by PgBsonFindPlain */
} Answer;

static void
search(void *arg)
{
	Answer	   *a = arg;
	const uint8 *need;
	PgBsonFound found;

	a->value = a->from;
	if (a->plainly)
	{
		a->found = PgBsonFindPlain(&a->value, a->shapes, steps, nsteps);
		return;
	}
	found = PgBsonFindWithin(a->from, a->avail, a->shapes, steps, nsteps, &a->value, &need);
	a->found = found == PGBSON_FOUND;
	a->more = found == PGBSON_MORE;
	FuzzCheck(!a->more || need > a->avail);
}

static void
search_fields(void *arg)
{
	Answer	   *a = arg;
	PgBsonFieldTarget targets[lengthof(steps)];
	int			ntargets = 0;
	PgBsonFieldWalk walk;
	const uint8 *need;
	PgBsonValue value;
	int			which;

	if (a->from.type != PGBSON_DOCUMENT)
		return;
	/* no two are the same */
	for (int i = 0; i < nsteps; i++)
	{
		bool		is_new = true;

		for (int j = 0; j < ntargets; j++)
			is_new &= targets[j].key_len != steps[i].key_len || memcmp(targets[j].key, steps[i].key, steps[i].key_len) != 0;
		if (is_new)
			targets[ntargets++] = PgBsonFieldTargetKey(steps[i].key, steps[i].key_len);
	}
	PgBsonFieldWalkBegin(&walk, targets, (1 << ntargets) - 1, PgBsonValueView(&a->from), a->from.data + a->from.len);
	PgBsonFieldWalkRecall(&walk, a->fields);
	while (walk.left != 0 && PgBsonNextField(&walk, &which, &value, &need) == PGBSON_FOUND)
		a->sum = a->sum * 31 + which + (value.data - a->from.data) * 8 + value.type;
	PgBsonFieldWalkEnd(&walk, a->fields, ntargets);
}

static Answer
answer_of(FuzzCall call, PgBsonShapes *shapes, bool plainly, PgBsonFieldShape *fields, PgBsonValue from)
{
	static Answer a;

	memset(&a, 0, sizeof(a));
	a.shapes = shapes;
	a.plainly = plainly;
	a.fields = fields;
	a.from = from;
	a.avail = from.data + from.len;
	a.raised = !FuzzTry(call, &a);
	return a;
}

/* With the front of a document alone, in a block that ends there, the answer is the same, or more is wanted */
static void
check_front(PgBsonShapes *shapes, PgBsonValue whole, uint32 len, const Answer *expected)
{
	uint8	   *front = palloc(len);
	Answer		a = {shapes, NULL, {whole.type, whole.len, front}, front + len};

	memcpy(front, whole.data, len);
	a.raised = !FuzzTry(search, &a);
	if (expected->raised)
		FuzzCheck(a.raised || a.more || !a.found);
	else
		FuzzCheck(!a.raised && (a.more || (a.found == expected->found &&
										   (!a.found || (a.value.type == expected->value.type && a.value.len == expected->value.len &&
														 a.value.data - front == expected->value.data - whole.data)))));
	pfree(front);
}

/* As many documents come; so many that the shapes are given up and begun anew */
#define CALLS	80

static void
check_shapes(void)
{
	PgBsonShapes shapes[2] = {{CurrentMemoryContext}, {CurrentMemoryContext}};
	PgBsonFieldShape fields = {CurrentMemoryContext};
	uint32		state = order;

	for (int i = 0; i < CALLS; i++)
	{
		PgBsonFieldShape none = {CurrentMemoryContext};
		PgBsonValue from;
		Answer		with;
		Answer		without;

		/* at first few kinds, which are remembered */
		state = state * 1103515245 + 12345;
		from = PgBsonRootOf(PgBsonViewOf(kinds[(state >> 16) % (i < CALLS / 2 ? 1 + order % KINDS : KINDS)]));
		without = answer_of(search, NULL, false, NULL, from);
		for (int plainly = 0; plainly < 3; plainly++)
		{
			with = answer_of(search, plainly == 2 ? NULL : &shapes[plainly], plainly > 0, NULL, from);
			/* a key that is nowhere in a document is not there, even if that is damaged */
			FuzzCheck(with.raised == without.raised || (without.raised && plainly < 2 && !with.found));
			if (without.raised)
				continue;
			/* what was found, or that in which nothing was */
			FuzzCheck(with.found == without.found && with.value.type == without.value.type &&
					  with.value.len == without.value.len && with.value.data == without.value.data);
		}
		if (from.type == PGBSON_DOCUMENT)
			check_front(&shapes[0], from, 5 + (state >> 4) % (from.len - 4), &without);

		with = answer_of(search_fields, NULL, false, &fields, from);
		without = answer_of(search_fields, NULL, false, &none, from);
		FuzzCheck(with.raised == without.raised && (with.raised || with.sum == without.sum));
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
	PgBsonShapes shapes = {CurrentMemoryContext};

	FuzzCheck(slow_find(root, &slow) == is_there);
	if (is_there)
		FuzzCheck(slow.type == found.type && slow.data == found.data && slow.len == found.len);
	check_pieces(view, root, is_there, &found);
	kinds[0] = doc;
	check_shapes();

	for (;;)
	{
		uint8	   *part = palloc(avail);	/* a block that ends there */
		PgBsonValue from = {root.type, root.len, part + front};
		PgBsonValue result;
		const uint8 *need = NULL;
		PgBsonFound answer;

		memcpy(part, view.data, avail);
		answer = PgBsonFindWithin(from, part + avail, &shapes, steps, nsteps, &result, &need);
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
