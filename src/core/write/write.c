/*
 * write.c
 *	  Writing values, and copies of documents with changes.
 */
#include "core/write/write.h"

#include "core/bytes/memory.h"
#include "core/write/from_value.h"
#include "utils/builtins.h"

void
PgBsonWriterInit(PgBsonWriter *w, Size expected)
{
	w->capacity = Min(Max(expected, 60), PGBSON_MAX_SIZE);
	PgBsonWriterReset(w);
	w->data = (uint8 *) palloc(w->capacity + VARHDRSZ) + VARHDRSZ;
}

PgBson *
PgBsonWriterFinish(PgBsonWriter *w)
{
	PgBson	   *result = (PgBson *) (w->data - VARHDRSZ);

	SET_VARSIZE(result, w->len + VARHDRSZ);
	w->data = NULL;
	return result;
}

void
PgBsonReportMadeTooLarge(const char *made_by)
{
	PgBsonReportLimit(*made_by == '\0' ? errmsg("result of a bson expression is too large") :
					  errmsg("result of bson operator \"%s\" is too large", made_by),
					  errdetail("It may have %d megabytes at most.", PgBsonMemoryLimit),
					  errhint("Increase \"bson.memory_limit\" to allow more."));
}

void
PgBsonWriterGrow(PgBsonWriter *w, Size bytes)
{
	/* this cannot overflow, as len never exceeds PGBSON_MAX_SIZE */
	if (bytes > PGBSON_MAX_SIZE - w->len)
		PgBsonReportTooLarge();
	if (w->made_by != NULL && w->len + bytes > PgBsonMostBytes())
		PgBsonReportMadeTooLarge(w->made_by);
	w->capacity = Min(Max(w->capacity * 2, w->len + bytes), PGBSON_MAX_SIZE);
	w->data = (uint8 *) repalloc(w->data - VARHDRSZ, w->capacity + VARHDRSZ) + VARHDRSZ;
}

void
PgBsonWriterKey(PgBsonWriter *w, PgBsonType type, const char *key, uint32 key_len)
{
	uint8	   *p = PgBsonWriterRoom(w, (Size) key_len + 2);

	w->type_at = p - w->data;
	*p++ = type;
	memcpy(p, key, key_len);
	p[key_len] = 0;
}

Size
PgBsonNumbersSize(uint64 from, uint64 to)
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

/*
 * Write a number as a key, with its zero byte.  The digits are written where they belong, because a
 * copy would have to wait until each of them is stored.
 */
static inline void
put_number(PgBsonWriter *w, uint32 index)
{
	int			n = 1;
	uint8	   *p;

	for (uint64 power = 10; power <= index; power *= 10)
		n++;
	p = PgBsonWriterRoom(w, n + 1);
	if (n == 1)
		p[0] = '0' + index;
	else
		pg_ultoa_n(index, (char *) p);
	p[n] = '\0';
}

void
PgBsonWriterIndex(PgBsonWriter *w, PgBsonType type, uint32 index)
{
	uint8	   *p;

	if (index < 10)
	{
		p = PgBsonWriterRoom(w, 3);
		w->type_at = p - w->data;
		p[0] = type;
		p[1] = '0' + index;
		p[2] = 0;
		return;
	}
	w->type_at = (int32) w->len;
	*PgBsonWriterRoom(w, 1) = type;
	put_number(w, index);
}

/* How much room an element of an array needs besides its value: its type, a number of ten digits and a zero byte */
#define ELEMENT_ROOM		12

void
PgBsonWriterElement(PgBsonWriter *w, uint32 index, const PgBsonValue *value)
{
	/* what the number leaves of the room is given back */
	uint8	   *p = PgBsonWriterRoom(w, (Size) value->len + ELEMENT_ROOM);

	*p++ = value->type;
	if (index < 10)
		*p++ = '0' + index;
	else
		p += pg_ultoa_n(index, (char *) p);
	*p++ = 0;
	if (value->len > 0)
		memcpy(p, value->data, value->len);
	w->len = p + value->len - w->data;
}

void
PgBsonWriterBinary(PgBsonWriter *w, uint8 subtype, const uint8 *bytes, uint32 len)
{
	uint8	   *p = PgBsonWriterRoom(w, (Size) len + 5);

	w->data[w->type_at] = PGBSON_BINARY;
	PgBsonWriteU32(p, len);
	p[4] = subtype;
	if (len > 0)
		memcpy(p + 5, bytes, len);
}

void
PgBsonWriterPut(PgBsonWriter *w, const PgBsonValue *value)
{
	/* a root that is not a document is in an envelope */
	PgBsonCheckDepth(value, w->depth > 0 ? w->depth : value->type != PGBSON_DOCUMENT);
	PgBsonWriterTyped(w, value->type, value->data, value->len);
}

Size
PgBsonWriterOpenValue(PgBsonWriter *w, PgBsonType type)
{
	if (w->depth == 0 && type != PGBSON_DOCUMENT)
		w->depth = 1;
	if (w->depth >= PGBSON_MAX_DEPTH)
		PgBsonReportTooDeep();
	w->data[w->type_at] = type;
	return PgBsonWriterOpen(w);
}

