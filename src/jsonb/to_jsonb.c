/*
 * to_jsonb.c
 *	  bson to jsonb, value by value.
 *
 * The datum is written in one pass, in the format that utils/jsonb.h
 * describes.  The server's way, a tree of all values whose objects are sorted
 * by qsort, takes three times as long.
 *
 * A value that has no JSON syntax becomes the wrapper object of relaxed
 * Extended JSON. from_jsonb.c has the way back.
 */
#include "jsonb/to_jsonb.h"

#include <math.h>

#include "common/base64.h"
#include "core/number.h"
#include "core/number_text.h"
#include "core/recode.h"
#include "core/write.h"
#include "json/extjson.h"
#include "json/print.h"
#include "json/spell.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

/*
 * The server's limits, which are lower than the format's because the server
 * must be able to hold all of them in memory
 */
#define MAX_PAIRS		(MaxAllocSize / sizeof(JsonbPair))
#define MAX_ELEMENTS	(MaxAllocSize / sizeof(JsonbValue))

/* An element of a document or array: its sort key and its place */
typedef struct Member
{
	uint64		rank;			/* see rank_of */
	const char *key;			/* in the server's encoding */
	uint32		key_len;
	uint32		order;			/* among the document's elements */
	PgBsonValue value;
} Member;

/* A container being written, as utils/jsonb.h describes it: its entries come before its data */
typedef struct Frame
{
	struct Frame *outer;
	Size		entries;		/* where the next child's entry goes */
	Size		data;			/* where the data begins */
	uint32		count;			/* children so far; of an object first all keys, then all values */
	uint32		end;			/* of the last child, in the data */
} Frame;

/* This many members need no memory of their own */
#define FEW_MEMBERS		64

/* A jsonb datum being made */
typedef struct Writer
{
	PgBsonWriter out;			/* a varlena like any other */
	Frame	   *frame;			/* the innermost */
	bool		recodes;		/* the server's encoding is not UTF-8 */
	Member	   *members;		/* of all open containers, those of the innermost last */
	uint32		count;
	uint32		room;
	Member		few[FEW_MEMBERS];
} Writer;


/* Format ----------------------------------------------------------------------- */

static void
report_too_large(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("bson document is too large for type %s", "jsonb"),
			 errdetail("An object or array of jsonb holds at most %u bytes, and %zu pairs or %zu elements.",
					   JENTRY_OFFLENMASK, MAX_PAIRS, MAX_ELEMENTS)));
}

/* Numbers and containers begin at a multiple of four; the padding before them counts as theirs */
static inline void
align(PgBsonWriter *out)
{
	Size		gap = INTALIGN(out->len) - out->len;

	if (gap > 0)
		memset(PgBsonWriterRoom(out, gap), 0, gap);
}

/* After the next child's data is written, store its type, and its length or, at every few children, its end */
static inline void
end_child(Writer *w, JEntry type)
{
	Frame	   *frame = w->frame;
	Size		end = w->out.len - frame->data;
	JEntry		entry;

	if (unlikely(end > JENTRY_OFFLENMASK))
		report_too_large();
	if (frame->count++ % JB_OFFSET_STRIDE == 0)
		entry = type | JENTRY_HAS_OFF | (JEntry) end;
	else
		entry = type | (JEntry) (end - frame->end);
	memcpy(w->out.data + frame->entries, &entry, sizeof(entry));
	frame->entries += sizeof(entry);
	frame->end = end;
}

/*
 * Begin a container. "flags" are those of its header; "children" many children
 * follow, and for an object the keys come first, in jsonb's order
 */
static void
open_container(Writer *w, Frame *frame, uint32 flags, uint32 children)
{
	uint32		header = flags | (flags & JB_FOBJECT ? children / 2 : children);

	if (children > (flags & JB_FOBJECT ? MAX_PAIRS * 2 : MAX_ELEMENTS))
		report_too_large();
	align(&w->out);
	PgBsonWriterBytes(&w->out, &header, sizeof(header));
	frame->outer = w->frame;
	frame->entries = w->out.len;
	(void) PgBsonWriterRoom(&w->out, children * sizeof(JEntry));
	frame->data = w->out.len;
	frame->count = 0;
	frame->end = 0;
	w->frame = frame;
}

