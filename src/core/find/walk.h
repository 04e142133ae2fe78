/*
 * walk.h
 *	  Going from element to element of a document or array, up to a wanted one.
 *
 * This is the hottest loop of the extension.  It reads one header per element
 * (type, key, length word) and steps over the value.  No read goes beyond the end
 * of the enclosing document, where a length would be damaged, nor beyond the bytes
 * that are there, as the rest of a toasted value may not be read yet.
 *
 * The end of an element depends on its key, its type and its length word, which
 * are read one after the other, and the next element begins at this end.  If the
 * processor waited for each of these reads, an element would take twenty cycles.
 * It does not wait where it can predict a branch.  So there is a branch for each
 * common type, and one for a key of the guessed length.  A call site guesses that
 * the elements have the key lengths and types of the document before.  Where
 * documents differ, and in walks without a call site, the guess is the key length
 * of the element before, and the branch is whether the type has a length word.
 */
#ifndef PGBSON_WALK_H
#define PGBSON_WALK_H

#include "core/bytes/vector.h"
#include "core/bytes/view.h"

typedef enum PgBsonFound
{
	PGBSON_ABSENT,
	PGBSON_FOUND,
	PGBSON_MORE					/* the bytes that are there do not tell */
} PgBsonFound;

/* A key that is looked for: itself, and a word that eight bytes of an element's key are compared with */
typedef struct PgBsonFieldTarget
{
	const char *key;
	uint32		key_len;
	uint32		at;				/* where in the key these bytes begin */
	uint64		word;
	uint64		mask;
} PgBsonFieldTarget;

/* The longest key whose end, not its beginning, is in the word */
#define PGBSON_TARGET_NEAR		14

/*
 * The word of a key of up to seven bytes is the whole key with its zero byte, of one of up to 14 its last seven bytes
 * and the zero byte, and of a longer one its first eight bytes
 */
static inline PgBsonFieldTarget
PgBsonFieldTargetKey(const char *key, uint32 key_len)
{
	PgBsonFieldTarget t = {key, key_len, 0, 0, PG_UINT64_MAX};
	const uint8 *k = (const uint8 *) key;

	/* not memcpy, which is a call if the length is not constant */
	if (key_len > PGBSON_TARGET_NEAR)
		t.word = PgBsonReadU64(k);
	else if (key_len >= 8)
	{
		t.at = key_len - 7;
		t.word = PgBsonReadU64(k + key_len - 8) >> 8;
	}
	else
	{
		if (key_len >= 4)
			t.word = PgBsonReadU32(k) | (uint64) PgBsonReadU32(k + key_len - 4) << (8 * (key_len - 4));
		else if (key_len > 0)
			t.word = k[0] | (uint64) k[key_len / 2] << (8 * (key_len / 2)) |
				(uint64) k[key_len - 1] << (8 * (key_len - 1));
		if (key_len < 7)
			t.mask = (UINT64CONST(1) << (8 * (key_len + 1))) - 1;
	}
	return t;
}

/*
 * What decides where a walk stops.  PgBsonMayStop: may this element be a wanted one?  It is asked only where
 * fifteen bytes of the key can be read.  PgBsonStop: is it?  It is asked after the first has said that it may be, and
 * alone near the end of the bytes or for an element of a rare type.
 */
typedef bool (*PgBsonMayStop) (const uint8 *key, uint32 key_len, void *arg);
typedef bool (*PgBsonStop) (const uint8 *key, uint32 key_len, const uint8 *limit, void *arg);

/* For one key: may the key at "p", where fifteen bytes can be read, be the wanted one? */
static inline bool
PgBsonFieldTargetMayMatch(const uint8 *p, uint32 key_len, void *wanted)
{
	const PgBsonFieldTarget *target = wanted;

	return (PgBsonReadU64(p + target->at) & target->mask) == target->word;
}

