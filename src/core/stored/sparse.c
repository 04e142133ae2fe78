/*
 * sparse.c
 *	  Reading a large value that is stored out of line without reading all of it.
 *
 * To find a chunk in the TOAST table where it is predicted to lie costs about as
 * much as to read two in a row (core/stored/toast.c).  So a search that steps over
 * little reads on, each time twice as much as before; after a long step it begins
 * anew with one chunk.  A call site for which that costs more than the whole
 * reads the next value at once.
 */
#include "core/stored/sparse.h"

#include "access/table.h"
#include "core/stored/toast.h"
#include "miscadmin.h"
#include "pgbson.h"

/*
 * Chunks of a value that is worth it; that are read in the time in which one is found;
 * that are as well read as stepped over; and that are read at once at most
 */
#define LEAST_CHUNKS	5
#define FIND_CHUNKS		2
#define SHORT_STEP		(FIND_CHUNKS + 1)
#define MOST_AHEAD		64

static bool
is_filled(const PgBsonSparse *s, uint32 chunk)
{
	return (s->filled[chunk / 64] >> (chunk % 64) & 1) != 0;
}

/* The first chunk from this one on that is not there */
static uint32
first_missing(const PgBsonSparse *s, uint32 chunk)
{
	while (chunk < s->nchunks && is_filled(s, chunk))
	{
		if (chunk % 64 == 0 && s->filled[chunk / 64] == PG_UINT64_MAX)
			chunk += 64;
		else
			chunk++;
	}
	return Min(chunk, s->nchunks);
}

static void
fetch_chunks(PgBsonSparse *s, uint32 first, uint32 count)
{
	uint32		offset = first * PGBSON_CHUNK;
	uint32		len = Min((uint64) count * PGBSON_CHUNK, s->whole - offset);

	CHECK_FOR_INTERRUPTS();
	if (s->toast == NULL)
		s->toast = PgBsonOpenToast(s->pointer.va_toastrelid, &s->release);

	PgBsonReadChunks(s->toast, &s->pointer, first, len, VARDATA(s->bytes) + offset);
	for (uint32 i = first; i < first + count; i++)
		s->filled[i / 64] |= UINT64CONST(1) << (i % 64);
	s->cost += FIND_CHUNKS + count;
}

/* See PgBsonSource */
static const uint8 *
reach(PgBsonSource *source, const uint8 *from, const uint8 *upto)
{
	PgBsonSparse *s = (PgBsonSparse *) source;
	const uint8 *data = (const uint8 *) VARDATA(s->bytes);
	uint32		begin = (from - data) / PGBSON_CHUNK;
	uint32		end = (Min((Size) (upto - data), s->whole) + PGBSON_CHUNK - 1) / PGBSON_CHUNK;
	uint32		missing = first_missing(s, begin);

	if (missing < end)
	{
		uint32		count;

		if (missing > s->next)
			s->jumped = true;
		s->ahead = missing < s->next + SHORT_STEP ? Min(s->ahead * 2, MOST_AHEAD) : 1;
		count = Min(Max(end - missing, s->ahead), s->nchunks - missing);
		fetch_chunks(s, missing, count);
		s->next = missing + count;
		if (!s->jumped)
			s->run = s->next * PGBSON_CHUNK;
		missing = first_missing(s, s->next);
	}
	return data + Min((uint64) missing * PGBSON_CHUNK, s->whole);
}

bool
PgBsonIsSparse(const struct varlena *datum)
{
	struct varatt_external pointer;

	if (!VARATT_IS_EXTERNAL_ONDISK(datum))
		return false;
	VARATT_EXTERNAL_GET_POINTER(pointer, datum);
	/* a damaged pointer may have sizes that do not agree */
	return VARATT_EXTERNAL_GET_EXTSIZE(pointer) == pointer.va_rawsize - VARHDRSZ &&
		VARATT_EXTERNAL_GET_EXTSIZE(pointer) >= LEAST_CHUNKS * PGBSON_CHUNK;
}

PgBsonSparse *
PgBsonSparseBegin(const struct varlena *datum)
{
	PgBsonSparse *s = (PgBsonSparse *) palloc0(sizeof(PgBsonSparse));

	s->source.reach = reach;
	VARATT_EXTERNAL_GET_POINTER(s->pointer, datum);
	s->whole = VARATT_EXTERNAL_GET_EXTSIZE(s->pointer);
	s->nchunks = (s->whole - 1) / PGBSON_CHUNK + 1;
	s->filled = palloc0(sizeof(uint64) * (s->nchunks / 64 + 1));
	s->bytes = palloc_extended((Size) s->whole + VARHDRSZ, MCXT_ALLOC_HUGE);
	SET_VARSIZE(s->bytes, s->whole + VARHDRSZ);
	s->ahead = 1;
	return s;
}

void
PgBsonSparseFree(PgBsonSparse *s)
{
	pfree(s->bytes);
	pfree(s->filled);
	pfree(s);
}

uint32
PgBsonSparseReach(PgBsonSparse *s, uint32 upto)
{
	const uint8 *data = (const uint8 *) VARDATA(s->bytes);
	uint32		avail = 0;

	while (avail < Min(upto, s->whole))
		avail = reach(&s->source, data + avail, data + Min(upto, s->whole)) - data;
	return avail;
}

bool
PgBsonSparsePaid(const PgBsonSparse *s, uint32 cost_before)
{
	return s->cost - cost_before <= FIND_CHUNKS + s->nchunks;
}

void
PgBsonSparseRest(PgBsonSparse *s)
{
	if (s->toast != NULL)
		table_close(s->toast, s->release);
	s->toast = NULL;
}
