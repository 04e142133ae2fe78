/*
 * analyze_count.c
 *	  ANALYZE of a bson column: counting paths, and values at paths, in documents.
 *
 * This uses the method of Manku and Motwani (lossy counting), which the server
 * uses for the elements of arrays: frequent keys are counted, and rare ones
 * are removed from time to time, so that memory is bounded.
 */
#include "planner/analyze.h"

#include "access/detoast.h"
#include "common/hashfn.h"
#include "port/pg_bswap.h"

/* Times a random number, of which the highest bits count: nobody can choose keys whose places are the same */
#define SH_HASH_KEY(tb, key)	pg_bswap32((uint32) ((key) * *(const uint64 *) (tb)->private_data >> 32))
#define SH_PREFIX		pgbson_seen
#define SH_ELEMENT_TYPE	PgBsonSeen
#define SH_KEY_TYPE		uint64
#define SH_KEY			hash
#define SH_EQUAL(tb, a, b)		((a) == (b))
#define SH_SCOPE		static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/*
 * How much of the sample is examined: LOOKS_PER_TARGET keys for each unit of
 * the statistics target, which takes about 15 ms at the default target of
 * 100; and LOOKS_PER_SMALL more for each small value, for which the server has
 * taken about ten times as long.  The cost of fetching and hashing bytes, and
 * that of each document, is expressed in keys.
 */
#define LOOKS_PER_TARGET		1000
#define LOOKS_PER_SMALL			3
#define BYTES_PER_KEY			96
#define KEYS_PER_DOCUMENT		8

/* Larger documents are left out, in bytes */
#define DOCUMENT_BYTES		(2 * 1024 * 1024)

/* The number of registers of a path's distinct counter, as a power of two */
#define DISTINCT_BITS		8

typedef struct StatKey
{
	Datum		key;
	Datum		field;			/* of a value: the key of its field; 0: none */
} StatKey;

/* The field whose key was made last: that of the value which comes next, or of the next element */
static struct
{
	uint64		hash;
	uint32		nkeys;
	PgBsonGinVia via;
	Datum		key;			/* 0: none yet, of this document */
}			last_field;

static Datum
new_key(Datum key, Datum field)
{
	StatKey    *k = palloc(sizeof(StatKey));

	k->key = key;
	k->field = field;
	return PointerGetDatum(k);
}

static void
remember_field(const PgBsonGinPath *path, PgBsonGinVia via, Datum key)
{
	last_field.hash = path->hash;
	last_field.nkeys = path->nkeys;
	last_field.via = via;
	last_field.key = key;
}

/* The key of the field that has the values at this path; 0 if there is none */
static Datum
field_of(PgBsonGinKeys *keys, const PgBsonGinPath *path)
{
	PgBsonGinVia via = PgBsonStatFieldVia(path);

	if (last_field.key == 0 || last_field.hash != path->hash || last_field.nkeys != path->nkeys || last_field.via != via)
		remember_field(path, via, PgBsonStatFieldOf(keys, path));
	return last_field.key;
}

static Datum
value_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, const PgBsonValue *value, bool *exact)
{
	return new_key(PgBsonGinOps.value_key(keys, path, value, exact), field_of(keys, path));
}

static Datum
field_key(PgBsonGinKeys *keys, const PgBsonGinPath *path, bool *exact)
{
	Datum		key = PgBsonGinOps.field_key(keys, path, exact);

	remember_field(path, path->via, key);
	return new_key(key, 0);
}

static const PgBsonGinClass stat_class = {NULL, value_key, field_key, NULL};

static uint64
hash_of(Datum key)
{
	const uint8 *bytes;
	uint32		len = PgBsonGinKeyBytes(key, &bytes);

	return hash_bytes_extended(bytes, len, 0);
}

PgBsonCounter *
PgBsonCounterOf(PgBsonCollection *c, uint64 hash)
{
	PgBsonSeen *seen = pgbson_seen_lookup(c->seen, hash);

	return seen != NULL ? seen->counter : NULL;
}

PgBsonCounter **
PgBsonCounters(PgBsonCollection *c, int *count)
{
	PgBsonCounter **counters = palloc(sizeof(PgBsonCounter *) * Max(c->seen->members, 1));
	pgbson_seen_iterator scan;
	PgBsonSeen *seen;

	*count = 0;
	pgbson_seen_start_iterate(c->seen, &scan);
	while ((seen = pgbson_seen_iterate(c->seen, &scan)) != NULL)
	{
		if (seen->counter != NULL)
			counters[(*count)++] = seen->counter;
	}
	return counters;
}

/* Remove the keys that were seen too rarely to be frequent */
static void
prune(PgBsonCollection *c)
{
	pgbson_seen_iterator scan;
	PgBsonSeen *seen;

	pgbson_seen_start_iterate(c->seen, &scan);
	while ((seen = pgbson_seen_iterate(c->seen, &scan)) != NULL)
	{
		PgBsonCounter *counter = seen->counter;

		if ((counter != NULL ? counter->rows : 1) + seen->missed > c->bucket)
			continue;
		if (counter != NULL && counter->distinct != NULL)
		{
			freeHyperLogLog(counter->distinct);
			pfree(counter->distinct);
		}
		if (counter != NULL)
			pfree(counter);
		pgbson_seen_delete_item(c->seen, seen);
	}
}

/* A counter, which "rows" rows were counted by; of a value, "field" is the hash of its field's key */
static PgBsonCounter *
new_counter(PgBsonCollection *c, Datum key, bool is_value, uint64 field, int rows)
{
	PgBsonCounter *counter = MemoryContextAllocZero(c->context, sizeof(PgBsonCounter));
	const uint8 *bytes;

	counter->len = PgBsonGinKeyBytes(key, &bytes);
	memcpy(counter->key, bytes, counter->len);
	counter->is_value = is_value;
	counter->field = field;
	counter->rows = rows;
	return counter;
}

