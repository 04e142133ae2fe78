-- If this failed, @> <@ ? ?| ?& would find rows that jsonb does not, or miss them.

-- documents: every field of the right side must be there, with a value that contains its value
SELECT doc, part, doc::bson @> part::bson AS contains, part::bson <@ doc::bson AS contained,
       doc::jsonb @> part::jsonb AS jsonb_says
  FROM (VALUES
    ('{"a": "b", "b": 1, "c": null}', '{"a": "b"}'),
    ('{"a": "b", "b": 1, "c": null}', '{"c": null, "a": "b"}'),       -- in any order
    ('{"a": "b", "b": 1, "c": null}', '{"a": "b", "g": null}'),       -- null is not missing
    ('{"a": "b", "b": 1, "c": null}', '{"a": "c"}'),
    ('{"a": "b", "b": 1, "c": null}', '{"a": "b", "c": "q"}'),
    ('{"a": "b"}', '{"a": "b", "b": 1}'),
    ('{"a": 1}', '{}'),
    ('{}', '{}'),
    ('{}', '{"a": 1}'),
    ('{"a": {"b": {"c": 1, "d": 2}}}', '{"a": {"b": {"d": 2}}}'),
    ('{"a": {"b": {"c": 1, "d": 2}}}', '{"b": {"d": 2}}'),            -- nesting must match
    ('{"a": {"b": 1}}', '{"a": {}}'),
    ('{"a": {"b": 1}}', '{"a": 1}'),
    ('{"a": [1]}', '{"a": 1}'),                                       -- the array rule is for the root only
    ('{"a": [1, {"b": [2, 3]}]}', '{"a": [{"b": [3]}]}'),
    ('{"a": []}', '{"a": {}}'),
    ('{"tags": ["enim", "qui"]}', '{"tags": ["qu"]}'),                -- no prefixes
    ('{"": 1, "a": 2}', '{"": 1}')
  ) v(doc, part);

-- arrays: sets of elements
SELECT doc, part, doc::bson @> part::bson AS contains, part::bson <@ doc::bson AS contained,
       doc::jsonb @> part::jsonb AS jsonb_says
  FROM (VALUES
    ('[1, 2]', '[1, 2, 2]'),
    ('[1, 1, 2]', '[2, 1]'),
    ('[1, 2]', '[1, 3]'),
    ('[[1, 2]]', '[[1, 2, 2]]'),
    ('[[1, 2], [3]]', '[[3], [2]]'),
    ('[[1, 2]]', '[1]'),
    ('[1, [1, 2]]', '[[1], 1]'),
    ('[{"a": 1, "b": 2}, {"a": 2}]', '[{"a": 2}, {"b": 2}]'),
    ('[{"a": 1}, {"b": 2}]', '[{"a": 1, "b": 2}]'),                   -- not from two elements together
    ('[]', '[]'),
    ('[1]', '[]'),
    ('[]', '[1]'),
    ('[]', '[[]]'),
    ('[[]]', '[[]]'),
    ('["9", ["7", "3"], ["1"]]', '["9", ["7", "3"], ["1"]]'),
    ('[null]', '[null]'),
    ('["1"]', '[1]'),
    ('[true]', '[1]'),
    -- documents and arrays have nothing in common
    ('[{"a": 1}]', '{"a": 1}'),
    ('{"a": 1}', '[{"a": 1}]'),
    ('{"0": 1}', '[1]'),
    ('[1]', '{"0": 1}'),
    ('{}', '[]'),
    ('[]', '{}'),
    -- a bare scalar is contained in an equal one and, at the root, in an array
    ('5', '5'),
    ('[5]', '5'),
    ('[[5]]', '5'),
    ('5', '[5]'),
    ('5', '[]'),
    ('"a"', '"a"'),
    ('null', 'null'),
    ('[null]', 'null'),
    ('{"a": 5}', '5'),
    ('5', '{}')
  ) v(doc, part);

-- numbers by value, whatever their type
SELECT '{"a": 5}'::bson @> '{"a": {"$numberLong": "5"}}' AS long,
       '{"a": 5}'::bson @> '{"a": 5.0}' AS double,
       '{"a": 5}'::bson @> '{"a": {"$numberDecimal": "5.00"}}' AS decimal,
       '[{"$numberDecimal": "1.10"}]'::bson @> '[{"$numberDecimal": "1.1"}]' AS scale,
       '[{"$numberDouble": "NaN"}]'::bson @> '[{"$numberDecimal": "NaN"}]' AS nan,
       '[0.0]'::bson @> '[-0.0]' AS zero,
       '[0.1]'::bson @> '[{"$numberDecimal": "0.1"}]' AS spelling;

-- other types by equality
SELECT '{"a": {"$oid": "0123456789abcdef01234567"}}'::bson @> '{"a": {"$oid": "0123456789abcdef01234567"}}' AS same,
       '{"a": {"$oid": "0123456789abcdef01234567"}}'::bson @> '{"a": "0123456789abcdef01234567"}' AS no_text,
       '{"a": {"$date": "2022-03-03T12:13:14Z"}}'::bson @> '{"a": {"$date": "2022-03-03T12:13:14.000Z"}}' AS date,
       '{"a": {"$undefined": true}}'::bson @> '{"a": null}' AS undefined;

