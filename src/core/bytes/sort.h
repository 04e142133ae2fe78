/*
 * sort.h
 *	  Sorting what a user gave: no bad case, and can be cancelled.
 *
 * A merge sort.  The server's qsort has orders of its input, which anybody can
 * compute, that take it quadratic time, and it does not check for interrupts.
 * Here every order takes at most n log n comparisons, one that is sorted
 * already takes n, equal elements stay in their order, and the check is made
 * at each comparison that moves something.  The price is room for half of the
 * elements.
 */
#ifndef PGBSON_SORT_H
#define PGBSON_SORT_H

#include "postgres.h"

#include "miscadmin.h"

/* The elements of a run that is sorted by insertion first */
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

/* Two sorted neighbours become one; "spare" has room for the first */
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
	/* what is left of the second is in its place */
	memcpy(to, left, left_end - left);
}

/* PgBsonSort, to be inlined for a width and a comparison that the compiler knows */
static pg_attribute_always_inline void
PgBsonSortInline(void *elements, Size n, Size width, PgBsonComparator compare)
{
	char	   *base = elements;
	Size		half = PGBSON_SORT_RUN;
	char	   *spare;

	if (n < 2)
		return;

	/* the longest first part of a merge */
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
