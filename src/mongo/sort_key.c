/*
 * sort_key.c
 *	  MongoDB's sort: a value whose order among bson values is that of its document.
 *
 * Where paths lead through an array, each of its elements gives a row of
 * values, one for each path, and the first of the rows in the order of the sort
 * counts.  All of them must lead through the same array.  How rows come about
 * is what src/mongo/db/index/btree_key_generator.cpp of MongoDB 8.0 does.
 */
#include "mongo/sort_key.h"

#include <math.h>

#include "core/build.h"
#include "core/compare.h"
#include "core/decimal.h"
#include "core/number.h"
#include "core/value.h"
#include "core/write.h"
#include "miscadmin.h"
#include "mongo/match_path.h"

static const PgBsonValue null_value = {PGBSON_NULL, 0, (const uint8 *) ""};
static const PgBsonValue undefined_value = {PGBSON_UNDEFINED, 0, (const uint8 *) ""};

/* Where a path has got to, in a row */
typedef struct Place
{
	int			next;			/* the name of the path that comes next; npath: "value" is found */
	PgBsonValue value;
	bool		positional;		/* the next name is a position in the array of this row */
	int			after;			/* then: the name behind what "element" was reached by */
	bool		has_element;
	bool		in_array;		/* the element at the position is itself an array */
	PgBsonValue element;
} Place;

typedef struct Row
{
	Place		places[PGBSON_SORT_MAX_PATHS];
} Row;

typedef struct Rows
{
	const PgBsonSortOrder *order;
	bool		any;
	PgBsonValue best[PGBSON_SORT_MAX_PATHS];
} Rows;

pg_noreturn static void
wrong_sort(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid bson sort"),
			 errdetail_internal("%s", _(detail))));
}

static void
check_names(const PgBsonSortPath *path)
{
	if (path->npath > PGBSON_SORT_MAX_NAMES)
		wrong_sort(gettext_noop("A path must not have more than 200 names."));
	for (int i = 0; i < path->npath; i++)
	{
		const PgBsonStep *step = &path->path[i];

		if (step->key_len == 0)
			wrong_sort(gettext_noop("The names in a path must not be empty."));
		if (step->key[0] == '$' && !PgBsonKeyIs(step->key, step->key_len, "$ref") &&
			!PgBsonKeyIs(step->key, step->key_len, "$id") &&
			!PgBsonKeyIs(step->key, step->key_len, "$db"))
			wrong_sort(gettext_noop("The names in a path must not begin with a dollar sign."));
	}
}

/* 1 or -1; a double is cut to an integer first, a decimal rounded */
static bool
is_descending(const PgBsonValue *value)
{
	bool		exact;
	double		d = PgBsonIsNumber(value->type) ? PgBsonNumberToDouble(value, &exact) : 0;

	d = value->type == PGBSON_DECIMAL128 ? rint(d) : trunc(d);
	if (d != 1 && d != -1)
		wrong_sort(gettext_noop("The order of a path must be 1 or -1."));
	return d < 0;
}

PgBsonSortOrder *
PgBsonSortParse(const PgBsonValue *sort)
{
	PgBsonSortOrder *order = palloc0_object(PgBsonSortOrder);
	const char *keys[PGBSON_SORT_MAX_PATHS];
	PgBsonIter	iter;

	if (sort->type != PGBSON_DOCUMENT)
		wrong_sort(gettext_noop("A document of paths with 1 or -1 is expected."));
	PgBsonIterInit(&iter, PgBsonValueView(sort));
	while (PgBsonIterNext(&iter))
	{
		PgBsonSortPath *path = &order->paths[order->npaths];

		if (order->npaths == PGBSON_SORT_MAX_PATHS)
			wrong_sort(gettext_noop("It has more than 32 paths."));
		if (iter.value.type == PGBSON_DOCUMENT)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("expressions such as $meta are not supported in a bson sort")));
		path->descending = is_descending(&iter.value);
		for (int i = 0; i < order->npaths; i++)
		{
			if (strcmp(keys[i], iter.key) == 0)
				wrong_sort(gettext_noop("A path must not occur twice."));
		}
		keys[order->npaths++] = iter.key;
		path->path = PgBsonPathSplit(iter.key, iter.key_len, &path->npath);
		check_names(path);
	}
	return order;
}

/*
 * Follow a path from its name *next on, as far as its end or an array on the
 * way; false if there is nothing.
 */
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

