-- If this fails, an operator answers for the key, path or keys that it was asked for before.
\pset format unaligned
CREATE TEMP TABLE doc AS
SELECT i, bson_build_object('a', i % 7, 'b', bson_build_object('c', i % 5, 'd', ARRAY[i, i + 1]), 'l', repeat('x', CASE WHEN i % 3 = 0 THEN 5000 ELSE 5 END), 'k' || i % 4, i) AS d
  FROM generate_series(1, 100) AS i;

-- PL/pgSQL keeps call sites while its variables change: after a while, often, with each turn, and to paths that are errors
DO $$
DECLARE
    keys text[] := '{a,b,l,k1,zzz,"",k3}';
    paths text[] := '{"{a}","{b,c}","{b,d,0}","{b,d,-1}","{b,d,9}","{}","{zzz,a}","{b,NULL}","{k1}"}';
    k text; v varchar(9); p text[]; several text[]; n int; of bson; j jsonb; x text; turn int; fewer int := 0;
BEGIN
    FOR i IN 1 .. 600 LOOP
        turn := CASE WHEN i <= 100 THEN i / 25 WHEN i <= 200 THEN i / 3 WHEN i <= 300 THEN i ELSE i / 60 END;
        k := keys[1 + turn % 7]; v := keys[1 + turn % 5]; p := paths[1 + turn % 9]; n := turn % 4 - 1;
        several := keys[1 + turn % 3 : 1 + turn % 7];
        SELECT d, d::jsonb INTO of, j FROM doc WHERE doc.i = 1 + turn / 2 % 9;
        IF (of -> k)::jsonb IS DISTINCT FROM j -> k OR of ->> k IS DISTINCT FROM j ->> k OR of ->> v IS DISTINCT FROM j ->> v OR of -#> k IS DISTINCT FROM (CASE WHEN jsonb_typeof(j -> k) = 'number' THEN (j ->> k)::int END) THEN
            RAISE WARNING 'wrong key at %: %', i, k;
        END IF;
        IF (of #> p)::jsonb IS DISTINCT FROM j #> p OR of #>> p IS DISTINCT FROM j #>> p OR of -> 'b' #>> p[2:] IS DISTINCT FROM j -> 'b' #>> p[2:] THEN
            RAISE WARNING 'wrong path at %: %', i, p;
        END IF;
        IF of -> 'b' -> 'd' ->> n IS DISTINCT FROM j -> 'b' -> 'd' ->> n OR (of -> 'b' -> 'd')::jsonb -> n IS DISTINCT FROM j -> 'b' -> 'd' -> n OR of -> k ->> v IS DISTINCT FROM j -> k ->> v OR of -> k -> v ->> n IS DISTINCT FROM j -> k -> v ->> n THEN
            RAISE WARNING 'wrong chain at %: % % %', i, k, v, n;
        END IF;
        IF of ? k <> j ? k OR of ? v <> j ? v OR of ?| several <> j ?| several OR of ?& several <> j ?& several OR of @> bson_build_object(k, turn % 7) <> j @> jsonb_build_object(k, turn % 7) THEN
            RAISE WARNING 'wrong keys at %: % %', i, k, several;
        END IF;
        IF array_position(p, NULL) IS NULL AND
           ((of #- p)::jsonb <> j #- p OR bson_set(of, p, '[9]')::jsonb <> jsonb_set(j, p, '[9]') OR
            bson_set_lax(of, p, CASE WHEN turn % 3 > 0 THEN '9'::bson END, true, 'delete_key')::jsonb <> jsonb_set_lax(j, p, CASE WHEN turn % 3 > 0 THEN '9'::jsonb END, true, 'delete_key')) THEN
            RAISE WARNING 'wrong change at %: %', i, p;
        END IF;
        IF (of - several)::jsonb <> j - several OR ((of -> 'b') - (several || 'c'::text))::jsonb <> (j -> 'b') - (several || 'c'::text) THEN
            RAISE WARNING 'wrong without keys at %: %', i, several;
        END IF;
        BEGIN
            IF turn % 11 = 3 THEN
                p := '{{a,b},{b,c}}';
            END IF;
            x := of #>> p;
            IF x IS DISTINCT FROM j #>> p THEN
                RAISE WARNING 'wrong path at %: %', i, p;
            END IF;
        EXCEPTION WHEN array_subscript_error THEN
            fewer := fewer + 1;
        END;
    END LOOP;
    RAISE NOTICE '% errors', fewer;
END $$;

-- A generic plan, and the outer row of a join and of a subquery
SET plan_cache_mode = force_generic_plan;
PREPARE by_key(text) AS SELECT count(d ->> $1), count(d -> $1 -> 'c'), count(*) FILTER (WHERE d ? $1), sum(d -#> $1) FROM doc;
EXECUTE by_key('a');
EXECUTE by_key('b');
EXECUTE by_key('k2');
EXECUTE by_key(repeat('l', 3000));
EXECUTE by_key(NULL);
PREPARE by_path(text[], int) AS SELECT count(d #> $1), count(*) FILTER (WHERE d ?| $1), count(*) FILTER (WHERE d ?& $1), sum((d -> 'b' -> 'd' ->> $2)::int) FROM doc;
EXECUTE by_path('{a}', 0);
EXECUTE by_path('{b,c}', 1);
EXECUTE by_path('{a,k1}', -2);
EXECUTE by_path('{}', 2);
RESET plan_cache_mode;
SELECT o.key, o.n, count(s.*), count(s.x), sum(s.there) FROM (VALUES (1, 'a', 0), (2, 'a', 0), (3, 'b', 1), (4, 'k1', -1), (5, 'k1', 5)) AS o(i, key, n),
       LATERAL (SELECT d ->> o.key AS x, (d ? o.key)::int AS there, d -> 'b' -> 'd' -> o.n AS y FROM doc WHERE i <= 20 OFFSET 0) AS s WHERE y IS NOT NULL OR o.n = 5 GROUP BY o.i, 1, 2 ORDER BY o.i;
SELECT i, (SELECT string_agg(coalesce(h.d ->> ('k' || o.i % 4), '-'), ' ' ORDER BY h.i) FROM doc AS h WHERE h.i < 9) FROM doc AS o WHERE i < 6 ORDER BY i;
SELECT key, (SELECT string_agg(coalesce(h.d ->> o.key, '-'), ' ' ORDER BY h.i) FROM doc AS h WHERE h.i % 20 = 1) FROM unnest('{a,a,k1,k1,zzz,a}'::text[]) AS o(key);

-- chains of which only the first steps are constants
SELECT count(*), count(*) FILTER (WHERE d -> 'b' ->> x IS DISTINCT FROM d::jsonb -> 'b' ->> x) AS key, count(*) FILTER (WHERE d -> 'b' -> x ->> (1 + i % 2) IS DISTINCT FROM d::jsonb -> 'b' -> x ->> (1 + i % 2)) AS index,
       count(*) FILTER (WHERE d -> 'b' -> 'd' ->> (i % 3) IS DISTINCT FROM d::jsonb -> 'b' -> 'd' ->> (i % 3)) AS element, count(*) FILTER (WHERE d -> 'e' -> 'd' ->> x IS DISTINCT FROM d::jsonb -> 'e' -> 'd' ->> x) AS missing
  FROM (SELECT i, CASE WHEN i % 5 = 0 THEN d - 'b' || '{"z": 1, "b": {"d": {"zz": 1}, "c": [5]}}' WHEN i % 9 = 0 THEN d || '{"b": 5, "e": {"d": {"c": 7}}}' ELSE d END AS d FROM doc) AS d, unnest('{c,d,zz}'::text[]) AS x;

-- what 160 call sites remember does not grow with their documents, of 1,000 keys, also where the keys are parameters
CREATE TEMP TABLE long_document AS SELECT bson_object_agg('key' || i, i) AS d FROM generate_series(1, 1000) AS i, generate_series(1, 6) AS n GROUP BY n;
BEGIN;
SET LOCAL plan_cache_mode = force_generic_plan;
DO $$
BEGIN
    EXECUTE (SELECT 'CREATE FUNCTION pg_temp.many(' || string_agg('text', ', ') || ') RETURNS refcursor LANGUAGE plpgsql AS $f$ DECLARE many_sites CURSOR FOR SELECT ' || string_agg(format('d ->> $%s, d ? $%s', i, i), ', ') || ' FROM long_document; r refcursor := ''many''; BEGIN OPEN many_sites; MOVE 6 IN many_sites; RETURN many_sites; END $f$' FROM generate_series(1, 80) AS i);
    EXECUTE (SELECT 'SELECT pg_temp.many(' || string_agg(format('''none%s''', i), ', ') || ')' FROM generate_series(1, 80) AS i);
END $$;
SELECT max(total_bytes) < 1e6 AS bounded, (SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name = 'bson parameters') < 5e5 AS small FROM pg_backend_memory_contexts WHERE name = 'ExecutorState';
ROLLBACK;

-- jsonpaths that are parameters: of a generic plan, of a subquery's outer row, and PL/pgSQL's variables, which change until nothing is kept
SET plan_cache_mode = force_generic_plan;
PREPARE by_jsonpath(jsonpath) AS SELECT count(*) FILTER (WHERE d @? $1), count(*) FILTER (WHERE d @@ $1), count(bson_path_query_first(d, $1)), (SELECT count(*) FROM doc, bson_path_query(d, $1)) FROM doc;
EXECUTE by_jsonpath('$.a');
EXECUTE by_jsonpath('$.b.d[*] ? (@ > 1)');
EXECUTE by_jsonpath('strict $.b.c');
EXECUTE by_jsonpath(NULL);
RESET plan_cache_mode;
SELECT p, (SELECT count(*) FROM doc WHERE d @? p) AS kept, (SELECT count(*) FROM doc WHERE d::jsonb @? p) AS jsonb FROM unnest('{$.a,$.a,$.b.c,strict $.b.c,"$.b.d[*] ? (@ == 2)",$.a}'::jsonpath[]) AS p;
DO $$
DECLARE
    p jsonpath;
    x bson := '{"a": 1, "k2": [1, 2], "k3": {"a": 5}}';
    found text = '';
BEGIN
    FOR i IN 1..60 LOOP
        p := CASE i % 3 WHEN 0 THEN '$.a' WHEN 1 THEN '$.k' || i % 5 || '[*]' ELSE 'strict $.k3.a' END;
        IF (x @? p) IS DISTINCT FROM (x::jsonb @? p) OR bson_path_query_array(x, p, silent => true)::jsonb IS DISTINCT FROM jsonb_path_query_array(x::jsonb, p, silent => true) THEN
            found := found || i || ' ';
        END IF;
    END LOOP;
    RAISE NOTICE 'differ: %', found;
END $$;
