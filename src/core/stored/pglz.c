/*
 * pglz.c
 *	  Decompressing what the server compressed with pglz.
 *
 * Finding a key of a large document takes most of its time in the server's
 * pglz_decompress, which copies literals byte by byte.  This decompressor takes
 * a half to a third of that time.
 *
 * The stream (common/pg_lzcompress.c of the server describes it) comes in
 * groups: a byte of eight flags, lowest first, and eight items.  An item is a
 * literal byte, or, its flag being set, a match: two bytes with an offset of
 * twelve bits and a length of 3 to 17; or three, the length being 18 plus the
 * third.
 *
 * Groups that are not near the end of the stream are copied eight literals at
 * a time, whose number the flags tell in one step, and matches sixteen bytes
 * at a time.  Both may write too many bytes; the next item overwrites them, and
 * there is room behind the result.
 */
#include "core/stored/stream.h"

#include "port/pg_bitutils.h"

/* The most bytes that are read for a group: its flags, eight long matches, and eight bytes that are no literals */
#define GROUP_MAX		(1 + 8 * 3 + 8)

/* The length of the shortest match, and the length from which on a third byte is added to it */
#define MATCH_MIN		3
#define MATCH_LONG		18

/* Matches of this length or more are copied with memcpy */
#define LONG_COPY		64

/* How many bytes of the stream the match at "s" takes */
static inline int
match_size(const uint8 *s)
{
	return (s[0] & 0x0F) + MATCH_MIN == MATCH_LONG ? 3 : 2;
}

/*
 * Copy a match whose offset is less than sixteen, so that it repeats itself: the
 * first sixteen bytes one by one, then a copy of these again and again.  To read
 * them from what was just written would make the processor wait.
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

/* Copy a long match: what can be copied at once becomes twice as long each time */
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
 * Copy the match at "s", all of which is there.  Returns the end of the match in
 * the stream, or NULL if it is damaged.  Inline, as a call takes a quarter longer.
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

/* Copy a group, of which GROUP_MAX bytes can be read.  Returns its end in the stream, or NULL if it is damaged. */
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

/* Copy the last groups item by item.  Returns their end in the stream, or NULL if one is damaged. */
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
