/*
 * elements.h
 *	  A growing list of elements, for aggregates; keys that occur twice.
 *
 * The list is a run of BSON elements as they stand in a document: type, key,
 * value.  Elements for an array have empty keys until the array is made, so
 * that two lists join by joining their bytes.
 *
 * A list may also remember a key without a value (only to find out that it
 * occurs twice): its type is PGBSON_EOD.
 */
#ifndef PGBSON_ELEMENTS_H
#define PGBSON_ELEMENTS_H

#include "core/bytes/view.h"

/* What a list begins with, to be told from a state of other aggregates */
#define PGBSON_ELEMENTS_MAGIC	UINT64CONST(0xb50e1e3e1757a7e5)

typedef struct PgBsonElements
{
	uint64		magic;
	uint8	   *data;
	uint32		len;			/* bytes used */
	uint32		size;			/* bytes allocated */
	uint32		count;			/* elements, those without a value included */
	bool		has_bare;		/* some have no value */
} PgBsonElements;

/* An empty list, palloc'd in "context", in which it also grows; it lives as long as the context */
extern PgBsonElements *PgBsonElementsBegin(MemoryContext context);

/* Add an element, whose key and value are copied.  If "value" is NULL only the key is remembered. */
extern void PgBsonElementsAppend(PgBsonElements *list, const char *key, uint32 key_len,
								 const PgBsonValue *value);

/* Copy the elements of "other" to the end of "list" */
extern void PgBsonElementsJoin(PgBsonElements *list, const PgBsonElements *other);

/* An array, palloc'd, of the elements' values */
extern PgBson *PgBsonElementsToArray(const PgBsonElements *list);

/* An array, palloc'd, of these values; 54000 if it is too large, 54001 if it nests too deeply */
extern PgBson *PgBsonArrayOf(const PgBsonValue *values, uint32 count);

/*
 * A document, palloc'd.  Of elements with the same key the last one's value
 * counts, at the first one's place; or, with "unique", they are an error 22030.
 */
extern PgBson *PgBsonElementsToDocument(const PgBsonElements *list, bool unique);

#endif							/* PGBSON_ELEMENTS_H */
