-- If this fails, bson_diff and bson_patch do not bring one document into the form of another
-- a delta: what goes, what changes at its place, what is new, what changes within a field
SELECT bson_diff('{"a": 1, "b": {"x": 1, "text": "a text that makes a copy of it longer"}, "c": [1, {"y": 1, "text": "one more text that is long"}, 3], "gone": true}',
                 '{"a": 2, "b": {"x": 2, "text": "a text that makes a copy of it longer"}, "c": [1, {"y": 2, "text": "one more text that is long"}], "new": null}');
SELECT bson_diff('{"a": 1, "text": "a text that makes a copy of it longer"}', '{"a": 1, "text": "a text that makes a copy of it longer"}');
-- in an array elements change by position, it gets longer and shorter
SELECT bson_diff('{"a": [1, 2, "a text that makes a copy of it longer"]}', '{"a": [1, 5, "a text that makes a copy of it longer", 6]}');
SELECT bson_diff('["a text that makes a copy of it longer than it is", 2, 3]', '["a text that makes a copy of it longer than it is"]');
-- other bytes count, as those of a number of another type
SELECT bson_diff('{"a": 1, "text": "a text that makes a copy of it longer"}', '{"a": {"$numberLong": "1"}, "text": "a text that makes a copy of it longer"}');
-- where no delta is smaller it is the new value itself
SELECT bson_diff('{"a": 1}', '{"a": 2}'), bson_diff('{"a": 1}', '{"a": 1}'), bson_diff('{"a": 1}', '[1]'), bson_diff('1', '"s"');
-- a new field that is not the last: the fields behind it go, and come again
SELECT bson_diff('{"text": "a text that makes a copy of it longer", "a": 1, "b": 2}', '{"text": "a text that makes a copy of it longer", "b": 2, "a": 1}');
-- a document that would be taken for a delta
SELECT bson_diff('{"a": 1}', '{"$v": 2, "diff": {}}'), bson_diff('1', '{"$v": null}');

-- what comes out is the same to the byte
CREATE TEMP TABLE d (id serial, b bson);
INSERT INTO d (b) VALUES ('{}'), ('[]'), ('1'), ('null'), ('"a long string that is a root of its own"'),
  ('{"a": 1}'), ('{"a": 1.0}'), ('{"a": {"$numberLong": "1"}}'), ('{"a.b": 1, "$c": {"$d": 1}, "": {"": {"": 1}}}'),
  ('{"a.b": 1, "$c": {"$d": 2}, "": {"": {"": 2}}, "text": "a text that makes a copy of it longer"}'),
  ('{"a.b": 2, "$c": {"$d": 3}, "": {"": {"": 3}}, "text": "a text that makes a copy of it longer"}'),
  ('{"text": "a text that makes a copy of it longer", "": {"": {"": 3}}, "a.b": 2, "$c": {"$d": 3}}'),
  ('{"": {"$minKey": 1}, "text": "a text that makes a copy of it longer"}'),
  ('[1, [2, [3, "a text that makes a copy of it longer"]], {"a": {"$undefined": true}}]'),
  ('[1, [2, [4, "a text that makes a copy of it longer"]], {"a": 1}, 5, 6]'),
  ('[1, [2, [4, "a text that makes a copy of it longer", []]], {"a": 1}, 5]'),
  ('{"$v": 2, "diff": {"u": {"a": 1}}}'), ('{"$v": 2, "replacement": {}}'), ('{"$v": 3}'), ('{"d": 1, "u": 2, "i": 3, "s": 4, "a": 5, "l": 6, "sa": {"u": {"u": "a text that is long"}}}'),
  ('{"d": 1, "u": 2, "i": 3, "s": 5, "a": 5, "l": 6, "sa": {"u": {"u": "a text that is long"}}}');
