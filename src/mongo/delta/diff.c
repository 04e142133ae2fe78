/*
 * diff.c
 *	  What changes one value into another, in the form of MongoDB's oplog.
 *
 * Both documents are passed over once, side by side.  If the second document's next field comes
 * later in the first one, the fields of the first before it are deleted; from a field on that the
 * first document does not have any more, the rest of the second is inserted.  A delta tells fields
 * apart by their names alone.  So if a field changes whose name occurs twice in a document, there is no
 * delta, and the document is replaced.
 *
 * The changes are collected as a tree, with their size, so that each is
 * written once.  A level is given up when its changes get larger than its value.
 *
 * A description for change streams names each field by its path.  Its size does not matter, so documents are always
 * compared within; arrays only if that is smaller, as an element that is put before others changes all of these.
 *
 * The authority is MongoDB's src/mongo/db/update/document_diff_calculator.cpp.
 */
#include "mongo/delta/diff.h"

#include "core/bytes/keyset.h"
#include "core/bytes/memory.h"
#include "core/write/elements.h"
#include "core/write/from_value.h"
#include "core/write/write.h"
#include "utils/builtins.h"

/* Larger containers below these levels are not compared as a whole first: at each level it is quadratic */
#define COMPARED_LEVELS		8
#define COMPARED_SIZE		64

/* The bytes that a section adds to a document, besides its fields: type, name, length and terminator */
#define SECTION_SIZE		(1 + 2 + 5)

/* {"$v": 2, "diff": ...} without the changes */
#define FRAME_SIZE			(4 + (1 + 3 + 4) + (1 + 5) + 1)

/* {"$v": 2, "replacement": ...} without the document */
#define REPLACEMENT_SIZE	(4 + (1 + 3 + 4) + (1 + 12) + 1)

typedef struct Changes Changes;

typedef enum ChangeKind
{
	CHANGE_DELETE,
	CHANGE_UPDATE,
	CHANGE_WITHIN,
	CHANGE_INSERT				/* the value is part of Changes.inserts, too */
} ChangeKind;

typedef struct Change
{
	ChangeKind	kind;
	const char *key;			/* of a document */
	uint32		key_len;
	uint32		index;			/* of an array */
	PgBsonValue value;			/* of UPDATE and INSERT; false for DELETE */
	Changes    *within;
} Change;

struct Changes
{
	bool		array;
	bool		describe;		/* for a description: documents are compared within, whatever the size */
	int			level;
	bool		renumbers;		/* some key of the first array is not the element's position */
	int64		length;			/* the new length of an array that gets shorter; else -1 */
	Size		limit;			/* from this size on the changes are given up */
	Size		size;			/* as a document */
	Size		deletes;		/* the fields of a section */
	Size		updates;
	const uint8 *inserts;		/* bytes of the second document, from the first inserted field to its end */
	Size		inserts_len;
	int			count;
	Change	   *list;
};

static Changes *diff_container(const PgBsonValue *a, const PgBsonValue *b, bool describe, int level);

/* Append a change that takes this number of bytes in the delta; the caller sets its fields */
static Change *
add_change(Changes *c, ChangeKind kind, Size size)
{
	Change	   *change;

	c->list = PgBsonRoomForOne(c->list, c->count, sizeof(Change));
	change = &c->list[c->count++];
	memset(change, 0, sizeof(Change));
	change->kind = kind;
	c->size += size;
	return change;
}

/* Count the bytes of a field in a section; the first field also adds the bytes of the section itself */
static void
grow_section(Changes *c, Size *section, Size bytes)
{
	if (*section == 0)
		c->size += SECTION_SIZE;
	*section += bytes;
	c->size += bytes;
}