-- duplicate keys, which only bytes can have: the first one counts, on both sides
SELECT d @> '{"a": 1}' AS first, d @> '{"a": 2}' AS second, '{"a": 1}' @> d AS as_part, d @> d AS itself
  FROM (SELECT '\x13000000106100010000001061000200000000'::bson) v(d);

-- SQL NULL
SELECT NULL::bson @> '{}' AS a, '{}'::bson <@ NULL AS b, '{}'::bson ? NULL AS c, NULL::bson ?| '{}' AS d, '{}'::bson ?& NULL AS e;

-- ? keys of a document, strings of an array, the string itself
SELECT doc, key, doc::bson ? key AS has, bson_exists(doc::bson, key) AS fn, doc::jsonb ? key AS jsonb_says
  FROM (VALUES
    ('{"a": null, "b": "qq"}', 'a'),
    ('{"a": null, "b": "qq"}', 'qq'),
    ('{"a": {"b": 1}}', 'b'),               -- top level only
    ('{"": 1}', ''),
    ('{"a": 1}', ''),
    ('{"a.b": 1}', 'a.b'),
    ('{}', 'a'),
    ('["a", "b"]', 'b'),
    ('["a", ["b"]]', 'b'),
    ('[{"a": 1}]', 'a'),
    ('[1, 2]', '1'),                        -- strings only
    ('[1, 2]', '0'),                        -- an index is no key
    ('[null]', 'null'),
    ('[]', ''),
    ('"a"', 'a'),
    ('"ab"', 'a'),
    ('5', '5'),
    ('null', 'null'),
    ('true', 'true')
  ) v(doc, key);

SELECT keys, d ?| keys AS any_doc, j ?| keys AS any_jsonb, d ?& keys AS all_doc, j ?& keys AS all_jsonb
  FROM (VALUES ('{"a": null, "b": "qq"}'::bson, '{"a": null, "b": "qq"}'::jsonb)) v(d, j),
       (VALUES (ARRAY['a', 'b']), ('{c,a}'), ('{c,d}'), ('{}'), ('{a,a,b,b,b}'), ('{a,NULL}'), ('{NULL}'), ('{NULL,c}'),
               ('{{a,b},{a,c}}'), ('{{a,b},{a,b}}')) k(keys);
SELECT '["a", "b", "a"]'::bson ?& '{a,b}' AS array_all, '"a"'::bson ?| '{b,a}' AS scalar_any, '"a"'::bson ?& '{a,b}' AS scalar_all;

-- many keys or elements use other code, which gives the same answers
WITH big AS (
  SELECT ('{' || string_agg(format('"k%s": {"v": [%s, %s]}', i, i, i + 1), ', ' ORDER BY i) || '}') AS doc,
         ('[' || string_agg(format('%s, "s%s", {"v": %s, "w": 0}', i, i, i), ', ' ORDER BY i) || ']') AS arr
    FROM generate_series(1, 300) i)
SELECT doc::bson @> doc::bson AS itself,
       doc::bson @> (doc::bson || '{"k300": {"v": [301.0]}}') AS part,
       doc::bson @> (doc::bson || '{"k300": {"v": [302]}}') AS not_part,
       doc::bson @> (doc::bson || '{"k301": 1}') AS one_more,
       arr::bson @> arr::bson AS array_itself,
       arr::bson @> (arr::bson || '[7, 7.0, "s7", {"w": 0}, {"v": 300.0}, {}]') AS array_part,
       arr::bson @> (arr::bson || '["s301"]') AS array_one_more,
       arr::bson @> (arr::bson || '[{"v": 1, "w": 1}]') AS array_not_part,
       arr::bson @> (arr::bson || '[[]]') AS array_no_array,
       doc::bson ?& (SELECT array_agg('k' || i) FROM generate_series(1, 300) i) AS all_keys,
       doc::bson ?& (SELECT array_agg('k' || i) FROM generate_series(1, 301) i) AS not_all_keys,
       doc::bson ?| (SELECT array_agg('x' || i) FROM generate_series(1, 300) i) AS no_key,
       arr::bson ?& (SELECT array_agg('s' || i) FROM generate_series(1, 300) i) AS all_strings
  FROM big;

-- and its cost is that of one pass, not of all pairs, of which there are 10^10 here
SET statement_timeout = '60s';
WITH big AS (
  SELECT ('[' || string_agg(i::text, ',') || ']')::bson AS numbers,
         ('[' || string_agg('{"a":' || i || '}', ',') || ']')::bson AS docs,
         ('{' || string_agg('"' || i || '":' || i, ',') || '}')::bson AS doc,
         ('[' || string_agg('7', ',') || ']')::bson AS sevens,
         array_agg(i::text) AS keys
    FROM generate_series(1, 100000) i)
SELECT numbers @> numbers AS numbers, docs @> docs AS docs, doc @> doc AS doc,
       numbers @> sevens AS sevens, sevens @> numbers AS not_numbers, doc ?& keys AS keys, doc ?| keys AS any_key
  FROM big;
