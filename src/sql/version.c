/*
 * version.c
 *	  What runs here: the releases of the library and of the libraries below it,
 *	  and the version of the script.
 */
#include "door.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "core/bytes/recode.h"
#include "core/write/from_value.h"
#include "libraries/libraries.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

/* The version of the script that made this function, or NULL if no extension did */
static const char *
script_version(Oid function)
{
	Oid			extension = getExtensionOfObject(ProcedureRelationId, function);
	Relation	catalog;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	const char *version = NULL;

	if (!OidIsValid(extension))
		return NULL;
	catalog = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyInit(&key, Anum_pg_extension_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(extension));
	scan = systable_beginscan(catalog, ExtensionOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		bool		null;
		Datum		value = heap_getattr(tuple, Anum_pg_extension_extversion, RelationGetDescr(catalog), &null);

		if (!null)
			version = TextDatumGetCString(value);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return version;
}

/* A string; null if there is none */
static PgBsonValue
version_value(const char *version)
{
	uint32		len;

	if (version == NULL)
		return PgBsonNull;
	len = strlen(version);
	version = PgBsonFromServerText(version, &len);
	return PgBsonMakeString(version, len);
}

/* SQL: bson_version() returns bson */
PGBSON_FUNCTION(pgbson_version)
{
	PgBsonLibraryVersions versions = PgBsonGetLibraryVersions();
	PgBsonValue library = version_value(PGBSON_RELEASE);
	PgBsonValue script = version_value(script_version(fcinfo->flinfo->fn_oid));
	PgBsonValue libbson = version_value(versions.libbson);
	PgBsonValue json_c = version_value(versions.json_c);
	PgBsonValue pcre2 = version_value(versions.pcre2);
	PgBsonValue all = PgBsonMakeDocument("library", &library, "script", &script, "libbson", &libbson, "json-c", &json_c,
										 "pcre2", &pcre2, NULL);

	PG_RETURN_PGBSON_P(PgBsonFromValue(&all));
}
