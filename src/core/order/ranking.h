/*
 * ranking.h
 *	  The n rows with the least or the greatest keys, and a value of each.
 */
#ifndef PGBSON_RANKING_H
#define PGBSON_RANKING_H

#include "core/bytes/sort.h"
#include "core/bytes/view.h"

typedef struct PgBsonRanked
{
	PgBsonValue key;			/* within "stored" */
	PgBson	   *stored;
	PgBson	   *value;
	int64		place;			/* when it came */
} PgBsonRanked;

/*
 * Once there are n rows, they are a heap, at whose root is the row that a better one replaces: of those with the worst
 * key, among least keys the last that came, among greatest keys the first.  See accumulator_multi.cpp of MongoDB,
 * whose results are the same also where keys are equal.
 */
typedef struct PgBsonRanking
{
	uint64		magic;			/* for an aggregate's functions */
	bool		greatest;		/* the rows with the greatest keys are kept */
	int64		n;				/* the most rows to be kept */
	int64		seen;
	int64		count;
	int64		room;
	PgBsonRanked *rows;
} PgBsonRanking;

/* An empty ranking, palloc'd in "context", in which its rows will be */
extern PgBsonRanking *PgBsonRankingBegin(MemoryContext context, int64 n, bool greatest);

/*
 * Consider a row, of which copies are made.  If "later" is false, it does not replace one with an equal key: it is
 * compared as if it came first.
 */
extern void PgBsonRankingAdd(PgBsonRanking *ranking, PgBson *key, Datum value, bool later);

/* Sort the rows, those with the worst keys first; more can be added afterwards */
extern void PgBsonRankingSort(PgBsonRanking *ranking);

#endif							/* PGBSON_RANKING_H */
