-- If this failed, a GIN index would miss rows, find wrong ones, not be used, or needlessly test rows again.
SET jit = off;

-- every class is complete
SELECT opcname, opcdefault, opckeytype::regtype AS keys, amvalidate(c.oid)
  FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod
 WHERE amname = 'gin' AND opcintype = 'bson'::regtype
 ORDER BY 1;

-- documents of several shapes
CREATE TABLE docs (i int, d bson) WITH (autovacuum_enabled = off);
INSERT INTO docs
SELECT i, bson_build_object(
           'id', CASE i % 3 WHEN 0 THEN to_bson(i) WHEN 1 THEN to_bson(i::bigint) ELSE to_bson(i::float8) END,
           'color', (ARRAY['red', 'green', 'blue'])[i % 3 + 1],
           'on', i % 2 = 0,
           'user', bson_build_object('name', 'user ' || i % 10, 'age', i % 50),
           'tags', ARRAY[i % 5, i % 7],
           'items', bson_build_array(bson_build_object('sku', i % 20, 'n', i % 3),
                                     bson_build_object('sku', i % 30, 'n', i % 2)),
           'long', repeat('x', i % 100),
           'price', (i % 40 / 10.0)::numeric(4,2),
           'at', timestamptz '2022-03-03 12:00:00+00' + i * interval '1 hour')
  FROM generate_series(1, 1000) i;
INSERT INTO docs VALUES
    (2001, '{}'), (2002, '[]'), (2003, '5'), (2004, '"red"'), (2005, '[5, "red"]'), (2006, 'null'), (2007, '[[5]]'),
    (2008, '{"sparse": {"a": []}}'), (2009, '{"sparse": {"a": {}}}'), (2010, '{"sparse": [{"a": 1}]}'),
    (2011, '{"a": [{"b": 5}, {"c": 6}]}'), (2012, '{"a": [{"b": 5, "c": 6}]}'), (2013, '{"a": {"b": 5, "c": 6}}'),
    (2014, '{"": {"": 1}}'), (2015, '{"a.b": 5}'), (2016, NULL), (2017, '{"e": null}'), (2018, '{"e": {"$undefined": true}}'),
    (2019, '\x13000000106100010000001061000200000000'); -- a twice, 1 and 2: no operator sees the second

-- a table for each class; the last rows are inserted after the index is created, and are in its list of pending entries
CREATE TABLE bson_ops (LIKE docs) WITH (autovacuum_enabled = off);
CREATE TABLE bson_path_ops (LIKE docs) WITH (autovacuum_enabled = off);
CREATE TABLE bson_range_ops (LIKE docs) WITH (autovacuum_enabled = off);
INSERT INTO bson_ops SELECT * FROM docs;
INSERT INTO bson_path_ops SELECT * FROM docs;
INSERT INTO bson_range_ops SELECT * FROM docs;
CREATE INDEX bson_ops_d ON bson_ops USING gin (d);
CREATE INDEX bson_path_ops_d ON bson_path_ops USING gin (d bson_path_ops);
CREATE INDEX bson_range_ops_d ON bson_range_ops USING gin (d bson_range_ops);
INSERT INTO docs VALUES (3001, '{"color": "red", "tags": [4], "user": {"age": 5}}'), (3002, '["red"]');
INSERT INTO bson_ops SELECT * FROM docs WHERE i > 3000;
INSERT INTO bson_path_ops SELECT * FROM docs WHERE i > 3000;
INSERT INTO bson_range_ops SELECT * FROM docs WHERE i > 3000;

