/*
 * patch.c
 *	  Applying a delta (mongo/delta/diff.h).
 *
 * At each level the names that change are collected first, then the document
 * is passed over once.  What does not change is copied in runs.
 *
 * A delta that is not understood is one thing, and one that does not fit the
 * document another: who applies deltas that may be older than the document can
 * leave out the second.  So all of a delta is read before it is said that it
 * does not fit.
 *
 * The authority is MongoDB's src/mongo/db/update/document_diff_applier.cpp.
 */
#include "mongo/delta/diff.h"

#include "core/bytes/keyset.h"
#include "core/bytes/memory.h"
#include "core/number/number.h"
#include "core/write/from_value.h"
#include "core/write/write.h"

/* Raise 22023; "detail" is a whole sentence */
pg_noreturn static void
invalid_delta(const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid bson delta"),
						errdetail_internal("%s", _(detail)));
}

/* What a delta is applied to, and the first thing that does not fit it: a whole sentence, or NULL */
typedef struct Patch
{
	PgBsonWriter w;
	const char *misfit;
} Patch;

static void check_changes(PgBsonView changes);

/* Note that these changes do not fit, and see whether they are understood */
static void
note_misfit(Patch *p, PgBsonView changes, const char *detail)
{
	if (p->misfit == NULL)
		p->misfit = detail;
	check_changes(changes);
}

/* Are these the changes of an array, which begin with "a"? */
static bool
changes_array(PgBsonView changes)
{
	PgBsonIter	iter = PgBsonIterBegin(changes);

	return PgBsonIterNext(&iter) && PgBsonIterIs(&iter, "a");
}

static void patch_within(Patch *p, const PgBsonValue *value, PgBsonView changes);

/* ---- documents ---- */

/* The names of the fields that change, in the order of the delta */
typedef struct NameChanges
{
	PgBsonKeySet names;
	char	   *kinds;			/* for each name: the letter of its section */
} NameChanges;

/* Note that the field of this name changes; "kind" is the letter of the section */
static void
note_name(NameChanges *c, char kind, const char *key, uint32 key_len, const PgBsonValue *value)
{
	bool		found;
	PgBsonKeyEntry *entry = PgBsonKeySetEnter(&c->names, key, key_len, &found);

	CHECK_FOR_INTERRUPTS();
	if (found)
		invalid_delta(gettext_noop("It changes a field twice."));
	entry->value = *value;
	c->kinds = PgBsonRoomForOne(c->kinds, c->names.count - 1, sizeof(char));
	c->kinds[c->names.count - 1] = kind;
}

static void
read_section(NameChanges *c, char kind, const PgBsonValue *section)
{
	if (section->type != PGBSON_DOCUMENT)
		invalid_delta(gettext_noop("The sections of changes to a document must be documents."));
	PgBsonForEach(iter, PgBsonValueView(section))
	{
		if (kind == 'd' && (iter.value.type != PGBSON_BOOL || iter.value.data[0] != 0))
			invalid_delta(gettext_noop("Fields of the section \"d\" must be false."));
		note_name(c, kind, iter.key, iter.key_len, &iter.value);
	}
}

/* Read the sections of changes to a document; 22023 for other sections, or another order */
static void
read_changes(NameChanges *c, PgBsonView changes)
{
	static const char order[] = "duis";
	const char *from = order;

	PgBsonKeySetInit(&c->names);
	c->kinds = NULL;
	PgBsonForEach(iter, changes)
	{
		char		kind = iter.key[0];
		const char *at = kind == '\0' ? NULL : strchr(from, kind);

		if (at == NULL || (kind != 's' && iter.key_len != 1))
			invalid_delta(gettext_noop("Changes to a document must be \"d\", \"u\", \"i\" and \"s\" with a name, in this order."));
		from = kind == 's' ? at : at + 1;
		if (kind == 's')
		{
			if (iter.value.type != PGBSON_DOCUMENT)
				invalid_delta(gettext_noop("The sections of changes to a document must be documents."));
			note_name(c, kind, iter.key + 1, iter.key_len - 1, &iter.value);
		}
		else
			read_section(c, kind, &iter.value);
	}
}

static void
free_changes(NameChanges *c)
{
	PgBsonKeySetFree(&c->names);
	if (c->kinds != NULL)
		pfree(c->kinds);
}

/* Write the new fields: names in a section that the document does not have */
static void
append_unseen(Patch *p, const NameChanges *c, char kind)
{
	for (int i = 0; i < c->names.count; i++)
	{
		const PgBsonKeyEntry *entry = &c->names.entries[i];

		CHECK_FOR_INTERRUPTS();
		if (c->kinds[i] != kind || PgBsonKeySetSeen(&c->names, entry))
			continue;
		if (kind == 's')
			note_misfit(p, PgBsonValueView(&entry->value),
						gettext_noop("It changes something within a field that is not there."));
		else
			PgBsonWriterField(&p->w, entry->key, entry->key_len, &entry->value);
	}
}

