/*
 * view.h
 *	  Reading BSON in place: documents, elements, values.
 *
 * Nothing here copies or allocates.  Every pointer points into the bytes the
 * caller owns and lives as long as they do.  Damaged bytes raise XX001.
 */
#ifndef PGBSON_VIEW_H
#define PGBSON_VIEW_H

#include "core/bytes/report.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "port/pg_bswap.h"

/* Element types, bsonspec.org 1.1 */
typedef enum PgBsonType
{
	PGBSON_EOD = 0x00,			/* end of document; no value has it */
	PGBSON_DOUBLE = 0x01,
	PGBSON_STRING = 0x02,
	PGBSON_DOCUMENT = 0x03,
	PGBSON_ARRAY = 0x04,
	PGBSON_BINARY = 0x05,
	PGBSON_UNDEFINED = 0x06,
	PGBSON_OBJECTID = 0x07,
	PGBSON_BOOL = 0x08,
	PGBSON_DATE = 0x09,
	PGBSON_NULL = 0x0A,
	PGBSON_REGEX = 0x0B,
	PGBSON_DBPOINTER = 0x0C,
	PGBSON_CODE = 0x0D,
	PGBSON_SYMBOL = 0x0E,
	PGBSON_CODE_W_SCOPE = 0x0F,
	PGBSON_INT32 = 0x10,
	PGBSON_TIMESTAMP = 0x11,
	PGBSON_INT64 = 0x12,
	PGBSON_DECIMAL128 = 0x13,
	PGBSON_MAXKEY = 0x7F,
	PGBSON_MINKEY = 0xFF
} PgBsonType;

/* One whole document or array: data[0..3] is its length, data[len - 1] its terminator */
typedef struct PgBsonView
{
	const uint8 *data;
	uint32		len;			/* bytes */
} PgBsonView;

/* One value of any type: its encoded bytes, as they follow the key in a document */
typedef struct PgBsonValue
{
	PgBsonType	type;
	uint32		len;			/* bytes at data */
	const uint8 *data;
} PgBsonValue;

/* A pass over the elements of one document or array */
typedef struct PgBsonIter
{
	const char *key;			/* of the current element; NUL-terminated */
	uint32		key_len;		/* bytes, without the NUL */
	PgBsonValue value;			/* of the current element */
	const uint8 *element;		/* start of the current element (its type byte) */
	const uint8 *next;			/* start of the next one */
	const uint8 *end;			/* the document's terminator */
	const uint8 *start;			/* the document, for offsets in errors */
} PgBsonIter;

/*
 * Returns "n", of which the compiler then knows nothing: a search keeps the branches that the processor predicts, and
 * PgBsonCopyFresh its reads in parts
 */
static inline uint32
PgBsonOpaque(uint32 n)
{
#ifdef __GNUC__
	__asm__("" : "+r"(n));
#endif
	return n;
}

/*
 * A copy of a value of which the members were written just before, one by one.  The compiler would read all of it at
 * once, for which the processor waits until the members have left its store buffer.
 */
static inline PgBsonValue
PgBsonCopyFresh(const PgBsonValue *value)
{
	return (PgBsonValue) {value->type, PgBsonOpaque(value->len), value->data};
}

/* A document or an array without elements; null, and the int32 0 and 1 */
extern const PgBsonView PgBsonEmpty;
extern const PgBsonValue PgBsonNull;
extern const PgBsonValue PgBsonZero;
extern const PgBsonValue PgBsonOne;

/* For PgBsonValueSize: the value is not complete, or not valid */
#define PGBSON_BAD_SIZE		PG_UINT32_MAX

/*
 * How many bytes a value takes, by its type.  A number below 0x80 is the size itself.  If that bit is
 * set, the size is the little-endian length word at the beginning of the value, plus the lower bits.
 * Two numbers have meanings of their own.
 */
#define PGBSON_SIZED		0x80
#define PGBSON_SIZE_REGEX	0xFE
#define PGBSON_SIZE_UNKNOWN	0xFF

