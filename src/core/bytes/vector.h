/*
 * vector.h
 *	  Sixteen bytes at a time: the only file that tells processors apart.
 *
 * PGBSON_VECTORS is defined for processors that have such instructions: x86-64 (SSE2) and 64-bit ARM (NEON).  Others
 * need code without them.  A mask has one bit for each byte; the bits of two neighbours are PGBSON_MASK_STEP apart.
 */
#ifndef PGBSON_VECTOR_H
#define PGBSON_VECTOR_H

#include "postgres.h"

#include "port/pg_bitutils.h"

#if defined(__SSE2__)

#include <emmintrin.h>

#define PGBSON_VECTORS
#define PGBSON_MASK_STEP	1

typedef __m128i PgBsonVector;

#define PgBsonVectorLoad(p)			_mm_loadu_si128((const __m128i *) (p))
#define PgBsonVectorFill(byte)		_mm_set1_epi8((char) (byte))
#define PgBsonVectorEqual(a, b)		_mm_cmpeq_epi8(a, b)
#define PgBsonVectorAnd(a, b)		_mm_and_si128(a, b)
#define PgBsonVectorOr(a, b)		_mm_or_si128(a, b)
/* a <= b, unsigned: the lesser of both is a */
#define PgBsonVectorAtMost(a, b)	_mm_cmpeq_epi8(_mm_min_epu8(a, b), a)

static inline uint64
PgBsonVectorMask(PgBsonVector v)
{
	return (uint32) _mm_movemask_epi8(v);
}

#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(WORDS_BIGENDIAN)

#include <arm_neon.h>

#define PGBSON_VECTORS
#define PGBSON_MASK_STEP	4

typedef uint8x16_t PgBsonVector;

#define PgBsonVectorLoad(p)			vld1q_u8(p)
#define PgBsonVectorFill(byte)		vdupq_n_u8(byte)
#define PgBsonVectorEqual(a, b)		vceqq_u8(a, b)
#define PgBsonVectorAnd(a, b)		vandq_u8(a, b)
#define PgBsonVectorOr(a, b)		vorrq_u8(a, b)
#define PgBsonVectorAtMost(a, b)	vcleq_u8(a, b)

/* No instruction makes a mask of one bit for each byte, but one makes a mask of four */
static inline uint64
PgBsonVectorMask(PgBsonVector v)
{
	return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(v), 4)), 0) &
		UINT64CONST(0x1111111111111111);
}

#endif

#ifdef PGBSON_VECTORS

/* The number of the byte whose bit is the lowest one in a mask that is not zero */
static inline uint32
PgBsonMaskFirst(uint64 mask)
{
	return pg_rightmost_one_pos64(mask) / PGBSON_MASK_STEP;
}

/* PgBsonMaskFirst, or 16 if the mask is zero; without a branch where there is room for a 17th bit */
static inline uint32
PgBsonMaskFirstOrAll(uint64 mask)
{
	if (PGBSON_MASK_STEP < 4)
		return pg_rightmost_one_pos64(mask | UINT64CONST(1) << (16 * PGBSON_MASK_STEP) % 64);
	return mask == 0 ? 16 : PgBsonMaskFirst(mask);
}

#endif

#endif							/* PGBSON_VECTOR_H */
