/*
 * libpcre2.h
 *	  PCRE2 over UTF-8: its one door into mongo.
 */
#ifndef PGBSON_PCRE2_H
#define PGBSON_PCRE2_H

#include "libraries/libraries.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* The functions that we call: PCRE2->pcre2_match(...), see libraries/libraries.h */
#define PGBSON_PCRE2_FUNCTIONS(f) \
	f(pcre2_callout_enumerate) \
	f(pcre2_code_free) \
	f(pcre2_compile) \
	f(pcre2_compile_context_create) \
	f(pcre2_compile_context_free) \
	f(pcre2_config) \
	f(pcre2_general_context_create) \
	f(pcre2_get_error_message) \
	f(pcre2_get_ovector_count) \
	f(pcre2_get_ovector_pointer) \
	f(pcre2_jit_compile) \
	f(pcre2_match) \
	f(pcre2_match_context_create) \
	f(pcre2_match_data_create_from_pattern) \
	f(pcre2_pattern_info) \
	f(pcre2_set_bsr) \
	f(pcre2_set_callout) \
	f(pcre2_set_heap_limit) \
	f(pcre2_set_match_limit) \
	f(pcre2_set_newline) \
	f(pcre2_set_offset_limit)

typedef struct PgBsonPcre2
{
	PGBSON_PCRE2_FUNCTIONS(PGBSON_LIBRARY_MEMBER)
} PgBsonPcre2;

#define PCRE2		(PgBsonGetLibraries()->pcre2)

#endif							/* PGBSON_PCRE2_H */
