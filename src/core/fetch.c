/*
 * fetch.c
 *	  Prefix slices of toasted values, and the cache that keeps them.
 *
 * A toasted value is read front first, and further only when a search says
 * that the bytes so far do not tell.  How far the answers of a call site lay
 * is remembered there, so that the next row is read as far at once.
 *
 * What was read stays in a cache, so that ten operators on one value read it
 * once.  An entry is known by the toast pointer (an external value never
 * changes under its pointer) or, for a value compressed in its row, by the
 * compressed bytes themselves.  The cache lives at most as long as the
 * transaction, and goes when a subtransaction aborts: toast pointers of rows
 * that never came to be could be given out again.
 */
#include "core/fetch.h"

#include "access/detoast.h"
#include "access/xact.h"
#include "core/detoast.h"
#include "utils/memutils.h"

/* The first slice of a value, when nothing is known yet, in bytes */
#define FIRST_SLICE		1024

/* A slice this near the whole is hardly cheaper, and the whole serves the next reader too */
#define WORTH_SLICING(want, whole)	((want) < (whole) - (whole) / 8)

/* Values held at once; few, as a query looks at few at a time */
#define CACHE_ENTRIES	4

typedef struct Entry
{
	struct varlena *name;		/* the datum as it came: toast pointer or compressed bytes; NULL: free */
	Size		name_size;
	struct varlena *bytes;		/* what was read: a plain varlena */
	uint32		avail;			/* payload bytes of it */
	uint32		first_want;		/* what its first reader asked for */
	uint32		used;			/* how far its readers got */
	uint64		touched;		/* for eviction */
	const void *reader;			/* the call site that read it */
} Entry;

int			PgBsonDetoastCacheSize = 16384;

static struct
{
	MemoryContext context;		/* NULL: no cache in this transaction yet */
	MemoryContextCallback on_reset;
	Entry		entries[CACHE_ENTRIES];
	Size		held;			/* bytes of all entries */
	uint64		clock;
	int			rereads;		/* 0..3: do values tend to be wanted beyond what their first reader wanted? */
} cache;

/* The transaction's memory is gone, or going: forget it */
static void
forget_all(void *arg)
{
	cache.context = NULL;
	memset(cache.entries, 0, sizeof(cache.entries));
	cache.held = 0;
}

static void
at_subxact(SubXactEvent event, SubTransactionId mySubid,
		   SubTransactionId parentSubid, void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB && cache.context != NULL)
		MemoryContextDelete(cache.context);
}

static void
begin_cache(void)
{
	static bool registered = false;

	if (!registered)
	{
		RegisterSubXactCallback(at_subxact, NULL);
		registered = true;
	}
	cache.context = AllocSetContextCreate(TopTransactionContext,
										  "bson detoast cache",
										  ALLOCSET_DEFAULT_SIZES);
	cache.on_reset.func = forget_all;
	cache.on_reset.arg = NULL;
	MemoryContextRegisterResetCallback(cache.context, &cache.on_reset);
}

static void
evict(Entry *entry)
{
	bool		reread = entry->used > entry->first_want;

	if (entry->name == NULL)
		return;
	cache.rereads += reread ? 1 : -1;
	cache.rereads = Max(0, Min(3, cache.rereads));
	cache.held -= entry->name_size + entry->avail;
	pfree(entry->name);
	pfree(entry->bytes);
	memset(entry, 0, sizeof(*entry));
}

/* The entry of this datum, or NULL */
static Entry *
find_entry(const struct varlena *datum, Size size)
{
	for (int i = 0; i < CACHE_ENTRIES; i++)
	{
		Entry	   *entry = &cache.entries[i];

		if (entry->name != NULL && entry->name_size == size &&
			memcmp(entry->name, datum, size) == 0)
		{
			entry->touched = ++cache.clock;
			return entry;
		}
	}
	return NULL;
}

/*
 * A place for a value that will take "size" bytes.  A call site that reads
 * another value is done with the one it read before, so that goes first: its
 * memory is still in the processor's cache.  Further room is made by evicting
 * what was not looked at for longest.  NULL if it is too large to keep.
 */
