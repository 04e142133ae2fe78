/*
 * sort_key.c
 *	  MongoDB's sort: a value whose order among bson values is that of its document.
 *
 * If paths lead through an array, each of its elements gives a row of values, one for each path,
 * and the row that sorts first is the document's.  All paths that lead through an array must lead
 * through the same one.  The authority for the rows is MongoDB's
 * src/mongo/db/index/btree_key_generator.cpp (8.0).
 */
#include "mongo/sort/sort_key.h"

#include <math.h>

#include "core/bytes/keys.h"
#include "core/bytes/sort.h"
#include "core/number/number.h"
#include "core/order/compare.h"
#include "mongo/common/match_path.h"

static const PgBsonValue undefined_value = {PGBSON_UNDEFINED, 0, (const uint8 *) ""};

/* The state of following one path; a row is an array of these, one for each path of the sort */
typedef struct Followed
{
	int			next;			/* the number of the path's next name; npath: the end was reached, at "value" */
	PgBsonValue value;
	bool		positional;		/* the next name is a position in the row's array, which has an element there */
	/* if "positional": where the path leads if the name is taken as that position */
	bool		has_element;	/* it leads to a value, "element" */
	PgBsonValue element;
	int			after;			/* the number of the next name, after those that led there */
	bool		in_array;		/* the element at the position is an array itself */
} Followed;

typedef struct Rows
{
	const PgBsonSortOrder *order;
	bool		any;
	PgBsonValue best[PGBSON_SORT_MAX_PATHS];
} Rows;

pg_noreturn static void
wrong_sort(const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid bson sort"),
						errdetail_internal("%s", _(detail)));
}

/* Is the direction -1, not 1?  As in MongoDB a double is truncated to an integer, a decimal rounded. */
static bool
is_descending(const PgBsonValue *value)
{
	double		d = PgBsonIsNumber(value->type) ? PgBsonDoubleOf(value) : 0;

	d = value->type == PGBSON_DECIMAL128 ? rint(d) : trunc(d);
	if (d != 1 && d != -1)
		wrong_sort(gettext_noop("The order of a path must be 1 or -1."));
	return d < 0;
}

PgBsonSortOrder *
PgBsonSortParse(const PgBsonValue *sort)
{
	PgBsonSortOrder *order = palloc0_object(PgBsonSortOrder);

	if (sort->type != PGBSON_DOCUMENT)
		wrong_sort(gettext_noop("A document of paths with 1 or -1 is expected."));
	if (PgBsonHasDuplicateKeys(PgBsonValueView(sort)))
		wrong_sort(gettext_noop("A path must not occur twice."));
	PgBsonForEach(iter, PgBsonValueView(sort))
	{
		PgBsonSortPath *path = &order->paths[order->npaths];
		const char *problem;

		if (order->npaths++ == PGBSON_SORT_MAX_PATHS)
			wrong_sort(gettext_noop("It has more than 32 paths."));
		if (iter.value.type == PGBSON_DOCUMENT)
			PgBsonReportUnsupported(errmsg("expressions such as $meta are not supported in a bson sort"));
		path->descending = is_descending(&iter.value);
		path->path = PgBsonPathSplit(iter.key, iter.key_len, &path->npath);
		problem = PgBsonPathProblem(path->path, path->npath);
		if (problem != NULL)
			wrong_sort(problem);
	}
	return order;
}

/* Follow a path from its name *next on to its end, or an array on the way; false if there is nothing */
static bool
follow(const PgBsonSortPath *path, int *next, PgBsonValue *value)
{
	while (*next < path->npath && value->type == PGBSON_DOCUMENT)
	{
		const PgBsonStep *step = &path->path[(*next)++];

		if (!PgBsonFindKey(PgBsonValueView(value), step->key, step->key_len, value))
			return false;
	}
	return *next == path->npath || value->type == PGBSON_ARRAY;
}

