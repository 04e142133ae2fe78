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
 * Parse a projection, palloc'd; the result points into its bytes.  "query", for the positional "$", may be
 * NULL.  Raises 22023 for a projection that MongoDB refuses, 0A000 for an expression that is not offered.
 */
extern PgBsonProjection *PgBsonProjectionParse(const PgBsonValue *projection,
											   const PgBsonValue *query);

/* The same for a pipeline's $project, whose expressions can use variables; "use" must last as long as the result */
extern PgBsonProjection *PgBsonProjectionParseStage(const PgBsonValue *projection, PgBsonExprUse *use);

/* The same for $addFields, which keeps all other fields, and for $unset with an array of paths, strings */
extern PgBsonProjection *PgBsonProjectionParseAdd(const PgBsonValue *fields, PgBsonExprUse *use);
extern PgBsonProjection *PgBsonProjectionParseUnset(const PgBsonValue *paths);

/* Is it an inclusion, which keeps only the fields that it names?  Otherwise it keeps all other fields. */
extern bool PgBsonProjectionIncludes(const PgBsonProjection *projection);

/* The projected document, palloc'd.  Raises 22023 if the query found no element for the positional "$". */
extern PgBson *PgBsonProject(const PgBsonProjection *projection, PgBsonView doc);

/* The same for a document's value, with the variables of expressions, or NULL */
extern PgBsonValue PgBsonProjectValue(const PgBsonProjection *projection, const PgBsonValue *doc,
									  const PgBsonValue *variables);

#endif							/* PGBSON_PROJECT_H */
