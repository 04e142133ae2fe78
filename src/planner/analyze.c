/*
 * analyze.c
 *	  ANALYZE of a bson column.
 *
 * First the server does what it does for any type that sorts.  But that leaves
 * out values of more than 1 kB, so the sample is then examined further:
 * some documents are looked into (analyze_collect.c, analyze_walk.c), frequent
 * paths and frequent values at paths are counted (analyze_count.c) and the most
 * telling kept (analyze_choose.c), and histograms are made of values that sort
 * (analyze_range.c).  planner/statistics.h describes what is stored.
 */
#include "planner/analyze.h"

#include "access/detoast.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "core/bytes/recode.h"
#include "sql/site/type.h"
#include "utils/builtins.h"

/* How many keys are kept: a multiple of the statistics target, up to a maximum; and how many names pg_stats shows */
#define KEYS_PER_TARGET		5
#define MAX_KEYS			4000
#define MAX_NAMES			200

/* The room for the bounds of a histogram of documents, and the number that it has at least */
#define HISTOGRAM_BYTES		(16 * 1024)
#define LEAST_BOUNDS		11

/* The server's own routine and its data, which were in the VacAttrStats */
typedef struct Standard
{
	AnalyzeAttrComputeStatsFunc compute_stats;
	void	   *extra_data;
} Standard;

static Datum
bytea_of(const PgBsonCounter *counter)
{
	bytea	   *result = palloc(counter->len + VARHDRSZ);

	SET_VARSIZE(result, counter->len + VARHDRSZ);
	memcpy(VARDATA(result), counter->key, counter->len);
	return PointerGetDatum(result);
}

static int
free_slot(VacAttrStats *stats)
{
	int			slot = 0;

	while (slot < STATISTIC_NUM_SLOTS && stats->stakind[slot] != 0)
		slot++;
	return slot;
}

static void
fill_slot(VacAttrStats *stats, int slot, int kind, Oid type, Datum *values, int nvalues,
		  float4 *numbers, int nnumbers)
{
	stats->stakind[slot] = kind;
	stats->staop[slot] = type == TEXTOID ? TextEqualOperator : InvalidOid;
	stats->stacoll[slot] = type == TEXTOID ? DEFAULT_COLLATION_OID : InvalidOid;
	stats->stanumbers[slot] = numbers;
	stats->numnumbers[slot] = nnumbers;
	stats->stavalues[slot] = values;
	stats->numvalues[slot] = nvalues;
	stats->statypid[slot] = type;
	stats->statyplen[slot] = -1;
	stats->statypbyval[slot] = false;
	stats->statypalign[slot] = TYPALIGN_INT;
}

static void
keep_keys(VacAttrStats *stats, PgBsonCollection *c, PgBsonCounter **kept, int n, double absent,
		  double nonnull_rows)
{
	int			slot = free_slot(stats);
	MemoryContext old;
	Datum	   *values;
	Datum	   *bounds;
	float4	   *numbers;
	float4	   *counts;
	int			nbounds;

	old = MemoryContextSwitchTo(stats->anl_context);
	nbounds = PgBsonRangeSampleFinish(c, &bounds, &counts);
	if (slot == STATISTIC_NUM_SLOTS || n + nbounds == 0)
	{
		MemoryContextSwitchTo(old);
		return;
	}
	values = palloc(sizeof(Datum) * (n + nbounds));
	numbers = palloc(sizeof(float4) * (2 * n + 2 + nbounds));
	for (int i = 0; i < n; i++)
	{
		values[i] = bytea_of(kept[i]);
		numbers[i] = kept[i]->frequency;
		/* that of a string found like a field is the root's, which has a number of its own */
		numbers[n + i] = kept[i]->is_value || kept[i]->place == c->root ? 0 : PgBsonRestFrequency(c, kept[i]->place, nonnull_rows);
	}
	numbers[2 * n] = PgBsonRestFrequency(c, c->root, nonnull_rows);
	numbers[2 * n + 1] = absent;
	memcpy(values + n, bounds, sizeof(Datum) * nbounds);
	memcpy(numbers + 2 * n + 2, counts, sizeof(float4) * nbounds);
	MemoryContextSwitchTo(old);
	fill_slot(stats, slot, PGBSON_STATISTIC_KIND, BYTEAOID, values, n + nbounds,
			  numbers, 2 * n + 2 + nbounds);
}

/* --- names, for people --- */

/* The name as a text, if this is the key of a field of root documents and a text can hold it; else 0 */
static Datum
name_of(const PgBsonCounter *counter)
{
	const char *s;
	uint32		len;
	char		recoded[PGBSON_RECODE_ROOM];

	if (counter->is_value ||
		!PgBsonGinIsRootField(counter->key, counter->len, &s, &len))
		return 0;
	if (PgBsonServerRecodes())
	{
		int			n = PgBsonRecode(s, len, recoded);

		if (n < 0)
			return 0;
		s = recoded;
		len = n;
	}
	return PointerGetDatum(cstring_to_text_with_len(s, len));
}

