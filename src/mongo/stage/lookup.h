/*
 * lookup.h
 *	  $lookup of MongoDB's pipelines: which documents of another table belong to a document.
 */
#ifndef PGBSON_LOOKUP_H
#define PGBSON_LOOKUP_H

#include "mongo/expr/expr.h"
#include "mongo/stage/nested.h"

/*
 * The values at the local field, elements of arrays among them, palloc'd; null
 * alone where there are none.
 */
extern PgBsonValue *PgBsonLookupValues(const PgBsonValue *doc, const PgBsonNames *local, int *count);

/* A query for the documents whose foreign field, a dotted path, has one of these values */
extern PgBsonValue PgBsonLookupQuery(const PgBsonValue *values, int count, const char *foreign, uint32 len);

/*
 * A query that all documents meet whose field, one name, equals the value, as $expr
 * compares.  No query asks for just what is undefined or missing (PGBSON_EOD), so then
 * it is that of all documents.
 */
extern PgBsonValue PgBsonLookupEquality(const PgBsonValue *value, const char *field, uint32 len);

/* A query for what a round of $graphLookup finds: the values at a path of each document of the round before */
typedef struct PgBsonGraphQuery PgBsonGraphQuery;

extern PgBsonGraphQuery *PgBsonGraphQueryBegin(const char *to, uint32 len);
extern void PgBsonGraphQueryAdd(PgBsonGraphQuery *query, const PgBsonValue *doc, const PgBsonNames *from);

/* False where there is no value to look for */
extern bool PgBsonGraphQueryEnd(PgBsonGraphQuery *query, PgBsonValue *result);

/* Variables, as "let" defines them */
typedef struct PgBsonLet
{
	PgBsonValue doc;
	int			count;
	PgBsonExpression **expressions;
} PgBsonLet;

/* Make them ready, palloc'd; they point into the bytes given.  Raises 22023. */
extern PgBsonLet *PgBsonLetParse(const PgBsonValue *let);

/*
 * A document of the variables as a document makes them, and of those of
 * "known", or NULL, that they do not hide; of those without a value see
 * PGBSON_NO_VALUE.
 */
extern PgBsonValue PgBsonLetEvaluate(const PgBsonLet *let, const PgBsonValue *doc, const PgBsonValue *known);

#endif							/* PGBSON_LOOKUP_H */
