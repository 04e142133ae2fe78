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
