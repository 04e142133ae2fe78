/*
 * build.h
 *	  A datum that libbson writes: for the slow way of JSON text.
 *
 * Everything else is written by core/write/write.h, which does not load libbson.
 *
 *		b = PgBsonBuilderBegin();
 *		LIBBSON->bson_append_int32(b->doc, "a", 1, 5);
 *		result = PgBsonBuilderFinish(b, false);
 *
 * The bytes are in a varlena that grows by repalloc, in the memory context that is
 * current at Begin; libbson's own struct, which is malloc'd, is released together
 * with that context, so an error leaks nothing.  Size beyond PGBSON_MAX_SIZE
 * raises 54000.
 */
#ifndef PGBSON_BUILD_H
#define PGBSON_BUILD_H

#include "libraries/libbson.h"

typedef struct PgBsonBuilder
{
	bson_t	   *doc;			/* the stored document, malloc'd by libbson */
	uint8	   *buf;			/* its bytes, inside the varlena */
	size_t		buf_len;		/* bytes libbson may use at buf */
	MemoryContext context;		/* of the builder; a child of the caller's */
	MemoryContext result_context;
	MemoryContextCallback release;
} PgBsonBuilder;

/* Begin a document.  The builder is palloc'd in a child of the current memory context. */
extern PgBsonBuilder *PgBsonBuilderBegin(void);

/*
 * Returns the datum, palloc'd in the context that was current at Begin, and frees the builder.  "enveloped": what was
 * written is an envelope (pgbson.h); another document that looks like one gets one.
 */
extern PgBson *PgBsonBuilderFinish(PgBsonBuilder *b, bool enveloped);

/* Write a number as the key of an array element; returns its length */
#define PGBSON_INDEX_SIZE	11
extern int	PgBsonBuilderIndex(uint32 index, char *key);

#endif							/* PGBSON_BUILD_H */
