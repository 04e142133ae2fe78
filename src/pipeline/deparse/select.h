/*
 * select.h
 *	  A SELECT in the making, whose rows are the documents after a step.
 *
 * A step is added to the SELECT of the steps before if its clauses have the
 * same meaning there.  If it needs the result of those steps instead, their
 * SELECT ends: it becomes a level, which is an entry of WITH, and a new SELECT
 * reads from it.
 */
#ifndef PGBSON_SELECT_H
#define PGBSON_SELECT_H

#include "pipeline/deparse/sql_text.h"
#include "pipeline/tree/node.h"

/* below the first, which includes postgres.h */
#include "lib/stringinfo.h"

/* The variables that expressions may use */
typedef struct PgBsonScope
{
	const char *variables;		/* in SQL: a document of them; NULL if there is only $$NOW */
	const List *names;			/* PgBsonKeyRef *, all but NOW */
} PgBsonScope;

/* The entries of WITH before the SELECT */
typedef struct PgBsonWith
{
	List	   *levels;			/* up to the last MATERIALIZED one (see select.c) */
	List	   *nested;			/* those after that one */
	int			outer_nested;	/* how many the pipeline around it has, which this one reads; and SELECTs in FROM */
	const char *union_name;		/* of an entry that tables may still be added to; or NULL */
	StringInfo	united;			/* and its text */
} PgBsonWith;

/* What documents are ordered by */
typedef struct PgBsonOrder
{
	const char *sql;			/* NULL: no order is defined */
	bool		is_key;			/* it is the sort key of the SELECT's documents; equal ones may be in any order */
	PgBsonIndexOrder index;		/* which has the same order */
	bool		done;			/* "sql" is NULL, as the rows of each group come in the order already */
} PgBsonOrder;

/* A condition of WHERE */
typedef struct PgBsonWhere
{
	const char *sql;
	const char *scalar;			/* the same for documents without an array in "field"; or NULL */
	const PgBsonIndexed *field;
	List	   *arms;			/* conditions (char *) of which each document meets one, if it meets this; or NIL */
	/* PgBsonIndexed *: fields whose values are there, and no arrays, if it is met; or if the first of "arms" is */
	List	   *sure;
} PgBsonWhere;

/* The clauses of the SELECT.  A level that ends takes them with it: the next one has new ones. */
typedef struct PgBsonClauses
{
	const char *from;
	const char *column;			/* of the table, if the SELECT reads just that; or NULL */
	List	   *geometry;		/* PgBsonGeoIndex *: of this column, if the SELECT reads just that */
	int			unwinds;		/* how many functions in the document return sets: there are several rows for one of "from" */
	bool		grouped;		/* there is a GROUP BY or HAVING, or an aggregate */
	bool		windowed;		/* there are window functions */
	List	   *where;			/* PgBsonWhere * */
	const char *group;
	const char *having;
	PgBsonOrder order;
	int64		skip;
	int64		limit;			/* -1: none */
	bool		whole;			/* one scan must find the rows, as they are to be locked */
} PgBsonClauses;

/* An expression that is a column of the level from which the SELECT reads */
typedef struct PgBsonCarried
{
	const PgBsonValue *expression;
	const char *column;			/* with its level: "s1.p1" */
} PgBsonCarried;

/* A field that all documents have */
typedef struct PgBsonSelectField
{
	PgBsonKeyRef name;
	bool		is_document;
} PgBsonSelectField;

/* A field whose value is an SQL expression of its own */
typedef struct PgBsonDocumentPart
{
	PgBsonKeyRef name;			/* the first member */
	const char *sql;
	bool		optional;		/* it can be NULL: then the document is without the field */
	bool		is_document;	/* it is no array */
	const char *number;			/* the same as a bigint, if it is the SQL text of one; or NULL */
} PgBsonDocumentPart;

/* The document that the SELECT makes.  A step that makes another document replaces all of it. */
typedef struct PgBsonDocument
{
	const char *base;			/* an SQL expression for the document, without "stages" */
	bool		computed;		/* "base" is not just a column */
	PgBsonWriter stages;		/* stages that change single documents and are not in "base" yet */
	bool		stages_vary;	/* they use variables */
	List	   *parts;			/* PgBsonDocumentPart *: fields that are not in "base" as they are in "rest" */
	const char *rest;			/* if there are parts: a column whose document has the other fields */
	List	   *carried;		/* PgBsonCarried *: expressions of documents of which this is a part */
	List	   *fields;			/* PgBsonSelectField *: what is known of the documents */
} PgBsonDocument;

typedef struct PgBsonSelect
{
	PgBsonTranslation *all;
	const PgBsonScope *scope;
	PgBsonWith	with;
	PgBsonClauses clauses;
	PgBsonDocument document;
	bool		unwound;		/* the rows' order includes the order of array elements */
	int			first;			/* numbers of the first and the last stage that are in it so far */
	int			last;
} PgBsonSelect;

