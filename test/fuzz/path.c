/*
 * path.c
 *	  A path: the same found in the whole, where bytes come as they are asked for, and after other documents,
 *	  damaged ones, too; and nothing read that is not there.
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
	PgBsonByteSource source;
	uint8	   *data;			/* aligned to pieces; what is not there has any content */
	const uint8 *bytes;			/* what is to come */
	uint32		len;
	bool		there[65536];
} Pieces;

static const uint8 *
reach(PgBsonByteSource *source, const uint8 *from, const uint8 *upto)
{
	Pieces	   *p = (Pieces *) source;
	uint32		piece = (from - p->data) / PIECE;

	FuzzCheck(from >= p->data && from <= p->data + p->len);
	upto = Min(upto, p->data + p->len);
	for (uint32 i = piece; i * PIECE < upto - p->data; i++)
	{
		uint32		len = Min(PIECE, p->len - i * PIECE);

		p->there[i] = true;
		/* as there is room for all, a few bytes behind those that are there may be looked at, but mean nothing */
		__asan_unpoison_memory_region(p->data + i * PIECE, Min(2 * PIECE, p->len - i * PIECE));
		memcpy(p->data + i * PIECE, p->bytes + i * PIECE, len);
	}
	while (piece * PIECE < p->len && p->there[piece])
		piece++;
	return p->data + Min(piece * PIECE, p->len);
}

/* A reader of a value whose bytes come in pieces */
static PgBsonReader
open_pieces(Pieces *p, PgBsonValue root)
{
	PgBsonReader reader = {.root = root};
	PgBsonView	view = PgBsonViewOf(doc);

	if (root.data < view.data || root.data > view.data + view.len)
		view = PgBsonValueView(&root);
	memset(p->there, 0, sizeof(p->there));
	p->source.reach = reach;
	p->len = view.len;
	p->data = aligned_alloc(PIECE, (view.len + PIECE - 1) / PIECE * PIECE);
	p->bytes = view.data;
	memset(p->data, order % 3 == 0 ? 0 : order % 3 == 1 ? 0xFF : 'a', view.len);
	__asan_poison_memory_region(p->data, view.len);
	reader.root.data = p->data + (root.data - view.data);
	reader.source = &p->source;
	reader.avail = reach(&p->source, p->data, p->data + Min(p->len, 16));
	reader.used = reader.root.data;
	return reader;
}

static void
close_pieces(Pieces *p)
{
	__asan_unpoison_memory_region(p->data, p->len);
	free(p->data);
}

static void
check_pieces(PgBsonValue root, bool is_there, const PgBsonValue *expected)
{
	static Pieces p;
	PgBsonReader reader;
	PgBsonValue result;

	if (VARSIZE_ANY_EXHDR(doc) > sizeof(p.there))
		return;
	reader = open_pieces(&p, root);
	result = reader.root;
	FuzzCheck(PgBsonFindIn(&reader, &result, NULL, steps, nsteps) == is_there);
	if (is_there)
		FuzzCheck(result.type == expected->type && result.len == expected->len &&
				  result.data - reader.root.data == expected->data - root.data &&
				  memcmp(result.data, expected->data, expected->len) == 0);
	close_pieces(&p);
}

/* --- after other documents, as at a call site --- */

/* A search of one of the kinds: what it found, or that it raised */
typedef struct Answer
{
	PgBsonFindHint *hint;		/* NULL: without */
	PgBsonReader *reader;		/* NULL: all is there */
	PgBsonValue from;
	bool		found;
	bool		raised;
	PgBsonValue value;
	uint64		sum;
} Answer;

static void
search(void *arg)
{
	Answer	   *a = arg;

	a->value = a->from;
	a->found = PgBsonFindIn(a->reader, &a->value, a->hint, steps, nsteps);
}

