-- If this fails, arithmetic of jsonpath on numbers of few digits differs from that of numeric.
\a
CREATE TEMP TABLE fixed AS
  SELECT jsonb_build_object('a', trim_scale((i * 7919 % 100003 * (1 - i % 3))::numeric / (10 ^ (i % 8))::numeric), 'b', trim_scale((i * i % 9973)::numeric / (10 ^ (i % 5))::numeric),
                            'c', i::numeric * 1234567890123 * (10 ^ (i % 6))::numeric) AS j
  FROM generate_series(0, 600) AS i;
SELECT path, count(*), count(*) FILTER (WHERE jsonb_path_query_first(j, path::jsonpath)::numeric IS DISTINCT FROM bson_path_query_first(j::bson, path::jsonpath)::numeric) AS wrong
FROM fixed, unnest(ARRAY['$.a + $.b', '$.a - $.b', '$.a * $.b', '-$.a', '+$.a', '$.a.abs()', '-$.a.abs()', '$.a * 1.10', '1000000000000000000.5 - $.b', '$.b * 0.000000000001', '($.a + $.b) * $.a - 0.5',
                         '$.a * $.a * $.b', '$.c + $.a', '$.c * $.b', '$.a * $.c - $.c * $.a', '-$.c', '($.a + $.b).floor()', '($.a * $.b).ceiling()', '($.a - $.b).abs()', '$.a * 2.5e3',
                         '$.a / 3', '$.a / ($.b + 1)', '$.b / 7.25', '$.c / 7', '$.a / -7', '$.a / 0.0004', '$.b / 12345.678', '$.a / ($.c + 1)', '$.a / 3 * $.b', '1 / ($.b + 1)', '$.a / 6 + $.b / 6']) AS path
GROUP BY path ORDER BY path COLLATE "C";
SELECT path, count(*), count(*) FILTER (WHERE j @@ path::jsonpath IS DISTINCT FROM j::bson @@ path::jsonpath) AS wrong
FROM fixed, unnest(ARRAY['$.a * $.b > $.a + 1.5', '$.a + $.b == $.b + $.a', '$.a * 2 <= $.b', '$.a - $.b < 0.05', '$.a + 0 == $.a', '-$.a < $.b', '$.c * 2 > $.a * $.b', '$.a * $.b == $.b * $.a * 1.00', '$.a.abs() != $.a',
                         '$.a + 0.00000000000000000001 > $.a', '$.a <= $.a - 0.00000000000000000001', '$.a / 7 * 7 < $.a', '$.b / 3 * 3 == $.b', '$.c * 1000.001 / 1000.001 >= $.c']) AS path
GROUP BY path ORDER BY path COLLATE "C";

-- the type of the result, decimals that are shown, numbers that do not fit
SELECT d, path, bson_typeof(r), r FROM (VALUES
  ('{"a": 0.1, "b": 0.2}'::bson, '$.a + $.b'), ('{"a": 0.1, "b": 0.2}', '$.a + $.b == 0.3'), ('{"a": 2.5}', '$.a * 2'), ('{"a": 2.5}', '$.a - 2.5'), ('{"a": -0.0}', '-$.a'), ('{"a": -0.0}', '$.a * 1.5'),
  ('{"a": 7}', '$.a * 1.5'), ('{"a": 8}', '$.a * 1.5'), ('{"a": 8}', '$.a * 1.50 + $.a'), ('{"a": 7}', '-$.a'), ('{"a": {"$numberLong": "7"}}', '-$.a'), ('{"a": -2147483648}', '-$.a'), ('{"a": -9223372036854775808}', '-$.a'), ('{"a": -9223372036854775808}', '$.a.abs()'),
  ('{"a": 9223372036854775807}', '$.a + 0.5'), ('{"a": 9223372036854775807}', '$.a * 1.5'), ('{"a": 123456789.125}', '$.a * 123456789.125'), ('{"a": 999999.999999}', '$.a * 999999999.999'), ('{"a": 1e300}', '$.a * 2'), ('{"a": 1e-7}', '$.a * 3'), ('{"a": 0.1234567890123456}', '$.a * 2'),
  ('{"a": 731.5, "b": {"$numberDecimal": "1.10"}}', '$.a * 2 * $.b'), ('{"a": 731.5, "b": {"$numberDecimal": "1463.00"}}', '$.a * 2 == $.b'), ('{"a": 731.55, "b": {"$numberDecimal": "731.650"}}', '$.a + 0.1 == $.b'), ('{"a": 0.5, "b": {"$numberDecimal": "1E+6000"}}', '$.a + $.a < $.b'),
  ('{"a": {"$numberDouble": "NaN"}}', '$.a + 1.5'), ('{"a": {"$numberDouble": "-Infinity"}}', '-$.a'), ('{"a": [10, 20, 30]}', '$.a[0.5 + 0.6]'), ('{"a": 1.5}', '($.a + 0.10).type()'), ('{"a": [0.5, 1.25]}', '-$.a'), ('{"a": [0.5, 1.25]}', '$.a ? (@ * 2 == 2.5)'),
  ('{"a": 0.5}', '$.a * 0.000000000000000001'), ('{"a": 0.25}', '$.a + 1.0000000000000000000000001'), ('{"a": 0.5}', '($.a * 4).double()'), ('{"a": 4.5}', '$.a + "x"'), ('{"a": 4.5}', '$.b * $.a'),
  ('{"a": 19.25}', '$.a / 3'), ('{"a": 103.11}', '$.a / 3'), ('{"a": 9}', '$.a / 3'), ('{"a": 10}', '$.a / 4'), ('{"a": 0.0}', '$.a / 3'), ('{"a": 1}', '$.a / 3'), ('{"a": -9223372036854775808}', '$.a / -1'),
  ('{"a": 9999}', '$.a / 3'), ('{"a": 19.25}', '$.a / 0'), ('{"a": 1.5}', '$.a / 3 == 0.5'), ('{"a": -922337203685477.5}', '$.a - 0.0808'), ('{"a": 2}', '$.a / 3 == 0.6666666666666667'), ('{"a": 2}', '($.a / 3).type()'), ('{"a": 500000000000000000}', '$.a / 0.5')) AS v(d, path), LATERAL (SELECT bson_path_query_first(d, path::jsonpath, silent => true) AS r) AS q;
\a
