/*
 * densify.h
 *	  $densify: documents for what is missing in a series of numbers or dates.
 */
#ifndef PGBSON_DENSIFY_H
#define PGBSON_DENSIFY_H

#include "pipeline/select.h"

extern void PgBsonDensifyAdd(PgBsonSelect *select, const char *name, const PgBsonValue *operand);

#endif							/* PGBSON_DENSIFY_H */
