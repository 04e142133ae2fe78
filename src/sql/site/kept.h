/*
 * kept.h
 *	  Arguments that are the same from call to call, so that what is made of them is kept.
 *
 * Constants are, and parameters mostly: those of a prepared statement, PL/pgSQL's variables,
 * the outer row's value in a join.  As they may change, PL/pgSQL keeping a simple expression's
 * call sites from one evaluation to the next, they are compared with copies at each call.
 *
 *		if (PgBsonKeep(site, fcinfo, first, count, make_thing))
 *			what make_thing() made of them, and put into the site, serves
 *		else
 *			make it for this call only
 */
#ifndef PGBSON_KEPT_H
#define PGBSON_KEPT_H

#include "pgbson.h"

/* A copy of a parameter */
typedef struct PgBsonKeptParam
{
	int			argno;
	bool		is_int;			/* int4, or else a varlena */
	Datum		value;
} PgBsonKeptParam;

/* Begins as zeroes; kept in fn_extra */
typedef struct PgBsonKept
{
	bool		looked;			/* at what the arguments are */
	bool		never;			/* they change too often, or always */
	bool		made;			/* what is made of them is there */
	int			nparams;		/* parameters among them; the others are constants */
	int			credit;			/* changes take of it */
	PgBsonKeptParam *params;
	MemoryContext context;		/* of what is made of them */
} PgBsonKept;

extern bool PgBsonKeptParamsAreSame(PgBsonKept *kept, FunctionCallInfo fcinfo);

/* Is what was made of the arguments there, and are they still the same? */
static inline bool
PgBsonIsKept(PgBsonKept *kept, FunctionCallInfo fcinfo)
{
	return kept->made && (kept->nparams == 0 || PgBsonKeptParamsAreSame(kept, fcinfo));
}

/* Makes of the arguments what is kept, in the current memory context, and puts it into the site */
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

#endif							/* PGBSON_KEPT_H */