extern const uint8 PgBsonSizeClass[256];

/* Unaligned little-endian reads */
static inline uint32
PgBsonReadU32(const uint8 *p)
{
	uint32		v;

	memcpy(&v, p, sizeof(v));
#ifdef WORDS_BIGENDIAN
	v = pg_bswap32(v);
#endif
	return v;
}

static inline int32
PgBsonReadI32(const uint8 *p)
{
	return (int32) PgBsonReadU32(p);
}

static inline uint64
PgBsonReadU64(const uint8 *p)
{
	uint64		v;

	memcpy(&v, p, sizeof(v));
#ifdef WORDS_BIGENDIAN
	v = pg_bswap64(v);
#endif
	return v;
}

static inline int64
PgBsonReadI64(const uint8 *p)
{
	return (int64) PgBsonReadU64(p);
}

static inline double
PgBsonReadDouble(const uint8 *p)
{
	uint64		bits = PgBsonReadU64(p);
	double		d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static inline void
PgBsonWriteU32(uint8 *p, uint32 v)
{
#ifdef WORDS_BIGENDIAN
	v = pg_bswap32(v);
#endif
	memcpy(p, &v, sizeof(v));
}

static inline void
PgBsonWriteU64(uint8 *p, uint64 v)
{
#ifdef WORDS_BIGENDIAN
	v = pg_bswap64(v);
#endif
	memcpy(p, &v, sizeof(v));
}

static inline void
PgBsonWriteDouble(uint8 *p, double d)
{
	uint64		bits;

	memcpy(&bits, &d, sizeof(bits));
	PgBsonWriteU64(p, bits);
}

/*
 * Length of the key at "key", which must end before "limit"; PGBSON_BAD_SIZE
 * if it does not.  Eight bytes at a time where they may be read.
 */
static inline uint32
PgBsonKeyLength(const uint8 *key, const uint8 *limit)
{
	const uint8 *p = key;

#ifndef WORDS_BIGENDIAN
	while (limit - p >= 8)
	{
		uint64		chunk;
		uint64		zeroes;

		memcpy(&chunk, p, sizeof(chunk));
		zeroes = (chunk - UINT64CONST(0x0101010101010101)) & ~chunk &
			UINT64CONST(0x8080808080808080);
		if (zeroes != 0)
			return (p - key) + (pg_rightmost_one_pos64(zeroes) >> 3);
		p += 8;
	}
#endif
	for (; p < limit; p++)
	{
		if (*p == 0)
			return p - key;
	}
	return PGBSON_BAD_SIZE;
}

static inline bool
PgBsonIsContainer(PgBsonType type)
{
	return type == PGBSON_DOCUMENT || type == PGBSON_ARRAY;
}

static inline bool
PgBsonIsNumber(PgBsonType type)
{
	return type == PGBSON_INT32 || type == PGBSON_INT64 ||
		type == PGBSON_DOUBLE || type == PGBSON_DECIMAL128;
}

static inline bool
PgBsonIsInteger(PgBsonType type)
{
	return type == PGBSON_INT32 || type == PGBSON_INT64;
}

/* Is the type null, or the deprecated undefined?  Both are SQL NULL as text. */
static inline bool
PgBsonIsNullish(PgBsonType type)
{
	return type == PGBSON_NULL || type == PGBSON_UNDEFINED;
}

/* The bytes of a string, code or symbol, UTF-8, which may contain U+0000; and how many these are */
static inline const char *
PgBsonStringBytes(const PgBsonValue *value)
{
	return (const char *) value->data + 4;
}

static inline uint32
PgBsonStringLength(const PgBsonValue *value)
{
	return value->len - 5;
}

/* Both at once */
static inline const char *
PgBsonValueString(const PgBsonValue *value, uint32 *len)
{
	*len = PgBsonStringLength(value);
	return PgBsonStringBytes(value);
}

/* Is the value a string or a symbol?  Then *s and *len are its bytes. */
static inline bool
PgBsonValueIsString(const PgBsonValue *value, const char **s, uint32 *len)
{
	if (value->type != PGBSON_STRING && value->type != PGBSON_SYMBOL)
		return false;
	*s = PgBsonValueString(value, len);
	return true;
}

/* The subtype and the bytes of a binary value; those of subtype 2 without the inner length */
static inline const uint8 *
PgBsonValueBinary(const PgBsonValue *value, uint8 *subtype, uint32 *len)
{
	*subtype = value->data[4];
	if (*subtype == 0x02)
	{
		*len = value->len - 9;
		return value->data + 9;
	}
	*len = value->len - 5;
	return value->data + 5;
}

/* The subtype of a UUID, and its size in bytes */
#define PGBSON_UUID_SUBTYPE		0x04
#define PGBSON_UUID_SIZE		16

/* The bytes of a binary value that is a UUID; NULL for other binary values */
static inline const uint8 *
PgBsonValueUuid(const PgBsonValue *value)
{
	uint8		subtype;
	uint32		len;
	const uint8 *data = PgBsonValueBinary(value, &subtype, &len);

	return subtype == PGBSON_UUID_SUBTYPE && len == PGBSON_UUID_SIZE ? data : NULL;
}

/* A document or array value as a view */
static inline PgBsonView
PgBsonValueView(const PgBsonValue *value)
{
	return (PgBsonView) {value->data, value->len};
}

/* The scope, and the code (UTF-8), of a code with scope */
extern PgBsonView PgBsonValueScope(const PgBsonValue *value);

static inline const char *
PgBsonValueScopedCode(const PgBsonValue *value, uint32 *len)
{
	*len = PgBsonValueScope(value).data - value->data - 9;
	return (const char *) value->data + 8;
}

/* Raise ERRCODE_DATA_CORRUPTED: a stored value is damaged at this byte */
pg_noreturn extern void PgBsonReportDamaged(Size offset);

/* The payload of a detoasted datum (short header allowed); raises XX001 if its length is wrong */
static inline PgBsonView
PgBsonViewOf(const PgBson *bson)
{
	PgBsonView	view;

	view.data = (const uint8 *) VARDATA_ANY(bson);
	view.len = VARSIZE_ANY_EXHDR(bson);
	if (view.len < PGBSON_MIN_SIZE || PgBsonReadU32(view.data) != view.len)
		PgBsonReportDamaged(0);
	/* the terminator is not checked: it may be far from what the caller reads */
	return view;
}

/* Do the first eight bytes of a document look like those of an envelope (pgbson.h)? */
static inline bool
PgBsonBeginsEnvelope(const uint8 *p)
{
	return p[4] == PGBSON_MINKEY && p[5] == 0 && p[7] == 0;
}

/*
 * For such a document: is it certainly an envelope, because the value in it is an array or a string of
 * the right size, as mostly, or has a fixed size?
 */
static inline bool
PgBsonHoldsSimply(PgBsonView view)
{
	uint8		class = PgBsonSizeClass[view.data[6]];

	if (class < PGBSON_SIZED)
		return class == view.len - 9;
	return view.len >= 9 + PGBSON_MIN_SIZE && (view.data[6] == PGBSON_ARRAY || view.data[6] == PGBSON_STRING) &&
		PgBsonReadU32(view.data + 8) + (class & ~PGBSON_SIZED) == view.len - 9;
}

/* Is a root with these bytes the envelope of a value (pgbson.h), and not a document? */
extern bool PgBsonIsEnvelope(PgBsonView view);

/* The value that a stored document stands for: itself or, if it is an envelope (pgbson.h), the value in it */
static inline PgBsonValue
PgBsonRootOf(PgBsonView view)
{
	PgBsonValue root = {PGBSON_DOCUMENT, view.len, view.data};

	if (view.len >= 9 && PgBsonBeginsEnvelope(view.data) &&
		(PgBsonHoldsSimply(view) || PgBsonIsEnvelope(view)))
	{
		root.type = view.data[6];
		root.len = view.len - 9;
		root.data = view.data + 8;
	}
	return root;
}

/*
 * The stored document of a datum that is stored plain, which points into the datum; false if it is compressed or stored
 * out of line, so that it must be opened.
 */
static inline bool
PgBsonPlainView(Datum datum, PgBsonView *view)
{
	const struct varlena *bytes = (const struct varlena *) DatumGetPointer(datum);

	if (VARATT_IS_4B_U(bytes))
	{
		view->data = (const uint8 *) VARDATA_4B(bytes);
		view->len = VARSIZE_4B(bytes) - VARHDRSZ;
	}
	else if (VARATT_IS_SHORT(bytes) && !VARATT_IS_EXTERNAL(bytes))
	{
		view->data = (const uint8 *) VARDATA_1B(bytes);
		view->len = VARSIZE_1B(bytes) - VARHDRSZ_SHORT;
	}
	else
		return false;
	if (unlikely(view->len < PGBSON_MIN_SIZE || PgBsonReadU32(view->data) != view->len))
		PgBsonReportDamaged(0);
	return true;
}

/* The root value of a datum that is stored plain, which points into the datum; false if it must be opened, as above */
static inline bool
PgBsonPlainRoot(Datum datum, PgBsonValue *root)
{
	PgBsonView	view;

	if (!PgBsonPlainView(datum, &view))
		return false;
	*root = PgBsonRootOf(view);
	return true;
}

/* The root value of a detoasted datum */
static inline PgBsonValue
PgBsonRoot(const PgBson *bson)
{
	return PgBsonRootOf(PgBsonViewOf(bson));
}

/*
 * The size of a value of this type at "data", of which "avail" bytes may be read; PGBSON_BAD_SIZE if it
 * is larger, not valid, or of an unknown type
 */
extern uint32 PgBsonValueSize(PgBsonType type, const uint8 *data, Size avail);

/* Begin a pass; PgBsonIterNext moves to the next element, false at the end */
extern void PgBsonIterInit(PgBsonIter *iter, PgBsonView view);
extern bool PgBsonIterNext(PgBsonIter *iter);

/* An iterator before the first element of the view, as the initial value of a variable */
static inline PgBsonIter
PgBsonIterBegin(PgBsonView view)
{
	PgBsonIter	iter;

	PgBsonIterInit(&iter, view);
	return iter;
}

/*
 * PgBsonIterBegin for a loop: the iterator is made in its place, because copying it takes as long as
 * reading an element
 */
static inline PgBsonIter *
PgBsonIterStart(PgBsonIter *iter, PgBsonView view)
{
	PgBsonIterInit(iter, view);
	return iter;
}

/* PgBsonIterNext for a loop that can be cancelled at each element */
static inline bool
PgBsonIterStep(PgBsonIter *iter)
{
	CHECK_FOR_INTERRUPTS();
	return PgBsonIterNext(iter);
}

/* Go to the first field of a document, or element of an array; false if it has none, or is a scalar */
static inline bool
PgBsonFirst(const PgBsonValue *container, PgBsonIter *iter)
{
	if (!PgBsonIsContainer(container->type))
		return false;
	PgBsonIterInit(iter, PgBsonValueView(container));
	return PgBsonIterNext(iter);
}

/* Is it a document whose first key begins with a dollar sign, as MongoDB's operators do? */
static inline bool
PgBsonHasOperator(const PgBsonValue *value)
{
	PgBsonIter	first;

	return value->type == PGBSON_DOCUMENT && PgBsonFirst(value, &first) && first.key[0] == '$';
}

/*
 * The loop over all elements of a view, which can be cancelled:
 *
 *		PgBsonForEach(iter, PgBsonValueView(array))
 *			n += iter.value.type == PGBSON_NULL;
 */
#define PgBsonForEach(iter, view) \
	for (PgBsonIter iter, *iter##_pass = PgBsonIterStart(&iter, view); PgBsonIterStep(iter##_pass);)

/* Where the elements of a container end: at its terminator */
static inline const uint8 *
PgBsonElementsEnd(const PgBsonValue *container)
{
	return container->data + container->len - 1;
}

/* Have two values the same type and the same bytes? */
static inline bool
PgBsonSameBytes(const PgBsonValue *a, const PgBsonValue *b)
{
	return a->type == b->type && a->len == b->len &&
		(a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

/* Are two keys, or two strings, the same? */
static inline bool
PgBsonSameKey(const char *a, uint32 a_len, const char *b, uint32 b_len)
{
	return a_len == b_len && memcmp(a, b, a_len) == 0;
}

/* Is the key this name, a C string? */
static inline bool
PgBsonKeyIs(const char *key, uint32 key_len, const char *name)
{
	return PgBsonSameKey(key, key_len, name, strlen(name));
}

/* Is the key of the current element this name, a C string? */
static inline bool
PgBsonIterIs(const PgBsonIter *iter, const char *name)
{
	return PgBsonKeyIs(iter->key, iter->key_len, name);
}

/*
 * Read a key of decimal digits, perhaps with leading zeroes, as a position; false for other keys, and
 * for numbers of more than 32 bits
 */
extern bool PgBsonKeyAsPosition(const char *key, uint32 key_len, uint32 *position);

/* The number of elements; this passes over the whole document */
extern uint32 PgBsonViewCount(PgBsonView view);

/* Is it a document of one field?  If so, set *field to that. */
extern bool PgBsonOnlyField(const PgBsonValue *value, PgBsonIter *field);

/* Is it a document or an array without elements? */
static inline bool
PgBsonIsEmpty(const PgBsonValue *value)
{
	return PgBsonIsContainer(value->type) && value->len == PGBSON_MIN_SIZE;
}

/* The levels of nesting: 0 for a scalar, 1 for a flat document; a scope is a level, too */
extern int	PgBsonDepth(const PgBsonValue *value);

/*
 * Raise 54001 if the value would be nested beyond PGBSON_MAX_DEPTH inside this many levels.  To be
 * called before a value is copied into a document.
 */
extern void PgBsonCheckDepthOf(const PgBsonValue *value, int outer_levels);
static inline void
PgBsonCheckDepth(const PgBsonValue *value, int outer_levels)
{
	/* each level takes at least seven bytes: length, type, empty key, terminator */
	if (unlikely(value->len / 7 + outer_levels >= PGBSON_MAX_DEPTH))
		PgBsonCheckDepthOf(value, outer_levels);
}

pg_noreturn extern void PgBsonReportTooDeep(void);

/* Raise 54001, or report it as a soft error into "escontext"; then returns false */
extern bool PgBsonRefuseTooDeep(struct Node *escontext);

/* --- validate.c --- */

/* What is wrong with bytes that are not BSON, and where */
typedef struct PgBsonFault
{
	const char *reason;			/* a sentence without its full stop, to be translated; static storage */
	Size		offset;			/* bytes from the start */
	bool		too_deep;		/* valid so far, but nested beyond PGBSON_MAX_DEPTH */
} PgBsonFault;

/*
 * Are these bytes one valid BSON document?  Checks lengths, types, terminators, UTF-8, booleans, the
 * inner length of binary subtype 2, and depth.  If not, fills *fault and returns false.  It does not
 * recurse, allocates nothing and raises no errors.
 */
extern bool PgBsonCheck(const uint8 *data, Size len, PgBsonFault *fault);

/*
 * PgBsonCheck that raises an error: 22P03 with reason and offset, or 54001 for depth.
 * Returns false after a soft error.
 */
extern bool PgBsonValidate(const uint8 *data, Size len, struct Node *escontext);

#endif							/* PGBSON_VIEW_H */
