-- If this fails, an item method for strings, which came with PostgreSQL 19, gives another result than the SQL function of
-- its name.
SELECT current_setting('server_version_num')::int < 190000 AS too_old \gset
\if :too_old
\quit
\endif

-- case
SELECT bson_path_query('"hI thoMAS o''neil 2nd"', path) FROM unnest('{$.lower(),$.upper(),$.initcap()}'::jsonpath[]) AS path;
SELECT bson_path_query('""', path) FROM unnest('{$.lower(),$.upper(),$.initcap()}'::jsonpath[]) AS path;

-- ltrim(), rtrim() and btrim() take spaces, or the characters they are given
SELECT bson_path_query('"  \t a b  "', path) FROM unnest('{$.ltrim(),$.rtrim(),$.btrim()}'::jsonpath[]) AS path;
SELECT bson_path_query('"xyzzy test zyx"', path) FROM unnest(ARRAY['$.ltrim("zxy")', '$.rtrim("zxy")', '$.btrim("zxy")']::jsonpath[]) AS path;
SELECT bson_path_query('" a "', '$.btrim("")');
SELECT bson_path_query('"\u00e9\u00e8a\u00e8\u00e9"', '$.btrim("\u00e9\u00e8")'), bson_path_query('"\u00c3a\u00e9"', '$.btrim("\u00a9\u00c3")') = '"a\u00e9"' AS not_within_a_character;
SELECT bson_path_query('"aaa"', path) FROM unnest(ARRAY['$.ltrim("a")', '$.rtrim("a")', '$.btrim("a")']::jsonpath[]) AS path;

-- replace()
SELECT bson_path_query('"abcdefabcdef"', '$.replace("cd", "XYZ")');
SELECT bson_path_query('"aaaa"', '$.replace("aa", "a")');
SELECT bson_path_query('"abc"', '$.replace("", "x")');
SELECT bson_path_query('"abc"', '$.replace("b", "")');
SELECT bson_path_query('""', '$.replace("b", "x")');

-- split_part() counts from one, or from the end
SELECT n, bson_path_query('"a,b,,d"', format('$.split_part(",", %s)', n)::jsonpath) FROM generate_series(-5, 5) AS n WHERE n <> 0;
SELECT n, bson_path_query('"abc"', format('$.split_part("", %s)', n)::jsonpath) FROM unnest('{1,2,-1,-2}'::int[]) AS n;
SELECT n, bson_path_query('"aaa"', format('$.split_part("aa", %s)', n)::jsonpath) FROM unnest('{1,2,3,-1,-2,-3,2147483647,-2147483648}'::bigint[]) AS n;
SELECT bson_path_query('"abc"', '$.split_part(",", 0)');  -- ERROR
SELECT bson_path_query('"abc"', '$.split_part(",", 2147483648)');  -- ERROR

-- the result is a string like any other
SELECT bson_path_query('{"a": ["  One", "TWO ", "3"]}', '$.a.btrim().lower() ? (@ starts with "t")');
SELECT bson_path_query('"2023-08-15"', '$.split_part("-", 2).integer() + 1');
SELECT '{"tags": ["PostgreSQL", "bson"]}'::bson @? '$.tags[*] ? (@.upper() == "POSTGRESQL")' AS found;
SELECT '{"tags": ["PostgreSQL", "bson"]}'::bson @? '$.tags[*] ? (@.upper() == "PostgreSQL")' AS found;

-- a symbol is a string; others are not, and arrays are opened in lax mode only
SELECT bson_path_query('{"$symbol": "Sym"}', '$.upper()');
SELECT bson_path_query('5', '$.upper()');  -- ERROR
SELECT bson_path_query('null', '$.btrim("x")');  -- ERROR
SELECT bson_path_query('{"$oid": "507f1f77bcf86cd799439011"}', '$.replace("5", "6")');  -- ERROR
SELECT bson_path_query('["a"]', 'strict $.split_part(",", 1)');  -- ERROR
SELECT bson_path_query('{"$oid": "507f1f77bcf86cd799439011"}', '$.string().replace("5", "6")');
SELECT bson_path_query_array('["a", 5, "b"]', '$[*].upper()', silent => true);
SELECT bson_path_query('["a", 5, "B", null]', '$[*] ? (@.lower() == "b")');

-- U+0000 is a character
SELECT bson_path_query('"a\u0000b,c\u0000"', '$.split_part(",", -1)'), bson_path_query('"a\u0000a"', '$.replace("a", "b")'), bson_path_query('" \u0000 "', '$.btrim()');
SELECT bson_path_query('"a\u0000b"', '$.lower()');  -- ERROR, cannot be handed to the locale
SELECT bson_path_query('["a\u0000b", "C"]', '$[*] ? (@.lower() == "c")');

-- an index of bson_ops finds what the filter finds
CREATE TEMP TABLE tagged AS SELECT format('{"n": %s, "tag": "%s"}', i, CASE WHEN i % 100 = 0 THEN ' Rare ' ELSE 'common' END)::bson AS d FROM generate_series(1, 1000) AS i;
CREATE INDEX ON tagged USING gin (d);
ANALYZE tagged;
SET enable_seqscan = off;
SELECT count(*) FROM tagged WHERE d @? '$.tag ? (@.btrim().lower() == "rare")';
SELECT count(*) FROM tagged WHERE d @@ '$.tag.upper() == "COMMON"';
RESET enable_seqscan;
