/*
 * source.h
 *	  Tables that a pipeline reads.
 */
#ifndef PGBSON_SOURCE_H
#define PGBSON_SOURCE_H

#include "core/bytes/view.h"

/* A table, view or the like, and its column of type bson */
typedef struct PgBsonSource
{
	Oid			relation;
	char	   *name;			/* with its schema, quoted */
	char	   *column;			/* quoted */
} PgBsonSource;

/*
 * The relation, with the column of this name; where that is NULL its only one of
 * type bson.  "type" is the type bson.  Raises 42809, 42703, 42804, 42702.
 */
extern PgBsonSource PgBsonSourceOf(Oid relation, const char *column, Oid type);

/*
 * The relation that a stage names, found by the caller's search_path: the name
 * itself, or one with its schema before a dot.  Its column is that of the name
 * "column" if it has one.  Raises 42P01.
 */
extern PgBsonSource PgBsonSourceNamed(const PgBsonValue *name, const char *column, Oid type);

#endif							/* PGBSON_SOURCE_H */
