-- Geometry: what of a document PostGIS reads, and MongoDB's operators, which it decides.  The other expected file is that of
-- a server without PostGIS.
SET client_min_messages = warning;
\set VERBOSITY terse
CREATE FUNCTION pg_temp.wkb(document bson, path text, checked boolean DEFAULT false, OUT sphere text, OUT plane text) LANGUAGE plpgsql AS $$
BEGIN
  BEGIN
    sphere := encode(bson_geography(document, path, checked), 'hex');
  EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS sphere = PG_EXCEPTION_DETAIL;
    sphere := SQLSTATE || ' ' || SQLERRM || ': ' || sphere;
  END;
  BEGIN
    plane := encode(bson_geometry(document, path, checked), 'hex');
  EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS plane = PG_EXCEPTION_DETAIL;
    plane := SQLSTATE || ' ' || SQLERRM || ': ' || plane;
  END;
END $$;
\pset null NULL
-- what is geometry, and what is none: as it is read, and as an index checks it
CREATE TABLE shapes (id int, g bson);
INSERT INTO shapes VALUES (1, '[1, 2]'), (2, '{"lng": 1, "lat": 2.0}'), (3, '{"type": "Point", "coordinates": [1, 2, 3]}'), (4, '{"type": "Point", "coordinates": {"x": 1, "y": {"$numberDecimal": "2"}}}'), (5, '[200, 5]'), (6, '[0, 91]'), (7, '[1]'), (8, '["1", 2]'),
  (9, '{"type": "LineString", "coordinates": [[0, 0], [1, 1]]}'), (10, '{"type": "LineString", "coordinates": [[0, 0]]}'), (11, '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 1], [0, 0]]]}'), (12, '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 1], [0, 2]]]}'), (13, '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 0]]]}'), (14, '{"type": "Polygon", "coordinates": []}'),
  (15, '{"type": "MultiPoint", "coordinates": [[0, 0], [1, 1]]}'), (16, '{"type": "MultiLineString", "coordinates": [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]}'), (17, '{"type": "MultiPolygon", "coordinates": [[[[0, 0], [1, 0], [0, 1], [0, 0]]]]}'), (18, '{"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [1, 2]}, {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}]}'),
  (19, '{"type": "GeometryCollection", "geometries": []}'), (20, '{"type": "GeometryCollection", "geometries": [{"type": "GeometryCollection", "geometries": []}]}'), (21, '{"type": "Point", "coordinates": [1, 2], "crs": {"type": "name", "properties": {"name": "EPSG:4326"}}}'), (22, '{"type": "Point", "coordinates": [1, 2], "crs": {"type": "name", "properties": {"name": "EPSG:3857"}}}'),
  (23, '{"type": "Point"}'), (24, '{"type": "Circle", "coordinates": [1, 2]}'), (25, 'null'), (26, '[]'), (27, '"here"'), (28, '5'), (29, '[[1, 2], [3, 4]]'), (30, '[[1, 2], {"type": "Point", "coordinates": [3, 4]}, [400, 1], null]'), (31, '[{"$numberDouble": "NaN"}, 1]'), (32, '[{"$numberDouble": "Infinity"}, 1]'), (33, '{}'), (34, '{"type": "Polygon", "coordinates": [[[0, 0], [0, 0], [1, 1], [0, 0]]]}');
SELECT id, (pg_temp.wkb(bson_build_object('g', g), 'g')).* FROM shapes ORDER BY id;
SELECT id, sphere, plane FROM shapes, LATERAL pg_temp.wkb(bson_build_object('g', g), 'g', true) WHERE sphere ~ ' ' OR plane ~ ' ' ORDER BY id;
-- at a path, in arrays on the way
SELECT (pg_temp.wkb('{"a": [{"g": [1, 2]}, {"g": [3, 4]}, {"h": 1}]}', 'a.g')).*, bson_geo_values('{"a": [{"g": [1, 2]}, {"g": [[3, 4], 5]}]}', 'a.g'), bson_geo_values('[1, 2]', ''), bson_geo_values('{}', 'a');
SELECT bson_geography('{"a": {"b": [1, 2]}}', 'a.b.c', true) IS NULL AS nothing, bson_geography(NULL, 'a', true) IS NULL AS nothing;