/* Write the document with its changes: the old fields in their places, then the new ones */
static void
apply_to_document(Patch *p, PgBsonView doc, PgBsonView changes)
{
	PgBsonWriter *w = &p->w;
	NameChanges c;
	Size		start = PgBsonWriterOpen(w);
	const uint8 *kept = doc.data + 4;	/* all bytes before this were written */

	read_changes(&c, changes);
	PgBsonForEach(iter, doc)
	{
		PgBsonKeyEntry *entry = PgBsonKeySetFind(&c.names, iter.key, iter.key_len);
		char		kind;

		if (entry == NULL)
			continue;
		PgBsonWriterBytes(w, kept, iter.element - kept);
		kept = iter.next;
		kind = c.kinds[entry - c.names.entries];
		if (kind == 'd' || kind == 'i')
			continue;
		PgBsonKeySetMark(&c.names, entry);
		PgBsonWriterKey(w, kind == 's' ? iter.value.type : entry->value.type, iter.key, iter.key_len);
		if (kind == 's')
			patch_within(p, &iter.value, PgBsonValueView(&entry->value));
		else
			PgBsonWriterValue(w, &entry->value);
	}
	PgBsonWriterBytes(w, kept, doc.data + doc.len - 1 - kept);
	append_unseen(p, &c, 'u');
	append_unseen(p, &c, 'i');
	append_unseen(p, &c, 's');
	PgBsonWriterClose(w, start);
	free_changes(&c);
}

/* ---- arrays ---- */

/* The changes of an array, which are read one after the other */
typedef struct PositionChanges
{
	PgBsonIter	iter;
	bool		more;
	char		kind;			/* the letter of the current change: u or s */
	int64		position;
	int64		length;			/* the new one, or -1 */
} PositionChanges;

/* Read a position: at most nine digits, without leading zeroes */
static bool
read_position(const char *digits, uint32 len, int64 *position)
{
	uint32		n;

	if (len > 9 || (len > 1 && digits[0] == '0') || !PgBsonKeyAsPosition(digits, len, &n))
		return false;
	*position = n;
	return true;
}

/* Go to the next change; c->more becomes false after the last one */
static void
next_change(PositionChanges *c)
{
	int64		last = c->position;

	c->more = PgBsonIterNext(&c->iter);
	if (!c->more)
		return;
	c->kind = c->iter.key[0];
	if ((c->kind != 'u' && c->kind != 's') ||
		!read_position(c->iter.key + 1, c->iter.key_len - 1, &c->position))
		invalid_delta(gettext_noop("Changes to an array must be \"a\", \"l\", and \"u\" and \"s\" with a position, in this order."));
	if (c->position <= last)
		invalid_delta(gettext_noop("The positions of an array must ascend."));
	if (c->length >= 0 && c->position >= c->length)
		invalid_delta(gettext_noop("A position is after the new end of its array."));
	if (c->kind == 's' && c->iter.value.type != PGBSON_DOCUMENT)
		invalid_delta(gettext_noop("Changes within an element must be a document."));
}

/* Read the fields "a" and "l", which come first, and go to the first change */
static void
begin_changes(PositionChanges *c, PgBsonView changes)
{
	PgBsonIter	ahead;

	c->position = -1;
	c->length = -1;
	PgBsonIterInit(&c->iter, changes);
	/* "a", which is there */
	(void) PgBsonIterNext(&c->iter);
	if (c->iter.value.type != PGBSON_BOOL || c->iter.value.data[0] == 0)
		invalid_delta(gettext_noop("The field \"a\" of changes to an array must be true."));
	ahead = c->iter;
	if (PgBsonIterNext(&ahead) && PgBsonIterIs(&ahead, "l"))
	{
		c->iter = ahead;
		if (!PgBsonNumberToInt64(&c->iter.value, &c->length) || c->length < 0 || c->length > PG_INT32_MAX)
			invalid_delta(gettext_noop("The length of an array must be a number that is not negative."));
	}
	next_change(c);
}

/* Append the elements that lie behind the old end of the array */
static void
append_new_elements(Patch *p, PositionChanges *c, int64 size)
{
	PgBsonWriter *w = &p->w;
	int64		last = size;

	if (c->length > size + PGBSON_PATCH_MAX_PADDING)
		invalid_delta(gettext_noop("An array gets too many nulls."));
	for (; c->more || size < c->length; size++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!c->more || c->position > size)
		{
			if (size - last >= PGBSON_PATCH_MAX_PADDING)
				invalid_delta(gettext_noop("An array gets too many nulls."));
			PgBsonWriterIndex(w, PGBSON_NULL, size);
			continue;
		}
		if (c->kind == 's')
			note_misfit(p, PgBsonValueView(&c->iter.value),
						gettext_noop("It changes something within an element that is not there."));
		else
			PgBsonWriterElement(w, size, &c->iter.value);
		last = size;
		next_change(c);
	}
}

