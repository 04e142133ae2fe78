-- If this failed, a statement would have another result if the planner makes one call of (document ->> 'key')::type, or of document ->> 'key' = 'x', than if it does not (bson.fuse_casts).
\set VERBOSITY terse
SET client_min_messages = warning;
-- some servers lack it
DO $$ BEGIN CREATE EXTENSION file_fdw; EXCEPTION WHEN feature_not_supported THEN NULL; END $$;
CREATE ROLE regress_bson_reader;
CREATE TABLE docs (id int PRIMARY KEY, d bson);
INSERT INTO docs SELECT i, bson_build_object('n', i, 'k', (i % 7)::text, 'day', (date '2024-01-01' + i % 30)::text, 'price', i / 4.0, 'flag', i % 3 = 0, 'in', bson_build_object('n', i % 11), 'list', bson_build_array(i % 5))
    FROM generate_series(1, 300) AS i;
INSERT INTO docs VALUES (301, '{}'), (302, '{"n": null, "k": "x"}'), (303, NULL);
CREATE TABLE more AS SELECT id % 50 AS id, d FROM docs WHERE id <= 150;
GRANT SELECT ON docs, more TO regress_bson_reader;
ANALYZE docs, more;
CREATE FUNCTION noted(bson) RETURNS bool LANGUAGE plpgsql COST 0.0001 AS 'BEGIN RETURN true; END';
CREATE FUNCTION halved() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.d := bson_build_object('n', (NEW.d ->> 'n')::int / 2); RETURN NEW; END $$;

-- All statements, and what was done is undone: the rows of those that return some, or the error; and how many calls the plans have
CREATE FUNCTION run(statements text[], fuse bool, OUT result text, OUT calls int) LANGUAGE plpgsql AS $$
DECLARE
    statement text;
    line text;
    one record;
BEGIN
    PERFORM set_config('bson.fuse_casts', fuse::text, false);
    calls := 0;
    result := '';
    BEGIN
        FOREACH statement IN ARRAY statements LOOP
            IF statement ~ '^(SELECT|WITH|VALUES|INSERT|UPDATE|DELETE|MERGE|EXECUTE)' THEN
                FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || statement LOOP
                    calls := calls + regexp_count(line, 'bson_walk_(as|equals)');
                END LOOP;
            END IF;
            IF statement ~ '^(SELECT|WITH|VALUES)|RETURNING' THEN
                FOR one IN EXECUTE statement LOOP
                    result := result || one::text;
                END LOOP;
            ELSE
                EXECUTE statement;
            END IF;
        END LOOP;
        RAISE EXCEPTION USING ERRCODE = 'UNDO0';
    EXCEPTION
        WHEN SQLSTATE 'UNDO0' THEN NULL;
        WHEN OTHERS THEN result := result || sqlstate || ' ' || sqlerrm;
    END;
    result := CASE WHEN length(result) > 70 THEN md5(result) ELSE result END;
