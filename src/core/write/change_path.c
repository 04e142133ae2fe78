/*
 * change_path.c
 *	  Changing a stored document at a path: set, insert, delete, assign.
 *
 * The path is followed level by level.  PgBsonEdit (core/write/write.h) remembers
 * the containers on the way, whose lengths change.  Where the path ends, one
 * element is added, replaced or left out.
 */
#include "core/write/modify.h"

#include "core/bytes/skip.h"
#include "core/write/from_value.h"
#include "core/write/write.h"

/* A change, and how far its path was followed */
typedef struct ChangeTarget
{
	PgBsonEdit	edit;
	const PgBsonStep *path;
	int			npath;
	int			level;			/* the number of the current step */
	PgBsonChange change;
	const PgBsonValue *value;
	PgBsonValue container;		/* the container in which the step looks */

	/* where the step leads */
	bool		found;
	PgBsonIter	at;				/* the element, if it was found */
	int64		index;			/* in an array: the position that the step names */
	uint32		count;			/* in an array, if not found: the number of its elements */
} ChangeTarget;

static bool
creates(PgBsonChange change)
{
	return change != PGBSON_REPLACE && change != PGBSON_DELETE;
}

/* Nulls at the positions from..to-1 of an array */
static void
put_nulls(PgBsonWriter *w, uint32 from, uint32 to)
{
	/* check first whether the gap is too wide, instead of writing a gigabyte of it */
	if (PgBsonNumbersSize(from, to) + (to - from) > PGBSON_MAX_SIZE - w->len)
		PgBsonReportTooLarge();
	for (uint32 i = from; i < to; i++)
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonWriterIndex(w, PGBSON_NULL, i);
	}
}

static bool
is_step_key(const PgBsonIter *iter, const PgBsonStep *step)
{
	return PgBsonSameKey(iter->key, iter->key_len, step->key, step->key_len);
}

/* The key of a step in the server's encoding */
static const char *
key_for_message(const PgBsonStep *step)
{
	return pg_any_to_server(pnstrdup(step->key, step->key_len), step->key_len, PG_UTF8);
}

/* Find the element of an array that the step names.  t->index is negative if it would be before the first one. */
static void
locate_index(ChangeTarget *t)
{
	const PgBsonStep *step = &t->path[t->level];
	PgBsonView	array = PgBsonValueView(&t->container);
	int32		index;

	if (!PgBsonStepAsIndex(step->key, step->key_len, &index))
		PgBsonReport(ERRCODE_INVALID_TEXT_REPRESENTATION,
					 errmsg("path element at position %d is not an integer: \"%s\"",
							t->level + 1, key_for_message(step)),
					 errdetail("The path leads into an array of the bson value there."));

	t->index = index;
	t->count = 0;
	if (index < 0)
	{
		t->count = PgBsonViewCount(array);
		t->index += t->count;
		if (t->index < 0)
		{
			/* assigning must not move the existing elements to other positions */
			if (t->change == PGBSON_ASSIGN)
				PgBsonReportInvalid(errmsg("path element at position %d is out of range: %d",
										   t->level + 1, index));
			return;
		}
	}

	PgBsonIterInit(&t->at, array);
	t->at.next = PgBsonSkipElements(t->at.next, t->at.end, 0, t->index, &t->count);
	for (; PgBsonIterNext(&t->at); t->count++)
	{
		if (t->count == t->index)
		{
			t->found = true;
			return;
		}
	}
}

static void
locate(ChangeTarget *t)
{
	t->found = false;
	if (t->container.type == PGBSON_DOCUMENT)
	{
		PgBsonIterInit(&t->at, PgBsonValueView(&t->container));
		while (!t->found && PgBsonIterNext(&t->at))
			t->found = is_step_key(&t->at, &t->path[t->level]);
	}
	else
		locate_index(t);
}

/* Put the new value in the place of the one that was found */
static void
replace_value(ChangeTarget *t)
{
	PgBsonWriter *w;

	if (PgBsonSameBytes(&t->at.value, t->value))
		return;
	w = PgBsonEditKeep(&t->edit, t->at.element);
	PgBsonWriterField(w, t->at.key, t->at.key_len, t->value);
	PgBsonEditSkip(&t->edit, t->at.next);
}

/* Add the new value before the element that the iterator reads next; renumber the elements from there on */
static void
insert_element(ChangeTarget *t, uint32 index)
{
	PgBsonWriter *w = PgBsonEditKeep(&t->edit, t->at.next);

	PgBsonWriterElement(w, index, t->value);
	PgBsonEditRenumberRest(&t->edit, &t->at, index + 1);
}

