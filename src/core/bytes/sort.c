/*
 * sort.c
 *	  Sorting what a user gave: no bad case, and can be cancelled.
 */
#include "core/bytes/sort.h"

/* Pointers and PgBsonValues have code of their own, for which the compiler knows the width */
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
