/*
 * update.h
 *	  MongoDB's update language: $set, $inc, $push and their kin.
 */
#ifndef PGBSON_UPDATE_H
#define PGBSON_UPDATE_H

#include "core/view.h"

/*
 * The document after the update, palloc'd; NULL if that changes nothing.
 *
 * "update" is a document of operators, applied in their order, or one without
 * any, which replaces the document but for its _id.  "now" is what
 * $currentDate sets, in milliseconds since 1970.  Raises 22023 for what is not
 * understood or does not fit the document, 22003 for a number that overflows.
 */
extern PgBson *PgBsonUpdate(PgBsonView doc, const PgBsonValue *update, int64 now);

#endif							/* PGBSON_UPDATE_H */
