/*
 * update_tree.h
 *	  An update made ready: its paths as a tree, for the files update*.c alone.
 *
 * A node stands for a place in the document.  Its children are the fields, or
 * the elements, that change below it; a leaf has the operator that changes
 * the value there.  MongoDB applies the children, and adds their fields, in a fixed order, and so
 * do we: names that are numbers sort by value, others bytewise.  The authority is MongoDB's
 * src/mongo/db/update/update_object_node.cpp.
 */
#ifndef PGBSON_UPDATE_TREE_H
#define PGBSON_UPDATE_TREE_H

#include "mongo/update/pipeline.h"
#include "mongo/update/update_operator.h"

/* The most nulls that are added to an array to reach a position behind its end, as in MongoDB */
#define PGBSON_UPDATE_MAX_PADDING	1500000

typedef struct PgBsonUpdateNode PgBsonUpdateNode;

typedef enum PgBsonUpdateNodeKind
{
	PGBSON_UPDATE_FIELDS,		/* the children have names of fields or, in an array, positions */
	PGBSON_UPDATE_ELEMENTS,		/* the children are the array filters $[] and $[name] */
	PGBSON_UPDATE_LEAF
} PgBsonUpdateNodeKind;

typedef struct PgBsonUpdateChild
{
	const char *key;			/* in ELEMENTS: the filter's name; empty for $[] */
	uint32		key_len;
	PgBsonUpdateNode *node;
} PgBsonUpdateChild;

struct PgBsonUpdateNode
{
	PgBsonUpdateNodeKind kind;
	bool		creates;		/* an operator below adds missing values; or $[] is below, which requires that its array exists */
	bool		strict;			/* an operator below does not accept a path that leads through a scalar */
	bool		renames;		/* a $rename puts its value somewhere below */
	bool		sources;		/* a $rename takes its value somewhere below */
	int			nchildren;
	PgBsonUpdateChild *children;
	PgBsonUpdateNode *positional;	/* FIELDS: the child for "$" */
	const PgBsonQuery *filter;	/* for a child of ELEMENTS: the filter; NULL: it applies to every element */
	PgBsonUpdateOp *op;			/* of LEAF */
};

struct PgBsonUpdate
{
	PgBsonValue replacement;	/* the replacing document; its type is EOD if there are operators or a pipeline */
	PgBsonPipeline *pipeline;
	bool		positional;
	bool		insert;
	int			nrenames;
	PgBsonUpdateNode *root;
};

/* Compare names below one node in MongoDB's order */
extern int	PgBsonUpdateCompareKeys(const char *a, uint32 a_len, const char *b, uint32 b_len);

/* The document with this _id as its first field, and no other _id, palloc'd (update.c) */
extern PgBson *PgBsonUpdateWithId(PgBsonView doc, const PgBsonValue *id);

struct PgBsonUpdateFilters;

/* Parse a document of operators into the update's tree; 22023 for an update that cannot be understood */
extern void PgBsonUpdateParseTree(PgBsonUpdate *update, const PgBsonValue *operators,
								  const struct PgBsonUpdateFilters *filters);

/* Apply the tree to the document */
extern PgBson *PgBsonUpdateApplyTree(PgBsonUpdateRun *run, PgBsonView doc);

#endif							/* PGBSON_UPDATE_TREE_H */
