/*
 * scan.h
 *	  Passing over JSON text: white space, and characters of strings that need no
 *	  escape, sixteen bytes at a time.
 *
 * JSON escapes '"', '\' and everything below U+0020.  The zero byte at the end of a
 * BSON key is one of these, so one scan finds the end of a key and what must be escaped
 * before it.  PgBsonPlainRun16 needs sixteen bytes that can be read; PgBsonPlainRun
 * reads no further than the string.
 */
#ifndef PGBSON_SCAN_H
#define PGBSON_SCAN_H

#include "core/bytes/vector.h"

/* Skip white space of JSON */
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
#ifdef PGBSON_VECTORS
	PgBsonVector v = PgBsonVectorLoad(s);
	PgBsonVector special = PgBsonVectorAtMost(v, PgBsonVectorFill(0x1F));

	special = PgBsonVectorOr(special, PgBsonVectorEqual(v, PgBsonVectorFill('"')));
	special = PgBsonVectorOr(special, PgBsonVectorEqual(v, PgBsonVectorFill('\\')));
	return PgBsonMaskFirstOrAll(PgBsonVectorMask(special));
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
