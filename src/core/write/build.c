/*
 * build.c
 *	  A datum that libbson writes, over a varlena that grows by repalloc.
 *
 * libbson allocates its own struct with malloc.  A builder therefore lives in
 * a memory context of its own, whose reset callback destroys that struct, so
 * an error anywhere between Begin and Finish releases everything.
 */
#include "core/write/build.h"

#include "core/write/from_value.h"
#include "utils/builtins.h"

#define FIRST_SIZE	128			/* bytes */

/*
 * libbson calls this to enlarge its buffer, which is in the varlena.  Raises an error if it cannot,
 * because libbson would abort.
 */
static void *
grow_varlena(void *mem, size_t len, void *ctx)
{
	PgBsonBuilder *b = (PgBsonBuilder *) ctx;

	/* libbson asks for powers of two; a value that needs more than this is too large */
	if (len > (Size) 1 << 30)
		PgBsonReportTooLarge();

	/* libbson begins with 5 bytes and doubles them, so allocate enough for a small document at first */
	if (mem == NULL)
		return (uint8 *) MemoryContextAllocHuge(b->result_context, Max(len + VARHDRSZ, FIRST_SIZE)) + VARHDRSZ;
	return (uint8 *) repalloc_huge((uint8 *) mem - VARHDRSZ, len + VARHDRSZ) + VARHDRSZ;
}

static void
release_builder(void *arg)
{
	PgBsonBuilder *b = (PgBsonBuilder *) arg;

	if (b->doc != NULL)
		LIBBSON->bson_destroy(b->doc);
	b->doc = NULL;
}

PgBsonBuilder *
PgBsonBuilderBegin(void)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "bson builder", ALLOCSET_SMALL_SIZES);
	PgBsonBuilder *b = MemoryContextAllocZero(context, sizeof(PgBsonBuilder));

	b->context = context;
	b->result_context = CurrentMemoryContext;
	b->release.func = release_builder;
	b->release.arg = b;
	MemoryContextRegisterResetCallback(context, &b->release);
	b->doc = LIBBSON->bson_new_from_buffer(&b->buf, &b->buf_len, grow_varlena, b);
	if (b->doc == NULL)
		elog(ERROR, "libbson could not begin a document");
	return b;
}

PgBson *
PgBsonBuilderFinish(PgBsonBuilder *b, bool enveloped)
{
	PgBson	   *result;
	uint32		len = b->doc->len;

	if (len > PGBSON_MAX_SIZE)
		PgBsonReportTooLarge();
	result = (PgBson *) (b->buf - VARHDRSZ);
	SET_VARSIZE(result, len + VARHDRSZ);
	if (!enveloped)
		result = PgBsonEncloseLookalike(result);
	MemoryContextDelete(b->context);
	return result;
}

int
PgBsonBuilderIndex(uint32 index, char *key)
{
	/* libbson would call snprintf for numbers from 1,000 on */
	int			len = pg_ultoa_n(index, key);

	key[len] = '\0';
	return len;
}
