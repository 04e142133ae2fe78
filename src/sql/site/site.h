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
 * (PgBsonArgIsConst), and data that is compared with the
 * arguments at each call (of parameters, sql/site/kept.h does so).
 */
#ifndef PGBSON_SITE_H
#define PGBSON_SITE_H

#include "core/find/path_args.h"

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

/*
 * The arguments from "first" on, each a text key, an int4 index or a text[]
 * path; palloc'd.  "copy": the keys too, so that they outlive the arguments.
 */
extern PgBsonSteps PgBsonStepsFromArgs(FunctionCallInfo fcinfo, int first, bool copy);

/*
 * Is the argument a constant of this call site, so that what is derived from it can be kept in
 * fn_extra?  A Param is not, although the server's get_fn_expr_arg_stable says so: PL/pgSQL keeps the
 * call sites of a simple expression from one evaluation to the next, with other values in its
 * variables.  The elements of = ANY (array) are not constants either.
 */
extern bool PgBsonArgIsConst(const FmgrInfo *flinfo, int argno);

/* Is the argument a parameter, which mostly has the same value at each call? */
extern bool PgBsonArgIsParam(const FmgrInfo *flinfo, int argno);

#endif							/* PGBSON_SITE_H */
