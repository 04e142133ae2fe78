/*
 * pglz.c
 *	  Compressed bytes: what the server compressed comes back, whole and in front; of any others, nothing but what the server says.
 */
#include "fuzz.h"

#include "common/pg_lzcompress.h"
#include "core/stored/pglz.h"

/* Decompress from a block that ends with the stream to one that ends with the room; NULL if it is damaged */
static uint8 *
decompress(const uint8 *stream, uint32 len, uint32 want, bool all)
{
	uint8	   *source = memcpy(palloc(len), stream, len);
	uint8	   *result = palloc(want + PGBSON_PGLZ_ROOM);

	return PgBsonPglzDecompress(source, len, result, want, all) ? result : NULL;
}

static void
compressed(const uint8 *data, uint32 size, uint32 want)
{
	uint8	   *stream = palloc(PGLZ_MAX_OUTPUT(size));
	int32		len = pglz_compress((const char *) data, size, (char *) stream, PGLZ_strategy_always);
	uint8	   *result;

	if (len < 0)
		return;					/* too little of it */
	result = decompress(stream, len, size, true);
	FuzzCheck(result != NULL && memcmp(result, data, size) == 0);

	want = want % (size + 1);
	result = decompress(stream, pglz_maximum_compressed_size(want, len), want, false);
	FuzzCheck(result != NULL && memcmp(result, data, want) == 0);
}

static void
any(const uint8 *stream, uint32 len, uint32 want, bool all)
{
	uint8	   *result = decompress(stream, len, want, all);
	uint8	   *server = palloc(want + 1);

	if (result != NULL)
	{
		FuzzCheck(pglz_decompress((const char *) stream, len, (char *) server, want, all) == want);
		FuzzCheck(memcmp(result, server, want) == 0);
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
		any(in.p, in.end - in.p, want, how & 2);
	FuzzReset();
	return 0;
}
