/*
 * shape.h
 *	  What of a filter decides the statement that it becomes, and what is a parameter of it.
 *
 * The values of a filter have numbers, in the order of their bytes: 0 is the filter, 1 its first field's value, 2 the
 * first value in that, if it is a document or an array, and so on.  Those of a pipeline that begins with $match are
 * counted in the same way: 0 is the pipeline, 2 the filter.  Some scalars among them are constants: with another
 * value of the same type in its place (NaN counts as a type of its own) the statement is the same, but for its
 * parameters, and an error is no more likely.  So statements can be kept by the names, the types and the values that
 * are no constants.
 *
 * The statement also depends on the indexes of its tables, and checks that these are the same whenever it runs.
 */
#ifndef PGBSON_SHAPE_H
#define PGBSON_SHAPE_H

#include "core/bytes/view.h"

/* below the first, which includes postgres.h */
#include "nodes/pg_list.h"

typedef struct PgBsonShape
{
	bool		parametric;		/* the filter is a parameter, and so are values that conditions compare with */
	bool		once;			/* the statement is not to be kept */
	bool		current;		/* the filter's conditions are being written, and not those of another stage */
	int			filter;			/* its number */
	List	   *values;			/* PgBsonValue *, by their numbers */
	List	   *constants;		/* int: numbers of those that are constants */
	List	   *places;			/* int: what $1, $2, ... are, by its number; filled while the statement is written */
	List	   *sources;		/* const PgBsonSource *: tables whose indexes were looked at; filled by the parser */
} PgBsonShape;

/* The shape of a filter; NULL: of a statement without parameters.  "varies": the command defines variables. */
extern void PgBsonShapeBegin(PgBsonShape *shape, const PgBsonValue *filter, bool varies);

/* The same of a pipeline: its filter is that of the first stage, if this is $match */
extern void PgBsonShapeBeginPipeline(PgBsonShape *shape, const PgBsonValue *pipeline, bool varies);

/* The statement is for once, as it depends on what no statement checks; it has no parameters */
extern void PgBsonShapeOnce(PgBsonShape *shape);

/* From here on the conditions of this query are written; of none, if it is NULL.  The shape can be NULL. */
extern void PgBsonShapeWrites(PgBsonShape *shape, const PgBsonValue *query);

/* The number n of the parameter $n that stands for this value, whose bytes are the filter's; 0 if none does */
extern int	PgBsonShapeParameter(PgBsonShape *shape, const PgBsonValue *value);

/*
 * The same for a query made of parts of the one whose conditions are written: the filter, if that is it, which the
 * documents have to meet anyway
 */
extern int	PgBsonShapeFilter(PgBsonShape *shape);

#endif							/* PGBSON_SHAPE_H */
