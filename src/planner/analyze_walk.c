/*
 * analyze_walk.c
 *	  ANALYZE of a bson column: the walk through one document.
 *
 * It meets the same paths and values as the walk that makes the keys of a GIN
 * index (index/gin_walk.c), but makes no keys.  Of large arrays it visits only
 * some elements.
 */
#include "planner/analyze_walk.h"

#include "core/bytes/skip.h"

/* The most elements of an array that are visited; of longer arrays one element in 2, in 4, ... is visited */
#define ELEMENTS		32

/* Containers nested deeper than this are not entered */
#define LEVELS			100

/*
 * The most places, and how many new ones a single document may add.  Otherwise documents with names
 * of their own, such as identifiers, would take the room of names that all documents have.
 */
#define MAX_PLACES		(64 * 1024)
#define MAX_OF_DOCUMENT	(16 * 1024)

/*
 * An entry of the table: a PgBsonPlace if the lowest bit of its hash is set, else a PgBsonSeen.
 * The bit keeps them apart even if a user makes hashes collide on purpose.
 */
typedef struct Found
{
	uint64		hash;
	void	   *what;
	char		status;
} Found;

/*
 * The table's hash function multiplies by a random number and takes the highest bits, so nobody can
 * choose documents that make the table slow
 */
#define SH_PREFIX		pgbson_met
#define SH_ELEMENT_TYPE	Found
#define SH_KEY_TYPE		uint64
#define SH_KEY			hash
#define SH_HASH_KEY(tb, key)	pg_bswap32((uint32) ((key) * *(const uint64 *) (tb)->private_data >> 32))
#define SH_EQUAL(tb, a, b)		((a) == (b))
#define SH_SCOPE		static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

static void count_value(PgBsonCollection *c, const PgBsonValue *value, PgBsonPlace *place, double weight, int level);

/* Memory of the collection.  palloc would take twice as much for a value, whose pages the kernel then must clear. */
static void *
allocate_in_collection(PgBsonCollection *c, Size size)
{
	return PgBsonArenaTake(&c->arena, c->context, MAXALIGN(size));
}

/* The place with this path; NULL if there are too many already */
static PgBsonPlace *
place_at(PgBsonCollection *c, uint64 names, PgBsonGinVia via, PgBsonPlace *parent)
{
	uint64		hash = PgBsonFieldHash(names, via) | 1;
	Found	   *found = pgbson_met_lookup(c->table, hash);
	PgBsonPlace *place;
	bool		exists;

	if (found != NULL)
		return found->what;
	if (c->nplaces == MAX_PLACES || c->nplaces - c->places_before == MAX_OF_DOCUMENT)
		return NULL;
	place = memset(allocate_in_collection(c, sizeof(PgBsonPlace)), 0, sizeof(PgBsonPlace));
	place->names = names;
	place->via = via;
	place->parent = parent;
	if (c->last_place != NULL)
		c->last_place->next_place = place;
	c->last_place = place;
	c->nplaces++;
	pgbson_met_insert(c->table, hash, &exists)->what = place;
	return place;
}

void
PgBsonCollectionBegin(PgBsonCollection *c)
{
	memset(c, 0, sizeof(*c));
	c->context = CurrentMemoryContext;
	if (!pg_strong_random(&c->factor, sizeof(c->factor)))
		c->factor = (uintptr_t) c;
	c->factor |= 1;
	c->table = pgbson_met_create(CurrentMemoryContext, 4096, &c->factor);
	c->root = place_at(c, 0, PGBSON_GIN_PLAIN, NULL);
}

/* Count a document that has a place or value; false if the document was counted already */
static inline bool
meet(PgBsonMet *met, int row, double weight)
{
	if (met->last == row)
		return false;
	met->last = row;
	met->rows++;
	if (weight > 1)
	{
		met->part_rows++;
		met->part_weight += weight;
	}
	return true;
}

/* The place of a name in a document; "guess" is the place that is tried first */
static PgBsonPlace *
place_of_name(PgBsonCollection *c, PgBsonPlace *document, PgBsonPlace *guess, const char *name, uint32 len)
{
	PgBsonGinPath path;
	PgBsonPlace *place;

	if (guess != NULL && PgBsonSameKey(guess->name, guess->name_len, name, len))
		return guess;
	PgBsonGinPathInit(&path);
	path.hash = document->names;
	path.via = document->via;
	PgBsonGinPathAddKey(&path, name, len);
	place = place_at(c, path.hash, path.via, document);
	if (place != NULL && place->name == NULL)
	{
		place->name = memcpy(allocate_in_collection(c, len + 1), name, len + 1);
		place->name_len = len;
	}
	return place;
}

