/*
 * analyze.h
 *	  What ANALYZE of a bson column keeps while it examines documents: the
 *	  places where values are, and how often each value is there.
 */
#ifndef PGBSON_ANALYZE_H
#define PGBSON_ANALYZE_H

#include "planner/statistics.h"

#include "commands/vacuum.h"

typedef struct PgBsonPlace PgBsonPlace;
typedef struct PgBsonRangeGroup PgBsonRangeGroup;

/*
 * How often something was met.  Of a large array only one element in n is
 * examined, which then weighs n.  So of the documents where it is met
 * in such an array there are more than were found; of the others there are not.
 */
typedef struct PgBsonMet
{
	int			rows;			/* documents with it */
	int			last;			/* the last of them */
	int			part_rows;		/* those where it was met in part of an array */
	int64		part_times;		/* how many times there */
	double		part_weight;	/* of these */
} PgBsonMet;

/*
 * A place where values are: a path, and the arrays on the way.  Documents
 * resemble one another, so a place remembers which name came next the last time:
 * a place is then found by comparing the name.
 */
struct PgBsonPlace
{
	PgBsonGinPath path;
	const char *name;			/* the last of the path; NULL if it is long */
	uint8		name_len;
	bool		open;			/* the values of the field are counted in each row, as it is one of the first that two rows have */
	bool		closed;			/* they no longer are, because there are too many other fields */
	uint32		document;		/* the last document, the root's or one within, that had the name */
	PgBsonPlace *first;			/* a name in a document at this place, the first one in the last of them */
	PgBsonPlace *next;			/* the name that came after this one */
	PgBsonPlace *elements;		/* the place of the elements of an array at this place; NULL: not met yet */
	PgBsonPlace *field;			/* whose values are those at this place, see PgBsonStatFieldVia */
	PgBsonPlace *parent;		/* of a field: the place of a document with it */
	int			part_rows;		/* rows with documents at this place that are in parts of arrays */
	int			last_part;		/* the last of them */
	PgBsonRangeGroup **groups;	/* the values at this place, by their types */
	PgBsonRangeGroup *own_groups;
	PgBsonMet	met;			/* the field; none if values come here only as elements */
	/* the values of the field */
	PgBsonMet	scalars;
	int64		pairs;			/* of a row and a distinct value in it, met there once or more */
	int64		part_pairs;		/* of these, the ones in parts of arrays */
	int64		distinct;		/* values */
	int64		repeated;		/* of these, the ones that more than one row has */
	double		listed;			/* pairs whose value has a key that is kept */
	double		listed_part_rows;	/* of these, the ones in parts of arrays */
	double		listed_part_times;	/* how often the values were met there */
	double		squares;		/* of the rows of repeated values, the sum */
	double		frequencies;	/* of repeated values, the sum */
	int			nlisted;		/* values that have such a key */
	float		pair_weight;	/* how many pairs one met in part of an array stands for */
};

/* A key that more than one row may have */
typedef struct PgBsonCounter
{
	uint8		len;
	uint8		key[PGBSON_GIN_KEY_MAX];
	bool		is_value;
	bool		counted_late;	/* from the second row on */
	PgBsonPlace *place;			/* of the field, or of the value's field */
	int			rows;			/* 0: the counter is not in use */
	int			missed;			/* at most this many rows had the key before it was counted */
	uint32		next_unused;
	int			part_rows;		/* as in PgBsonMet */
	int64		part_times;
	double		frequency;		/* the fraction of rows */
	double		surplus;		/* how many rows more, or fewer, a value was met in than is expected of one without a key */
} PgBsonCounter;

typedef struct PgBsonCollection
{
	MemoryContext context;
	struct pgbson_values_hash *values;
	struct pgbson_places_hash *places;
	PgBsonCounter *counters;
	uint32		ncounters;
	uint32		room;
	uint32		unused;			/* number of a counter, from 1 on; 0: there is none */
	uint64		factor;			/* of their hash functions, odd */
	PgBsonPlace *root;
	int			nkeys;			/* about the number of keys that will be kept */
	int			nopen;			/* fields whose values are counted in each row */
	int64		counted;		/* values so far, each once for a row */
	int64		bucket_width;	/* of lossy counting */
	int			bucket;
	int			rows;			/* the number examined */
	int			containers;		/* of these: documents and arrays, not scalars */
	uint32		documents;		/* the number of documents so far, with those within others */
	int64		cost;			/* in values */
	int64		bytes;			/* of the documents */
	uint64		random;			/* state of PgBsonNextRandom */
	PgBsonGinKeys keys;			/* memory for keys of the current row */
	struct PgBsonRangeSample *ranges;
} PgBsonCollection;

