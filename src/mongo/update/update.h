/*
 * update.h
 *	  MongoDB's update language: $set, $inc, $push and their kin.
 *
 * An update is made ready once and applied to many documents.  It is a
 * document of operators, or one without any, which replaces the document but
 * for its _id; or an array, the stages of a pipeline.  Meaning and refusals are those of MongoDB's server 8.0.
 */
#ifndef PGBSON_UPDATE_H
#define PGBSON_UPDATE_H

#include "core/bytes/view.h"

typedef struct PgBsonUpdate PgBsonUpdate;

/* What an update is given besides the document */
typedef struct PgBsonUpdateInput
{
	bool		has_now;
	int64		now;			/* what $currentDate sets: milliseconds since 1970 */
	bool		has_position;
	uint32		position;		/* the element that "$" stands for */
} PgBsonUpdateInput;

/*
 * Make an update ready, palloc'd; it points into the bytes given.
 * "array_filters" is an array of queries, or NULL.  "insert" is for the
 * document of an upsert: then $setOnInsert counts.  Raises 22023 for what it
 * does not understand.
 */
extern PgBsonUpdate *PgBsonUpdateParse(const PgBsonValue *update, const PgBsonValue *array_filters,
									   bool insert);

/* Does it have a "$" among its paths, which asks for a position? */
extern bool PgBsonUpdateIsPositional(const PgBsonUpdate *update);

/*
 * The document after the update, palloc'd; NULL if that changes nothing.
 * Raises 22023 for what does not fit the document, 22003 for a number that
 * overflows.
 */
extern PgBson *PgBsonUpdateApply(const PgBsonUpdate *update, PgBsonView doc,
								 const PgBsonUpdateInput *input);

/*
 * The document that an upsert inserts where the query matches nothing: the
 * values that the query demands, updated.  The update was made ready for an
 * insert.  Without an _id it gets a new ObjectId.
 */
extern PgBson *PgBsonUpsert(const PgBsonUpdate *update, const PgBsonValue *query,
							const PgBsonUpdateInput *input);

#endif							/* PGBSON_UPDATE_H */
