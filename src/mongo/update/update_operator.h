/*
 * update_operator.h
 *	  The operators of updates: what each makes of the value at a place.  The authority is MongoDB's
 *	  src/mongo/db/update/modifier_table.cpp, which names the file of each.
 */
#ifndef PGBSON_UPDATE_OPERATOR_H
#define PGBSON_UPDATE_OPERATOR_H

#include "core/bytes/recode.h"
#include "mongo/query/match.h"
#include "mongo/update/update.h"

typedef struct PgBsonUpdateOp PgBsonUpdateOp;
typedef struct PgBsonUpdateRun PgBsonUpdateRun;

/* Check the operand of an operator, and make it ready */
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
	bool		strict;			/* a path into a scalar, or into an array without a position, is an error even if nothing is made */
	PgBsonUpdatePrepare *prepare;	/* NULL: there is nothing to check, any operand will do */
	PgBsonUpdateChange *change;
} PgBsonUpdateOperator;

/* An operator with one path and its operand */
struct PgBsonUpdateOp
{
	const PgBsonUpdateOperator *operator;
	const char *path;			/* as written */
	uint32		path_len;
	PgBsonValue operand;
	PgBsonValue *values;		/* $push, $addToSet: the values to add, in order; $pull, $pullAll: the values to remove, sorted */
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

/* An update under way */
struct PgBsonUpdateRun
{
	const PgBsonUpdate *update;
	const PgBsonUpdateInput *input;
	char		position[12];	/* input->position as the key of an element */
	uint32		position_len;
	PgBsonEdit	edit;
	PgBsonValue *renamed;		/* for each $rename: the value it moves; type EOD if there is none */
	PgBsonWriter built;			/* an array that was made */
	uint8		number[16];		/* a number that was made */
};

/*
 * Raise 22023 because the operand, the path, or the value found there is wrong.  "detail" is a
 * whole sentence, marked by gettext_noop.
 */
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
extern PgBsonUpdateChange PgBsonChangeInc;
extern PgBsonUpdateChange PgBsonChangeMul;
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
extern PgBsonUpdateChange PgBsonChangePop;

#endif							/* PGBSON_UPDATE_OPERATOR_H */
