/*
 * update_filter.h
 *	  Array filters: the queries that $[name] in a path stands for.  The authority is MongoDB's
 *	  src/mongo/db/matcher/expression_with_placeholder.cpp.
 */
#ifndef PGBSON_UPDATE_FILTER_H
#define PGBSON_UPDATE_FILTER_H

#include "mongo/update/update_operator.h"

typedef struct PgBsonUpdateFilter
{
	const char *name;
	uint32		name_len;
	const PgBsonQuery *query;
	bool		used;
} PgBsonUpdateFilter;

typedef struct PgBsonUpdateFilters
{
	PgBsonUpdateFilter *list;	/* sorted by name, palloc'd */
	int			count;
} PgBsonUpdateFilters;

/*
 * Make the filters ready; they point into the bytes given.  This function and the next two raise
 * 22023 for errors.
 */
extern void PgBsonUpdateParseFilters(const PgBsonValue *array_filters, PgBsonUpdateFilters *filters);

/* Find the query of this name, which is in the path of the operator */
extern const PgBsonQuery *PgBsonUpdateFindFilter(const PgBsonUpdateFilters *filters, const PgBsonUpdateOp *op,
												 const char *name, uint32 len);

/* Check that each filter was found at least once */
extern void PgBsonUpdateCheckFilters(const PgBsonUpdateFilters *filters);

/* Raise 22023; "detail" is a whole sentence, marked by gettext_noop */
pg_noreturn extern void PgBsonUpdateInvalidFilter(const char *detail);

#endif							/* PGBSON_UPDATE_FILTER_H */
