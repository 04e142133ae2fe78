/*
 * analyze_choose.c
 *	  ANALYZE of a bson column: which fields and values are kept, with which numbers.
 *
 * A value that is about as frequent as the other values of its field need not be kept, because the
 * average that is stored for those gives the same estimate.  So values are kept that were met in
 * many more documents than the average, or in fewer if all values of the field are known.
 */
#include "planner/analyze_walk.h"

#include <math.h>

#include "core/bytes/sort.h"

/* A value must be in this many documents to be kept, because some of many rare values are in two by chance */
#define LEAST_ROWS		3

/* The most histogram bounds, for each field or value that is kept */
#define BOUNDS_PER_KEY	2

/* The fields and values that are to be kept */
typedef struct Choice
{
	PgBsonSeen **values;
	int			nvalues;
	PgBsonPlace **fields;
	int			nfields;
	int			all_fields;		/* the number of fields before some were left out for lack of room */
} Choice;

/*
 * Were all, or nearly all, values of the field met in more than one document?  Then there are
 * probably few values that were not met: the chance that the next value is a new one is about the
 * number of values met once divided by that of all values met, repeated ones included (Good and Turing).
 */
static inline bool
is_complete(const PgBsonPlace *field)
{
	int			once = field->distinct - field->repeated;

	return once <= field->repeated / 16 || once <= field->pairs / 100;
}

/*
 * Estimate how many of the documents examined have one particular value of the field, on average,
 * if the value is not among the "nlisted" most frequent ones, which were met "listed" times.  The
 * number of distinct values is estimated by the method of Haas and Stokes, as in the server.
 */
static double
rest_rows(const PgBsonCollection *c, const PgBsonPlace *field, int nlisted, int listed)
{
	double		n = field->pairs - listed;
	double		once = field->distinct - field->repeated;
	double		all;
	double		rows;

	/* all values that were met are listed, so any other one is expected in less than one document */
	if (n <= 0 || field->distinct <= nlisted)
		return 0.3;
	all = n * field->weight / field->pairs * Max(c->nonnull_rows / c->rows, 1);
	rows = Max((n - once + once * n / all) / (field->distinct - nlisted), n / all);
	/* each value whose frequency is unlike the others' halves the likelihood that the field has only a few values */
	return once < n ? rows : Max(rows, n * exp2(-n));
}

/* --- values --- */

static int
compare_rows(const void *a, const void *b)
{
	const PgBsonSeen *x = *(const PgBsonSeen *const *) a;
	const PgBsonSeen *y = *(const PgBsonSeen *const *) b;

	return (x->met.rows < y->met.rows) - (x->met.rows > y->met.rows);
}

static int
compare_surplus(const void *a, const void *b)
{
	const PgBsonSeen *x = *(const PgBsonSeen *const *) a;
	const PgBsonSeen *y = *(const PgBsonSeen *const *) b;

	return (x->surplus < y->surplus) - (x->surplus > y->surplus);
}

/* Move to the front those of the field's n repeated values that are worth keeping; returns their number */
static int
choose_values(const PgBsonCollection *c, const PgBsonPlace *field, PgBsonSeen **values, int n)
{
	int			chosen = 0;
	int			listed = 0;

	if (is_complete(field))
	{
		double		mean = (double) field->pairs / field->distinct;

		/* without these, values that do not exist would be estimated to be as frequent */
		for (int i = 0; i < n; i++)
			values[i]->surplus = fabs(values[i]->met.rows - mean) + mean / 8;
		return n;
	}
	PgBsonSort(values, n, sizeof(PgBsonSeen *), compare_rows);
	while (chosen < n)
	{
		int			rows = values[chosen]->met.rows;
		double		rest = rest_rows(c, field, chosen, listed);

		/* of many values some are met more often than the average by chance */
		if (rows < Max(rest + 2 * sqrt(rest) + 1, LEAST_ROWS))
			break;
		values[chosen++]->surplus = rows - rest;
		listed += rows;
	}
	return chosen;
}

