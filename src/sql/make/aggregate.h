/*
 * aggregate.h
 *	  The states of aggregates, which their functions hand on as pointers of type internal.
 */
#ifndef PGBSON_AGGREGATE_H
#define PGBSON_AGGREGATE_H

#include "core/bytes/view.h"

/* An argument as a state that begins with this number; XX000 if it is none */
extern void *PgBsonStateArgument(FunctionCallInfo fcinfo, int argno, uint64 magic);

/* Where the state of a transition function lives; XX000 if no aggregate calls it */
extern MemoryContext PgBsonStateContext(FunctionCallInfo fcinfo);

/* sum.c: the transition of a sum or a mean, whose state is argument 0, by this value; no number is ignored */
extern Datum PgBsonSumTransition(FunctionCallInfo fcinfo, const PgBsonValue *value);

#endif							/* PGBSON_AGGREGATE_H */
