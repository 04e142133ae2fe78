/*
 * build.c
 *	  Making a whole document with libbson, over a varlena that grows by repalloc.
 *
 * libbson allocates its own struct with malloc.  A builder therefore lives in
 * a memory context of its own, whose reset callback destroys that struct, so
 * an error anywhere between Begin and Finish releases everything.
 *
 * Some of libbson's append calls change what they are given: a regular
 * expression's options are sorted, and a code with an empty scope loses it.  So
 * values of rarer types are added as bytes, by bson_concat.
 */
#include "core/write/build.h"

#include "core/write/from_value.h"
#include "libraries/libbson.h"
#include "utils/builtins.h"

/* A document or array being built */
typedef struct BuilderFrame
{
	struct BuilderFrame *outer; /* NULL: this is the stored document */
	struct BuilderFrame *inner; /* made when it is first needed, and then kept */
	bson_t	   *doc;			/* aligned by hand, see open_frame */
	bool		is_array;
	uint32		count;			/* elements so far */
} BuilderFrame;

#define FIRST_SIZE	128			/* bytes */

struct PgBsonBuilder
{
	MemoryContext context;		/* of the builder; a child of the caller's */
	MemoryContext result_context;
	MemoryContextCallback release;
	bson_t	   *root;			/* malloc'd by libbson */
	uint8	   *buf;			/* the document inside the varlena */
	size_t		buf_len;		/* bytes libbson may use at buf */
	const char *key;			/* of the next value */
	uint32		key_len;
	int			depth;			/* open containers; 0 before the root and after it */
	bool		enveloped;		/* the root is not a document */
	bool		done;			/* the root is complete */
	BuilderFrame stored;		/* the stored document */
	BuilderFrame *top;			/* what elements are appended to */
};

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

	if (b->root != NULL)
		LIBBSON->bson_destroy(b->root);
	b->root = NULL;
}

PgBsonBuilder *
PgBsonBuilderBegin(void)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "bson builder",
												  ALLOCSET_DEFAULT_SIZES);
	PgBsonBuilder *b = MemoryContextAllocZero(context, sizeof(PgBsonBuilder));

	b->context = context;
	b->result_context = CurrentMemoryContext;
	b->release.func = release_builder;
	b->release.arg = b;
	MemoryContextRegisterResetCallback(context, &b->release);
	b->root = LIBBSON->bson_new_from_buffer(&b->buf, &b->buf_len, grow_varlena, b);
	if (b->root == NULL)
		elog(ERROR, "libbson could not begin a document");
	b->key = "";
	b->stored.doc = b->root;
	b->top = &b->stored;
	return b;
}

PgBson *
PgBsonBuilderFinish(PgBsonBuilder *b)
{
	PgBson	   *result;
	uint32		len = b->root->len;

	Assert(b->done && b->depth == 0);
	if (len > PGBSON_MAX_SIZE)
		PgBsonReportTooLarge();
	result = (PgBson *) (b->buf - VARHDRSZ);
	SET_VARSIZE(result, len + VARHDRSZ);
	if (!b->enveloped)
		result = PgBsonEncloseLookalike(result);
	MemoryContextDelete(b->context);
	return result;
}

/* Call this after an element was appended by libbson; "ok" is what libbson returned */
static void
appended(PgBsonBuilder *b, bool ok)
{
	if (!ok || b->root->len > PGBSON_MAX_SIZE)
		PgBsonReportTooLarge();
	if (b->depth == 0)
		b->done = true;
}

void
PgBsonBuilderKey(PgBsonBuilder *b, const char *key, uint32 len)
{
	b->key = key;
	b->key_len = len;
}

/*
 * The document that the next element is appended to.  *key is the element's
 * key: the one that was given; in an array the next number, which is written to
 * "numbuf"; or, for a root that is put into an envelope, an empty one.
 */
static bson_t *
next_slot(PgBsonBuilder *b, const char **key, int *key_len, char *numbuf)
{
	BuilderFrame *frame = b->top;

	if (b->depth == 0)
	{
		Assert(!b->done);
		b->enveloped = true;
		if (!LIBBSON->bson_append_minkey(b->root, "", 0))
			PgBsonReportTooLarge();
		*key = "";
		*key_len = 0;
		return b->root;
	}

	if (frame->is_array)
	{
		/* libbson would call snprintf for numbers from 1,000 on */
		*key_len = pg_ultoa_n(frame->count++, numbuf);
		numbuf[*key_len] = '\0';
		*key = numbuf;
	}
	else
	{
		*key = b->key;
		*key_len = b->key_len;
	}
	return frame->doc;
}

