/*
 * shape.c
 *	  What the documents that come to a call site look like.
 *
 * The answer is that of a search, since each key on the way was compared in
 * full: those before the wanted one are not the wanted one, as they were not
 * when they were remembered.  Types may differ from what is remembered, so
 * that a field that is sometimes null is no difference.
 */
#include "core/shape.h"

#include "core/walk.h"

/* Elements that are remembered at most */
#define MOST_ELEMENTS	1024

/* Differences that are borne after the shape was of no use so many times, as a power of two */
#define MOST_FAILURES	8

/* Is the header at "p", where sixteen bytes can be read, the expected one, type and all? */
static inline bool
same_words(const uint8 *p, const PgBsonShapeElement *e)
{
	return (((PgBsonReadU64(p) & e->mask[0]) ^ e->word[0]) |
			((PgBsonReadU64(p + 8) & e->mask[1]) ^ e->word[1])) == 0;
}

/* Is it, and a length word behind it within reach? */
static inline bool
same_header(const uint8 *p, const uint8 *limit, const PgBsonShapeElement *e)
{
	return limit - p >= 16 + 4 && same_words(p, e);
}

/* The same near the end, where fewer bytes can be read; it is not asked of longer keys */
static inline bool
same_header_at_end(const uint8 *p, const uint8 *limit, const PgBsonShapeElement *e)
{
	return e->whole == NULL && limit - p >= Max((ptrdiff_t) e->header_len, 8) &&
		(PgBsonReadU64(p) & e->mask[0]) == e->word[0] &&
		(e->header_len <= 8 || PgBsonReadU64(p + e->header_len - 8) == e->tail);
}

/* The same of a header that is longer than the words, and behind it a length word or the largest value that has none */
static inline bool
same_long_header(const uint8 *p, const uint8 *limit, const PgBsonShapeElement *e)
{
	if (e->whole == NULL || limit - p < (ptrdiff_t) e->header_len + 16)
		return false;
	for (uint32 i = 0; i < e->header_len - 8; i += 8)
	{
		if (PgBsonReadU64(p + i) != PgBsonReadU64(e->whole + i))
			return false;
	}
	return PgBsonReadU64(p + e->header_len - 8) == PgBsonReadU64(e->whole + e->header_len - 8);
}

/* The same, but for the type, at the very end */
static pg_noinline bool
same_key(const uint8 *p, const uint8 *limit, const PgBsonShapeElement *e)
{
	uint8		header[16] = {0};

	if (limit - p < (ptrdiff_t) e->header_len)
		return false;
	if (e->whole != NULL)
		return memcmp(p + 1, e->whole + 1, e->header_len - 1) == 0;
	memcpy(header, p, e->header_len);
	return ((PgBsonReadU64(header) ^ e->word[0]) & ~UINT64CONST(0xFF)) == 0 && PgBsonReadU64(header + 8) == e->word[1];
}

/* Step over the key of an element that is as expected, but perhaps for its type; NULL if it is another one */
static inline const uint8 *
step_in(const uint8 *p, const uint8 *limit, const uint8 *end, const PgBsonShapeElement *e, uint64 *size)
{
	const uint8 *value = p + e->header_len;
	uint8		class = e->class;

	if (unlikely(!same_header(p, limit, e)) && !same_long_header(p, limit, e) && !same_header_at_end(p, limit, e))
	{
		if (!same_key(p, limit, e))
			return NULL;
		class = PgBsonSizeClass[*p];
	}
	if (class < PGBSON_SIZED)
		*size = class;
	else if (class < PGBSON_SIZE_REGEX && limit - value >= 4)
		*size = (uint64) PgBsonReadU32(value) + (class & ~PGBSON_SIZED);
	else
		return NULL;
	return *size <= (uint64) (end - value) ? value : NULL;
}

/*
 * Step over elements that are as expected, type and all, up to "upto" or the last few bytes
 * before "limit".  Returns the first that is not, where *p is; *value is that of the one before.
 */
