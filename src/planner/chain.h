/*
 * chain.h
 *	  What the planner knows of accessors.
 */
#ifndef PGBSON_CHAIN_H
#define PGBSON_CHAIN_H

#include "pgbson.h"

#include "nodes/pg_list.h"

/* Set when an accessor that returns text is planned */
extern bool PgBsonTextsSeen;

/* The function and the arguments of a call, written as a function or as an operator; false for other expressions */
extern bool PgBsonCallOf(Node *node, Oid *funcid, List **args);

/*
 * bson_walk_as, if the expression is a call of ->> or #>> or what became of it, and that
 * call's arguments; else InvalidOid.
 */
extern Oid	PgBsonTextCastOf(Node *node, List **args);

#endif							/* PGBSON_CHAIN_H */
