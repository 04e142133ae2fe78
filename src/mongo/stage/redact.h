/*
 * redact.h
 *	  $redact of MongoDB's pipelines: an expression decides for each level of a document whether it
 *	  is kept, left out or looked into.
 *
 * The authority is MongoDB's src/mongo/db/pipeline/document_source_redact.cpp.
 */
#ifndef PGBSON_REDACT_H
#define PGBSON_REDACT_H

#include "mongo/expr/expr.h"

/* Parse the expression, palloc'd.  It may use $$KEEP, $$PRUNE, $$DESCEND, and $$CURRENT, the document at each level. */
extern PgBsonExpression *PgBsonRedactParse(const PgBsonValue *expression);

/*
 * What remains of the document; the type is PGBSON_MISSING if nothing does.  Raises 22023 if the
 * expression's value is not one of the three.
 */
extern PgBsonValue PgBsonRedact(const PgBsonExpression *expression, const PgBsonValue *doc, const PgBsonValue *variables);

#endif							/* PGBSON_REDACT_H */