/* The next name as a field of the row's document, or as the position found before; false if it is neither */
static bool
take_name(const PgBsonSortPath *path, Place *place, const PgBsonValue *doc, PgBsonValue *value)
{
	const PgBsonStep *step = &path->path[place->next];
	bool		has_field;

	*value = *doc;
	has_field = doc->type == PGBSON_DOCUMENT &&
		PgBsonFindKey(PgBsonValueView(doc), step->key, step->key_len, value);
	if (has_field && place->positional)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("ambiguous path in a bson sort"),
				 errdetail("A number in the path is both a position in an array and the name of a field in one of its elements.")));
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

/* Where the next name of a path is a position of the array, go on from there */
static void
look_at_position(const PgBsonSortPath *path, Place *place, const PgBsonValue *array)
{
	place->positional = place->next < path->npath && path->path[place->next].index >= 0 &&
		PgBsonFindIndex(PgBsonValueView(array), path->path[place->next].index, &place->element);
	if (!place->positional)
		return;
	place->after = place->next + 1;
	place->in_array = place->element.type == PGBSON_ARRAY;
	place->has_element = follow(path, &place->after, &place->element);
}

/* A row is complete: keep it if it comes before all so far */
static void
finish_row(Rows *rows, const Row *row)
{
	bool		better = !rows->any;

	for (int i = 0; i < rows->order->npaths && !better; i++)
	{
		int			cmp = PgBsonCompare(&row->places[i].value, &rows->best[i]);

		if (rows->order->paths[i].descending ? cmp < 0 : cmp > 0)
			return;
		better = cmp != 0;
	}
	if (!better)
		return;
	rows->any = true;
	for (int i = 0; i < rows->order->npaths; i++)
		rows->best[i] = row->places[i].value;
}

static void
add_rows(Rows *rows, Row *row, const PgBsonValue *doc)
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
		Place	   *place = &row->places[i];
		bool		nested = place->positional && place->in_array;
		PgBsonValue value;

		if (place->next == order->paths[i].npath)
			continue;
		if (!take_name(&order->paths[i], place, doc, &value))
		{
			place->next = order->paths[i].npath;
			place->value = null_value;
		}
		else if (value.type != PGBSON_ARRAY)
			place->value = value;
		else
		{
			if (array.data != NULL && array.data != value.data)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("cannot sort a bson document by parallel arrays"),
						 errdetail("Two paths of the sort lead through different arrays.")));
			array = value;
			through[i] = true;
			/* an array in an array, named by its position, counts as a whole */
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
		row->places[i].positional = false;
		if (through[i])
			look_at_position(&order->paths[i], &row->places[i], &array);
	}
	PgBsonIterInit(&iter, PgBsonValueView(&array));
	more = PgBsonIterNext(&iter);
	if (!more)
		iter.value = undefined_value;
	do
	{
		Row		   *inner = palloc_object(Row);

		/* of many rows only one is held at a time */
		memcpy(inner->places, row->places, order->npaths * sizeof(Place));
		for (int i = 0; i < order->npaths; i++)
		{
			if (through[i] && inner->places[i].next == order->paths[i].npath)
				inner->places[i].value = expand ? iter.value : array;
		}
		add_rows(rows, inner, &iter.value);
		pfree(inner);
	} while (more && PgBsonIterNext(&iter));
}

/* Writing keys: an array, and the number of elements so far */
typedef struct KeyArray
{
	PgBsonWriter *w;
	uint32		count;
} KeyArray;

static uint8 *
put(KeyArray *a, PgBsonType type, Size len)
{
	PgBsonWriterIndex(a->w, type, a->count++);
	return PgBsonWriterRoom(a->w, len);
}

static void
put_int32(KeyArray *a, int32 v)
{
	PgBsonWriteU32(put(a, PGBSON_INT32, 4), (uint32) v);
}

static void
put_int64(KeyArray *a, int64 v)
{
	PgBsonWriteU64(put(a, PGBSON_INT64, 8), (uint64) v);
}

static void
put_double(KeyArray *a, double v)
{
	PgBsonWriteDouble(put(a, PGBSON_DOUBLE, 8), v);
}

/*
 * Bytes as a string of valid UTF-8 that sorts against them.  A byte of ASCII is
 * a smaller character the larger it is, the zero byte being U+0080; one above
 * ASCII, which sorts behind, is U+0000 and such a character; and the end, from
 * which on a longer string sorts behind, is U+0081.
 */
