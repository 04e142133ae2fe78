/*
 * update_filter.h
 *	  Array filters: the queries that $[name] in a path stands for.
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

/* Make the filters ready; they point into the bytes given.  All these raise 22023 for what is wrong. */
extern void PgBsonUpdateParseFilters(const PgBsonValue *array_filters, PgBsonUpdateFilters *filters);

/* The query of this name, which the operator's path has */
extern const PgBsonQuery *PgBsonUpdateFindFilter(const PgBsonUpdateFilters *filters, const PgBsonUpdateOp *op,
												 const char *name, uint32 len);

/* Every filter was found once */
extern void PgBsonUpdateCheckFilters(const PgBsonUpdateFilters *filters);

/* "detail" is a whole sentence, marked by gettext_noop */
pg_noreturn extern void PgBsonUpdateInvalidFilter(const char *detail);

#endif							/* PGBSON_UPDATE_FILTER_H */
