/*
 * wkb.c
 *	  Values of documents that are geometry, as the well-known binary (WKB) that PostGIS reads.
 */
#include "mongo/geo/wkb.h"

#include <math.h>

#include "core/bytes/names.h"
#include "core/number/number.h"
#include "mongo/common/options.h"

/* The bytes of WKB before a geometry of several parts: byte order, type, number of parts */
#define HEADER_SIZE			9

/* ... of a point, which has no parts, or a line, whose number of points write_points writes */
#define SHORT_HEADER_SIZE	5

static void
put_header(char *at, PgBsonGeoType type, uint32 count)
{
	uint32		number = type + 1;

#ifdef WORDS_BIGENDIAN
	at[0] = 0;
#else
	at[0] = 1;
#endif
	memcpy(at + 1, &number, sizeof(number));
	memcpy(at + 5, &count, sizeof(count));
}

int
PgBsonGeoTypeOf(const PgBsonValue *value)
{
	PgBsonValue type;

	if (!PgBsonFindField(value, "type", &type) || type.type != PGBSON_STRING)
		return -1;
	return PgBsonNameAmong("Point LineString Polygon MultiPoint MultiLineString MultiPolygon GeometryCollection",
						   PgBsonStringBytes(&type), PgBsonStringLength(&type));
}

const char *
PgBsonGeoPair(const PgBsonValue *value, bool sphere, double xy[2])
{
	int			n = 0;

	if (PgBsonIsContainer(value->type))
	{
		PgBsonForEach(iter, PgBsonValueView(value))
		{
			if (n == 2 || !PgBsonIsNumber(iter.value.type))
				break;
			xy[n++] = PgBsonNumberToDouble(&iter.value, NULL);
		}
	}
	if (n < 2 || !isfinite(xy[0]) || !isfinite(xy[1]))
		return gettext_noop("A point must begin with two numbers.");
	if (sphere && (fabs(xy[0]) > 180 || fabs(xy[1]) > 90))
		return gettext_noop("A longitude must be from -180 to 180, and a latitude from -90 to 90.");
	return NULL;
}

/* Append the bytes of a position, without a header */
static const char *
write_point(StringInfo wkb, const PgBsonValue *position, bool sphere)
{
	double		xy[2];
	const char *problem = PgBsonGeoPair(position, sphere, xy);

	if (problem == NULL)
		appendBinaryStringInfo(wkb, (char *) xy, sizeof(xy));
	return problem;
}

/* Append the number of positions, and these */
static const char *
write_points(StringInfo wkb, const PgBsonValue *positions, int least, bool closed)
{
	const int	point = 2 * sizeof(double);
	int			start = wkb->len + sizeof(uint32);
	uint32		count = 0;
	int			edges = 0;
	const char *problem = NULL;

	appendBinaryStringInfo(wkb, (char *) &count, sizeof(count));
	if (positions->type != PGBSON_ARRAY)
		return gettext_noop("An array of points is expected.");
	PgBsonForEach(iter, PgBsonValueView(positions))
	{
		problem = write_point(wkb, &iter.value, true);
		if (problem != NULL)
			return problem;
		edges += count > 0 && memcmp(wkb->data + wkb->len - 2 * point, wkb->data + wkb->len - point, point) != 0;
		count++;
	}
	if (count < least)
		return closed ? gettext_noop("A ring of a polygon must have at least four points.") :
			gettext_noop("A line must have at least two points.");
	if (closed && memcmp(wkb->data + start, wkb->data + wkb->len - point, point) != 0)
		return gettext_noop("A ring of a polygon must end with the point that it begins with.");
	if (closed && edges < 3)
		return gettext_noop("A ring of a polygon must have at least three different points.");
	memcpy(wkb->data + start - sizeof(count), &count, sizeof(count));
	return NULL;
}

