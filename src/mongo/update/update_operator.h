/*
 * update_operator.h
 *	  The operators of updates: what each makes of the value at a place.
 */
#ifndef PGBSON_UPDATE_OPERATOR_H
#define PGBSON_UPDATE_OPERATOR_H

#include "core/bytes/keys.h"
#include "core/bytes/recode.h"
#include "core/write/write.h"
#include "mongo/query/match.h"
#include "mongo/update/update.h"

typedef struct PgBsonUpdateOp PgBsonUpdateOp;
typedef struct PgBsonUpdateRun PgBsonUpdateRun;

/* Check the operand, and make it ready */
typedef void PgBsonUpdatePrepare(PgBsonUpdateOp *op);

/*
 * What an operator does at a place: *new is the value to be there, of type EOD to
 * remove it; false: as it was.  "old" is NULL where nothing is.
 */
typedef bool PgBsonUpdateChange(PgBsonUpdateRun *run, const PgBsonUpdateOp *op,
								const PgBsonValue *old, PgBsonValue *new);

typedef struct PgBsonUpdateOperator
{
	const char *name;
	bool		creates;
	bool		strict;
	PgBsonUpdatePrepare *prepare;	/* NULL: any operand will do */
	PgBsonUpdateChange *change;
} PgBsonUpdateOperator;

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
	PgBsonKeyRef *sort;			/* the paths; key NULL: the whole element */
	bool	   *descending;		/* of each */
	const PgBsonQuery *query;	/* of $pull */
	bool		wrapped;		/* the query is about a field "" that holds the element */
	bool		flag;			/* of $pop: the first; of $currentDate: a timestamp */
	int			rename;			/* of $rename and its source: the number of this $rename */
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

/*
 * Raise 22023: the operand is wrong, the path, or the value that was found there.
 * "detail" is a whole sentence, marked by gettext_noop.
 */
pg_noreturn extern void PgBsonUpdateWrongOperand(const PgBsonUpdateOp *op, const char *detail);
pg_noreturn extern void PgBsonUpdateWrongPath(const PgBsonUpdateOp *op, const char *detail);
pg_noreturn extern void PgBsonUpdateWrongPlace(const PgBsonUpdateOp *op, PgBsonType found,
												const char *detail);

/* The operator of this name; raises 22023 if there is none */
extern const PgBsonUpdateOperator *PgBsonUpdateFindOperator(const PgBsonIter *iter);

/* Does it make what is missing?  $setOnInsert does for the document of an upsert only. */
extern bool PgBsonUpdateCreates(const PgBsonUpdateOperator *operator, bool insert);

/* update_rename.c: $rename where it puts its value, and where it takes it */
extern const PgBsonUpdateOperator PgBsonUpdateRename;
extern const PgBsonUpdateOperator PgBsonUpdateRenamed;

/* Look up what each $rename of the update takes from the document, for the two */
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
extern PgBsonUpdateChange PgBsonChangePullAll;
extern PgBsonUpdatePrepare PgBsonPreparePop;
extern PgBsonUpdateChange PgBsonChangePop;

#endif							/* PGBSON_UPDATE_OPERATOR_H */
