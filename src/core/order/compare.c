/*
 * compare.c
 *	  MongoDB's total order over values.
 *
 * Types fall into ranks; values of different ranks compare by rank alone.
 * Within a rank:
 *
 *		numbers			what they are worth, see number.h
 *		strings			bytes, the shorter first; a symbol is a string
 *		documents		field by field: rank, name, value; the shorter first
 *		arrays			element by element; the shorter first; keys mean nothing
 *		binary			length, subtype, bytes
 *		timestamp		seconds, increment; unsigned
 *		regex			pattern, options
 *		dbpointer		length, namespace, id
 *		code			as strings
 *		code with scope	code, scope
 *
 * hash.c follows the same cases: what is equal here must hash equal there.
 */
#include "core/order/compare.h"

#include "core/bytes/sort.h"
#include "core/number/number.h"

static int	compare_values(const PgBsonValue *a, const PgBsonValue *b);
static int	compare_read(PgBsonReader *r, const PgBsonValue *a, PgBsonReader *s, const PgBsonValue *b);

const uint8 PgBsonRanks[256] = {
	[PGBSON_MINKEY] = 0,
	[PGBSON_UNDEFINED] = 1,
	[PGBSON_NULL] = 2,
	[PGBSON_DOUBLE] = 3,
	[PGBSON_INT32] = 3,
	[PGBSON_INT64] = 3,
	[PGBSON_DECIMAL128] = 3,
	[PGBSON_STRING] = 4,
	[PGBSON_SYMBOL] = 4,
	[PGBSON_DOCUMENT] = 5,
	[PGBSON_ARRAY] = 6,
	[PGBSON_BINARY] = 7,
	[PGBSON_OBJECTID] = 8,
	[PGBSON_BOOL] = 9,
	[PGBSON_DATE] = 10,
	[PGBSON_TIMESTAMP] = 11,
	[PGBSON_REGEX] = 12,
	[PGBSON_DBPOINTER] = 13,
	[PGBSON_CODE] = 14,
	[PGBSON_CODE_W_SCOPE] = 15,
	[PGBSON_MAXKEY] = 16,
	[PGBSON_EOD] = PGBSON_NO_RANK,
	[PGBSON_DECIMAL128 + 1 ... PGBSON_MAXKEY - 1] = PGBSON_NO_RANK,
	[PGBSON_MAXKEY + 1 ... PGBSON_MINKEY - 1] = PGBSON_NO_RANK,
};

void
PgBsonReportUnknownType(PgBsonType type)
{
	elog(ERROR, "unknown bson type: %d", (int) type);
}

static inline int
compare_uint32(uint32 a, uint32 b)
{
	return a < b ? -1 : a > b;
}

static inline int
compare_bytes(const void *a, uint32 a_len, const void *b, uint32 b_len)
{
	int			cmp = memcmp(a, b, Min(a_len, b_len));

	return cmp != 0 ? cmp : compare_uint32(a_len, b_len);
}

/*
 * Elements of up to this many bytes are compared by memcmp first.  Longer ones may be containers, for
 * which each level of nesting would compare the same bytes again.
 */
#define SAME_MOST	64

/* Among up to this many values an equal one is found faster by looking at each */
#define FEW_VALUES	4

/*
 * If the next element of "y" has the same bytes as the current one of "x", step over it.  False if not,
 * or if it is long.
 */
static inline bool
pass_same(const PgBsonIter *x, PgBsonIter *y)
{
	Size		size = x->next - x->element;

	if (size > SAME_MOST || y->end - y->next < (ptrdiff_t) size || *y->next != *x->element ||
		memcmp(x->element, y->next, size) != 0)
		return false;
	y->next += size;
	return true;
}

/* Has the iterator's next element bytes that were not read yet? */
static inline bool
lacks(const PgBsonReader *reader, const PgBsonIter *iter)
{
	return iter->end > reader->avail && iter->next < iter->end &&
		!PgBsonIsElementThere(iter->next, iter->end, reader->avail);
}

