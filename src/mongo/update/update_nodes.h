/*
 * update_nodes.h
 *	  The nodes of an update's tree that apply to one value together.
 *
 * Array filters and "$" can lead to one value by several nodes.  They are
 * then applied together, as the node that MongoDB merges them to.
 */
#ifndef PGBSON_UPDATE_NODES_H
#define PGBSON_UPDATE_NODES_H

#include "mongo/update/update_tree.h"

/* Several nodes that apply to one value; of one, mostly */
typedef struct PgBsonUpdateNodes
{
	PgBsonUpdateNode *const *list;
	int			count;
} PgBsonUpdateNodes;

/* The children of all of them, sorted by name; equal names are neighbours if there are several nodes */
typedef struct PgBsonUpdateChildren
{
	const PgBsonUpdateChild *list;
	int			count;
	bool		owned;			/* the list was made for this */
	bool	   *met;			/* of each: its value was there */
	bool		few[64];		/* what "met" is of most */
} PgBsonUpdateChildren;

/* The nodes of the children first..end-1, which have one name */
typedef struct PgBsonUpdateGroup
{
	int			first;
	int			end;
	PgBsonUpdateNodes nodes;
	PgBsonUpdateNode *few[8];
} PgBsonUpdateGroup;

/* An operator at or below the node, for messages */
extern const PgBsonUpdateOp *PgBsonUpdateSomeOp(const PgBsonUpdateNode *node);

/* The kind that all nodes are of; raises 22023 if they differ, or are several leaves */
extern PgBsonUpdateNodeKind PgBsonUpdateKindOf(const PgBsonUpdateNodes *nodes);

/* The children of all nodes, to be released; they have no filters */
extern void PgBsonUpdateGather(const PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes, PgBsonUpdateChildren *c);
extern void PgBsonUpdateReleaseChildren(PgBsonUpdateChildren *c);

/* The first child of this name, or -1 */
extern int	PgBsonUpdateFindChild(const PgBsonUpdateChildren *c, const char *key, uint32 key_len);

/* The children that have one name, from the first of them on; to be released */
extern void PgBsonUpdateGroupOf(const PgBsonUpdateChildren *c, int first, PgBsonUpdateGroup *g);
extern void PgBsonUpdateReleaseGroup(PgBsonUpdateGroup *g);

/* Does a $rename at or below the node put a value somewhere? */
extern bool PgBsonUpdateRenames(const PgBsonUpdateRun *run, const PgBsonUpdateNode *node);

/* Does something at or below one of the nodes make what is missing? */
extern bool PgBsonUpdateNodesCreate(const PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes);

/* The way is barred by a scalar, or by an array that has no names: raises 22023 for nodes that do not put up with it */
extern void PgBsonUpdateCheckBarred(const PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes, const PgBsonValue *bar);

#endif							/* PGBSON_UPDATE_NODES_H */