static void
search_fields(void *arg)
{
	Answer	   *a = arg;
	PgBsonFields fields = {0};
	PgBsonFieldWalk walk;
	PgBsonReader plain;
	PgBsonValue value;
	int			which;

	if (a->from.type != PGBSON_DOCUMENT)
		return;
	PgBsonReaderPlain(&plain, a->from);
	/* no two are the same */
	for (int i = 0; i < nsteps; i++)
	{
		bool		is_new = true;

		for (int j = 0; j < i; j++)
			is_new &= steps[j].key_len != steps[i].key_len || memcmp(steps[j].key, steps[i].key, steps[i].key_len) != 0;
		if (is_new)
			PgBsonFieldsAdd(&fields, steps[i].key, steps[i].key_len);
	}
	if (a->hint != NULL)
		fields.guess = a->hint->guess;
	PgBsonFieldWalkBegin(&walk, &fields, a->reader != NULL ? a->reader : &plain);
	while (walk.left != 0 && PgBsonNextField(&walk, &which, &value))
	{
		PgBsonFieldRead(&walk, &value);
		a->sum = a->sum * 31 + which + (value.data - a->from.data) * 8 + value.type + (value.len > 0 ? value.data[value.len - 1] : 0);
	}
	if (a->hint != NULL)
		a->hint->guess = fields.guess;
}

static Answer
answer_of(FuzzCall call, PgBsonFindHint *hint, PgBsonReader *reader, PgBsonValue from)
{
	static Answer a;

	memset(&a, 0, sizeof(a));
	a.hint = hint;
	a.reader = reader;
	a.from = from;
	a.raised = !FuzzTry(call, &a);
	return a;
}

/* With bytes that come in pieces the answer is the same */
static void
check_read(PgBsonValue from, const Answer *expected, const Answer *of_fields)
{
	static Pieces p;
	PgBsonReader reader;
	Answer		a;

	if (from.len > sizeof(p.there))
		return;
	reader = open_pieces(&p, from);
	a = answer_of(search, NULL, &reader, reader.root);
	FuzzCheck(a.raised == expected->raised || (expected->raised && !a.found));
	if (!expected->raised)
		FuzzCheck(a.found == expected->found && a.value.type == expected->value.type && a.value.len == expected->value.len &&
				  a.value.data - reader.root.data == expected->value.data - from.data);
	close_pieces(&p);
	reader = open_pieces(&p, from);
	a = answer_of(search_fields, NULL, &reader, reader.root);
	FuzzCheck(a.raised == of_fields->raised && (a.raised || a.sum == of_fields->sum));
	close_pieces(&p);
}

/* As many documents come */
#define CALLS	40

static void
check_kinds(void)
{
	PgBsonFindHint hint = {0};
	uint32		state = order;

	for (int i = 0; i < CALLS; i++)
	{
		PgBsonValue from;
		Answer		with;
		Answer		without;
		Answer		of_fields;

		/* at first few kinds, so that keys are absent again and again */
		state = state * 1103515245 + 12345;
		from = PgBsonRootOf(PgBsonViewOf(kinds[(state >> 16) % (i < CALLS / 2 ? 1 + order % KINDS : KINDS)]));
		without = answer_of(search, NULL, NULL, from);
		with = answer_of(search, &hint, NULL, from);
		/* a key that is nowhere in a document is not there, even if that is damaged */
		FuzzCheck(with.raised == without.raised || (without.raised && !with.found));
		/* what was found, or that in which nothing was */
		if (!without.raised)
			FuzzCheck(with.found == without.found && with.value.type == without.value.type &&
					  with.value.len == without.value.len && with.value.data == without.value.data);
		of_fields = answer_of(search_fields, NULL, NULL, from);
		check_read(from, &without, &of_fields);
	}
}

static void
check(void *arg)
{
	PgBsonValue root = PgBsonRootOf(PgBsonViewOf(doc));
	PgBsonValue found = {0};
	bool		is_there = PgBsonFind(root, steps, nsteps, &found);
	PgBsonValue slow = {0};

	FuzzCheck(slow_find(root, &slow) == is_there);
	if (is_there)
		FuzzCheck(slow.type == found.type && slow.data == found.data && slow.len == found.len);
	check_pieces(root, is_there, &found);
	kinds[0] = doc;
	check_kinds();
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
