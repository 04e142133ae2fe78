/*
 * skip.c
 *	  Stepping over many elements of an array.
 *
 * An element of an array begins with its type, its number in decimal digits and
 * a zero byte.  Elements 10 to 99, 100 to 999 and so on have headers of one
 * length, and mostly one type.  So comparing one word under a mask tells whether a header
 * is where it is expected.  If the values have a fixed size, or happen to be equally
 * large, it is known where the next element is without reading this one, so the
 * processor can work on several at once.
 *
 * The functions stop at any other element; the caller goes on from there.
 */
#include "core/bytes/skip.h"

/* Check for interrupts after this many elements */
#define INTERRUPT_EVERY	0x100000

/* How many positions of elements are remembered on the way through an array */
#define MARKS			64

/* Step over elements that take "stride" bytes each */
static const uint8 *
skip_fixed(const uint8 *p, const uint8 *limit, const PgBsonElementHeader *header, uint32 stride, uint32 count,
		   uint32 *passed)
{
	const uint8 *begin = p;
	int64		word = Max(stride, sizeof(uint64));
	/*
	 * how far p can go on while four elements can be taken at once: four are wanted, and a word can be
	 * read at the last one
	 */
	int64		fours = Min((int64) count * stride - 4 * stride, limit - p - 3 * (int64) stride - word);
	uint32		n = 0;

	for (; fours >= 0; fours -= 4 * stride, n += 4, p += 4 * stride)
	{
		if (((PgBsonHeaderDifference(p, header) | PgBsonHeaderDifference(p + stride, header) |
			  PgBsonHeaderDifference(p + 2 * stride, header) |
			  PgBsonHeaderDifference(p + 3 * stride, header)) & header->mask) != 0)
			break;
	}
	for (; n < count && limit - p >= word && PgBsonIsHeader(p, header); n++)
		p += stride;
	/* near the limit, where no word can be read, use the word that ends at the limit */
	for (; n < count && limit - p >= stride && limit - p < 8 && limit - begin >= 8; n++)
	{
		if ((PgBsonReadU64(limit - 8) >> (8 * (8 - (limit - p))) & header->mask) != header->word)
			break;
		p += stride;
	}
	*passed = n;
	return p;
}

/* Does the string value, of which eight bytes can be read, begin with the first bytes of "text"? */
static inline bool
begins_so(const uint8 *value, const PgBsonSoughtText *text)
{
	return ((PgBsonReadU32(value + 4) ^ text->head) & text->mask) == 0;
}

/* Is the string value, whose length word is "size", equal to "text"? */
static inline bool
is_text(const uint8 *value, uint64 size, const PgBsonSoughtText *text)
{
	return size == (uint64) text->len + 1 && begins_so(value, text) && memcmp(value + 4, text->s, text->len) == 0;
}

/* How far ahead of the elements that are stepped over one by one memory is prefetched, in bytes */
#define PREFETCH_DISTANCE	1024

/* How many elements are stepped over one by one before four at once are tried again: at first, and at most */
#define FEW_SINGLES		8
#define MANY_SINGLES	64

/*
 * Step over strings, documents or arrays, whose size is their length word plus "more".  If "text" is
 * not NULL, stop at that string.
 *
 * Neighbours may be equally large, as identifiers are, so now and then four elements at once are tried,
 * with the size of the first one.  Otherwise each element is found from the one before by a load and an
 * addition.
 */
