/*
 * compiled.h
 *	  What a call site compiles from arguments that seldom change: a query, an
 *	  update, a projection, an expression, a sort.
 *
 *		typedef struct ThingSite
 *		{
 *			PgBsonCompiled compiled;
 *			Thing	   *thing;
 *		} ThingSite;
 *
 *		static const int args[] = {1};
 *		ThingSite  *site = PgBsonCompiledSite(fcinfo, sizeof(ThingSite), args, lengthof(args), compile_thing);
 *
 * compile_thing() is called at the first call, and whenever an argument has
 * other bytes than before.
 */
#ifndef PGBSON_COMPILED_H
#define PGBSON_COMPILED_H

#include "core/bytes/view.h"
#include "sql/site/site.h"

#define PGBSON_MAX_COMPILED		3

/* The first member of a site */
typedef struct PgBsonCompiled
{
	MemoryContext context;		/* of what was compiled, and of the bytes below */
	bool		ready;
	bool		constant;		/* the arguments are constants of the call site */
	PgBsonView	args[PGBSON_MAX_COMPILED];	/* data is NULL for one that is not given */
} PgBsonCompiled;

/*
 * Fill in the rest of the site, in the current memory context, from
 * compiled->args, whose bytes live as long as the result.  It may raise errors.
 */
typedef void (*PgBsonCompiler) (PgBsonCompiled *compiled);

/* The rest of PgBsonCompiledSite: compares the arguments with those before, and compiles them anew if they differ */
extern PgBsonCompiled *PgBsonCompileArgs(FunctionCallInfo fcinfo, Size size, const int *args, int nargs,
										 PgBsonCompiler compile);

/*
 * The site, ready for these arguments, of type bson.  Those that the call does
 * not have, and those that are NULL, are not given.  A call without a call
 * site gets a site of its own in the current memory context.
 */
static inline void *
PgBsonCompiledSite(FunctionCallInfo fcinfo, Size size, const int *args, int nargs,
				   PgBsonCompiler compile)
{
	PgBsonCompiled *compiled = fcinfo->flinfo == NULL ? NULL : fcinfo->flinfo->fn_extra;

	if (likely(compiled != NULL && compiled->ready && compiled->constant))
		return compiled;
	return PgBsonCompileArgs(fcinfo, size, args, nargs, compile);
}

#endif							/* PGBSON_COMPILED_H */