/* Do the values differ in a byte?  *within is set to the changes if they are smaller than the second value. */
static bool
diff_values(const Changes *c, const PgBsonValue *a, const PgBsonValue *b, Changes **within)
{
	*within = NULL;
	if (a->type != b->type || !PgBsonIsContainer(a->type))
		return !PgBsonSameBytes(a, b);
	if ((c->level < COMPARED_LEVELS || a->len < COMPARED_SIZE) && PgBsonSameBytes(a, b))
		return false;
	*within = diff_container(a, b, c->describe, c->level + 1);
	return *within == NULL || (*within)->count > 0 || (*within)->length >= 0 ||
		(*within)->renumbers || (*within)->inserts_len > 0;
}

/* ---- arrays ---- */

/* Is the element's key its position in decimal, as it should be?  *digits is set to their number. */
static bool
key_is_position(const PgBsonIter *iter, uint32 position, uint32 *digits)
{
	char		key[16];

	*digits = pg_ultoa_n(position, key);
	return PgBsonSameKey(iter->key, iter->key_len, key, *digits);
}

/* Compare elements at one position, "a" NULL behind its array's end; false if the array must be replaced */
static bool
diff_element(Changes *c, const PgBsonIter *a, const PgBsonIter *b, uint32 position)
{
	Changes    *within = NULL;
	Change	   *change;
	uint32		digits;

	CHECK_FOR_INTERRUPTS();
	if (!key_is_position(b, position, &digits))
		return false;
	if (a != NULL)
	{
		if (!PgBsonSameKey(a->key, a->key_len, b->key, b->key_len))
			c->renumbers = true;
		if (!diff_values(c, &a->value, &b->value, &within))
			return true;
	}
	if (within != NULL)
		change = add_change(c, CHANGE_WITHIN, 3 + digits + within->size);
	else
		change = add_change(c, CHANGE_UPDATE, 3 + digits + (Size) b->value.len);
	change->index = position;
	change->value = b->value;
	change->within = within;
	return c->size < c->limit;
}

/* Compare two arrays position by position; false if the changes get larger than the new array */
static bool
diff_arrays(Changes *c, PgBsonView from, PgBsonView to)
{
	PgBsonIter	a = PgBsonIterBegin(from);
	PgBsonIter	b = PgBsonIterBegin(to);
	uint32		position = 0;
	bool		more;

	/* "a": true */
	c->size += 1 + 2 + 1;
	while ((more = PgBsonIterNext(&a)) && PgBsonIterNext(&b))
	{
		if (!diff_element(c, &a, &b, position++))
			return false;
	}
	if (more)
	{
		c->length = position;
		c->size += 1 + 2 + 4;
	}
	while (PgBsonIterNext(&b))
	{
		if (!diff_element(c, NULL, &b, position++))
			return false;
	}
	return c->size < c->limit;
}

/* ---- documents ---- */

/* Note that a field changes; false if another one of its name does, so that the name tells too little */
static bool
name_change(Changes *c, PgBsonKeySet *names, ChangeKind kind, const PgBsonIter *field, Size size)
{
	Change	   *change;
	bool		found;
	PgBsonKeyEntry *entry = PgBsonKeySetEnter(names, field->key, field->key_len, &found);

	if (found)
	{
		change = &c->list[entry - names->entries];
		if (change->kind != CHANGE_DELETE || kind == CHANGE_UPDATE || kind == CHANGE_WITHIN)
			return false;
		/* an insertion deletes all fields of the name, as a deletion does, so none is written */
		if (kind == CHANGE_INSERT)
		{
			change->kind = CHANGE_INSERT;
			change->value = field->value;
			c->deletes -= field->key_len + 3;
			c->size -= field->key_len + 3;
			if (c->deletes == 0)
				c->size -= SECTION_SIZE;
		}
		return true;
	}
	change = add_change(c, kind, 0);
	change->key = field->key;
	change->key_len = field->key_len;
	change->value = kind == CHANGE_INSERT ? field->value : PgBsonMakeBool(false);
	if (kind == CHANGE_DELETE)
		grow_section(c, &c->deletes, field->key_len + 3);
	if (kind == CHANGE_UPDATE)
		grow_section(c, &c->updates, size);
	if (kind == CHANGE_WITHIN)
		c->size += size;
	return true;
}

