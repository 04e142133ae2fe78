/*
 * shape.h
 *	  What the documents that come to a call site look like.
 *
 * The rows of a table mostly have the same keys in the same order.  A call
 * site that looks for a key remembers the keys up to where it found it, or to the
 * end if it found nothing; in the next document it compares them as whole words
 * instead of taking each key's length and comparing it with the wanted one.
 * From the first difference on, it searches as if nothing were remembered.
 */
#ifndef PGBSON_SHAPE_H
#define PGBSON_SHAPE_H

#include "core/view.h"

/* An element as it is expected: its key, with the zero byte, in words that are compared under a mask */
typedef struct PgBsonShapeElement
{
	uint64		word[2];		/* the first sixteen bytes, with the type; zero behind the key */
	uint64		mask[2];
	uint64		tail;			/* the last eight bytes of type and key, if they have so many */
	const uint8 *whole;			/* type and key of more than sixteen bytes; then nothing equals word[1] */
	uint32		header_len;		/* bytes of type and key */
	uint8		class;			/* of the type, see PgBsonSizeClass */
	int8		field;			/* which of several wanted ones it is; -1: none */
} PgBsonShapeElement;

/* The elements of a document up to a wanted one, or all if it is absent, or the first of them */
typedef struct PgBsonShape
{
	PgBsonShapeElement *elements;
	uint32		count;
	uint32		room;
	bool		hit;			/* the last one is the wanted one */
	bool		ends;			/* nothing comes after the last one */
	uint8		failures;		/* times that it was of no use */
	int			credit;			/* differences that are borne before another one is remembered */
} PgBsonShape;

/* One shape for each of the first steps of a path */
#define PGBSON_SHAPES	3

typedef struct PgBsonShapes
{
	MemoryContext context;		/* where they live; NULL: nothing is remembered */
	bool		called;			/* nothing is, for a site that is called once */
	PgBsonShape steps[PGBSON_SHAPES];
} PgBsonShapes;

typedef enum PgBsonShapeAnswer
{
	PGBSON_SHAPE_HIT,
	PGBSON_SHAPE_ABSENT,		/* *p is how far it looked, perhaps beyond "avail" */
	PGBSON_SHAPE_DIFFERS		/* none of the elements before *p is the wanted one */
} PgBsonShapeAnswer;

/*
 * Compare a document, of which the bytes before "avail" may be read, with the
 * shape.  With PGBSON_SHAPE_HIT the value may itself reach beyond "avail".
 */
extern PgBsonShapeAnswer PgBsonShapeCompare(const PgBsonShape *shape, PgBsonView doc, const uint8 *avail,
											const uint8 **p, PgBsonValue *result);

/*
 * The same for several wanted elements, of those that "left" has a bit for: the next from the
 * shape's element *at and the document's *p on, which both move behind it.
 */
extern PgBsonShapeAnswer PgBsonShapeNext(const PgBsonShape *shape, PgBsonView doc, const uint8 *avail, uint64 left,
										 uint32 *at, const uint8 **p, int *which, PgBsonValue *result);

/* So many wanted elements at most */
#define PGBSON_SHAPE_FIELDS	64

/* Which of the wanted ones has this key; -1: none */
typedef int (*PgBsonFieldOf) (const char *key, uint32 key_len, void *arg);

/* Note which of the shape's elements, as just remembered of this document, are wanted; of duplicate keys the first */
extern void PgBsonShapeNote(PgBsonShape *shape, PgBsonView doc, PgBsonFieldOf field_of, void *arg);

/* Credit at most, however well the shape served */
#define PGBSON_SHAPE_CREDIT	64

/* The shape told the answer */
static inline void
PgBsonShapeServes(PgBsonShape *shape)
{
	if (shape->credit < PGBSON_SHAPE_CREDIT)
		shape->credit++;
	shape->failures = 0;
}

/*
 * The search told that the wanted element is this one (NULL: none) of a document that
 * differs from the shape; perhaps that one is the better to remember, and then is.
 */
extern bool PgBsonShapeDiffers(PgBsonShape *shape, MemoryContext context, PgBsonView doc,
							   const uint8 *avail, const PgBsonValue *wanted);

#endif							/* PGBSON_SHAPE_H */
