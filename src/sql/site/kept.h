/*
 * kept.h
 *	  Arguments that are the same from call to call, so that what is made of them is kept.
 *
 * Constants are, and parameters mostly: those of a prepared statement, PL/pgSQL's variables,
 * the outer row's value in a join.  As they may change, PL/pgSQL keeping a simple expression's
 * call sites from one evaluation to the next, they are compared with copies at each call.
 *
 * What is quickly made is kept while the arguments seldom change:
 *
 *		if (PgBsonKeep(site, fcinfo, first, count, make_thing))
 *			what make_thing() made of them, and put into the site, serves
 *		else
 *			make it for this call only
 *
 * What is not (a query, an update, an expression) is always kept, until an argument has other bytes than before:
 *
 *		site = PgBsonKeptSite(fcinfo, size, first, count, make_thing);
 */
#ifndef PGBSON_KEPT_H
#define PGBSON_KEPT_H

#include "core/bytes/view.h"
#include "pgbson.h"

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
	bool		looked;			/* at what the arguments are */
	bool		always;			/* kept, however often they change */
	bool		never;			/* they change too often */
	bool		made;			/* what is made of them is there */
	int			nargs;			/* those among them that are not constants */
	int			credit;			/* changes take of it */
	PgBsonKeptArg *args;
	MemoryContext context;		/* of what is made of them */
	void	   *thing;			/* what is made of them, if it is one thing */
} PgBsonKept;

extern bool PgBsonKeptArgsAreSame(PgBsonKept *kept, FunctionCallInfo fcinfo);

/* Is what was made of the arguments there, and are they still the same? */
static inline bool
PgBsonIsKept(PgBsonKept *kept, FunctionCallInfo fcinfo)
{
	return kept->made && (kept->nargs == 0 || PgBsonKeptArgsAreSame(kept, fcinfo));
}

/* Makes of the arguments what is kept, in the current memory context, and puts it into the site.  It may raise errors. */
typedef void (*PgBsonKeeper) (FunctionCallInfo fcinfo, void *site);

extern bool PgBsonKeepAnew(PgBsonKept *kept, FunctionCallInfo fcinfo, int first, int count, PgBsonKeeper make);

/*
 * Is there what was made of "count" arguments from "first" on, perhaps anew?  The site begins with a PgBsonKept; NULL: a
 * call that has none.
 */
static inline bool
PgBsonKeep(void *site, FunctionCallInfo fcinfo, int first, int count, PgBsonKeeper make)
{
	PgBsonKept *kept = site;

	if (kept == NULL || kept->never)
		return false;
	return PgBsonIsKept(kept, fcinfo) || PgBsonKeepAnew(kept, fcinfo, first, count, make);
}

extern void *PgBsonKeepAlways(FunctionCallInfo fcinfo, Size size, int first, int count, PgBsonKeeper make);

/*
 * The site, which begins with a PgBsonKept, with what was made of the arguments, of which the call may have fewer.  A call
 * without a call site gets a site of its own in the current memory context.
 */
static inline void *
PgBsonKeptSite(FunctionCallInfo fcinfo, Size size, int first, int count, PgBsonKeeper make)
{
	PgBsonKept *kept = fcinfo->flinfo == NULL ? NULL : fcinfo->flinfo->fn_extra;

	if (likely(kept != NULL && PgBsonIsKept(kept, fcinfo)))
		return kept;
	return PgBsonKeepAlways(fcinfo, size, first, count, make);
}

/* For what makes it: an argument of type bson, which lives as long; of type PGBSON_EOD if it is NULL, or the call does not have it */
extern PgBsonValue PgBsonKeptValue(FunctionCallInfo fcinfo, const void *site, int argno);

#endif							/* PGBSON_KEPT_H */
