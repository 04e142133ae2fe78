/*
 * store.h
 *	  Set-returning functions that put all their rows into a tuplestore at once.
 *
 * Their call site's fn_extra is their own, unlike that of a function that returns row by
 * row, so they can remember what they compiled.
 */
#ifndef PGBSON_STORE_H
#define PGBSON_STORE_H

#include "pgbson.h"

#include "nodes/execnodes.h"
#include "utils/tuplestore.h"

/* Does the caller prefer a tuplestore, as FROM does?  Its rows must have this number of columns. */
extern bool PgBsonStoreWanted(FunctionCallInfo fcinfo, int ncolumns);

/* Where a set-returning function says how its rows come; an error if it was not called as one */
extern ReturnSetInfo *PgBsonReturnRows(FunctionCallInfo fcinfo);

/* Tell the caller that the rows come in a store; an error if it does not take one.  Without a store there is no row. */
extern ReturnSetInfo *PgBsonReturnStore(FunctionCallInfo fcinfo);

/* Make the store, for rows of this type, which may be the one that the caller expects */
extern Tuplestorestate *PgBsonStoreMake(ReturnSetInfo *rsinfo, TupleDesc desc);

#endif							/* PGBSON_STORE_H */
