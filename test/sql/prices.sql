-- If this fails, a price that came as JSON is unequal to the same price that came from SQL or from MongoDB.

SELECT '{"p": 19.99}'::bson -> 'p' = 19.99 AS operator, bson_build_object('p', 19.99) @> '{"p": 19.99}' AS contains, '{"p": 19.99}'::bson = bson_build_object('p', 19.99) AS document,
       '{"p": 19.99}'::bson @~ '{"p": {"$numberDecimal": "19.990"}}' AS query, '{"p": 19.99}'::bson @@ '$.p == 19.99' AS path, '{"p": 19.99}'::bson -> 'p' = 19.99::float8 AS float8;
SELECT '{"$numberDecimal": "1.1"}'::bson <= '1.1' AS le, '{"$numberDecimal": "1.1"}'::bson >= '1.1' AS ge, '{"$numberDecimal": "1.10"}'::bson = '1.1' AS eq,
       '{"$numberDecimal": "1.100000000000000088817841970012523"}'::bson > '1.1' AS binary_value;

-- orders from JSON text (doubles) and from SQL and MongoDB (decimals), found by both kinds
CREATE TABLE orders (id int, data bson);
INSERT INTO orders SELECT i, format('{"total": %s, "lines": [{"price": %s}]}', (i % 500 + 0.99) / 10, (i % 7 + 0.99))::bson FROM generate_series(1, 1000) i;
INSERT INTO orders SELECT i, bson_build_object('total', (i % 500 + 0.99) / 10, 'lines', bson_build_array(bson_build_object('price', i % 7 + 0.99))) FROM generate_series(1001, 2000) i;
UPDATE orders SET data['total'] = 99.95 WHERE id IN (1, 1001);
SELECT bson_typeof(data -> 'total') AS type, count(*) FROM orders GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM orders WHERE data @> '{"total": 99.95}';
SELECT count(*) FROM orders WHERE data @~ '{"total": 99.95}';
SELECT count(*) AS rows, count(*) FILTER (WHERE data -> 'total' = (data ->> 'total')::numeric) AS by_numeric,
       count(*) FILTER (WHERE data -> 'total' = (data ->> 'total')::float8) AS by_float8, count(*) FILTER (WHERE data -> 'total' BETWEEN (data ->> 'total')::numeric AND (data ->> 'total')::numeric) AS by_between FROM orders;
SELECT count(*) AS groups, min(count) AS least FROM (SELECT data -> 'total', count(*) FROM orders WHERE id NOT IN (1, 1001) GROUP BY 1) g(v, count);
SELECT count(DISTINCT data -> 'total'), min(data -> 'total') = 0.099 AS min, max(data -> 'total') = 99.95::float8 AS max FROM orders;
SELECT count(*) FROM orders a JOIN orders b ON a.data -> 'total' = b.data -> 'total' AND a.id = b.id - 1000;
SELECT bson_diff('{"p": 19.99}', bson_build_object('p', 19.99)), bson_eval('{"p": 19.99}', '{"$eq": ["$p", {"$numberDecimal": "19.99"}]}'),
       bson_update('{"a": [19.99]}', '{"$addToSet": {"a": {"$numberDecimal": "19.99"}}}'), bson_sort_key('{"p": 19.99}', '{"p": -1}') = bson_sort_key(bson_build_object('p', 19.99), '{"p": -1}') AS sort_key;