RESET statement_timeout;

-- as deep as a document may be
SELECT d @> d AS itself, d @> '{"a": {"a": {}}}' AS part, d <@ '{"a": {"a": {}}}' AS not_part
  FROM (SELECT (repeat('{"a":', 1000) || '1' || repeat('}', 1000))::bson) v(d);

-- the right side may change from call to call at one call site
DO $$
DECLARE
  d bson := '{"a": 2}';
  part bson;
  keys text[];
BEGIN
  FOR i IN 1..3 LOOP
    part := ('{"a": ' || i || '}')::bson;
    keys := ARRAY[chr(95 + i)];
    RAISE NOTICE '@> % % ?| % % ? % %', part, d @> part, keys, d ?| keys, keys[1], d ? keys[1];
  END LOOP;
END $$;
SELECT d @> ANY ('{"{\"a\": 1}", "{\"a\": 2}"}'::bson[]) AS any_part, d @> ALL ('{"{\"a\": 2}", "{\"a\": 1}"}'::bson[]) AS all_parts
  FROM (VALUES ('{"a": 2}'::bson)) v(d);
SELECT part, d @> part AS contains, d <@ part AS contained
  FROM (VALUES ('{"a": 1}'::bson), ('{"b": 2}'), ('{"a": 1, "b": 2, "c": 3}'), ('{}')) v(part), (VALUES ('{"a": 1, "b": 2}'::bson)) w(d);

-- toasted documents: the front may be enough for the answer, or not
CREATE TEMP TABLE toasted (id int, d bson);
ALTER TABLE toasted ALTER d SET STORAGE EXTERNAL;
INSERT INTO toasted
  SELECT 1, ('{"first": 1, "pad": "' || repeat('x', 20000) || '", "last": {"a": [1, 2]}}')::bson UNION ALL
  SELECT 2, ('["first", "' || repeat('x', 20000) || '", "last"]')::bson UNION ALL
  SELECT 3, ('"' || repeat('x', 20000) || '"')::bson;
SELECT id, d @> '{"first": 1}' AS first, d @> '{"last": {"a": [2]}}' AS last, d @> '{"first": 1, "last": {}}' AS both, d @> '{"none": 1}' AS no_key,
       d @> '{"first": 2, "last": {}}' AS not_first, d @> '{}' AS document, d @> '[]' AS array, d @> '["last"]' AS element, d @> '"last"' AS scalar,
       d ? 'first' AS has_first, d ? 'last' AS has_last, d ? 'none' AS has_none, d ?| '{none,last}' AS has_any, d ?& '{first,last}' AS has_all
  FROM toasted ORDER BY id;

-- fields are compared side by side as long as both documents have the same keys in the same order: every two documents of
-- up to three fields, of which some repeat a key, agree with jsonb, to which only the first of them is given
WITH field(hex, text) AS (
    SELECT '10' || encode(k::bytea, 'hex') || '00' || v, format('"%s":%s', k, left(v, 2)::int) FROM unnest(ARRAY['a', 'b']) k, unnest(ARRAY['01000000', '02000000']) v
), fields(hex, texts) AS (
    SELECT '', ARRAY[]::text[] UNION ALL SELECT hex, ARRAY[text] FROM field UNION ALL
    SELECT x.hex || y.hex, ARRAY[y.text, x.text] FROM field x, field y UNION ALL
    SELECT x.hex || y.hex || z.hex, ARRAY[z.text, y.text, x.text] FROM field x, field y, field z
), doc(b, j) AS (
    -- of repeated keys the last counts for jsonb, so they come in reverse
    SELECT decode(lpad(to_hex(length(hex) / 2 + 5), 2, '0') || '000000' || hex || '00', 'hex')::bson, ('{' || array_to_string(texts, ',') || '}')::jsonb FROM fields
)
SELECT count(*) AS pairs, count(*) FILTER (WHERE (x.b @> y.b) <> (x.j @> y.j)) AS other, count(*) FILTER (WHERE (y.b <@ x.b) <> (x.j @> y.j)) AS contained_other,
       count(*) FILTER (WHERE (bson_build_array(x.b) @> bson_build_array(y.b)) <> (x.j @> y.j)) AS nested_other, count(*) FILTER (WHERE x.j @> y.j) AS contained
  FROM doc x, doc y;

-- arrays: the first wanted element is looked for apart from the others
SELECT count(*) AS pairs, count(*) FILTER (WHERE (x.t::bson @> y.t::bson) <> (x.t::jsonb @> y.t::jsonb)) AS other
  FROM (SELECT '[' || concat_ws(',', a, b, c) || ']' FROM (SELECT unnest(ARRAY[NULL, '1', '1.0', '"1"', '[1]', '[]', '{"a":1}', '5000000000'])) x(a), (SELECT unnest(ARRAY[NULL, '2', '1', '[2,1]', 'null'])) y(b),
             (SELECT unnest(ARRAY[NULL, '1', '[1,2]', (SELECT string_agg(i::text, ',') FROM generate_series(1, 12) i)])) z(c)) x(t),
       (SELECT '[' || concat_ws(',', a, b, c) || ']' FROM (SELECT unnest(ARRAY[NULL, '1', '1.0', '"1"', '[1]', '[]', '{"a":1}', '5000000000'])) x(a), (SELECT unnest(ARRAY[NULL, '2', '1', '[2,1]', 'null'])) y(b),
             (SELECT unnest(ARRAY[NULL, '1', '[1,2]', (SELECT string_agg(i::text, ',') FROM generate_series(1, 12) i)])) z(c)) y(t);

