/*
 * server.c
 *	  Thin stand-ins for the server's functions that the extension's inner files call.
 *
 * Each palloc'd chunk is a malloc'd block of its own, so that the sanitizer
 * watches its bounds.  Errors jump as the server's do.  What the server also
 * gives to client programs (its JSON parser, hashes, the digits of doubles)
 * is not stood in for, but linked.  There is no numeric: a call of it raises.
 */
#include "fuzz.h"

#include <sanitizer/asan_interface.h>
#include <setjmp.h>

#include "access/detoast.h"
#include "access/table.h"
#include "access/toast_compression.h"
#include "access/xact.h"
#include "common/jsonapi.h"
#include "core/stored/stream.h"
#include "libraries/libraries.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/numeric.h"
#include "utils/varlena.h"

/* --- memory --- */

typedef struct Chunk
{
	struct Chunk *prev;
	struct Chunk *next;
	Size		size;
	struct Context *context;	/* before the memory, where the server's headers look for it */
} Chunk;

/* What nobody else reads */
#define CHUNK_HEADER	offsetof(Chunk, context)

typedef struct Context
{
	struct Context *parent;
	struct Context *child;		/* first */
	struct Context *sibling;	/* next */
	Chunk		chunks;			/* head of a ring */
	MemoryContextCallback *callbacks;
	Size		allocated;
} Context;

static Context top = {.chunks = {&top.chunks, &top.chunks, 0, &top}};

MemoryContext CurrentMemoryContext = (MemoryContext) &top;
MemoryContext TopTransactionContext = (MemoryContext) &top;
MemoryContext TopMemoryContext = NULL;
int			work_mem = 4096;
double		hash_mem_multiplier = 2;

/* its header is out of bounds, but to us */
static Chunk *
chunk_of(void *pointer)
{
	Chunk	   *chunk = (Chunk *) pointer - 1;

	ASAN_UNPOISON_MEMORY_REGION(chunk, sizeof(Chunk));
	return chunk;
}

static void *
link_chunk(Chunk *chunk, Context *context, Size size)
{
	context->allocated += size;
	chunk->context = context;
	chunk->size = size;
	chunk->prev = &context->chunks;
	chunk->next = context->chunks.next;
	/* neighbours' headers are poisoned too */
	if (chunk->next != &context->chunks)
		ASAN_UNPOISON_MEMORY_REGION(chunk->next, CHUNK_HEADER);
	chunk->next->prev = chunk;
	if (chunk->next != &context->chunks)
		ASAN_POISON_MEMORY_REGION(chunk->next, CHUNK_HEADER);
	context->chunks.next = chunk;
	ASAN_POISON_MEMORY_REGION(chunk, CHUNK_HEADER);
	return chunk + 1;
}

static void
unlink_chunk(Chunk *chunk)
{
	Chunk	   *head = &chunk->context->chunks;

	chunk->context->allocated -= chunk->size;
	if (chunk->prev != head)
		ASAN_UNPOISON_MEMORY_REGION(chunk->prev, CHUNK_HEADER);
	if (chunk->next != head)
		ASAN_UNPOISON_MEMORY_REGION(chunk->next, CHUNK_HEADER);
	chunk->prev->next = chunk->next;
	chunk->next->prev = chunk->prev;
	if (chunk->prev != head)
		ASAN_POISON_MEMORY_REGION(chunk->prev, CHUNK_HEADER);
	if (chunk->next != head)
		ASAN_POISON_MEMORY_REGION(chunk->next, CHUNK_HEADER);
}

static void *
allocate(Context *context, Size size, int flags)
{
	Chunk	   *chunk;

	if (size > ((flags & MCXT_ALLOC_HUGE) ? MaxAllocHugeSize : MaxAllocSize))
		FuzzFail("invalid memory alloc request size %zu", size);
	chunk = malloc(sizeof(Chunk) + size);
	if (chunk == NULL)
		FuzzFail("out of memory for %zu bytes", size);
	/* what was palloc'd has any content */
	memset(chunk + 1, (flags & MCXT_ALLOC_ZERO) ? 0 : 0x7f, size);
	return link_chunk(chunk, context, size);
}

void *
MemoryContextAllocExtended(MemoryContext context, Size size, int flags)
{
	return allocate((Context *) context, size, flags);
}

void *
MemoryContextAlloc(MemoryContext context, Size size)
{
	return allocate((Context *) context, size, 0);
}

void *
MemoryContextAllocZero(MemoryContext context, Size size)
{
	return allocate((Context *) context, size, MCXT_ALLOC_ZERO);
}