/* Append a geometry of GeoJSON that is no collection */
static const char *
write_geometry(StringInfo wkb, PgBsonGeoType type, const PgBsonValue *coordinates)
{
	int			start = wkb->len;
	char		header[HEADER_SIZE];
	int			count = 0;

	put_header(header, type, 0);
	appendBinaryStringInfo(wkb, header, type <= PGBSON_GEO_LINE ? SHORT_HEADER_SIZE : HEADER_SIZE);
	if (type == PGBSON_GEO_POINT)
		return write_point(wkb, coordinates, true);
	if (type == PGBSON_GEO_LINE)
		return write_points(wkb, coordinates, 2, false);
	if (coordinates->type != PGBSON_ARRAY || PgBsonIsEmpty(coordinates))
		return gettext_noop("The coordinates must be an array that is not empty.");
	PgBsonForEach(iter, PgBsonValueView(coordinates))
	{
		const char *problem = type == PGBSON_GEO_POLYGON ? write_points(wkb, &iter.value, 4, true) :
			write_geometry(wkb, type - PGBSON_GEO_MULTIPOINT, &iter.value);

		CHECK_FOR_INTERRUPTS();
		if (problem != NULL)
			return problem;
		count++;
	}
	put_header(wkb->data + start, type, count);
	return NULL;
}

/* Is the coordinate reference system, if one is given, that of MongoDB? */
static bool
crs_is_known(const PgBsonValue *value)
{
	PgBsonValue crs;
	PgBsonValue type;
	PgBsonValue properties;
	PgBsonValue name;

	if (!PgBsonFindField(value, "crs", &crs))
		return true;
	return PgBsonFindField(&crs, "type", &type) && PgBsonOptionIs(&type, "name") &&
		PgBsonFindField(&crs, "properties", &properties) && PgBsonFindField(&properties, "name", &name) &&
		(PgBsonOptionIs(&name, "urn:ogc:def:crs:OGC:1.3:CRS84") || PgBsonOptionIs(&name, "EPSG:4326"));
}

static const char *write_any(StringInfo wkb, const PgBsonValue *value, bool sphere);

static const char *
write_collection(StringInfo wkb, const PgBsonValue *collection)
{
	int			start = wkb->len;
	char		header[HEADER_SIZE] = {0};
	PgBsonValue geometries;
	int			count = 0;

	appendBinaryStringInfo(wkb, header, HEADER_SIZE);
	if (!PgBsonFindField(collection, "geometries", &geometries) || geometries.type != PGBSON_ARRAY ||
		PgBsonIsEmpty(&geometries))
		return gettext_noop("The geometries of a GeometryCollection must be an array that is not empty.");
	PgBsonForEach(iter, PgBsonValueView(&geometries))
	{
		int			type = PgBsonGeoTypeOf(&iter.value);
		const char *problem;

		if (type < 0 || type == PGBSON_GEO_COLLECTION)
			return gettext_noop("The geometries of a GeometryCollection must be GeoJSON, and no collections.");
		problem = write_any(wkb, &iter.value, true);
		if (problem != NULL)
			return problem;
		count++;
	}
	put_header(wkb->data + start, PGBSON_GEO_COLLECTION, count);
	return NULL;
}

/* Append a geometry; NULL, or why it is none, and then some bytes may be appended */
static const char *
write_any(StringInfo wkb, const PgBsonValue *value, bool sphere)
{
	int			type = PgBsonGeoTypeOf(value);
	char		header[HEADER_SIZE];
	PgBsonValue coordinates;

	if (type >= 0 && !crs_is_known(value))
		return gettext_noop("The crs must be EPSG:4326 or urn:ogc:def:crs:OGC:1.3:CRS84.");
	if (type < 0 || (type == PGBSON_GEO_POINT && !sphere))
	{
		coordinates = *value;
		if (type >= 0 && !PgBsonFindField(value, "coordinates", &coordinates))
			return gettext_noop("A Point must have coordinates.");
		put_header(header, PGBSON_GEO_POINT, 0);
		appendBinaryStringInfo(wkb, header, SHORT_HEADER_SIZE);
		return write_point(wkb, &coordinates, sphere);
	}
	if (!sphere)
		return gettext_noop("In the plane there are only points.");
	if (type == PGBSON_GEO_COLLECTION)
		return write_collection(wkb, value);
	if (!PgBsonFindField(value, "coordinates", &coordinates))
		return gettext_noop("GeoJSON must have coordinates.");
	return write_geometry(wkb, type, &coordinates);
}

