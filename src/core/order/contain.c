/*
 * contain.c
 *	  Containment, as jsonb has it.
 *
 * A document is searched in one pass, whatever the number of fields in the part.  As long as
 * both have the same keys in the same order, as rows of one table mostly do, they are
 * compared side by side.  From the first different key on, either each field of the document
 * is looked up among those of the part or the other way round, depending on which has fewer.
 *
 * In an array, each of a few wanted elements is searched for.  If there are many, a hash
 * table finds those that are equal to an element.  A scalar that it does not find is missing;
 * documents and arrays may also be contained in an element that has more, so those that are
 * left are then searched for one by one.
 */
#include "core/order/contain.h"

#include "core/bytes/memory.h"
#include "core/order/compare.h"

/* Up to this many wanted elements, comparing is faster than hashing */
#define SMALL_ARRAY 8

/* An element that must be found in an array */
typedef struct WantedValue
{
	PgBsonValue value;
	uint64		hash;			/* set by match_by_hash */
	int32		next;			/* the next item in the bucket, -1 at its end */
	bool		found;
} WantedValue;

typedef struct WantedList
{
	WantedValue *items;
	int			count;
	int			left;			/* not yet found */
	int			capacity;
	WantedValue	small[SMALL_ARRAY];
} WantedList;

static bool contains(const PgBsonValue *value, const PgBsonValue *part);

/* Does one of the first "n" fields have this key? */
static bool
has_key_before(PgBsonView doc, uint32 n, const char *key, uint32 key_len)
{
	PgBsonIter	iter = PgBsonIterBegin(doc);

	while (n-- > 0 && PgBsonIterNext(&iter))
	{
		if (PgBsonSameKey(iter.key, iter.key_len, key, key_len))
			return true;
	}
	return false;
}

/* Has the document fewer fields than the part? */
static bool
has_fewer_fields(PgBsonView doc, PgBsonView part)
{
	PgBsonIter	have = PgBsonIterBegin(doc);
	PgBsonIter	want = PgBsonIterBegin(part);

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (!PgBsonIterNext(&want))
			return false;
		if (!PgBsonIterNext(&have))
			return true;
	}
}

/*
 * Look up each field of the part in "fields", a set of the document's.  The first "n" fields of the
 * part are known to be contained; comparing their values again would double the time at each level of
 * nesting.
 */
static bool
fields_contain(PgBsonKeySet *fields, PgBsonView part, uint32 n)
{
	PgBsonIter	want = PgBsonIterBegin(part);

	PgBsonKeySetUnmark(fields);
	for (uint32 i = 0; PgBsonIterNext(&want); i++)
	{
		PgBsonKeyEntry *entry = PgBsonKeySetFind(fields, want.key, want.key_len);

		CHECK_FOR_INTERRUPTS();
		if (entry == NULL)
			return false;
		if (PgBsonKeySetSeen(fields, entry))
			continue;
		if (i >= n && !contains(&entry->value, &want.value))
			return false;
		PgBsonKeySetMark(fields, entry);
	}
	return true;
}

static bool
has_all_fields(PgBsonView doc, PgBsonView part, uint32 n)
{
	PgBsonKeySet fields;
	bool		result;

	PgBsonKeySetInit(&fields);
	PgBsonKeySetAddFields(&fields, doc);
	result = fields_contain(&fields, part, n);
	PgBsonKeySetFree(&fields);
	return result;
}

/*
 * Look up the fields of the document, from "iter" on, among those of the part.  The fields before
 * "iter" contain the first "n" fields of the part.
 */
