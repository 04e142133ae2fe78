/*
 * lookup.h
 *	  $lookup and $graphLookup of MongoDB's pipelines: the values and queries by which documents of another table are
 *	  found, and the variables of "let".
 *
 * Values that are returned are palloc'd in the current memory context, or point into the arguments.
 *
 * The authority is MongoDB's src/mongo/db/pipeline/document_source_lookup.cpp.
 */
#ifndef PGBSON_LOOKUP_H
#define PGBSON_LOOKUP_H

#include "mongo/expr/expr.h"
#include "mongo/stage/nested.h"

/* The values at the local field, a palloc'd list; the elements instead of an array; the single value null if there are none */
extern PgBsonValue *PgBsonLookupValues(const PgBsonValue *doc, const PgBsonNames *local, int *count);

/* A query for the documents that have one of these values at the foreign field, a dotted path */
extern PgBsonValue PgBsonLookupQuery(const PgBsonValue *values, int count, const char *foreign, uint32 len);

/*
 * A query that finds at least the documents whose field of this name is equal to the value by the rules of $expr.  If the
 * value is undefined or missing (PGBSON_EOD), it finds all documents, as no narrower query would find these.
 */
extern PgBsonValue PgBsonLookupEquality(const PgBsonValue *value, const char *field, uint32 len);

/*
 * For the next round of $graphLookup: add the values at a path of a document of the last round to an array; and make a
 * query for the documents that refer to one of these values
 */
extern void PgBsonGraphAddValues(PgBsonExprMaker *all, const PgBsonValue *doc, const PgBsonNames *from);
extern PgBsonValue PgBsonGraphQuery(PgBsonExprMaker *all, const char *to, uint32 len);

/* The variables that "let" defines */
typedef struct PgBsonLet
{
	PgBsonValue doc;
	int			count;
	PgBsonExpression **expressions;
} PgBsonLet;

/* Parse the operand "let", palloc'd; the result points into its bytes.  Raises 22023. */
extern PgBsonLet *PgBsonLetParse(const PgBsonValue *let);

/*
 * A document with the values of the variables for a document, and the caller's variables, "known" (or NULL), except those
 * that "let" defines anew.  Variables without a value are listed as PGBSON_NO_VALUE describes.
 */
extern PgBsonValue PgBsonLetEvaluate(const PgBsonLet *let, const PgBsonValue *doc, const PgBsonValue *known);

#endif							/* PGBSON_LOOKUP_H */
