/*
 * selectivity_keys.c
 *	  Estimates from what ANALYZE stored of the contents of documents (planner/statistics.h).
 */
#include "planner/selectivity.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/syscache.h"

/*
 * The rows of pg_statistic that were read last, with their contents.  Each condition of a statement reads them, and the
 * server's cache keeps them compressed: decompressing takes as long as all other planning of a short statement.  A row
 * is recognized by its place, the transaction that inserted it, and its column.
 */
typedef struct Read
{
	ItemPointerData place;
	TransactionId inserted;
	Oid			relation;
	int16		column;
	bool		inherited;
	PgBsonStatistics *statistics;	/* NULL: this entry is empty */
} Read;

static Read last_read[4];

/* Set the pointers to the parts behind the header */
static void
find_parts(PgBsonKnown *known, const PgBsonStatistics *s)
{
	known->statistics = s;
	known->fields = (const uint64 *) (s + 1);
	known->values = known->fields + s->nfields;
	known->histograms = (const PgBsonHistogram *) (known->values + s->nvalues);
	known->bounds = (const uint64 *) (known->histograms + s->nhistograms);
	known->field_numbers = (const PgBsonFieldNumbers *) (known->bounds + s->nbounds);
	known->value_rows = (const float4 *) (known->field_numbers + s->nfields);
}

/* Are these statistics ours, and complete?  Kinds from the private range may be used by other extensions, too. */
static bool
is_valid(const PgBsonStatistics *s, Size size)
{
	PgBsonKnown parts;
	uint64		nbounds = 0;

	if (size < sizeof(*s) || s->magic != PGBSON_STATISTICS_MAGIC ||
		size != sizeof(*s) + (uint64) s->nfields * (sizeof(uint64) + sizeof(PgBsonFieldNumbers)) +
		(uint64) s->nvalues * (sizeof(uint64) + sizeof(float4)) +
		(uint64) s->nhistograms * sizeof(PgBsonHistogram) + (uint64) s->nbounds * sizeof(uint64))
		return false;
	find_parts(&parts, s);
	for (uint32 i = 0; i < s->nhistograms; i++)
	{
		if (parts.histograms[i].nbounds < 2 || parts.histograms[i].common > sizeof(uint64))
			return false;
		nbounds += parts.histograms[i].nbounds;
	}
	return nbounds == s->nbounds;
}

/* The only value of a slot, aligned; NULL if the slot is not as we store it */
static PgBsonStatistics *
read_slot(HeapTuple row, int slot)
{
	bool		isnull;
	Datum		values = SysCacheGetAttr(STATRELATTINH, row, Anum_pg_statistic_stavalues1 + slot, &isnull);
	ArrayType  *array;
	const char *value;
	PgBsonStatistics *result;
	Size		size;

	if (isnull)
		return NULL;
	array = DatumGetArrayTypeP(values);
	if (ARR_ELEMTYPE(array) != BYTEAOID || ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) != 1 || ARR_HASNULL(array))
		return NULL;
	value = ARR_DATA_PTR(array);
	size = VARSIZE_ANY_EXHDR(value);
	result = memcpy(MemoryContextAlloc(CacheMemoryContext, size), VARDATA_ANY(value), size);
	if (is_valid(result, size))
		return result;
	pfree(result);
	return NULL;
}

static PgBsonStatistics *
read_row(HeapTuple row)
{
	FormData_pg_statistic *form = (Form_pg_statistic) GETSTRUCT(row);
	Read	   *last = &last_read[(form->starelid + form->staattnum) % lengthof(last_read)];
	int			slot = 0;

	/* a row of extended statistics has no place, so it is never recognized */
	if (last->statistics != NULL && ItemPointerIsValid(&row->t_self) &&
		ItemPointerCompare(&row->t_self, &last->place) == 0 &&
		HeapTupleHeaderGetRawXmin(row->t_data) == last->inserted && form->starelid == last->relation &&
		form->staattnum == last->column && form->stainherit == last->inherited)
		return last->statistics;
	while ((&form->stakind1)[slot] != PGBSON_STATISTIC_KIND)
	{
		if (++slot == STATISTIC_NUM_SLOTS)
			return NULL;
	}
	if (last->statistics != NULL)
		pfree(last->statistics);
	*last = (Read) {row->t_self, HeapTupleHeaderGetRawXmin(row->t_data), form->starelid, form->staattnum,
					form->stainherit};
	last->statistics = read_slot(row, slot);
	return last->statistics;
}

