/*
 * scan.h
 *	  Passing over JSON text: white space, and, sixteen bytes at a time, what
 *	  strings need not escape.
 *
 * They must escape '"', '\' and everything below U+0020; the zero byte that ends a
 * BSON key is among them, so one scan finds both a key's end and what needs
 * escaping before it.  Where bytes up to sixteen past the string can be read,
 * one load per sixteen bytes does it; PgBsonPlainRun is for the rest.
 */
#ifndef PGBSON_SCAN_H
#define PGBSON_SCAN_H

#include "postgres.h"

#include "port/pg_bitutils.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

/* White space of JSON */
static inline const uint8 *
PgBsonSkipSpace(const uint8 *s, const uint8 *end)
{
	while (s < end && (*s == ' ' || *s == '\n' || *s == '\r' || *s == '\t'))
		s++;
	return s;
}

static inline bool
PgBsonIsPlainByte(uint8 c)
{
	return c >= 0x20 && c != '"' && c != '\\';
}

/* How many of the sixteen bytes at "s" come before the first that JSON escapes */
static inline uint32
PgBsonPlainRun16(const uint8 *s)
{
#if defined(__SSE2__)
	__m128i		v = _mm_loadu_si128((const __m128i *) s);
	__m128i		special;
	uint32		mask;

	/* v <= 0x1f, unsigned: the minimum of the two is v */
	special = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);
	special = _mm_or_si128(special, _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
	special = _mm_or_si128(special, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
	mask = (uint32) _mm_movemask_epi8(special) | 0x10000;
	return pg_rightmost_one_pos32(mask);
#elif defined(__aarch64__) && defined(__ARM_NEON)
	uint8x16_t	v = vld1q_u8(s);
	uint8x16_t	special;
	uint64		mask;

	special = vcltq_u8(v, vdupq_n_u8(0x20));
	special = vorrq_u8(special, vceqq_u8(v, vdupq_n_u8('"')));
	special = vorrq_u8(special, vceqq_u8(v, vdupq_n_u8('\\')));
	/* there is no movemask: four bits for each byte */
	mask = vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(special), 4)), 0);
	return mask == 0 ? 16 : pg_rightmost_one_pos64(mask) / 4;
#else
	uint32		i = 0;

	while (i < 16 && PgBsonIsPlainByte(s[i]))
		i++;
	return i;
#endif
}

/* How many of the "len" bytes at "s" come before the first that JSON escapes */
static inline Size
PgBsonPlainRun(const uint8 *s, Size len)
{
	Size		i = 0;

	while (len - i >= 16)
	{
		uint32		n = PgBsonPlainRun16(s + i);

		i += n;
		if (n < 16)
			return i;
	}
	while (i < len && PgBsonIsPlainByte(s[i]))
		i++;
	return i;
}

#endif							/* PGBSON_SCAN_H */
