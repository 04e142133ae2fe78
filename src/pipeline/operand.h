/*
 * operand.h
 *	  Expressions of a stage as SQL.
 */
#ifndef PGBSON_OPERAND_H
#define PGBSON_OPERAND_H

#include "mongo/expr/expr_date.h"
#include "mongo/stage/nested.h"
#include "pipeline/select.h"

/* Do the expressions use variables?  Raises 22023 for one that is not in scope. */
extern bool PgBsonOperandVaries(const PgBsonScope *scope, const PgBsonExpression *expression);

/* The variables as an argument that follows others: ", variables" */
extern const char *PgBsonOperandVariables(const PgBsonSelect *select);

/*
 * The value of an expression of the SELECT's document, NULL where it is
 * missing.  The document must be a column.
 */
extern const char *PgBsonOperandSql(PgBsonSelect *select, const PgBsonValue *expression);

/* The part of the document that a query reads, where that is less; or NULL */
extern const char *PgBsonOperandQueried(const PgBsonSelect *select, const PgBsonValue *query);

/* The expression of a field by its path, "$path" */
extern PgBsonValue PgBsonOperandField(const char *path, uint32 len);

/* A path that a stage names, in SQL; "what" is the subject of the error for a path that is not one of fields */
extern const char *PgBsonOperandPath(const PgBsonValue *path, const char *what);

/* The unit of time that an option of a stage names; 22023 if it does not */
extern const PgBsonUnit *PgBsonOperandUnit(const char *stage, const PgBsonValue *option);

/* Is it a constant?  Then this is its value. */
extern bool PgBsonOperandConstant(const PgBsonValue *expression, PgBsonValue *value);

#endif							/* PGBSON_OPERAND_H */
