/*
 * geometry.c
 *	  Conditions on geometry, and the order by a distance, as calls of PostGIS.
 *
 * The geometry of a field is one value for all in it, if it is an array: a point set of the plane, or a collection on
 * the sphere.  An index of PostGIS is on this value.  Which geometry of an array lies in another one is looked at for
 * each.
 */
#include "pipeline/deparse/step.h"

#include <math.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_extension.h"
#include "common/shortest_dec.h"
#include "mongo/geo/wkb.h"
#include "pipeline/deparse/sql_text.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/* Meters in a radian, for PostGIS's sphere */
#define SPHERE_RADIUS	6371008.7714150598

/* By what part distances may differ, and count as equal */
#define ROUNDING		1e-10

/* The schema of PostGIS, quoted, which is looked up once for a statement */
static const char *
postgis_schema(PgBsonTranslation *all)
{
	Relation	rel;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	Oid			schema = InvalidOid;

	if (all->postgis != NULL)
		return all->postgis;
	rel = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ, CStringGetDatum("postgis"));
	scan = systable_beginscan(rel, ExtensionNameIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		schema = ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	if (!OidIsValid(schema))
		PgBsonReportUnsupported(errmsg("geometry of bson documents needs the extension \"postgis\", which this database does not have"),
								errhint("Install PostGIS, and use CREATE EXTENSION postgis."));
	all->postgis = PgBsonSqlIdentifier(get_namespace_name(schema));
	return all->postgis;
}

char *
PgBsonGeometryOf(PgBsonTranslation *all, const char *document, const PgBsonKeyRef *path, bool sphere,
				 bool checked)
{
	return PgBsonSql(all, sphere ? "%s.st_geogfromwkb(#bson_geography(%s, %s, %s))" :
					 "%s.st_geomfromwkb(#bson_geometry(%s, %s, %s))", postgis_schema(all), document,
					 PgBsonSqlText(path->key, path->len), checked ? "true" : "false");
}

/* A value that is geometry itself */
static char *
alone_sql(const PgBsonSelect *select, const char *value, bool sphere)
{
	return PgBsonGeometryOf(select->all, value, &(PgBsonKeyRef) {"", 0}, sphere, false);
}

static char *
field_sql(const PgBsonSelect *select, const PgBsonGeo *geo, const char *document)
{
	const PgBsonClauses *clauses = &select->clauses;
	bool		is_stored = clauses->column != NULL && strcmp(document, clauses->column) == 0;
	bool		checked = false;

	foreach_ptr(const PgBsonGeoIndex, index, is_stored ? clauses->geometry : NIL)
	{
		checked |= index->sphere == geo->sphere &&
			PgBsonSameKey(index->path.key, index->path.len, geo->path.key, geo->path.len);
	}
	return PgBsonGeometryOf(select->all, document, &geo->path, geo->sphere, checked);
}

static const char *
double_sql(double number)
{
	char	   *text = palloc(DOUBLE_SHORTEST_DECIMAL_LEN);

	(void) double_to_shortest_decimal_buf(number, text);
	return text;
}

/* What the field is compared with */
static const char *
compared_sql(const PgBsonSelect *select, const PgBsonGeo *geo)
{
	List	   *corners = NIL;
	double		xy[2];

	if (geo->sphere || geo->shape != PGBSON_GEO_COVERS)
		return alone_sql(select, PgBsonSqlConstant(select->all, &geo->value), geo->sphere);
	PgBsonForEach(iter, PgBsonValueView(&geo->value))
	{
		(void) PgBsonGeoPair(&iter.value, false, xy);
		corners = lappend(corners, psprintf("%s %s", double_sql(xy[0]), double_sql(xy[1])));
	}
	/* a box may be a line or a point, which is no polygon */
	if (list_length(corners) == 2)
		return psprintf("%s.st_envelope(%s.st_geomfromtext(pg_catalog.text 'MULTIPOINT(%s)'))",
						postgis_schema(select->all), postgis_schema(select->all), PgBsonSqlJoin(corners, ", "));
	return psprintf("%s.st_geomfromtext(pg_catalog.text 'POLYGON((%s, %s))')", postgis_schema(select->all),
					PgBsonSqlJoin(corners, ", "), (char *) linitial(corners));
}

static const char *
float8_sql(double number)
{
	return psprintf(isinf(number) ? "'%s'::pg_catalog.float8" : "%s::pg_catalog.float8", double_sql(number));
}

/* A distance as PostGIS measures it */
static double
measured(const PgBsonGeo *geo, double distance)
{
	return geo->sphere ? distance * SPHERE_RADIUS : distance;
}