/* Leave out the field that was found, and others of its name */
static void
delete_field(ChangeTarget *t)
{
	do
	{
		if (is_step_key(&t->at, &t->path[t->level]))
		{
			PgBsonEditKeep(&t->edit, t->at.element);
			PgBsonEditSkip(&t->edit, t->at.next);
		}
	} while (PgBsonIterNext(&t->at));
}

/* Add the new value to a container that has no value where the step leads */
static void
add_value(ChangeTarget *t)
{
	const PgBsonStep *step = &t->path[t->level];
	PgBsonWriter *w;

	if (t->container.type == PGBSON_ARRAY && t->index < 0)
	{
		PgBsonIterInit(&t->at, PgBsonValueView(&t->container));
		insert_element(t, 0);
		return;
	}
	w = PgBsonEditKeep(&t->edit, PgBsonElementsEnd(&t->container));
	if (t->container.type == PGBSON_DOCUMENT)
		PgBsonWriterField(w, step->key, step->key_len, t->value);
	else
	{
		if (t->change != PGBSON_ASSIGN)
			t->index = t->count;
		put_nulls(w, t->count, t->index);
		PgBsonWriterElement(w, t->index, t->value);
	}
}

/* Change the value that was found */
static void
change_value(ChangeTarget *t)
{
	bool		is_array = t->container.type == PGBSON_ARRAY;

	switch (t->change)
	{
		case PGBSON_INSERT_BEFORE:
		case PGBSON_INSERT_AFTER:
			if (!is_array)
				PgBsonReportInvalid(errmsg("cannot replace existing key"),
									errhint("Try using the function bson_set to replace key value."));
			if (t->change == PGBSON_INSERT_BEFORE)
				t->at.next = t->at.element; /* read this element again, to renumber it */
			insert_element(t, t->index + (t->change == PGBSON_INSERT_AFTER));
			break;
		case PGBSON_DELETE:
			if (is_array)
				PgBsonEditDeleteElement(&t->edit, &t->at, t->index);
			else
				delete_field(t);
			break;
		default:
			replace_value(t);
			break;
	}
}

/*
 * Assign to a path whose containers are missing: add them, with the new value
 * inside.  A step that is a number leads into an array, any other into a document.
 */
static void
assign_missing(ChangeTarget *t)
{
	Size		opened[PGBSON_MAX_DEPTH];
	int			nopened = 0;
	bool		in_array = t->container.type == PGBSON_ARRAY;
	int32		index = t->index;
	PgBsonWriter *w = PgBsonEditKeep(&t->edit, PgBsonElementsEnd(&t->container));

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
	PgBsonWriterValue(w, t->value);
	while (nopened > 0)
		PgBsonWriterClose(w, opened[--nopened]);
}

/* Raise an error if the new value would be nested too deeply */
static void
check_value_depth(ChangeTarget *t)
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
		PgBsonReportInvalid(errmsg("cannot replace existing key"),
							errdetail("The path assumes that the key holds a bson document or array, but it is a scalar value."));
	if (root)
		PgBsonReportInvalid(change == PGBSON_DELETE ?
							errmsg("cannot delete path in scalar") :
							errmsg("cannot set path in scalar"),
							errdetail("The bson value is neither a document nor an array."));
}

PgBson *
PgBsonChangePath(PgBsonView doc, const PgBsonStep *path, int npath,
				 PgBsonChange change, const PgBsonValue *value)
{
	ChangeTarget t;

	t.path = path;
	t.npath = npath;
	t.change = change;
	t.value = value;
	t.container = PgBsonEditBeginRoot(&t.edit, doc,
							 value == NULL || npath == 0 ? 0 :
							 (Size) value->len + path[npath - 1].key_len + 16);

	if (!PgBsonIsContainer(t.container.type))
		report_scalar(change, true);
	if (npath == 0)
		return NULL;
	/* jsonb does not look at the path either */
	if (!creates(change) && t.container.len == PGBSON_MIN_SIZE)
		return NULL;

	for (t.level = 0;; t.level++)
	{
		if (path[t.level].key == NULL)
			PgBsonReport(ERRCODE_NULL_VALUE_NOT_ALLOWED, errmsg("path element at position %d is null", t.level + 1));
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
	else if (t.found)
		change_value(&t);
	else if (creates(change))
		add_value(&t);
	return PgBsonEditFinish(&t.edit);
}
