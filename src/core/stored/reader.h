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
 * value, and of one stored out of line only what is not stepped over.  Who reads says what he needs;
 * how the datum is stored only this room knows.  The bytes never move, and live until the next one is
 * opened, or as long as the datum.
 *
 * Several operators of one query often look at the same value, so what was read is kept in a small cache of this backend.
 */
#ifndef PGBSON_READER_H
#define PGBSON_READER_H

#include "core/bytes/view.h"
#include "core/stored/stream.h"

/* What a call site remembers of the toasted values that it read; begins as zeroes */
typedef struct PgBsonReadHint
{
	uint32		upto;			/* how many bytes of one are read at once */
	uint32		whole;			/* how many in a row were needed whole */
} PgBsonReadHint;

typedef struct PgBsonReader
{
	PgBsonValue root;			/* all of its bytes count, those that are not there included */
	const uint8 *avail;			/* the end of those that are there from the first one on */
	const uint8 *used;			/* how far who reads has looked, see PgBsonUsed */
	PgBsonByteSource *source;	/* whence others come; NULL: all are there */

	/* of a toasted datum */
	PgBsonStream *stream;
	PgBsonReadHint *hint;		/* or NULL */
	uint32		cost;			/* when it was opened */
	uint8	   *users;			/* of the cache's entry; NULL: it is not in the cache */
} PgBsonReader;

/* GUC bson.detoast_cache_size, in kB: how much the cache may hold; 0 turns it off */
extern int	PgBsonDetoastCacheSize;

/* GUC bson.predict_toast: are chunks looked for where they are predicted to lie?  Else the server finds all of them. */
extern bool PgBsonPredictToast;

/* PgBsonOpen of a datum that is compressed or stored out of line, or not; "want" bytes are there then; "keep" it in the cache? */
extern void PgBsonOpenToasted(PgBsonReader *reader, Datum datum, PgBsonReadHint *hint, uint32 want, bool keep);
extern void PgBsonCloseToasted(PgBsonReader *reader);

/* Is its front to be had for less than all of it? */
static inline bool
PgBsonIsStream(const struct varlena *value)
{
	return VARATT_IS_COMPRESSED(value) || VARATT_IS_EXTERNAL_ONDISK(value);
}

/* Bytes of a toasted value that are read when nothing is known yet; so many needed whole, the next is read so at once */
#define PGBSON_FIRST_READ	1024
#define PGBSON_NEEDED_WHOLE	2

/* The same of one of many; most documents differ in one of their first fields */
#define PGBSON_FRONT		512

/* A reader of a value that is all there */
static inline void
PgBsonReaderPlain(PgBsonReader *reader, PgBsonValue root)
{
	reader->root = root;
	reader->avail = root.data + root.len;
	reader->used = root.data;
	reader->source = NULL;
}

/* The root of a value that is all there; what is next asked for is in it */
static inline PgBsonValue
PgBsonPlainRoot(Datum datum)
{
	PgBson	   *bytes = (PgBson *) DatumGetPointer(datum);

	if (VARATT_IS_EXTERNAL(bytes))
		bytes = DatumGetPgBsonPP(datum);
	PgBsonAskAhead(bytes);
	return PgBsonRootOf(PgBsonViewOf(bytes));
}

/* How many bytes of the next toasted value of a call site, or of none, are read at once */
static inline uint32
PgBsonFirstRead(const PgBsonReadHint *hint)
{
	if (hint == NULL || hint->upto == 0)
		return PGBSON_FIRST_READ;
	return hint->whole < PGBSON_NEEDED_WHOLE ? hint->upto : PG_UINT32_MAX;
}

static inline void
PgBsonOpen(PgBsonReader *reader, Datum datum, PgBsonReadHint *hint)
{
	if (unlikely(PgBsonIsStream((struct varlena *) DatumGetPointer(datum))))
		PgBsonOpenToasted(reader, datum, hint, PgBsonFirstRead(hint), true);
	else
		PgBsonReaderPlain(reader, PgBsonPlainRoot(datum));
}

/* The same of a value of many, as of a sort, which is not to be kept in the cache; PgBsonDrop closes it and frees what was read */
static inline void
PgBsonOpenFront(PgBsonReader *reader, Datum datum)
{
	PgBsonOpenToasted(reader, datum, NULL, PGBSON_FRONT, false);
}

extern void PgBsonDrop(PgBsonReader *reader);

/* After the last PgBsonReach; who opened it closes it, but for errors */
static inline void
PgBsonClose(PgBsonReader *reader)
{
	if (reader->source != NULL)
		PgBsonCloseToasted(reader);
}

/* See to it that the bytes from "from" to before "upto" are there, and return where those that are there from "from" on end */
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

/* Say how far was looked, perhaps beyond what is there; the next value of the call site is read as far at once */
static inline void
PgBsonUsed(PgBsonReader *reader, const uint8 *upto)
{
	reader->used = Max(reader->used, upto);
}

/* See to it that all bytes of a value are there, whose type and length are known */
static inline void
PgBsonReachValue(PgBsonReader *reader, const PgBsonValue *value)
{
	PgBsonUsed(reader, value->data + value->len);
	(void) PgBsonReach(reader, value->data, value->data + value->len);
}

/*
 * The same for the element of a document that begins at "from"; of one that is itself a document or an array only the
 * length, if it is not wanted "whole".  "avail" is the end of the bytes that are there from "from" on, "end" that of the
 * document's elements; returns the former.
 */
extern const uint8 *PgBsonReachElement(PgBsonReader *reader, const uint8 *from, const uint8 *end,
									   const uint8 *avail, bool whole);

/* Is this element there, or of a document or an array its length? */
extern bool PgBsonIsElementThere(const uint8 *from, const uint8 *end, const uint8 *avail);

/* The whole of a datum, which lives until the next one is opened, or as long as the datum */
extern PgBsonView PgBsonReadWhole(Datum datum);

/* The type of its root value, for which little of the datum is read */
extern PgBsonType PgBsonReadType(Datum datum);

#endif							/* PGBSON_READER_H */