void *
MemoryContextAllocHuge(MemoryContext context, Size size)
{
	return allocate((Context *) context, size, MCXT_ALLOC_HUGE);
}

void *
palloc(Size size)
{
	return MemoryContextAlloc(CurrentMemoryContext, size);
}

void *
palloc0(Size size)
{
	return MemoryContextAllocZero(CurrentMemoryContext, size);
}

void *
palloc_extended(Size size, int flags)
{
	return MemoryContextAllocExtended(CurrentMemoryContext, size, flags);
}

void *
palloc_mul(Size s1, Size s2)
{
	return palloc(s1 * s2);
}

void *
palloc0_mul(Size s1, Size s2)
{
	return palloc0(s1 * s2);
}

void
pfree(void *pointer)
{
	Chunk	   *chunk = chunk_of(pointer);

	unlink_chunk(chunk);
	free(chunk);
}

void *
repalloc_huge(void *pointer, Size size)
{
	Chunk	   *chunk = chunk_of(pointer);
	Size		old = chunk->size;
	void	   *result = allocate(chunk->context, size, MCXT_ALLOC_HUGE);

	memcpy(result, pointer, Min(old, size));
	pfree(pointer);
	return result;
}

void *
repalloc(void *pointer, Size size)
{
	if (size > MaxAllocSize)
		FuzzFail("invalid memory alloc request size %zu", size);
	return repalloc_huge(pointer, size);
}

char *
pnstrdup(const char *in, Size len)
{
	char	   *result;

	len = strnlen(in, len);
	result = palloc(len + 1);
	memcpy(result, in, len);
	result[len] = '\0';
	return result;
}

char *
pstrdup(const char *in)
{
	return pnstrdup(in, strlen(in));
}

MemoryContext
AllocSetContextCreateInternal(MemoryContext parent, const char *name,
							  Size minContextSize, Size initBlockSize, Size maxBlockSize)
{
	Context    *context = calloc(1, sizeof(Context));

	context->parent = (Context *) parent;
	/* the top context has no stand-in: what is below it stays until the end */
	if (context->parent != NULL)
	{
		context->sibling = context->parent->child;
		context->parent->child = context;
	}
	context->chunks.next = context->chunks.prev = &context->chunks;
	return (MemoryContext) context;
}

void
MemoryContextRegisterResetCallback(MemoryContext context, MemoryContextCallback *cb)
{
	cb->next = ((Context *) context)->callbacks;
	((Context *) context)->callbacks = cb;
}

Size
MemoryContextMemAllocated(MemoryContext context, bool recurse)
{
	Context    *c = (Context *) context;
	Size		size = c->allocated;

	for (Context *child = c->child; recurse && child != NULL; child = child->sibling)
		size += MemoryContextMemAllocated((MemoryContext) child, true);
	return size;
}

static void
empty_context(Context *context)
{
	while (context->child != NULL)
		MemoryContextDelete((MemoryContext) context->child);
	while (context->callbacks != NULL)
	{
		MemoryContextCallback *cb = context->callbacks;

		context->callbacks = cb->next;
		cb->func(cb->arg);
	}
	while (context->chunks.next != &context->chunks)
		pfree(context->chunks.next + 1);
}

void
MemoryContextReset(MemoryContext context)
{
	empty_context((Context *) context);
}

void
MemoryContextDelete(MemoryContext memory)
{
	Context    *context = (Context *) memory;
	Context   **link = &context->parent->child;

	empty_context(context);
	while (*link != context)
		link = &(*link)->sibling;
	*link = context->sibling;
	free(context);
}

void
FuzzReset(void)
{
	CurrentMemoryContext = (MemoryContext) &top;
	empty_context(&top);
}

/* --- errors --- */

sigjmp_buf *PG_exception_stack = NULL;
ErrorContextCallback *error_context_stack = NULL;
int			fuzz_sqlstate;
static int	error_level;

