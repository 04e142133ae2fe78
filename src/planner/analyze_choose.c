/*
 * analyze_choose.c
 *	  ANALYZE of a bson column: which keys are kept.
 *
 * A value that is about as frequent as the others of its field needs no key: what
 * is expected of one without a key says the same, and better, as it is the mean of many.
 * So values are kept that were met in many more documents than that, or in
 * fewer if all values of the field are known.
 */
#include "planner/analyze.h"

#include <math.h>

#include "core/bytes/sort.h"

/* A value counts as frequent if it was met in this number of documents; of many rare values some are met in two by chance */
#define LEAST_ROWS	3

static int
compare_bytes(const PgBsonCounter *x, const PgBsonCounter *y)
{
	return PgBsonGinCompareBytes(x->key, x->len, y->key, y->len);
}

/* Fields first, by frequency; then values, by rows */
static int
compare_counters(const void *a, const void *b)
{
	const PgBsonCounter *x = *(const PgBsonCounter *const *) a;
	const PgBsonCounter *y = *(const PgBsonCounter *const *) b;

	if (x->is_value != y->is_value)
		return x->is_value ? 1 : -1;
	if (!x->is_value && x->frequency != y->frequency)
		return x->frequency > y->frequency ? -1 : 1;
	if (!x->is_value && x->place->closed != y->place->closed)
		return x->place->closed ? 1 : -1;
	if (x->rows != y->rows)
		return x->rows > y->rows ? -1 : 1;
	return compare_bytes(x, y);
}

/* By how much an estimate would be wrong without the key */
static int
compare_surplus(const void *a, const void *b)
{
	const PgBsonCounter *x = *(const PgBsonCounter *const *) a;
	const PgBsonCounter *y = *(const PgBsonCounter *const *) b;
	double		x_surplus = fabs(x->surplus);
	double		y_surplus = fabs(y->surplus);

	if (x_surplus != y_surplus)
		return x_surplus > y_surplus ? -1 : 1;
	return compare_bytes(x, y);
}

/* In the order of keys */
static int
compare_keys(const void *a, const void *b)
{
	return compare_bytes(*(const PgBsonCounter *const *) a, *(const PgBsonCounter *const *) b);
}

/* Were all values that a field has met twice or more, so that there are probably no others? */
static inline bool
is_complete(const PgBsonPlace *field)
{
	return field->repeated == field->distinct;
}

static void
list(const PgBsonCounter *counter, int sign)
{
	counter->place->listed += sign * counter->rows;
	counter->place->nlisted += sign;
	counter->place->listed_part_rows += sign * counter->part_rows;
	counter->place->listed_part_times += sign * PgBsonPartTimes(counter);
}

/*
 * If all values of a field are known, how often each was met says something of
 * the others, too: if they differ no more than by chance, all are as frequent as
 * their mean.  So the numbers are moved towards that (James and Stein's estimator).
 */
static void
shrink(PgBsonCounter *counter)
{
	const PgBsonPlace *field = counter->place;
	double		mean = (double) field->pairs / field->distinct;
	double		variance = field->squares / field->distinct - mean * mean;
	double		part = variance > mean ? 1 - mean / variance : 0;
	double		frequency = field->frequencies / field->distinct;

	counter->frequency = Max(frequency + part * (counter->frequency - frequency), 0);
}

/*
 * Has the field a key, which tells what to expect of its values without one?
 * Not if it is met only as elements of arrays in arrays.  The root needs none.
 */
static inline bool
has_rest(const PgBsonCollection *c, const PgBsonPlace *field)
{
	return field->met.rows > 0 || field == c->root;
}

/* Those of n values, by rows, that are to be kept, the most important first; returns their number */
static int
choose_values(const PgBsonCollection *c, PgBsonCounter **values, int n, double nonnull_rows)
{
	int			chosen = 0;

	for (int i = 0; i < n; i++)
	{
		values[i]->place->squares += (double) values[i]->rows * values[i]->rows;
		values[i]->place->frequencies += values[i]->frequency;
	}
	for (int i = 0; i < n; i++)
	{
		double		rest = PgBsonRestRows(c, values[i]->place, nonnull_rows);

		/* among many values, some are met more often than the mean by chance */
		if (has_rest(c, values[i]->place) && !is_complete(values[i]->place) &&
			values[i]->rows < Max(rest + 2 * sqrt(rest) + 1, LEAST_ROWS))
			continue;
		values[chosen++] = values[i];
		if (!is_complete(values[i]->place))
			list(values[i], 1);
	}
	for (int i = 0; i < chosen; i++)
	{
		const PgBsonPlace *field = values[i]->place;
		double		rest = is_complete(field) ? (double) field->pairs / field->distinct : PgBsonRestRows(c, field, nonnull_rows);

		values[i]->surplus = values[i]->rows - (has_rest(c, field) ? rest : 0);
		if (is_complete(field))
		{
			shrink(values[i]);
			list(values[i], 1);
		}
	}
	PgBsonSort(values, chosen, sizeof(PgBsonCounter *), compare_surplus);
	return chosen;
}

/* A string of a root array has the key of a field: let there be one of each */
static int
merge_equal(const PgBsonCollection *c, PgBsonCounter **kept, int n)
{
	int			distinct = 0;

	for (int i = 0; i < n; i++)
	{
		PgBsonCounter *last = distinct > 0 ? kept[distinct - 1] : NULL;

		if (last == NULL || compare_bytes(last, kept[i]) != 0)
		{
			kept[distinct++] = kept[i];
			continue;
		}
		last->frequency = Min(last->frequency + kept[i]->frequency, 1);
		if (last->place == c->root)
			last->place = kept[i]->place;
	}
	return distinct;
}

/*
 * Fields are few, and help to estimate values that are not kept, so they come
 * first, in up to three quarters of the room.
 */
PgBsonCounter **
PgBsonChooseKeys(PgBsonCollection *c, int wanted, double nonnull_rows, int *count, double *absent)
{
	int			n;
	PgBsonCounter **counters = PgBsonCounters(c, &n);
	int			nfields = 0;
	int			nvalues;
	int			kept_fields;
	int			kept_values;
	double		rest = 0;

	PgBsonSort(counters, n, sizeof(PgBsonCounter *), compare_counters);
	while (nfields < n && !counters[nfields]->is_value)
		nfields++;
	nvalues = choose_values(c, counters + nfields, n - nfields, nonnull_rows);
	kept_fields = Min(nfields, Max(wanted * 3 / 4, wanted - nvalues));
	kept_values = Min(nvalues, wanted - kept_fields);

	/* one of those that are not kept, or one that does not exist: the true number is between that of the former and zero */
	for (int i = kept_fields; i < nfields; i++)
		rest += counters[i]->frequency / (nfields - kept_fields);
	*absent = 0.5 * Max(rest, 1.0 / c->rows);
	for (int i = kept_values; i < nvalues; i++)
		list(counters[nfields + i], -1);
	memmove(counters + kept_fields, counters + nfields, sizeof(PgBsonCounter *) * kept_values);
	PgBsonSort(counters, kept_fields + kept_values, sizeof(PgBsonCounter *), compare_keys);
	*count = merge_equal(c, counters, kept_fields + kept_values);
	return counters;
}