-- what is refused
CREATE TABLE place (data bson);
CREATE FUNCTION pg_temp.refuses(query bson) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text;
BEGIN
  RETURN bson_find_sql('place', query);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RETURN concat_ws(' | ', SQLSTATE, SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;
SELECT query, pg_temp.refuses(query) FROM (VALUES ('{"g": {"$geoWithin": 1}}'::bson), ('{"g": {"$geoWithin": {}}}'), ('{"g": {"$geoWithin": {"$circle": 1}}}'), ('{"g": {"$geoWithin": {"$geometry": [1, 2]}}}'), ('{"g": {"$geoWithin": {"$geometry": {"type": "Point", "coordinates": [1, 2]}}}}'),
  ('{"g": {"$geoWithin": {"$geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 0]]]}}}}'), ('{"g": {"$geoWithin": {"$box": [[0, 0]]}}}'), ('{"g": {"$geoWithin": {"$box": 1}}}'), ('{"g": {"$geoWithin": {"$polygon": [[0, 0], [1, 1]]}}}'), ('{"g": {"$geoWithin": {"$polygon": [[0, 0], [1, 1], ["x"]]}}}'),
  ('{"g": {"$geoWithin": {"$center": [[0, 0]]}}}'), ('{"g": {"$geoWithin": {"$center": [[0, 0], -1]}}}'), ('{"g": {"$geoWithin": {"$centerSphere": [[0, 100], 1]}}}'), ('{"g": {"$geoIntersects": {"$box": [[0, 0], [1, 1]]}}}'), ('{"g": {"$near": {"$geometry": [0, 0]}}}'), ('{"g": {"$near": {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}}}'), ('{"g": {"$near": "here"}}'),
  ('{"g": {"$near": {"$geometry": {"type": "Point", "coordinates": [0, 0]}, "$hello": 1}}}'), ('{"g": {"$near": {"$geometry": {"type": "Point", "coordinates": [0, 0]}}, "$maxDistance": 5}}'), ('{"g": {"$near": [0, 0], "$exists": true}}'),
  ('{"g": {"$near": [0, 0], "$maxDistance": -1}}'), ('{"g": {"$near": [0, 0], "$maxDistance": "far"}}'), ('{"g": {"$maxDistance": 1}}'), ('{"g": {"$geoWithin": {"$geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 1], [0, 0]]], "crs": {"type": "name", "properties": {"name": "urn:x-mongodb:crs:strictwinding:EPSG:4326"}}}}}}'), ('{"$or": [{"g": {"$near": [0, 0]}}, {"a": 1}]}'), ('{"g": {"$not": {"$near": [0, 0]}}}'), ('{"g": {"$near": [0, 0]}, "h": {"$near": [0, 0]}}'), ('{"g": {"$elemMatch": {"$geoWithin": {"$box": [[0, 0], [1, 1]]}}}}')) AS q(query);
SELECT bson_pipeline_sql('place', '[{"$match": {"g": {"$near": [0, 0]}}}]');
SELECT bson_pipeline_sql('place', '[{"$geoNear": {"near": [0, 0], "distanceField": "d"}}]');
SELECT bson_pipeline_sql('place', '[{"$match": {"a": 1}}, {"$geoNear": {"near": [0, 0], "distanceField": "d", "key": "g"}}]');
SELECT bson_pipeline_sql('place', '[{"$geoNear": {"near": [0, 0], "key": "g"}}]');
SELECT bson_pipeline_sql('place', '[{"$geoNear": {"near": [0, 0], "key": "g", "distanceField": "a..b"}}]');
SELECT bson_pipeline_sql('place', '[{"$geoNear": {"near": [0, 0], "key": "g", "distanceField": "d", "query": {"g": {"$near": [1, 1]}}}}]');
SELECT bson_create_index_sql('place', '{"key": {"g": "2dsphere"}, "unique": true}') IS NULL AS none, bson_create_index_sql('place', '{"key": {"g": "2d"}, "partialFilterExpression": {"a": 1}}') IS NULL AS none;

-- without PostGIS, an error that names it
\set VERBOSITY default
SELECT bson_find_sql('place', '{"g": {"$geoWithin": {"$box": [[0, 0], [1, 1]]}}}');
SELECT bson_create_index_sql('place', '{"key": {"g": "2dsphere"}}');
\set VERBOSITY terse
SELECT NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'postgis') AS no_postgis \gset
\if :no_postgis
DROP TABLE place, shapes;
\quit
\endif
CREATE TABLE asked (n serial, query bson);
INSERT INTO asked (query) VALUES ('{"g": {"$geoWithin": {"$box": [[0, 0], [2, 2]]}}}'), ('{"g": {"$geoWithin": {"$box": [[200, 10], [100, 0]]}}}'), ('{"g": {"$within": {"$polygon": [[0, 0], [0, 3], {"x": 3, "y": 3}, [3, 0]]}}}'), ('{"g": {"$geoWithin": {"$center": [[0, 2], 1]}}}'), ('{"g": {"$geoWithin": {"$center": [[0, 2], 0.99]}}}'),
  ('{"g": {"$geoWithin": {"$centerSphere": [[0, 2], 0.0175]}}}'), ('{"g": {"$geoWithin": {"$geometry": {"type": "Polygon", "coordinates": [[[-1, -1], [2, -1], [2, 2.5], [-1, 2.5], [-1, -1]]]}}}}'), ('{"g": {"$geoIntersects": {"$geometry": {"type": "Point", "coordinates": [0, 0]}}}}'), ('{"g": {"$geoIntersects": {"$geometry": {"type": "LineString", "coordinates": [[3, 3], [12, 12]]}}}}'),
  ('{"g": {"$not": {"$geoIntersects": {"$geometry": {"type": "Polygon", "coordinates": [[[-20, -20], [20, -20], [20, 20], [-20, 20], [-20, -20]]]}}}}}'), ('{"$nor": [{"g": {"$geoWithin": {"$box": [[-999, -999], [999, 999]]}}}, {"_id": {"$lt": 30}}]}'), ('{"$or": [{"g": {"$geoWithin": {"$box": [[0, 0], [2, 2]]}}}, {"_id": 37}], "_id": {"$gt": 2}}'), ('{"g": {"$geoWithin": {"$box": [[0, 0], [2, 2]]}, "$type": "array"}}'),
  ('{"g": {"$near": [3, 4], "$maxDistance": 3, "$minDistance": 0.5}}'), ('{"g": {"$near": [3, 4, 2.9]}, "_id": {"$ne": 30}}'), ('{"$and": [{"g": {"$near": {"$geometry": {"type": "Point", "coordinates": [0, 0]}, "$minDistance": 111000, "$maxDistance": 900000}}}]}'), ('{"g": {"$nearSphere": [0, 0], "$maxDistance": 0.01}}'), ('{"g": {"$near": {"type": "Point", "coordinates": [1, 2]}, "$maxDistance": 1}}'),
  ('{"stops.at": {"$near": {"$geometry": {"type": "Point", "coordinates": [13, 52]}, "$maxDistance": 70000}}}'), ('{"stops.at": {"$geoWithin": {"$geometry": {"type": "Polygon", "coordinates": [[[0, 45], [5, 45], [5, 50], [0, 50], [0, 45]]]}}}}'), ('{"stops.1.at": {"$geoWithin": {"$geometry": {"type": "Polygon", "coordinates": [[[0, 45], [5, 45], [5, 50], [0, 50], [0, 45]]]}}}}');
