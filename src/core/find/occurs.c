/*
 * occurs.c
 *	  Does a key occur anywhere among the bytes of a document?
 *
 * A walk goes from element to element, and each step has to wait for the one before.  A search through all bytes,
 * sixteen at a time, does not wait, and is several times as fast if the elements are small.
 */
#include "core/find/walk.h"

#ifdef PGBSON_VECTORS

/*
 * Where among the sixteen bytes from "p" on the key may begin: where its last two bytes and a zero byte are in their
 * places (of a key of one byte, that one and the zero byte)
 */
static inline PgBsonVector
places(const uint8 *p, uint32 key_len, PgBsonVector before, PgBsonVector last)
{
	PgBsonVector begins = PgBsonVectorEqual(PgBsonVectorLoad(p + key_len - Min(key_len, 2)), before);
	PgBsonVector ends = PgBsonVectorEqual(PgBsonVectorLoad(p + key_len - 1), last);
	PgBsonVector zero = PgBsonVectorEqual(PgBsonVectorLoad(p + key_len), PgBsonVectorFill(0));

	return PgBsonVectorAnd(PgBsonVectorAnd(begins, ends), zero);
}

bool
PgBsonKeyMayOccur(const uint8 *from, const uint8 *limit, const char *key, uint32 key_len)
{
	const uint8 *last_places = limit - key_len - 16;
	const uint8 *p = from;
	PgBsonVector before;
	PgBsonVector last;

	if (key_len == 0 || limit - from < (ptrdiff_t) key_len + 16)
		return true;
	/* the last bytes, and not the first, which keys such as key_1 and key_2 have in common */
	before = PgBsonVectorFill(key[key_len - Min(key_len, 2)]);
	last = PgBsonVectorFill(key[key_len - 1]);
	for (;;)
	{
		/* 32 places at a time, as mostly the key occurs at none of them */
		while (last_places - p >= 32 &&
			   PgBsonVectorMask(PgBsonVectorOr(places(p, key_len, before, last),
											   places(p + 16, key_len, before, last))) == 0)
			p += 32;
		for (uint64 found = PgBsonVectorMask(places(p, key_len, before, last)); found != 0; found &= found - 1)
		{
			if (memcmp(p + PgBsonMaskFirst(found), key, key_len) == 0)
				return true;
		}
		if (p == last_places)
			return false;
		/* the last sixteen places may overlap those before them */
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
