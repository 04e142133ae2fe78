/*
 * member.c
 *	  Is a scalar one of the elements of an array?
 *
 * Neighbours in an array mostly have one type.  A run of elements whose type tells that they
 * are not equal to the scalar is stepped over without reading the values.  In a run of a type
 * whose equal values have equal bytes, the bytes are compared.  All others are compared by
 * value, and so are elements whose keys are not their positions (see skip.h).
 */
#include "core/order/contain.h"

#include <math.h>

#include "core/bytes/skip.h"
#include "core/number/number.h"
#include "core/order/compare.h"

/* How elements of a type are compared with the scalar */
typedef enum Way
{
	DIFFERENT,					/* no element of the type is equal to the scalar */
	BY_BITS,					/* an equal element has the bits of the scalar, in one, four or eight bytes */
	BY_TEXT,
	BY_VALUE
} Way;

typedef struct Sought
{
	const PgBsonValue *scalar;	/* NULL: a text */
	PgBsonSoughtText text;		/* the text, or the scalar if that is a string; otherwise its "s" is NULL */
	int			rank;
	/* how elements of the type that was met last are compared */
	PgBsonType	type;
	Way			way;
	uint64		bits;
} Sought;

static Way
number_way(const PgBsonValue *number, PgBsonType type, uint64 *bits)
{
	int32		i;
	int64		n;
	double		d;
	bool		exact;

	switch (type)
	{
		case PGBSON_INT32:
			if (!PgBsonNumberToInt32(number, &i))
				return DIFFERENT;
			*bits = (uint32) i;
			return BY_BITS;
		case PGBSON_INT64:
			if (!PgBsonNumberToInt64(number, &n))
				return DIFFERENT;
			*bits = (uint64) n;
			return BY_BITS;
		case PGBSON_DOUBLE:
			d = PgBsonNumberToDouble(number, &exact);
			/* equal zeroes, and equal NaNs, have different bits */
			if (isnan(d) || d == 0)
				return BY_VALUE;
			if (!exact)
				return DIFFERENT;
			memcpy(bits, &d, sizeof(d));
			return BY_BITS;
		default:
			return BY_VALUE;
	}
}

/* Find out how elements of this type are compared */
static void
learn_members(Sought *sought, PgBsonType type)
{
	const PgBsonValue *scalar = sought->scalar;

	sought->type = type;
	/* the array is damaged, which reading the element will report */
	if (PgBsonSizeClass[type] == PGBSON_SIZE_UNKNOWN)
		sought->way = BY_VALUE;
	else if (PgBsonTypeRank(type) != sought->rank)
		sought->way = DIFFERENT;
	else if (sought->text.s != NULL)
		sought->way = type == PGBSON_STRING ? BY_TEXT : BY_VALUE;
	else if (PgBsonIsNumber(type))
		sought->way = number_way(scalar, type, &sought->bits);
	else if (type == PGBSON_BOOL || type == PGBSON_DATE)
	{
		sought->way = BY_BITS;
		sought->bits = type == PGBSON_BOOL ? scalar->data[0] : PgBsonReadU64(scalar->data);
	}
	else
		sought->way = BY_VALUE;
}

/* Step over elements of a fixed size that have other bits than the scalar */
static const uint8 *
skip_other_bits(const uint8 *p, const uint8 *limit, const PgBsonElementHeader *header, uint32 size, uint64 bits,
				uint32 count, uint32 *passed)
{
	uint64		mask = PG_UINT64_MAX >> (64 - 8 * size);
	uint32		stride = header->len + size;
	uint32		n = 0;

	/* eight bytes are read from the value on, whatever its size */
	for (; n < count && limit - p >= (ptrdiff_t) header->len + 8; n++)
	{
		if (!PgBsonIsHeader(p, header) || (PgBsonReadU64(p + header->len) & mask) == bits)
			break;
		p += stride;
	}
	*passed = n;
	return p;
}

/* Step over elements of one type that are not equal to the scalar; over none if they must be compared by value */
static const uint8 *
skip_others(const uint8 *p, const uint8 *limit, Sought *sought, const PgBsonNumberedElement *element, uint32 *passed)
{
	PgBsonType	type = *p;
	uint32		count = PgBsonNumberedAlike(element);
	PgBsonElementHeader header;
	uint32		stride;

	if (type != sought->type)
		learn_members(sought, type);
	*passed = 0;
	switch (sought->way)
	{
		case DIFFERENT:
			return PgBsonSkipAlike(p, limit, element->digits, count, passed, &stride);
		case BY_BITS:
			header = PgBsonHeaderOf(type, element->digits);
			return skip_other_bits(p, limit, &header, PgBsonSizeClass[type], sought->bits, count, passed);
		case BY_TEXT:
			return PgBsonSkipOtherText(p, limit, element->digits, count, &sought->text, passed);
		default:
			return p;
	}
}

static bool
is_equal(const Sought *sought, const PgBsonValue *value)
{
	const char *s;
	uint32		len;

	if (PgBsonTypeRank(value->type) != sought->rank)
		return false;
	if (sought->text.s == NULL)
		return PgBsonEqual(value, sought->scalar);
	s = PgBsonValueString(value, &len);
	return PgBsonSameKey(s, len, sought->text.s, sought->text.len);
}

static bool
has(PgBsonView array, Sought *sought)
{
	PgBsonNumberedElement element = PgBsonNumbered(0);
	PgBsonIter	iter;

	sought->type = PGBSON_EOD;
	PgBsonIterInit(&iter, array);
	for (;;)
	{
		uint32		passed = 0;

		CHECK_FOR_INTERRUPTS();
		if (iter.next < iter.end && element.digits <= PGBSON_SKIP_DIGITS)
			iter.next = skip_others(iter.next, iter.end, sought, &element, &passed);
		if (passed > 0)
		{
			PgBsonNumberedAdvance(&element, passed);
			continue;
		}
		if (!PgBsonIterNext(&iter))
			return false;
		if (is_equal(sought, &iter.value))
			return true;
		PgBsonNumberedAdvance(&element, 1);
	}
}

bool
PgBsonArrayHas(PgBsonView array, const PgBsonValue *scalar)
{
	Sought		sought = {scalar, .rank = PgBsonTypeRank(scalar->type)};

	if (sought.rank == PgBsonTypeRank(PGBSON_STRING))
	{
		sought.text = PgBsonSoughtTextOf(PgBsonStringBytes(scalar), PgBsonStringLength(scalar));
	}
	return has(array, &sought);
}

bool
PgBsonArrayHasText(PgBsonView array, const char *s, uint32 len)
{
	Sought		sought = {NULL, PgBsonSoughtTextOf(s, len), PgBsonTypeRank(PGBSON_STRING)};

	return has(array, &sought);
}
