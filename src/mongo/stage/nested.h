/*
 * nested.h
 *	  What single documents need of the stages of MongoDB's pipelines.
 *
 * Values that are returned are palloc'd in the current memory context, or point into the arguments.
 */
#ifndef PGBSON_NESTED_H
#define PGBSON_NESTED_H

#include "mongo/expr/expr_date.h"

/* --- nested.c: values at dotted paths that lead through documents only; see MongoDB's document_path_support.cpp --- */

/* The names of a dotted path */
typedef struct PgBsonNames
{
	int			count;
	PgBsonStep *names;			/* of kind PGBSON_STEP_KEY; they point into the path */
} PgBsonNames;

/*
 * Split a path at its dots; the list of names is palloc'd.  Raises 22023 for what is not a path of fields: an empty
 * name, a name that begins with "$" (except the names of a DBRef, such as $id), a zero byte, or more than 200 names.
 * "what" says in the message where the path stands, for example "\"as\" of stage \"$lookup\"".
 */
extern PgBsonNames PgBsonNestedSplit(const char *path, uint32 len, const char *what);

/* The value at the path; its type is PGBSON_EOD if there is none.  Arrays are not entered. */
extern PgBsonValue PgBsonNestedGet(const PgBsonValue *doc, const PgBsonNames *path);

/*
 * The document with the value at the path, palloc'd; if its type is PGBSON_EOD, the document
 * without the field.  Values on the way that are not documents are replaced by documents.
 */
extern PgBsonValue PgBsonNestedPut(const PgBsonValue *doc, const PgBsonNames *path, const PgBsonValue *value);

/* Append to a palloc'd list the values at a path that enters arrays, as $lookup's; of a last array the elements */
extern void PgBsonNestedCollect(const PgBsonValue *doc, const PgBsonNames *path, PgBsonValue **values, int *count);

/* Open a bson that must be a document, and read all of it: reader->root.  Error 22023 for other values. */
extern void PgBsonOpenDocument(PgBsonReader *reader, Datum datum);

/* --- unwind.c: $unwind, a document for each element of an array; see document_source_unwind.cpp --- */

typedef struct PgBsonUnwind
{
	PgBsonNames path;
	bool		preserves;		/* documents without an element are kept */
	bool		with_index;
	PgBsonNames index;
} PgBsonUnwind;

/* Parse the stage's operand, "$path" or a document, palloc'd; the result points into its bytes.  Raises 22023. */
extern PgBsonUnwind *PgBsonUnwindParse(const PgBsonValue *operand);

/* The state while the documents for one document are returned */
typedef struct PgBsonUnwinding
{
	const PgBsonUnwind *unwind;
	PgBsonValue doc;
	PgBsonValue found;			/* the value at the path */
	PgBsonIter	iter;			/* over the elements, if the value is an array */
	int64		index;			/* of the next element */
	bool		values;			/* return values instead of documents; only if the stage neither preserves nor counts */
	bool		done;
} PgBsonUnwinding;

/* Begin with a document; "found" is its value at the path.  The state points into both. */
extern void PgBsonUnwindBegin(PgBsonUnwinding *state, const PgBsonUnwind *unwind, const PgBsonValue *doc,
							  const PgBsonValue *found);

/* The next document, which may be the given one; false after the last one */
extern bool PgBsonUnwindNext(PgBsonUnwinding *state, PgBsonValue *result);

/* --- lookup.c: how $lookup and $graphLookup find documents, and "let"; see document_source_lookup.cpp --- */

/* The values at the local field, a palloc'd list; of an array its elements; a single null if there are none */
extern PgBsonValue *PgBsonLookupValues(const PgBsonValue *doc, const PgBsonNames *local, int *count);

/* A query for the documents that have one of these values at the foreign field, a dotted path */
extern PgBsonValue PgBsonLookupQuery(const PgBsonValue *values, int count, const char *foreign, uint32 len);

