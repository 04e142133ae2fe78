-- If this failed, the planner would not know how many rows a condition on a document leaves, or take long to find out.
SET jit = off;

-- Two tables of the same documents, of about 300 bytes and of 3 kB: the server's own ANALYZE leaves out the latter.
CREATE FUNCTION doc(i int, filler text) RETURNS bson LANGUAGE sql AS $$
    SELECT bson_build_object(
        'id', i,
        'status', CASE WHEN i % 10 < 6 THEN 'active' WHEN i % 10 < 9 THEN 'pending' ELSE 'closed' END,
        'on', i % 2 = 0,
        'group', i % 40,
        'user', bson_build_object('country', (ARRAY['Argentina', 'Brazil', 'Canada', 'Denmark', 'Estonia'])[i % 5 + 1], 'nr', i % 1000),
        'tags', ARRAY['t' || i % 20, 'u' || i % 3],
        'items', bson_build_array(bson_build_object('sku', i % 500, 'n', i % 4), bson_build_object('sku', i % 7, 'n', 9)),
        'filler', filler || i)
        || CASE WHEN i % 25 = 0 THEN '{"sparse": {"a": 1}}'::bson ELSE '{}' END;
$$;
CREATE TABLE small (d bson) WITH (autovacuum_enabled = off);
CREATE TABLE wide (d bson) WITH (autovacuum_enabled = off);
INSERT INTO small SELECT doc(i, '') FROM generate_series(1, 10000) i;
INSERT INTO wide SELECT doc(i, repeat(md5(i::text), 90)) FROM generate_series(1, 10000) i;
INSERT INTO small SELECT NULL FROM generate_series(1, 2500);
INSERT INTO wide SELECT NULL FROM generate_series(1, 2500);
ANALYZE small, wide;

-- how long a processor has worked for this session, which other sessions do not change; 0 where no file tells it
CREATE FUNCTION processor_seconds() RETURNS float8 LANGUAGE sql AS $$
    SELECT coalesce((stat[12]::float8 + stat[13]::float8) / 100, 0)
      FROM regexp_split_to_array(substring(pg_read_file('/proc/self/stat', 0, 10000, true) FROM '\) (.*)'), ' ') AS stat;
$$;

