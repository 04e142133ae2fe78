/*
 * analyze.h
 *	  The counters of keys that ANALYZE of a bson column keeps while it
 *	  examines documents.
 */
#ifndef PGBSON_ANALYZE_H
#define PGBSON_ANALYZE_H

#include "planner/statistics.h"

#include "commands/vacuum.h"
#include "lib/hyperloglog.h"
#include "utils/hsearch.h"

/* The counters of one key */
typedef struct PgBsonCounter
{
	char		key[PGBSON_STAT_KEY_ROOM];	/* the hash table's key, which must come first: length, bytes, zeroes */
	char		field[PGBSON_STAT_KEY_ROOM];	/* of a value; length 0: none */
	bool		is_value;
	int			rows;			/* rows with the key */
	int			missed;			/* at most this many rows had the key before its counter was made */
	int			last_row;		/* the last row counted */
	/* of a field */
	hyperLogLogState *distinct; /* a sketch of its distinct values; NULL if there were none yet */
	int64		values;			/* pairs of a row and a distinct value in it */
	int64		listed;			/* such pairs whose value has a key that is kept */
	int			nlisted;		/* values that have such a key */
} PgBsonCounter;

typedef struct PgBsonCollection
{
	HTAB	   *counters;
	MemoryContext context;
	int64		counted;		/* keys so far */
	int64		bucket_width;	/* of lossy counting */
	int			bucket;
	int			rows;			/* the number examined */
	uint64	   *hashes;			/* of the documents */
	PgBsonRangeSample *ranges;
} PgBsonCollection;

/* Count the keys in the documents of a sample; "nkeys" of them will be kept */
extern void PgBsonCollect(PgBsonCollection *c, VacAttrStatsP stats,
						  AnalyzeAttrFetchFunc fetchfunc, int samplerows, int nkeys);

#endif							/* PGBSON_ANALYZE_H */