/* Is it?  Bytes before "limit" can be read. */
static inline bool
PgBsonFieldTargetMatches(const uint8 *p, uint32 key_len, const uint8 *limit, void *wanted)
{
	const PgBsonFieldTarget *target = wanted;

	if (key_len != target->key_len)
		return false;
	if (likely(limit - p >= 15) && key_len <= PGBSON_TARGET_NEAR)
		return PgBsonFieldTargetMayMatch(p, key_len, wanted) &&
			(key_len <= 7 || PgBsonReadU64(p) == PgBsonReadU64((const uint8 *) target->key));
	return memcmp(p, target->key, key_len) == 0;
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

/*
 * Length of the key of the element at "p", which must end before "limit"; else PGBSON_BAD_SIZE.  Near the limit the
 * last sixteen bytes before it are looked at, as those behind it may not be read; "from" is where bytes can be read.
 */
static inline uint32
PgBsonElementKeyLength(const uint8 *p, const uint8 *limit, const uint8 *from)
{
#ifdef PGBSON_VECTORS
	if (limit - p <= 16 && limit - from >= 16)
	{
		uint64		zeroes = PgBsonVectorMask(PgBsonVectorEqual(PgBsonVectorLoad(limit - 16), PgBsonVectorFill(0)));

		zeroes >>= (16 - (limit - p)) * PGBSON_MASK_STEP;
		/* not the type byte */
		zeroes &= ~UINT64CONST(1);
		return zeroes == 0 ? PGBSON_BAD_SIZE : PgBsonMaskFirst(zeroes) - 1;
	}
#endif
	return PgBsonKeyLength(p + 1, limit);
}

/*
 * How many bytes of an element may be read without a look at the limit: a header of at most sixteen, and behind it a
 * length word or the largest value that has none
 */
#define PGBSON_STRIDE_ROOM	32

/* An element: its value, and how many bytes its value and its key have */
typedef struct PgBsonStepped
{
	const uint8 *value;
	uint64		size;
	uint32		key_len;
} PgBsonStepped;

/* How many elements' key lengths a call site remembers; further elements use these again from the first on */
#define PGBSON_GUESSES		128

/*
 * A call site stops guessing when it has MOST_DOUBTS.  A document in which a guess was wrong adds DOUBTS, another one
 * takes one away: so it stops if more than one document in seventeen differs from the one before.
 */
#define PGBSON_DOUBTS		16
#define PGBSON_MOST_DOUBTS	64

/*
 * How many bytes the type and the key of each element are guessed to take: as many as in the document before, or, where
 * documents differ, as many as those of the element before.  A call site keeps this from one document to the next; it
 * begins as zeroes.
 */
typedef struct PgBsonGuess
{
	uint32		passed;			/* how many elements of this document come before the next one */
	bool		by_document;	/* guess by the document before, not by the element before */
	bool		wrong;			/* was a guess for this document wrong? */
	uint8		doubts;
	uint8		lengths[PGBSON_GUESSES];	/* become what is found */
} PgBsonGuess;

/* Before each document */
static inline void
PgBsonGuessBegin(PgBsonGuess *guess)
{
	if (guess->doubts < PGBSON_MOST_DOUBTS)
	{
		if (guess->wrong)
			guess->doubts += PGBSON_DOUBTS;
		else if (guess->doubts > 0)
			guess->doubts--;
		guess->wrong = false;
	}
	guess->passed = 0;
	guess->by_document = guess->doubts < PGBSON_MOST_DOUBTS;
}

/*
 * Step over elements of common types from *from on, up to one to stop at, for which it returns true and sets *at; or up
 * to a rare one, or near "limit".  *from moves on, and at->value is that of the last element that was stepped over.
 * "by_document" is the guess's; where it is a constant the compiler makes a loop for each.
 */
static pg_attribute_always_inline bool
PgBsonStride(const uint8 **from, const uint8 *limit, PgBsonGuess *guess, bool by_document,
			 PgBsonMayStop may_stop, void *arg, PgBsonStepped *at)
{
	const uint8 *p = *from;
	const uint8 *last_value = at->value;
	uint32		passed = guess->passed;
	uint32		header_len = guess->lengths[0];
	bool		stopped = false;

	while (limit - p >= PGBSON_STRIDE_ROOM)
	{
		uint32		len = PgBsonBeforeZero16(p) + 1;
		uint8		class = PgBsonSizeClass[*p];
		const uint8 *here;
		uint64		size;

		if (by_document)
			header_len = guess->lengths[passed % PGBSON_GUESSES];
		/* opaque, or the compiler might use the new number where it found it equal to the old one */
		if (len != PgBsonOpaque(header_len))
		{
			if (len < 2 || len > 16)
				break;
			header_len = len;
			if (by_document)
				guess->lengths[passed % PGBSON_GUESSES] = len;
			guess->wrong = true;
		}
		here = p + header_len;
		if (by_document && class == 4)
			size = PgBsonOpaque(4);
		else if (by_document && class == 8)
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
		stopped = may_stop(p + 1, header_len - 2, arg);
		if (stopped)
		{
			last_value = here;
			at->size = size;
			at->key_len = header_len - 2;
			break;
		}
		last_value = here;
		p = here + size;
		passed++;
	}
	guess->passed = passed;
	*from = p;
	at->value = last_value;
	return stopped;
}

/* A walk through a document or an array, of which perhaps only a part is there */
typedef struct PgBsonWalkState
{
	PgBsonView	view;
	const uint8 *avail;			/* the end of the bytes that can be read from the next element on */
	const uint8 *from;			/* the next element */
	const uint8 *need;			/* see PgBsonWalk */
	PgBsonGuess *guess;
	void	   *arg;			/* of the questions where to stop */
} PgBsonWalkState;

/* A walk from the first element on */
static inline PgBsonWalkState
PgBsonWalkBegin(PgBsonView view, const uint8 *avail, PgBsonGuess *guess, void *arg)
{
	return (PgBsonWalkState) {view, avail, view.data + 4, view.data, guess, arg};
}

/*
 * Walk to an element to stop at, which *result becomes; its value may reach beyond the bytes that are there, and so may
 * the last one that was stepped over.  With PGBSON_ABSENT walk->need is how far it looked, perhaps beyond these bytes;
 * with PGBSON_MORE how far they must reach to get on from walk->from.  The questions may be asked twice of an element.
 */
static pg_attribute_always_inline PgBsonFound
PgBsonWalk(PgBsonWalkState *walk, bool by_document, PgBsonMayStop may_stop, PgBsonStop stop, PgBsonValue *result)
{
	const PgBsonView view = walk->view;
	const uint8 *avail = walk->avail;
	PgBsonGuess *guess = walk->guess;
	void	   *arg = walk->arg;
	const uint8 *from = walk->from;
	const uint8 *p = from;
	const uint8 *end = view.data + view.len - 1;
	const uint8 *limit = Min(end, avail);
	const uint8 *upto = p;
	PgBsonStepped at = {p, 0, 0};

	for (;;)
	{
		if (!PgBsonStride(&p, limit, guess, by_document, may_stop, arg, &at))
		{
			uint8		class;
			const uint8 *value;

			if (p >= limit)
				break;
			class = PgBsonSizeClass[*p];
			at.key_len = PgBsonElementKeyLength(p, limit, from);
			if (at.key_len == PGBSON_BAD_SIZE)
				break;
			value = p + at.key_len + 2;
			if (class < PGBSON_SIZED)
				at.size = class;
			else if (class < PGBSON_SIZE_REGEX)
			{
				if (limit - value < 4)
				{
					upto = value + 3;
					break;
				}
				at.size = (uint64) PgBsonReadU32(value) + (class & ~PGBSON_SIZED);
			}
			else if (class == PGBSON_SIZE_REGEX)
			{
				uint32		size = PgBsonValueSize(*p, value, limit - value);

				if (size == PGBSON_BAD_SIZE)
					break;
				at.size = size;
			}
			else
				PgBsonReportDamaged(p - view.data);
			at.value = value;
			if (at.size > (uint64) (end - value))
				PgBsonReportDamaged(p - view.data);
		}
		guess->passed++;
		if (stop(p + 1, at.key_len, limit, arg))
		{
			result->type = *p;
			result->data = at.value;
			result->len = at.size;
			return PGBSON_FOUND;
		}
		p = at.value + at.size;
	}

	if (p == end)
	{
		walk->need = at.value + 4;
		return PGBSON_ABSENT;
	}
	/* an element beyond the document's own end is damaged; one beyond the bytes that are there is not */
	if (limit == end)
		PgBsonReportDamaged(p - view.data);
	walk->from = p;
	walk->need = Max(Max(p, upto), avail) + 1;
	return PGBSON_MORE;
}

/* A walk trusts a length word to step over a value; error XX001 if the type of what it found does not allow it */
static inline void
PgBsonCheckStepped(const PgBsonValue *value)
{
	if (value->type >= PGBSON_STRING && value->type <= PGBSON_ARRAY ? value->len < 5
		: PgBsonSizeClass[(uint8) value->type] >= PGBSON_SIZED &&
		PgBsonValueSize(value->type, value->data, value->len) != value->len)
		PgBsonReportDamaged(0);
}

/* --- occurs.c --- */

/*
 * Returns false if the key, followed by a zero byte, occurs nowhere between "from" and "limit", so that no element
 * there has it.  If it returns true the bytes may be part of a value or of a nested document; or the processor has no
 * vector instructions for this search.  Damage is not noticed.
 */
extern bool PgBsonKeyMayOccur(const uint8 *from, const uint8 *limit, const char *key, uint32 key_len);

#endif							/* PGBSON_WALK_H */