INSERT INTO asked (query) VALUES ('{"g": {"$geoWithin": {"$box": [[1, 2], [1, 2]]}}}'), ('{"g": {"$geoWithin": {"$box": [[1, 3], [1, 0]]}}}');
CREATE SCHEMA "Geo";
CREATE EXTENSION postgis SCHEMA "Geo";

-- operators and pairs of the same name do not come into the statements, which name all that they call
CREATE SCHEMA evil;
CREATE FUNCTION evil.st_dwithin("Geo".geography, "Geo".geography, double precision, boolean) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION evil.nearest("Geo".geography, "Geo".geography) RETURNS double precision LANGUAGE sql AS 'SELECT 0.0::float8';
CREATE OPERATOR evil.<-> (FUNCTION = evil.nearest, LEFTARG = "Geo".geography, RIGHTARG = "Geo".geography);
SET search_path = evil, public;

INSERT INTO place SELECT bson_build_object('_id', id, 'g', g) FROM shapes;
INSERT INTO place VALUES ('{"_id": 37}'), ('{"_id": 35, "g": {"type": "Polygon", "coordinates": [[[-10, -10], [10, -10], [10, 10], [-10, 10], [-10, -10]], [[-5, -5], [-5, 5], [5, 5], [5, -5], [-5, -5]]]}}'), ('{"_id": 36, "stops": [{"at": [2.35, 48.85], "name": "Paris"}, {"at": {"type": "Point", "coordinates": [13.4, 52.5]}, "name": "Berlin"}]}');
CREATE UNIQUE INDEX ON place ((data -> '_id'));
CREATE FUNCTION pg_temp.ids(query bson) RETURNS text LANGUAGE plpgsql AS $$
DECLARE ids text;
BEGIN
  EXECUTE 'SELECT string_agg(data ->> ''_id'', '' '') FROM (' || bson_find_sql('place', query, '{"_id": 1}', '{"_id": 1}') || ') AS f' INTO ids;
  RETURN ids;
