/*
 * shape.c
 *	  What the documents that come to a call site look like.
 *
 * The answer is that of a search, since each key on the way was compared in
 * full: those before the wanted one are not the wanted one, as they were not
 * when they were remembered.  Types may differ from what is remembered, so
 * that a field that is sometimes null is no difference; where it often is, its
 * type is read in each document instead of guessed.
 *
 * What is remembered is a tree.  A document's elements follow each other in
 * the list up to the wanted one or an end; where one differs from all that
 * was seen in a place, its elements from there on are added to the list, and
 * the place knows them as what else there may be.
 */
#include "core/find/shape.h"

#include "core/find/walk.h"

/* Elements that are remembered at most, documents that differ, and bytes of a key: it is copied */
#define MOST_ELEMENTS	1024
#define MOST_DOCUMENTS	8
#define MOST_KEY_BYTES	1024

/*
 * Where that many bytes are in the memory context, which the call sites of a query share, only a few elements are
 * remembered: many call sites that look for late keys of long documents would take more than those
 */
#define MOST_MEMORY		((Size) 8 * 1024 * 1024)
#define FEW_ELEMENTS	16

/* Behind a header, so that no comparison lacks them */
#define ENOUGH_BYTES	32

/* Differences that are borne at first; a shape must tell about half of the answers */
#define FIRST_CREDIT	16

/*
 * The type of an element is not guessed any more when it differed from the remembered one this often, and in one of this
 * many documents
 */
#define LEAST_STRANGE	8
#define MOST_REGULAR	8

/* Documents that are not compared after the shape was of no use for the first time, and how often that is doubled */
#define FIRST_PAUSE		16
#define MOST_FAILURES	7

/* Is the header at "p", where sixteen bytes can be read, the expected one, type and all, if that is remembered? */
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

/* Are a key of more than fourteen bytes, and behind it a length word or the largest value that has none, there from the eighth byte on? */
static inline bool
same_rest(const uint8 *p, const uint8 *limit, const PgBsonShapeElement *e)
{
	if (e->whole == NULL || limit - p < (ptrdiff_t) e->header_len + 16)
		return false;
	for (uint32 i = 8; i < e->header_len - 8; i += 8)
	{
		if (PgBsonReadU64(p + i) != PgBsonReadU64(e->whole + i))
			return false;
	}
	return PgBsonReadU64(p + e->header_len - 8) == PgBsonReadU64(e->whole + e->header_len - 8);
}

/* Is the key the expected one, whatever the type, where sixteen bytes can be read? */
static inline bool
same_but_type(const uint8 *p, const uint8 *limit, const PgBsonShapeElement *e)
{
	return (((PgBsonReadU64(p) & e->mask[0]) ^ e->word[0]) & ~UINT64CONST(0xFF)) == 0 &&
		((PgBsonReadU64(p + 8) & e->mask[1]) == e->word[1] || same_rest(p, limit, e));
}

/* The same at the very end */
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

/* May it be, but for the type, as far as the first few bytes tell? */
static inline bool
may_be(const uint8 *p, const uint8 *limit, const PgBsonShapeElement *e)
{
	return limit - p < 8 || (((PgBsonReadU64(p) & e->mask[0]) ^ e->word[0]) & ~UINT64CONST(0xFF)) == 0;
}

/*
 * The element has another type than the one remembered.  Where that is so again and again, the type is not
 * guessed any more: a wrong guess costs the processor more than to look at it before going on.
 */
static inline void
note_strange(const PgBsonShape *shape, PgBsonShapeElement *e)
{
	if (++e->strange < LEAST_STRANGE || e->strange < shape->served / MOST_REGULAR)
		return;
	e->class = PGBSON_SIZE_UNKNOWN;
	e->word[0] &= ~UINT64CONST(0xFF);
	e->mask[0] &= ~UINT64CONST(0xFF);
}

