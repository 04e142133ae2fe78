/*
 * stream.c
 *	  The bytes of one toasted value, as they are asked for.
 *
 * The server's own way takes longer than it must.  It asks an index for the chunks of each
 * value, see core/stored/toast.c.  Its pglz decompressor is slow, see core/stored/pglz.c, and begins anew each
 * time.  Of a value compressed with lz4 it reads all chunks even for a short prefix.
 *
 * Finding a chunk in the TOAST table costs about as much as reading two that follow each other.  So a search that steps
 * over few chunks reads on without a gap, each time twice as many as before.  After a step over many chunks it begins
 * with one again.
 */
#include "core/stored/stream.h"

#include "access/table.h"
#include "access/toast_compression.h"

/*
 * For values in chunks: how many chunks can be read in the time that finding one takes; the least number of chunks that
 * it pays to step over; and the most that are read before they are asked for
 */
#define FIND_CHUNKS		2
#define SHORT_STEP		(FIND_CHUNKS + 1)
#define MOST_AHEAD		64

/* At least this much is decompressed at a time: LEAST_BYTES, or a LEAST_PART'th of what is decompressed already */
#define LEAST_BYTES		512
#define LEAST_PART		8

/*
 * lz4 decompresses from the beginning each time.  So each time at least this many times as much is decompressed as the
 * time before.
 */
#define LZ4_GROWTH		4

/*
 * This many bytes of an lz4 stream always suffice for the first "want" bytes of its result: "want" literal bytes, and
 * the lengths of runs, which take a byte for each 255
 */
#define LZ4_BOUND(want, whole)	((uint64) (want) + (whole) / 255 * 2 + 64)

/* The compression method and the size, which come before the stream */
#define PACKED_HEADER	(VARHDRSZ_COMPRESSED - VARHDRSZ)

/* See unpack_in_place(): from this version on lz4 can stop early.  The functions are NULL in a server without lz4. */
#define LZ4_VERSION		10803

extern int	LZ4_decompress_safe_partial(const char *from, char *into, int from_size, int want,
										int room) __attribute__((weak));
extern int	LZ4_decompress_safe(const char *from, char *into, int from_size, int room) __attribute__((weak));
extern int	LZ4_versionNumber(void) __attribute__((weak));

pg_noreturn static void
report_corrupt(const char *message)
{
	PgBsonReport(ERRCODE_DATA_CORRUPTED, errmsg_internal("%s", message));
}

static void
open_toast(PgBsonStream *s)
{
	CHECK_FOR_INTERRUPTS();
	if (s->toast == NULL)
		s->toast = PgBsonOpenToast(s->pointer.va_toastrelid, &s->release);
}

/* --- compressed --- */

/* Fetch compressed bytes until the first "upto" are there, or all; a chunk that was fetched in part is fetched again */
static void
fetch_packed(PgBsonStream *s, uint64 upto)
{
	uint32		first = s->have / PGBSON_CHUNK;
	uint32		end = Min(s->stored, upto);

	if (end <= s->have)
		return;
	if (s->packed == NULL)
		s->packed = MemoryContextAllocExtended(s->context, (Size) s->stored + VARHDRSZ, MCXT_ALLOC_HUGE);
	open_toast(s);
	PgBsonReadChunks(s->toast, &s->pointer, first, end - first * PGBSON_CHUNK,
					 VARDATA(s->packed) + first * PGBSON_CHUNK);
	if (s->have == 0 && VARDATA_COMPRESSED_GET_EXTSIZE(s->packed) != s->whole)
		PgBsonReportDamaged(0);
	s->have = end;
	SET_VARSIZE_COMPRESSED(s->packed, end + VARHDRSZ);
}

/*
 * How many compressed bytes to fetch for "more" bytes of the result: if these are few, as many as they can take; else
 * an estimate, as if the whole value were compressed equally well, and a few more
 */
