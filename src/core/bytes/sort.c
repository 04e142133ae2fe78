/*
 * sort.c
 *	  Sorting elements that users chose: no order of them is slow, and it can be cancelled.
 */
#include "core/bytes/sort.h"

void
PgBsonSort(void *elements, Size n, Size width, PgBsonComparator compare)
{
	PgBsonSortInline(elements, n, width, compare);
}