/* Sum up the values of a field, and choose those to keep */
static void
examine_values(const PgBsonCollection *c, PgBsonPlace *field, Choice *choice)
{
	PgBsonSeen **values = choice->values + choice->nvalues;
	int			n = 0;

	for (PgBsonSeen *seen = field->values; seen != NULL; seen = seen->next)
	{
		double		rows = PgBsonExpectedRows(&seen->met, field->part_rows);

		field->weight += rows;
		seen->frequency = rows / c->rows;
		if (seen->met.rows > 1)
			values[n++] = seen;
	}
	choice->nvalues += choose_values(c, field, values, n);
}

/* --- fields --- */

static int
compare_fields(const void *a, const void *b)
{
	const PgBsonPlace *x = *(const PgBsonPlace *const *) a;
	const PgBsonPlace *y = *(const PgBsonPlace *const *) b;

	return (x->rows < y->rows) - (x->rows > y->rows);
}

/* Estimate how many documents have each place, counting those that have it in array elements that were not examined */
static void
expect_rows(PgBsonCollection *c)
{
	for (PgBsonPlace *place = c->root; place != NULL; place = place->next_place)
	{
		const PgBsonMet *met = &place->met;
		double		most = place->name != NULL && place->parent != NULL ? place->parent->part_rows : met->part_rows;

		place->rows = Min(PgBsonExpectedRows(met, most), c->rows);
		place->part_rows = Min(met->part_weight, Max(most, met->part_rows));
	}
}

/*
 * Choose the fields and values.  Fields are few, and also serve to estimate values that are not
 * kept, so they come first, in up to three quarters of the room.
 */
static Choice
choose(PgBsonCollection *c, int wanted)
{
	Choice		choice = {0};
	int			nvalues = 0;

	expect_rows(c);
	for (PgBsonPlace *place = c->root; place != NULL; place = place->next_place)
		nvalues += place->repeated;
	choice.values = palloc(sizeof(PgBsonSeen *) * Max(nvalues, 1));
	choice.fields = palloc(sizeof(PgBsonPlace *) * c->nplaces);
	for (PgBsonPlace *place = c->root; place != NULL; place = place->next_place)
	{
		choice.fields[choice.all_fields++] = place;
		examine_values(c, place, &choice);
	}
	choice.nfields = Min(choice.all_fields, Max(wanted * 3 / 4, wanted - choice.nvalues));
	if (choice.nfields < choice.all_fields)
		PgBsonSort(choice.fields, choice.all_fields, sizeof(PgBsonPlace *), compare_fields);
	if (choice.nvalues > wanted - choice.nfields)
	{
		PgBsonSort(choice.values, choice.nvalues, sizeof(PgBsonSeen *), compare_surplus);
		choice.nvalues = wanted - choice.nfields;
	}
	for (int i = 0; i < choice.nvalues; i++)
	{
		PgBsonSeen *seen = choice.values[i];
		PgBsonPlace *field = seen->place;

		field->nlisted++;
		field->listed += seen->met.rows;
		field->listed_weight += PgBsonExpectedRows(&seen->met, field->part_rows);
	}
	return choice;
}

/* --- numbers --- */

/*
 * The fraction of rows expected to have a field that is not kept.  Such a field either was left out for lack of room or
 * does not exist, so the estimate is half the average of those that were left out, or half a row if that is more.  A
 * row that met a field in part of an array stands for several.
 */
static void
expect_absent(const PgBsonCollection *c, const Choice *choice, PgBsonStatistics *header)
{
	double		rows = 0;
	int			met[2] = {0};
	double		expected[2] = {0};

	for (int i = choice->nfields; i < choice->all_fields; i++)
		rows += choice->fields[i]->rows / (choice->all_fields - choice->nfields);
	header->absent = Min(0.5 * Max(rows, 1) / c->rows, 1);
	for (const PgBsonPlace *place = c->root; place != NULL; place = place->next_place)
	{
		if (place->name != NULL && place->via == PGBSON_GIN_NESTED)
		{
			bool		in_root = place->parent == c->root->elements;

			met[in_root] += place->met.rows;
			expected[in_root] += place->met.rows - place->met.part_rows + place->met.part_weight;
		}
	}
	for (int i = 0; i < 2; i++)
		header->absent_in_array[i] = met[i] == 0 ? 0 : Min(header->absent * expected[i] / met[i], 1);
}