static void
put_inverted(KeyArray *a, const char *bytes, uint32 len)
{
	Size		size = 2;
	uint8	   *p;

	for (uint32 i = 0; i < len; i++)
		size += (uint8) bytes[i] == 0 || (uint8) bytes[i] >= 0x80 ? 2 : 1;
	if (size > PGBSON_MAX_SIZE)
		PgBsonReportTooLarge();
	p = put(a, PGBSON_STRING, 4 + size + 1);
	PgBsonWriteU32(p, size + 1);
	p += 4;
	for (uint32 i = 0; i < len; i++)
	{
		uint8		byte = bytes[i];

		if (byte == 0)
		{
			*p++ = 0xC2;
			*p++ = 0x80;
		}
		else if (byte < 0x80)
			*p++ = 0x80 - byte;
		else
		{
			*p++ = 0;
			*p++ = 0xFF - byte;
		}
	}
	*p++ = 0xC2;
	*p++ = 0x81;
	*p = '\0';
}

/* Bits of a type whose order is that of its bits, or of an integer's */
static void
put_inverted_bits(KeyArray *a, PgBsonType type, const uint8 *data, uint32 len)
{
	uint8	   *p = put(a, type, len);

	for (uint32 i = 0; i < len; i++)
		p[i] = ~data[i];
}

/* A value that begins with its length, which counts first */
static void
put_inverted_binary(KeyArray *a, const PgBsonValue *value)
{
	uint32		len = value->len - 4;
	uint8	   *p;

	put_int64(a, -(int64) value->len);
	p = put(a, PGBSON_BINARY, (Size) len + 5);
	PgBsonWriteU32(p, len);
	p[4] = 0;
	for (uint32 i = 0; i < len; i++)
		p[5 + i] = ~value->data[4 + i];
}

static void
put_negated(KeyArray *a, const PgBsonValue *value)
{
	PgBsonDecimal d;
	uint8	   *p;
	bool		nan = false;
	int64		n;

	if (value->type == PGBSON_DECIMAL128)
	{
		PgBsonDecimalDecode(value->data, &d);
		nan = d.kind == PGBSON_NUMBER_NAN;
	}
	else if (value->type == PGBSON_DOUBLE)
		nan = isnan(PgBsonReadDouble(value->data));

	if (nan)
		put_inverted(a, "", 0);
	else if (value->type == PGBSON_DECIMAL128)
	{
		p = put(a, PGBSON_DECIMAL128, PGBSON_DECIMAL128_SIZE);
		memcpy(p, value->data, PGBSON_DECIMAL128_SIZE);
		p[PGBSON_DECIMAL128_SIZE - 1] ^= 0x80;
	}
	else if (value->type == PGBSON_DOUBLE)
		put_double(a, -PgBsonReadDouble(value->data));
	else
	{
		(void) PgBsonNumberToInt64(value, &n);
		/* the least int64 has no counterpart but a double, which is exact */
		if (n == PG_INT64_MIN)
			put_double(a, -(double) n);
		else if (n > PG_INT32_MIN && n <= PG_INT32_MAX)
			put_int32(a, (int32) -n);
		else
			put_int64(a, -n);
	}
}

static void put_descending(KeyArray *a, const PgBsonValue *value);

static void
put_rank(KeyArray *a, const PgBsonValue *value)
{
	put_int32(a, -PgBsonTypeRank(value->type));
}

static void
put_container(KeyArray *a, PgBsonView view, bool names)
{
	PgBsonIter	iter;

	check_stack_depth();
	PgBsonIterInit(&iter, view);
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		put_rank(a, &iter.value);
		if (names)
			put_inverted(a, iter.key, iter.key_len);
		put_descending(a, &iter.value);
	}
	put_int32(a, 1);
}

/* What sorts against a value of a rank that was put before */
static void
put_descending(KeyArray *a, const PgBsonValue *value)
{
	const char *string;
	uint32		len;

	switch (value->type)
	{
		case PGBSON_DOUBLE:
		case PGBSON_INT32:
		case PGBSON_INT64:
		case PGBSON_DECIMAL128:
			put_negated(a, value);
			break;
		case PGBSON_STRING:
		case PGBSON_SYMBOL:
		case PGBSON_CODE:
			string = PgBsonValueString(value, &len);
			put_inverted(a, string, len);
			break;
		case PGBSON_CODE_W_SCOPE:
			string = PgBsonValueScopedCode(value, &len);
			put_inverted(a, string, len);
			put_container(a, PgBsonValueScope(value), true);
			break;
		case PGBSON_DOCUMENT:
		case PGBSON_ARRAY:
			put_container(a, PgBsonValueView(value), value->type == PGBSON_DOCUMENT);
			break;
		case PGBSON_BINARY:
		case PGBSON_DBPOINTER:
			put_inverted_binary(a, value);
			break;
		case PGBSON_BOOL:
			*put(a, PGBSON_BOOL, 1) = value->data[0] == 0;
			break;
		case PGBSON_OBJECTID:
		case PGBSON_DATE:
		case PGBSON_TIMESTAMP:
			put_inverted_bits(a, value->type, value->data, value->len);
			break;
		case PGBSON_REGEX:
			string = (const char *) value->data;
			put_inverted(a, string, strlen(string));
			string += strlen(string) + 1;
			put_inverted(a, string, strlen(string));
			break;
		default:
			break;
	}
}

