/*
 * analyze_count.c
 *	  ANALYZE of a bson column: how often each path, and each value at a path, was met.
 *
 * Values are counted by the method of Manku and Motwani (lossy counting),
 * which the server uses for the elements of arrays: frequent values are
 * counted, and rare ones are removed from time to time, so that memory is
 * bounded.  Paths are not removed; beyond a number of them, only those that
 * two rows have are counted, and beyond another number no more.
 */
#include "planner/analyze.h"

#include <math.h>

#include "core/bytes/hash_bytes.h"
#include "core/order/contain.h"
#include "core/order/hash.h"
#include "utils/selfuncs.h"

/*
 * A value that was seen, known by its hash and that of its place: two of 64 bits
 * that are the same by chance would spoil no more than an estimate.  Most
 * values are in one row only, and get no counter.  There are many of these, so they are small.
 */
typedef struct Seen
{
	uint64		hash;
	int			row;			/* the last row counted */
	uint32		counter:30;		/* its number from 1 on; 0: of a value that one row had */
	uint32		status:2;		/* the hash table's */
} Seen;

StaticAssertDecl(sizeof(Seen) == 16, "four fit into a cache line");

typedef struct Found
{
	uint64		hash;
	PgBsonPlace *place;
	char		status;
} Found;

/* Times a random number, of which the highest bits count: nobody can choose keys whose slots are the same */
#define SLOT_HASH(tb, key)		pg_bswap32((uint32) ((key) * *(const uint64 *) (tb)->private_data >> 32))

#define SH_HASH_KEY(tb, key)	SLOT_HASH(tb, key)
#define SH_PREFIX		pgbson_values
#define SH_ELEMENT_TYPE	Seen
#define SH_KEY_TYPE		uint64
#define SH_KEY			hash
#define SH_EQUAL(tb, a, b)		((a) == (b))
#define SH_SCOPE		static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

#define SH_HASH_KEY(tb, key)	SLOT_HASH(tb, key)
#define SH_PREFIX		pgbson_places
#define SH_ELEMENT_TYPE	Found
#define SH_KEY_TYPE		uint64
#define SH_KEY			hash
#define SH_EQUAL(tb, a, b)		((a) == (b))
#define SH_SCOPE		static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/*
 * From EASY_PLACES places on, a new one is counted only if another row had it, too; from MAX_PLACES on, none is
 */
#define EASY_PLACES		(16 * 1024)
#define MAX_PLACES		(128 * 1024)

/* The room for values, and for counters, at first */
#define FIRST_VALUES	8192
#define FIRST_COUNTERS	256

/* The least number of values after which rare ones are forgotten; they take up to 16 MB */
#define LEAST_BUCKET	(512 * 1024)

/* In bytes: from which size on only the two ends of a value are hashed, and how long each end is */
#define LONG_VALUE		64
#define LONG_PART		4096

/* How many rows with an evenly spread number of something are added to those that were met */
#define EVEN_ROWS		5

/* The seeds of the hashes of strings that are found like fields, and of places that are not counted yet */
#define NAME_SEED		UINT64CONST(0x6e616d65)
#define PLACE_SEED		UINT64CONST(0x706c6163)

static uint64
hash_quickly(const uint8 *p, uint32 len, uint64 seed)
{
	uint64		lanes[4] = {seed, seed + 1, seed + 2, seed + 3};
	uint64		hash;
	uint32		left = len;

	for (; left >= 32; p += 32, left -= 32)
	{
		for (int i = 0; i < 4; i++)
			lanes[i] = ((lanes[i] << 23 | lanes[i] >> 41) ^ PgBsonReadU64(p + 8 * i)) * UINT64CONST(0x9e3779b97f4a7c15);
	}
	hash = PgBsonHashBytes(p, left, len);
	for (int i = 0; i < 4; i++)
		hash = hash_combine64(hash, lanes[i]);
	return hash;
}

/* A hash of the first and the last bytes and their number, if there are many */
static uint64
hash_ends(const uint8 *p, uint32 len, uint64 seed)
{
	uint32		part = Min(len, LONG_PART);

	seed = hash_quickly(p, part, hash_combine64(seed, len));
	return part < len ? hash_quickly(p + len - part, part, seed) : seed;
}

