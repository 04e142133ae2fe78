/*
 * build.h
 *	  Making a whole document with libbson: for the slow way of JSON text.
 *
 * Everything else is written by core/write/write.h, which does not load libbson.
 *
 * The caller adds the parts of a value in the order in which they are stored:
 * open, key, value, close.  Array elements need no key; a root that is not a
 * document is put into an envelope (pgbson.h).  Keys and strings must be valid
 * UTF-8; a key must not contain U+0000.
 *
 *		b = PgBsonBuilderBegin();
 *		PgBsonBuilderOpenDocument(b);
 *		PgBsonBuilderKey(b, "a", 1);
 *		PgBsonBuilderInt32(b, 5);
 *		PgBsonBuilderClose(b);
 *		result = PgBsonBuilderFinish(b);
 *
 * The bytes are in a varlena that grows by repalloc, in the memory context that is
 * current at Begin; libbson's own struct, which is malloc'd, is released together
 * with that context, so an error leaks nothing.  Nesting beyond
 * PGBSON_MAX_DEPTH raises 54001, size beyond PGBSON_MAX_SIZE 54000.
 *
 * A datum of one value that is already encoded needs no builder, see
 * core/write/from_value.h.
 */
#ifndef PGBSON_BUILD_H
#define PGBSON_BUILD_H

#include "core/bytes/view.h"

typedef struct PgBsonBuilder PgBsonBuilder;

/* Begin a value.  The builder is palloc'd in a child of the current memory context. */
extern PgBsonBuilder *PgBsonBuilderBegin(void);

/* Returns the datum, palloc'd in the context that was current at Begin, and frees the builder */
extern PgBson *PgBsonBuilderFinish(PgBsonBuilder *b);

/* Set the key of the next value or container.  It is not copied, so it must live until that is added. */
extern void PgBsonBuilderKey(PgBsonBuilder *b, const char *key, uint32 len);

extern void PgBsonBuilderOpenDocument(PgBsonBuilder *b);
extern void PgBsonBuilderOpenArray(PgBsonBuilder *b);
extern void PgBsonBuilderClose(PgBsonBuilder *b);

/* Add one value; strings, of "len" bytes, are copied */
extern void PgBsonBuilderNull(PgBsonBuilder *b);
extern void PgBsonBuilderBool(PgBsonBuilder *b, bool v);
extern void PgBsonBuilderInt32(PgBsonBuilder *b, int32 v);
extern void PgBsonBuilderInt64(PgBsonBuilder *b, int64 v);
extern void PgBsonBuilderDouble(PgBsonBuilder *b, double v);
extern void PgBsonBuilderString(PgBsonBuilder *b, const char *s, uint32 len);

/* A value that is not a document, copied byte for byte */
extern void PgBsonBuilderValue(PgBsonBuilder *b, const PgBsonValue *value);

#endif							/* PGBSON_BUILD_H */