static bool
rest_contains(PgBsonIter *iter, PgBsonView part, uint32 n)
{
	PgBsonKeySet wanted;
	PgBsonIter	fields = PgBsonIterBegin(part);
	bool		result = true;

	PgBsonKeySetInit(&wanted);
	PgBsonKeySetAddFields(&wanted, part);
	while (n-- > 0 && PgBsonIterNext(&fields))
		PgBsonKeySetMark(&wanted, PgBsonKeySetFind(&wanted, fields.key, fields.key_len));

	while (result && wanted.unseen > 0 && PgBsonIterNext(iter))
	{
		PgBsonKeyEntry *entry = PgBsonKeySetFind(&wanted, iter->key, iter->key_len);

		if (entry == NULL || PgBsonKeySetSeen(&wanted, entry))
			continue;
		PgBsonKeySetMark(&wanted, entry);
		result = contains(&iter->value, &entry->value);
	}
	result = result && wanted.unseen == 0;
	PgBsonKeySetFree(&wanted);
	return result;
}

/* Compare two documents side by side while they have the same keys.  "fields" is a set of the first's keys, or NULL. */
static bool
document_contains(PgBsonView doc, PgBsonKeySet *fields, PgBsonView part)
{
	PgBsonIter	have;
	uint32		n = 0;			/* how many first fields match */

	PgBsonIterInit(&have, doc);
	PgBsonForEach(want, part)
	{
		const uint8 *before = have.next;
		bool		more = PgBsonIterNext(&have);
		bool		same = more && PgBsonSameKey(have.key, have.key_len, want.key, want.key_len);

		if (same && contains(&have.value, &want.value))
		{
			n++;
			continue;
		}
		/* a field that is missing or has another value decides the answer, unless its key occurred before */
		if ((same || !more) && !has_key_before(part, n, want.key, want.key_len))
			return false;
		if (fields != NULL)
			return fields_contain(fields, part, n);
		if (has_fewer_fields(doc, part))
			return has_all_fields(doc, part, n);
		have.next = before;
		return rest_contains(&have, part, n);
	}
	return true;
}

static void
add_wanted(WantedList *list, const PgBsonValue *value)
{
	if (list->count == list->capacity)
	{
		list->items = PgBsonDoubleList(list->items, list->small, (Size) list->capacity * sizeof(WantedValue));
		list->capacity *= 2;
	}
	list->items[list->count].value = *value;
	list->items[list->count].found = false;
	list->count++;
	list->left++;
}

/*
 * Mark the wanted elements that are equal to an element of the array; a document or an array contains
 * what is equal to it, too.
 *
 * The table is our own: with lib/simplehash.h, whose elements are moved and compared by calls, this
 * took 1.2 to 1.7 times as long (20 to 8192 elements).  A PgBsonKeySet would compare bytes, not values.
 */
static void
match_by_hash(PgBsonView array, WantedList *list)
{
	uint32		mask = list->capacity - 1;	/* a power of two */
	int32	   *buckets = palloc_extended((Size) list->capacity * sizeof(int32), MCXT_ALLOC_HUGE);
	bool		any_container = false;
	PgBsonIter	iter;

	memset(buckets, 0xFF, (Size) list->capacity * sizeof(int32));
	for (int i = 0; i < list->count; i++)
	{
		WantedValue *item = &list->items[i];

		CHECK_FOR_INTERRUPTS();
		item->hash = PgBsonHash(&item->value, 0);
		item->next = buckets[item->hash & mask];
		buckets[item->hash & mask] = i;
		any_container |= PgBsonIsContainer(item->value.type);
	}

	PgBsonIterInit(&iter, array);
	while (list->left > 0 && PgBsonIterNext(&iter))
	{
		uint64		hash;
		int32	   *link;

		CHECK_FOR_INTERRUPTS();
		if (!any_container && PgBsonIsContainer(iter.value.type))
			continue;
		hash = PgBsonHash(&iter.value, 0);
		link = &buckets[hash & mask];
		while (*link >= 0)
		{
			WantedValue *item = &list->items[*link];

			/* remove it, so that many equal wanted elements do not make a bucket long */
			if (item->hash == hash && PgBsonEqual(&item->value, &iter.value))
			{
				list->left -= !item->found;
				item->found = true;
				*link = item->next;
			}
			else
				link = &item->next;
		}
	}
	pfree(buckets);
}