/* How many stored documents and arrays will be around the next element, an envelope among them */
static int
levels(PgBsonBuilder *b)
{
	return b->depth == 0 ? 1 : b->depth + (b->enveloped ? 1 : 0);
}

/* Enter the frame below the top one.  Its bson_t is aligned as libbson demands; palloc aligns less. */
static void
open_frame(PgBsonBuilder *b, bool is_array)
{
	BuilderFrame *frame = b->top->inner;

	if (frame == NULL)
	{
		frame = MemoryContextAllocZero(b->context, sizeof(BuilderFrame));
		frame->doc = (bson_t *) TYPEALIGN(128, MemoryContextAlloc(b->context, sizeof(bson_t) + 128));
		frame->outer = b->top;
		b->top->inner = frame;
	}
	frame->is_array = is_array;
	frame->count = 0;
	b->top = frame;
	b->depth++;
}

static void
open_container(PgBsonBuilder *b, bool is_array)
{
	char		numbuf[16];
	const char *key;
	int			key_len;
	bson_t	   *parent;
	bool		ok;

	if (b->depth == 0 && !is_array)
	{
		/* the root document is the stored document */
		Assert(!b->done);
		b->depth = 1;
		return;
	}

	if (levels(b) >= PGBSON_MAX_DEPTH)
		PgBsonReportTooDeep();

	parent = next_slot(b, &key, &key_len, numbuf);
	open_frame(b, is_array);
	if (is_array)
		ok = LIBBSON->bson_append_array_unsafe_begin(parent, key, key_len, b->top->doc);
	else
		ok = LIBBSON->bson_append_document_begin(parent, key, key_len, b->top->doc);
	if (!ok)
		PgBsonReportTooLarge();
}

void
PgBsonBuilderOpenDocument(PgBsonBuilder *b)
{
	open_container(b, false);
}

void
PgBsonBuilderOpenArray(PgBsonBuilder *b)
{
	open_container(b, true);
}

void
PgBsonBuilderClose(PgBsonBuilder *b)
{
	BuilderFrame *frame = b->top;
	bool		ok = true;

	Assert(b->depth > 0);
	b->depth--;
	if (frame->outer != NULL)
	{
		b->top = frame->outer;
		if (frame->is_array)
			ok = LIBBSON->bson_append_array_end(b->top->doc, frame->doc);
		else
			ok = LIBBSON->bson_append_document_end(b->top->doc, frame->doc);
	}
	appended(b, ok);
}

/* Append an element by one of libbson's functions; the expression "call" uses the variables doc, key and key_len */
#define APPEND(b, call) \
	do { \
		char		numbuf[16]; \
		const char *key; \
		int			key_len; \
		bson_t	   *doc = next_slot(b, &key, &key_len, numbuf); \
		appended(b, call); \
	} while (0)

void
PgBsonBuilderNull(PgBsonBuilder *b)
{
	APPEND(b, LIBBSON->bson_append_null(doc, key, key_len));
}

void
PgBsonBuilderBool(PgBsonBuilder *b, bool v)
{
	APPEND(b, LIBBSON->bson_append_bool(doc, key, key_len, v));
}

void
PgBsonBuilderInt32(PgBsonBuilder *b, int32 v)
{
	APPEND(b, LIBBSON->bson_append_int32(doc, key, key_len, v));
}

void
PgBsonBuilderInt64(PgBsonBuilder *b, int64 v)
{
	APPEND(b, LIBBSON->bson_append_int64(doc, key, key_len, v));
}

void
PgBsonBuilderDouble(PgBsonBuilder *b, double v)
{
	APPEND(b, LIBBSON->bson_append_double(doc, key, key_len, v));
}

void
PgBsonBuilderString(PgBsonBuilder *b, const char *s, uint32 len)
{
	APPEND(b, LIBBSON->bson_append_utf8(doc, key, key_len, s, len));
}

/* Append an element byte by byte as it is: bson_concat copies the elements of a document, which has only this one */
static bool
append_raw(bson_t *doc, const char *key, int key_len, const PgBsonValue *value)
{
	PgBsonValue pair = PgBsonMakePair(key, key_len, value);
	bson_t		one;
	bool		ok = LIBBSON->bson_init_static(&one, pair.data, pair.len) && LIBBSON->bson_concat(doc, &one);

	pfree(unconstify(uint8 *, pair.data));
	return ok;
}

void
PgBsonBuilderValue(PgBsonBuilder *b, const PgBsonValue *value)
{
	PgBsonCheckDepth(value, levels(b));
	APPEND(b, append_raw(doc, key, key_len, value));
}
