/*
 * statistics.h
 *	  The statistics that ANALYZE stores of the contents of a bson column.
 *
 * The server keeps statistics of whole documents, which say nothing about
 * their fields.  So ANALYZE also looks into some documents of its sample and
 * stores in a slot of pg_statistic, of a kind of our own, one bytea with:
 *
 *		PgBsonStatistics				the header
 *		uint64 hashes[nfields]			which field, in ascending order
 *		uint64 hashes[nvalues]			which value of a field, likewise
 *		PgBsonHistogram[nhistograms]	of the values of one type in a field
 *		uint64[nbounds]					the bounds of all histograms
 *		PgBsonFieldNumbers[nfields]		of each field
 *		float4[nvalues]					the fraction of rows with the value
 *
 * Fields and values are identified by 64-bit hashes.  If two have the same hash by chance, one is
 * estimated like the other, which is harmless.  A fraction is always of the rows in which the
 * column is not NULL.
 *
 * In addition, the names of fields of root documents are stored in a slot of
 * the kind MCELEM, which the view pg_stats shows.
 */
#ifndef PGBSON_STATISTICS_H
#define PGBSON_STATISTICS_H

#include "index/gin.h"

#include "common/hashfn.h"
#include "core/order/compare.h"

/* The slot's kind, from the range that pg_statistic.h reserves for private use */
#define PGBSON_STATISTIC_KIND	24317

/* The header's first number: another extension might use the same kind */
#define PGBSON_STATISTICS_MAGIC	0x62736e32

/* How many bytes of the sortable encoding of a value (core/order/sortable.c) histograms use */
#define PGBSON_SORT_BYTES		16

/* Only this many bytes of a longer value are looked at */
#define PGBSON_FRONT_BYTES		256

typedef struct PgBsonStatistics
{
	uint32		magic;
	uint32		nfields;
	uint32		nvalues;
	uint32		nhistograms;
	uint32		nbounds;
	float4		absent;			/* the fraction of rows expected to have a field that is not kept */
	float4		absent_in_array[2];	/* the same of documents in an array: [0] in a field, [1] in a root array */
} PgBsonStatistics;

typedef struct PgBsonFieldNumbers
{
	float4		rows;			/* the fraction of rows with the field */
	float4		rest;			/* the fraction of rows with one particular value of the field that is not kept */
	float4		any;			/* the average fraction of rows with a value; 0: the field has no scalars */
} PgBsonFieldNumbers;

typedef struct PgBsonHistogram
{
	uint64		head;			/* see PgBsonRangeHead */
	float4		values;			/* how many such values a row has on average */
	uint32		nbounds;		/* at least 2; between any two neighbours there are equally many values */
	uint32		common;			/* how many first bytes all values share, up to 8 */
	uint8		bytes[12];		/* the shared bytes; each bound is the next 8 bytes, big-endian */
} PgBsonHistogram;

/* The path of a field is identified by its names, and by whether arrays are on the way */
static inline uint64
PgBsonPathHash(uint64 names, PgBsonGinVia via)
{
	return names + ((uint64) via << 62);
}

/* The hash of a field, or of the elements of an array in it */
static inline uint64
PgBsonFieldHash(uint64 names, PgBsonGinVia via)
{
	return hash_combine64(PgBsonPathHash(names, via), UINT64CONST(0x6669656c64));
}

/*
 * The hash of a value in a field.  Equal values have equal hashes; of a long string only its length
 * and its first bytes count.
 */
static inline uint64
PgBsonStatHash(const PgBsonValue *value, uint64 names, PgBsonGinVia via)
{
	uint64		path = PgBsonPathHash(names, via);

	return value->len > PGBSON_FRONT_BYTES ? hash_bytes_extended(value->data, PGBSON_FRONT_BYTES, path + value->len)
		: PgBsonHash(value, path);
}

/* The head of a histogram: the first bytes of the keys that bson_range_ops makes of its values */
static inline uint64
PgBsonRangeHead(const uint8 *key)
{
	StaticAssertStmt(PGBSON_GIN_RANGE_HEAD == 5, "this reads five bytes");
	return (uint64) PgBsonReadU32(key) << 8 | key[4];
}

#endif							/* PGBSON_STATISTICS_H */
