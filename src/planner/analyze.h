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

/* The counters of one key */
typedef struct PgBsonCounter
{
	uint8		len;
	uint8		key[PGBSON_GIN_KEY_MAX];
	bool		is_value;
	uint64		field;			/* of a value: the hash of its field's key; 0: it has none */
	int			rows;			/* rows with the key */
	/* of a field */
	hyperLogLogState *distinct; /* a sketch of its distinct values; NULL if there were none yet */
	int64		values;			/* pairs of a row and a distinct value in it */
	int64		listed;			/* such pairs whose value has a key that is kept */
	int			nlisted;		/* values that have such a key */
} PgBsonCounter;

/*
 * A key that was seen, known by its hash: two of 64 bits that are the same by
 * chance would spoil no more than an estimate.  Most values are in one row only, and get no counter.
 */
typedef struct PgBsonSeen
{
	uint64		hash;
	PgBsonCounter *counter;		/* NULL: of a value that one row had */
	int			row;			/* the last row counted */
	int			missed;			/* at most this many rows had the key before it was seen */
	char		status;			/* the hash table's */
} PgBsonSeen;

typedef struct PgBsonCollection
{
	struct pgbson_seen_hash *seen;
	uint64		factor;			/* of its hash function, odd */
	MemoryContext context;
	int64		counted;		/* keys so far */
	int64		bucket_width;	/* of lossy counting */
	int			bucket;
	int			rows;			/* the number examined */
	uint64	   *hashes;			/* of the documents */
	PgBsonRangeSample *ranges;
} PgBsonCollection;

/* Count the keys in the documents of a sample, of which "small" are so small that the server examined them, too; "nkeys" of them will be kept */
extern void PgBsonCollect(PgBsonCollection *c, VacAttrStatsP stats,
						  AnalyzeAttrFetchFunc fetchfunc, int samplerows,
						  int small, int nkeys);

/* The counter of the key with this hash, or NULL; those of all keys that were not in a single row, palloc'd */
extern PgBsonCounter *PgBsonCounterOf(PgBsonCollection *c, uint64 hash);
extern PgBsonCounter **PgBsonCounters(PgBsonCollection *c, int *count);

#endif							/* PGBSON_ANALYZE_H */