static void
count_document(PgBsonCollection *c, PgBsonView doc, PgBsonPlace *place, double weight, int level)
{
	uint32		document = ++c->documents;
	PgBsonPlace **guess = &place->first;

	PgBsonForEach(iter, doc)
	{
		PgBsonPlace *field = place_of_name(c, place, *guess, iter.key, iter.key_len);

		if (field == NULL)
			continue;
		*guess = field;
		guess = &field->next;
		/* operators see only the first of several fields with the same name */
		if (field->document == document)
			continue;
		field->document = document;
		count_value(c, &iter.value, field, weight, level);
	}
}

/* The place of the elements of an array */
static PgBsonPlace *
place_of_elements(PgBsonCollection *c, PgBsonPlace *array)
{
	if (array->elements != NULL)
		return array->elements;
	/* a path tells one array on the way from several, but not how many: elements of arrays in arrays have one place */
	if (array->via == PGBSON_GIN_NESTED)
		array->elements = array;
	else
		array->elements = place_at(c, array->names, array->via == PGBSON_GIN_PLAIN ? PGBSON_GIN_ELEMENT
								   : PGBSON_GIN_NESTED, array);
	return array->elements;
}

/* Count a string that is the root, or an element of a root array: the operator ? takes it for a field of that name */
static void
meet_string(PgBsonCollection *c, const PgBsonValue *value, PgBsonPlace *at, double weight)
{
	const char *s;
	uint32		len;
	PgBsonPlace *place;

	/* a text cannot contain U+0000 */
	if (!PgBsonValueIsString(value, &s, &len) || memchr(s, '\0', len) != NULL)
		return;
	place = place_of_name(c, c->root, NULL, s, len);
	if (place == NULL)
		return;
	place->parent = at;
	meet(&place->met, c->rows, weight);
}

/* Move the iterator from the element at position "from" to that at "to"; returns the position reached */
static uint32
pass_over_elements(PgBsonIter *iter, uint32 from, uint32 to)
{
	uint32		passed = 0;

	if (from < to)
		iter->next = PgBsonSkipElements(iter->next, iter->end, from, to - from, &passed);
	/* step over elements of types that PgBsonSkipElements does not know, one by one */
	for (from += passed; from < to && PgBsonIterNext(iter); from++)
		;
	return from;
}

static void
count_array(PgBsonCollection *c, PgBsonView array, PgBsonPlace *place, double weight, int level)
{
	PgBsonPlace *elements = place_of_elements(c, place);
	uint32		count = PgBsonViewCount(array);
	uint32		stride = 1;
	uint32		position = 0;
	PgBsonIter	iter;

	if (elements == NULL)
		return;
	while (count / stride > ELEMENTS)
		stride *= 2;
	PgBsonIterInit(&iter, array);
	/* of each "stride" elements visit a random one, because the contents of an array may repeat in a fixed rhythm */
	for (uint32 start = 0; start < count; start += stride)
	{
		CHECK_FOR_INTERRUPTS();
		position = pass_over_elements(&iter, position, start + PgBsonNextRandom(&c->random, stride));
		if (!PgBsonIterNext(&iter))
			break;
		position++;
		if (place == c->root)
			meet_string(c, &iter.value, elements, weight * stride);
		count_value(c, &iter.value, elements, weight * stride, level);
	}
}

static void
walk_scalar(PgBsonCollection *c, const PgBsonValue *value, PgBsonPlace *place, double weight)
{
	uint64		hash = PgBsonStatHash(value, place->names, place->via) & ~UINT64CONST(1);
	bool		exists;
	Found	   *found = pgbson_met_insert(c->table, hash, &exists);
	PgBsonSeen *seen;

	if (!exists)
	{
		uint32		front = Min(value->len, PGBSON_FRONT_BYTES);

		seen = allocate_in_collection(c, sizeof(PgBsonSeen) + front);
		memset(seen, 0, sizeof(PgBsonSeen));
		seen->place = place;
		seen->value = *value;
		seen->value.data = memcpy(seen + 1, value->data, front);
		seen->next = place->values;
		place->values = seen;
		place->distinct++;
		found->what = seen;
	}
	seen = found->what;
	if (meet(&seen->met, c->rows, weight))
	{
		place->pairs++;
		place->repeated += seen->met.rows == 2;
	}
}

static void
count_value(PgBsonCollection *c, const PgBsonValue *value, PgBsonPlace *place, double weight, int level)
{
	c->values++;
	meet(&place->met, c->rows, weight);
	if (!PgBsonIsContainer(value->type))
		walk_scalar(c, value, place, weight);
	else if (level == LEVELS)
		return;
	else if (value->type == PGBSON_DOCUMENT)
		count_document(c, PgBsonValueView(value), place, weight, level + 1);
	else
		count_array(c, PgBsonValueView(value), place, weight, level + 1);
}

void
PgBsonWalkDocument(PgBsonCollection *c, const PgBsonValue *root)
{
	c->rows++;
	c->containers += PgBsonIsContainer(root->type);
	c->places_before = c->nplaces;
	meet_string(c, root, c->root, 1);
	count_value(c, root, c->root, 1, 0);
}
