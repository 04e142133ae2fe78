/*
 * let.h
 *	  Variables that a command defines, {let: {name: expression, ...}}.
 */
#ifndef PGBSON_LET_H
#define PGBSON_LET_H

#include "pipeline/deparse/select.h"

/* The scope of a command with these variables, NULL or missing if none.  Raises 22023 if one reads a document. */
extern const PgBsonScope *PgBsonLetScope(const PgBsonTranslation *all, const PgBsonValue *let);

/*
 * A query, the fields of a projection or of $set, or an update, with the variables written into the expressions that
 * mention them.  If "let" is missing, they stay as they are.
 */
extern PgBsonValue PgBsonLetInQuery(const PgBsonValue *let, const PgBsonValue *query);
extern PgBsonValue PgBsonLetInFields(const PgBsonValue *let, const PgBsonValue *fields);
extern PgBsonValue PgBsonLetInUpdate(const PgBsonValue *let, const PgBsonValue *update);

#endif							/* PGBSON_LET_H */