void
PgBsonReadStatistics(PgBsonKnown *known, HeapTuple row)
{
	const PgBsonStatistics *s = read_row(row);

	if (s != NULL)
		find_parts(known, s);
}

/* The first of these sorted numbers that is not less than "wanted" (with "greater": that is greater) */
static uint32
first_at_least(const uint64 *numbers, uint32 n, uint64 wanted, bool greater)
{
	uint32		low = 0;

	while (low < n)
	{
		uint32		mid = low + (n - low) / 2;

		if (numbers[mid] < wanted || (greater && numbers[mid] == wanted))
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

/* The numbers of a field; NULL if the field was not kept */
static const PgBsonFieldNumbers *
find_field_numbers(const PgBsonKnown *known, uint64 hash)
{
	uint32		n = known->statistics->nfields;
	uint32		i = first_at_least(known->fields, n, hash, false);

	return i < n && known->fields[i] == hash ? &known->field_numbers[i] : NULL;
}

double
PgBsonKeySelectivity(const PgBsonKnown *known, const PgBsonQueryKey *key)
{
	const PgBsonStatistics *s = known->statistics;
	bool		in_array = key->path.via == PGBSON_GIN_NESTED;
	const PgBsonFieldNumbers *field;
	double		absent;
	double		sel;
	uint32		i;

	if (PgBsonAskAccessors(known, key, &sel))
		return sel;
	if (s == NULL)
		return key->factor * (key->is_value ? PGBSON_VALUE_SEL : PGBSON_FIELD_SEL) * (in_array ? PGBSON_NESTED_PART
																					  : 1);

	/* a field that was not kept is rare, and its values are rarer still */
	absent = in_array ? s->absent_in_array[key->path.nkeys == 1] : s->absent;
	if (!key->is_value)
	{
		field = find_field_numbers(known, key->hash);
		return key->factor * (field != NULL ? field->rows : absent);
	}
	i = first_at_least(known->values, s->nvalues, key->hash, false);
	if (i < s->nvalues && known->values[i] == key->hash)
		return key->factor * known->value_rows[i];
	field = find_field_numbers(known, key->field);
	if (field == NULL)
		return (absent > s->absent ? absent / 2 : absent * PGBSON_VALUE_SEL) * (key->path.via == PGBSON_GIN_ELEMENT
																				? PGBSON_NESTED_PART : 1);
	return known->made ? field->any : field->rest;
}

/* --- histograms --- */

/* The bytes after the head of a key, padded to the size that histograms take into account */
typedef struct SortBytes
{
	uint8		bytes[PGBSON_SORT_BYTES];
} SortBytes;

static SortBytes
sort_bytes(const uint8 *key, uint32 len, uint8 filler)
{
	SortBytes	result;

	memset(&result, filler, sizeof(result));
	if (len > PGBSON_GIN_RANGE_HEAD)
		memcpy(result.bytes, key + PGBSON_GIN_RANGE_HEAD, Min(len - PGBSON_GIN_RANGE_HEAD, sizeof(result)));
	return result;
}

/* A bound, as a number that can be interpolated with another */
static double
as_number(const PgBsonHistogram *histogram, uint64 bound)
{
	double		number;

	return PgBsonGinRangeNumber((uint8) histogram->head, bound, &number) ? number : (double) bound;
}

/* The fraction of a histogram's values that are less than the bytes (with "or_equal": less or equal) */
static double
fraction_below(const PgBsonHistogram *histogram, const uint64 *bounds, SortBytes value, bool or_equal)
{
	int			cmp = memcmp(value.bytes, histogram->bytes, histogram->common);
	uint64		word = PgBsonGinWord(value.bytes + histogram->common);
	uint32		i = first_at_least(bounds, histogram->nbounds, word, or_equal);
	double		left;
	double		right;
	double		within = 0.5;

	if (cmp != 0)
		return cmp > 0 ? 1 : 0;
	if (i == 0 || i == histogram->nbounds)
		return i == 0 ? 0 : 1;
	left = as_number(histogram, bounds[i - 1]);
	right = as_number(histogram, bounds[i]);
	if (right > left && isfinite(right - left))
		within = (as_number(histogram, word) - left) / (right - left);
	return (i - 1 + Max(Min(within, 1), 0)) / (histogram->nbounds - 1);
}

/*
 * The histogram with this head, and the beginning of its bounds.  NULL if there is none; then
 * *others tells whether the path has a histogram of another type.
 */
static const PgBsonHistogram *
find_histogram(const PgBsonKnown *known, uint64 head, const uint64 **bounds, bool *others)
{
	*bounds = known->bounds;
	*others = false;
	for (uint32 i = 0; i < known->statistics->nhistograms; i++)
	{
		const PgBsonHistogram *histogram = &known->histograms[i];

		if (histogram->head == head)
			return histogram;
		*others |= histogram->head >> 8 == head >> 8;
		*bounds += histogram->nbounds;
	}
	return NULL;
}

/*
 * The fraction of rows with a value of this path and type, if these have no histogram.  Only some
 * fields have histograms.  But if the path has one for another type, its values of this type are
 * few or none; likewise if the field's values are all containers.
 */
static double
rows_without_histogram(const PgBsonKnown *known, uint64 field, bool others)
{
	const PgBsonFieldNumbers *numbers = find_field_numbers(known, field);

	if (others)
		return known->statistics->absent * PGBSON_FIELD_SEL;
	return numbers != NULL && numbers->any > 0 ? numbers->rows : known->statistics->absent;
}

double
PgBsonRangeSelectivity(const PgBsonKnown *known, Datum key, const PgBsonGinBound *bound)
{
	const uint8 *low;
	uint32		low_len = PgBsonGinKeyBytes(key, &low);
	bool		prefix = bound->prefix > PGBSON_GIN_RANGE_HEAD;
	double		guess = prefix ? PGBSON_PATTERN_SEL
		: low_len > PGBSON_GIN_RANGE_HEAD && bound->len > 0 ? DEFAULT_RANGE_INEQ_SEL : DEFAULT_INEQ_SEL;
	const PgBsonHistogram *histogram;
	const uint64 *bounds;
	bool		others;
	double		number;
	double		below;
	double		upto = 1;
	double		least;

	if (known->statistics == NULL)
		return guess * (PgBsonGinRangeInArray(low) ? PGBSON_NESTED_PART : 1);
	histogram = find_histogram(known, PgBsonRangeHead(low), &bounds, &others);
	if (histogram == NULL)
		return guess * rows_without_histogram(known, bound->field, others);

	below = fraction_below(histogram, bounds, sort_bytes(low, low_len, 0), false);
	if (prefix)
		upto = fraction_below(histogram, bounds, sort_bytes(low, bound->prefix, 0xFF), true);
	else if (bound->len > 0)
		upto = fraction_below(histogram, bounds, sort_bytes(bound->last, bound->len, 0), true);
	/* at least a part of a bin, because values are not spread evenly between two bounds */
	least = (PgBsonGinRangeNumber(low[4], 0, &number) ? 0.02 : 0.1) / (histogram->nbounds - 1);
	return Min(Max(upto - below, least) * histogram->values, 1);
}
