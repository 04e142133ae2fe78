/*
 * match_path.h
 *	  How a dotted path of MongoDB finds its values in a document.
 *
 * A name of the path is a field of a document.  In an array on the way it is a
 * field of each of the documents among the elements, and a number without
 * leading zeroes is also the element of that position.  A path that ends at an
 * array finds the elements, and then the array; but one that ends in a position
 * finds that element alone.
 *
 * A document in which the path cannot be followed counts as one visit to
 * nothing, which queries treat as null.  An array on the way without any
 * document is no visit at all.  See src/mongo/db/matcher/path.cpp of MongoDB.
 */
#ifndef PGBSON_MATCH_PATH_H
#define PGBSON_MATCH_PATH_H

#include "core/find/path.h"

/*
 * The names between the dots, palloc'd, pointing into the text; "index" of each
 * is the position that it may be, or -1.
 */
extern PgBsonStep *PgBsonPathSplit(const char *path, uint32 len, int *npath);

/* Replace the value of a document by that of its field of this name of the path; false if there is none */
static inline bool
PgBsonPathField(const PgBsonStep *path, PgBsonShapes *shapes, int name, PgBsonValue *value)
{
	return PgBsonFindIn(NULL, value, shapes == NULL ? NULL : &shapes[name], &path[name], 1);
}

/* Called for each value that a path finds, NULL for nothing; true ends the search */
typedef bool (*PgBsonPathVisitor) (const PgBsonValue *value, void *arg);

/*
 * Visit what the path finds in a value, which the names before "name" led to: 0
 * for a root.  A root that is an array is searched as one within a document
 * would be; a scalar has nothing in it.  With "whole" an array at the end of the
 * path is visited without its elements.  Returns whether a visit ended the
 * search.  "shapes", one for each name, is what is remembered of documents; it may be NULL.
 */
extern bool PgBsonPathVisit(const PgBsonStep *path, int npath, PgBsonShapes *shapes, int name, bool whole,
							const PgBsonValue *from, PgBsonPathVisitor visit, void *arg);

/*
 * The same of a whole document.  *element, -1 to begin with, is set for each visit that an
 * element of an array leads to: to its position in the first array that was not entered by a position.
 */
extern bool PgBsonPathVisitElements(const PgBsonStep *path, int npath, bool whole, const PgBsonValue *doc,
									int32 *element, PgBsonPathVisitor visit, void *arg);

#endif							/* PGBSON_MATCH_PATH_H */
