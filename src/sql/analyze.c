/*
 * analyze.c
 *	  ANALYZE of a bson column.
 *
 * First the server does what it does for any type that sorts.  It leaves out
 * values of more than 1 kB, though, so then the sample is looked into: every
 * path and every value at a path is counted, as far as they are frequent, by
 * the method of Manku and Motwani (lossy counting) that the server uses for
 * the elements of arrays; and distinct documents are counted by their hashes.
 * See sql/statistics.h for what is kept.
 */
#include "sql/statistics.h"

#include <math.h>

#include "access/detoast.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "common/hashfn.h"
#include "core/compare.h"
#include "json/recode.h"
#include "lib/hyperloglog.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"

/* No more than this of the sample is read, in bytes; of larger documents, fewer */
#define SAMPLE_BYTES		(256 * 1024 * 1024)

/* Larger documents are left out, in bytes */
#define DOCUMENT_BYTES		(4 * 1024 * 1024)

/* The server's limit for values it looks at, WIDTH_THRESHOLD in its analyze.c */
#define WIDE_VALUE			1024

/* Keys kept, as a multiple of the statistics target and at most; and names shown to people */
#define KEYS_PER_TARGET		5
#define MAX_KEYS			4000
#define MAX_NAMES			200

/* Registers of the distinct counter of a path, as a power of two */
#define DISTINCT_BITS		8

typedef struct StatKey
{
	Datum		key;
	Datum		field;			/* of a value: the key of its field; 0: none */
} StatKey;

/* What is counted of one key */
typedef struct Counter
{
	char		key[PGBSON_STAT_KEY_ROOM];	/* length, bytes, zeroes; first, for the hash table */
	char		field[PGBSON_STAT_KEY_ROOM];	/* of a value; length 0: none */
	bool		is_value;
	int			rows;			/* rows with the key */
	int			missed;			/* rows with the key that may have come before it was counted */
	int			last_row;		/* the last row counted */
	/* of a field */
	hyperLogLogState *distinct; /* of its values; NULL: none yet */
	int64		values;			/* pairs of a row and a distinct value there */
	int64		listed;			/* those whose value has a key that is kept */
	int			nlisted;		/* values that have */
} Counter;

typedef struct Collection
{
	HTAB	   *counters;
	MemoryContext context;
	int64		counted;		/* keys so far */
	int64		bucket_width;	/* of lossy counting */
	int			bucket;
	int			rows;			/* looked into */
	uint64	   *hashes;			/* of the documents */
	PgBsonRangeSample *ranges;
} Collection;

/* What the server's own routine had in the VacAttrStats */
typedef struct Standard
{
	AnalyzeAttrComputeStatsFunc compute_stats;
	void	   *extra_data;
} Standard;

/* --- keys --- */

static Datum
new_key(Datum key, Datum field)
{
	StatKey    *k = palloc(sizeof(StatKey));

	k->key = key;
	k->field = field;
	return PointerGetDatum(k);
}

static Datum
value_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonValue *value, bool *exact)
{
	return new_key(PgBsonGinOps.value_key(keys, path, value, exact),
				   PgBsonStatFieldOf(keys, path));
}

static Datum
field_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, bool *exact)
{
	return new_key(PgBsonGinOps.field_key(keys, path, exact), 0);
}

static const PgBsonGinClass stat_class = {NULL, value_key, field_key, NULL};

static void
pad_key(Datum key, char *padded)
{
	struct varlena *k = (struct varlena *) DatumGetPointer(key);
	uint32		len = VARSIZE_ANY_EXHDR(k);

	memset(padded, 0, PGBSON_STAT_KEY_ROOM);
	padded[0] = (char) len;
	memcpy(padded + 1, VARDATA_ANY(k), len);
}

/* --- counting --- */

/* Forget what was seen too seldom to become frequent */
static void
prune(Collection *c)
{
	HASH_SEQ_STATUS scan;
	Counter    *counter;

	hash_seq_init(&scan, c->counters);
	while ((counter = hash_seq_search(&scan)) != NULL)
	{
		if (counter->rows + counter->missed > c->bucket)
			continue;
		if (counter->distinct != NULL)
		{
			freeHyperLogLog(counter->distinct);
			pfree(counter->distinct);
		}
		hash_search(c->counters, counter->key, HASH_REMOVE, NULL);
	}
}