/*
 * Read the rest of both values, because the bytes read so far do not decide; the next comparison will
 * probably need them, too.  Returns whether both have the same bytes from here on.
 */
static pg_noinline bool
read_rest(PgBsonReader *r, const PgBsonIter *x, PgBsonReader *s, const PgBsonIter *y)
{
	PgBsonReachValue(r, &r->root);
	PgBsonReachValue(s, &s->root);
	return x->end - x->next == y->end - y->next && memcmp(x->next, y->next, x->end - x->next) == 0;
}

/*
 * Compare two documents or, without "keys", two arrays, whose keys do not count.  The readers are NULL
 * if both values have been read whole.
 */
static pg_attribute_always_inline int
compare_containers(PgBsonReader *r, PgBsonView a, PgBsonReader *s, PgBsonView b, bool keys)
{
	PgBsonIter	x;
	PgBsonIter	y;

	PgBsonIterInit(&x, a);
	PgBsonIterInit(&y, b);
	for (;;)
	{
		bool		more_x;
		bool		more_y;
		int			cmp;

		if (r != NULL && (lacks(r, &x) || lacks(s, &y)) && read_rest(r, &x, s, &y))
			return 0;
		more_x = PgBsonIterStep(&x);
		if (more_x && (r == NULL || (x.next <= r->avail && y.next + SAME_MOST <= s->avail)) && pass_same(&x, &y))
			continue;
		more_y = PgBsonIterNext(&y);
		if (!more_x || !more_y)
			return (more_x ? 1 : 0) - (more_y ? 1 : 0);
		if (keys && x.value.type != y.value.type)
		{
			cmp = PgBsonTypeRank(x.value.type) - PgBsonTypeRank(y.value.type);
			if (cmp != 0)
				return cmp;
		}
		if (keys)
		{
			cmp = compare_bytes(x.key, x.key_len, y.key, y.key_len);
			if (cmp != 0)
				return cmp;
		}
		cmp = r == NULL ? compare_values(&x.value, &y.value) : compare_read(r, &x.value, s, &y.value);
		if (cmp != 0)
			return cmp;
	}
}

static int
compare_documents(PgBsonView a, PgBsonView b)
{
	return compare_containers(NULL, a, NULL, b, true);
}

/*
 * Where the elements of a pair [[int32, number]], the shape of most keys of sorts, begin: an array has its length in
 * four bytes, an element its type and a key of one digit with its zero byte before its value
 */
#define PAIR			4
#define PAIR_FIRST		(PAIR + 3 + 4)
#define PAIR_SECOND		(PAIR_FIRST + 3 + 4)
#define PAIR_NUMBER		(PAIR_SECOND + 3)

/*
 * Compare two short arrays of one length by the number, at any depth, in which the first bytes differ, as those of sort
 * keys do.  All before it is the same, so only one of them is walked through.  0: that does not decide.
 */
static int
compare_alike(PgBsonView a, PgBsonView b)
{
	uint32		at = 4;
	PgBsonType	type;
	PgBsonIter	iter;

	if (a.len != b.len || a.len > SAME_MOST)
		return 0;
	while (at + 8 <= a.len && PgBsonReadU64(a.data + at) == PgBsonReadU64(b.data + at))
		at += 8;
	while (at < a.len && a.data[at] == b.data[at])
		at++;
	type = a.len > PAIR_SECOND ? a.data[PAIR_SECOND] : PGBSON_EOD;
	/* mostly both are pairs [[int32, number]], and the numbers decide */
	if (at >= PAIR_NUMBER && at < a.len && memcmp(a.data + PAIR, "\x04" "0", 3) == 0 &&
		memcmp(a.data + PAIR_FIRST, "\x10" "0", 3) == 0 && memcmp(a.data + PAIR_SECOND + 1, "1", 2) == 0 &&
		PgBsonIsNumber(type) && a.len >= PAIR_NUMBER + PgBsonSizeClass[type])
		return PgBsonNumberCompare(&(PgBsonValue) {type, PgBsonSizeClass[type], a.data + PAIR_NUMBER},
								   &(PgBsonValue) {type, PgBsonSizeClass[type], b.data + PAIR_NUMBER});
	PgBsonIterInit(&iter, a);
	while (PgBsonIterNext(&iter))
	{
		PgBsonValue other = iter.value;
		uint32		value = iter.value.data - a.data;

		if (iter.next - a.data <= at)
			continue;
		if (PgBsonIsContainer(iter.value.type) && at >= value + 4)
		{
			PgBsonIterInit(&iter, PgBsonValueView(&iter.value));
			continue;
		}
		other.data = b.data + value;
		return PgBsonIsNumber(iter.value.type) && at >= value ? PgBsonNumberCompare(&iter.value, &other) : 0;
	}
	return 0;
}