Size
PgBsonWriterOpen(PgBsonWriter *w)
{
	Size		start = w->len;

	(void) PgBsonWriterRoom(w, 4);
	w->depth++;
	return start;
}

Size
PgBsonWriterOpenEnvelope(PgBsonWriter *w, PgBsonType type)
{
	Size		start = w->len;

	(void) PgBsonPutEnvelope(PgBsonWriterRoom(w, PGBSON_ENVELOPE_SIZE - 1), type);
	w->type_at = (int32) w->len - 2;
	w->depth++;
	return start;
}

void
PgBsonWriterClose(PgBsonWriter *w, Size start)
{
	*PgBsonWriterRoom(w, 1) = 0;
	PgBsonWriteU32(w->data + start, w->len - start);
	w->depth--;
}

void
PgBsonWriterBegin(PgBsonWriter *w, Size expected)
{
	PgBsonWriterInit(w, Max(expected, 124));
	(void) PgBsonWriterOpen(w);
}

PgBsonValue
PgBsonWriterEnd(PgBsonWriter *w, PgBsonType type)
{
	PgBsonWriterClose(w, 0);
	return PgBsonWriterResult(w, type);
}

void
PgBsonEditBegin(PgBsonEdit *e, PgBsonView doc, Size extra)
{
	e->doc = doc;
	e->resume = doc.data;
	e->extra = extra;
	e->w.data = NULL;
	e->depth = 0;
}

PgBsonWriter *
PgBsonEditKeep(PgBsonEdit *e, const uint8 *upto)
{
	Assert(upto >= e->resume);
	if (e->w.data == NULL)
		PgBsonWriterInit(&e->w, e->doc.len + e->extra);
	PgBsonWriterBytes(&e->w, e->resume, upto - e->resume);
	e->resume = upto;
	return &e->w;
}

static inline bool
begins_envelope(PgBsonView doc)
{
	return doc.len >= 9 && PgBsonBeginsEnvelope(doc.data);
}

/*
 * Put a changed root document into an envelope if it now looks like one (pgbson.h), or take it out of
 * its envelope if it no longer does
 */
static PgBson *
settle_envelope(const PgBsonEdit *e, PgBson *changed)
{
	PgBsonView	view = PgBsonViewOf(changed);
	PgBsonView	inner = {view.data + 8, view.len - 9};
	PgBsonValue before;

	if (!begins_envelope(view) && !begins_envelope(e->doc))
		return changed;
	before = PgBsonRootOf(e->doc);
	if (before.type != PGBSON_DOCUMENT)
		return changed;
	if (before.data == e->doc.data)
		return PgBsonEncloseLookalike(changed);
	return PgBsonIsEnvelope(inner) ? changed : PgBsonFromBytes(inner.data, inner.len);
}

PgBson *
PgBsonEditFinish(PgBsonEdit *e)
{
	int64		growth;

	if (e->w.data == NULL)
		return NULL;
	PgBsonEditKeep(e, e->doc.data + e->doc.len);

	/* the containers start where they did in the original, as nothing before them has changed */
	growth = (int64) e->w.len - e->doc.len;
	for (int i = 0; i < e->depth; i++)
	{
		uint8	   *len = e->w.data + e->entered[i];

		PgBsonWriteU32(len, PgBsonReadU32(len) + growth);
	}
	return settle_envelope(e, PgBsonWriterFinish(&e->w));
}

void
PgBsonEditEnter(PgBsonEdit *e, const uint8 *container)
{
	if (e->depth >= PGBSON_MAX_DEPTH)
		PgBsonReportTooDeep();
	e->entered[e->depth++] = container - e->doc.data;
}

Size
PgBsonEditPosition(const PgBsonEdit *e, const uint8 *place)
{
	return (e->w.data == NULL ? 0 : e->w.len) + (place - e->resume);
}

void
PgBsonEditSetLength(PgBsonEdit *e, Size position, const uint8 *end)
{
	PgBsonEditKeep(e, end);
	PgBsonWriteU32(e->w.data + position, e->w.len - position);
}

PgBsonValue
PgBsonEditBeginRoot(PgBsonEdit *edit, PgBsonView doc, Size extra)
{
	PgBsonValue root = PgBsonRootOf(doc);

	PgBsonEditBegin(edit, doc, extra);
	if (root.data != doc.data)
		PgBsonEditEnter(edit, doc.data);
	return root;
}

void
PgBsonEditRenumber(PgBsonEdit *edit, const PgBsonIter *iter, uint32 index)
{
	put_number(PgBsonEditKeep(edit, iter->element + 1), index);
	PgBsonEditSkip(edit, iter->value.data);
}

void
PgBsonEditRenumberRest(PgBsonEdit *edit, PgBsonIter *iter, uint32 index)
{
	while (PgBsonIterNext(iter))
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonEditRenumber(edit, iter, index++);
	}
}

void
PgBsonEditDeleteElement(PgBsonEdit *edit, PgBsonIter *at, uint32 index)
{
	PgBsonEditKeep(edit, at->element);
	PgBsonEditSkip(edit, at->next);
	PgBsonEditRenumberRest(edit, at, index);
}
