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
#include "core/hash.h"

/*
 * How much of the sample is examined: LOOKS_PER_TARGET keys for each unit of
 * the statistics target, which takes a quarter of a second at the default
 * target of 100.  The cost of fetching and hashing bytes, and that of each
 * document, is expressed in keys.
 */
#define LOOKS_PER_TARGET		4000
#define BYTES_PER_KEY		256
#define KEYS_PER_DOCUMENT	8

/* Larger documents are left out, in bytes */
#define DOCUMENT_BYTES		(2 * 1024 * 1024)

/* The number of registers of a path's distinct counter, as a power of two */
#define DISTINCT_BITS		8

typedef struct StatKey
{
	Datum		key;
	Datum		field;			/* of a value: the key of its field; 0: none */
} StatKey;

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

/* Remove the keys that were seen too rarely to be frequent */
static void
prune(PgBsonCollection *c)
{
	HASH_SEQ_STATUS scan;
	PgBsonCounter    *counter;

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

/* Count the key; NULL if it was counted for this row already */
static PgBsonCounter *
count_key(PgBsonCollection *c, const char *padded)
{
	bool		found;
	PgBsonCounter    *counter = hash_search(c->counters, padded, HASH_ENTER, &found);

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
count_value(PgBsonCollection *c, const StatKey *key, PgBsonCounter *counter)
{
	PgBsonCounter    *field;
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
		c->hashes[c->rows] = PgBsonHash(root, 0);
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

	if (!look_into(c, &root, &keys, &cost))
		return cost;
	for (int i = 0; i < keys.count; i++)
	{
		StatKey    *key = (StatKey *) DatumGetPointer(keys.keys[i]);
		char		padded[PGBSON_STAT_KEY_ROOM];
		PgBsonCounter    *counter;

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
			  int samplerows, int nkeys)
{
	HASHCTL		ctl;
	MemoryContext row_context;
	MemoryContext old;
	int64		left = (int64) PGBSON_STATISTICS_TARGET(stats) * LOOKS_PER_TARGET;
	int			step = even_step(Max(samplerows, 1));
	int			row = 0;

	c->context = CurrentMemoryContext;
	ctl.keysize = PGBSON_STAT_KEY_ROOM;
	ctl.entrysize = sizeof(PgBsonCounter);
	ctl.hcxt = CurrentMemoryContext;
	c->counters = hash_create("bson statistics", 1024, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	/* the same value as the server uses for the elements of arrays */
	c->bucket_width = ((int64) nkeys + 10) * 1000 / 7;
	c->counted = 0;
	c->bucket = 0;
	c->rows = 0;
	c->hashes = palloc(sizeof(uint64) * Max(samplerows, 1));
	c->ranges = PgBsonRangeSampleBegin();

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