END $$;
CREATE TABLE forms (n serial, form text, statements text[]);
-- rows, expressions, subqueries
INSERT INTO forms (form, statements) VALUES
('scan', '{"SELECT (d ->> ''n'')::int, (d ->> ''price'')::numeric FROM docs WHERE (d ->> ''day'')::date < ''2024-01-09'' AND (d -> ''in'' ->> ''n'')::int > 3"}'),
('scan that fails', '{"SELECT (d ->> ''k'')::int FROM docs ORDER BY id"}'),
('case, coalesce, null', '{"SELECT count(CASE WHEN (d ->> ''flag'')::bool THEN (d ->> ''n'')::int END), sum(COALESCE((d ->> ''n'')::int, -5)), count(*) FILTER (WHERE (d ->> ''n'')::int IS NULL), count(NULLIF((d ->> ''n'')::int, 3)) FROM docs"}'),
('array, row, in', '{"SELECT ARRAY[(d ->> ''n'')::int, 1], ROW((d ->> ''n'')::int, 2) FROM docs WHERE (d ->> ''n'')::int IN (1, 2, 77) OR (d #>> ''{list,0}'')::int = ANY (ARRAY[9])"}'),
('aggregates', '{"SELECT sum((d ->> ''n'')::int) FILTER (WHERE (d ->> ''flag'')::bool), count(DISTINCT (d -> ''in'' ->> ''n'')::int), array_agg((d ->> ''n'')::int ORDER BY (d ->> ''price'')::float8 DESC), percentile_disc(0.5) WITHIN GROUP (ORDER BY (d ->> ''n'')::int) FROM docs"}'),
('grouping sets', '{"SELECT (d -> ''in'' ->> ''n'')::int AS a, (d #>> ''{list,0}'')::int AS b, sum((d ->> ''n'')::int) FROM docs GROUP BY GROUPING SETS (1, 2, (1, 2), ()) HAVING sum((d ->> ''n'')::int) > 100 ORDER BY 1, 2, 3"}'),
('sorted groups', '{"SET LOCAL enable_hashagg = off","SELECT (d ->> ''day'')::date, max((d ->> ''n'')::int) FROM docs GROUP BY 1 ORDER BY 1"}'),
('windows', '{"SELECT id, sum((d ->> ''n'')::int) OVER w, lag((d ->> ''day'')::date) OVER w FROM docs WINDOW w AS (PARTITION BY (d -> ''in'' ->> ''n'')::int ORDER BY (d ->> ''n'')::int ROWS 2 PRECEDING) ORDER BY id"}'),
('distinct, limit', '{"SELECT DISTINCT (d -> ''in'' ->> ''n'')::int FROM docs ORDER BY 1 LIMIT 3 OFFSET 2","SELECT DISTINCT ON ((d -> ''in'' ->> ''n'')::int) id FROM docs ORDER BY (d -> ''in'' ->> ''n'')::int, (d ->> ''n'')::int DESC"}'),
('set operations', '{"SELECT (d ->> ''n'')::int FROM docs INTERSECT SELECT (d -> ''in'' ->> ''n'')::int FROM more ORDER BY 1","SELECT (d ->> ''n'')::int FROM docs EXCEPT ALL SELECT (d ->> ''n'')::int FROM more ORDER BY 1"}'),
('set-returning', '{"SELECT id, generate_series(1, (d -> ''in'' ->> ''n'')::int) FROM docs WHERE id < 5","SELECT id, g FROM docs, generate_series(1, (d #>> ''{list,0}'')::int) AS g WHERE id < 9"}'),
('common table', '{"WITH w AS MATERIALIZED (SELECT (d ->> ''n'')::int AS n FROM docs) SELECT a.n FROM w AS a JOIN w AS b ON a.n = b.n * 2 ORDER BY 1"}'),
('recursive', '{"WITH RECURSIVE w AS (SELECT 1 AS n UNION ALL SELECT (d ->> ''n'')::int FROM docs JOIN w ON (d ->> ''n'')::int = w.n * 2) SELECT * FROM w"}'),
('subplans', '{"SELECT id, (SELECT max((m.d ->> ''n'')::int) FROM more AS m WHERE (m.d ->> ''n'')::int < (docs.d ->> ''n'')::int) FROM docs WHERE id < 20","SELECT count(*) FROM docs WHERE (d ->> ''n'')::int NOT IN (SELECT (d ->> ''n'')::int FROM more)","SELECT ARRAY(SELECT (d ->> ''n'')::int FROM more ORDER BY 1)","SELECT count(*) FROM docs WHERE (d ->> ''n'')::int > (SELECT avg((d ->> ''n'')::int) FROM docs)"}'),
('lateral', '{"SELECT a.id, l.n FROM docs AS a, LATERAL (SELECT (m.d ->> ''n'')::int AS n FROM more AS m WHERE (m.d ->> ''n'')::int = (a.d ->> ''n'')::int OFFSET 0) AS l ORDER BY 1, 2"}'),
('sample', '{"SELECT count((d ->> ''n'')::int) FROM docs TABLESAMPLE BERNOULLI (30) REPEATABLE (1) WHERE (d ->> ''n'')::int % 2 = 0"}'),
('no table', '{"SELECT (d ->> ''a'')::int FROM (VALUES (''{\"a\": \"7\"}''::bson), (''{\"a\": 8}'')) AS v(d)","SELECT (x ->> ''a'')::int FROM bson_array_elements(''[{\"a\": 1}, {\"a\": \"2\"}]'') AS x"}'),
('sql function', '{"CREATE FUNCTION pg_temp.of(bson) RETURNS bigint LANGUAGE sql AS ''SELECT sum((m.d ->> ''''n'''')::int) FROM more AS m WHERE (m.d ->> ''''n'''')::int < ($1 ->> ''''n'''')::int''","SELECT id, pg_temp.of(d) FROM docs WHERE (d ->> ''n'')::int < 30"}');
-- comparisons of a text with a constant
INSERT INTO forms (form, statements) VALUES
('equal', '{"SELECT id FROM docs WHERE d ->> ''k'' = ''3'' ORDER BY 1"}'),
('not equal', '{"SELECT id FROM docs WHERE d ->> ''k'' <> ''3'' ORDER BY 1"}'),
('of numbers, booleans, containers, nothing', '{"SELECT id, d ->> ''n'' = ''7'', d ->> ''price'' = ''1.75'', d ->> ''flag'' <> ''true'', d ->> ''list'' = ''[2]'', d #>> ''{in,n}'' = ''7'', d -> ''list'' ->> 0 = ''2'', d ->> ''none'' = ''x'' FROM docs WHERE id IN (7, 9, 301, 302, 303) ORDER BY 1"}'),
('of any column and any other text', '{"SELECT count(*) FROM docs AS a JOIN more AS b ON a.d ->> ''k'' = b.d ->> ''k'' AND (b.d ->> ''n'' = ''3'') = (a.d ->> ''k'' = ''2'') WHERE COALESCE(a.d ->> ''k'', ''x'') = ''3''","SELECT d ->> ''n'' = k FROM docs, (VALUES (''5''), (NULL)) AS v(k) WHERE id = 5"}'),
('in a case, an aggregate, a filter', '{"SELECT CASE WHEN d ->> ''k'' = ''1'' THEN ''one'' WHEN d ->> ''k'' IS NULL THEN ''none'' END, count(*), bool_or(d ->> ''n'' = ''8''), count(*) FILTER (WHERE d ->> ''k'' <> ''4'') FROM docs GROUP BY 1 HAVING bool_and(d ->> ''k'' <> ''9'') ORDER BY 1"}'),
('on the left', '{"SELECT count(*), count(*) FILTER (WHERE ''3'' <> d ->> ''n'') FROM docs WHERE ''4'' = d ->> ''k''"}'),
('in, not in', '{"SELECT id, d ->> ''k'' IN (''1'', ''2''), d ->> ''n'' NOT IN (''7'', ''x''), d ->> ''price'' IN (''1.75'', ''''), d ->> ''list'' IN (''[2]'', ''[3]''), d ->> ''none'' NOT IN (''x'', ''y'') FROM docs WHERE id IN (7, 9, 301, 302, 303) OR d ->> ''k'' IN (''7'', ''none'') ORDER BY 1"}'),
('in a list, as a parameter', '{"SET LOCAL plan_cache_mode = force_custom_plan","PREPARE form (text[]) AS UPDATE docs SET d = ''{}'' WHERE d ->> ''k'' = ANY ($1)","EXECUTE form (''{3,\"a b\"}'')","EXECUTE form (''{{4,5},{4,7}}'')","DEALLOCATE form","SELECT count(*) FROM docs WHERE d = ''{}''"}'),
('null, distinct', '{"SELECT count(*) FROM docs WHERE d ->> ''k'' = NULL OR d ->> ''k'' IS DISTINCT FROM ''3''"}'),
('lists: empty, with nulls, long', '{"SELECT count(*) FILTER (WHERE d ->> ''k'' = ANY (''{}'')), count(d ->> ''none'' = ANY (''{}'')), count(d ->> ''k'' IN (''1'', NULL)), count(d ->> ''k'' NOT IN (''1'', NULL)), count(d ->> ''k'' = ANY (NULL)), count(*) FILTER (WHERE d ->> ''n'' IN (''1'', ''2'', ''3'', ''4'', ''5'', ''6'', ''7'', ''8'', ''9'', ''10'')) FROM docs"}'),
('all and any the other way', '{"SELECT count(*) FILTER (WHERE d ->> ''k'' = ALL (''{1,1}'')), count(*) FILTER (WHERE d ->> ''k'' <> ANY (''{1,2}'')) FROM docs"}'),
('a list, by such a collation', '{"CREATE COLLATION any_case (provider = icu, locale = ''und-u-ks-level2'', deterministic = false)","SELECT count(*) FROM docs WHERE (d ->> ''k'') COLLATE any_case IN (''X'', ''y'')"}'),
('a collation', '{"SELECT count(*) FROM docs WHERE (d ->> ''k'') COLLATE \"C\" = ''3'' OR d ->> ''k'' = ''x'' COLLATE \"C\""}'),
('a collation that is not deterministic', '{"CREATE COLLATION any_case (provider = icu, locale = ''und-u-ks-level2'', deterministic = false)","SELECT count(*) FROM docs WHERE (d ->> ''k'') = ''X'' COLLATE any_case"}'),
('an index of the text', '{"CREATE INDEX ON docs ((d ->> ''k''))","SET LOCAL enable_seqscan = off","SELECT id FROM docs WHERE d ->> ''k'' = ''3'' AND d ->> ''flag'' = ''true'' ORDER BY 1"}'),
('parameters', '{"SET LOCAL plan_cache_mode = force_custom_plan","PREPARE form (text) AS UPDATE docs SET d = ''{}'' WHERE d ->> ''k'' = $1","EXECUTE form (''3'')","EXECUTE form (NULL)","EXECUTE form (''4'')","SET LOCAL plan_cache_mode = force_generic_plan","EXECUTE form (''5'')","DEALLOCATE form","SELECT count(*) FROM docs WHERE d ->> ''k'' <> ''3''"}'),
('parameters of a generic plan', '{"SET LOCAL plan_cache_mode = force_generic_plan","PREPARE form (text, text) AS UPDATE docs SET d = ''{}'' WHERE d ->> ''k'' <> $1 AND d ->> ''n'' = $2 OR d ->> $1 = $1","EXECUTE form (''3'', ''7'')","EXECUTE form (NULL, ''8'')","EXECUTE form ('''', NULL)","EXECUTE form (''4'', ''9'')","DEALLOCATE form","SELECT d FROM docs ORDER BY id","SELECT count(*) FROM docs WHERE d = ''{}''"}'),
('a policy', '{"CREATE POLICY p ON docs USING (d ->> ''k'' = ''3'')","ALTER TABLE docs ENABLE ROW LEVEL SECURITY","SET LOCAL ROLE regress_bson_reader","SELECT count(*) FROM docs WHERE noted(d) AND d ->> ''n'' <> ''3''"}');
-- joins of each kind, by each method
INSERT INTO forms (form, statements)
SELECT method || ' ' || kind, ARRAY[off, off2, format(CASE WHEN kind IN ('SEMI', 'ANTI')
        THEN 'SELECT a.id FROM docs AS a WHERE %2$s EXISTS (SELECT FROM more AS b WHERE (a.d ->> ''n'')::int = (b.d ->> ''n'')::int * 2 AND (b.d ->> ''price'')::float8 < 30) ORDER BY 1'
        ELSE 'SELECT a.id, b.id, (a.d ->> ''n'')::int, (b.d ->> ''n'')::int FROM docs AS a %1$s JOIN more AS b ON (a.d ->> ''n'')::int = (b.d -> ''in'' ->> ''n'')::int AND (a.d ->> ''n'')::int > (b.d #>> ''{list,0}'')::int ORDER BY 1, 2, 3, 4' END,
        kind, CASE kind WHEN 'ANTI' THEN 'NOT' END)]
  FROM unnest('{INNER,LEFT,RIGHT,FULL,SEMI,ANTI}'::text[]) AS kind,
    (VALUES ('hash', 'SET LOCAL enable_mergejoin = off', 'SET LOCAL enable_nestloop = off'), ('merge', 'SET LOCAL enable_hashjoin = off', 'SET LOCAL enable_nestloop = off'),
            ('loop', 'SET LOCAL enable_hashjoin = off', 'SET LOCAL enable_mergejoin = off')) AS m(method, off, off2)
 WHERE NOT (method = 'loop' AND kind = 'FULL')
 ORDER BY method, kind;
