/*
 * modify.c
 *	  Changing a stored document: set, insert, delete, concatenate, strip.
 *
 * A change is made while copying: the bytes before it, the new element, the
 * bytes after it, and the lengths of the containers around it put right.
 * Only array elements that move are touched one by one, as their keys are
 * their positions.  PgBsonEdit (core/write.h) does the copying.
 */
#include "core/modify.h"

#include "core/build.h"
#include "core/contain.h"
#include "core/write.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

/* A change on its way down the path */
typedef struct Target
{
	PgBsonEdit	edit;
	const PgBsonStep *path;
	int			npath;
	int			level;			/* the step being taken */
	PgBsonChange change;
	const PgBsonValue *value;
	PgBsonValue container;		/* the step leads into it */

	/* where the step leads */
	bool		found;
	PgBsonIter	at;				/* the element, if found */
	int64		index;			/* in an array: the position wanted */
	uint32		count;			/* in an array, if not found: its elements */
} Target;

static bool
creates(PgBsonChange change)
{
	return change != PGBSON_REPLACE && change != PGBSON_DELETE;
}

/* The byte after the last element of a container */
static const uint8 *
elements_end(const PgBsonValue *container)
{
	return container->data + container->len - 1;
}

static bool
same_bytes(const PgBsonValue *a, const PgBsonValue *b)
{
	return a->type == b->type && a->len == b->len &&
		(a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static bool
same_key(const PgBsonIter *iter, const PgBsonStep *step)
{
	return iter->key_len == step->key_len && memcmp(iter->key, step->key, step->key_len) == 0;
}

/* Begin an edit of the root: the wrapper of an array changes its length as well */
static PgBsonValue
begin_edit(PgBsonEdit *edit, PgBsonView doc, Size extra)
{
	PgBsonValue root = PgBsonRootOf(doc);

	PgBsonEditBegin(edit, doc, extra);
	if (root.type != PGBSON_DOCUMENT)
		PgBsonEditEnter(edit, doc.data);
	return root;
}

/* Give the element its position as key, where it has another */
static void
renumber(PgBsonEdit *edit, const PgBsonIter *iter, uint32 index)
{
	PgBsonWriterNumber(PgBsonEditKeep(edit, iter->element + 1), index);
	PgBsonEditSkip(edit, iter->value.data);
}

/* The same for all elements that follow */
static void
renumber_rest(PgBsonEdit *edit, PgBsonIter *iter, uint32 index)
{
	while (PgBsonIterNext(iter))
	{
		CHECK_FOR_INTERRUPTS();
		renumber(edit, iter, index++);
	}
}

/* Bytes taken by the numbers from..to-1 as keys, with their zero bytes */
static Size
numbers_size(uint64 from, uint64 to)
{
	Size		size = 0;
	uint64		power = 10;

	for (Size digits = 1; from < to; digits++, power *= 10)
	{
		if (from < power)
		{
			uint64		upto = Min(to, power);

			size += (upto - from) * (digits + 1);
			from = upto;
		}
	}
	return size;
}

/* Nulls at the positions from..to-1 of an array */
static void
put_nulls(PgBsonWriter *w, uint32 from, uint32 to)
{
	/* find out at once that a gap is too wide, not after writing a gigabyte of it */
	if (numbers_size(from, to) + (to - from) > PGBSON_MAX_SIZE - w->len)
		PgBsonReportTooLarge();
	for (uint32 i = from; i < to; i++)
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonWriterIndex(w, PGBSON_NULL, i);
	}
}

static void
put_value(PgBsonWriter *w, const PgBsonValue *value)
{
	PgBsonWriterBytes(w, value->data, value->len);
}

/* A path element in the server's encoding */
static const char *
key_for_message(const PgBsonStep *step)
{
	return pg_any_to_server(pnstrdup(step->key, step->key_len), step->key_len, PG_UTF8);
}

/* The step leads to this field of a document */
static void
locate_key(Target *t)
{
	const PgBsonStep *step = &t->path[t->level];

	PgBsonIterInit(&t->at, PgBsonValueView(&t->container));
	while (!t->found && PgBsonIterNext(&t->at))
		t->found = same_key(&t->at, step);
}

/*
 * The step leads to this element of an array.  An index before the first
 * element leaves "index" negative.
 */
static void
locate_index(Target *t)
{
	const PgBsonStep *step = &t->path[t->level];
	PgBsonView	array = PgBsonValueView(&t->container);
	int32		index;

	if (!PgBsonStepAsIndex(step->key, step->key_len, &index))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("path element at position %d is not an integer: \"%s\"",
						t->level + 1, key_for_message(step)),
				 errdetail("The path leads into an array of the bson value there.")));

	t->index = index;
	t->count = 0;
	if (index < 0)
	{
		t->count = PgBsonViewCount(array);
		t->index += t->count;
		if (t->index < 0)
		{
			/* an assignment must not move what is there */
			if (t->change == PGBSON_ASSIGN)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("path element at position %d is out of range: %d",
								t->level + 1, index)));
			return;
		}
	}

	PgBsonIterInit(&t->at, array);
	for (t->count = 0; PgBsonIterNext(&t->at); t->count++)
	{
		if (t->count == t->index)
		{
			t->found = true;
			return;
		}
	}
}

