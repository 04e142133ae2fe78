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

#include "mongo/expr/expr.h"

/* The most stages, as in MongoDB */
#define PGBSON_MAX_STAGES	1000

typedef struct PgBsonPipeline
{
	PgBsonExprUse use;			/* of variables by its expressions */
	int			nstages;
	struct PgBsonPipelineStage *stages;
} PgBsonPipeline;

/*
 * Parse a pipeline, an array of stages, palloc'd; the result points into its bytes.  Raises
 * 22023 for a pipeline that MongoDB refuses, 0A000 for what is not offered.  With "open" the
 * caller gives the variables of expressions; without, there is only $$NOW.
 */
extern PgBsonPipeline *PgBsonPipelineParse(const PgBsonValue *stages, bool open);

/* The document after the last stage, palloc'd unless there is no stage.  "variables" is a document of those that are used, or NULL. */
extern PgBsonValue PgBsonPipelineApply(const PgBsonPipeline *pipeline, const PgBsonValue *doc, const PgBsonValue *variables);

#endif							/* PGBSON_PIPELINE_H */