-- several keys of long documents, which are looked for in one walk, however they are stored; among them roots that are no documents
CREATE TEMP TABLE long_keys (n int, j jsonb, plain bson, compressed bson, outside bson);
ALTER TABLE long_keys ALTER outside SET STORAGE EXTERNAL, ALTER compressed SET STORAGE EXTENDED;
INSERT INTO long_keys
SELECT n, d::jsonb, d::bson, d::bson, d::bson
  FROM generate_series(1, 150) n,
       LATERAL (SELECT CASE WHEN n % 10 = 3 THEN (SELECT json_agg('key' || i)::text FROM generate_series(1, 1500) i) WHEN n % 10 = 4 THEN '"key7"'
                       WHEN n % 10 = 5 THEN format('{"first": "%s", "key9": 1, "last": 1}', repeat(md5(n::text), 2000))
                       ELSE (SELECT '{' || string_agg(format('"key%s": "%s"', i, md5(i::text)), ',' ORDER BY i) || CASE n % 3 WHEN 0 THEN ',"last": 1' ELSE '' END || '}' FROM generate_series(1, 1200 + n) i) END) x(d);
SELECT count(*), count(*) FILTER (WHERE (j ?| ARRAY['zz', 'last', 'key1199']) <> (outside ?| ARRAY['zz', 'last', 'key1199'])) AS any_outside, count(*) FILTER (WHERE (j ?| ARRAY['zz', 'yy', 'xx']) <> (outside ?| ARRAY['zz', 'yy', 'xx'])) AS none_outside,
       count(*) FILTER (WHERE (j ?& ARRAY['key9', 'last']) <> (outside ?& ARRAY['key9', 'last'])) AS all_outside, count(*) FILTER (WHERE (j ?& ARRAY['key1', 'key7', 'key1300']) <> (outside ?& ARRAY['key1', 'key7', 'key1300'])) AS all3_outside,
       count(*) FILTER (WHERE (j ?| ARRAY['zz', 'last', 'key1199']) <> (compressed ?| ARRAY['zz', 'last', 'key1199'])) AS any_compressed, count(*) FILTER (WHERE (j ?& ARRAY['key9', 'last']) <> (compressed ?& ARRAY['key9', 'last'])) AS all_compressed,
       count(*) FILTER (WHERE (j ?& ARRAY['', 'key9']) <> (compressed ?& ARRAY['', 'key9'])) AS empty_key, count(*) FILTER (WHERE (j ?| ARRAY['zz', 'last']) <> (plain ?| ARRAY['zz', 'last'])) AS any_plain, count(*) FILTER (WHERE j ?& ARRAY['key9', 'last']) AS have
  FROM long_keys;
-- long documents, most with the same keys: one walk asks for the keys in all, whatever a call site remembers
WITH docs AS MATERIALIZED (
  SELECT i, ('{' || string_agg(format('"%s": %s', CASE WHEN f = 1500 AND i % 7 = 0 THEN 'other' ELSE 'key' || f END, f), ', ' ORDER BY CASE WHEN i % 5 = 0 THEN -f ELSE f END) || CASE WHEN i % 3 = 0 THEN ', "key3": 0' ELSE '' END || '}')::bson AS data
  FROM generate_series(1, 40) AS i, generate_series(1, 1500 - i % 2) AS f GROUP BY i)
SELECT count(*) FILTER (WHERE data ?| '{other,none}') AS other, count(*) FILTER (WHERE data ? 'other') AS other_alone,
  count(*) FILTER (WHERE data ?& '{key3,key1500,key900}') AS all_three, count(*) FILTER (WHERE data ? 'key3' AND data ? 'key1500' AND data ? 'key900') AS each_alone FROM docs;
-- a call site that had an array last is given other values
SELECT count(*), bool_and((data ? 'a') = there) AS rightly
FROM (VALUES ('["a"]'::bson, true), ('{"a": 1}', true), ('["b"]', false), ('{"b": ["a"]}', false), ('[]', false), ('"a"', true), ('["b", "a"]', true), ('7', false), ('[{"a": 1}]', false), ('{}', false)) AS v(data, there);
-- a scalar among the elements of arrays: of one type, of runs of several, of many at random, and with numbers that are not the elements'; as
-- comparing with each element finds it
CREATE TEMP TABLE scalars AS
SELECT s::bson AS v FROM unnest(ARRAY['5', '5.0', '5.5', '0', '-0.0', '0.0', '{"$numberLong": "5"}', '{"$numberDecimal": "5.00"}', '{"$numberDecimal": "0.1"}', '0.1', '{"$numberDouble": "NaN"}', '{"$numberDecimal": "NaN"}',
  '{"$numberDouble": "Infinity"}', '9007199254740993', '9007199254740992.0', '5000000000', '5000000000.0', '"ab"', '"abc"', '"abcdef"', '""', '"a\u0000b"', '{"$symbol": "ab"}', 'true', 'false', 'null', '{"$undefined": true}',
  '{"$date": 5}', '{"$timestamp": {"t": 0, "i": 5}}', '{"$oid": "0102030405060708090a0b0c"}', '{"$minKey": 1}']) AS u(s);