static void
close_container(Writer *w)
{
	w->frame = w->frame->outer;
	if (w->frame != NULL)
		end_child(w, JENTRY_ISCONTAINER);
}


/* Scalars ---------------------------------------------------------------------- */

/* A key, or a string of ASCII characters */
static inline void
put_text(Writer *w, const char *s, uint32 len)
{
	PgBsonWriterBytes(&w->out, s, len);
	end_child(w, JENTRY_ISSTRING);
}

static inline void
put_key(Writer *w, const char *key)
{
	put_text(w, key, strlen(key));
}

/* UTF-8 */
static inline void
put_string(Writer *w, const char *s, uint32 len)
{
	s = PgBsonToServerText(s, &len);
	put_text(w, s, len);
}

static void
put_numeric(Writer *w, Numeric num)
{
	align(&w->out);
	PgBsonWriterBytes(&w->out, num, VARSIZE(num));
	end_child(w, JENTRY_ISNUMERIC);
	pfree(num);
}

/* {"key": "s"}; s as in put_string */
static void
put_wrapped(Writer *w, const char *key, const char *s, uint32 len)
{
	Frame		frame;

	open_container(w, &frame, JB_FOBJECT, 2);
	put_key(w, key);
	put_string(w, s, len);
	close_container(w);
}

/*
 * A double has a decimal point in jsonb, even if its value is an integer.
 * This distinguishes it from an integer, so that it comes back as a double.
 */
static void
put_double(Writer *w, const PgBsonValue *value)
{
	double		d = PgBsonReadDouble(value->data);
	char		text[PGBSON_SPELL_SIZE];

	if (isnan(d) || isinf(d))
		put_wrapped(w, PGBSON_DOLLAR_NUMBER_DOUBLE, text, PgBsonDoubleToText(d, text));
	else if (d != floor(d))
		put_numeric(w, PgBsonNumberToNumeric(value));
	else if (fabs(d) <= PGBSON_EXACT_DOUBLE)
		put_numeric(w, int64_div_fast_to_numeric((int64) d * 10, 1));
	else
		put_numeric(w, DatumGetNumeric(DirectFunctionCall2(numeric_round,
														   NumericGetDatum(PgBsonNumberToNumeric(value)),
														   Int32GetDatum(1))));
}

static void
put_decimal(Writer *w, const PgBsonValue *value)
{
	Numeric		num = PgBsonNumberToNumeric(value);
	char		text[PGBSON_DECIMAL128_TEXT];

	if (numeric_is_nan(num) || numeric_is_inf(num))
		put_wrapped(w, PGBSON_DOLLAR_NUMBER_DECIMAL, text, PgBsonDecimalToText(value->data, text));
	else
		put_numeric(w, num);
}

static void
put_date(Writer *w, int64 ms)
{
	char		text[PGBSON_SPELL_SIZE];
	Frame		frame;

	if (PgBsonDateHasIso(ms))
		put_wrapped(w, PGBSON_DOLLAR_DATE, text, PgBsonSpellDate(ms, text));
	else
	{
		open_container(w, &frame, JB_FOBJECT, 2);
		put_key(w, PGBSON_DOLLAR_DATE);
		put_wrapped(w, PGBSON_DOLLAR_NUMBER_LONG, text, pg_lltoa(ms, text));
		close_container(w);
	}
}

static void
put_object_id(Writer *w, const uint8 *oid)
{
	char		text[PGBSON_SPELL_SIZE];

	put_wrapped(w, PGBSON_DOLLAR_OID, text, PgBsonSpellHex(oid, 12, text));
}

/*
 * {"key": {"first": ..., "second": ...}}: the two values follow.  The shorter
 * key comes first; of two keys of equal length the lesser.
 */
static void
open_wrapped_pair(Writer *w, Frame *outer, Frame *inner, const char *key,
				  const char *first, const char *second)
{
	open_container(w, outer, JB_FOBJECT, 2);
	put_key(w, key);
	open_container(w, inner, JB_FOBJECT, 4);
	put_key(w, first);
	put_key(w, second);
}

static void
close_wrapped_pair(Writer *w)
{
	close_container(w);
	close_container(w);
}

