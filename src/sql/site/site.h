/*
 * site.h
 *	  What a call site remembers from one call to the next.
 *
 * The server gives each call site of a function in a query a pointer,
 * fn_extra.  This header creates everything that is kept there:
 *
 *		typedef struct ThingSite { ... } ThingSite;		begins as zeroes
 *
 *		ThingSite *site = PgBsonSite(fcinfo->flinfo, sizeof(ThingSite));
 *
 * Only two kinds of data may be kept: data derived from constants
 * (PgBsonArgIsConst in sql/site/args.h), and data that is compared with the
 * arguments at each call (of parameters, sql/site/kept.h does so).
 */
#ifndef PGBSON_SITE_H
#define PGBSON_SITE_H

#include "pgbson.h"

/* The site's memory, zeroed at its first call; NULL for a direct call, which has no site */
static inline void *
PgBsonSite(FmgrInfo *flinfo, Size size)
{
	if (flinfo == NULL)
		return NULL;
	if (unlikely(flinfo->fn_extra == NULL))
		flinfo->fn_extra = MemoryContextAllocZero(flinfo->fn_mcxt, size);
	return flinfo->fn_extra;
}

#endif							/* PGBSON_SITE_H */
