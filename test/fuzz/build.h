/*
 * build.h
 *	  Making values part by part: open, key, value, close.  Array elements need no key.
 */
#ifndef FUZZ_BUILD_H
#define FUZZ_BUILD_H

#include "core/write/from_value.h"
#include "core/write/write.h"

typedef struct FuzzOpen
{
	Size		start;
	bool		is_array;
	uint32		count;
} FuzzOpen;

typedef struct PgBsonBuilder
{
	PgBsonWriter w;
	int			depth;			/* the number of open containers; number 0 is around the root */
	FuzzOpen	open[PGBSON_MAX_DEPTH + 2];
} PgBsonBuilder;

static inline PgBsonBuilder *
PgBsonBuilderBegin(void)
{
	PgBsonBuilder *b = palloc(sizeof(PgBsonBuilder));

	PgBsonWriterInit(&b->w, 0);
	b->depth = 0;
	b->open[0].is_array = false;
	return b;
}

static inline PgBson *
PgBsonBuilderFinish(PgBsonBuilder *b)
{
	PgBsonValue root = PgBsonWriterRoot(&b->w);

	return PgBsonFromValue(&root);
}

static inline void
PgBsonBuilderKey(PgBsonBuilder *b, const char *key, uint32 len)
{
	PgBsonWriterKey(&b->w, PGBSON_EOD, key, len);
}

/* The writer of the next value: in an array it has its number as key */
static inline PgBsonWriter *
FuzzNext(PgBsonBuilder *b)
{
	FuzzOpen   *around = &b->open[b->depth];

	if (around->is_array)
		PgBsonWriterIndex(&b->w, PGBSON_EOD, around->count++);
	return &b->w;
}

static inline void
FuzzOpenContainer(PgBsonBuilder *b, PgBsonType type)
{
	Size		start = PgBsonWriterOpenValue(FuzzNext(b), type);

	b->open[++b->depth] = (FuzzOpen) {start, type == PGBSON_ARRAY, 0};
}

#define PgBsonBuilderOpenDocument(b)	FuzzOpenContainer(b, PGBSON_DOCUMENT)
#define PgBsonBuilderOpenArray(b)		FuzzOpenContainer(b, PGBSON_ARRAY)
#define PgBsonBuilderClose(b)			PgBsonWriterClose(&(b)->w, (b)->open[(b)->depth--].start)
#define PgBsonBuilderNull(b)			PgBsonWriterNull(FuzzNext(b))
#define PgBsonBuilderBool(b, v)			PgBsonWriterBool(FuzzNext(b), v)
#define PgBsonBuilderInt32(b, v)		PgBsonWriterInt32(FuzzNext(b), v)
#define PgBsonBuilderInt64(b, v)		PgBsonWriterInt64(FuzzNext(b), v)
#define PgBsonBuilderDouble(b, v)		PgBsonWriterDouble(FuzzNext(b), v)
#define PgBsonBuilderString(b, s, len)	PgBsonWriterString(FuzzNext(b), s, len)
#define PgBsonBuilderValue(b, ...)		PgBsonWriterPut(FuzzNext(b), __VA_ARGS__)

#endif							/* FUZZ_BUILD_H */
