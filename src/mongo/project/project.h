/*
 * project.h
 *	  MongoDB's projection: which fields of a document are returned.
 *
 * As in find() of MongoDB's server 8.0: fields to include, or fields to leave
 * out, by paths that lead through arrays; $slice, $elemMatch and the positional
 * "$", which is the element that the query found; and expressions, whose values
 * are put at paths.  The authority is MongoDB's src/mongo/db/query/projection_parser.cpp.
 */
#ifndef PGBSON_PROJECT_H
#define PGBSON_PROJECT_H

#include "mongo/expr/expr.h"

typedef struct PgBsonProjection PgBsonProjection;

/*
 * Make a projection ready, palloc'd; it points into the bytes given.  "query" may be NULL.  Raises
 * 22023 for a projection that it does not understand, 0A000 for an expression that is not offered.
 */
extern PgBsonProjection *PgBsonProjectionParse(const PgBsonValue *projection,
											   const PgBsonValue *query);

/* The same for a pipeline's $project, whose expressions can use variables; "use" must last as long */
extern PgBsonProjection *PgBsonProjectionParseStage(const PgBsonValue *projection, PgBsonExprUse *use);

/*
 * The same for $addFields, which keeps all other fields; and for $unset, whose operand, a string or
 * an array of strings, names the fields to leave out
 */
extern PgBsonProjection *PgBsonProjectionParseAdd(const PgBsonValue *fields, PgBsonExprUse *use);
extern PgBsonProjection *PgBsonProjectionParseUnset(const PgBsonValue *paths);

/* Does it keep only what it names?  Else it keeps all but what it names. */
extern bool PgBsonProjectionIncludes(const PgBsonProjection *projection);

/* Project the document, palloc'd.  Raises 22023 if "$" stands for no element. */
extern PgBson *PgBsonProject(const PgBsonProjection *projection, PgBsonView doc);

/* The same for a document's value, with the variables of expressions, or NULL */
extern PgBsonValue PgBsonProjectValue(const PgBsonProjection *projection, const PgBsonValue *doc,
									  const PgBsonValue *variables);

#endif							/* PGBSON_PROJECT_H */
