/*
 * select.h
 *	  A SELECT in the making, whose rows are the documents after a stage.
 *
 * A stage is added to the SELECT of the stages before if its clauses have the
 * same meaning there.  If it needs the result of those stages instead, their
 * SELECT ends: it becomes a level, which is an entry of WITH, and a new SELECT
 * reads from it.
 */
#ifndef PGBSON_SELECT_H
#define PGBSON_SELECT_H

#include "mongo/expr/expr.h"

/* below the first, which includes postgres.h */
#include "lib/stringinfo.h"
#include "utils/rel.h"

/* What is common to all parts of a statement */
typedef struct PgBsonTranslation
{
	const char *schema;			/* of the extension, quoted */
	Oid			type;			/* OID of bson */
	const char *column;			/* the name that the caller gave, or NULL */
	const struct PgBsonScope *scope;	/* the variables of the command */
	int			nlevels;		/* levels named so far */
	int			ntables;		/* tables named so far */
	int			nstages;
	int			naccumulators;
	int			stage;			/* the number of the current stage of the whole pipeline, from 1 */
	List	   *spans;			/* see PgBsonTranslatePipeline */
	int			depth;			/* how deeply the current pipeline is nested in others' stages */
	bool		in_facet;
} PgBsonTranslation;

/* The variables that expressions may use */
typedef struct PgBsonScope
{
	const char *variables;		/* in SQL: a document of them; NULL if there is only $$NOW */
	List	   *names;			/* PgBsonKeyRef *, all but NOW */
} PgBsonScope;

/* The struct in this list that has this name, which is the first member of each, a PgBsonKeyRef; or NULL */
extern void *PgBsonFindNamed(const List *list, const char *name, uint32 len);

/* A field that all documents have */
typedef struct PgBsonSelectField
{
	PgBsonKeyRef name;
	bool		is_document;
} PgBsonSelectField;

/* An expression, a string, that is a column of the level from which the SELECT reads */
typedef struct PgBsonCarried
{
	PgBsonKeyRef expression;
	const char *column;
} PgBsonCarried;

/* A field with a btree index */
typedef struct PgBsonIndexed
{
	PgBsonKeyRef path;			/* as MongoDB writes it, "a.b" */
	const char *sql;			/* its value as the index has it: (data -> 'a' -> 'b') */
} PgBsonIndexed;

typedef struct PgBsonSelect
{
	PgBsonTranslation *all;
	const PgBsonScope *scope;
	List	   *levels;			/* entries of WITH up to the last MATERIALIZED one (see select.c) */
	List	   *nested;			/* entries after that one */
	int			outer_nested;	/* how many of these the pipeline around it has, which this one reads */
	const char *union_name;		/* of an entry that tables may still be added to; or NULL */
	StringInfo	united;			/* and its text */
	const char *from;
	const char *base;			/* an SQL expression for the document, without "stages" */
	bool		computed;		/* "base" is not just a column */
	PgBsonWriter stages;		/* stages that change single documents and are not in "base" yet */
	bool		stages_vary;	/* they use variables */
	int			unwinds;		/* how many functions in "base" return sets: there are several rows for one of "from" */
	bool		unwound;		/* the rows' order includes the order of array elements */
	bool		grouped;		/* there is a GROUP BY or HAVING, or an aggregate */
	bool		windowed;		/* there are window functions */
	List	   *where;			/* conditions */
	const char *group;
	const char *having;
	bool		only_ends;		/* $group wants no more of the order than $first and $last */
	const char *order;			/* an expression to order by; NULL: no order is defined */
	int64		skip;
	int64		limit;			/* -1: none */
	const char *part;			/* the value of the field "part_name" of the document; or NULL */
	PgBsonKeyRef part_name;
	bool		part_is_document;
	const char *number;			/* the same as a bigint, if it is the SQL text of one; or NULL */
	const char *rest;			/* a column whose document has the other fields; its "part_name" is not to be read */
	const char *unwind;			/* the operand of $unwind that makes the part */
	List	   *carried;		/* PgBsonCarried *: paths in "rest" */
	List	   *fields;			/* PgBsonSelectField *: what is known of the documents */
	const char *column;			/* of a table from which the SELECT reads; only if "indexed" is set */
	List	   *indexed;		/* its fields with a btree index, PgBsonIndexed *; see served.c */
	int32		width;			/* of its documents on average, in bytes as they are stored in rows; 0: not known */
	bool		unique_id;		/* the table has a unique index on the _id */
	List	   *served;			/* the conditions that these serve */
	const PgBsonIndexed *sorted; /* the field of "indexed" whose order "served_order" is; it counts as long as "order" is that */
	bool		descending;
	const char *served_order;
	int			first;			/* numbers of the first and the last stage that are in it so far */
	int			last;
	PgBsonIter	next;			/* the stages after the one that is being added, which may take them as well */
} PgBsonSelect;

