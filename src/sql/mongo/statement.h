/*
 * statement.h
 *	  Statements that stand for what MongoDB does: analyzed, checked and run.
 *
 * The names in a statement have schemas, but a function or operator of other types in the extension's schema could
 * fit better than ours: bson -> bson, for a text in quotes, or bson_build_object(text, bson).  So what is run is the
 * Query in which every call was found to be one of the server's or of this extension, and the text is never analyzed
 * again.  A text that is handed out cannot promise that.
 */
#ifndef PGBSON_STATEMENT_H
#define PGBSON_STATEMENT_H

#include "pgbson.h"

/* below the first, which includes postgres.h */
#include "executor/execdesc.h"
#include "nodes/parsenodes.h"
#include "pipeline/translate.h"

/* What a statement is to read for this call; "column_arg" is the argument with a column's name */
extern PgBsonTarget PgBsonTargetOf(FunctionCallInfo fcinfo, int column_arg);

/*
 * A text for people that means the same as the statement under the search_path of now: without schemas, if that
 * path gives the same names.  The same errors are raised.
 */
extern const char *PgBsonStatementShort(Oid function, const char *text);

/* What the rewriter makes of an analyzed statement; it changes the query that it is given */
extern Query *PgBsonStatementRewrite(Query *query);

/* The statement of a pipeline that is being run */
typedef struct PgBsonRun
{
	const char *text;
	List	   *spans;			/* see PgBsonTranslatePipeline */
	PgBsonValue pipeline;
	QueryDesc  *query;
} PgBsonRun;

/*
 * Translate and analyze the pipeline of this call of bson_aggregate: all members but "query" of *run, and *query, are
 * set.  False if there is no pipeline.
 */
extern bool PgBsonRunPrepare(FunctionCallInfo fcinfo, PgBsonRun *run, Query **query);

/*
 * Begin to run an analyzed query, with the rights and the snapshot of the caller.  What is made is made in
 * the current memory context.  "options" are the planner's.
 */
extern void PgBsonRunBegin(PgBsonRun *run, Query *query, int options, DestReceiver *dest);

/* Send "count" more rows to the receiver, or all if 0 */
extern void PgBsonRunRows(PgBsonRun *run, uint64 count);

extern void PgBsonRunEnd(PgBsonRun *run);

/* SQL: bson_aggregate, of which the planner's support function must know that a call is a call of it */
extern PGDLLEXPORT Datum pgbson_aggregate(PG_FUNCTION_ARGS);

#endif							/* PGBSON_STATEMENT_H */
