/*
 * libraries.h
 *	  libbson, json-c and PCRE2, loaded when they are first needed.
 *
 * To load them takes a backend longer than to load our own module, and most
 * sessions and parallel workers never call them.  So this module is not linked
 * with them.  A second module is, bson_libraries (src/libraries), which holds
 * nothing but the addresses of their functions.
 *
 * Each library has a table of the functions that we call, in the header that
 * is the only one to include the library's own: libraries/libbson.h, libraries/json_c.h,
 * libraries/libpcre2.h.
 */
#ifndef PGBSON_LIBRARIES_H
#define PGBSON_LIBRARIES_H

#include "pgbson.h"

struct PgBsonLibbson;
struct PgBsonJsonC;
struct PgBsonPcre2;

typedef struct PgBsonLibraries
{
	const struct PgBsonLibbson *libbson;
	const struct PgBsonJsonC *json_c;
	const struct PgBsonPcre2 *pcre2;
} PgBsonLibraries;

/*
 * The function that bson_libraries exports.  A session may load the module after a newer one was
 * installed, so the name tells which tables it has: it ends in the checksum of their lists, which
 * test/bin/layers calculates.
 */
#define PGBSON_LIBRARIES	pgbson_libraries_3702482250

typedef const PgBsonLibraries *(*PgBsonLibrariesFunction) (void);

/* The members of a table, and their values, from a list of functions */
#define PGBSON_LIBRARY_MEMBER(name)		__typeof__(name) *name;
#define PGBSON_LIBRARY_ADDRESS(name)	name,

/* The tables; loads the libraries at the first call, which can raise an error */
extern const PgBsonLibraries *PgBsonGetLibraries(void);

/* The versions of the libraries that are loaded, which need not be those that we were built with */
typedef struct PgBsonLibraryVersions
{
	const char *libbson;
	const char *json_c;
	const char *pcre2;
} PgBsonLibraryVersions;

extern PgBsonLibraryVersions PgBsonGetLibraryVersions(void);

#endif							/* PGBSON_LIBRARIES_H */