/* Two fields of one name */
static bool
diff_field(Changes *c, PgBsonKeySet *names, const PgBsonIter *a, const PgBsonIter *b)
{
	Changes    *within;
	bool		smaller;

	if (!diff_values(c, &a->value, &b->value, &within))
		return true;
	/* with the letter before its name, a field of changes is one byte longer */
	smaller = within != NULL && (c->describe || within->size + 1 < b->value.len);
	if (!name_change(c, names, smaller ? CHANGE_WITHIN : CHANGE_UPDATE, b,
					 smaller ? b->key_len + 3 + within->size : b->key_len + 2 + (Size) b->value.len))
		return false;
	c->list[c->count - 1].value = b->value;
	c->list[c->count - 1].within = within;
	return c->size < c->limit;
}

/* Insert the second document's fields from this one on */
static bool
insert_rest(Changes *c, PgBsonKeySet *names, PgBsonIter *b)
{
	c->inserts = b->element;
	grow_section(c, &c->inserts_len, b->end - b->element);
	do
	{
		CHECK_FOR_INTERRUPTS();
		if (!name_change(c, names, CHANGE_INSERT, b, 0))
			return false;
	} while (PgBsonIterNext(b));
	return true;
}

/* Is each field of the first document that changes the only one of its name?  A change applies to all. */
static bool
names_agree(PgBsonKeySet *names, PgBsonView from, uint32 changed)
{
	PgBsonForEach(iter, from)
	{
		if (PgBsonKeySetFind(names, iter.key, iter.key_len) != NULL && changed-- == 0)
			return false;
	}
	return true;
}

/* Compare two documents; false if names cannot tell the changes, or these get too large */
static bool
diff_fields(Changes *c, PgBsonKeySet *names, PgBsonView from, PgBsonView to)
{
	PgBsonIter	a = PgBsonIterBegin(from);
	PgBsonIter	b = PgBsonIterBegin(to);
	uint32		changed = 0;
	bool		more = PgBsonIterNext(&b);

	while (PgBsonIterNext(&a))
	{
		int			before = c->count;

		CHECK_FOR_INTERRUPTS();
		if (more && PgBsonSameKey(a.key, a.key_len, b.key, b.key_len))
		{
			if (!diff_field(c, names, &a, &b))
				return false;
			changed += c->count - before;
			more = PgBsonIterNext(&b);
			continue;
		}
		if (!name_change(c, names, CHANGE_DELETE, &a, 0))
			return false;
		changed++;
	}
	if (more && !insert_rest(c, names, &b))
		return false;
	return c->size < c->limit && (c->count == 0 || names_agree(names, from, changed));
}

/* The changes to a container of the same type; NULL if they are no smaller, or names cannot tell them */
static Changes *
diff_container(const PgBsonValue *a, const PgBsonValue *b, bool describe, int level)
{
	Changes    *c = palloc0(sizeof(Changes));
	PgBsonKeySet names;
	bool		done;

	check_stack_depth();
	c->array = a->type == PGBSON_ARRAY;
	c->length = -1;
	c->describe = describe;
	c->level = level;
	c->limit = describe && !c->array ? SIZE_MAX : b->len;
	c->size = PGBSON_MIN_SIZE;
	if (c->array)
		done = diff_arrays(c, PgBsonValueView(a), PgBsonValueView(b));
	else
	{
		PgBsonKeySetInit(&names);
		done = diff_fields(c, &names, PgBsonValueView(a), PgBsonValueView(b));
		PgBsonKeySetFree(&names);
	}
	if (done)
		return c;
	if (c->list != NULL)
		pfree(c->list);
	pfree(c);
	return NULL;
}

/* ---- writing ---- */

