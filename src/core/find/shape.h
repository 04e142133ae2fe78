/*
 * shape.h
 *	  What the documents that come to a call site look like.
 *
 * The rows of a table mostly have the same keys in the same order, or are of a
 * few kinds.  A call site that looks for a key remembers the keys up to where
 * it found it, or to the end if it found nothing; in the next document it
 * compares them as whole words instead of taking each key's length and
 * comparing it with the wanted one.  From the first difference on, it goes on
 * with what another document had there, or else searches as if nothing were
 * remembered.
 */
#ifndef PGBSON_SHAPE_H
#define PGBSON_SHAPE_H

#include "core/stored/reader.h"

/*
 * An element as it is expected: its key, with the zero byte, in words that are compared under a mask.
 * Or that the document ends here, or that more of it was not seen: then no words are equal.
 */
typedef struct PgBsonShapeElement
{
	uint64		word[2];		/* the first sixteen bytes, with the type; zero behind the key */
	uint64		mask[2];
	uint64		tail;			/* the last eight bytes of type and key, if there are eight */
	const uint8 *whole;			/* type and key of more than sixteen bytes; then nothing equals word[1] */
	uint32		header_len;		/* bytes of type and key; 0: no element, but an end */
	uint8		class;			/* of the type, see PgBsonSizeClass; PGBSON_SIZE_UNKNOWN: of any type */
	int8		field;			/* which of the wanted ones it is, -1: none; of an end, the caller's note */
	bool		ends;			/* the document ends here */
	uint16		other;			/* what else was seen in this place, by its number; 0: nothing */
	uint32		strange;		/* times that it had another type */
} PgBsonShapeElement;

/*
 * The elements of documents up to a wanted one, or all if it is absent, or the first of them:
 * those of the first document, then of each other one those from where it differs.
 */
typedef struct PgBsonShape
{
	PgBsonShapeElement *elements;
	const uint8 *upto;			/* how far the last comparison came; not kept */
	const uint8 *avail;			/* the end of the bytes that were there then; not kept */
	uint32		count;
	uint32		room;
	uint8		documents;		/* that are remembered */
	uint8		failures;		/* times that it was of no use */
	int			credit;			/* differences that are borne before all is forgotten */
	int			pause;			/* documents that are not compared now */
	uint32		served;			/* documents of which it told the answer */
	uint8		absences;		/* walks in a row through documents that it did not know, which found nothing */
	bool		dense;			/* its elements were so small that a search through all bytes is faster than a walk */
} PgBsonShape;

/* Forget all, as another element is wanted from now on */
extern void PgBsonShapeFree(PgBsonShape *shape);

/* One shape for each of the first steps of a path */
#define PGBSON_SHAPES	3

typedef struct PgBsonShapes
{
	MemoryContext context;		/* where they live; NULL: nothing is remembered */
	bool		called;			/* nothing is, for a site that is called once */
	int			varying;		/* the first step that is not always the same; 0: all are */
	PgBsonShape steps[PGBSON_SHAPES];
} PgBsonShapes;

static inline void
PgBsonShapesFree(PgBsonShapes *shapes)
{
	for (int i = 0; i < PGBSON_SHAPES; i++)
		PgBsonShapeFree(&shapes->steps[i]);
	shapes->called = false;
}

typedef enum PgBsonShapeAnswer
{
	PGBSON_SHAPE_HIT,
	PGBSON_SHAPE_ABSENT,		/* shape->upto is how far it looked, perhaps beyond "avail" */
	PGBSON_SHAPE_DIFFERS		/* none of the elements before shape->upto is the wanted one */
} PgBsonShapeAnswer;

/*
 * Compare a document with the shape; "avail" is the end of the bytes that are there, and "reader", which has the document
 * open, reads on where they end: then shape->avail is their end (NULL: all are there).  With PGBSON_SHAPE_HIT the value
 * may itself reach beyond them.
 */
extern PgBsonShapeAnswer PgBsonShapeCompare(PgBsonShape *shape, PgBsonReader *reader, PgBsonView doc,
											const uint8 *avail, PgBsonValue *result);

/*
 * The same for several wanted elements, of those that "left" has a bit for: the next from the
 * shape's element *at and the document's *p on, which both move behind it, or *p to shape->upto.
 */
extern PgBsonShapeAnswer PgBsonShapeNext(PgBsonShape *shape, PgBsonReader *reader, PgBsonView doc,
										 const uint8 *avail, uint64 left, uint32 *at, const uint8 **p,
										 int *which, PgBsonValue *result);

/* How many elements may be wanted at once */
#define PGBSON_SHAPE_FIELDS	64

/* Which of the wanted ones has this key; -1: none */
typedef int (*PgBsonFieldOf) (const char *key, uint32 key_len, void *arg);

/* Credit at most, however well the shape served */
#define PGBSON_SHAPE_CREDIT	64

/* The shape told the answer */
static inline void
PgBsonShapeServes(PgBsonShape *shape)
{
	shape->served++;
	if (shape->credit < PGBSON_SHAPE_CREDIT)
		shape->credit++;
	else
		shape->failures = 0;
}

/* Where documents hardly ever look like those before, comparing them is a loss: is this one not to be compared? */
static inline bool
PgBsonShapePauses(PgBsonShape *shape)
{
	if (likely(shape->pause == 0))
		return false;
	shape->pause--;
	return true;
}

/*
 * The search told that the wanted element is this one (NULL: none) of a document that
 * differs from the shape; which is remembered, too, if it is worth that.
 */
extern void PgBsonShapeDiffers(PgBsonShape *shape, MemoryContext context, PgBsonView doc,
							   const uint8 *avail, const PgBsonValue *wanted);

/* The same for several wanted elements; of duplicate keys the first counts */
extern void PgBsonShapeDiffersInFields(PgBsonShape *shape, MemoryContext context, PgBsonView doc,
									   const uint8 *avail, PgBsonFieldOf field_of, void *arg);

#endif							/* PGBSON_SHAPE_H */
