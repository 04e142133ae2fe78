/*
 * pipeline.h
 *	  MongoDB's pipelines that update a document: an array of stages.
 *
 * Each stage makes a new document of the one before: $set and $addFields put
 * calculated fields into it, $unset and $project leave fields out,
 * $replaceWith and $replaceRoot put another document in its place.
 */
#ifndef PGBSON_PIPELINE_H
#define PGBSON_PIPELINE_H

#include "core/bytes/view.h"

typedef struct PgBsonPipeline PgBsonPipeline;

/*
 * Make a pipeline ready, palloc'd; it points into the bytes given, which are an
 * array.  Raises 22023 for what it does not understand, 0A000 for what is not
 * offered.
 */
extern PgBsonPipeline *PgBsonPipelineParse(const PgBsonValue *stages);

/* Does it ask for the time ($$NOW)? */
extern bool PgBsonPipelineUsesNow(const PgBsonPipeline *pipeline);

/* The document behind the last stage; "now" is milliseconds since 1970, if the pipeline asks for it */
extern PgBsonValue PgBsonPipelineApply(const PgBsonPipeline *pipeline, const PgBsonValue *doc, int64 now);

#endif							/* PGBSON_PIPELINE_H */
