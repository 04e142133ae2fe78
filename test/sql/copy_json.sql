-- If this fails, COPY TO in PostgreSQL 19's format json writes a bson as a string instead of JSON.
SELECT current_setting('server_version_num')::int < 190000 AS too_old \gset
\if :too_old
\quit
\endif
CREATE TEMP TABLE export (id int, d bson, list bson[]);
INSERT INTO export VALUES
  (1, '{"a": {"$numberLong": "5"}, "at": {"$date": "2022-03-03T12:13:14.789Z"}, "s": "q\"\\\n"}', '{1,"\"x\""}'),
  (2, NULL, NULL), (3, '{}', '{}');
COPY export TO STDOUT (FORMAT json);
COPY (SELECT d FROM export ORDER BY id) TO STDOUT (FORMAT json, FORCE_ARRAY);
