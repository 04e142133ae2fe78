/*
 * command.h
 *	  MongoDB's commands that write, and distinct and count, as one SQL statement each.
 *
 * What changes one document finds it by its _id, so the table must have a unique index on that, as every collection
 * of MongoDB has: error 55000 if there is none.  doc/mongodb.md says why these statements are right when sessions
 * write at once.
 */
#ifndef PGBSON_COMMAND_H
#define PGBSON_COMMAND_H

#include "pipeline/translate.h"

/* The statement of a command with these arguments; those that may be left out are NULL then */
typedef char *PgBsonCommand(const PgBsonTarget *target, const PgBsonValue *const *arguments);

extern PgBsonCommand PgBsonCommandUpdate;	/* filter, update, options */
extern PgBsonCommand PgBsonCommandDelete;	/* filter, options */
extern PgBsonCommand PgBsonCommandFindAndModify;	/* MongoDB's command */
extern PgBsonCommand PgBsonCommandCount;	/* filter or NULL */

/* "field" is in UTF-8; the filter may be NULL */
extern char *PgBsonCommandDistinct(const PgBsonTarget *target, const char *field, uint32 len, const PgBsonValue *filter);

/*
 * A pipeline, whose last stage can be $merge or $out.  If it is $out, *create is set to what comes before the statement,
 * CREATE TABLE ... AS; else to an empty string.
 */
extern char *PgBsonCommandPipeline(const PgBsonTarget *target, const PgBsonValue *pipeline, const char **create);

#endif							/* PGBSON_COMMAND_H */
