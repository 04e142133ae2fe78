/*
 * kept.h
 *	  What a call site remembers from one call to the next, and makes of its arguments.
 *
 * The server gives each call site of a function in a query a pointer, fn_extra.  PgBsonSite creates
 * what is kept there, mostly a struct that begins with a PgBsonKept:
 *
 *		ThingSite *site = PgBsonSite(fcinfo->flinfo, sizeof(ThingSite));
 *
 * Only what is made of constants may be kept there as it is.  What is made of other arguments is kept
 * while they stay the same.  Constants never change.  Parameters seldom do: those of a prepared statement, PL/pgSQL's
 * variables, the outer row's value in a join.  At each call they are compared with copies of
 * those that the result was made of.
 *
 * A result that is cheap to make is kept while the arguments seldom change, one of parameters from the second call on:
 *
 *		if (PgBsonKeep(site, fcinfo, first, count, make_thing))
 *			use what make_thing() put into the site
 *		else
 *			make the result for this call only
 *
 * A result that is not (a query, an update, an expression) is always kept, until an argument changes:
 *
 *		site = PgBsonKeptSite(fcinfo, size, first, count, make_thing);
 */
#ifndef PGBSON_KEPT_H
#define PGBSON_KEPT_H

#include "core/find/path.h"

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
 * Is the argument a constant of this call site?  A Param is not, although the server's get_fn_expr_arg_stable says
 * so: PL/pgSQL keeps the call sites of a simple expression from one evaluation to the next, with other values in its
 * variables.  The elements of = ANY (array) are not constants either.
 */
extern bool PgBsonArgIsConst(FunctionCallInfo fcinfo, int argno);

/* A copy of an argument that is not a constant */
typedef struct PgBsonKeptArg
{
	int			argno;
	bool		is_null;
	bool		is_int;			/* int4, or else a varlena */
	Datum		value;
} PgBsonKeptArg;

/* The first member of a site, or all of it; begins as zeroes; kept in fn_extra */
typedef struct PgBsonKept
{
	bool		looked;			/* the arguments were examined: are they constants or parameters? */
	bool		always;			/* keep the result however often the arguments change */
	bool		never;			/* the arguments change too often, so keep nothing any more */
	bool		made;			/* the result of the present arguments is there */
	int			nargs;			/* the number of arguments that are not constants */
	int			credit;			/* grows while the arguments stay the same; a change costs some */
	PgBsonKeptArg *args;
	MemoryContext context;		/* of the result */
	void	   *thing;			/* the result, if it is one thing */
	int			location;		/* of the call in the text of its statement; -1 if not known */
} PgBsonKept;

/*
 * The place in its statement of the call whose site PgBsonKeptSite was asked for last, or of one that asked for no site
 * but was located.  After an error this is the call that failed.
 */
extern int	PgBsonCallLocation;
extern void PgBsonLocateCall(FunctionCallInfo fcinfo);

extern bool PgBsonKeptArgsAreSame(PgBsonKept *kept, FunctionCallInfo fcinfo);

/* Is there a result, and are the arguments still those that it was made of? */
static inline bool
PgBsonIsKept(PgBsonKept *kept, FunctionCallInfo fcinfo)
{
	return kept->made && (kept->nargs == 0 || PgBsonKeptArgsAreSame(kept, fcinfo));
}

/*
 * A function that makes the result of the arguments, in the current memory context, and puts it into
 * the site.  It may raise errors.
 */
typedef void (*PgBsonKeeper) (FunctionCallInfo fcinfo, void *site);

/* PgBsonKeep for a site that may keep one, but has no result for these arguments */
extern bool PgBsonKeepAnew(PgBsonKept *kept, FunctionCallInfo fcinfo, int first, int count, PgBsonKeeper make);

/*
 * Is there a result for these arguments, "count" of them from "first" on?  If not, "make" is called if
 * the result can be kept.  "site" begins with a PgBsonKept; it is NULL in a call without a call site.
 */
