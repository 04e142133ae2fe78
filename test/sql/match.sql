-- If this fails, a MongoDB query matches other documents than in MongoDB.
CREATE TEMP TABLE doc (id int, d bson);
INSERT INTO doc VALUES
  (1, '{"name": "Ada", "age": 36, "tags": ["math", "code"], "address": {"city": "London"}, "scores": [90, 85]}'),
  (2, '{"name": "Bob", "age": 41.0, "tags": [], "address": {"city": "Oslo", "zip": null}, "items": [{"n": 1, "p": 5}, {"n": 2, "p": 9}]}'),
  (3, '{"name": "cyd", "age": {"$numberLong": "50"}, "tags": "math", "items": [{"n": 1, "p": 9}]}'),
  (4, '{"name": null, "age": "36", "nested": [[1, 2], [3]], "items": []}'),
  (5, '{"age": {"$numberDecimal": "36.0"}, "when": {"$date": "2024-01-02T00:00:00Z"}, "a.b": 1, "nan": {"$numberDouble": "NaN"}}'),
  (6, '[{"name": "in an array"}]'), (7, '5');
CREATE FUNCTION pg_temp.find(query text) RETURNS int[] LANGUAGE sql AS $$ SELECT coalesce(array_agg(id ORDER BY id), '{}') FROM doc WHERE d @~ query::bson $$;

SELECT query, pg_temp.find(query) FROM unnest(ARRAY[
  '{}',
  '{"name": "Ada"}', '{"age": 36}', '{"age": {"$eq": 36}}', '{"address.city": "Oslo"}', '{"address": {"city": "London"}}', '{"address": {}}',
  -- missing equals null
  '{"name": null}', '{"address.zip": null}', '{"none": null}', '{"items.q": null}', '{"none": {"$gte": null}}',
  -- comparisons hold within a type
  '{"age": {"$gt": 36}}', '{"age": {"$gte": 36, "$lt": 50}}', '{"age": {"$lt": "4"}}', '{"name": {"$gt": "B"}}', '{"when": {"$lt": {"$date": "2025-01-01T00:00:00Z"}}}',
  '{"nan": {"$lt": 5}}', '{"nan": {"$eq": {"$numberDecimal": "NaN"}}}', '{"nan": {"$gte": {"$numberDouble": "NaN"}}}', '{"age": {"$gt": {"$minKey": 1}}}',
  '{"age": {"$ne": 36}}', '{"age": {"$not": {"$gt": 36}}}',
  -- arrays: an element, the whole, an element by number
  '{"tags": "math"}', '{"tags": ["math", "code"]}', '{"tags": ["code", "math"]}', '{"tags.0": "math"}', '{"tags": []}', '{"scores": {"$gt": 88}}', '{"scores": {"$gt": 85, "$lt": 90}}',
  '{"nested": [3]}', '{"nested.0": 2}', '{"nested.0.1": 2}', '{"nested.1": 3}',
  '{"items.p": 9}', '{"items.n": 1, "items.p": 9}', '{"items.1.p": 9}', '{"items.5": null}',
  '{"tags": {"$size": 2}}', '{"tags": {"$size": 0}}', '{"tags": {"$all": ["code", "math"]}}', '{"tags": {"$all": ["math"]}}', '{"tags": {"$all": []}}',
  '{"items": {"$elemMatch": {"n": 1, "p": 9}}}', '{"items": {"$elemMatch": {"n": 2, "p": {"$gt": 5}}}}', '{"scores": {"$elemMatch": {"$gt": 85, "$lt": 95}}}',
  '{"scores": {"$elemMatch": {"$gt": 85, "$lt": 90}}}', '{"items": {"$all": [{"$elemMatch": {"n": 1}}, {"$elemMatch": {"n": 2}}]}}', '{"items": {"$elemMatch": {"$or": [{"n": 2}, {"p": 9}]}}}',
  -- lists
  '{"age": {"$in": [41, "36"]}}', '{"age": {"$in": []}}', '{"name": {"$in": [null, "Bob"]}}', '{"name": {"$nin": [null, "Bob"]}}', '{"tags": {"$in": ["code", "x"]}}',
  '{"name": {"$in": [{"$regularExpression": {"pattern": "^a", "options": "i"}}, "Bob"]}}',
  -- existence and type
  '{"address": {"$exists": true}}', '{"address.zip": {"$exists": true}}', '{"address.zip": {"$exists": false}}', '{"items.n": {"$exists": 1}}', '{"name": {"$exists": 0}}',
  '{"age": {"$type": "number"}}', '{"age": {"$type": "int"}}', '{"age": {"$type": ["long", "string"]}}', '{"tags": {"$type": "string"}}', '{"tags": {"$type": "array"}}', '{"age": {"$type": 19}}',
  -- regular expressions
  '{"name": {"$regex": "^[AB]"}}', '{"name": {"$regex": "^C", "$options": "i"}}', '{"name": {"$regularExpression": {"pattern": "D$", "options": "i"}}}', '{"name": {"$not": {"$regex": "^A"}}}',
  '{"age": {"$mod": [5, 1]}}', '{"age": {"$mod": [-1, 0]}}',
  -- combined
  '{"$or": [{"name": "Ada"}, {"age": {"$gt": 45}}]}', '{"$and": [{"age": 36}, {"tags": "code"}]}', '{"$nor": [{"age": 36}, {"name": "Bob"}]}', '{"age": 36, "$comment": "twins"}',
  '{"a.b": 1}', '{"name": "in an array"}', '{"0.name": "in an array"}', '{"": 5}'
]) AS query;

