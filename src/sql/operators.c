/*
 * operators.c
 *	  Equality, order and hash: the operators, and what the btree and hash
 *	  operator classes call.
 */
#include "door.h"

#include "access/detoast.h"
#include "common/hashfn.h"
#include "core/order/compare.h"
#include "lib/hyperloglog.h"
#include "utils/sortsupport.h"

/* Are the bytes the same as they are stored?  Then the values are equal, and need not be detoasted. */
static bool
is_copy(Datum x, Datum y)
{
	struct varlena *a = (struct varlena *) DatumGetPointer(x);
	struct varlena *b = (struct varlena *) DatumGetPointer(y);

	return VARSIZE_ANY(a) == VARSIZE_ANY(b) && memcmp(a, b, VARSIZE_ANY(a)) == 0;
}

static pg_noinline int
compare_toasted(Datum x, Datum y)
{
	PgBsonReader a;
	PgBsonReader b;
	int			cmp;

	if (is_copy(x, y))
		return 0;
	PgBsonOpenFront(&a, x);
	PgBsonOpenFront(&b, y);
	cmp = PgBsonCompareRead(&a, &b);
	PgBsonDrop(&b);
	PgBsonDrop(&a);
	return cmp;
}

static inline int
compare_plain(const PgBsonValue *v, const PgBsonValue *w)
{
	/* these are most often compared, in an index and where the prefixes of a sort are equal or there are none */
	if (v->type == PGBSON_INT32 && w->type == PGBSON_INT32)
		return PgBsonReadI32(v->data) < PgBsonReadI32(w->data) ? -1 : PgBsonReadI32(v->data) > PgBsonReadI32(w->data);
	return PgBsonCompare(v, w);
}

static int
compare_to_sort(Datum x, Datum y, SortSupport ssup)
{
	PgBsonValue v;
	PgBsonValue w;

	if (!PgBsonPlainRoot(x, &v) || !PgBsonPlainRoot(y, &w))
		return compare_toasted(x, y);
	return compare_plain(&v, &w);
}

/* Both arguments, if both are plain; the first one is mostly a column */
static inline bool
plain_args(FunctionCallInfo fcinfo, PgBsonValue *v, PgBsonValue *w)
{
	if (!PgBsonPlainRoot(PG_GETARG_DATUM(0), v) || !PgBsonPlainRoot(PG_GETARG_DATUM(1), w))
		return false;
	PgBsonAskAhead(PG_GETARG_DATUM(0));
	return true;
}

static int
compare_args(FunctionCallInfo fcinfo)
{
	PgBsonValue v;
	PgBsonValue w;

	if (!plain_args(fcinfo, &v, &w))
		return compare_toasted(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1));
	return compare_plain(&v, &w);
}

static bool
equal_args(FunctionCallInfo fcinfo)
{
	PgBsonView	a;
	PgBsonView	b;
	PgBsonValue v;
	PgBsonValue w;

	/* mostly so where GROUP BY has found the group */
	if (PgBsonPlainView(PG_GETARG_DATUM(0), &a) && PgBsonPlainView(PG_GETARG_DATUM(1), &b) &&
		a.len == b.len && memcmp(a.data, b.data, a.len) == 0)
		return true;
	if (!plain_args(fcinfo, &v, &w))
		return compare_toasted(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)) == 0;
	return PgBsonEqual(&v, &w);
}

/* SQL: bson_eq(bson, bson) returns boolean; and so on */
PGBSON_DOOR(pgbson_eq, BoolGetDatum(equal_args(fcinfo)));
PGBSON_DOOR(pgbson_ne, BoolGetDatum(!equal_args(fcinfo)));
PGBSON_DOOR(pgbson_lt, BoolGetDatum(compare_args(fcinfo) < 0));
PGBSON_DOOR(pgbson_le, BoolGetDatum(compare_args(fcinfo) <= 0));
PGBSON_DOOR(pgbson_gt, BoolGetDatum(compare_args(fcinfo) > 0));
PGBSON_DOOR(pgbson_ge, BoolGetDatum(compare_args(fcinfo) >= 0));

/* SQL: bson_cmp(bson, bson) returns integer: -1, 0 or 1 */
PGBSON_FUNCTION(pgbson_cmp)
{
	int			cmp = compare_args(fcinfo);

	PG_RETURN_INT32(cmp < 0 ? -1 : cmp > 0);
}

/* SQL: bson_smaller(bson, bson) and bson_larger(bson, bson) return bson: for min and max; the first of equal values */
PGBSON_DOOR(pgbson_smaller, PG_GETARG_DATUM(compare_args(fcinfo) <= 0 ? 0 : 1));
PGBSON_DOOR(pgbson_larger, PG_GETARG_DATUM(compare_args(fcinfo) >= 0 ? 0 : 1));

/*
 * Sort support.
 *
 * The sort compares the 64-bit prefixes of core/order/prefix.c, and the values only
 * where those are equal.
 */

