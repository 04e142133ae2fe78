/*
 * select.h
 *	  A SELECT in the making, whose rows are the documents behind a stage.
 *
 * Stages are put into one SELECT as long as they mean the same there.  A stage
 * that needs the documents of the one before as they are ends it: it becomes a
 * level of its own, an entry of WITH, and the next SELECT reads from it.
 */
#ifndef PGBSON_SELECT_H
#define PGBSON_SELECT_H

#include "mongo/expr/expr.h"

/* below the first, which includes postgres.h */
#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

/* What is common to all parts of a statement */
typedef struct PgBsonTranslation
{
	const char *schema;			/* of the extension, quoted */
	Oid			type;			/* bson */
	const char *column;			/* the name that the caller gave, or NULL */
	int			nlevels;		/* levels named so far */
	int			ntables;		/* tables named so far */
	int			nstages;
	int			depth;			/* of pipelines in stages of pipelines */
	bool		in_facet;
} PgBsonTranslation;

/* The variables that expressions may use */
typedef struct PgBsonScope
{
	const char *variables;		/* a document of them, in SQL; NULL: $$NOW alone */
	List	   *names;			/* PgBsonKeyRef *: all but NOW */
} PgBsonScope;

typedef struct PgBsonSelect
{
	PgBsonTranslation *all;
	const PgBsonScope *scope;
	List	   *levels;			/* texts of the entries of WITH */
	const char *union_name;		/* of an entry that tables may still be added to; or NULL */
	StringInfo	united;			/* and its text */
	const char *from;
	const char *base;			/* the document, but for "stages" */
	bool		computed;		/* base is no column */
	PgBsonExprMaker stages;		/* that change single documents, not yet in "base" */
	bool		stages_vary;	/* they use variables */
	bool		unwinds;		/* base has several rows for one of "from" */
	bool		unwound;		/* the order of the rows has that of elements in it */
	bool		grouped;		/* there is a GROUP BY or HAVING, or an aggregate */
	List	   *where;			/* conditions */
	const char *group;
	const char *having;
	const char *order;			/* one value to order by; NULL: any order */
	int64		skip;
	int64		limit;			/* -1: none */
	const char *part;			/* the value of the field "part_name" of the document; or NULL */
	PgBsonKeyRef part_name;
	const char *rest;			/* a column: the document's other fields, "part_name" is something else there */
	const char *unwind;			/* the operand of $unwind that makes the part */
	PgBsonIter	next;			/* stages behind the one that is added, which may take them, too */
} PgBsonSelect;

/* Begin: the documents of "base", in the entries of "from" */
extern PgBsonSelect *PgBsonSelectNew(PgBsonTranslation *all, const PgBsonScope *scope,
									 const char *from, const char *base);

/* A name for a table, or a level, that no other has */
extern char *PgBsonSelectAlias(PgBsonTranslation *all);

/* printf, with "#" in the format for the extension's schema and a dot */
extern char *PgBsonSql(const PgBsonTranslation *all, const char *format,...) pg_attribute_printf(2, 3);

/* A document of names and values, which are in SQL, two lists of strings of one length */
extern char *PgBsonSqlDocument(const PgBsonTranslation *all, List *names, List *values);

/* The document, in SQL */
extern const char *PgBsonSelectDocument(PgBsonSelect *select);

/* Another document from here on */
extern void PgBsonSelectCompute(PgBsonSelect *select, const char *document);

/*
 * The document is a column with one field replaced: expressions that read only
 * that one, or only others, need not have it put together.
 */
extern void PgBsonSelectPart(PgBsonSelect *select, const char *rest, const char *name, uint32 len, const char *part);

/*
 * End the SELECT, and begin one that reads from it.  Its columns are "data" and,
 * if the order counts, "key"; and "extra", "expression AS name", or NULL.
 * Returns its name.
 */
extern const char *PgBsonSelectLevel(PgBsonSelect *select, const char *extra);

/* Have the document be a column, which expressions can name several times */
extern void PgBsonSelectColumn(PgBsonSelect *select);

/* The same where conditions are to be added to the SELECT, which come before its LIMIT */
extern void PgBsonSelectPlain(PgBsonSelect *select);

/* The order counts no longer, but for which rows there are */
extern void PgBsonSelectForgetOrder(PgBsonSelect *select);

/* Rows from one place to another, of those that there are */
extern void PgBsonSelectSkip(PgBsonSelect *select, int64 count);
extern void PgBsonSelectLimit(PgBsonSelect *select, int64 count);

/* The whole statement, and an array of what it returns */
extern char *PgBsonSelectText(PgBsonSelect *select);
extern char *PgBsonSelectArray(PgBsonSelect *select);

#endif							/* PGBSON_SELECT_H */
