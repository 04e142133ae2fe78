/*
 * populate_array.c
 *	  bson arrays as SQL arrays of any number of dimensions.
 */
#include "sql/convert/populate.h"

#include "utils/array.h"

/* An array being made */
typedef struct Filling
{
	PgBsonSqlType *element;
	Oid			typid;			/* of the element */
	const char *colname;		/* for errors; may be NULL */
	ArrayBuildState *values;
	int			ndims;			/* 0: not known yet */
	int			dims[MAXDIM];	/* -1: not known yet */
	int			position[MAXDIM];	/* of the element being looked at */
} Filling;

/* Report that there is no array where one is expected, at nesting depth "level" */
static void
report_expected_array(const Filling *filling, int level)
{
	StringInfoData where;

	initStringInfo(&where);
	for (int i = 0; i < level; i++)
		appendStringInfo(&where, "[%d]", filling->position[i]);

	PgBsonReport(ERRCODE_INVALID_TEXT_REPRESENTATION, errmsg("expected bson array"),
				 level == 0 ?
				 (filling->colname ? errhint("See the value of key \"%s\".", filling->colname) : 0) :
				 filling->colname ?
				 errhint("See the array element %s of key \"%s\".", where.data, filling->colname) :
				 errhint("See the array element %s.", where.data));
}

/* The array at "level" (0: the outermost) */
static void
fill_array(Filling *filling, const PgBsonValue *value, int level)
{
	PgBsonIter	iter;
	bool		more;
	int			count = 0;
	Datum		datum;
	bool		isnull;

	check_stack_depth();
	if (value->type != PGBSON_ARRAY)
		report_expected_array(filling, level);
	if (level >= MAXDIM)
		PgBsonReportLimit(errmsg("number of array dimensions exceeds the maximum allowed (%d)", MAXDIM));

	PgBsonIterInit(&iter, PgBsonValueView(value));
	more = PgBsonIterNext(&iter);

	/* an array whose first element is not an array is the innermost */
	if (filling->ndims == 0 && !(more && iter.value.type == PGBSON_ARRAY))
	{
		filling->ndims = level + 1;
		memset(filling->dims, -1, sizeof(filling->dims));
	}

	for (; more; more = PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		filling->position[level] = count++;
		if (level + 1 == filling->ndims)
		{
			datum = PgBsonToDatum(filling->element, NULL, &iter.value, (Datum) 0, &isnull);
			filling->values = accumArrayResult(filling->values, datum, isnull, filling->typid, CurrentMemoryContext);
		}
		else
			fill_array(filling, &iter.value, level + 1);
	}

	if (filling->dims[level] < 0)
		filling->dims[level] = count;
	else if (filling->dims[level] != count)
		PgBsonReport(ERRCODE_INVALID_TEXT_REPRESENTATION, errmsg("malformed bson array"),
					 errdetail("Multidimensional arrays must have sub-arrays with matching dimensions."));
}

Datum
PgBsonToArray(PgBsonSqlType *element, Oid typid, const char *colname, const PgBsonValue *value)
{
	Filling		filling;
	int			lower[MAXDIM];

	filling.element = element;
	filling.typid = typid;
	filling.colname = colname;
	filling.values = initArrayResult(typid, CurrentMemoryContext, true);
	filling.ndims = 0;
	fill_array(&filling, value, 0);
	for (int i = 0; i < filling.ndims; i++)
		lower[i] = 1;
	return makeMdArrayResult(filling.values, filling.ndims, filling.dims, lower,
							 CurrentMemoryContext, true);
}
