/*
 * command.h
 *	  A statement of SQL in the making, and what MongoDB's commands have in common.
 */
#ifndef PGBSON_COMMAND_H
#define PGBSON_COMMAND_H

#include "mongo/common/options.h"
#include "pipeline/deparse/step.h"
#include "pipeline/parse/stage.h"
#include "pipeline/translate.h"

/* A statement in the making: what is common to its parts while they are parsed, and while they are written */
typedef struct PgBsonStatement
{
	const PgBsonTarget *target;
	PgBsonParse parse;
	PgBsonTranslation all;
	const PgBsonScope *scope;	/* the variables of the command */
} PgBsonStatement;

/* Begin a statement for this target, which the result points to; error 42704 for a collation that is not there */
extern PgBsonStatement *PgBsonStatementBegin(const PgBsonTarget *target);

/* The documents of a chain after all rules, as a SELECT */
extern PgBsonSelect *PgBsonStatementSelect(PgBsonStatement *statement, const PgBsonChain *chain);

/* A command that is being translated */
typedef struct PgBsonCommandState
{
	const char *name;
	PgBsonStatement *statement;
	const PgBsonTranslation *all;	/* the statement's */
	const PgBsonSource *source;
	PgBsonSelect *select;		/* the documents that the filter finds */
	const char *table;			/* in SQL: the table and its alias, its column's name, a document, and its _id */
	const char *column;
	const char *document;
	const char *id;
	const PgBsonValue *filter;	/* with variables, where it is a condition of the statement */
	PgBsonValue query;			/* the same without, and without what @~ does not know, as an argument of functions */
	PgBsonValue options[PGBSON_MAX_OPTIONS];	/* as listed below; those not given are missing */
} PgBsonCommandState;

/* Where they are among "options" */
enum
{
	PGBSON_OPTION_LET, PGBSON_OPTION_COLLATION, PGBSON_OPTION_MULTI, PGBSON_OPTION_UPSERT, PGBSON_OPTION_FILTERS,
	PGBSON_OPTION_SORT, PGBSON_OPTION_QUERY, PGBSON_OPTION_UPDATE, PGBSON_OPTION_NEW, PGBSON_OPTION_FIELDS,
	PGBSON_OPTION_REMOVE = PGBSON_OPTION_MULTI
};

/* Begin a command, palloc'd, with these options, NULL if it has none; if "query" is one of them, that is the filter */
extern PgBsonCommandState *PgBsonCommandBegin(const char *name, const PgBsonTarget *target, const PgBsonValue *filter,
											  const PgBsonValue *options, const char *names);

/* Is this option true, or a number that is not 0?  Error 22023 for a value of another type. */
extern bool PgBsonCommandIs(const PgBsonCommandState *command, int option);

/* Have the command be about this source, and select the documents that its filter finds */
extern void PgBsonCommandOpen(PgBsonCommandState *command, const PgBsonSource *source);

/* Another SELECT of them; in this order, if the sort is not missing */
extern PgBsonSelect *PgBsonCommandSelect(const PgBsonCommandState *command, const PgBsonValue *sort);

/* Error 55000 if there is no unique index on the _id, which every collection of MongoDB has */
extern void PgBsonCommandNeedId(const PgBsonCommandState *command);

/* "column = value after the update" */
extern char *PgBsonCommandSet(const PgBsonCommandState *command);

/* The array filters of an update as one more argument of a function, ", filters" */
extern const char *PgBsonCommandFilters(const PgBsonCommandState *command);

/* --- upsert_sql.c: INSERT ... ON CONFLICT for an update that inserts a document if there is none --- */
extern char *PgBsonCommandUpsert(const PgBsonCommandState *command);

/* --- let.c: variables that a command defines --- */

/* The scope of a command with these variables, NULL or missing if none.  Raises 22023 if one reads a document. */
extern const PgBsonScope *PgBsonLetScope(const PgBsonTranslation *all, const PgBsonValue *let);

/*
 * A query, the fields of a projection or of $set, or an update, with the variables written into the expressions that
 * mention them.  If "let" is missing, they stay as they are.
 */
extern PgBsonValue PgBsonLetInQuery(const PgBsonValue *let, const PgBsonValue *query);
extern PgBsonValue PgBsonLetInFields(const PgBsonValue *let, const PgBsonValue *fields);
extern PgBsonValue PgBsonLetInUpdate(const PgBsonValue *let, const PgBsonValue *update);

#endif							/* PGBSON_COMMAND_H */
