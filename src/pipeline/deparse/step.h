/*
 * step.h
 *	  Steps of a pipeline, added to a SELECT one after the other, and what they are made of.
 */
#ifndef PGBSON_STEP_H
#define PGBSON_STEP_H

#include "pipeline/deparse/select.h"

/* A SELECT of the documents of a source; of a given one those of the SELECT "outer", of which it is a branch */
extern PgBsonSelect *PgBsonDeparseSource(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonSource *source,
										 const PgBsonSelect *outer);

/* Add a step */
typedef void PgBsonDeparseStep(PgBsonSelect *select, const PgBsonStage *node);

extern PgBsonDeparseStep PgBsonDeparseFilter, PgBsonDeparseCompute, PgBsonDeparseProject, PgBsonDeparseRedact;
extern PgBsonDeparseStep PgBsonDeparseUnwind, PgBsonDeparseSort, PgBsonDeparseCut, PgBsonDeparseSample;
extern PgBsonDeparseStep PgBsonDeparseScore;
extern PgBsonDeparseStep PgBsonDeparseGroup, PgBsonDeparseCount;	/* group.c */
extern PgBsonDeparseStep PgBsonDeparseWindow;	/* window.c */
extern PgBsonDeparseStep PgBsonDeparseDensify;	/* densify.c */
extern PgBsonDeparseStep PgBsonDeparseNear; /* geometry.c */

/* --- operand.c: expressions --- */

/* The value of an expression of the SELECT's document, which is a column; NULL where it is missing */
extern const char *PgBsonOperandSql(PgBsonSelect *select, const PgBsonValue *expression);

/* If the expression is a path, a document and the names on the way to the value, as arguments: "root, 'a', 'b'"; else NULL */
extern const char *PgBsonOperandNames(PgBsonSelect *select, const PgBsonValue *expression);

/* If the expression is an operator without variables or a collation, the document and itself as arguments; else NULL */
extern const char *PgBsonOperandEvaluated(PgBsonSelect *select, const PgBsonValue *expression);

/* The value of an expression as above; where it is missing, BSON null instead of SQL's NULL */
extern const char *PgBsonOperandOrNull(PgBsonSelect *select, const PgBsonValue *expression);

/*
 * End the SELECT, whose document becomes "document", if that is not NULL: as PgBsonSelectLevel does with "extra", and with
 * these expressions (const PgBsonValue *) of the document as it was as columns.  From here on the expressions are these
 * columns.  With "sorted" it is PgBsonSelectSorted that ends it.
 */
extern const char *PgBsonOperandCarry(PgBsonSelect *select, const List *expressions, const char *document,
									  const char *extra, const char *sorted);

/* A smaller document with all fields that a query reads, in SQL; NULL if there is none */
extern const char *PgBsonOperandQueried(const PgBsonSelect *select, const PgBsonValue *query);

/* The name of a unit of time, in SQL; NULL of type text if there is none */
extern const char *PgBsonOperandUnitSql(const PgBsonUnit *unit);

/* --- where.c: conditions of a filter --- */

/* Add conditions (PgBsonCondition *) to WHERE; "document" is what queries are about */
extern void PgBsonConditionsAdd(PgBsonSelect *select, const List *conditions, const char *document);

/* If the statement has a shape, add that the tables' indexes are as they are now; an error where they are not */
extern void PgBsonConditionsAddShape(PgBsonSelect *select);

/* The arguments of functions of text search that PGBSON_CONDITION_TEXT stands for */
extern const char *PgBsonTextArguments(const PgBsonTranslation *all, const PgBsonValue *text);

/* --- geometry.c --- */

/*
 * The geometry of a field of the document; "checked": of which a document without geometry is an error, as in an index.
 * These raise 0A000 if the database does not have the extension PostGIS.
 */
extern char *PgBsonGeometryOf(PgBsonTranslation *all, const char *document, const PgBsonKeyRef *path, bool sphere,
							  bool checked);

extern char *PgBsonGeometrySql(const PgBsonSelect *select, const PgBsonGeo *geo, const char *document);

/* --- chain_sql.c: all steps --- */

/* A SELECT of the documents of a pipeline */
extern PgBsonSelect *PgBsonDeparseChain(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonChain *chain,
										const PgBsonSelect *outer);

/*
 * --- accumulator.c ---
 *
 * An accumulator as an aggregate.  The document of the SELECT must be a column.  "key" is the _id of the group, from
 * which "n" may be computed; if it is NULL, "n" must be a constant.  "over" is the window, " OVER (...)", or
 * NULL; "moves" tells that its beginning moves.  "only_ends": see PgBsonGroup.
 */
extern const char *PgBsonAccumulatorSql(PgBsonSelect *select, const PgBsonIter *accumulator, const char *key,
										const char *over, bool moves, bool only_ends);

#endif							/* PGBSON_STEP_H */
