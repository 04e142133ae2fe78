-- If this fails, aggregating rows into bson loses, invents or reorders values,
-- in one process or in several.

-- without rows the result is NULL; a NULL becomes null, or is left out by the strict variants
SELECT bson_agg(x), bson_agg_strict(x), bson_object_agg(x, x), bson_object_agg_strict(x, x),
       bson_object_agg_unique(x, x), bson_object_agg_unique_strict(x, x)
  FROM (SELECT 1 AS x WHERE false) q;
SELECT bson_agg(x), bson_agg_strict(x) FROM (VALUES (1), (NULL), (3)) q(x);
SELECT bson_agg(x), bson_agg_strict(x) FROM (VALUES (NULL::int), (NULL)) q(x);
SELECT bson_object_agg(k, v), bson_object_agg_strict(k, v),
       bson_object_agg_unique(k, v), bson_object_agg_unique_strict(k, v)
  FROM (VALUES ('a', 1), ('b', NULL), ('c', 3)) q(k, v);
SELECT bson_object_agg_strict(k, v), bson_object_agg_unique_strict(k, v)
  FROM (VALUES ('a', NULL::int), ('b', NULL)) q(k, v);

-- values of all types; arrays so long that their keys need more digits
SELECT bson_agg(q) FROM (SELECT $$a$$ || x AS b, y AS c, ARRAY[ROW(x.*, ARRAY[1, 2]), ROW(y.*, ARRAY[3])] AS z
                           FROM generate_series(1, 2) x, generate_series(4, 5) y) q;
SELECT bson_agg(x) FROM generate_series(0, 11) x;
SELECT bson_agg(v) FROM (VALUES ('{"a": [1]}'::json), ('null'), ('[]')) q(v);
SELECT bson_agg(to_bson(x)) FROM (VALUES (1.5), (NULL)) q(x);
SELECT get_byte(bson_agg(x)::bytea, 6) AS type,
       encode(substr(bson_agg(x)::bytea, 9), 'hex') AS bytes FROM generate_series(9, 10) x;

-- ORDER BY, DISTINCT, FILTER
SELECT bson_agg(q ORDER BY x NULLS FIRST, y) FROM (VALUES (2, 'a'), (NULL, 'b'), (1, 'c')) q(x, y);
SELECT bson_agg(DISTINCT x ORDER BY x DESC) FROM (VALUES (1), (3), (1), (2)) q(x);
SELECT bson_agg(x) FILTER (WHERE x > 2), bson_agg(x) FILTER (WHERE x > 9),
       bson_object_agg(x, -x) FILTER (WHERE x < 3) FROM generate_series(1, 4) x;
SELECT bson_object_agg(DISTINCT 'a'::text, 'abc'::text), bson_object_agg(DISTINCT k, v ORDER BY k DESC, v)
  FROM (VALUES ('a', 1), ('b', 2), ('a', 1)) q(k, v);

-- keys: scalars, never NULL; of equal ones the last value counts, at the first one's place
SELECT bson_object_agg(1, NULL::bson), bson_object_agg(true, 1.5), bson_object_agg('', date '2000-01-01');
SELECT bson_object_agg(k, v) FROM (VALUES ('a', 1), ('b', 2), ('a', 3), ('c', 4), ('b', 5)) q(k, v);
SELECT bson_object_agg(NULL, 1);                                 -- ERROR, key is NULL
SELECT bson_object_agg_strict(NULL, NULL::int);                  -- ERROR, key is NULL
SELECT bson_object_agg('{a}'::text[], 1);                        -- ERROR, key is an array
SELECT bson_object_agg(to_bson(1), 1);                           -- ERROR, key is bson
SELECT bson_object_agg_unique(k, 1) FROM (VALUES ('a'), ('b'), ('a')) q(k);   -- ERROR, key twice
SELECT bson_object_agg_unique(k, 1) FROM (SELECT (g % 999)::text FROM generate_series(1, 1000) g) q(k);   -- ERROR, key twice
SELECT bson_object_agg_unique_strict(k, v) FROM (VALUES ('a', 1), ('b', 2), ('a', NULL)) q(k, v);   -- ERROR, key twice
SELECT bson_object_agg_unique_strict(k, v) FROM (VALUES ('a', NULL), ('b', 2), ('c', NULL)) q(k, v);