/* Count the key; false if it was counted for this row already */
static bool
count_key(PgBsonCollection *c, Datum key, uint64 hash, bool is_value, uint64 field)
{
	bool		found;
	PgBsonSeen *seen = pgbson_seen_insert(c->seen, hash, &found);

	if (!found)
	{
		seen->missed = c->bucket;
		seen->counter = is_value ? NULL : new_counter(c, key, false, 0, 1);
	}
	else if (seen->row == c->rows)
		return false;
	else if (seen->counter == NULL)
		seen->counter = new_counter(c, key, true, field, 2);
	else
		seen->counter->rows++;
	seen->row = c->rows;
	c->counted++;
	return true;
}

/* A value of this field, which has this hash, was counted */
static void
count_distinct(PgBsonCollection *c, PgBsonCounter *field, uint64 hash)
{
	if (field->distinct == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(c->context);

		field->distinct = palloc(sizeof(hyperLogLogState));
		initHyperLogLog(field->distinct, DISTINCT_BITS);
		MemoryContextSwitchTo(old);
	}
	addHyperLogLog(field->distinct, (uint32) hash);
	field->values++;
}

/*
 * Examine one document, and add the number of its keys to the cost.  False if
 * it nests more deeply than max_stack_depth allows here, which must not make
 * ANALYZE fail.
 */
static bool
look_into(PgBsonCollection *c, const PgBsonValue *root, PgBsonGinKeys *keys, int64 *cost)
{
	MemoryContext context = CurrentMemoryContext;
	volatile bool fits = true;

	PG_TRY();
	{
		last_field.key = 0;
		*keys = PgBsonGinKeysOf(&stat_class, root);
		*cost += keys->count;
		*cost += PgBsonRangeSampleAdd(c->ranges, root);
	}
	PG_CATCH();
	{
		if (geterrcode() != ERRCODE_STATEMENT_TOO_COMPLEX)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		fits = false;
	}
	PG_END_TRY();
	return fits;
}

/* Count everything in one document; returns the cost, in keys */
static int64
count_document(PgBsonCollection *c, Datum datum)
{
	PgBsonValue root = PgBsonRoot(DatumGetPgBsonPP(datum));
	int64		cost = KEYS_PER_DOCUMENT + root.len / BYTES_PER_KEY;
	PgBsonGinKeys keys;
	uint64		document = 0;
	Datum		field = 0;
	uint64		field_hash = 0;
	PgBsonCounter *counter = NULL;

	if (!look_into(c, &root, &keys, &cost))
		return cost;
	for (int i = 0; i < keys.count; i++)
	{
		StatKey    *key = (StatKey *) DatumGetPointer(keys.keys[i]);
		uint64		hash = hash_of(key->key);
		bool		is_value = key->field != 0 || PgBsonGinIsValueKey(key->key);

		if (key->field != field)
		{
			field = key->field;
			field_hash = field != 0 ? hash_of(field) : 0;
			counter = field != 0 ? PgBsonCounterOf(c, field_hash) : NULL;
		}
		/* equal documents have equal keys */
		document = hash_combine64(document, hash);
		if (count_key(c, key->key, hash, is_value, field_hash) && counter != NULL)
			count_distinct(c, counter, hash);
	}
	c->hashes[c->rows] = document;
	c->rows++;

	if (c->counted / c->bucket_width > c->bucket)
	{
		c->bucket = c->counted / c->bucket_width;
		prune(c);
	}
	return cost;
}

/*
 * The step of a traversal of the n rows of a sample that visits each row once,
 * and whose first rows, for any number of them, are spread evenly: n times the
 * golden section, made coprime to n.
 */
static int
even_step(int n)
{
	int			step = Max((int) (n * 0.6180339887), 1);

	for (;; step++)
	{
		int			a = n;
		int			b = step;

		while (b != 0)
		{
			int			rest = a % b;

			a = b;
			b = rest;
		}
		if (a == 1)
			return step;
	}
}

void
PgBsonCollect(PgBsonCollection *c, VacAttrStatsP stats, AnalyzeAttrFetchFunc fetchfunc,
			  int samplerows, int small, int nkeys)
{
	MemoryContext row_context;
	MemoryContext old;
	int64		left = (int64) PGBSON_STATISTICS_TARGET(stats) * LOOKS_PER_TARGET + (int64) small * LOOKS_PER_SMALL;
	int			step = even_step(Max(samplerows, 1));
	int			row = 0;

	c->context = CurrentMemoryContext;
	if (!pg_strong_random(&c->factor, sizeof(c->factor)))
		c->factor = (uintptr_t) stats;
	c->factor |= 1;
	c->seen = pgbson_seen_create(CurrentMemoryContext, 1024, &c->factor);
	/* the same value as the server uses for the elements of arrays */
	c->bucket_width = ((int64) nkeys + 10) * 1000 / 7;
	c->counted = 0;
	c->bucket = 0;
	c->rows = 0;
	c->hashes = palloc(sizeof(uint64) * Max(samplerows, 1));
	c->ranges = PgBsonRangeSampleBegin(PGBSON_STATISTICS_TARGET(stats));

	row_context = AllocSetContextCreate(CurrentMemoryContext, "bson document",
										ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(row_context);
	for (int i = 0; i < samplerows && left > 0; i++)
	{
		bool		isnull;
		Datum		d = fetchfunc(stats, row, &isnull);

		row = ((int64) row + step) % samplerows;
		if (isnull || toast_raw_datum_size(d) > DOCUMENT_BYTES)
			continue;
		PGBSON_ANALYZE_DELAY();
		left -= count_document(c, d);
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row_context);
}
