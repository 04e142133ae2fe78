/*
 * pglz.c
 *	  Decompressing what the server compressed with pglz.
 *
 * Most of the time that a key of a large document costs goes by in the
 * server's pglz_decompress, which looks at every item and every literal byte
 * in turn; this takes a half to a third of it.
 *
 * The stream (common/pg_lzcompress.c of the server describes it) comes in
 * groups: a byte of eight flags, lowest first, and eight items.  An item is a
 * literal byte, or, its flag being set, a match: two bytes with an offset of
 * twelve bits and a length of 3 to 17; or three, the length being 18 plus the
 * third.
 *
 * A group that is not near the end of the stream is copied boldly: literals
 * eight at a time, their number told by the flags in one step; matches sixteen
 * bytes at a time.  Both write further than they should, what comes next
 * overwrites that, and behind the result there is room.
 */
#include "core/stored/pglz.h"

#include "port/pg_bitutils.h"

/* What a group may take of the stream: its flags, eight long matches; and eight bytes that are read as literals in vain */
#define GROUP_MAX		(1 + 8 * 3 + 8)

/* The shortest match, and the length from which on another byte tells it */
#define MATCH_MIN		3
#define MATCH_LONG		18

/* From this length on a match is copied by calls of memcpy */
#define LONG_COPY		64

/* How many bytes of the stream the match at "s" takes */
static inline int
match_size(const uint8 *s)
{
	return (s[0] & 0x0F) + MATCH_MIN == MATCH_LONG ? 3 : 2;
}

/*
 * A match that repeats what is shorter than is copied at once: its beginning
 * byte by byte, then as many repetitions as are in sixteen bytes again and again.
 * They are not read from what was just written, as the processor would wait.
 */
static pg_noinline void
repeat(uint8 *to, const uint8 *from, uint32 offset, uint32 len)
{
	uint8		pattern[16];
	uint32		step;

	for (uint32 i = 0; i < Min(len, 16); i++)
		to[i] = from[i];
	if (len <= 16)
		return;
	memcpy(pattern, to, 16);
	step = 16 - 16 % offset;
	for (uint32 i = step; i < len; i += step)
		memcpy(to + i, pattern, 16);
}

/* A match that is worth a call: what is repeated becomes twice as long each time */
static pg_noinline void
copy_long(uint8 *to, const uint8 *from, uint32 offset, uint32 len)
{
	for (; offset < len; offset *= 2)
	{
		memcpy(to, from, offset);
		to += offset;
		len -= offset;
	}
	memcpy(to, from, len);
}

/*
 * The match at "s", which is all there, with room for it; returns what is behind
 * it, or NULL if it is damaged.  One whose offset is shorter than what is copied
 * at once repeats itself.  As a call this took a quarter longer.
 */
static pg_attribute_always_inline const uint8 *
copy_match(const uint8 *s, uint8 **out, const uint8 *result)
{
	uint8	   *to = *out;
	uint32		len = (s[0] & 0x0F) + MATCH_MIN;
	uint32		offset = (s[0] & 0xF0) << 4 | s[1];
	const uint8 *from;

	s += 2;
	if (len == MATCH_LONG)
		len += *s++;
	if (offset == 0 || offset > to - result)
		return NULL;

	from = to - offset;
	if (offset < 16)
		repeat(to, from, offset, len);
	else if (len < LONG_COPY)
	{
		memcpy(to, from, 16);
		for (uint32 i = 16; i < len; i += 16)
			memcpy(to + i, from + i, 16);
	}
	else
		copy_long(to, from, offset, len);
	*out = to + len;
	return s;
}

/* A group, with room for all it may read and write; NULL if it is damaged */
static inline const uint8 *
copy_group(const uint8 *s, uint8 **out, const uint8 *result)
{
	uint8	   *p = *out;
	uint32		flags = *s++ | 0x100;	/* the ninth ends it */

	for (;;)
	{
		int			literals = pg_rightmost_one_pos32(flags);

		memcpy(p, s, 8);
		p += literals;
		s += literals;
		flags >>= literals;
		if (flags == 1)
			break;
		flags >>= 1;

		if ((s = copy_match(s, &p, result)) == NULL)
			return NULL;
	}
	*out = p;
	return s;
}

/* The last groups: item by item.  NULL if one is damaged */
static const uint8 *
copy_rest(const uint8 *s, const uint8 *end, uint8 **out, const uint8 *out_end, const uint8 *result)
{
	uint8	   *p = *out;

	while (s < end && p < out_end)
	{
		uint32		flags = *s++ | 0x100;

		for (; flags != 1 && s < end && p < out_end; flags >>= 1)
		{
			if ((flags & 1) == 0)
				*p++ = *s++;
			else if (end - s < match_size(s) || (s = copy_match(s, &p, result)) == NULL)
				return NULL;
		}
	}
	*out = p;
	return s;
}

bool
PgBsonPglzDecompress(PgBsonPglz *state, const uint8 *end, bool ends, uint32 want, uint32 whole)
{
	const uint8 *s = state->source;
	uint8	   *p = state->result + state->done;
	uint8	   *enough = state->result + want;
	uint8	   *out_end = state->result + whole;

	while (s != NULL && p < enough && end - s >= GROUP_MAX)
		s = copy_group(s, &p, state->result);
	if (s != NULL && p < enough && ends)
		s = copy_rest(s, end, &p, out_end, state->result);
	if (s == NULL || (ends && p < enough) || p > out_end || (p == out_end && !(ends && s == end)))
		return false;
	state->source = s;
	state->done = p - state->result;
	return true;
}