static pg_attribute_always_inline const uint8 *
skip_sized(const uint8 *p, const uint8 *limit, const PgBsonElementHeader *header, uint32 more, uint32 count,
		   const PgBsonSoughtText *text, uint32 *passed)
{
	uint32		len = header->len;
	/* the shortest value has five bytes; of a string that is compared, eight are read */
	Size		least = len + (text != NULL ? 8 : 5);
	uint32		singles = FEW_SINGLES;
	uint32		n = 0;

	while (n < count && (Size) (limit - p) >= least && PgBsonIsHeader(p, header))
	{
		const uint8 *begin = p;
		uint32		size = PgBsonReadU32(p + len);
		uint64		stride = (uint64) len + more + size;
		uint32		until;

		if (stride < len + 5)
			break;
		for (; count - n >= 4 && (uint64) (limit - p) >= 4 * stride + 4; n += 4, p += 4 * stride)
		{
			const uint8 *q = p + stride;
			const uint8 *r = q + stride;
			const uint8 *s = r + stride;

			if (((PgBsonHeaderDifference(p, header) | PgBsonHeaderDifference(q, header) |
				  PgBsonHeaderDifference(r, header) | PgBsonHeaderDifference(s, header)) & header->mask) != 0 ||
				((PgBsonReadU32(p + len) ^ size) | (PgBsonReadU32(q + len) ^ size) |
				 (PgBsonReadU32(r + len) ^ size) | (PgBsonReadU32(s + len) ^ size)) != 0)
				break;
			if (text != NULL && size == text->len + 1 &&
				(begins_so(p + len, text) || begins_so(q + len, text) || begins_so(r + len, text) ||
				 begins_so(s + len, text)))
				break;
		}
		singles = p > begin ? FEW_SINGLES : Min(singles * 2, MANY_SINGLES);
		until = n + Min(count - n, singles);
		for (; n < until && (Size) (limit - p) >= least && PgBsonIsHeader(p, header); n++)
		{
			const uint8 *behind = p + (len + more);
			uint64		its_size = PgBsonReadU32(p + len);

			/* a string, a document or an array has at least five bytes */
			if (its_size + more < 5 || its_size > (uint64) (limit - behind) ||
				(text != NULL && is_text(p + len, its_size, text)))
				break;
#ifdef __GNUC__
			__builtin_prefetch(p + PREFETCH_DISTANCE);
#endif
			p = behind + its_size;
		}
		if (n < until)
			break;
	}
	*passed = n;
	return p;
}

/* Elements next to each other that were stepped over; "stride" is how many bytes each takes, 0 if their sizes differ */
typedef struct Run
{
	const uint8 *from;
	uint32		number;			/* of the first one */
	uint32		stride;
} Run;

inline const uint8 *
PgBsonSkipAlike(const uint8 *p, const uint8 *limit, int digits, uint32 count, uint32 *passed, uint32 *stride)
{
	uint8		type = *p;
	uint8		class = PgBsonSizeClass[type];
	PgBsonElementHeader header = PgBsonHeaderOf(type, digits);

	*passed = *stride = 0;
	if (class < PGBSON_SIZED)
	{
		*stride = header.len + class;
		return skip_fixed(p, limit, &header, *stride, count, passed);
	}
	if (type == PGBSON_STRING || type == PGBSON_DOCUMENT || type == PGBSON_ARRAY)
		return skip_sized(p, limit, &header, class & ~PGBSON_SIZED, count, NULL, passed);
	return p;
}

const uint8 *
PgBsonSkipOtherText(const uint8 *p, const uint8 *limit, int digits, uint32 count,
					const PgBsonSoughtText *text, uint32 *passed)
{
	PgBsonElementHeader header = PgBsonHeaderOf(PGBSON_STRING, digits);

	return skip_sized(p, limit, &header, 4, count, text, passed);
}

/* The most elements that PgBsonShortArrayElement steps over */
#define SHORT_ELEMENTS	64

/*
 * Step over elements from position *n on, and note in "elements" where each begins.  Stop at position
 * "to", at an element of a rare type, and at one whose position does not have "digits" digits.  In
 * short arrays this is faster than looking for neighbours of one size.
 */
static pg_attribute_always_inline const uint8 *
step_few(const uint8 *p, const uint8 *limit, int digits, uint32 *n, uint32 to, const uint8 **elements)
{
	uint32		header_len = digits + 2;
	/* of the four bytes at the header's end: the bits that all headers of a type have alike, and what these are */
	uint32		mask = digits == 1 ? 0xFFF0FF00 : 0xFFF0F0FF;
	int			type_at = digits == 1 ? 8 : 0;

	while (*n < to && limit - p >= (ptrdiff_t) header_len)
	{
		uint8		class = PgBsonSizeClass[*p];
		uint32		header = (digits == 1 ? 0x00300000 : 0x00303000) | (uint32) *p << type_at;
		uint64		size = header_len + class;

		if ((PgBsonReadU32(p + header_len - 4) & mask) != header || class >= PGBSON_SIZE_REGEX)
			break;
		/* mostly the next ones are of the same type; the processor predicts that, and does not wait for the type */
		do
		{
			if (class >= PGBSON_SIZED)
			{
				/* the shortest such value takes five bytes */
				if (limit - p < (ptrdiff_t) header_len + 5)
					return p;
				size = (uint64) PgBsonReadU32(p + header_len) + header_len + (class & ~PGBSON_SIZED);
				if (size < header_len + 5)
					return p;
			}
			if (size > (uint64) (limit - p))
				return p;
			elements[(*n)++] = p;
			p += size;
		} while (*n < to && limit - p >= (ptrdiff_t) header_len &&
				 (PgBsonReadU32(p + header_len - 4) & mask) == header);
	}
	return p;
}

