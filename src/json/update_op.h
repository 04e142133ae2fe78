/*
 * update_op.h
 *	  What the operators of an update share, among the files update*.c.
 */
#ifndef PGBSON_UPDATE_OP_H
#define PGBSON_UPDATE_OP_H

#include "core/path.h"

/* An update under way */
typedef struct PgBsonUpdating
{
	PgBsonView	doc;			/* as it stands */
	PgBson	   *changed;		/* its datum; NULL: still the original */
	int64		now;			/* milliseconds since 1970 */
	const char *operator;		/* being applied */
	const char *path_text;		/* being changed */
	PgBsonStep *path;
	int			npath;
} PgBsonUpdating;

/* The value at the path, or where its first steps lead; false if there is none */
extern bool PgBsonUpdateFind(const PgBsonUpdating *u, int nsteps, PgBsonValue *value);

/* Put a value at the path, making the documents that lead there */
extern void PgBsonUpdatePut(PgBsonUpdating *u, const PgBsonValue *value);

/* Raise 22023: of the operand, or of what is at the path */
extern void PgBsonUpdateWrongOperand(const PgBsonUpdating *u, const char *expected);
extern void PgBsonUpdateWrongTarget(const PgBsonUpdating *u, PgBsonType found, const char *expected);

/* The operators of arrays; "operand" is what is written for this path */
extern void PgBsonApplyPush(PgBsonUpdating *u, const PgBsonValue *operand);
extern void PgBsonApplyAddToSet(PgBsonUpdating *u, const PgBsonValue *operand);
extern void PgBsonApplyPull(PgBsonUpdating *u, const PgBsonValue *operand);
extern void PgBsonApplyPullAll(PgBsonUpdating *u, const PgBsonValue *operand);
extern void PgBsonApplyPop(PgBsonUpdating *u, const PgBsonValue *operand);

#endif							/* PGBSON_UPDATE_OP_H */
