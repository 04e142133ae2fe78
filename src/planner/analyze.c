/*
 * analyze.c
 *	  ANALYZE of a bson column.
 *
 * The server's own statistics, of whole documents, serve conditions such as d =
 * '{}', and are made of a small part of the sample.  What matters more are the
 * contents of documents.  So some documents are looked into (analyze_walk.c),
 * those fields and values kept that tell most (analyze_choose.c), and histograms
 * made (analyze_range.c).  planner/statistics.h describes what is stored.
 */
#include "planner/analyze_walk.h"

#include "access/detoast.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "core/bytes/recode.h"
#include "core/stored/detoast.h"
#include "door.h"
#include "sql/site/type.h"
#include "utils/builtins.h"

/*
 * How many fields and values are kept, as a multiple of the statistics target, and at most; and how
 * many names pg_stats shows
 */
#define KEYS_PER_TARGET		5
#define MAX_KEYS			4000
#define MAX_NAMES			200

/*
 * How many documents are looked into.  The budget is a number of values for each unit of the statistics target, and one
 * more for every few small documents of the sample: ANALYZE of jsonb sorts those, so there is time.  At the default
 * target of 100 it is used up in one or two milliseconds.  LEAST_DOCUMENTS are examined even if that takes twice the
 * budget, and FEW_DOCUMENTS whatever it takes.  Beyond these the bytes are limited, too, and a document that is out of
 * line counts as some more of them, because it must be fetched.
 */
#define VALUES_PER_TARGET	60
#define SMALL_PER_VALUE		4
#define BYTES_PER_TARGET	(10 * 1024)
#define BYTES_PER_EXTERNAL	(4 * 1024)
#define DOCUMENTS_PER_TARGET	10
#define LEAST_DOCUMENTS		30
#define FEW_DOCUMENTS		10

/* Higher statistics targets count as this one, which already gives MAX_KEYS */
#define MOST_TARGET			(MAX_KEYS / KEYS_PER_TARGET)

/* The most values that are looked at, however large documents are: with their places they take up to 20 MB and 0.1 s */
#define MOST_VALUES			(128 * 1024)

/* Documents up to this size are small: the server examines whole values up to it, WIDTH_THRESHOLD in its analyze.c */
#define SMALL_BYTES			1024

/* Documents that are larger, in bytes, are left out */
#define DOCUMENT_BYTES		(2 * 1024 * 1024)

/*
 * If most values are documents, the server's routine gets only this part of the statistics target, and
 * this number of rows for each unit of that
 */
#define WHOLE_PART			5
#define ROWS_PER_TARGET		50

/* The server's own routine and its data, which were in the VacAttrStats */
typedef struct Standard
{
	AnalyzeAttrComputeStatsFunc compute_stats;
	void	   *extra_data;
} Standard;

/* The sample in another order; the server's routine is given fetch_shuffled() and this struct's "stats" to read it */
typedef struct Shuffled
{
	VacAttrStats stats;			/* must be first */
	AnalyzeAttrFetchFunc fetch; /* from the sample as it is */
	int			rows;
	int		   *order;			/* the row numbers of the sample; the first "placed" are shuffled already */
	int			placed;
	uint64		random;			/* state of PgBsonNextRandom */
} Shuffled;

/* --- the slots of pg_statistic --- */

