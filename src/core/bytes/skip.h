/*
 * skip.h
 *	  Stepping over many elements of an array.
 *
 * Nothing is allocated.  Damage makes these functions stop, as other elements do that they
 * do not know; reading the element then reports it.
 */
#ifndef PGBSON_SKIP_H
#define PGBSON_SKIP_H

#include "core/bytes/view.h"

/*
 * The most digits of a position that fit into a word with the type and the zero byte; arrays with
 * longer positions are rare
 */
#define PGBSON_SKIP_DIGITS	6

/* The header that an element of an array should have, as a word to compare under a mask */
typedef struct PgBsonElementHeader
{
	uint64		word;
	uint64		mask;
	uint32		len;			/* bytes */
} PgBsonElementHeader;

/* The header of an element whose position has this many digits, at most PGBSON_SKIP_DIGITS */
static inline PgBsonElementHeader
PgBsonHeaderOf(uint8 type, int digits)
{
	PgBsonElementHeader header;
	uint64		all_digits = (UINT64CONST(1) << (8 * digits)) - 1;

	header.word = type | (UINT64CONST(0x303030303030) & all_digits) << 8;
	header.mask = 0xFF | (UINT64CONST(0xF0F0F0F0F0F0) & all_digits) << 8 |
		UINT64CONST(0xFF) << (8 * (digits + 1));
	header.len = digits + 2;
	return header;
}

static inline bool
PgBsonIsHeader(const uint8 *p, const PgBsonElementHeader *header)
{
	return (PgBsonReadU64(p) & header->mask) == header->word;
}

/* In which bits the word at "p" differs from the header; bits outside of the mask do not matter */
static inline uint64
PgBsonHeaderDifference(const uint8 *p, const PgBsonElementHeader *header)
{
	return PgBsonReadU64(p) ^ header->word;
}

/* A string to search for among the elements; "head" and "mask" hold its first four bytes, or fewer */
typedef struct PgBsonSoughtText
{
	const char *s;
	uint32		len;			/* bytes */
	uint32		head;
	uint32		mask;
} PgBsonSoughtText;

static inline PgBsonSoughtText
PgBsonSoughtTextOf(const char *s, uint32 len)
{
	PgBsonSoughtText text = {s, len, 0, 0};

	for (uint32 i = 0; i < Min(len, 4); i++)
	{
		text.head |= (uint32) (uint8) s[i] << (8 * i);
		text.mask |= (uint32) 0xFF << (8 * i);
	}
	return text;
}

/* The position of an element, how many decimal digits that has, and the first position with more digits */
typedef struct PgBsonNumberedElement
{
	uint32		position;
	int			digits;
	uint64		next_power;
} PgBsonNumberedElement;

static inline void
PgBsonNumberedAdvance(PgBsonNumberedElement *element, uint32 count)
{
	element->position += count;
	while (element->position >= element->next_power)
	{
		element->next_power *= 10;
		element->digits++;
	}
}

static inline PgBsonNumberedElement
PgBsonNumbered(uint32 position)
{
	PgBsonNumberedElement element = {0, 1, 10};

	PgBsonNumberedAdvance(&element, position);
	return element;
}

/* How many elements, from this one on, have positions with as many digits */
static inline uint32
PgBsonNumberedAlike(const PgBsonNumberedElement *element)
{
	return Min(element->next_power - element->position, PG_INT32_MAX);
}

/*
 * Step over at most "count" elements that have the type of the first one and positions of "digits"
 * digits.  *passed is set to their number, and *stride to how many bytes each takes, or 0 if their size
 * is not fixed.  Returns the element after them.
 */
extern const uint8 *PgBsonSkipAlike(const uint8 *p, const uint8 *limit, int digits, uint32 count,
									uint32 *passed, uint32 *stride);

/* PgBsonSkipAlike for strings that are not equal to "text"; it may stop a few bytes before "limit" */
extern const uint8 *PgBsonSkipOtherText(const uint8 *p, const uint8 *limit, int digits, uint32 count,
										const PgBsonSoughtText *text, uint32 *passed);

/*
 * Step over at most "count" elements, the first of which, at "p", is element number "position" of its
 * array.  Stops at an element whose key does not have the digits that it should have, whose value
 * reaches beyond "limit", or whose type is rare: neither of a fixed size nor a string, a document or an
 * array.  *passed is set to the number of elements.  Returns the element after them.
 */
extern const uint8 *PgBsonSkipElements(const uint8 *p, const uint8 *limit, uint32 position,
									   uint32 count, uint32 *passed);

/* The most bytes of a short array */
#define PGBSON_SHORT_ARRAY	512

/*
 * Step over the first elements of a short array whose bytes are all at hand, as many as are not of rare types; *passed
 * is set to their number.  Returns the element after them.
 */
extern const uint8 *PgBsonSkipShort(PgBsonView array, uint32 *passed);

/*
 * Find the element at this position, negative from the end, in a short array whose bytes are all at
 * hand; *found says whether there is one.  Returns false if the array must be searched in another way,
 * because it is long or has elements of rare types.
 */
extern bool PgBsonShortArrayElement(PgBsonView array, int32 index, PgBsonValue *element, bool *found);

/*
 * Find the element that is number "back" from the end of an array (1: the last one); false if the array
 * has fewer.  The element comes *rest elements after the one at *from, whose position is *position.  Before,
 * these say where to begin: at an element that does not come after the one sought; NULL: at the first one.
 */
extern bool PgBsonElementFromEnd(PgBsonView array, int64 back, const uint8 **from, uint32 *position, uint32 *rest);

#endif							/* PGBSON_SKIP_H */
