-- If this fails, bson_merge does not merge documents at every level
SELECT bson_merge('{"b": {"x": 1, "y": [1, 2]}, "a": 1}', '{"c": 2, "b": {"y": [3], "z": {"n": null}}}') AS merged,
       bson_merge('{"a": {"b": {"c": 1, "d": 2}}}', '{"a": {"b": {"d": {"e": 3}}}}') AS deep;
-- what is no document is replaced, on either side
SELECT a, b, bson_merge(a::bson, b::bson) AS merged, bson_merge(a::bson, b::bson, true) AS without_nulls
  FROM (VALUES ('{"a": 1}', '[1]'), ('[1]', '{"a": {"b": null}, "c": null}'), ('1', 'null'), ('{"a": [1]}', '{"a": {"b": null}}'), ('{"a": {"b": 1}}', '{"a": 1}'), ('{}', '{}'), ('{"a": 1}', '{}'), ('{}', '{"a": null}')) AS v(a, b);
-- with remove_nulls the examples of RFC 7396, appendix A
SELECT a, b, bson_merge(a::bson, b::bson, remove_nulls => true)::text = want AS agrees
  FROM (VALUES ('{"a": "b"}', '{"a": "c"}', '{"a": "c"}'), ('{"a": "b"}', '{"b": "c"}', '{"a": "b", "b": "c"}'), ('{"a": "b"}', '{"a": null}', '{}'), ('{"a": "b", "b": "c"}', '{"a": null}', '{"b": "c"}'),
               ('{"a": ["b"]}', '{"a": "c"}', '{"a": "c"}'), ('{"a": "c"}', '{"a": ["b"]}', '{"a": ["b"]}'), ('{"a": {"b": "c"}}', '{"a": {"b": "d", "c": null}}', '{"a": {"b": "d"}}'), ('{"a": [{"b": "c"}]}', '{"a": [1]}', '{"a": [1]}'),
               ('["a", "b"]', '["c", "d"]', '["c", "d"]'), ('{"a": "b"}', '["c"]', '["c"]'), ('{"a": "foo"}', 'null', 'null'), ('{"a": "foo"}', '"bar"', '"bar"'), ('{"e": null}', '{"a": 1}', '{"e": null, "a": 1}'),
               ('[1, 2]', '{"a": "b", "c": null}', '{"a": "b"}'), ('{}', '{"a": {"bb": {"ccc": null}}}', '{"a": {"bb": {}}}')) AS v(a, b, want);
-- the types of numbers are those of the second; nothing changed is the same value
SELECT bson_merge('{"a": {"n": 1}}', '{"a": {"n": {"$numberLong": "1"}}}')::bytea = '{"a": {"n": {"$numberLong": "1"}}}'::bson::bytea AS second,
       bson_merge('{"a": {"n": 1}, "b": 2}', '{"a": {"n": 1}}')::bytea = '{"a": {"n": 1}, "b": 2}'::bson::bytea AS unchanged,
       bson_merge(NULL, '{}') IS NULL AND bson_merge('{}', NULL) IS NULL AS strict;
-- of two fields with one name the first changes, and both go
SELECT bson_merge('\x13000000106100010000001061000200000000', '{"a": 3}') AS first, bson_merge('\x13000000106100010000001061000200000000', '{"a": null}', true) AS both_go;
-- deep and wide
SELECT length(bson_merge(bson_object_agg(i::text, bson_build_object('a', i)), bson_object_agg((i + 10000)::text, bson_build_object('b', i)))::text) AS wide FROM generate_series(1, 20000) AS i;
SELECT length(bson_merge((repeat('{"a": ', 1000) || '{"b": 1}' || repeat('}', 1000))::bson, (repeat('{"a": ', 1000) || '{"c": 1}' || repeat('}', 1000))::bson)::text) AS deep;
