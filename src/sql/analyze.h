/*
 * analyze.h
 *	  The counters of keys that ANALYZE of a bson column keeps while it looks
 *	  into documents.
 */
#ifndef PGBSON_ANALYZE_H
#define PGBSON_ANALYZE_H

#include "sql/statistics.h"

#include "commands/vacuum.h"
#include "lib/hyperloglog.h"
#include "utils/hsearch.h"

/* What is counted of one key */
typedef struct PgBsonCounter
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
} PgBsonCounter;

typedef struct PgBsonCollection
{
	HTAB	   *counters;
	MemoryContext context;
	int64		counted;		/* keys so far */
	int64		bucket_width;	/* of lossy counting */
	int			bucket;
	int			rows;			/* looked into */
	uint64	   *hashes;			/* of the documents */
	PgBsonRangeSample *ranges;
} PgBsonCollection;

/* Count what is in the documents of a sample; "nkeys" are to be kept of it */
extern void PgBsonCollect(PgBsonCollection *c, VacAttrStatsP stats,
						  AnalyzeAttrFetchFunc fetchfunc, int samplerows, int nkeys);

#endif							/* PGBSON_ANALYZE_H */