/* Take the next name as a field of the row's document or as a position; false if it is neither */
static bool
take_name(const PgBsonSortPath *path, Followed *place, const PgBsonValue *doc, PgBsonValue *value)
{
	const PgBsonStep *step = &path->path[place->next];
	bool		has_field;

	*value = *doc;
	has_field = doc->type == PGBSON_DOCUMENT &&
		PgBsonFindKey(PgBsonValueView(doc), step->key, step->key_len, value);
	if (has_field && place->positional)
		PgBsonReportInvalid(errmsg("ambiguous path in a bson sort"),
							errdetail("A number in the path is both a position in an array and the name of a field in one of its elements."));
	if (has_field)
	{
		place->next++;
		return follow(path, &place->next, value);
	}
	if (!place->positional)
		return false;
	place->next = place->after;
	*value = place->element;
	return place->has_element;
}

/* If the next name is a position in the array, follow the path from that element on, and note the result */
static void
follow_position(const PgBsonSortPath *path, Followed *place, const PgBsonValue *array)
{
	place->positional = place->next < path->npath && path->path[place->next].index >= 0 &&
		PgBsonFindIndex(PgBsonValueView(array), path->path[place->next].index, &place->element);
	if (!place->positional)
		return;
	place->after = place->next + 1;
	place->in_array = place->element.type == PGBSON_ARRAY;
	place->has_element = follow(path, &place->after, &place->element);
}

/* A row is complete: keep it if it sorts before the one kept */
static void
finish_row(Rows *rows, const Followed *row)
{
	bool		better = !rows->any;

	for (int i = 0; i < rows->order->npaths && !better; i++)
	{
		int			cmp = PgBsonCompare(&row[i].value, &rows->best[i]);

		if (rows->order->paths[i].descending ? cmp < 0 : cmp > 0)
			return;
		better = cmp != 0;
	}
	if (!better)
		return;
	rows->any = true;
	for (int i = 0; i < rows->order->npaths; i++)
		rows->best[i] = row[i].value;
}

/* Follow all paths from a document on; if an array is on their way, each of its elements gives a row */
static void
add_rows(Rows *rows, Followed *row, const PgBsonValue *doc)
{
	const PgBsonSortOrder *order = rows->order;
	bool		through[PGBSON_SORT_MAX_PATHS] = {false};
	bool		expand = true;
	PgBsonValue array = {PGBSON_EOD, 0, NULL};
	PgBsonIter	iter;
	bool		more;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < order->npaths; i++)
	{
		Followed   *place = &row[i];
		bool		nested = place->positional && place->in_array;
		PgBsonValue value;

		if (place->next == order->paths[i].npath)
			continue;
		if (!take_name(&order->paths[i], place, doc, &value))
		{
			place->next = order->paths[i].npath;
			place->value = PgBsonNull;
		}
		else if (value.type != PGBSON_ARRAY)
			place->value = value;
		else
		{
			if (array.data != NULL && array.data != value.data)
				PgBsonReportInvalid(errmsg("cannot sort a bson document by parallel arrays"),
									errdetail("Two paths of the sort lead through different arrays."));
			array = value;
			through[i] = true;
			/* an array within an array, reached by its position, counts as a whole */
			expand &= !nested;
		}
	}
	if (array.data == NULL)
	{
		finish_row(rows, row);
		return;
	}

	for (int i = 0; i < order->npaths; i++)
	{
		row[i].positional = false;
		if (through[i])
			follow_position(&order->paths[i], &row[i], &array);
	}
	PgBsonIterInit(&iter, PgBsonValueView(&array));
	more = PgBsonIterNext(&iter);
	if (!more)
		iter.value = undefined_value;
	do
	{
		Followed   *inner = palloc_array(Followed, order->npaths);

		/* only one of many rows is in memory at a time */
		memcpy(inner, row, order->npaths * sizeof(Followed));
		for (int i = 0; i < order->npaths; i++)
		{
			if (through[i] && inner[i].next == order->paths[i].npath)
				inner[i].value = expand ? iter.value : array;
		}
		add_rows(rows, inner, &iter.value);
		pfree(inner);
	} while (more && PgBsonIterNext(&iter));
}

