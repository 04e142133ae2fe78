/*
 * json_c.h
 *	  json-c: its one door into json.
 *
 * json-c and utils/builtins.h cannot be included together: both declare
 * json_object.
 */
#ifndef PGBSON_JSON_C_H
#define PGBSON_JSON_C_H

#include "libraries/libraries.h"

#include <json-c/json.h>

/* The functions that we call: JSON_C->json_object_put(...), see libraries/libraries.h */
#define PGBSON_JSON_C_FUNCTIONS(f) \
	f(json_c_version) \
	f(json_object_array_get_idx) \
	f(json_object_array_length) \
	f(json_object_get_boolean) \
	f(json_object_get_double) \
	f(json_object_get_int64) \
	f(json_object_get_object) \
	f(json_object_get_string) \
	f(json_object_get_string_len) \
	f(json_object_get_type) \
	f(json_object_object_length) \
	f(json_object_put) \
	f(json_tokener_error_desc) \
	f(json_tokener_free) \
	f(json_tokener_get_error) \
	f(json_tokener_new_ex) \
	f(json_tokener_parse_ex) \
	f(json_tokener_set_flags)

typedef struct PgBsonJsonC
{
	PGBSON_JSON_C_FUNCTIONS(PGBSON_LIBRARY_MEMBER)
} PgBsonJsonC;

#define JSON_C		(PgBsonGetLibraries()->json_c)

/* json_object_object_foreachC, which would call json-c itself */
#define JSON_C_FOREACH(object, it) \
	for ((it).entry = lh_table_head(JSON_C->json_object_get_object(object)); \
		 (it).entry != NULL && \
		 ((it).key = lh_entry_k((it).entry), (it).val = lh_entry_v((it).entry), true); \
		 (it).entry = lh_entry_next((it).entry))

#endif							/* PGBSON_JSON_C_H */
