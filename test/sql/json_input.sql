-- If this failed, invalid JSON text would be accepted, valid text refused, or values changed on input.
\pset format unaligned
\pset tuples_only on

-- roots
SELECT '{}'::bson;                          -- OK
SELECT '[]'::bson;                          -- OK
SELECT '""'::bson;                          -- OK
SELECT '"text"'::bson;                      -- OK
SELECT '15'::bson;                          -- OK
SELECT '-1.5'::bson;                        -- OK
SELECT 'true'::bson;                        -- OK
SELECT 'false'::bson;                       -- OK
SELECT 'null'::bson;                        -- OK
SELECT '  [1 , {"a" : null} ]  '::bson;     -- OK
SELECT E' \t\r\n1\t\r\n '::bson;            -- OK
SELECT ''::bson;                            -- ERROR, nothing
SELECT '   '::bson;                         -- ERROR, nothing
SELECT '1 2'::bson;                         -- ERROR, two values
SELECT '{} {}'::bson;                       -- ERROR, two documents
SELECT '{"a":1}{"b":2}'::bson;              -- ERROR, two documents
SELECT '[] x'::bson;                        -- ERROR, something behind the end
SELECT E'1\f'::bson;                        -- ERROR, a form feed is no white space
SELECT E'\u00a01'::bson;                    -- ERROR, nor is a no-break space
SELECT E'\ufeff{}'::bson;                   -- ERROR, nor a byte order mark

-- words
SELECT 'nul'::bson;                         -- ERROR, no such word
SELECT 'NULL'::bson;                        -- ERROR, capitals
SELECT 'True'::bson;                        -- ERROR, capitals
SELECT 'nulll'::bson;                       -- ERROR, no such word
SELECT 'NaN'::bson;                         -- ERROR, not in JSON
SELECT '[NaN]'::bson;                       -- ERROR, not in JSON
SELECT '[Infinity]'::bson;                  -- ERROR, not in JSON
SELECT '[-Infinity]'::bson;                 -- ERROR, not in JSON
SELECT 'undefined'::bson;                   -- ERROR, not in JSON

SELECT '{"name": "Ada"}'::bson -> 'name' = 'Ada';  -- ERROR, a string is to be cast
SELECT '{"name": "Ada"}'::bson -> 'name' = to_bson('Ada'::text);
-- arrays and objects
SELECT '[1,2.5,"x",true,null,[],{}]'::bson; -- OK
SELECT '[1,]'::bson;                        -- ERROR, trailing comma
SELECT '[,1]'::bson;                        -- ERROR, leading comma
SELECT '[1,,2]'::bson;                      -- ERROR, double comma
SELECT '[1 2]'::bson;                       -- ERROR, no comma
SELECT '[1'::bson;                          -- ERROR, not closed
SELECT '1]'::bson;                          -- ERROR, not opened
SELECT '[1}'::bson;                         -- ERROR, closed by another bracket
SELECT '[1:2]'::bson;                       -- ERROR, colon in an array
SELECT '{"a":1,"b":{"c":[]}}'::bson;        -- OK
SELECT '{"":1}'::bson;                      -- OK
SELECT '{"a":1,}'::bson;                    -- ERROR, trailing comma
SELECT '{,"a":1}'::bson;                    -- ERROR, leading comma
SELECT '{"a":1,,"b":2}'::bson;              -- ERROR, double comma
SELECT '{"a" 1}'::bson;                     -- ERROR, no colon
SELECT '{"a":}'::bson;                      -- ERROR, no value
SELECT '{"a"}'::bson;                       -- ERROR, no value
SELECT '{"a"'::bson;                        -- ERROR, not closed
SELECT '{"a":1'::bson;                      -- ERROR, not closed
SELECT '{1:1}'::bson;                       -- ERROR, key is no string
SELECT '{a:1}'::bson;                       -- ERROR, key is no string
SELECT '{''a'':1}'::bson;                   -- ERROR, single quotes
SELECT '{"a":''b''}'::bson;                 -- ERROR, single quotes
SELECT '{"a":1 "b":2}'::bson;               -- ERROR, no comma
SELECT '{"a":1}}'::bson;                    -- ERROR, closed twice
SELECT '[/* comment */ 1]'::bson;           -- ERROR, comment
SELECT E'[1] // comment'::bson;             -- ERROR, comment
SELECT '[1;2]'::bson;                       -- ERROR, semicolon
SELECT '{"a":%n}'::bson;                    -- ERROR, and a percent sign is no format

