/*
 * ahead.c
 *	  Prefetching rows and chunks from memory.
 */
#include "core/stored/reader.h"

/* The size of a line of the processor's cache; mostly two are loaded together */
#define CACHE_LINE		64

/* At most this number of bytes of a row is prefetched; values of larger rows are mostly stored out of line */
#define MOST_BYTES		2048

/* Rows further apart than this, in bytes, are not neighbours in a scan */
#define MOST_APART		4096

/* The header of a row begins about this number of bytes before its document */
#define ROW_HEADER		32

/*
 * A search goes from one header to the next, each load waiting for the one before, and each may miss the processor's
 * cache.  The rows of a page lie below each other in the order in which they were inserted, and the processor does not
 * predict such addresses.  So the next row but one is prefetched, assuming that rows are equally large.
 * When a scan comes to a page, the server looks at the headers of all its rows to see which are visible.  So the
 * header at the same place of the next page in memory is prefetched, too: pages that were read in order are mostly in
 * order there.
 *
 * This is not inline: GCC would take an inline function that only prefetches for one without effect, and drop it.  The
 * number of bytes varies little from row to row, as a mispredicted end of the loop costs more than needless prefetches.
 */
void
PgBsonAskAhead(Datum value)
{
#ifdef __GNUC__
	/*
	 * Two addresses, as functions are often called with a computed value between those of two rows.  They are static:
	 * all operators of a query see the rows of one scan, and only the first of them is to prefetch the next row.
	 */
	static const char *lasts[2] = {NULL, NULL};
	static int	newer = 0;
	const char *begin = DatumGetPointer(value);
	uintptr_t	below = (uintptr_t) lasts[newer] - (uintptr_t) begin;	/* the value of the row before */
	uintptr_t	len;

	/* another operator has done this for the same row */
	if (below == 0)
		return;
	if (below > MOST_APART)
	{
		newer = !newer;
		below = (uintptr_t) lasts[newer] - (uintptr_t) begin;
		if (below == 0)
			return;
	}
	lasts[newer] = begin;
	__builtin_prefetch(begin + BLCKSZ - ROW_HEADER);
	if (below <= MOST_APART)
	{
		begin -= 2 * below + CACHE_LINE;
		len = Min(below + CACHE_LINE, MOST_BYTES);
	}
	else
	{
		/* the first row of a page: prefetch this row, and the next one as if it were as long */
		len = Min(VARSIZE_ANY(begin), MOST_BYTES);
		begin -= len;
		len *= 2;
	}
	for (int i = len / (2 * CACHE_LINE) + 1; i > 0; i--)
	{
		__builtin_prefetch(begin);
		__builtin_prefetch(begin + CACHE_LINE);
		begin += 2 * CACHE_LINE;
	}
#endif
}

void
PgBsonAskFor(const void *from, Size bytes)
{
#ifdef __GNUC__
	for (const char *p = from; p < (const char *) from + bytes; p += CACHE_LINE)
		__builtin_prefetch(p);
#endif
}
