-- If this fails, a version of to_bson or of an aggregate that is declared for one type makes another value than
-- the one for any type, is chosen where it should not be, or can no longer be folded or shipped.

-- to_bson(value) equals the element of bson_build_array(value), which takes any type
CREATE FUNCTION pg_temp.differs(type text, literal text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT nullif(to_bson(v)::bytea, (bson_build_array(v) -> 0)::bytea)::text FROM (SELECT %L::%s AS v) s', literal, type) INTO result;
	RETURN result;
EXCEPTION
	-- most texts are no value of most types
	WHEN OTHERS THEN
		RETURN CASE WHEN sqlerrm ~ 'to_bson' THEN sqlerrm END;
END $$;
SELECT format_type(t.oid, NULL) AS type, literal, pg_temp.differs(CASE t.oid WHEN 'bpchar'::regtype THEN 'character(5)' ELSE format_type(t.oid, NULL) END, literal) AS difference
  FROM pg_type t, unnest('{1,x,f,2.50,"2024-01-02 03:04:05.678+00",pg_class,int4,now,now(),simple,postgres,00010203-0405-0607-0809-0a0b0c0d0e0f,"{\"a\": 1}"}'::text[]) AS literal
 WHERE typtype IN ('b', 'e', 'd', 'r') AND typisdefined AND t.oid < 16384 AND typcategory <> 'A'
   AND pg_temp.differs(CASE t.oid WHEN 'bpchar'::regtype THEN 'character(5)' ELSE format_type(t.oid, NULL) END, literal) IS NOT NULL;

-- the versions that allow an expression to be folded
SELECT provolatile AS volatile, string_agg(proargtypes[0]::regtype::text, ', ' ORDER BY proargtypes[0]::regtype::text COLLATE "C") AS "to_bson of"
  FROM pg_proc WHERE proname = 'to_bson' AND proargtypes[0]::regtype::text <> 'regdatabase' GROUP BY 1 ORDER BY 1;
CREATE TABLE kept (key bson, data bson);
EXPLAIN (COSTS OFF) SELECT * FROM kept WHERE key = to_bson(5) OR key = to_bson('x'::text) OR key = to_bson(1.5);
-- a document of constants is a constant, unless a type's output depends on a setting
EXPLAIN (COSTS OFF) SELECT * FROM kept WHERE key = bson_build_object('n', 5, 'at', '2024-01-02 03:04:05Z'::timestamptz, 'of', ARRAY[1.5, NULL], 'in', '[1]'::bson)
	OR key = bson_build_array(1, 'x', NULL) OR key = bson_build_array('1 day'::interval) OR key = bson_build_array(VARIADIC '{a,b}'::text[]);
SELECT bson_build_object('a');  -- ERROR, no value, when planned too
EXPLAIN SELECT bson_build_object(NULL, 1);  -- ERROR, no key
CREATE INDEX ON kept (to_bson((data ->> 'n')::int));

-- domains, and arrays and rows, which have no separate version
CREATE DOMAIN whole AS int;
SELECT to_bson(5::whole) AS domain, to_bson('{1,2}'::int[]) AS "array", to_bson(ROW(1, 'x'::text)) AS row, to_bson('{"a": 1}'::jsonb) AS jsonb, to_bson('[1.10]'::json) AS json, to_bson('x'::varchar(3)) AS varchar;

-- Casts in assignment.  A type that a key is compared with needs one that is immutable, or Citus finds no shard by it;
-- text cannot have one, because its cast reads JSON
SELECT amoprighttype::regtype AS "compared, but without a cast" FROM pg_amop JOIN pg_opfamily f ON f.oid = amopfamily
 WHERE opfname = 'bson_ops' AND amopmethod = (SELECT oid FROM pg_am WHERE amname = 'btree') AND amoplefttype = 'bson'::regtype AND amoprighttype <> 'bson'::regtype AND amopstrategy = 3
   AND NOT EXISTS (SELECT FROM pg_cast JOIN pg_proc p ON p.oid = castfunc
                    WHERE castsource = amoprighttype AND casttarget = 'bson'::regtype AND castcontext = 'a' AND provolatile = 'i' AND proname = 'to_bson');
CREATE TABLE assigned (key bson DEFAULT 5);
INSERT INTO assigned DEFAULT VALUES;
INSERT INTO assigned VALUES (6::smallint);
INSERT INTO assigned VALUES (7::bigint);
INSERT INTO assigned VALUES (0.1::real);
INSERT INTO assigned VALUES (1.5::float8);
INSERT INTO assigned VALUES (1.50);
INSERT INTO assigned VALUES (true);
INSERT INTO assigned VALUES ('2024-01-02 03:04:05.678Z'::timestamptz);
INSERT INTO assigned VALUES ('00010203-0405-0607-0809-0a0b0c0d0e0f'::uuid);
SELECT key, bson_typeof(key) FROM assigned;
INSERT INTO assigned VALUES ('{"a": 1}'::text);  -- ERROR, would that be a document or a string?
INSERT INTO assigned VALUES ('2024-01-02'::date);  -- ERROR, no key compares with a date
INSERT INTO assigned VALUES (1e50::numeric + 1);  -- ERROR, not exactly
SELECT '{"a": 1}'::text::bson AS "a document, as ever", 5::bson AS "explicit, too";
EXPLAIN (COSTS OFF) SELECT * FROM kept WHERE key = 5::bson;
-- nowhere else: these stay what they were
\set VERBOSITY sqlstate
SELECT bson_typeof(5);  -- ERROR
SELECT '{}'::bson || 5;  -- ERROR
SELECT coalesce(5, '5'::bson);  -- ERROR
\set VERBOSITY default
DROP TABLE assigned;

-- Aggregates: each is compared with the one for any type, which a domain selects
CREATE DOMAIN any_bson AS bson;
CREATE DOMAIN any_jsonb AS jsonb;
INSERT INTO kept VALUES ('"a"', '{"n": 1}'), ('"b"', NULL), ('"c"', '[1, {"$oid": "56e1fc72e0c917e9c4714161"}]'), ('"a"', '3'), ('"d"', NULL);
SELECT bson_agg(data), bson_agg_strict(data), bson_agg(data::jsonb) AS of_jsonb, bson_agg_strict(data::jsonb) AS strict_of_jsonb FROM kept;
SELECT bson_agg(data) = bson_agg(ARRAY[data]) AS "not alike", bson_agg(data)::bytea = bson_build_array(VARIADIC array_agg(data))::bytea AS alike FROM kept;
SELECT bson_object_agg(key ->> 0, data) AS "no key" FROM kept;  -- ERROR, keys are NULL
SELECT bson_object_agg(key::text, data) AS all, bson_object_agg_strict(key::text, data) AS strict FROM kept;
SELECT bson_object_agg_unique(key::text, data) FROM kept;  -- ERROR, a key twice
SELECT bson_object_agg_unique(key::text, data) AS "unique", bson_object_agg_unique_strict(key::text, data) AS unique_strict FROM kept WHERE data IS DISTINCT FROM '3';
SELECT bson_object_agg('n' || i, to_jsonb(i)) AS of_jsonb FROM generate_series(1, 2) AS i;
SELECT bson_agg(data), bson_agg_strict(data), bson_object_agg(key::text, data) FROM kept WHERE false;
SELECT bson_agg(d) FROM (SELECT data AS d, row_number() OVER () AS n FROM kept) s GROUP BY n % 2 ORDER BY n % 2;
SELECT n, bson_agg(to_bson(n)) OVER (ORDER BY n ROWS 1 PRECEDING) FROM generate_series(1, 3) AS n;
-- the array takes one level of the limit
SELECT bson_depth(bson_agg((repeat('[', 1022) || repeat(']', 1022))::bson));
SELECT bson_agg((repeat('[', 1023) || repeat(']', 1023))::bson);  -- ERROR, too deep

-- in parallel
CREATE TABLE many AS SELECT bson_build_object('n', i) AS data FROM generate_series(1, 20000) AS i;
ANALYZE many;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT bson_agg(data) FROM many;
SELECT bson_array_length(a) AS length, (SELECT sum(e -#> 'n') FROM bson_array_elements(a) AS e) AS sum FROM (SELECT bson_agg(data) AS a FROM many) s;
SELECT (SELECT count(*) FROM bson_object_keys(o)) AS keys FROM (SELECT bson_object_agg(data ->> 'n', data) AS o FROM many) s;

DROP TABLE kept, many;
DROP DOMAIN whole, any_bson, any_jsonb;
