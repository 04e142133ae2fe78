/*
 * pipeline.h
 *	  MongoDB's pipelines that change a document: an array of stages.
 *
 * Each stage makes a new document of the one before: $set and $addFields put
 * calculated fields into it, $unset and $project leave fields out,
 * $replaceWith and $replaceRoot put another document in its place.
 */
#ifndef PGBSON_PIPELINE_H
#define PGBSON_PIPELINE_H

#include "core/bytes/view.h"
#include "nodes/pg_list.h"

/* As many as MongoDB allows */
#define PGBSON_MAX_STAGES	1000

typedef struct PgBsonPipeline PgBsonPipeline;

/*
 * Make a pipeline ready, palloc'd; it points into the bytes given, which are an
 * array.  Raises 22023 for what it does not understand, 0A000 for what is not
 * offered.  The caller gives the variables of one that is open; of another there
 * is $$NOW alone.
 */
extern PgBsonPipeline *PgBsonPipelineParse(const PgBsonValue *stages, bool open);

/* The expressions of one that is open, a list of PgBsonExpression */
extern List *PgBsonPipelineExpressions(const PgBsonPipeline *pipeline);

/* Does it ask for the time ($$NOW)? */
extern bool PgBsonPipelineUsesNow(const PgBsonPipeline *pipeline);

/* The document behind the last stage; "now" is milliseconds since 1970, if the pipeline asks for it */
extern PgBsonValue PgBsonPipelineApply(const PgBsonPipeline *pipeline, const PgBsonValue *doc, int64 now);

/* The same with a document of variables, or NULL */
extern PgBsonValue PgBsonPipelineApplyWith(const PgBsonPipeline *pipeline, const PgBsonValue *doc, const PgBsonValue *variables);

#endif							/* PGBSON_PIPELINE_H */