void
PgBsonCountBegin(PgBsonCollection *c, int nkeys)
{
	PgBsonGinPath path;

	c->context = CurrentMemoryContext;
	if (!pg_strong_random(&c->factor, sizeof(c->factor)))
		c->factor = (uintptr_t) c;
	c->factor |= 1;
	c->values = pgbson_values_create(CurrentMemoryContext, FIRST_VALUES, &c->factor);
	c->room = FIRST_COUNTERS;
	c->counters = palloc(sizeof(PgBsonCounter) * c->room);
	c->places = pgbson_places_create(CurrentMemoryContext, 64, &c->factor);
	/* the same value as the server uses for the elements of arrays, but a few large documents have many values */
	c->bucket_width = Max(((int64) nkeys + 10) * 1000 / 7, LEAST_BUCKET);
	c->nkeys = nkeys;
	PgBsonGinPathInit(&path);
	c->root = PgBsonPlaceAt(c, &path);
}

/* Count what has this hash; NULL if it was counted for this row already.  *is_new is set if it was not seen before. */
static Seen *
count_hash(PgBsonCollection *c, uint64 hash, double weight, bool *is_new)
{
	bool		found;
	Seen	   *seen = pgbson_values_insert(c->values, hash, &found);

	*is_new = !found;
	if (!found)
		seen->counter = 0;
	else if (seen->row == c->rows)
	{
		if (seen->counter != 0 && weight > 1)
			c->counters[seen->counter - 1].part_times++;
		return NULL;
	}
	seen->row = c->rows;
	c->counted++;
	return seen;
}

/* --- places --- */

static inline uint64
place_hash(const PgBsonGinPath *path)
{
	return path->hash + ((uint64) path->via << 62);
}

/*
 * May there be one more place?  Names that each row has others of, such as
 * identifiers, must not leave no room for those that come later and are in all rows.
 */
static bool
is_room_for(PgBsonCollection *c, uint64 hash)
{
	bool		is_new;

	if (c->places->members < EASY_PLACES)
		return true;
	return c->places->members < MAX_PLACES && count_hash(c, hash_combine64(hash, PLACE_SEED), 1, &is_new) != NULL && !is_new;
}

PgBsonPlace *
PgBsonPlaceAt(PgBsonCollection *c, const PgBsonGinPath *path)
{
	uint64		hash = place_hash(path);
	Found	   *found = pgbson_places_lookup(c->places, hash);
	PgBsonPlace *place;
	PgBsonPlace *other;
	PgBsonGinPath way = *path;
	bool		is_new;

	if (found != NULL)
		return found->place;
	if (!is_room_for(c, hash))
		return NULL;
	place = MemoryContextAllocZero(c->context, sizeof(PgBsonPlace));
	place->path = *path;
	place->field = place;
	place->groups = &place->own_groups;
	pgbson_places_insert(c->places, hash, &is_new)->place = place;
	if (path->via != PGBSON_GIN_ELEMENT)
		return place;

	way.via = PgBsonStatFieldVia(path);
	other = PgBsonPlaceAt(c, &way);
	if (other != NULL)
		place->field = other;
	/* keys of bson_range_ops do not tell these two apart */
	way.via = PGBSON_GIN_NESTED;
	other = PgBsonPlaceAt(c, &way);
	if (other != NULL)
		place->groups = &other->own_groups;
	return place;
}

/* --- corrections for elements that are not examined --- */

/*
 * The number of rows that have something, if "rows" were found to have it in
 * parts of arrays, "times" in all, of which one element in "weight" was examined.
 * How often it is in a row is assumed to be of a Poisson distribution, whose
 * mean is "mean" in the part that was examined: then rows that have it there
 * have mean / (1 - exp(-mean)) of it.
 */
