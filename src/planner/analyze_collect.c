/*
 * analyze_collect.c
 *	  ANALYZE of a bson column: which documents of the sample are examined.
 */
#include "planner/analyze.h"

#include "access/detoast.h"

/*
 * How much of the sample is examined: LOOKS_PER_TARGET fields and values for each unit of
 * the statistics target, which takes about 1 ms at the default target of 100;
 * and LOOKS_PER_SMALL more for each small value, for which the server has
 * taken much longer.  The cost of fetching bytes, and that of each document, is expressed in these.
 * But LEAST_DOCUMENTS are examined, however large they are: each counts for no
 * more than its share, so that a single large one does not leave nothing for the
 * others.  What they really cost is at most MOST_BUDGETS times as much, and
 * they have at most this number of bytes, which takes less than 0.1 s.
 */
#define LOOKS_PER_TARGET	250
#define LOOKS_PER_SMALL		1
#define BYTES_PER_LOOK		256
#define LOOKS_PER_DOCUMENT	4
#define LOOKS_PER_EXTERNAL	64
#define LEAST_DOCUMENTS		30
#define MOST_BUDGETS		10
#define BYTES_PER_TARGET	(160 * 1024)

/* Larger documents are left out, in bytes */
#define DOCUMENT_BYTES		(2 * 1024 * 1024)

/*
 * Examine one document.  If it nests more deeply than max_stack_depth allows
 * here, only a part of it is, as this must not make ANALYZE fail.
 */
static void
look_into(PgBsonCollection *c, Datum datum)
{
	MemoryContext context = CurrentMemoryContext;
	PgBson	   *doc = DatumGetPgBsonPP(datum);
	PgBsonValue root = PgBsonRoot(doc);

	c->keys = (PgBsonGinKeys) {NULL};
	c->bytes += root.len;
	c->cost += LOOKS_PER_DOCUMENT + root.len / BYTES_PER_LOOK;
	if (VARATT_IS_EXTERNAL(DatumGetPointer(datum)))
		c->cost += LOOKS_PER_EXTERNAL + root.len / BYTES_PER_LOOK;
	PG_TRY();
	{
		PgBsonWalkDocument(c, &root);
	}
	PG_CATCH();
	{
		if (geterrcode() != ERRCODE_STATEMENT_TOO_COMPLEX)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
	c->containers += PgBsonIsContainer(root.type);
	c->rows++;
}

void
PgBsonCollect(PgBsonCollection *c, VacAttrStatsP stats, AnalyzeAttrFetchFunc fetchfunc,
			  int samplerows, int small, int wide, int nkeys)
{
	MemoryContext row_context;
	MemoryContext old;
	int64		target = PGBSON_STATISTICS_TARGET(stats);
	int64		budget = target * LOOKS_PER_TARGET + (int64) small * LOOKS_PER_SMALL;
	int64		charged = 0;
	int		   *order = palloc(sizeof(int) * samplerows);

	memset(c, 0, sizeof(*c));
	PgBsonCountBegin(c, nkeys);
	c->ranges = PgBsonRangeSampleBegin(target);

	row_context = AllocSetContextCreate(CurrentMemoryContext, "bson document",
										ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(row_context);
	for (int i = 0; i < samplerows; i++)
		order[i] = i;
	for (int i = 0; i < samplerows && charged < budget &&
		 c->cost < budget * MOST_BUDGETS && c->bytes < target * BYTES_PER_TARGET; i++)
	{
		/* by chance: what is in every 30th row would be over- or underrepresented in rows at even distances */
		int			chosen = i + (int) PgBsonNextRandom(&c->random, samplerows - i);
		int			row = order[chosen];
		int64		before = c->cost;
		bool		isnull;
		Datum		d = fetchfunc(stats, row, &isnull);

		order[chosen] = order[i];
		if (isnull || toast_raw_datum_size(d) > DOCUMENT_BYTES)
			continue;
		PGBSON_ANALYZE_DELAY();
		look_into(c, d);
		charged += Min(c->cost - before, budget / LEAST_DOCUMENTS);
		PgBsonForgetRare(c);
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row_context);
	c->keys = (PgBsonGinKeys) {NULL};
}
