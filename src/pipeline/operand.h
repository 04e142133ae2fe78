/*
 * operand.h
 *	  Expressions of a stage as SQL, and which fields of the documents they read.
 */
#ifndef PGBSON_OPERAND_H
#define PGBSON_OPERAND_H

#include "mongo/stage/nested.h"
#include "pipeline/select.h"

/* Do the expressions use variables?  Raises 22023 for one that is not in scope. */
extern bool PgBsonOperandVaries(const PgBsonScope *scope, const PgBsonExpression *expression);

/* The variables as one more argument: ", variables" */
extern const char *PgBsonOperandVariables(const PgBsonSelect *select);

/* The value of an expression of the SELECT's document, which is a column; NULL where it is missing */
extern const char *PgBsonOperandSql(PgBsonSelect *select, const PgBsonValue *expression);

/* If the expression is a path, a document and the names on the way to the value, as arguments: "root, 'a', 'b'"; else NULL */
extern const char *PgBsonOperandNames(PgBsonSelect *select, const PgBsonValue *expression);

/* The value of an expression as above; where it is missing, BSON null instead of SQL's NULL */
extern const char *PgBsonOperandOrNull(PgBsonSelect *select, const PgBsonValue *expression);

/*
 * If the expression is a path beside the array that is unwound, make it a column: append "SQL AS name" to a list.
 * Unlike other expressions a path raises no errors, which a document without elements must not do.
 */
extern void PgBsonOperandCarry(PgBsonSelect *select, const PgBsonValue *expression, StringInfo made);

/* The same columns as those of this level, which has them all */
extern List *PgBsonOperandCarriedBy(const List *carried, const char *level);

/* Is it a path, or a document with an operator? Only these can be missing. */
extern bool PgBsonOperandComputes(const PgBsonValue *expression);

/* A smaller document with all fields that a query reads, in SQL; NULL if there is none */
extern const char *PgBsonOperandQueried(const PgBsonSelect *select, const PgBsonValue *query);

/* The expression of a field by its path, "$path" */
extern PgBsonValue PgBsonOperandField(const char *path, uint32 len);

/* A path that a stage names, in SQL; "what" is the subject of the error message if it is not a path of fields */
extern const char *PgBsonOperandPath(const PgBsonValue *path, const char *what);

/* The unit of time that an option of a stage, a string, names; error 22023 if there is no such unit */
extern const PgBsonUnit *PgBsonOperandUnit(const PgBsonValue *option);

/* Is the expression a constant?  If so, set *value to its value. */
extern bool PgBsonOperandConstant(const PgBsonValue *expression, PgBsonValue *value);

/* --- reads.c: which fields of the documents expressions and stages read --- */

typedef struct PgBsonReads
{
	List	   *names;			/* PgBsonKeyRef *, of fields of the document, each once */
	bool		all;			/* perhaps all fields are read */
	bool		shown;			/* some in the order that they have in the document */
} PgBsonReads;

/* Note what an expression, or all expressions of an operand, read */
extern void PgBsonReadsExpression(PgBsonReads *reads, const PgBsonValue *expression);

/* Note the fields that are the keys of an operand, which are paths; all fields if one has an operator's name */
extern void PgBsonReadsKeys(PgBsonReads *reads, const PgBsonValue *operand);

/* Note what the stages after this one read, until one makes new documents */
extern void PgBsonReadsStages(PgBsonReads *reads, PgBsonIter stages);

/* {field: 1, ...} and these fields as the operand of $project that keeps what is read; a missing value if that is perhaps all */
extern PgBsonValue PgBsonReadsProjection(const PgBsonReads *reads, PgBsonView fields);

/* Leave out of large documents what neither a stage with these reads nor later ones read; false if that is nothing */
extern bool PgBsonReadsLeaveOut(PgBsonSelect *select, PgBsonReads *reads);

#endif							/* PGBSON_OPERAND_H */
