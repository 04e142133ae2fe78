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
#include "core/write/build.h"
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

static void
add_version(PgBsonBuilder *b, const char *name, const char *version)
{
	PgBsonBuilderKey(b, name, strlen(name));
	if (version == NULL)
		PgBsonBuilderNull(b);
	else
	{
		uint32		len = strlen(version);

		version = PgBsonFromServerText(version, &len);
		PgBsonBuilderString(b, version, len);
	}
}

/* SQL: bson_version() returns bson */
PG_FUNCTION_INFO_V1(pgbson_version);
Datum
pgbson_version(PG_FUNCTION_ARGS)
{
	PgBsonLibraryVersions versions = PgBsonGetLibraryVersions();
	PgBsonBuilder *b = PgBsonBuilderBegin();

	PgBsonBuilderOpenDocument(b);
	add_version(b, "library", PGBSON_RELEASE);
	add_version(b, "script", script_version(fcinfo->flinfo->fn_oid));
	add_version(b, "libbson", versions.libbson);
	add_version(b, "json-c", versions.json_c);
	add_version(b, "pcre2", versions.pcre2);
	PgBsonBuilderClose(b);
	PG_RETURN_PGBSON_P(PgBsonBuilderFinish(b));
}
