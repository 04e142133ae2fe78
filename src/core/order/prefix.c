/*
 * prefix.c
 *	  Abbreviated keys of sorts: the first 64 bits of an encoding that sorts as compare.c orders.
 *
 * The encoding is a stream of bits, most significant first, of which 64 are kept.  A value
 * has five bits for its rank, and then bits that sort values of that rank.  Those of a
 * container are its first element, with the name of a field.  Where the bits do not tell all
 * of a value, the stream ends, and the rest is zero: so different values may have the same
 * key, but never keys that sort in the wrong order.
 *
 * The names on the way to the first scalar could take all bits, although mostly all documents
 * of a sort have the same.  So keys are made with the spine of one of the documents.  The
 * first two bits tell whether a value sorts before the values that have this spine, has it
 * itself, or sorts after them.  If it has it, only what follows the spine is encoded.
 */

#include "core/number/number.h"
#include "core/order/compare.h"

#define RANK_BITS		5

typedef struct BitStream
{
	uint64		bits;
	int			left;			/* how many of the low bits are free */
} BitStream;

/* Append the low "width" bits of v, or the highest of these if there is no room for all */
static inline void
put_bits(BitStream *s, uint64 v, int width)
{
	/* C does not define a shift by 64 bits */
	if (s->left == 0)
		return;
	if (width > s->left)
	{
		v >>= width - s->left;
		width = s->left;
	}
	s->left -= width;
	s->bits |= v << s->left;
}

/* Append an integer, saturated to the bits that are left */
static void
put_integer_prefix(BitStream *s, int64 v)
{
	int64		limit;

	if (s->left <= 1)
		return;
	limit = INT64CONST(1) << (s->left - 1);
	v = Max(Min(v, limit - 1), -limit);
	put_bits(s, (uint64) (v + limit), s->left);
}

static void
put_rank_prefix(BitStream *s, PgBsonType type)
{
	/* 0 is the end of a container */
	put_bits(s, PgBsonTypeRank(type) + 1, RANK_BITS);
}

/* Append as much of a scalar, without its rank, as there is room for */
static void
put_scalar(BitStream *s, const PgBsonValue *value)
{
	uint64		bytes = 0;
	bool		whole;

	/* a number in one piece, as most sorts are of numbers; of a date the low bits matter most */
	if (PgBsonIsNumber(value->type))
		put_bits(s, PgBsonNumberSortBits(value), 64);
	else if (value->type == PGBSON_DATE)
		put_integer_prefix(s, PgBsonReadI64(value->data));
	else
	{
		(void) PgBsonSortableBytes(value, (uint8 *) &bytes, sizeof(bytes), &whole);
		put_bits(s, pg_ntoh64(bytes), 64);
	}
}

/* Append what follows the rank of a value */
static void
put_value_prefix(BitStream *s, PgBsonValue v)
{
	PgBsonIter	iter;

	while (PgBsonIsContainer(v.type))
	{
		/* every level takes at least five bits, so this ends soon */
		if (s->left == 0 || !PgBsonFirst(&v, &iter))
			return;
		put_rank_prefix(s, iter.value.type);
		if (v.type == PGBSON_DOCUMENT)
		{
			/* the key and its zero byte */
			for (uint32 i = 0; i <= iter.key_len && s->left > 0; i++)
				put_bits(s, (uint8) iter.key[i], 8);
		}
		v = iter.value;
	}
	put_scalar(s, &v);
}

void
PgBsonSpineInit(PgBsonSpine *spine, const PgBsonValue *value)
{
	PgBsonValue v = *value;
	PgBsonIter	iter;
	uint32		used = 0;

	spine->ranks[0] = PgBsonTypeRank(v.type);
	spine->key_lens[0] = 0;
	spine->levels = 1;
	while (spine->levels < PGBSON_SPINE_LEVELS && PgBsonFirst(&v, &iter))
	{
		/* keys of arrays mean nothing */
		uint32		key_len = v.type == PGBSON_DOCUMENT ? iter.key_len : 0;

		if (key_len > PGBSON_SPINE_KEYS - used)
			break;
		memcpy(spine->keys + used, iter.key, key_len);
		used += key_len;
		v = iter.value;
		spine->ranks[spine->levels] = PgBsonTypeRank(v.type);
		spine->key_lens[spine->levels++] = key_len;
	}
}

void
PgBsonReachSpine(PgBsonReader *reader)
{
	PgBsonValue v = reader->root;
	PgBsonIter	iter;

	while (PgBsonIsContainer(v.type))
	{
		PgBsonIterInit(&iter, PgBsonValueView(&v));
		(void) PgBsonReachElement(reader, iter.next, iter.end, reader->avail, false);
		if (!PgBsonIterNext(&iter))
			return;
		v = iter.value;
	}
}

/*
 * Follow the spine from the root, *v, which becomes the value at its end.  Returns how the root
 * compares with values that have the spine; 0 if it has it, too.
 */
static int
follow_spine(const PgBsonSpine *spine, PgBsonValue *v)
{
	const char *key = spine->keys;
	int			cmp = PgBsonTypeRank(v->type) - spine->ranks[0];

	for (int i = 1; cmp == 0 && i < spine->levels; i++)
	{
		bool		keyed = v->type == PGBSON_DOCUMENT;
		uint32		key_len = spine->key_lens[i];
		PgBsonIter	iter;

		if (!PgBsonFirst(v, &iter))
			return -1;
		*v = iter.value;
		/* in the order of compare.c: rank, key, value */
		cmp = PgBsonTypeRank(v->type) - spine->ranks[i];
		if (cmp == 0 && keyed)
			cmp = memcmp(iter.key, key, Min(iter.key_len, key_len));
		if (cmp == 0 && keyed)
			cmp = (iter.key_len > key_len) - (iter.key_len < key_len);
		key += key_len;
	}
	return cmp;
}

uint64
PgBsonSortPrefix(const PgBsonSpine *spine, const PgBsonValue *value)
{
	BitStream	s = {0, 64};
	PgBsonValue v = *value;
	int			cmp = follow_spine(spine, &v);

	put_bits(&s, cmp < 0 ? 0 : cmp == 0 ? 1 : 2, 2);
	if (cmp != 0)
	{
		v = *value;
		put_rank_prefix(&s, v.type);
	}
	put_value_prefix(&s, v);
	return s.bits;
}
