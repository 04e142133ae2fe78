/*
 * query.c
 *	  MongoDB's queries and updates take time in proportion to their bytes.
 *
 * A query or an update is made by the bytes of an input.  Then one part of it is
 * grown: each element of one of its documents or arrays stands there many
 * times, by its own name or by others; or names and strings are long.  With
 * sixteen times as much, parsing and applying it may not take many times as
 * long a byte.
 */
#include "fuzz.h"

#include <time.h>

#include "mongo/query/match.h"
#include "mongo/update/update.h"

/* Bytes of what is grown, about; and how much smaller it is in comparison */
#define LARGE				(32 * 1024)
#define PROPORTION			16

/*
 * From so many nanoseconds a byte on, with the sanitizers, and in all, it is
 * compared; what is linear needs no more than some of the smaller one's a byte.
 */
#define SUSPECT_PER_BYTE	500
#define SUSPECT				3000000
#define MORE_PER_BYTE		5

typedef enum Way
{
	WAY_SAME,					/* elements of one name */
	WAY_NUMBERED,				/* of different names */
	WAY_LONG,					/* names of many steps, and long strings */
	WAYS
} Way;

typedef struct Growth
{
	Way			way;
	int			target;			/* which of the documents and arrays */
	int			containers;		/* met so far */
	int			times;
	PgBsonBuilder *b;
} Growth;

typedef struct Run
{
	bool		is_update;
	PgBsonValue doc;
	PgBsonValue small;			/* query or update, as made */
	PgBsonValue grown;
	Growth		growth;
} Run;

static void copy_value(Growth *g, const PgBsonValue *value, bool grow);

static void
copy_key(Growth *g, const PgBsonIter *iter, bool grow, int time)
{
	StringInfoData key;

	initStringInfo(&key);
	appendBinaryStringInfo(&key, iter->key, iter->key_len);
	if (grow && g->way == WAY_NUMBERED && time > 0)
		appendStringInfo(&key, "%d", time);
	else if (grow && g->way == WAY_LONG)
	{
		for (int i = 1; i < g->times; i++)
		{
			appendStringInfoChar(&key, '.');
			appendBinaryStringInfo(&key, iter->key, iter->key_len);
		}
	}
	PgBsonBuilderKey(g->b, key.data, key.len);
}

static void
copy_container(Growth *g, const PgBsonValue *value)
{
	bool		grow = g->containers++ == g->target;
	int			times = grow && g->way != WAY_LONG ? g->times : 1;
	PgBsonIter	iter;

	if (value->type == PGBSON_DOCUMENT)
		PgBsonBuilderOpenDocument(g->b);
	else
		PgBsonBuilderOpenArray(g->b);
	for (int time = 0; time < times; time++)
	{
		PgBsonIterInit(&iter, PgBsonValueView(value));
		while (PgBsonIterNext(&iter))
		{
			if (value->type == PGBSON_DOCUMENT)
				copy_key(g, &iter, grow, time);
			copy_value(g, &iter.value, grow);
		}
	}
	PgBsonBuilderClose(g->b);
}

static void
copy_value(Growth *g, const PgBsonValue *value, bool grow)
{
	StringInfoData text;
	const char *s;
	uint32		len;

	if (PgBsonIsContainer(value->type))
		copy_container(g, value);
	else if (grow && g->way == WAY_LONG && value->type == PGBSON_STRING)
	{
		s = PgBsonValueString(value, &len);
		initStringInfo(&text);
		for (int i = 0; i < g->times; i++)
			appendBinaryStringInfo(&text, s, len);
		PgBsonBuilderString(g->b, text.data, text.len);
	}
	else
		PgBsonBuilderValue(g->b, value);
}

static void
grow(void *arg)
{
	Run		   *run = arg;

	run->growth.b = PgBsonBuilderBegin();
	run->growth.containers = 0;
	copy_value(&run->growth, &run->small, false);
	run->grown = PgBsonRoot(PgBsonBuilderFinish(run->growth.b));
}

static void
make(void *arg)
{
	Run		   *run = ((void **) arg)[0];
	FuzzInput  *in = ((void **) arg)[1];
	PgBsonBuilder *b = PgBsonBuilderBegin();

	run->is_update = FuzzByte(in) % 2;
	run->growth.way = FuzzByte(in) % WAYS;
	run->growth.target = FuzzByte(in);
	if (run->is_update)
		FuzzPutUpdate(b, in);
	else
		FuzzPutQuery(b, in, 0);
	run->small = PgBsonRoot(PgBsonBuilderFinish(b));
	run->doc = PgBsonRoot(FuzzMake(in));
	/* once as it is, to count what there is to be grown */
	run->growth.times = 1;
	grow(run);
	run->growth.target %= Max(run->growth.containers, 1);
}

static void
use(void *arg)
{
	Run		   *run = arg;
	PgBsonUpdateInput input = {true, 1, true, 2};

	if (!run->is_update)
	{
		(void) PgBsonQueryMatches(PgBsonQueryParse(&run->grown), &run->doc);
		(void) PgBsonPositionParse(&run->grown);
	}
	else if (run->doc.type == PGBSON_DOCUMENT)
		(void) PgBsonUpdateApply(PgBsonUpdateParse(&run->grown, NULL, false), PgBsonValueView(&run->doc), &input);
}

/* Nanoseconds of processor time that it takes, the least of some times */
static double
measure(Run *run, int times)
{
	double		least = 1e18;

	while (times-- > 0)
	{
		struct timespec from;
		struct timespec to;

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
		(void) FuzzTry(use, run);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
		least = Min(least, (to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec));
	}
	return least;
}

static void
check(Run *run)
{
	double		large;
	double		small;
	uint32		large_len;
	int			times = LARGE / Max(run->small.len, 16);

	run->growth.times = times;
	if (!FuzzTry(grow, run))
		return;
	large = measure(run, 1);
	large_len = run->grown.len;
	if (large < SUSPECT || large / large_len < SUSPECT_PER_BYTE)
		return;
	large = Min(large, measure(run, 2));
	run->growth.times = times / PROPORTION;
	if (!FuzzTry(grow, run))
		return;
	small = measure(run, 5);
	if (large / large_len > MORE_PER_BYTE * small / run->grown.len)
		FuzzFail("%s of %u bytes takes %.0f ns a byte, of %u bytes %.0f", run->is_update ? "an update" : "a query",
				 run->grown.len, small / run->grown.len, large_len, large / large_len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput	in = {data, data + size};
	Run			run = {0};

	if (FuzzTry(make, (void *[]) {&run, &in}))
		check(&run);
	FuzzReset();
	return 0;
}