/* Write the array with its changes, shortened or extended to the new length */
static void
apply_to_array(Patch *p, PgBsonView array, PgBsonView changes)
{
	PgBsonWriter *w = &p->w;
	PositionChanges c;
	PgBsonIter	iter = PgBsonIterBegin(array);
	Size		start = PgBsonWriterOpen(w);
	int64		size = 0;

	begin_changes(&c, changes);
	for (; size != c.length && PgBsonIterNext(&iter); size++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!c.more || c.position > size)
		{
			PgBsonWriterElement(w, size, &iter.value);
			continue;
		}
		PgBsonWriterIndex(w, c.kind == 's' ? iter.value.type : c.iter.value.type, size);
		if (c.kind == 's')
			patch_within(p, &iter.value, PgBsonValueView(&c.iter.value));
		else
			PgBsonWriterValue(w, &c.iter.value);
		next_change(&c);
	}
	append_new_elements(p, &c, size);
	PgBsonWriterClose(w, start);
}

/* ---- both ---- */

/* Raise 22023 unless these changes are understood, and those within them */
static void
check_changes(PgBsonView changes)
{
	check_stack_depth();
	if (changes_array(changes))
	{
		PositionChanges c;

		for (begin_changes(&c, changes); c.more; next_change(&c))
		{
			CHECK_FOR_INTERRUPTS();
			if (c.kind == 's')
				check_changes(PgBsonValueView(&c.iter.value));
		}
	}
	else
	{
		NameChanges c;

		read_changes(&c, changes);
		for (int i = 0; i < c.names.count; i++)
			if (c.kinds[i] == 's')
				check_changes(PgBsonValueView(&c.names.entries[i].value));
		free_changes(&c);
	}
}

/* Write the value with its changes, which must be changes to a container of its type */
static void
patch_within(Patch *p, const PgBsonValue *value, PgBsonView changes)
{
	bool		array = changes_array(changes);

	check_stack_depth();
	if (value->type != (array ? PGBSON_ARRAY : PGBSON_DOCUMENT))
	{
		note_misfit(p, changes,
					array ? gettext_noop("It changes something within an array, where there is none.")
					: gettext_noop("It changes something within a document, where there is none."));
		PgBsonWriterValue(&p->w, value);
	}
	else if (array)
		apply_to_array(p, PgBsonValueView(value), changes);
	else
		apply_to_document(p, PgBsonValueView(value), changes);
}

/* The document that follows the version in a delta.  False if this is not a delta but the new value. */
static bool
open_delta(PgBsonView delta, PgBsonValue *content, bool *replaces)
{
	PgBsonValue root = PgBsonRootOf(delta);
	PgBsonIter	iter;
	int64		version;

	if (root.type != PGBSON_DOCUMENT || !PgBsonFirst(&root, &iter) || !PgBsonIterIs(&iter, "$v"))
		return false;
	if (!PgBsonNumberToInt64(&iter.value, &version) || version != 2)
		invalid_delta(gettext_noop("The version \"$v\" of a delta must be 2."));
	if (!PgBsonIterNext(&iter) || iter.value.type != PGBSON_DOCUMENT ||
		!(PgBsonIterIs(&iter, "diff") || PgBsonIterIs(&iter, "replacement")))
		invalid_delta(gettext_noop("After its version a delta must have a document, \"diff\" or \"replacement\"."));
	*content = iter.value;
	*replaces = PgBsonIterIs(&iter, "replacement");
	if (PgBsonIterNext(&iter))
		invalid_delta(gettext_noop("A delta must have two fields."));
	return true;
}

PgBson *
PgBsonPatch(PgBsonView doc, PgBsonView delta)
{
	PgBsonValue root = PgBsonRootOf(doc);
	PgBsonValue content;
	Patch		p = {.misfit = NULL};
	Size		start;
	bool		replaces;

	if (!open_delta(delta, &content, &replaces))
		return NULL;
	if (replaces)
		return PgBsonFromValue(&content);

	PgBsonWriterInit(&p.w, (Size) root.len + content.len);
	start = root.type == PGBSON_ARRAY ? PgBsonWriterOpenEnvelope(&p.w, PGBSON_ARRAY) : 0;
	patch_within(&p, &root, PgBsonValueView(&content));
	if (p.misfit != NULL)
		PgBsonReport(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, errmsg("bson delta does not fit the document"),
					 errdetail_internal("%s", _(p.misfit)),
					 errhint("A delta is applied to the document that it was made from."));
	if (root.type != PGBSON_ARRAY)
		return PgBsonEncloseLookalike(PgBsonWriterFinish(&p.w));
	PgBsonWriterClose(&p.w, start);
	return PgBsonWriterFinish(&p.w);
}