static void
fill_slot(VacAttrStats *stats, int kind, Oid type, Datum *values, int nvalues, float4 *numbers, int nnumbers)
{
	int			slot = 0;

	while (slot < STATISTIC_NUM_SLOTS && stats->stakind[slot] != 0)
		slot++;
	if (slot == STATISTIC_NUM_SLOTS)
		return;
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
keep_statistics(VacAttrStats *stats, PgBsonCollection *c, int wanted)
{
	Datum	   *values = palloc(sizeof(Datum));

	values[0] = PointerGetDatum(PgBsonMakeStatistics(c, wanted));
	fill_slot(stats, PGBSON_STATISTIC_KIND, BYTEAOID, values, 1, NULL, 0);
}

/* The name of a field as a text, if a text can hold it; else 0 */
static Datum
place_name(const PgBsonPlace *field)
{
	const char *s = field->name;
	int			len = field->name_len;
	char		recoded[PGBSON_RECODE_ROOM];

	if (len > PGBSON_RECODE_RUN)
		return 0;
	if (PgBsonServerRecodes())
	{
		len = PgBsonRecode(s, len, recoded);
		s = recoded;
	}
	return len < 0 ? 0 : PointerGetDatum(cstring_to_text_with_len(s, len));
}

static void
keep_names(VacAttrStats *stats, const PgBsonCollection *c)
{
	Datum	   *values = palloc(sizeof(Datum) * MAX_NAMES);
	float4	   *numbers = palloc(sizeof(float4) * (MAX_NAMES + 2));
	float4		least = 1;
	float4		most = 0;
	int			n = 0;

	for (const PgBsonPlace *place = c->root; place != NULL && n < MAX_NAMES; place = place->next_place)
	{
		if (place->name == NULL || place->via != PGBSON_GIN_PLAIN || place->parent != c->root ||
			(values[n] = place_name(place)) == 0)
			continue;
		numbers[n] = place->rows / c->rows;
		least = Min(least, numbers[n]);
		most = Max(most, numbers[n]);
		n++;
	}
	numbers[n] = least;
	numbers[n + 1] = most;
	if (n > 0)
		fill_slot(stats, STATISTIC_KIND_MCELEM, TEXTOID, values, n, numbers, n + 2);
}

/* --- the sample --- */

static Datum
fetch_shuffled(VacAttrStatsP stats, int rownum, bool *isnull)
{
	Shuffled   *shuffled = (Shuffled *) stats;

	for (; shuffled->placed <= rownum; shuffled->placed++)
	{
		int		   *next = &shuffled->order[shuffled->placed];
		int		   *any = next + PgBsonNextRandom(&shuffled->random, shuffled->rows - shuffled->placed);
		int			number = *any;

		*any = *next;
		*next = number;
	}
	return shuffled->fetch(stats, shuffled->order[rownum], isnull);
}

/*
 * The sample in an order in which the first rows, however many, are a random sample of it.  Every n-th
 * row would miss much, or meet too much, of what is in every fifth or every thousandth row.  The same
 * sample always gets the same order.
 */
static Shuffled
shuffle(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int samplerows)
{
	Shuffled	result = {*stats, fetch, samplerows, palloc(sizeof(int) * samplerows)};

	for (int i = 0; i < samplerows; i++)
		result.order[i] = i;
	return result;
}

/* The fraction of NULLs, and the number of small documents */
static double
count_nulls(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int samplerows, int *small)
{
	int			nulls = 0;

	*small = 0;
	for (int i = 0; i < samplerows; i++)
	{
		bool		isnull;
		Datum		d = fetch(stats, i, &isnull);

		nulls += isnull;
		*small += !isnull && toast_raw_datum_size(d) <= SMALL_BYTES;
	}
	return (double) nulls / samplerows;
}

/* How much of the budget the documents so far have used */
typedef struct Charge
{
	int64		values;
	int64		bytes;
} Charge;

/* Charge a document.  The charge is limited, so that one large document leaves something for the others. */
static void
add_charge(Charge *charge, const Charge *budget, int64 values, Datum d)
{
	int64		bytes = toast_raw_datum_size(d) + (VARATT_IS_EXTERNAL(DatumGetPointer(d)) ? BYTES_PER_EXTERNAL : 0);

	charge->values += Min(values, 2 * budget->values / FEW_DOCUMENTS);
	charge->bytes += Min(bytes, budget->bytes / FEW_DOCUMENTS);
}

static bool
is_enough(const PgBsonCollection *c, const Charge *charge, const Charge *budget, int64 most_documents)
{
	if (c->values >= MOST_VALUES)
		return true;
	if (c->rows < FEW_DOCUMENTS)
		return false;
	return charge->bytes >= budget->bytes || c->rows >= most_documents ||
		charge->values >= (c->rows < LEAST_DOCUMENTS ? 2 : 1) * budget->values;
}

/* Look into documents of the sample, until the budget is used up */
static void
collect(PgBsonCollection *c, VacAttrStats *stats, Shuffled *shuffled, int small)
{
	int64		target = Min(PGBSON_STATISTICS_TARGET(stats), MOST_TARGET);
	Charge		budget = {target * VALUES_PER_TARGET + small / SMALL_PER_VALUE, target * BYTES_PER_TARGET};
	Charge		charge = {0};
	MemoryContext document = AllocSetContextCreate(CurrentMemoryContext, "bson document", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(document);

	for (int i = 0; i < shuffled->rows && !is_enough(c, &charge, &budget, target * DOCUMENTS_PER_TARGET); i++)
	{
		int64		before = c->values;
		bool		isnull;
		Datum		d = fetch_shuffled(&shuffled->stats, i, &isnull);
		PgBsonValue root;

		if (isnull || toast_raw_datum_size(d) > DOCUMENT_BYTES)
			continue;
		PGBSON_ANALYZE_DELAY();
		root = PgBsonRoot(DatumGetPgBsonPP(d));
		PgBsonWalkDocument(c, &root);
		add_charge(&charge, &budget, c->values - before, d);
		MemoryContextReset(document);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(document);
}

/* The server's statistics, fewer and from a part of the sample: few conditions are about whole documents */
static void
compute_whole(VacAttrStats *stats, Shuffled *shuffled, double totalrows)
{
	const Standard *standard = stats->extra_data;
	int			target = PGBSON_STATISTICS_TARGET(stats);
	int			rows = Min(Max(target / WHOLE_PART, 1) * ROWS_PER_TARGET, shuffled->rows);

	shuffled->stats.extra_data = standard->extra_data;
	PGBSON_STATISTICS_TARGET(&shuffled->stats) = Max(target / WHOLE_PART, 1);
	standard->compute_stats(&shuffled->stats, fetch_shuffled, rows, totalrows);
	PGBSON_STATISTICS_TARGET(&shuffled->stats) = target;
	shuffled->stats.extra_data = stats->extra_data;
	*stats = shuffled->stats;
}

static void
compute_stats(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetchfunc, int samplerows, double totalrows)
{
	Standard   *standard = stats->extra_data;
	PgBsonCollection c;
	int			small;
	double		nullfrac = count_nulls(stats, fetchfunc, samplerows, &small);
	Shuffled	shuffled = shuffle(stats, fetchfunc, samplerows);
	MemoryContext old;

	PgBsonCollectionBegin(&c);
	collect(&c, stats, &shuffled, small);
	if (c.containers * 2 >= c.rows)
	{
		compute_whole(stats, &shuffled, totalrows);

		/*
		 * The planner takes the number of distinct documents for that of every expression of the column: it would sort
		 * whole documents for GROUP BY data ->> 'kind', or remember them for a function in FROM.  Where the number is
		 * not known it reckons with few groups.
		 */
		stats->stadistinct = 0;
	}
	else
	{
		stats->extra_data = standard->extra_data;
		standard->compute_stats(stats, fetchfunc, samplerows, totalrows);
		stats->extra_data = standard;
	}
	if (!stats->stats_valid || c.rows == 0)
		return;
	stats->stanullfrac = nullfrac;
	c.nonnull_rows = totalrows * (1 - nullfrac);
	old = MemoryContextSwitchTo(stats->anl_context);
	keep_statistics(stats, &c, Min(PGBSON_STATISTICS_TARGET(stats) * KEYS_PER_TARGET, MAX_KEYS));
	keep_names(stats, &c);
	MemoryContextSwitchTo(old);
}

/* SQL: bson_typanalyze(internal) returns bool */
PGBSON_FUNCTION(pgbson_typanalyze)
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