-- an unknown operator or operand is an error, and not just no match
SELECT '{}'::bson @~ '{"a": {"$foo": 1}}';  -- ERROR
SELECT '{}'::bson @~ '{"$where": "1"}';  -- ERROR
SELECT '{}'::bson @~ '{"a": {"$gt": 1, "b": 2}}';  -- ERROR, operators and fields
SELECT '{}'::bson @~ '[]';  -- ERROR
SELECT '{}'::bson @~ '{"$or": []}';  -- ERROR
SELECT '{}'::bson @~ '{"$or": [5]}';  -- ERROR
SELECT '{}'::bson @~ '{"a": {"$in": 5}}';  -- ERROR
SELECT '{}'::bson @~ '{"a": {"$mod": [0, 1]}}';  -- ERROR
SELECT '{}'::bson @~ '{"a": {"$mod": [2]}}';  -- ERROR
SELECT '{}'::bson @~ '{"a": {"$size": -1}}';  -- ERROR
SELECT '{}'::bson @~ '{"a": {"$type": "nonsense"}}';  -- ERROR
SELECT '{}'::bson @~ '{"a": {"$regex": "("}}';  -- ERROR
SELECT '{}'::bson @~ '{"a": {"$regex": "a", "$options": "q"}}';  -- ERROR
SELECT '{}'::bson @~ '{"a": {"$not": 5}}';  -- ERROR
SELECT '{}'::bson @~ '{"a": {"$elemMatch": 5}}';  -- ERROR

-- the query may come from a column; a long list is searched, deep documents are walked
SELECT id FROM doc, (VALUES ('{"age": 36}'::bson), ('{"name": "Bob"}')) AS q(query) WHERE d @~ query ORDER BY 1;
SELECT count(*) FROM generate_series(1, 2000) AS i
  WHERE bson_build_object('n', i) @~ (SELECT bson_build_object('n', bson_build_object('$in', array_agg(x))) FROM generate_series(1, 100000, 7) AS x);
SELECT (repeat('{"a": [', 400) || '5' || repeat(']}', 400))::bson @~ bson_build_object(repeat('a.', 399) || 'a', 5);
-- an array among the elements counts as a document whose names are its positions, as in MongoDB
SELECT '{"a": [[5, 6], 7]}'::bson @~ '{"a": {"$elemMatch": {"1": 6}}}' AS by_position,
       '{"a": [[], 7]}'::bson @~ '{"a": {"$elemMatch": {}}}' AS empty,
       '{"a": [[{"b": 1}]]}'::bson @~ '{"a": {"$elemMatch": {"b": 1}}}' AS not_deeper;

-- options of a regular expression: m and s change the meaning of lines, x allows white space, u is always on
SELECT query, '{"s": "one\ntwo"}'::bson @~ query AS matches FROM unnest(ARRAY[
  '{"s": {"$regex": "^two"}}', '{"s": {"$regex": "^two", "$options": "m"}}', '{"s": {"$regex": "one.two"}}', '{"s": {"$options": "s", "$regex": "one.two"}}',
  '{"s": {"$regex": "o n e  # that", "$options": "x"}}', '{"s": {"$regex": "ONE", "$options": "ui"}}',
  '{"s": {"$all": [{"$regularExpression": {"pattern": "^ONE", "options": "i"}}, "one\ntwo"]}}',
  '{"s": {"$not": {"$regularExpression": {"pattern": "^ONE", "options": "i"}}}}', '{"none": {"$not": {"$regularExpression": {"pattern": "a", "options": ""}}}}'
]::bson[]) AS query;
-- an expression with its own options and others in $options; an expression matches an equal expression, and no other
SELECT '{"s": "ONE"}'::bson @~ bson_build_object('s', bson_build_object('$regex', r, '$options', 'i')) AS options_beside, '{"s": "ONE"}'::bson @~ bson_build_object('s', r) AS own,
  bson_build_object('s', r) @~ bson_build_object('s', r) AS itself, bson_build_object('s', r) @~ '{"s": {"$regularExpression": {"pattern": "one", "options": "i"}}}' AS another
