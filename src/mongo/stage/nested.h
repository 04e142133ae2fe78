/*
 * nested.h
 *	  Reading and writing a value at a dotted path that leads through documents only,
 *	  for the stages $unwind, $lookup and $graphLookup of MongoDB's pipelines.
 *
 * The authority is MongoDB's src/mongo/db/pipeline/document_path_support.cpp.
 */
#ifndef PGBSON_NESTED_H
#define PGBSON_NESTED_H

#include "core/find/path.h"

/* The names of a dotted path */
typedef struct PgBsonNames
{
	int			count;
	PgBsonStep *names;			/* of kind PGBSON_STEP_KEY; they point into the path */
} PgBsonNames;

/*
 * Split a path at its dots; the list of names is palloc'd.  Raises 22023 for what is not a path of fields: an empty
 * name, a name that begins with "$" (except the names of a DBRef, such as $id), a zero byte, or more than 200 names.
 * "what" says in the message where the path stands, for example "\"as\" of stage \"$lookup\"".
 */
extern PgBsonNames PgBsonNestedSplit(const char *path, uint32 len, const char *what);

/* The value at the path; its type is PGBSON_EOD if there is none.  Arrays are not entered. */
extern PgBsonValue PgBsonNestedGet(const PgBsonValue *doc, const PgBsonNames *path);

/*
 * The document with the value at the path, palloc'd; if its type is PGBSON_EOD, the document
 * without the field.  Values on the way that are not documents are replaced by documents.
 */
extern PgBsonValue PgBsonNestedPut(const PgBsonValue *doc, const PgBsonNames *path, const PgBsonValue *value);

/* Append the values at a path that enters arrays, as $lookup does, to a palloc'd list; of an array at its end the elements */
extern void PgBsonNestedCollect(const PgBsonValue *doc, const PgBsonNames *path, PgBsonValue **values, int *count);

#endif							/* PGBSON_NESTED_H */
