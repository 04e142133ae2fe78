/*
 * jsonb_format.h
 *	  Writing a jsonb datum in one pass, in the format that utils/jsonb.h describes.
 *
 * The values of a container are written one after the other, each followed by
 * PgBsonJsonbEnd, which the functions for texts, numbers and containers call
 * themselves.  What is too large for jsonb raises 54000.
 */
#ifndef PGBSON_JSONB_FORMAT_H
#define PGBSON_JSONB_FORMAT_H

#include "core/write/write.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

/* A container being written, as utils/jsonb.h describes it: its entries come before its data */
typedef struct PgBsonJsonbFrame
{
	struct PgBsonJsonbFrame *outer;
	Size		entries;		/* where the next child's entry goes */
	Size		data;			/* where the data begins */
	uint32		count;			/* children so far; of an object first all keys, then all values */
	uint32		end;			/* of the last child, in the data */
} PgBsonJsonbFrame;

/* A jsonb datum being made */
typedef struct PgBsonJsonbWriter
{
	PgBsonWriter out;			/* a varlena like any other */
	PgBsonJsonbFrame *frame;	/* the innermost */
} PgBsonJsonbWriter;

/* Raise 54000 */
pg_noreturn extern void PgBsonJsonbTooLarge(void);

/* After the next child's data is written, store its type, and its length or, at every few children, its end */
static inline void
PgBsonJsonbEnd(PgBsonJsonbWriter *w, JEntry type)
{
	PgBsonJsonbFrame *frame = w->frame;
	Size		end = w->out.len - frame->data;
	JEntry		entry;

	if (unlikely(end > JENTRY_OFFLENMASK))
		PgBsonJsonbTooLarge();
	if (frame->count++ % JB_OFFSET_STRIDE == 0)
		entry = type | JENTRY_HAS_OFF | (JEntry) end;
	else
		entry = type | (JEntry) (end - frame->end);
	memcpy(w->out.data + frame->entries, &entry, sizeof(entry));
	frame->entries += sizeof(entry);
	frame->end = end;
}

/*
 * Begin a container.  "flags" are those of its header; "children" many children follow, and for an object the keys come
 * first, in jsonb's order.  "frame" must live until the container is closed.
 */
extern void PgBsonJsonbOpen(PgBsonJsonbWriter *w, PgBsonJsonbFrame *frame, uint32 flags, uint32 children);
extern void PgBsonJsonbClose(PgBsonJsonbWriter *w);

/* A key or a string, in the server's encoding */
static inline void
PgBsonJsonbText(PgBsonJsonbWriter *w, const char *s, uint32 len)
{
	PgBsonWriterBytes(&w->out, s, len);
	PgBsonJsonbEnd(w, JENTRY_ISSTRING);
}

static inline void
PgBsonJsonbKey(PgBsonJsonbWriter *w, const char *key)
{
	PgBsonJsonbText(w, key, strlen(key));
}

/* Frees the number */
extern void PgBsonJsonbNumeric(PgBsonJsonbWriter *w, Numeric num);

/*
 * jsonb_order.c: the elements of a container, in jsonb's order.  jsonb has an object's keys sorted, by length and then
 * by bytes, before its values.  So the elements of each open container are kept in a list.
 */

/* An element of a document or array */
typedef struct PgBsonJsonbMember
{
	const char *key;			/* in the server's encoding */
	uint32		key_len;
	uint32		order;			/* among the document's elements */
	PgBsonValue value;
} PgBsonJsonbMember;

/* This many members need no memory of their own */
#define PGBSON_FEW_MEMBERS		64

/* The elements of all open containers, those of the innermost last */
typedef struct PgBsonJsonbMembers
{
	PgBsonJsonbMember *list;	/* "few", until there are more; may move when elements are pushed */
	uint32		count;
	uint32		room;
	bool		recodes;		/* the server's encoding is not UTF-8 */
	PgBsonJsonbMember few[PGBSON_FEW_MEMBERS];
} PgBsonJsonbMembers;

/* An empty list; release what it grew to */
extern void PgBsonJsonbMembersInit(PgBsonJsonbMembers *m);
extern void PgBsonJsonbMembersRelease(PgBsonJsonbMembers *m);

/* Push a container's elements, those of a document with their keys.  Returns their number. */
extern uint32 PgBsonJsonbPush(PgBsonJsonbMembers *m, PgBsonView view, bool is_document);

/*
 * Sort the elements from "first" to the last, which are a document's.  Of equal keys only the last element is kept.
 * Returns how many there are then; the caller takes them off the list by setting "count".
 */
extern uint32 PgBsonJsonbSort(PgBsonJsonbMembers *m, uint32 first);

#endif							/* PGBSON_JSONB_FORMAT_H */