static Entry *
make_room(Size size, const void *reader)
{
	Size		limit = (Size) PgBsonDetoastCacheSize * 1024;

	if (size > limit)
		return NULL;
	if (cache.context == NULL)
		begin_cache();

	for (int i = 0; i < CACHE_ENTRIES; i++)
	{
		if (cache.entries[i].reader == reader)
			evict(&cache.entries[i]);
	}

	for (;;)
	{
		Entry	   *oldest = &cache.entries[0];

		for (int i = 1; i < CACHE_ENTRIES; i++)
		{
			if (cache.entries[i].touched < oldest->touched)
				oldest = &cache.entries[i];
		}
		/* free entries were never touched, so come first */
		if (oldest->name == NULL && cache.held + size <= limit)
			return oldest;
		if (oldest->name == NULL)
		{
			oldest = NULL;
			for (int i = 0; i < CACHE_ENTRIES; i++)
			{
				if (cache.entries[i].name != NULL &&
					(oldest == NULL || cache.entries[i].touched < oldest->touched))
					oldest = &cache.entries[i];
			}
		}
		evict(oldest);
	}
}

/* Read the first "want" bytes of a toasted value, or all if that is about as cheap */
static struct varlena *
read_prefix(struct varlena *datum, uint32 want, uint32 whole)
{
	if (WORTH_SLICING(want, whole))
		return PgBsonDetoastPrefix(datum, want);
	return PgBsonDetoast(datum);
}

static uint32
payload(const struct varlena *bytes)
{
	return VARSIZE_ANY_EXHDR(bytes);
}

/*
 * A toasted value of "whole" bytes, at least "want" of them: from the cache,
 * or read now.  *entry is the cache's, or NULL if it is not cached; the bytes
 * are then palloc'd.  "reader" is the call site, or NULL.
 */
static struct varlena *
fetch(struct varlena *datum, uint32 want, uint32 whole, const void *reader, Entry **entry)
{
	Size		name_size = VARSIZE_ANY(datum);
	struct varlena *bytes;
	MemoryContext old;
	uint32		first_want = want;

	*entry = find_entry(datum, name_size);
	if (*entry != NULL)
	{
		if ((*entry)->avail >= Min(want, whole))
			return (*entry)->bytes;

		/* a second wish: read all of it, so that there is no third */
		old = MemoryContextSwitchTo(cache.context);
		bytes = PgBsonDetoast(datum);
		MemoryContextSwitchTo(old);
		cache.held += payload(bytes) - (*entry)->avail;
		pfree((*entry)->bytes);
		(*entry)->bytes = bytes;
		(*entry)->avail = payload(bytes);
		return bytes;
	}

	/* where values tend to be wanted again, further: all of it at once */
	if (cache.rereads >= 2)
		want = whole;

	*entry = make_room(name_size + (WORTH_SLICING(want, whole) ? want : whole), reader);
	if (*entry == NULL)
		return read_prefix(datum, want, whole);

	/* the entry changes only after all that can fail */
	old = MemoryContextSwitchTo(cache.context);
	bytes = read_prefix(datum, want, whole);
	(*entry)->name = memcpy(palloc(name_size), datum, name_size);
	MemoryContextSwitchTo(old);
	(*entry)->name_size = name_size;
	(*entry)->bytes = bytes;
	(*entry)->avail = payload(bytes);
	(*entry)->first_want = WORTH_SLICING(first_want, whole) ? first_want : whole;
	(*entry)->used = 0;
	(*entry)->reader = reader;
	(*entry)->touched = ++cache.clock;
	cache.held += name_size + (*entry)->avail;
	return bytes;
}

/* Is this a value whose front can be had for less than the whole? */
static bool
is_sliceable(const struct varlena *datum)
{
	return VARATT_IS_EXTERNAL_ONDISK(datum) || VARATT_IS_COMPRESSED(datum);
}

/*
 * The root value, of which "avail" bytes of payload are there; false if that
 * takes more of them: a wrapper (pgbson.h) is fetched whole.
 */