END $$;
SELECT n, query, pg_temp.ids(query) FROM asked ORDER BY n;

-- the nearest first
CREATE TABLE public.spot AS SELECT bson_build_object('_id', i, 'at', bson_build_array(i * 7 % 50, i % 10)) AS data FROM generate_series(1, 200) AS i;
CREATE UNIQUE INDEX ON spot ((data -> '_id'));
INSERT INTO spot VALUES ('{"_id": 0}');
SELECT bson_find_sql('spot', '{"at": {"$near": [12.1, 3.9]}, "_id": {"$lt": 50}}', '{"at": 1}', NULL, 1, 3) AS near \gset
\echo :near
:near;
SELECT bson_find_sql('spot', '{"at": {"$near": {"$geometry": {"type": "Point", "coordinates": [12.1, 3.9]}}}, "_id": {"$lt": 50}}', '{"at": 1}', NULL, 1, 3) AS near \gset
:near;
SELECT bson_find_and_modify_sql('spot', '{"query": {"at": {"$nearSphere": [12.1, 3.9]}, "_id": {"$lt": 50}}, "update": {"$set": {"nearest": true}}, "new": true}') AS near \gset
:near;

-- distances are MongoDB's, on a sphere of 6378100 meters
SELECT bson_aggregate('place', '[{"$geoNear": {"near": {"type": "Point", "coordinates": [0, 0]}, "key": "stops.at", "distanceField": "d.meters", "includeLocs": "d.at", "query": {"_id": 36}}}, {"$project": {"d.meters": {"$round": ["$d.meters", 3]}, "d.at": 1}}]');
SELECT bson_aggregate('place', '[{"$geoNear": {"near": [1, 1], "key": "g", "distanceField": "d", "spherical": true, "distanceMultiplier": 6378.1, "minDistance": 0.0001, "query": {"_id": {"$lt": 3}}}}, {"$group": {"_id": null, "n": {"$sum": 1}, "d": {"$max": "$d"}}}, {"$set": {"d": {"$round": ["$d", 6]}}}]');
SELECT bson_aggregate('place', '[{"$geoNear": {"near": [0, 0], "key": "g", "distanceField": "d", "includeLocs": "at", "maxDistance": 2.3}}, {"$sort": {"_id": 1}}, {"$limit": 3}, {"$project": {"d": {"$round": ["$d", 6]}, "at": 1}}]');
-- A $match of all documents before it is none, as in MongoDB
SELECT bson_aggregate('place', '[{"$match": {}}, {"$match": {}}, {"$geoNear": {"near": [0, 0], "key": "g", "distanceField": "d", "query": {"_id": {"$lt": 3}}}}, {"$project": {"d": {"$round": ["$d", 6]}}}]');
SELECT bson_aggregate('place', '[{"$limit": 1}, {"$lookup": {"from": "place", "as": "near", "pipeline": [{"$geoNear": {"near": [0, 0], "key": "g", "distanceField": "d", "query": {"_id": {"$ne": 30}}}}, {"$match": {"g": {"$geoWithin": {"$box": [[2.5, 0], [9, 9]]}}}}, {"$project": {"d": {"$round": ["$d", 6]}}}]}}, {"$project": {"near": 1}}]');

