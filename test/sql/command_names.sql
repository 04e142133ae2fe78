-- If this fails, a name or a value in a command becomes SQL, or a command does not find what has such a name
SET client_min_messages = warning;
-- words that would end a literal, a name, a statement or a line; and long ones
CREATE TEMP TABLE word (w text);
INSERT INTO word VALUES ($$'$$), ($$''$$), ($$"$$), ($$""$$), ($$a'; DROP TABLE kept; --$$), ($$a"; DROP TABLE kept; --$$), ($$'::bson)); DROP TABLE kept; --$$), ($$*/ DROP TABLE kept; /*$$), ($$\'$$), ($$\\$$), ($$\x41$$), (E'\n; DROP TABLE kept;\n'), (E'a\r\tb'), ('a$1'), ('a$$'), ('%s'), ('%d%n#'), ('#'),
  ('{{x}}'), (')'), ('data'), ('select'), ('excluded'), ('s'), ('t1'), ('found'), ('Ünï'), (U&'\+01F600'), (U&'\202Eabc'), (':v'), ('--'), ('NULL'), (E'U&"\\0041"'), ('a b'), (repeat('x', 63)), (repeat('ü', 31)), (repeat('"', 63)), (repeat('y', 64)), (repeat('é', 40)), (repeat('long ', 40));
CREATE TABLE kept (data bson);
INSERT INTO kept VALUES ('{"_id": 1}');
CREATE SCHEMA named;
CREATE FUNCTION pg_temp.one(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text; BEGIN EXECUTE statement INTO r; RETURN r; END $$;
CREATE FUNCTION pg_temp.state(statement text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN EXECUTE statement; RETURN 'no error'; EXCEPTION WHEN others THEN RETURN SQLSTATE; END $$;
-- each command with a word as the name of the table, the column, a field, a variable, an index and the output, and as a value: what went wrong
CREATE FUNCTION pg_temp.wrong(w text) RETURNS text LANGUAGE plpgsql AS $wrong$
DECLARE
    fits boolean := octet_length(w) < 64;
    rel regclass;
    -- a variable of MongoDB begins with a small letter or a character that is not ASCII, and has letters, digits and _ then
    is_variable boolean := w ~ '^([a-z]|[^\u0001-\u007f])([A-Za-z0-9_]|[^\u0001-\u007f])*$';
    filter bson := bson_build_object(w, w);
    into_named bson;
BEGIN
    EXECUTE format('CREATE TABLE named.%I (%I bson)', w, w);
    rel := format('named.%I', w)::regclass;
    EXECUTE format('INSERT INTO %s SELECT bson_build_object(''_id'', i, %L, CASE i WHEN 1 THEN %L ELSE ''other'' END, ''n'', 0) FROM generate_series(1, 3) AS i', rel, w, w);
    EXECUTE pg_temp.one(format('SELECT bson_create_index_sql(%L, ''{"key": {"_id": 1}, "unique": true}'')', rel));
    IF pg_temp.one(bson_find_sql(rel, filter, bson_build_object(w, 1), bson_build_object(w, 1), 0, 5)) IS DISTINCT FROM (bson_build_object('_id', 1) || filter)::text THEN RETURN 'find'; END IF;
    IF pg_temp.one(bson_find_sql(rel, bson_build_object('$expr', bson_build_object('$eq', bson_build_array(bson_build_object('$getField', bson_build_object('$literal', w)), '$$v'::text))), NULL, NULL, 0, 0, NULL, bson_build_object('v', bson_build_object('$literal', w)))) IS NULL THEN RETURN 'value of a variable'; END IF;
    IF is_variable AND pg_temp.one(bson_find_sql(rel, bson_build_object('$expr', bson_build_object('$eq', bson_build_array('$_id'::text, '$$' || w))), NULL, NULL, 0, 0, NULL, bson_build_object(w, 2))) !~ '"_id": 2' THEN RETURN 'variable'; END IF;
    IF NOT is_variable AND pg_temp.state(format('SELECT bson_find_sql(%L, NULL, NULL, NULL, 0, 0, NULL, %L)', rel, bson_build_object(w, 2))) <> '22023' THEN RETURN 'no variable'; END IF;
    IF pg_temp.one(bson_count_sql(rel, filter)) <> '1' THEN RETURN 'count'; END IF;
    IF pg_temp.one(format('SELECT count(*) FROM (%s) AS d', bson_distinct_sql(rel, NULL, w))) <> '2' THEN RETURN 'distinct'; END IF;
    EXECUTE bson_update_sql(rel, filter, bson_build_object('$set', bson_build_object(w || '_', w)), '{"multi": true}');
    EXECUTE bson_update_sql(rel, filter, bson_build_object('$inc', '{"n": 1}'::bson), '{}');
    IF pg_temp.one(bson_find_sql(rel, bson_build_object(w || '_', w, 'n', 1), NULL, NULL, 0, 0)) IS NULL THEN RETURN 'update'; END IF;
    IF pg_temp.one(bson_find_and_modify_sql(rel, bson_build_object('query', filter, 'sort', filter - w || bson_build_object(w, 1), 'update', bson_build_object('$set', bson_build_object('set', w)), 'new', true, 'fields', '{"_id": 0, "set": 1}'::bson))) <> bson_build_object('set', w)::text THEN RETURN 'findAndModify'; END IF;
    EXECUTE bson_create_index_sql(rel, bson_build_object('key', bson_build_object(w, 1, 'n', 1), 'name', w, 'unique', true, 'partialFilterExpression', bson_build_object(w || '_', bson_build_object('$exists', true))));
    EXECUTE bson_create_index_sql(rel, bson_build_object('key', bson_build_object(w, 1, '_id', 1), 'name', w || '2', 'unique', true));
    IF (SELECT count(*) FROM pg_index AS i WHERE indrelid = rel AND obj_description(indexrelid) ~ 'name' AND (obj_description(indexrelid)::bson ->> 'name') IN (w, w || '2')) <> 2 THEN RETURN 'createIndexes'; END IF;
    EXECUTE bson_update_sql(rel, bson_build_object(w, w || '!', '_id', 7), bson_build_object('$set', filter - w || '{"n": 7}'), '{"upsert": true}');
    IF pg_temp.one(bson_find_sql(rel, bson_build_object(w, w || '!'), '{"n": 1}', NULL, 0, 0)) <> '{"_id": 7, "n": 7}' THEN RETURN 'upsert'; END IF;
    -- the table as what stages name, and a new one, whose name must fit
    into_named := bson_build_object('db', 'named', 'coll', (SELECT relname FROM pg_class WHERE oid = rel));
    EXECUTE bson_pipeline_sql(rel, bson_build_array(bson_build_object('$match', filter), bson_build_object('$set', bson_build_object('merged', bson_build_object('$literal', w))), bson_build_object('$merge', bson_build_object('into', into_named))));
    IF pg_temp.one(bson_count_sql(rel, bson_build_object('merged', w))) <> '1' THEN RETURN 'merge'; END IF;
    IF fits AND strpos(w, '.') = 0 THEN
        EXECUTE bson_pipeline_sql(rel, bson_build_array(bson_build_object('$out', bson_build_object('db', 'named', 'coll', '_' || left(w, 50)))));
        IF pg_temp.one(format('SELECT count(*) FROM named.%I', '_' || left(w, 50))) <> '4' THEN RETURN 'out'; END IF;
        EXECUTE format('DROP TABLE named.%I', '_' || left(w, 50));
    ELSIF pg_temp.state(format('SELECT bson_pipeline_sql(%L, %L)', rel, bson_build_array(bson_build_object('$out', w)))) <> '42622' THEN
        RETURN 'long name';
    END IF;
    EXECUTE bson_delete_sql(rel, filter, '{}');
    IF pg_temp.one(bson_count_sql(rel, filter)) <> '0' THEN RETURN 'delete'; END IF;
    EXECUTE format('DROP TABLE %s', rel);
    RETURN NULL;
END $wrong$;
SELECT w, wrong FROM word, LATERAL pg_temp.wrong(w) WHERE wrong IS NOT NULL;
SELECT count(*) AS kept FROM kept;
DROP TABLE kept;
DROP SCHEMA named CASCADE;
