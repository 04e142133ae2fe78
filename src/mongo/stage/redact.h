/*
 * redact.h
 *	  $redact of MongoDB's pipelines: each level of a document is kept, left out
 *	  or looked into, as an expression of it says.
 */
#ifndef PGBSON_REDACT_H
#define PGBSON_REDACT_H

#include "mongo/expr/expr.h"

/* Make the expression ready, palloc'd: in it there are $$KEEP, $$PRUNE and $$DESCEND, and $$CURRENT is the level */
extern PgBsonExpression *PgBsonRedactParse(const PgBsonValue *expression);

/* What is left of the document, of type PGBSON_MISSING if nothing is.  Raises 22023 where the expression says something else. */
extern PgBsonValue PgBsonRedact(const PgBsonExpression *expression, const PgBsonValue *doc, const PgBsonValue *variables);

#endif							/* PGBSON_REDACT_H */
