/*
 * pglz.c
 *	  Compressed bytes: what the server compressed comes back, in one part or two; of any others, nothing but what the server says.
 */
#include "fuzz.h"

#include "common/pg_lzcompress.h"
#include "core/stored/stream.h"

/*
 * Decompress from a block that ends with the stream to one that ends with the room, in two parts, of which the first knows
 * "seen" bytes of the stream; NULL if it is damaged
 */
static uint8 *
decompress(const uint8 *stream, uint32 len, uint32 seen, uint32 want, uint32 whole)
{
	uint8	   *part = memcpy(palloc(Max(seen, 1)), stream, seen);
	uint8	   *source = memcpy(palloc(Max(len, 1)), stream, len);
	uint8	   *result = palloc(whole + PGBSON_PGLZ_ROOM);
	PgBsonPglz	state = {part, result, 0};

	if (!PgBsonPglzDecompress(&state, part + seen, seen == len, want, whole))
		return NULL;
	FuzzCheck(state.done <= whole && (seen < len || state.done >= want));
	state.source = source + (state.source - part);
	return PgBsonPglzDecompress(&state, source + len, true, whole, whole) ? result : NULL;
}

static void
compressed(const uint8 *data, uint32 size, uint32 want)
{
	uint8	   *stream = palloc(PGLZ_MAX_OUTPUT(size));
	int32		len = pglz_compress((const char *) data, size, (char *) stream, PGLZ_strategy_always);
	uint8	   *result;

	if (len < 0)
		return;					/* too little of it */
	result = decompress(stream, len, len, size, size);
	FuzzCheck(result != NULL && memcmp(result, data, size) == 0);

	want = want % (size + 1);
	result = decompress(stream, len, want % (len + 1), want, size);
	FuzzCheck(result != NULL && memcmp(result, data, size) == 0);
}

static void
any(const uint8 *stream, uint32 len, uint32 whole)
{
	uint8	   *result = decompress(stream, len, whole % (len + 1), whole / 2, whole);
	uint8	   *server = palloc(whole + 1);

	if (result != NULL)
	{
		FuzzCheck(pglz_decompress((const char *) stream, len, (char *) server, whole, true) == whole);
		FuzzCheck(memcmp(result, server, whole) == 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput	in = {data, data + size};
	uint8		how = FuzzByte(&in);
	uint32		want = FuzzByte(&in) << 8;

	want |= FuzzByte(&in);
	if (how & 1)
		compressed(in.p, in.end - in.p, want);
	else
		any(in.p, in.end - in.p, want);
	FuzzReset();
	return 0;
}