const char *
PgBsonGeoProblem(const PgBsonValue *value, bool sphere)
{
	StringInfoData wkb;

	initStringInfo(&wkb);
	return write_any(&wkb, value, sphere);
}

/* Why an index in the plane refuses this point, as in MongoDB; NULL if it does not */
static const char *
plane_problem(const PgBsonGeoFound *found, const PgBsonValue *value)
{
	double		xy[2];

	memcpy(xy, found->wkb.data + found->wkb.len - sizeof(xy), sizeof(xy));
	if (fabs(xy[0]) > 180 || fabs(xy[1]) > 180)
		return gettext_noop("The numbers of a point must be from -180 to 180.");
	return PgBsonGeoTypeOf(value) >= 0 ? gettext_noop("An index in the plane has pairs of numbers, and no GeoJSON.") : NULL;
}

/*
 * May an index take this value, which is no geometry, as none?  As in MongoDB: null, and an empty document, unless
 * it is one of several on the sphere; in the plane other scalars, too.
 */
static bool
is_no_place(const PgBsonGeoFound *found, const PgBsonValue *value, bool among)
{
	PgBsonIter	first;

	if (PgBsonIsNullish(value->type))
		return true;
	if (PgBsonIsContainer(value->type))
		return !(among && found->sphere) && !PgBsonFirst(value, &first);
	return !(among || found->sphere);
}

/* "among": it is an element of an array */
static void
add_geometry(PgBsonGeoFound *found, const PgBsonValue *value, bool among)
{
	int			start = found->wkb.len;
	const char *problem = write_any(&found->wkb, value, found->sphere);
	PgBsonValue *copy;

	CHECK_FOR_INTERRUPTS();
	if (problem != NULL)
	{
		found->wkb.len = start;
		if (found->problem == NULL && !is_no_place(found, value, among))
			found->problem = problem;
		return;
	}
	if (!found->sphere && found->problem == NULL)
		found->problem = plane_problem(found, value);
	found->count++;
	copy = palloc_object(PgBsonValue);
	*copy = *value;
	found->values = lappend(found->values, copy);
}

static bool
visit_value(const PgBsonValue *value, void *arg)
{
	PgBsonIter	first;

	if (value == NULL)
		return false;
	if (value->type != PGBSON_ARRAY)
		add_geometry(arg, value, false);
	else if (PgBsonFirst(value, &first))
	{
		if (PgBsonIsNumber(first.value.type))
			add_geometry(arg, value, false);
		else
		{
			PgBsonForEach(iter, PgBsonValueView(value))
				add_geometry(arg, &iter.value, true);
		}
	}
	return false;
}

void
PgBsonGeoFind(PgBsonGeoFound *found, const PgBsonValue *document, const PgBsonStep *path, int npath, bool sphere)
{
	char		header[HEADER_SIZE] = {0};

	*found = (PgBsonGeoFound) {.sphere = sphere};
	initStringInfo(&found->wkb);
	appendBinaryStringInfo(&found->wkb, header, HEADER_SIZE);
	if (npath == 0)
		(void) visit_value(document, found);
	else
		(void) PgBsonPathVisit(path, npath, 0, true, document, NULL, visit_value, found);
	put_header(found->wkb.data, sphere ? PGBSON_GEO_COLLECTION : PGBSON_GEO_MULTIPOINT, found->count);
	found->wkb.cursor = found->count == 1 ? HEADER_SIZE : 0;
}
