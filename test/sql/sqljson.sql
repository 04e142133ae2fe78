-- If this failed, JSON_TABLE, JSON_VALUE and SQL's other JSON functions would not accept a bson directly.
SELECT current_setting('server_version_num')::int < 170000 AS no_sqljson \gset
\if :no_sqljson
\quit
\endif
SET timezone = 'UTC';
CREATE TABLE purchase (id int, data bson);
INSERT INTO purchase VALUES
    (1, '{"_id": {"$oid": "56e1fc72e0c917e9c4714161"}, "who": "Ada", "at": {"$date": "2024-01-02T03:04:05.678Z"}, "n": {"$numberLong": "5"},
          "total": {"$numberDecimal": "31.25"}, "items": [{"name": "pen", "price": 1.25, "tags": ["a", "b"]}, {"name": "lamp", "price": 30}]}'),
    (2, '{"who": "Bob", "n": 4968387550, "items": [], "b": {"$binary": {"base64": "AQID", "subType": "00"}}}'),
    (3, '[1, {"who": "Eve"}]'), (4, '5'), (5, NULL);

-- a document's elements as rows: no cast to jsonb is needed
SELECT id, item.*
FROM purchase, JSON_TABLE(data, '$.items[*]' COLUMNS (
    nr FOR ORDINALITY, name text, price numeric, tags jsonb, tag_count int PATH '$.tags.size()' DEFAULT 0 ON EMPTY,
    NESTED PATH '$.tags[*]' COLUMNS (tag text PATH '$'))) AS item
ORDER BY id, nr, tag;

-- values without JSON syntax arrive as relaxed Extended JSON; numbers arrive as numbers
SELECT id, t.*
FROM purchase, JSON_TABLE(data, '$' COLUMNS (
    oid text PATH '$._id."$oid"', at timestamptz PATH '$.at."$date"', total numeric PATH '$.total', n bigint PATH '$.n',
    has_b boolean EXISTS PATH '$.b')) AS t
ORDER BY id;

-- of a subscript or accessor, too, and joined with other things
SELECT id, name FROM purchase, JSON_TABLE(data -> 'items', '$[*]' COLUMNS (name text)) AS t ORDER BY id, name;
SELECT id, JSON_VALUE(data['items'][0], '$.name') AS name FROM purchase WHERE JSON_EXISTS(data, '$.items[*] ? (@.price > 10)');

SELECT id, JSON_VALUE(data, '$.who') AS who, JSON_VALUE(data, '$.n' RETURNING bigint) AS n, JSON_VALUE(data, '$.x' DEFAULT 'none' ON EMPTY) AS x,
       JSON_EXISTS(data, '$.items[*] ? (@.price > 10)') AS dear
FROM purchase WHERE data IS NOT NULL ORDER BY id;
SELECT JSON_VALUE(data, '$.items' ERROR ON ERROR) FROM purchase WHERE id = 1;  -- ERROR, not a scalar
SELECT JSON_VALUE(data, '$.at' RETURNING timestamptz ERROR ON ERROR) FROM purchase WHERE id = 1;  -- ERROR, an object in JSON

-- and back to bson: Extended JSON is read again, so a date is a date again
SELECT id, JSON_QUERY(data, '$.items[*].name' WITH WRAPPER) AS names, JSON_QUERY(data, '$.at' RETURNING bson) AS at,
       bson_typeof(JSON_QUERY(data, '$.at' RETURNING bson)) AS type
FROM purchase ORDER BY id;

-- where the server takes JSON_VALUE, which a column of JSON_TABLE of this type is unless it says more, the text of a scalar is read
CREATE TABLE kind (data bson);
INSERT INTO kind VALUES ('{"d": {"a": 1}, "l": [1], "at": {"$date": "2024-01-02T03:04:05.678Z"}, "s": "Ada", "five": "5", "n": 5, "b": true}');
SELECT key, JSON_VALUE(data, path RETURNING bson) AS value, JSON_QUERY(data, path RETURNING bson) AS query
FROM kind, unnest(ARRAY['d', 'l', 'at', 's', 'five', 'n', 'b']) AS key, CAST('$.' || key AS jsonpath) AS path;
SELECT t.* FROM kind, JSON_TABLE(data, '$' COLUMNS (d bson, at bson, s bson, n bson, q bson PATH '$.d' WITHOUT WRAPPER, r bson PATH '$.at' WITHOUT WRAPPER, k bson PATH '$.s' KEEP QUOTES)) AS t;
SELECT JSON_VALUE(data, '$.s' RETURNING bson ERROR ON ERROR) FROM kind;  -- ERROR
SELECT JSON_VALUE(data, '$.d' RETURNING bson ERROR ON ERROR) FROM kind;  -- ERROR
DROP TABLE kind;

-- a bson becomes JSON with its structure, and not a quoted string
SELECT JSON_OBJECT('d': data, 'n': data -> 'n' RETURNING jsonb) FROM purchase WHERE id IN (2, 4) ORDER BY id;
SELECT JSON_ARRAY(data -> 'who', data -> 'n') FROM purchase WHERE id = 1;
SELECT JSON_ARRAYAGG(data -> 'items' ORDER BY id RETURNING jsonb) FROM purchase;
SELECT JSON_OBJECTAGG(data ->> 'who': data -> 'n' RETURNING jsonb) FROM purchase WHERE id < 3;
DROP TABLE purchase;
