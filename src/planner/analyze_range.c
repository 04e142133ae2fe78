/*
 * analyze_range.c
 *	  ANALYZE of a bson column: how the values of a field are distributed.
 *
 * The values of each field and type, or some of them if there are many, are
 * sorted by the bytes that bson_range_ops sorts by (index/gin_range.c).  A histogram is a list of
 * bounds with equally many values between each two.
 */
#include "planner/analyze_walk.h"

#include "core/bytes/sort.h"

/*
 * How many fields get histograms (those with the most values), how many distinct values of each are
 * taken at most, about, and how many values there must be
 */
#define MAX_FIELDS		100
#define MAX_VALUES		256
#define MIN_VALUES		3

/* The most bins of a histogram, and the least number of values of each bin */
#define MAX_BINS		25
#define MIN_BINS		10
#define VALUES_PER_BIN	6

/* A value and how many documents have it */
typedef struct Ranked
{
	const PgBsonSeen *seen;
	int			rank;			/* of its type */
	uint8		bytes[PGBSON_SORT_BYTES];	/* filled up with zeros */
} Ranked;

static int
compare_sampled(const void *a, const void *b)
{
	const Ranked *x = a;
	const Ranked *y = b;

	return x->rank != y->rank ? x->rank - y->rank
		: PgBsonGinCompareBytes(x->bytes, PGBSON_SORT_BYTES, y->bytes, PGBSON_SORT_BYTES);
}

/* Sort fields with more values first */
static int
compare_field_counts(const void *a, const void *b)
{
	const PgBsonPlace *x = *(const PgBsonPlace *const *) a;
	const PgBsonPlace *y = *(const PgBsonPlace *const *) b;

	return (x->pairs < y->pairs) - (x->pairs > y->pairs);
}

/* Sort the values of a field, every "step"-th of them, by type and value; returns their number */
static int
sort_values(const PgBsonPlace *field, int step, Ranked *values)
{
	int			number = 0;
	int			n = 0;

	for (const PgBsonSeen *seen = field->values; seen != NULL; seen = seen->next)
	{
		bool		whole;

		/* null and undefined are not ordered, so comparisons never ask for them */
		if (number++ % step != 0 || PgBsonIsNullish(seen->value.type))
			continue;
		values[n] = (Ranked) {seen, PgBsonTypeRank(seen->value.type)};
		PgBsonSortableBytes(&seen->value, values[n].bytes, PGBSON_SORT_BYTES, &whole);
		n++;
	}
	PgBsonSortInline(values, n, sizeof(Ranked), compare_sampled);
	return n;
}

/* How many of their first bytes all values from "first" to "last" share; a number is kept whole */
static uint32
common_bytes(const Ranked *first, const Ranked *last)
{
	uint32		n = 0;

	if (first->rank != PgBsonTypeRank(PGBSON_DOUBLE))
	{
		while (n < PGBSON_SORT_BYTES - sizeof(uint64) && first->bytes[n] == last->bytes[n])
			n++;
	}
	return n;
}

/* Make the histogram of sorted values of one type, each of which stands for "step" values; false if they are too few */
static bool
make_histogram(const PgBsonCollection *c, const Ranked *values, int n, int step, int most_bins,
			   PgBsonHistogram *histogram, uint64 *bounds)
{
	const PgBsonPlace *field = values[0].seen->place;
	uint8		head[PGBSON_GIN_RANGE_HEAD];
	int64		rows = 0;
	int64		before = 0;
	int			bins;
	int			value = 0;

	for (int i = 0; i < n; i++)
		rows += values[i].seen->met.rows;
	if (rows < MIN_VALUES)
		return false;
	PgBsonGinRangeHead(head, field->names, field->via != PGBSON_GIN_PLAIN, values[0].seen->value.type);
	bins = n == 1 ? 1 : Max(Min(most_bins, rows / VALUES_PER_BIN), 1);
	memset(histogram, 0, sizeof(*histogram));
	histogram->head = PgBsonRangeHead(head);
	histogram->values = Min((double) rows * step, field->pairs) * field->weight / field->pairs / c->rows;
	histogram->nbounds = bins + 1;
	histogram->common = common_bytes(&values[0], &values[n - 1]);
	memcpy(histogram->bytes, values[0].bytes, histogram->common);
	for (int i = 0; i <= bins; i++)
	{
		while (value < n - 1 && (before + values[value].seen->met.rows) * bins <= rows * i)
			before += values[value++].seen->met.rows;
		bounds[i] = PgBsonGinWord(values[value].bytes + histogram->common);
	}
	return true;
}

PgBsonHistogram *
PgBsonMakeHistograms(PgBsonCollection *c, int most_bounds, uint32 *count, uint64 **bounds, uint32 *nbounds)
{
	PgBsonPlace **fields = palloc(sizeof(PgBsonPlace *) * c->nplaces);
	Ranked	   *values = palloc(sizeof(Ranked) * MAX_VALUES);
	PgBsonHistogram *histograms = palloc(sizeof(PgBsonHistogram) * (most_bounds / 2 + 1));
	int			nfields = 0;
	int			bins;

	for (PgBsonPlace *place = c->root; place != NULL; place = place->next_place)
	{
		if (place->pairs >= MIN_VALUES)
			fields[nfields++] = place;
	}
	PgBsonSort(fields, nfields, sizeof(PgBsonPlace *), compare_field_counts);
	nfields = Min(nfields, MAX_FIELDS);
	bins = Max(Min(most_bounds / Max(nfields, 1), MAX_BINS), MIN_BINS);
	*bounds = palloc(sizeof(uint64) * (most_bounds + MAX_BINS + 1));
	*count = *nbounds = 0;
	for (int i = 0; i < nfields; i++)
	{
		int			step = (fields[i]->distinct + MAX_VALUES - 1) / MAX_VALUES;
		int			n = sort_values(fields[i], step, values);
		int			end;

		for (int begin = 0; begin < n && *nbounds < most_bounds; begin = end)
		{
			for (end = begin + 1; end < n && values[end].rank == values[begin].rank;)
				end++;
			if (make_histogram(c, values + begin, end - begin, step, bins, &histograms[*count], *bounds + *nbounds))
				*nbounds += histograms[(*count)++].nbounds;
		}
	}
	return histograms;
}
