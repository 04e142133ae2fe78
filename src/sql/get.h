/*
 * get.h
 *	  What the accessors share: making steps of arguments, finding the value, and sinks.
 */
#ifndef PGBSON_GET_H
#define PGBSON_GET_H

#include "sql/site/kept.h"

/* A sink returns the value as a Datum; false for SQL NULL */
typedef bool (*PgBsonSink) (const PgBsonValue *value, Datum *result);

/* A bson, palloc'd; the text of ->>, NULL for null and undefined */
extern bool PgBsonAsBson(const PgBsonValue *value, Datum *result);
extern bool PgBsonAsText(const PgBsonValue *value, Datum *result);

/* These take only a number that is exactly an int4, and only a boolean */
extern bool PgBsonAsInt4(const PgBsonValue *value, Datum *result);
extern bool PgBsonAsBool(const PgBsonValue *value, Datum *result);

/* The value of argument 0 at these steps, through the sink; SQL NULL if there is none */
extern Datum PgBsonGet(FunctionCallInfo fcinfo, const PgBsonStep *steps, int nsteps,
					   PgBsonSink sink);

/* The value of argument 0 at the path in argument 1, a text[], through the sink; SQL NULL if there is none */
extern Datum PgBsonGetPath(FunctionCallInfo fcinfo, PgBsonSink sink);

/*
 * The value at the end of a walk, whose steps are the arguments from 1 on, as planner/chain.c makes them: the value
 * that bson_walk would return, but it points into argument 0.  False if there is none.
 */
extern bool PgBsonFindWalk(FunctionCallInfo fcinfo, PgBsonValue *result);

#endif							/* PGBSON_GET_H */
