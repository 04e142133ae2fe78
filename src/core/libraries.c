/*
 * libraries.c
 *	  Loading libbson, json-c and PCRE2 when they are first needed.
 */
#include "core/libraries.h"

#include "fmgr.h"

const PgBsonLibraries *
PgBsonGetLibraries(void)
{
	static const PgBsonLibraries *libraries = NULL;

	if (unlikely(libraries == NULL))
		libraries = ((PgBsonLibrariesFunction)
					 load_external_function("$libdir/bson_libraries", CppAsString2(PGBSON_LIBRARIES), true, NULL)) ();
	return libraries;
}