/* Step over the key of an element that is as expected, but perhaps for its type; NULL if it is another one */
static pg_attribute_always_inline const uint8 *
step_in(const uint8 *p, const uint8 *limit, const uint8 *end, const PgBsonShapeElement *e, uint64 *size)
{
	const uint8 *value = p + e->header_len;
	uint8		class = e->class;

	if (unlikely(!same_header(p, limit, e)) && !same_header_at_end(p, limit, e))
	{
		if (!(limit - p >= 16 && same_but_type(p, limit, e)) && !same_key(p, limit, e))
			return NULL;
		class = PGBSON_SIZE_UNKNOWN;
	}
	if (class == PGBSON_SIZE_UNKNOWN)
		class = PgBsonSizeClass[*p];
	if (class < PGBSON_SIZED)
		*size = class;
	else if (class < PGBSON_SIZE_REGEX && limit - value >= 4)
		*size = (uint64) PgBsonReadU32(value) + (class & ~PGBSON_SIZED);
	else
		return NULL;
	return *size <= (uint64) (end - value) ? value : NULL;
}

/* What else was seen in the same place; NULL: nothing more */
static inline PgBsonShapeElement *
other(const PgBsonShape *shape, const PgBsonShapeElement *e)
{
	return e->other == 0 ? NULL : &shape->elements[e->other];
}

/*
 * Step over elements that are as expected up to a wanted one or the last few bytes
 * before "limit".  Returns what is expected where *p is then; *value is that of the element before.
 * If that is a wanted one, and the same, *found is its value.
 */
static pg_attribute_always_inline PgBsonShapeElement *
step_over(const PgBsonShape *shape, const uint8 **p, const uint8 *limit, PgBsonShapeElement *e,
		  uint64 left, const uint8 **value, const uint8 **found, uint64 *found_size)
{
	const uint8 *at = *p;

	*found = NULL;
	while (limit - at >= PGBSON_STEP_ROOM)
	{
		PgBsonShapeElement *this = e;
		const uint8 *here;
		uint64		size = e->class;

		if (unlikely(!same_words(at, this)))
		{
			/* a null, or a number of another size */
			while (!same_but_type(at, limit, this))
			{
				if (this->other == 0)
					goto differs;
				this = &shape->elements[this->other];
			}
			size = PgBsonSizeClass[*at];
			if (size >= PGBSON_SIZE_REGEX)
				goto differs;
			/* of a long key the words are never the same */
			if (unlikely(size != this->class) && this->whole == NULL)
				note_strange(shape, this);
		}
		here = at + this->header_len;
		if (size >= PGBSON_SIZED)
		{
			uint32		length = PgBsonReadU32(here);

			if (unlikely(size == PGBSON_SIZE_UNKNOWN))
			{
				size = PgBsonSizeClass[*at];
				if (size >= PGBSON_SIZE_REGEX)
					goto differs;
				/* without a branch, which could not be foreseen */
				length &= PgBsonOpaque(-(uint32) (size >> 7));
			}
			size = (uint64) length + (size & ~(uint64) PGBSON_SIZED);
		}
		e = this;
		if (size > (uint64) (limit - here))
			break;
		if (e->field >= 0 && (left >> e->field & 1) != 0)
		{
			*found = here;
			*found_size = size;
			break;
		}
		*value = here;
		at = here + size;
		e++;
	}
differs:
	*p = at;
	return e;
}

/*
 * The element at "p" among those seen in this place, and its value; or the end that was
 * seen here, with value NULL.  NULL if it is none of them.
 */
static pg_attribute_always_inline PgBsonShapeElement *
recognize(const PgBsonShape *shape, const uint8 *p, const uint8 *limit, const uint8 *end,
		  PgBsonShapeElement *e, const uint8 **value, uint64 *size)
{
	for (; e != NULL; e = other(shape, e))
	{
		if (e->header_len == 0 ? e->ends && p == end
			: may_be(p, limit, e) && (*value = step_in(p, limit, end, e, size)) != NULL)
			break;
	}
	return e;
}

/* Do the bytes end too near "p" to tell whether the expected element is there, and can more of them be read? */
static pg_noinline bool
read_on(PgBsonShape *shape, PgBsonReader *reader, const uint8 *p, const PgBsonShapeElement *expected)
{
	const uint8 *upto = p + expected->header_len + ENOUGH_BYTES;

	if (upto <= shape->avail)
		return false;
	shape->avail = PgBsonReach(reader, p, upto);
	return true;
}

