/*
 * operand.h
 *	  Expressions of a step as SQL.
 */
#ifndef PGBSON_OPERAND_H
#define PGBSON_OPERAND_H

#include "pipeline/deparse/select.h"

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

/* --- geometry.c --- */

/*
 * The geometry of a field of the document; "checked": of which a document without geometry is an error, as in an index.
 * These raise 0A000 if the database does not have the extension PostGIS.
 */
extern char *PgBsonGeometryOf(PgBsonTranslation *all, const char *document, const PgBsonKeyRef *path, bool sphere,
							  bool checked);

extern char *PgBsonGeometrySql(const PgBsonSelect *select, const PgBsonGeo *geo, const char *document);

/* --- where.c --- */

/* If the statement has a shape, add that the tables' indexes are as they are now; an error where they are not */
extern void PgBsonConditionsAddShape(PgBsonSelect *select);

/* where.c: the arguments of functions of text search that PGBSON_CONDITION_TEXT stands for */
extern const char *PgBsonTextArguments(const PgBsonTranslation *all, const PgBsonValue *text);

#endif							/* PGBSON_OPERAND_H */
