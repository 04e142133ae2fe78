/*
 * reader.c
 *	  The one way from a bson datum, which may be toasted, to its bytes; and the cache that keeps what was read.
 *
 * A call site remembers how many bytes of its documents were needed (PgBsonReadHint), so that as many of the next row's
 * are read at once.
 *
 * An entry of the cache is known by the toast pointer (an external value never
 * changes under its pointer) or, for a value compressed in its row, by the
 * compressed bytes themselves.  The cache lives at most as long as the
 * transaction, and is deleted when a subtransaction aborts, as the toast pointers
 * of its rows may be used again for other values.  All call sites share it, so
 * that one operator finds what another has read.
 */
#include "core/stored/reader.h"

#include "access/xact.h"
#include "core/stored/stream.h"

/* begin_cache frees a piece of this size.  Then malloc keeps up to twice as much, enough for most documents. */
#define MALLOC_KEEPS	(1024 * 1024)

/* How many values the cache holds; a query seldom works with more at a time */
#define CACHE_ENTRIES	4

/*
 * adjust() lowers a hint that is too high by a PACE'th of the difference, and raises one that is too low by at most a
 * PACE'th of the hint and LITTLE together
 */
#define PACE			8
#define LITTLE			512

/* How many bytes of a toasted value a new call site reads first */
#define FIRST_READ		1024

/* How many bytes of a value that is compared are read first: most documents differ in one of their first fields */
#define FRONT			512

/* The first bytes of a document, from which root_within() mostly can tell the type and the size of the root */
#define ROOT_BYTES	16

typedef struct Entry
{
	struct varlena *name;		/* the datum as it came: toast pointer or compressed bytes; NULL: free */
	Size		name_size;
	PgBsonStream stream;
	uint8		users;			/* number of readers that have it open */
	uint64		touched;		/* for eviction */
	const void *site;			/* the call site that read it, known by the address of its hint, or NULL */
} Entry;

int			PgBsonDetoastCacheSize = 16384;

static struct
{
	MemoryContext context;		/* NULL: no cache in this transaction yet */
	MemoryContextCallback on_reset;
	Entry		entries[CACHE_ENTRIES];
	Size		held;			/* bytes of all entries */
	uint64		clock;
} cache;

/* Callback of the cache's memory context: it is being reset or deleted, so forget what was in it */
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
free_stream(PgBsonStream *stream)
{
	PgBsonStreamEnd(stream);
	if (stream->bytes != NULL)
		pfree(stream->bytes);
}