static pg_attribute_always_inline PgBsonShapeAnswer
compare(PgBsonShape *shape, PgBsonReader *reader, PgBsonView doc, const uint8 *avail, uint64 left,
		PgBsonShapeElement **expected, const uint8 *p, PgBsonValue *result)
{
	const uint8 *end = doc.data + doc.len - 1;
	const uint8 *limit = Min(end, avail);
	PgBsonShapeElement *e = *expected;
	const uint8 *value = p;

	if (reader != NULL)
		shape->avail = avail;
	for (;;)
	{
		const uint8 *here;
		uint64		size = 0;
		PgBsonShapeElement *this;

		e = step_over(shape, &p, limit, e, left, &value, &here, &size);
		this = here != NULL ? e : recognize(shape, p, limit, end, e, &here, &size);
		if (this == NULL)
		{
			if (reader != NULL && limit < end && read_on(shape, reader, p, e))
			{
				limit = Min(end, shape->avail);
				continue;
			}
			shape->upto = p;
			return PGBSON_SHAPE_DIFFERS;
		}
		e = this;
		if (e->header_len == 0)
		{
			shape->upto = value + 4;
			return PGBSON_SHAPE_ABSENT;
		}
		if (e->field >= 0 && (left >> e->field & 1) != 0)
		{
			result->type = *p;
			result->data = here;
			result->len = size;
			*expected = e;
			return PGBSON_SHAPE_HIT;
		}
		value = here;
		p = here + size;
		e++;
	}
}

PgBsonShapeAnswer
PgBsonShapeCompare(PgBsonShape *shape, PgBsonReader *reader, PgBsonView doc, const uint8 *avail,
				   PgBsonValue *result)
{
	PgBsonShapeElement *e = shape->elements;

	return compare(shape, reader, doc, avail, 1, &e, doc.data + 4, result);
}

PgBsonShapeAnswer
PgBsonShapeNext(PgBsonShape *shape, PgBsonReader *reader, PgBsonView doc, const uint8 *avail, uint64 left,
				uint32 *at, const uint8 **next, int *which, PgBsonValue *result)
{
	PgBsonShapeElement *e = shape->elements + *at;
	PgBsonShapeAnswer answer = compare(shape, reader, doc, avail, left, &e, *next, result);

	*next = shape->upto;
	if (answer == PGBSON_SHAPE_HIT)
	{
		*next = result->data + result->len;
		*which = e->field;
		*at = e + 1 - shape->elements;
	}
	return answer;
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
	shape->documents = 0;
	shape->served = 0;
}

void
PgBsonShapeFree(PgBsonShape *shape)
{
	forget(shape);
	if (shape->elements != NULL)
		pfree(shape->elements);
	memset(shape, 0, sizeof(*shape));
}

