/*
 * source.h
 *	  Where the documents of a pipeline come from: a table, or the stage $documents.
 */
#ifndef PGBSON_SOURCE_H
#define PGBSON_SOURCE_H

#include "pipeline/select.h"

/*
 * A SELECT from the relation: from the column that the caller named or, if none, from its only one
 * of type bson.  Raises 42809, 42703, 42804, 42702.
 */
extern PgBsonSelect *PgBsonSourceOf(PgBsonTranslation *all, const PgBsonScope *scope, Oid relation);

/*
 * The same for a relation that a stage names: by its name alone, which is looked up in the caller's
 * search_path, or by schema, dot and name.  If it has a column with the name that the caller gave, that
 * column is read.  Error 42P01 if there is no such relation.
 */
extern PgBsonSelect *PgBsonSourceNamed(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonValue *name);

/*
 * A SELECT of the documents that the first stage of a pipeline makes, which must be $documents, else
 * 22023; *rest is set to a pipeline of the other stages.
 */
extern PgBsonSelect *PgBsonSourceDocuments(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonValue *pipeline,
										   PgBsonValue *rest);

#endif							/* PGBSON_SOURCE_H */