/* Count the key; NULL if it was in this row before */
static Counter *
count_key(Collection *c, const char *padded)
{
	bool		found;
	Counter    *counter = hash_search(c->counters, padded, HASH_ENTER, &found);

	if (!found)
	{
		memset(counter->field, 0, sizeof(counter->field));
		counter->is_value = false;
		counter->rows = 0;
		counter->missed = c->bucket;
		counter->last_row = -1;
		counter->distinct = NULL;
		counter->values = counter->listed = 0;
		counter->nlisted = 0;
	}
	if (counter->last_row == c->rows)
		return NULL;
	counter->last_row = c->rows;
	counter->rows++;
	c->counted++;
	return counter;
}

static void
count_value(Collection *c, const StatKey *key, Counter *counter)
{
	Counter    *field;
	bool		found;

	counter->is_value = true;
	if (key->field == 0)
		return;
	pad_key(key->field, counter->field);
	field = hash_search(c->counters, counter->field, HASH_FIND, &found);
	if (!found)
		return;
	if (field->distinct == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(c->context);

		field->distinct = palloc(sizeof(hyperLogLogState));
		initHyperLogLog(field->distinct, DISTINCT_BITS);
		MemoryContextSwitchTo(old);
	}
	addHyperLogLog(field->distinct,
				   hash_bytes((unsigned char *) counter->key, sizeof(counter->key)));
	field->values++;
}

/* All there is in one document */
static void
count_document(Collection *c, Datum datum)
{
	PgBsonValue root = PgBsonRoot(DatumGetPgBsonPP(datum));
	PgBsonGinKeys keys = PgBsonGinKeysOf(&stat_class, &root);

	c->hashes[c->rows] = PgBsonHash(&root, 0);
	PgBsonRangeSampleAdd(c->ranges, &root);
	for (int i = 0; i < keys.count; i++)
	{
		StatKey    *key = (StatKey *) DatumGetPointer(keys.keys[i]);
		char		padded[PGBSON_STAT_KEY_ROOM];
		Counter    *counter;

		pad_key(key->key, padded);
		counter = count_key(c, padded);
		if (counter != NULL && key->field != 0)
			count_value(c, key, counter);
		else if (counter != NULL)
			counter->is_value = PgBsonGinIsValueKey(key->key);
	}
	c->rows++;

	if (c->counted / c->bucket_width > c->bucket)
	{
		c->bucket = c->counted / c->bucket_width;
		prune(c);
	}
}