/*
 * A query that finds at least the documents whose field of this name is equal to the value by the rules of $expr.  If
 * the value is undefined or missing (PGBSON_EOD), it finds all documents, as no narrower query would find these.
 */
extern PgBsonValue PgBsonLookupEquality(const PgBsonValue *value, const char *field, uint32 len);

/*
 * For the next round of $graphLookup: add the values at a path of a document of the last round to an array; and make a
 * query for the documents that refer to one of these values
 */
extern void PgBsonGraphAddValues(PgBsonWriter *all, const PgBsonValue *doc, const PgBsonNames *from);
extern PgBsonValue PgBsonGraphQuery(PgBsonWriter *all, const char *to, uint32 len);

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
 * A document with the values of the variables for a document, and the caller's variables, "known" (or NULL), except
 * those that "let" defines anew.  Variables without a value are listed as PGBSON_NO_VALUE describes.
 */
extern PgBsonValue PgBsonLetEvaluate(const PgBsonLet *let, const PgBsonValue *doc, const PgBsonValue *known);

/* --- redact.c: $redact keeps, leaves out or looks into each level; see document_source_redact.cpp --- */

/* Parse the expression, palloc'd.  It may use $$KEEP, $$PRUNE, $$DESCEND, and $$CURRENT, the document at each level. */
extern PgBsonExpression *PgBsonRedactParse(const PgBsonValue *expression);

/*
 * What remains of the document; the type is PGBSON_MISSING if nothing does.  Raises 22023 if the
 * expression's value is not one of the three.
 */
extern PgBsonValue PgBsonRedact(const PgBsonExpression *expression, const PgBsonValue *doc,
								const PgBsonValue *variables);

/* --- steps.c: ranges of numbers, or of dates and a unit of time; see document_source_densify.cpp --- */

/* The unit of this name; 22023 if there is none */
extern const PgBsonUnit *PgBsonRangeUnit(const char *name, uint32 len);

/* The unit of this name that is no longer than a week; 22023 if there is none */
extern const PgBsonUnit *PgBsonFixedUnit(const char *name, uint32 len);

/* Raise 22023 unless the value is a number or, with a unit, a date */
extern void PgBsonRangeCheck(const PgBsonValue *value, const PgBsonUnit *unit);

/* The values from one to another in equal steps */
typedef struct PgBsonEqualSteps
{
	PgBsonValue next;
	PgBsonValue last;
	PgBsonValue step;
	const PgBsonUnit *unit;
	int64		units;			/* the step as a number of units, for dates */
	uint8		room[16];		/* the bytes of "next" */
	const PgBsonValue *known;	/* sorted values: where one equals "next", the series goes on from it, in its type */
	int			nknown;
} PgBsonEqualSteps;

/*
 * Begin a range.  The caller has set "next" to the first value, and "last", "step", "unit", "known" and
 * "nknown".  Raises 22023 if the values and the step have wrong types, or the step is not positive.
 */
extern void PgBsonStepsBegin(PgBsonEqualSteps *steps);

/* The next value, palloc'd; false after the last one */
extern bool PgBsonStepsNext(PgBsonEqualSteps *steps, PgBsonValue *value);

/* --- granularity.c: series of preferred numbers, for $bucketAuto; see granularity_rounder_*.cpp --- */

typedef struct PgBsonSeries PgBsonSeries;

/* The series of this name: R5 to R80, E6 to E192, 1-2-5 and POWERSOF2; NULL for another name */
extern const PgBsonSeries *PgBsonSeriesNamed(const char *name, uint32 len);

/*
 * If "sign" is 1, the least number of the series greater than this one; if it is -1, the greatest less than it;
 * palloc'd.  A decimal gives a decimal; 0 stays 0.  The number must be neither negative nor NaN.
 */
extern PgBsonValue PgBsonSeriesNext(const PgBsonSeries *series, const PgBsonValue *number, int sign);

#endif							/* PGBSON_NESTED_H */
