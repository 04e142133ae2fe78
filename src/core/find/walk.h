/*
 * walk.h
 *	  Going from element to element of a document or array, up to a wanted one.
 *
 * This is the hottest loop of the extension.  It touches one header per
 * element (type, key, length word) and skips the value.  Two ends bound every
 * read: that of the enclosing document, past which lies damage, and that of
 * the bytes fetched so far, past which lies the rest of a toasted value.
 *
 * Where the next element begins hangs on this one's key and type, and where that
 * begins on the one before: a chain of loads.  Neighbours tend to have keys of one
 * length, and common types have a branch each here, so that a processor goes on
 * with what it guesses and checks that beside the chain.  Only length words
 * remain in it.
 *
 * Where the keys differ from document to document there is nothing to guess, and a wrong
 * guess costs as much as the whole chain of an element.  There the first elements
 * are passed over without a branch that hangs on their bytes.
 */
#ifndef PGBSON_WALK_H
#define PGBSON_WALK_H

#include "core/bytes/vector.h"
#include "core/bytes/view.h"

typedef enum PgBsonFound
{
	PGBSON_ABSENT,
	PGBSON_FOUND,
	PGBSON_MORE					/* the bytes so far do not tell */
} PgBsonFound;

/* What to stop at: a key, or the element of a number */
typedef struct PgBsonFieldTarget
{
	const char *key;			/* NULL: by position */
	uint32		key_len;
	uint32		position;
	uint64		head;			/* the key's first eight bytes, its zero byte included if among them */
	uint64		head_mask;
} PgBsonFieldTarget;

static inline PgBsonFieldTarget
PgBsonFieldTargetKey(const char *key, uint32 key_len)
{
	PgBsonFieldTarget t = {key, key_len, 0, 0, 0};

	/* not memcpy, which is a call where the length is not known */
	if (key_len >= 8)
		t.head = PgBsonReadU64((const uint8 *) key);
	else
	{
		for (uint32 i = 0; i < key_len; i++)
			t.head |= (uint64) (uint8) key[i] << (8 * i);
	}
	t.head_mask = key_len >= 7 ? ~UINT64CONST(0) : (UINT64CONST(1) << (8 * (key_len + 1))) - 1;
	return t;
}

/* Does the key at "p", where eight bytes can be read, begin like the wanted one? */
static inline bool
PgBsonFieldTargetMayMatch(const uint8 *p, const PgBsonFieldTarget *target)
{
	return (PgBsonReadU64(p) & target->head_mask) == target->head;
}

/* Is the key at "p", of which bytes before "limit" may be read, the wanted one? */
static inline bool
PgBsonFieldTargetMatches(const uint8 *p, const uint8 *limit, const PgBsonFieldTarget *target)
{
	if (limit - p >= 8)
	{
		if (!PgBsonFieldTargetMayMatch(p, target))
			return false;
		if (target->key_len <= 7)
			return true;
	}
	/* the zero byte is compared apart, as the wanted key may lack its own */
	return limit - p > (ptrdiff_t) target->key_len &&
		memcmp(p, target->key, target->key_len) == 0 &&
		p[target->key_len] == 0;
}

/*
 * May this element be one to stop at?  It is not asked near the end: eight bytes of the
 * key can be read.  And is it?  One of the two is asked of each element on the way, of
 * one that may be it the second after the first.
 */
typedef bool (*PgBsonMayStop) (const uint8 *key, uint32 key_len, void *arg);
typedef bool (*PgBsonStop) (const uint8 *key, uint32 key_len, const uint8 *limit, void *arg);

/* The same number, but the compiler does not know that it equals another */
static inline uint32
PgBsonOpaque(uint32 n)
{
#ifdef __GNUC__
	__asm__("" : "+r"(n));
#endif
	return n;
}

/* How many of the sixteen bytes at "p" come before the first zero byte */
static inline uint32
PgBsonBeforeZero16(const uint8 *p)
{
#ifdef PGBSON_VECTORS
	return PgBsonMaskFirstOrAll(PgBsonVectorMask(PgBsonVectorEqual(PgBsonVectorLoad(p), PgBsonVectorFill(0))));
#else
	return Min(PgBsonKeyLength(p, p + 16), 16);
#endif
}

/* A header of at most sixteen bytes, and behind it a length word or the largest value that has none */
#define PGBSON_STRIDE_ROOM	32

/* The same, where it is looked at whether the value is within reach */
#define PGBSON_STEP_ROOM	20

/* How many bytes a header of more than sixteen takes, which begins at "p" and has a length word within reach behind it; 0: not known */
static inline uint32
PgBsonLongHeader(const uint8 *p, const uint8 *limit)
{
	for (uint32 at = 16; limit - p >= (ptrdiff_t) at + PGBSON_STEP_ROOM; at += 16)
	{
		uint32		before = PgBsonBeforeZero16(p + at);

		if (before < 16)
			return at + before + 1;
	}
	return 0;
}

/* The most elements that are passed over without guesses: the keys of longer documents are mostly numbered */
#define PGBSON_UNGUESSED	32

