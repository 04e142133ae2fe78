/*
 * options.h
 *	  Documents of named options, as operators, stages and accumulators take them.
 */
#ifndef PGBSON_OPTIONS_H
#define PGBSON_OPTIONS_H

#include "core/bytes/names.h"

/* The most names in a list */
#define PGBSON_MAX_OPTIONS	12

/*
 * Read the options of a document.  "names" is a list such as "input! as limit", where "!" follows
 * one that is required.  values[i] is the value of the i-th name, of type PGBSON_EOD if it is not
 * given; the last one if it is given twice.  Returns false if there is a name that is not in the
 * list; *unknown is the first such field.
 */
extern bool PgBsonOptionsRead(const PgBsonValue *doc, const char *names, PgBsonValue *values, PgBsonIter *unknown);

/*
 * Read the options of a stage of a pipeline, or of a window function.  For each name in the list a PgBsonValue *
 * follows, which is set to its value, or to a missing value.  After a name, ":" and a letter say which type the option
 * must have (s string, d document, a array, b boolean), "?" that null means it is not given, "!" that it is required,
 * in this order.  Error 22023 for other types and options, and if the operand is not a document.
 */
extern void PgBsonStageOptions(const char *stage, const PgBsonValue *operand, const char *names,...);

/* Raise error 22023 for a stage's operand; "detail" is a whole sentence */
pg_noreturn extern void PgBsonStageWrong(const char *stage, const char *detail);

/* Is the value of an option this string? */
extern bool PgBsonOptionIs(const PgBsonValue *value, const char *string);

/* The number of names in a list */
extern int	PgBsonOptionsCount(const char *names);

/* The first name that is required and has no value, palloc'd; NULL if there is none */
extern char *PgBsonOptionsLacking(const char *names, const PgBsonValue *values);

#endif							/* PGBSON_OPTIONS_H */
