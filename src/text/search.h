/*
 * search.h
 *	  MongoDB's text search by the server's: what a text index has of a document, and what a search asks for.
 *
 * See src/mongo/db/fts/ of MongoDB: fts_spec.cpp, fts_element_iterator.cpp, fts_query_impl.cpp, fts_matcher.cpp.
 */
#ifndef PGBSON_SEARCH_H
#define PGBSON_SEARCH_H

#include "core/bytes/view.h"

/* below the first, which includes postgres.h */
#include "tsearch/ts_type.h"

/* What a text index is on; palloc'd with all that it points to, but for the names in the specification's bytes */
typedef struct PgBsonTextSpec PgBsonTextSpec;

/* A search, palloc'd with all that it points to */
typedef struct PgBsonTextSearch PgBsonTextSearch;

/*
 * The specification that an index's expression has, {weights: {path: number, ...}, default_language: string,
 * language_override: string}, of one as MongoDB's createIndexes gets it; paths are in the order of their bytes.  The
 * path $** stands for all strings.  Error 22023 for what MongoDB refuses, 0A000 for more than four different weights.
 */
extern PgBsonValue PgBsonTextSpecOf(const PgBsonValue *index);

/* Parse such a specification; error 22023 */
extern PgBsonTextSpec *PgBsonTextSpecParse(const PgBsonValue *spec);

/* The words of the document, with the classes A to D for its weights; error 22023 for a language that is not known */
extern TSVector PgBsonTextVector(const PgBsonTextSpec *spec, const PgBsonValue *document);

/* Parse {$search: string, $language: string, $caseSensitive: boolean, $diacriticSensitive: boolean}; error 22023 */
extern PgBsonTextSearch *PgBsonTextSearchParse(const PgBsonTextSpec *spec, const PgBsonValue *search);

/* The search's words, of which a document must have one, and, unless "positive", none of those with a minus */
extern TSQuery PgBsonTextQuery(const PgBsonTextSearch *search, bool positive);

/* Does it ask for more than words: phrases, the same case or diacritics?  Has a document that was found these? */
extern bool PgBsonTextIsStrict(const PgBsonTextSearch *search);
extern bool PgBsonTextMatches(const PgBsonTextSpec *spec, const PgBsonTextSearch *search, const PgBsonValue *document);

/* The score of a document */
extern double PgBsonTextScore(const PgBsonTextSpec *spec, const PgBsonTextSearch *search, const PgBsonValue *document);

#endif							/* PGBSON_SEARCH_H */
