/*
 * nested.h
 *	  A value at a dotted path that leads through documents only, as the stages
 *	  $unwind, $lookup and $graphLookup of MongoDB's pipelines read and write it.
 *
 * The authority is MongoDB's src/mongo/db/pipeline/document_path_support.cpp.
 */
#ifndef PGBSON_NESTED_H
#define PGBSON_NESTED_H

#include "core/bytes/keys.h"

/* The names of a path, which dots separate */
typedef struct PgBsonNames
{
	int			count;
	PgBsonKeyRef *names;		/* they point into the path */
} PgBsonNames;

/*
 * Split a path, palloc'd.  Raises 22023 for a path that is not one of fields: with an empty name, a
 * name that begins with "$" but is not part of a reference, a zero byte, or too many names.  "what"
 * is the error's subject, for example "\"as\" of stage \"$lookup\"".
 */
extern PgBsonNames PgBsonNestedSplit(const char *path, uint32 len, const char *what);

/* The value at the path; its type is PGBSON_EOD if there is none.  Arrays are not entered. */
extern PgBsonValue PgBsonNestedGet(const PgBsonValue *doc, const PgBsonNames *path);

/*
 * The document with the value at the path, palloc'd; if its type is PGBSON_EOD, the document
 * without the field.  Values on the way that are not documents are replaced by documents.
 */
extern PgBsonValue PgBsonNestedPut(const PgBsonValue *doc, const PgBsonNames *path, const PgBsonValue *value);

/*
 * Call "found" for each value at a path that enters arrays, as $lookup does; if an array is at its
 * end, for its elements
 */
extern void PgBsonNestedVisit(const PgBsonValue *doc, const PgBsonNames *path,
							  void (*found) (void *arg, const PgBsonValue *value), void *arg);

#endif							/* PGBSON_NESTED_H */
