-- If this fails, #> #>> and the path forms of -#> -&> find wrong values.
CREATE TEMP TABLE doc (d bson);
INSERT INTO doc VALUES ('{"a": {"b": [1, {"c": true, "n": 5}, "x", null]}, "5": {"0": "zero"}, "list": [[1, 2], [3, [4]]], "a.b": 7, "": {"": 0}}');

SELECT p, d #> p AS bson, d #>> p AS text, d -#> p AS int4, d -&> p AS bool
  FROM doc, (VALUES
    (1, '{a,b,0}'::text[]), (2, '{a,b,1,c}'), (3, '{a,b,1,n}'), (4, '{a,b,2}'), (5, '{a,b,3}'), (6, '{a,b,-1}'), (7, '{a,b,-4}'), (8, '{a,b,-5}'),
    (9, '{a,b,4}'), (10, '{5,0}'), (11, '{list,1,1,0}'), (12, '{a.b}'), (13, '{"",""}'), (14, '{a,missing}'), (15, '{a,b,c}'), (16, '{a,b,0,x}'),
    (17, '{a,b,1x}'), (18, '{a,b," 1"}'), (19, '{a,b,+1}'), (20, '{a,b,01}'), (21, '{a,b,99999999999}'), (22, '{a,b,-2147483648}'), (23, '{a,b,""}'),
    (24, '{a,NULL}'), (25, NULL)) AS v(o, p) ORDER BY o;

-- an empty path gives the whole value
SELECT (d #> '{}')::bytea = d::bytea AS whole, '5'::bson #>> '{}' AS scalar, '5'::bson -#> '{}'::text[] AS int4, 'true'::bson -&> '{}'::text[] AS bool FROM doc;

-- the function forms
SELECT bson_extract_path(d, 'a', 'b', '1'), bson_extract_path_text(d, 'list', '0', '1'), bson_extract_path(d, VARIADIC '{a,b}') FROM doc;
SELECT bson_extract_path_int4(d, 'a', 'b', '0'), bson_extract_path_bool(d, 'a', 'b', '1', 'c') FROM doc;

-- a path is one-dimensional
SELECT d #> '{{a},{b}}' FROM doc;  -- ERROR