static inline const PgBsonShapeElement *
step_over(const uint8 **p, const uint8 *limit, const PgBsonShapeElement *e,
		  const PgBsonShapeElement *upto, const uint8 **value)
{
	const uint8 *at = *p;

	for (; e < upto && limit - at >= PGBSON_STRIDE_ROOM && (same_words(at, e) || same_long_header(at, limit, e)); e++)
	{
		const uint8 *here = at + e->header_len;
		uint64		size = e->class;

		if (e->class >= PGBSON_SIZED)
		{
			size = (uint64) PgBsonReadU32(here) + (e->class & ~PGBSON_SIZED);
			if (size > (uint64) (limit - here))
				break;
		}
		*value = here;
		at = here + size;
	}
	*p = at;
	return e;
}

PgBsonShapeAnswer
PgBsonShapeCompare(const PgBsonShape *shape, PgBsonView doc, const uint8 *avail,
				   const uint8 **next, PgBsonValue *result)
{
	const uint8 *p = doc.data + 4;
	const uint8 *end = doc.data + doc.len - 1;
	const uint8 *limit = Min(end, avail);
	const PgBsonShapeElement *e = shape->elements;
	const PgBsonShapeElement *wanted = e + shape->count - shape->hit;
	const uint8 *value = p;
	uint64		size;

	while ((e = step_over(&p, limit, e, wanted, &value)) < wanted)
	{
		const uint8 *here = step_in(p, limit, end, e, &size);

		if (here == NULL)
			break;
		value = here;
		p = here + size;
		e++;
	}
	*next = p;
	if (e < wanted)
		return PGBSON_SHAPE_DIFFERS;
	if (!shape->hit)
	{
		if (!shape->ends || p != end)
			return PGBSON_SHAPE_DIFFERS;
		*next = value + 4;
		return PGBSON_SHAPE_ABSENT;
	}

	value = step_in(p, limit, end, e, &size);
	if (value == NULL)
		return PGBSON_SHAPE_DIFFERS;
	result->type = *p;
	result->data = value;
	result->len = size;
	return PGBSON_SHAPE_HIT;
}

PgBsonShapeAnswer
PgBsonShapeNext(const PgBsonShape *shape, PgBsonView doc, const uint8 *avail, uint64 left,
				uint32 *at, const uint8 **next, int *which, PgBsonValue *result)
{
	const uint8 *p = *next;
	const uint8 *end = doc.data + doc.len - 1;
	const uint8 *limit = Min(end, avail);
	const PgBsonShapeElement *e = shape->elements + *at;
	const PgBsonShapeElement *behind = shape->elements + shape->count;
	const uint8 *value = p;
	uint64		size;

	for (; e < behind; e++)
	{
		value = step_in(p, limit, end, e, &size);
		if (value == NULL)
			break;
		if (e->field >= 0 && (left >> e->field & 1) != 0)
		{
			result->type = *p;
			result->data = value;
			result->len = size;
			*which = e->field;
			*at = e + 1 - shape->elements;
			*next = value + size;
			return PGBSON_SHAPE_HIT;
		}
		p = value + size;
	}
	*next = p;
	if (e < behind || !shape->ends || p != end)
		return PGBSON_SHAPE_DIFFERS;
	*next = value + 4;
	return PGBSON_SHAPE_ABSENT;
}

static void
forget(PgBsonShape *shape)
{
	for (uint32 i = 0; i < shape->count; i++)
	{
		if (shape->elements[i].whole != NULL)
			pfree(unconstify(uint8 *, shape->elements[i].whole));
	}
	shape->count = 0;
	shape->hit = shape->ends = false;
}

static void
make_room(PgBsonShape *shape, MemoryContext context, uint32 count)
{
	if (count <= shape->room)
		return;
	if (shape->elements != NULL)
		pfree(shape->elements);
	shape->elements = NULL;
	shape->room = 0;
	shape->elements = MemoryContextAlloc(context, sizeof(PgBsonShapeElement) * count);
	shape->room = count;
}

