/*
 * window.h
 *	  Stages that calculate of neighbouring documents: $setWindowFields, $fill.
 */
#ifndef PGBSON_WINDOW_H
#define PGBSON_WINDOW_H

#include "pipeline/select.h"

extern void PgBsonWindowAdd(PgBsonSelect *select, const char *name, const PgBsonValue *operand);
extern void PgBsonWindowAddFill(PgBsonSelect *select, const char *name, const PgBsonValue *operand);

#endif							/* PGBSON_WINDOW_H */
