/*
 * merge.c
 *	  Merging two documents at every level.
 *
 * The first document is copied with changes (PgBsonEdit).  At each level the fields of
 * the second are collected first, so one pass over the first finds those that both have.
 */
#include "core/write/modify.h"

#include "core/find/fields.h"
#include "core/write/from_value.h"
#include "core/write/write.h"

typedef struct Merge
{
	PgBsonEdit	edit;
	bool		deep;			/* merge fields that are documents, too */
	bool		remove_nulls;
} Merge;

/* Write a value of the second for which the first has none; with remove_nulls, without the null fields in it */
static void
write_value(Merge *m, PgBsonWriter *w, const PgBsonValue *value)
{
	Size		start;

	if (value->type != PGBSON_DOCUMENT || !m->remove_nulls)
	{
		PgBsonWriterValue(w, value);
		return;
	}
	check_stack_depth();
	start = PgBsonWriterOpen(w);
	PgBsonForEach(iter, PgBsonValueView(value))
	{
		if (iter.value.type == PGBSON_NULL)
			continue;
		PgBsonWriterKey(w, iter.value.type, iter.key, iter.key_len);
		write_value(m, w, &iter.value);
	}
	PgBsonWriterClose(w, start);
}

/* Append the fields of the second that the first does not have */
static void
append_new(Merge *m, PgBsonWriter *w, const PgBsonKeySet *fields)
{
	for (int i = 0; i < fields->count; i++)
	{
		const PgBsonKeyEntry *field = &fields->entries[i];

		CHECK_FOR_INTERRUPTS();
		if (PgBsonKeySetSeen(fields, field) || (m->remove_nulls && field->value.type == PGBSON_NULL))
			continue;
		PgBsonWriterKey(w, field->value.type, field->key, field->key_len);
		write_value(m, w, &field->value);
	}
}

static bool
has_new(const Merge *m, const PgBsonKeySet *fields)
{
	if (fields->unseen == 0)
		return false;
	for (int i = 0; i < fields->count; i++)
	{
		if (!PgBsonKeySetSeen(fields, &fields->entries[i]) &&
			!(m->remove_nulls && fields->entries[i].value.type == PGBSON_NULL))
			return true;
	}
	return false;
}

static bool merge_documents(Merge *m, const PgBsonValue *into, PgBsonView second);

/*
 * Merge a field of the first with "other", the field of the same name in the second; returns whether
 * anything changed
 */
static bool
merge_field(Merge *m, const PgBsonIter *field, PgBsonKeySet *fields, PgBsonKeyEntry *other)
{
	PgBsonWriter *w;

	if (m->remove_nulls && other->value.type == PGBSON_NULL)
	{
		PgBsonKeySetMark(fields, other);
		PgBsonEditKeep(&m->edit, field->element);
		PgBsonEditSkip(&m->edit, field->next);
		return true;
	}
	if (PgBsonKeySetSeen(fields, other))
		return false;
	PgBsonKeySetMark(fields, other);
	if (m->deep && field->value.type == PGBSON_DOCUMENT && other->value.type == PGBSON_DOCUMENT)
		return merge_documents(m, &field->value, PgBsonValueView(&other->value));
	if (PgBsonSameBytes(&field->value, &other->value))
		return false;
	w = PgBsonEditKeep(&m->edit, field->element);
	PgBsonWriterKey(w, other->value.type, other->key, other->key_len);
	write_value(m, w, &other->value);
	PgBsonEditSkip(&m->edit, field->next);
	return true;
}

/* Merge the fields that both documents have, if the second has few, in one walk.  Returns whether they changed. */
static bool
merge_few(Merge *m, const PgBsonValue *into, PgBsonKeySet *fields)
{
	PgBsonFields few = {.guess = {.doubts = PGBSON_MOST_DOUBTS}};
	PgBsonFieldWalk walk;
	PgBsonReader reader;
	PgBsonIter	field;
	bool		changed = false;
	int			which;

	for (int i = 0; i < fields->count; i++)
		PgBsonFieldsAdd(&few, fields->entries[i].key, fields->entries[i].key_len);
	PgBsonReaderPlain(&reader, *into);
	PgBsonFieldWalkBegin(&walk, &few, &reader);
	while (walk.left != 0 && PgBsonNextField(&walk, &which, &field.value))
	{
		PgBsonKeyEntry *other = &fields->entries[which];

		field.element = field.value.data - other->key_len - 2;
		field.next = field.value.data + field.value.len;
		changed |= merge_field(m, &field, fields, other);
	}
	return changed;
}

/* Returns whether anything changed */
static bool
merge_documents(Merge *m, const PgBsonValue *into, PgBsonView second)
{
	Size		position = PgBsonEditPosition(&m->edit, into->data);
	PgBsonKeySet fields;
	bool		changed = false;

	check_stack_depth();
	if (second.len == PGBSON_MIN_SIZE)
		return false;
	PgBsonKeySetInit(&fields);
	PgBsonKeySetAddFields(&fields, second);
	/* many, or all of one name that are to be removed, are found among the keys of the second */
	if (fields.count <= PGBSON_MAX_FIELDS && !m->remove_nulls)
		changed = merge_few(m, into, &fields);
	else PgBsonForEach(iter, PgBsonValueView(into))
	{
		PgBsonKeyEntry *other;

		/* no field is left to change, unless all of one name are to be removed */
		if (fields.unseen == 0 && !m->remove_nulls)
			break;
		other = PgBsonKeySetFind(&fields, iter.key, iter.key_len);
		if (other != NULL && merge_field(m, &iter, &fields, other))
			changed = true;
	}
	if (has_new(m, &fields))
	{
		append_new(m, PgBsonEditKeep(&m->edit, PgBsonElementsEnd(into)), &fields);
		changed = true;
	}
	PgBsonKeySetFree(&fields);
	if (changed)
		PgBsonEditSetLength(&m->edit, position, into->data + into->len);
	return changed;
}

PgBson *
PgBsonMerge(PgBsonView first, PgBsonView second, PgBsonMerging how, bool *is_second)
{
	PgBsonValue other = PgBsonRootOf(second);
	PgBsonValue root;
	PgBsonWriter w;
	Merge		m;

	m.deep = how != PGBSON_MERGE_ROOT;
	m.remove_nulls = how == PGBSON_MERGE_REMOVE;
	root = PgBsonEditBeginRoot(&m.edit, first, second.len);
	*is_second = other.type != PGBSON_DOCUMENT || (root.type != PGBSON_DOCUMENT && !m.remove_nulls);
	if (*is_second)
		return NULL;
	if (root.type == PGBSON_DOCUMENT)
	{
		merge_documents(&m, &root, PgBsonValueView(&other));
		return PgBsonEditFinish(&m.edit);
	}
	PgBsonWriterInit(&w, other.len);
	write_value(&m, &w, &other);
	return PgBsonEncloseLookalike(PgBsonWriterFinish(&w));
}
