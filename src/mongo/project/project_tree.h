/*
 * project_tree.h
 *	  A projection made ready: its paths as a tree, for the files project*.c alone.
 *
 * A document is shown in two passes over the tree.  The first keeps what is
 * included, or not left out, in the document's order (project.c).  The second
 * puts what is calculated into that: in the place of a field of this name, or
 * behind the others in the projection's order (project_compute.c).  Where
 * nothing is calculated there is the first alone, and of $addFields, which keeps
 * everything, the second alone.
 */
#ifndef PGBSON_PROJECT_TREE_H
#define PGBSON_PROJECT_TREE_H

#include "core/bytes/keyset.h"
#include "core/write/write.h"
#include "mongo/expr/expr.h"
#include "mongo/project/project.h"
#include "mongo/query/position.h"
#include "nodes/pg_list.h"

typedef enum PgBsonProjectKind
{
	PGBSON_PROJECT_PATH,		/* there is more below */
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
	PgBsonKeySet names;			/* of PATH, in the projection's order */
	struct PgBsonProjectNode **children;	/* of each name */
	int			room;
	bool		positional;		/* of PATH: POSITIONAL is somewhere below */
	bool		computes;		/* the second pass has something to do here or below */
	bool		skips;			/* of SLICE: the next is given */
	int32		skip;
	int32		limit;
	PgBsonPosition *condition;	/* of ELEM_MATCH */
	PgBsonExpression *expression;	/* of COMPUTE */
	int			number;			/* of COMPUTE: among all expressions */
} PgBsonProjectNode;

struct PgBsonProjection
{
	bool		includes;		/* fields that it does not name are left out; else they are kept */
	bool		adds;			/* everything is kept, there is only the second pass */
	bool		uses_now;		/* an expression asks for $$NOW */
	bool		open;			/* the caller gives the variables */
	List	   *expressions;		/* of those that are open: PgBsonExpression */
	PgBsonProjectNode *root;
	int			nexpressions;
	PgBsonPosition *position;	/* of the query, if there is a positional "$" */
};

/* A document under way */
typedef struct PgBsonProjectRun
{
	const PgBsonProjection *projection;
	PgBsonValue doc;
	const PgBsonValue *variables;	/* of expressions; or NULL */
	bool		has_position;
	uint32		position;
	PgBsonValue *computed;		/* of each expression, type EOD and data NULL before it is evaluated */
	bool	   *is_computed;
	PgBsonWriter w;
} PgBsonProjectRun;

/* A node without children, palloc'd */
extern PgBsonProjectNode *PgBsonProjectNodeNew(PgBsonProjectKind kind);

/* The place of a child, NULL there if it is new */
extern PgBsonProjectNode **PgBsonProjectChild(PgBsonProjectNode *node, const char *name, uint32 len);

/* Put a node where the first "len" bytes of the field's name, a path, lead */
extern void PgBsonProjectAdd(PgBsonProjectNode *parent, const PgBsonIter *field, uint32 len,
							 PgBsonProjectNode *node);

/* The node where the field's path leads, PATH */
extern PgBsonProjectNode *PgBsonProjectPath(PgBsonProjectNode *parent, const PgBsonIter *field);

/* Put an expression where the field's path leads: its value is the operand */
extern void PgBsonProjectAddExpression(PgBsonProjection *projection, PgBsonProjectNode *parent,
									   const PgBsonIter *field, const PgBsonValue *operand, bool with_now);

/* Raise 22023 for a field: "detail" is a whole sentence */
pg_noreturn extern void PgBsonProjectWrong(const PgBsonIter *field, const char *detail);

/* When the tree is done: which nodes compute */
extern bool PgBsonProjectSumUp(PgBsonProjectNode *node, bool includes);

/* The element that $elemMatch finds in a field of this value, as an array of one (project.c) */
extern void PgBsonProjectElemMatch(PgBsonProjectRun *run, const PgBsonProjectNode *node, const char *key, uint32 len,
								   const PgBsonValue *value);

/* The second pass: write the document with what is calculated (project_compute.c) */
extern void PgBsonProjectCompute(PgBsonProjectRun *run, PgBsonView base);

#endif							/* PGBSON_PROJECT_TREE_H */
