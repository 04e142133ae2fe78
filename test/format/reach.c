/*
 * reach.c
 *	  Which functions of the library ran, for test/bin/mutate.
 *
 * It is linked into a library that was compiled with -finstrument-functions, and never into another one.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

/* Functions are known by their distance from this one, in units of bytes; the library is smaller than these */
#define MOST	(16 * 1024 * 1024)

static uint8 reached[2 * MOST / 8];

extern void __cyg_profile_func_enter(void *function, void *site);
extern void __cyg_profile_func_exit(void *function, void *site);

PG_FUNCTION_INFO_V1(mutate_reached);

__attribute__((no_instrument_function)) void
__cyg_profile_func_enter(void *function, void *site)
{
	ptrdiff_t	at = (char *) function - (char *) mutate_reached + MOST;

	reached[at / 8] |= 1 << at % 8;
}

__attribute__((no_instrument_function)) void
__cyg_profile_func_exit(void *function, void *site)
{
}

/* SQL: mutate_reached() returns text: the distances of the functions that ran since the last call */
Datum
mutate_reached(PG_FUNCTION_ARGS)
{
	StringInfoData s;

	initStringInfo(&s);
	for (int at = 0; at < 2 * MOST; at++)
	{
		if (reached[at / 8] == 0)
			at |= 7;
		else if (reached[at / 8] & 1 << at % 8)
			appendStringInfo(&s, "%d ", at - MOST);
	}
	memset(reached, 0, sizeof(reached));
	PG_RETURN_TEXT_P(cstring_to_text(s.data));
}