static uint64
packed_for(const PgBsonStream *s, uint32 more)
{
	uint64		bound = (uint64) more * 9 / 8 + PGBSON_PGLZ_AHEAD;

	return bound <= PGBSON_CHUNK ? bound : (uint64) more * s->stored / s->whole * 5 / 4 + PGBSON_PGLZ_AHEAD;
}

/* Memory for the whole value, and for what the pglz decompressor writes behind it */
static void
reserve(PgBsonStream *s)
{
	Size		behind = s->compressed && !s->lz4 ? PGBSON_PGLZ_ROOM : 0;

	s->bytes = MemoryContextAllocExtended(s->context, (Size) s->whole + VARHDRSZ + behind, MCXT_ALLOC_HUGE);
	SET_VARSIZE(s->bytes, s->whole + VARHDRSZ);
}

static void
unpack_pglz(PgBsonStream *s, uint32 want)
{
	const uint8 *packed;

	if (s->bytes == NULL)
		reserve(s);
	s->pglz.result = (uint8 *) VARDATA(s->bytes);
	do
	{
		if (s->have < s->stored)
			fetch_packed(s, Max((uint64) s->have + PGBSON_PGLZ_AHEAD, s->used + packed_for(s, want - s->front)));
		packed = (const uint8 *) VARDATA(s->packed);
		s->pglz.source = packed + s->used;
		if (!PgBsonPglzDecompress(&s->pglz, packed + s->have, s->have == s->stored, want, s->whole))
			report_corrupt("compressed pglz data is corrupt");
		s->front = s->pglz.done;
		s->used = s->pglz.source - packed;
	} while (s->front < want);
}

/*
 * Decompress the first "want" bytes into s->bytes by calling liblz4; false if the server is not linked with one that
 * can do this.  The server's own function would allocate memory for the result each time.
 */
static bool
unpack_in_place(PgBsonStream *s, uint32 want)
{
	const char *packed = VARDATA(s->packed) + PACKED_HEADER;
	int			made;

	if (LZ4_decompress_safe_partial == NULL || LZ4_decompress_safe == NULL || LZ4_versionNumber == NULL ||
		LZ4_versionNumber() < LZ4_VERSION)
		return false;
	/* the function that decompresses everything is faster */
	if (want == s->whole)
		made = LZ4_decompress_safe(packed, VARDATA(s->bytes), s->have - PACKED_HEADER, want);
	else
		made = LZ4_decompress_safe_partial(packed, VARDATA(s->bytes), s->have - PACKED_HEADER, want, want);
	if (made < (int) want)
		report_corrupt("compressed lz4 data is corrupt");
	return true;
}

static void
unpack_lz4(PgBsonStream *s, uint32 want)
{
	bool		all = want == s->whole;
	struct varlena *part;
	MemoryContext old;

	/*
	 * Allocate the result before the compressed bytes, which are freed first.  If they were at the top of the heap,
	 * malloc would return that memory to the kernel, and get it again, for each value.
	 */
	if (s->bytes == NULL)
		reserve(s);
	if (s->have < s->stored)
		fetch_packed(s, all ? s->stored : LZ4_BOUND(want, s->whole) + PACKED_HEADER);
	if (!unpack_in_place(s, want))
	{
		old = MemoryContextSwitchTo(s->context);
		part = all ? lz4_decompress_datum(s->packed) : lz4_decompress_datum_slice(s->packed, want);
		MemoryContextSwitchTo(old);
		/* a damaged stream may make less than was compressed, which the server does not notice */
		if (VARSIZE(part) < (Size) want + VARHDRSZ)
			report_corrupt("compressed lz4 data is corrupt");
		memcpy(VARDATA(s->bytes) + s->front, VARDATA(part) + s->front, want - s->front);
		pfree(part);
	}
	s->front = want;
}

/* Decompress at least "upto" bytes */
static void
unpack(PgBsonStream *s, uint32 upto)
{
	uint64		want = upto;

	/* the first "upto" is what the call site's hint says; from then on read ahead */
	if (s->front > 0)
		want = Max(want, s->front + Max(LEAST_BYTES, s->front / LEAST_PART));
	if (s->lz4)
		want = Max(want, (uint64) s->front * LZ4_GROWTH);
	/* near to the end, decompress all of it */
	if (want >= s->whole - s->whole / 8)
		want = s->whole;
	if (s->lz4)
		unpack_lz4(s, want);
	else
		unpack_pglz(s, want);
}

