/*
 * order.c
 *	  Three values: a total order, prefixes and hashes that agree with it, containment of itself.
 */
#include "fuzz.h"

#include <sanitizer/asan_interface.h>

#include "core/bytes/keys.h"
#include "core/order/compare.h"
#include "core/order/contain.h"

static PgBsonValue v[3];

static int
sign(int x)
{
	return (x > 0) - (x < 0);
}

/* Bytes of a value that come as they are asked for, a few at least; the others are poisoned */
typedef struct Front
{
	PgBsonByteSource source;
	uint8	   *data;
	uint32		len;
	uint32		there;
} Front;

static const uint8 *
reach(PgBsonByteSource *source, const uint8 *from, const uint8 *upto)
{
	Front	   *f = (Front *) source;

	f->there = Max(f->there, Min(f->len, (upto - f->data + 7) / 8 * 8));
	/* an iterator looks at eight bytes of a key at a time, as there is room for all */
	__asan_unpoison_memory_region(f->data, Min(f->len, f->there + 8));
	return f->data + f->there;
}

/* A reader of one of the values, of which one half is there or, of an odd one, a quarter */
static PgBsonReader
read_front(Front *f, int i)
{
	PgBsonReader reader = {.root = v[i]};

	f->source.reach = reach;
	f->len = v[i].len;
	f->there = 0;
	f->data = aligned_alloc(8, (f->len + 8) / 8 * 8);
	memcpy(f->data, v[i].data, f->len);
	__asan_poison_memory_region(f->data, f->len);
	reader.root.data = f->data;
	reader.source = &f->source;
	reader.avail = reach(&f->source, f->data, f->data + f->len / (i % 2 == 0 ? 2 : 4));
	reader.used = f->data;
	return reader;
}

static void
check_fronts(int i, int j, int order)
{
	Front		f;
	Front		g;
	PgBsonReader a = read_front(&f, i);
	PgBsonReader b = read_front(&g, j);

	FuzzCheck(sign(PgBsonCompareRead(&a, &b)) == order);
	__asan_unpoison_memory_region(f.data, f.len);
	__asan_unpoison_memory_region(g.data, g.len);
	free(f.data);
	free(g.data);
}

static void
check(void *arg)
{
	int			order[3][3];

	for (int i = 0; i < 3; i++)
	{
		for (int j = 0; j < 3; j++)
			order[i][j] = sign(PgBsonCompare(&v[i], &v[j]));
		FuzzCheck(order[i][i] == 0);
		FuzzCheck(PgBsonContains(&v[i], &v[i]));
	}
	for (int i = 0; i < 3; i++)
	{
		for (int j = 0; j < 3; j++)
		{
			FuzzCheck(order[i][j] == -order[j][i]);
			check_fronts(i, j, order[i][j]);
			FuzzCheck(PgBsonEqual(&v[i], &v[j]) == (order[i][j] == 0));
			if (order[i][j] == 0)
			{
				FuzzCheck(PgBsonHash(&v[i], 0) == PgBsonHash(&v[j], 0));
				FuzzCheck(PgBsonHash(&v[i], 77) == PgBsonHash(&v[j], 77));
			}
			for (int k = 0; k < 3; k++)
			{
				PgBsonSpine spine;
				uint64		a;
				uint64		b;

				PgBsonSpineInit(&spine, &v[k]);
				a = PgBsonSortPrefix(&spine, &v[i]);
				b = PgBsonSortPrefix(&spine, &v[j]);
				FuzzCheck(a == b || (a < b) == (order[i][j] < 0));
				FuzzCheck(a == b || order[i][j] != 0);
				FuzzCheck(!(order[i][j] <= 0 && order[j][k] <= 0) || order[i][k] <= 0);
			}
		}
	}
}

static void
make(void *in)
{
	for (int i = 0; i < 3; i++)
		v[i] = PgBsonRoot(FuzzMake(in));
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