static double
rows_of_parts(double rows, double times, double weight)
{
	double		per_row = rows > 0 ? times / rows : 1;
	double		mean = per_row < 3 ? sqrt(12 * per_row - 3) - 3 : per_row;

	if (rows <= 0 || weight <= 1)
		return rows;
	if (mean < 0.01)
		return rows * weight;
	/* that is right to a thousandth for a small mean; else Newton's method */
	for (int i = 0; i < 3 && per_row > 1.5; i++)
		mean -= (mean - per_row * (1 - exp(-mean))) / (1 - per_row * exp(-mean));
	return rows * (1 - exp(-mean * weight)) / (1 - exp(-mean));
}

/*
 * How often something was met in the "rows" that had it, as far as so few tell:
 * they are taken together with a few that have it as often as is to be expected
 * if it is spread evenly over rows, of which a fraction of "share" has it.
 */
static double
likely_times(double rows, double times, double share)
{
	double		part = Min(share, 0.99);
	double		per_row = part > 0.001 ? -log(1 - part) / part : 1;

	return rows * (times + EVEN_ROWS * per_row) / (rows + EVEN_ROWS);
}

static double
mean_weight(const PgBsonMet *met)
{
	return met->part_times > 0 ? met->part_weight / met->part_times : 1;
}

/*
 * How many rows may have a value of a field in elements that were not examined:
 * those where values were met in parts of arrays, and as many more as have the
 * field where it was not met, but documents that might have it
 */
static double
most_part_rows(const PgBsonPlace *field)
{
	const PgBsonMet *met = &field->scalars;
	int			parts = field->parent != NULL ? field->parent->part_rows : 0;

	if (parts <= met->part_rows)
		return met->part_rows;
	return Max(Min(rows_of_parts(met->part_rows, met->part_times, mean_weight(met)), parts), met->part_rows);
}

/* How many pairs of a row and a distinct value those met in parts of arrays stand for */
static double
pairs_of_parts(const PgBsonPlace *field)
{
	return rows_of_parts(field->part_pairs, field->scalars.part_times, mean_weight(&field->scalars));
}

/* How many one of them does.  It takes some time, so it is reckoned again when their number has doubled. */
static inline double
pair_weight(PgBsonPlace *field)
{
	if ((field->part_pairs & (field->part_pairs - 1)) == 0)
		field->pair_weight = pairs_of_parts(field) / field->part_pairs;
	return field->pair_weight;
}

/* --- values --- */

/* Equal values have equal hashes, but for long strings and symbols */
static uint64
hash_of(const PgBsonValue *value, uint64 seed)
{
	if (value->len > LONG_VALUE && (value->type == PGBSON_STRING || value->type == PGBSON_BINARY))
		return hash_ends(value->data, value->len, seed);
	return PgBsonHash(value, seed);
}

/* Count another row with a key */
static inline void
count_row(PgBsonCounter *counter, double weight)
{
	counter->rows++;
	if (weight > 1)
	{
		counter->part_rows++;
		counter->part_times++;
	}
}

/* A counter of what one row had so far; its number.  "weight" is that of the second row. */
static uint32
new_counter(PgBsonCollection *c, Datum key, bool is_value, PgBsonPlace *place, double weight)
{
	PgBsonCounter *counter;
	const uint8 *bytes;
	uint32		number = c->unused;

	if (number != 0)
		c->unused = c->counters[number - 1].next_unused;
	else
	{
		if (c->ncounters == c->room)
		{
			c->room *= 2;
			c->counters = repalloc_huge(c->counters, sizeof(PgBsonCounter) * c->room);
		}
		number = ++c->ncounters;
	}
	counter = &c->counters[number - 1];
	counter->len = PgBsonGinKeyBytes(key, &bytes);
	memcpy(counter->key, bytes, counter->len);
	counter->is_value = is_value;
	counter->place = place;
	counter->counted_late = true;
	counter->missed = c->bucket;
	counter->rows = 0;
	counter->part_rows = 0;
	counter->part_times = 0;
	count_row(counter, weight);
	return number;
}

/*
 * Are further values of a field counted?  Not if the fields before it that two
 * rows have use up all keys.
 */
static inline bool
is_open(PgBsonCollection *c, PgBsonPlace *field)
{
	if (!field->open && field->met.rows > 1 && !field->closed)
	{
		field->closed = c->nopen >= c->nkeys;
		field->open = !field->closed;
		c->nopen += field->open;
	}
	return !field->closed;
}

