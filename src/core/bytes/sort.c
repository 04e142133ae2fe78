/*
 * sort.c
 *	  Sorting what a user gave: no bad case, and can be cancelled.
 */
#include "core/bytes/sort.h"

/* One each for a pointer, a PgBsonValue and the rest */
void
PgBsonSort(void *elements, Size n, Size width, PgBsonComparator compare)
{
	if (width == 8)
		PgBsonSortInline(elements, n, 8, compare);
	else if (width == 16)
		PgBsonSortInline(elements, n, 16, compare);
	else
		PgBsonSortInline(elements, n, width, compare);
}