FROM (VALUES ('{"$regularExpression": {"pattern": "one", "options": ""}}'::bson)) AS v(r);
-- a string may hold U+0000, a pattern must not
SELECT '{"s": "a\u0000b"}'::bson @~ '{"s": {"$regex": "a"}}' AS matches;
SELECT '{}'::bson @~ '{"a": {"$regex": "a\u0000b"}}';  -- ERROR
SELECT '{}'::bson @~ '{"a": {"$regex": 5}}';  -- ERROR
SELECT '{}'::bson @~ '{"a": {"$regex": "a", "$options": 5}}';  -- ERROR
SELECT '{}'::bson @~ '{"a": {"$options": "i"}}';  -- ERROR, of nothing
SELECT '{}'::bson @~ '{"a": {"$all": 5}}';  -- ERROR
SELECT '{}'::bson @~ '{"$and": {"a": 1}}';  -- ERROR
-- MinKey's type number; values that count as true; a dividend that is not an integer
SELECT '{"a": {"$minKey": 1}}'::bson @~ '{"a": {"$type": -1}}' AS minkey, '{"a": 1}'::bson @~ '{"a": {"$type": -1}}' AS no_minkey,
  '{"a": 1}'::bson @~ '{"a": {"$exists": null}}' AS exists_null, '{"a": 1}'::bson @~ '{"a": {"$exists": "no"}}' AS exists_string,
  '{"a": 1e300}'::bson @~ '{"a": {"$mod": [2, 0]}}' AS huge, '{"a": {"$numberDouble": "NaN"}}'::bson @~ '{"a": {"$mod": [2, 0]}}' AS nan, '{"a": 4.5}'::bson @~ '{"a": {"$mod": [2, 0]}}' AS cut;

-- A call site of PL/pgSQL stays the same while its variables change
DO $$
DECLARE
    q bson;
    answers text = '';
BEGIN
    FOR i IN 1..3 LOOP
        q := bson_build_object('a', i);
        answers := answers || ' ' || ('{"a": 2}'::bson @~ q);
    END LOOP;
    RAISE NOTICE 'matches:%', answers;
END $$;

-- A call site remembers the keys of its documents and answers the same of those in another order,
-- with other types, duplicate keys, fewer keys, or no keys at all; a query that is another one in every row remembers nothing.
-- A number in a path can be the name of a field, which is first looked for in the bytes of an array.
CREATE TABLE shapes AS
  SELECT ('{' || array_to_string(fields[1 + i % 3:9 - i / 3 % 4] || CASE WHEN i % 5 = 0 THEN fields[1:i % 4] END, ', ') || '}')::bson AS data, i
  FROM generate_series(1, 400) AS i,
    LATERAL (SELECT array_agg(f ORDER BY CASE WHEN i % 7 < 4 THEN n ELSE (n * i) % 11 END) AS fields
      FROM unnest(ARRAY[format('"k": "%s"', repeat('x', i % 40)), format('"n": %s', i % 3), format('"a long name of a key": %s', i % 3),
        CASE i % 4 WHEN 0 THEN '"a": {"x": 1, "b": {"u": 2, "c": 1}}' WHEN 1 THEN '"a": {"b": {"c": 2, "u": 2}, "b": {"c": 1}}' WHEN 2 THEN '"a": [{"b": {"c": 1}}, {"b": [{"c": 2}]}]' ELSE '"a": {"b": 1}' END,
        CASE i % 8 WHEN 0 THEN '"t": [1, 2]' WHEN 1 THEN '"t": [{"1": 5, "b": 1}, {"b": {"1": 2}}, {"b": 3}]' WHEN 2 THEN '"t": [{"b": 1}, {"b": 3, "c": [{"1": 7}]}, 5]'
            WHEN 3 THEN '"t": [[1, {"b": 3}], [{"1": 5}, 2]]' WHEN 4 THEN '"t": [{"b": 1}, {"b": 3}, {"b": "\t1"}]' WHEN 5 THEN '"t": [{"b": [6]}, {"b": [4, 3]}, {"1": null}]'
            WHEN 6 THEN '"t": {"1": {"b": 3}}' ELSE format('"t": [{"b": 3, "c": "%s"}, {"b": 1, "1": [1, 5]}]', repeat('1', i)) END, CASE WHEN i % 6 = 0 THEN '"z": null' ELSE format('"z": %s', i % 2) END, '"w": true', '"": 1', '"last": 7']) WITH ORDINALITY AS f(f, n)) AS made
  UNION ALL VALUES ('[{"n": 1}]'::bson, 0), ('1', 0), ('{}', 0), (('{"pad": "' || repeat('y', 9000) || '", "n": 1, "z": 1, "a": {"b": {"c": 1}}}')::bson, 0);