void
PgBsonCountValue(PgBsonCollection *c, PgBsonPlace *place, const PgBsonValue *value, double weight)
{
	PgBsonPlace *field = place->field;
	bool		is_new;
	bool		exact;
	uint64		hash = hash_of(value, place_hash(&place->path));
	Seen	   *seen;

	if (!is_open(c, field))
		return;
	seen = count_hash(c, hash, weight, &is_new);
	if (seen == NULL)
		return;
	field->pairs++;
	field->part_pairs += weight > 1;
	if (is_new)
		field->distinct++;
	else
	{
		if (seen->counter == 0)
		{
			seen->counter = new_counter(c, PgBsonGinWholeOps.value_key(&c->keys, &place->path, value, &exact), true, field, weight);
			field->repeated++;
		}
		count_row(&c->counters[seen->counter - 1], weight);
	}
	PgBsonRangeSampleAdd(c->ranges, &c->keys, place, value, weight > 1 ? pair_weight(field) : 1);
}

void
PgBsonCountName(PgBsonCollection *c, const PgBsonValue *string, double weight)
{
	PgBsonGinPath path;
	const char *s;
	uint32		len;
	bool		is_new;
	bool		exact;
	Seen	   *seen;

	/* a text cannot contain U+0000 */
	if (!PgBsonValueIsString(string, &s, &len) || memchr(s, '\0', len) != NULL)
		return;
	seen = count_hash(c, PgBsonHash(string, NAME_SEED), weight, &is_new);
	if (seen == NULL || is_new)
		return;
	if (seen->counter == 0)
	{
		PgBsonGinPathInit(&path);
		PgBsonGinPathAddKey(&path, s, len);
		seen->counter = new_counter(c, PgBsonGinWholeOps.field_key(&c->keys, &path, &exact), false, c->root, weight);
	}
	count_row(&c->counters[seen->counter - 1], weight);
}

void
PgBsonForgetRare(PgBsonCollection *c)
{
	pgbson_values_iterator scan;
	Seen	   *seen;

	if (c->counted / c->bucket_width <= c->bucket)
		return;
	c->bucket = c->counted / c->bucket_width;
	pgbson_values_start_iterate(c->values, &scan);
	while ((seen = pgbson_values_iterate(c->values, &scan)) != NULL)
	{
		if (seen->counter != 0)
		{
			PgBsonCounter *counter = &c->counters[seen->counter - 1];

			if (counter->rows + counter->missed > c->bucket)
				continue;
			counter->rows = 0;
			counter->next_unused = c->unused;
			c->unused = seen->counter;
		}
		pgbson_values_delete_item(c->values, seen);
	}
}

/* --- results --- */

double
PgBsonPairsPerRow(const PgBsonCollection *c, const PgBsonPlace *field, double pairs)
{
	double		all;

	if (pairs <= 0 || field->pairs == 0)
		return 0;
	all = field->pairs - field->part_pairs + pairs_of_parts(field);
	return pairs / c->rows * all / field->pairs;
}

double
PgBsonPartTimes(const PgBsonCounter *counter)
{
	/* the counter of a value was made in the second row, when nobody knew how often it had been in the first one */
	if (!counter->counted_late || counter->part_rows < 2)
		return counter->part_times;
	return (counter->part_times - 1.0) * counter->part_rows / (counter->part_rows - 1);
}

/* The fraction of rows with what was counted here */
static double
frequency_of(const PgBsonCollection *c, const PgBsonCounter *counter)
{
	const PgBsonPlace *place = counter->place;
	/* a counter of a field at the root's own place is of a string: ? finds strings of a root array as it finds fields */
	bool		is_value = counter->is_value || place == c->root;
	const PgBsonMet *met = is_value ? &place->scalars : &place->met;
	/* only these rows can have it where it was not met; of a field, as far as its last documents tell */
	double		most = is_value ? most_part_rows(place) : place->parent->part_rows;
	double		parts = counter->part_rows;

	if (parts > 0 && most > parts)
		parts = Min(rows_of_parts(parts, likely_times(parts, PgBsonPartTimes(counter), parts / most), mean_weight(met)), most);
	return Min((counter->rows - counter->part_rows + parts) / c->rows, 1);
}

