/*
 * sort_key.h
 *	  MongoDB's sort: a value whose order among bson values is that of its document.
 *
 * A sort is a document of paths with 1, ascending, or -1, descending.  Of an
 * array at a path the least element counts, descending the greatest, of an
 * empty one undefined; what is missing counts as null.
 *
 * sort_key_write.h has the form of the key.
 */
#ifndef PGBSON_SORT_KEY_H
#define PGBSON_SORT_KEY_H

#include "core/find/path.h"

/* As many as in a compound index of MongoDB */
#define PGBSON_SORT_MAX_PATHS	32

/* As many as in any path of MongoDB's aggregation */
#define PGBSON_SORT_MAX_NAMES	200

typedef struct PgBsonSortPath
{
	PgBsonStep *path;			/* see PgBsonPathSplit */
	int			npath;
	bool		descending;
	PgBsonShapes shapes;		/* of the documents that PgBsonSortKeyRead looks into */
} PgBsonSortPath;

typedef struct PgBsonSortOrder
{
	int			npaths;
	PgBsonSortPath paths[PGBSON_SORT_MAX_PATHS];
} PgBsonSortOrder;

/* Make a sort ready, palloc'd; it points into the sort's bytes.  Raises 22023 for what is none. */
extern PgBsonSortOrder *PgBsonSortParse(const PgBsonValue *sort);

/* The key of a document, palloc'd; 22023 where two paths lead through different arrays */
extern PgBson *PgBsonSortKey(const PgBsonSortOrder *order, const PgBsonValue *doc);

/* Make a sort ready for the following, with what it will remember in the current memory context */
extern void PgBsonSortPrepare(PgBsonSortOrder *order);

/* The key of the document that the reader has open.  Where paths lead through documents only, no more of it is read. */
extern PgBson *PgBsonSortKeyRead(PgBsonSortOrder *order, PgBsonReader *reader);

/* The value of an element that its order's key number "i" compares */
typedef PgBsonValue (*PgBsonElementKey) (const PgBsonValue *element, int i, const void *arg);

/* Sort elements of an array by keys, each ascending or descending; equal elements stay in their order */
extern void PgBsonSortByKeys(PgBsonValue *elements, int count, int nkeys, const bool *descending,
							 PgBsonElementKey key, const void *arg);

#endif							/* PGBSON_SORT_KEY_H */