-- the order of keys is kept; of duplicates the last value stays, at the place of the first
SELECT '{"b":1,"a":2,"c":3}'::bson;         -- OK
SELECT '{"a":1,"b":2,"a":3}'::bson;         -- OK
SELECT '{"a":{"x":1},"a":{"y":2}}'::bson;   -- OK
SELECT '{"a":1,"\u0061":2}'::bson;          -- OK, the same key

-- strings
SELECT '["\" \\ \/ \b \f \n \r \t"]'::bson; -- OK
SELECT '["\u0041\u00e9\u20ac"]'::bson;      -- OK
SELECT '["\ud83d\ude00"]'::bson;            -- OK, a surrogate pair
SELECT '["\uD834\uDd1e\uD834\uDd1e"]'::bson;    -- OK, two of them
SELECT '["\ud800"]'::bson;                  -- ERROR, lone high surrogate
SELECT '["\udc00"]'::bson;                  -- ERROR, lone low surrogate
SELECT '["\ude00\ud83d"]'::bson;            -- ERROR, the wrong way round
SELECT '["\ud83d\ud83d\ude00"]'::bson;      -- ERROR, a high one too many
SELECT '["\ud83d \ude00"]'::bson;           -- ERROR, parted
SELECT '["\ud83dA"]'::bson;                 -- ERROR, alone
SELECT '["\ud83d\u0041"]'::bson;            -- ERROR, alone
SELECT '["\ud83d\n"]'::bson;                -- ERROR, alone
SELECT '["\ud83d\\ude00"]'::bson;           -- ERROR, an escaped backslash is no escape
SELECT '{"\ud83d":1}'::bson;                -- ERROR, in a key as well
SELECT '["\\ud800"]'::bson;                 -- OK, not an escape
SELECT '["a\u0000b"]'::bson;                -- OK, strings hold U+0000
SELECT '{"a\u0000b":1}'::bson;              -- ERROR, keys do not
SELECT '{"a\u0000b" : 1}'::bson;            -- ERROR, keys do not
SELECT '{"a":{"\u0000":1}}'::bson;          -- ERROR, keys do not
SELECT '{"\\u0000":1}'::bson;               -- OK, not an escape
SELECT '["\x41"]'::bson;                    -- ERROR, no such escape
SELECT '["\a"]'::bson;                      -- ERROR, no such escape
SELECT '["\"]'::bson;                       -- ERROR, not closed
SELECT '["\u004"]'::bson;                   -- ERROR, three digits
SELECT '["\u004g"]'::bson;                  -- ERROR, not hexadecimal
SELECT '["\U0041"]'::bson;                  -- ERROR, no such escape
SELECT '["a'::bson;                         -- ERROR, not closed
SELECT E'["a\tb"]'::bson;                   -- ERROR, control character
SELECT E'["a\nb"]'::bson;                   -- ERROR, control character
SELECT E'["\x1f"]'::bson;                   -- ERROR, control character
SELECT E'{"a\tb":1}'::bson;                 -- ERROR, control character in a key
SELECT E'["\x7f"]'::bson;                   -- OK, not a control character for JSON
SELECT '["été 日本語 😀"]'::bson;            -- OK
SELECT '{"日本":{"😀":[]}}'::bson;            -- OK

-- numbers: their spelling
SELECT '[0, 1, -1, 10, 1234567890]'::bson;  -- OK
SELECT '[0.5, -0.5, 1.25, 1e2, 1E+2, 1e-2, 1.5e3, 0e5, 0E-5]'::bson;    -- OK
SELECT '[01]'::bson;                        -- ERROR, leading zero
SELECT '[-01]'::bson;                       -- ERROR, leading zero
SELECT '[+1]'::bson;                        -- ERROR, plus
SELECT '[.5]'::bson;                        -- ERROR, no digit before the point
SELECT '[-.5]'::bson;                       -- ERROR, no digit before the point
SELECT '[1.]'::bson;                        -- ERROR, no digit behind the point
SELECT '[2.e3]'::bson;                      -- ERROR, no digit behind the point
SELECT '[1e]'::bson;                        -- ERROR, no exponent
SELECT '[1e+]'::bson;                       -- ERROR, no exponent
SELECT '[-]'::bson;                         -- ERROR, no digit
SELECT '[- 1]'::bson;                       -- ERROR, parted
SELECT '[1 000]'::bson;                     -- ERROR, parted
SELECT '[0x1F]'::bson;                      -- ERROR, hexadecimal
SELECT '[1_000]'::bson;                     -- ERROR, underscore
SELECT '[1.2.3]'::bson;                     -- ERROR, two points
SELECT '[--1]'::bson;                       -- ERROR, two signs
SELECT '[1a]'::bson;                        -- ERROR, letters
SELECT '[1'::bson;                          -- ERROR, not closed