-- duplicate keys, and arrays whose keys are not positions, come from bytes alone
INSERT INTO d (b) VALUES
  ('\x13000000106100010000001061000200000000'),
  ('\x13000000106100020000001061000100000000'),
  ('\x4a000000027400260000006120746578742074686174206d616b6573206120636f7079206f66206974206c6f6e676572001061000100000010620002000000106100030000000a630000'),
  ('\x4a000000027400260000006120746578742074686174206d616b6573206120636f7079206f66206974206c6f6e676572001061000100000010620003000000106100030000000a630000'),
  ('\x4a000000027400260000006120746578742074686174206d616b6573206120636f7079206f66206974206c6f6e676572001061000100000010620002000000106100040000000a630000'),
  ('\x4a000000027400260000006120746578742074686174206d616b6573206120636f7079206f66206974206c6f6e676572001061000200000010620002000000106100030000000a630000'),
  ('\x43000000027400260000006120746578742074686174206d616b6573206120636f7079206f66206974206c6f6e6765720010610001000000106200020000000a630000'),
  ('\x4a000000027400260000006120746578742074686174206d616b6573206120636f7079206f66206974206c6f6e6765720010610001000000106200020000000a63001061000100000000'),
  ('\x4800000004610039000000023300260000006120746578742074686174206d616b6573206120636f7079206f66206974206c6f6e6765720010300007000000001062000100000000'),
  ('\x4800000004610039000000023000260000006120746578742074686174206d616b6573206120636f7079206f66206974206c6f6e6765720010310007000000001062000100000000'),
  ('\x4700000004610038000000023000260000006120746578742074686174206d616b6573206120636f7079206f66206974206c6f6e67657200100007000000001062000100000000');
INSERT INTO d (b) SELECT bson_build_array(b, b) FROM d;
INSERT INTO d (b) SELECT bson_build_object('f', b, 'g', i) FROM d, generate_series(1, 2) AS i WHERE d.id <= 32;
SELECT count(*) AS pairs, count(*) FILTER (WHERE bson_patch(x.b, bson_diff(x.b, y.b))::bytea <> y.b::bytea) AS wrong,
  count(*) FILTER (WHERE length(bson_diff(x.b, y.b)::bytea) > length(y.b::bytea) AND bson_typeof(y.b -> '$v') IS NULL) AS larger
FROM d x, d y;
-- duplicates elsewhere do not stand in the way
SELECT bson_diff(x.b, y.b) -> 'diff' AS changes FROM d x, d y WHERE x.id = 24 AND y.id = 25;

-- what a delta of another document does: fields go if there are any, come if there are none
SELECT bson_patch('{"a": 1}', '{"$v": 2, "diff": {"d": {"b": false}, "u": {"c": 1}, "i": {"a": 2}}}');
SELECT bson_patch('[1]', '{"$v": {"$numberLong": "2"}, "diff": {"a": true, "u3": 4}}'), bson_patch('[1]', '{"$v": 2.0, "diff": {"a": true, "l": 3}}');
SELECT bson_patch('{"a": 1}', '{"$v": 2, "diff": {"sa": {"u": {"b": 1}}}}');  -- ERROR, not a document
SELECT bson_patch('{"a": 1}', '{"$v": 2, "diff": {"sa": {"a": true}}}');  -- ERROR, not an array
SELECT bson_patch('{"a": 1}', '{"$v": 2, "diff": {"sb": {"u": {"b": 1}}}}');  -- ERROR, not there
SELECT bson_patch('[1]', '{"$v": 2, "diff": {"a": true, "s1": {"u": {"b": 1}}}}');  -- ERROR, not there
SELECT bson_patch('1', '{"$v": 2, "diff": {}}');  -- ERROR, a scalar
-- a delta is looked at closely
CREATE FUNCTION pg_temp.try(delta bson) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
    RETURN bson_patch(CASE WHEN delta -> 'diff' ? 'a' THEN '[1, 2]'::bson ELSE '{"a": 1}' END, delta);
EXCEPTION WHEN invalid_parameter_value THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN SQLERRM || ': ' || detail;
END $$;
\pset format unaligned
\pset tuples_only
SELECT delta, pg_temp.try(delta::bson) FROM unnest(ARRAY[
  '{"$v": 1, "$set": {"a": 1}}', '{"$v": "2"}', '{"$v": 2}', '{"$v": 2, "diff": 1}', '{"$v": 2, "diff": {}, "x": 1}', '{"$v": 2, "dif": {}}', '{"$v": 2, "replacement": [1]}',
  '{"$v": 2, "diff": {"x": {}}}', '{"$v": 2, "diff": {"": {}}}', '{"$v": 2, "diff": {"u": {}, "d": {}}}', '{"$v": 2, "diff": {"u": 1}}', '{"$v": 2, "diff": {"sa": 1}}',
  '{"$v": 2, "diff": {"d": {"a": true}}}', '{"$v": 2, "diff": {"d": {"a": false}, "u": {"a": 1}}}', '{"$v": 2, "diff": {"u": {"a": 1}, "sa": {}}}', '{"$v": 2, "diff": {"b": {}}}',
  '{"$v": 2, "diff": {"a": false}}', '{"$v": 2, "diff": {"a": 1}}', '{"$v": 2, "diff": {"a": true, "l": -1}}', '{"$v": 2, "diff": {"a": true, "l": "1"}}', '{"$v": 2, "diff": {"a": true, "u0": 1, "l": 1}}',
  '{"$v": 2, "diff": {"a": true, "u1": 1, "u0": 1}}', '{"$v": 2, "diff": {"a": true, "u01": 1}}', '{"$v": 2, "diff": {"a": true, "u": 1}}', '{"$v": 2, "diff": {"a": true, "": 1}}',
  '{"$v": 2, "diff": {"a": true, "u-1": 1}}', '{"$v": 2, "diff": {"a": true, "s0": 1}}', '{"$v": 2, "diff": {"a": true, "l": 1, "u1": 1}}', '{"$v": 2, "diff": {"a": true, "u999999999": 1}}',
  '{"$v": 2, "diff": {"a": true, "u9999999999": 1}}', '{"$v": 2, "diff": {"a": true, "l": 2000000000}}']) AS delta;
