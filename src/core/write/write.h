/*
 * write.h
 *	  Writing BSON bytes that are already encoded: a growing datum, and the
 *	  copy of a document with changes.
 *
 * The builder (core/write/build.h) encodes values; these functions copy them.
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
} PgBsonWriter;

/* Begin an empty datum with room for this many bytes of payload */
extern void PgBsonWriterInit(PgBsonWriter *w, Size expected);

/* Returns the datum, palloc'd; the writer must not be used any more */
extern PgBson *PgBsonWriterFinish(PgBsonWriter *w);

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

static inline void
PgBsonWriterString(PgBsonWriter *w, const char *s, uint32 len)
{
	PgBsonPutString(PgBsonWriterRoom(w, (Size) len + PGBSON_STRING_EXTRA), s, len);
}

/* Write the type and the key of an element, whose value is to be written next: a name or, in an array, a number */
extern void PgBsonWriterKey(PgBsonWriter *w, PgBsonType type, const char *key, uint32 key_len);
extern void PgBsonWriterIndex(PgBsonWriter *w, PgBsonType type, uint32 index);

/* How many bytes the numbers from "from" to "to" - 1 take as keys, with their zero bytes */
extern Size PgBsonNumbersSize(uint64 from, uint64 to);

/* Write a whole field of a document, or a whole element of an array */
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