static void
write_int32(PgBsonWriter *w, const char *key, int32 v)
{
	PgBsonWriterKey(w, PGBSON_INT32, key, strlen(key));
	PgBsonWriteU32(PgBsonWriterRoom(w, 4), v);
}

/* Write a key: a letter, and a name or a position */
static void
write_change_key(PgBsonWriter *w, PgBsonType type, char letter, const Change *change, bool array)
{
	uint8	   *p = PgBsonWriterRoom(w, 2);

	p[0] = type;
	p[1] = letter;
	if (array)
	{
		char		digits[16];
		int			n = pg_ultoa_n(change->index, digits);

		PgBsonWriterBytes(w, digits, n);
	}
	else
		PgBsonWriterBytes(w, change->key, change->key_len);
	*PgBsonWriterRoom(w, 1) = 0;
}

/* Write one section of changes, such as {"u": {...}} */
static void
write_section(PgBsonWriter *w, const Changes *c, const char *name, ChangeKind kind)
{
	Size		start;

	PgBsonWriterKey(w, PGBSON_DOCUMENT, name, 1);
	start = PgBsonWriterOpen(w);
	if (kind == CHANGE_INSERT)
		PgBsonWriterBytes(w, c->inserts, c->inserts_len);
	for (int i = 0; i < c->count && kind != CHANGE_INSERT; i++)
	{
		const Change *change = &c->list[i];

		CHECK_FOR_INTERRUPTS();
		if (change->kind == kind)
			PgBsonWriterField(w, change->key, change->key_len, &change->value);
	}
	PgBsonWriterClose(w, start);
}

static void
write_changes(PgBsonWriter *w, const Changes *c)
{
	Size		start = PgBsonWriterOpen(w);
	PgBsonValue yes = PgBsonMakeBool(true);

	check_stack_depth();
	if (c->array)
		PgBsonWriterField(w, "a", 1, &yes);
	if (c->length >= 0)
		write_int32(w, "l", c->length);
	if (c->deletes > 0)
		write_section(w, c, "d", CHANGE_DELETE);
	if (c->updates > 0)
		write_section(w, c, "u", CHANGE_UPDATE);
	if (c->inserts_len > 0)
		write_section(w, c, "i", CHANGE_INSERT);
	for (int i = 0; i < c->count; i++)
	{
		const Change *change = &c->list[i];

		CHECK_FOR_INTERRUPTS();
		if (change->kind == CHANGE_WITHIN)
		{
			write_change_key(w, PGBSON_DOCUMENT, 's', change, c->array);
			write_changes(w, change->within);
		}
		else if (c->array)
		{
			write_change_key(w, change->value.type, 'u', change, true);
			PgBsonWriterValue(w, &change->value);
		}
	}
	PgBsonWriterClose(w, start);
}

/* Would a reader take this document for a delta? */
static bool
looks_like_delta(const PgBsonValue *root)
{
	PgBsonIter	iter;

	return root->type == PGBSON_DOCUMENT && PgBsonFirst(root, &iter) && PgBsonIterIs(&iter, "$v");
}

/* {"$v": 2, "replacement": root} */
static PgBson *
write_replacement(const PgBsonValue *root)
{
	PgBsonWriter w;
	Size		start;

	PgBsonCheckDepth(root, 1);
	PgBsonWriterInit(&w, (Size) root->len + REPLACEMENT_SIZE);
	start = PgBsonWriterOpen(&w);
	write_int32(&w, "$v", 2);
	PgBsonWriterKey(&w, PGBSON_DOCUMENT, "replacement", 11);
	PgBsonWriterValue(&w, root);
	PgBsonWriterClose(&w, start);
	return PgBsonWriterFinish(&w);
}

