/*
 * occurs.c
 *	  Does a key occur anywhere among the bytes of a document?
 *
 * A walk goes from element to element, each step waiting for the one before.  Sixteen bytes at a time, which wait for
 * nothing, a search through all bytes is several times as fast where elements are small.
 */
#include "core/find/occurs.h"

#if defined(__SSE2__)
#include <emmintrin.h>

/* A bit for each of the sixteen places from "p" on at which the first and the last byte of the key, and a zero byte behind it, are */
static inline uint32
places(const uint8 *p, uint32 key_len, __m128i first, __m128i last)
{
	__m128i		begins = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *) p), first);
	__m128i		ends = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *) (p + key_len - 1)), last);
	__m128i		zero = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *) (p + key_len)), _mm_setzero_si128());

	return _mm_movemask_epi8(_mm_and_si128(_mm_and_si128(begins, ends), zero));
}

bool
PgBsonKeyMayOccur(const uint8 *from, const uint8 *limit, const char *key, uint32 key_len)
{
	const uint8 *last_places = limit - key_len - 16;
	const uint8 *p = from;
	__m128i		first;
	__m128i		last;

	/* the last sixteen places may have been looked at before */
	if (key_len == 0 || limit - from < (ptrdiff_t) key_len + 16)
		return true;
	first = _mm_set1_epi8(key[0]);
	last = _mm_set1_epi8(key[key_len - 1]);
	for (;;)
	{
		for (uint32 found = places(p, key_len, first, last); found != 0; found &= found - 1)
		{
			if (memcmp(p + pg_rightmost_one_pos32(found), key, key_len) == 0)
				return true;
		}
		if (p == last_places)
			return false;
		p = Min(p + 16, last_places);
	}
}
#else

bool
PgBsonKeyMayOccur(const uint8 *from, const uint8 *limit, const char *key, uint32 key_len)
{
	return true;
}
#endif