-- the same rows by each kind of index and by a scan, for constants of both kinds
CREATE FUNCTION found(cond text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE rows bigint; plan text; line text;
BEGIN
    EXECUTE 'SELECT count(*) FROM orders WHERE ' || cond INTO rows;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE ' || cond LOOP plan := concat(plan, line); END LOOP;
    RETURN rows || coalesce(', ' || substring(plan FROM 'Index Scan (?:using|on) (\w+)'), '');
END $$;
CREATE TABLE conditions AS SELECT * FROM (VALUES ($$data -> 'total' = 12.399$$), ($$data -> 'total' = 12.399::float8$$), ($$data -> 'total' BETWEEN 12.399 AND 12.399$$), ($$data -> 'total' > 49.9$$), ($$data -> 'total' > 49.9::float8$$),
    ($$data @> '{"total": 12.399}'$$), ($$data @> '{"total": {"$numberDecimal": "12.3990"}}'$$), ($$data @> '{"lines": [{"price": 3.99}]}'$$), ($$data @> '{"lines": [{"price": {"$numberDecimal": "3.99"}}]}'$$),
    ($$data @~ '{"total": 12.399}'$$), ($$data @~ '{"total": {"$numberDecimal": "12.399"}}'$$), ($$data @~ '{"lines.price": {"$in": [{"$numberDecimal": "3.99"}, 2.99]}}'$$),
    ($$data @~ '{"total": {"$gte": {"$numberDecimal": "49.9"}}}'$$), ($$data @~ '{"total": {"$gte": 49.9}}'$$), ($$data @@ '$.total == 12.399'$$), ($$data @@ '$.total >= 49.9'$$), ($$data @? '$.lines[*] ? (@.price == 3.99)'$$)) c(cond);
ANALYZE orders;
CREATE TABLE answers AS SELECT cond, found(cond) AS scan FROM conditions;
SET enable_seqscan = off;
CREATE INDEX by_field ON orders ((data -> 'total'));
CREATE INDEX by_default ON orders USING gin (data);
ALTER TABLE answers ADD field_or_default text, ADD by_path text, ADD by_range text, ADD by_hash text;
UPDATE answers SET field_or_default = found(cond);
DROP INDEX by_field, by_default;
CREATE INDEX by_path ON orders USING gin (data bson_path_ops);
UPDATE answers SET by_path = found(cond);
DROP INDEX by_path;
CREATE INDEX by_range ON orders USING gin (data bson_range_ops);
UPDATE answers SET by_range = found(cond);
DROP INDEX by_range;
CREATE INDEX by_hash ON orders USING hash ((data -> 'total'));
UPDATE answers SET by_hash = found(cond);
SELECT * FROM answers ORDER BY cond;
RESET enable_seqscan;

-- the planner expects the same rows, whichever the kind of the constant
CREATE FUNCTION expected(cond text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) SELECT * FROM orders WHERE ' || cond INTO plan;
    RETURN plan #>> '{0,Plan,Plan Rows}';
END $$;
CREATE STATISTICS of_total ON (data -> 'total') FROM orders;
ANALYZE orders;
SELECT a, expected(a) BETWEEN 1 AND 50 AS near, expected(a) = expected(b) AS same
FROM (VALUES ($$data @> '{"total": 99.95}'$$, $$data @> '{"total": {"$numberDecimal": "99.950"}}'$$),
    ($$data @~ '{"total": 99.95}'$$, $$data @~ '{"total": {"$numberDecimal": "99.950"}}'$$),
    ($$data @~ '{"total": {"$gte": 99.95}}'$$, $$data @~ '{"total": {"$gte": {"$numberDecimal": "99.950"}}}'$$),
    ($$data -> 'total' = 99.95::float8$$, $$data -> 'total' = 99.950$$), ($$data -> 'total' >= 99.95::float8$$, $$data -> 'total' >= 99.950$$),
    ($$data -> 'total' = '99.95'::bson$$, $$data -> 'total' = '{"$numberDecimal": "99.950"}'::bson$$)) AS c(a, b);

-- one hash partition for a price, whichever its kind
CREATE TABLE parts (price bson) PARTITION BY HASH (price);
CREATE TABLE parts0 PARTITION OF parts FOR VALUES WITH (MODULUS 4, REMAINDER 0);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE parts2 PARTITION OF parts FOR VALUES WITH (MODULUS 4, REMAINDER 2);
CREATE TABLE parts3 PARTITION OF parts FOR VALUES WITH (MODULUS 4, REMAINDER 3);
INSERT INTO parts SELECT data -> 'total' FROM orders;
SELECT count(*) FROM (SELECT price, count(DISTINCT tableoid) FROM parts GROUP BY price) p WHERE count > 1;
SELECT count(*) FROM parts WHERE price = 12.399;
DROP TABLE parts, orders, conditions, answers;
DROP FUNCTION found, expected;

-- random pairs: one order, equal values have equal hashes, and a descending sort key sorts against it
SELECT setseed(0.5);
CREATE TEMP TABLE pairs AS
  SELECT d::bson AS a, CASE (random() * 5)::int WHEN 0 THEN d::text::numeric::bson WHEN 1 THEN (d::text::numeric + power(10::numeric, -10) * (random() * 3 - 1)::int)::bson
      WHEN 2 THEN round(d::text::numeric, 3)::bson WHEN 3 THEN (d * (1 + power(2::float8, -52) * (random() * 4 - 2)::int))::bson ELSE round(d)::numeric::bson END AS b
  FROM (SELECT CASE i % 3 WHEN 0 THEN round((random() * 1000)::numeric, 2)::float8 WHEN 1 THEN (random() - 0.5) * 10::float8 ^ (i % 19) ELSE random() * power(2::float8, i % 70) END AS d FROM generate_series(1, 20000) i) q;
SELECT count(*) AS pairs, count(*) FILTER (WHERE a = b) > 5000 AS many_equal, count(*) FILTER (WHERE bson_cmp(a, b) <> -bson_cmp(b, a)) AS one_sided,
       count(*) FILTER (WHERE (a = b) AND (bson_hash(a) <> bson_hash(b) OR bson_hash_extended(a, 7) <> bson_hash_extended(b, 7))) AS hashes,
       count(*) FILTER (WHERE bson_cmp(a, b) <> sign(a::numeric - b::numeric) AND abs((a::numeric)) < 9007199254740992) AS by_numeric,
       count(*) FILTER (WHERE bson_cmp(a, b) <> -bson_cmp(bson_sort_key(bson_build_object('v', a), '{"v": -1}'), bson_sort_key(bson_build_object('v', b), '{"v": -1}'))) AS descending
  FROM pairs;