/* step_few from the first element on */
static pg_attribute_always_inline const uint8 *
first_few(PgBsonView array, uint32 to, uint32 *n, const uint8 **elements)
{
	const uint8 *limit = array.data + array.len - 1;
	const uint8 *p;

	*n = 0;
	p = step_few(array.data + 4, limit, 1, n, Min(to, 10), elements);
	if (*n == 10 && to > 10)
		p = step_few(p, limit, 2, n, to, elements);
	return p;
}

/* PgBsonSkipElements that sets *run to the last neighbours of one type that it stepped over */
static inline const uint8 *
skip_runs(const uint8 *p, const uint8 *limit, uint32 position, uint32 count, uint32 *passed, Run *run)
{
	PgBsonNumberedElement element = PgBsonNumbered(position);
	uint32		n = 0;

	while (n < count && p < limit && element.digits <= PGBSON_SKIP_DIGITS)
	{
		const uint8 *begin = p;
		uint32		stride;
		uint32		found;

		p = PgBsonSkipAlike(p, limit, element.digits, Min(count - n, PgBsonNumberedAlike(&element)), &found, &stride);
		if (found == 0)
			break;
		run->from = begin;
		run->number = element.position;
		run->stride = stride;
		n += found;
		PgBsonNumberedAdvance(&element, found);
	}
	*passed = n;
	return p;
}

const uint8 *
PgBsonSkipElements(const uint8 *p, const uint8 *limit, uint32 position, uint32 count, uint32 *passed)
{
	Run			run;

	return skip_runs(p, limit, position, count, passed, &run);
}

const uint8 *
PgBsonSkipShort(PgBsonView array, uint32 *passed)
{
	const uint8 *elements[SHORT_ELEMENTS];

	return first_few(array, SHORT_ELEMENTS, passed, elements);
}

bool
PgBsonShortArrayElement(PgBsonView array, int32 index, PgBsonValue *element, bool *found)
{
	const uint8 *elements[SHORT_ELEMENTS + 1];
	const uint8 *end = array.data + array.len - 1;
	uint32		to = index < 0 ? SHORT_ELEMENTS : (uint32) index + 1;
	uint32		n;
	const uint8 *p;

	if (array.len > PGBSON_SHORT_ARRAY || to > SHORT_ELEMENTS)
		return false;
	p = first_few(array, to, &n, elements);
	if (p != end && (index < 0 || n < to))
		return false;
	*found = index < 0 ? -(int64) index <= n : n == to;
	if (*found)
	{
		uint32		i = index < 0 ? n + index : index;
		const uint8 *begin = elements[i];

		elements[n] = p;
		element->type = *begin;
		element->data = begin + (i < 10 ? 3 : 4);
		element->len = elements[i + 1] - element->data;
	}
	return true;
}

/*
 * This steps to the end to count the elements, and notes on the way where some of them are: the longer
 * the array, the fewer.  The second pass begins at the last of these before the wanted element.
 */
bool
PgBsonElementFromEnd(PgBsonView array, int64 back, const uint8 **from, uint32 *position, uint32 *rest)
{
	const uint8 *marks[MARKS];
	uint32		every = MARKS;	/* how many elements there are from one mark to the next */
	uint32		marked = 0;		/* how many elements were stepped over so far */
	uint32		count;
	uint32		passed;
	Run			run = {NULL, PG_UINT32_MAX, 0};
	PgBsonIter	iter;

	PgBsonIterInit(&iter, array);
	if (*from != NULL)
		iter.next = *from;
	do
	{
		if (marked / every == MARKS)
		{
			for (int i = 0; i < MARKS / 2; i++)
				marks[i] = marks[2 * i];
			every *= 2;
		}
		marks[marked / every] = iter.next;
		iter.next = skip_runs(iter.next, iter.end, *position + marked, every, &passed, &run);
		marked += passed;
		CHECK_FOR_INTERRUPTS();
	} while (passed == every);

	*from = iter.next;
	count = marked;
	while (PgBsonIterNext(&iter))
	{
		if (++count % INTERRUPT_EVERY == 0)
			CHECK_FOR_INTERRUPTS();
	}
	if (back > count)
		return false;
	*rest = count - back;
	if (*rest >= marked)
		passed = marked;
	else if (run.stride != 0 && *position + *rest >= run.number)
	{
		*from = run.from + (Size) (*position + *rest - run.number) * run.stride;
		passed = *rest;
	}
	else
	{
		uint32		mark = *rest / every;

		*from = PgBsonSkipElements(marks[mark], iter.end, *position + mark * every, *rest - mark * every, &passed);
		passed += mark * every;
	}
	*position += passed;
	*rest -= passed;
	return true;
}
