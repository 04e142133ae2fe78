/*
 * lookup.h
 *	  $lookup of MongoDB's pipelines: which documents of another table belong to a document.
 *
 * The authority is MongoDB's src/mongo/db/pipeline/document_source_lookup.cpp.
 */
#ifndef PGBSON_LOOKUP_H
#define PGBSON_LOOKUP_H

#include "mongo/expr/expr.h"
#include "mongo/stage/nested.h"

/* The values at the local field, palloc'd, with the elements of arrays; if there are none, just null */
extern PgBsonValue *PgBsonLookupValues(const PgBsonValue *doc, const PgBsonNames *local, int *count);

/* A query for the documents that have one of these values at the foreign field, a dotted path */
extern PgBsonValue PgBsonLookupQuery(const PgBsonValue *values, int count, const char *foreign, uint32 len);

/*
 * A query satisfied by all documents whose field of this name equals the value, as $expr compares.
 * For values that are undefined or missing (PGBSON_EOD) no query is that narrow, so it is satisfied
 * by all documents.
 */
extern PgBsonValue PgBsonLookupEquality(const PgBsonValue *value, const char *field, uint32 len);

/*
 * A query for the next round of $graphLookup: the documents that refer to the values at a path of
 * each document of the last round
 */
typedef struct PgBsonGraphQuery PgBsonGraphQuery;

extern PgBsonGraphQuery *PgBsonGraphQueryBegin(const char *to, uint32 len);
extern void PgBsonGraphQueryAdd(PgBsonGraphQuery *query, const PgBsonValue *doc, const PgBsonNames *from);

/* False if there is no value to look for */
extern bool PgBsonGraphQueryEnd(PgBsonGraphQuery *query, PgBsonValue *result);

/* The variables that "let" defines */
typedef struct PgBsonLet
{
	PgBsonValue doc;
	int			count;
	PgBsonExpression **expressions;
} PgBsonLet;

/* Make the variables ready, palloc'd; they point into the bytes given.  Raises 22023. */
extern PgBsonLet *PgBsonLetParse(const PgBsonValue *let);

/*
 * A document of the variables' values for a document, and of those variables of "known" (may be
 * NULL) that are not hidden.  PGBSON_NO_VALUE says how variables without a value are in it.
 */
extern PgBsonValue PgBsonLetEvaluate(const PgBsonLet *let, const PgBsonValue *doc, const PgBsonValue *known);

#endif							/* PGBSON_LOOKUP_H */
