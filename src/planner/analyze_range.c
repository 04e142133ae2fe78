/*
 * analyze_range.c
 *	  ANALYZE of a bson column: how the values at each path are distributed.
 *
 * The keys of the GIN class bson_range_ops (index/gin_range.c) sort by path,
 * then by type, then by value.  Of the values of each path and type a random
 * sample of a fixed size is kept, as such keys.  Sorted, they give the bounds
 * of a histogram, with equally many values between any two neighbours.
 */
#include "planner/analyze.h"

#include "core/bytes/sort.h"
#include "core/order/compare.h"

/* How many pairs of path and type get bounds, the most frequent ones; how many of them are sampled; and how many values they must have at least */
#define MAX_GROUPS			100
#define MAX_SAMPLED			400
#define MIN_VALUES			3

/*
 * The number of bins of each: a fraction of the statistics target, up to a
 * maximum; of all together a multiple of it, because each plan reads them, but this many of each
 * even then; and fewer if there are too few values for each bin
 */
#define TARGET_PER_BIN		4
#define MAX_BINS			50
#define BINS_PER_TARGET		10
#define MIN_BINS			10
#define VALUES_PER_BIN		6

/* The values that are kept of each: a power of two, from the first room up to the last; and of all, a multiple of the target */
#define FIRST_ROOM			16
#define LAST_ROOM			1024
#define VALUES_PER_TARGET	160

/* Of longer strings only the front is looked at, which is what keys sort by */
#define FRONT				16

typedef struct SampleKey
{
	uint8		len;
	uint8		bytes[PGBSON_GIN_RANGE_KEY_MAX];
} SampleKey;

/* Values of one type at a place */
struct PgBsonRangeGroup
{
	PgBsonRangeGroup *next;		/* of the place */
	PgBsonRangeGroup *all;		/* of all places */
	int			rank;			/* of the type */
	const PgBsonPlace *field;	/* whose values they are */
	int			count;			/* values so far */
	double		weight;			/* of these */
	int			held;			/* values in the sample */
	int			room;
	SampleKey  *keys;			/* NULL until there are two values */
};

struct PgBsonRangeSample
{
	MemoryContext context;
	int			target;
	PgBsonRangeGroup *groups;
	int			ngroups;
	int			nsampled;
	int			room;			/* of all groups */
	uint64		random;
};

PgBsonRangeSample *
PgBsonRangeSampleBegin(int target)
{
	PgBsonRangeSample *s = palloc0(sizeof(PgBsonRangeSample));

	s->context = CurrentMemoryContext;
	s->target = target;
	return s;
}

static PgBsonRangeGroup *
group_of(PgBsonRangeSample *s, const PgBsonPlace *place, int rank)
{
	PgBsonRangeGroup *group = *place->groups;

	while (group != NULL && group->rank != rank)
		group = group->next;
	if (group == NULL)
	{
		group = MemoryContextAllocZero(s->context, sizeof(PgBsonRangeGroup));
		group->rank = rank;
		group->field = place->field;
		group->next = *place->groups;
		*place->groups = group;
		group->all = s->groups;
		s->groups = group;
		s->ngroups++;
	}
	return group;
}

/* Make room for another value; false if there are enough */
static bool
make_room(PgBsonRangeSample *s, PgBsonRangeGroup *group)
{
	int			room = Max(group->room * 2, FIRST_ROOM);

	if (group->keys == NULL)
	{
		/* most places of documents that have names of their own have one value */
		if (group->count < 2 || s->nsampled == MAX_SAMPLED)
			return false;
		s->nsampled++;
		group->keys = MemoryContextAlloc(s->context, sizeof(SampleKey) * room);
	}
	else
	{
		if (room > LAST_ROOM || s->room >= s->target * VALUES_PER_TARGET)
			return false;
		group->keys = repalloc(group->keys, sizeof(SampleKey) * room);
	}
	s->room += room - group->room;
	group->room = room;
	return true;
}

/* The slot of the sample for the value that comes now; NULL if it is not taken */
static SampleKey *
slot_of(PgBsonRangeSample *s, PgBsonRangeGroup *group, double weight)
{
	if (group->held < group->room || make_room(s, group))
		return &group->keys[group->held++];
	if (PgBsonNextRandom(&s->random, PG_UINT32_MAX) * group->weight < group->room * weight * PG_UINT32_MAX)
		return &group->keys[PgBsonNextRandom(&s->random, group->room)];
	return NULL;
}

/* Of a long string, its front; the hash that would tell it from others with this front takes time and room, and says nothing */
static const PgBsonValue *
shortened(const PgBsonValue *value, PgBsonValue *front, uint8 *room)
{
	if (value->type != PGBSON_STRING || value->len <= FRONT + 5)
		return value;
	front->type = PGBSON_STRING;
	front->len = FRONT + 5;
	front->data = room;
	PgBsonWriteU32(room, FRONT + 1);
	memcpy(room + 4, value->data + 4, FRONT);
	room[FRONT + 4] = '\0';
	return front;
}