/* The sort key of a document, in the general way */
static PgBson *
key_of_document(const PgBsonSortOrder *order, const PgBsonValue *doc)
{
	Rows		rows;
	Followed	row[PGBSON_SORT_MAX_PATHS];

	rows.order = order;
	rows.any = false;
	for (int i = 0; i < order->npaths; i++)
	{
		row[i].next = 0;
		row[i].positional = false;
	}
	add_rows(&rows, row, doc);
	return PgBsonSortKeyWrite(order, rows.best);
}

/* If the only path of the sort leads to an array, the key is the array's least or greatest element */
static PgBsonValue
element_of(const PgBsonSortOrder *order, const PgBsonValue *array)
{
	PgBsonIter	iter;
	PgBsonValue best;

	if (!PgBsonFirst(array, &iter))
		return undefined_value;
	best = iter.value;
	while (PgBsonIterNext(&iter))
	{
		int			cmp = PgBsonCompare(&iter.value, &best);

		CHECK_FOR_INTERRUPTS();
		if (order->paths[0].descending ? cmp > 0 : cmp < 0)
			best = iter.value;
	}
	return best;
}

void
PgBsonSortPrepare(PgBsonSortOrder *order)
{
	PgBsonValue nulls[PGBSON_SORT_MAX_PATHS];

	for (int i = 0; i < order->npaths; i++)
	{
		nulls[i] = PgBsonNull;
		for (int name = 0; name < order->paths[i].npath; name++)
			order->paths[i].path[name].kind = PGBSON_STEP_KEY;
	}
	order->all_missing = PgBsonSortKeyWrite(order, nulls);
}

PgBson *
PgBsonSortKeyRead(PgBsonSortOrder *order, PgBsonReader *reader)
{
	PgBsonValue values[PGBSON_SORT_MAX_PATHS];
	bool		any = false;

	for (int i = 0; i < order->npaths; i++)
	{
		PgBsonSortPath *path = &order->paths[i];
		PgBsonValue *value = &values[i];
		bool		found;

		*value = reader->root;
		found = PgBsonFindIn(reader, value, &path->hint, path->path, path->npath);
		if (value->type == PGBSON_ARRAY && !(found && order->npaths == 1))
		{
			PgBsonReachValue(reader, &reader->root);
			return key_of_document(order, &reader->root);
		}
		any |= found;
		if (!found)
			*value = PgBsonNull;
		else if (value->type == PGBSON_ARRAY)
			*value = element_of(order, value);
	}
	return any ? PgBsonSortKeyWrite(order, values) : order->all_missing;
}

/* An element of an array to be sorted, with its keys */
typedef struct Sorted
{
	PgBsonValue element;
	PgBsonValue *keys;
	int			nkeys;
	const bool *descending;		/* of each */
} Sorted;

static int
compare_sorted(const void *a, const void *b)
{
	const Sorted *x = a;
	const Sorted *y = b;
	int			cmp = 0;

	for (int i = 0; i < x->nkeys && cmp == 0; i++)
	{
		cmp = PgBsonCompare(&x->keys[i], &y->keys[i]);
		if (x->descending[i])
			cmp = -cmp;
	}
	return cmp;
}

void
PgBsonSortByKeys(PgBsonValue *elements, int count, int nkeys, const bool *descending, PgBsonElementKey key,
				 const void *arg)
{
	Sorted	   *sorted = palloc_extended(sizeof(Sorted) * ((Size) count + 1), MCXT_ALLOC_HUGE);
	PgBsonValue *keys = palloc_extended(sizeof(PgBsonValue) * ((Size) count * nkeys + 1), MCXT_ALLOC_HUGE);

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		sorted[i] = (Sorted) {elements[i], keys + (Size) i * nkeys, nkeys, descending};
		for (int k = 0; k < nkeys; k++)
			sorted[i].keys[k] = key(&elements[i], k, arg);
	}
	PgBsonSort(sorted, count, sizeof(Sorted), compare_sorted);
	for (int i = 0; i < count; i++)
		elements[i] = sorted[i].element;
	pfree(sorted);
	pfree(keys);
}
