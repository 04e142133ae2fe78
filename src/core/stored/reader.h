/*
 * reader.h
 *	  The one way from a bson datum, which may be toasted, to its bytes.
 *
 *		PgBsonOpen(&reader, datum, hint);
 *		... reader.root, of which the bytes before reader.avail may be read;
 *		    PgBsonReach(&reader, from, upto) for others
 *		PgBsonClose(&reader);
 *
 * BSON is sequential, and tells how long each value is: a key near the front needs only the front of a compressed
 * value, and of one stored out of line only what is not stepped over.  The caller says which bytes it needs; only this
 * room knows how the datum is stored.  PgBsonOpenWhole is for callers that need all of them.
 *
 * How long the bytes live: those of a plain datum as long as the datum.  Those of a toasted one never move, and stay
 * at least until it is closed, however many others are opened meanwhile.  After PgBsonClose they stay until the next
 * toasted datum is opened, the memory context that was current at PgBsonOpen is reset, or the transaction ends,
 * whichever is first; after PgBsonDrop they are gone.  A subtransaction that is rolled back takes the bytes of all
 * readers with it, so functions that run other people's code copy what they need.
 *
 * Several operators of one query often look at the same value, so what was decompressed or fetched is kept in a small
 * cache of this backend until the end of the transaction.
 */
#ifndef PGBSON_READER_H
#define PGBSON_READER_H

#include "core/bytes/view.h"
#include "core/stored/detoast.h"

/* --- ahead.c: prefetching rows and chunks from memory --- */

/*
 * Prefetch the bytes of a value in its row, and of the rows that a sequential scan returns next.  For functions that
 * are called with a column of each row; it changes nothing but speed.
 */
extern void PgBsonAskAhead(Datum value);

/* Prefetch these bytes; they may lie in memory that is not mapped */
extern void PgBsonAskFor(const void *from, Size bytes);

/* --- reader.c --- */

/*
 * Where more bytes of a value come from.  "reach" makes those from "from" to before "upto" readable, and returns the
 * end of what can be read from "from" on without a gap.
 */
typedef struct PgBsonByteSource PgBsonByteSource;
struct PgBsonByteSource
{
	const uint8 *(*reach) (PgBsonByteSource *source, const uint8 *from, const uint8 *upto);
};

typedef struct PgBsonStream PgBsonStream;

/* What a call site remembers of the toasted values that it read; begins as zeroes */
typedef struct PgBsonReadHint
{
	uint32		upto;			/* how many bytes of the next one are read at once; 0: not known */
} PgBsonReadHint;

typedef struct PgBsonReader
{
	PgBsonValue root;			/* its length is that of the whole value, even if not all bytes are there */
	const uint8 *avail;			/* the end of the bytes that are there from the root's first one on */
	const uint8 *used;			/* the end of the bytes that the caller has looked at, see PgBsonUsed */
	PgBsonByteSource *source;	/* of the bytes that are not there; NULL: all are */

	/* of a toasted datum */
	PgBsonStream *stream;
	PgBsonReadHint *hint;		/* or NULL */
	uint32		cost;			/* the stream's cost when this reader opened it */
	uint8	   *users;			/* the number of readers of the cache's entry; NULL: it is not in the cache */
} PgBsonReader;

/* GUC bson.detoast_cache_size, in kB: how much the cache may hold; 0 turns it off */
extern int	PgBsonDetoastCacheSize;

/* GUC bson.predict_toast: are chunks looked for where they are predicted to lie?  Else the server finds all of them. */
extern bool PgBsonPredictToast;

/* The parts of PgBsonOpen, PgBsonOpenWhole and PgBsonClose that are needed for toasted values only */
extern void PgBsonOpenToasted(PgBsonReader *reader, Datum datum, PgBsonReadHint *hint);
extern PgBsonView PgBsonOpenWholeToasted(PgBsonReader *reader, Datum datum);
extern void PgBsonCloseToasted(PgBsonReader *reader);

