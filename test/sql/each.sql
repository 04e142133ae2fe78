-- If this fails, a document or array is not expanded into its elements.
SELECT * FROM bson_each('{"a": 1, "b": [1, 2], "c": {"d": null}, "": "x", "e": null}');
SELECT key, value, value IS NULL AS is_null FROM bson_each_text('{"a": 1, "b": [1, 2], "c": {"d": null}, "": "x", "e": null}');
SELECT bson_object_keys('{"b": 1, "a": 2, "é": 3, "": 4}');
SELECT value, bson_typeof(value) FROM bson_array_elements('[1, "x", [2], {"a": 3}, null, true, 1.5]');
SELECT value, value IS NULL AS is_null FROM bson_array_elements_text('[1, "x", [2], {"a": 3}, null, true, 1.5]');
SELECT count(*) FROM bson_each('{}');
SELECT count(*) FROM bson_array_elements('[]');

-- all duplicates in binary input are returned
SELECT * FROM bson_each('\x13000000106100010000001061000200000000');

-- a value of the wrong kind is an error, as with jsonb
SELECT * FROM bson_each('[1]');  -- ERROR
SELECT bson_object_keys('"x"');  -- ERROR
SELECT bson_array_elements('{"a": 1}');  -- ERROR
SELECT bson_array_elements_text('5');  -- ERROR

-- an expansion can stop early, run twice in one query, and be nested
SELECT value FROM bson_array_elements('[1, 2, 3, 4]') LIMIT 2;
SELECT bson_array_elements('[1, 2, 3]'), bson_array_elements_text('["a", "b"]');
SELECT e.value, k FROM bson_array_elements('[{"a": 1, "b": 2}, {"c": 3}]') AS e, bson_object_keys(e.value) AS k;

-- many elements
SELECT count(*), sum(value -#> 'n') FROM bson_array_elements((SELECT ('[' || string_agg('{"n": ' || i || '}', ',') || ']')::bson FROM generate_series(1, 100000) AS i));

-- keys and values of every length, in rows that have room where they are formed and in longer ones,
-- in rows that are made all at once and in rows that are made one by one
CREATE TEMP TABLE lengths AS
  SELECT bson_build_object(repeat('k', i / 8), repeat('v', i), 'n', i, 'document', bson_build_object(repeat('d', i), i), 'null', NULL) AS d, bson_build_array(repeat('v', i), i, bson_build_object('d', repeat('d', i)), NULL) AS a
  FROM generate_series(1, 1100) AS i;
SELECT count(*), count(*) FILTER (WHERE e.value IS DISTINCT FROM d -> e.key) AS wrong FROM lengths, bson_each(d) AS e;
SELECT count(*), count(*) FILTER (WHERE e.value IS DISTINCT FROM d ->> e.key) AS wrong FROM lengths, bson_each_text(d) AS e;
SELECT count(*), count(*) FILTER (WHERE NOT d ? k) AS wrong FROM lengths, bson_object_keys(d) AS k;
SELECT count(*), count(*) FILTER (WHERE e IS DISTINCT FROM a -> (n - 1)::int) AS wrong FROM lengths, bson_array_elements(a) WITH ORDINALITY AS x(e, n);
SELECT count(*), count(*) FILTER (WHERE e IS DISTINCT FROM a ->> (n - 1)::int) AS wrong FROM lengths, bson_array_elements_text(a) WITH ORDINALITY AS x(e, n);
SELECT count(*), count(*) FILTER (WHERE e.value IS DISTINCT FROM d -> e.key) AS wrong FROM (SELECT d, (bson_each(d)).* FROM lengths) AS e;

-- rows that are made one by one come from an argument that is neither copied nor lost before the last of them: of a column, calculated, sorted,
-- compressed, from another expansion, beside longer ones, in a cursor that another one overtakes
\a
CREATE TEMP TABLE packed AS SELECT i, bson_build_array(i, repeat('abc', 2000), i + 1, i + 2) AS a FROM generate_series(1, 50) AS i;
SELECT count(*), sum(length(e::text)) FROM (SELECT bson_array_elements(a) AS e FROM packed ORDER BY i DESC) AS s;
SELECT count(*), sum(length(e::text)), sum(n) FROM (SELECT bson_array_elements(a || bson_build_array(i)) AS e, generate_series(1, 9) AS n FROM packed) AS s;
SELECT count(*), sum(length(e)) FROM (SELECT bson_array_elements_text(bson_array_elements(bson_build_array(a, bson_build_array(i), d))) AS e FROM packed, LATERAL (SELECT bson_build_array('x', i) AS d OFFSET 0) AS s) AS s;
SELECT count(DISTINCT k) FROM (SELECT bson_object_keys(bson_build_object(k, 1, k || 'b', 2)) AS k FROM (SELECT DISTINCT 'k' || i AS k FROM packed) AS s) AS s;
BEGIN;
DECLARE slow CURSOR FOR SELECT bson_array_elements_text(a) FROM packed WHERE i < 3;
DECLARE fast CURSOR FOR SELECT bson_object_keys(d) FROM lengths LIMIT 300;
FETCH 1 FROM slow;
MOVE FORWARD ALL FROM fast;
MOVE 1 FROM slow;
FETCH 3 FROM slow;
COMMIT;
\a
