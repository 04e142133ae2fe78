/*
 * project.h
 *	  MongoDB's projection: which fields of a document are returned.
 *
 * As in find() of MongoDB's server 8.0: fields to include, or fields to leave
 * out, by paths that lead through arrays; $slice, $elemMatch and the positional
 * "$", which is the element that the query found; and expressions, whose values
 * are put at paths.
 */
#ifndef PGBSON_PROJECT_H
#define PGBSON_PROJECT_H

#include "core/bytes/view.h"
#include "nodes/pg_list.h"

typedef struct PgBsonProjection PgBsonProjection;

/*
 * Make a projection ready, palloc'd; it points into the bytes given.  "query"
 * may be NULL.  Raises 22023 for what it does not understand, 0A000 for what
 * an expression is not offered.
 */
extern PgBsonProjection *PgBsonProjectionParse(const PgBsonValue *projection,
											   const PgBsonValue *query);

/* The same for $project of a pipeline; its expressions may use $$NOW, or if "open" any variables, which the caller gives */
extern PgBsonProjection *PgBsonProjectionParseStage(const PgBsonValue *projection, bool open);

/* $addFields, which keeps everything else; and $unset, of a string or an array of strings, which leaves fields out */
extern PgBsonProjection *PgBsonProjectionParseAdd(const PgBsonValue *fields, bool open);
extern PgBsonProjection *PgBsonProjectionParseUnset(const PgBsonValue *paths);

/* Does it ask for the variable NOW? */
extern bool PgBsonProjectionUsesNow(const PgBsonProjection *projection);

/* Its expressions, a list of PgBsonExpression, if it is open */
extern List *PgBsonProjectionExpressions(const PgBsonProjection *projection);

/* The document as the projection shows it, palloc'd.  Raises 22023 where "$" finds no element. */
extern PgBson *PgBsonProject(const PgBsonProjection *projection, PgBsonView doc);

/* The same of a document's value, with variables for expressions, or NULL */
extern PgBsonValue PgBsonProjectValue(const PgBsonProjection *projection, const PgBsonValue *doc,
									  const PgBsonValue *variables);

#endif							/* PGBSON_PROJECT_H */
