/*
 * modify.c
 *	  Changing a stored document as a whole: concatenate, strip, delete keys.
 *
 * PgBsonEdit (core/write/write.h) copies the bytes before and after each change, and
 * corrects the lengths of the containers around it.  Only array elements that move are
 * changed one by one, because their keys are their positions.  Changes at a path are in
 * change_path.c.
 */
#include "core/write/modify.h"

#include "core/bytes/skip.h"
#include "core/write/elements.h"

static void
report_delete(const char *message)
{
	PgBsonReportInvalid(errmsg_internal("%s", _(message)));
}

PgBson *
PgBsonDeleteKeys(PgBsonView doc, PgBsonKeySet *keys)
{
	PgBsonEdit	edit;
	PgBsonValue root = PgBsonEditBeginRoot(&edit, doc, 0);
	uint32		kept = 0;
	bool		moved = false;

	if (!PgBsonIsContainer(root.type))
		report_delete(gettext_noop("cannot delete from scalar"));
	if (keys->count == 0)
		return NULL;

	PgBsonEditEnter(&edit, root.data);
	PgBsonForEach(iter, PgBsonValueView(&root))
	{
		const char *key = iter.key;
		uint32		len = iter.key_len;
		bool		is_key = root.type == PGBSON_DOCUMENT ||
			PgBsonValueIsString(&iter.value, &key, &len);

		if (is_key && PgBsonKeySetFind(keys, key, len) != NULL)
		{
			PgBsonEditKeep(&edit, iter.element);
			PgBsonEditSkip(&edit, iter.next);
			moved = root.type == PGBSON_ARRAY;
			continue;
		}
		if (moved)
			PgBsonEditRenumber(&edit, &iter, kept);
		kept++;
	}
	return PgBsonEditFinish(&edit);
}

PgBson *
PgBsonDeleteIndex(PgBsonView doc, int32 index)
{
	PgBsonEdit	edit;
	PgBsonValue root = PgBsonEditBeginRoot(&edit, doc, 0);
	PgBsonIter	iter;
	int64		wanted = index;
	uint32		passed;

	if (!PgBsonIsContainer(root.type))
		report_delete(gettext_noop("cannot delete from scalar"));
	if (root.type == PGBSON_DOCUMENT)
		report_delete(gettext_noop("cannot delete from object using integer index"));
	if (index < 0)
		wanted += PgBsonViewCount(PgBsonValueView(&root));

	PgBsonEditEnter(&edit, root.data);
	if (wanted < 0)
		return NULL;
	PgBsonIterInit(&iter, PgBsonValueView(&root));
	iter.next = PgBsonSkipElements(iter.next, iter.end, 0, wanted, &passed);
	for (; PgBsonIterNext(&iter); passed++)
	{
		if (passed == wanted)
			PgBsonEditDeleteElement(&edit, &iter, passed);
	}
	return PgBsonEditFinish(&edit);
}

/* Append the right value, or the elements of the right array, to an array */
static PgBson *
append_right(PgBsonView doc, const PgBsonValue *array, const PgBsonValue *right)
{
	PgBsonEdit	edit;
	uint32		index = PgBsonViewCount(PgBsonValueView(array));
	PgBsonWriter *w;

	(void) PgBsonEditBeginRoot(&edit, doc, (Size) right->len + 16);
	PgBsonEditEnter(&edit, array->data);
	w = PgBsonEditKeep(&edit, PgBsonElementsEnd(array));
	if (right->type != PGBSON_ARRAY)
	{
		PgBsonCheckDepth(right, edit.depth);
		PgBsonWriterElement(w, index, right);
		return PgBsonEditFinish(&edit);
	}

	PgBsonForEach(iter, PgBsonValueView(right))
		PgBsonWriterElement(w, index++, &iter.value);
	return PgBsonEditFinish(&edit);
}

/* Put a value that is no array before the elements of one */
static PgBson *
prepend_element(const PgBsonValue *left, PgBsonView doc, const PgBsonValue *array)
{
	PgBsonEdit	edit;
	PgBsonIter	iter = PgBsonIterBegin(PgBsonValueView(array));
	PgBsonWriter *w;

	/* numbers that become a digit longer are few, so there is no room for them */
	(void) PgBsonEditBeginRoot(&edit, doc, (Size) left->len + 16);
	PgBsonEditEnter(&edit, array->data);
	PgBsonCheckDepth(left, edit.depth);
	w = PgBsonEditKeep(&edit, iter.next);
	PgBsonWriterElement(w, 0, left);
	PgBsonEditRenumberRest(&edit, &iter, 1);
	return PgBsonEditFinish(&edit);
}

PgBson *
PgBsonConcat(PgBsonView left, PgBsonView right, bool *is_right)
{
	PgBsonValue a = PgBsonRootOf(left);
	PgBsonValue b = PgBsonRootOf(right);

	*is_right = false;
	if (a.type == b.type && PgBsonIsContainer(a.type))
	{
		*is_right = a.len == PGBSON_MIN_SIZE && b.len != PGBSON_MIN_SIZE;
		if (*is_right || b.len == PGBSON_MIN_SIZE)
			return NULL;
	}
	if (a.type == PGBSON_DOCUMENT && b.type == PGBSON_DOCUMENT)
		return PgBsonMerge(left, right, PGBSON_MERGE_ROOT, is_right);
	if (a.type == PGBSON_ARRAY)
		return append_right(left, &a, &b);
	if (b.type == PGBSON_ARRAY)
		return prepend_element(&a, right, &b);
	return PgBsonArrayOf((PgBsonValue[]) {a, b}, 2);
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
			PgBsonEditRenumber(edit, &iter, kept);
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
	PgBsonValue root = PgBsonEditBeginRoot(&edit, doc, 0);

	if (PgBsonIsContainer(root.type))
		strip_container(&edit, &root, in_arrays);
	return PgBsonEditFinish(&edit);
}

static bool
map_string(PgBsonEdit *edit, const PgBsonValue *string, PgBsonStringMap map, void *arg)
{
	uint32		len;
	const char *s = map(string, &len, arg);

	if (s == NULL)
		return false;
	PgBsonWriterString(PgBsonEditKeep(edit, string->data), s, len);
	PgBsonEditSkip(edit, string->data + string->len);
	return true;
}

/* Returns whether anything changed */
static bool
map_value(PgBsonEdit *edit, const PgBsonValue *value, PgBsonStringMap map, void *arg)
{
	Size		position;
	bool		changed = false;

	if (value->type == PGBSON_STRING)
		return map_string(edit, value, map, arg);
	if (!PgBsonIsContainer(value->type))
		return false;

	check_stack_depth();
	position = PgBsonEditPosition(edit, value->data);
	PgBsonForEach(iter, PgBsonValueView(value))
	{
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
	PgBsonValue root = PgBsonEditBeginRoot(&edit, doc, 0);

	map_value(&edit, &root, map, arg);
	return PgBsonEditFinish(&edit);
}
