-- Functions with arguments of type internal, attached to what they are not made for: the server would crash
CREATE SCHEMA internal_test;
SET search_path = internal_test, public;
SET client_min_messages = warning;

-- Runs a statement; the SQLSTATE of its error, or "fine"
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'fine';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;

-- None can be called from SQL: where the server does not say so (42883), as some minor releases, the function itself does (0A000)
SELECT p.proname, regexp_replace(try(format('SELECT %s(%s)', p.proname, args)), '^(42883|0A000)$', 'refused') AS result
FROM pg_proc p, pg_depend d, pg_extension e,
    LATERAL (SELECT string_agg(CASE WHEN t = 'internal'::regtype THEN 'NULL'
                                    WHEN t IN ('anyelement'::regtype, '"any"'::regtype) THEN '1'
                                    ELSE format('NULL::%s', t::regtype) END, ', ' ORDER BY n) AS args
             FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a(t, n)) a
WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refobjid = e.oid AND e.extname = 'bson'
    AND 'internal'::regtype = ANY (p.proargtypes::oid[]) AND NOT p.proisstrict
ORDER BY 1;

-- Every estimator, at an operator of every two of these types, on either side of a constant
CREATE TABLE kinds (type regtype PRIMARY KEY, literal text);
CREATE DOMAIN bson_domain AS bson;
INSERT INTO kinds VALUES ('int4', '5'), ('int8', '281474976710656'), ('float8', '1.5'), ('bool', 'true'), ('oid', '5'),
    ('text', 'a'), ('name', 'a'), ('bytea', '\x0500000000'), ('numeric', '1.5'), ('uuid', '00000000-0000-0000-0000-000000000001'),
    ('jsonb', '{"a": 1}'), ('json', '{"a": 1}'), ('jsonpath', '$.a == 1'), ('text[]', '{a,b}'), ('int4[]', '{1,2}'),
    ('point', '(1,2)'), ('"char"', 'a'), ('bson', '{"a": 1}'), ('bson_domain', '{"a": 1}');
DO $$
BEGIN
    EXECUTE (SELECT format('CREATE TABLE columns (%s)', string_agg(format('%I %s', 'c' || type::oid, type), ', ')) FROM kinds);
    EXECUTE (SELECT format('INSERT INTO columns SELECT %s FROM generate_series(1, 50)',
                           string_agg(format('%L::%s', literal, type), ', ')) FROM kinds);
    ANALYZE columns;
END $$;

CREATE FUNCTION sweep_estimators(estimator regproc) RETURNS TABLE (result text, plans bigint) LANGUAGE plpgsql AS $$
DECLARE
    l record;
    r record;
    results text[] = '{}';
BEGIN
    FOR l IN SELECT *, format('%I', 'c' || type::oid) AS col, format('%L::%s', literal, type) AS con FROM kinds LOOP
        FOR r IN SELECT *, format('%I', 'c' || type::oid) AS col, format('%L::%s', literal, type) AS con FROM kinds LOOP
            BEGIN
                EXECUTE format('CREATE FUNCTION f(%s, %s) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS ''BEGIN RETURN true; END''', l.type, r.type);
                EXECUTE format('CREATE OPERATOR internal_test.=== (leftarg = %s, rightarg = %s, function = f, restrict = %s)', l.type, r.type, estimator);
                results := results
                    || try(format('EXPLAIN SELECT FROM columns WHERE %s OPERATOR(internal_test.===) %s', l.col, r.con))
                    || try(format('EXPLAIN SELECT FROM columns WHERE %s OPERATOR(internal_test.===) %s', l.con, r.col))
                    || try(format('EXPLAIN SELECT FROM columns WHERE %s OPERATOR(internal_test.===) NULL::%s', l.col, r.type))
                    || try(format('EXPLAIN SELECT FROM columns WHERE %s OPERATOR(internal_test.===) %s', l.col, r.col));
                RAISE EXCEPTION 'undo' USING ERRCODE = 'TEST0';
            EXCEPTION WHEN SQLSTATE 'TEST0' THEN
            END;
        END LOOP;
    END LOOP;
    RETURN QUERY SELECT x, count(*) FROM unnest(results) x GROUP BY x ORDER BY x;