-- The number of rows that a query finds, and for each class the number of rows that were tested again; WRONG if the
-- index and a scan of the table find different rows
CREATE FUNCTION by_index(class text, op text, q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    type text := CASE op WHEN '@>' THEN 'bson' WHEN '@~' THEN 'bson' WHEN '?' THEN 'text' WHEN '?|' THEN 'text[]' WHEN '?&' THEN 'text[]' ELSE 'jsonpath' END;
    func oid := (SELECT oprcode FROM pg_operator WHERE oid = format('%s(bson,%s)', op, type)::regoperator);
    want int[];
    got int[];
    tests bigint;
BEGIN
    EXECUTE format('SELECT array_agg(i ORDER BY i) FROM docs WHERE d %s %L::%s', op, q, type) INTO want;
    IF class = 'docs' THEN
        RETURN coalesce(cardinality(want), 0);
    END IF;
    PERFORM set_config('enable_seqscan', 'off', true), set_config('track_functions', 'all', true);
    tests := coalesce(pg_stat_get_xact_function_calls(func), 0);
    EXECUTE format('SELECT array_agg(i ORDER BY i) FROM %I WHERE d %s %L::%s', class, op, q, type) INTO got;
    tests := coalesce(pg_stat_get_xact_function_calls(func), 0) - tests;
    PERFORM set_config('enable_seqscan', 'on', true), set_config('track_functions', 'none', true);
    RETURN CASE WHEN want IS DISTINCT FROM got THEN 'WRONG' WHEN tests = 0 THEN 'none' ELSE tests::text END;
END $$;

CREATE FUNCTION check_ops(op text, VARIADIC queries text[])
RETURNS TABLE (query text, found text, ops text, path text, range text) LANGUAGE sql AS $$
    SELECT op || ' ' || q, by_index('docs', op, q), by_index('bson_ops', op, q),
           CASE WHEN op NOT LIKE '?%' THEN by_index('bson_path_ops', op, q) END,
           CASE WHEN op NOT LIKE '?%' THEN by_index('bson_range_ops', op, q) END
      FROM unnest(queries) WITH ORDINALITY u (q, n) ORDER BY n;
$$;

-- the index is used
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM bson_ops WHERE d @> '{"color": "red"}';
EXPLAIN (COSTS OFF) SELECT * FROM bson_ops WHERE d ? 'sparse';
EXPLAIN (COSTS OFF) SELECT * FROM bson_ops WHERE d ?| '{sparse,a}';
EXPLAIN (COSTS OFF) SELECT * FROM bson_ops WHERE d ?& '{sparse,a}';
EXPLAIN (COSTS OFF) SELECT * FROM bson_ops WHERE d @? '$.user ? (@.age == 5)';
EXPLAIN (COSTS OFF) SELECT * FROM bson_ops WHERE d @@ '$.user.age == 5';
EXPLAIN (COSTS OFF) SELECT * FROM bson_path_ops WHERE d @> '{"color": "red"}';
EXPLAIN (COSTS OFF) SELECT * FROM bson_path_ops WHERE d @? '$.user ? (@.age == 5)';
EXPLAIN (COSTS OFF) SELECT * FROM bson_path_ops WHERE d @@ '$.user.age == 5';
EXPLAIN (COSTS OFF) SELECT * FROM bson_range_ops WHERE d @> '{"color": "red"}';
EXPLAIN (COSTS OFF) SELECT * FROM bson_range_ops WHERE d @? '$.user ? (@.age > 45)';
EXPLAIN (COSTS OFF) SELECT * FROM bson_range_ops WHERE d @@ '$.user.age > 45';
EXPLAIN (COSTS OFF) SELECT * FROM bson_range_ops WHERE d @~ '{"user.age": {"$gt": 45}}';
RESET enable_seqscan;

-- Containment: the keys of bson_ops decide about fields, at any depth of documents, and about the elements of an array.
-- Values inside elements of arrays are tested again, and so are all but short values, and empty containers. bson_path_ops always
-- tests again.
SELECT * FROM check_ops('@>',
    '{"color": "red"}', '{"color": "red", "on": true}', '{"color": "rot"}', '{"user": {"age": 5}}', '{"user": {"age": 5}, "on": false}',
    '{"tags": [4]}', '{"tags": [4, 1]}', '{"tags": 4}', '{"items": [{"sku": 7}]}', '{"items": [{"sku": 7, "n": 1}]}',
    '{"a": [{"b": 5, "c": 6}]}', '{"a": {"b": 5}}', '{"a.b": 5}', '{"": {"": 1}}', '{"a": 1}', '{"a": 2}',
    '{"long": "xxxxxxxx"}', '{"long": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}',
    '{"e": null}', '{"e": {"$undefined": true}}',
    '{"at": {"$date": "2022-03-03T13:00:00Z"}}', '{"at": "2022-03-03T13:00:00Z"}',
    '{}', '[]', '{"sparse": {}}', '{"sparse": {"a": []}}', '{"sparse": []}',
    '5', '[5]', '[[5]]', '"red"', '["red"]', '["red", 5]', 'null', '{"nothing": 1}');

-- numbers are found by value, for all types in documents and in queries
SELECT * FROM check_ops('@>',
    '{"id": 7}', '{"id": {"$numberLong": "7"}}', '{"id": 7.0}', '{"id": {"$numberDecimal": "7.00"}}',
    '{"id": 8}', '{"id": 9}', '{"price": 1.5}', '{"price": {"$numberDecimal": "1.5"}}', '{"price": {"$numberDecimal": "1.1"}}',
    '{"price": 1.1}'); -- a double is worth its spelling

-- Existence needs no test; a long name does.
SELECT * FROM check_ops('?', 'color', 'sparse', 'red', 'a', 'a.b', '', 'nothing', 'age',
    'a name that is longer than any key of the index');
SELECT * FROM check_ops('?|', '{sparse,a}', '{sparse,nothing}', '{}', '{NULL}', '{NULL,a}', '{{sparse,a},{red,e}}');
SELECT * FROM check_ops('?&', '{color,tags}', '{color,sparse}', '{a,a}', '{}', '{NULL}', '{a,NULL}');

-- jsonpath: conditions that keys decide, conditions that they narrow, and conditions that they say nothing about (then
-- all rows are tested)
SELECT * FROM check_ops('@@',
    '$.color == "red"', '"red" == $.color', 'strict $.color == "red"', '$.user.age == 5', '$.user.age == 5 && $.on == true',
    '$.user.age == 5 || $.user.age == 6', '!($.color == "red")', '!(!($.color == "red"))', '!(!($.user.age == 5) && $.on == true)',
    '$.tags == 4', '$.tags[*] == 4', '$.tags[0] == 4', '$.tags == 4 && $.tags == 1', '$.items.sku == 7', '$.a.b == 5', '$.a.b == 5 && $.a.c == 6',
    '$.user.age > 45', '$.user.* == 5', '$.**.age == 5', '$.sparse.a == 1', '$.user.age + 1 == 5', '$.user.name starts with "user 1"',
    '$.user.name like_regex "^user 1"', '$.price == 1.1', '$.price == 1.5', '$.e == null', '$.e != null', '$.nothing == null',
    '$.at == "2022-03-03T13:00:00+00".datetime()', 'exists($.sparse)', 'exists($.sparse.a)', 'exists($.sparse ? (@.a == 1))', '$.color == $.color',
    '($.color == "red") is unknown', '($.color == "red").type()', '$', '$ == 5', '$[*] == 5', '$.on', 'true');
SELECT * FROM check_ops('@?',
    '$', '$.sparse', '$.sparse.a', '$.sparse.a[*]', '$.sparse ? (@.a == 1)', '$.user ? (@.age == 5)', '$.user ? (@.age == 5 && @.name == "user 5")',
    '$.user ? (@.age == 5).name', '$.tags ? (@ == 4)', '$.tags[*] ? (@ == 4)', '$.tags ? (@ == 4 && @ == 1)', '$.items[*] ? (@.sku == 7 && @.n == 1)',
    '$.items ? (@.sku == 7) ? (@.n == 1)', '$.a ? (@.b == 5 && @.c == 6)', '$ ? (@.user.age == 5)', '$ ? (exists(@.sparse))', '$.user ? ($.on == true)',
    'strict $.user ? (@.age == 5)', '$.user.age ? (@ > 45)', '$.*', '$.** ? (@ == 5)', '$.color == "red"', '$.color.size()', '$.a.b', '$.a.b.c');

-- ranges: bson_range_ops reads the keys of the range, and only those
SELECT * FROM check_ops('@@',
    '$.id > 990', '$.id >= 990', '$.id < 10', '10 > $.id', '$.id > 10 && $.id < 20', '$.id > 10 && $.on == true && $.id < 20', '$.id > 20 && $.id < 10',
    '$.id > 990 || $.id < 10', '$.price > 1.1 && $.price <= 1.2', '$.price < 0', '$.user.age >= 48.5', '$.user.name >= "user 7" && $.user.name < "user 8"',
    '$.user.name starts with "user 7"', '$.long starts with "xxxxxxxxxxxxxxxxxxxxxxxxxx"', '$.color > "gree" && $.color < "green!"', '$.color < "c"', '$.on > false',
    '$.at > "2022-04-14T00:00:00+00".datetime()', '$.at < "2022-03-03T13:00:00.0001+00".datetime()', '$.at >= "2022-03-03T13:00:00+00".datetime() && $.at < "2022-03-03T15:00:00Z".datetime()',
    '$.at > "2022-03-03T13:00:00+00"', '$.tags > 5', '$.tags > 5 && $.tags < 1', '$.items.n > 1', '$ > 4', '$[*] > 4', '$.e >= null', '$.e > null',
    '$.id > 99999999999999999999999999999999999999999999999999', '!($.id > 10)', 'strict $.id < 10', '$.id <= $.user.age');
SELECT * FROM check_ops('@?',
    '$.id ? (@ > 990)', '$ ? (@.id > 10 && @.id < 20)', '$.id ? (@ > 10 && @ < 20)', '$.tags ? (@ > 5)', '$.tags ? (@ > 5 && @ < 1)', '$.items[*] ? (@.sku > 25 && @.n > 0)',
    '$.user ? (@.age > 48).name', '$.user.name ? (@ starts with "user 7")', 'strict $.tags[*] ? (@ > 5)');

-- two conditions that are both sides of a range read what lies between them
CREATE FUNCTION pg_temp.gin_pages(condition text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  SET LOCAL enable_seqscan = off;
  EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) SELECT FROM bson_range_ops WHERE ' || condition INTO plan;
  RETURN (plan #>> '{0,Plan,Plans,0,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Plans,0,Shared Read Blocks}')::int;
END $$;
SELECT format(condition, sides), pg_temp.gin_pages(format(condition, sides)) < least(pg_temp.gin_pages(format(condition, low)), pg_temp.gin_pages(format(condition, high))) AS less
  FROM (VALUES ($$d @@ '%s'$$, '$.id > 490 && $.id < 510', '$.id > 490', '$.id < 510'), ($$d @~ '{"$and": [%s]}'$$, '{"id": {"$gt": 490}}, {"id": {"$lt": 510}}', '{"id": {"$gt": 490}}', '{"id": {"$lt": 510}}')) AS v(condition, sides, low, high);

-- MongoDB's queries
SELECT * FROM check_ops('@~',
    '{"color": "red"}', '{"user.age": 5}', '{"user.age": {"$gt": 45}}', '{"user.age": {"$gte": 10, "$lt": 12}}', '{"color": "red", "on": true}',
    '{"tags": 4}', '{"tags": [4, 6]}', '{"tags": {"$all": [4, 1]}}', '{"tags": {"$size": 1}}', '{"items.sku": 7}', '{"items.0.sku": 7}', '{"a.b": 5}', '{"a.b": 5, "a.c": 6}',
    '{"items": {"$elemMatch": {"sku": 7, "n": 1}}}', '{"tags": {"$elemMatch": {"$gt": 5}}}', '{"color": {"$in": ["red", "blue"]}}', '{"color": {"$in": ["red", null]}}',
    '{"color": {"$ne": "red"}}', '{"sparse": {"$exists": true}}', '{"sparse.a": {"$exists": true}}', '{"sparse": {"$exists": false}}', '{"sparse": null}',
    '{"$or": [{"user.age": 5}, {"user.age": 6}]}', '{"$or": [{"user.age": 5}, {"sparse": null}]}', '{"$nor": [{"user.age": 5}]}', '{"color": {"$regex": "^r"}}',
    '{"price": {"$mod": [2, 1]}}', '{"sparse": {"$type": "array"}}', '{"at": {"$gt": {"$date": "2022-04-14T00:00:00Z"}}}', '{"price": 1.5}', '{}');

-- a condition that only a scan of the whole index can serve takes part in one that narrows
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM bson_ops WHERE d @> '{}' AND d ? 'sparse';
SELECT count(*) FROM bson_ops WHERE d @> '{}' AND d ? 'sparse';
SELECT count(*) FROM bson_ops WHERE d @> '{"color": "red"}' AND NOT d ? 'sparse';
-- a query may come from another table; NULL finds nothing
SELECT count(*) FROM (VALUES ('{"color": "red"}'::bson), ('{"on": true}'), (NULL)) v(q) JOIN bson_ops ON d @> q;
RESET enable_seqscan;

-- extreme values: many elements, deep nesting, long values and names, a value of every type
SELECT gin_clean_pending_list('bson_ops_d') > 0 AS cleaned;
BEGIN;
INSERT INTO bson_ops SELECT 4001, bson_agg(i % 90000) FROM generate_series(1, 100000) i;
INSERT INTO bson_path_ops SELECT 4001, bson_agg(i % 90000) FROM generate_series(1, 100000) i;
INSERT INTO bson_range_ops SELECT 4001, bson_agg(i % 90000) FROM generate_series(1, 100000) i;
INSERT INTO bson_ops SELECT 4002, (repeat('{"a":[', 500) || '5' || repeat(']}', 500))::bson;
INSERT INTO bson_path_ops SELECT 4002, (repeat('{"a":[', 500) || '5' || repeat(']}', 500))::bson;
INSERT INTO bson_range_ops SELECT 4002, (repeat('{"a":[', 500) || '5' || repeat(']}', 500))::bson;
INSERT INTO bson_ops SELECT 4003, bson_build_object(repeat('name', 10000), repeat('value', 100000));
INSERT INTO bson_path_ops SELECT 4003, bson_build_object(repeat('name', 10000), repeat('value', 100000));
INSERT INTO bson_range_ops SELECT 4003, bson_build_object(repeat('name', 10000), repeat('value', 100000));
INSERT INTO bson_ops SELECT 4004, bson_object_agg('k' || i, i) FROM generate_series(1, 20000) i;
INSERT INTO bson_path_ops SELECT 4004, bson_object_agg('k' || i, i) FROM generate_series(1, 20000) i;
INSERT INTO bson_range_ops SELECT 4004, bson_object_agg('k' || i, i) FROM generate_series(1, 20000) i;
SET LOCAL enable_seqscan = off;
SELECT i FROM bson_ops WHERE d @> '89999';
SELECT i FROM bson_path_ops WHERE d @> '[89999, 1, 2, 3]';
SELECT i FROM bson_ops WHERE d @> (repeat('{"a":[', 500) || '5' || repeat(']}', 500))::bson;
SELECT i FROM bson_path_ops WHERE d @> (repeat('{"a":[', 500) || '5' || repeat(']}', 500))::bson;
SELECT i FROM bson_ops WHERE d @> bson_build_object(repeat('name', 10000), repeat('value', 100000));
SELECT i FROM bson_path_ops WHERE d @> bson_build_object(repeat('name', 10000), repeat('value', 100000));
SELECT i FROM bson_range_ops WHERE d @> bson_build_object(repeat('name', 10000), repeat('value', 100000));
SELECT i FROM bson_range_ops WHERE d @@ '$ >= 89999';
SELECT i FROM bson_ops WHERE d ? repeat('name', 10000);
SELECT i FROM bson_ops WHERE d ? 'k19999';
SELECT i FROM bson_ops WHERE d ?& (SELECT array_agg('k' || i) FROM generate_series(1, 20000) i);
SELECT i FROM bson_ops WHERE d @> (SELECT bson_object_agg('k' || i, i::float8) FROM generate_series(1, 20000) i);
ROLLBACK;

-- conditions that missing values satisfy, or that no key says anything about: the answer is that of a scan
CREATE TEMP TABLE gin_hard (id int, d bson);
INSERT INTO gin_hard SELECT i, bson_build_object('n', i, 's', 'v' || i, 'x', NULL) FROM generate_series(1, 50) AS i;
INSERT INTO gin_hard VALUES (51, '{"s": null}'), (52, '{}');
CREATE FUNCTION pg_temp.gin_hard(condition text) RETURNS TABLE (class text, n bigint) LANGUAGE plpgsql AS $$
BEGIN
  FOREACH class IN ARRAY ARRAY['none', 'bson_ops', 'bson_path_ops', 'bson_range_ops'] LOOP
    IF class <> 'none' THEN
      EXECUTE format('CREATE INDEX gin_hard_d ON gin_hard USING gin (d %s)', class);
      SET LOCAL enable_seqscan = off;
    END IF;
    EXECUTE format('SELECT count(*) FROM gin_hard WHERE %s', condition) INTO n;
    RETURN NEXT;
    DROP INDEX IF EXISTS gin_hard_d;
    SET LOCAL enable_seqscan = on;
  END LOOP;
END $$;
SET client_min_messages = warning;
SELECT condition, string_agg(class || ' ' || n, ', ' ORDER BY class) FROM unnest(ARRAY[
  $$d @? '$.x ? (@ > null)'$$, $$d @? '$.x ? (@ >= null)'$$, $$d @? '$.s ? (@ starts with "v1")'$$, $$d @~ '{"s": {"$in": ["v1", null]}}'$$,
  $$d @~ '{"x": {"$in": [5, null]}}'$$, $$d @~ '{"s": {"$in": ["v1", {"$regularExpression": {"pattern": "^v2", "options": ""}}]}}'$$
]) AS condition, LATERAL pg_temp.gin_hard(condition) GROUP BY condition ORDER BY condition COLLATE "C";
RESET client_min_messages;
-- more elements than an index can have keys, but few distinct ones
CREATE INDEX gin_hard_d ON gin_hard USING gin (d);
INSERT INTO gin_hard SELECT 53, bson_build_object('many', array_fill(5, ARRAY[1200000]), 'last', 6);
SET enable_seqscan = off;
SELECT id FROM gin_hard WHERE d @> '{"many": [5], "last": 6}';
RESET enable_seqscan;
DROP TABLE gin_hard;
-- an empty name: of a field, of an array's documents, and behind a dot; a root that is an array has no such field
CREATE TEMP TABLE gin_empty (d bson);
INSERT INTO gin_empty SELECT d::bson FROM unnest(ARRAY['[1]', '[[1]]', '[]', '[{"": 1}]', '{"": 1}', '{"": [1]}', '{"": []}', '{"": {}}', '{"": {"": 1}}', '{"a": [1]}', '{"a": {"": 1}}', '{"a": [{"": 1}]}', '{"a": []}', '1', '{}', '{"a": [[1]]}']) AS d;
CREATE FUNCTION pg_temp.gin_empty(query bson) RETURNS TABLE (scan text, differs text) LANGUAGE plpgsql AS $$
DECLARE
  class text;
  found text;
BEGIN
  SET LOCAL enable_seqscan = on;
  SELECT string_agg(d::text, ' ' ORDER BY d) INTO scan FROM gin_empty WHERE d @~ query;
  FOREACH class IN ARRAY ARRAY['bson_ops', 'bson_path_ops', 'bson_range_ops'] LOOP
    EXECUTE format('CREATE INDEX gin_empty_d ON gin_empty USING gin (d %s)', class);
    SET LOCAL enable_seqscan = off;
    EXECUTE 'SELECT string_agg(d::text, '' '' ORDER BY d) FROM gin_empty WHERE d @~ $1' INTO found USING query;
    SET LOCAL enable_seqscan = on;
    IF found IS DISTINCT FROM scan THEN
      differs := concat_ws(' ', differs, class, found);
    END IF;
    DROP INDEX gin_empty_d;
  END LOOP;
  RETURN NEXT;
END $$;
SELECT query, (pg_temp.gin_empty(query::bson)).* FROM unnest(ARRAY['{"": 1}', '{"": []}', '{"": [1]}', '{"": {}}', '{"": {"$exists": true}}', '{"": {"$exists": false}}', '{"": null}', '{".": 1}', '{"a.": 1}', '{"a.": {"$exists": true}}', '{"": {"$gt": 0}}', '{"": {"$elemMatch": {"$gt": 0}}}', '{"": {"$size": 1}}', '{"": {"$in": [1, null]}}']) AS query;
-- Paths of more than two names, of which a hashed key has the first and the last: equal keys are not equal paths
CREATE TEMP TABLE gin_deep AS
  SELECT i AS id, bson_build_object('interface', bson_build_object('method_number_' || i, bson_build_object('support', bson_build_object('browser', bson_build_object('version_added', '1'))))) AS d
    FROM generate_series(1, 3000) AS i;
CREATE INDEX gin_deep_d ON gin_deep USING gin (d);
CREATE FUNCTION pg_temp.gin_deep(condition text, OUT scan text, OUT index text, OUT tests bigint) LANGUAGE plpgsql AS $$
DECLARE
  func oid := (SELECT oprcode FROM pg_operator WHERE oprname = split_part(condition, ' ', 2) AND oprleft = 'bson'::regtype);
BEGIN
  SET LOCAL enable_seqscan = on;
  EXECUTE 'SELECT string_agg(id::text, '' '' ORDER BY id) FROM gin_deep WHERE id < 5 AND ' || condition INTO scan;
  SET LOCAL enable_seqscan = off;
  SET LOCAL track_functions = 'all';
  tests := coalesce(pg_stat_get_xact_function_calls(func), 0);
  EXECUTE 'SELECT string_agg(id::text, '' '' ORDER BY id) FROM gin_deep WHERE id < 5 AND ' || condition INTO index;
  tests := coalesce(pg_stat_get_xact_function_calls(func), 0) - tests;
END $$;
SELECT condition, f.* FROM unnest(ARRAY[
  $$d @> '{"interface": {"method_number_3": {"support": {"browser": {"version_added": "1"}}}}}'$$, $$d @> '{"interface": {"method_number_3": {"browser": {"version_added": "1"}}}}'$$,
  $$d @@ '$.interface.method_number_2.support.browser.version_added == "1"'$$, $$d @@ '$.interface.method_number_2.support.browser.version_added != "1"'$$, $$d @? '$.interface.method_number_2.support.browser'$$,
  $$d @~ '{"interface.method_number_1.support.browser.version_added": {"$exists": true}}'$$, $$d @~ '{"interface.method_number_1.support.browser.version_added": {"$exists": false}}'$$,
  $$d @~ '{"interface.method_number_1.support.browser.version_added": {"$ne": "1"}}'$$, $$d @~ '{"interface.method_number_1.support.browser.version_added": null}'$$]) AS condition, LATERAL pg_temp.gin_deep(condition) AS f;
-- so of each method there are no more keys than itself and what it has
SELECT pg_relation_size('gin_deep_d') / 1024 < 800 AS small;
DROP TABLE gin_deep;

-- Keys of long strings have no path, those of long paths its ends, and those of integers and dates their last five bytes.
-- So the index finds other rows, too, which are tested again.
CREATE TEMP TABLE gin_loose AS SELECT row_number() OVER () AS id, d::bson FROM unnest(ARRAY[
    '{"a": "a string of identity"}', '{"b": "a string of identity"}', '{"a": ["a string of identity"]}', '{"b": {"a": "a string of identity"}}',
    '{"a": {"b": "a string of identity"}}', '["a string of identity"]', '"a string of identity"', '{"a": 1, "b": "a string of identity"}',
    '{"p": {"x": {"z": 123456}}}', '{"p": {"y": {"z": 123456}}}', '{"p": [{"x": {"z": 123456}}]}', '{"q": {"x": {"z": 123456}}}', '{"p": {"x": {"y": {"z": 123456.0}}}}',
    '{"n": 65536}', '{"n": 1099511693312}', '{"n": {"$date": {"$numberLong": "65536"}}}', '{"n": 65536.5}', '{"n": [65536]}', '{"n": -65536}']) AS d;
CREATE INDEX gin_loose_d ON gin_loose USING gin (d);
CREATE FUNCTION pg_temp.gin_loose(condition text, OUT scan text, OUT index text, OUT tested int) LANGUAGE plpgsql AS $$
DECLARE
  plan json;
  rows text := 'SELECT string_agg(id::text, '' '' ORDER BY id) FROM gin_loose WHERE ';
BEGIN
  SET LOCAL enable_seqscan = on;
  EXECUTE rows || condition INTO scan;
  SET LOCAL enable_seqscan = off;
  EXECUTE rows || condition INTO index;
  EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT json) SELECT FROM gin_loose WHERE ' || condition INTO plan;
  tested := (plan #>> '{0,Plan,Plans,0,Actual Rows}')::numeric::int;
END $$;
SELECT condition, f.* FROM unnest(ARRAY[$$d @> '{"a": "a string of identity"}'$$, $$d @> '{"a": ["a string of identity"]}'$$, $$d @> '{"b": {"a": "a string of identity"}}'$$,
  $$d @> '["a string of identity"]'$$, $$d @> '"a string of identity"'$$, $$d @@ '$.a == "a string of identity"'$$, $$d @? '$.b ? (@.a == "a string of identity")'$$,
  $$d @~ '{"a": "a string of identity"}'$$, $$d @~ '{"a.b": {"$in": ["a string of identity", 1]}}'$$, $$d @~ '{"c": "a string of identity"}'$$, $$d @~ '{"a": {"$ne": "a string of identity"}}'$$,
  $$d @> '{"p": {"x": {"z": 123456}}}'$$, $$d @~ '{"p.x.z": 123456}'$$, $$d @@ '$.p.y.z == 123456'$$, $$d @> '{"p": [{"x": {"z": 123456}}]}'$$, $$d @@ '$.p.x.y.z == 123456'$$,
  $$d @> '{"n": 65536}'$$, $$d @~ '{"n": 65536.0}'$$, $$d @@ '$.n == 1099511693312'$$, $$d @~ '{"n": {"$date": {"$numberLong": "65536"}}}'$$, $$d @~ '{"n": {"$numberDecimal": "65536.5"}}'$$]) AS condition,
  LATERAL pg_temp.gin_loose(condition) AS f;
SELECT count(*) AS wrong FROM unnest(ARRAY['a', 'b', 'p', 'q', 'n', 'a string of identity']) AS name, LATERAL pg_temp.gin_loose(format('d ? %L', name)) AS f WHERE scan IS DISTINCT FROM index;
DROP TABLE gin_loose;
-- ? finds strings that are the root, or in a root array, by their keys as values, whatever their length; so the key of a field proves one
CREATE TEMP TABLE gin_name AS
  SELECT row_number() OVER () AS id, d FROM unnest(ARRAY[0, 1, 8, 9, 16, 17, 27, 28, 40]) AS n, LATERAL repeat('x', n) AS s,
    LATERAL (VALUES (to_bson(s)), (bson_build_array(s)), (bson_build_array(1, s || 'y', s)), (bson_build_array(bson_build_array(s))), (bson_build_object(s, 1)), (bson_build_array(bson_build_object(s, 1))),
      (bson_build_object('a', s)), (bson_build_object('a', bson_build_array(s))), (bson_build_object('a', bson_build_object(s, 1))), (bson_build_object(s, 1, s || 'y', 1))) AS v (d);
INSERT INTO gin_name VALUES (1002, '"x\u0000"'), (1003, '["x\u0000"]'), (1004, '{"$symbol": "x"}'), (1005, '[{"$symbol": "x"}]'), (1006, '[{"$code": "x"}]');
CREATE INDEX gin_name_d ON gin_name USING gin (d);
CREATE FUNCTION pg_temp.gin_name(condition text, OUT scan text, OUT index text) LANGUAGE plpgsql AS $$
BEGIN
  SET LOCAL enable_seqscan = on;
  EXECUTE 'SELECT string_agg(id::text, '' '' ORDER BY id) FROM gin_name WHERE ' || condition INTO scan;
  SET LOCAL enable_seqscan = off;
  EXECUTE 'SELECT string_agg(id::text, '' '' ORDER BY id) FROM gin_name WHERE ' || condition INTO index;
END $$;
SELECT n, op, scan, CASE WHEN index IS DISTINCT FROM scan THEN index END AS wrong
  FROM unnest(ARRAY[0, 1, 8, 9, 16, 17, 27, 28, 40]) AS n, LATERAL repeat('x', n) AS s,
    LATERAL (VALUES ('?', format('d ? %L', s)), ('?|', format('d ?| %L', ARRAY[s, 'none', s || 'y'])), ('?&', format('d ?& %L', ARRAY[s, s || 'y'])), ('@?', format('d @? %L', '$.' || to_json(s))),
      ('exists', format('d @~ %L', bson_build_object(s, bson_build_object('$exists', true)))), ('@>', format('d @> %L', bson_build_array(s)))) AS v (op, condition), LATERAL pg_temp.gin_name(condition) AS f ORDER BY n, op;
DROP TABLE gin_name;
-- what the index proves is asked of it; a condition on a field that all documents have, of which it knows no more, is tested in the rows
CREATE TABLE gin_narrow AS SELECT i AS id, ('{"kind": ' || i % 50 || ', "n": ' || CASE i % 11 WHEN 0 THEN 'null' WHEN 1 THEN '[' || i % 7 || ', 9]' WHEN 2 THEN '"x"' ELSE i % 7 || '' END || ', "long": "a string of identity ' || i % 40
  || '", "in": {"m": ' || i % 9 || '}' || CASE WHEN i % 100 = 3 THEN ', "rare": ' || i % 13 ELSE '' END || '}')::bson AS d FROM generate_series(1, 3000) AS i;
CREATE INDEX gin_narrow_index ON gin_narrow USING gin (d);
ANALYZE gin_narrow;
SET enable_seqscan = off;
CREATE FUNCTION pg_temp.gin_narrow(query bson, OUT asked text, OUT tested text, OUT wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
  plan json;
  statement text := format('SELECT id FROM gin_narrow WHERE d @~ %L', query);
BEGIN
  EXECUTE 'EXPLAIN (FORMAT json) ' || statement INTO plan;
  asked := plan #>> '{0,Plan,Plans,0,Index Cond}';
  tested := plan #>> '{0,Plan,Filter}';
  EXECUTE format('SELECT count(*) FROM (%s) AS a FULL JOIN (SELECT id FROM gin_narrow WHERE bson_match(d, %L)) AS b USING (id) WHERE a.id IS NULL OR b.id IS NULL', statement, query) INTO wrong;
END $$;
SELECT f.* FROM unnest(ARRAY['{"kind": 3, "n": {"$gte": 5}}', '{"n": {"$gte": 2, "$lt": 6}, "kind": {"$in": [3, 4]}, "in.m": {"$ne": 4}}', '{"kind": 3, "n": {"$type": "array"}}', '{"kind": 3, "n": {"$size": 2}, "rare": {"$gt": 1}}',
  '{"kind": 3, "rare": {"$gte": 5}}', '{"kind": 3, "none": {"$lt": 5}}', '{"kind": 3, "n": {"$gte": 5, "$in": [5, 6]}}', '{"kind": 3, "n": {}}', '{"kind": {"$gte": 3}, "n": {"$gte": 5}}', '{"long": "a string of identity 3", "n": {"$gte": 5}}',
  '{"$and": [{"kind": 3}, {"n": {"$gte": 5}}]}', '{"kind": 3, "$expr": {"$gte": ["$n", 5]}}', '{"kind": 3, "$comment": {"$gt": 1}}', '{"kind": 3, "$or": [{"n": 1}, {"n": {"$gte": 5}}], "in.m": {"$mod": [2, 1]}}']::bson[]) AS query, LATERAL pg_temp.gin_narrow(query) AS f;
-- a kept plan, and another class of index, which knows of ranges
PREPARE gin_narrow_query AS SELECT count(*) FROM gin_narrow WHERE d @~ '{"kind": 3, "n": {"$gte": 5}}';
EXECUTE gin_narrow_query; EXECUTE gin_narrow_query;
DROP INDEX gin_narrow_index;
CREATE INDEX ON gin_narrow USING gin (d bson_range_ops);
SELECT * FROM pg_temp.gin_narrow('{"kind": 3, "n": {"$gte": 5}}');
-- a column of a domain, and an expression, which has no statistics
CREATE DOMAIN gin_domain AS bson;
ALTER TABLE gin_narrow ALTER d TYPE gin_domain;
CREATE INDEX ON gin_narrow USING gin (d);
CREATE INDEX ON gin_narrow USING gin ((d -> 'in'));
ANALYZE gin_narrow;
SELECT * FROM pg_temp.gin_narrow('{"kind": 3, "n": {"$gte": 5}}');
EXPLAIN (COSTS OFF) SELECT id FROM gin_narrow WHERE d -> 'in' @~ '{"m": 3, "n": {"$gte": 5}}';
RESET enable_seqscan;
DROP TABLE gin_narrow;
DROP DOMAIN gin_domain;

-- keys are in the order of bytea: short and long ones, with headers as in a tuple, and equal ones
CREATE TEMP TABLE gin_keys AS
    SELECT substr('\x01ff80007f01ff80007f01ff80007f01ff80'::bytea, 1, n) || tail AS key
    FROM generate_series(0, 18) AS n, (VALUES (''::bytea), ('\x00'), ('\x01'), ('\x80'), ('\xff00')) AS v(tail);
SELECT count(*) AS pairs, count(*) FILTER (WHERE bson_gin_compare(a.key, b.key) <> sign(byteacmp(a.key, b.key))) AS wrong
FROM gin_keys AS a, gin_keys AS b;
DROP TABLE gin_keys;
