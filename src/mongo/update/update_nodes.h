/*
 * update_nodes.h
 *	  The nodes of an update's tree that apply to one value together.
 *
 * Array filters and "$" can lead to one value by several nodes.  They are then applied together,
 * where MongoDB merges the nodes into one (src/mongo/db/update/update_node.cpp).
 */
#ifndef PGBSON_UPDATE_NODES_H
#define PGBSON_UPDATE_NODES_H

#include "mongo/update/update_tree.h"

/* The nodes, mostly one, that apply to one value */
typedef struct PgBsonUpdateNodes
{
	PgBsonUpdateNode *const *list;
	int			count;
} PgBsonUpdateNodes;

/*
 * The children of all these nodes, sorted by name.  If there are several nodes, children with the
 * same name are neighbours.
 */
typedef struct PgBsonUpdateChildren
{
	const PgBsonUpdateChild *list;
	int			count;
	bool		owned;			/* the list was allocated for this */
	bool	   *met;			/* for each child: whether the document has its value */
	bool		few[64];		/* what "met" is of most */
} PgBsonUpdateChildren;

/* Those nodes among the children that have the name of child number "first", up to number "end" */
typedef struct PgBsonUpdateGroup
{
	int			first;
	int			end;
	PgBsonUpdateNodes nodes;
	PgBsonUpdateNode *few[8];
} PgBsonUpdateGroup;

/* An operator at the node or below it, to be named in error messages */
extern const PgBsonUpdateOp *PgBsonUpdateSomeOp(const PgBsonUpdateNode *node);

/* The kind that all these nodes have; raises 22023 if they differ, or if several are leaves */
extern PgBsonUpdateNodeKind PgBsonUpdateKindOf(const PgBsonUpdateNodes *nodes);

/* Collect the children of all nodes, which must not be those of filters; to be freed */
extern void PgBsonUpdateGather(const PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes, PgBsonUpdateChildren *c);
extern void PgBsonUpdateReleaseChildren(PgBsonUpdateChildren *c);

/* The number of the first child with this name, or -1 */
extern int	PgBsonUpdateFindChild(const PgBsonUpdateChildren *c, const char *key, uint32 key_len);

/* The children that have the same name as child number "first"; to be freed */
extern void PgBsonUpdateGroupOf(const PgBsonUpdateChildren *c, int first, PgBsonUpdateGroup *g);
extern void PgBsonUpdateReleaseGroup(PgBsonUpdateGroup *g);

/* Does a $rename put a value at the node or below it? */
extern bool PgBsonUpdateRenames(const PgBsonUpdateRun *run, const PgBsonUpdateNode *node);

/* Does an operator at one of the nodes, or below, add a value that is missing? */
extern bool PgBsonUpdateNodesCreate(const PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes);

/*
 * The path cannot go on at this value, a scalar or an array without such a position: raises 22023
 * if one of the nodes does not accept that
 */
extern void PgBsonUpdateCheckBarred(const PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes, const PgBsonValue *bar);

#endif							/* PGBSON_UPDATE_NODES_H */