static inline bool
PgBsonKeep(void *site, FunctionCallInfo fcinfo, int first, int count, PgBsonKeeper make)
{
	PgBsonKept *kept = site;

	return kept != NULL && (PgBsonIsKept(kept, fcinfo) ||
							(!kept->never && PgBsonKeepAnew(kept, fcinfo, first, count, make)));
}

extern void *PgBsonKeepAlways(FunctionCallInfo fcinfo, Size size, int first, int count, PgBsonKeeper make);

/*
 * The site, which begins with a PgBsonKept, with the result for these arguments; those that the call does not have are
 * left out.  A call without a call site gets a site of its own in the current memory context.
 */
static inline void *
PgBsonKeptSite(FunctionCallInfo fcinfo, Size size, int first, int count, PgBsonKeeper make)
{
	PgBsonKept *kept = fcinfo->flinfo == NULL ? NULL : fcinfo->flinfo->fn_extra;

	if (likely(kept != NULL && PgBsonIsKept(kept, fcinfo)))
	{
		PgBsonCallLocation = kept->location;
		return kept;
	}
	return PgBsonKeepAlways(fcinfo, size, first, count, make);
}

/*
 * For a PgBsonKeeper: a bson argument, which lives as long as the result; of type PGBSON_EOD if it is
 * NULL or the call does not have it
 */
extern PgBsonValue PgBsonKeptValue(FunctionCallInfo fcinfo, const void *site, int argno);

/*
 * Defines a keeper for a site that is a PgBsonKept: it keeps one thing, made of argument 1, which is
 * "value" in the expression
 */
#define PGBSON_KEEPER(name, made) \
static void \
name(FunctionCallInfo fcinfo, void *site) \
{ \
	PgBsonValue value = PgBsonKeptValue(fcinfo, site, 1); \
\
	((PgBsonKept *) site)->thing = made; \
}

/* --- finding a value at steps that are arguments --- */

/*
 * Makes the steps of a path from the arguments; *steps has no steps yet, but memory for one.  With "copy" the steps
 * must not point into the arguments, as they are kept for later calls.
 */
typedef void (*PgBsonMakeSteps) (FunctionCallInfo fcinfo, bool copy, PgBsonSteps *steps);

/* What a call site remembers between calls; begins as zeroes */
typedef struct PgBsonGetSite
{
	PgBsonKept	kept;			/* the first member */
	PgBsonFetchHint hint;
	PgBsonMakeSteps make;
	PgBsonSteps steps;			/* made of the arguments, while they are kept */
	PgBsonStep	room;			/* for a single one */
} PgBsonGetSite;

/* PgBsonFindSteps with steps that are not kept, or have to be made anew because the arguments changed */
extern bool PgBsonFindAnew(FunctionCallInfo fcinfo, PgBsonGetSite *site, int argno, PgBsonMakeSteps make,
						   PgBsonValue *result);

/*
 * Find the value in argument "argno" at the steps that the arguments behind it give.  Mostly these have been made.  The
 * site is the call's own if NULL.
 */
static inline bool
PgBsonFindSteps(FunctionCallInfo fcinfo, PgBsonGetSite *site, int argno, PgBsonMakeSteps make, PgBsonValue *result)
{
	if (site == NULL && fcinfo->flinfo != NULL)
		site = fcinfo->flinfo->fn_extra;
	if (unlikely(site == NULL || !PgBsonIsKept(&site->kept, fcinfo) || site->steps.has_null))
		return PgBsonFindAnew(fcinfo, site, argno, make, result);
	return PgBsonFetchPath(PG_GETARG_DATUM(argno), site->steps.steps, site->steps.count, &site->hint, result);
}

/*
 * Find a value as a chain of -> does: the last argument is the names, a text[], the one before it the document.  The
 * result points into the document; it is BSON null if there is no such value.  The site is the call's own if NULL.
 */
extern PgBsonValue PgBsonFindNames(FunctionCallInfo fcinfo, PgBsonGetSite *site);

#endif							/* PGBSON_KEPT_H */