static void
evict(Entry *entry)
{
	cache.held -= entry->name_size + entry->stream.whole;
	free_stream(&entry->stream);
	pfree(entry->name);
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
 * Find a free entry for a value that will take "size" bytes; NULL if the cache
 * has no room for it.  A call site that reads another value no longer needs
 * the one it read before, so that is evicted first.  If that is not enough, the
 * least recently used values are evicted.  Values that readers have open stay.
 */
static Entry *
make_reader_room(Size size, const void *site)
{
	Size		limit = (Size) PgBsonDetoastCacheSize * 1024;
	Entry	   *place = NULL;

	if (size > limit)
		return NULL;
	if (cache.context == NULL)
		begin_cache();

	for (int i = 0; i < CACHE_ENTRIES; i++)
	{
		Entry	   *entry = &cache.entries[i];

		if (entry->name != NULL && entry->site == site && entry->users == 0)
			evict(entry);
		if (entry->name == NULL)
			place = entry;
	}
	while (place == NULL || cache.held + size > limit)
	{
		Entry	   *oldest = NULL;

		for (int i = 0; i < CACHE_ENTRIES; i++)
		{
			Entry	   *entry = &cache.entries[i];

			if (entry->name != NULL && entry->users == 0 && (oldest == NULL || entry->touched < oldest->touched))
				oldest = entry;
		}
		if (oldest == NULL)
			return NULL;
		evict(oldest);
		place = oldest;
	}
	return place;
}

/* The cache's entry of this value.  If there is none and "keep" is set, make one; NULL if there is no room for it. */
static Entry *
entry_of(struct varlena *datum, const void *site, bool keep)
{
	Size		size = VARSIZE_ANY(datum);
	Entry	   *entry = find_entry(datum, size);
	MemoryContext old;
	struct varlena *name;

	if (entry != NULL || !keep)
		return entry;
	entry = make_reader_room(size + toast_raw_datum_size(PointerGetDatum(datum)), site);
	if (entry == NULL)
		return NULL;
	old = MemoryContextSwitchTo(cache.context);
	name = memcpy(palloc(size), datum, size);
	PgBsonStreamBegin(&entry->stream, name);
	MemoryContextSwitchTo(old);
	entry->name = name;
	entry->name_size = size;
	entry->site = site;
	entry->touched = ++cache.clock;
	cache.held += size + entry->stream.whole;
	return entry;
}

/*
 * Set *root to the root value of a document of "whole" bytes, of which the first "avail" are there; false if these do
 * not suffice to tell its type and size
 */
static bool
root_within(const uint8 *data, uint32 avail, uint32 whole, PgBsonValue *root)
{
	PgBsonView	view = {data, whole};

	if (avail < Min(whole, ROOT_BYTES))
		return false;
	if (whole < PGBSON_MIN_SIZE || PgBsonReadU32(data) != whole)
		PgBsonReportDamaged(0);
	if (avail < whole && PgBsonBeginsEnvelope(data) &&
		(data[6] == PGBSON_REGEX || data[6] == PGBSON_DOCUMENT))
		return false;
	/* the size of any other root follows from its first bytes */
	*root = PgBsonRootOf(view);
	return true;
}

/* Is it compressed or stored out of line?  Else it is plain, or one of the kinds that exist in memory only. */
static inline bool
is_stream(const struct varlena *value)
{
	return VARATT_IS_COMPRESSED(value) || VARATT_IS_EXTERNAL_ONDISK(value);
}

static PgBsonView
open_plain(struct varlena *value)
{
	PgBson	   *bytes = PgBsonDetoastPacked(value);

	PgBsonAskAhead(PointerGetDatum(bytes));
	return PgBsonViewOf(bytes);
}

/*
 * Open a datum, stored in whatever way, and read its first "want" bytes; "keep": put what is read of it into the cache
 */
static void
open_datum(PgBsonReader *reader, Datum datum, PgBsonReadHint *hint, uint32 want, bool keep)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);
	PgBsonStream *stream;
	const uint8 *data;
	Entry	   *entry;

	if (!is_stream(value))
	{
		PgBsonReaderPlain(reader, PgBsonRootOf(open_plain(value)));
		return;
	}
	/* values that are compressed in their rows are prefetched like plain ones */
	if (VARATT_IS_COMPRESSED(value))
		PgBsonAskAhead(datum);
	entry = entry_of(value, hint, keep);
	if (entry != NULL)
		stream = &entry->stream;
	else
	{
		stream = palloc_object(PgBsonStream);
		PgBsonStreamBegin(stream, value);
	}
	reader->cost = stream->cost;
	data = PgBsonStreamFront(stream, want);
	if (!root_within(data, stream->front, stream->whole, &reader->root))
	{
		data = PgBsonStreamFront(stream, stream->whole);
		(void) root_within(data, stream->whole, stream->whole, &reader->root);
	}
	reader->avail = data + stream->front;
	reader->used = data;
	reader->source = &stream->source;
	reader->stream = stream;
	reader->hint = hint;
	reader->users = entry == NULL ? NULL : &entry->users;
	if (entry != NULL)
		entry->users++;
}

void
PgBsonOpenToasted(PgBsonReader *reader, Datum datum, PgBsonReadHint *hint)
{
	uint32		want = FIRST_READ;

	if (hint != NULL && hint->upto != 0)
		want = hint->upto;
	open_datum(reader, datum, hint, want, true);
}

PgBsonView
PgBsonOpenWholeToasted(PgBsonReader *reader, Datum datum)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);
	PgBsonView	view;

	if (!is_stream(value))
	{
		view = open_plain(value);
		PgBsonReaderPlain(reader, PgBsonRootOf(view));
		return view;
	}
	open_datum(reader, datum, NULL, PG_UINT32_MAX, true);
	view.data = (const uint8 *) VARDATA(reader->stream->bytes);
	view.len = reader->stream->whole;
	return view;
}

