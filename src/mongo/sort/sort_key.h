/*
 * sort_key.h
 *	  MongoDB's sort: a value whose order among bson values is that of its document.
 *
 * A sort is a document of paths with 1, ascending, or -1, descending.  If there is an array at a
 * path, its least element counts or, if descending, its greatest; an empty array counts as
 * undefined, and a missing value as null.
 *
 * The authority is MongoDB's src/mongo/db/index/btree_key_generator.cpp.
 */
#ifndef PGBSON_SORT_KEY_H
#define PGBSON_SORT_KEY_H

#include "core/find/path.h"

/* The most paths of a sort, as in a compound index of MongoDB */
#define PGBSON_SORT_MAX_PATHS	32

typedef struct PgBsonSortPath
{
	PgBsonStep *path;			/* see PgBsonPathSplit */
	int			npath;
	bool		descending;
	PgBsonFindHint hint;		/* of the documents that PgBsonSortKeyRead looks into */
} PgBsonSortPath;

typedef struct PgBsonSortOrder
{
	int			npaths;
	bool		reversed;		/* the keys sort the documents in the opposite order */
	PgBson	   *all_missing;	/* the key of documents that have nothing at any path, see PgBsonSortPrepare */
	PgBsonSortPath paths[PGBSON_SORT_MAX_PATHS];
} PgBsonSortOrder;

/* Parse a sort, palloc'd, which points into its bytes; 22023 if the document is none */
extern PgBsonSortOrder *PgBsonSortParse(const PgBsonValue *sort);

/* Make the order ready for PgBsonSortKeyRead: all names of its paths become steps that find only fields of documents */
extern void PgBsonSortPrepare(PgBsonSortOrder *order);

/*
 * The sort key of the document that the reader has open.  As long as paths lead through documents
 * only, no more than these is read.  Palloc'd, or kept by the order; 22023 if two paths lead through
 * different arrays.
 */
extern PgBson *PgBsonSortKeyRead(PgBsonSortOrder *order, PgBsonReader *reader);

/* The value of an element that the order's key number "i" compares */
typedef PgBsonValue (*PgBsonElementKey) (const PgBsonValue *element, int i, const void *arg);

/* Sort elements by keys, each ascending or descending; equal elements keep their order */
extern void PgBsonSortByKeys(PgBsonValue *elements, int count, int nkeys, const bool *descending,
							 PgBsonElementKey key, const void *arg);

/* The key of these values, one for each path of the sort, palloc'd; sort_key_write.c has its form */
extern PgBson *PgBsonSortKeyWrite(const PgBsonSortOrder *order, const PgBsonValue *values);

#endif							/* PGBSON_SORT_KEY_H */
