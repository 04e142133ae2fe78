/*
 * geometry.c
 *	  bson_geography, bson_geometry and bson_geo_values: what PostGIS needs of documents.
 */
#include "door.h"

#include "core/bytes/recode.h"
#include "core/write/from_value.h"
#include "core/write/write.h"
#include "mongo/geo/wkb.h"
#include "sql/site/kept.h"
#include "utils/builtins.h"

typedef struct GeoSite
{
	PgBsonKept	kept;			/* the first member */
	PgBsonStep *path;
	int			npath;			/* 0: the value itself */
} GeoSite;

static void
keep_geo_path(FunctionCallInfo fcinfo, void *geo_site)
{
	GeoSite    *site = geo_site;
	text	   *path = PG_GETARG_TEXT_P_COPY(1);
	uint32		len;
	const char *s = PgBsonFromText(path, &len);

	site->npath = 0;
	if (len > 0)
		site->path = PgBsonPathSplit(s, len, &site->npath);
}

static void
find_geometry(FunctionCallInfo fcinfo, PgBsonReader *reader, PgBsonGeoFound *found, bool sphere)
{
	const GeoSite *site = PgBsonKeptSite(fcinfo, sizeof(GeoSite), 1, 1, keep_geo_path);
	PgBsonValue document = PgBsonRootOf(PgBsonOpenWhole(reader, PG_GETARG_DATUM(0)));

	PgBsonGeoFind(found, &document, site->path, site->npath, sphere);
}

static Datum
wkb_of(FunctionCallInfo fcinfo, bool sphere)
{
	PgBsonReader reader;
	PgBsonGeoFound found;
	bytea	   *result;
	int			len;

	find_geometry(fcinfo, &reader, &found, sphere);
	if (PG_GETARG_BOOL(2) && found.problem != NULL)
		PgBsonReportInvalid(errmsg("cannot extract geo keys: field \"%s\" of a bson document is no geometry", text_to_cstring(PG_GETARG_TEXT_PP(1))),
							errdetail("%s", _(found.problem)));
	PgBsonClose(&reader);
	if (found.count == 0)
		PG_RETURN_NULL();
	len = found.wkb.len - found.wkb.cursor;
	result = palloc(VARHDRSZ + len);
	SET_VARSIZE(result, VARHDRSZ + len);
	memcpy(VARDATA(result), found.wkb.data + found.wkb.cursor, len);
	PG_RETURN_BYTEA_P(result);
}

/*
 * SQL: bson_geography(document bson, path text, checked boolean) and bson_geometry(document bson, path text, checked
 * boolean) return bytea
 */
PGBSON_DOOR(pgbson_geography, wkb_of(fcinfo, true));
PGBSON_DOOR(pgbson_geometry, wkb_of(fcinfo, false));

/* SQL: bson_geo_values(document bson, path text) returns bson */
PGBSON_FUNCTION(pgbson_geo_values)
{
	PgBsonReader reader;
	PgBsonGeoFound found;
	PgBsonWriter maker;
	PgBsonValue result;
	PgBson	   *made;

	find_geometry(fcinfo, &reader, &found, true);
	PgBsonWriterBegin(&maker, found.wkb.len);
	foreach_ptr(const PgBsonValue, value, found.values)
		PgBsonWriterPush(&maker, value);
	result = PgBsonWriterEnd(&maker, PGBSON_ARRAY);
	made = PgBsonFromValue(&result);
	PgBsonClose(&reader);
	PG_RETURN_PGBSON_P(made);
}
