/*
 * translate.h
 *	  A pipeline of MongoDB's aggregation, a find, or a command that writes, as one SQL statement.
 *
 * The statement means the same under any search_path: all names have their
 * schemas.  What it cannot express exactly is refused: 22023 for what MongoDB refuses,
 * 0A000 for what is not offered, with a hint what to do instead.
 */
#ifndef PGBSON_TRANSLATE_H
#define PGBSON_TRANSLATE_H

#include "core/bytes/view.h"

/* below the first, which includes postgres.h */
#include "nodes/pg_list.h"

struct PgBsonShape;

/* What the statement reads, and where the extension is */
typedef struct PgBsonTarget
{
	const char *schema;			/* of the extension */
	Oid			type;			/* bson */
	Oid			relation;		/* InvalidOid: none */
	const char *column;			/* NULL: the only one of type bson */
	PgBsonValue let;			/* variables that the command defines, or a missing value */
	struct PgBsonShape *shape;	/* constants of the filter are to be parameters (pipeline/tree/shape.h); or NULL */
	PgBsonValue collation;		/* MongoDB's specification of one, or a missing value */
	bool		is_old;			/* the extension in this database is 1.0: it lacks what statements call since 1.1 */
} PgBsonTarget;

/*
 * The collation of this tag in the schema of the extension, where bson_collation() made it; InvalidOid if it is not
 * there.  One that neither the owner of the type bson nor a superuser has made counts as not there.
 */
extern Oid	PgBsonCollationFind(const char *tag, Oid schema, Oid type);

/*
 * The statement of a pipeline, palloc'd.  *spans, if not NULL, is set to a list of integers, three for each SELECT: the
 * number of a level, or 0 for the last SELECT, and the first and last stage that it has.
 */
extern char *PgBsonTranslatePipeline(const PgBsonTarget *target, const PgBsonValue *pipeline, List **spans);

/* The statement of a find.  Its parts may be NULL; 0 means no limit. */
extern char *PgBsonTranslateFind(const PgBsonTarget *target, const PgBsonValue *filter, const PgBsonValue *projection,
								 const PgBsonValue *sort, int64 skip, int64 limit);

/*
 * --- change.c, command.c ---
 *
 * The statement of a command with these arguments; those that may be left out are NULL then.  What changes one document
 * finds it by its _id, so the table must have a unique index on that, as every collection of MongoDB has: error 55000
 * if there is none.  doc/mongodb.md says why these statements are right when sessions write at once.
 */
typedef char *PgBsonCommand(const PgBsonTarget *target, const PgBsonValue *const *arguments);

extern PgBsonCommand PgBsonCommandUpdate;	/* filter, update, options */
extern PgBsonCommand PgBsonCommandDelete;	/* filter, options */
extern PgBsonCommand PgBsonCommandFindAndModify;	/* MongoDB's command */
extern PgBsonCommand PgBsonCommandCount;	/* filter or NULL */

/* The deletion of all documents that the filter finds */
extern char *PgBsonCommandDeleteAll(const PgBsonTarget *target, const PgBsonValue *filter);

/* "field" is in UTF-8; the filter may be NULL */
extern char *PgBsonCommandDistinct(const PgBsonTarget *target, const char *field, uint32 len,
								   const PgBsonValue *filter);

/*
 * --- create_index.c ---
 *
 * The statements that make the index which MongoDB's createIndexes describes so, or NULL if it has no equal here.
 */
extern PgBsonCommand PgBsonCommandIndex;

/* The specification of an index as MongoDB's listIndexes shows it; error 22023 */
extern PgBsonValue PgBsonIndexListed(const PgBsonValue *spec);

/*
 * --- merge_stage.c ---
 *
 * A pipeline, whose last stage can be $merge or $out.  *before and *after are set to what comes around the statement:
 * CREATE TABLE ... AS for $out, and for $merge into a table that is not there, which also gets an index; else empty
 * strings.
 */
extern char *PgBsonCommandPipeline(const PgBsonTarget *target, const PgBsonValue *pipeline, const char **before,
								   const char **after);

#endif							/* PGBSON_TRANSLATE_H */
