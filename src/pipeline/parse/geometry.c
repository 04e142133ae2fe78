/*
 * geometry.c
 *	  Conditions on geometry, which PostGIS decides.
 *
 * See src/mongo/db/matcher/expression_geo.cpp of MongoDB.
 */
#include "pipeline/parse/stage.h"

#include <math.h>

#include "core/number/number.h"
#include "mongo/geo/wkb.h"
#include "mongo/query/match_operator.h"
#include "mongo/update/update.h"

/* Meters in a radian, for MongoDB */
#define EARTH_RADIUS	6378100.0

double
PgBsonParseDistance(const char *name, const PgBsonValue *value, double otherwise)
{
	double		distance;

	if (value->type == PGBSON_MISSING)
		return otherwise;
	distance = PgBsonIsNumber(value->type) ? PgBsonNumberToDouble(value, NULL) : -1;
	if (!(distance >= 0))
		PgBsonWrongOperand(name, gettext_noop("A distance must be a number that is not negative."));
	return distance;
}

static void
check_geometry(const char *name, const PgBsonValue *value, bool sphere)
{
	const char *problem = PgBsonGeoProblem(value, sphere);

	if (problem != NULL)
		PgBsonWrongOperand(name, problem);
}

/* $center and $centerSphere: [point, radius] */
static void
parse_circle(PgBsonGeo *geo, const char *name, const PgBsonValue *operand)
{
	int			count = 0;
	PgBsonValue *parts = operand->type == PGBSON_ARRAY ? PgBsonValuesOf(operand, &count) : NULL;

	if (count != 2)
		PgBsonWrongOperand(name, gettext_noop("An array of a point and a radius is expected."));
	geo->shape = PGBSON_GEO_CIRCLE;
	geo->value = parts[0];
	geo->most = PgBsonParseDistance(name, &parts[1], 0);
	check_geometry(name, &geo->value, geo->sphere);
}

/* $box and $polygon: corners */
static void
parse_corners(PgBsonGeo *geo, const char *name, const PgBsonValue *operand, bool box)
{
	double		xy[2];
	int			count = 0;

	if (!PgBsonIsContainer(operand->type))
		PgBsonWrongOperand(name, gettext_noop("An array of points is expected."));
	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		const char *problem = PgBsonGeoPair(&iter.value, false, xy);

		if (problem != NULL)
			PgBsonWrongOperand(name, problem);
		count++;
	}
	if (box ? count != 2 : count < 3)
		PgBsonWrongOperand(name, box ? gettext_noop("Two corners are expected.") : gettext_noop("At least three points are expected."));
	geo->value = *operand;
}

/* $geometry: GeoJSON; "areas": it must have an area */
static void
parse_geojson(PgBsonGeo *geo, const char *name, const PgBsonValue *operand, bool areas)
{
	int			type = PgBsonGeoTypeOf(operand);
	PgBsonNames crs = PgBsonNestedSplit("crs.properties.name", 19, name);
	PgBsonValue known = PgBsonNestedGet(operand, &crs);

	if (PgBsonOptionIs(&known, "urn:x-mongodb:crs:strictwinding:EPSG:4326"))
		PgBsonReportUnsupported(errmsg("polygons that may be larger than a hemisphere are not supported"),
								errhint("Leave out the \"crs\" with strict winding."));
	check_geometry(name, operand, true);
	if (areas && type != PGBSON_GEO_POLYGON && type != PGBSON_GEO_MULTIPOLYGON && type != PGBSON_GEO_COLLECTION)
		PgBsonWrongOperand(name, gettext_noop("A Polygon or a MultiPolygon is expected."));
	geo->value = *operand;
}

/* $geoWithin and $geoIntersects */
static void
parse_shape(PgBsonGeo *geo, const char *name, const PgBsonValue *operand)
{
	bool		within = strcmp(name, "$geoIntersects") != 0;
	PgBsonIter	iter;

	geo->shape = within ? PGBSON_GEO_COVERS : PGBSON_GEO_MEETS;
	if (operand->type != PGBSON_DOCUMENT || !PgBsonFirst(operand, &iter))
		PgBsonWrongOperand(name, gettext_noop("A document with a geometry is expected."));
	geo->sphere = PgBsonIterIs(&iter, "$geometry") || PgBsonIterIs(&iter, "$centerSphere");
	if (PgBsonIterIs(&iter, "$geometry"))
		parse_geojson(geo, name, &iter.value, within);
	else if (within && (PgBsonIterIs(&iter, "$center") || PgBsonIterIs(&iter, "$centerSphere")))
		parse_circle(geo, name, &iter.value);
	else if (within && (PgBsonIterIs(&iter, "$box") || PgBsonIterIs(&iter, "$polygon")))
		parse_corners(geo, name, &iter.value, PgBsonIterIs(&iter, "$box"));
	else
		PgBsonWrongOperand(name, within ? gettext_noop("The geometry must be $geometry, $box, $polygon, $center or $centerSphere.") :
						   gettext_noop("The geometry must be $geometry."));
}

