/*
 * sql_text.h
 *	  The names and constants in a statement.  What a pipeline contains enters the
 *	  statement only by these functions, as a quoted identifier or a literal.
 *
 * Every text is free of newlines, also in quotes, so that a statement can be
 * indented line by line.  All is palloc'd and in the server's encoding.
 */
#ifndef PGBSON_SQL_TEXT_H
#define PGBSON_SQL_TEXT_H

#include "mongo/stage/nested.h"
#include "nodes/pg_list.h"
#include "pipeline/tree/shape.h"

/* What is common to all parts of a statement */
typedef struct PgBsonTranslation
{
	const char *schema;			/* of the extension, quoted */
	bool		is_old;			/* see PgBsonTarget */
	const char *postgis;		/* the schema of PostGIS, quoted; NULL: not looked up yet */
	const char *collation;		/* by which strings are compared, quoted, with its schema; NULL: by their bytes */
	int			nlevels;		/* levels named so far */
	int			ntables;		/* tables named so far */
	int			stage;			/* the number of the current stage of the whole pipeline, from 1 */
	List	   *spans;			/* see PgBsonTranslatePipeline */
	PgBsonShape *shape;			/* constants of the filter are parameters; or NULL */
} PgBsonTranslation;

/* The text with another one in place of each such character */
extern char *PgBsonSqlReplace(const char *s, char character, const char *by);

/* An identifier, quoted if it must be */
extern char *PgBsonSqlIdentifier(const char *name);

/*
 * A string constant without a type, from the server's encoding or from BSON's UTF-8; the latter raises 22P05 for a zero
 * byte
 */
extern char *PgBsonSqlString(const char *s);
extern char *PgBsonSqlName(const char *s, uint32 len);

/* The same of type text, so that an operator or function for another type does not fit better: pg_catalog.text '...' */
extern char *PgBsonSqlText(const char *s, uint32 len);
extern char *PgBsonSqlTextOf(const PgBsonValue *string);

/* A bson constant: '...'::schema.bson */
extern char *PgBsonSqlConstant(const PgBsonTranslation *all, const PgBsonValue *value);

/* A bson constant whose type follows from what is around it, so that PgBsonSqlShort leaves it out: schema.bson '...' */
extern char *PgBsonSqlArgument(const PgBsonTranslation *all, const PgBsonValue *value);

/* A jsonpath to all values at a path, $."name"."name"[*]: arrays are looked into on the way and at the end, as distinct does */
extern char *PgBsonSqlJsonpath(const PgBsonNames *path);

/* Several values as an array of bson */
extern char *PgBsonSqlArray(const PgBsonTranslation *all, const PgBsonValue *values, int count);

/* The statement without these schemas (char *, quoted), and without a type that follows from what is around it */
extern char *PgBsonSqlShort(const char *sql, List *schemas);

/* Several texts (char *) with a word between them */
extern char *PgBsonSqlJoin(List *texts, const char *word);

/* The text with each line indented by four columns */
extern char *PgBsonSqlIndent(const char *text);

#endif							/* PGBSON_SQL_TEXT_H */