static void
collect(Collection *c, VacAttrStatsP stats, AnalyzeAttrFetchFunc fetchfunc, int samplerows,
		int nkeys)
{
	HASHCTL		ctl;
	MemoryContext row_context;
	MemoryContext old;
	int64		bytes = 0;
	int			stride;
	bool		isnull;
	int			seen = 0;

	c->context = CurrentMemoryContext;
	ctl.keysize = PGBSON_STAT_KEY_ROOM;
	ctl.entrysize = sizeof(Counter);
	ctl.hcxt = CurrentMemoryContext;
	c->counters = hash_create("bson statistics", 1024, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	/* as the server has it for the elements of arrays */
	c->bucket_width = ((int64) nkeys + 10) * 1000 / 7;
	c->counted = 0;
	c->bucket = 0;
	c->rows = 0;
	c->hashes = palloc(sizeof(uint64) * Max(samplerows, 1));
	c->ranges = PgBsonRangeSampleBegin();

	for (int i = 0; i < samplerows; i++)
	{
		Datum		d = fetchfunc(stats, i, &isnull);

		if (!isnull)
			bytes += Min(toast_raw_datum_size(d), DOCUMENT_BYTES);
	}
	stride = (int) (bytes / SAMPLE_BYTES) + 1;

	row_context = AllocSetContextCreate(CurrentMemoryContext, "bson document",
										ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(row_context);
	for (int i = 0; i < samplerows; i++)
	{
		Datum		d = fetchfunc(stats, i, &isnull);

		if (isnull || seen++ % stride != 0 || toast_raw_datum_size(d) > DOCUMENT_BYTES)
			continue;
		PGBSON_ANALYZE_DELAY();
		count_document(c, d);
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row_context);
}

/* --- choosing --- */

/* Fields first, then by rows */
static int
compare_counters(const void *a, const void *b)
{
	const Counter *x = *(const Counter *const *) a;
	const Counter *y = *(const Counter *const *) b;

	if (x->rows != y->rows)
		return x->rows > y->rows ? -1 : 1;
	if (x->is_value != y->is_value)
		return x->is_value ? 1 : -1;
	return memcmp(x->key, y->key, sizeof(x->key));
}

/* As keys compare: by bytes, the shorter first */
static int
compare_keys(const void *a, const void *b)
{
	const Counter *x = *(const Counter *const *) a;
	const Counter *y = *(const Counter *const *) b;
	int			cmp = memcmp(x->key + 1, y->key + 1, Min(x->key[0], y->key[0]));

	return cmp != 0 ? cmp : x->key[0] - y->key[0];
}

/*
 * The counters of keys to keep, at most "wanted": palloc'd.  Fields are few and
 * tell about values that are not kept, so they may take half the room before
 * anything else; a value must have been seen twice.  *absent: the fraction of
 * rows to be expected with a field that is not kept.
 */
static Counter **
choose(Collection *c, int wanted, int *count, double *absent)
{
	long		n = hash_get_num_entries(c->counters);
	Counter   **chosen = palloc(sizeof(Counter *) * Max(n, 1));
	Counter   **kept = palloc(sizeof(Counter *) * wanted);
	int64		cutoff = 9 * c->counted / c->bucket_width;
	HASH_SEQ_STATUS scan;
	Counter    *counter;
	int			m = 0;
	int			nkept = 0;
	int			rows_of_absent = cutoff;

	hash_seq_init(&scan, c->counters);
	while ((counter = hash_seq_search(&scan)) != NULL)
	{
		if (counter->rows > cutoff && (!counter->is_value || counter->rows > 1))
			chosen[m++] = counter;
	}
	qsort(chosen, m, sizeof(Counter *), compare_counters);
	for (int i = 0; i < m; i++)
	{
		if (chosen[i]->is_value)
			continue;
		if (nkept == wanted / 2)
		{
			rows_of_absent = chosen[i]->rows;
			break;
		}
		kept[nkept++] = chosen[i];
		chosen[i] = NULL;
	}
	for (int i = 0; i < m && nkept < wanted; i++)
	{
		if (chosen[i] != NULL)
			kept[nkept++] = chosen[i];
	}
	qsort(kept, nkept, sizeof(Counter *), compare_keys);
	*count = nkept;
	/* the true number is somewhere from none to that */
	*absent = Max(rows_of_absent, 1) * 0.5 / c->rows;
	return kept;
}

/* The fraction of rows that have one particular value of a field that is not kept */
static double
rest_frequency(const Collection *c, const Counter *field, double nonnull_rows)
{
	double		distinct;
	double		values = field->values - field->listed;

	if (field->distinct == NULL || values <= 0)
		return 0;
	distinct = Max(estimateHyperLogLog(field->distinct) - field->nlisted, 1);
	/* mostly different: so are those of the rows that were not seen */
	if (distinct > values * 0.5)
		distinct *= Max(nonnull_rows / c->rows, 1);
	return Min(values / distinct, values) / c->rows;
}

static Datum
bytea_of(const Counter *counter)
{
	int			len = counter->key[0];
	bytea	   *result = palloc(len + VARHDRSZ);

	SET_VARSIZE(result, len + VARHDRSZ);
	memcpy(VARDATA(result), counter->key + 1, len);
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
keep_keys(VacAttrStats *stats, Collection *c, Counter **kept, int n, double absent,
		  double nonnull_rows)
{
	int			slot = free_slot(stats);
	MemoryContext old;
	Datum	   *values;
	Datum	   *bounds;
	float4	   *numbers;
	float4	   *counts;
	int			nbounds;
	double		least = 1;

	if (slot == STATISTIC_NUM_SLOTS || n == 0)
		return;

	for (int i = 0; i < n; i++)
	{
		bool		found;
		Counter    *field;

		if (kept[i]->field[0] == 0)
			continue;
		field = hash_search(c->counters, kept[i]->field, HASH_FIND, &found);
		if (found)
		{
			field->listed += kept[i]->rows;
			field->nlisted++;
		}
	}

	old = MemoryContextSwitchTo(stats->anl_context);
	nbounds = PgBsonRangeSampleFinish(c->ranges, PGBSON_STATISTICS_TARGET(stats),
									  &bounds, &counts);
	values = palloc(sizeof(Datum) * (n + nbounds));
	numbers = palloc(sizeof(float4) * (2 * n + 2 + nbounds));
	for (int i = 0; i < n; i++)
	{
		double		frequency = (double) kept[i]->rows / c->rows;

		values[i] = bytea_of(kept[i]);
		numbers[i] = frequency;
		numbers[n + i] = rest_frequency(c, kept[i], nonnull_rows);
		least = Min(least, frequency);
	}
	numbers[2 * n] = least;
	numbers[2 * n + 1] = absent;
	memcpy(values + n, bounds, sizeof(Datum) * nbounds);
	memcpy(numbers + 2 * n + 2, counts, sizeof(float4) * nbounds);
	MemoryContextSwitchTo(old);
	fill_slot(stats, slot, PGBSON_STATISTIC_KIND, BYTEAOID, values, n + nbounds,
			  numbers, 2 * n + 2 + nbounds);
}

/* --- names, for people --- */

/* The key's name as a text, if it is that of a field of root documents and can be; else 0 */
static Datum
name_of(const Counter *counter)
{
	const char *s;
	uint32		len;
	char		recoded[PGBSON_RECODE_ROOM];

	if (counter->is_value ||
		!PgBsonGinIsRootField((const uint8 *) counter->key + 1, counter->key[0], &s, &len))
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
keep_names(VacAttrStats *stats, const Collection *c, Counter **kept, int n)
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
		numbers[nnames] = (float4) kept[i]->rows / c->rows;
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

/* --- distinct documents --- */

static int
compare_hashes(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

/*
 * The number of distinct documents, from the hashes of those looked into, by
 * the estimator of Haas and Stokes that the server uses.
 */
static void
estimate_distinct(VacAttrStats *stats, Collection *c, double nonnull_rows)
{
	double		n = c->rows;
	double		distinct = 0;
	double		once = 0;
	double		estimate;

	qsort(c->hashes, c->rows, sizeof(uint64), compare_hashes);
	for (int i = 0; i < c->rows;)
	{
		int			j = i + 1;

		while (j < c->rows && c->hashes[j] == c->hashes[i])
			j++;
		distinct++;
		if (j == i + 1)
			once++;
		i = j;
	}
	if (once == distinct)
	{
		stats->stadistinct = -1.0 * (1.0 - stats->stanullfrac);
		return;
	}
	estimate = once == 0 ? distinct
		: n * distinct / ((n - once) + once * n / Max(nonnull_rows, n));
	estimate = floor(Min(Max(estimate, distinct), Max(nonnull_rows, distinct)) + 0.5);
	/* what grows with the table is given as a fraction of its rows */
	if (estimate > 0.1 * nonnull_rows && nonnull_rows > 0)
		stats->stadistinct = -(estimate / nonnull_rows) * (1.0 - stats->stanullfrac);
	else
		stats->stadistinct = estimate;
}

static bool
has_wide_values(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetchfunc, int samplerows)
{
	for (int i = 0; i < samplerows; i++)
	{
		bool		isnull;
		Datum		d = fetchfunc(stats, i, &isnull);

		if (!isnull && toast_raw_datum_size(d) > WIDE_VALUE)
			return true;
	}
	return false;
}

static void
compute_stats(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetchfunc, int samplerows,
			  double totalrows)
{
	Standard   *standard = stats->extra_data;
	int			wanted = PGBSON_STATISTICS_TARGET(stats) * KEYS_PER_TARGET;
	double		nonnull_rows;
	Collection	c;
	Counter   **kept;
	int			n;
	double		absent;

	stats->extra_data = standard->extra_data;
	standard->compute_stats(stats, fetchfunc, samplerows, totalrows);
	stats->extra_data = standard;
	if (!stats->stats_valid)
		return;

	wanted = Max(Min(wanted, MAX_KEYS), 2);
	nonnull_rows = totalrows * (1.0 - stats->stanullfrac);
	collect(&c, stats, fetchfunc, samplerows, wanted);
	if (c.rows == 0)
		return;
	kept = choose(&c, wanted, &n, &absent);
	keep_keys(stats, &c, kept, n, absent, nonnull_rows);
	keep_names(stats, &c, kept, n);
	if (has_wide_values(stats, fetchfunc, samplerows))
		estimate_distinct(stats, &c, nonnull_rows);
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
	standard = palloc(sizeof(Standard));
	standard->compute_stats = stats->compute_stats;
	standard->extra_data = stats->extra_data;
	stats->compute_stats = compute_stats;
	stats->extra_data = standard;
	PG_RETURN_BOOL(true);
}