-- numbers: the type that holds them, and nothing lost
SELECT t, bson_out(t::bson) FROM unnest(ARRAY[
    '[2147483647, -2147483648]',                        -- int32
    '[2147483648, -2147483649]',                        -- int64
    '[4968387550, 4408548944]',                         -- int64: the paper's phones
    '[9223372036854775807, -9223372036854775808]',      -- int64
    '[9223372036854775808, -9223372036854775809]',      -- decimal128
    '[18446744073709551616, 18446744073709551617]',     -- decimal128
    '[1234567890123456789012345678901234]',             -- decimal128, 34 digits
    '[12345678901234567890123456789012340]',            -- decimal128, 34 digits and a zero
    '[-0]', '[-0.0]', '[0.0]', '[-0e0]',                -- doubles: an integer has no minus zero
    '[15.0, 1e2, 0.1, 0.10, 1.10]',                     -- double: the value, not the spelling, counts
    '[1.7976931348623157e308, 5e-324, 2.2250738585072014E-308]',    -- double
    '[3.141592653589793, 9007199254740993.0]',          -- double; decimal128
    '[3.14159265358979323846]',                         -- decimal128
    '[0.1000000000000000055511151231257827]',           -- decimal128: nearest to a double is not the double
    '[1e400, -1e-400, 1e6144, 1e-6176]',                -- decimal128
    '[123e-10000000, 0e-10000000]'                      -- refused below; a zero is a double
]) t WHERE t NOT LIKE '[123e%';
SELECT '[12345678901234567890123456789012345]'::bson;   -- ERROR, 35 digits
SELECT '{"a":[1,{"b":1e6145}]}'::bson;      -- ERROR, beyond decimal128
SELECT '[1e-6177]'::bson;                   -- ERROR, beyond decimal128
SELECT '[123e-10000000]'::bson;             -- ERROR, beyond decimal128
SELECT '[1e99999999999999999999]'::bson;    -- ERROR, beyond decimal128
SELECT '[0e99999999999999999999]'::bson;    -- OK, zero
SELECT '[0.30000000000000000000000000000000000001]'::bson;  -- ERROR, 38 digits

-- a number that needs decimal128 is an error where a wrapper needs another type
SELECT '{"$date":123456789012345678901234567890}'::bson;    -- ERROR
SELECT '{"$minKey":1e400}'::bson;           -- ERROR
SELECT '{"$timestamp":{"t":18446744073709551616,"i":1}}'::bson; -- ERROR
SELECT '{"$numberLong":18446744073709551616}'::bson;    -- ERROR
SELECT '{"$code":"","$scope":18446744073709551616}'::bson;  -- ERROR

-- errors show the place, also on a later line and behind much text
SELECT E'{\n  "a": 1,\n  "é": [tru]\n}'::bson;
SELECT ('{"' || repeat('é', 100) || '": x}')::bson;
SELECT '{"a":[0,{"b":{"c":{"$oid":"no"}}}]}'::bson;

-- long texts
SELECT length(bson_out(('"' || repeat('x', 3000000) || '"')::bson)::text);
SELECT length(bson_out(('[' || repeat('1,', 999999) || '1]')::bson)::text);
SELECT left(bson_out(('[' || repeat('1e400,', 99999) || '1]')::bson)::text, 60);
SELECT length(bson_send(('{' || string_agg(format('"key%s":%s', i, i), ',') || '}')::bson))
    FROM generate_series(1, 200000) i;

-- surrogates that are not adjacent, also if a repeated key makes json-c read the text
SELECT '{"a": "\ud83dx\ud83d"}'::bson;  -- ERROR, the first has no second
SELECT '{"a": "\ud83dx\ude00"}'::bson;  -- ERROR
SELECT '{"a": 1, "a": "\ud83dx\ud83d"}'::bson;  -- ERROR
SELECT '{"a": 1, "a": "\ud83d\ude00\ud83d\ude00"}'::bson = '{"a": "\ud83d\ude00\ud83d\ude00"}' AS pairs;
