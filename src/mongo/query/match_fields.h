/*
 * match_fields.h
 *	  A query that asks something of several fields, in one pass over a document.
 *
 * Most queries are a conjunction of tests, or of their negations, each of a path
 * of its own.  The first names of the paths are looked for together, and no
 * further than the answer needs.
 */
#ifndef PGBSON_MATCH_FIELDS_H
#define PGBSON_MATCH_FIELDS_H

#include "core/stored/reader.h"
#include "mongo/query/match.h"

typedef struct PgBsonQueryFields PgBsonQueryFields;

/* The query in this form, palloc'd; NULL if it has none */
extern PgBsonQueryFields *PgBsonQueryFieldsMake(const PgBsonQuery *query);

/* Does the document that the reader has open match?  No more of it is read than the answer needs. */
extern bool PgBsonFieldsMatch(PgBsonQueryFields *fields, PgBsonReader *reader);

#endif							/* PGBSON_MATCH_FIELDS_H */