static void
locate(Target *t)
{
	t->found = false;
	if (t->container.type == PGBSON_DOCUMENT)
		locate_key(t);
	else
		locate_index(t);
}

/* The new value in place of the one found */
static void
replace_value(Target *t)
{
	PgBsonWriter *w;

	if (same_bytes(&t->at.value, t->value))
		return;
	w = PgBsonEditKeep(&t->edit, t->at.element);
	PgBsonWriterKey(w, t->value->type, t->at.key, t->at.key_len);
	put_value(w, t->value);
	PgBsonEditSkip(&t->edit, t->at.next);
}

/* The new value as an element before "place", which "iter" is about to read; the rest moves up */
static void
insert_element(Target *t, const uint8 *place, PgBsonIter *iter, uint32 index)
{
	PgBsonWriter *w = PgBsonEditKeep(&t->edit, place);

	PgBsonWriterIndex(w, t->value->type, index);
	put_value(w, t->value);
	renumber_rest(&t->edit, iter, index + 1);
}

/* Leave out the element found and renumber the rest */
static void
delete_element(PgBsonEdit *edit, PgBsonIter *at, uint32 index)
{
	PgBsonEditKeep(edit, at->element);
	PgBsonEditSkip(edit, at->next);
	renumber_rest(edit, at, index);
}

/* Leave out the field found, and others of its name */
static void
delete_field(Target *t)
{
	do
	{
		if (same_key(&t->at, &t->path[t->level]))
		{
			PgBsonEditKeep(&t->edit, t->at.element);
			PgBsonEditSkip(&t->edit, t->at.next);
		}
	} while (PgBsonIterNext(&t->at));
}

static void
change_field(Target *t)
{
	const PgBsonStep *step = &t->path[t->level];
	PgBsonWriter *w;

	if (!t->found)
	{
		if (!creates(t->change))
			return;
		w = PgBsonEditKeep(&t->edit, elements_end(&t->container));
		PgBsonWriterKey(w, t->value->type, step->key, step->key_len);
		put_value(w, t->value);
		return;
	}

	switch (t->change)
	{
		case PGBSON_INSERT_BEFORE:
		case PGBSON_INSERT_AFTER:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("cannot replace existing key"),
					 errhint("Try using the function bson_set to replace key value.")));
			break;
		case PGBSON_DELETE:
			delete_field(t);
			break;
		default:
			replace_value(t);
			break;
	}
}

static void
change_element(Target *t)
{
	PgBsonWriter *w;

	if (!t->found)
	{
		if (!creates(t->change))
			return;
		if (t->index < 0)
		{
			/* before the first element */
			PgBsonIterInit(&t->at, PgBsonValueView(&t->container));
			insert_element(t, t->at.next, &t->at, 0);
			return;
		}
		if (t->change != PGBSON_ASSIGN)
			t->index = t->count;
		w = PgBsonEditKeep(&t->edit, elements_end(&t->container));
		put_nulls(w, t->count, t->index);
		PgBsonWriterIndex(w, t->value->type, t->index);
		put_value(w, t->value);
		return;
	}

	switch (t->change)
	{
		case PGBSON_INSERT_BEFORE:
			{
				const uint8 *place = t->at.element;

				t->at.next = place; /* to be read again, and renumbered */
				insert_element(t, place, &t->at, t->index);
				break;
			}
		case PGBSON_INSERT_AFTER:
			insert_element(t, t->at.next, &t->at, t->index + 1);
			break;
		case PGBSON_DELETE:
			delete_element(&t->edit, &t->at, t->index);
			break;
		default:
			replace_value(t);
			break;
	}
}