-- what writes; constraints; policies
INSERT INTO forms (form, statements) VALUES
('update', '{"UPDATE docs SET d = bson_build_object(''n'', (docs.d ->> ''n'')::int + (m.d ->> ''n'')::int) FROM more AS m WHERE (docs.d ->> ''n'')::int = (m.d ->> ''n'')::int RETURNING (docs.d ->> ''n'')::int","SELECT sum((d ->> ''n'')::int) FROM docs"}'),
('delete', '{"DELETE FROM docs USING more AS m WHERE (docs.d ->> ''n'')::int = (m.d ->> ''n'')::int","SELECT count(*), sum((d ->> ''n'')::int) FROM docs"}'),
('insert', '{"INSERT INTO more SELECT (d ->> ''n'')::int + 1000, d FROM docs WHERE (d ->> ''n'')::int < 9 RETURNING (d ->> ''n'')::int * 2"}'),
('on conflict', '{"INSERT INTO docs SELECT (d ->> ''n'')::int, d FROM docs WHERE (d ->> ''n'')::int < 9 ON CONFLICT (id) DO UPDATE SET d = bson_build_object(''n'', (EXCLUDED.d ->> ''n'')::int + (docs.d ->> ''n'')::int) WHERE (docs.d ->> ''n'')::int > 3","SELECT id, (d ->> ''n'')::int FROM docs WHERE id < 12 ORDER BY 1"}'),
('on conflict of an expression', '{"CREATE UNIQUE INDEX ON docs (((d ->> ''n'')::int))","INSERT INTO docs SELECT id + 2000, d FROM docs WHERE (d ->> ''n'')::int < 9 ON CONFLICT (((d ->> ''n'')::int)) DO UPDATE SET d = ''{\"n\": 9000}'' WHERE (docs.d ->> ''n'')::int = 3","SELECT count(*), max((d ->> ''n'')::int) FROM docs"}'),
('merge', '{"MERGE INTO docs AS t USING more AS s ON (t.d ->> ''n'')::int = (s.d ->> ''n'')::int + 149 WHEN MATCHED AND (s.d ->> ''n'')::int > 90 THEN DELETE WHEN MATCHED THEN UPDATE SET d = bson_build_object(''n'', (s.d ->> ''n'')::int * 3) WHEN NOT MATCHED AND (s.d ->> ''n'')::int = 1 THEN INSERT VALUES (-(s.d ->> ''n'')::int, s.d)","SELECT count(*), sum((d ->> ''n'')::int), min(id) FROM docs"}'),
('check', '{"ALTER TABLE docs ADD CHECK ((d ->> ''n'')::int < 400)","INSERT INTO docs VALUES (401, ''{\"n\": 399}''), (402, ''{\"n\": \"400\"}'')"}'),
('not a number in a check', '{"ALTER TABLE docs ADD CHECK ((d ->> ''n'')::int < 400)","INSERT INTO docs VALUES (403, ''{\"n\": \"y\"}'')"}'),
('generated column', '{"ALTER TABLE docs ADD g int GENERATED ALWAYS AS ((d ->> ''n'')::int * 2) STORED","UPDATE docs SET d = ''{\"n\": \"21\"}'' WHERE (d ->> ''n'')::int = 5","SELECT sum(g), sum(g) FILTER (WHERE (d ->> ''n'')::int = 21) FROM docs"}'),
('default, domain', '{"CREATE DOMAIN small AS bson CHECK ((VALUE ->> ''n'')::int < 400)","ALTER TABLE docs ALTER d TYPE small","INSERT INTO docs VALUES (404, ''{\"n\": 400}'')"}'),
('triggers', '{"CREATE TRIGGER t BEFORE INSERT ON docs FOR EACH ROW WHEN ((NEW.d ->> ''n'')::int > 500) EXECUTE FUNCTION halved()","INSERT INTO docs VALUES (501, ''{\"n\": 500}''), (502, ''{\"n\": \"600\"}'')","SELECT (d ->> ''n'')::int FROM docs WHERE id > 500 ORDER BY 1"}'),
('partitions', '{"CREATE TABLE parts (d bson) PARTITION BY RANGE (((d ->> ''n'')::int))","CREATE TABLE part1 PARTITION OF parts FOR VALUES FROM (0) TO (100)","CREATE TABLE part2 PARTITION OF parts DEFAULT","INSERT INTO parts SELECT d FROM docs","SELECT tableoid::regclass, count(*), sum((d ->> ''n'')::int) FROM parts WHERE (d ->> ''n'')::int < 120 GROUP BY 1 ORDER BY 1","UPDATE parts SET d = bson_build_object(''n'', (d ->> ''n'')::int + 60) WHERE (d ->> ''n'')::int BETWEEN 30 AND 50","SELECT tableoid::regclass, count(*) FROM parts GROUP BY 1 ORDER BY 1"}'),
('inheritance', '{"CREATE TABLE heir () INHERITS (docs)","INSERT INTO heir SELECT id + 600, d FROM docs","SELECT count(*), sum((d ->> ''n'')::int) FROM docs WHERE (d ->> ''n'')::int % 3 = 1"}'),
('row security', '{"CREATE POLICY p ON docs USING ((d ->> ''n'')::int < 10)","ALTER TABLE docs ENABLE ROW LEVEL SECURITY","SET LOCAL ROLE regress_bson_reader","SELECT count(*), max((d ->> ''n'')::int) FROM docs WHERE noted(d) AND (d ->> ''n'')::int > 3"}'),
('a check option', '{"CREATE VIEW v AS SELECT * FROM docs WHERE (d ->> ''n'')::int < 400 WITH CHECK OPTION","UPDATE v SET d = bson_build_object(''n'', (d ->> ''n'')::int + 101) WHERE (d ->> ''n'')::int > 298"}'),
('security barrier', '{"CREATE VIEW v WITH (security_barrier) AS SELECT d FROM docs WHERE (d ->> ''n'')::int < 10","SELECT count(*) FROM v WHERE noted(d) AND (d ->> ''price'')::float8 > 1"}'),
('copy where', '{"COPY docs (id, d) FROM PROGRAM ''printf ''''701\\t{\"n\": 1}\\n702\\t{\"n\": \"2\"}\\n'''''' WHERE (d ->> ''n'')::int > 1","SELECT id, (d ->> ''n'')::int FROM docs WHERE id > 700"}'),
('alter using', '{"ALTER TABLE more ALTER id TYPE numeric USING (d ->> ''price'')::numeric","SELECT sum(id) FROM more"}'),
('materialized view', '{"CREATE MATERIALIZED VIEW m AS SELECT (d ->> ''n'')::int AS n FROM docs WHERE (d ->> ''flag'')::bool","DELETE FROM docs WHERE (d ->> ''n'')::int > 100","REFRESH MATERIALIZED VIEW m","CREATE TABLE c AS SELECT (d ->> ''n'')::int AS n FROM docs","SELECT (SELECT sum(n) FROM m), (SELECT sum(n) FROM c)"}'),
('cursors', '{"DO $b$ DECLARE c CURSOR FOR SELECT (d ->> ''n'')::int FROM docs WHERE (d ->> ''n'')::int > 5 FOR UPDATE; n int; BEGIN OPEN c; FETCH c INTO n; MOVE FORWARD 3 FROM c; UPDATE docs SET d = bson_build_object(''n'', (d ->> ''n'')::int * 100) WHERE CURRENT OF c; END $b$","SELECT id, (d ->> ''n'')::int FROM docs WHERE (d ->> ''n'')::int > 300"}'),
('locked rows', '{"SELECT (d ->> ''n'')::int FROM docs WHERE (d ->> ''n'')::int BETWEEN 5 AND 8 ORDER BY id FOR UPDATE SKIP LOCKED"}'),
('prepared', '{"SET LOCAL plan_cache_mode = force_generic_plan","PREPARE form (int) AS UPDATE docs SET d = bson_build_object(''n'', (d ->> ''n'')::int + $1) WHERE (d ->> ''n'')::int > $1","EXECUTE form (250)","EXECUTE form (400)","DEALLOCATE form","SELECT sum((d ->> ''n'')::int) FROM docs"}'),
('plpgsql', '{"DO $b$ DECLARE d bson := ''{\"n\": \"5\"}''; n int := d ->> ''n''; BEGIN FOR i IN 1 .. (d ->> ''n'')::int LOOP n := n + (d ->> ''n'')::int; END LOOP; DELETE FROM docs WHERE (docs.d ->> ''n'')::int > n; END $b$","SELECT count(*) FROM docs"}'),
('index', '{"CREATE INDEX ON docs (((d ->> ''n'')::int)) WHERE (d ->> ''flag'')::bool","SET LOCAL enable_seqscan = off","SELECT (d ->> ''n'')::int, (d ->> ''price'')::numeric FROM docs WHERE (d ->> ''n'')::int < 20 AND (d ->> ''flag'')::bool ORDER BY (d ->> ''n'')::int"}'),
('bitmap, statistics', '{"CREATE INDEX ON docs (((d ->> ''n'')::int))","CREATE STATISTICS s ON ((d ->> ''n'')::int), ((d ->> ''price'')::numeric) FROM docs","ANALYZE docs","SET LOCAL enable_seqscan = off","SET LOCAL enable_indexscan = off","SELECT sum((d ->> ''n'')::int) FROM docs WHERE (d ->> ''n'')::int < 20 OR (d ->> ''n'')::int > 290"}'),
('memoize', '{"CREATE INDEX ON docs (((d ->> ''n'')::int))","SET LOCAL enable_hashjoin = off","SET LOCAL enable_mergejoin = off","SET LOCAL enable_seqscan = off","SELECT count((b.d ->> ''price'')::numeric) FROM more AS a JOIN docs AS b ON (b.d ->> ''n'')::int = (a.d -> ''in'' ->> ''n'')::int"}'),
('workers', '{"SET LOCAL parallel_setup_cost = 0","SET LOCAL parallel_tuple_cost = 0","SET LOCAL min_parallel_table_scan_size = 0","SELECT sum((a.d ->> ''n'')::int), count(*) FROM docs AS a JOIN docs AS b ON (a.d ->> ''n'')::int = (b.d -> ''in'' ->> ''n'')::int WHERE (a.d ->> ''price'')::float8 > 1"}'),
('jit', '{"SET LOCAL jit = on","SET LOCAL jit_above_cost = 0","SET LOCAL jit_inline_above_cost = 0","SET LOCAL jit_optimize_above_cost = 0","SELECT (d -> ''in'' ->> ''n'')::int, sum((d ->> ''price'')::numeric) FROM docs WHERE (d ->> ''n'')::int > 7 GROUP BY 1 ORDER BY 1"}'),
('foreign table', '{"CREATE SERVER files FOREIGN DATA WRAPPER file_fdw","CREATE FOREIGN TABLE f (d bson) SERVER files OPTIONS (program ''printf ''''{\"n\": 1}\\n{\"n\": \"2\"}\\n'''''')","SELECT (f.d ->> ''n'')::int, (docs.d ->> ''day'')::date FROM f JOIN docs ON (f.d ->> ''n'')::int = (docs.d ->> ''n'')::int WHERE (f.d ->> ''n'')::int > 1"}'),
('row filter', '{"CREATE PUBLICATION p FOR TABLE docs WHERE ((d ->> ''n'')::int > 3)"}'),
('rules', '{"CREATE RULE r AS ON DELETE TO more WHERE (OLD.d ->> ''n'')::int > 3 DO INSTEAD UPDATE docs SET d = NULL WHERE id = (OLD.d ->> ''n'')::int","DELETE FROM more","SELECT count(*), sum((d ->> ''n'')::int), (SELECT count(*) FROM more) FROM docs"}');
-- and others ICU, of which the two forms give what they give without it
CREATE TABLE ran AS SELECT n, form, a.result IS NOT DISTINCT FROM b.result AND b.calls = 0 AS same, a.calls > 0 AS fused, replace(a.result, '0A000 ICU is not supported in this build', '(1)') AS result
  FROM forms, run(statements, true) AS a, run(statements, false) AS b;
SELECT form, same, fused, result FROM ran WHERE form <> 'foreign table' ORDER BY n;
SELECT same AND fused AND result = '(2,01-03-2024)' OR NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'file_fdw') AS foreign_table FROM ran WHERE form = 'foreign table';
RESET bson.fuse_casts;

-- In the first statement of a session, too, where the library is loaded
\c -
SET bson.fuse_casts = off;
EXPLAIN (COSTS OFF, VERBOSE) SELECT (d ->> 'n')::numeric FROM docs;
SET bson.fuse_casts = on;
EXPLAIN (COSTS OFF, VERBOSE) SELECT (d ->> 'n')::numeric FROM docs;

DROP TABLE docs, more, forms, ran;
DROP FUNCTION run, noted, halved;
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS file_fdw;
RESET client_min_messages;
DROP ROLE regress_bson_reader;
-- bson_walk_equals called by a user: as = and = ANY, also with nulls
SELECT v, bson_walk_equals('{"a": "x"}', 'a'::text, v) IS NOT DISTINCT FROM ('x' = ANY (v)) AS agrees, bson_walk_equals('{"a": null}', 'a'::text, v) IS NULL AS of_null
  FROM (VALUES (ARRAY['y', NULL]), (ARRAY['x', NULL]), (ARRAY[NULL]), (NULL), ('{}'), ('{{y,x}}'), ('{z}')) AS v(v);
SELECT bson_walk_equals('{"a": "x"}', 'a'::text, 'x'::text), bson_walk_equals('{"a": "x"}', 'a'::text, NULL::text);
