/*
 * libbson.h
 *	  libbson, in any of the versions we build with; its one door into core.
 *
 * compat.h cannot hold these differences: it does not know libbson.
 */
#ifndef PGBSON_LIBBSON_H
#define PGBSON_LIBBSON_H

#include <bson/bson.h>

#include "libraries/libraries.h"

/*
 * until libbson before 2.3 is dropped: it has this function, which takes the keys from the caller,
 * under another name
 */
#if !BSON_CHECK_VERSION(2, 3, 0)
#define bson_append_array_unsafe_begin bson_append_array_begin
#endif

/* The functions that we call: LIBBSON->bson_append_null(...), see libraries/libraries.h */
#define PGBSON_LIBBSON_FUNCTIONS(f) \
	f(bson_append_array_end) \
	f(bson_append_array_unsafe_begin) \
	f(bson_append_bool) \
	f(bson_append_document_begin) \
	f(bson_append_document_end) \
	f(bson_append_double) \
	f(bson_append_int32) \
	f(bson_append_int64) \
	f(bson_append_minkey) \
	f(bson_append_null) \
	f(bson_append_utf8) \
	f(bson_concat) \
	f(bson_destroy) \
	f(bson_get_version) \
	f(bson_init_static) \
	f(bson_new_from_buffer) \
	f(bson_oid_init)

typedef struct PgBsonLibbson
{
	PGBSON_LIBBSON_FUNCTIONS(PGBSON_LIBRARY_MEMBER)
} PgBsonLibbson;

#define LIBBSON		(PgBsonGetLibraries()->libbson)

#endif							/* PGBSON_LIBBSON_H */
