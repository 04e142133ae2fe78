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

extern char *PgBsonCommandUpdate(const PgBsonTarget *target, const PgBsonValue *filter, const PgBsonValue *update,
								 const PgBsonValue *options);
extern char *PgBsonCommandDelete(const PgBsonTarget *target, const PgBsonValue *filter, const PgBsonValue *options);

/* findAndModify: the options are MongoDB's, "query", "sort", "remove", "update", "new", "fields", "upsert", "arrayFilters" */
extern char *PgBsonCommandFindAndModify(const PgBsonTarget *target, const PgBsonValue *options);

/* "field" is in UTF-8; the filters may be NULL */
extern char *PgBsonCommandDistinct(const PgBsonTarget *target, const char *field, uint32 len, const PgBsonValue *filter);
extern char *PgBsonCommandCount(const PgBsonTarget *target, const PgBsonValue *filter);

/*
 * A pipeline whose last stage is $merge or $out.  Returns the statement that reads, and sets *head and *tail to
 * what comes before and after it in the statement that writes; both are NULL if the last stage is another one.
 */
extern char *PgBsonCommandPipeline(const PgBsonTarget *target, const PgBsonValue *pipeline, const char **head, const char **tail);

#endif							/* PGBSON_COMMAND_H */