static void
put_binary(Writer *w, const PgBsonValue *value)
{
	uint8		subtype;
	uint32		len;
	const uint8 *data = PgBsonValueBinary(value, &subtype, &len);
	Size		room = ((Size) len + 2) / 3 * 4 + 1;
	char	   *base64 = palloc_extended(room, MCXT_ALLOC_HUGE);
	char		hex[2];
	Frame		outer;
	Frame		inner;

	open_wrapped_pair(w, &outer, &inner, PGBSON_DOLLAR_BINARY, "base64", "subType");
	/* void *: the server's prototypes differ in signedness */
	put_text(w, base64, pg_b64_encode((const void *) data, len, base64, room));
	put_text(w, hex, PgBsonSpellHex(&subtype, 1, hex));
	close_wrapped_pair(w);
	pfree(base64);
}

static void
put_timestamp(Writer *w, const uint8 *data)
{
	Frame		outer;
	Frame		inner;

	open_wrapped_pair(w, &outer, &inner, PGBSON_DOLLAR_TIMESTAMP, "i", "t");
	put_numeric(w, int64_to_numeric(PgBsonReadU32(data)));
	put_numeric(w, int64_to_numeric(PgBsonReadU32(data + 4)));
	close_wrapped_pair(w);
}

static void
put_regex(Writer *w, const PgBsonValue *value)
{
	const char *pattern = (const char *) value->data;
	const char *options = pattern + strlen(pattern) + 1;
	uint32		options_len = strlen(options);
	Frame		outer;
	Frame		inner;

	open_wrapped_pair(w, &outer, &inner, PGBSON_DOLLAR_REGULAR_EXPRESSION, "options", "pattern");
	put_string(w, PgBsonSortedOptions(options, options_len), options_len);
	put_string(w, pattern, strlen(pattern));
	close_wrapped_pair(w);
}

static void
put_dbpointer(Writer *w, const PgBsonValue *value)
{
	Frame		outer;
	Frame		inner;

	open_wrapped_pair(w, &outer, &inner, PGBSON_DOLLAR_DBPOINTER, PGBSON_DOLLAR_ID, PGBSON_DOLLAR_REF);
	put_object_id(w, value->data + value->len - 12);
	put_string(w, (const char *) value->data + 4, value->len - 17);
	close_wrapped_pair(w);
}

static void put_value(Writer *w, const PgBsonValue *value);

static void
put_code_with_scope(Writer *w, const PgBsonValue *value)
{
	PgBsonView	view = PgBsonValueScope(value);
	PgBsonValue scope = {PGBSON_DOCUMENT, view.len, view.data};
	uint32		len;
	const char *code = PgBsonValueScopedCode(value, &len);
	Frame		frame;

	open_container(w, &frame, JB_FOBJECT, 4);
	put_key(w, PGBSON_DOLLAR_CODE);
	put_key(w, PGBSON_DOLLAR_SCOPE);
	put_string(w, code, len);
	put_value(w, &scope);
	close_container(w);
}

/* {"$minKey": 1} and similar wrappers; without a number the value is true */
static void
put_marker(Writer *w, const char *key, Numeric num)
{
	Frame		frame;

	open_container(w, &frame, JB_FOBJECT, 2);
	put_key(w, key);
	if (num != NULL)
		put_numeric(w, num);
	else
		end_child(w, JENTRY_ISBOOL_TRUE);
	close_container(w);
}


/* Containers ------------------------------------------------------------------- */

/*
 * jsonb sorts keys by length, then by bytes.  The rank is the length and the
 * first seven bytes; if the length does not fit in one byte, it is the length
 * alone.  "end" is the end of the memory that may be read.
 */
static inline uint64
rank_of(const char *key, uint32 len, const char *end)
{
	uint64		rank = (uint64) Min(len, PG_UINT8_MAX) << 56;
	uint64		bytes = 0;

	if (len >= PG_UINT8_MAX)
		return rank;
	if (end - key >= 8)
	{
		memcpy(&bytes, key, 8);
		bytes = pg_ntoh64(bytes) >> 8;
		return len >= 7 ? rank | bytes : rank | (bytes >> (8 * (7 - len)) << (8 * (7 - len)));
	}
	for (uint32 i = 0; i < 7; i++)
		bytes = bytes << 8 | (i < len ? (uint8) key[i] : 0);
	return rank | bytes;
}

