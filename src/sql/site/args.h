/*
 * args.h
 *	  The arguments of a call site: which stay the same, and path steps of them.
 */
#ifndef PGBSON_ARGS_H
#define PGBSON_ARGS_H

#include "core/find/path_args.h"

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

#endif							/* PGBSON_ARGS_H */