static const uint8 *
reach_unpacked(PgBsonByteSource *source, const uint8 *from, const uint8 *upto)
{
	PgBsonStream *s = (PgBsonStream *) source;
	const uint8 *data = (const uint8 *) VARDATA(s->bytes);

	(void) PgBsonStreamFront(s, Min(upto - data, s->whole));
	return data + s->front;
}

/* --- in chunks, not compressed --- */

/* The first chunk from this one on that is not there */
static uint32
first_missing(const PgBsonStream *s, uint32 chunk)
{
	while (chunk < s->nchunks && (s->filled[chunk / 64] >> (chunk % 64) & 1) != 0)
	{
		if (chunk % 64 == 0 && s->filled[chunk / 64] == PG_UINT64_MAX)
			chunk += 64;
		else
			chunk++;
	}
	return Min(chunk, s->nchunks);
}

static void
fill(PgBsonStream *s, uint32 first, uint32 count)
{
	for (uint32 i = first; i < first + count; i++)
		s->filled[i / 64] |= UINT64CONST(1) << (i % 64);
}

/* Begin to note which chunks are there.  Until now these are the first ones, and perhaps a part of the last one. */
static void
make_map(PgBsonStream *s)
{
	s->filled = s->nchunks <= 64 ? &s->few
		: MemoryContextAllocZero(s->context, sizeof(uint64) * (s->nchunks / 64 + 1));
	fill(s, 0, s->front / PGBSON_CHUNK);
}

static void
fetch_chunks(PgBsonStream *s, uint32 first, uint32 count)
{
	uint32		offset = first * PGBSON_CHUNK;
	uint32		len = Min((uint64) count * PGBSON_CHUNK, s->whole - offset);

	open_toast(s);
	PgBsonReadChunks(s->toast, &s->pointer, first, len, VARDATA(s->bytes) + offset);
	fill(s, first, count);
	s->cost += FIND_CHUNKS + count;
	s->next = first + count;
}

/* The offset of the first byte that is missing from this chunk on */
static uint32
end_of_filled(const PgBsonStream *s, uint32 chunk)
{
	return Min((uint64) first_missing(s, chunk) * PGBSON_CHUNK, s->whole);
}

static uint32
reach_chunks(PgBsonStream *s, uint32 from, uint32 upto)
{
	uint32		begin = from / PGBSON_CHUNK;
	uint32		end = (upto + PGBSON_CHUNK - 1) / PGBSON_CHUNK;
	uint32		missing;

	if (upto <= s->front)
		return s->front;
	if (s->filled == NULL)
		make_map(s);
	missing = first_missing(s, begin);
	if (missing < end)
	{
		if (missing > s->next)
			s->jumped = true;
		s->ahead = missing < s->next + SHORT_STEP ? Min(s->ahead * 2, MOST_AHEAD) : 1;
		fetch_chunks(s, missing, Min(Max(end - missing, s->ahead), s->nchunks - missing));
		if (!s->jumped)
			s->run = Min((uint64) s->next * PGBSON_CHUNK, s->whole);
	}
	if (from <= s->front)
		return s->front = Max(s->front, end_of_filled(s, begin));
	return end_of_filled(s, begin);
}

static const uint8 *
reach_stored(PgBsonByteSource *source, const uint8 *from, const uint8 *upto)
{
	PgBsonStream *s = (PgBsonStream *) source;
	const uint8 *data = (const uint8 *) VARDATA(s->bytes);

	return data + reach_chunks(s, from - data, Min(upto - data, s->whole));
}

/* --- both --- */