PgBson *
PgBsonDiff(PgBsonView from, PgBsonView to)
{
	PgBsonValue a = PgBsonRootOf(from);
	PgBsonValue b = PgBsonRootOf(to);
	bool		escaped = looks_like_delta(&b);
	Size		whole = to.len + (escaped ? REPLACEMENT_SIZE : 0);
	Changes    *c = NULL;
	PgBsonWriter w;
	Size		start;

	if (a.type == b.type && PgBsonIsContainer(a.type))
		c = diff_container(&a, &b, false, 0);
	if (c != NULL && c->size + FRAME_SIZE < whole)
	{
		PgBson	   *delta;
		PgBsonValue root;

		PgBsonWriterInit(&w, c->size + FRAME_SIZE);
		start = PgBsonWriterOpen(&w);
		write_int32(&w, "$v", 2);
		PgBsonWriterKey(&w, PGBSON_DOCUMENT, "diff", 4);
		write_changes(&w, c);
		PgBsonWriterClose(&w, start);
		Assert(w.len == c->size + FRAME_SIZE);
		delta = PgBsonWriterFinish(&w);
		/* a delta may be nested deeper than the document it makes */
		root = PgBsonRoot(delta);
		if (PgBsonDepth(&root) <= PGBSON_MAX_DEPTH)
			return delta;
		pfree(delta);
	}
	return escaped ? write_replacement(&b) : NULL;
}

/* ---- describing ---- */

typedef struct Description
{
	PgBsonElements *updated;
	PgBsonElements *removed;	/* paths */
	PgBsonElements *truncated;
	StringInfoData path;
} Description;

/* Add the changes below d->path to a description */
static void
describe_changes(Description *d, const Changes *c)
{
	int			len = d->path.len;

	check_stack_depth();
	if (c->length >= 0)
	{
		PgBsonValue field = PgBsonMakeString(d->path.data, len);
		PgBsonValue size = PgBsonMakeInt32(c->length);
		PgBsonValue both = PgBsonMakeDocument("field", &field, "newSize", &size, NULL);

		PgBsonElementsAppend(d->truncated, "", 0, &both);
	}
	for (int i = 0; i < c->count; i++)
	{
		const Change *change = &c->list[i];
		PgBsonValue name;

		CHECK_FOR_INTERRUPTS();
		d->path.len = len;
		if (c->level > 0)
			appendStringInfoChar(&d->path, '.');
		if (c->array)
			appendStringInfo(&d->path, "%u", change->index);
		else
			appendBinaryStringInfo(&d->path, change->key, change->key_len);
		if (change->kind == CHANGE_WITHIN)
			describe_changes(d, change->within);
		else if (change->kind == CHANGE_DELETE)
		{
			name = PgBsonMakeString(d->path.data, d->path.len);
			PgBsonElementsAppend(d->removed, "", 0, &name);
		}
		else
			PgBsonElementsAppend(d->updated, d->path.data, d->path.len, &change->value);
	}
}

PgBson *
PgBsonDescribeUpdate(PgBsonView from, PgBsonView to)
{
	PgBsonValue a = PgBsonRootOf(from);
	PgBsonValue b = PgBsonRootOf(to);
	Changes    *c = NULL;
	Description d;
	PgBsonValue updated,
				removed,
				truncated,
				all;

	if (a.type == PGBSON_DOCUMENT && b.type == PGBSON_DOCUMENT)
		c = diff_container(&a, &b, true, 0);
	if (c == NULL)
		return NULL;
	d.updated = PgBsonElementsBegin(CurrentMemoryContext);
	d.removed = PgBsonElementsBegin(CurrentMemoryContext);
	d.truncated = PgBsonElementsBegin(CurrentMemoryContext);
	initStringInfo(&d.path);
	describe_changes(&d, c);
	updated = PgBsonRoot(PgBsonElementsToDocument(d.updated, false));
	removed = PgBsonRoot(PgBsonElementsToArray(d.removed));
	truncated = PgBsonRoot(PgBsonElementsToArray(d.truncated));
	all = PgBsonMakeDocument("updatedFields", &updated, "removedFields", &removed, "truncatedArrays", &truncated, NULL);
	return PgBsonFromValue(&all);
}