/* The key of the row that counts */
static PgBson *
make_key(const PgBsonSortOrder *order, const PgBsonValue *values)
{
	PgBsonWriter w;
	uint32		count = 0;
	Size		envelope;
	Size		outer;

	if (order->npaths == 1 && !order->paths[0].descending)
		return PgBsonFromValue(&values[0]);

	PgBsonWriterInit(&w, 64);
	envelope = PgBsonWriterOpenEnvelope(&w, PGBSON_ARRAY);
	outer = PgBsonWriterOpen(&w);
	for (int i = 0; i < order->npaths; i++)
	{
		KeyArray	inner = {&w, 0};
		Size		start;

		if (!order->paths[i].descending)
		{
			PgBsonWriterIndex(&w, values[i].type, count++);
			PgBsonWriterValue(&w, &values[i]);
			continue;
		}
		PgBsonWriterIndex(&w, PGBSON_ARRAY, count++);
		start = PgBsonWriterOpen(&w);
		put_rank(&inner, &values[i]);
		put_descending(&inner, &values[i]);
		PgBsonWriterClose(&w, start);
	}
	PgBsonWriterClose(&w, outer);
	PgBsonWriterClose(&w, envelope);
	return PgBsonWriterFinish(&w);
}

PgBson *
PgBsonSortKey(const PgBsonSortOrder *order, const PgBsonValue *doc)
{
	Rows		rows;
	Row			row;

	rows.order = order;
	rows.any = false;
	for (int i = 0; i < order->npaths; i++)
	{
		row.places[i].next = 0;
		row.places[i].positional = false;
	}
	add_rows(&rows, &row, doc);
	return make_key(order, rows.best);
}

PgBson *
PgBsonSortKeyOfField(const PgBsonSortOrder *order, const PgBsonValue *value)
{
	PgBsonIter	iter;
	PgBsonValue best;

	if (value == NULL)
		return make_key(order, &null_value);
	if (value->type != PGBSON_ARRAY)
		return make_key(order, value);

	PgBsonIterInit(&iter, PgBsonValueView(value));
	if (!PgBsonIterNext(&iter))
		return make_key(order, &undefined_value);
	best = iter.value;
	while (PgBsonIterNext(&iter))
	{
		int			cmp = PgBsonCompare(&iter.value, &best);

		CHECK_FOR_INTERRUPTS();
		if (order->paths[0].descending ? cmp > 0 : cmp < 0)
			best = iter.value;
	}
	return make_key(order, &best);
}

void
PgBsonSortPrepare(PgBsonSortOrder *order)
{
	for (int i = 0; i < order->npaths; i++)
	{
		for (int name = 0; name < order->paths[i].npath; name++)
			order->paths[i].path[name].kind = PGBSON_STEP_KEY;
		order->paths[i].shapes.context = CurrentMemoryContext;
	}
}

PgBsonFound
PgBsonSortSearch(PgBsonValue root, const uint8 *avail, void *arg, const uint8 **upto)
{
	PgBsonSortLookup *lookup = arg;

	lookup->has_array = true;
	*upto = root.data;
	for (int i = 0; i < lookup->order->npaths; i++)
	{
		PgBsonSortPath *path = &lookup->order->paths[i];
		PgBsonValue *value = &lookup->values[i];
		const uint8 *looked;
		PgBsonFound found = PgBsonFindWithin(root, avail, &path->shapes, path->path, path->npath, value, &looked);

		*upto = Max(*upto, looked);
		if (found == PGBSON_MORE)
			return found;
		/* at the end, or where nothing was found */
		if (value->type == PGBSON_ARRAY)
			return PGBSON_FOUND;
		if (found == PGBSON_ABSENT)
			*value = null_value;
	}
	lookup->has_array = false;
	return PGBSON_FOUND;
}

PgBson *
PgBsonSortKeyOfLookup(const PgBsonSortLookup *lookup)
{
	return make_key(lookup->order, lookup->values);
}
