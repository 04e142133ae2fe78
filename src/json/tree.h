/*
 * tree.h
 *	  json-c's tree to bson.
 */
#ifndef PGBSON_TREE_H
#define PGBSON_TREE_H

#include "pgbson.h"

struct json_object;

/*
 * Pass over the tree once, into a builder.  Returns a palloc'd datum; NULL
 * after a soft error, which is about a wrapper of Extended JSON.
 */
extern PgBson *PgBsonFromTree(struct json_object *tree, struct Node *escontext);

#endif							/* PGBSON_TREE_H */