static int
compare_arrays(PgBsonView a, PgBsonView b)
{
	int			cmp = compare_alike(a, b);

	return cmp != 0 ? cmp : compare_containers(NULL, a, NULL, b, false);
}

static int
compare_strings(const PgBsonValue *a, const PgBsonValue *b)
{
	uint32		a_len;
	uint32		b_len;
	const char *x = PgBsonValueString(a, &a_len);
	const char *y = PgBsonValueString(b, &b_len);

	if (unlikely(OidIsValid(PgBsonCollation)) && a->type != PGBSON_CODE)
		return PgBsonCompareCollated(x, a_len, y, b_len);
	return compare_bytes(x, a_len, y, b_len);
}

static int
compare_scoped_code(const PgBsonValue *a, const PgBsonValue *b)
{
	uint32		a_len;
	uint32		b_len;
	const char *x = PgBsonValueScopedCode(a, &a_len);
	const char *y = PgBsonValueScopedCode(b, &b_len);
	int			cmp = compare_bytes(x, a_len, y, b_len);

	return cmp != 0 ? cmp : compare_documents(PgBsonValueScope(a), PgBsonValueScope(b));
}

static int
compare_regexes(const PgBsonValue *a, const PgBsonValue *b)
{
	const char *x = (const char *) a->data;
	const char *y = (const char *) b->data;
	int			cmp = strcmp(x, y);

	/* the options follow the pattern's zero byte; here the patterns are equal, so they are as long */
	return cmp != 0 ? cmp : strcmp(x + strlen(x) + 1, y + strlen(x) + 1);
}

/* Compare values that begin with a length word: by length, then by the bytes behind that word */
static int
compare_length_first(const PgBsonValue *a, const PgBsonValue *b)
{
	if (a->len != b->len)
		return compare_uint32(a->len, b->len);
	return memcmp(a->data + 4, b->data + 4, a->len - 4);
}

static int
compare_values(const PgBsonValue *a, const PgBsonValue *b)
{
	uint64		x;
	uint64		y;

	if (a->type != b->type)
	{
		int			cmp = PgBsonTypeRank(a->type) - PgBsonTypeRank(b->type);

		if (cmp != 0)
			return cmp;
	}

	/* the types of both have the same rank */
	switch (a->type)
	{
		case PGBSON_DOUBLE:
		case PGBSON_INT32:
		case PGBSON_INT64:
		case PGBSON_DECIMAL128:
			return PgBsonNumberCompare(a, b);
		case PGBSON_STRING:
		case PGBSON_SYMBOL:
		case PGBSON_CODE:
			return compare_strings(a, b);
		case PGBSON_DOCUMENT:
			check_stack_depth();
			return compare_documents(PgBsonValueView(a), PgBsonValueView(b));
		case PGBSON_ARRAY:
			check_stack_depth();
			return compare_arrays(PgBsonValueView(a), PgBsonValueView(b));
		case PGBSON_CODE_W_SCOPE:
			check_stack_depth();
			return compare_scoped_code(a, b);
		case PGBSON_BINARY:
		case PGBSON_DBPOINTER:
			return compare_length_first(a, b);
		case PGBSON_OBJECTID:
		case PGBSON_BOOL:
			return memcmp(a->data, b->data, a->len);
		case PGBSON_DATE:
			x = PgBsonReadU64(a->data);
			y = PgBsonReadU64(b->data);
			return (int64) x < (int64) y ? -1 : (int64) x > (int64) y;
		case PGBSON_TIMESTAMP:
			/* the seconds are the high half */
			x = PgBsonReadU64(a->data);
			y = PgBsonReadU64(b->data);
			return x < y ? -1 : x > y;
		case PGBSON_REGEX:
			return compare_regexes(a, b);
		case PGBSON_NULL:
		case PGBSON_UNDEFINED:
		case PGBSON_MINKEY:
		case PGBSON_MAXKEY:
		case PGBSON_EOD:
			break;
	}
	return 0;
}