/*
 * Does the array contain all wanted elements?  Each is searched for in the whole array before the next
 * one is: the first that is missing decides.  To compare all of them with each element would multiply
 * the sizes of both arrays, at each level of nesting.
 */
static bool
has_each(PgBsonView array, const WantedList *list)
{
	for (int i = 0; i < list->count; i++)
	{
		PgBsonIter	iter;
		bool		found = false;

		PgBsonIterInit(&iter, array);
		while (!found && PgBsonIterNext(&iter))
		{
			CHECK_FOR_INTERRUPTS();
			found = contains(&iter.value, &list->items[i].value);
		}
		if (!found)
			return false;
	}
	return true;
}

/*
 * Keep only the wanted elements that were not found.  False if one of them is a scalar, so the array
 * does not contain it.
 */
static bool
only_containers_left(WantedList *list)
{
	int			n = 0;

	for (int i = 0; i < list->count; i++)
	{
		if (list->items[i].found)
			continue;
		if (!PgBsonIsContainer(list->items[i].value.type))
			return false;
		list->items[n++] = list->items[i];
	}
	list->count = n;
	return true;
}

static bool
array_contains(PgBsonView array, PgBsonView part)
{
	WantedList	list;
	PgBsonIter	iter = PgBsonIterBegin(part);
	int			scalars = 0;
	bool		result = true;

	list.items = list.small;
	list.count = list.left = 0;
	list.capacity = SMALL_ARRAY;

	/* search for the first few scalars at once: if the array lacks an element, it is mostly one of these */
	while (result && PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		if (!PgBsonIsContainer(iter.value.type) && scalars++ < SMALL_ARRAY)
			result = PgBsonArrayHas(array, &iter.value);
		else
			add_wanted(&list, &iter.value);
	}

	if (result && list.count > SMALL_ARRAY)
	{
		match_by_hash(array, &list);
		result = only_containers_left(&list);
	}
	result = result && has_each(array, &list);
	if (list.items != list.small)
		pfree(list.items);
	return result;
}

/* PgBsonContains for values below the root, where an array does not contain a bare scalar */
static bool
contains(const PgBsonValue *value, const PgBsonValue *part)
{
	if (!PgBsonIsContainer(part->type))
		return !PgBsonIsContainer(value->type) && PgBsonEqual(value, part);
	if (value->type != part->type)
		return false;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (part->type == PGBSON_DOCUMENT)
		return document_contains(PgBsonValueView(value), NULL, PgBsonValueView(part));
	return array_contains(PgBsonValueView(value), PgBsonValueView(part));
}

bool
PgBsonContains(const PgBsonValue *value, const PgBsonValue *part)
{
	if (value->type != PGBSON_ARRAY || PgBsonIsContainer(part->type))
		return contains(value, part);
	return PgBsonArrayHas(PgBsonValueView(value), part);
}

void
PgBsonWholeInit(PgBsonWhole *whole, const PgBsonValue *value)
{
	whole->value = *value;
	PgBsonKeySetInit(&whole->fields);
	if (value->type == PGBSON_DOCUMENT)
		PgBsonKeySetAddFields(&whole->fields, PgBsonValueView(value));
}

bool
PgBsonWholeContains(PgBsonWhole *whole, const PgBsonValue *part)
{
	if (whole->value.type == PGBSON_DOCUMENT && part->type == PGBSON_DOCUMENT)
		return document_contains(PgBsonValueView(&whole->value), &whole->fields, PgBsonValueView(part));
	return PgBsonContains(&whole->value, part);
}

/* Go to the only field of a document; false if it does not have exactly one */
static bool
only_field(const PgBsonValue *value, PgBsonIter *field)
{
	PgBsonIter	next;

	if (value->type != PGBSON_DOCUMENT)
		return false;
	PgBsonIterInit(field, PgBsonValueView(value));
	if (!PgBsonIterNext(field))
		return false;
	next = *field;
	return !PgBsonIterNext(&next);
}