/* A function for a distance of "field, value", with a limit if there is one; on the sphere, that it is no spheroid */
static char *
apart_sql(const PgBsonSelect *select, const PgBsonGeo *geo, const char *name, const char *field, const char *value,
		  const char *limit)
{
	return psprintf("%s.%s(%s, %s%s%s%s)", postgis_schema(select->all), name, field, value, limit == NULL ? "" : ", ",
					limit == NULL ? "" : limit, geo->sphere ? ", false" : "");
}

/* The condition that one of the values in the field, v.data, meets this */
static char *
any_value_sql(const PgBsonSelect *select, const PgBsonGeo *geo, const char *document, const char *condition)
{
	return PgBsonSql(select->all, "EXISTS (SELECT FROM #bson_array_elements(#bson_geo_values(%s, %s)) AS v(data) WHERE %s)", document,
					 PgBsonSqlText(geo->path.key, geo->path.len), condition);
}

char *
PgBsonGeometrySql(const PgBsonSelect *select, const PgBsonGeo *geo, const char *document)
{
	const char *postgis = postgis_schema(select->all);
	const char *field = field_sql(select, geo, document);
	const char *value = compared_sql(select, geo);
	const double reach = measured(geo, geo->most * (1 + ROUNDING));
	const char *most = isinf(reach) ? NULL : float8_sql(reach);
	const char *each = alone_sql(select, "v.data", true);
	char	   *sql = psprintf("%s.st_intersects(%s, %s)", postgis, field, value);
	char	   *within;

	switch (geo->shape)
	{
		case PGBSON_GEO_MEETS:
			return sql;
		case PGBSON_GEO_COVERS:
			within = psprintf("%s.st_covers(%s, %s)", postgis, value, each);
			return geo->sphere ? psprintf("(%s AND %s)", sql, any_value_sql(select, geo, document, within)) : sql;
		case PGBSON_GEO_CIRCLE:
			sql = most == NULL ? psprintf("%s IS NOT NULL", field) : apart_sql(select, geo, "st_dwithin", field, value, most);
			if (!geo->sphere || most == NULL)
				return sql;
			/* as in MongoDB, only points lie in it */
			within = PgBsonSql(select->all, "#bson_geometry(v.data, $'', false) IS NOT NULL AND %s", apart_sql(select, geo, "st_dwithin", each, value, most));
			return psprintf("(%s AND %s)", sql, any_value_sql(select, geo, document, within));
		case PGBSON_GEO_NEAR:
			sql = most != NULL ? apart_sql(select, geo, "st_dwithin", field, value, most) : psprintf("%s IS NOT NULL", field);
			return geo->least == 0 ? sql : psprintf("(%s AND %s OPERATOR(pg_catalog.>=) %s)", sql,
													apart_sql(select, geo, "st_distance", field, value, NULL),
													float8_sql(measured(geo, geo->least * (1 - ROUNDING))));
	}
	elog(ERROR, "unexpected shape of geometry: %d", geo->shape);
}

/* $near sorts; $geoNear also tells the distance, and which geometry it is measured to */
void
PgBsonDeparseNear(PgBsonSelect *select, const PgBsonStage *node)
{
	const PgBsonNearStep *step = (const PgBsonNearStep *) node;
	const PgBsonGeo *geo = step->geo;
	PgBsonTranslation *all = select->all;
	const char *value = compared_sql(select, geo);
	const char *document;
	const char *field;
	const char *distance;
	const char *location = "";

	PgBsonSelectForgetOrder(select);
	PgBsonSelectPlain(select);
	document = PgBsonSelectDocument(select);
	field = field_sql(select, geo, document);
	PgBsonSelectOrder(select, psprintf("%s OPERATOR(%s.<->) %s", field, postgis_schema(all), value));
	if (step->stage.type == PGBSON_MISSING)
		return;
	distance = psprintf("%s OPERATOR(pg_catalog.*) %s", apart_sql(select, geo, "st_distance", field, value, NULL),
						float8_sql(geo->sphere ? geo->unit / SPHERE_RADIUS : geo->unit));
	if (step->locates)
		location = PgBsonSql(all, ", 'location', (SELECT v.data FROM #bson_array_elements(#bson_geo_values(%s, %s)) AS v(data) ORDER BY %s OPERATOR(%s.<->) %s LIMIT 1)",
							 document, PgBsonSqlText(geo->path.key, geo->path.len), alone_sql(select, "v.data", geo->sphere),
							 postgis_schema(all), value);
	PgBsonSelectCompute(select, PgBsonSql(all, "#bson_transform(%s, %s, #bson_build_object('NOW', pg_catalog.now(), 'distance', %s%s))",
										  document, PgBsonSqlArgument(all, &step->stage), distance, location));
}
