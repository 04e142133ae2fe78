/*
 * skip.h
 *	  Passing over many elements of an array.
 */
#ifndef PGBSON_SKIP_H
#define PGBSON_SKIP_H

#include "core/bytes/view.h"

/* The most digits of an index that fit a word with the type and the zero byte; arrays with longer indexes are rare */
#define PGBSON_SKIP_DIGITS	6

/* The header of an array's element as it is expected, in a word */
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

/* Not zero under the mask if these bytes, of which a word can be read, are not the header */
static inline uint64
PgBsonHeaderDifference(const uint8 *p, const PgBsonElementHeader *header)
{
	return PgBsonReadU64(p) ^ header->word;
}

/* A string that is looked for among the elements, and its first bytes, up to four */
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

/* A number of an array's element, how many digits it has, and the first number that has more */
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

/* Elements from this one on whose numbers have as many digits */
static inline uint32
PgBsonNumberedAlike(const PgBsonNumberedElement *element)
{
	return Min(element->next_power - element->position, PG_INT32_MAX);
}

/*
 * Pass over at most "count" elements that are like the first, whose number has "digits"
 * digits: of its type and with as many digits.  *stride is how many bytes each
 * takes, if all take as many, else 0.  See PgBsonSkipElements.
 */
extern const uint8 *PgBsonSkipAlike(const uint8 *p, const uint8 *limit, int digits, uint32 count,
									uint32 *passed, uint32 *stride);

/* The same for strings, up to one of these bytes; the last few bytes before "limit" are not looked at */
extern const uint8 *PgBsonSkipOtherText(const uint8 *p, const uint8 *limit, int digits, uint32 count,
										const PgBsonSoughtText *text, uint32 *passed);

/*
 * Pass over at most "count" elements, the first at "p" being number "position" of
 * its array, as long as they are of the common kind: their keys have as many
 * digits as their numbers, and their values, which end before "limit", are of
 * a fixed size, strings, documents or arrays.  Returns what is behind them, and
 * in *passed how many they were.
 */
extern const uint8 *PgBsonSkipElements(const uint8 *p, const uint8 *limit, uint32 position,
									   uint32 count, uint32 *passed);

/* Bytes of a short array at most */
#define PGBSON_SHORT_ARRAY	512

/*
 * The element with this number, negative from the end, of a short array that is all there, and in *found whether it has
 * one; false if it is not short, or not simple, and must be searched otherwise.
 */
extern bool PgBsonShortArrayElement(PgBsonView array, int32 index, PgBsonValue *element, bool *found);

/*
 * The element that is number "back" (1: the last) from the end of an array; false
 * if it has fewer.  It is the one after "rest" others, "from" being the first of them.
 * "begin", which is number "position", or NULL for the first one, is known not to come after it.
 */
extern bool PgBsonElementFromEnd(PgBsonView array, const uint8 *begin, uint32 position,
								 int64 back, const uint8 **from, uint32 *rest);

#endif							/* PGBSON_SKIP_H */
