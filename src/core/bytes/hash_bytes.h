/*
 * hash_bytes.h
 *	  The hash of bytes.
 */
#ifndef PGBSON_HASH_BYTES_H
#define PGBSON_HASH_BYTES_H

#include "core/bytes/view.h"

#include "common/hashfn.h"

/*
 * The server's hash_bytes_extended, to be inlined.  Where the hash of one value is the
 * seed of the next one's, each waits for the one before, and nothing but what
 * needs the seed should be in that chain.  The server's function is called
 * through a table, and adds the last bytes one after the other.  The algorithm
 * is Bob Jenkins's lookup3, of 2006.
 */
typedef struct PgBsonJenkins
{
	uint32		a;
	uint32		b;
	uint32		c;
} PgBsonJenkins;

static inline uint32
PgBsonTurn(uint32 word, int bits)
{
	return word << bits | word >> (32 - bits);
}

/* A step in which "x" is changed by "y", and "y" by "z" */
static inline void
PgBsonJenkinsStep(uint32 *x, uint32 *y, uint32 z, int bits)
{
	*x = (*x - *y) ^ PgBsonTurn(*y, bits);
	*y += z;
}

/* Between pieces of twelve bytes */
static inline void
PgBsonJenkinsMix(PgBsonJenkins *s)
{
	PgBsonJenkinsStep(&s->a, &s->c, s->b, 4);
	PgBsonJenkinsStep(&s->b, &s->a, s->c, 6);
	PgBsonJenkinsStep(&s->c, &s->b, s->a, 8);
	PgBsonJenkinsStep(&s->a, &s->c, s->b, 16);
	PgBsonJenkinsStep(&s->b, &s->a, s->c, 19);
	PgBsonJenkinsStep(&s->c, &s->b, s->a, 4);
}

/* After the last bytes */
static inline uint64
PgBsonJenkinsFinish(PgBsonJenkins s)
{
	s.c = (s.c ^ s.b) - PgBsonTurn(s.b, 14);
	s.a = (s.a ^ s.c) - PgBsonTurn(s.c, 11);
	s.b = (s.b ^ s.a) - PgBsonTurn(s.a, 25);
	s.c = (s.c ^ s.b) - PgBsonTurn(s.b, 16);
	s.a = (s.a ^ s.c) - PgBsonTurn(s.c, 4);
	s.b = (s.b ^ s.a) - PgBsonTurn(s.a, 14);
	s.c = (s.c ^ s.b) - PgBsonTurn(s.b, 24);
	return (uint64) s.b << 32 | s.c;
}

/* What hash_bytes_extended returns */
static inline uint64
PgBsonHashBytes(const uint8 *p, uint32 len, uint64 seed)
{
#ifdef WORDS_BIGENDIAN
	return hash_bytes_extended(p, (int) len, seed);
#else
	uint32		start = 0x9e3779b9 + len + 3923095;
	PgBsonJenkins s = {start, start, start};

	if (seed != 0)
	{
		s.a += (uint32) (seed >> 32);
		s.b += (uint32) seed;
		PgBsonJenkinsMix(&s);
	}
	for (; len >= 12; p += 12, len -= 12)
	{
		s.a += PgBsonReadU32(p);
		s.b += PgBsonReadU32(p + 4);
		s.c += PgBsonReadU32(p + 8);
		PgBsonJenkinsMix(&s);
	}
	/* less than a word is what the word that ends with it has at its end; the lowest byte of c is not used */
	if (len >= 8)
	{
		s.a += PgBsonReadU32(p);
		s.b += PgBsonReadU32(p + 4);
		s.c += (uint32) ((uint64) PgBsonReadU32(p + len - 4) >> (8 * (12 - len))) << 8;
	}
	else if (len >= 4)
	{
		s.a += PgBsonReadU32(p);
		s.b += (uint32) ((uint64) PgBsonReadU32(p + len - 4) >> (8 * (8 - len)));
	}
	else if (len > 0)
	{
		/* of two bytes the second is the middle one, too, and nothing comes of the same bits twice */
		s.a += p[0] | (uint32) p[len / 2] << (8 * (len / 2)) | (uint32) p[len - 1] << (8 * (len - 1));
	}
	return PgBsonJenkinsFinish(s);
#endif
}

#endif							/* PGBSON_HASH_BYTES_H */
