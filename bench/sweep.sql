-- sweep.sql: documents of every shape, for bench/sweep; deterministic as those of data.sql.

-- Keys of mixed kinds: names as people give them up to fifteen, numbered ones beyond
CREATE FUNCTION bench.flat(seed int, keys int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT '{' || string_agg(concat('"', CASE WHEN keys <= 15
                                              THEN (ARRAY['id','name','email','age','country','score','active','city','created',
                                                          'visits','phone','status','language','balance','last'])[i]
                                              ELSE 'key' || lpad(i::text, 5, '0') END, '":',
                                    CASE i % 5 WHEN 1 THEN bench.number(seed || ':' || i, 1000000)::text
                                               WHEN 2 THEN '"' || left(md5(seed || ':' || i), 4 + bench.number(seed || 'l' || i, 12)) || '"'
                                               WHEN 3 THEN '"' || left(md5(seed || ':' || i), 10) || '"'
                                               WHEN 4 THEN bench.number(seed || ':' || i, 100)::text
                                               ELSE round(bench.number(seed || ':' || i, 100000) / 100.0, 2)::text END), ',' ORDER BY i) || '}'
      FROM generate_series(1, keys) AS i
    $$;

-- As bench.flat(seed, 15), but each document lacks a third of the keys, which is another one in each
CREATE FUNCTION bench.mixed(seed int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT json_object_agg(key, value ORDER BY i)::text
      FROM json_each(bench.flat(seed, 15)::json) WITH ORDINALITY AS e (key, value, i)
     WHERE i = 1 OR bench.number(seed || 'm' || i, 3) <> 1
    $$;

-- As bench.flat(seed, 15), but half of the values, others in each document, are null
CREATE FUNCTION bench.nullable(seed int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT json_object_agg(key, CASE WHEN bench.number(seed || 'n' || i, 2) = 1 THEN value END ORDER BY i)::text
      FROM json_each(bench.flat(seed, 15)::json) WITH ORDINALITY AS e (key, value, i)
    $$;

-- Documents of three kinds, with four keys in common
CREATE FUNCTION bench.kinds(seed int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT json_object_agg(CASE WHEN key IN ('id', 'name', 'status', 'created') THEN key ELSE (ARRAY['order', 'user', 'article'])[1 + kind] || '_' || key END,
                           value ORDER BY i)::text
      FROM (SELECT bench.number(seed || 'k', 3) AS kind) AS k,
           json_each(bench.flat(seed, 13)::json) WITH ORDINALITY AS e (key, value, i)
     WHERE key IN ('id', 'name', 'status', 'created') OR i % 4 <> kind
    $$;

-- An array of so many of one kind
CREATE FUNCTION bench.list(seed int, kind text, count int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT '[' || string_agg(CASE kind
        WHEN 'int' THEN bench.number(seed || ':' || i, 1000000)::text
        WHEN 'long' THEN (5000000000 + bench.number(seed || ':' || i, 100000000))::text
        WHEN 'double3' THEN round(bench.number(seed || ':' || i, 1000) / 10.0, 1)::text
        WHEN 'double9' THEN (bench.number(seed || ':' || i, 200000000) / 10 * 10 / 1000000.0 + 0.000007)::float8::text
        WHEN 'double17' THEN (('x' || left(md5(seed || ':' || i), 13))::bit(52)::bigint / 45035996273704.96::float8)::text
        WHEN 'bool' THEN (bench.number(seed || ':' || i, 2) = 1)::text
        WHEN 'string' THEN '"' || left(md5(seed || ':' || i), 6) || '"'
        WHEN 'text' THEN '"' || bench.prose(seed || ':' || i, 400) || '"'
        WHEN 'escaped' THEN '"a\n\"' || left(md5(seed || ':' || i), 12) || '\" \\ b\t"'
        WHEN 'unicode' THEN '"Žluťoučký кůň ' || left(md5(seed || ':' || i), 6) || ' 文書"'
        WHEN 'point' THEN concat('[', (bench.number(seed || 'x' || i, 100000000) / 300000.0)::float8, ',',
                                 (bench.number(seed || 'y' || i, 100000000) / 600000.0)::float8, ']')
        WHEN 'object' THEN concat('{"id":', i, ',"name":"', left(md5(seed || ':' || i), 8), '","price":',
                                  bench.number(seed || 'p' || i, 10000) / 100.0, '}')
        END, ',' ORDER BY i) || ']'
      FROM generate_series(1, count) AS i
    $$;

-- Documents in documents
CREATE FUNCTION bench.deep(seed int, levels int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT repeat('{"id":1,"a":', levels - 1) || '{"id":1,"a":' || seed || '}' || repeat('}', levels - 1) $$;

-- Six values of so many bytes before an integer
CREATE FUNCTION bench.gap(seed int, bytes int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT '{' || string_agg('"body' || i || '":"' || repeat(left(bench.prose(seed || ':' || i, 1000), 1000), bytes / 1000) || '"', ',' ORDER BY i)
           || ',"n":' || seed || ',"sub":{"text":"' || repeat(md5(seed::text), bytes / 32) || '","n":' || seed || '}}'
      FROM generate_series(1, 6) AS i
    $$;

-- A feature of GeoJSON: a polygon
CREATE FUNCTION bench.feature(seed int, points int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT concat('{"type":"Feature","id":', seed, ',"properties":{"name":"', left(md5(seed::text), 12), '","area":', seed * 1.5,
                  '},"geometry":{"type":"Polygon","coordinates":[', bench.list(seed, 'point', points), ']}}')
    $$;

-- A message of a social network
CREATE FUNCTION bench.message(seed int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT concat('{"created_at":"Sun Aug 31 00:29:15 +0000 2014","id":', 505874924095815681 + seed, ',"id_str":"', 505874924095815681 + seed,
                  '","text":"@user', seed % 77, ' ', bench.prose('m' || seed, 90), ' \u3042","truncated":false,"in_reply_to_status_id":null,"user":{"id":',
                  1186275104 + seed % 500, ',"name":"', left(md5('u' || seed % 500), 9), '","screen_name":"user', seed % 500,
                  '","location":"","description":"', bench.prose('d' || seed % 500, 80), '","url":null,"followers_count":', bench.number('f' || seed, 9999),
                  ',"friends_count":', bench.number('g' || seed, 999), ',"verified":false,"lang":"en"},"geo":null,"coordinates":null,"retweet_count":',
                  bench.number('r' || seed, 50), ',"entities":{"hashtags":[{"text":"', left(md5('h' || seed % 40), 5),
                  '","indices":[3,9]}],"urls":[],"user_mentions":[{"screen_name":"user', seed % 77, '","id":', 866260188 + seed % 77,
                  ',"indices":[0,9]}]},"favorited":false,"retweeted":false,"lang":"ja"}')
    $$;

-- An order of a shop: items in an array, prices with two decimals
CREATE FUNCTION bench.purchase(seed int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT concat('{"_id":"', left(md5('o' || seed), 24), '","customer":"customer', bench.number('c' || seed, 400), '","status":"',
                  (ARRAY['new','paid','sent','back'])[bench.number('s' || seed, 4)], '","paid":', (seed % 2 = 0)::text, ',"total":', bench.number('t' || seed, 50000) / 100.0,
                  ',"created":"2024-0', 1 + seed % 9, '-1', seed % 10, 'T12:30:00Z","shipping":{"street":"', bench.prose('a' || seed, 20), '","city":"city', bench.number('y' || seed, 50),
                  '"},"items":[', string_agg(concat('{"sku":"SKU-', bench.number(seed || 'k' || i, 700), '","qty":', bench.number(seed || 'q' || i, 9), ',"price":', bench.number(seed || 'p' || i, 9999) / 100.0,
                                                    ',"attributes":{"color":"', left(md5(seed || 'x' || i), 5), '","size":"M"}}'), ',' ORDER BY i), ']}')
      FROM generate_series(1, 1 + bench.number('n' || seed, 7)) AS i
    $$;

-- Keys of 40 bytes, of which 36 are the same
CREATE FUNCTION bench.prefixed(seed int, keys int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT '{' || string_agg(concat('"application.settings.feature.option_', lpad(i::text, 4, '0'), '":', bench.number(seed || ':' || i, 100000)), ',' ORDER BY i) || '}'
      FROM generate_series(1, keys) AS i
    $$;
