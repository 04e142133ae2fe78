/*
 * regex.h
 *	  MongoDB's regular expressions: PCRE2, over UTF-8.
 *
 * A compiled expression lives in the memory context current at its making, and
 * goes with it; so does what PCRE2's just-in-time compiler made.  Matching can
 * be cancelled at any time, and ends with an error where an expression takes
 * more steps than PCRE2's usual limit from one place of a string.
 */
#ifndef PGBSON_REGEX_H
#define PGBSON_REGEX_H

#include "postgres.h"

typedef struct PgBsonRegex PgBsonRegex;

/*
 * Make an expression ready.  The options are MongoDB's: i, m, s, x, and u,
 * which changes nothing.  Raises 2201B for a bad pattern, 22023 for another
 * option.
 */
extern PgBsonRegex *PgBsonRegexMake(const char *pattern, uint32 pattern_len,
									const char *options, uint32 options_len);

/* Does it match anywhere in the string, valid UTF-8 that may hold U+0000? */
extern bool PgBsonRegexMatches(PgBsonRegex *regex, const char *string, uint32 len);

/*
 * The same from this byte on, which begins a character.  "groups" is given the
 * first and the last byte plus one of the match and of each group, as many
 * pairs as PgBsonRegexGroups says; -1 where a group took no part.
 */
extern bool PgBsonRegexFind(PgBsonRegex *regex, const char *string, uint32 len, uint32 from,
							int64 *groups);
extern uint32 PgBsonRegexGroups(const PgBsonRegex *regex);

#endif							/* PGBSON_REGEX_H */