-- what does not fit has an SQLSTATE of its own; what is not understood is told from it, also behind or within what does not fit
CREATE FUNCTION pg_temp.state(doc bson, diff bson) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN bson_patch(doc, bson_build_object('$v', 2, 'diff', diff));
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
SELECT doc, diff, pg_temp.state(doc, diff) FROM (VALUES ('{"a": 1}'::bson, '{"sa": {"u": {"b": 1}}}'::bson), ('{"a": 1}', '{"sa": {"zz": {}}}'), ('{"a": 1}', '{"sa": {"u": {}}, "sb": {"zz": {}}}'), ('{"a": 1}', '{"sa": {"a": true, "s1": {"sb": {"zz": {}}}}}'),
  ('{"a": 1}', '{"sa": {"a": true, "u1": 1, "u0": 1}}'), ('{"a": 1}', '{"sb": {"sc": {"u": {"c": 1}}}}'), ('{"a": 1}', '{"sb": {"sc": {"c": {"c": 1}}}}'),
  ('[1]', '{"a": true, "s1": {"u": {}}, "u3": 1}'), ('[1]', '{"a": true, "s1": {"u": {}}, "x": 1}'), ('[1]', '{"a": true, "s0": {"u": {}}, "s2": {"i": 1}}'), ('1', '{}'), ('1', '{"zz": 1}')) AS t (doc, diff);
-- for a change stream, documents are compared within however small they are, and arrays where that is smaller; each field is named by its path
SELECT bson_update_description(a::bson, b::bson) FROM (VALUES
  ('{"_id": 1, "a": 1}', '{"_id": 1, "a": 2}'), ('{"a": {"b": {"c": 1, "d": 1}}}', '{"a": {"b": {"c": 2}}}'), ('{"a": {"b": 1}}', '{"a": 1}'), ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'),
  ('{"a": [1, 2, 3, 4]}', '{"a": [1, 2]}'), ('{"a": [1, 2, 3, 4]}', '{"a": [1, 2, 3, 4, {"b": 1}]}'), ('{"a": [1, 2, 3]}', '{"a": [0, 1, 2]}'), ('{"a": [{"b": [1, 2, 3, 4], "c": "a long text"}, 2]}', '{"a": [{"b": [1, 2, 3], "c": "a long text"}, 2]}'),
  ('{"a": 1}', '{"a": 1}'), ('{"a": 1}', '{"a": {"$numberLong": "1"}}'), ('{"": 1, "x.y": 1}', '{"x.y": 2, "": {"$x": 1}}'), ('{"": {"a": 1, "": 1}}', '{"": {"a": 2}}'), ('[1]', '[2]'), ('1', '2')) AS t (a, b);
-- names that occur twice cannot tell it
SELECT bson_update_description(bson('\x13000000106100010000001061000200000000'::bytea), bson('\x13000000106100010000001061000300000000'::bytea)) IS NULL;
-- the memory is that of the longest path, not of one path for each level
CREATE TEMP TABLE deep AS SELECT (repeat('{"' || repeat('k', 2000) || '":', 500) || n || repeat('}', 500))::bson AS doc FROM generate_series(1, 2) AS n;
SELECT bson_size(bson_update_description(a.doc, b.doc)) AS size, (SELECT sum(total_bytes) < 100000000 FROM pg_backend_memory_contexts WHERE a.doc IS NOT NULL) AS small FROM deep AS a JOIN deep AS b ON a.doc < b.doc;
