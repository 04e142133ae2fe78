/*
 * bson_libraries.c
 *	  The second module: where the functions of libbson, json-c and PCRE2 are.
 *	  libraries/libraries.h says why it is one of its own.
 */

#include "libraries/json_c.h"
#include "libraries/libbson.h"
#include "libraries/libpcre2.h"

PGBSON_MODULE_MAGIC("bson_libraries", PGBSON_RELEASE);

static const PgBsonLibbson libbson = {PGBSON_LIBBSON_FUNCTIONS(PGBSON_LIBRARY_ADDRESS)};
static const PgBsonJsonC json_c = {PGBSON_JSON_C_FUNCTIONS(PGBSON_LIBRARY_ADDRESS)};
static const PgBsonPcre2 pcre2 = {PGBSON_PCRE2_FUNCTIONS(PGBSON_LIBRARY_ADDRESS)};

static const PgBsonLibraries libraries = {&libbson, &json_c, &pcre2};

extern PGDLLEXPORT const PgBsonLibraries *PGBSON_LIBRARIES(void);

const PgBsonLibraries *
PGBSON_LIBRARIES(void)
{
	return &libraries;
}
