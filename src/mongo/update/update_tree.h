/*
 * update_tree.h
 *	  A parsed update: its operators, and its paths as a tree; for the files update*.c alone.
 *
 * A node stands for a place in the document.  Its children are the fields, or
 * the elements, that change below it; a leaf has the operator that changes
 * the value there.  MongoDB applies the children, and adds their fields, in a fixed order, and so
 * do we: names that are numbers sort by value, others bytewise.  The authority is MongoDB's
 * src/mongo/db/update/update_object_node.cpp.
 */
#ifndef PGBSON_UPDATE_TREE_H
#define PGBSON_UPDATE_TREE_H

#include "core/bytes/recode.h"
#include "mongo/query/match.h"
#include "mongo/update/update.h"

/* --- the operators (update_operator.c, update_number.c, update_array.c, update_rename.c) --- */

typedef struct PgBsonUpdateOp PgBsonUpdateOp;
typedef struct PgBsonUpdateRun PgBsonUpdateRun;

/* Check the operand of an operator, and parse it into the members of *op */
typedef void PgBsonUpdatePrepare(PgBsonUpdateOp *op);

/*
 * Apply an operator to a value: set *new to the new value, with type EOD to remove the old one, or
 * return false if it stays.  "old" is NULL if there is no value.
 */
typedef bool PgBsonUpdateChange(PgBsonUpdateRun *run, const PgBsonUpdateOp *op,
								const PgBsonValue *old, PgBsonValue *new);

typedef struct PgBsonUpdateOperator
{
	const char *name;
	bool		creates;		/* a missing field is made, with the documents above it */
	bool		strict;			/* a path into a scalar, or an array without a position, is always an error */
	PgBsonUpdatePrepare *prepare;	/* NULL: there is nothing to check, any operand will do */
	PgBsonUpdateChange *change;
	int			code;			/* distinguishes the operators that share a function */
} PgBsonUpdateOperator;

/* An operator with one path and its operand */
struct PgBsonUpdateOp
{
	const PgBsonUpdateOperator *operator;
	const char *path;			/* as written */
	uint32		path_len;
	PgBsonValue operand;
	PgBsonValue *values;		/* $push, $addToSet: the values to add; $pull, $pullAll: those to remove, sorted */
	int			nvalues;
	PgBsonValue *sorted;		/* $addToSet: the values, sorted, each once */
	int			nsorted;
	bool		has_position;	/* of $push */
	int64		position;
	bool		has_slice;
	int64		slice;
	int			nsort;			/* 0: no $sort */
	PgBsonKeyRef *sort;			/* the paths to sort by; a NULL key means the whole element */
	bool	   *descending;		/* of each */
	const PgBsonQuery *query;	/* of $pull */
	bool		wrapped;		/* the query is about a field "" that will hold the element */
	bool		flag;			/* $pop: remove the first element; $currentDate: set a timestamp */
	int			rename;			/* of $rename, at source and destination: the number of the $rename */
};

/* The state while an update is applied to a document */
struct PgBsonUpdateRun
{
	const PgBsonUpdate *update;
	const PgBsonUpdateInput *input;
	char		position[12];	/* input->position in decimal digits, as the key of an array element */
	uint32		position_len;
	PgBsonEdit	edit;
	PgBsonValue *renamed;		/* for each $rename: the value it moves; type EOD if there is none */
	PgBsonWriter built;			/* of $push and the like: the new array, which the value of a change points to */
	uint8		number[16];		/* of $currentDate: the bytes that the value of a change points to */
};

/* Raise 22023 for the operand, the path or the value there; "detail" is a sentence, marked by gettext_noop */
pg_noreturn extern void PgBsonUpdateWrongOperand(const PgBsonUpdateOp *op, const char *detail);
pg_noreturn extern void PgBsonUpdateWrongPath(const PgBsonUpdateOp *op, const char *detail);
pg_noreturn extern void PgBsonUpdateWrongPlace(const PgBsonUpdateOp *op, PgBsonType found,
												const char *detail);

/* Find the operator of this name; raises 22023 if there is none */
extern const PgBsonUpdateOperator *PgBsonUpdateFindOperator(const PgBsonIter *iter);

/* Does the operator add a missing value?  $setOnInsert does so only in the document of an upsert. */
extern bool PgBsonUpdateCreates(const PgBsonUpdateOperator *operator, bool insert);

