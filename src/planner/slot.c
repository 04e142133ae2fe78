/*
 * slot.c
 *	  The slot of pg_statistic with what ANALYZE counted in a bson column, taken apart.
 *
 * To decompress it and take its arrays apart costs as much as all the rest of planning a
 * short statement, and for each of its conditions again.  So what was made of those of the
 * last few columns is kept with a copy of the bytes that it was made of, as these are stored:
 * if the bytes are the same, so is what they mean, whatever was done to the table or to
 * pg_statistic meanwhile.  And while the server's cache of pg_statistic holds the row in which
 * they were found, they are not even compared.
 */
#include "planner/slot.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "planner/statistics.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

/* Columns whose slots are kept */
#define KEPT			4

/* Bytes as stored, of values or numbers, beyond which they are not */
#define MOST_STORED		(64 * 1024)

/* What was made of the slot of one column */
typedef struct KeptSlot
{
	MemoryContext context;		/* of all below */
	struct varlena *values;		/* as they are stored; NULL: nothing is kept */
	struct varlena *numbers;
	AttStatsSlot slot;
	HeapTuple	row;			/* in the server's cache, which has these bytes; NULL: not known */
} KeptSlot;

static KeptSlot kept_slots[KEPT];

/* Rows of the server's cache are gone, or will be as soon as nobody uses them */
static void
forget_rows(Datum arg, int cacheid, uint32 hashvalue)
{
	for (int i = 0; i < KEPT; i++)
		kept_slots[i].row = NULL;
}

/* Know the row again, if it is in the server's cache and not a copy, nor out of date meanwhile */
static void
know_row(KeptSlot *kept, HeapTuple statistics)
{
	Form_pg_statistic row = (Form_pg_statistic) GETSTRUCT(statistics);
	static bool registered = false;
	HeapTuple	cached;

	if (!registered)
	{
		CacheRegisterSyscacheCallback(STATRELATTINH, forget_rows, (Datum) 0);
		registered = true;
	}
	cached = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(row->starelid), Int16GetDatum(row->staattnum),
							 BoolGetDatum(row->stainherit));
	if (!HeapTupleIsValid(cached))
		return;
	if (cached == statistics)
		kept->row = statistics;
	ReleaseSysCache(cached);
}

/* An array of a slot as it is stored; NULL if there is none that can be kept */
static struct varlena *
stored_array(HeapTuple statistics, AttrNumber first, int n)
{
	bool		isnull;
	Datum		array = SysCacheGetAttr(STATRELATTINH, statistics, first + n, &isnull);
	struct varlena *v = (struct varlena *) DatumGetPointer(array);

	return isnull || VARATT_IS_EXTERNAL(v) || VARSIZE_ANY(v) > MOST_STORED ? NULL : v;
}

static bool
same_bytes(const struct varlena *a, const struct varlena *b)
{
	return VARSIZE_ANY(a) == VARSIZE_ANY(b) && memcmp(a, b, VARSIZE_ANY(a)) == 0;
}

static struct varlena *
copy(const struct varlena *v)
{
	return memcpy(palloc(VARSIZE_ANY(v)), v, VARSIZE_ANY(v));
}

static bool
take_apart(HeapTuple statistics, AttStatsSlot *slot)
{
	return get_attstatsslot(slot, statistics, PGBSON_STATISTIC_KIND, InvalidOid, ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS);
}

/* Keep the slot in place of another column's */
static void
keep(KeptSlot *kept, HeapTuple statistics, const struct varlena *values, const struct varlena *numbers)
{
	MemoryContext old;

	kept->values = NULL;
	kept->row = NULL;
	if (kept->context == NULL)
		kept->context = AllocSetContextCreate(CacheMemoryContext, "bson statistics", ALLOCSET_SMALL_SIZES);
	MemoryContextReset(kept->context);
	old = MemoryContextSwitchTo(kept->context);
	take_apart(statistics, &kept->slot);
	kept->numbers = copy(numbers);
	kept->values = copy(values);
	MemoryContextSwitchTo(old);
}

bool
PgBsonFindSlot(HeapTuple statistics, AttStatsSlot *slot)
{
	Form_pg_statistic row = (Form_pg_statistic) GETSTRUCT(statistics);
	KeptSlot   *kept = &kept_slots[(row->starelid + row->staattnum) % KEPT];
	struct varlena *values;
	struct varlena *numbers;
	int			n = 0;

	if (kept->row == statistics)
	{
		*slot = kept->slot;
		return true;
	}
	while ((&row->stakind1)[n] != PGBSON_STATISTIC_KIND)
	{
		if (++n == STATISTIC_NUM_SLOTS)
			return false;
	}
	values = stored_array(statistics, Anum_pg_statistic_stavalues1, n);
	numbers = stored_array(statistics, Anum_pg_statistic_stanumbers1, n);
	if (values == NULL || numbers == NULL)
		return take_apart(statistics, slot);
	if (kept->values == NULL || !same_bytes(values, kept->values) || !same_bytes(numbers, kept->numbers))
		keep(kept, statistics, values, numbers);
	know_row(kept, statistics);
	*slot = kept->slot;
	return true;
}
