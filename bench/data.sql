-- data.sql: deterministic documents for the demo and the benchmarks.
--
-- Every value follows from a seed by md5, so the same call gives the same bytes
-- on every machine and version of PostgreSQL; random() would not.  The results
-- are text: cast it to json, jsonb or bson.

\set ON_ERROR_STOP on
SET client_min_messages = warning;

DROP SCHEMA IF EXISTS bench CASCADE;
CREATE SCHEMA bench;

-- The record of the paper's Figure 2 with this many friends: its fields, in its
-- order, phone numbers beyond 2^31.
CREATE FUNCTION bench.figure2(seed int, friends int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT '{"user":' || max(person) FILTER (WHERE i = 0)
           || ',"friends":[' || coalesce(string_agg(person, ',' ORDER BY i) FILTER (WHERE i > 0), '') || ']}'
      FROM (
        SELECT i, concat(
            '{"name":"', (ARRAY['Ada','Alan','Barbara','Claude','Donald','Edgar','Frances','Grace',
                                'Hedy','Ivan','Jim','Katherine','Leslie','Margaret','Niklaus','Radia'])
                         [1 + get_byte(b, 0) % 16],
            '","lastname":"', (ARRAY['Allen','Backus','Codd','Dijkstra','Engelbart','Floyd','Gray','Hamilton',
                                     'Hopper','Johnson','Knuth','Lamport','Liskov','Perlman','Stonebraker','Wirth'])
                              [1 + get_byte(b, 1) % 16],
            '","age":', 15 + get_byte(b, 2) % 70,
            ',"country":"', (ARRAY['Argentina','Brazil','Canada','Denmark','Estonia','France','Germany','Hungary',
                                   'India','Japan','Kenya','Latvia','Mexico','Norway','Portugal','Spain'])
                            [1 + get_byte(b, 3) % 16],
            '","birth_year":', 1930 + get_byte(b, 4) % 80,
            ',"birth_month":', 1 + get_byte(b, 5) % 12,
            ',"birth_day":', 1 + get_byte(b, 6) % 28,
            ',"phones":[', 2200000000 + get_byte(b, 7) * 16777216::bigint + get_byte(b, 8) * 65536 + get_byte(b, 9),
            ',', 2200000000 + get_byte(b, 10) * 16777216::bigint + get_byte(b, 11) * 65536 + get_byte(b, 12),
            '],"address":"', 1 + get_byte(b, 13), ' ',
            (ARRAY['Church Street','College Street','Elm Street','Hillhouse Avenue',
                   'Prospect Street','Temple Street','Trumbull Street','Whitney Avenue'])
            [1 + get_byte(b, 14) % 8],
            '","registered":', CASE WHEN get_byte(b, 15) % 2 = 1 THEN 'true' ELSE 'false' END,
            ',"new":', CASE WHEN get_byte(b, 15) / 2 % 2 = 1 THEN 'true' ELSE 'false' END,
            '}') AS person
          -- OFFSET 0 keeps the hash from being computed once per use
          FROM (SELECT i, decode(md5(seed || ':' || i), 'hex') AS b
                  FROM generate_series(0, friends) AS i OFFSET 0) AS seeded
      ) AS people
    $$;

-- A whole number below "below", from a seed
CREATE FUNCTION bench.number(seed text, below int) RETURNS int
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT (('x' || left(md5(seed), 7))::bit(28)::int % below) $$;

-- Words up to exactly this many characters, from a seed: they compress as prose does
CREATE FUNCTION bench.prose(seed text, length int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT rpad(left(string_agg((ARRAY['the','of','and','document','a','in','value','to','that','which','server','is',
                                       'was','for','key','by','with','stored','query','as','field','not','from','be',
                                       'length','on','are','index','table','at','this','reads'])
                                [1 + get_byte(b, i % 16) % 32], ' ' ORDER BY block, i), length), length, '.')
      FROM (SELECT block, decode(md5(seed || '/' || block), 'hex') AS b
              FROM generate_series(0, length / 48) AS block OFFSET 0) AS seeded,
           generate_series(0, 15) AS i
    $$;

-- The paper's Figure 6: this many keys of one kind: int, bool or string (10 characters)
CREATE FUNCTION bench.same_kind(seed int, kind text, keys int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT '{' || string_agg('"key' || lpad(i::text, 4, '0') || '":' ||
                             CASE kind WHEN 'int' THEN bench.number(seed || ':' || i, 268435456)::text
                                       WHEN 'bool' THEN (bench.number(seed || ':' || i, 2) = 1)::text
                                       ELSE '"' || left(md5(seed || ':' || i), 10) || '"' END, ',' ORDER BY i) || '}'
      FROM generate_series(0, keys - 1) AS i
    $$;

-- An array of so many doubles with up to 17 digits
CREATE FUNCTION bench.doubles(seed int, count int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT '[' || string_agg((('x' || left(md5(seed || ':' || i), 13))::bit(52)::bigint / 45035996273704.96::float8)::text,
                             ',' ORDER BY i) || ']'
      FROM generate_series(1, count) AS i
    $$;

-- 183 top-level keys, 175 of them numeric
CREATE FUNCTION bench.wide(seed int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT '{' || string_agg('"attribute_' || lpad(i::text, 3, '0') || '":' ||
                             CASE WHEN i % 23 = 22 OR i = 1 THEN '"' || bench.prose(seed || ':' || i, 20) || '"'
                                  WHEN i % 4 = 0 THEN round(bench.number(seed || ':' || i, 10000000) / 100.0, 2)::text
                                  ELSE bench.number(seed || ':' || i, 1000000)::text END, ',' ORDER BY i) || '}'
      FROM generate_series(1, 183) AS i
    $$;

-- A small document, stored inline and uncompressed
CREATE FUNCTION bench.small(seed int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT concat('{"name":"user ', seed, '","age":', 15 + bench.number('age' || seed, 70),
                  ',"country":"', (ARRAY['Brazil','Canada','Denmark','France','India','Japan','Kenya','Norway'])
                                  [1 + bench.number('country' || seed, 8)],
                  '","score":', bench.number('score' || seed, 1000000) / 100.0::float8 + 0.001,
                  ',"active":', (seed % 2 = 0)::text, ',"tags":["', left(md5('t' || seed), 2), '","', left(md5('u' || seed), 2),
                  '"],"address":{"street":"', 1 + bench.number('street' || seed, 255), ' Elm Street","zip":',
                  10000 + bench.number('zip' || seed, 80000), '},"visits":', bench.number('visits' || seed, 1000), '}')
    $$;

-- A blog with its posts and their comments
CREATE FUNCTION bench.blog(seed int, posts int, comments int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT concat('{"id":', seed, ',"title":"Blog ', seed, '","author":"author', seed % 50, '@example.org","rating":',
                  bench.number('rating' || seed, 100), ',"posts":[', string_agg(post, ',' ORDER BY p), ']}')
      FROM (SELECT p, concat('{"id":', p, ',"title":"', bench.prose(seed || ' title ' || p, 30),
                             '","text":"', bench.prose(seed || ' text ' || p, 300), '","comments":[',
                             string_agg(concat('{"id":', c, ',"author":"reader', bench.number(seed || ' ' || p || c, 1000),
                                               '","text":"', bench.prose(seed || ' comment ' || p || ' ' || c, 60),
                                               '","date":"2016-01-', lpad((1 + c % 28)::text, 2, '0'), '"}'), ',' ORDER BY c),
                             ']}') AS post
              FROM generate_series(1, posts) AS p, generate_series(1, comments) AS c
             GROUP BY p) AS made
    $$;

-- Documents in documents: this many levels in exactly this many bytes; {} for none
CREATE FUNCTION bench.nested(seed int, levels int, bytes int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT CASE WHEN levels = 0 THEN '{}'
                ELSE replace(frame, '@', bench.prose('nested' || seed, bytes - length(frame) + 1)) END
      FROM (SELECT string_agg(concat('{"level":', lpad(i::text, 2, '1'), ',"name":"', left(md5(seed || ':' || i), 16),
                                     '","valid":true,"child":'), '' ORDER BY i)
                   || '{"text":"@"}' || repeat('}', levels - 1) AS frame
              FROM generate_series(1, levels - 1) AS i) AS framed
    $$;

-- An event of a code forge, in the shape of the 2014 posts' GitHub archive
CREATE FUNCTION bench.event(seed int) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT concat('{"id":"', 2000000000 + seed, '","type":"',
                  (ARRAY['PushEvent','WatchEvent','IssuesEvent','ForkEvent','CreateEvent','PullRequestEvent',
                         'IssueCommentEvent','GollumEvent'])[1 + least(bench.number('type' || seed, 12), 7)],
                  '","public":true,"created_at":"2014-01-', lpad((1 + seed % 28)::text, 2, '0'), 'T12:00:00Z","actor":{"id":',
                  bench.number('actor' || seed, 5000), ',"login":"user', bench.number('actor' || seed, 5000),
                  '"},"repo":{"id":', bench.number('repo' || seed, 900), ',"name":"org/repo', bench.number('repo' || seed, 900),
                  '"},"url":"https://example.org/events/', seed, '","payload":{"push_id":', 300000000 + seed,
                  ',"size":', commits, ',"ref":"refs/heads/main","commits":[',
                  (SELECT string_agg(concat('{"sha":"', md5(seed || 'c' || c), left(md5(c || 'd' || seed), 8),
                                            '","author":{"name":"user', bench.number('actor' || seed, 5000),
                                            '","email":"user', bench.number('actor' || seed, 5000),
                                            '@example.org"},"message":"', bench.prose('m' || seed || c, 40),
                                            '","distinct":true}'), ',' ORDER BY c)
                     FROM generate_series(1, commits) AS c), ']}}')
      FROM (SELECT 1 + bench.number('size' || seed, 5) AS commits) AS sized
    $$;

-- Lines of real documents, filled by the benchmark where they can be had
CREATE TABLE bench.line (documents text, id int, data text);

-- Documents by the name of their set: made ones, this many, or all lines of a real one
CREATE FUNCTION bench.documents(documents text, count int) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT
    AS $$
    SELECT CASE documents
             WHEN 'small' THEN bench.small(i)
             WHEN 'events' THEN bench.event(i)
             WHEN 'people' THEN bench.figure2(i, 90)
             WHEN 'wide' THEN bench.wide(i)
             -- 5 keys of 500 characters
             WHEN 'five' THEN (SELECT '{' || string_agg('"key' || k || '":"' || bench.prose(i || ':' || k, 500) || '"', ',' ORDER BY k) || '}'
                                 FROM generate_series(1, 5) AS k)
             -- an array of 100 short strings
             ELSE (SELECT '["' || string_agg(left(md5(i || ':' || k), 4), '","' ORDER BY k) || '"]'
                     FROM generate_series(1, 100) AS k)
           END
      FROM generate_series(1, count) AS i
     WHERE documents IN ('small', 'events', 'people', 'wide', 'five', 'strings')
    UNION ALL
    (SELECT data FROM bench.line WHERE line.documents = documents.documents ORDER BY id)
    $$;
