/*
 * elements.c
 *	  A growing list of elements, for aggregates, and the array or document made of it.
 */
#include "core/write/elements.h"

#include "core/bytes/keys.h"
#include "core/write/from_value.h"
#include "utils/builtins.h"

PgBsonElements *
PgBsonElementsBegin(MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	PgBsonElements *list = palloc0_object(PgBsonElements);

	list->magic = PGBSON_ELEMENTS_MAGIC;
	/* with the least room, because GROUP BY may need millions of lists */
	PgBsonWriterInit(&list->w, 0);
	MemoryContextSwitchTo(old);
	return list;
}

void
PgBsonElementsAppend(PgBsonElements *list, const char *key, uint32 key_len, const PgBsonValue *value)
{
	uint8	   *p = PgBsonWriterRoom(&list->w, (Size) key_len + 2 + (value ? value->len : 0));

	list->has_bare |= value == NULL;
	*p++ = value ? value->type : PGBSON_EOD;
	memcpy(p, key, key_len);
	p += key_len;
	*p++ = 0;
	if (value && value->len > 0)
		memcpy(p, value->data, value->len);
	list->w.count++;
}

void
PgBsonElementsJoin(PgBsonElements *list, const PgBsonElements *other)
{
	PgBsonWriterBytes(&list->w, other->w.data, other->w.len);
	list->w.count += other->w.count;
	list->has_bare |= other->has_bare;
	list->is_set |= other->is_set;
}

/* Begin to pass over the list */
static void
iterate(PgBsonIter *iter, const PgBsonElements *list)
{
	memset(iter, 0, sizeof(*iter));
	iter->start = list->w.data;
	iter->next = list->w.data;
	iter->end = list->w.data + list->w.len;
}

static bool
iterate_next(PgBsonIter *iter)
{
	if (iter->next < iter->end && *iter->next == PGBSON_EOD)
	{
		iter->element = iter->next;
		iter->key = (const char *) iter->next + 1;
		iter->key_len = strlen(iter->key);
		iter->value.type = PGBSON_EOD;
		iter->value.len = 0;
		iter->next += iter->key_len + 2;
		return true;
	}
	return PgBsonIterNext(iter);
}

/* Write a value as element number "n" of an array; returns the place behind it */
static inline uint8 *
put_element(uint8 *p, uint32 n, const PgBsonValue *value)
{
	*p++ = value->type;
	p += pg_ultoa_n(n, (char *) p);
	*p++ = 0;
	if (value->len > 0)
		memcpy(p, value->data, value->len);
	return p + value->len;
}

PgBson *
PgBsonElementsToArray(const PgBsonElements *list)
{
	PgBson	   *result;
	PgBsonIter	iter;
	uint32		n = 0;
	uint64		len = (uint64) list->w.len - list->w.count + PgBsonNumbersSize(0, list->w.count);
	uint8	   *p = PgBsonAllocateArray(len, &result);

	iterate(&iter, list);
	while (PgBsonIterNext(&iter))
	{
		p = put_element(p, n++, &iter.value);
		CHECK_FOR_INTERRUPTS();
	}
	return result;
}

PgBson *
PgBsonArrayOf(const PgBsonValue *values, uint32 count)
{
	PgBson	   *result;
	uint64		len = count + PgBsonNumbersSize(0, count);
	uint8	   *p;

	for (uint32 i = 0; i < count; i++)
	{
		/* each is inside the array and the array's envelope */
		PgBsonCheckDepth(&values[i], 2);
		len += values[i].len;
	}
	p = PgBsonAllocateArray(len, &result);
	for (uint32 i = 0; i < count; i++)
	{
		p = put_element(p, i, &values[i]);
		CHECK_FOR_INTERRUPTS();
	}
	return result;
}

static void
report_repeated(const PgBsonKeyRef *key)
{
	char	   *name = pnstrdup(key->key, key->len);

	PgBsonReport(ERRCODE_DUPLICATE_JSON_OBJECT_KEY_VALUE,
				 errmsg("duplicate bson object key value: \"%s\"",
						pg_any_to_server(name, key->len, PG_UTF8)));
}

/* The keys of a list's elements, and the offset of each element, with one more offset, that of the end */
typedef struct Places
{
	PgBsonKeyRef *keys;
	uint32	   *offsets;
	uint32	   *last;			/* see PgBsonFindRepeatedKeys */
} Places;

static Places
find_places(const PgBsonElements *list, bool unique)
{
	MemoryContext context = CurrentMemoryContext;
	Size		n = (Size) list->w.count + 1;
	Places		places;
	PgBsonIter	iter;
	uint32		i = 0;
	int64		repeated;

	places.keys = MemoryContextAllocHuge(context, sizeof(PgBsonKeyRef) * n);
	places.offsets = MemoryContextAllocHuge(context, sizeof(uint32) * n);
	places.last = MemoryContextAllocHuge(context, sizeof(uint32) * n);
	iterate(&iter, list);
	while (iterate_next(&iter))
	{
		places.keys[i].key = iter.key;
		places.keys[i].len = iter.key_len;
		places.offsets[i++] = iter.element - list->w.data;
		CHECK_FOR_INTERRUPTS();
	}
	Assert(i == list->w.count);
	places.offsets[i] = list->w.len;

	repeated = PgBsonFindRepeatedKeys(places.keys, list->w.count, places.last);
	if (unique && repeated >= 0)
		report_repeated(&places.keys[repeated]);
	return places;
}

/*
 * The bytes of the element that the document has in the place of element number i: the last one with
 * the same key.  False if it has none, because the key occurred before or its last element has no
 * value.
 */
static bool
element_at(const PgBsonElements *list, const Places *places, uint32 i,
		   const uint8 **data, uint32 *len)
{
	uint32		from = places->last[i];

	if (from == PGBSON_KEY_REPEATED)
		return false;
	*data = list->w.data + places->offsets[from];
	*len = places->offsets[from + 1] - places->offsets[from];
	return **data != PGBSON_EOD;
}

/* The document of a list in which keys occur twice or have no value */
static void
pick_elements(PgBsonWriter *w, const PgBsonElements *list, bool unique)
{
	Places		places = find_places(list, unique);
	const uint8 *data;
	uint32		len;

	for (uint32 i = 0; i < list->w.count; i++)
	{
		if (element_at(list, &places, i, &data, &len))
			PgBsonWriterBytes(w, data, len);
	}
	pfree(places.keys);
	pfree(places.offsets);
	pfree(places.last);
}

PgBson *
PgBsonElementsToDocument(const PgBsonElements *list, bool unique)
{
	PgBsonWriter w;
	Size		start;

	PgBsonWriterInit(&w, list->w.len + PGBSON_MIN_SIZE);
	start = PgBsonWriterOpen(&w);
	if (!list->has_bare)
	{
		/* mostly no key occurs twice, and the document is the list with a length and a zero byte around it */
		PgBsonWriterBytes(&w, list->w.data, list->w.len);
		PgBsonWriterClose(&w, start);
		if (!PgBsonHasDuplicateKeys((PgBsonView) {w.data, (uint32) w.len}))
			return PgBsonWriterFinish(&w);
		w.len = start + 4;
	}
	pick_elements(&w, list, unique);
	PgBsonWriterClose(&w, start);
	return PgBsonWriterFinish(&w);
}
