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

/* Split a path into names, palloc'd, which point into it.  A name that is a number has it as "index", others -1. */
extern PgBsonStep *PgBsonPathSplit(const char *path, uint32 len, int *npath);

/* Why these names are no path of fields in an aggregation, a sentence for translation; NULL if they are one */
extern const char *PgBsonPathProblem(const PgBsonStep *names, int count);

/* Replace a document by the value of its field of this name; false if there is no such field */
static inline bool
PgBsonPathField(const PgBsonStep *name, PgBsonValue *value)
{
	return PgBsonFindIn(NULL, value, NULL, name, 1);
}

/* Called for each value that a path finds, NULL for nothing; returns true to end the search */
typedef bool (*PgBsonPathVisitor) (const PgBsonValue *value, void *arg);

/*
 * Visit what the path finds in a value that the path's names before number "name" have led to (0: a
 * root).  A root that is an array is searched like an array within a document; in a scalar nothing
 * is found.  With "whole" an array at the end of the path is visited without its elements.  Returns
 * whether a visit ended the search.
 *
 * If "element" is not NULL, *element is during each visit the position, in the first array that was not entered by a
 * position in the path, of the element that led to the value; -1 if there is no such array.  The caller sets it to -1.
 */
extern bool PgBsonPathVisit(const PgBsonStep *path, int npath, int name, bool whole, const PgBsonValue *from,
							int32 *element, PgBsonPathVisitor visit, void *arg);

/* Is the key a field of a reference (DBRef)?  MongoDB allows no other names that begin with "$". */
static inline bool
PgBsonKeyIsReference(const char *key, uint32 key_len)
{
	return PgBsonKeyIs(key, key_len, "$ref") || PgBsonKeyIs(key, key_len, "$id") || PgBsonKeyIs(key, key_len, "$db");
}

#endif							/* PGBSON_MATCH_PATH_H */
