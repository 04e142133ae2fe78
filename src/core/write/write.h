/*
 * write.h
 *	  The writer of values: a growing datum; and the copy of a document with
 *	  changes, which is made with it.
 *
 * An element is written as it is stored: its type and its key, then its value.  If the type is not
 * known before the value, the key is written with PGBSON_EOD, and the function that writes the value
 * fills the type in:
 *
 *		PgBsonWriterInit(&w, 0);
 *		start = PgBsonWriterOpenValue(&w, PGBSON_DOCUMENT);
 *		PgBsonWriterKey(&w, PGBSON_EOD, "a", 1);
 *		PgBsonWriterInt32(&w, 5);
 *		PgBsonWriterClose(&w, start);
 *		root = PgBsonWriterRoot(&w);
 *
 * Keys and strings must be valid UTF-8; a key must not contain U+0000.
 */
#ifndef PGBSON_WRITE_H
#define PGBSON_WRITE_H

#include "core/bytes/view.h"

/*
 * A datum that grows by repalloc, in the memory context that was current at Init.  Beyond
 * PGBSON_MAX_SIZE, error 54000 is raised.
 */
typedef struct PgBsonWriter
{
	uint8	   *data;			/* the payload, behind the header of the varlena */
	Size		len;			/* bytes written */
	Size		capacity;		/* bytes at data */
	int32		type_at;		/* where in "data" the value's type goes; of the root, the last byte of the header */
	uint32		count;			/* elements that Push and Field have written */
	int			depth;			/* open documents and arrays, with the envelope around a root that is an array */
	const char *made_by;		/* NULL: it may have PGBSON_MAX_SIZE bytes; else see PgBsonReportMadeTooLarge */
} PgBsonWriter;

/* Begin an empty datum with room for this many bytes of payload */
extern void PgBsonWriterInit(PgBsonWriter *w, Size expected);

/* Returns the datum, palloc'd; the writer must not be used any more */
extern PgBson *PgBsonWriterFinish(PgBsonWriter *w);

/*
 * Raise 54000: what this operator, accumulator or stage makes is larger than PgBsonMostBytes (core/bytes/memory.h);
 * "" stands for an expression without an operator.  A writer that has such a name raises it when it would grow beyond.
 */
pg_noreturn extern void PgBsonReportMadeTooLarge(const char *made_by);

/* Make the datum larger by at least this number of bytes */
extern void PgBsonWriterGrow(PgBsonWriter *w, Size bytes);

/*
 * Make room for these bytes, which count as written, and return where they go; the caller fills them
 * before it writes anything else
 */
static inline uint8 *
PgBsonWriterRoom(PgBsonWriter *w, Size bytes)
{
	uint8	   *p;

	if (unlikely(bytes > w->capacity - w->len))
		PgBsonWriterGrow(w, bytes);
	p = w->data + w->len;
	w->len += bytes;
	return p;
}

static inline void
PgBsonWriterBytes(PgBsonWriter *w, const void *bytes, Size len)
{
	if (len > 0)
		memcpy(PgBsonWriterRoom(w, len), bytes, len);
}

/* Write a value without type and key; how deep it is nested is not checked */
static inline void
PgBsonWriterValue(PgBsonWriter *w, const PgBsonValue *value)
{
	PgBsonWriterBytes(w, value->data, value->len);
}

/* What was written, a container of this type, as a value */
static inline PgBsonValue
PgBsonWriterResult(const PgBsonWriter *w, PgBsonType type)
{
	return (PgBsonValue) {type, (uint32) w->len, w->data};
}

/* How many bytes the value of a string has besides the string: a length word before it and a zero byte after it */
#define PGBSON_STRING_EXTRA	5

/* Write the value of a string of "len" bytes, UTF-8, to "p", where there is room for PGBSON_STRING_EXTRA more */
static inline void
PgBsonPutString(uint8 *p, const char *s, uint32 len)
{
	PgBsonWriteU32(p, len + 1);
	if (len > 0)
		memcpy(p + 4, s, len);
	p[4 + len] = 0;
}

/*
 * Write the type and the key of an element, whose value is to be written next: a name or, in an array, a number.  If
 * the type is PGBSON_EOD, the value is to be written by one of the functions that follow, which fill it in.
 */
extern void PgBsonWriterKey(PgBsonWriter *w, PgBsonType type, const char *key, uint32 key_len);
extern void PgBsonWriterIndex(PgBsonWriter *w, PgBsonType type, uint32 index);