/*
 * Assignment to a path whose container is missing: the containers the rest of
 * the path asks for, arrays where a step is a number, around the new value.
 */
static void
assign_missing(Target *t)
{
	Size		opened[PGBSON_MAX_DEPTH];
	int			nopened = 0;
	bool		in_array = t->container.type == PGBSON_ARRAY;
	int32		index = t->index;
	PgBsonWriter *w = PgBsonEditKeep(&t->edit, elements_end(&t->container));

	if (in_array)
		put_nulls(w, t->count, index);

	for (int i = t->level; i < t->npath; i++)
	{
		bool		last = i == t->npath - 1;
		PgBsonType	type = t->value->type;
		const PgBsonStep *step = &t->path[i];
		int32		next_index = 0;

		if (!last)
			type = PgBsonStepAsIndex(t->path[i + 1].key, t->path[i + 1].key_len, &next_index) ?
				PGBSON_ARRAY : PGBSON_DOCUMENT;

		if (in_array)
			PgBsonWriterIndex(w, type, index);
		else
			PgBsonWriterKey(w, type, step->key, step->key_len);
		if (last)
			break;

		opened[nopened++] = PgBsonWriterOpen(w);
		in_array = type == PGBSON_ARRAY;
		index = Max(next_index, 0);
		if (in_array)
			put_nulls(w, 0, index);
	}
	put_value(w, t->value);
	while (nopened > 0)
		PgBsonWriterClose(w, opened[--nopened]);
}

/* The new value must not nest too deeply where it goes */
static void
check_value_depth(Target *t)
{
	int			missing = t->npath - 1 - t->level;

	if (t->edit.depth + missing > PGBSON_MAX_DEPTH)
		PgBsonReportTooDeep();
	PgBsonCheckDepth(t->value, t->edit.depth + missing);
}

static void
report_scalar(PgBsonChange change, bool root)
{
	if (change == PGBSON_ASSIGN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot replace existing key"),
				 errdetail("The path assumes that the key holds a bson document or array, but it is a scalar value.")));
	if (root)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 change == PGBSON_DELETE ?
				 errmsg("cannot delete path in scalar") :
				 errmsg("cannot set path in scalar"),
				 errdetail("The bson value is neither a document nor an array.")));
}

PgBson *
PgBsonChangePath(PgBsonView doc, const PgBsonStep *path, int npath,
				 PgBsonChange change, const PgBsonValue *value)
{
	Target		t;

	t.path = path;
	t.npath = npath;
	t.change = change;
	t.value = value;
	t.container = begin_edit(&t.edit, doc,
							 value == NULL || npath == 0 ? 0 :
							 (Size) value->len + path[npath - 1].key_len + 16);

	if (!PgBsonIsContainer(t.container.type))
		report_scalar(change, true);
	if (npath == 0)
		return NULL;
	/* as jsonb, which does not look at the path then */
	if (!creates(change) && t.container.len == PGBSON_MIN_SIZE)
		return NULL;

	for (t.level = 0;; t.level++)
	{
		if (path[t.level].key == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("path element at position %d is null", t.level + 1)));
		if (!PgBsonIsContainer(t.container.type))
		{
			report_scalar(change, false);
			return NULL;
		}

		PgBsonEditEnter(&t.edit, t.container.data);
		locate(&t);
		if (t.level == npath - 1 || !t.found)
			break;
		t.container = t.at.value;
	}

	if (creates(change))
		check_value_depth(&t);
	if (t.level < npath - 1)
	{
		if (change == PGBSON_ASSIGN)
			assign_missing(&t);
	}
	else if (t.container.type == PGBSON_DOCUMENT)
		change_field(&t);
	else
		change_element(&t);
	return PgBsonEditFinish(&t.edit);
}

static void
report_delete_from(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot delete from %s", what)));
}

