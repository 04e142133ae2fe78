/*
 * order.c
 *	  Three values: a total order, prefixes, fronts and hashes that agree with it, containment of itself.
 */
#include "fuzz.h"

#include "core/bytes/keys.h"
#include "core/order/compare.h"
#include "core/order/contain.h"
#include "core/order/front.h"
#include "core/order/hash.h"
#include "core/order/prefix.h"

static PgBsonValue v[3];

static int
sign(int x)
{
	return (x > 0) - (x < 0);
}

/* The front of a value in memory of its own, of one half or, for an odd value, of a quarter */
static PgBsonFront
front_of(int i)
{
	PgBsonFront front;
	uint32		len = v[i].len / (i % 2 == 0 ? 2 : 4);

	front.bytes = palloc(Max(len, 1));
	memcpy(front.bytes, v[i].data, len);
	front.root = v[i];
	front.root.data = (const uint8 *) front.bytes;
	front.avail = front.root.data + len;
	return front;
}

static void
check_fronts(int i, int j, int order)
{
	PgBsonFront a = front_of(i);
	PgBsonFront b = front_of(j);
	int			cmp;

	if (PgBsonFrontsTell(&a, &b, &cmp))
		FuzzCheck(sign(cmp) == order);
	if (PgBsonFrontHasScalar(&a))
	{
		PgBsonSpine spine;

		PgBsonSpineInit(&spine, &v[j]);
		FuzzCheck(PgBsonSortPrefix(&spine, &a.root) == PgBsonSortPrefix(&spine, &v[i]));
		PgBsonSpineInit(&spine, &a.root);
	}
	PgBsonFrontClose(&a);
	PgBsonFrontClose(&b);
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
