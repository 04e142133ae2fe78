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

#include "core/path.h"
#include "core/write.h"
#include "mongo/match.h"
#include "mongo/pipeline.h"
#include "mongo/update.h"

/* MongoDB adds no more nulls than these to an array, to reach a position behind its end */
#define PGBSON_UPDATE_MAX_PADDING	1500000

typedef struct PgBsonUpdateOp PgBsonUpdateOp;
typedef struct PgBsonUpdateNode PgBsonUpdateNode;
typedef struct PgBsonUpdateRun PgBsonUpdateRun;

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

/* What an operator does at a place; *new is the value to be there, of type EOD to remove it */
typedef bool (*PgBsonUpdateChange) (PgBsonUpdateRun *run, const PgBsonUpdateOp *op,
									const PgBsonValue *old, PgBsonValue *new);

typedef struct PgBsonUpdateOperator
{
	const char *name;
	bool		creates;
	bool		strict;
	void		(*prepare) (PgBsonUpdateOp *op);	/* NULL: any operand will do */
	PgBsonUpdateChange change;	/* false: as it was; "old" is NULL where nothing is */
} PgBsonUpdateOperator;

/* A field of $sort in $push */
typedef struct PgBsonUpdateSort
{
	const char *path;
	uint32		path_len;
	bool		descending;
} PgBsonUpdateSort;

/* An operator with one path and its operand */
struct PgBsonUpdateOp
{
	const PgBsonUpdateOperator *operator;
	const char *path;			/* as written */
	uint32		path_len;
	PgBsonValue operand;
	PgBsonValue *values;		/* of $push, $addToSet: in their order; of $pullAll: sorted */
	int			nvalues;
	PgBsonValue **sorted;		/* of $addToSet: the same sorted */
	bool		has_position;	/* of $push */
	int64		position;
	bool		has_slice;
	int64		slice;
	int			nsort;			/* 0: no $sort */
	PgBsonUpdateSort *sort;		/* path NULL: the whole element */
	const PgBsonQuery *query;	/* of $pull */
	bool		wrapped;		/* the query is about a field "" that holds the element */
	bool		flag;			/* of $pop: the first; of $currentDate: a timestamp */
	int			rename;			/* of $rename and its source: the number of this $rename */
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

/* An update under way */
struct PgBsonUpdateRun
{
	const PgBsonUpdate *update;
	const PgBsonUpdateInput *input;
	char		position[12];	/* input->position as a key */
	uint32		position_len;
	PgBsonEdit	edit;
	PgBsonValue *renamed;		/* of each $rename: its value; type EOD: there is none */
	PgBsonWriter built;			/* an array that was made */
	uint8		number[16];		/* a number that was made */
};

/* A name or path for a message: in the server's encoding, palloc'd, not too long */
extern const char *PgBsonUpdateName(const char *utf8, uint32 len);

/* Raise 22023: "detail" is a whole sentence */
pg_noreturn extern void PgBsonUpdateWrongOperand(const PgBsonUpdateOp *op, const char *detail);
pg_noreturn extern void PgBsonUpdateWrongTarget(const PgBsonUpdateOp *op, PgBsonType found,
												const char *detail);

/* MongoDB's order of names below one node */
extern int	PgBsonUpdateCompareKeys(const char *a, uint32 a_len, const char *b, uint32 b_len);

/* A part of a path as a position in an array */
extern bool PgBsonUpdateKeyAsIndex(const char *key, uint32 key_len, uint32 *index);

/* The bytes of the document {key: value}, palloc'd */
extern PgBsonValue PgBsonUpdateWrap(const char *key, uint32 key_len, const PgBsonValue *value);

/* Change the document by the tree */
extern PgBson *PgBsonUpdateApplyTree(PgBsonUpdateRun *run, PgBsonView doc);

/* update_number.c */
extern void PgBsonPrepareNumber(PgBsonUpdateOp *op);
extern bool PgBsonChangeInc(PgBsonUpdateRun *run, const PgBsonUpdateOp *op,
							const PgBsonValue *old, PgBsonValue *new);
extern bool PgBsonChangeMul(PgBsonUpdateRun *run, const PgBsonUpdateOp *op,
							const PgBsonValue *old, PgBsonValue *new);
extern void PgBsonPrepareBit(PgBsonUpdateOp *op);
extern bool PgBsonChangeBit(PgBsonUpdateRun *run, const PgBsonUpdateOp *op,
							const PgBsonValue *old, PgBsonValue *new);

/* update_array.c */
extern void PgBsonPreparePush(PgBsonUpdateOp *op);
extern bool PgBsonChangePush(PgBsonUpdateRun *run, const PgBsonUpdateOp *op,
							 const PgBsonValue *old, PgBsonValue *new);
extern void PgBsonPrepareAddToSet(PgBsonUpdateOp *op);
extern bool PgBsonChangeAddToSet(PgBsonUpdateRun *run, const PgBsonUpdateOp *op,
								 const PgBsonValue *old, PgBsonValue *new);
extern void PgBsonPreparePull(PgBsonUpdateOp *op);
extern bool PgBsonChangePull(PgBsonUpdateRun *run, const PgBsonUpdateOp *op,
							 const PgBsonValue *old, PgBsonValue *new);
extern void PgBsonPreparePullAll(PgBsonUpdateOp *op);
extern bool PgBsonChangePullAll(PgBsonUpdateRun *run, const PgBsonUpdateOp *op,
								const PgBsonValue *old, PgBsonValue *new);
extern void PgBsonPreparePop(PgBsonUpdateOp *op);
extern bool PgBsonChangePop(PgBsonUpdateRun *run, const PgBsonUpdateOp *op,
							const PgBsonValue *old, PgBsonValue *new);

#endif							/* PGBSON_UPDATE_TREE_H */
