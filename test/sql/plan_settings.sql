-- If this failed, a finished plan would be changed that has nothing to change, or although the settings for that are off.

CREATE TABLE plans AS SELECT i AS id, bson_build_object('kind', i % 50, 'n', i % 7, 'name', 'name ' || i % 20) AS d FROM generate_series(1, 2000) AS i;
CREATE INDEX ON plans USING gin (d);
ANALYZE plans;
SET enable_seqscan = off;

-- The expressions of a statement's plan
CREATE FUNCTION pg_temp.expressions(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF, VERBOSE) ' || statement LOOP
    IF line ~ '(Output|Cond|Filter):' THEN RETURN NEXT trim(line); END IF;
  END LOOP;
END $$;
CREATE TABLE statements AS SELECT * FROM unnest(ARRAY[
  'SELECT (d ->> ''n'')::int FROM plans WHERE d @~ ''{"kind": 3, "n": {"$gte": 5}}''',
  'SELECT id FROM plans WHERE d @~ ''{"kind": 3, "n": {"$gte": 5}}'' AND d ->> ''name'' = ''name 3''']) WITH ORDINALITY AS t (statement, n);

SELECT n, e FROM statements, pg_temp.expressions(statement) AS e ORDER BY n;

-- Each setting for itself, then both
SET bson.fuse_casts = off;
SELECT n, e FROM statements, pg_temp.expressions(statement) AS e ORDER BY n;
SET bson.fuse_casts = on;
SET bson.narrow_scans = off;
SELECT n, e FROM statements, pg_temp.expressions(statement) AS e ORDER BY n;
SET bson.fuse_casts = off;
SELECT n, e FROM statements, pg_temp.expressions(statement) AS e ORDER BY n;

-- In the first statement of a session, too, where the library is loaded
\c -
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM plans WHERE d @~ '{"kind": 3, "n": {"$gte": 5}}';
\c -
SET enable_seqscan = off;
SET bson.narrow_scans = off;
EXPLAIN (COSTS OFF) SELECT id FROM plans WHERE d @~ '{"kind": 3, "n": {"$gte": 5}}';

DROP TABLE plans, statements;
