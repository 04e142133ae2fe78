/*
 * libraries.c
 *	  Loading libbson, json-c and PCRE2 when they are first needed.
 */
#include "libraries/json_c.h"
#include "libraries/libbson.h"
#include "libraries/libpcre2.h"

const PgBsonLibraries *
PgBsonGetLibraries(void)
{
	static const PgBsonLibraries *libraries = NULL;
	PgBsonLibrariesFunction function;

	if (likely(libraries != NULL))
		return libraries;
	/* without a directory, like the name of our module in the control file: the server finds both in the same place */
	function = (PgBsonLibrariesFunction)
		load_external_function("bson_libraries", CppAsString2(PGBSON_LIBRARIES), false, NULL);
	if (function == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the modules bson and bson_libraries are of different versions"),
				 errhint("If bson was installed while this session was open, begin a new one; else install both again.")));
	return libraries = function();
}

PgBsonLibraryVersions
PgBsonGetLibraryVersions(void)
{
	PgBsonLibraryVersions versions;
	int			len = PCRE2->pcre2_config(PCRE2_CONFIG_VERSION, NULL);
	char	   *pcre2 = palloc0(Max(len, 0) + 1);

	(void) PCRE2->pcre2_config(PCRE2_CONFIG_VERSION, pcre2);
	versions.pcre2 = pcre2;
	versions.libbson = LIBBSON->bson_get_version();
	versions.json_c = JSON_C->json_c_version();
	return versions;
}
