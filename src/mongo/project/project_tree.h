/*
 * project_tree.h
 *	  A parsed projection: its paths as a tree, for the files project*.c alone.
 *
 * A document is shown in two passes over the tree.  The first keeps what is
 * included, or not left out, in the document's order (project.c).  The second pass adds the
 * calculated fields, each in the place of a field of its name, or else after all others in the
 * projection's order (project_compute.c).  If nothing is calculated there is only the first pass;
 * for $addFields, which keeps every field, only the second.  The authority is MongoDB's
 * src/mongo/db/query/projection_parser.cpp.
 */
#ifndef PGBSON_PROJECT_TREE_H
#define PGBSON_PROJECT_TREE_H

#include "core/bytes/keyset.h"
#include "mongo/project/project.h"
#include "mongo/query/match.h"

typedef enum PgBsonProjectKind
{
	PGBSON_PROJECT_PATH,		/* an inner node, with children */
	PGBSON_PROJECT_INCLUDE,
	PGBSON_PROJECT_EXCLUDE,
	PGBSON_PROJECT_SLICE,
	PGBSON_PROJECT_ELEM_MATCH,
	PGBSON_PROJECT_POSITIONAL,
	PGBSON_PROJECT_COMPUTE		/* an expression's value */
} PgBsonProjectKind;

typedef struct PgBsonProjectNode
{
	PgBsonProjectKind kind;
	PgBsonKeySet names;			/* PATH: the names of the children, in the projection's order */
	List	   *children;		/* of each name, PgBsonProjectNode */
	bool		positional;		/* PATH: a node POSITIONAL is somewhere below */
	bool		computes;		/* the second pass puts a value here or below */
	bool		hidden;			/* the first pass does not show it, if fields are included */
	int			nhidden;		/* how many children it does not show */
	bool		skips;			/* SLICE: "skip" is given */
	int32		skip;
	int32		limit;
	PgBsonPosition *condition;	/* of ELEM_MATCH */
	PgBsonExpression *expression;	/* of COMPUTE */
	int			number;			/* COMPUTE: the expression's number in the projection */
} PgBsonProjectNode;

struct PgBsonProjection
{
	bool		includes;		/* fields that the projection does not name are left out; else they are kept */
	bool		adds;			/* $addFields: everything is kept, and there is only the second pass */
	PgBsonExprUse *use;			/* of variables by the expressions; NULL: find(), whose expressions can use none */
	PgBsonProjectNode *root;
	int			nexpressions;
	PgBsonPosition *position;	/* the element that the query finds, if a path ends in "$" */
};

/* The state while a document is projected */
typedef struct PgBsonProjectRun
{
	const PgBsonProjection *projection;
	PgBsonValue doc;
	const PgBsonValue *variables;	/* of expressions; or NULL */
	bool		has_position;
	uint32		position;
	PgBsonValue *computed;		/* each expression's value; before it is evaluated, of type EOD and without data */
	bool	   *is_computed;
	Size		written;		/* bytes of computed values in the result */
	PgBsonWriter w;
} PgBsonProjectRun;

/* A node without children, palloc'd */
extern PgBsonProjectNode *PgBsonProjectNodeNew(PgBsonProjectKind kind);

/* The list cell for the child of this name; it holds NULL if the child is new */
extern ListCell *PgBsonProjectChild(PgBsonProjectNode *node, const char *name, uint32 len);

/* Put a node at the place that the first "len" bytes of the field's name, a path, lead to */
extern void PgBsonProjectAdd(PgBsonProjectNode *parent, const PgBsonIter *field, uint32 len,
							 PgBsonProjectNode *node);

/* The PATH node at the place that the field's path leads to */
extern PgBsonProjectNode *PgBsonProjectPath(PgBsonProjectNode *parent, const PgBsonIter *field);

/* Put an expression at the place that the field's path leads to; the field's value is the expression */
extern void PgBsonProjectAddExpression(PgBsonProjection *projection, PgBsonProjectNode *parent,
									   const PgBsonIter *field);

/* Raise 22023 about a field; "detail" is a whole sentence */
pg_noreturn extern void PgBsonProjectWrong(const PgBsonIter *field, const char *detail);

/* To be called when the tree is complete: find the nodes that the second pass must visit */
extern bool PgBsonProjectSumUp(PgBsonProjectNode *node, bool includes);

/* Write the element that $elemMatch finds in this value of a field, as an array of one element (project.c) */
extern void PgBsonProjectElemMatch(PgBsonProjectRun *run, const PgBsonProjectNode *node, const char *key, uint32 len,
								   const PgBsonValue *value);

/* The second pass: write the document with the calculated fields (project_compute.c) */
extern void PgBsonProjectCompute(PgBsonProjectRun *run, PgBsonView base);

#endif							/* PGBSON_PROJECT_TREE_H */
