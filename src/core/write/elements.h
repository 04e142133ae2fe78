/*
 * elements.h
 *	  A growing list of elements, for aggregates, and the array or document made of it.
 *
 * The list has the bytes of the elements as a document has them: type, key, value.
 * Elements for an array have empty keys until the array is made, so two lists are
 * joined by joining their bytes.
 *
 * A list may also have a key without a value, of type PGBSON_EOD.  It is not in the
 * document, but counts where a key that occurs twice is an error.
 *
 * What is too large raises 54000.
 */
#ifndef PGBSON_ELEMENTS_H
#define PGBSON_ELEMENTS_H

#include "core/write/write.h"

/* The first member of a list, which tells it from the state of another aggregate */
#define PGBSON_ELEMENTS_MAGIC	UINT64CONST(0xb50e1e3e1757a7e5)

typedef struct PgBsonElements
{
	uint64		magic;
	PgBsonWriter w;				/* the bytes of the elements; its count includes those without a value */
	bool		has_bare;		/* is there an element without a value? */
	bool		is_set;			/* of equal values only the first counts; whoever makes the array sees to it */
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

/* An array, palloc'd, of these values; 54001 if one of them is nested too deeply for that */
extern PgBson *PgBsonArrayOf(const PgBsonValue *values, uint32 count);

/*
 * A document, palloc'd.  If elements have the same key, the value of the last one counts, in the place
 * of the first one; or, with "unique", error 22030 is raised.
 */
extern PgBson *PgBsonElementsToDocument(const PgBsonElements *list, bool unique);

#endif							/* PGBSON_ELEMENTS_H */