-- windows: a frame that grows, one that moves; the state outlives its results
SELECT x, bson_agg(x) OVER (ORDER BY x), bson_agg(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING),
       bson_object_agg(x % 2, x) OVER (ORDER BY x)
  FROM generate_series(1, 4) x;
SELECT x, bson_object_agg_unique_strict(x, nullif(x, 2)) OVER (ORDER BY x),
       bson_agg_strict(nullif(x, 2)) OVER (ORDER BY x ROWS 1 PRECEDING)
  FROM generate_series(1, 3) x;
SELECT bson_object_agg_unique(x % 2, x) OVER (ORDER BY x) FROM generate_series(1, 4) x;   -- ERROR, key twice

-- groups, hashed: one state each
SET enable_sort = off;
SELECT count(*), sum(length(a::bytea)) FROM
  (SELECT bson_agg(x) AS a FROM generate_series(1, 20000) x GROUP BY x % 10000) q;
RESET enable_sort;
SELECT bson_build_object('turbines', bson_object_agg(serial_num, bson_build_object('name', name, 'type', type)))
  FROM (VALUES (847001, 't15', 'GE1043'), (847002, 't16', 'GE1043'), (847003, 'sub-alpha', 'GESS90')) foo(serial_num, name, type);

-- many rows
SELECT length(bson_agg(x)::bytea), length(bson_object_agg(x, x)::bytea),
       length(bson_object_agg(x % 1000, x)::bytea) FROM generate_series(1, 100000) x;
SELECT bson_object_agg(x % 3, x) FROM generate_series(1, 100000) x;

-- no deeper than the type allows
CREATE FUNCTION ag_deep(n int) RETURNS bson LANGUAGE sql IMMUTABLE
  RETURN (repeat('{"a":', n) || '1' || repeat('}', n))::bson;
SELECT bson_agg(ag_deep(1022)) IS NOT NULL AS agg, bson_object_agg(1, ag_deep(1023)) IS NOT NULL AS object_agg;
SELECT bson_agg(ag_deep(1023));                                  -- ERROR, too deep
SELECT bson_object_agg(1, ag_deep(1024));                        -- ERROR, too deep
DROP FUNCTION ag_deep;

-- in parallel: combined, serialised, deserialised; whether the leader or a worker meets an error first is chance
\set SHOW_CONTEXT never
CREATE TABLE ag_t AS SELECT g AS id, 'v' || g AS v, nullif(g % 4, 0) AS n FROM generate_series(1, 20000) g;
ANALYZE ag_t;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF)
SELECT bson_agg(id), bson_object_agg(id, v) FROM ag_t;
-- the order of rows is not that of the table, so only results that do not depend on it
SELECT length(bson_agg(id)::bytea) = 9 + 5 + 20000 * 6 + 88890 AS agg,
       length(bson_agg_strict(n)::bytea) = 9 + 5 + 15000 * 6 + 63890 AS agg_strict,
       length(bson_object_agg(id, n)::bytea) AS object_agg,
       length(bson_object_agg_strict(id, n)::bytea) AS object_agg_strict,
       length(bson_object_agg_unique(id, n)::bytea) AS object_agg_unique,
       length(bson_object_agg_unique_strict(id, n)::bytea) AS object_agg_unique_strict,
       length(bson_object_agg(id % 100, 1)::bytea) AS repeated
  FROM ag_t;
SELECT n, length(bson_agg(id)::bytea), length(bson_object_agg(id, v)::bytea)
  FROM ag_t GROUP BY n ORDER BY n;
SELECT bson_object_agg_unique(CASE WHEN id IN (7, 19999) THEN 'two' ELSE v END, 1) FROM ag_t;   -- ERROR, key twice
SELECT bson_agg(id) FROM ag_t WHERE id < 0;                      -- NULL, from all workers
-- the same set of values as without workers
SELECT md5(string_agg(e, ',' ORDER BY e COLLATE "C")) = (SELECT md5(string_agg(id::text, ',' ORDER BY id::text COLLATE "C")) FROM ag_t) AS same
  FROM (SELECT regexp_split_to_table(trim(bson_agg(id)::text, '[]'), ', ') AS e FROM ag_t) q;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- partial aggregation without workers: a partitioned table
