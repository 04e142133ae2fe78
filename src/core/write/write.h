/*
 * write.h
 *	  Writing BSON bytes that are already encoded: a growing datum, and the
 *	  running copy of a document with something changed.
 *
 * The builder (core/write/build.h) encodes values; these functions copy them.
 */
#ifndef PGBSON_WRITE_H
#define PGBSON_WRITE_H

#include "core/bytes/view.h"

/* A varlena that grows, in the memory context current at Init; 54000 beyond PGBSON_MAX_SIZE */
typedef struct PgBsonWriter
{
	uint8	   *data;			/* the payload; NULL before Init */
	Size		len;			/* bytes written */
	Size		capacity;		/* bytes at data */
} PgBsonWriter;

/* Begin an empty datum with room for the expected bytes of payload */
extern void PgBsonWriterInit(PgBsonWriter *w, Size expected);

/* The datum; the writer is gone */
extern PgBson *PgBsonWriterFinish(PgBsonWriter *w);

/* Make the datum larger by at least this number of bytes */
extern void PgBsonWriterGrow(PgBsonWriter *w, Size bytes);

/* Make room for these bytes, which count as written; the caller writes them, before it writes anything else, to the address returned */
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

/* Write a value without type and key */
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

/* What a string's value adds to its bytes: its length before them, a zero byte behind them */
#define PGBSON_STRING_EXTRA	5

/* Write the value of a string of "len" bytes of UTF-8 at "p": PGBSON_STRING_EXTRA more than that */
static inline void
PgBsonPutString(uint8 *p, const char *s, uint32 len)
{
	PgBsonWriteU32(p, len + 1);
	if (len > 0)
		memcpy(p + 4, s, len);
	p[4 + len] = 0;
}

static inline void
PgBsonWriterString(PgBsonWriter *w, const char *s, uint32 len)
{
	PgBsonPutString(PgBsonWriterRoom(w, (Size) len + PGBSON_STRING_EXTRA), s, len);
}

/* Write the type and the key of an element, which is a name or, in an array, a number; the value is to be written next */
extern void PgBsonWriterKey(PgBsonWriter *w, PgBsonType type, const char *key, uint32 key_len);
extern void PgBsonWriterIndex(PgBsonWriter *w, PgBsonType type, uint32 index);

/* How many bytes the numbers from "from" to "to" - 1 take as keys, with their zero bytes */
extern Size PgBsonNumbersSize(uint64 from, uint64 to);

/* A whole field, and a whole element of an array */
static inline void
PgBsonWriterField(PgBsonWriter *w, const char *key, uint32 key_len, const PgBsonValue *value)
{
	PgBsonWriterKey(w, value->type, key, key_len);
	PgBsonWriterValue(w, value);
}

static inline void
PgBsonWriterElement(PgBsonWriter *w, uint32 index, const PgBsonValue *value)
{
	PgBsonWriterIndex(w, value->type, index);
	PgBsonWriterValue(w, value);
}

/* What an envelope (pgbson.h) adds to its value: eight bytes before it, one behind it */
#define PGBSON_ENVELOPE_SIZE	9

/* Write the eight bytes before the value to "p"; the length among them is written by the caller.  Returns where the value goes. */
static inline uint8 *
PgBsonPutEnvelope(uint8 *p, PgBsonType type)
{
	p[4] = PGBSON_MINKEY;
	p[5] = 0;
	p[6] = type;
	p[7] = 0;
	return p + 8;
}

/* Begin a container, whose elements are to be written next, and end it: Close writes its length to where Open says that it starts */
extern Size PgBsonWriterOpen(PgBsonWriter *w);
extern void PgBsonWriterClose(PgBsonWriter *w, Size start);

/* Open an envelope, whose value of this type is to be written next; Close it like a container */
extern Size PgBsonWriterOpenEnvelope(PgBsonWriter *w, PgBsonType type);

/*
 * The running copy of a document with something changed.  The caller
 * passes over the original and calls Keep where a change is to be made, which copies
 * everything up to there and gives the writer to put something new; Skip leaves
 * out what follows in the original.  Where nothing changes nothing is called,
 * and Finish returns NULL.
 *
 *		PgBsonEditBegin(&e, doc, 0);
 *		w = PgBsonEditKeep(&e, iter.element);		up to here as it was
 *		PgBsonWriterKey(w, ...), PgBsonWriterBytes(w, ...);	something new
 *		PgBsonEditSkip(&e, iter.next);				in place of this
 *		result = PgBsonEditFinish(&e);				and the rest as it was
 *
 * Finish puts the lengths right of the containers named by Enter, on the way
 * to the change; a change in several places uses Position and SetLength.
 */
typedef struct PgBsonEdit
{
	PgBsonView	doc;			/* the stored document */
	const uint8 *resume;		/* the first byte of it not yet kept or skipped */
	Size		extra;			/* bytes the change may add: a guess that saves a repalloc */
	PgBsonWriter w;				/* begun by the first Keep */
	int			depth;			/* containers entered */
	uint32		entered[PGBSON_MAX_DEPTH];	/* their offsets in doc */
} PgBsonEdit;

/* Begin to copy a document, whose bytes must live until Finish */
extern void PgBsonEditBegin(PgBsonEdit *e, PgBsonView doc, Size extra);

/*
 * PgBsonEditBegin for a change within the root value, which is returned.  If it
 * is in an envelope, the envelope's length is corrected, too.
 */
extern PgBsonValue PgBsonEditBeginRoot(PgBsonEdit *edit, PgBsonView doc, Size extra);

/* Copy the original up to here; returns the writer, to write something new */
extern PgBsonWriter *PgBsonEditKeep(PgBsonEdit *e, const uint8 *upto);

/* Leave out the original up to here */
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

/* Keep a changed container of the original up to its end, and set its length: it starts at "position" in the copy */
extern void PgBsonEditSetLength(PgBsonEdit *e, Size position, const uint8 *end);

/* Give an element of an array this number as key; or give all elements that the iterator reads next the numbers from this one on */
extern void PgBsonEditRenumber(PgBsonEdit *edit, const PgBsonIter *iter, uint32 index);
extern void PgBsonEditRenumberRest(PgBsonEdit *edit, PgBsonIter *iter, uint32 index);

/* Leave out the array's element at this position and renumber the rest */
extern void PgBsonEditDeleteElement(PgBsonEdit *edit, PgBsonIter *at, uint32 index);

#endif							/* PGBSON_WRITE_H */
