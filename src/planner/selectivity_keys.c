/*
 * selectivity_keys.c
 *	  Estimates from the counts that ANALYZE made of documents (planner/statistics.h).
 */
#include "planner/selectivity.h"

#include <math.h>

/*
 * The first of the slot's values, from "low" to before "high", that is not less than these
 * bytes or, with "greater", that is greater
 */
static int
search(const PgBsonKnown *known, int low, int high, const uint8 *bytes, uint32 len, bool greater)
{
	while (low < high)
	{
		int			mid = low + (high - low) / 2;
		const uint8 *v;
		uint32		v_len = PgBsonGinKeyBytes(known->slot.values[mid], &v);
		int			cmp = PgBsonGinCompareBytes(v, v_len, bytes, len);

		if (cmp < 0 || (greater && cmp == 0))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The index of the key in the statistics, or -1 */
static int
find_key(const PgBsonKnown *known, Datum key)
{
	const uint8 *wanted;
	uint32		wanted_len = PgBsonGinKeyBytes(key, &wanted);
	int			i = search(known, 0, known->nkeys, wanted, wanted_len, false);
	const uint8 *v;

	if (i == known->nkeys || PgBsonGinKeyBytes(known->slot.values[i], &v) != wanted_len)
		return -1;
	return memcmp(v, wanted, wanted_len) == 0 ? i : -1;
}

/*
 * Where documents are in arrays of which ANALYZE examined a part, more rows may
 * have a field that was not met.  The fraction of rows with one at this path; 0
 * if the path does not lead through such an array, or is too long to know
 */
static double
part_absent(const PgBsonKnown *known, const PgBsonGinPath *path)
{
	PgBsonGinPath parent;
	const char *name = path->names;

	if (path->via != PGBSON_GIN_NESTED || path->nkeys == 0 || path->len > sizeof(path->names))
		return 0;
	PgBsonGinPathInit(&parent);
	for (uint32 i = 0; i + 1 < path->nkeys; i++)
	{
		PgBsonGinPathAddKey(&parent, name, strlen(name));
		name += strlen(name) + 1;
	}
	if (parent.nkeys == 0)
		return Max(-known->slot.numbers[2 * known->nkeys], 0);
	for (int nested = 0; nested < 2; nested++)
	{
		PgBsonGinKeys keys = {NULL};
		bool		exact;
		int			i;

		parent.via = nested ? PGBSON_GIN_NESTED : PGBSON_GIN_PLAIN;
		i = find_key(known, PgBsonGinWholeOps.field_key(&keys, &parent, &exact));
		if (i >= 0)
			return Max(-known->slot.numbers[known->nkeys + i], 0);
	}
	return 0;
}

/* The fraction of rows with one of the values that the field has, whichever: its rows by how many values there are */
static double
any_value(const PgBsonKnown *known, int field)
{
	double		rare = fabs(known->slot.numbers[known->nkeys + field]);
	double		rest = known->slot.numbers[field];
	double		count = 0;

	for (int i = 0; i < known->nkeys; i++)
	{
		if (PgBsonGinIsValueOf(known->slot.values[i], known->slot.values[field]))
		{
			rest -= known->slot.numbers[i];
			count++;
		}
	}
	if (rest > 0 && rare > 0)
		count += rest / rare;
	return count > 0 ? known->slot.numbers[field] / count : rare;
}

double
PgBsonKeySelectivity(const PgBsonKnown *known, const PgBsonQueryKey *key)
{
	int			n = known->nkeys;
	double		absent;
	double		part;
	double		sel;
	int			i;

	if (PgBsonAskAccessors(known, key, &sel))
		return sel;
	if (!known->has_keys)
		return key->factor * (key->is_value ? PGBSON_VALUE_SEL : PGBSON_FIELD_SEL) *
			(key->path.via == PGBSON_GIN_NESTED ? PGBSON_NESTED_PART : 1);

	i = find_key(known, key->key);
	if (i >= 0)
		return key->factor * known->slot.numbers[i];

	/* a field that was not kept is rare, and a value is rarer than its field */
	absent = known->slot.numbers[2 * n + 1];
	part = part_absent(known, &key->path);
	if (!key->is_value)
		return key->factor * Max(absent, part);
	if (key->field == 0)
		return fabs(known->slot.numbers[2 * n]);
	i = find_key(known, key->field);
	if (i >= 0)
		return known->made ? any_value(known, i) : fabs(known->slot.numbers[n + i]);
	return part > 0 ? part / 2 : absent * PGBSON_VALUE_SEL;
}

/* --- histograms --- */

/* Is there a bound at "i" that begins with these bytes? */
static bool
bound_begins(const PgBsonKnown *known, int i, const uint8 *bytes, uint32 len)
{
	const uint8 *v;

	return i >= known->nkeys && i < known->slot.nvalues &&
		PgBsonGinKeyBytes(known->slot.values[i], &v) >= len && memcmp(v, bytes, len) == 0;
}

/*
 * The bytes after a key's head as a number, to interpolate between two bounds:
 * for a number, the number; else the first eight bytes.
 */
static double
bytes_as_number(const uint8 *bytes, uint32 len)
{
	uint8		padded[8] = {0};
	uint64		v;
	double		d;

	if (PgBsonGinRangeNumber(bytes, len, &d))
		return d;
	if (len > PGBSON_GIN_RANGE_HEAD)
		memcpy(padded, bytes + PGBSON_GIN_RANGE_HEAD, Min(len - PGBSON_GIN_RANGE_HEAD, 8));
	memcpy(&v, padded, 8);
	return (double) pg_ntoh64(v);
}

static double
bound_as_number(const PgBsonKnown *known, int i)
{
	const uint8 *bytes;
	uint32		len = PgBsonGinKeyBytes(known->slot.values[i], &bytes);

	return bytes_as_number(bytes, len);
}

/*
 * The fraction of values, of those in the bounds from "first" to "last", that
 * are less or, with "or_equal", less or equal
 */
static double
fraction_below(const PgBsonKnown *known, int first, int last, const uint8 *bytes, uint32 len,
			   bool or_equal)
{
	int			i = search(known, first, last + 1, bytes, len, or_equal);
	double		left;
	double		right;
	double		within = 0.5;

	if (i == first || i > last)
		return i > last ? 1 : 0;
	left = bound_as_number(known, i - 1);
	right = bound_as_number(known, i);
	if (right > left && isfinite(right - left))
		within = (bytes_as_number(bytes, len) - left) / (right - left);
	return (i - 1 - first + Max(Min(within, 1), 0)) / (last - first);
}

/*
 * The fraction of rows with a value of this path, if it has no histogram: not
 * all fields have one.  But if values of other types have, there are none of
 * this type, or few; and so there are if all values of the field are documents.
 * "place" is where the histogram would be, beside those of the other types.
 */
static double
rows_without_histogram(const PgBsonKnown *known, const uint8 *low, int place, Datum field)
{
	int			i = -1;

	if (field != 0 && !bound_begins(known, place - 1, low, PGBSON_GIN_RANGE_PATH) &&
		!bound_begins(known, place, low, PGBSON_GIN_RANGE_PATH))
		i = find_key(known, field);
	return known->slot.numbers[i >= 0 && known->slot.numbers[known->nkeys + i] > 0 ? i : 2 * known->nkeys + 1];
}

double
PgBsonRangeSelectivity(const PgBsonKnown *known, Datum key, const PgBsonGinBound *bound)
{
	const uint8 *low;
	uint32		low_len = PgBsonGinKeyBytes(key, &low);
	bool		prefix = bound->prefix > PGBSON_GIN_RANGE_HEAD;
	uint8		high[PGBSON_GIN_RANGE_KEY_MAX + 1];
	int			first;
	int			last;
	double		below;
	bool		is_number = low_len > PGBSON_GIN_RANGE_HEAD
		? PgBsonGinRangeNumber(low, low_len, &below)
		: PgBsonGinRangeNumber(bound->last, bound->len, &below);
	double		upto = 1;
	double		fraction;
	double		guess = prefix ? PGBSON_PATTERN_SEL
		: low_len > PGBSON_GIN_RANGE_HEAD && bound->len > 0 ? DEFAULT_RANGE_INEQ_SEL : DEFAULT_INEQ_SEL;

	if (!known->has_keys)
		return guess * (PgBsonGinRangeInArray(low) ? PGBSON_NESTED_PART : 1);

	/* the bounds of this path and type: they begin with the same bytes */
	memcpy(high, low, PGBSON_GIN_RANGE_HEAD);
	first = search(known, known->nkeys, known->slot.nvalues, high, PGBSON_GIN_RANGE_HEAD, false);
	/* a histogram has two at least */
	if (!bound_begins(known, first + 1, high, PGBSON_GIN_RANGE_HEAD))
		return guess * rows_without_histogram(known, low, first, bound->field);
	memset(high + PGBSON_GIN_RANGE_HEAD, 0xFF, sizeof(high) - PGBSON_GIN_RANGE_HEAD);
	last = search(known, first, known->slot.nvalues, high, sizeof(high), true) - 1;

	below = fraction_below(known, first, last, low, low_len, false);
	if (prefix)
	{
		memcpy(high, low, bound->prefix);
		upto = fraction_below(known, first, last, high, sizeof(high), true);
	}
	else if (bound->len > 0)
		upto = fraction_below(known, first, last, bound->last, bound->len, true);
	/* at least a part of a bin, because strings are not spread evenly between bounds */
	fraction = Max(upto - below, (is_number ? 0.02 : 0.1) / (last - first));
	return Min(fraction * known->slot.numbers[known->nkeys + 2 + first], 1);
}
