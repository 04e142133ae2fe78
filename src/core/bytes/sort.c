/*
 * sort.c
 *	  Sorting elements that users chose: no order of them is slow, and it can be cancelled.
 */
#include "core/bytes/sort.h"

/* For pointers and PgBsonValues there is code of their own, in which the compiler knows the width */
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