/* A random number below "n"; the same ones each time, so that the same rows have the same statistics */
static inline uint32
PgBsonNextRandom(uint64 *state, uint32 n)
{
	*state = *state * UINT64CONST(6364136223846793005) + UINT64CONST(1442695040888963407);
	return (uint32) ((*state >> 32) * n >> 32);
}

/* --- analyze_collect.c: the sample --- */

/* The server examines no values of more bytes: WIDTH_THRESHOLD in its analyze.c */
#define PGBSON_WIDE_VALUE	1024

/* Examine documents of a sample of "small" and "wide" ones; about "nkeys" keys will be kept */
extern void PgBsonCollect(PgBsonCollection *c, VacAttrStatsP stats,
						  AnalyzeAttrFetchFunc fetchfunc, int samplerows,
						  int small, int wide, int nkeys);

/* --- analyze_walk.c: through one document --- */

extern void PgBsonWalkDocument(PgBsonCollection *c, const PgBsonValue *root);

/* --- analyze_count.c: counting --- */

extern void PgBsonCountBegin(PgBsonCollection *c, int nkeys);

/* The place at this path; NULL if there are too many already */
extern PgBsonPlace *PgBsonPlaceAt(PgBsonCollection *c, const PgBsonGinPath *path);

/* Count a scalar at a place, or a string that ? finds like a field; "weight" is as in PgBsonMet */
extern void PgBsonCountValue(PgBsonCollection *c, PgBsonPlace *place, const PgBsonValue *value, double weight);
extern void PgBsonCountName(PgBsonCollection *c, const PgBsonValue *string, double weight);

/* Forget values that were rare so far, if it is time */
extern void PgBsonForgetRare(PgBsonCollection *c);

/* The keys, of fields and values, whose number of rows is known well enough; palloc'd */
extern PgBsonCounter **PgBsonCounters(PgBsonCollection *c, int *count);

/* How many distinct values of the field a row has, if "pairs" of a row and a value were met; those in elements that were not examined are added */
extern double PgBsonPairsPerRow(const PgBsonCollection *c, const PgBsonPlace *field, double pairs);

/* How often the key was met in parts of arrays */
extern double PgBsonPartTimes(const PgBsonCounter *counter);

/* In how many of the documents examined to expect one particular value of a field, of those with no key that is kept; in which fraction of rows */
extern double PgBsonRestRows(const PgBsonCollection *c, const PgBsonPlace *field, double nonnull_rows);
extern double PgBsonRestFrequency(const PgBsonCollection *c, const PgBsonPlace *field, double nonnull_rows);

/* --- analyze_choose.c: which keys are kept --- */

/*
 * The counters of keys to keep, at most "wanted", in the order of keys: palloc'd.
 * *absent is the fraction of rows to be expected with a field that is not kept.
 */
extern PgBsonCounter **PgBsonChooseKeys(PgBsonCollection *c, int wanted, double nonnull_rows, int *count, double *absent);

/* --- analyze_range.c: histograms --- */

typedef struct PgBsonRangeSample PgBsonRangeSample;

/* Begin samples of the values at each place, in the current memory context, for this statistics target */
extern PgBsonRangeSample *PgBsonRangeSampleBegin(int target);

/* Add a value, which is the first such value in its row */
extern void PgBsonRangeSampleAdd(PgBsonRangeSample *s, PgBsonGinKeys *keys, const PgBsonPlace *place,
								 const PgBsonValue *value, double weight);

/*
 * The bounds of the histograms and their number, and for each bound the number
 * of values of its path and type per document; palloc'd.
 */
extern int	PgBsonRangeSampleFinish(const PgBsonCollection *c, Datum **bounds, float4 **counts);

#endif							/* PGBSON_ANALYZE_H */