CREATE TEMP TABLE lists AS
SELECT bson_agg(v) AS list FROM scalars
UNION ALL SELECT bson_agg(v ORDER BY n) FROM scalars, generate_series(1, 4) AS n
UNION ALL SELECT bson_agg(v) FROM scalars, generate_series(1, 13) AS n GROUP BY v
UNION ALL SELECT (SELECT bson_agg(CASE WHEN i = k THEN v ELSE to_bson(i + 1000) END) FROM generate_series(0, 120) AS i) FROM scalars, generate_series(0, 120, 17) AS k
UNION ALL SELECT (SELECT bson_agg(CASE WHEN i = k THEN v ELSE to_bson('x' || i) END) FROM generate_series(0, 120) AS i) FROM scalars, generate_series(7, 120, 19) AS k
UNION ALL SELECT (SELECT bson_agg(CASE WHEN i = k THEN v WHEN i < 50 THEN to_bson('abcd' || i) ELSE to_bson(repeat('x', i * 7 % 11)) END) FROM generate_series(0, 120) AS i) FROM scalars, generate_series(3, 120, 39) AS k
UNION ALL SELECT (SELECT bson_agg(CASE WHEN i = k THEN v ELSE to_bson(i + 0.25::float8) END) FROM generate_series(0, 101) AS i) FROM scalars, generate_series(9, 101, 45) AS k
UNION ALL SELECT (SELECT bson_agg(CASE WHEN i >= k THEN v ELSE bson_build_object('a', v) END) FROM generate_series(0, 11) AS i) FROM scalars, generate_series(9, 12) AS k
UNION ALL SELECT (SELECT bson_agg(v ORDER BY md5(v::text || i::text)) FROM scalars, generate_series(1, 3) WHERE length(md5(v::text || i)) > 0 AND ascii(md5(v::text || i)) % 3 = 0) FROM generate_series(1, 40) AS i;
-- and one whose keys are not their numbers
INSERT INTO lists SELECT '\x1c000000ff0004001300000010300005000000103000060000000000'::bson;
SELECT count(*) AS pairs, count(*) FILTER (WHERE (list @> v) <> there) AS bare, count(*) FILTER (WHERE (list @> bson_build_array(v)) <> there) AS wanted, count(*) FILTER (WHERE (list @> bson_build_array(v, v, v)) <> there) AS three_times,
       count(*) FILTER (WHERE CASE WHEN v::text ~ '^("|\{"\$sym)' AND v::text !~ 'u0000' THEN (list ? (v #>> '{}')) <> there END) AS text_of, count(*) FILTER (WHERE there) AS members
  FROM (SELECT list, v, EXISTS (SELECT FROM bson_array_elements(list) AS e(e) WHERE e = v) AS there FROM lists, scalars) AS t;

\pset format unaligned
-- many keys beside documents of few fields, in columns and as constants: as jsonb answers
CREATE TEMP TABLE few AS
SELECT t::bson AS b, t::jsonb AS j
  FROM unnest(ARRAY['{}', '[]', '"k3"', '"x"', '7', '{"k3": 3}', '{"k3": 3, "k20": 20}', '{"x": 1}', '["k3", "x", null, ["k5"]]', '["k3", "k20"]', '{"k3": 4}', '{"k3": 3, "y": {}}',
                    '{"k1": 1, "k2": 2, "k3": 3}', '{"k1": 1, "k2": 2, "k3": 5}', '{"k1": 1, "k2": 2, "z": 3}']) t
UNION ALL SELECT bson_object_agg('k' || i, i), jsonb_object_agg('k' || i, i) FROM generate_series(1, 60) i
UNION ALL SELECT bson_object_agg('k' || i, i), jsonb_object_agg('k' || i, i) FROM generate_series(2, 14) i;
CREATE TEMP TABLE many AS
SELECT ARRAY(SELECT CASE WHEN i % 9 = 8 AND step = 2 THEN NULL ELSE 'k' || i * step END FROM generate_series(first, 40) i) AS keys,
       (SELECT bson_object_agg('k' || i * step, i * step) FROM generate_series(first, 40) i) AS b, (SELECT jsonb_object_agg('k' || i * step, i * step) FROM generate_series(first, 40) i) AS j
  FROM generate_series(1, 3) first, generate_series(1, 2) step
UNION ALL SELECT array_fill('k3'::text, ARRAY[20]), '{"k3": 3, "z": 1}', '{"k3": 3, "z": 1}' UNION ALL SELECT array_fill(NULL::text, ARRAY[20]), '{}', '{}';
SELECT count(*), count(*) FILTER (WHERE (few.b ?| keys) <> (few.j ?| keys)) AS any_key, count(*) FILTER (WHERE (few.b ?& keys) <> (few.j ?& keys)) AS all_keys,
       count(*) FILTER (WHERE (few.b @> many.b) <> (few.j @> many.j)) AS contains, count(*) FILTER (WHERE (few.b <@ many.b) <> (few.j <@ many.j)) AS contained,
       count(*) FILTER (WHERE few.j ?| keys) AS some, count(*) FILTER (WHERE few.j ?& keys) AS have_all, count(*) FILTER (WHERE few.j @> many.j) AS containing, count(*) FILTER (WHERE few.j <@ many.j) AS within
  FROM few, many;
DO $$
DECLARE
    m record;
    wrong int;
BEGIN
    FOR m IN SELECT * FROM many LOOP
        EXECUTE format('SELECT count(*) FROM few WHERE (b ?| %1$L::text[]) <> (j ?| %1$L::text[]) OR (b ?& %1$L::text[]) <> (j ?& %1$L::text[]) OR (b @> %2$L::bson) <> (j @> %2$L::jsonb) OR (b <@ %2$L::bson) <> (j <@ %2$L::jsonb)',
                       m.keys, m.j) INTO wrong;
        IF wrong > 0 THEN
            RAISE 'another answer in % rows for %', wrong, m.keys;
        END IF;
    END LOOP;
END $$;
-- of repeated keys the first counts, on whichever side many fields are: {"k1": 1, "k1": 2, "k2": 2} and so on to k12, and a few of them
CREATE FUNCTION pg_temp.doc(VARIADIC fields int[]) RETURNS bson LANGUAGE sql AS $$
    SELECT ('\x' || encode(int4send(((length(e) / 2 + 5) % 256 << 24) + ((length(e) / 2 + 5) / 256 << 16)), 'hex') || e || '00')::bson
    FROM (SELECT string_agg('106b' || encode(convert_to((f / 100)::text, 'UTF8'), 'hex') || '00' || lpad(to_hex(f % 100), 2, '0') || '000000', '' ORDER BY n) FROM unnest(fields) WITH ORDINALITY u(f, n)) s(e) $$;
WITH m(many) AS (SELECT pg_temp.doc(VARIADIC ARRAY[101, 102] || ARRAY(SELECT i * 101 FROM generate_series(2, 12) i) || ARRAY[303, 199]))
SELECT pg_temp.doc(101, 102, 101) AS few, many @> pg_temp.doc(202, 101) AS first_, many @> pg_temp.doc(202, 102) AS second, many @> pg_temp.doc(202, 101, 177) AS another, many @> pg_temp.doc(101, 303, 101, 399, 404) AS rest,
       pg_temp.doc(101, 202, 102) @> many AS fewer, pg_temp.doc(VARIADIC ARRAY(SELECT i * 101 FROM generate_series(12, 1, -1) i)) @> many AS backwards, many @> many AS itself,
       pg_temp.doc(VARIADIC ARRAY(SELECT i * 101 FROM generate_series(12, 1, -1) i) || 102) @> many AS repeated, pg_temp.doc(VARIADIC 102 || ARRAY(SELECT i * 101 FROM generate_series(12, 1, -1) i)) @> many AS repeated_first
  FROM m;
DO $$
DECLARE
    many bson := pg_temp.doc(VARIADIC ARRAY[101, 102] || ARRAY(SELECT i * 101 FROM generate_series(2, 12) i) || ARRAY[303, 199]);
    answers bool[];
BEGIN
    EXECUTE format('SELECT array_agg(d <@ %L ORDER BY n) FROM unnest($1) WITH ORDINALITY u(d, n)', many) INTO answers
        USING ARRAY[pg_temp.doc(202, 101), pg_temp.doc(202, 102), pg_temp.doc(202, 101, 177), pg_temp.doc(101, 303, 101, 399, 404), many, '{}', '[]', '7', pg_temp.doc(101, 606, 1301)];
    RAISE NOTICE '%', answers;
END $$;
-- the part is toasted and the whole is not, and the other way round
SELECT count(*), count(*) FILTER (WHERE (few.b @> outside) <> (few.j @> l.j)) AS outside, count(*) FILTER (WHERE (compressed <@ few.b) <> (l.j <@ few.j)) AS compressed, count(*) FILTER (WHERE (compressed @> few.b) <> (l.j @> few.j)) AS whole
  FROM few, (SELECT * FROM long_keys WHERE n BETWEEN 1 AND 6) l;
DO $$
DECLARE
    l record;
    wrong int;
BEGIN
    FOR l IN SELECT * FROM long_keys WHERE n BETWEEN 2 AND 5 LOOP
        EXECUTE format('SELECT count(*) FROM long_keys WHERE n < 10 AND ((outside <@ %1$L::bson) <> (j <@ %1$L::jsonb) OR (%1$L::bson @> compressed) <> (%1$L::jsonb @> j))', l.j) INTO wrong;
        IF wrong > 0 THEN
            RAISE 'another answer in % rows for %', wrong, l.n;
        END IF;
    END LOOP;
END $$;

-- a parameter is kept from call to call, and noticed when it is another one: in a generic plan, in PL/pgSQL, in a join
SET plan_cache_mode = force_generic_plan;
CREATE TEMP TABLE held AS SELECT i, bson_build_object('a', i % 7, 'b', bson_build_object('c', i % 5), 'l', repeat('x', CASE WHEN i % 3 = 0 THEN 5000 ELSE 5 END)) AS d FROM generate_series(1, 300) AS i;
PREPARE held(bson) AS SELECT count(*) FILTER (WHERE d @> $1) AS contains, count(*) FILTER (WHERE $1 <@ d) AS contained, count(*) FILTER (WHERE $1 @> (d - 'l')) AS whole FROM held;
EXECUTE held('{"a": 3}');
EXECUTE held('{"a": 3, "b": {"c": 3}}');
EXECUTE held('{"b": {"c": 9}}');
EXECUTE held('[1]');
EXECUTE held(bson_build_object('l', repeat('x', 5000)));
DO $$
DECLARE
    wanted bson;
    doc bson := '{"a": 3, "b": {"c": 3}}';
    found int := 0;
BEGIN
    -- the same for a while, then another one at each turn, of the same length and of others
    FOR i IN 1 .. 400 LOOP
        wanted := bson_build_object('a', CASE WHEN i <= 100 THEN i / 10 ELSE i % 7 END) || CASE WHEN i % 50 = 0 THEN '{"zzz": 1}' ELSE '{}' END::bson;
        IF (doc @> wanted) <> (doc::jsonb @> wanted::jsonb) OR (wanted <@ doc) <> (wanted::jsonb <@ doc::jsonb) THEN
            RAISE WARNING 'wrong at %: %', i, wanted;
        END IF;
        found := found + (doc @> wanted)::int;
    END LOOP;
    RAISE NOTICE '% found', found;
END $$;
SET enable_hashjoin = off; SET enable_mergejoin = off;
SELECT count(*) FROM held, (SELECT DISTINCT d - 'l' AS part FROM held) AS p WHERE d @> part;
SELECT count(*) FROM held WHERE d @> (SELECT d - 'l' FROM held WHERE i = 8);
SELECT i, (SELECT count(*) FROM held AS h WHERE h.d @> (o.d - 'l')) AS n FROM held AS o WHERE i < 4 ORDER BY i;
RESET enable_hashjoin; RESET enable_mergejoin; RESET plan_cache_mode;
-- documents in documents: each pair of fields is compared once, not twice a level, which would never end.  {"a": {"a": ..., "b": 1}, "b": 1} and {"a": {"a": ..., "b": 1, "a": 1, "b": 1}, "b": 1, "a": 1, "b": 1}
CREATE FUNCTION pg_temp.nested(levels int, fields text) RETURNS bson LANGUAGE plpgsql AS $$
DECLARE
    inner_ text := '106100' || '01000000';
    body text;
BEGIN
    FOR i IN 1 .. levels LOOP
        body := inner_ || fields || '00';
        inner_ := '036100' || encode(int4send(((length(body) / 2 + 4) % 256 << 24) + ((length(body) / 2 + 4) / 256 << 16)), 'hex') || body;
    END LOOP;
    RETURN ('\x' || substr(inner_, 7))::bson;
END $$;
SET statement_timeout = '60s';
SELECT doc @> part AS contains, part <@ doc AS contained, bson_contains(doc, part) AS function
  FROM (VALUES (pg_temp.nested(200, '10620001000000'), pg_temp.nested(200, '10620001000000' || '10610001000000' || '10620001000000'))) AS v(doc, part);
RESET statement_timeout;
-- arrays in arrays, of which the first element already is not there: that takes as many comparisons as there are elements, not as there are pairs, 10^9
CREATE FUNCTION pg_temp.arrays(size int, levels int, leaf text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. levels LOOP
        leaf := '[' || array_to_string(array_fill(leaf, ARRAY[size]), ',') || ']';
    END LOOP;
    RETURN leaf;
END $$;
SET statement_timeout = '60s';
SELECT d::bson @> missing::bson AS missing, d::jsonb @> missing::jsonb AS jsonb_says, d::bson @> part::bson AS part, d::jsonb @> part::jsonb AS jsonb_says_part, d::bson @> d::bson AS itself
  FROM (VALUES (pg_temp.arrays(9, 5, '[1, {"a": 1}]'), pg_temp.arrays(9, 5, '[1, {"a": 2}]'), pg_temp.arrays(9, 5, '[1, {}]')),
               (pg_temp.arrays(3, 9, '{"a": [2]}'), pg_temp.arrays(3, 9, '{"a": [1]}'), pg_temp.arrays(3, 9, '{"a": []}'))) AS v(d, missing, part);
RESET statement_timeout;
-- keys of a column that are few, some and many, beside documents of few, some and many: as jsonb answers, wherever the first is that is not there, or is
WITH docs AS (
  SELECT bson_object_agg('k' || i, i) AS b, jsonb_object_agg('k' || i, i) AS j, bson_agg('k' || i) AS bl, jsonb_agg('k' || i) AS jl FROM (VALUES (2), (40), (700)) v(fields), generate_series(1, fields) i GROUP BY fields),
keys AS (
  SELECT ARRAY(SELECT CASE WHEN i = other THEN other_key WHEN i % 7 = 0 THEN NULL ELSE key || i END FROM generate_series(1, n) i) AS keys
    FROM (VALUES (1), (8), (9), (64), (65), (400), (700)) v(n), (VALUES (1), (8), (9), (64), (65), (264), (266), (400), (699), (5000)) o(other), (VALUES ('k', 'x1'), ('x', 'k2'), ('x', 'k30')) k(key, other_key))
SELECT count(*), count(*) FILTER (WHERE (b ?| keys) <> (j ?| keys)) AS any_key, count(*) FILTER (WHERE (b ?& keys) <> (j ?& keys)) AS all_keys,
       count(*) FILTER (WHERE (bl ?| keys) <> (jl ?| keys)) AS any_string, count(*) FILTER (WHERE (bl ?& keys) <> (jl ?& keys)) AS all_strings,
       count(*) FILTER (WHERE (b - keys)::text::jsonb <> j - keys) AS deleted, count(*) FILTER (WHERE j ?| keys) AS some, count(*) FILTER (WHERE j ?& keys) AS have_all
  FROM docs, keys;
-- the smallest document that contains a constant of many fields is as large as their names; a field that is there twice counts once
SELECT left(d::text, 20) AS document, d @> '{"k1": null, "k2": null, "k3": null, "k4": null, "k5": null, "k6": null, "k7": null, "k8": null, "k9": null}' AS contains, '{"k1": null, "k2": null, "k3": null, "k4": null, "k5": null, "k6": null, "k7": null, "k8": null, "k9": null}' <@ d AS contained, d @> '\x350000000a6b31000a6b32000a6b33000a6b34000a6b35000a6b36000a6b37000a6b38000a6b39000a6b3100106b32000700000000'::bson AS twice
  FROM (VALUES ('{"k1": null, "k2": null, "k3": null, "k4": null, "k5": null, "k6": null, "k7": null, "k8": null, "k9": null}'::bson), ('{"k1": null, "k2": null, "k3": null, "k4": null, "k5": null, "k6": null, "k7": null, "k8": null, "k9": 1}'), ('{"k1": null}'), ('[]'), ('{}'), ('{"k1": null, "k2": null, "k3": null, "k4": null, "k5": null, "k6": null, "k7": null, "k8": null}'), (bson_build_object('x', repeat('x', 5000)))) AS v(d);
-- of a constant with many fields the first are looked up before the rest; and the smallest document that contains it has its numbers as int32
WITH docs(d) AS (VALUES
  ('{"k1": 1, "k2": 2, "k3": 3, "k4": {"a": 1}, "k5": [1, 2], "k6": "text", "k7": "symbol", "k8": {"$code": "f", "$scope": {"x": 1}}, "k9": null}'::bson),
  ('{"k9": null, "k8": {"$code": "f", "$scope": {"x": 1}}, "k7": "symbol", "k6": "text", "k5": [2, 1], "k4": {"a": 1}, "k3": 3, "k2": 2, "k1": 1}'),
  ('{"k1": 1, "k2": 2, "k3": 3, "k4": {"a": 1}, "k5": [1, 2], "k6": "text", "k7": "symbol", "k8": {"$code": "f", "$scope": {"x": 1}}, "k9": 9}'),
  ('{"k1": 1, "k2": 0, "k3": 3, "k4": {"a": 1}, "k5": [1, 2], "k6": "text", "k7": "symbol", "k8": {"$code": "f", "$scope": {"x": 1}}, "k9": null}'),
  ('{"k0": 1, "k2": 2, "k3": 3, "k4": {"a": 1}, "k5": [1, 2], "k6": "text", "k7": "symbol", "k8": {"$code": "f", "$scope": {"x": 1}}, "k9": null}'),
  ('[{"k1": 1}]'), ('1'), (bson_build_object('x', repeat('x', 5000)))),
parts(p) AS (VALUES
  ('{"k1": {"$numberLong": "1"}, "k2": {"$numberDouble": "2"}, "k3": {"$numberDecimal": "3"}, "k4": {}, "k5": [], "k6": "text", "k7": {"$symbol": "symbol"}, "k8": {"$code": "f", "$scope": {"x": {"$numberLong": "1"}}}, "k9": null}'::bson))
SELECT left(d::text, 12) AS document, length(bson_send(d)) < length(bson_send(p)) AS is_smaller, d @> p AS of_a_column,
       d @> '{"k1": {"$numberLong": "1"}, "k2": {"$numberDouble": "2"}, "k3": {"$numberDecimal": "3"}, "k4": {}, "k5": [], "k6": "text", "k7": {"$symbol": "symbol"}, "k8": {"$code": "f", "$scope": {"x": {"$numberLong": "1"}}}, "k9": null}' AS numbers_first,
       d @> '{"k5": [2], "k4": {"a": 1}, "k1": {"$numberLong": "1"}, "k2": {"$numberDouble": "2"}, "k3": {"$numberDecimal": "3"}, "k6": "text", "k7": {"$symbol": "symbol"}, "k8": {"$code": "f", "$scope": {"x": {"$numberLong": "1"}}}, "k9": null}' AS containers_first
  FROM docs, parts;
