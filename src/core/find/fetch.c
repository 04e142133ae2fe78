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
#include "core/find/fetch.h"

#include "access/detoast.h"
#include "access/xact.h"
#include "core/stored/detoast.h"
#include "core/stored/sparse.h"
#include "utils/memutils.h"

/* The first slice of a value, when nothing is known yet, in bytes */
#define FIRST_SLICE		1024

/* A slice this near the whole is hardly cheaper, and the whole serves the next reader too */
#define WORTH_SLICING(want, whole)	((want) < (whole) - (whole) / 8)

/* See begin_cache; more than what malloc gives back at once, 128 kB */
#define MALLOC_KEEPS	(256 * 1024)

/* Values held at once; few, as a query looks at few at a time */
#define CACHE_ENTRIES	4

typedef struct Entry
{
	struct varlena *name;		/* the datum as it came: toast pointer or compressed bytes; NULL: free */
	Size		name_size;
	struct varlena *bytes;		/* what was read: a plain varlena */
	PgBsonSparse *sparse;		/* or how it is read, and the bytes are its; else NULL */
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
		/*
		 * Having freed a large piece once, glibc's malloc keeps as much for
		 * itself; else it would give the memory of a value back to the
		 * kernel after each row, and get it anew, page by page.
		 */
		pfree(MemoryContextAlloc(TopMemoryContext, MALLOC_KEEPS));
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
	cache.held -= entry->name_size + entry->avail;
	pfree(entry->name);
	if (entry->sparse != NULL)
		PgBsonSparseFree(entry->sparse);
	else
	{
		cache.rereads += reread ? 1 : -1;
		cache.rereads = Max(0, Min(3, cache.rereads));
		pfree(entry->bytes);
	}
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

/* Fill a free entry, after all that can fail */
static void
fill_entry(Entry *entry, struct varlena *name, struct varlena *bytes, const void *reader)
{
	entry->name = name;
	entry->name_size = VARSIZE_ANY(name);
	entry->bytes = bytes;
	entry->sparse = NULL;
	entry->avail = payload(bytes);
	entry->first_want = entry->used = 0;
	entry->reader = reader;
	entry->touched = ++cache.clock;
	cache.held += entry->name_size + entry->avail;
}

/* A value that is compressed in its row is about as large as a plain one, and so are the rows that come next */
static inline void
ask_ahead(const struct varlena *datum)
{
	if (VARATT_IS_COMPRESSED(datum))
		PgBsonAskAhead(datum);
}

/*
 * A toasted value of "whole" bytes, at least "want" of them, *avail: from the cache,
 * or read now.  *entry is the cache's, or NULL if it is not cached; the bytes
 * are then palloc'd.  "reader" is the call site, or NULL.
 */
static struct varlena *
fetch(struct varlena *datum, uint32 want, uint32 whole, const void *reader, Entry **entry, uint32 *avail)
{
	Size		name_size = VARSIZE_ANY(datum);
	struct varlena *bytes;
	struct varlena *name;
	MemoryContext old;
	uint32		first_want = want;

	ask_ahead(datum);
	*entry = find_entry(datum, name_size);
	if (*entry != NULL)
	{
		if ((*entry)->sparse != NULL)
		{
			*avail = PgBsonSparseReach((*entry)->sparse, want);
			PgBsonSparseRest((*entry)->sparse);
			return (*entry)->bytes;
		}
		if ((*entry)->avail >= Min(want, whole))
		{
			*avail = (*entry)->avail;
			return (*entry)->bytes;
		}

		/* a second wish: read all of it, so that there is no third */
		old = MemoryContextSwitchTo(cache.context);
		bytes = PgBsonDetoast(datum);
		MemoryContextSwitchTo(old);
		cache.held += payload(bytes) - (*entry)->avail;
		pfree((*entry)->bytes);
		(*entry)->bytes = bytes;
		*avail = (*entry)->avail = payload(bytes);
		return bytes;
	}

	/* where values tend to be wanted again, further: all of it at once */
	if (cache.rereads >= 2)
		want = whole;

	*entry = make_room(name_size + (WORTH_SLICING(want, whole) ? want : whole), reader);
	if (*entry == NULL)
	{
		bytes = read_prefix(datum, want, whole);
		*avail = payload(bytes);
		return bytes;
	}

	/* the entry changes only after all that can fail */
	old = MemoryContextSwitchTo(cache.context);
	bytes = read_prefix(datum, want, whole);
	name = memcpy(palloc(name_size), datum, name_size);
	MemoryContextSwitchTo(old);
	fill_entry(*entry, name, bytes, reader);
	(*entry)->first_want = WORTH_SLICING(first_want, whole) ? first_want : whole;
	*avail = (*entry)->avail;
	return bytes;
}

/*
 * A value that is read sparsely: from the cache as far as it was read, or
 * begun now.  NULL if it was read whole before.
 */
static PgBsonSparse *
fetch_sparse(struct varlena *datum, const void *reader)
{
	Size		name_size = VARSIZE_ANY(datum);
	Entry	   *entry = find_entry(datum, name_size);
	MemoryContext old;
	PgBsonSparse *sparse;
	struct varlena *name;

	if (entry != NULL)
		return entry->sparse;
	entry = make_room(name_size + toast_raw_datum_size(PointerGetDatum(datum)), reader);
	if (entry == NULL)
		return PgBsonSparseBegin(datum);

	old = MemoryContextSwitchTo(cache.context);
	sparse = PgBsonSparseBegin(datum);
	name = memcpy(palloc(name_size), datum, name_size);
	MemoryContextSwitchTo(old);
	fill_entry(entry, name, sparse->bytes, reader);
	entry->sparse = sparse;
	return sparse;
}

/* Is this a value whose front can be had for less than the whole? */
static bool
is_sliceable(const struct varlena *datum)
{
	return VARATT_IS_EXTERNAL_ONDISK(datum) || VARATT_IS_COMPRESSED(datum);
}

/* So many bytes tell what a root is, unless it is a regular expression, or a document in a wrapper */
#define ROOT_BYTES	16

bool
PgBsonRootWithin(const uint8 *data, uint32 avail, uint32 whole, PgBsonValue *root)
{
	PgBsonView	view = {data, whole};

	if (avail < Min(whole, ROOT_BYTES))
		return false;
	/* with addresses of 32 bits, what is not here may end beyond the last one */
	if (avail < whole && (uintptr_t) data + whole < (uintptr_t) data)
		return false;
	if (whole < PGBSON_MIN_SIZE || PgBsonReadU32(data) != whole)
		PgBsonReportDamaged(0);
	if (avail < whole && PgBsonBeginsEnvelope(data) &&
		(data[6] == PGBSON_REGEX || data[6] == PGBSON_DOCUMENT))
		return false;
	/* of any other value its first bytes tell the size */
	*root = PgBsonRootOf(view);
	return true;
}

/* Remember at the call site how far this answer lay; forget slowly how far others did */
static void
learn(PgBsonFetchHint *hint, uint32 used)
{
	if (hint != NULL)
		hint->upto = Max(used + used / 32 + 64, hint->upto - hint->upto / 64);
}

/* PgBsonFetchPath of a value that is read sparsely */
static bool
find_sparsely(PgBsonSparse *sparse, const PgBsonStep *steps, int nsteps,
			  PgBsonFetchHint *hint, PgBsonValue *result)
{
	const uint8 *data = (const uint8 *) VARDATA(sparse->bytes);
	uint32		want = hint != NULL && hint->upto > 0 ? hint->upto : FIRST_SLICE;
	uint32		cost_before = sparse->cost;
	uint32		avail = PgBsonSparseReach(sparse, want);
	PgBsonShapes *shapes = NULL;
	PgBsonValue root;
	bool		found;

	if (!PgBsonRootWithin(data, avail, sparse->whole, &root))
	{
		avail = PgBsonSparseReach(sparse, sparse->whole);
		PgBsonRootWithin(data, avail, sparse->whole, &root);
	}
	if (hint != NULL)
		hint->root = root.type;
	/* where values are stepped over, more than a shape is not there */
	if (hint != NULL && hint->dense)
		shapes = &hint->shapes;
	found = PgBsonFindFrom(&sparse->source, root, data + avail, shapes, steps, nsteps, result);
	if (hint != NULL)
		hint->dense = !sparse->jumped;
	PgBsonSparseRest(sparse);
	/* what is to be read at once is what lies before anything that is stepped over; it must not creep up */
	if (hint != NULL && !PgBsonSparsePaid(sparse, cost_before))
		hint->upto = sparse->whole;
	else if (hint != NULL && sparse->jumped)
		hint->upto = hint->upto == 0 ? sparse->run : Min(hint->upto, sparse->run);
	else
		learn(hint, found ? (result->data + result->len) - data : sparse->run);
	return found;
}

/* PgBsonFetchSearch in a value whose front can be had for less than the whole */
static bool
search_slices(Datum datum, PgBsonSearcher search, void *arg, PgBsonFetchHint *hint)
{
	struct varlena *attr = (struct varlena *) DatumGetPointer(datum);
	uint32		whole = toast_raw_datum_size(datum) - VARHDRSZ;
	uint32		want = hint != NULL && hint->upto > 0 ? hint->upto : FIRST_SLICE;

	for (;;)
	{
		Entry	   *entry;
		uint32		avail;
		struct varlena *bytes = fetch(attr, want, whole, hint, &entry, &avail);
		const uint8 *data = (const uint8 *) VARDATA_ANY(bytes);
		const uint8 *upto = data + whole;
		PgBsonFound found = PGBSON_MORE;
		PgBsonValue root;

		if (!PgBsonRootWithin(data, avail, whole, &root))
			goto next;
		found = search(root, data + avail, arg, &upto);
		if (found != PGBSON_MORE)
		{
			uint32		used = Min(upto - data, avail);

			if (hint != NULL)
				hint->root = root.type;
			learn(hint, used);
			if (entry != NULL)
				entry->used = Max(entry->used, used);
			return found == PGBSON_FOUND;
		}
		if (avail == whole)
			PgBsonReportDamaged(whole);
next:
		want = Max((Size) (upto - data), (Size) want * 4);
		want = Min(want, whole);
		if (entry == NULL)
			pfree(bytes);
		else
			entry->used = Max(entry->used, want);
	}
}

/* A value that need not be fetched; what is next asked for is in it */
static inline PgBsonValue
plain_root(Datum datum)
{
	PgBson	   *bytes = (PgBson *) DatumGetPointer(datum);

	if (VARATT_IS_EXTERNAL(bytes))
		bytes = DatumGetPgBsonPP(datum);
	PgBsonAskAhead(bytes);
	return PgBsonRootOf(PgBsonViewOf(bytes));
}

bool
PgBsonFetchSearch(Datum datum, PgBsonSearcher search, void *arg, PgBsonFetchHint *hint)
{
	PgBsonValue root;
	const uint8 *upto;

	if (is_sliceable((struct varlena *) DatumGetPointer(datum)))
		return search_slices(datum, search, arg, hint);
	root = plain_root(datum);
	return search(root, root.data + root.len, arg, &upto) == PGBSON_FOUND;
}

/* The arguments of PgBsonFetchPath, and its result */
typedef struct PathSearch
{
	const PgBsonStep *steps;
	int			nsteps;
	PgBsonShapes *shapes;
	PgBsonValue *result;
} PathSearch;

static PgBsonFound
search_path(PgBsonValue root, const uint8 *avail, void *arg, const uint8 **upto)
{
	PathSearch *path = arg;

	return PgBsonFindWithin(root, avail, path->shapes, path->steps, path->nsteps, path->result, upto);
}

/* PgBsonFetchPath of a value whose front can be had for less than the whole */
static pg_noinline bool
find_toasted(Datum datum, const PgBsonStep *steps, int nsteps, PgBsonFetchHint *hint, PgBsonValue *result)
{
	struct varlena *attr = (struct varlena *) DatumGetPointer(datum);
	PathSearch	path = {steps, nsteps, hint != NULL ? &hint->shapes : NULL, result};
	PgBsonSparse *sparse;

	if (PgBsonIsSparse(attr) && (sparse = fetch_sparse(attr, hint)) != NULL)
		return find_sparsely(sparse, steps, nsteps, hint, result);
	return search_slices(datum, search_path, &path, hint);
}

bool
PgBsonFetchPath(Datum datum, const PgBsonStep *steps, int nsteps,
				PgBsonFetchHint *hint, PgBsonValue *result)
{
	struct varlena *attr = (struct varlena *) DatumGetPointer(datum);
	PgBsonShapes *shapes = hint != NULL ? &hint->shapes : NULL;

	if (!is_sliceable(attr))
	{
		*result = plain_root(datum);
		if (hint != NULL)
			hint->root = result->type;
		return PgBsonFindPlain(result, shapes, steps, nsteps);
	}
	return find_toasted(datum, steps, nsteps, hint, result);
}

PgBsonType
PgBsonFetchType(Datum datum)
{
	struct varlena *attr = (struct varlena *) DatumGetPointer(datum);
	uint32		whole;
	Entry	   *entry;
	struct varlena *bytes;
	PgBsonValue root;

	if (!is_sliceable(attr))
		return plain_root(datum).type;
	ask_ahead(attr);
	whole = toast_raw_datum_size(datum) - VARHDRSZ;
	entry = find_entry(attr, VARSIZE_ANY(attr));
	if (entry != NULL && entry->sparse != NULL)
	{
		(void) PgBsonSparseReach(entry->sparse, ROOT_BYTES);
		PgBsonSparseRest(entry->sparse);
	}
	bytes = entry != NULL ? entry->bytes : PgBsonDetoastPrefix(attr, ROOT_BYTES);
	if (PgBsonRootWithin((const uint8 *) VARDATA_ANY(bytes), Min(payload(bytes), whole), whole, &root))
		return root.type;
	return PgBsonRootOf(PgBsonFetchWhole(datum)).type;
}

PgBsonView
PgBsonFetchWhole(Datum datum)
{
	return PgBsonFetchWholeAt(datum, NULL);
}

PgBsonView
PgBsonFetchWholeAt(Datum datum, const PgBsonFetchHint *hint)
{
	struct varlena *attr = (struct varlena *) DatumGetPointer(datum);
	uint32		whole;
	uint32		avail;
	Entry	   *entry;
	PgBson	   *bytes;

	if (!is_sliceable(attr))
	{
		bytes = DatumGetPgBsonPP(datum);
		PgBsonAskAhead(bytes);
		return PgBsonViewOf(bytes);
	}

	whole = toast_raw_datum_size(datum) - VARHDRSZ;
	bytes = fetch(attr, whole, whole, hint, &entry, &avail);
	if (entry != NULL)
		entry->used = whole;
	return PgBsonViewOf(bytes);
}
