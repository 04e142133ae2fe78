/*
 * update_tree.h
 *	  An update made ready: its paths as a tree, for the files update*.c alone.
 *
 * A node stands for a place in the document.  Its children are the fields, or
 * the elements, that change below it; a leaf has the operator that changes
 * the value there.  Children come in the order in which MongoDB applies them,
 * which is that of the fields they add: numbers by value, else bytewise.
 */
#ifndef PGBSON_UPDATE_TREE_H
#define PGBSON_UPDATE_TREE_H

#include "core/find/path.h"
#include "mongo/update/pipeline.h"
#include "mongo/update/update_operator.h"

/* MongoDB adds no more nulls than these to an array, to reach a position behind its end */
#define PGBSON_UPDATE_MAX_PADDING	1500000

typedef struct PgBsonUpdateNode PgBsonUpdateNode;

typedef enum PgBsonUpdateNodeKind
{
	PGBSON_UPDATE_FIELDS,		/* children by name; in an array by position */
	PGBSON_UPDATE_ELEMENTS,		/* children by array filter: $[] and $[name] */
	PGBSON_UPDATE_LEAF
} PgBsonUpdateNodeKind;

typedef struct PgBsonUpdateChild
{
	const char *key;			/* of ELEMENTS: the filter's name, empty for $[] */
	uint32		key_len;
	PgBsonUpdateNode *node;
} PgBsonUpdateChild;

struct PgBsonUpdateNode
{
	PgBsonUpdateNodeKind kind;
	bool		creates;		/* below is a leaf that makes what is missing, or $[], which must find its array */
	bool		strict;			/* below is a leaf that refuses a path through a scalar */
	bool		renames;		/* below is where a $rename puts its value */
	bool		sources;		/* below is where a $rename takes its value */
	int			nchildren;
	PgBsonUpdateChild *children;
	PgBsonUpdateNode *positional;	/* of FIELDS: the child "$" */
	const PgBsonQuery *filter;	/* of a child of ELEMENTS; NULL: every element */
	PgBsonUpdateOp *op;			/* of LEAF */
};

struct PgBsonUpdate
{
	PgBsonValue replacement;	/* type EOD: there are operators, or the next */
	PgBsonPipeline *pipeline;
	bool		positional;
	bool		insert;
	int			nrenames;
	PgBsonUpdateNode *root;
};

/* MongoDB's order of names below one node */
extern int	PgBsonUpdateCompareKeys(const char *a, uint32 a_len, const char *b, uint32 b_len);

/* The document with this _id first, and without any other, palloc'd (update.c) */
extern PgBson *PgBsonUpdateWithId(PgBsonView doc, const PgBsonValue *id);

/* Change the document by the tree */
extern PgBson *PgBsonUpdateApplyTree(PgBsonUpdateRun *run, PgBsonView doc);

#endif							/* PGBSON_UPDATE_TREE_H */