void
PgBsonRangeSampleAdd(PgBsonRangeSample *s, PgBsonGinKeys *keys, const PgBsonPlace *place,
					 const PgBsonValue *value, double weight)
{
	PgBsonRangeGroup *group;
	SampleKey  *slot;
	PgBsonValue front;
	uint8		room[FRONT + 5];
	const uint8 *bytes;
	bool		exact;

	/* null is neither less nor greater than anything */
	if (PgBsonIsNullish(value->type))
		return;
	group = group_of(s, place, PgBsonTypeRank(value->type));
	group->count++;
	group->weight += weight;
	slot = slot_of(s, group, weight);
	if (slot == NULL)
		return;
	value = shortened(value, &front, room);
	slot->len = (uint8) PgBsonGinKeyBytes(PgBsonGinRangeOps.value_key(keys, &place->path, value, &exact), &bytes);
	memcpy(slot->bytes, bytes, slot->len);
}

static inline int
compare_keys(const void *a, const void *b)
{
	const SampleKey *x = a;
	const SampleKey *y = b;

	return PgBsonGinCompareBytes(x->bytes, x->len, y->bytes, y->len);
}

/* Of one group, whose heads are equal */
static inline int
compare_values(const void *a, const void *b)
{
	const SampleKey *x = a;
	const SampleKey *y = b;

	return PgBsonGinCompareBytes(x->bytes + PGBSON_GIN_RANGE_HEAD, x->len - PGBSON_GIN_RANGE_HEAD,
								 y->bytes + PGBSON_GIN_RANGE_HEAD, y->len - PGBSON_GIN_RANGE_HEAD);
}

/* The most frequent first */
static int
compare_groups(const void *a, const void *b)
{
	const PgBsonRangeGroup *x = *(const PgBsonRangeGroup *const *) a;
	const PgBsonRangeGroup *y = *(const PgBsonRangeGroup *const *) b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return compare_keys(x->keys, y->keys);
}

/* In the order of keys */
static int
compare_heads(const void *a, const void *b)
{
	const PgBsonRangeGroup *x = *(const PgBsonRangeGroup *const *) a;
	const PgBsonRangeGroup *y = *(const PgBsonRangeGroup *const *) b;

	return memcmp(x->keys[0].bytes, y->keys[0].bytes, PGBSON_GIN_RANGE_HEAD);
}

/* The groups that get bounds, in the order of keys: palloc'd */
static PgBsonRangeGroup **
choose_groups(const PgBsonRangeSample *s, int *count)
{
	PgBsonRangeGroup **chosen = palloc(sizeof(PgBsonRangeGroup *) * Max(s->ngroups, 1));
	int			n = 0;
	int			kept = 0;

	for (PgBsonRangeGroup *group = s->groups; group != NULL; group = group->all)
	{
		if (group->held >= MIN_VALUES && !group->field->closed)
			chosen[n++] = group;
	}
	PgBsonSort(chosen, n, sizeof(PgBsonRangeGroup *), compare_groups);
	n = Min(n, MAX_GROUPS);
	PgBsonSort(chosen, n, sizeof(PgBsonRangeGroup *), compare_heads);
	/* of two paths whose hashes are the same, one is kept */
	for (int i = 0; i < n; i++)
	{
		if (kept == 0 || compare_heads(&chosen[kept - 1], &chosen[i]) != 0)
			chosen[kept++] = chosen[i];
	}
	*count = kept;
	return chosen;
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
PgBsonRangeSampleFinish(const PgBsonCollection *c, Datum **bounds, float4 **counts)
{
	const PgBsonRangeSample *s = c->ranges;
	int			ngroups;
	PgBsonRangeGroup **groups = choose_groups(s, &ngroups);
	int			most = Max(s->target * BINS_PER_TARGET / Max(ngroups, 1), MIN_BINS);
	int			n = 0;

	most = Max(Min(most, Min(s->target / TARGET_PER_BIN, MAX_BINS)), 2);
	*bounds = palloc(sizeof(Datum) * ngroups * (most + 1));
	*counts = palloc(sizeof(float4) * ngroups * (most + 1));
	for (int i = 0; i < ngroups; i++)
	{
		PgBsonRangeGroup *group = groups[i];
		int			last = group->held - 1;
		int			bins = Min(most, Max(last / VALUES_PER_BIN, 1));

		PgBsonSortInline(group->keys, group->held, sizeof(SampleKey), compare_values);
		/* those of a single value say all */
		if (compare_keys(&group->keys[0], &group->keys[last]) == 0)
			bins = 1;
		for (int j = 0; j <= bins; j++)
		{
			(*bounds)[n] = bytea_of(&group->keys[last * j / bins]);
			(*counts)[n] = (float4) PgBsonPairsPerRow(c, group->field, group->count);
			n++;
		}
	}
	return n;
}
