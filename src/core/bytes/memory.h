/*
 * memory.h
 *	  Memory of lists that grow, and of many small things; how much memory the values that a statement makes may take.
 */
#ifndef PGBSON_MEMORY_H
#define PGBSON_MEMORY_H

#include "postgres.h"

/* Make a list this large, also beyond 1 GB: palloc it in the current context if it is NULL, else enlarge it */
static inline void *
PgBsonResize(void *list, Size bytes)
{
	return list == NULL ? palloc(bytes) : repalloc_huge(list, bytes);
}

/* A list for this many, each "width" bytes; never without memory, also beyond 1 GB */
static inline void *
PgBsonAllocList(Size count, Size width)
{
	return palloc_extended(Max(count, 1) * width, MCXT_ALLOC_HUGE);
}

/* Make room for one more in a list of "n", each of "width" bytes: it is doubled when "n" is a power of two */
static inline void *
PgBsonRoomForOne(void *list, Size count, Size width)
{
	return (count & (count - 1)) == 0 ? PgBsonResize(list, Max(count * 2, 1) * width) : list;
}

/* Double a list of this size, also beyond 1 GB, which begins in "few", a member of a struct, and then has its own memory */
static inline void *
PgBsonDoubleList(void *list, const void *few, Size bytes)
{
	void	   *larger = PgBsonResize(list == few ? NULL : list, bytes * 2);

	return list == few ? memcpy(larger, few, bytes) : larger;
}

/*
 * Memory for many small things that are freed together, with their memory context: pieces, each twice as large as the
 * one before.  Begins as zeroes.
 */
typedef struct PgBsonArena
{
	char	   *free;
	Size		left;			/* bytes that are free */
	Size		piece;			/* size of the last piece */
} PgBsonArena;

/* The sizes of the first piece, and of the largest */
#define PGBSON_FIRST_PIECE		1024
#define PGBSON_LARGEST_PIECE	(256 * 1024)

/* This many bytes of the arena, whose pieces are in this context.  Eight bytes can be read from any place in them. */
static inline void *
PgBsonArenaTake(PgBsonArena *arena, MemoryContext context, Size size)
{
	char	   *taken;

	if (arena->left < size + 8)
	{
		arena->piece = Min(Max(arena->piece * 2, PGBSON_FIRST_PIECE), PGBSON_LARGEST_PIECE);
		arena->left = Max(arena->piece, size + 8);
		arena->free = MemoryContextAlloc(context, arena->left);
	}
	taken = arena->free;
	arena->free += size;
	arena->left -= size;
	return taken;
}

/*
 * MongoDB's languages can make large values of small ones, by a statement of a few hundred bytes.  So each document,
 * array and string that they make has a greatest size, bson.memory_limit in megabytes, and what is there at once must
 * not take more than a few times as much.  What is stored, and what other functions make, may be larger.
 */
extern int	PgBsonMemoryLimit;

static inline Size
PgBsonMostBytes(void)
{
	return (Size) PgBsonMemoryLimit * 1024 * 1024;
}

/* Values below this size, in bytes, are not worth a look at all memory that was taken */
#define PGBSON_LARGE_VALUE		((Size) 1024 * 1024)

/*
 * Error 54000 if a context, with those below it, has taken more than all values of a statement may.  "where" is the name
 * of the operator, accumulator or stage that is at work, or "".
 */
extern void PgBsonCheckMemory(MemoryContext context, const char *where);

#endif							/* PGBSON_MEMORY_H */