PgBson *
PgBsonDeleteKeys(PgBsonView doc, PgBsonKeySet *keys)
{
	PgBsonEdit	edit;
	PgBsonValue root = begin_edit(&edit, doc, 0);
	PgBsonIter	iter;
	uint32		kept = 0;
	bool		moved = false;

	if (!PgBsonIsContainer(root.type))
		report_delete_from("scalar");
	if (keys->count == 0)
		return NULL;

	PgBsonEditEnter(&edit, root.data);
	PgBsonIterInit(&iter, PgBsonValueView(&root));
	while (PgBsonIterNext(&iter))
	{
		const char *key = iter.key;
		uint32		len = iter.key_len;
		bool		is_key = root.type == PGBSON_DOCUMENT ||
			PgBsonValueIsString(&iter.value, &key, &len);

		CHECK_FOR_INTERRUPTS();
		if (is_key && PgBsonKeySetFind(keys, key, len) != NULL)
		{
			PgBsonEditKeep(&edit, iter.element);
			PgBsonEditSkip(&edit, iter.next);
			moved = root.type == PGBSON_ARRAY;
			continue;
		}
		if (moved)
			renumber(&edit, &iter, kept);
		kept++;
	}
	return PgBsonEditFinish(&edit);
}

PgBson *
PgBsonDeleteIndex(PgBsonView doc, int32 index)
{
	PgBsonEdit	edit;
	PgBsonValue root = begin_edit(&edit, doc, 0);
	PgBsonIter	iter;
	int64		wanted = index;

	if (!PgBsonIsContainer(root.type))
		report_delete_from("scalar");
	if (root.type == PGBSON_DOCUMENT)
		report_delete_from("object using integer index");
	if (index < 0)
		wanted += PgBsonViewCount(PgBsonValueView(&root));

	PgBsonEditEnter(&edit, root.data);
	PgBsonIterInit(&iter, PgBsonValueView(&root));
	for (int64 i = 0; PgBsonIterNext(&iter); i++)
	{
		if (i == wanted)
			delete_element(&edit, &iter, i);
	}
	return PgBsonEditFinish(&edit);
}

/* Fields of the right put into the left; NULL if that changes nothing */
static PgBson *
merge_documents(PgBsonView left, PgBsonView right)
{
	PgBsonEdit	edit;
	PgBsonKeySet fields;
	PgBsonIter	iter;
	PgBsonWriter *w;

	PgBsonKeySetInit(&fields);
	PgBsonKeySetAddFields(&fields, right);
	PgBsonEditBegin(&edit, left, right.len);
	PgBsonEditEnter(&edit, left.data);

	PgBsonIterInit(&iter, left);
	while (fields.unseen > 0 && PgBsonIterNext(&iter))
	{
		PgBsonKeyEntry *field = PgBsonKeySetFind(&fields, iter.key, iter.key_len);

		CHECK_FOR_INTERRUPTS();
		if (field == NULL || field->seen)
			continue;
		PgBsonKeySetMark(&fields, field);
		if (same_bytes(&iter.value, &field->value))
			continue;
		w = PgBsonEditKeep(&edit, iter.element);
		PgBsonWriterKey(w, field->value.type, iter.key, iter.key_len);
		put_value(w, &field->value);
		PgBsonEditSkip(&edit, iter.next);
	}

	if (fields.unseen > 0)
	{
		w = PgBsonEditKeep(&edit, left.data + left.len - 1);
		for (int i = 0; i < fields.count; i++)
		{
			PgBsonKeyEntry *field = &fields.entries[i];

			if (field->seen)
				continue;
			PgBsonWriterKey(w, field->value.type, field->key, field->key_len);
			put_value(w, &field->value);
		}
	}
	PgBsonKeySetFree(&fields);
	return PgBsonEditFinish(&edit);
}

/* Call the builder for each element of an array, or for the one value it is not */
static void
build_elements(PgBsonBuilder *b, const PgBsonValue *value)
{
	PgBsonIter	iter;

	if (value->type != PGBSON_ARRAY)
	{
		PgBsonBuilderValue(b, value);
		return;
	}
	PgBsonIterInit(&iter, PgBsonValueView(value));
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonBuilderValue(b, &iter.value);
	}
}

/* Elements of the right put after those of an array */
static PgBson *
append_elements(PgBsonView doc, const PgBsonValue *array, const PgBsonValue *right)
{
	PgBsonEdit	edit;
	PgBsonIter	iter;
	uint32		index = PgBsonViewCount(PgBsonValueView(array));
	PgBsonWriter *w;

	(void) begin_edit(&edit, doc, (Size) right->len + 16);
	PgBsonEditEnter(&edit, array->data);
	w = PgBsonEditKeep(&edit, elements_end(array));
	if (right->type != PGBSON_ARRAY)
	{
		PgBsonCheckDepth(right, edit.depth);
		PgBsonWriterIndex(w, right->type, index);
		put_value(w, right);
		return PgBsonEditFinish(&edit);
	}

	PgBsonIterInit(&iter, PgBsonValueView(right));
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonWriterIndex(w, iter.value.type, index++);
		put_value(w, &iter.value);
	}
	return PgBsonEditFinish(&edit);
}

