/*
 * regex.h
 *	  MongoDB's regular expressions: PCRE2, over UTF-8.
 *
 * A compiled expression, with the machine code that PCRE2 may make of it, lives in the memory
 * context that is current when it is compiled.  Matching can be cancelled at any time.  It raises an
 * error if at one place of a string it takes more steps than PCRE2's usual limit.
 * The authority is MongoDB's src/mongo/util/pcre.cpp.
 */
#ifndef PGBSON_REGEX_H
#define PGBSON_REGEX_H

#include "postgres.h"

/* May an expression that is used often be compiled to machine code?  The setting bson.regex_jit. */
extern bool PgBsonRegexJit;

typedef struct PgBsonRegex PgBsonRegex;

/*
 * Compile an expression.  The options are MongoDB's: i, m, s, x, and u, which has no effect.
 * Raises 2201B for a bad pattern, 22023 for another option.
 */
extern PgBsonRegex *PgBsonRegexMake(const char *pattern, uint32 pattern_len,
									const char *options, uint32 options_len);

/* Does the expression match anywhere in the string, which is valid UTF-8 and may contain U+0000? */
extern bool PgBsonRegexMatches(PgBsonRegex *regex, const char *string, uint32 len);

/*
 * Search from this byte on, which begins a character.  "groups" receives, for the match and for
 * each group, the positions of its first byte and of the byte after its last, PgBsonRegexGroups
 * pairs in all; -1 for a group that took no part.
 */
extern bool PgBsonRegexFind(PgBsonRegex *regex, const char *string, uint32 len, uint32 from,
							int64 *groups);
extern uint32 PgBsonRegexGroups(const PgBsonRegex *regex);

#endif							/* PGBSON_REGEX_H */