/* Begin: the documents of "base", in the entries of "from" */
extern PgBsonSelect *PgBsonSelectNew(PgBsonTranslation *all, const PgBsonScope *scope,
									 const char *from, const char *base);

/* printf, with "#" in the format for the extension's schema and a dot */
extern char *PgBsonSql(const PgBsonTranslation *all, const char *format,...) pg_attribute_printf(2, 3);

/* A document of names and values, which are in SQL, two lists of strings of one length */
extern char *PgBsonSqlDocument(const PgBsonTranslation *all, List *names, List *values);

/* The document, in SQL */
extern const char *PgBsonSelectDocument(PgBsonSelect *select);

/* From here on the document is this expression */
extern void PgBsonSelectCompute(PgBsonSelect *select, const char *document);

/*
 * From here on the document is the column "rest" with one field replaced by "part".  Expressions that
 * read only this field, or only others, are computed without putting the document together.
 */
extern void PgBsonSelectPart(PgBsonSelect *select, const char *rest, const char *name, uint32 len, const char *part);

/*
 * End the SELECT, and begin one that reads from it.  Its columns are "data"; if the order matters,
 * "key"; and "extra", which is "expression AS name" or NULL.  Returns the name of the level.
 */
extern const char *PgBsonSelectLevel(PgBsonSelect *select, const char *extra);

/* Add an entry of WITH, the only reader of the one before; "gathers": it returns no row before it has read all */
extern void PgBsonSelectEntry(PgBsonSelect *select, const char *name, const char *body, bool gathers);

/* Have the document be a column, which expressions can name several times */
extern void PgBsonSelectColumn(PgBsonSelect *select);

/* The same, and conditions can be added: a SELECT with LIMIT or OFFSET ends, because WHERE would apply before these */
extern void PgBsonSelectPlain(PgBsonSelect *select);

/* The order of the documents no longer matters, except for which ones LIMIT and OFFSET leave */
extern void PgBsonSelectForgetOrder(PgBsonSelect *select);

/* Leave out the first documents; leave out those after the first "count" */
extern void PgBsonSelectSkip(PgBsonSelect *select, int64 count);
extern void PgBsonSelectLimit(PgBsonSelect *select, int64 count);

/* The whole statement; a subquery that returns its documents as one array */
extern char *PgBsonSelectText(PgBsonSelect *select);
extern char *PgBsonSelectArray(PgBsonSelect *select);

/* --- source.c: where the documents of a pipeline come from, a table or the stage $documents --- */

/*
 * A SELECT from the relation: from the column that the caller named or, if none, from its only one
 * of type bson.  Raises 42809, 42703, 42804, 42702.
 */
extern PgBsonSelect *PgBsonSourceOf(PgBsonTranslation *all, const PgBsonScope *scope, Oid relation);

/*
 * The same for a relation that a stage names: by its name alone, which is looked up in the caller's
 * search_path, or by schema, dot and name.  If it has a column with the name that the caller gave, that
 * column is read.  Error 42P01 if there is no such relation.
 */
extern PgBsonSelect *PgBsonSourceNamed(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonValue *name);

/* The relation itself; InvalidOid if there is none */
extern Oid	PgBsonSourceFind(const PgBsonValue *name);

/*
 * A SELECT of the documents that the first stage of a pipeline makes, which must be $documents, else
 * 22023; *rest is set to a pipeline of the other stages.
 */
extern PgBsonSelect *PgBsonSourceDocuments(PgBsonTranslation *all, const PgBsonScope *scope, const PgBsonValue *pipeline,
										   PgBsonValue *rest);

/* --- served.c: conditions and orders that a btree index on a field serves, (data -> 'field') --- */

/* Note the fields with such an index, of the column of this name of the table that the SELECT reads */
extern void PgBsonServedFind(PgBsonSelect *select, Relation rel, const char *column);

/*
 * Add conditions for those fields of a query that an index serves.  Returns a query of the other fields.  The
 * document of the SELECT must be a column of a table.
 */
extern PgBsonValue PgBsonServedConditions(PgBsonSelect *select, const PgBsonValue *query, List **conditions);

/* The SELECT was sorted by this: remember it if an index serves it */
extern void PgBsonServedSort(PgBsonSelect *select, const PgBsonValue *sort);

/* An entry of FROM with the first documents in this order, as many as the SELECT's LIMIT needs; NULL if no index serves it */
extern const char *PgBsonServedFirst(const PgBsonSelect *select);

#endif							/* PGBSON_SELECT_H */