/* Add the iterator's current field to those that are searched for */
static void
add_sought(PgBsonPart *part, const PgBsonIter *from)
{
	PgBsonPartField *field = &part->fields[part->first++];
	PgBsonIter	iter = *from;

	field->nsteps = 0;
	do
	{
		field->steps[field->nsteps++] = (PgBsonStep) {PGBSON_STEP_KEY, 0, iter.key, iter.key_len};
		field->value = iter.value;
	} while (field->nsteps < PGBSON_PART_STEPS && only_field(&field->value, &iter));
}

/* How many first fields of a large part are scalars, to be searched for one by one */
static int
first_scalars(const PgBsonPart *part)
{
	int			n = 0;

	while (n < Min(part->first, PGBSON_FIRST_FIELDS) && !PgBsonIsContainer(part->fields[n].value.type))
		n++;
	return n;
}

void
PgBsonPartInit(PgBsonPart *part, const PgBsonValue *value)
{
	PgBsonIter	iter;
	int			n;

	part->value = *value;
	part->few_fields = false;
	part->first = 0;
	part->least = 0;
	if (value->type != PGBSON_DOCUMENT)
		return;

	PgBsonIterInit(&iter, PgBsonValueView(value));
	for (n = 0; n <= PGBSON_FEW_FIELDS && PgBsonIterNext(&iter); n++)
	{
		if (n < PGBSON_FEW_FIELDS && !has_key_before(PgBsonValueView(value), n, iter.key, iter.key_len))
			add_sought(part, &iter);
	}
	/* an empty part has no field to search for: it is contained in every document, but in nothing else */
	part->few_fields = n > 0 && n <= PGBSON_FEW_FIELDS;
	if (!part->few_fields)
		part->first = first_scalars(part);
}

/* The least size, in bytes, of a value that contains this one */
static uint32
least_size(const PgBsonValue *part)
{
	if (PgBsonIsNumber(part->type))
		return sizeof(int32);	/* an equal number may be an int32 */
	if (PgBsonIsContainer(part->type) || part->type == PGBSON_CODE_W_SCOPE)
		return PGBSON_MIN_SIZE;
	return part->len;
}

void
PgBsonPartMeasure(PgBsonPart *part)
{
	PgBsonKeySet fields;

	if (part->few_fields || part->value.type != PGBSON_DOCUMENT)
		return;
	PgBsonKeySetInit(&fields);
	PgBsonKeySetAddFields(&fields, PgBsonValueView(&part->value));
	/* the length word and the terminator; for each field its type, its key with a zero byte, and its value */
	part->least = PGBSON_MIN_SIZE;
	for (int i = 0; i < fields.count; i++)
		part->least += fields.entries[i].key_len + 2 + least_size(&fields.entries[i].value);
	PgBsonKeySetFree(&fields);
}

/*
 * Search for the first fields of the part one by one: mostly the first one decides, and a toasted
 * document is read only up to it.  A root that is not a document has no fields.
 */
static bool
has_first_fields(PgBsonReader *reader, const PgBsonPart *part, PgBsonFindHint *hints)
{
	for (int i = 0; i < part->first; i++)
	{
		const PgBsonPartField *field = &part->fields[i];
		PgBsonValue value = reader->root;

		if (!PgBsonFindIn(reader, &value, hints != NULL ? &hints[i] : NULL, field->steps, field->nsteps) ||
			!contains(&value, &field->value))
			return false;
	}
	return true;
}

bool
PgBsonContainsPart(PgBsonReader *reader, const PgBsonPart *part, PgBsonFindHint *hints)
{
	if (!has_first_fields(reader, part, hints))
		return false;
	if (part->few_fields)
		return true;
	PgBsonReachValue(reader, &reader->root);
	return PgBsonContains(&reader->root, &part->value);
}

bool
PgBsonReaderContains(PgBsonReader *reader, const PgBsonValue *value)
{
	PgBsonPart	part;

	/* if all bytes are at hand, a search field by field saves nothing */
	if (reader->source == NULL)
		return PgBsonContains(&reader->root, value);
	PgBsonPartInit(&part, value);
	return PgBsonContainsPart(reader, &part, NULL);
}