void
FuzzFail(const char *format,...)
{
	va_list		args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

bool
errstart(int elevel, const char *domain)
{
	error_level = elevel;
	fuzz_sqlstate = ERRCODE_INTERNAL_ERROR;
	return elevel >= ERROR;
}

bool
errstart_cold(int elevel, const char *domain)
{
	return errstart(elevel, domain);
}

void
errfinish(const char *filename, int lineno, const char *funcname)
{
	if (error_level < ERROR)
		return;
	for (ErrorContextCallback *c = error_context_stack; c != NULL; c = c->previous)
		c->callback(c->arg);
	if (fuzz_sqlstate == ERRCODE_INTERNAL_ERROR)
		FuzzFail("%s:%d: an error that cannot happen", filename, lineno);
	pg_re_throw();
}

void
pg_re_throw(void)
{
	if (PG_exception_stack == NULL)
		FuzzFail("an error outside of FuzzTry");
	siglongjmp(*PG_exception_stack, 1);
}

int
errcode(int sqlerrcode)
{
	fuzz_sqlstate = sqlerrcode;
	return 0;
}

/* Nobody reads the message, but its arguments must be there to be read */
#define FORMAT \
	do { \
		char		text[4096]; \
		va_list		args; \
		va_start(args, fmt); \
		vsnprintf(text, sizeof(text), fmt, args); \
		va_end(args); \
		if (pg_encoding_verifymbstr(PG_UTF8, text, strlen(text)) != strlen(text)) \
			FuzzFail("not UTF-8 in a message: %s", text); \
		return 0; \
	} while (0)

int
errmsg(const char *fmt,...)
{
	FORMAT;
}

int
errmsg_internal(const char *fmt,...)
{
	FORMAT;
}

int
errdetail(const char *fmt,...)
{
	FORMAT;
}

int
errdetail_internal(const char *fmt,...)
{
	FORMAT;
}

int
geterrcode(void)
{
	return 0;
}

int
errhint(const char *fmt,...)
{
	FORMAT;
}

int
errcontext_msg(const char *fmt,...)
{
	FORMAT;
}

int
set_errcontext_domain(const char *domain)
{
	return 0;
}

#if PG_VERSION_NUM >= 160000
/* no target asks for soft errors, so these are hard */
bool
errsave_start(struct Node *context, const char *domain)
{
	return errstart(ERROR, domain);
}

void
errsave_finish(struct Node *context, const char *filename, int lineno, const char *funcname)
{
	errfinish(filename, lineno, funcname);
}
#endif

bool
FuzzTry(FuzzCall call, void *arg)
{
	sigjmp_buf	here;
	sigjmp_buf *outer = PG_exception_stack;
	ErrorContextCallback *contexts = error_context_stack;
	MemoryContext context = CurrentMemoryContext;
	bool		returned = false;

	if (sigsetjmp(here, 0) == 0)
	{
		PG_exception_stack = &here;
		call(arg);
		returned = true;
	}
	PG_exception_stack = outer;
	error_context_stack = contexts;
	CurrentMemoryContext = context;
	return returned;
}

bool
FuzzTryValid(FuzzCall call, void *arg)
{
	bool		done = FuzzTry(call, arg);

	if (!done && fuzz_sqlstate == ERRCODE_DATA_CORRUPTED)
		FuzzFail("a valid document is called damaged");
	return done;
}

/* --- the backend, its encoding, and small things of it --- */

volatile sig_atomic_t InterruptPending = false;
volatile uint32 InterruptHoldoffCount = 0;
volatile uint32 QueryCancelHoldoffCount = 0;
volatile uint32 CritSectionCount = 0;

void
ProcessInterrupts(void)
{
}

/* inputs are short, so the sanitizer's own check is enough */
void
check_stack_depth(void)
{
}

bool
pg_strong_random(void *buf, size_t len)
{
	memset(buf, 42, len);
	return true;
}

TimestampTz
GetCurrentTimestamp(void)
{
	return 42;
}

int
GetDatabaseEncoding(void)
{
	return PG_UTF8;
}

bool
pg_verify_mbstr(int encoding, const char *mbstr, int len, bool noError)
{
	return pg_encoding_verifymbstr(encoding, mbstr, len) == len;
}

static char *
verify(const char *s, int len)
{
	if (pg_encoding_verifymbstr(PG_UTF8, s, len) != len)
		ereport(ERROR, (errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE), errmsg("not UTF-8")));
	return unconstify(char *, s);
}

char *
pg_any_to_server(const char *s, int len, int encoding)
{
	return verify(s, len);
}

char *
pg_server_to_any(const char *s, int len, int encoding)
{
	return unconstify(char *, s);
}

unsigned char *
pg_do_encoding_conversion(unsigned char *src, int len, int src_encoding, int dest_encoding)
{
	return src;
}

int
pg_do_encoding_conversion_buf(Oid proc, int src_encoding, int dest_encoding, unsigned char *src, int srclen,
							  unsigned char *dest, int destlen, bool noError)
{
	FuzzFail("conversion in a UTF-8 database");
}

Oid
FindDefaultConversionProc(int32 for_encoding, int32 to_encoding)
{
	return InvalidOid;
}

