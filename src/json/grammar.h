/*
 * grammar.h
 *	  What is JSON, and where in the text it is not.
 */
#ifndef PGBSON_GRAMMAR_H
#define PGBSON_GRAMMAR_H

#include "pgbson.h"

/* A text being read */
typedef struct PgBsonJsonText
{
	const char *text;			/* UTF-8 */
	Size		len;
	struct Node *escontext;
} PgBsonJsonText;

/*
 * Is it JSON, as the server has it?  How deep it nests then.  22P02 if not,
 * 54001 if it nests deeper than any bson; false after a soft error.
 */
extern bool PgBsonCheckGrammar(const PgBsonJsonText *t, int *max_depth);

/* Report 22P02: what the text has here is no JSON, or nothing bson can hold.  Returns false. */
extern bool PgBsonReportSyntax(const PgBsonJsonText *t, const char *at, const char *detail);

/*
 * For ereport: the error context that tells the line and character of "at"
 * (NULL: the end), and the text up to it and a word on.
 */
extern int	PgBsonJsonContext(const PgBsonJsonText *t, const char *at);

#endif							/* PGBSON_GRAMMAR_H */