void
PgBsonOpenFront(PgBsonReader *reader, Datum datum)
{
	open_datum(reader, datum, NULL, FRONT, false);
}

/*
 * "need" bytes of a value were needed: adjust how many are read at once of the next value.  That is about what most
 * values need, not the most that any did.  A few are larger than the others, or lack the field and are read to the end;
 * to read as much of all values would cost more than a second read for these few.
 */
static void
adjust(PgBsonReadHint *hint, uint32 need)
{
	if (hint->upto == 0)
		hint->upto = need;
	else if (need < hint->upto)
		hint->upto -= (hint->upto - need) / PACE;
	else
		hint->upto += Min(need - hint->upto, (hint->upto + LITTLE) / PACE);
}

/* Update the call site's hint after a value was read */
static void
learn_reach(PgBsonReader *reader)
{
	const PgBsonStream *stream = reader->stream;
	PgBsonReadHint *hint = reader->hint;
	uint32		used = Min(reader->used - (const uint8 *) VARDATA(stream->bytes), stream->whole);

	/* if stepping over parts of the value cost more than reading all of it, read the next one whole */
	if (!stream->compressed && !PgBsonStreamPaid(stream, reader->cost))
		hint->upto = stream->whole;
	/* read at once what lies before the first part that was stepped over; never more, even if later values have more */
	else if (stream->jumped)
		hint->upto = hint->upto == 0 ? stream->run : Min(hint->upto, stream->run);
	else
		adjust(hint, used + used / 32 + 64);
}

void
PgBsonCloseToasted(PgBsonReader *reader)
{
	if (reader->hint != NULL)
		learn_reach(reader);
	PgBsonStreamRest(reader->stream);
	if (reader->users != NULL && *reader->users > 0)
		(*reader->users)--;
	reader->source = NULL;
}

/* The end of the element at "from"; if the bytes before "limit" do not tell, a place up to which to read first */
static const uint8 *
end_of_element(const uint8 *from, const uint8 *limit, bool whole)
{
	uint8		class;
	uint32		key_len;
	uint32		size;
	const uint8 *value;

	if (from >= limit || (key_len = PgBsonKeyLength(from + 1, limit)) == PGBSON_BAD_SIZE)
		return limit + 1;
	class = PgBsonSizeClass[*from];
	value = from + key_len + 2;
	if (class < PGBSON_SIZED)
		return value + class;
	if (class >= PGBSON_SIZE_REGEX)
	{
		size = PgBsonValueSize(*from, value, limit - value);
		return size == PGBSON_BAD_SIZE ? limit + 1 : value + size;
	}
	if (limit - value < 4)
		return value + 4;
	return !whole && PgBsonIsContainer(*from) ? value + 4 : value + PgBsonReadU32(value) + (class & ~PGBSON_SIZED);
}

const uint8 *
PgBsonReachElement(PgBsonReader *reader, const uint8 *from, const uint8 *end, const uint8 *avail, bool whole)
{
	const uint8 *upto;

	/* an element that does not end before its document is damaged; the caller, who parses it, reports that */
	while (avail < end && (upto = end_of_element(from, avail, whole)) > avail)
		avail = PgBsonReach(reader, from, Min(upto, end));
	return avail;
}

bool
PgBsonIsElementThere(const uint8 *from, const uint8 *end, const uint8 *avail)
{
	return avail >= end || end_of_element(from, avail, false) <= avail;
}

void
PgBsonDrop(PgBsonReader *reader)
{
	PgBsonStream *stream = reader->source != NULL ? reader->stream : NULL;

	PgBsonClose(reader);
	if (stream == NULL || reader->users != NULL)
		return;
	free_stream(stream);
	pfree(stream);
}

PgBsonType
PgBsonReadType(Datum datum)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);
	PgBsonReader reader;

	/* keep a value that is stored out of line, as fetching it is expensive */
	open_datum(&reader, datum, NULL, ROOT_BYTES, VARATT_IS_EXTERNAL(value));
	PgBsonDrop(&reader);
	return reader.root.type;
}