/* Begin: the documents of "base", in the entries of "from" */
extern PgBsonSelect *PgBsonSelectNew(PgBsonTranslation *all, const PgBsonScope *scope,
									 const char *from, const char *base);

/* The variables as one more argument: ", variables" */
extern const char *PgBsonSelectVariables(const PgBsonSelect *select);

/* The document, in SQL */
extern const char *PgBsonSelectDocument(PgBsonSelect *select);

/* From here on the document is this expression */
extern void PgBsonSelectCompute(PgBsonSelect *select, const char *document);

/*
 * From here on the document is the column that it is now, with these fields (PgBsonDocumentPart) replaced.  Expressions
 * that read only such fields, or only others, are computed without putting the document together.
 */
extern void PgBsonSelectParts(PgBsonSelect *select, const PgBsonDocumentPart *parts, int count);

/* The document's only part as a bigint, in SQL; NULL if it is none */
extern const char *PgBsonSelectNumber(const PgBsonSelect *select);

/*
 * End the SELECT, and begin one that reads from it.  Its columns are "data"; if the order matters,
 * "key"; and "extra", which is "expression AS name" or NULL.  Returns the name of the level.
 */
extern const char *PgBsonSelectLevel(PgBsonSelect *select, const char *extra);

/*
 * The same in FROM, with the rows in the order of these columns, "a, b, ", and then in that of the documents so far.  The
 * planner knows it, unlike that of WITH, so aggregates grouped by the columns get the rows of each group in order.
 */
extern const char *PgBsonSelectSorted(PgBsonSelect *select, const char *extra, const char *columns);

/* Add an entry of WITH, the only reader of the one before; "gathers": it returns no row before it has read all */
extern void PgBsonSelectEntry(PgBsonSelect *select, const char *name, char *body, bool gathers);

/* Have the document be a column, which expressions can name several times */
extern void PgBsonSelectColumn(PgBsonSelect *select);

/* The same, and conditions can be added: a SELECT with LIMIT or OFFSET ends, because WHERE would apply before these */
extern void PgBsonSelectPlain(PgBsonSelect *select);

/* Does it do no more than return the documents that it reads, perhaps of some rows? */
extern bool PgBsonSelectOnlyReads(const PgBsonSelect *select);

/* Is there a LIMIT or OFFSET? */
extern bool PgBsonSelectIsCut(const PgBsonSelect *select);

/* The order of the documents no longer matters, except for which ones LIMIT and OFFSET leave */
extern void PgBsonSelectForgetOrder(PgBsonSelect *select);

/* The documents are in another order, or none if "order" is NULL */
extern void PgBsonSelectOrder(PgBsonSelect *select, const char *order);

/* Leave out the first documents; leave out those after the first "count" */
extern void PgBsonSelectSkip(PgBsonSelect *select, int64 count);
extern void PgBsonSelectLimit(PgBsonSelect *select, int64 count);

/* Add a condition to WHERE */
extern PgBsonWhere *PgBsonSelectAddWhere(PgBsonSelect *select, const char *sql);

/* "\nWHERE ...", or an empty string */
extern const char *PgBsonSelectWhere(const PgBsonSelect *select);

/* The whole statement; a subquery that returns its documents as one array */
extern char *PgBsonSelectText(PgBsonSelect *select);
extern char *PgBsonSelectArray(PgBsonSelect *select, const char *stage);

/* --- call.c: calls and operators --- */

/* printf, with "#" in the format for the extension's schema and a dot, and "$'" for a text constant */
extern char *PgBsonSql(const PgBsonTranslation *all, const char *format,...) pg_attribute_printf(2, 3);

/*
 * A value that is sorted, grouped or compared by the statement's collation, and one to be compared with that; and
 * "document @~ query".  Without a collation each leaves all as it is.
 */
extern const char *PgBsonCollatedSql(const PgBsonTranslation *all, const char *value);
extern const char *PgBsonCollatedConstant(const PgBsonTranslation *all, const char *value);
extern char *PgBsonMatchSql(const PgBsonTranslation *all, const char *document, const char *query);

/*
 * An aggregate in SQL: the array of the values, without the NULLs, that this accumulator or stage makes.  "after" is
 * " ORDER BY key" or empty; "over" is " OVER (...)" or empty.
 */
extern char *PgBsonSqlGather(const PgBsonTranslation *all, const char *name, const char *value,
							 const char *after, const char *over);

/* A document of names and values, which are in SQL, two lists of strings of one length */
extern char *PgBsonSqlDocument(const PgBsonTranslation *all, List *names, List *values);

/* This document with the fields of these parts (PgBsonDocumentPart *), in SQL */
extern const char *PgBsonSqlPut(const PgBsonTranslation *all, const char *document, const List *parts);

/* The value of an indexed field of this column as the index has it, (data -> 'a' -> 'b'), and whether it is an array */
extern const char *PgBsonIndexedSql(const PgBsonTranslation *all, const char *column, const PgBsonIndexed *field);
extern const char *PgBsonIndexedIsArray(const PgBsonTranslation *all, const char *value);

#endif							/* PGBSON_SELECT_H */