static void
make_room(PgBsonShape *shape, MemoryContext context, uint32 count)
{
	PgBsonShapeElement *elements;

	if (count <= shape->room)
		return;
	if (shape->count > 0)
		count = Max(count, shape->room * 2);
	elements = MemoryContextAlloc(context, sizeof(PgBsonShapeElement) * count);
	if (shape->count > 0)
		memcpy(elements, shape->elements, sizeof(PgBsonShapeElement) * shape->count);
	if (shape->elements != NULL)
		pfree(shape->elements);
	shape->elements = elements;
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
	e->ends = false;
	e->other = 0;
	e->strange = 0;
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
 * before did not look at this element.  NULL, too, for a key that is not worth remembering.
 */
static const uint8 *
behind(const uint8 *p, const uint8 *limit, const uint8 *end, uint32 *key_len)
{
	uint8		class = PgBsonSizeClass[*p];
	const uint8 *value;
	uint64		size = class;

	*key_len = PgBsonKeyLength(p + 1, limit);
	/* so is one that does not end */
	if (*key_len > MOST_KEY_BYTES)
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

/* That the document ends here, or that no more of it was seen */
static void
remember_end(PgBsonShapeElement *e, bool ends)
{
	memset(e, 0, sizeof(*e));
	/* what no header equals */
	e->word[1] = 1;
	e->field = -1;
	e->ends = ends;
}

/* What is wanted of the documents: an element of this one, or certain keys, or nothing */
typedef struct Wanted
{
	const PgBsonValue *value;
	PgBsonFieldOf field_of;
	void	   *arg;
	uint64		noted;			/* fields that were on the way */
} Wanted;

/* Which field is the element with this key and value? */
static int
field_at(Wanted *wanted, const uint8 *key, uint32 key_len, const uint8 *value)
{
	int			field = -1;

	if (wanted->value != NULL)
		return wanted->value->data == value ? 0 : -1;
	if (wanted->field_of != NULL)
		field = wanted->field_of((const char *) key, key_len, wanted->arg);
	if (field < 0 || field >= PGBSON_SHAPE_FIELDS || (wanted->noted >> field & 1) != 0)
		return -1;
	wanted->noted |= UINT64CONST(1) << field;
	return field;
}

/*
 * How far the document looks like one that is remembered: *p is where it differs, *place what was seen
 * there first, or NULL.  False if it does not differ.
 */
static pg_noinline bool
find_difference(const PgBsonShape *shape, const uint8 *limit, const uint8 *end, Wanted *wanted,
				const uint8 **p, PgBsonShapeElement **place)
{
	PgBsonShapeElement *e = shape->elements;

	*place = NULL;
	while (shape->count > 0)
	{
		const uint8 *value = NULL;
		uint64		size = 0;
		PgBsonShapeElement *this = recognize(shape, *p, limit, end, e, &value, &size);

		if (this == NULL)
		{
			*place = e;
			return true;
		}
		if (this->header_len == 0 || (this->field >= 0 && wanted->field_of == NULL))
			return false;
		if (this->field >= 0)
			wanted->noted |= UINT64CONST(1) << this->field;
		*p = value + size;
		e = this + 1;
	}
	return true;
}

/*
 * Remember the elements from where the document differs up to the wanted one, or as many as can be.
 * False if there is nothing to remember, or too much for the memory there is.
 */
static bool
remember(PgBsonShape *shape, MemoryContext context, PgBsonView doc, const uint8 *avail, Wanted *wanted)
{
	const uint8 *begin = doc.data + 4;
	const uint8 *end = doc.data + doc.len - 1;
	const uint8 *limit = Min(end, avail);
	const uint8 *p;
	const uint8 *next;
	uint32		key_len;
	bool		hit = false;
	uint32		count = shape->count;
	PgBsonShapeElement *place;
	int64		place_number;

	if (!find_difference(shape, limit, end, wanted, &begin, &place))
		return false;
	place_number = place == NULL ? -1 : place - shape->elements;
	for (p = begin; p < limit && !hit && (next = behind(p, limit, end, &key_len)) != NULL; p = next)
	{
		if (count++ >= MOST_ELEMENTS)
			return false;
		hit = wanted->value != NULL && wanted->value->data == p + key_len + 2;
	}
	if (p == begin && p != end)
		return false;
	if (count >= Max(shape->room, FEW_ELEMENTS) && MemoryContextMemAllocated(context, false) > MOST_MEMORY)
		return false;

	/* nothing of it counts until all is there: memory may run out */
	make_room(shape, context, count + 1);
	p = begin;
	for (uint32 i = shape->count; i < count; i++)
	{
		PgBsonShapeElement *e = &shape->elements[i];

		next = behind(p, limit, end, &key_len);
		remember_element(e, p, key_len, context);
		e->field = field_at(wanted, p + 1, key_len, p + key_len + 2);
		p = next;
	}
	if (!hit)
		remember_end(&shape->elements[count++], p == end);
	/* the newest is the first to be tried: kinds of documents often come in blocks */
	if (place_number >= 0)
	{
		shape->elements[shape->count].other = shape->elements[place_number].other;
		shape->elements[place_number].other = shape->count;
	}
	shape->count = count;
	shape->documents++;
	return true;
}

/* See PgBsonShapeDiffers */
static void
differs(PgBsonShape *shape, MemoryContext context, PgBsonView doc, const uint8 *avail, Wanted *wanted)
{
	if (shape->count == 0)
		shape->credit = FIRST_CREDIT;
	if (shape->documents < MOST_DOCUMENTS && remember(shape, context, doc, avail, wanted))
		return;
	if (shape->count == 0 || --shape->credit < 0)
	{
		forget(shape);
		shape->pause = FIRST_PAUSE << shape->failures;
		shape->failures = Min(shape->failures + 1, MOST_FAILURES);
	}
}

void
PgBsonShapeDiffers(PgBsonShape *shape, MemoryContext context, PgBsonView doc, const uint8 *avail,
				   const PgBsonValue *wanted)
{
	Wanted		w = {wanted, NULL, NULL, 0};

	differs(shape, context, doc, avail, &w);
}

void
PgBsonShapeDiffersInFields(PgBsonShape *shape, MemoryContext context, PgBsonView doc, const uint8 *avail,
						   PgBsonFieldOf field_of, void *arg)
{
	Wanted		w = {NULL, field_of, arg, 0};

	differs(shape, context, doc, avail, &w);
}