void
PgBsonParseNear(PgBsonGeo *geo, const char *name, const PgBsonValue *point, const PgBsonValue *most,
				const PgBsonValue *least)
{
	int			type = PgBsonGeoTypeOf(point);

	geo->shape = PGBSON_GEO_NEAR;
	geo->sphere |= type >= 0;
	if (type > PGBSON_GEO_POINT)
		PgBsonWrongOperand(name, gettext_noop("A point is expected."));
	check_geometry(name, point, geo->sphere);
	geo->value = *point;
	geo->unit = type >= 0 ? EARTH_RADIUS : 1;
	geo->least = PgBsonParseDistance(name, least, 0) / geo->unit;
	geo->most = PgBsonParseDistance(name, most, INFINITY) / geo->unit;
}

/* $near, $nearSphere: {$geometry, $maxDistance, $minDistance}; or a point, with these beside it, or a third number */
static void
parse_near_operator(PgBsonGeo *geo, const char *name, const PgBsonValue *operand, const PgBsonValue *beside)
{
	PgBsonValue point = *operand;
	PgBsonValue limits[2] = {PgBsonMissing, PgBsonMissing};
	const PgBsonValue *options = beside;
	int			count = 0;

	geo->sphere = strcmp(name, "$nearSphere") == 0;
	if (PgBsonFindField(operand, "$geometry", &point))
	{
		options = operand;
		if (PgBsonGeoTypeOf(&point) < 0)
			PgBsonWrongOperand(name, gettext_noop("A document of GeoJSON is expected."));
	}
	else if (operand->type == PGBSON_ARRAY)
	{
		const PgBsonValue *parts = PgBsonValuesOf(operand, &count);

		if (count > 2)
			limits[0] = parts[2];
	}
	PgBsonForEach(iter, PgBsonValueView(options))
	{
		if (PgBsonNameAmong(options == operand ? "$geometry $minDistance $maxDistance" :
							"$near $nearSphere $geoNear $minDistance $maxDistance", iter.key, iter.key_len) < 0)
			PgBsonWrongOperand(name, gettext_noop("Beside the point only $minDistance and $maxDistance are expected."));
	}
	if (options == operand && PgBsonViewCount(PgBsonValueView(beside)) > 1)
		PgBsonWrongOperand(name, gettext_noop("Distances from GeoJSON are expected in the same document."));
	(void) PgBsonFindField(options, "$maxDistance", &limits[0]);
	(void) PgBsonFindField(options, "$minDistance", &limits[1]);
	PgBsonParseNear(geo, name, &point, &limits[0], &limits[1]);
}

PgBsonCondition *
PgBsonParseGeoCondition(const PgBsonGeo *geo)
{
	PgBsonCondition *condition = PgBsonConditionNew(PGBSON_CONDITION_GEOMETRY, NULL, NIL);

	condition->geo = geo;
	return condition;
}

const PgBsonGeo *
PgBsonParseGeoOperator(const PgBsonIter *field, const PgBsonIter *iter)
{
	PgBsonGeo  *geo = palloc0_object(PgBsonGeo);
	const char *name = pnstrdup(iter->key, iter->key_len);

	geo->path = (PgBsonKeyRef) {field->key, field->key_len};
	geo->most = INFINITY;
	geo->unit = 1;
	if (PgBsonNameAmong("$geoWithin $within $geoIntersects", iter->key, iter->key_len) >= 0)
		parse_shape(geo, name, &iter->value);
	else if (strcmp(name, "$maxDistance") != 0 && strcmp(name, "$minDistance") != 0)
		parse_near_operator(geo, name, &iter->value, &field->value);
	else
	{
		bool		near = false;

		PgBsonForEach(other, PgBsonValueView(&field->value))
			near |= PgBsonNameAmong("$near $nearSphere $geoNear", other.key, other.key_len) >= 0;
		if (!near)
			PgBsonWrongOperand(name, gettext_noop("It must stand beside $near or $nearSphere."));
		return NULL;
	}
	return geo;
}

const PgBsonGeo *
PgBsonParseNearest(const List *conditions, bool must_hold)
{
	const PgBsonGeo *nearest = NULL;

	check_stack_depth();
	foreach_ptr(const PgBsonCondition, condition, conditions)
	{
		const PgBsonGeo *found = condition->geo;

		if (condition->kind != PGBSON_CONDITION_GEOMETRY)
			found = PgBsonParseNearest(condition->parts, must_hold && condition->kind != PGBSON_CONDITION_NOR &&
									   (condition->kind == PGBSON_CONDITION_AND || list_length(condition->parts) == 1));
		if (found == NULL || found->shape != PGBSON_GEO_NEAR)
			continue;
		if (!must_hold)
			PgBsonReportInvalid(errmsg("geo $near must be top-level expr"), errdetail("It sorts the documents, so all of them have to meet it."));
		if (nearest != NULL)
			PgBsonReportInvalid(errmsg("too many geoNear expressions"), errdetail("Documents are sorted by one distance."));
		nearest = found;
	}
	return nearest;
}