int
pg_encoding_mbcliplen(int encoding, const char *mbstr, int len, int limit)
{
	int			clip = 0;

	while (len > 0 && *mbstr)
	{
		int			l = pg_encoding_mblen(encoding, mbstr);

		if (clip + l > limit)
			break;
		clip += l;
		len -= l;
		mbstr += l;
	}
	return clip;
}

int
pg_ultoa_n(uint32 value, char *a)
{
	char		digits[16];
	int			len = sprintf(digits, "%u", value);

	memcpy(a, digits, len);
	return len;
}

int
pg_ulltoa_n(uint64 value, char *a)
{
	char		digits[32];
	int			len = sprintf(digits, UINT64_FORMAT, value);

	memcpy(a, digits, len);
	return len;
}

int
pg_ltoa(int32 value, char *a)
{
	return sprintf(a, "%d", value);
}

int
pg_lltoa(int64 value, char *a)
{
	return sprintf(a, INT64_FORMAT, value);
}

char *
pg_ultostr(char *str, uint32 value)
{
	return str + pg_ultoa_n(value, str);
}

char *
pg_ultostr_zeropad(char *str, uint32 value, int32 minwidth)
{
	char		digits[32];
	int			len = sprintf(digits, "%0*u", minwidth, value);

	memcpy(str, digits, len);
	return str + len;
}

uint64
hex_encode(const char *src, size_t len, char *dst)
{
	for (size_t i = 0; i < len; i++)
	{
		*dst++ = "0123456789abcdef"[(uint8) src[i] >> 4];
		*dst++ = "0123456789abcdef"[src[i] & 15];
	}
	return len * 2;
}

text *
cstring_to_text_with_len(const char *s, int len)
{
	text	   *result = palloc(len + VARHDRSZ);

	SET_VARSIZE(result, len + VARHDRSZ);
	memcpy(VARDATA(result), s, len);
	return result;
}

/* a client's JSON parser has no words for its errors */
char *
json_errdetail(JsonParseErrorType error, JsonLexContext *lex)
{
	return pstrdup("The input is not JSON.");
}

/* nothing is toasted here */
struct varlena *
pg_detoast_datum(struct varlena *datum)
{
	return datum;
}

struct varlena *
pg_detoast_datum_packed(struct varlena *datum)
{
	return datum;
}

struct varlena *
detoast_attr(struct varlena *attr)
{
	FuzzFail("a toasted value");
}

struct varlena *
detoast_attr_slice(struct varlena *attr, int32 sliceoffset, int32 slicelength)
{
	FuzzFail("a toasted value");
}

struct varlena *
pg_detoast_datum_copy(struct varlena *datum)
{
	return memcpy(palloc(VARSIZE_ANY(datum)), datum, VARSIZE_ANY(datum));
}

struct varlena *
lz4_decompress_datum(const struct varlena *value)
{
	FuzzFail("a toasted value");
}

struct varlena *
lz4_decompress_datum_slice(const struct varlena *value, int32 slicelength)
{
	FuzzFail("a toasted value");
}

Relation
PgBsonOpenToast(Oid toast, LOCKMODE *release)
{
	FuzzFail("a toasted value");
}

void
PgBsonReadChunks(Relation toast, const struct varatt_external *pointer, uint32 first, uint32 len, void *into)
{
	FuzzFail("a toasted value");
}

void
table_close(Relation relation, LOCKMODE lockmode)
{
	FuzzFail("a toasted value");
}

Size
toast_raw_datum_size(Datum value)
{
	FuzzFail("a toasted value");
}

void
RegisterSubXactCallback(SubXactCallback callback, void *arg)
{
}

static void
no_numeric(void)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("no numeric here")));
}

Numeric
int64_to_numeric(int64 val)
{
	no_numeric();
	return NULL;
}

Numeric
int64_div_fast_to_numeric(int64 val1, int log10val2)
{
	no_numeric();
	return NULL;
}

bool
numeric_is_nan(Numeric num)
{
	no_numeric();
	return false;
}

bool
numeric_is_inf(Numeric num)
{
	no_numeric();
	return false;
}

/* never called, as DirectFunctionCall raises */
#define STAND_IN(name)	Datum name(PG_FUNCTION_ARGS) { return (Datum) 0; }

STAND_IN(numeric_in)
STAND_IN(numeric_out)
STAND_IN(numeric_add)
STAND_IN(numeric_mul)
STAND_IN(numeric_sub)
STAND_IN(numeric_sqrt)
STAND_IN(numeric_exp)
STAND_IN(numeric_ln)
STAND_IN(numeric_log)
STAND_IN(numeric_round)
STAND_IN(uuid_out)
STAND_IN(int8_numeric)
STAND_IN(numeric_float8_no_overflow)
STAND_IN(hashtextextended)

