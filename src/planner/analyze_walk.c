/*
 * analyze_walk.c
 *	  ANALYZE of a bson column: the walk through one document.
 *
 * This meets the same paths and values as the walk that makes keys of a GIN
 * index (index/gin_walk.c), but makes no keys: they are needed only for what
 * is frequent (analyze_count.c).  And it does not visit all elements of large
 * arrays.
 */
#include "planner/analyze.h"

#include "core/bytes/skip.h"
#include "miscadmin.h"

/* The most elements of an array that are visited: of a longer one it is one in 2, one in 4, ... */
#define ELEMENTS		32

/* The longest name, in bytes, that is remembered; the place of a longer one is found by its hash */
#define NAME_BYTES		255

static void walk_value(PgBsonCollection *c, const PgBsonValue *value, PgBsonPlace *place, double weight);

static void
meet(PgBsonMet *met, int row, double weight)
{
	if (met->last != row || met->rows == 0)
	{
		met->last = row;
		met->rows++;
		met->part_rows += weight > 1;
	}
	if (weight > 1)
	{
		met->part_times++;
		met->part_weight += weight;
	}
}

/* The place of a name in a document, which is expected to be "guess"; NULL if there are too many places */
static PgBsonPlace *
place_of_name(PgBsonCollection *c, PgBsonPlace *document, PgBsonPlace *guess, const PgBsonIter *iter)
{
	PgBsonGinPath path;
	PgBsonPlace *place;

	if (guess != NULL && guess->name != NULL && guess->name_len == iter->key_len &&
		memcmp(guess->name, iter->key, iter->key_len) == 0)
		return guess;
	path = document->path;
	PgBsonGinPathAddKey(&path, iter->key, iter->key_len);
	place = PgBsonPlaceAt(c, &path);
	if (place != NULL && place->name == NULL && iter->key_len <= NAME_BYTES)
	{
		char	   *name = MemoryContextAlloc(c->context, iter->key_len + 1);

		memcpy(name, iter->key, iter->key_len + 1);
		place->name = name;
		place->name_len = iter->key_len;
	}
	return place;
}

static void
walk_document(PgBsonCollection *c, PgBsonView doc, PgBsonPlace *place, double weight)
{
	uint32		document = ++c->documents;
	PgBsonPlace **guess = &place->first;
	PgBsonIter	iter;

	if (weight > 1 && (place->last_part != c->rows || place->part_rows == 0))
	{
		place->last_part = c->rows;
		place->part_rows++;
	}
	PgBsonIterInit(&iter, doc);
	while (PgBsonIterNext(&iter))
	{
		PgBsonPlace *field = place_of_name(c, place, *guess, &iter);

		CHECK_FOR_INTERRUPTS();
		c->cost++;
		if (field == NULL)
			continue;
		*guess = field;
		guess = &field->next;
		/* operators see only the first of several fields with the same name */
		if (field->document == document)
			continue;
		field->document = document;
		field->parent = place;
		meet(&field->met, c->rows, weight);
		walk_value(c, &iter.value, field, weight);
	}
}

/* From the element at a position on to that at another; returns where that is */
static uint32
pass_over(PgBsonIter *iter, uint32 from, uint32 to)
{
	uint32		passed = 0;

	if (from < to)
		iter->next = PgBsonSkipElements(iter->next, iter->end, from, to - from, &passed);
	/* elements of an uncommon kind */
	for (from += passed; from < to && PgBsonIterNext(iter); from++)
		;
	return from;
}

static void
walk_array(PgBsonCollection *c, PgBsonView array, PgBsonPlace *place, double weight)
{
	uint32		count = PgBsonViewCount(array);
	uint32		stride = 1;
	uint32		position = 0;
	PgBsonIter	iter;

	if (place->elements == NULL)
	{
		PgBsonGinPath path = place->path;

		PgBsonGinPathAddElement(&path);
		place->elements = PgBsonPlaceAt(c, &path);
		if (place->elements == NULL)
			return;
	}
	while (count / stride > ELEMENTS)
		stride *= 2;
	PgBsonIterInit(&iter, array);
	/* one of each "stride" elements, by chance, as what is in an array may repeat itself */
	for (uint32 start = 0; start < count; start += stride)
	{
		CHECK_FOR_INTERRUPTS();
		position = pass_over(&iter, position, start + PgBsonNextRandom(&c->random, stride));
		if (!PgBsonIterNext(&iter))
			break;
		position++;
		c->cost++;
		if (place == c->root)
			PgBsonCountName(c, &iter.value, weight * stride);
		walk_value(c, &iter.value, place->elements, weight * stride);
	}
}

static void
walk_value(PgBsonCollection *c, const PgBsonValue *value, PgBsonPlace *place, double weight)
{
	if (!PgBsonIsContainer(value->type))
	{
		c->cost++;
		if (place->field != NULL)
			meet(&place->field->scalars, c->rows, weight);
		PgBsonCountValue(c, place, value, weight);
		return;
	}
	check_stack_depth();
	if (value->type == PGBSON_DOCUMENT)
		walk_document(c, PgBsonValueView(value), place, weight);
	else
		walk_array(c, PgBsonValueView(value), place, weight);
}

void
PgBsonWalkDocument(PgBsonCollection *c, const PgBsonValue *root)
{
	PgBsonCountName(c, root, 1);
	walk_value(c, root, c->root, 1);
}