/* Can the sizes in a TOAST pointer be right?  A damaged one may have any. */
static bool
has_sizes(const struct varatt_external *pointer)
{
	uint32		stored = VARATT_EXTERNAL_GET_EXTSIZE(*pointer);

	return pointer->va_rawsize >= VARHDRSZ &&
		(VARATT_EXTERNAL_IS_COMPRESSED(*pointer) ? stored >= PACKED_HEADER && pointer->va_rawsize > VARHDRSZ
		 : stored == pointer->va_rawsize - VARHDRSZ);
}

static bool
is_lz4(ToastCompressionId method)
{
	if (method != TOAST_PGLZ_COMPRESSION_ID && method != TOAST_LZ4_COMPRESSION_ID)
		PgBsonReportDamaged(0);
	return method == TOAST_LZ4_COMPRESSION_ID;
}

void
PgBsonStreamBegin(PgBsonStream *s, const struct varlena *value)
{
	memset(s, 0, sizeof(*s));
	s->context = CurrentMemoryContext;
	s->external = VARATT_IS_EXTERNAL_ONDISK(value);
	s->compressed = true;
	if (s->external)
	{
		VARATT_EXTERNAL_GET_POINTER(s->pointer, value);
		if (!has_sizes(&s->pointer))
			PgBsonReportDamaged(0);
		s->whole = s->pointer.va_rawsize - VARHDRSZ;
		s->stored = VARATT_EXTERNAL_GET_EXTSIZE(s->pointer);
		s->compressed = VARATT_EXTERNAL_IS_COMPRESSED(s->pointer);
		if (s->compressed)
			s->lz4 = is_lz4(VARATT_EXTERNAL_GET_COMPRESS_METHOD(s->pointer));
	}
	else
	{
		if (VARSIZE(value) < VARHDRSZ_COMPRESSED)
			PgBsonReportDamaged(0);
		s->whole = VARDATA_COMPRESSED_GET_EXTSIZE(value);
		s->packed = unconstify(struct varlena *, value);
		s->stored = s->have = VARSIZE(value) - VARHDRSZ;
		s->lz4 = is_lz4(VARDATA_COMPRESSED_GET_COMPRESS_METHOD(value));
	}
	s->source.reach = s->compressed ? reach_unpacked : reach_stored;
	s->used = PACKED_HEADER;
	s->nchunks = ((uint64) s->whole + PGBSON_CHUNK - 1) / PGBSON_CHUNK;
	s->ahead = 1;
}

/* Fetch the first "upto" bytes of a value of which nothing is there yet */
static void
fetch_front(PgBsonStream *s, uint32 upto)
{
	open_toast(s);
	PgBsonReadChunks(s->toast, &s->pointer, 0, upto, VARDATA(s->bytes));
	s->next = upto == s->whole ? s->nchunks : upto / PGBSON_CHUNK;
	s->cost += FIND_CHUNKS + s->next;
	s->front = s->run = upto;
}

const uint8 *
PgBsonStreamFront(PgBsonStream *s, uint32 upto)
{
	upto = Min(upto, s->whole);
	if (s->bytes == NULL && !s->compressed)
		reserve(s);
	if (upto <= s->front && s->bytes != NULL)
		return (const uint8 *) VARDATA(s->bytes);
	if (s->compressed)
		unpack(s, upto);
	else if (s->front == 0)
		fetch_front(s, upto);
	else
		(void) reach_chunks(s, s->front, upto);
	if (s->front == s->whole)
		PgBsonStreamEnd(s);
	return (const uint8 *) VARDATA(s->bytes);
}

bool
PgBsonStreamPaid(const PgBsonStream *s, uint32 cost_before)
{
	return s->cost - cost_before <= FIND_CHUNKS + s->nchunks;
}

void
PgBsonStreamRest(PgBsonStream *s)
{
	if (s->toast != NULL)
		table_close(s->toast, s->release);
	s->toast = NULL;
}

void
PgBsonStreamEnd(PgBsonStream *s)
{
	PgBsonStreamRest(s);
	if (s->external && s->packed != NULL)
		pfree(s->packed);
	s->packed = NULL;
	if (s->filled != NULL && s->filled != &s->few)
		pfree(s->filled);
	s->filled = NULL;
}
