/*
 * match_fields.h
 *	  A query that asks something of several fields, in one walk over a document.
 *
 * Most queries are a conjunction of tests, or of their negations, each of a path
 * of its own.  The first names of the paths are looked for together, and no
 * further than the answer needs.
 */
#ifndef PGBSON_MATCH_FIELDS_H
#define PGBSON_MATCH_FIELDS_H

#include "core/find/fetch.h"
#include "mongo/query/match.h"

typedef struct PgBsonQueryFields PgBsonQueryFields;

/* The query in this form, palloc'd; NULL if it has none */
extern PgBsonQueryFields *PgBsonQueryFieldsMake(const PgBsonQuery *query);

/* A call of the following, zeroed at first but for the fields, and its answer */
typedef struct PgBsonFieldsMatch
{
	PgBsonQueryFields *fields;	/* which remember what documents look like */
	uint32		done;			/* fields that passed their tests */
	bool		matches;
} PgBsonFieldsMatch;

/* Does a document match?  A PgBsonSearcher (core/find/fetch.h) whose argument is a PgBsonFieldsMatch. */
extern PgBsonFound PgBsonFieldsSearch(PgBsonValue root, const uint8 *avail, void *arg,
									  const uint8 **upto);

/*
 * Does a document match, of which only the fields in question are read
 * (PgBsonIsSparse, core/stored/sparse.h)?  False if it is better to read all of it.
 */
extern bool PgBsonFieldsMatchSparsely(PgBsonQueryFields *fields, Datum doc, bool *matches);

#endif							/* PGBSON_MATCH_FIELDS_H */