/* How many bytes the numbers from "from" to "to" - 1 take as keys, with their zero bytes */
extern Size PgBsonNumbersSize(uint64 from, uint64 to);

/* Write an element of an array whose depth is not checked, because it comes from a document as deep as the new one */
extern void PgBsonWriterElement(PgBsonWriter *w, uint32 index, const PgBsonValue *value);

/* Write a whole field of a document; nothing if the value is missing.  54001 if it is nested too deeply for that. */
static inline void
PgBsonWriterField(PgBsonWriter *w, const char *key, uint32 key_len, const PgBsonValue *value)
{
	if (value->type == PGBSON_EOD)
		return;
	PgBsonCheckDepth(value, w->depth);
	PgBsonWriterKey(w, value->type, key, key_len);
	PgBsonWriterValue(w, value);
	w->count++;
}

/* Write the next element of an array, null if the value is missing.  54001 if it is nested too deeply for that. */
static inline void
PgBsonWriterPush(PgBsonWriter *w, const PgBsonValue *value)
{
	PgBsonCheckDepth(value, w->depth);
	PgBsonWriterElement(w, w->count++, value->type == PGBSON_EOD ? &PgBsonNull : value);
}

/* --- values of types that are filled in --- */

static inline void
PgBsonWriterTyped(PgBsonWriter *w, PgBsonType type, const void *bytes, Size len)
{
	w->data[w->type_at] = type;
	PgBsonWriterBytes(w, bytes, len);
}

static inline void
PgBsonWriterNull(PgBsonWriter *w)
{
	w->data[w->type_at] = PGBSON_NULL;
}

static inline void
PgBsonWriterBool(PgBsonWriter *w, bool v)
{
	w->data[w->type_at] = PGBSON_BOOL;
	*PgBsonWriterRoom(w, 1) = v;
}

static inline void
PgBsonWriterInt32(PgBsonWriter *w, int32 v)
{
	w->data[w->type_at] = PGBSON_INT32;
	PgBsonWriteU32(PgBsonWriterRoom(w, 4), (uint32) v);
}

static inline void
PgBsonWriterInt64(PgBsonWriter *w, int64 v)
{
	w->data[w->type_at] = PGBSON_INT64;
	PgBsonWriteU64(PgBsonWriterRoom(w, 8), (uint64) v);
}

/* Milliseconds since 1970-01-01 UTC */
static inline void
PgBsonWriterDate(PgBsonWriter *w, int64 ms)
{
	w->data[w->type_at] = PGBSON_DATE;
	PgBsonWriteU64(PgBsonWriterRoom(w, 8), (uint64) ms);
}

static inline void
PgBsonWriterDouble(PgBsonWriter *w, double v)
{
	w->data[w->type_at] = PGBSON_DOUBLE;
	PgBsonWriteDouble(PgBsonWriterRoom(w, 8), v);
}

static inline void
PgBsonWriterString(PgBsonWriter *w, const char *s, uint32 len)
{
	w->data[w->type_at] = PGBSON_STRING;
	PgBsonPutString(PgBsonWriterRoom(w, (Size) len + PGBSON_STRING_EXTRA), s, len);
}

/* Bytes of a subtype other than 2 */
extern void PgBsonWriterBinary(PgBsonWriter *w, uint8 subtype, const uint8 *bytes, uint32 len);

/* Any value, copied byte for byte; 54001 if it is nested too deeply */
extern void PgBsonWriterPut(PgBsonWriter *w, const PgBsonValue *value);

/* Open, see below, for a document or an array whose key has been written without a type; 54001 for too many levels */
extern Size PgBsonWriterOpenValue(PgBsonWriter *w, PgBsonType type);

/*
 * The value that was written to a writer from Init on, without a key: its bytes are the writer's.  Reset begins
 * another one, at any point.
 */
static inline PgBsonValue
PgBsonWriterRoot(const PgBsonWriter *w)
{
	return (PgBsonValue) {w->data[-1], (uint32) w->len, w->data};
}

static inline void
PgBsonWriterReset(PgBsonWriter *w)
{
	w->len = 0;
	w->type_at = -1;
	w->count = 0;
	w->depth = 0;
	w->made_by = NULL;
}

/* How many bytes an envelope (pgbson.h) has besides its value: eight before it, one after it */
#define PGBSON_ENVELOPE_SIZE	9