-- an index refuses what is no geometry, and is used
SELECT bson_create_index_sql('place', '{"key": {"g": "2dsphere", "_id": 1}}') AS index \gset
\echo :index
CREATE INDEX refused ON place USING gist ("Geo".st_geogfromwkb(bson_geography(data, 'g', true)));
CREATE TEMP TABLE valid AS SELECT data FROM place WHERE coalesce((pg_temp.wkb(data, 'g', true)).sphere, '') !~ ' ';
TRUNCATE place;
INSERT INTO place SELECT CASE WHEN data ? 'stops' THEN bson_set(data, '{stops,1,at}', '[13.4, 52.5]') ELSE data END FROM valid;
:index;
INSERT INTO place VALUES ('{"_id": 40, "g": [0, 91]}');
SELECT bson_create_index_sql('place', '{"key": {"stops.at": "2d"}, "min": -500, "max": 500, "bits": 32}') AS limited \gset
\echo :limited
SELECT bson_create_index_sql('place', '{"key": {"stops.at": "2d"}}') AS index \gset
\echo :index
:index;
SET enable_seqscan = off;
CREATE FUNCTION pg_temp.index(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; used text := '';
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
    used := concat_ws(' ', used, substring(line from 'place_\w+'), substring(line from 'Order By|Sort Key'));
  END LOOP;
  RETURN used;
END $$;
SELECT n, pg_temp.ids(query), pg_temp.index(bson_find_sql('place', query, NULL, NULL, 0, 5)) FROM asked WHERE query::text !~ '\$nor' AND NOT query ?| '{stops.1.at}' AND query::text ~ 'geometry|Sphere|stops' ORDER BY n;
SELECT pg_temp.index(bson_find_sql('place', '{"stops.at": {"$near": [2, 48]}}', NULL, NULL, 0, 5)), pg_temp.index(bson_find_sql('place', '{"stops.at": {"$geoWithin": {"$center": [[2, 48], 1]}}}'));
SELECT bson_aggregate('place', '[{"$geoNear": {"near": [2, 48], "distanceField": "d"}}, {"$project": {"d": {"$round": ["$d", 6]}}}]');
RESET enable_seqscan;

-- commands
SELECT bson_update_sql('place', '{"_id": {"$gte": 0}, "stops": {"$elemMatch": {"name": "Berlin"}}, "stops.at": {"$geoWithin": {"$box": [[2, 48], [3, 49]]}}}', '{"$set": {"stops.$.name": "B"}}', '{"multi": true}') AS update \gset
:update RETURNING data;
SELECT bson_update_sql('place', '{"_id": 2, "g": {"$geoWithin": {"$box": [[5, 5], [6, 6]]}}}', '{"$set": {"a": 1}}', '{}') AS update \gset
:update RETURNING data;
SELECT bson_count_sql('place', '{"g": {"$near": [0, 0], "$maxDistance": 2.5}}') \gexec
-- distances that are infinite in metres
SELECT bson_count_sql('place', bson_build_object('g', q)) FROM (VALUES ('{"$geoWithin": {"$centerSphere": [[0, 0], 1.7e308]}}'::bson), ('{"$nearSphere": [0, 0], "$maxDistance": 1e305}'), ('{"$nearSphere": [0, 0], "$minDistance": {"$numberDouble": "Infinity"}}')) AS v(q) \gexec
SELECT count(*) FROM bson_aggregate('place', '[{"$geoNear": {"near": [0, 0], "distanceField": "d", "key": "g", "distanceMultiplier": {"$numberDouble": "Infinity"}}}]');
SELECT bson_distinct_sql('place', '{"g": {"$geoWithin": {"$box": [[0, 0], [2, 2]]}}}', '_id') AS ids \gset
SELECT data FROM (:ids) AS f ORDER BY data;
SELECT bson_delete_sql('place', '{"g": {"$geoWithin": {"$box": [[0, 0], [2, 2]]}}}', '{"multi": true}') AS delete \gset
:delete RETURNING data -> '_id';
SELECT parameters, constants FROM bson_find_shape('place', '{"a": 5, "g": {"$near": [0, 0]}}', NULL, NULL, 0, 0);
RESET search_path;
DROP SCHEMA evil CASCADE;
DROP TABLE place, spot, shapes, asked;
DROP EXTENSION postgis;
DROP SCHEMA "Geo";