DO $$
DECLARE
    query text;
    alike int;
    matching int;
BEGIN
    FOREACH query IN ARRAY ARRAY['{"n": 1}', '{"z": null}', '{"last": 7}', '{"none": null}', '{"none": {"$exists": true}}', '{"a.b.c": 1}', '{"a.b.c": {"$ne": 1}}', '{"a.b.c": null}',
        '{"a.b": 1, "n": 2}', '{"z": 1, "a.b.u": 2, "n": {"$gte": 1}}', '{"a long name of a key": 1, "w": true, "none": null}', '{"": 1, "t": 2, "last": 7, "k": {"$ne": "x"}}', '{"a.b.c.d.e": null, "a.0.b.c": null}',
        '{"$or": [{"a.b.c": 1}, {"n": 2}]}', '{"$nor": [{"a.b.u": 2}, {"a.b.c": null}]}', '{"t": {"$elemMatch": {"b": 3, "c": {"$exists": true}}}}', '{"t": {"$elemMatch": {"1": {"$gt": 1}}}}', '{"a.b.c": {"$gte": 1, "$lt": 2}}',
        '{"t.1": 2}', '{"t.1": 5}', '{"t.1": null}', '{"t.1": {"$exists": false}}', '{"t.1": {"$ne": 5}}', '{"t.1.b": 3}', '{"t.1.b": null}', '{"t.1.b.1": 3}', '{"t.b.1": 2}', '{"t.1.1": 2}', '{"t.1.b": {"$all": [3, null]}}', '{"t.2": 5, "n": 1}',
        '{"t.b": {"$gt": 2}}', '{"t.c.1": 7}', '{"t.0.c": {"$size": 1}}', '{"t.1": {"$type": "array"}}'] LOOP
        EXECUTE format('SELECT count(*) FILTER (WHERE data @~ %1$L = other), count(*) FILTER (WHERE other)
            FROM (SELECT data, data @~ q AS other, n FROM shapes, unnest(ARRAY[%1$L, ''{"other": 1}'']::bson[]) WITH ORDINALITY AS u(q, n) OFFSET 0) AS s WHERE n = 1', query) INTO alike, matching;
        RAISE NOTICE '%: % alike, % match', query, alike, matching;
    END LOOP;
END $$;
DROP TABLE shapes;

-- a root that is no document, and is read a part at a time
CREATE TEMP TABLE match_roots (d bson);
INSERT INTO match_roots SELECT bson_agg(bson_build_object('b', i, 'c', md5(i::text))) FROM generate_series(1, 3000) AS i;
INSERT INTO match_roots SELECT to_bson(repeat(md5('s'), 3000));
SELECT count(*) FILTER (WHERE d @~ '{"b": 2999}') AS last, count(*) FILTER (WHERE d @~ '{"b": 2999, "c": "x"}') AS both, count(*) FILTER (WHERE d @~ '{"b": -1}') AS none,
    count(*) FILTER (WHERE d @~ '{"e": null}') AS missing FROM match_roots;
DROP TABLE match_roots;

-- a name that the first documents of an array lack, and the rest has nowhere, in its last document, or as a value
SELECT rest, data @~ '{"t.name": 7}' AS seven, data @~ '{"t.name": null}' AS is_null, data @~ '{"t.name": {"$exists": false}}' AS missing, data @~ '{"t.name": {"$ne": 7}}' AS other
FROM (VALUES ('{"a": 1}'), ('{"name": 7}'), ('{"a": "name"}'), ('{"a": {"name": 7}}'), ('7'), ('[{"name": 7}]')) AS v(rest),
    LATERAL (SELECT format('{"t": [{"a": 1}, 5, {"a": 2}, {"a": 3}, {"a": 4}, {"b": 5}, {"a": "end"}, %s]}', rest)::bson AS data) AS d;

-- the fields of a reference (DBRef) are equal to their operands, also at the top and whatever those look like
SELECT query, '{"$ref": "c", "$id": 1, "r": [{"$ref": "c", "$id": 1}]}'::bson @~ query::bson AS found, '{"$ref": "c", "$id": {"$gt": 0}}'::bson @~ query::bson AS literal
FROM (VALUES ('{"$ref": "c", "$id": 1}'), ('{"$id": {"$gt": 0}}'), ('{"$db": null}'), ('{"r": {"$elemMatch": {"$id": {"$gt": 0}}}}'), ('{"$or": [{"$id": 2}, {"$ref": "c"}]}')) AS v(query);
