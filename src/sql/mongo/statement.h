/*
 * statement.h
 *	  The SQL statements that pipelines are translated to: analyzed, checked and run.
 *
 * A statement qualifies all names with schemas.  That does not suffice where other roles can create objects in the
 * extension's schema: an overloaded function or operator there could fit the types of a call better than ours, such as
 * an operator bson -> bson for data -> 'key', or bson_build_object(text, bson).  So after the analysis every call is
 * checked to be resolved to a function of the server or of this extension, and this Query is run; the text is not
 * analyzed again.  For a text that a user gets and runs later there is no such guarantee.
 */
#ifndef PGBSON_STATEMENT_H
#define PGBSON_STATEMENT_H

#include "pgbson.h"

/* below the first, which includes postgres.h */
#include "executor/execdesc.h"
#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"
#include "pipeline/translate.h"

/*
 * The table and column that the statement for this call reads, from argument 0, a regclass, and argument "column_arg",
 * the column's name; and the variables and the collation from the arguments after that, if there are such.  All is
 * palloc'd.
 */
extern PgBsonTarget PgBsonTargetOf(FunctionCallInfo fcinfo, int column_arg);

/*
 * Analyze and check the statement on behalf of this function of the extension.  Raises the errors of the analysis, and
 * 42725 for a call that is resolved to another function.  The statement has parameters $1 and so on, all of this type.
 */
extern void PgBsonStatementCheck(Oid function, const char *text, int nparameters, Oid type);

/*
 * The same, and return a text of it for people: without the schemas of the current search_path, if the shorter text is
 * analyzed to the same Query; else "text" itself.
 */
extern const char *PgBsonStatementShort(Oid function, const char *text);

/* Rewrite an analyzed statement (rules, row security); the query given is modified */
extern Query *PgBsonStatementRewrite(Query *query);

/* A statement of a pipeline that is run */
typedef struct PgBsonRun
{
	const char *text;
	List	   *spans;			/* see PgBsonTranslatePipeline */
	PgBsonValue pipeline;
	QueryDesc  *query;			/* from PgBsonRunBegin to PgBsonRunEnd */
} PgBsonRun;

/*
 * Translate and analyze the pipeline of this call of bson_aggregate.  Sets *query, and the members of *run except its
 * "query"; all are palloc'd in the current memory context.  False if the argument with the pipeline is NULL.
 */
extern bool PgBsonRunPrepare(FunctionCallInfo fcinfo, PgBsonRun *run, Query **query);

/*
 * Plan an analyzed query and start its execution, with the rights and the active snapshot of the caller.  "options" are
 * the planner's cursor options; "dest" receives the rows.  All is allocated in the current memory context, which must
 * last until PgBsonRunEnd.
 */
extern void PgBsonRunBegin(PgBsonRun *run, Query *query, int options, DestReceiver *dest);

/* Send "count" more rows to the receiver, or all if 0 */
extern void PgBsonRunRows(PgBsonRun *run, uint64 count);

/* End the execution, and free what belongs to it; the receiver is the caller's */
extern void PgBsonRunEnd(PgBsonRun *run);

/* Put the queries of pipelines in the place of calls of bson_aggregate in FROM, before the query is planned */
extern void PgBsonInlineCalls(Query *query, PlannerInfo *root);

/* SQL: bson_aggregate, with whose address the planner's support function compares that of the called function */
extern PGDLLEXPORT Datum pgbson_aggregate(PG_FUNCTION_ARGS);

#endif							/* PGBSON_STATEMENT_H */
