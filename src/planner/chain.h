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

/*
 * bson_walk_as, if the expression is a call of ->> or #>> or what became of it, and that
 * call's arguments; else InvalidOid.
 */
extern Oid	PgBsonTextCastOf(Node *node, List **args);

#endif							/* PGBSON_CHAIN_H */
