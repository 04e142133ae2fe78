/*
 * front.c
 *	  What the first bytes of toasted values tell of their order.
 *
 * Documents that differ mostly do so in one of their first fields.  So the fronts
 * of both are compared first, in the order of compare.c.  What is beyond them,
 * or is damaged, is left to that.
 */
#include "core/order/front.h"

#include "access/detoast.h"
#include "core/find/fetch.h"
#include "core/order/compare.h"
#include "miscadmin.h"

/* How much of a value is read, in bytes */
#define FRONT_SIZE		512

bool
PgBsonFrontOpen(Datum datum, PgBsonFront *front)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);
	const uint8 *data;
	uint32		whole;
	uint32		avail;

	front->bytes = NULL;
	if (!PgBsonIsToasted(value))
	{
		front->root = PgBsonRoot(value);
		front->avail = front->root.data + front->root.len;
		return true;
	}
	if (!VARATT_IS_EXTERNAL_ONDISK(value) && !VARATT_IS_COMPRESSED(value))
		return false;
	whole = toast_raw_datum_size(datum) - VARHDRSZ;
	front->bytes = PgBsonDetoastPrefix(value, FRONT_SIZE);
	data = (const uint8 *) VARDATA(front->bytes);
	avail = Min(VARSIZE(front->bytes) - VARHDRSZ, whole);
	front->avail = data + avail;
	if (PgBsonRootWithin(data, avail, whole, &front->root))
		return true;
	pfree(front->bytes);
	return false;
}

void
PgBsonFrontClose(PgBsonFront *front)
{
	if (front->bytes != NULL)
		pfree(front->bytes);
}

typedef struct Element
{
	const char *key;
	uint32		key_len;
	PgBsonValue value;
} Element;

typedef enum Step
{
	STEP_ELEMENT,
	STEP_END,
	STEP_BEYOND
} Step;

/* The element at *next, which is moved behind it.  Of a container only the length must be there. */
static Step
next_element(const PgBsonValue *container, const uint8 *avail, const uint8 **next, Element *element)
{
	const uint8 *end = PgBsonElementsEnd(container);
	const uint8 *limit = Min(end, avail);
	const uint8 *p = *next;
	PgBsonValue *value = &element->value;

	if (p >= end)
		return STEP_END;
	if (p >= limit)
		return STEP_BEYOND;
	value->type = *p++;
	element->key = (const char *) p;
	element->key_len = PgBsonKeyLength(p, limit);
	if (element->key_len == PGBSON_BAD_SIZE)
		return STEP_BEYOND;
	p += element->key_len + 1;
	value->data = p;
	if (!PgBsonIsContainer(value->type))
		value->len = PgBsonValueSize(value->type, p, limit - p);
	else if (limit - p < 4)
		return STEP_BEYOND;
	else
	{
		value->len = PgBsonReadU32(p);
		if (value->len < PGBSON_MIN_SIZE)
			return STEP_BEYOND;
	}
	/* PGBSON_BAD_SIZE included */
	if (value->len > end - p)
		return STEP_BEYOND;
	*next = p + value->len;
	return STEP_ELEMENT;
}

/* Is all of a value there?  A container is looked at element by element. */
static inline bool
is_there(const PgBsonValue *value, const uint8 *avail)
{
	return PgBsonIsContainer(value->type) || (value->data <= avail && value->len <= avail - value->data);
}

bool
PgBsonFrontHasScalar(const PgBsonFront *front)
{
	PgBsonValue v = front->root;
	const uint8 *avail = front->avail;

	/* an iterator looks at eight bytes of a key at a time, as far as the root goes */
	if (avail < v.data + v.len)
		avail -= sizeof(uint64);
	while (PgBsonIsContainer(v.type))
	{
		const uint8 *next = v.data + 4;
		Element		first;

		if (next_element(&v, avail, &next, &first) != STEP_ELEMENT)
			return false;
		v = first.value;
	}
	return is_there(&v, avail);
}

static bool compare_values(const PgBsonValue *a, const uint8 *a_avail,
						   const PgBsonValue *b, const uint8 *b_avail, int *cmp);

static bool
compare_containers(const PgBsonValue *a, const uint8 *a_avail,
				   const PgBsonValue *b, const uint8 *b_avail, int *cmp)
{
	bool		keyed = a->type == PGBSON_DOCUMENT;
	const uint8 *a_next = a->data + 4;
	const uint8 *b_next = b->data + 4;

	check_stack_depth();
	for (;;)
	{
		Element		x;
		Element		y;
		Step		a_step = next_element(a, a_avail, &a_next, &x);
		Step		b_step = next_element(b, b_avail, &b_next, &y);

		if (a_step == STEP_BEYOND || b_step == STEP_BEYOND)
			return false;
		*cmp = (a_step == STEP_ELEMENT) - (b_step == STEP_ELEMENT);
		if (a_step == STEP_END || b_step == STEP_END)
			return true;
		if (keyed)
		{
			*cmp = PgBsonTypeRank(x.value.type) - PgBsonTypeRank(y.value.type);
			if (*cmp == 0)
				*cmp = memcmp(x.key, y.key, Min(x.key_len, y.key_len));
			if (*cmp == 0)
				*cmp = (x.key_len > y.key_len) - (x.key_len < y.key_len);
			if (*cmp != 0)
				return true;
		}
		if (!compare_values(&x.value, a_avail, &y.value, b_avail, cmp))
			return false;
		if (*cmp != 0)
			return true;
	}
}

/* As in compare.c; false if that takes more bytes than are there */
static bool
compare_values(const PgBsonValue *a, const uint8 *a_avail,
			   const PgBsonValue *b, const uint8 *b_avail, int *cmp)
{
	*cmp = PgBsonTypeRank(a->type) - PgBsonTypeRank(b->type);
	if (*cmp != 0)
		return true;
	if (PgBsonIsContainer(a->type))
		return compare_containers(a, a_avail, b, b_avail, cmp);
	if (!is_there(a, a_avail) || !is_there(b, b_avail))
		return false;
	*cmp = PgBsonCompare(a, b);
	return true;
}

bool
PgBsonFrontsTell(const PgBsonFront *a, const PgBsonFront *b, int *cmp)
{
	return compare_values(&a->root, a->avail, &b->root, b->avail, cmp);
}

/* Is one the other's copy, toasted as that is? */
static bool
is_copy(Datum x, Datum y)
{
	struct varlena *a = (struct varlena *) DatumGetPointer(x);
	struct varlena *b = (struct varlena *) DatumGetPointer(y);

	return VARSIZE_ANY(a) == VARSIZE_ANY(b) && memcmp(a, b, VARSIZE_ANY(a)) == 0;
}

/*
 * Where fronts did not tell, they probably will not for the values that are compared next: so many
 * pairs are passed over, twice as many each time.
 */
#define MOST_PASSED		127
static uint32 passed = 0;
static uint32 passing = 0;

bool
PgBsonFrontsCompare(Datum x, Datum y, int *cmp)
{
	PgBsonFront a;
	PgBsonFront b;
	bool		told = false;

	*cmp = 0;
	if (is_copy(x, y))
		return true;
	if (passing > 0)
	{
		passing--;
		return false;
	}
	if (!PgBsonFrontOpen(x, &a))
		return false;
	if (PgBsonFrontOpen(y, &b))
	{
		told = PgBsonFrontsTell(&a, &b, cmp);
		PgBsonFrontClose(&b);
	}
	PgBsonFrontClose(&a);
	passed = told ? 0 : Min(passed * 2 + 1, MOST_PASSED);
	passing = passed;
	return told;
}
