/*
 * libraries.c
 *	  Loading libbson, json-c and PCRE2 when they are first needed.
 */
#include "libraries/libraries.h"

#include "fmgr.h"

const PgBsonLibraries *
PgBsonGetLibraries(void)
{
	static const PgBsonLibraries *libraries = NULL;

	/* it is looked for where our own module is, as the control file names that without a directory, too */
	if (unlikely(libraries == NULL))
		libraries = ((PgBsonLibrariesFunction)
					 load_external_function("bson_libraries", CppAsString2(PGBSON_LIBRARIES), true, NULL)) ();
	return libraries;
}