static bool
root_within(const uint8 *data, uint32 avail, uint32 whole, PgBsonValue *root)
{
	PgBsonView	view = {data, whole};

	if (avail < 8)
		return false;
	if (PgBsonReadU32(data) != whole)
		PgBsonReportDamaged(0);
	if (avail < whole && PgBsonBeginsWrapped(data))
		return false;
	if (avail < whole)
	{
		root->type = PGBSON_DOCUMENT;
		root->data = data;
		root->len = whole;
	}
	else
		*root = PgBsonRootOf(view);
	return true;
}

/* Remember at the call site how far this answer lay; forget slowly how far others did */
static void
learn(PgBsonFetchHint *hint, uint32 used)
{
	if (hint != NULL)
		*hint = Max(used + used / 32 + 64, *hint - *hint / 64);
}

/*
 * A walk goes from one header to the next, each load waiting for the one
 * before; in a table scan each would miss the processor's cache in turn.  Ask
 * for the first lines at once.
 */
static inline void
ask_ahead(const PgBson *bytes)
{
#ifdef __GNUC__
	uint32		upto = Min(VARSIZE_ANY(bytes), 512);

	for (uint32 i = 64; i < upto; i += 64)
		__builtin_prefetch((const char *) bytes + i);
#endif
}

bool
PgBsonFetchPath(Datum datum, const PgBsonStep *steps, int nsteps,
				PgBsonFetchHint *hint, PgBsonValue *result)
{
	struct varlena *attr = (struct varlena *) DatumGetPointer(datum);
	uint32		whole;
	uint32		want;

	if (!is_sliceable(attr))
	{
		PgBsonView	view;

		attr = DatumGetPgBsonPP(datum);
		ask_ahead(attr);
		view = PgBsonViewOf(attr);
		return PgBsonFind(PgBsonRootOf(view), steps, nsteps, result);
	}

	whole = toast_raw_datum_size(datum) - VARHDRSZ;
	want = hint != NULL && *hint > 0 ? *hint : FIRST_SLICE;
	for (;;)
	{
		Entry	   *entry;
		struct varlena *bytes = fetch(attr, want, whole, hint, &entry);
		const uint8 *data = (const uint8 *) VARDATA_ANY(bytes);
		uint32		avail = payload(bytes);
		const uint8 *need = data + whole;
		PgBsonFound found = PGBSON_MORE;
		PgBsonValue root;

		if (avail == whole && avail < PGBSON_MIN_SIZE)
			PgBsonReportDamaged(0);
		if (avail == whole && avail < 8)
			root = PgBsonRootOf(PgBsonViewOf(bytes));
		else if (!root_within(data, avail, whole, &root))
			goto next;
		found = PgBsonFindWithin(root, data + avail, steps, nsteps, result, &need);
		if (found != PGBSON_MORE)
		{
			/* an absence was told by all that was there */
			uint32		used = found == PGBSON_FOUND
				? (result->data + result->len) - data : avail;

			learn(hint, used);
			if (entry != NULL)
				entry->used = Max(entry->used, used);
			return found == PGBSON_FOUND;
		}
		if (avail == whole)
			PgBsonReportDamaged(whole);
next:
		want = Max((Size) (need - data), (Size) want * 4);
		want = Min(want, whole);
		if (entry == NULL)
			pfree(bytes);
		else
			entry->used = Max(entry->used, want);
	}
}

PgBsonView
PgBsonFetchWhole(Datum datum)
{
	struct varlena *attr = (struct varlena *) DatumGetPointer(datum);
	uint32		whole;
	Entry	   *entry;
	PgBson	   *bytes;

	if (!is_sliceable(attr))
		return PgBsonViewOf(DatumGetPgBsonPP(datum));

	whole = toast_raw_datum_size(datum) - VARHDRSZ;
	bytes = fetch(attr, whole, whole, NULL, &entry);
	if (entry != NULL)
		entry->used = whole;
	return PgBsonViewOf(bytes);
}
