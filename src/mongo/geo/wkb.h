/*
 * wkb.h
 *	  Values of documents that are geometry, as the well-known binary (WKB) that PostGIS reads.
 *
 * Geometry is GeoJSON, {type: "Point", coordinates: [x, y]}, or a pair, [x, y] or {lng: x, lat: y}, which is a point.
 * On the sphere x is the longitude and y the latitude, in degrees; in the plane there are only points.  A field may
 * also have an array of such.  See src/mongo/db/geo/geoparser.cpp of MongoDB.
 */
#ifndef PGBSON_WKB_H
#define PGBSON_WKB_H

#include "mongo/common/match_path.h"

/* below the first, which includes postgres.h */
#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

/* The types of GeoJSON; the number of one in WKB is greater by 1 */
typedef enum PgBsonGeoType
{
	PGBSON_GEO_POINT, PGBSON_GEO_LINE, PGBSON_GEO_POLYGON, PGBSON_GEO_MULTIPOINT, PGBSON_GEO_MULTILINE,
	PGBSON_GEO_MULTIPOLYGON, PGBSON_GEO_COLLECTION
} PgBsonGeoType;

/* The type of a GeoJSON document; -1 if it is none */
extern int	PgBsonGeoTypeOf(const PgBsonValue *value);

/* The first two numbers of an array or document; NULL, or why it is no point, a sentence for translation */
extern const char *PgBsonGeoPair(const PgBsonValue *value, bool sphere, double xy[2]);

/* Why a value is no geometry, or an array of such; NULL if it is one */
extern const char *PgBsonGeoProblem(const PgBsonValue *value, bool sphere);

/* What is found at a path */
typedef struct PgBsonGeoFound
{
	bool		sphere;
	int			count;
	StringInfoData wkb;			/* of all together, from "wkb.cursor" on */
	List	   *values;			/* PgBsonValue *: each alone */
	const char *problem;		/* why an index refuses a value that is neither null nor missing; or NULL */
} PgBsonGeoFound;

/* Find all geometry at a path, or in the value itself if the path has no names; the values point into the document */
extern void PgBsonGeoFind(PgBsonGeoFound *found, const PgBsonValue *document, const PgBsonStep *path, int npath,
						  bool sphere);

#endif							/* PGBSON_WKB_H */