/*
 * Write to "p" the eight bytes before the value, without the length of the envelope, which the caller
 * writes.  Returns where the value goes.
 */
static inline uint8 *
PgBsonPutEnvelope(uint8 *p, PgBsonType type)
{
	p[4] = PGBSON_MINKEY;
	p[5] = 0;
	p[6] = type;
	p[7] = 0;
	return p + 8;
}

/*
 * Begin a document or an array, whose elements are to be written next.  Close ends it and writes its
 * length to "start", which Open returned.
 */
extern Size PgBsonWriterOpen(PgBsonWriter *w);
extern void PgBsonWriterClose(PgBsonWriter *w, Size start);

/* Init and Open; Close and the value, palloc'd */
extern void PgBsonWriterBegin(PgBsonWriter *w, Size expected);
extern PgBsonValue PgBsonWriterEnd(PgBsonWriter *w, PgBsonType type);

/* Begin an envelope, whose value of this type is to be written next; Close ends it, too */
extern Size PgBsonWriterOpenEnvelope(PgBsonWriter *w, PgBsonType type);

/*
 * The copy of a document with changes.  The caller passes over the original.  Where
 * something changes, Keep copies the original up to there and returns the writer, to
 * which the caller writes what is new; Skip leaves out bytes of the original.  If
 * neither was called, nothing has changed, and Finish returns NULL.
 *
 *		PgBsonEditBegin(&e, doc, 0);
 *		w = PgBsonEditKeep(&e, iter.element);		up to here as it was
 *		PgBsonWriterKey(w, ...), PgBsonWriterBytes(w, ...);	something new
 *		PgBsonEditSkip(&e, iter.next);				in place of this
 *		result = PgBsonEditFinish(&e);				and the rest as it was
 *
 * Finish corrects the lengths of the containers that Enter was called for, those on
 * the way to the change.  If there are changes in several containers, Position and
 * SetLength correct the length of each.
 */
typedef struct PgBsonEdit
{
	PgBsonView	doc;			/* the stored document */
	const uint8 *resume;		/* the first byte of it that was neither kept nor skipped yet */
	Size		extra;			/* how many bytes the changes may add: a guess, which saves a repalloc */
	PgBsonWriter w;				/* begun by the first Keep; before that its data is NULL */
	int			depth;			/* containers entered */
	uint32		entered[PGBSON_MAX_DEPTH];	/* their offsets in doc */
} PgBsonEdit;

/* Begin to copy a document, whose bytes must live until Finish */
extern void PgBsonEditBegin(PgBsonEdit *e, PgBsonView doc, Size extra);

/*
 * PgBsonEditBegin for changes within the root value, which is returned.  If that is in an envelope, the
 * envelope's length will be corrected, too.
 */
extern PgBsonValue PgBsonEditBeginRoot(PgBsonEdit *edit, PgBsonView doc, Size extra);

/* Copy the original up to "upto"; returns the writer, for what is new */
extern PgBsonWriter *PgBsonEditKeep(PgBsonEdit *e, const uint8 *upto);

/* Leave out the original up to "upto" */
static inline void
PgBsonEditSkip(PgBsonEdit *e, const uint8 *upto)
{
	e->resume = upto;
}

/* The new datum, palloc'd; NULL if there was no Keep */
extern PgBson *PgBsonEditFinish(PgBsonEdit *e);

/* All changes are inside this container of the original, whose length Finish corrects */
extern void PgBsonEditEnter(PgBsonEdit *e, const uint8 *container);

/* The offset in the copy of a place of the original that is not copied yet, if all up to it is kept */
extern Size PgBsonEditPosition(const PgBsonEdit *e, const uint8 *place);

/*
 * Copy the rest of a changed container, which starts at "position" in the copy and ends at "end" in the
 * original, and correct its length
 */
extern void PgBsonEditSetLength(PgBsonEdit *e, Size position, const uint8 *end);

/*
 * Give an element of an array this number as its key; or number all elements that the iterator reads
 * next, from "index" on
 */
extern void PgBsonEditRenumber(PgBsonEdit *edit, const PgBsonIter *iter, uint32 index);
extern void PgBsonEditRenumberRest(PgBsonEdit *edit, PgBsonIter *iter, uint32 index);

/* Leave out an element of an array, the one at position "index", and renumber those after it */
extern void PgBsonEditDeleteElement(PgBsonEdit *edit, PgBsonIter *at, uint32 index);

#endif							/* PGBSON_WRITE_H */