/*
 * Values with the same bytes are equal.  This is checked here for the whole
 * value, and below only for short elements: at every level of nesting the check
 * would cost more than it saves.
 */
int
PgBsonCompare(const PgBsonValue *a, const PgBsonValue *b)
{
	/* comparing the bytes of two numbers takes as long as comparing the numbers */
	return a->type != PGBSON_INT32 && a->type != PGBSON_DOUBLE && PgBsonSameBytes(a, b) ? 0 : compare_values(a, b);
}

/* compare_values for values of two readers; of a container perhaps only the length word was read */
static int
compare_read(PgBsonReader *r, const PgBsonValue *a, PgBsonReader *s, const PgBsonValue *b)
{
	if (a->type != b->type || !PgBsonIsContainer(a->type))
		return compare_values(a, b);
	check_stack_depth();
	return compare_containers(r, PgBsonValueView(a), s, PgBsonValueView(b), a->type == PGBSON_DOCUMENT);
}

int
PgBsonCompareRead(PgBsonReader *a, PgBsonReader *b)
{
	if (!PgBsonIsContainer(a->root.type))
		PgBsonReachValue(a, &a->root);
	if (!PgBsonIsContainer(b->root.type))
		PgBsonReachValue(b, &b->root);
	return compare_read(a, &a->root, b, &b->root);
}

int
PgBsonCompareSorted(const void *a, const void *b)
{
	return PgBsonCompare((const PgBsonValue *) a, (const PgBsonValue *) b);
}

void
PgBsonSortValues(PgBsonValue *values, Size n)
{
	PgBsonSortInline(values, n, sizeof(PgBsonValue), PgBsonCompareSorted);
}

int
PgBsonSortDistinct(PgBsonValue *values, int n)
{
	int			kept = 0;

	PgBsonSortValues(values, n);
	for (int i = 0; i < n; i++)
	{
		if (kept == 0 || !PgBsonEqual(&values[kept - 1], &values[i]))
			values[kept++] = values[i];
	}
	return kept;
}

const PgBsonValue *
PgBsonFindAmong(const PgBsonValue *sorted, int count, const PgBsonValue *value)
{
	if (count > FEW_VALUES)
		return bsearch(value, sorted, count, sizeof(PgBsonValue), PgBsonCompareSorted);
	for (int i = 0; i < count; i++)
	{
		if (PgBsonEqual(&sorted[i], value))
			return &sorted[i];
	}
	return NULL;
}

bool
PgBsonEqual(const PgBsonValue *a, const PgBsonValue *b)
{
	if (PgBsonSameBytes(a, b))
		return true;

	/* values with different bytes can be equal only if they hold a number, a symbol or an array */
	switch (a->type)
	{
		case PGBSON_DOUBLE:
		case PGBSON_INT32:
		case PGBSON_INT64:
		case PGBSON_DECIMAL128:
			return PgBsonIsNumber(b->type) && PgBsonNumberCompare(a, b) == 0;
		case PGBSON_STRING:
		case PGBSON_SYMBOL:
			if (a->len != b->len && !OidIsValid(PgBsonCollation))
				return false;
			break;
		case PGBSON_DOCUMENT:
		case PGBSON_ARRAY:
		case PGBSON_CODE_W_SCOPE:
			break;
		default:
			return false;
	}
	return compare_values(a, b) == 0;
}