/*
 * Go on from "p" as far as elements are common, and none may be one to stop at, but not to the last few bytes
 * before "limit"; the first "unguessed" ones without guesses.  *value is that of the last one that was stepped over.
 */
static pg_attribute_always_inline const uint8 *
PgBsonStride(const uint8 *p, const uint8 *limit, int unguessed, PgBsonMayStop may_stop, void *arg, const uint8 **value)
{
	const uint8 *last_value = *value;
	const uint8 *last;
	uint32		header_len = 0; /* bytes of type and key */

	for (; unguessed > 0 && limit - p >= PGBSON_STEP_ROOM; unguessed--)
	{
		uint32		len = PgBsonBeforeZero16(p) + 1;
		uint8		class = PgBsonSizeClass[*p];
		const uint8 *here;
		uint64		size;

		/* a header takes two bytes at least, and mostly at most sixteen */
		if (unlikely(len - 2 > 14) && (len < 2 || (len = PgBsonLongHeader(p, limit)) == 0))
			break;
		here = p + len;
		if (class >= PGBSON_SIZE_REGEX)
			break;
		size = (uint64) (PgBsonReadU32(here) & PgBsonOpaque(-(uint32) (class >> 7))) + (class & ~PGBSON_SIZED);
		if (size > (uint64) (limit - here) || may_stop(p + 1, len - 2, arg))
			goto done;
		last_value = here;
		p = here + size;
	}
	if (limit - p < PGBSON_STRIDE_ROOM)
		goto done;
	last = limit - PGBSON_STRIDE_ROOM;
	while (p <= last)
	{
		uint32		len = PgBsonBeforeZero16(p) + 1;
		uint8		class = PgBsonSizeClass[*p];
		const uint8 *here;
		uint64		size;

		/* opaque, or the compiler might use the new number where it found it equal to the old one */
		if (len != PgBsonOpaque(header_len))
		{
			if (len < 2 || len > 16)
				break;
			header_len = len;
		}
		here = p + header_len;
		if (class == 4)
			size = PgBsonOpaque(4);
		else if (class == 8)
			size = PgBsonOpaque(8);
		else if (class < PGBSON_SIZED)
			size = class;
		else if (class < PGBSON_SIZE_REGEX)
		{
			size = PgBsonReadU32(here);
			if (class == (PGBSON_SIZED | 4))
				size += PgBsonOpaque(4);
			else
				size += class & ~PGBSON_SIZED;
			if (size > (uint64) (limit - here))
				break;
		}
		else
			break;
		if (may_stop(p + 1, len - 2, arg))
			break;
		last_value = here;
		p = here + size;
	}
done:
	*value = last_value;
	return p;
}

/*
 * Walk from *from to an element to stop at.  The value that was found may reach beyond
 * "avail", and so may the last one of those that were stepped over.  With PGBSON_ABSENT,
 * *need is how far it looked, perhaps beyond "avail"; with PGBSON_MORE, how far the bytes
 * must reach to get on, from *from.  With "unguessed" both questions must be free of side effects.
 */
static pg_attribute_always_inline PgBsonFound
PgBsonWalk(PgBsonView view, const uint8 *avail, const uint8 **from, int unguessed,
		   PgBsonMayStop may_stop, PgBsonStop stop, void *arg, PgBsonValue *result, const uint8 **need)
{
	const uint8 *p = *from;
	const uint8 *end = view.data + view.len - 1;
	const uint8 *limit = Min(end, avail);
	const uint8 *upto = p;
	const uint8 *value = p;

	while ((p = PgBsonStride(p, limit, unguessed, may_stop, arg, &value)) < limit)
	{
		uint8		class = PgBsonSizeClass[*p];
		uint32		key_len = PgBsonKeyLength(p + 1, limit);
		uint64		size;

		if (key_len == PGBSON_BAD_SIZE)
			break;
		value = p + key_len + 2;
		if (class < PGBSON_SIZED)
			size = class;
		else if (class < PGBSON_SIZE_REGEX)
		{
			if (limit - value < 4)
			{
				upto = value + 3;
				break;
			}
			size = (uint64) PgBsonReadU32(value) + (class & ~PGBSON_SIZED);
		}
		else if (class == PGBSON_SIZE_REGEX)
		{
			size = PgBsonValueSize(*p, value, limit - value);
			if (size == PGBSON_BAD_SIZE)
				break;
		}
		else
			PgBsonReportDamaged(p - view.data);

		if (size > (uint64) (end - value))
			PgBsonReportDamaged(p - view.data);
		if (stop(p + 1, key_len, limit, arg))
		{
			result->type = *p;
			result->data = value;
			result->len = size;
			return PGBSON_FOUND;
		}
		p = value + size;
	}

	if (p == end)
	{
		*need = value + 4;
		return PGBSON_ABSENT;
	}
	/* what does not end before the document's own end is damaged, else cut off */
	if (limit == end)
		PgBsonReportDamaged(p - view.data);
	*from = p;
	*need = Max(Max(p, upto), avail) + 1;
	return PGBSON_MORE;
}

#endif							/* PGBSON_WALK_H */