/* Make a reader of a value that is all there, as one inside of another document is */
static inline void
PgBsonReaderPlain(PgBsonReader *reader, PgBsonValue root)
{
	reader->root = root;
	reader->avail = root.data + root.len;
	reader->used = root.data;
	reader->source = NULL;
}

/*
 * Open a datum of which probably not all is needed.  "hint" is what the call site remembers; NULL: nothing.  Some
 * bytes from the first on are there then, or all.
 */
static inline void
PgBsonOpen(PgBsonReader *reader, Datum datum, PgBsonReadHint *hint)
{
	PgBsonValue root;

	if (likely(PgBsonPlainRoot(datum, &root)))
	{
		PgBsonAskAhead(datum);
		PgBsonReaderPlain(reader, root);
	}
	else
		PgBsonOpenToasted(reader, datum, hint);
}

/* Open a datum of which all is needed.  Returns the stored document, which is the root or its envelope (pgbson.h). */
static inline PgBsonView
PgBsonOpenWhole(PgBsonReader *reader, Datum datum)
{
	PgBsonView	view;

	if (unlikely(!PgBsonPlainView(datum, &view)))
		return PgBsonOpenWholeToasted(reader, datum);
	PgBsonAskAhead(datum);
	PgBsonReaderPlain(reader, PgBsonRootOf(view));
	return view;
}

/* The same for a value that was computed, not read from a row, so that there are no next rows to prefetch */
static inline void
PgBsonOpenComputed(PgBsonReader *reader, Datum datum)
{
	PgBsonValue root;

	if (likely(PgBsonPlainRoot(datum, &root)))
		PgBsonReaderPlain(reader, root);
	else
		(void) PgBsonOpenWholeToasted(reader, datum);
}

/*
 * Open a datum that is compared with others, as in a sort: its first few fields mostly tell, and what is read of it
 * is not kept in the cache.  PgBsonDrop closes it.
 */
extern void PgBsonOpenFront(PgBsonReader *reader, Datum datum);

/* Close what was opened.  After an error this is not needed: the transaction's end frees everything. */
static inline void
PgBsonClose(PgBsonReader *reader)
{
	if (reader->source != NULL)
		PgBsonCloseToasted(reader);
}

/* Close it and free its bytes, for functions that must not leak: those of comparison, of hashing, of indexes */
extern void PgBsonDrop(PgBsonReader *reader);

/*
 * Make sure that the bytes from "from" to before "upto" are there.  Returns the end of those that are there from
 * "from" on without a gap.
 */
static inline const uint8 *
PgBsonReach(PgBsonReader *reader, const uint8 *from, const uint8 *upto)
{
	const uint8 *avail;

	if (reader->source == NULL || upto <= reader->avail)
		return reader->avail;
	avail = reader->source->reach(reader->source, from, upto);
	if (from <= reader->avail)
		reader->avail = avail;
	return avail;
}

/*
 * Say how far the caller has looked, which may be beyond the bytes that are there.  The next value of its call site is
 * read about as far at once.
 */
static inline void
PgBsonUsed(PgBsonReader *reader, const uint8 *upto)
{
	reader->used = Max(reader->used, upto);
}

/* Make sure that all bytes of a value are there, whose type and length are known */
static inline void
PgBsonReachValue(PgBsonReader *reader, const PgBsonValue *value)
{
	PgBsonUsed(reader, value->data + value->len);
	(void) PgBsonReach(reader, value->data, value->data + value->len);
}

/*
 * Make sure that the element that begins at "from" is there, in a document whose elements end at "end"; of a document
 * or an array only its length word, unless all of it is wanted ("whole").  "avail" is the end of the bytes that are
 * there from "from" on; returns the new one.
 */
extern const uint8 *PgBsonReachElement(PgBsonReader *reader, const uint8 *from, const uint8 *end,
									   const uint8 *avail, bool whole);

/* Is this element there, or of a document or an array its length word? */
extern bool PgBsonIsElementThere(const uint8 *from, const uint8 *end, const uint8 *avail);

/* The type of a datum's root, for which little of it is read */
extern PgBsonType PgBsonReadType(Datum datum);

#endif							/* PGBSON_READER_H */