/* Compares by key only */
static inline int
compare_keys(const Member *a, const Member *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->key_len != b->key_len)
		return a->key_len < b->key_len ? -1 : 1;
	return a->key_len <= 7 ? 0 : memcmp(a->key, b->key, a->key_len);
}

/* The same, with the last of equal keys first */
static inline int
compare_members(const Member *a, const Member *b)
{
	int			order = compare_keys(a, b);

	if (order != 0)
		return order;
	return a->order > b->order ? -1 : a->order < b->order;
}

#define ST_SORT sort_members
#define ST_ELEMENT_TYPE Member
#define ST_COMPARE(a, b) compare_members(a, b)
#define ST_SCOPE static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

static pg_noinline void
grow_members(Writer *w)
{
	Size		bytes = (Size) w->room * sizeof(Member);

	if (w->members == w->few)
	{
		w->members = MemoryContextAllocHuge(CurrentMemoryContext, bytes * 2);
		memcpy(w->members, w->few, bytes);
	}
	else
		w->members = repalloc_huge(w->members, bytes * 2);
	w->room *= 2;
}

/*
 * Push the container's elements, those of a document with their keys, onto the
 * array of members. Returns their number.
 */
static uint32
push_members(Writer *w, PgBsonView view, bool is_document)
{
	uint32		first = w->count;
	PgBsonIter	iter;

	PgBsonIterInit(&iter, view);
	while (PgBsonIterNext(&iter))
	{
		Member	   *m;

		CHECK_FOR_INTERRUPTS();
		if (w->count == w->room)
			grow_members(w);
		m = &w->members[w->count];
		m->value = iter.value;
		if (is_document)
		{
			m->key = iter.key;
			m->key_len = iter.key_len;
			if (w->recodes)
				m->key = PgBsonToServerText(m->key, &m->key_len);
			m->rank = rank_of(m->key, m->key_len,
							  w->recodes ? m->key + m->key_len : (const char *) iter.end);
			m->order = w->count;
		}
		w->count++;
	}
	return w->count - first;
}

/* Keep only the first of several members with the same key; returns how many are left */
static uint32
drop_repeated(Member *members, uint32 n)
{
	uint32		kept = 1;

	if (n == 0)
		return 0;
	for (uint32 i = 1; i < n; i++)
	{
		if (compare_keys(&members[i], &members[kept - 1]) == 0)
			continue;
		if (i != kept)
			members[kept] = members[i];
		kept++;
	}
	return kept;
}

static void
put_container(Writer *w, PgBsonView view, bool is_document)
{
	uint32		first = w->count;
	uint32		n = push_members(w, view, is_document);
	Frame		frame;

	check_stack_depth();
	if (is_document)
	{
		sort_members(w->members + first, n);
		n = drop_repeated(w->members + first, n);
		open_container(w, &frame, JB_FOBJECT, n * 2);
		for (uint32 i = 0; i < n; i++)
			put_text(w, w->members[first + i].key, w->members[first + i].key_len);
	}
	else
		open_container(w, &frame, JB_FARRAY, n);
	for (uint32 i = 0; i < n; i++)
	{
		/* not a pointer, as the array of members may move */
		PgBsonValue value = w->members[first + i].value;

		CHECK_FOR_INTERRUPTS();
		put_value(w, &value);
	}
	close_container(w);
	w->count = first;
}