static void
keep_names(VacAttrStats *stats, PgBsonCounter **kept, int n)
{
	int			slot = free_slot(stats);
	MemoryContext old = MemoryContextSwitchTo(stats->anl_context);
	Datum	   *values = palloc(sizeof(Datum) * MAX_NAMES);
	float4	   *numbers = palloc(sizeof(float4) * (MAX_NAMES + 2));
	float4		least = 1;
	float4		most = 0;
	int			nnames = 0;

	for (int i = 0; i < n && nnames < MAX_NAMES; i++)
	{
		values[nnames] = name_of(kept[i]);
		if (values[nnames] == 0)
			continue;
		numbers[nnames] = kept[i]->frequency;
		least = Min(least, numbers[nnames]);
		most = Max(most, numbers[nnames]);
		nnames++;
	}
	MemoryContextSwitchTo(old);
	if (slot == STATISTIC_NUM_SLOTS || nnames == 0)
		return;
	numbers[nnames] = least;
	numbers[nnames + 1] = most;
	fill_slot(stats, slot, STATISTIC_KIND_MCELEM, TEXTOID, values, nnames, numbers, nnames + 2);
}

/* --- the server's own statistics --- */

/*
 * The server's histogram of documents has a hundred of them.  As it helps only
 * conditions such as d < '{...}', which are rare, bounds that take much room
 * are left out: to compress and write them takes longer than to sort the sample.
 */
static void
thin_out_histogram(VacAttrStats *stats)
{
	for (int slot = 0; slot < STATISTIC_NUM_SLOTS; slot++)
	{
		Datum	   *bounds = stats->stavalues[slot];
		int			n = stats->numvalues[slot];
		int			wanted = Max(HISTOGRAM_BYTES / Max(stats->stawidth, 1), LEAST_BOUNDS);

		if (stats->stakind[slot] != STATISTIC_KIND_HISTOGRAM || n <= wanted)
			continue;
		for (int i = 1; i < wanted; i++)
			bounds[i] = bounds[(int64) i * (n - 1) / (wanted - 1)];
		stats->numvalues[slot] = wanted;
	}
}

/* How many values of the sample are small enough for the server to examine them, and how many are not? */
static void
count_values(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetchfunc, int samplerows, int *small, int *wide)
{
	*small = *wide = 0;
	for (int i = 0; i < samplerows; i++)
	{
		bool		isnull;
		Datum		d = fetchfunc(stats, i, &isnull);

		if (!isnull)
			(*(toast_raw_datum_size(d) > PGBSON_WIDE_VALUE ? wide : small))++;
	}
}

static void
compute_stats(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetchfunc, int samplerows,
			  double totalrows)
{
	Standard   *standard = stats->extra_data;
	int			wanted = PGBSON_STATISTICS_TARGET(stats) * KEYS_PER_TARGET;
	double		nonnull_rows;
	PgBsonCollection	c;
	PgBsonCounter   **kept;
	int			n;
	int			small;
	int			wide;
	double		absent;

	stats->extra_data = standard->extra_data;
	standard->compute_stats(stats, fetchfunc, samplerows, totalrows);
	stats->extra_data = standard;
	if (!stats->stats_valid)
		return;

	thin_out_histogram(stats);
	wanted = Max(Min(wanted, MAX_KEYS), 2);
	nonnull_rows = totalrows * (1.0 - stats->stanullfrac);
	count_values(stats, fetchfunc, samplerows, &small, &wide);
	PgBsonCollect(&c, stats, fetchfunc, samplerows, small, wide, wanted);
	if (c.rows == 0)
		return;
	kept = PgBsonChooseKeys(&c, wanted, nonnull_rows, &n, &absent);
	keep_keys(stats, &c, kept, n, absent, nonnull_rows);
	keep_names(stats, kept, n);

	/*
	 * The planner takes the number of distinct documents for that of every expression of
	 * the column: it would sort whole documents for GROUP BY data ->> 'kind', or
	 * remember them for a function in FROM.  Where the number is not known it reckons with few groups.
	 */
	if (c.containers * 2 > c.rows)
		stats->stadistinct = 0;
}

/* SQL: bson_typanalyze(internal) returns bool */
PG_FUNCTION_INFO_V1(pgbson_typanalyze);
Datum
pgbson_typanalyze(PG_FUNCTION_ARGS)
{
	VacAttrStats *stats = (VacAttrStats *) PG_GETARG_POINTER(0);
	Standard   *standard;

	if (!std_typanalyze(stats))
		PG_RETURN_BOOL(false);
	/* the definition of another type can name this function, too */
	if (!PgBsonIsBsonOrDomain(stats->attrtypid))
		PG_RETURN_BOOL(true);
	standard = palloc(sizeof(Standard));
	standard->compute_stats = stats->compute_stats;
	standard->extra_data = stats->extra_data;
	stats->compute_stats = compute_stats;
	stats->extra_data = standard;
	PG_RETURN_BOOL(true);
}
