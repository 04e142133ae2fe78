/*
 * analyze_count.c
 *	  ANALYZE of a bson column: counting paths, and values at paths, in documents.
 *
 * By the method of Manku and Motwani (lossy counting) that the server uses for
 * the elements of arrays: what is frequent is counted, what is rare is
 * forgotten from time to time, so that memory is bounded.
 */
#include "sql/analyze.h"

#include "access/detoast.h"
#include "common/hashfn.h"
#include "core/compare.h"

/* No more than this of the sample is read, in bytes; of larger documents, fewer */
#define SAMPLE_BYTES		(256 * 1024 * 1024)

/* Larger documents are left out, in bytes */
#define DOCUMENT_BYTES		(4 * 1024 * 1024)

/* Registers of the distinct counter of a path, as a power of two */
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

/* Forget what was seen too seldom to become frequent */
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

/* Count the key; NULL if it was in this row before */
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

/* All there is in one document */
static void
count_document(PgBsonCollection *c, Datum datum)
{
	PgBsonValue root = PgBsonRoot(DatumGetPgBsonPP(datum));
	PgBsonGinKeys keys = PgBsonGinKeysOf(&stat_class, &root);

	c->hashes[c->rows] = PgBsonHash(&root, 0);
	PgBsonRangeSampleAdd(c->ranges, &root);
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
}

void
PgBsonCollect(PgBsonCollection *c, VacAttrStatsP stats, AnalyzeAttrFetchFunc fetchfunc,
			  int samplerows, int nkeys)
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
	ctl.entrysize = sizeof(PgBsonCounter);
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