PgBson *
PgBsonConcat(PgBsonView left, PgBsonView right, bool *is_right)
{
	PgBsonValue a = PgBsonRootOf(left);
	PgBsonValue b = PgBsonRootOf(right);
	PgBsonBuilder *builder;

	*is_right = false;
	if (a.type == b.type && PgBsonIsContainer(a.type))
	{
		*is_right = a.len == PGBSON_MIN_SIZE && b.len != PGBSON_MIN_SIZE;
		if (*is_right || b.len == PGBSON_MIN_SIZE)
			return NULL;
	}
	if (a.type == PGBSON_DOCUMENT && b.type == PGBSON_DOCUMENT)
		return merge_documents(left, right);
	if (a.type == PGBSON_ARRAY)
		return append_elements(left, &a, &b);

	builder = PgBsonBuilderBegin();
	PgBsonBuilderOpenArray(builder);
	build_elements(builder, &a);
	build_elements(builder, &b);
	PgBsonBuilderClose(builder);
	return PgBsonBuilderFinish(builder);
}

/* Strip one container; returns whether anything in it changed */
static bool
strip_container(PgBsonEdit *edit, const PgBsonValue *container, bool in_arrays)
{
	bool		is_array = container->type == PGBSON_ARRAY;
	Size		position = PgBsonEditPosition(edit, container->data);
	bool		changed = false;
	bool		moved = false;
	uint32		kept = 0;
	PgBsonIter	iter;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	PgBsonIterInit(&iter, PgBsonValueView(container));
	while (PgBsonIterNext(&iter))
	{
		if (iter.value.type == PGBSON_NULL && (!is_array || in_arrays))
		{
			PgBsonEditKeep(edit, iter.element);
			PgBsonEditSkip(edit, iter.next);
			changed = true;
			moved = is_array;
			continue;
		}
		if (moved)
			renumber(edit, &iter, kept);
		kept++;
		if (PgBsonIsContainer(iter.value.type) &&
			strip_container(edit, &iter.value, in_arrays))
			changed = true;
	}
	if (changed)
		PgBsonEditSetLength(edit, position, container->data + container->len);
	return changed;
}

PgBson *
PgBsonStripNulls(PgBsonView doc, bool in_arrays)
{
	PgBsonEdit	edit;
	PgBsonValue root = begin_edit(&edit, doc, 0);

	if (PgBsonIsContainer(root.type))
		strip_container(&edit, &root, in_arrays);
	return PgBsonEditFinish(&edit);
}

static bool
map_string(PgBsonEdit *edit, const PgBsonValue *string, PgBsonStringMap map, void *arg)
{
	PgBsonWriter *w;
	uint32		len;
	const char *s = map(string, &len, arg);

	if (s == NULL)
		return false;
	w = PgBsonEditKeep(edit, string->data);
	PgBsonWriteU32(PgBsonWriterRoom(w, 4), len + 1);
	PgBsonWriterBytes(w, s, len);
	*PgBsonWriterRoom(w, 1) = 0;
	PgBsonEditSkip(edit, string->data + string->len);
	return true;
}

/* Returns whether anything changed */
static bool
map_value(PgBsonEdit *edit, const PgBsonValue *value, PgBsonStringMap map, void *arg)
{
	Size		position;
	bool		changed = false;
	PgBsonIter	iter;

	if (value->type == PGBSON_STRING)
		return map_string(edit, value, map, arg);
	if (!PgBsonIsContainer(value->type))
		return false;

	check_stack_depth();
	position = PgBsonEditPosition(edit, value->data);
	PgBsonIterInit(&iter, PgBsonValueView(value));
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		if (map_value(edit, &iter.value, map, arg))
			changed = true;
	}
	if (changed)
		PgBsonEditSetLength(edit, position, value->data + value->len);
	return changed;
}

PgBson *
PgBsonMapStrings(PgBsonView doc, PgBsonStringMap map, void *arg)
{
	PgBsonEdit	edit;
	PgBsonValue root = begin_edit(&edit, doc, 0);

	map_value(&edit, &root, map, arg);
	return PgBsonEditFinish(&edit);
}
