/*
 * match_fields.h
 *	  A query that asks something of several fields, in one pass over a document.
 *
 * Most queries are a conjunction of tests, or of their negations, each of a path
 * of its own.  The first names of all paths are looked for in one pass, which ends as soon as the
 * answer is known.  MongoDB has nothing like this; its authority for the tests is that of match.c.
 */
#ifndef PGBSON_MATCH_FIELDS_H
#define PGBSON_MATCH_FIELDS_H

#include "mongo/query/match.h"

typedef struct PgBsonQueryFields PgBsonQueryFields;

/* Bring the query into this form, palloc'd; NULL if that is not possible */
extern PgBsonQueryFields *PgBsonQueryFieldsMake(const PgBsonQuery *query);

/*
 * Does the document that the reader has open satisfy the query?  No more of it is read than the
 * answer needs.
 */
extern bool PgBsonFieldsMatch(PgBsonQueryFields *fields, PgBsonReader *reader);

#endif							/* PGBSON_MATCH_FIELDS_H */
