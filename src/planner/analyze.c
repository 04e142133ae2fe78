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
#include "planner/analyze.h"

#include "access/detoast.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "core/bytes/recode.h"
#include "sql/site/type.h"
#include "utils/builtins.h"

/* How many fields and values are kept: a multiple of the statistics target, up to a maximum; and how many names pg_stats shows */
#define KEYS_PER_TARGET		5
#define MAX_KEYS			4000
#define MAX_NAMES			200

/*
 * How many documents are looked into: as many as have this number of bytes for
 * each unit of the statistics target, which takes one or two milliseconds at the
 * default target of 100.  To fetch and decompress one that is out of line
 * takes as long as to look into some more bytes.
 */
#define BYTES_PER_TARGET	(5 * 1024)
#define BYTES_PER_EXTERNAL	(4 * 1024)
#define DOCUMENTS_PER_TARGET	10
#define LEAST_DOCUMENTS		10

/* Where random numbers begin: the same ones each time, so that the same rows have the same statistics */
#define SEED			7919

/* Larger documents are left out, in bytes */
#define DOCUMENT_BYTES		(2 * 1024 * 1024)

/* Where most values are documents the server's routine examines these rows, for each unit of this fraction of the target */
#define WHOLE_PART			5
#define WHOLE_PER_TARGET	50

/* The server's own routine and its data, which were in the VacAttrStats */
typedef struct Standard
{
	AnalyzeAttrComputeStatsFunc compute_stats;
	void	   *extra_data;
} Standard;

/* Some rows of a sample, as a sample; the server's routine reads it like the whole */
typedef struct Part
{
	VacAttrStats stats;			/* must be first */
	AnalyzeAttrFetchFunc fetch;
	int			samplerows;
	int			rows;
	uint64		random;
} Part;

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
name_of(const PgBsonPlace *field)
{
	const char *s = field->name;
	int			len = field->name_len;
	char		recoded[PGBSON_RECODE_ROOM];

	if (len >= PGBSON_RECODE_ROOM)
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
		if (place->name == NULL || place->via != PGBSON_GIN_PLAIN || place->parent != c->root || (values[n] = name_of(place)) == 0)
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

/* One row of each of equal parts of the sample, by chance: what is in every 30th row would be over- or underrepresented at even distances */
static Datum
fetch_part(VacAttrStatsP stats, int rownum, bool *isnull)
{
	Part	   *part = (Part *) stats;
	int			from = (int64) rownum * part->samplerows / part->rows;
	int			to = (int64) (rownum + 1) * part->samplerows / part->rows;

	return part->fetch(stats, from + PgBsonNextRandom(&part->random, to - from), isnull);
}

static Part
part_of(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int samplerows, int rows)
{
	return (Part) {*stats, fetch, samplerows, Min(samplerows, Max(rows, 1)), SEED};
}

/* How many documents of the sample to look into, as their sizes are */
static int
count_documents(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int samplerows, double *nullfrac)
{
	int64		target = PGBSON_STATISTICS_TARGET(stats);
	int64		bytes = 0;
	int			n = 0;

	for (int i = 0; i < samplerows; i++)
	{
		bool		isnull;
		Datum		d = fetch(stats, i, &isnull);

		if (isnull)
			continue;
		n++;
		bytes += toast_raw_datum_size(d);
		if (VARATT_IS_EXTERNAL(DatumGetPointer(d)))
			bytes += BYTES_PER_EXTERNAL;
	}
	*nullfrac = 1 - (double) n / samplerows;
	return n == 0 ? 0 : Max(Min(target * BYTES_PER_TARGET / (bytes / n + 1), target * DOCUMENTS_PER_TARGET), LEAST_DOCUMENTS);
}

/* Look into this number of documents */
static void
collect(PgBsonCollection *c, VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int samplerows, int ndocuments, double nullfrac)
{
	Part		part = part_of(stats, fetch, samplerows, (int) Min(ndocuments / (1 - nullfrac), samplerows));

	for (int i = 0; i < part.rows && ndocuments > 0; i++)
	{
		bool		isnull;
		Datum		d = fetch_part(&part.stats, i, &isnull);
		PgBsonValue root;

		if (isnull || toast_raw_datum_size(d) > DOCUMENT_BYTES)
			continue;
		PGBSON_ANALYZE_DELAY();
		root = PgBsonRoot(DatumGetPgBsonPP(d));
		PgBsonWalkDocument(c, &root);
	}
}

/* The server's statistics of whole documents, from a part of the sample, and fewer of them: few conditions are about whole documents */
static void
compute_whole(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int samplerows, double totalrows)
{
	const Standard *standard = stats->extra_data;
	int			target = PGBSON_STATISTICS_TARGET(stats);
	Part		part = part_of(stats, fetch, samplerows, Max(target / WHOLE_PART, 1) * WHOLE_PER_TARGET);

	part.stats.extra_data = standard->extra_data;
	PGBSON_STATISTICS_TARGET(&part.stats) = Max(target / WHOLE_PART, 1);
	standard->compute_stats(&part.stats, fetch_part, part.rows, totalrows);
	PGBSON_STATISTICS_TARGET(&part.stats) = target;
	part.stats.extra_data = stats->extra_data;
	*stats = part.stats;
}

static void
compute_stats(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetchfunc, int samplerows, double totalrows)
{
	Standard   *standard = stats->extra_data;
	PgBsonCollection c;
	double		nullfrac;
	int			ndocuments = count_documents(stats, fetchfunc, samplerows, &nullfrac);
	MemoryContext old;

	PgBsonCollectionBegin(&c);
	collect(&c, stats, fetchfunc, samplerows, ndocuments, nullfrac);
	if (c.containers * 2 >= c.rows)
	{
		compute_whole(stats, fetchfunc, samplerows, totalrows);

		/*
		 * The planner takes the number of distinct documents for that of every
		 * expression of the column: it would sort whole documents for GROUP BY
		 * data ->> 'kind', or remember them for a function in FROM.  Where the
		 * number is not known it reckons with few groups.
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
	keep_statistics(stats, &c, Max(Min(PGBSON_STATISTICS_TARGET(stats) * KEYS_PER_TARGET, MAX_KEYS), 2));
	keep_names(stats, &c);
	MemoryContextSwitchTo(old);
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
