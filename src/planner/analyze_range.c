/*
 * analyze_range.c
 *	  ANALYZE of a bson column: how the values at each path are distributed.
 *
 * The keys of the GIN class bson_range_ops (index/gin_range.c) sort by path,
 * then by type, then by value.  A sample of them, sorted, is therefore one
 * histogram after another; each path and type gets its own bounds, with
 * equally many values between any two neighbours.
 */
#include "planner/statistics.h"

#include "common/hashfn.h"
#include "core/sort.h"

/* The number of keys in the sample: a multiple of the statistics target, up to a maximum; when there are more, every other document is dropped */
#define KEYS_PER_TARGET		300
#define MAX_SAMPLE			(256 * 1024)

/* From this many keys of one document on, one in two of those in arrays is taken; from twice as many on, one in four */
#define DOCUMENT_KEYS		512

/* How many pairs of path and type get bounds, the most frequent ones; and how many values they must have at least */
#define MAX_GROUPS			100
#define MIN_VALUES			10

/* The number of bins of each: a fraction of the statistics target, up to a maximum */
#define TARGET_PER_BIN		4
#define MAX_BINS			50

typedef struct SampleKey
{
	int			row;
	uint8		weight;			/* it stands for 2 to the power of that */
	uint8		len;
	uint8		bytes[26];
} SampleKey;

StaticAssertDecl(sizeof(((SampleKey *) 0)->bytes) >= PGBSON_GIN_RANGE_KEY_MAX, "a key has room");

struct PgBsonRangeSample
{
	SampleKey  *keys;
	int			count;
	int			room;
	int			most;			/* keys there may be */
	int			rows;			/* the number of documents so far */
	int			stride;			/* one document in this many is taken */
};

typedef struct PathGroup
{
	const SampleKey *first;
	int			count;
	int64		weight;			/* of all */
	bool		chosen;
} PathGroup;

PgBsonRangeSample *
PgBsonRangeSampleBegin(int target)
{
	PgBsonRangeSample *s = palloc(sizeof(PgBsonRangeSample));

	s->room = 1024;
	s->keys = palloc(sizeof(SampleKey) * s->room);
	s->count = 0;
	s->most = Min(target * KEYS_PER_TARGET, MAX_SAMPLE);
	s->rows = 0;
	s->stride = 1;
	return s;
}

/* Drop every other document */
static void
thin_out(PgBsonRangeSample *s)
{
	int			n = 0;

	s->stride *= 2;
	for (int i = 0; i < s->count; i++)
	{
		if (s->keys[i].row % s->stride == 0)
			s->keys[n++] = s->keys[i];
	}
	s->count = n;
}

/*
 * Drop the keys in arrays but one in 2 to the power of "weight".  It depends on
 * the key alone, so that of equal ones all or none are dropped.
 */
static int
thin_out_document(Datum *keys, int n, int weight)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
	{
		const uint8 *bytes;
		uint32		len = PgBsonGinKeyBytes(keys[i], &bytes);

		if (!PgBsonGinRangeInArray(bytes) || hash_bytes(bytes, len) >> (32 - weight) == 0)
			keys[kept++] = keys[i];
	}
	return kept;
}

int
PgBsonRangeSampleAdd(PgBsonRangeSample *s, const PgBsonValue *root)
{
	int			row = s->rows++;
	int			weight = 0;
	PgBsonGinClass class = PgBsonGinRangeOps;
	PgBsonGinKeys keys;
	int			n;

	if (row % s->stride != 0)
		return 0;
	/* what is dropped need not be sorted */
	class.sort = NULL;
	keys = PgBsonGinKeysOf(&class, root);
	n = keys.count;
	while (n >> weight >= DOCUMENT_KEYS)
		weight++;
	if (weight > 0)
		n = thin_out_document(keys.keys, n, weight);
	n = PgBsonGinRangeOps.sort(keys.keys, n);
	/* one that is too large for any sample is left out; dropping others would not make room for it */
	if (n > s->most)
		return keys.count;
	for (int i = 0; i < n; i++)
	{
		SampleKey  *key;
		const uint8 *bytes;

		if (s->count == s->room)
		{
			s->room *= 2;
			s->keys = repalloc(s->keys, sizeof(SampleKey) * s->room);
		}
		key = &s->keys[s->count++];
		key->row = row;
		key->len = (uint8) PgBsonGinKeyBytes(keys.keys[i], &bytes);
		key->weight = PgBsonGinRangeInArray(bytes) ? weight : 0;
		memcpy(key->bytes, bytes, key->len);
	}
	while (s->count > s->most)
		thin_out(s);
	/* one that was dropped took half as long */
	return (keys.count + n) / 2;
}

