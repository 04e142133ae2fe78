/*
 * update_filter.c
 *	  Array filters: the queries that $[name] in a path stands for.
 *
 * The authority is MongoDB's src/mongo/db/matcher/expression_with_placeholder.cpp.
 */
#include "mongo/update/update_tree.h"

#include "core/bytes/sort.h"

void
PgBsonUpdateInvalidFilter(const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid array filter in a bson update"),
						errdetail_internal("%s", _(detail)));
}

/* Check that all fields of a filter begin with the same name */
static void
find_filter_name(PgBsonView query, PgBsonUpdateFilter *filter)
{
	check_stack_depth();
	PgBsonForEach(iter, query)
	{
		const char *dot = memchr(iter.key, '.', iter.key_len);
		uint32		len = dot == NULL ? iter.key_len : dot - iter.key;

		if (PgBsonIterIs(&iter, "$and") || PgBsonIterIs(&iter, "$or") || PgBsonIterIs(&iter, "$nor"))
		{
			if (iter.value.type != PGBSON_ARRAY)
				continue;		/* parsing the query will raise an error for these */
			PgBsonForEach(part, PgBsonValueView(&iter.value))
			{
				if (part.value.type == PGBSON_DOCUMENT)
					find_filter_name(PgBsonValueView(&part.value), filter);
			}
			continue;
		}
		if (PgBsonIterIs(&iter, "$comment"))
			continue;
		if (iter.key[0] == '$')
			PgBsonUpdateInvalidFilter(gettext_noop("A filter is about the elements of an array: its operators, but for \"$and\", \"$or\" and \"$nor\", follow a name."));
		if (filter->name != NULL && !PgBsonSameKey(filter->name, filter->name_len, iter.key, len))
			PgBsonUpdateInvalidFilter(gettext_noop("All paths of a filter must begin with the same name."));
		filter->name = iter.key;
		filter->name_len = len;
	}
}

static int
compare_filters(const void *a, const void *b)
{
	const PgBsonUpdateFilter *x = (const PgBsonUpdateFilter *) a;
	const PgBsonUpdateFilter *y = (const PgBsonUpdateFilter *) b;

	return PgBsonUpdateCompareKeys(x->name, x->name_len, y->name, y->name_len);
}

/* Does the name begin with a small letter, and have only ASCII letters and digits? */
static bool
is_filter_name(const PgBsonUpdateFilter *filter)
{
	if (filter->name_len == 0 || filter->name[0] < 'a' || filter->name[0] > 'z')
		return false;
	for (uint32 i = 1; i < filter->name_len; i++)
	{
		if (!isalnum((unsigned char) filter->name[i]) || (filter->name[i] & 0x80) != 0)
			return false;
	}
	return true;
}

void
PgBsonUpdateParseFilters(const PgBsonValue *array_filters, PgBsonUpdateFilters *filters)
{
	if (array_filters->type != PGBSON_ARRAY)
		PgBsonUpdateInvalidFilter(gettext_noop("An array of queries is expected."));
	filters->list = palloc0_array(PgBsonUpdateFilter, PgBsonViewCount(PgBsonValueView(array_filters)) + 1);
	PgBsonForEach(iter, PgBsonValueView(array_filters))
	{
		PgBsonUpdateFilter *filter = &filters->list[filters->count++];

		if (iter.value.type != PGBSON_DOCUMENT)
			PgBsonUpdateInvalidFilter(gettext_noop("An array of queries is expected."));
		find_filter_name(PgBsonValueView(&iter.value), filter);
		if (filter->name == NULL)
			PgBsonUpdateInvalidFilter(gettext_noop("A filter must have at least one path."));
		if (!is_filter_name(filter))
			PgBsonUpdateInvalidFilter(gettext_noop("A filter's name must begin with a lower-case letter, and have ASCII letters and digits only."));
		filter->query = PgBsonQueryParse(&iter.value);
	}
	PgBsonSort(filters->list, filters->count, sizeof(PgBsonUpdateFilter), compare_filters);
	for (int i = 1; i < filters->count; i++)
	{
		if (compare_filters(&filters->list[i - 1], &filters->list[i]) == 0)
			PgBsonUpdateInvalidFilter(gettext_noop("Each filter must have a name of its own."));
	}
}

const PgBsonQuery *
PgBsonUpdateFindFilter(const PgBsonUpdateFilters *filters, const PgBsonUpdateOp *op, const char *name, uint32 len)
{
	PgBsonUpdateFilter key = {name, len, NULL, false};
	PgBsonUpdateFilter *filter = NULL;

	if (filters->count > 0)
		filter = bsearch(&key, filters->list, filters->count, sizeof(PgBsonUpdateFilter), compare_filters);
	if (filter == NULL)
		PgBsonReportInvalid(errmsg("no array filter \"%s\" for a bson update", PgBsonNameInMessage(name, len)),
							errdetail("The path \"%s\" needs it.", PgBsonNameInMessage(op->path, op->path_len)));
	filter->used = true;
	return filter->query;
}

void
PgBsonUpdateCheckFilters(const PgBsonUpdateFilters *filters)
{
	for (int i = 0; i < filters->count; i++)
	{
		if (!filters->list[i].used)
			PgBsonReportInvalid(errmsg("the array filter \"%s\" is not used in the bson update",
										PgBsonNameInMessage(filters->list[i].name, filters->list[i].name_len)));
	}
}