/* Prefixes are given up if fewer than one in this many is distinct */
#define ABBREV_MIN_DISTINCT		2000
/* the number of rows before the first check, and a number of distinct prefixes that is always enough */
#define ABBREV_MIN_ROWS			10000
#define ABBREV_ENOUGH_DISTINCT	100000

typedef struct AbbrevState
{
	int64		rows;			/* converted so far */
	bool		estimating;		/* still counting distinct prefixes */
	PgBsonSpine spine;			/* of the first row: prefixes of one sort are made by one spine */
	hyperLogLogState distinct;
} AbbrevState;

/* The prefix of a datum, of which only the bytes are read that make up the prefix */
static uint64
prefix_of_datum(AbbrevState *state, Datum datum)
{
	PgBsonReader reader;
	uint64		prefix;

	PgBsonOpenFront(&reader, datum);
	PgBsonReachSpine(&reader);
	if (state->spine.levels == 0)
		PgBsonSpineInit(&state->spine, &reader.root);
	prefix = PgBsonSortPrefix(&state->spine, &reader.root);
	PgBsonDrop(&reader);
	return prefix;
}

static Datum
abbrev_convert(Datum original, SortSupport ssup)
{
	AbbrevState *state = (AbbrevState *) ssup->ssup_extra;
	uint64		prefix = prefix_of_datum(state, original);

	state->rows++;
	if (state->estimating)
		addHyperLogLog(&state->distinct,
					   hash_bytes_uint32((uint32) prefix ^ (uint32) (prefix >> 32)));

	/* if a Datum is narrower, use the upper part */
	return (Datum) (prefix >> (64 - SIZEOF_DATUM * 8));
}

static bool
abbrev_abort(int memtupcount, SortSupport ssup)
{
	AbbrevState *state = (AbbrevState *) ssup->ssup_extra;
	double		distinct;

	if (memtupcount < ABBREV_MIN_ROWS || state->rows < ABBREV_MIN_ROWS || !state->estimating)
		return false;
	distinct = estimateHyperLogLog(&state->distinct);
	if (distinct > ABBREV_ENOUGH_DISTINCT)
		state->estimating = false;
	return distinct < state->rows / (double) ABBREV_MIN_DISTINCT + 0.5;
}

/* SQL: bson_sortsupport(internal) returns void */
PGBSON_FUNCTION(pgbson_sortsupport)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->comparator = compare_to_sort;
	if (ssup->abbreviate)
	{
		MemoryContext old = MemoryContextSwitchTo(ssup->ssup_cxt);
		AbbrevState *state = (AbbrevState *) palloc0(sizeof(AbbrevState));

		state->estimating = true;
		initHyperLogLog(&state->distinct, 10);
		ssup->ssup_extra = state;
		ssup->comparator = ssup_datum_unsigned_cmp;
		ssup->abbrev_converter = abbrev_convert;
		ssup->abbrev_abort = abbrev_abort;
		ssup->abbrev_full_comparator = compare_to_sort;
		MemoryContextSwitchTo(old);
	}
	PG_RETURN_VOID();
}

static uint64
hash_arg(FunctionCallInfo fcinfo, uint64 seed)
{
	PgBsonReader reader;
	PgBsonView	view;
	PgBsonValue root;
	uint64		hash;

	/* what is small was mostly computed, so that there are no next rows to prefetch */
	if (PgBsonPlainView(PG_GETARG_DATUM(0), &view) && view.len <= 64)
	{
		root = PgBsonRootOf(view);
		return PgBsonHash(&root, seed);
	}
	(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	hash = PgBsonHash(&reader.root, seed);
	PgBsonDrop(&reader);
	return hash;
}

/* SQL: bson_hash(bson) returns integer, the low half of bson_hash_extended(bson, seed bigint), seed 0 */
PGBSON_DOOR(pgbson_hash, Int32GetDatum((int32) hash_arg(fcinfo, 0)));
PGBSON_DOOR(pgbson_hash_extended, Int64GetDatum((int64) hash_arg(fcinfo, (uint64) PG_GETARG_INT64(1))));

/* Are the bytes of the two arguments the same? */
static bool
identical_args(FunctionCallInfo fcinfo)
{
	PgBson	   *a;
	PgBson	   *b;
	bool		identical;

	/* the sizes are known without detoasting, and decide most cases */
	if (toast_raw_datum_size(PG_GETARG_DATUM(0)) != toast_raw_datum_size(PG_GETARG_DATUM(1)))
		return false;

	a = PG_GETARG_PGBSON_PP(0);
	b = PG_GETARG_PGBSON_PP(1);
	identical = memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return identical;
}

/* SQL: bson_identical(bson, bson) and bson_not_identical(bson, bson) return boolean */
PGBSON_DOOR(pgbson_identical, BoolGetDatum(identical_args(fcinfo)));
PGBSON_DOOR(pgbson_not_identical, BoolGetDatum(!identical_args(fcinfo)));
