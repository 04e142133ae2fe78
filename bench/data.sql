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
