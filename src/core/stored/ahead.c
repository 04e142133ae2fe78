/*
 * ahead.c
 *	  Asking the processor for bytes before they are read.
 */
#include "core/stored/ahead.h"

/* Bytes that the processor's cache loads at once, mostly as one of two */
#define CACHE_LINE		64

/* The most bytes of a row that are asked for ahead; values of larger rows are mostly stored out of line */
#define MOST_BYTES		2048

/* Rows further apart than this, in bytes, are not neighbours in a scan */
#define MOST_APART		4096

/* About how far the header of a row is before its document */
#define ROW_HEADER		32

#ifdef __GNUC__
/*
 * How far a value is below the one before it; more than MOST_APART if that is not of the same
 * scan.  Two are remembered, as what was made of a value is often asked for between it and
 * the next row's.  They are the process's, not a call site's: all operators of a query see the rows of one scan, and
 * only the first of them is to ask for the next row.
 */
static inline uintptr_t
below_last(const char *value)
{
	static const char *lasts[2] = {NULL, NULL};
	static int	newer = 0;
	uintptr_t	below = (uintptr_t) lasts[newer] - (uintptr_t) value;

	if (below > MOST_APART)
	{
		newer = !newer;
		below = (uintptr_t) lasts[newer] - (uintptr_t) value;
	}
	lasts[newer] = value;
	return below;
}
#endif

/*
 * A walk goes from one header to the next, each load waiting for the one before, and each
 * may miss the processor's cache.  The rows of a page of a table lie one below the other in
 * the order in which they came, so the processor does not foresee where a scan goes next: to
 * the beginning of the next row but one, which is as far below this one as two rows take.
 * Before the first row of a page the server looks at the headers of all its rows, whether they are visible.  So the one
 * that is about here in the next page is asked for, too: pages that were read in order are mostly in order in memory.
 *
 * This is not inline: GCC takes an inline function that does nothing but ask for one that
 * does nothing, and drops it.  How much is asked for varies little from row to row, as a loop
 * whose end cannot be foreseen takes longer than to ask in vain.
 */
void
PgBsonAskAhead(const struct varlena *value)
{
#ifdef __GNUC__
	const char *begin = (const char *) value;
	uintptr_t	below = below_last(begin);
	uintptr_t	len;

	/* another operator on the same row */
	if (below == 0)
		return;
	__builtin_prefetch(begin + BLCKSZ - ROW_HEADER);
	if (below <= MOST_APART)
	{
		begin -= 2 * below + CACHE_LINE;
		len = Min(below + CACHE_LINE, MOST_BYTES);
	}
	else
	{
		/* the first of a page: itself, and the next row, as if that were as long */
		len = Min(VARSIZE_ANY(value), MOST_BYTES);
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