static void
put_value(Writer *w, const PgBsonValue *value)
{
	uint32		len;
	const char *s;

	switch (value->type)
	{
		case PGBSON_DOCUMENT:
		case PGBSON_ARRAY:
			put_container(w, PgBsonValueView(value), value->type == PGBSON_DOCUMENT);
			break;
		case PGBSON_STRING:
			s = PgBsonValueString(value, &len);
			put_string(w, s, len);
			break;
		case PGBSON_BOOL:
			end_child(w, value->data[0] != 0 ? JENTRY_ISBOOL_TRUE : JENTRY_ISBOOL_FALSE);
			break;
		case PGBSON_NULL:
			end_child(w, JENTRY_ISNULL);
			break;
		case PGBSON_INT32:
			put_numeric(w, int64_to_numeric(PgBsonReadI32(value->data)));
			break;
		case PGBSON_INT64:
			put_numeric(w, int64_to_numeric(PgBsonReadI64(value->data)));
			break;
		case PGBSON_DOUBLE:
			put_double(w, value);
			break;
		case PGBSON_DECIMAL128:
			put_decimal(w, value);
			break;
		case PGBSON_DATE:
			put_date(w, PgBsonReadI64(value->data));
			break;
		case PGBSON_OBJECTID:
			put_object_id(w, value->data);
			break;
		case PGBSON_BINARY:
			put_binary(w, value);
			break;
		case PGBSON_TIMESTAMP:
			put_timestamp(w, value->data);
			break;
		case PGBSON_REGEX:
			put_regex(w, value);
			break;
		case PGBSON_DBPOINTER:
			put_dbpointer(w, value);
			break;
		case PGBSON_CODE:
			s = PgBsonValueString(value, &len);
			put_wrapped(w, PGBSON_DOLLAR_CODE, s, len);
			break;
		case PGBSON_SYMBOL:
			s = PgBsonValueString(value, &len);
			put_wrapped(w, PGBSON_DOLLAR_SYMBOL, s, len);
			break;
		case PGBSON_CODE_W_SCOPE:
			put_code_with_scope(w, value);
			break;
		case PGBSON_UNDEFINED:
			put_marker(w, PGBSON_DOLLAR_UNDEFINED, NULL);
			break;
		case PGBSON_MINKEY:
			put_marker(w, PGBSON_DOLLAR_MIN_KEY, int64_to_numeric(1));
			break;
		case PGBSON_MAXKEY:
			put_marker(w, PGBSON_DOLLAR_MAX_KEY, int64_to_numeric(1));
			break;
		case PGBSON_EOD:
			elog(ERROR, "unexpected bson type %d", (int) value->type);
	}
}

/*
 * A root that is not a container. jsonb stores it as the only element of an
 * array that is marked accordingly.  If it became a wrapper, it is an object
 * instead.
 */
static void
put_scalar_root(Writer *w, const PgBsonValue *value)
{
	Frame		frame;
	JEntry		entry;

	open_container(w, &frame, JB_FARRAY | JB_FSCALAR, 1);
	put_value(w, value);
	memcpy(&entry, w->out.data + frame.data - sizeof(entry), sizeof(entry));
	if (JBE_ISCONTAINER(entry))
	{
		w->out.len -= frame.data;
		memmove(w->out.data, w->out.data + frame.data, w->out.len);
	}
}

#ifdef USE_ASSERT_CHECKING

/* Larger values are not checked, because checking takes time */
#define MAX_CHECKED		(1024 * 1024)

static Jsonb *
jsonb_from_text(char *json)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json)));
}

/*
 * The format is written by hand, so builds with assertions check it against
 * the server: the bytes must be those that the server writes for this value,
 * and the value must be that of the text of type json.
 */
static void
check_result(const PgBsonValue *value, Jsonb *made)
{
	Jsonb	   *again;
	Jsonb	   *expected;

	if (VARSIZE(made) > MAX_CHECKED)
		return;
	again = jsonb_from_text(JsonbToCString(NULL, &made->root, VARSIZE(made)));
	Assert(VARSIZE(again) == VARSIZE(made));
	Assert(memcmp(again, made, VARSIZE(made)) == 0);
	expected = jsonb_from_text(text_to_cstring(PgBsonToJson(value)));
	Assert(compareJsonbContainers(&made->root, &expected->root) == 0);
	pfree(again);
	pfree(expected);
}
#endif

Jsonb *
PgBsonToJsonb(const PgBsonValue *value)
{
	Jsonb	   *result;
	Writer		w;

	/* jsonb is larger; the more keys and numbers there are, the larger it is */
	PgBsonWriterInit(&w.out, (Size) value->len + value->len / 2);
	w.frame = NULL;
	w.recodes = PgBsonServerRecodes();
	w.members = w.few;
	w.count = 0;
	w.room = FEW_MEMBERS;

	if (PgBsonIsContainer(value->type))
		put_value(&w, value);
	else
		put_scalar_root(&w, value);

	if (w.members != w.few)
		pfree(w.members);
	result = (Jsonb *) PgBsonWriterFinish(&w.out);
#ifdef USE_ASSERT_CHECKING
	check_result(value, result);
#endif
	return result;
}
