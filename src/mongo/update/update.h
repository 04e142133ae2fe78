/*
 * update.h
 *	  MongoDB's updates: operators such as $set, $inc and $push, replacements, and pipelines.
 *
 * An update is parsed once and applied to many documents.  An update is a document of
 * operators; or a document without operators, which replaces all but the _id; or an array, the
 * stages of a pipeline.  What it does and refuses is what MongoDB's server 8.0 does and refuses
 * (src/mongo/db/update/update_driver.cpp).
 */
#ifndef PGBSON_UPDATE_H
#define PGBSON_UPDATE_H

#include "mongo/expr/expr.h"

typedef struct PgBsonUpdate PgBsonUpdate;

/* The input of an update besides the document */
typedef struct PgBsonUpdateInput
{
	bool		has_now;
	TimestampTz now;			/* the time that $currentDate sets; finite */
	bool		has_position;
	uint32		position;		/* the position of the element that "$" stands for */
} PgBsonUpdateInput;

/*
 * Parse an update, palloc'd; the result points into its bytes.  "array_filters" is an array of
 * queries, or NULL.  "insert" is set if the update makes the document that an upsert inserts; then
 * $setOnInsert applies.  Raises 22023 for an update that MongoDB refuses.
 */
extern PgBsonUpdate *PgBsonUpdateParse(const PgBsonValue *update, const PgBsonValue *array_filters,
									   bool insert);

/* Does one of the paths contain "$", so that a position is needed? */
extern bool PgBsonUpdateIsPositional(const PgBsonUpdate *update);

/*
 * Apply the update to a document, palloc'd; NULL if nothing changes.  Raises 22023 if the update
 * does not fit the document, 22003 if a number overflows.
 */
extern PgBson *PgBsonUpdateApply(const PgBsonUpdate *update, PgBsonView doc,
								 const PgBsonUpdateInput *input);

/*
 * The document that an upsert inserts if the query finds none: a document of the values that the
 * query demands, to which the update, parsed with "insert", is applied; palloc'd.  If it has no _id it
 * gets a new ObjectId.
 */
extern PgBson *PgBsonUpsert(const PgBsonUpdate *update, const PgBsonValue *query,
							const PgBsonUpdateInput *input);

/*
 * The document as MongoDB's insert stores it: its _id is the first field, a new ObjectId if it has none; palloc'd, or
 * the argument itself.  Error 22023 for an _id that MongoDB cannot store.
 */
extern PgBson *PgBsonWithId(PgBson *doc);

/*
 * Is the filter {"_id": value}, which demands this _id and nothing else?  Error 22023 if no document can have the value
 * as its _id.
 */
extern bool PgBsonUpsertId(const PgBsonValue *filter, PgBsonValue *id);

/* --- pipeline.c --- */

/* The most stages, as in MongoDB */
#define PGBSON_MAX_STAGES	1000

typedef struct PgBsonPipeline
{
	PgBsonExprUse use;			/* of variables by its expressions */
	int			nstages;
	struct PgBsonPipelineStage *stages;
} PgBsonPipeline;

/* The stages of a pipeline, and the field of a stage, {name: operand}; error 22023 for what is none */
extern PgBsonView PgBsonStagesOf(const PgBsonValue *pipeline);
extern PgBsonIter PgBsonStageField(const PgBsonValue *stage);

/*
 * Parse a pipeline, an array of stages, palloc'd; the result points into its bytes.  Raises
 * 22023 for a pipeline that MongoDB refuses, 0A000 for what is not offered.  With "open" the
 * caller gives the variables of expressions; without, there is only $$NOW.
 */
extern PgBsonPipeline *PgBsonPipelineParse(const PgBsonValue *stages, bool open);

/* The document after the last stage, palloc'd unless there is none.  "variables" is a document of those used or NULL */
extern PgBsonValue PgBsonPipelineApply(const PgBsonPipeline *pipeline, const PgBsonValue *doc,
									   const PgBsonValue *variables);

#endif							/* PGBSON_UPDATE_H */
