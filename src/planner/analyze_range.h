/*
 * analyze_range.h
 *	  The histograms that ANALYZE makes.
 */
#ifndef PGBSON_ANALYZE_RANGE_H
#define PGBSON_ANALYZE_RANGE_H

#include "planner/analyze_walk.h"

/* Make the histograms, and their bounds, palloc'd */
extern PgBsonHistogram *PgBsonMakeHistograms(PgBsonCollection *c, int most_bounds, uint32 *count,
											 uint64 **bounds, uint32 *nbounds);

#endif							/* PGBSON_ANALYZE_RANGE_H */
