/*
 * aggregate.h
 *	  The states of aggregates, which their functions hand on as pointers of type internal.
 */
#ifndef PGBSON_AGGREGATE_H
#define PGBSON_AGGREGATE_H

#include "pgbson.h"

/* An argument as a state that begins with this number; XX000 if it is none */
extern void *PgBsonStateArgument(FunctionCallInfo fcinfo, int argno, uint64 magic);

/* Where the state of a transition function lives; XX000 if no aggregate calls it */
extern MemoryContext PgBsonStateContext(FunctionCallInfo fcinfo);

#endif							/* PGBSON_AGGREGATE_H */