END $$;
SELECT e.*, s.* FROM (SELECT p.oid::regproc::text AS estimator FROM pg_proc p WHERE proname ~ '^bson_.*_sel$') e,
    LATERAL sweep_estimators(estimator::regproc) s ORDER BY 1, 2;

-- An operator of one side only
CREATE FUNCTION one_side(int8) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR @=@ (rightarg = int8, function = one_side, restrict = bson_match_sel);
SELECT try('EXPLAIN SELECT FROM columns WHERE @=@ c20');

-- An estimator of joins at operators of other types, on either side
CREATE FUNCTION sweep_joins(estimator regproc) RETURNS TABLE (result text, plans bigint) LANGUAGE plpgsql AS $$
DECLARE
    k record;
    results text[] = '{}';
BEGIN
    FOR k IN SELECT *, format('%I', 'c' || type::oid) AS col FROM kinds LOOP
        BEGIN
            EXECUTE format('CREATE FUNCTION f(%s, bson) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS ''BEGIN RETURN true; END''', k.type);
            EXECUTE format('CREATE FUNCTION f(bson, int8) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS ''BEGIN RETURN true; END''');
            EXECUTE format('CREATE OPERATOR internal_test.=== (leftarg = %s, rightarg = bson, function = f, restrict = bson_match_sel, join = %s)', k.type, estimator);
            EXECUTE format('CREATE OPERATOR internal_test.=== (leftarg = bson, rightarg = int8, function = f, restrict = bson_match_sel, join = %s)', estimator);
            results := results
                || try(format('EXPLAIN SELECT FROM columns AS a, columns AS b WHERE a.%s OPERATOR(internal_test.===) bson_build_object(''a'', b.%1$s)', k.col))
                || try(format('EXPLAIN SELECT FROM columns AS a LEFT JOIN columns AS b ON a.%s OPERATOR(internal_test.===) bson_build_object(''a..b'', b.%1$s, '''', 1)', k.col))
                || try(format('EXPLAIN SELECT FROM columns AS a, columns AS b WHERE bson_build_object(''a'', a.%s) OPERATOR(internal_test.===) b.c20', k.col));
            RAISE EXCEPTION 'undo' USING ERRCODE = 'TEST0';
        EXCEPTION WHEN SQLSTATE 'TEST0' THEN
        END;
    END LOOP;
    RETURN QUERY SELECT x, count(*) FROM unnest(results) x GROUP BY x ORDER BY x;
END $$;
SELECT e.*, s.* FROM (SELECT p.oid::regproc::text AS estimator FROM pg_proc p WHERE proname ~ '^bson_.*_joinsel$') e,
    LATERAL sweep_joins(estimator::regproc) s ORDER BY 1, 2;

-- Every support function, at functions that have none of its arguments
CREATE FUNCTION sweep_support(support regproc) RETURNS TABLE (result text, plans bigint) LANGUAGE plpgsql AS $$
DECLARE
    k record;
    results text[] = '{}';
BEGIN
    BEGIN
        EXECUTE format('CREATE FUNCTION bson_none() RETURNS SETOF int LANGUAGE plpgsql IMMUTABLE SUPPORT %s AS ''BEGIN END''', support);
        EXECUTE format('CREATE FUNCTION bson_plain() RETURNS int LANGUAGE plpgsql STABLE SUPPORT %s AS ''BEGIN RETURN 1; END''', support);
        results := results || try('EXPLAIN SELECT * FROM bson_none()') || try('EXPLAIN SELECT bson_plain()');
        FOR k IN SELECT *, format('%I', 'c' || type::oid) AS col, format('%L::%s', literal, type) AS con FROM kinds LOOP
            EXECUTE format('CREATE FUNCTION bson_rows(%s) RETURNS SETOF int LANGUAGE plpgsql STABLE SUPPORT %s AS ''BEGIN END''', k.type, support);
            EXECUTE format('CREATE FUNCTION bson_step(%s, text) RETURNS %1$s LANGUAGE plpgsql STABLE SUPPORT %s AS ''BEGIN RETURN $1; END''', k.type, support);
            results := results
                || try(format('EXPLAIN SELECT * FROM bson_rows(%s)', k.con))
                || try(format('EXPLAIN SELECT * FROM bson_rows(NULL::%s)', k.type))
                || try(format('EXPLAIN SELECT bson_rows(%s) FROM columns', k.col))
                || try(format('EXPLAIN SELECT bson_rows(bson_step(%s, ''a'')) FROM columns', k.col))
                || try(format('EXPLAIN SELECT bson_step(bson_step(%s, ''a'' COLLATE "C"), ''b'') FROM columns', k.col))
                || try(format('EXPLAIN SELECT bson_step(%s, ''a'') FROM columns', k.con));
            EXECUTE format('DROP FUNCTION bson_rows(%s); DROP FUNCTION bson_step(%1$s, text)', k.type);
        END LOOP;
        RAISE EXCEPTION 'undo' USING ERRCODE = 'TEST0';
    EXCEPTION WHEN SQLSTATE 'TEST0' THEN
    END;
    RETURN QUERY SELECT x, count(*) FROM unnest(results) x GROUP BY x ORDER BY x;
END $$;
SELECT e.*, s.* FROM (SELECT p.oid::regproc::text AS support FROM pg_proc p WHERE proname ~ '^bson_.*_support$') e,
    LATERAL sweep_support(support::regproc) s ORDER BY 1, 2;

-- ANALYZE and subscripts of a type that is an integer
CREATE TYPE number;
CREATE FUNCTION number_in(cstring) RETURNS number LANGUAGE internal IMMUTABLE STRICT AS 'int4in';
CREATE FUNCTION number_out(number) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'int4out';
CREATE TYPE number (input = number_in, output = number_out, like = int4,
                    analyze = bson_typanalyze, subscript = bson_subscript_handler);
CREATE TABLE numbers AS SELECT i::text::number AS n FROM generate_series(1, 1000) i;
ANALYZE numbers;
SELECT n['a'] FROM numbers;  -- ERROR, not a bson
UPDATE numbers SET n['a'] = '5';  -- ERROR, too

-- Aggregates of our functions and others'
CREATE AGGREGATE foreign_array(int8) (sfunc = int8_avg_accum, stype = internal, finalfunc = bson_agg_finalfn);
CREATE AGGREGATE foreign_object(numeric) (sfunc = numeric_accum, stype = internal, finalfunc = bson_object_agg_finalfn);
CREATE AGGREGATE foreign_unique(text, text) (sfunc = string_agg_transfn, stype = internal, finalfunc = bson_object_agg_unique_finalfn);
CREATE AGGREGATE mixed(anyelement) (sfunc = bson_agg_transfn, stype = internal, finalfunc = bson_object_agg_finalfn);
SELECT try('SELECT foreign_array(i) FROM generate_series(1, 9) i'),
    try('SELECT foreign_object(i) FROM generate_series(1, 9) i'),
    try('SELECT foreign_unique(i::text, '','') FROM generate_series(1, 9) i'),
    try('SELECT mixed(i) FROM generate_series(1, 9) i');

-- Partial results of others
CREATE AGGREGATE foreign_partial(numeric) (sfunc = numeric_avg_accum, stype = internal, finalfunc = bson_agg_finalfn,
    combinefunc = bson_agg_combine, serialfunc = numeric_avg_serialize, deserialfunc = bson_agg_deserial, parallel = safe);
CREATE AGGREGATE foreign_serial(numeric) (sfunc = numeric_avg_accum, stype = internal, finalfunc = numeric_avg,
    combinefunc = numeric_avg_combine, serialfunc = bson_agg_serial, deserialfunc = numeric_avg_deserialize, parallel = safe);
CREATE TABLE many AS SELECT i::numeric AS i FROM generate_series(1, 20000) i;
ALTER TABLE many SET (parallel_workers = 2);
ANALYZE many;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT try('SELECT foreign_partial(i) FROM many'), try('SELECT foreign_serial(i) FROM many');

DROP SCHEMA internal_test CASCADE;
