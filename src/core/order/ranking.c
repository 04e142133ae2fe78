/*
 * ranking.c
 *	  The n rows with the least or the greatest keys, and a value of each.
 */
#include "core/order/ranking.h"

#include "core/order/compare.h"

static int
compare_ascending(const void *a, const void *b)
{
	const PgBsonRanked *left = a;
	const PgBsonRanked *right = b;
	int			cmp = PgBsonCompare(&left->key, &right->key);

	return cmp != 0 ? cmp : left->place < right->place ? -1 : 1;
}

static int
compare_descending(const void *a, const void *b)
{
	return compare_ascending(b, a);
}

/* By which the worst row is the least */
static PgBsonComparator
comparator_of(const PgBsonRanking *ranking)
{
	return ranking->greatest ? compare_ascending : compare_descending;
}

PgBsonRanking *
PgBsonRankingBegin(MemoryContext context, int64 n, bool greatest)
{
	PgBsonRanking *ranking = MemoryContextAllocZero(context, sizeof(PgBsonRanking));

	ranking->greatest = greatest;
	ranking->n = n;
	ranking->room = Min(n, 4);
	ranking->rows = MemoryContextAlloc(context, ranking->room * sizeof(PgBsonRanked));
	return ranking;
}

/* Replace the root by another row, which goes down to its place */
static void
replace_root(PgBsonRanking *ranking, const PgBsonRanked *row)
{
	PgBsonComparator compare = comparator_of(ranking);
	PgBsonRanked *rows = ranking->rows;
	int64		i = 0;
	int64		child;

	pfree(rows[0].stored);
	pfree(rows[0].value);
	while ((child = 2 * i + 1) < ranking->count)
	{
		if (child + 1 < ranking->count && compare(&rows[child + 1], &rows[child]) < 0)
			child++;
		if (compare(row, &rows[child]) < 0)
			break;
		rows[i] = rows[child];
		i = child;
	}
	rows[i] = *row;
}

void
PgBsonRankingAdd(PgBsonRanking *ranking, PgBson *key, Datum value, bool later)
{
	PgBsonRanked row = {PgBsonRoot(key), NULL, NULL, later ? ranking->seen : -1};
	MemoryContext old;

	if (ranking->count == ranking->n && comparator_of(ranking) (&ranking->rows[0], &row) >= 0)
		return;
	old = MemoryContextSwitchTo(GetMemoryChunkContext(ranking));
	key = DatumGetPgBsonPCopy(PointerGetDatum(key));
	row = (PgBsonRanked) {PgBsonRoot(key), key, DatumGetPgBsonPCopy(value), ranking->seen++};
	MemoryContextSwitchTo(old);
	if (ranking->count == ranking->n)
	{
		replace_root(ranking, &row);
		return;
	}
	if (ranking->count == ranking->room)
	{
		ranking->room = Min(ranking->n, ranking->room * 2);
		ranking->rows = repalloc_huge(ranking->rows, ranking->room * sizeof(PgBsonRanked));
	}
	ranking->rows[ranking->count++] = row;
	/* what is sorted is a heap, too */
	if (ranking->count == ranking->n)
		PgBsonRankingSort(ranking);
}

void
PgBsonRankingSort(PgBsonRanking *ranking)
{
	PgBsonSort(ranking->rows, ranking->count, sizeof(PgBsonRanked), comparator_of(ranking));
}
