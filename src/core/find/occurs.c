/*
 * occurs.c
 *	  Does a key occur anywhere among the bytes of a document?
 *
 * A walk goes from element to element, each step waiting for the one before.  Sixteen bytes at a time, which wait for
 * nothing, a search through all bytes is several times as fast where elements are small.
 */
#include "core/find/occurs.h"

#include "core/bytes/vector.h"

#ifdef PGBSON_VECTORS

/* Which of the sixteen places from "p" on have the first byte of the key, its last one behind that, and a zero byte */
static inline PgBsonVector
places(const uint8 *p, uint32 key_len, PgBsonVector first, PgBsonVector last)
{
	PgBsonVector begins = PgBsonVectorEqual(PgBsonVectorLoad(p), first);
	PgBsonVector ends = PgBsonVectorEqual(PgBsonVectorLoad(p + key_len - 1), last);
	PgBsonVector zero = PgBsonVectorEqual(PgBsonVectorLoad(p + key_len), PgBsonVectorFill(0));

	return PgBsonVectorAnd(PgBsonVectorAnd(begins, ends), zero);
}

bool
PgBsonKeyMayOccur(const uint8 *from, const uint8 *limit, const char *key, uint32 key_len)
{
	const uint8 *last_places = limit - key_len - 16;
	const uint8 *p = from;
	PgBsonVector first;
	PgBsonVector last;

	/* the last sixteen places may have been looked at before */
	if (key_len == 0 || limit - from < (ptrdiff_t) key_len + 16)
		return true;
	first = PgBsonVectorFill(key[0]);
	last = PgBsonVectorFill(key[key_len - 1]);
	for (;;)
	{
		/* mostly there is none among twice as many */
		while (last_places - p >= 32 &&
			   PgBsonVectorMask(PgBsonVectorOr(places(p, key_len, first, last), places(p + 16, key_len, first, last))) == 0)
			p += 32;
		for (uint64 found = PgBsonVectorMask(places(p, key_len, first, last)); found != 0; found &= found - 1)
		{
			if (memcmp(p + PgBsonMaskFirst(found), key, key_len) == 0)
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