SET enable_partitionwise_aggregate = on;
CREATE TABLE ag_p (k int, v int) PARTITION BY LIST (k);
CREATE TABLE ag_p1 PARTITION OF ag_p FOR VALUES IN (1);
CREATE TABLE ag_p2 PARTITION OF ag_p FOR VALUES IN (2);
CREATE TABLE ag_p3 PARTITION OF ag_p FOR VALUES IN (3);
INSERT INTO ag_p VALUES (1, 10), (1, 11), (2, 20);
EXPLAIN (COSTS OFF) SELECT bson_agg(v), bson_object_agg(k, v) FROM ag_p;
SELECT bson_agg(v), bson_object_agg(k, v), bson_object_agg_unique_strict(v, nullif(v, 10)) FROM ag_p;
SELECT v % 2 AS odd, bson_agg(v) FROM ag_p GROUP BY v % 2 ORDER BY 1;

DROP TABLE ag_t, ag_p;

-- Untyped literals are strings, as in jsonb's functions
SELECT bson_object_agg(k, 'abc'), bson_object_agg('a', 'abc'), bson_object_agg_strict('a', 'abc'), bson_object_agg_unique('a', '{"b": 1}'),
       bson_object_agg_unique_strict('a', NULL), bson_object_agg(k, k::varchar), bson_object_agg('a', 5), bson_object_agg('a', '5'::bson)
  FROM (VALUES ('a')) q(k);
SELECT jsonb_object_agg(k, 'abc'), jsonb_object_agg('a', 'abc'), jsonb_object_agg('a', '{"b": 1}'), jsonb_object_agg('a', NULL), jsonb_object_agg('a', 5) FROM (VALUES ('a')) q(k);

-- sum and avg: numbers only, of the widest type, as MongoDB's $sum and $avg (src/mongo/db/pipeline/accumulator_sum.cpp, accumulator_avg.cpp)
CREATE FUNCTION ag_sum(VARIADIC bson[]) RETURNS TABLE (total bson, type text, mean bson) LANGUAGE sql AS
  'SELECT sum(v), bson_typeof(sum(v)), avg(v) FROM unnest($1) v';
SELECT n, s.* FROM (VALUES
  (1, ARRAY['1', '2', '"3"', '[4]', 'null', NULL]::bson[]), (2, '{1,2.5}'), (3, '{"{\"$numberLong\": \"1\"}",2}'), (4, '{1,2.5,"{\"$numberDecimal\": \"1.10\"}"}'),
  (5, '{2147483647,1}'), (6, '{9223372036854775807,1,-1}'), (7, '{9223372036854775807,9223372036854775807}'), (8, '{-9223372036854775808,-1,2}'),
  (9, '{-9223372036854775808,-9223372036854775808,"{\"$numberDecimal\": \"1\"}"}'), (10, '{0.1,0.2,0.3}'), (11, '{1e308,1e308,-1e308}'),
  (12, '{"{\"$numberDouble\": \"Infinity\"}","{\"$numberDouble\": \"-Infinity\"}"}'), (13, '{"{\"$numberDecimal\": \"NaN\"}",1}'), (14, '{19.99,5.01}'),
  (15, '{"\"x\"",NULL}'), (16, '{}')) q(n, v), ag_sum(VARIADIC v::bson[]) s ORDER BY n;
-- beside a decimal, doubles count by the shortest spelling of their sum: 19.99 is 19.99; MongoDB adds their binary values
SELECT n, s.* FROM (VALUES
  (1, array_fill('19.99'::bson, ARRAY[5]) || array_fill('{"$numberDecimal": "20"}'::bson, ARRAY[4])), (2, '{0.1,0.2,-0.3,"{\"$numberDecimal\": \"1\"}"}'), (3, '{0.1,0.2,"{\"$numberDecimal\": \"1.00\"}"}'),
  (4, '{0.30000000000000004,"{\"$numberDecimal\": \"0\"}"}'), (5, '{1e300,0.5,"{\"$numberDecimal\": \"1\"}"}'), (6, '{1e22,1e-7,"{\"$numberDecimal\": \"1\"}"}'), (7, '{9007199254740993.0,1.0,"{\"$numberDecimal\": \"0\"}"}'),
  (8, '{"{\"$numberDouble\": \"-Infinity\"}",1.5,"{\"$numberDecimal\": \"1\"}"}'), (9, '{"{\"$numberDouble\": \"NaN\"}","{\"$numberDecimal\": \"1\"}"}'), (10, '{-0.0,"{\"$numberDecimal\": \"-0\"}"}'),
  (11, '{0.1,0.1,0.1,2147483647,9223372036854775807,"{\"$numberDecimal\": \"0.7\"}"}')) q(n, v), ag_sum(VARIADIC v::bson[]) s ORDER BY n;
