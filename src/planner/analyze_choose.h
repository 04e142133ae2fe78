/*
 * analyze_choose.h
 *	  What ANALYZE keeps of what was met.
 */
#ifndef PGBSON_ANALYZE_CHOOSE_H
#define PGBSON_ANALYZE_CHOOSE_H

#include "planner/analyze_walk.h"

/* The statistics, of at most "wanted" fields and values: a palloc'd bytea */
extern bytea *PgBsonMakeStatistics(PgBsonCollection *c, int wanted);

#endif							/* PGBSON_ANALYZE_CHOOSE_H */
