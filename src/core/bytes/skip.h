/*
 * skip.h
 *	  Stepping over many elements of an array.  Nothing here allocates.
 */
#ifndef PGBSON_SKIP_H
#define PGBSON_SKIP_H

#include "core/bytes/view.h"

/* The most digits of an index that fit a word with the type and the zero byte; arrays with longer indexes are rare */
#define PGBSON_SKIP_DIGITS	6

/* The expected header of an array's element, as a word that is compared under a mask */
typedef struct PgBsonElementHeader
{
	uint64		word;
	uint64		mask;
	uint32		len;			/* bytes */
} PgBsonElementHeader;

/* The header of an element whose index has this number of digits, at most PGBSON_SKIP_DIGITS */
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

/* How the word at "p" differs from the header; if no bit under the mask is set, it is the header */
static inline uint64
PgBsonHeaderDifference(const uint8 *p, const PgBsonElementHeader *header)
{
	return PgBsonReadU64(p) ^ header->word;
}

/* A string that is looked for among the elements; "head" and "mask" hold its first four bytes, or fewer */
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

/* The number of an element, how many decimal digits it has, and the first number that has more */
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

/* How many elements from this one on have numbers with as many digits */
static inline uint32
PgBsonNumberedAlike(const PgBsonNumberedElement *element)
{
	return Min(element->next_power - element->position, PG_INT32_MAX);
}

/*
 * Step over at most "count" elements that have the type of the first, and numbers with
 * as many digits ("digits").  *passed is how many they were.  *stride is how many bytes
 * each takes if they have a fixed size, else 0.  Returns the element behind them.
 */
extern const uint8 *PgBsonSkipAlike(const uint8 *p, const uint8 *limit, int digits, uint32 count,
									uint32 *passed, uint32 *stride);

/* PgBsonSkipAlike for strings that are not equal to "text"; it may stop a few bytes before "limit" */
extern const uint8 *PgBsonSkipOtherText(const uint8 *p, const uint8 *limit, int digits, uint32 count,
										const PgBsonSoughtText *text, uint32 *passed);

/*
 * Step over at most "count" elements, of which the first, at "p", is number
 * "position" of its array; stop at one whose key has other than the number of
 * digits it should have, whose value reaches beyond "limit", or is not of a
 * fixed size, a string, a document or an array.  *passed is how many they were.
 * Returns the element behind them.
 */
extern const uint8 *PgBsonSkipElements(const uint8 *p, const uint8 *limit, uint32 position,
									   uint32 count, uint32 *passed);

/* The most bytes of a short array */
#define PGBSON_SHORT_ARRAY	512

/*
 * Find the element with this number, negative from the end, in a short array that is all there; *found says whether it
 * has one.  Returns false if the array is too long or has elements of rare types, so that it must be searched otherwise.
 */
extern bool PgBsonShortArrayElement(PgBsonView array, int32 index, PgBsonValue *element, bool *found);

/*
 * Find the element that is number "back" from the end of an array (1: the last);
 * false if it has fewer.  It comes *rest elements after the one at *from.
 * "begin" is an element that does not come after it, and "position" its number; NULL: the first one.
 */
extern bool PgBsonElementFromEnd(PgBsonView array, const uint8 *begin, uint32 position,
								 int64 back, const uint8 **from, uint32 *rest);

#endif							/* PGBSON_SKIP_H */
