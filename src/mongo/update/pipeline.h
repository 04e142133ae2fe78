/*
 * pipeline.h
 *	  MongoDB's pipelines that change a document: an array of stages.
 *
 * Each stage makes a new document of the one before: $set and $addFields put
 * calculated fields into it, $unset and $project leave fields out,
 * $replaceWith and $replaceRoot put another document in its place.
 * The authority is MongoDB's src/mongo/db/update/pipeline_executor.cpp.
 */
#ifndef PGBSON_PIPELINE_H
#define PGBSON_PIPELINE_H

#include "core/bytes/view.h"
#include "nodes/pg_list.h"

/* The most stages, as in MongoDB */
#define PGBSON_MAX_STAGES	1000

typedef struct PgBsonPipeline PgBsonPipeline;

/*
 * Make a pipeline, an array of stages, ready, palloc'd; it points into the bytes given.  Raises
 * 22023 for a pipeline that it does not understand, 0A000 for what is not offered.  With "open" the
 * caller gives the variables of expressions; without, there is only $$NOW.
 */
extern PgBsonPipeline *PgBsonPipelineParse(const PgBsonValue *stages, bool open);

/* The expressions of a pipeline made ready with "open", a list of PgBsonExpression */
extern List *PgBsonPipelineExpressions(const PgBsonPipeline *pipeline);

/* Does the pipeline use $$NOW? */
extern bool PgBsonPipelineUsesNow(const PgBsonPipeline *pipeline);

/* The document after the last stage.  "now", for a pipeline that uses $$NOW, is milliseconds since 1970. */
extern PgBsonValue PgBsonPipelineApply(const PgBsonPipeline *pipeline, const PgBsonValue *doc, int64 now);

/* The same with a document of variables, which may be NULL */
extern PgBsonValue PgBsonPipelineApplyWith(const PgBsonPipeline *pipeline, const PgBsonValue *doc, const PgBsonValue *variables);

#endif							/* PGBSON_PIPELINE_H */