bool
get_collation_isdeterministic(Oid colloid)
{
	FuzzFail("get_collation_isdeterministic was called");
	return true;
}

/* nor this, as no call has a collation */
int
varstr_cmp(const char *arg1, int len1, const char *arg2, int len2, Oid collid)
{
	FuzzFail("varstr_cmp was called");
	return 0;
}

Datum
DirectFunctionCall2Coll(PGFunction func, Oid collation, Datum arg1, Datum arg2)
{
	no_numeric();
	return (Datum) 0;
}

Datum
DirectFunctionCall1Coll(PGFunction func, Oid collation, Datum arg1)
{
	no_numeric();
	return (Datum) 0;
}

Datum
DirectFunctionCall3Coll(PGFunction func, Oid collation, Datum arg1, Datum arg2, Datum arg3)
{
	no_numeric();
	return (Datum) 0;
}

/* --- dates --- */

/* There are no time zones but offsets */
pg_tz *
pg_tzset(const char *tzname)
{
	return NULL;
}

const char *
pg_get_timezone_name(pg_tz *tz)
{
	return "";
}

struct pg_tm *
pg_localtime(const pg_time_t *timep, const pg_tz *tz)
{
	return NULL;
}

const int	day_tab[2][13] = {
	{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0},
	{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0}
};

/*
 * Year, month and day of a day counted from 1970-01-01, proleptic Gregorian;
 * the year is astronomical (0 is 1 BC).  Years are counted from March, so
 * that the leap day is a year's last; 146097 days are 400 years.
 */
static void
civil_date(int64 day, int64 *year, uint32 *month, uint32 *mday)
{
	int64		era;
	uint32		day_of_era;
	uint32		year_of_era;
	uint32		day_of_year;
	uint32		march_month;

	day += 719468;				/* from 0000-03-01 */
	era = (day >= 0 ? day : day - 146096) / 146097;
	day_of_era = (uint32) (day - era * 146097);
	year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 -
				   day_of_era / 146096) / 365;
	day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	/* months from March have 31, 30, 31, 30, 31 days, again and again: 153 in five */
	march_month = (5 * day_of_year + 2) / 153;
	*mday = day_of_year - (153 * march_month + 2) / 5 + 1;
	*month = march_month < 10 ? march_month + 3 : march_month - 9;
	*year = era * 400 + year_of_era + (*month <= 2 ? 1 : 0);
}

void
j2date(int jd, int *year, int *month, int *day)
{
	int64		y;
	uint32		m;
	uint32		d;

	civil_date(jd - UNIX_EPOCH_JDATE, &y, &m, &d);
	*year = (int) y;
	*month = (int) m;
	*day = (int) d;
}

int
date2j(int year, int month, int day)
{
	/* leap days of the years before this one; year 0 is one of them */
	int			before = year == 0 ? 0 : (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1;
	int			days = year * 365 + before - 719528 + day - 1;

	for (int m = 1; m < month; m++)
		days += day_tab[isleap(year)][m - 1];
	return days + UNIX_EPOCH_JDATE;
}

/* --- modules --- */

/* which is linked with the target */
extern const PgBsonLibraries *PGBSON_LIBRARIES(void);

void *
load_external_function(const char *filename, const char *funcname, bool signalNotFound, void **filehandle)
{
	return (void *) PGBSON_LIBRARIES;
}

/* --- lists --- */

static List *
new_list(int length, ListCell first, ListCell second)
{
	List	   *list = palloc(sizeof(List));

	list->type = T_List;
	list->length = length;
	list->max_length = 2;
	list->elements = palloc(sizeof(ListCell) * list->max_length);
	list->elements[0] = first;
	list->elements[1] = second;
	return list;
}

void
list_free(List *list)
{
	if (list == NIL)
		return;
	pfree(list->elements);
	pfree(list);
}

List *
list_make1_impl(NodeTag type, ListCell first)
{
	return new_list(1, first, first);
}

List *
list_make2_impl(NodeTag type, ListCell first, ListCell second)
{
	return new_list(2, first, second);
}

List *
lappend(List *list, void *datum)
{
	ListCell	cell = {.ptr_value = datum};

	if (list == NIL)
		return list_make1_impl(T_List, cell);
	if (list->length == list->max_length)
	{
		list->max_length *= 2;
		list->elements = repalloc(list->elements, sizeof(ListCell) * list->max_length);
	}
	list->elements[list->length++] = cell;
	return list;
}

List *
list_concat(List *first, const List *second)
{
	ListCell   *lc;

	foreach(lc, second)
		first = lappend(first, lfirst(lc));
	return first;
}