PgBsonCounter **
PgBsonCounters(PgBsonCollection *c, int *count)
{
	PgBsonCounter **counters;
	pgbson_places_iterator scan;
	Found	   *found;
	bool		exact;
	int			n = 0;

	pgbson_places_start_iterate(c->places, &scan);
	while ((found = pgbson_places_iterate(c->places, &scan)) != NULL)
	{
		PgBsonMet  *met = &found->place->met;

		if (met->rows > 0)
		{
			uint32		number = new_counter(c, PgBsonGinWholeOps.field_key(&c->keys, &found->place->path, &exact), false, found->place, 1);

			c->counters[number - 1].rows = met->rows;
			c->counters[number - 1].part_rows = met->part_rows;
			c->counters[number - 1].part_times = met->part_times;
			c->counters[number - 1].missed = 0;
			c->counters[number - 1].counted_late = false;
		}
	}
	counters = palloc_extended(sizeof(PgBsonCounter *) * Max(c->ncounters, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < c->ncounters; i++)
	{
		PgBsonCounter *counter = &c->counters[i];

		/* one not in use, or not known to a tenth */
		if (counter->rows <= 9 * counter->missed)
			continue;
		counter->frequency = frequency_of(c, counter);
		counters[n++] = counter;
	}
	*count = n;
	return counters;
}

/* The fraction of rows with one value of the field that gets no key; "rows" were met with such values */
static double
rest_frequency(const PgBsonCollection *c, const PgBsonPlace *field, double rows)
{
	double		most = most_part_rows(field);
	double		pairs = field->part_pairs - field->listed_part_rows;
	double		times = field->scalars.part_times - field->listed_part_times;
	double		weight = mean_weight(&field->scalars);
	double		parts;

	if (field->pairs == 0)
		return 0;
	parts = rows * field->part_pairs / field->pairs;
	rows -= parts;
	if (parts > 0 && pairs > 0)
		weight = rows_of_parts(pairs, likely_times(pairs, Max(times, pairs), parts / most), weight) / pairs;
	return (rows + Min(parts * weight, most)) / c->rows;
}

/*
 * How many of the documents examined are to be expected to have one particular
 * value of a field, of those that are not listed.  The number of distinct
 * values is estimated from those in the sample by the method of Haas and Stokes
 * that the server uses.
 */
double
PgBsonRestRows(const PgBsonCollection *c, const PgBsonPlace *field, double nonnull_rows)
{
	double		n = field->pairs - field->listed;
	double		all = PgBsonPairsPerRow(c, field, n) * Max(nonnull_rows, c->rows);
	double		once = field->distinct - field->repeated;
	double		rows;

	/* all that were met are listed: of one that was not, half a row */
	if (n <= 0 || field->distinct <= field->nlisted)
		return 0.5;
	rows = Max((n - once + once * n / all) / (field->distinct - field->nlisted), n / all);
	/* with each value that is unlike the others it is half as likely that there are only a few */
	return once < n ? rows : Max(rows, n * exp2(-n));
}

/*
 * In which fraction of rows to expect a field that was not met, in documents at
 * this place or in its elements that are in parts of arrays: half a row in those
 */
static double
absent_in_parts(const PgBsonCollection *c, const PgBsonPlace *place)
{
	const PgBsonPlace *documents = place->part_rows > 0 ? place : place->elements;

	if (documents == NULL || documents->part_rows == 0 || documents->first == NULL)
		return 0;
	return Min(0.5 * mean_weight(&documents->first->met), documents->part_rows) / c->rows;
}

double
PgBsonRestFrequency(const PgBsonCollection *c, const PgBsonPlace *field, double nonnull_rows)
{
	if (field->closed)
		return DEFAULT_EQ_SEL * field->met.rows / c->rows;
	if (field->pairs == 0)
		return -absent_in_parts(c, field);
	return Min(rest_frequency(c, field, PgBsonRestRows(c, field, nonnull_rows)), 1);
}