-- decimals of many places and sizes, exactly, whether few digits or many
SELECT sum(d::bson) = sum(d) AS same, round(avg(d::bson)::numeric, 9) = round(avg(d), 9) AS mean FROM (SELECT round((i * 7919 % 10007)::numeric / 10::numeric ^ (i % 12), i % 9) + CASE i % 50 WHEN 0 THEN 1e24 WHEN 1 THEN -1e24 ELSE 0 END AS d FROM generate_series(1, 5000) i) s;
SELECT sum(v) = ('{"$numberDecimal": "' || sum(n) || '"}')::bson AS same FROM (SELECT n, CASE i % 3 WHEN 0 THEN n::float8::bson ELSE n::bson END AS v FROM (SELECT i, (i * 7919 % 1000003)::numeric / 100 AS n FROM generate_series(1, 20000) i) s) s;
-- integers that leave a moving window are taken away exactly; where a double leaves it, the window is added up again
SELECT x, sum(v) OVER two, avg(v) OVER two, sum(v) OVER (ORDER BY x)
  FROM (VALUES (1, '1'::bson), (2, '2.5'), (3, '3'), (4, '4'), (5, '"a"'), (6, NULL), (7, '9223372036854775807'), (8, '5'), (9, '-6'), (10, '1e300'), (11, '1')) q(x, v)
WINDOW two AS (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW);
-- in parallel, of fields
CREATE TABLE ag_s AS SELECT bson_build_object('n', g, 'p', (g % 100 + 0.25)::float8, 'd', g % 7 + 0.1, 'k', g % 3) AS data FROM generate_series(1, 20000) g;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT sum(data -> 'n'), avg(data -> 'p') FROM ag_s;
SELECT sum(data -> 'n'), avg(data -> 'n'), sum(data -> 'p'), avg(data -> 'p'), sum(data -> 'd'), sum(data -> 'nothing') FROM ag_s;
SELECT data -> 'k' AS k, sum(data -> 'n'), sum(data -> 'd') FROM ag_s GROUP BY 1 ORDER BY 1;
SELECT sum(data -> 'n') = sum((data ->> 'n')::int8)::bson AS n, sum(data -> 'd') = sum((data ->> 'd')::numeric) AS d FROM ag_s;
-- a path of keys in the document: the same as of the value that a chain of -> finds, of which arrays are no part; as a constant, a parameter and a column, and in moving windows
CREATE TABLE ag_path AS SELECT i, CASE i % 9 WHEN 0 THEN NULL WHEN 1 THEN '{}' WHEN 2 THEN bson_build_object('a', i) WHEN 3 THEN bson_build_object('a', bson_build_array(bson_build_object('b', i), 7)) WHEN 4 THEN bson_build_object('a', bson_build_object('b', bson_build_array(i)))
  WHEN 5 THEN bson_build_object('x', repeat(md5(i::text), 300), 'a', bson_build_object('b', i)) WHEN 6 THEN bson_build_object('a', bson_build_object('b', i::numeric / 8)) WHEN 7 THEN bson_build_array(i) ELSE bson_build_object('a', bson_build_object('b', i::int8 * 4000000000), '0', i) END AS d FROM generate_series(1, 400) AS i;
