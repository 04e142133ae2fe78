/*
 * libbson.h
 *	  libbson, in any of the versions we build with; its one door into core.
 *
 * compat.h cannot hold these differences: it does not know libbson.
 */
#ifndef PGBSON_LIBBSON_H
#define PGBSON_LIBBSON_H

#include <bson/bson.h>

/* until libbson before 2.3 is dropped: the function whose keys are the caller's got this name */
#if !BSON_CHECK_VERSION(2, 3, 0)
#define bson_append_array_unsafe_begin bson_append_array_begin
#endif

#endif							/* PGBSON_LIBBSON_H */
