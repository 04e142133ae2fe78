/*
 * chain.h
 *	  What the planner knows of accessors.
 */
#ifndef PGBSON_CHAIN_H
#define PGBSON_CHAIN_H

#include "pgbson.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/* The function and the arguments of a call, written as a function or as an operator; false for other expressions */
extern bool PgBsonCallOf(Node *node, Oid *funcid, List **args);

/*
 * If the expression is a call of ->> or #>>, or of what the planner made of one, returns the oid of
 * bson_walk_as, or with BOOLOID of bson_walk_equals, and sets *args to the arguments of the call.
 * Otherwise, and if PUBLIC may not execute both functions, returns InvalidOid.
 */
extern Oid	PgBsonTextCallOf(Node *node, Oid result, List **args);

/*
 * May PUBLIC execute the function?  A call that replaces the one that was written must be allowed to
 * everybody who may execute the plan.
 */
extern bool PgBsonIsPublic(Oid funcid);

/*
 * What a finished plan may have that is to be changed, as its mark says: a text accessor, for fuse.c, or a query of
 * MongoDB on a column, for narrow.c.  A plan that is changed has no mark any more.
 */
#define PGBSON_MARK_TEXT		0x01
#define PGBSON_MARK_QUERY		0x02

/* Mark the plan that is being made; and the marks of a plan with these dependencies, 0 if there are none */
extern void PgBsonMark(PlannerInfo *root, uint32 marks);
extern uint32 PgBsonMarksOf(List *invalItems);

/* --- fuse.c: casts and comparisons of the text of accessors, made one call --- */

/* The setting bson.fuse_casts: change plans? */
extern bool PgBsonFuseCasts;

/* Change a query before it is planned; root->glob gets what the plan then depends on */
typedef void (*PgBsonQueryChanger) (Query *query, PlannerInfo *root);

/*
 * Install the hooks that change queries, if "changer" is not NULL, and plans: those that this session makes from now on,
 * including the plan that is being made
 */
extern void PgBsonInstallFuse(PgBsonQueryChanger changer);

/* --- narrow.c: the condition of a bitmap scan, narrowed to what the index proves --- */

/* The setting bson.narrow_scans: change such plans? */
extern bool PgBsonNarrowScans;

/* If the node is such a scan, change its conditions; the rows that it finds stay the same */
extern void PgBsonNarrow(Plan *plan, PlannedStmt *statement);

#endif							/* PGBSON_CHAIN_H */
