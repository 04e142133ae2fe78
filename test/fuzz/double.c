/*
 * double.c
 *	  Digits and an exponent: what PgBsonShortestDouble says agrees with strtod and the shortest spelling.
 *
 * Each input is the first of many cases: the number, its neighbours, and then
 * random ones.
 */
#include "fuzz.h"

#include "common/shortest_dec.h"
#include "core/number/number_text.h"

#define NEIGHBOURS	16
#define RANDOM_CASES	64

/* The digits of a double's shortest spelling, and its exponent; false of infinity and NaN */
static bool
take_apart(double d, uint64 *digits, int *exponent)
{
	char		text[DOUBLE_SHORTEST_DECIMAL_LEN];
	const char *p = text;
	bool		point = false;

	double_to_shortest_decimal_buf(d, text);
	*digits = 0;
	*exponent = 0;
	for (p += *p == '-'; (*p >= '0' && *p <= '9') || *p == '.'; p++)
	{
		if (*p == '.')
			point = true;
		else
		{
			*digits = *digits * 10 + (*p - '0');
			*exponent -= point;
		}
	}
	if (*p == 'e')
		*exponent += atoi(p + 1);
	else if (*p != '\0')
		return false;
	while (*digits > 0 && *digits % 10 == 0)
	{
		*digits /= 10;
		++*exponent;
	}
	return true;
}

/* What it takes for a double's shortest spelling is one, and the double is strtod's */
static void
check_digits(uint64 digits, int exponent)
{
	char		text[64];
	uint64		shortest;
	int			shortest_exponent;
	double		got;
	double		want;

	if (!PgBsonShortestDouble(digits, exponent, &got))
		return;
	snprintf(text, sizeof(text), UINT64_FORMAT "e%d", digits, exponent);
	want = strtod(text, NULL);
	if (memcmp(&got, &want, sizeof(got)) != 0)
		FuzzFail("%s is %.17g, not %.17g", text, want, got);
	if (!take_apart(got, &shortest, &shortest_exponent) ||
		shortest != digits || shortest_exponent != exponent)
		FuzzFail("%s is not the shortest spelling of %.17g", text, got);
}

static uint64
next_random(uint64 *state)
{
	*state = *state * UINT64CONST(6364136223846793005) + UINT64CONST(1442695040888963407);
	return *state ^ (*state >> 29);
}

/* A double, and decimals beside its shortest spelling */
static void
check_double(uint64 bits)
{
	uint64		digits;
	int			exponent;
	double		d;

	memcpy(&d, &bits, sizeof(d));
	if (!take_apart(d, &digits, &exponent) || digits == 0)
		return;
	check_digits(digits, exponent);
	for (int i = -9; i <= 9; i++)
	{
		check_digits(digits + i, exponent);
		check_digits(digits * 10 + i, exponent - 1);
	}
	check_digits(digits / 10, exponent + 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64		input[2] = {0, 0};
	uint64		random;

	memcpy(input, data, Min(size, sizeof(input)));
	random = input[0] ^ input[1];
	for (int i = -NEIGHBOURS; i <= NEIGHBOURS; i++)
	{
		check_double(input[0] + i);
		check_digits(input[0] + i, (int) (input[1] % 700) - 350);
	}
	for (int i = 0; i < RANDOM_CASES; i++)
	{
		check_double(next_random(&random));
		/* a power of two */
		check_double(random & UINT64CONST(0xFFF0000000000000));
		/* of all lengths, also those that no shortest spelling has */
		check_digits(next_random(&random) >> (random >> 33) % 60,
							(int) (next_random(&random) % 700) - 350);
	}
	return 0;
}