/* update_rename.c: $rename at the path where it puts the value, and at the path where it takes the value */
extern const PgBsonUpdateOperator PgBsonUpdateRename;
extern const PgBsonUpdateOperator PgBsonUpdateRenamed;

/* Look up the values that the update's $renames move, before anything changes */
extern void PgBsonUpdateFindSources(PgBsonUpdateRun *run, const PgBsonValue *root);

/* update_number.c */
extern PgBsonUpdatePrepare PgBsonPrepareNumber;
extern PgBsonUpdateChange PgBsonChangeNumber;
extern PgBsonUpdatePrepare PgBsonPrepareBit;
extern PgBsonUpdateChange PgBsonChangeBit;

/* update_array.c */
extern PgBsonUpdatePrepare PgBsonPreparePush;
extern PgBsonUpdateChange PgBsonChangePush;
extern PgBsonUpdatePrepare PgBsonPrepareAddToSet;
extern PgBsonUpdateChange PgBsonChangeAddToSet;
extern PgBsonUpdatePrepare PgBsonPreparePull;
extern PgBsonUpdateChange PgBsonChangePull;
extern PgBsonUpdatePrepare PgBsonPreparePullAll;
extern PgBsonUpdatePrepare PgBsonPreparePop;

/* --- the tree --- */

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
	bool		creates;		/* an operator below adds missing values; or $[] is below, which needs its array */
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

/* --- update_filter.c: array filters, the queries that $[name] in a path stands for --- */

typedef struct PgBsonUpdateFilter
{
	const char *name;
	uint32		name_len;
	const PgBsonQuery *query;
	bool		used;
} PgBsonUpdateFilter;

typedef struct PgBsonUpdateFilters
{
	PgBsonUpdateFilter *list;	/* sorted by name, palloc'd */
	int			count;
} PgBsonUpdateFilters;

/* Parse the filters; the result points into their bytes.  This and the next two raise 22023. */
extern void PgBsonUpdateParseFilters(const PgBsonValue *array_filters, PgBsonUpdateFilters *filters);

/* Find the query of this name, which is in the path of the operator */
extern const PgBsonQuery *PgBsonUpdateFindFilter(const PgBsonUpdateFilters *filters, const PgBsonUpdateOp *op,
												 const char *name, uint32 len);

/* Check that each filter was found at least once */
extern void PgBsonUpdateCheckFilters(const PgBsonUpdateFilters *filters);

/* Raise 22023; "detail" is a whole sentence, marked by gettext_noop */
pg_noreturn extern void PgBsonUpdateInvalidFilter(const char *detail);

/* --- update_tree.c, update_apply.c --- */

/* Parse a document of operators into the update's tree; 22023 for an update that cannot be understood */
extern void PgBsonUpdateParseTree(PgBsonUpdate *update, const PgBsonValue *operators,
								  const PgBsonUpdateFilters *filters);

/* Apply the tree to the document */
extern PgBson *PgBsonUpdateApplyTree(PgBsonUpdateRun *run, PgBsonView doc);

/*
 * update_nodes.c: array filters and "$" can lead to one value by several nodes.  These are then applied together,
 * where MongoDB merges the nodes into one (src/mongo/db/update/update_node.cpp).
 */

/* The nodes, mostly one, that apply to one value */
typedef struct PgBsonUpdateNodes
{
	PgBsonUpdateNode *const *list;
	int			count;
} PgBsonUpdateNodes;

/* The children of all these nodes, sorted by name; those of several nodes with one name are neighbours */
typedef struct PgBsonUpdateChildren
{
	const PgBsonUpdateChild *list;
	int			count;
	bool		owned;			/* "list" was palloc'd for this struct */
	bool	   *met;			/* for each child: whether the document has a value for it */
	bool		few[64];		/* room for "met", unless there are more children */
} PgBsonUpdateChildren;

/* The nodes of the children that have the same name: numbers "first" to "end" - 1 */
typedef struct PgBsonUpdateGroup
{
	int			first;
	int			end;
	PgBsonUpdateNodes nodes;
	PgBsonUpdateNode *few[8];
} PgBsonUpdateGroup;

/* One of the operators at the node or below it, which an error message names */
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
 * Paths through this value cannot be followed, because it is a scalar, or an array where the next name is no position.
 * Raises 22023 unless all of the nodes ignore that.
 */
extern void PgBsonUpdateCheckBlocked(const PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes,
									 const PgBsonValue *blocking);

#endif							/* PGBSON_UPDATE_TREE_H */
