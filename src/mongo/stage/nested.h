/*
 * nested.h
 *	  A value at a dotted path that leads through documents only, as the stages
 *	  $unwind, $lookup and $graphLookup of MongoDB's pipelines read and write it.
 */
#ifndef PGBSON_NESTED_H
#define PGBSON_NESTED_H

#include "core/bytes/keys.h"
#include "core/bytes/view.h"

/* The names between the dots of a path */
typedef struct PgBsonNames
{
	int			count;
	PgBsonKeyRef *names;		/* they point into the path */
} PgBsonNames;

/*
 * Split a path, palloc'd.  Raises 22023 for one that is no path of fields: of an
 * empty name, one that begins with "$" and is none of a reference, one with a zero byte, or too many.  "what"
 * names it in the error, as "\"as\" of stage \"$lookup\"".
 */
extern PgBsonNames PgBsonNestedSplit(const char *path, uint32 len, const char *what);

/* The value there, of type PGBSON_EOD where there is none; arrays are not entered */
extern PgBsonValue PgBsonNestedGet(const PgBsonValue *doc, const PgBsonNames *path);

/*
 * The document with the value there, or without what is there if its type is
 * PGBSON_EOD, palloc'd.  What is no document on the way becomes one.
 */
extern PgBsonValue PgBsonNestedPut(const PgBsonValue *doc, const PgBsonNames *path, const PgBsonValue *value);

/* Call "found" for each value at a path that enters arrays, as $lookup does: elements of a last array are values */
extern void PgBsonNestedVisit(const PgBsonValue *doc, const PgBsonNames *path,
							  void (*found) (void *arg, const PgBsonValue *value), void *arg);

#endif							/* PGBSON_NESTED_H */