-- the rows that the planner expects
CREATE FUNCTION expected(tab text, cond text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    EXECUTE format('EXPLAIN SELECT * FROM %s WHERE %s', tab, cond) INTO line;
    RETURN substring(line FROM 'rows=(\d+)');
END $$;

-- and how far that is from the truth: "right" within a factor of 2, "near" within 8, else the numbers; fewer than ten
-- rows count as ten
CREATE FUNCTION verdict(tab text, cond text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE truth float8; guess float8 := greatest(expected(tab, cond), 10);
BEGIN
    EXECUTE format('SELECT count(*) FROM %s WHERE %s', tab, cond) INTO truth;
    truth := greatest(truth, 10);
    RETURN CASE WHEN guess BETWEEN truth / 2 AND truth * 2 THEN 'right' WHEN guess BETWEEN truth / 8 AND truth * 8 THEN 'near'
                ELSE format('%s instead of %s', guess, truth) END;
END $$;

SELECT cond, verdict('small', cond) AS small, verdict('wide', cond) AS wide
  FROM unnest(ARRAY[
    $$d @> '{"status": "active"}'$$, $$d @> '{"status": "closed"}'$$, $$d @> '{"id": 17}'$$, $$d @> '{"group": 7}'$$, $$d @> '{"group": 7.0}'$$, $$d @> '{"on": true}'$$,
    $$d @> '{"status": "active", "on": true}'$$, $$d @> '{"user": {"country": "Brazil"}}'$$, $$d @> '{"user": {"country": "Brazil", "nr": 6}}'$$,
    $$d @> '{"tags": ["t3"]}'$$, $$d @> '{"tags": ["u1"]}'$$, $$d @> '{"items": [{"sku": 3}]}'$$, $$d @> '{"items": [{"n": 9}]}'$$, $$'{"status": "active"}' <@ d$$,
    $$d @> '{}'$$, $$d @> NULL$$,
    $$d ? 'status'$$, $$d ? 'sparse'$$, $$d ?| '{sparse,nothing}'$$, $$d ?| '{}'$$, $$d ?& '{status,sparse}'$$, $$d ?& '{}'$$,
    $$d @@ '$.status == "active"'$$, $$d @@ '$.group == 7 || $.group == 8'$$, $$d @@ '$.group == 7 && $.tags == "u1"'$$, $$d @@ '!($.status == "active")'$$, $$d @@ '$.items.sku == 3'$$,
    $$d @? '$.sparse'$$, $$d @? '$.sparse.a'$$, $$d @? '$.tags[*] ? (@ == "u1")'$$, $$d @? '$.group ? (@ > 20)'$$, $$d @@ '$.group > 10 && $.group < 15'$$,
    $$d @~ '{"status": "active"}'$$, $$d @~ '{"status": {"$ne": "active"}}'$$, $$d @~ '{"group": {"$in": [1, 2, 3]}}'$$, $$d @~ '{"user.country": "Brazil", "on": true}'$$,
    $$d @~ '{"sparse": {"$exists": true}}'$$, $$d @~ '{"sparse": {"$exists": false}}'$$
  ]) WITH ORDINALITY c(cond, n) ORDER BY n;

-- how often a rare value was met depends on chance
SELECT replace(verdict('small', cond), 'right', 'near') AS small, replace(verdict('wide', cond), 'right', 'near') AS wide FROM (VALUES ($$d @> '{"user": {"nr": 7}}'$$)) v(cond);

-- ranges: each path and type has a histogram
SELECT cond, verdict('small', cond) AS small, verdict('wide', cond) AS wide
  FROM unnest(ARRAY[
    $$d @@ '$.id > 9500'$$, $$d @@ '$.id >= 9000'$$, $$d @@ '$.id < 1000'$$, $$d @@ '$.id > 1000 && $.id < 1500'$$, $$d @@ '$.id > 1000 && $.id < 1010'$$, $$d @@ '$.id > 20000'$$,
    $$d @@ '$.user.nr > 900'$$, $$d @@ '$.group < 4'$$, $$d @? '$.group ? (@ > 10 && @ < 15)'$$, $$d @@ '$.filler starts with "1"'$$, $$d @@ '$.user.country > "D"'$$,
    $$d @@ '$.items.sku > 400'$$, $$d @@ '$.tags > "u"'$$, $$d @~ '{"id": {"$gt": 9500}}'$$, $$d @~ '{"id": {"$gte": 100, "$lt": 1000}}'$$, $$d @~ '{"user.nr": {"$lte": 49}}'$$,
    $$d @@ '$.id > "a"'$$
  ]) WITH ORDINALITY c(cond, n) ORDER BY n;
-- fields compared with constants by the operators of the type and of SQL's types; both sides of a range together
SELECT cond, verdict('small', cond) AS small, verdict('wide', cond) AS wide
  FROM unnest(ARRAY[
    $$d -> 'id' > 9500$$, $$9500 < d -> 'id'$$, $$d -> 'id' >= 9000.5$$, $$d -> 'id' < 1000::float8$$, $$d -> 'id' > '9500'::bson$$, $$d['id'] > 9500$$, $$d #> '{user,nr}' <= 49$$,
    $$d -> 'id' BETWEEN 1000 AND 1500$$, $$d -> 'id' > 1000 AND 1500 > d -> 'id'$$, $$d -> 'user' -> 'nr' > 900$$, $$d -> 'group' = 7$$, $$d -> 'group' <> 7$$,
    $$d -> 'status' = 'closed'::text$$, $$d -> 'status' <> 'active'::text$$, $$d -> 'user' -> 'country' > 'D'::text$$, $$d -> 'on' = true$$, $$d -> 'id' > 1e5000::numeric$$,
    $$d -> 'nothing' = 5$$, $$d -> 'id' > NULL::int$$
  ]) WITH ORDINALITY c(cond, n) ORDER BY n;
-- what a query cannot say is a guess as before
SELECT cond, expected('small', cond) BETWEEN 1 AND 5000 AS guessed
  FROM unnest(ARRAY[$$d -> 'id' > 'infinity'::timestamptz$$, $$d -> 'id' > '{"$regex": "a"}'::bson$$, $$d -> 'a.b' > 5$$, $$d -> '' > 5$$, $$d #> '{{a},{b}}' > 5$$,
                    $$d -> 'tags' -> 0 > 5$$, $$d -> '$a' = 5$$, $$d -> 'id' > d -> 'group'$$, $$d -> 'id' > (SELECT 5)$$]) cond;
CREATE INDEX wide_d ON wide USING gin (d bson_range_ops);
EXPLAIN (COSTS OFF) SELECT * FROM wide WHERE d @@ '$.id > 9990';
DROP INDEX wide_d;

-- values that do not occur are expected to be rare
SELECT cond, expected('small', cond) < 100 AS small, expected('wide', cond) < 100 AS wide
  FROM unnest(ARRAY[$$d @> '{"status": "none"}'$$, $$d @> '{"nothing": 1}'$$, $$d @> '{"user": {"country": "Brasil"}}'$$, $$d ? 'nothing'$$,
                    $$d @@ '$.nothing == 1'$$, $$d @~ '{"id": 7}'$$, $$d <@ '{"id": 7}'$$]) cond;

-- The number of distinct documents is not known to the planner, which would take it for that of every expression of the column;
-- so groups by a field are hashed, and functions of documents that repeat are called rather than remembered.  Of scalars it is known.
CREATE TABLE same AS SELECT doc(i % 50, repeat('x', 3000)) AS d FROM generate_series(1, 2000) i;
ANALYZE same;
SELECT tablename, null_frac, n_distinct FROM pg_stats WHERE tablename IN ('small', 'wide', 'same') AND attname = 'd' ORDER BY 1;
EXPLAIN (COSTS OFF) SELECT d, count(*) FROM same GROUP BY d;
EXPLAIN (COSTS OFF) SELECT d ->> 'status', count(*) FROM wide GROUP BY 1;
EXPLAIN (COSTS OFF) SELECT count(*) FROM same, bson_each(d);
CREATE TABLE scalars AS SELECT to_bson('v' || i % 30) AS v FROM generate_series(1, 3000) i;
ANALYZE scalars;
SELECT n_distinct FROM pg_stats WHERE tablename = 'scalars';
DROP TABLE scalars;

-- The names of fields are shown with their frequencies.
SELECT tablename, most_common_elems::text::text[] AS names FROM pg_stats WHERE tablename IN ('small', 'wide') AND attname = 'd' ORDER BY 1;
SELECT name, CASE name WHEN 'id' THEN freq = 1 ELSE freq BETWEEN 0.02 AND 0.06 END AS freq
  FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs[1:9]) e(name, freq)
 WHERE tablename = 'wide' AND attname = 'd' AND name IN ('id', 'sparse');

-- There are guesses before ANALYZE, and if the other side is not known.
CREATE TABLE fresh (LIKE small) WITH (autovacuum_enabled = off);
INSERT INTO fresh SELECT * FROM small;
SELECT cond, expected('fresh', cond) BETWEEN 1 AND 5000 AS guessed
  FROM unnest(ARRAY[$$d @> '{"status": "active"}'$$, $$d @> '{"status": "active", "on": true}'$$, $$d ? 'status'$$, $$d @? '$.a'$$, $$d @@ '$.a == 1'$$, $$d @~ '{"a": 1}'$$,
                    $$d @> (SELECT d FROM small LIMIT 1)$$, $$d @> d$$, $$'{"a": 1}' @> d$$]) cond;

-- Statistics of an expression are used if they exist.
CREATE TABLE skew (d bson) WITH (autovacuum_enabled = off);
INSERT INTO skew SELECT bson_build_object('kind', 'k' || (sqrt(i) / 10)::int, 'user', bson_build_object('nr', i % 7)) FROM generate_series(1, 10000) i;
CREATE STATISTICS skew_kind ON (d ->> 'kind') FROM skew;
CREATE INDEX ON skew ((d #> '{user,nr}'));
ANALYZE skew;
CREATE INDEX ON skew ((d -> 'user' -> 'nr'));
ANALYZE skew;
SELECT cond, verdict('skew', cond) FROM unnest(ARRAY[$$d -> 'user' -> 'nr' = 3$$, $$d -> 'user' -> 'nr' > 4$$, $$d -> 'user' -> 'nr' BETWEEN 2 AND 3$$, $$d @> '{"kind": "k3"}'$$, $$d @> '{"kind": "k9"}'$$, $$d @> '{"user": {"nr": 3}}'$$, $$d @@ '$.kind == "k9"'$$, $$d @~ '{"user.nr": 3}'$$]) cond;

-- Planning reads no document: with large statistics and documents just under 1 kB, which are kept whole as common values,
-- the operator is not run.
CREATE TABLE common (d bson) WITH (autovacuum_enabled = off);
ALTER TABLE common ALTER d SET STATISTICS 1000;
INSERT INTO common SELECT doc(i % 1000, repeat('x', 500)) FROM generate_series(1, 4000) i;
ANALYZE common;
SELECT n_distinct, cardinality(most_common_freqs) AS common FROM pg_stats WHERE tablename = 'common' AND attname = 'd';
BEGIN;
SET LOCAL track_functions = 'all';
SELECT expected('common', $$d @> '{"status": "active"}'$$) BETWEEN 2000 AND 2800 AS known;
SELECT coalesce(pg_stat_get_xact_function_calls('bson_contains(bson,bson)'::regprocedure), 0) AS calls;
ROLLBACK;

-- Columns of scalars, of arrays and of all types; columns of only NULL, and empty ones
CREATE TABLE mixed (d bson) WITH (autovacuum_enabled = off);
ANALYZE mixed;
INSERT INTO mixed SELECT NULL FROM generate_series(1, 10);
ANALYZE mixed;
SELECT null_frac, n_distinct, most_common_elems FROM pg_stats WHERE tablename = 'mixed';
INSERT INTO mixed SELECT to_bson(i % 10) FROM generate_series(1, 1000) i;
INSERT INTO mixed SELECT bson_build_array(i % 10, 'x') FROM generate_series(1, 1000) i;
INSERT INTO mixed SELECT '{}' FROM generate_series(1, 1000) i;
INSERT INTO mixed SELECT bson_agg(i) FROM generate_series(1, 100000) i;
INSERT INTO mixed SELECT (repeat('{"a":[', 500) || '5' || repeat(']}', 500))::bson;
INSERT INTO mixed SELECT bson_object_agg('key' || i, i) FROM generate_series(1, 10000) i;
ANALYZE mixed;
SELECT cond, verdict('mixed', cond) FROM unnest(ARRAY[$$d @> '5'$$, $$d @> '[5]'$$, $$d @> '["x"]'$$, $$d ? 'x'$$, $$d @> '[99999]'$$, $$d @@ '$ == 5'$$]) cond;

-- A constant of 100,000 keys beside indexes on expressions: a few keys decide, and the rest takes no time and no memory
CREATE INDEX ON skew ((d ->> 'k5')) WHERE d ? 'k5';
SELECT bson_object_agg('k' || i, i)::text AS many FROM generate_series(1, 100000) i \gset
SELECT processor_seconds() AS beginning \gset
SELECT count(*) > 0 AS planned, (SELECT sum(total_bytes) FROM pg_backend_memory_contexts) < 200000000 AS small FROM expected('skew', format('d @> %L', :'many'));
SELECT processor_seconds() - :beginning < 60 AS soon;

-- wrong query documents are errors as they are without statistics
EXPLAIN SELECT * FROM small WHERE d @~ '{"a": {"$nonsense": 1}}';

-- more values than a sample of ranges holds, so that documents are dropped from it; and names so rare that their counters
-- are removed
CREATE TABLE fields (d bson) WITH (autovacuum_enabled = off);
INSERT INTO fields
    SELECT (SELECT bson_object_agg('f' || j, i % (j * 10)) FROM generate_series(1, 40) j) || bson_build_object('rare' || i, i)
    FROM generate_series(1, 10000) i;
ANALYZE fields;
SELECT cond, verdict('fields', cond) FROM unnest(ARRAY[
    'd @? ''$.f10 ? (@ < 50)''', 'd @~ ''{"f20": {"$gte": 100}}''', 'd @~ ''{"f1": 3}''', 'd ? ''f7''']) AS cond;
DROP TABLE fields;

-- more documents than ANALYZE examines: it takes some from all parts of the table, so its time is bounded
CREATE TABLE long (d bson) WITH (autovacuum_enabled = off);
INSERT INTO long
    SELECT bson_build_object('status', CASE WHEN i <= 500 THEN 'old' ELSE 'new' END, 'id', i, 'list',
                             (SELECT array_agg(j + i) FROM generate_series(1, 1500) j))
    FROM generate_series(1, 1000) i;
ANALYZE long;
SELECT cond, verdict('long', cond) FROM unnest(ARRAY[
    'd @> ''{"status": "old"}''', 'd @> ''{"status": "new"}''', 'd ? ''list''', 'd @~ ''{"id": {"$lt": 300}}''', 'd @~ ''{"id": 7}''']) AS cond;
DROP TABLE long;

-- a document with more fields than the sample of ranges has room for
CREATE TABLE many_fields (d bson) WITH (autovacuum_enabled = off);
ALTER TABLE many_fields ALTER d SET STATISTICS 1;
INSERT INTO many_fields SELECT bson_object_agg('k' || i, i) FROM generate_series(1, 400) AS i;
ANALYZE many_fields;
DROP TABLE many_fields;

-- arrays of which only some elements are examined: what was not met there is reckoned with
CREATE TABLE arrays (d bson) WITH (autovacuum_enabled = off);
INSERT INTO arrays
    SELECT bson_build_object('once', (SELECT array_agg((i * 7919 + j * 104729) % 4000) FROM generate_series(1, 400) j),
                             'often', (SELECT array_agg((i + j) % 3) FROM generate_series(1, 1000) j),
                             'some', (SELECT array_agg(CASE WHEN j % 40 = 0 AND i % 2 = 0 THEN 'rare' ELSE 'n' || i || ',' || j END) FROM generate_series(1, 300) j),
                             'docs', (SELECT bson_agg(bson_build_object('nr', (i * 31 + j) % 900, 'on', j % 2 = 0) ||
                                                      CASE WHEN i % 3 = 0 AND j % 20 = 0 THEN '{"extra": 1}'::bson ELSE '{}' END) FROM generate_series(1, 300) j),
                             'last', i % 5)
    FROM generate_series(1, 400) i;
INSERT INTO arrays SELECT bson_agg(CASE WHEN j % 50 = 0 THEN 'common' ELSE 's' || i || ',' || j END) FROM generate_series(1, 100) i, generate_series(1, 400) j GROUP BY i;
ANALYZE arrays;
SELECT cond, replace(verdict('arrays', cond), 'right', 'near') AS verdict FROM unnest(ARRAY[
    'd @> ''{"once": [77]}''', 'd @~ ''{"once": {"$lt": 20}}''', 'd @> ''{"often": [1]}''', 'd @~ ''{"often": {"$gt": 1}}''', 'd @> ''{"some": ["rare"]}''',
    'd @> ''{"docs": [{"nr": 5}]}''', 'd @> ''{"docs": [{"on": true}]}''', 'd @? ''$.docs.extra''', 'd @> ''{"docs": [{"extra": 1}]}''', 'd @~ ''{"docs.nr": {"$gte": 895}}''',
    'd @> ''{"last": 3}''', 'd ? ''last''', 'd ? ''common''', 'd ? ''s1,1''']) AS cond;
DROP TABLE arrays;

-- the same names in another order, twice, at several depths, and beside others
CREATE TABLE orders (d bson) WITH (autovacuum_enabled = off);
INSERT INTO orders SELECT CASE i % 4 WHEN 0 THEN bson_build_object('a', i % 8, 'b', bson_build_object('a', i % 40, 'c', 1))
                                     WHEN 1 THEN bson_build_object('b', bson_build_object('c', 1, 'a', i % 40), 'a', i % 8)
                                     WHEN 2 THEN bson_build_object('b', bson_build_array(bson_build_object('a', i % 40)), 'x' || i, 1, 'a', i % 8)
                                     ELSE '\x13000000106100070000001061000900000000'::bson END
  FROM generate_series(1, 2000) i;
ANALYZE orders;
SELECT cond, verdict('orders', cond) FROM unnest(ARRAY[
    'd ? ''a''', 'd @> ''{"a": 4}''', 'd @> ''{"a": 7}''', 'd @> ''{"a": 9}''', 'd @> ''{"b": {"a": 5}}''', 'd @> ''{"b": [{"a": 6}]}''', 'd @@ ''$.b.a == 8''', 'd @? ''$.b.c''', 'd ? ''x6''',
    'd @~ ''{"a": {"$lt": 3}}''']) AS cond;
DROP TABLE orders;

-- more names than are counted
CREATE TABLE names (d bson) WITH (autovacuum_enabled = off);
ALTER TABLE names ALTER d SET STATISTICS 10000;
INSERT INTO names SELECT bson_build_object('first', i % 4) || (SELECT bson_object_agg('n' || i || ',' || j, j) FROM generate_series(1, 1000) j) || bson_build_object('last', i % 5)
  FROM generate_series(1, 150) i;
ANALYZE names;
SELECT cond, verdict('names', cond) FROM unnest(ARRAY['d @> ''{"first": 3}''', 'd @> ''{"last": 3}''', 'd ? ''last''', 'd ? ''n5,5''', 'd ? ''n149,5''']) AS cond;
DROP TABLE names;

-- one large document among many: it takes neither the time nor the places of the others
CREATE TABLE giant (d bson) WITH (autovacuum_enabled = off);
INSERT INTO giant SELECT bson_object_agg('n' || j, 1) FROM generate_series(1, 135000) j;
INSERT INTO giant SELECT bson_build_object('kind', i % 5, repeat('long', 100), bson_build_object('a', i % 4)) FROM generate_series(1, 4000) i;
ANALYZE giant;
SELECT left(cond, 30) AS cond, verdict('giant', cond) FROM unnest(ARRAY['d @> ''{"kind": 3}''', 'd ? ''kind''', 'd ? ''n7''',
    format('d @> ''{"%s": {"a": 2}}''', repeat('long', 100)), format('d ? ''%s''', repeat('long', 100))]) cond;
DROP TABLE giant;

-- and many large ones, each with names and values of its own before those that all have
CREATE TABLE giants (d bson) WITH (autovacuum_enabled = off);
INSERT INTO giants SELECT bson_build_object('own', (SELECT bson_object_agg(i || ',' || j, j * 1000 + i) FROM generate_series(1, 12000) j), 'kind', i % 2)
  FROM generate_series(1, 60) i;
ANALYZE giants;
SELECT cond, verdict('giants', cond) FROM unnest(ARRAY['d @> ''{"kind": 1}''', 'd ? ''kind''', 'd ? ''own''', 'd @? ''$.own."7,7"''']) cond;
DROP TABLE giants;

-- few large arrays among small ones
CREATE TABLE sizes (d bson) WITH (autovacuum_enabled = off);
INSERT INTO sizes SELECT bson_build_object('tags', (SELECT array_agg((i * 7 + j * j) % 100) FROM generate_series(1, CASE WHEN i % 50 = 0 THEN 3000 ELSE 3 END) j))
  FROM generate_series(1, 2000) i;
ANALYZE sizes;
SELECT cond, verdict('sizes', cond) FROM unnest(ARRAY['d @> ''{"tags": [5]}''', 'd @> ''{"tags": [77]}''', 'd @~ ''{"tags": {"$lt": 5}}''', 'd ? ''tags''']) cond;
TRUNCATE sizes;
INSERT INTO sizes SELECT bson_build_object('docs', (SELECT bson_agg(bson_build_object('a', j % 7, 'x' || j % 100, j))
                                                    FROM generate_series(1, CASE WHEN i % 100 = 0 THEN 4000 ELSE 1 END) j)) FROM generate_series(1, 2000) i;
ANALYZE sizes;
SELECT cond, verdict('sizes', cond) FROM unnest(ARRAY['d @? ''$.docs.a''', 'd @? ''$.docs.x5''', 'd @? ''$.docs.x77''']) cond;
DROP TABLE sizes;

-- a value that was not met where all that were are kept is rare, but how rare depends on how many documents were examined
CREATE TABLE flags (d bson) WITH (autovacuum_enabled = off);
INSERT INTO flags SELECT bson_build_object('on', i % 4 = 0, 'filler', repeat('x', 600000)) FROM generate_series(1, 100) i;
ANALYZE flags;
SELECT expected('flags', 'd @> ''{"on": null}''') BETWEEN 3 AND 10 AS few, expected('small', 'd @> ''{"on": null}''') BETWEEN 1 AND 20 AS fewer;
DROP TABLE flags;

\pset format unaligned
-- values that are about as frequent as each other are expected to be so, even if each was met only a few times
CREATE TABLE even (d bson) WITH (autovacuum_enabled = off);
INSERT INTO even SELECT bson_object_agg('f' || j, CASE WHEN j < 90 THEN (i * j + i / 7) % 40 ELSE i * 100 + j END) || CASE WHEN i % 33 = 0 THEN bson_build_object('few', 1, 'nr', i) ELSE '{}' END
  FROM generate_series(1, 4000) i, generate_series(1, 100) j GROUP BY i;
ANALYZE even;
SELECT count(*) FILTER (WHERE v = 'right') >= 36 AS right, count(*) FROM generate_series(0, 39, 3) n, unnest('{1,17,63}'::int[]) f,
  verdict('even', format('d @> ''{"f%s": %s}''', f, n)) v;
SELECT cond, replace(verdict('even', cond), 'right', 'near') AS verdict FROM unnest(ARRAY['d @> ''{"f90": 10090}''', 'd @~ ''{"nr": {"$lt": 2000}}''', 'd ? ''few''']) cond;
DROP TABLE even;

-- values beside few that are frequent are as rare as they are without these
CREATE TABLE beside (d bson) WITH (autovacuum_enabled = off);
INSERT INTO beside SELECT bson_object_agg('f' || j, CASE WHEN (i + j) % 2 = 0 THEN -1 ELSE i * 100 + j END) FROM generate_series(1, 4000) i, generate_series(1, 100) j GROUP BY i;
ANALYZE beside;
SELECT cond, verdict('beside', cond) FROM unnest(ARRAY['d @> ''{"f7": -1}''', 'd @> ''{"f7": 20007}''', 'd @> ''{"f50": 5}''']) cond;
DROP TABLE beside;

-- of many values, some are met in two of the documents examined by chance, and the others are not rarer for that
CREATE TABLE chance (d bson) WITH (autovacuum_enabled = off);
INSERT INTO chance SELECT bson_build_object('m', abs(hashint4(i) % 5000), 'pad', (SELECT bson_agg(i * 1000 + j) FROM generate_series(1, 100) j)) FROM generate_series(1, 20000) i;
ANALYZE chance;
SELECT sum(expected('chance', format('d @> ''{"m": %s}''', v))) BETWEEN 3000 AND 6000 AS expected, (SELECT count(*) FROM chance WHERE (d ->> 'm')::int % 5 = 0) AS met FROM generate_series(0, 4999, 5) v;
DROP TABLE chance;

-- values that are in no field
CREATE TABLE numbers (d bson) WITH (autovacuum_enabled = off);
INSERT INTO numbers SELECT (SELECT bson_agg((i * 7919 + j * 104729) % 1000) FROM generate_series(1, 100) j) FROM generate_series(1, 3000) i;
ANALYZE numbers;
SELECT cond, replace(verdict('numbers', cond), 'right', 'near') AS verdict FROM unnest(ARRAY['d @> ''[77]''', 'd @> ''[500]''']) cond;
DROP TABLE numbers;

-- values of arrays in arrays, which are in no field that would tell their mean
CREATE TABLE matrix (d bson) WITH (autovacuum_enabled = off);
INSERT INTO matrix SELECT bson_build_object('m', bson_build_array(bson_build_array(i % 10, i % 3), bson_build_array(CASE WHEN i % 500 = 0 THEN 100 + i / 1000 ELSE i * 7919 % 40 END))) FROM generate_series(1, 5000) i;
ANALYZE matrix;
SELECT cond, replace(verdict('matrix', cond), 'right', 'near') AS verdict FROM unnest(ARRAY['d @> ''{"m": [[7]]}''', 'd @> ''{"m": [[30]]}''', 'd @> ''{"m": [[102]]}''']) cond;
DROP TABLE matrix;

-- more fields than are kept
CREATE TABLE thousand (d bson) WITH (autovacuum_enabled = off);
INSERT INTO thousand SELECT bson_object_agg('f' || j, i % 5) FROM generate_series(1, 200) i, generate_series(1, 1000) j GROUP BY i;
ANALYZE thousand;
SELECT verdict('thousand', 'd @> ''{"f2": 3}''') AS first, verdict('thousand', 'd ? ''f2''') AS field, expected('thousand', 'd @> ''{"f990": 3}''') < 80 AS last;
DROP TABLE thousand;

-- more fields than have histograms: values of one without are expected to be in a part of the rows with it, unless there are none
CREATE TABLE hundreds (d bson) WITH (autovacuum_enabled = off);
INSERT INTO hundreds SELECT bson_object_agg('f' || j, i % 5) || '{"doc": {"a": 1}}' FROM generate_series(1, 1000) i, generate_series(1, 300) j GROUP BY i;
ANALYZE hundreds;
SELECT count(*) FILTER (WHERE v ~ 'right|near') AS estimated, count(*) FROM generate_series(1, 300, 13) j, verdict('hundreds', format('d @~ ''{"f%s": {"$gte": 3}}''', j)) v;
SELECT cond, expected('hundreds', cond) < 20 AS few FROM unnest(ARRAY['d @~ ''{"nothing": {"$gt": 3}}''', 'd @~ ''{"doc": {"$gt": 3}}''']) cond;
DROP TABLE hundreds;

-- the server's histogram of whole documents is a small one
SELECT cardinality(histogram_bounds::text::text[]) AS bounds FROM pg_stats WHERE tablename = 'small' AND attname = 'd';

-- what few elements of large arrays have, met seldom or not at all, is in more rows than it was met in; and so are the values
-- beside some that most rows have
CREATE TABLE seldom (d bson) WITH (autovacuum_enabled = off);
INSERT INTO seldom
    SELECT bson_build_object('list', bson_agg(bson_build_object('n', CASE WHEN j % 2 = 0 THEN j % 10 ELSE 100 + (i * 7919 + j * 104729) % 1000 END, 'text', md5(i::text || j)) ||
                                              CASE WHEN hash < 2400 THEN bson_build_object('flag' || hash % 8, true) ELSE '{}' END))
    FROM generate_series(1, 600) i, generate_series(1, 200) j, LATERAL (SELECT abs(hashint4(i * 200 + j)) % 100000 AS hash) h GROUP BY i;
ANALYZE seldom;
SELECT count(*) FILTER (WHERE verdict('seldom', format('d @? ''$.list.flag%s''', n)) ~ 'right|near') >= 7 AS fields,
       count(*) FILTER (WHERE verdict('seldom', format('d @> ''{"list": [{"flag%s": true}]}''', n)) ~ 'right|near') >= 7 AS values, count(*)
  FROM generate_series(0, 7) n;
SELECT count(*) FILTER (WHERE verdict('seldom', format('d @> ''{"list": [{"n": %s}]}''', n)) = 'right') >= 8 AS right, count(*) FROM generate_series(101, 1099, 100) n;
SELECT cond, expected('seldom', cond) BETWEEN 10 AND 150 AS some FROM unnest(ARRAY['d @? ''$.list.unmet''', 'd @> ''{"list": [{"unmet": true}]}''']) cond;
SELECT cond, expected('seldom', cond) < 20 AS few FROM unnest(ARRAY['d @? ''$.unmet''', 'd @> ''{"list": [{"text": "unmet"}]}''']) cond;
TRUNCATE seldom;
INSERT INTO seldom SELECT bson_agg(bson_build_object('nr', i * 1000 + j)) FROM generate_series(1, 300) i, generate_series(1, 200) j GROUP BY i;
ANALYZE seldom;
SELECT expected('seldom', 'd @? ''$.unmet''') BETWEEN 3 AND 60 AS some, expected('seldom', 'd @> ''{"unmet": 1}''') < 10 AS few, expected('seldom', 'd @> ''[5]''') BETWEEN 1 AND 100 AS value;
DROP TABLE seldom;

-- a field that is not kept is expected to be as frequent as others that are not, not as the first of them
CREATE TABLE tail (d bson) WITH (autovacuum_enabled = off);
INSERT INTO tail SELECT bson_object_agg('f' || j, true) || bson_object_agg('g' || i % 20 || ',' || j % 50, true) FROM generate_series(1, 400) i, generate_series(1, 400) j GROUP BY i;
ANALYZE tail;
SELECT expected('tail', 'd ? ''unmet''') < 40 AS unmet, count(*) FILTER (WHERE verdict('tail', format('d ? ''g%s,7''', n)) = 'right') AS right, count(*) FROM generate_series(0, 19) n;
DROP TABLE tail;

\pset format unaligned
-- A session plans with the statistics as they are: new ones, those of before once more, and after a copy that is not in the server's cache.
CREATE TABLE renewed (d bson) WITH (autovacuum_enabled = off);
INSERT INTO renewed SELECT bson_build_object('kind', i % 100) FROM generate_series(1, 5000) i;
ANALYZE renewed;
SELECT expected('renewed', $$d @> '{"kind": 7}'$$) BETWEEN 10 AND 100 AS hundredth;
SELECT expected('renewed', $$d @> '{"kind": 7}'$$) BETWEEN 10 AND 100 AS hundredth;
BEGIN;
UPDATE renewed SET d = '{"kind": 7}';
ANALYZE renewed;
SELECT expected('renewed', $$d @> '{"kind": 7}'$$) > 4000 AS all;
SELECT expected('renewed', $$d @> '{"kind": 7}'$$) > 4000 AS all;
ROLLBACK;
SELECT expected('renewed', $$d @> '{"kind": 7}'$$) BETWEEN 10 AND 200 AS hundredth;
CREATE STATISTICS renewed_kind ON (d -> 'kind'), (d || '{}') FROM renewed;
ANALYZE renewed;
SELECT expected('renewed', $$d || '{}' @> '{"kind": 7}'$$) BETWEEN 10 AND 100 AS hundredth, expected('renewed', $$(d -> 'kind') @> '7'$$) BETWEEN 10 AND 100 AS element
  FROM generate_series(1, 3);
-- The session remembers what it read last in four places: a column in each of them, after statistics of an expression.
CREATE TABLE columns WITH (autovacuum_enabled = off) AS SELECT d AS a, d AS b, d AS c, d AS d FROM renewed;
ANALYZE columns;
SELECT expected('renewed', $$d || '{}' @> '{"kind": 7}'$$) BETWEEN 10 AND 100 AS expression, expected('columns', col || $$ @> '{"kind": 7}'$$) BETWEEN 10 AND 100 AS "column" FROM unnest('{a,b,c,d}'::text[]) AS col;
DROP TABLE columns;
DROP TABLE renewed;

-- joins by a query that is made of the other table's rows, where 200 rows of it meet 50 each, or one, or none is known
CREATE TABLE other AS SELECT i % 40 AS g, i AS id, bson_build_object('group', i % 40) AS q FROM generate_series(1, 200) AS i;
ANALYZE other;
SELECT cond, replace(verdict('small, other', cond), 'right', 'near') AS small, replace(verdict('wide, other', cond), 'right', 'near') AS wide
  FROM unnest(ARRAY[
    $$d @~ bson_build_object('group', g)$$, $$d @> bson_build_object('group', g)$$, $$d @~ bson_build_object('group', bson_build_object('$in', ARRAY[g, g]))$$, $$d @> bson_build_object('group', g, 'id', id)$$,
    $$d @~ bson_build_object('id', id)$$, $$d @~ bson_build_object('absent', id)$$, $$d @~ bson_build_object('user.nr', id)$$,
    $$d @~ bson_lookup_query(q, 'group', 'group')$$, $$d @~ bson_equality_query(q -> 'group', 'group')$$
  ]) WITH ORDINALITY c(cond, n) ORDER BY n;
-- nothing is known of the fields
SELECT expected('small, other', cond) FROM unnest(ARRAY[$$d @~ q$$, $$d @~ bson_build_object('g' || id, g)$$, $$d @~ bson_build_object('$comment', id)$$, $$d @~ bson_build_object(VARIADIC ARRAY['group', g::text])$$,
  $$q @> d$$, $$d <@ bson_build_object('group', g)$$, $$d @~ bson_build_object(NULL, g)$$]) AS cond;
DROP TABLE other;

-- many keys beside indexes of expressions: a few of the keys decide the estimate
CREATE TABLE indexed (d bson) WITH (autovacuum_enabled = off);
INSERT INTO indexed SELECT bson_build_object('k1', i) FROM generate_series(1, 100) AS i;
DO $$ BEGIN FOR i IN 1 .. 32 LOOP EXECUTE format('CREATE INDEX ON indexed ((d -> %L))', 'k' || i); END LOOP; END $$;
ANALYZE indexed;
SELECT processor_seconds() AS beginning \gset
SELECT expected('indexed', format('d @> %L', bson_object_agg('k' || i, i))) < 10 AS few FROM generate_series(1, 150000) AS i;
SELECT processor_seconds() - :beginning < 60 AS soon;
DROP TABLE indexed;

-- statistics are not used for a role from which row security hides rows: estimates would tell of these
CREATE ROLE bson_estimate_reader;
CREATE TABLE hidden WITH (autovacuum_enabled = off) AS SELECT bson_build_object('kind', 1) AS d FROM generate_series(1, 10000);
ANALYZE hidden;
ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON hidden USING (d -&> 'own');
GRANT SELECT ON hidden TO bson_estimate_reader;
CREATE VIEW told AS SELECT operator, expected('hidden', format('d %s %L', operator, there)) = expected('hidden', format('d %s %L', operator, missing)) AS same
  FROM (VALUES ('@>', '{"kind": 1}', '{"kind": 2}'), ('@~', '{"kind": 1}', '{"kind": 2}'), ('?', 'kind', 'none'), ('@?', '$.kind ? (@ == 1)', '$.kind ? (@ == 2)'), ('@@', '$.kind == 1', '$.kind == 2')) AS v(operator, there, missing);
GRANT SELECT ON told TO bson_estimate_reader;
SELECT * FROM told;
SET ROLE bson_estimate_reader;
SELECT * FROM told;
RESET ROLE;
DROP VIEW told;
DROP TABLE hidden;
DROP ROLE bson_estimate_reader;
