/*
 * jsonb_format.c
 *	  Writing a jsonb datum in one pass, in the format that utils/jsonb.h describes.
 */
#include "jsonb/jsonb_format.h"

/*
 * The server's limits, which are lower than the format's because the server
 * must be able to hold all of them in memory
 */
#define MAX_PAIRS		(MaxAllocSize / sizeof(JsonbPair))
#define MAX_ELEMENTS	(MaxAllocSize / sizeof(JsonbValue))

void
PgBsonJsonbTooLarge(void)
{
	PgBsonReportLimit(errmsg("bson document is too large for type %s", "jsonb"),
					  errdetail("An object or array of jsonb holds at most %u bytes, and %zu pairs or %zu elements.",
								JENTRY_OFFLENMASK, MAX_PAIRS, MAX_ELEMENTS));
}

/* Numbers and containers begin at a multiple of four; the padding before them counts as theirs */
static inline void
align_jsonb(PgBsonWriter *out)
{
	Size		gap = INTALIGN(out->len) - out->len;

	if (gap > 0)
		memset(PgBsonWriterRoom(out, gap), 0, gap);
}

void
PgBsonJsonbOpen(PgBsonJsonbWriter *w, PgBsonJsonbFrame *frame, uint32 flags, uint32 children)
{
	uint32		header = flags | (flags & JB_FOBJECT ? children / 2 : children);

	if (children > (flags & JB_FOBJECT ? MAX_PAIRS * 2 : MAX_ELEMENTS))
		PgBsonJsonbTooLarge();
	align_jsonb(&w->out);
	PgBsonWriterBytes(&w->out, &header, sizeof(header));
	frame->outer = w->frame;
	frame->entries = w->out.len;
	(void) PgBsonWriterRoom(&w->out, children * sizeof(JEntry));
	frame->data = w->out.len;
	frame->count = 0;
	frame->end = 0;
	w->frame = frame;
}

void
PgBsonJsonbClose(PgBsonJsonbWriter *w)
{
	w->frame = w->frame->outer;
	if (w->frame != NULL)
		PgBsonJsonbEnd(w, JENTRY_ISCONTAINER);
}

void
PgBsonJsonbNumeric(PgBsonJsonbWriter *w, Numeric num)
{
	align_jsonb(&w->out);
	PgBsonWriterBytes(&w->out, num, VARSIZE(num));
	PgBsonJsonbEnd(w, JENTRY_ISNUMERIC);
	pfree(num);
}
