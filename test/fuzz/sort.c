/*
 * sort.c
 *	  A list of small numbers, by elements of three sizes: sorted, equal ones in
 *	  their order, in no more comparisons than n log n.
 */
#include "fuzz.h"

#include "core/bytes/sort.h"

#define MOST		4096

typedef struct Element
{
	uint8		value;
	uint32		place;			/* in the input */
	char		rest[40];
} Element;

static Element elements[MOST];
static Element *pointers[MOST];
static uint8 bytes[MOST];
static size_t n;
static uint64 comparisons;

static int
compare_elements(const void *a, const void *b)
{
	comparisons++;
	return ((const Element *) a)->value - ((const Element *) b)->value;
}

static int
compare_pointers(const void *a, const void *b)
{
	return compare_elements(*(Element *const *) a, *(Element *const *) b);
}

static int
compare_bytes(const void *a, const void *b)
{
	comparisons++;
	return *(const uint8 *) a - *(const uint8 *) b;
}

static void
check_count(void)
{
	uint64		most = n * 4;	/* insertion into eight, on average; and one more for each merge */

	for (size_t i = 1; i < n; i *= 2)
		most += n;
	FuzzCheck(comparisons <= most);
	comparisons = 0;
}

static void
check(void *arg)
{
	comparisons = 0;
	PgBsonSort(bytes, n, 1, compare_bytes);
	check_count();
	PgBsonSort(pointers, n, sizeof(Element *), compare_pointers);
	check_count();
	for (size_t i = 1; i < n; i++)
		FuzzCheck(pointers[i - 1]->value < pointers[i]->value ||
				  (pointers[i - 1]->value == pointers[i]->value && pointers[i - 1] < pointers[i]));
	PgBsonSort(elements, n, sizeof(Element), compare_elements);
	check_count();
	for (size_t i = 0; i < n; i++)
	{
		/* what was sorted by value and place is in place, so each is there once */
		FuzzCheck(i == 0 || elements[i - 1].value < elements[i].value ||
				  (elements[i - 1].value == elements[i].value &&
				   elements[i - 1].place < elements[i].place));
		FuzzCheck(bytes[i] == elements[i].value);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	n = Min(size, MOST);
	for (size_t i = 0; i < n; i++)
	{
		bytes[i] = elements[i].value = data[i];
		elements[i].place = i;
		pointers[i] = &elements[i];
	}
	if (!FuzzTry(check, NULL))
		FuzzFail("an error: %x", fuzz_sqlstate);
	FuzzReset();
	return 0;
}