static void
remember_element(PgBsonShapeElement *e, const uint8 *element, uint32 key_len, MemoryContext context)
{
	uint8		header[16] = {0};
	uint8		mask[16] = {0};
	uint32		len = Min(key_len + 2, 16);

	memcpy(header, element, len);
	memset(mask, 0xFF, len);
	e->word[0] = PgBsonReadU64(header);
	e->word[1] = PgBsonReadU64(header + 8);
	e->mask[0] = PgBsonReadU64(mask);
	e->mask[1] = PgBsonReadU64(mask + 8);
	e->header_len = key_len + 2;
	e->class = PgBsonSizeClass[*element];
	e->field = -1;
	e->tail = e->header_len >= 8 ? PgBsonReadU64(element + e->header_len - 8) : 0;
	e->whole = NULL;
	if (e->header_len > 16)
	{
		e->mask[1] = 0;
		e->word[1] = 1;
		e->whole = memcpy(MemoryContextAlloc(context, e->header_len), element, e->header_len);
	}
}

/*
 * What is behind the element at "p", in a document that ends at "end"; NULL if that is not known
 * without looking at the value, or not there, or beyond the end: a walk that found all it wanted
 * before did not look at this element.
 */
static const uint8 *
behind(const uint8 *p, const uint8 *limit, const uint8 *end, uint32 *key_len)
{
	uint8		class = PgBsonSizeClass[*p];
	const uint8 *value;
	uint64		size = class;

	*key_len = PgBsonKeyLength(p + 1, limit);
	if (*key_len == PGBSON_BAD_SIZE)
		return NULL;
	value = p + *key_len + 2;
	if (class >= PGBSON_SIZED)
	{
		if (class >= PGBSON_SIZE_REGEX || limit - value < 4)
			return NULL;
		size = (uint64) PgBsonReadU32(value) + (class & ~PGBSON_SIZED);
	}
	return size <= (uint64) (end - value) ? value + size : NULL;
}

/*
 * Remember the elements up to the wanted one, or as many as can be.
 * False if they are so many that no shape would ever tell the answer.
 */
static bool
remember(PgBsonShape *shape, MemoryContext context, PgBsonView doc, const uint8 *avail,
		 const PgBsonValue *wanted)
{
	const uint8 *begin = doc.data + 4;
	const uint8 *end = doc.data + doc.len - 1;
	const uint8 *limit = Min(end, avail);
	const uint8 *p = begin;
	const uint8 *next;
	uint32		key_len;
	bool		hit = false;
	bool		ends;
	uint32		count = 0;

	/* there is no shape until it is whole: memory may run out */
	forget(shape);
	for (; p < limit && !hit && (next = behind(p, limit, end, &key_len)) != NULL; p = next)
	{
		if (count++ == MOST_ELEMENTS)
			return false;
		hit = wanted != NULL && wanted->data == p + key_len + 2;
	}
	ends = !hit && p == end;

	make_room(shape, context, count);
	p = begin;
	for (uint32 i = 0; i < count; i++)
	{
		next = behind(p, limit, end, &key_len);
		remember_element(&shape->elements[i], p, key_len, context);
		p = next;
	}
	shape->count = count;
	shape->hit = hit;
	shape->ends = ends;
	return true;
}

bool
PgBsonShapeDiffers(PgBsonShape *shape, MemoryContext context, PgBsonView doc, const uint8 *avail,
				   const PgBsonValue *wanted)
{
	if (shape->credit-- > 0)
		return false;
	shape->credit = 1 << shape->failures;
	shape->failures = Min(shape->failures + 1, MOST_FAILURES);
	if (!remember(shape, context, doc, avail, wanted))
	{
		shape->failures = MOST_FAILURES;
		shape->credit = 1 << MOST_FAILURES;
	}
	return true;
}

void
PgBsonShapeNote(PgBsonShape *shape, PgBsonView doc, PgBsonFieldOf field_of, void *arg)
{
	const uint8 *p = doc.data + 4;
	uint64		noted = 0;

	for (uint32 i = 0; i < shape->count; i++)
	{
		PgBsonShapeElement *e = &shape->elements[i];
		const uint8 *value = p + e->header_len;
		int			field = field_of((const char *) p + 1, e->header_len - 2, arg);

		if (field >= 0 && field < PGBSON_SHAPE_FIELDS && (noted >> field & 1) == 0)
		{
			e->field = field;
			noted |= UINT64CONST(1) << field;
		}
		p = value + (e->class < PGBSON_SIZED ? e->class
					 : (uint64) PgBsonReadU32(value) + (e->class & ~PGBSON_SIZED));
	}
}