SELECT p, sum(d, VARIADIC p) = sum(d #> p) AS sum, avg(d, VARIADIC p) = avg(d #> p) AS avg, sum(d, VARIADIC p) FROM ag_path, (VALUES ('{a,b}'::text[]), ('{a}'), ('{0}'), ('{nothing}')) AS v(p) WHERE i % 9 NOT IN (3, 7) GROUP BY p ORDER BY p;
SELECT sum(d, 'a', 'b') = sum(d -> 'a' -> 'b') AS sum, avg(d, 'a', 'b') = avg(d -> 'a' -> 'b') AS avg, sum(d, '0') = sum(d -> '0') AS number, sum(d, 'a', '0', 'b') IS NULL AS array, sum(d, 'a', NULL) IS NULL AS no_key, sum(d, VARIADIC NULL::text[]) IS NULL AS no_path, sum(d -> 'a' -> 'b', VARIADIC '{}') = sum(d -> 'a' -> 'b') AS itself FROM ag_path;
SELECT i % 4 AS g, sum(d, 'a', 'b') = sum(d -> 'a' -> 'b') AS sum, avg(d, 'a', 'b') = avg(d -> 'a' -> 'b') AS avg FROM ag_path GROUP BY 1 ORDER BY 1;
-- Of an expression
SELECT bson_sum(data, '{"$add": ["$n", {"$ifNull": ["$p", 1]}]}') = sum(bson_eval(data, '{"$add": ["$n", {"$ifNull": ["$p", 1]}]}')) AS sum, bson_avg(data, '{"$multiply": ["$n", 2]}') = avg(bson_eval(data, '{"$multiply": ["$n", 2]}')) AS avg, bson_sum(data, '"$n"') = sum(data -> 'n') AS path,
    bson_sum(data, '{"$toString": "$n"}') AS no_numbers, bson_sum(data, NULL) AS no_expression, bson_sum(NULL, '1') AS no_document, bson_sum(data, '{"$literal": 2}') = to_bson(2 * count(data)) AS constant FROM ag_s;
SELECT bson_sum(data, '{"$nothing": 1}') FROM ag_s;  -- ERROR
SELECT bson_sum(data, '{"$add": ["$n", "$$other"]}') FROM ag_s;  -- ERROR
SELECT e, bson_sum(d, e) = sum(bson_eval(d, e)) AS same FROM ag_path, (VALUES ('{"$sum": "$a.b"}'::bson), ('1'), ('{"$size": {"$ifNull": ["$none", [1, 2]]}}')) AS v(e) WHERE bson_typeof(d) = 'object' GROUP BY e ORDER BY e;
SELECT count(*) FILTER (WHERE s IS DISTINCT FROM t OR a IS DISTINCT FROM b) AS wrong FROM (SELECT sum(d, 'a', 'b') OVER w AS s, sum(d -> 'a' -> 'b') OVER w AS t, avg(d, 'a', 'b') OVER w AS a, avg(d -> 'a' -> 'b') OVER w AS b FROM ag_path WINDOW w AS (ORDER BY i ROWS BETWEEN 5 PRECEDING AND 2 FOLLOWING)) AS w;
PREPARE ag_by (text) AS SELECT sum(d, 'a', $1) FROM ag_path WHERE i % 9 IN (2, 8);
EXECUTE ag_by('b');
EXECUTE ag_by('c');
DEALLOCATE ag_by;
-- constants come out of a sort, and a final function has other arguments than the aggregate
SELECT count(*) FILTER (WHERE s IS DISTINCT FROM t) AS wrong FROM (SELECT sum(bson_build_object(repeat('k', 200), i, 'pad', repeat('z', i * 7)), VARIADIC ARRAY[repeat('k', 200)] ORDER BY i) AS s, sum(i)::bson AS t FROM ag_path GROUP BY i % 50) AS g;
CREATE FUNCTION ag_keep(bson, bson) RETURNS bson LANGUAGE sql IMMUTABLE AS 'SELECT coalesce($1, $2)';
CREATE AGGREGATE ag_key(bson ORDER BY bson) (SFUNC = ag_keep, STYPE = bson, FINALFUNC = bson_sort_key);
SELECT i % 3 AS g, ag_key(bson_build_object((i % 3)::text, 1)) WITHIN GROUP (ORDER BY '{"0": "a", "1": "b", "2": "c"}'::bson) FROM ag_path GROUP BY 1 ORDER BY 1;
DROP FUNCTION ag_keep CASCADE;
DROP TABLE ag_path;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
DROP TABLE ag_s;
DROP FUNCTION ag_sum;
