/*
 * sort.h
 *	  Sorting elements that users chose: no order of them is slow, and it can be cancelled.
 *
 * The server's qsort takes quadratic time for orders that anybody can compute, and does
 * not check for interrupts.  This is a merge sort: it makes at most n log n comparisons
 * of n elements, and n if they are sorted already; it keeps the order of equal
 * elements, and checks for interrupts where it moves elements.  It pallocs room for half
 * of the elements, and frees it.
 */
#ifndef PGBSON_SORT_H
#define PGBSON_SORT_H

#include "postgres.h"

#include "miscadmin.h"

/* How many elements are sorted by insertion first */
#define PGBSON_SORT_RUN		8

typedef int (*PgBsonComparator) (const void *a, const void *b);

static pg_attribute_always_inline void
PgBsonSortByInsertion(char *base, Size n, Size width, char *spare, PgBsonComparator compare)
{
	for (Size i = 1; i < n; i++)
	{
		Size		j = i;

		while (j > 0 && compare(base + (j - 1) * width, base + i * width) > 0)
			j--;
		if (j == i)
			continue;
		memcpy(spare, base + i * width, width);
		memmove(base + (j + 1) * width, base + j * width, (i - j) * width);
		memcpy(base + j * width, spare, width);
	}
}

/* Merge two sorted runs, of which the second follows the first; "spare" has room for the first */
static pg_attribute_always_inline void
PgBsonSortMerge(char *first, char *second, char *end, Size width, char *spare,
				PgBsonComparator compare)
{
	char	   *left = spare;
	char	   *left_end = spare + (second - first);
	char	   *to = first;

	memcpy(spare, first, second - first);
	while (left < left_end && second < end)
	{
		CHECK_FOR_INTERRUPTS();
		if (compare(left, second) <= 0)
		{
			memcpy(to, left, width);
			left += width;
		}
		else
		{
			memcpy(to, second, width);
			second += width;
		}
		to += width;
	}
	/* what is left of the second run is where it belongs */
	memcpy(to, left, left_end - left);
}

/* PgBsonSort as an inline function, for a width and a comparison that the compiler knows */
static pg_attribute_always_inline void
PgBsonSortInline(void *elements, Size n, Size width, PgBsonComparator compare)
{
	char	   *base = elements;
	Size		half = PGBSON_SORT_RUN;
	char	   *spare;

	if (n < 2)
		return;

	/* the most elements that the first of two runs can have */
	while (half * 2 < n)
		half *= 2;
	spare = palloc_extended(Min(half, n) * width, MCXT_ALLOC_HUGE);

	for (Size i = 0; i < n; i += PGBSON_SORT_RUN)
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonSortByInsertion(base + i * width, Min(n - i, PGBSON_SORT_RUN), width, spare, compare);
	}
	for (Size run = PGBSON_SORT_RUN; run < n; run *= 2)
	{
		for (Size i = 0; n - i > run; i += run * 2)
		{
			char	   *first = base + i * width;
			char	   *second = first + run * width;

			CHECK_FOR_INTERRUPTS();
			if (compare(second - width, second) > 0)
				PgBsonSortMerge(first, second, base + Min(n, i + run * 2) * width, width, spare,
								compare);
			if (n - i <= run * 2)
				break;
		}
	}
	pfree(spare);
}

/* Sort n elements of "width" bytes each */
extern void PgBsonSort(void *elements, Size n, Size width, PgBsonComparator compare);

#endif							/* PGBSON_SORT_H */
