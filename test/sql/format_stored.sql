-- If this fails, what databases store besides values (expressions of indexes, views, defaults, policies and the like, and operator
-- classes) refers to something else than in version 1.0. What is expected never changes: see "What may never change" in
-- doc/contributing.md.
CREATE SCHEMA format_stored;
SET search_path = format_stored, public;
CREATE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TABLE doc (id int DEFAULT ('{"n": 5}'::bson -> 'n')::int, data bson DEFAULT '{"a": {"b": [1]}}' CHECK ((data -> 'a' -> 'b' ->> 0)::int > 0), name text GENERATED ALWAYS AS (data #>> '{user,name}') STORED,
    at timestamptz GENERATED ALWAYS AS (bson_get_timestamptz(data, 'at')) STORED);
CREATE INDEX doc_walk ON doc ((data -> 'a' -> 'b' ->> 0));
CREATE INDEX doc_int ON doc ((data -#> 'n'), (data -&> 'ok'), ((data -> 'a' -> 'n')::int), ((data ->> 'n')::int));
CREATE INDEX doc_sort ON doc (bson_sort_key(data, '{"a": 1, "b": -1}')) WHERE data @~ '{"n": {"$gt": 5}}';
CREATE INDEX doc_gin ON doc USING gin (data, (data -> 'a') bson_path_ops, (data -> 'b') bson_range_ops);
CREATE VIEW seen AS SELECT data -> 'a' -> 'b' -> 0 AS walk, (data ->> 'n')::numeric AS number, data['a']['b'] AS subscript, data @> '{"a": 1}' AND data ? 'a' AS has, bson_typeof(data) AS type,
    bson_update(data, '{"$set": {"x": 1}}') AS updated FROM doc, (VALUES (1)) AS one(i) WHERE data -> 'n' > 5 ORDER BY data;
CREATE POLICY own ON doc USING (data ->> 'owner' = CURRENT_USER);
CREATE TRIGGER changed BEFORE UPDATE ON doc FOR EACH ROW WHEN (NEW.data ->> 'x' = '1') EXECUTE FUNCTION touched();
CREATE TABLE hashed (data bson, CHECK (data = data)) PARTITION BY HASH ((data -> 'k'));
CREATE TABLE ranged (data bson) PARTITION BY RANGE ((data -> 'k'));
CREATE TABLE ranged_1 PARTITION OF ranged FOR VALUES FROM ('1') TO ('"z"');
\pset format unaligned
\pset tuples_only on
SELECT attname, pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid = 'doc'::regclass ORDER BY adnum;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid IN ('doc'::regclass, 'hashed'::regclass) ORDER BY conname;
SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'doc'::regclass ORDER BY indexrelid::regclass::text;
SELECT pg_get_viewdef('seen');
SELECT pg_get_expr(polqual, polrelid) FROM pg_policy WHERE polrelid = 'doc'::regclass;
SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'doc'::regclass;
SELECT pg_get_partkeydef('hashed'::regclass), pg_get_partkeydef('ranged'::regclass), pg_get_expr(relpartbound, oid) FROM pg_class WHERE oid = 'ranged_1'::regclass;
-- the functions that these call, by the names that a dump writes and the symbols that the library has
SELECT refobjid::regprocedure, prosrc FROM pg_depend JOIN pg_proc ON pg_proc.oid = refobjid
  WHERE refclassid = 'pg_proc'::regclass AND (classid, objid) IN (SELECT 'pg_rewrite'::regclass, oid FROM pg_rewrite WHERE ev_class = 'seen'::regclass UNION ALL
    SELECT 'pg_class'::regclass, indexrelid FROM pg_index WHERE indrelid = 'doc'::regclass UNION ALL SELECT 'pg_attrdef'::regclass, oid FROM pg_attrdef WHERE adrelid = 'doc'::regclass)
    AND prosrc LIKE 'pgbson%' GROUP BY refobjid, prosrc ORDER BY refobjid::regprocedure::text COLLATE "C";
-- what the planner calls for chains, which stored plans of prepared statements hold
EXPLAIN (VERBOSE, COSTS OFF) SELECT data -> 'a' -> 'b', data -> 'a' ->> 'b', data -> 'a' -#> 'b', data -> 'a' -&> 'b', (data -> 'a')::int, (data -> 'a')::numeric FROM doc;
-- operator classes: strategies and support functions
SELECT amname, opfname, amopstrategy, amopopr::regoperator, amoppurpose FROM pg_amop JOIN pg_opfamily f ON f.oid = amopfamily JOIN pg_am a ON a.oid = opfmethod
  WHERE opfname LIKE 'bson%' AND amoplefttype = 'bson'::regtype ORDER BY amname, opfname, amopstrategy, amopopr::regoperator::text COLLATE "C";
SELECT amname, opfname, amprocnum, amproc::regprocedure, prosrc FROM pg_amproc JOIN pg_opfamily f ON f.oid = amprocfamily JOIN pg_am a ON a.oid = opfmethod JOIN pg_proc p ON p.oid = amproc
  WHERE opfname LIKE 'bson%' AND opfname NOT LIKE 'bson_collated%' ORDER BY amname, opfname, amprocnum, amproc::regprocedure::text COLLATE "C";
SELECT opcname, amname, opckeytype::regtype, opcdefault FROM pg_opclass JOIN pg_am a ON a.oid = opcmethod WHERE opcname LIKE 'bson%' AND opcname NOT LIKE 'bson_collated%' ORDER BY 2, 1;
SELECT typlen, typbyval, typalign, typstorage, typinput, typoutput, typreceive, typsend FROM pg_type WHERE typname = 'bson';
SET client_min_messages = error;
DROP SCHEMA format_stored CASCADE;