static PgBsonFieldNumbers
numbers_of(const PgBsonCollection *c, const PgBsonPlace *field)
{
	PgBsonFieldNumbers numbers = {field->rows / c->rows};
	double		rest;
	double		count = field->nlisted;

	if (field->pairs == 0)
		return numbers;
	rest = rest_rows(c, field, field->nlisted, field->listed) * field->weight / field->pairs;
	count += Max(field->weight - field->listed_weight, 0) / rest;
	numbers.rest = Min(rest / c->rows, 1);
	numbers.any = Min(field->weight / count / c->rows, 1);
	return numbers;
}

/* --- the bytea --- */

typedef struct Hashed
{
	uint64		hash;
	const void *what;
} Hashed;

static int
compare_hashes(const void *a, const void *b)
{
	const Hashed *x = a;
	const Hashed *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Sort the fields and values that are kept by their hashes */
static void
add_hashes(StringInfo buf, Hashed *kept, int n)
{
	PgBsonSort(kept, n, sizeof(Hashed), compare_hashes);
	for (int i = 0; i < n; i++)
		appendBinaryStringInfo(buf, (const char *) &kept[i].hash, sizeof(uint64));
}

bytea *
PgBsonMakeStatistics(PgBsonCollection *c, int wanted)
{
	Choice		choice = choose(c, wanted);
	PgBsonStatistics header = {PGBSON_STATISTICS_MAGIC, choice.nfields, choice.nvalues};
	Hashed	   *fields = palloc(sizeof(Hashed) * Max(choice.nfields, 1));
	Hashed	   *values = palloc(sizeof(Hashed) * Max(choice.nvalues, 1));
	PgBsonHistogram *histograms;
	uint64	   *bounds;
	StringInfoData buf;

	for (int i = 0; i < choice.nfields; i++)
		fields[i] = (Hashed) {PgBsonFieldHash(choice.fields[i]->names, choice.fields[i]->via), choice.fields[i]};
	for (int i = 0; i < choice.nvalues; i++)
	{
		const PgBsonPlace *place = choice.values[i]->place;

		values[i] = (Hashed) {PgBsonStatHash(&choice.values[i]->value, place->names, place->via), choice.values[i]};
	}
	expect_absent(c, &choice, &header);
	histograms = PgBsonMakeHistograms(c, wanted * BOUNDS_PER_KEY, &header.nhistograms, &bounds, &header.nbounds);

	initStringInfo(&buf);
	appendStringInfoSpaces(&buf, VARHDRSZ);
	appendBinaryStringInfo(&buf, (const char *) &header, sizeof(header));
	add_hashes(&buf, fields, choice.nfields);
	add_hashes(&buf, values, choice.nvalues);
	appendBinaryStringInfo(&buf, (const char *) histograms, sizeof(PgBsonHistogram) * header.nhistograms);
	appendBinaryStringInfo(&buf, (const char *) bounds, sizeof(uint64) * header.nbounds);
	for (int i = 0; i < choice.nfields; i++)
	{
		PgBsonFieldNumbers numbers = numbers_of(c, fields[i].what);

		appendBinaryStringInfo(&buf, (const char *) &numbers, sizeof(numbers));
	}
	for (int i = 0; i < choice.nvalues; i++)
		appendBinaryStringInfo(&buf, (const char *) &((const PgBsonSeen *) values[i].what)->frequency, sizeof(float4));
	SET_VARSIZE(buf.data, buf.len);
	return (bytea *) buf.data;
}