static int
compare_keys(const void *a, const void *b)
{
	const SampleKey *x = a;
	const SampleKey *y = b;

	return PgBsonGinCompareBytes(x->bytes, x->len, y->bytes, y->len);
}

static int
compare_groups(const void *a, const void *b)
{
	const PathGroup *x = *(const PathGroup *const *) a;
	const PathGroup *y = *(const PathGroup *const *) b;

	return x->count != y->count ? y->count - x->count : (x->first > y->first) - (x->first < y->first);
}

/* Find the paths and types of a sorted sample */
static PathGroup *
find_groups(const PgBsonRangeSample *s, int *count)
{
	PathGroup	   *groups = palloc(sizeof(PathGroup) * Max(s->count, 1));
	int			n = 0;

	for (int i = 0; i < s->count; i++)
	{
		if (n == 0 || memcmp(groups[n - 1].first->bytes, s->keys[i].bytes,
							 PGBSON_GIN_RANGE_HEAD) != 0)
		{
			groups[n].first = &s->keys[i];
			groups[n].count = 0;
			groups[n].weight = 0;
			groups[n].chosen = false;
			n++;
		}
		groups[n - 1].count++;
		groups[n - 1].weight += INT64CONST(1) << s->keys[i].weight;
	}
	*count = n;
	return groups;
}

static void
choose_groups(PathGroup *groups, int n)
{
	PathGroup	  **order = palloc(sizeof(PathGroup *) * Max(n, 1));

	for (int i = 0; i < n; i++)
		order[i] = &groups[i];
	PgBsonSort(order, n, sizeof(PathGroup *), compare_groups);
	for (int i = 0; i < Min(n, MAX_GROUPS); i++)
		order[i]->chosen = order[i]->count >= MIN_VALUES;
	pfree(order);
}

static Datum
bytea_of(const SampleKey *key)
{
	bytea	   *result = palloc(key->len + VARHDRSZ);

	SET_VARSIZE(result, key->len + VARHDRSZ);
	memcpy(VARDATA(result), key->bytes, key->len);
	return PointerGetDatum(result);
}

int
PgBsonRangeSampleFinish(PgBsonRangeSample *s, int target, Datum **bounds, float4 **counts)
{
	int			rows = (s->rows + s->stride - 1) / s->stride;
	int			bins = Max(Min(target / TARGET_PER_BIN, MAX_BINS), 2);
	int			n = 0;
	int			ngroups;
	PathGroup	   *groups;

	PgBsonSort(s->keys, s->count, sizeof(SampleKey), compare_keys);
	groups = find_groups(s, &ngroups);
	choose_groups(groups, ngroups);

	*bounds = palloc(sizeof(Datum) * MAX_GROUPS * (bins + 1));
	*counts = palloc(sizeof(float4) * MAX_GROUPS * (bins + 1));
	for (int i = 0; i < ngroups; i++)
	{
		int			last = groups[i].count - 1;
		int			group_bins = Min(bins, last);
		const SampleKey *key = groups[i].first;
		int64		before = 0;		/* the weight of the keys before it */

		if (!groups[i].chosen)
			continue;
		for (int j = 0; j <= group_bins; j++)
		{
			/* the key in whose weight this part of that of all ends */
			while (key < groups[i].first + last && before + (INT64CONST(1) << key->weight) <= (groups[i].weight - 1) * j / group_bins)
				before += INT64CONST(1) << key++->weight;
			(*bounds)[n] = bytea_of(key);
			(*counts)[n] = (float4) groups[i].weight / rows;
			n++;
		}
	}
	return n;
}
