/*
 * chain.h
 *	  What the planner knows of accessors.
 */
#ifndef PGBSON_CHAIN_H
#define PGBSON_CHAIN_H

#include "pgbson.h"

#include "nodes/pg_list.h"

/* The function and the arguments of a call, written as a function or as an operator; false for other expressions */
extern bool PgBsonCallOf(Node *node, Oid *funcid, List **args);

/*
 * bson_walk_as, if the expression is a call of ->> or #>> or what became of it, and that
 * call's arguments; else InvalidOid.  Also InvalidOid if PUBLIC may not execute both functions.
 */
extern Oid	PgBsonTextCastOf(Node *node, List **args);

/* May everybody execute it?  What is not executed as it is written must be executable by all who may execute the plan. */
extern bool PgBsonIsPublic(Oid funcid);

/* Is the first item of a plan's dependencies the mark of a plan with a text accessor that fuse.c has not seen? */
extern bool PgBsonIsMarked(List *invalItems);

#endif							/* PGBSON_CHAIN_H */
