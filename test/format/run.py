#!/usr/bin/env python3
"""Is everything that version 1.0 made of the population (population.py) still made of it?

    run.py                     compare with digests.txt; the last line is "N passed, N failed"
    run.py show THING [GROUP]  the first values of a group, and what is made of them, as this library makes it
    run.py list                the things and the groups
    run.py make                print digests.txt anew: for a new part only, with the library of version 1.0

It needs a server with the extension, to which it connects as psql does, headers of the server, and a compiler; it makes
a database of its own, format_population, or uses the one that is there if FORMAT_KEEP is set.

A thing is whatever a database keeps, or an expression in an index calls. digests.txt has a line for each thing, with a
digest for each group. Tests never write it. changed.txt has what a later version made another way on purpose, and why.
"""
import hashlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here))
import population  # noqa: E402

DATABASE = 'format_population'
SETTINGS = '''SET search_path = public; SET TimeZone = 'UTC'; SET DateStyle = 'ISO, MDY'; SET IntervalStyle = postgres; SET bytea_output = hex; SET extra_float_digits = 1;
SET jit = off; SET max_parallel_workers_per_gather = 0; SET work_mem = '256MB'; SET client_min_messages = error;
'''
DIGITS = 6

FUNCTIONS = '''CREATE EXTENSION bson;
CREATE FUNCTION probe(regprocedure, VARIADIC "any") RETURNS text AS '{probe}' LANGUAGE C;
CREATE FUNCTION probe_keys(int, bson) RETURNS text AS '{probe}' LANGUAGE C STRICT;
CREATE FUNCTION probe_query(regprocedure, int, "any", int[], boolean) RETURNS text AS '{probe}' LANGUAGE C STRICT;
CREATE TABLE population (id int, grp int, v bson, bytes bytea, w bson);
CREATE TABLE queries (id int, grp int, strategy int, argument text, numbers int[]);
CREATE TABLE malformed (id int, bytes bytea);
CREATE TABLE received (LIKE population);
'''

# --- what is compared: (name, expression of v, of the value after it, w, and of the bytes)


def function(signature, *arguments):
    return f"probe('{signature}', {', '.join(('v',) + arguments)})"


TYPES = 'bool int2 int4 int8 float4 float8 numeric timestamptz timestamp date uuid json jsonb'.split()
SORTS = '''{"a": 1} | {"a": -1} | {"a.b": 1} | {"a.b": -1} | {"a": 1, "b": 1} | {"a": 1, "b": -1} | {"a": -1, "b": 1} | {"a": -1, "b": -1, "c": 1} | {"e": 1, "f": 1} | {"e": -1, "f": -1} | {"f": 1, "e": -1} |
{"p.q": 1, "p.r": 1} | {"p.q": 1, "p.r": -1} | {"p.q": -1, "p.r": 1} | {"p.r": -1, "p.q": -1, "p.s": 1} | {"a.b": 1, "a.c": -1} | {"a.b.c": 1} | {"a.b.c": -1} | {"a.0": 1} | {"a.0.b": -1, "a.b": 1} | {"0": 1} | {"a.b": 1, "c": -1} | {"a.1.0": 1, "a.b": 1}'''.split('|')
JSONPATHS = '''$.a | $.* | $.a[*] | $.a[last] | $.** | $.a.type() | $.a.size() | $.a.double() | $.a.ceiling() | $.a.floor() | $.a.abs() | $.a + 1 | $.a * 2 | $.a - $.b | $.a / 3 | $.a % 3 | -$.a | $.a ? (@ > 1) |
$.a ? (@ == $.b) | $.a ? (@ < $.b) | $.keyvalue() | $.a.b[0] | strict $.a.b | $[0] | $.a ? (@ starts with "a") | $.a ? (@ like_regex "^a.c") | $.a > 1 | exists($.a.b) | $.a ? (@.b == 1).c | $.a[0 to 1]'''.split('|')
EXPRESSIONS = '''{"$add": ["$a", 1]} | {"$concat": ["$a", "x"]} | {"$cmp": ["$a", "$b"]} | {"$type": "$a"} | {"$toString": "$a"} | {"$toDecimal": "$a"} | {"$toDouble": "$a"} | {"$toLong": "$a"} | {"$toInt": "$a"} | {"$toDate": "$a"} |
{"$toBool": "$a"} | {"$size": "$a"} | {"$ifNull": ["$a", 0]} | {"$multiply": ["$a", "$b"]} | {"$divide": ["$a", 3]} | {"$mod": ["$a", 3]} | {"$round": ["$a", 1]} | {"$dateToString": {"date": "$a"}} | "$a.b" | {"$arrayElemAt": ["$a", -1]} |
{"$setUnion": ["$a", [1]]} | {"$map": {"input": "$a", "in": "$$this.b"}} | {"$objectToArray": "$$ROOT"} | {"$strLenCP": "$a"} | {"$max": ["$a", "$b"]}'''.split('|')
UPDATES = '''{"$set": {"a": 5, "z.y": [1]}} | {"$unset": {"a": 1, "b.c": 1}} | {"$inc": {"n": 1}} | {"$mul": {"a": 2}} | {"$push": {"a": 1}} | {"$addToSet": {"a": 1}} | {"$pull": {"a": {"b": 1}}} | {"$rename": {"a": "q"}} | {"$min": {"a": 3}} |
{"$max": {"a": 3}} | {"$pop": {"a": 1}} | {"$set": {"a.0": 9}} | {"$push": {"a": {"$each": [3, 1], "$sort": 1, "$slice": 5}}} | {"$bit": {"a": {"or": 4}}}'''.split('|')


def literal(s):
    return "'" + s.strip().replace("'", "''") + "'"


def hand(prefix, texts, expression):
    """A thing for each text, with its number as its name."""
    return [(f'{prefix}_{n:02}', expression(literal(t))) for n, t in enumerate(texts)]


VALUES = [
    ('keys_ops', 'probe_keys(0, v)'), ('keys_path', 'probe_keys(1, v)'), ('keys_range', 'probe_keys(2, v)'),
    ('hash', 'bson_hash(v)'), ('hash_zero', 'bson_hash_extended(v, 0)'), ('hash_seed', 'bson_hash_extended(v, -7891234567890123456)'),
    ('compare_next', 'sign(bson_cmp(v, w))'), ('compare_back', 'sign(bson_cmp(w, v))'), ('equal_next', '(v = w, v < w, v >= w, v == w)'),
    ('compare_some', 'probe_some(v)'),
    ('bytes', 'encode(v::bytea, $$hex$$)'), ('send', 'bson_send(v) = bytes'), ('from_bytea', 'bson(bytes)::bytea = bytes'),
    ('text', 'v::text'), ('text_in', 'v::text::bson::bytea = bytes'), ('json', 'v::json'), ('jsonb', function('bson_to_jsonb(bson)')),
    ('canonical', "bson_to_extjson(v, 'canonical')"), ('relaxed', "bson_to_extjson(v, 'relaxed')"), ('canonical_in', "probe('bson_from_extjson(text)', bson_to_extjson(v, 'canonical'))"),
    ('from_json', "probe('bson(json)', v::json)"), ('from_jsonb', "probe('bson(jsonb)', probe_jsonb(v))"),
    *((f'to_{t}', function(f'bson_to_{t}(bson)')) for t in TYPES if not t.startswith('json')),
    *((f'walk_to_{t}', function(f'bson_walk_to_{t}(bson,"any")', "'a'::text")) for t in TYPES),
    ('walk_to_deep', function('bson_walk_to_numeric(bson,"any")', "'a'::text", "'b'::text")), ('walk_to_element', function('bson_walk_to_int8(bson,"any")', "'a'::text", '0')),
    ('field', "v -> 'a'"), ('field_text', function('bson_object_field_text(bson,text)', "'a'::text")), ('field_int4', "v -#> 'a'"), ('field_bool', "v -&> 'a'"),
    ('element', 'v -> 0'), ('element_text', function('bson_array_element_text(bson,integer)', '0')), ('element_int4', 'v -#> 0'), ('element_bool', 'v -&> 0'), ('element_last', 'v -> -1'), ('element_last_text', function('bson_array_element_text(bson,integer)', '-2')),
    ('path', "v #> '{a,b}'"), ('path_text', function('bson_extract_path_text(bson,text[])', "'{a,b}'::text[]")), ('path_int4', "v -#> '{a,b}'::text[]"), ('path_bool', "v -&> '{a,b}'::text[]"), ('path_element', function('bson_extract_path_text(bson,text[])', "'{a,0}'::text[]")), ('path_last', function('bson_extract_path_text(bson,text[])', "'{a,-1,b}'::text[]")),
    ('root', "v #> '{}'"), ('root_text', function('bson_extract_path_text(bson,text[])', "'{}'::text[]")), ('root_int4', "v -#> '{}'::text[]"), ('root_bool', "v -&> '{}'::text[]"),
    ('chain', "v -> 'a' -> 'b' -> 'c'"), ('chain_text', function('bson_walk_text(bson,"any")', "'a'::text", "'b'::text", "'c'::text")), ('chain_element', function('bson_walk_text(bson,"any")', "'a'::text", '0', "'b'::text")), ('chain_int4', "v -> 'a' -> 'b' -#> 'c'"), ('chain_bool', "v -> 'a' -> 0 -&> 'b'"), ('subscript', "v['a']['b']"),
    *((f'get_{t}', function(f'bson_get_{t}(bson,text[])', "'{a}'::text[]")) for t in 'bool int4 int8 float8 numeric text timestamptz uuid bytea objectid bson'.split()),
    *((f'get_root_{t}', function(f'bson_get_{t}(bson,text[])', "'{}'::text[]")) for t in 'int8 numeric text bytea'.split()),
    *((f'get_dots_{t}', function(f'bson_get_{t}(bson,text)', "'a.b'::text")) for t in 'string datetime decimal128 int32 int64 double binary boolean bson jsonb_array'.split()),
    ('as_text', function('bson_as_text(bson,text)', "'a'::text")),
    ('typeof', 'bson_typeof(v)'), ('typeof_field', "bson_typeof(v -> 'a')"), ('size', '(bson_size(v), bson_depth(v))'), ('array_length', function('bson_array_length(bson)')), ('walk_array_length', function('bson_walk_array_length(bson,"any")', "'a'::text")),
    ('objectid_timestamp', function('bson_objectid_timestamp(bson)')), ('pretty', 'bson_pretty(v)'),
    ('each', "CASE bson_typeof(v) WHEN 'object' THEN (SELECT string_agg(key || '=' || value, ',') FROM bson_each(v)) END"), ('keys', "CASE bson_typeof(v) WHEN 'object' THEN (SELECT string_agg(k, ',') FROM bson_object_keys(v) k) END"),
    ('elements', "CASE bson_typeof(v) WHEN 'array' THEN (SELECT string_agg(e::text, ',') FROM bson_array_elements(v) e) END"),
    ('contains_next', 'v @> w'), ('contained_next', 'v <@ w'), ('contains_self', 'v @> v'), ('exists', "(v ? 'a', v ? 'e', v ?| '{b,x}', v ?& '{a,b}')"),
    *hand('sort', SORTS, lambda s: f"probe('bson_sort_key(bson,bson)', v, {s}::bson)"), *hand('sort_down', SORTS[:16:3], lambda s: f"probe('bson_sort_key_desc(bson,bson)', v, {s}::bson)"),
    ('concat', function('bson_concat(bson,bson)', 'w')), ('delete', function('bson_delete(bson,text)', "'a'::text")), ('delete_element', function('bson_delete(bson,integer)', '0')), ('delete_path', function('bson_delete_path(bson,text[])', "'{a,b}'::text[]")),
    ('set', function('bson_set(bson,text[],bson,boolean)', "'{a}'::text[]", "'[5]'::bson", 'true')), ('set_deep', function('bson_set(bson,text[],bson,boolean)', "'{a,b}'::text[]", 'w', 'true')), ('insert', function('bson_insert(bson,text[],bson,boolean)', "'{a,0}'::text[]", "'5'::bson", 'true')),
    ('strip_nulls', 'bson_strip_nulls(v)'), ('strip_nulls_arrays', 'bson_strip_nulls(v, true)'), ('merge', function('bson_merge(bson,bson,boolean)', 'w', 'true')), ('diff', function('bson_diff(bson,bson)', 'w')),
    ('build', "bson_build_object('k', v, 'l', bson_build_array(v, 1))"),
]
# found by mutants that survived: they come last, so that the lines of digests.txt stay as they are
LATER = [
    *((f'walk_equals_{n}', function('bson_walk_equals(bson,"any")', "'a'::text", other.format(own=function('bson_object_field_text(bson,text)', "'a'::text")))) for n, other in
      (('own', "coalesce({own}, '15')"), ('array', "ARRAY['15', 'abc']"))),
    ('path_long', function('bson_extract_path_text(bson,text[])', "'{a,4294967296}'::text[]")), ('path_padded', function('bson_extract_path_text(bson,text[])', "'{a,0000000001}'::text[]")),
    ('path_longest', function('bson_extract_path_text(bson,text[])', "ARRAY['a', repeat('0', 40)]")),
    ('walk_path', function('bson_walk_text(bson,"any")', "'{a,b}'::text[]", "'c'::text")), ('walk_path_element', function('bson_walk_text(bson,"any")', "'{a,0}'::text[]", "'b'::text")),
    # more keys than are looked up one by one
    ('exists_many', "(v ?| (array_fill('k'::text, '{100}') || '{b,e}'::text[]), v ?& array_fill('a'::text, '{100}'), v ?& (array_fill('a'::text, '{100}') || '{b}'::text[]))"),
    ('delete_many', function('bson_delete(bson,text[])', "array_fill('k'::text, '{100}') || '{a,b}'::text[]")),
    # a constant with more fields than are looked up one by one, which is longer than what contains it
    ('contains_longer', """('{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1, "i": 1, "s": {"$code": "s", "$scope": {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8}}}'::bson || bson_build_object('z', v)) @>
        '{"a": 1.0, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1, "i": 1, "s": {"$code": "s", "$scope": {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0, "e": 5.0, "f": 6.0, "g": 7.0, "h": 8.0}}}'::bson"""),
]
# of documents: those with the name "a" and others of the languages
LANGUAGES = [
    *hand('jsonpath', JSONPATHS, lambda s: f"probe('bson_path_query_array(bson,jsonpath,bson,boolean)', v, {s}::jsonpath, '{{}}'::bson, true)"),
    *hand('eval', EXPRESSIONS, lambda s: f"probe('bson_eval(bson,bson,bson)', v, {s}::bson, '{{}}'::bson)"),
    *hand('apply', UPDATES, lambda s: f"probe('bson_apply(bson,bson,bson,bson,timestamptz)', v, {s}::bson, '{{}}'::bson, '[]'::bson, timestamptz '2024-01-01 00:00Z')"),
]

SOME = '''CREATE FUNCTION probe_some(v bson) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(sign(bson_cmp(v, s))::text, '') FROM unnest(ARRAY['null', '-1', '0.5', '19.99', '{"$numberDecimal":"19.99"}', '9007199254740993', '{"$numberDouble":"NaN"}', '"abc"', '"abcdefghijklmnopq"', '{}', '{"a": 1}',
    '{"a": {"b": 1}}', '[]', '[1]', '{"$binary":{"base64":"YWI=","subType":"00"}}', '{"$date":"1970-01-01T00:00:00Z"}', '{"$regularExpression":{"pattern":"^a","options":""}}']::bson[]) s $$;
CREATE FUNCTION probe_jsonb(v bson) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN RETURN v::jsonb; EXCEPTION WHEN OTHERS THEN RETURN NULL; END $$;
CREATE FUNCTION probe_sorted(v bson) RETURNS bson LANGUAGE plpgsql AS $$ BEGIN RETURN bson(v::jsonb); EXCEPTION WHEN OTHERS THEN RETURN NULL; END $$;
'''

# values of SQL, by type: how they are stored, hashed and compared
NATIVES = {
    'int4': '0 1 -1 15 41 255 -256 65536 2147483647 -2147483648'.split(),
    'int8': '0 1 -1 15 4294967296 4968387550 9007199254740993 9223372036854775807 -9223372036854775808'.split(),
    'float8': '0 -0 1 0.5 1.1 19.99 0.1 0.30000000000000004 1e23 1e300 -1e300 5e-324 9007199254740992 9223372036854775808 NaN Infinity -Infinity'.split(),
    'numeric': '0 1 1.0 1.10 19.99 19.990 0.1 0.1000000000000000055511151231257827 9007199254740993 9223372036854775807 9223372036854775808 1e23 1e300 1e-400 -15 NaN Infinity -Infinity 12345678901234567890123456789012345'.split(),
    'text': ['', 'a', 'abc', 'abcdefgh', 'abcdefghi', 'abcdefghijklmnop', 'abcdefghijklmnopq', 'ä', 'z', '15', 'abcdefghijklmnopqrstuvwxyzbcdefghijklmnopqrstuvwxyzacdefghijklmn'],
    'boolean': ['true', 'false'],
    'timestamptz': ['1970-01-01 00:00Z', '2022-03-03 12:13:14.789Z', '2022-03-03 12:13:14.7895Z', '0001-01-01 00:00Z', '9999-12-31 23:59:59.999Z', 'infinity', '-infinity', '1969-12-31 23:59:59.999Z'],
    'uuid': ['73ffd264-44b3-4c69-90e8-e7d1dfc035d4', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
}
# what follows "$" in texts, much of it an error
WRAPPED = '''numberInt "" | numberInt "-" | numberInt "-1" | numberInt "+1" | numberInt " 1" | numberInt "1 " | numberInt "1.0" | numberInt "2147483647" | numberInt "2147483648" | numberInt "-2147483648" | numberInt "-2147483649" | numberInt 1 |
numberLong "" | numberLong "-" | numberLong "-0" | numberLong "007" | numberLong "9223372036854775807" | numberLong "9223372036854775808" | numberLong "-9223372036854775808" | numberLong "-9223372036854775809" | numberLong "99999999999999999999" | numberLong "1e3" |
numberDouble "" | numberDouble "-" | numberDouble "1" | numberDouble "-0" | numberDouble "1e400" | numberDouble "1e-400" | numberDouble "0x10" | numberDouble "NaN" | numberDouble "-NaN" | numberDouble "Infinity" | numberDouble "-Infinity" | numberDouble "inf" | numberDouble "1.5x" |
numberDecimal "" | numberDecimal "-" | numberDecimal "." | numberDecimal "e5" | numberDecimal "1e" | numberDecimal "1e+" | numberDecimal ".5" | numberDecimal "5." | numberDecimal "1E6111" | numberDecimal "1E6112" | numberDecimal "1E6145" | numberDecimal "1E-6176" | numberDecimal "1E-6177" |
numberDecimal "0E99999" | numberDecimal "1e99999999999" | numberDecimal "12345678901234567890123456789012345" | numberDecimal "12345678901234567890123456789012340" | numberDecimal "sNaN" | numberDecimal "-inf" | numberDecimal "+Infinity" | numberDecimal "1_0" |
oid "" | oid "0123456789abcdef0123456" | oid "0123456789abcdef01234567" | oid "0123456789ABCDEF01234567" | oid "0123456789abcdef0123456g" | oid "0123456789abcdef012345678" | date "1970-01-01T00:00:00Z" | date "1970-01-01" | date "1969-12-31T23:59:59.9Z" | date "9999-12-31T23:59:59.999Z" |
date "2024-02-30T00:00:00Z" | date "2024-02-29T23:59:60Z" | date "2024-02-29T24:00:00Z" | date "2024-02-29T12:00:00+01:30" | date "2024-02-29T12:00:00+0130" | date "2024-02-29T12:00:00" | date "2024-02-29T12:00:00.1234Z" | date "0000-01-01T00:00:00Z" | date {"$numberLong": "-1"} | date {"$numberInt": "1"} | date 5 |
binary {"base64": "", "subType": "00"} | binary {"base64": "YQ==", "subType": "0"} | binary {"base64": "YQ=", "subType": "00"} | binary {"base64": "YR==", "subType": "00"} | binary {"base64": "Y Q==", "subType": "00"} | binary {"base64": "YQ==", "subType": "100"} | binary {"base64": "YQ==", "subType": "zz"} |
binary {"base64": "YQ==", "subType": "FF"} | binary {"base64": "YWJjZA==", "subType": "02"} | binary {"base64": "YWJjZA==", "subType": "04"} | binary {"subType": "00", "base64": "YWJj"} | binary {"base64": "YWJj"} | binary {"base64": "YWJj", "subType": "00", "x": 1} |
uuid "73ffd264-44b3-4c69-90e8-e7d1dfc035d4" | uuid "73ffd26444b34c6990e8e7d1dfc035d4" | uuid "73ffd264-44b3-4c69-90e8-e7d1dfc035dg" | timestamp {"t": 4294967295, "i": 0} | timestamp {"t": 4294967296, "i": 0} | timestamp {"t": -1, "i": 0} | timestamp {"i": 1, "t": 2} | timestamp {"t": 1} |
regularExpression {"pattern": "a", "options": "xi"} | regularExpression {"pattern": "a", "options": "ii"} | regularExpression {"pattern": "a", "options": "q"} | regularExpression {"pattern": "a"} | regularExpression {"pattern": "a\\u0000b", "options": ""} |
minKey 1 | minKey 2 | maxKey 1 | maxKey "1" | undefined true | undefined false | symbol "s" | symbol 1 | code "f" | code 1 | dbPointer {"$ref": "a", "$id": {"$oid": "0123456789abcdef01234567"}} | dbPointer {"$ref": "a", "$id": 1} | other 1'''.split('|')
# zeroes below the least exponent
WRAPPED_LATER = [f'numberDecimal "{t}"' for t in ('10E-6177', '-1000000E-6180', '11E-6177', '0E-7000', '12340E-6177', '0.0010E-6174')]
# numbers to be rounded, and how
ROUNDED = '''1111111111.5 0.5 1111111112.5 -0.5 1.5 2.5 -2.5 0.25 0.35 0.05 99.5 9.95 2.51 2.49 0.500 0.0 -0.0 1234567890123456789012345678901234 999999999999999999999999999999999.5 12345678901234567890123456789012345 12345678901234567890123456789012355
123456789012345678901234567890123450 1234567890123456789012345678901234500001 1234567890123456789012345678901235499999 -12345678901234567890123456789012346 -1234567890123456789012345678901234.51 9999999999999999999999999999999999.5 0.00012345678901234567890123456789012345 000012345678901234567890123456789012345'''
ROUNDING = ['{"$toDecimal": "$t"}', *(f'{{"${verb}": ["${of}", {places}]}}' for verb in ('round', 'trunc') for of in 'df' for places in (0, 1, 2, 30)), *(f'{{"${verb}": "$d"}}' for verb in ('ceil', 'floor')), '{"$multiply": ["$d", "$d"]}', '{"$add": [{"$round": ["$d", 0]}, {"$round": ["$h", 0]}]}', '{"$divide": ["$d", 7]}']
FAR = """DROP TABLE IF EXISTS far; CREATE TABLE far (id int, grp int, v bson, c bson); ALTER TABLE far ALTER v SET STORAGE EXTERNAL;
INSERT INTO far SELECT i, i % 5, v, v FROM generate_series(0, 49) AS i, LATERAL (SELECT i / 10 AS n, bson_agg(CASE WHEN i % 10 < 5 THEN to_bson(j) ELSE bson_build_object('b', j, 'c', repeat('c', j % 50)) END ORDER BY j) AS list FROM generate_series(1, 1500 + i) AS j) AS l,
LATERAL (SELECT CASE i % 5 WHEN 0 THEN to_bson(repeat('abcdefgh', 500 + n) || i) WHEN 1 THEN bson_build_object('a', n, 'p', repeat('p', 3000 * n), 'l', list, 'z', i % 3) WHEN 2 THEN list
    WHEN 3 THEN bson_build_object('p', repeat('p', 3000), 'a', bson_build_object('b', list, 'c', repeat('q', 9000 + n), 'd', i)) ELSE bson_build_object(repeat('k', 1980 + 5 * n), -i, 'p', repeat('p', 9000)) END AS v) AS m;
"""
FAR_VALUE = "md5({v}::text), bson_hash({v}), {v} -> 'a', {v} ->> 'z', {v} -> 'l' -> 700, {v} -> 'l' ->> 5000, {v} -> 1200, {v} -> -1, {v} ->> 1490, {v} #> '{{a,b,900,b}}', {v} #> '{{a,b,-2}}', {v} -> 'a' ->> 'd', {v} ->> 'q', {v} ? 'z', {v} @> '{{\"z\": 1}}', bson_typeof({v}), bson_array_length(CASE WHEN bson_typeof({v}) = 'array' THEN {v} END)"
FAR_ROWS = f"""SELECT id, grp, ({FAR_VALUE.format(v='v')}, {FAR_VALUE.format(v='c')}, (SELECT string_agg(concat_ws(' ', sign(bson_cmp(f.v, g.v)), f.v = g.c, f.c < g.v, f.c @> g.c), ',' ORDER BY g.id) FROM far AS g),
    (SELECT array_agg(id ORDER BY v, id) FROM far AS g WHERE g.grp = f.grp), (SELECT array_agg(id ORDER BY c DESC, id) FROM far AS g WHERE g.grp = f.grp)) AS x FROM far AS f"""
# arrays that begin at the end of a chunk; each is looked for by a call of its own, which knows of no other value
EDGES = [start + n for start in (1960, 3956) for n in range(0, 32, 2)]
FAR_EDGES = f"""DROP TABLE IF EXISTS far_edges; CREATE TABLE far_edges (id int, v bson); ALTER TABLE far_edges ALTER v SET STORAGE EXTERNAL;
INSERT INTO far_edges SELECT i, bson_build_object('p', repeat('p', i), 'l', list) FROM unnest(ARRAY{EDGES}) AS i, LATERAL (SELECT bson_agg(j ORDER BY j) AS list FROM generate_series(1, 1500) AS j) AS l;
"""
# texts of numbers with any digits, and those of doubles with another last digit or one more: few are the shortest of a double
RANDOM_DIGITS = "(('x' || left(md5(i::text), 15))::bit(60)::bigint)::text"
NUMBERS = f"""SELECT i AS id, CASE WHEN i % 2 = 0 THEN i % 80 / 10 ELSE 8 + i % 40 / 10 END AS grp, CASE i % 2 WHEN 0 THEN any_digits ELSE CASE i / 2 % 3 WHEN 0 THEN short ELSE
    coalesce(CASE i / 2 % 3 WHEN 1 THEN substring(short FROM '^-?\\d*\\.\\d*') || i % 10 ELSE substring(short FROM '^(-?\\d*\\.\\d*)\\d') || i % 10 END || coalesce(substring(short FROM 'e.*$'), ''), short) END END AS x
    FROM (SELECT i, any_digits, (any_digits::numeric::float8)::text AS short FROM (SELECT i, CASE i % 3 WHEN 0 THEN '-' ELSE '' END || left(d, 1) || '.' || substr(d, 2, 1 + i % 17) || 'e' || CASE i / 100 % 3 WHEN 0 THEN i * 37 % 620 - 312 ELSE i % 44 - 22 END AS any_digits
    FROM (SELECT i, {RANDOM_DIGITS} AS d FROM generate_series(0, 3999) AS i) AS r) AS a) AS s"""
NUMBER_GROUPS = [f'any.{i}' for i in range(8)] + [f'near.{i}' for i in range(4)]
MADE = dict(int2='0 1 -32768 32767', float4='0 1.5 0.1 16777216 NaN', date='1970-01-01 2024-02-29 0001-01-01', timestamp='1970-01-01T00:00:00 2024-02-29T12:00:00.5', bytea=r'\x \x00ff', oid='0 5 4294967295')

CATALOG = {
    'families': "SELECT amname, opfname, amopstrategy, amopopr::regoperator, amoppurpose, amoplefttype::regtype, amoprighttype::regtype FROM pg_amop JOIN pg_opfamily f ON f.oid = amopfamily JOIN pg_am a ON a.oid = opfmethod WHERE opfname ~ '^bson'",
    'support': "SELECT amname, opfname, amprocnum, amproclefttype::regtype, amprocrighttype::regtype, amproc::regprocedure, prosrc FROM pg_amproc JOIN pg_opfamily f ON f.oid = amprocfamily JOIN pg_am a ON a.oid = opfmethod JOIN pg_proc p ON p.oid = amproc WHERE opfname ~ '^bson'",
    'classes': "SELECT amname, opcname, opcintype::regtype, opckeytype::regtype, opcdefault, opfname FROM pg_opclass JOIN pg_am a ON a.oid = opcmethod JOIN pg_opfamily f ON f.oid = opcfamily WHERE opcname ~ '^bson'",
    'operators': "SELECT o.oid::regoperator, oprcode::regprocedure, oprcom::regoperator, oprnegate::regoperator, oprcanhash, oprcanmerge, oprresult::regtype FROM pg_operator o JOIN pg_depend d ON d.objid = o.oid AND d.classid = 'pg_operator'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bson')",
    'casts': "SELECT castsource::regtype, casttarget::regtype, castfunc::regprocedure, castcontext, castmethod FROM pg_cast WHERE 'bson'::regtype IN (castsource, casttarget)",
    'functions': "SELECT p.oid::regprocedure, prosrc, prorettype::regtype, proretset, provolatile, proisstrict FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bson') WHERE p.prokind = 'f' AND provolatile <> 'v' AND pronargs > 0",
    'type': "SELECT typlen, typbyval, typalign, typstorage, typinput, typoutput, typreceive, typsend, typsubscript, typanalyze FROM pg_type WHERE typname = 'bson'",
}


# --- a server

def psql(*arguments, database=DATABASE, script=None):
    result = subprocess.run(['psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', database, *arguments], input=script, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f'psql failed: {result.stderr[-2000:]}')
    return result.stdout


def compile_probe(directory):
    config = os.environ.get('PG_CONFIG', 'pg_config')
    include = subprocess.run([config, '--includedir-server'], capture_output=True, text=True, check=True).stdout.strip()
    probe = Path(directory) / 'probe.so'
    subprocess.run([os.environ.get('CC') or shutil.which('cc') or 'gcc', '-O1', '-fPIC', '-shared', f'-I{include}', *os.environ.get('PG_CPPFLAGS', '').split(), '-o', probe, here / 'probe.c'], check=True)
    return probe


def binary_copy(rows):
    """The file that COPY (FORMAT binary) reads"""
    parts = [b'PGCOPY\n\xff\r\n\0' + bytes(8)]
    for row in rows:
        parts.append(struct.pack('>h', len(row)))
        for field in row:
            data = struct.pack('>i', field) if isinstance(field, int) else field
            parts.append(struct.pack('>i', -1) if data is None else struct.pack('>i', len(data)) + data)
    return b''.join(parts) + b'\xff\xff'


def groups_of(rows):
    return list(dict.fromkeys(row[0] for row in rows))


class Population:
    """All of the population, or every step-th value"""
    def __init__(self, step=1):
        self.database = DATABASE if step == 1 else f'{DATABASE}_{step}'
        self.values = population.values()[0][::step]
        self.queries = [(g, s, a, [n // step for n in numbers if n % step == 0]) for g, s, a, numbers in population.queries()[::step]]
        self.malformed = list(population.malformed())[::step]
        self.groups = groups_of(self.values)
        self.query_groups = groups_of(self.queries)

    def files(self, directory):
        """Write the files that load() reads."""
        number = {g: i for i, g in enumerate(self.groups)}
        rows = [(i, number[g], b, b, self.values[i + 1][1] if i + 1 < len(self.values) else b) for i, (g, b) in enumerate(self.values)]
        (directory / 'values').write_bytes(binary_copy(rows))
        number = {g: i for i, g in enumerate(self.query_groups)}
        (directory / 'queries').write_text(''.join('\t'.join((str(i), str(number[g]), str(s), a.replace('\\', '\\\\').replace('\t', '\\t').replace('\n', '\\n'), '{' + ','.join(map(str, n)) + '}')) + '\n'
                                                   for i, (g, s, a, n) in enumerate(self.queries)))
        (directory / 'malformed').write_bytes(binary_copy(list(enumerate(self.malformed))))

    def digest(self):
        """Of what population.py makes"""
        return hashlib.md5(repr((self.values, self.queries, self.malformed)).encode()).hexdigest()


def load(directory, probe, database=DATABASE):
    """Make the database."""
    psql('-c', f'DROP DATABASE IF EXISTS {database}', '-c', f"CREATE DATABASE {database} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'", database='postgres')
    psql(database=database, script=SETTINGS + FUNCTIONS.format(probe=probe) + SOME + f"""
\\copy population FROM '{directory}/values' (FORMAT binary)
\\copy queries FROM '{directory}/queries'
\\copy malformed FROM '{directory}/malformed' (FORMAT binary)
VACUUM ANALYZE population;
""")


# --- the statements, each of which prints a line: the thing and its digests

def of_groups(name, rows):
    """The digests of what "rows" says: id, grp, x."""
    return (name, f"SELECT string_agg(d, ' ' ORDER BY grp) FROM (SELECT grp, left(md5(string_agg(coalesce(x::text, '~'), E'\\n' ORDER BY id)), {DIGITS}) AS d FROM ({rows}) AS r GROUP BY grp) AS g")


def of_values(name, expression, where='true'):
    return of_groups(name, f'SELECT id, grp, {expression} AS x FROM population WHERE {where}')


QUERY_TYPES = {7: ('bson_contains(bson,bson)', 'bson'), 9: ('bson_exists(bson,text)', 'text'), 10: ('bson_exists_any(bson,text[])', 'text[]'), 11: ('bson_exists_all(bson,text[])', 'text[]'),
               15: ('bson_path_exists_opr(bson,jsonpath)', 'jsonpath'), 16: ('bson_path_match_opr(bson,jsonpath)', 'jsonpath'), 17: ('bson_match(bson,bson)', 'bson')}


def query_rows():
    return ' UNION ALL '.join(f"SELECT id, grp, probe('probe_query(regprocedure,int,\"any\",int[],boolean)', '{f}'::regprocedure, {s}, argument::{t}, numbers, {'true' if s in (9, 10, 11) else 'false'}) AS x FROM queries WHERE strategy = {s}" for s, (f, t) in QUERY_TYPES.items())


def of_scaled(name, pairs):
    """Decimals whose digits, times 10^k, are m * 2^k in the lowest 128 bits"""
    scaled = [(f'{pow(5 ** k, -1, 2 ** (128 - k)) * m % 2 ** (128 - k)}E+{k}', m << k) for k, m in pairs]
    return (*of_groups(name, f"SELECT n AS id, 0 AS grp, (d, probe('bson_to_int8(bson)', d), bson_hash(d), probe_keys(0, d), probe_keys(2, d), bson_cmp(d, m), bson_cmp(m, d), d = m, d @> m, d @> d, bson_cmp(d, s), bson_cmp(s, d), d = s) AS x FROM (SELECT n, to_bson(l::numeric) AS s, format('{{\"$numberDecimal\": \"%s\"}}', t)::bson AS d, to_bson(l::int8) AS m "
           f"FROM unnest(ARRAY[{','.join(literal(t) for t, _ in scaled)}], ARRAY[{','.join(str(m) for _, m in scaled)}]) WITH ORDINALITY AS u(t, l, n)) AS s"), ['all'])


def alike():
    """Arrays of an int32 and another number, as sort keys are, and others that nearly look like these"""
    p = population
    numbers = [*map(p.i32, (1, 256, -1)), p.f64(1.5), p.f64(-1.5), p.i64(256), p.i64(-1), p.decimal(15, -1), p.decimal(15, -1, True)]
    pairs = [[(first, p.i32(5)), (second, n)] for first, second in ((b'0', b'1'), (b'0', b'10'), (b'0', b''), (b'1', b'1'), (b'', b'1')) for n in numbers]
    pairs += [[*pair, (b'2', p.i32(n))] for pair in pairs[:9] for n in (1, 2)]
    # bytes of the first number that look like the beginning of a second element
    pairs += [[(b'0', (p.INT64, bytes((0, 0, 0, 0, kind, 49, 0, top)))), (b'1', p.i32(1))] for kind in (p.DOUBLE, p.INT32, p.INT64, p.DECIMAL) for top in (1, 255)]
    return ['\\x' + p.raw.stored((p.ARRAY, [(key, (kind, pair))])).hex() for kind, key in ((p.ARRAY, b'0'), (p.ARRAY, b'1'), (p.ARRAY, b''), (p.DOC, b'0')) for pair in pairs]


def native(p, t, literals, name):
    """How values of SQL are stored, hashed and compared"""
    values = f"(SELECT n, x::{t} AS native FROM unnest(ARRAY[{','.join(map(literal, literals))}]::text[]) WITH ORDINALITY AS u(x, n)) AS s"
    groups = [f'{t}.{i}' for i in range(len(literals))]
    extra = f", probe('bson_hash_extended_{t}({t},bigint)', native, 0::bigint), probe('bson_hash_extended_{t}({t},bigint)', native, 7::bigint)"
    yield (*of_groups(f'native_{name}', f"SELECT 1 AS id, n AS grp, (probe('to_bson({t})', native), probe('bson_hash_{t}({t})', native){extra}) AS x FROM {values}"), groups)
    yield (*of_groups(f'native_{name}_order', f"SELECT p.id, n AS grp, (probe('bson_cmp_{t}(bson,{t})', v, native), probe('{t}_cmp_bson({t},bson)', native, v), probe('bson_lt_{t}(bson,{t})', v, native)) AS x FROM {values}, LATERAL (SELECT id, v FROM population WHERE id % 5 = 0 AND grp < {p.groups.index('names.one')} UNION ALL SELECT id, v -> 'a' FROM population WHERE id % 5 = 1) AS p WHERE v IS NOT NULL"), groups)


# what ANALYZE keeps of its own
ANALYZED = """SELECT string_agg(concat_ws(' ', k, replace(n::text, ' ', ''), v::text), ',' ORDER BY k) FROM (SELECT unnest(ARRAY[stakind1, stakind2, stakind3, stakind4, stakind5]) AS k,
  unnest(ARRAY[stanumbers1::text, stanumbers2::text, stanumbers3::text, stanumbers4::text, stanumbers5::text]) AS n, unnest(ARRAY[stavalues1::text, stavalues2::text, stavalues3::text, stavalues4::text, stavalues5::text]) AS v
  FROM pg_statistic WHERE starelid = 'analyzed'::regclass) AS s WHERE k IN (4, 24317)"""


def analyzed(rows, target=-1, kept=ANALYZED):
    """What ANALYZE makes of rows, by the server's target or another"""
    return f"""DROP TABLE IF EXISTS analyzed; CREATE TABLE analyzed AS {rows}; ALTER TABLE analyzed ALTER v SET STATISTICS {target}; ANALYZE analyzed;
SELECT left(md5(({kept})), {DIGITS})"""


def statements(p, directory):
    """(name, SQL, names of its groups)"""
    languages = [i for i, g in enumerate(p.groups) if g.split('.')[0] in ('shapes', 'mixed', 'people', 'containers') or g.split('.')[1] == 'field']
    chosen = f"grp IN ({','.join(map(str, languages))}) AND id % 3 = 0"
    language_groups = [p.groups[i] for i in languages]
    for name, expression in VALUES:
        yield (*of_values(name, expression), p.groups)
    # the order in which an index is built, with abbreviated keys: of each group, and of all
    yield (*of_groups('order', "SELECT row_number() OVER (PARTITION BY grp ORDER BY v, id) AS id, grp, id || CASE WHEN v = lag(v) OVER (PARTITION BY grp ORDER BY v, id) THEN '=' ELSE '' END AS x FROM population"), p.groups)
    yield (*of_groups('order_back', "SELECT row_number() OVER (PARTITION BY grp ORDER BY w DESC, id) AS id, grp, id AS x FROM population"), p.groups)
    parts = len(p.values) // 1000 + 1
    yield (*of_groups('order_all', "SELECT id, id / 1000 AS grp, x FROM (SELECT row_number() OVER (ORDER BY v, id) - 1 AS id, id AS x FROM population) AS s"), [f'part.{i}' for i in range(parts)])
    yield (*of_groups('pairs', "SELECT a.id * 30000 + b.id AS id, a.grp, (sign(bson_cmp(a.v, b.v)), a.v = b.v, a.v @> b.v) AS x FROM population AS a, population AS b WHERE a.grp = b.grp AND (a.id % 11 = 0 AND b.id % 7 = 0 OR a.grp IN (SELECT grp FROM population GROUP BY grp HAVING count(*) < 30))"), p.groups)
    yield ('malformed', *of_groups('', "SELECT id, id / 250 AS grp, probe('bson(bytea)', bytes) AS x FROM malformed")[1:], [f'part.{i}' for i in range(len(p.malformed) // 250 + 1)])
    yield (*of_groups('queries', query_rows()), p.query_groups)
    for name, expression in LANGUAGES:
        yield (*of_values(name, expression, chosen), language_groups)
    for t, literals in NATIVES.items():
        yield from native(p, t, literals, t)
    # SQL's own values in the order of bson's
    for t in ('float8', 'numeric', 'text'):
        values = f"unnest(ARRAY[{','.join(map(literal, NATIVES[t]))}]::text[]) WITH ORDINALITY"
        yield (*of_groups(f'native_{t}_between', f"SELECT a.n * 100 + b.n AS id, 1 AS grp, probe('bson_order_{t}({t},{t})', a.x::{t}, b.x::{t}) AS x FROM {values} AS a(x, n), {values} AS b(x, n)"), ['all'])
    for t, literals in MADE.items():
        yield (*of_groups(f'made_{t}', f"SELECT n AS id, 1 AS grp, to_bson(x::{t})::bytea AS x FROM unnest(ARRAY[{','.join(map(literal, literals.split()))}]::text[]) WITH ORDINALITY AS u(x, n)"), ['all'])
    yield ('received', f"""TRUNCATE received;
\\copy received FROM '{directory}/values' (FORMAT binary)
""" + of_groups('', 'SELECT id, grp, v::bytea AS x FROM received')[1], p.groups)
    for group in ('mixed.0', 'people.0', 'shapes.many', 'shapes.through', 'strings.root', 'longs.field'):
        yield (f'statistics_{group}', analyzed(f'SELECT v FROM population WHERE grp = {p.groups.index(group)} ORDER BY id'), [group])

    for name, expression in LATER:
        yield (*of_values(name, expression), p.groups)
    # the same fields in the order of jsonb, and one of them changed, also in an array of documents
    yield (*of_values('contains_sorted', """(SELECT (v @> s, s @> v, s @> w, v @> t, bson_build_array(v, w) @> bson_build_array(s, u), bson_build_array(v, w) @> bson_build_array(t, s), bson_build_array(s, u, v) @> bson_build_array(w, t, v))
        FROM probe_sorted(v) AS s, probe_sorted(w) AS u, LATERAL (SELECT CASE bson_typeof(s) WHEN 'object' THEN s || '{"b": 7, "c": 7}' END AS t) AS changed)"""), p.groups)
    yield (*of_groups('top', "SELECT 1 AS id, grp, (bson_top(v, w, '5'), bson_top(w, v, '2')) AS x FROM population GROUP BY grp"), p.groups)
    # below more levels than what the order keeps of a value's beginning
    yield (*of_groups('order_deep', f"SELECT row_number() OVER (PARTITION BY grp ORDER BY {'bson_build_object($$a$$, ' * 9}v{')' * 9}, id) AS id, grp, id AS x FROM population"), p.groups)
    yield (*of_groups('numbers', f"SELECT id, grp, (x, probe('bson(json)', x::json), probe('bson(jsonb)', x::jsonb), probe('bson_from_extjson(text)', x), probe('to_bson(numeric)', x::numeric)) AS x FROM ({NUMBERS}) AS n"), NUMBER_GROUPS)
    for group in ('mixed.0', 'people.0', 'shapes.many'):
        yield (f'statistics_few_{group}', analyzed(f'SELECT v FROM population WHERE grp = {p.groups.index(group)} ORDER BY id', 3), [group])
    # two bounds of one side, the first of which may be the closer one
    yield (*of_groups('queries_bounds', "SELECT n AS id, 0 AS grp, probe('probe_query(regprocedure,int,\"any\",int[],boolean)', 'bson_match(bson,bson)'::regprocedure, 17, q::bson, "
           f"(SELECT array_agg(id ORDER BY id) FROM population WHERE grp IN ({p.groups.index('integers.field')}, {p.groups.index('strings.field')})), false) AS x "
           """FROM unnest(ARRAY['{"a": {"$lt": 100, "$lte": 10}}', '{"a": {"$lt": 10, "$lte": 100}}', '{"a": {"$gt": 10, "$gte": 100}}', '{"a": {"$gt": 100, "$gte": 10}}', '{"a": {"$gt": 10, "$lt": 100}}', '{"a": {"$lt": 100, "$gt": 10}}',
           '{"a": {"$lt": "b", "$lte": "abcdefgh"}}', '{"a": {"$lte": "abcdefgh", "$lt": "b"}}', '{"$and": [{"a": {"$lte": 10}}, {"a": {"$lt": 10}}]}', '{"$and": [{"a": {"$lt": 10}}, {"a": {"$lte": 10}}]}']) WITH ORDINALITY AS u(q, n)"""), ['all'])
    # the order of an index's keys, those in it and longer ones, as they come in a query
    yield (*of_groups('keys_order', f"""WITH k AS MATERIALIZED (SELECT row_number() OVER () AS n, set_byte(substr('abcdefghijklmnopqrst'::bytea, 1, len), at, b) AS key FROM generate_series(1, 20) AS len, unnest('{{0,1,127,128,255}}'::int[]) AS b, generate_series(0, len - 1) AS at
        WHERE at < 5 OR at > len - 3)
        SELECT a.n AS id, 0 AS grp, string_agg(bson_gin_compare(a.key, b.key) || ' ' || bson_gin_compare(a.key || '', b.key), ',' ORDER BY b.n) AS x FROM k AS a, k AS b GROUP BY a.n"""), ['all'])
    # the order by a prefix of each value, as a column that is the first one of a sort has it
    yield (*of_groups('order_first', "SELECT 1 AS id, g.n AS grp, ids AS x FROM (SELECT DISTINCT grp AS n FROM population) AS g, LATERAL (SELECT array_agg(id) AS ids FROM (SELECT id FROM population WHERE grp = n ORDER BY v, id) AS s) AS o"), p.groups)
    yield (*of_groups('order_names', """SELECT n AS id, 0 AS grp, ids AS x FROM generate_series(1, 6) AS n, LATERAL (SELECT (array_agg(len ORDER BY v), array_agg(len ORDER BY d), array_agg(len ORDER BY a DESC)) AS ids
        FROM (SELECT len, v, bson_build_object('k', v, 'l', 1) AS d, bson_build_array(v, 1) AS a FROM (SELECT len, CASE WHEN len < 7 THEN bson_build_object(left('abcdef', len), -len) ELSE '{}' END AS v FROM generate_series(0, 7) AS len ORDER BY len <> n, len) AS s) AS s) AS o"""), ['all'])
    yield (*of_groups('pairs_alike', f"WITH a AS MATERIALIZED (SELECT n, bson(x) AS v FROM unnest(ARRAY[{','.join(map(literal, alike()))}]::bytea[]) WITH ORDINALITY AS u(x, n)) "
           "SELECT a.n AS id, 0 AS grp, string_agg(sign(bson_cmp(a.v, b.v)) || ' ' || (a.v = b.v), ',' ORDER BY b.n) AS x FROM a, a AS b GROUP BY a.n"), ['all'])
    # decimals that are rounded: halves, also behind many digits
    yield (*of_groups('eval_rounded', "SELECT n AS id, 0 AS grp, string_agg(probe('bson_eval(bson,bson,bson)', bson_build_object('t', t, 'd', CASE WHEN length(translate(t, '-.', '')) < 35 THEN format('{\"$numberDecimal\": \"%s\"}', t)::bson END, 'f', left(t, 12)::float8, 'h', '{\"$numberDecimal\": \"0.5\"}'::bson), e::bson, '{}'::bson), ',' ORDER BY m) AS x "
           f"FROM unnest(ARRAY[{','.join(map(literal, ROUNDED.split()))}]) WITH ORDINALITY AS u(t, n), unnest(ARRAY[{','.join(map(literal, ROUNDING))}]) WITH ORDINALITY AS f(e, m) GROUP BY n"), ['all'])
    # values out of line, as they are and compressed
    yield ('far', FAR + of_groups('', FAR_ROWS)[1], ['texts', 'documents', 'arrays', 'deep', 'names'])
    # paths of several numbers
    yield (*of_groups('queries_numbers', "SELECT n AS id, 0 AS grp, probe('probe_query(regprocedure,int,\"any\",int[],boolean)', 'bson_match(bson,bson)'::regprocedure, 17, q::bson, (SELECT array_agg(id ORDER BY id) FROM population WHERE id % 300 = 0), false) AS x "
           """FROM unnest(ARRAY['{"0": 1}', '{"0.1": 1}', '{"0.1.2": 1}', '{"a.0.1.2": 5}', '{"a.0.1": {"$gt": 1}}', '{"a.0.b.1.c": 1}', '{"a.0.b.1.c.2": 1}', '{"a.0.1.2.3": {"$exists": true}}', '{"a.": 1}', '{"a..b": 1}']) WITH ORDINALITY AS u(q, n)"""), ['all'])
    # more than 128 bits already after the first nine places, and at most 34 digits
    yield of_scaled('scaled_once', [(k, m) for k in (8, 9, 12) for m in range(1, 2000, 2) if pow(5 ** k, -1, 2 ** (128 - k)) * m % 2 ** (128 - k) < 10 ** 34])
    # of equal values a second column decides
    yield (*of_groups('order_twice', "SELECT row_number() OVER (PARTITION BY grp ORDER BY v, t, id) AS id, grp, t || ' ' || id AS x FROM population, generate_series(2, 1, -1) AS t"), p.groups)
    for name, texts in (('wrapped', WRAPPED), ('wrapped_later', WRAPPED_LATER)):
        yield (*of_groups(name, f"SELECT n AS id, n / 40 AS grp, (probe('bson_from_extjson(text)', t), probe('bson(json)', t::json)) AS x FROM (SELECT n - 1 AS n, regexp_replace(t, '^(\\w+) (.*)$', '{{\"a\": {{\"$\\1\": \\2}}, \"b\": 1}}') AS t "
               f"FROM unnest(ARRAY[{','.join(map(literal, texts))}]) WITH ORDINALITY AS u(t, n)) AS s"), [f'part.{i}' for i in range((len(texts) + 39) // 40)])
    # of each 100 values one was met once, and as many as a 16th of those that were met often
    yield ('statistics_made', analyzed("SELECT bson_build_object('a', CASE WHEN i < 2 THEN 1000 + i ELSE i % 9 END, 'b', CASE WHEN i < 48 THEN i % 16 WHEN i = 48 THEN 99 END, CASE WHEN i % 4 < 3 THEN 'c' ELSE 'd' END, i * i % 50) AS v FROM generate_series(0, 199) AS i"), ['all'])
    yield ('far_edges', FAR_EDGES + of_groups('', ' UNION ALL '.join(f"SELECT id, 0 AS grp, (v -> 'l' -> 700)::text AS x FROM far_edges WHERE id = {i}" for i in EDGES))[1], ['all'])
    # one name only, with nearly too many values that were met once; and what the server keeps of documents, of scalars and of both
    yield ('statistics_one', analyzed("SELECT bson_build_object('a', CASE WHEN i < 2 THEN 1000 + i ELSE i % 9 END) AS v FROM generate_series(0, 197) AS i"), ['all'])
    for name, every in (('documents', 1), ('both', 2), ('scalars', 3)):
        yield (f'statistics_of_{name}', analyzed(f"SELECT CASE WHEN i % {every} = 0 THEN bson_build_object('a', i % 7) ELSE to_bson(i % 7) END AS v FROM generate_series(0, 99) AS i", kept="SELECT (stadistinct, stakind1, stakind2, stakind3, stakind4, stakind5)::text FROM pg_statistic WHERE starelid = 'analyzed'::regclass"), ['all'])
    # before 2000, from which the server counts, and between two milliseconds
    yield from native(p, 'timestamptz', ['1999-12-31 23:59:59.9995Z', '1969-12-31 23:59:59.998001Z', '0001-01-01 00:00:00.000999Z'], 'early')
    yield of_scaled('scaled', [(k, m) for k in (16, 17, 18) for m in (1, 3, 12345)])
    # bytes of an empty regular expression and what follows it, which look like the length of another value
    yield (*of_groups('after_regex', """SELECT n AS id, 0 AS grp, probe('bson_object_field_text(bson,text)', bson_build_object('r', format('{"$regularExpression": {"pattern": "%s", "options": ""}}', p)::bson, '', n::float8, 'x', repeat('x', 70000), 'a', n), 'a'::text) AS x
        FROM unnest(ARRAY['', 'a', 'abcdefghijklmnopq']) WITH ORDINALITY AS u(p, n)"""), ['all'])
    # documents with many names, without and with one that is repeated
    yield (*of_groups('names_many', """SELECT n AS id, CASE WHEN n < 100 THEN 0 WHEN n < 600 THEN 1 ELSE 2 END AS grp, (probe('bson(json)', j), probe('bson(json)', again), probe('bson(jsonb)', again::jsonb), probe('bson_from_extjson(text)', again::text), probe_keys(0, again::bson), bson_hash(again::bson),
        again::bson @> j::bson, j::bson @> again::bson, again::bson = j::bson, again::bson - ARRAY['k1', 'k2'], bson_merge(j::bson, again::bson, true)) AS x
        FROM unnest('{4,8,9,16,17,63,64,65,255,256,257,511,512,513,1025,3000}'::int[]) AS n, LATERAL (SELECT string_agg(format('"k%s": %s', i, i), ', ') AS fields FROM generate_series(1, n) AS i) AS f,
        LATERAL (SELECT format('{%s}', fields)::json AS j, format('{%s, "k3": "again"}', fields)::json AS again) AS d"""), ['few', 'more', 'most'])
    # the empty name, whose signature is 0, also twice among many
    yield (*of_groups('names_empty', """SELECT n AS id, 0 AS grp, (j::bson::text, again::bson::text, probe('bson_from_extjson(text)', again), twice::text, twice -> '', bson_hash(twice), probe_keys(0, twice), twice @> j::bson, twice = again::bson) AS x
        FROM unnest('{0,5,62,63,64,65,300}'::int[]) AS n, LATERAL (SELECT coalesce(string_agg(format(', "k%s": 1', i), ''), '') AS fields, coalesce(string_agg('\\x10'::bytea || format('k%s', i)::bytea || '\\x0001000000', ''), '') AS bytes FROM generate_series(1, n) AS i) AS f,
        LATERAL (SELECT format('{"": 0%s}', fields) AS j, format('{"": 0%s, "": 2}', fields) AS again, '\\x100000000000'::bytea || bytes || '\\x10000200000000' AS elements) AS d,
        LATERAL (SELECT bson(set_byte(set_byte('\\x00000000', 0, (length(elements) + 4) % 256), 1, (length(elements) + 4) / 256) || elements) AS twice) AS t"""), ['all'])


def run(p, directory, chosen=None):
    """Yield (thing, groups, digests), one after the other, of all statements or of those chosen."""
    chosen = list(statements(p, directory)) if chosen is None else chosen
    groups = {thing: g for thing, _, g in chosen}
    with tempfile.TemporaryFile('w+') as errors, tempfile.NamedTemporaryFile('w') as script:
        script.write(SETTINGS + ''.join(f"\\echo '>' {thing}\n{sql};\n" for thing, sql, _ in chosen) + "\\echo '>'\n")
        script.flush()
        process = subprocess.Popen(['psql', '-XAtq', '-d', p.database, '-f', script.name], stdout=subprocess.PIPE, stderr=errors, text=True)
        try:
            thing, line = None, ''
            for text in process.stdout:
                if not text.startswith('>'):
                    line = text.strip()
                    continue
                if thing:
                    yield thing, groups[thing], line.split()
                thing, line = text[1:].strip(), ''
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
        errors.seek(0)
        for text in errors.read().splitlines()[:20]:
            print(text, file=sys.stderr)


def read_digests(path=here / 'digests.txt'):
    """(thing, group) -> digest; and the digest of the population"""
    digests, groups, whole = {}, [], None
    for text in path.read_text().splitlines():
        words = text.split()
        if text.startswith('population '):
            whole = words[1]
        elif text.startswith('groups '):
            groups = words[1:]
        elif words and not text.startswith('#'):
            digests.update(((words[0], g), d) for g, d in zip(groups, words[1:]))
    return digests, whole


def read_changed():
    """(thing, group) -> digest, of what a later version makes otherwise on purpose"""
    lines = [text.split() for text in (here / 'changed.txt').read_text().splitlines() if text and not text.startswith('#')]
    return {(words[0], words[1]): words[2] for words in lines}


def catalog(database=DATABASE):
    """The lines of catalog.txt as they are now"""
    script = SETTINGS + ''.join(f"\\pset format unaligned\n\\pset fieldsep ' '\n{sql};\n" for sql in CATALOG.values())
    lines = psql(script=script, database=database).splitlines()
    return sorted(set(lines))


def show(p, directory, thing, group):
    """Print the first values of a group."""
    found = [s for s in statements(p, directory) if s[0] == thing]
    if not found:
        sys.exit(f'there is no thing called {thing}: see "run.py list"')
    name, sql, groups = found[0]
    end = sql.rfind(') AS r GROUP BY grp')
    rows = sql[sql.index("AS d FROM (") + 11:end] if end > 0 else None
    if rows is None:
        sys.exit(f'{thing} has one digest, of all its rows')
    number = groups.index(group) if group else 0
    first = {'native': 1, 'made_': 1}.get(thing[:6] if thing.startswith('native') else thing[:5], 0)
    of = 'queries' if thing == 'queries' else 'population'
    column = 'argument' if of == 'queries' else 'left(v::text, 200)'
    prefix = sql[:sql.rfind('SELECT string_agg(d')]
    print(psql('-F', '  ', script=SETTINGS + prefix + f"SELECT r.id, (SELECT {column} FROM {of} WHERE {of}.id = r.id), left(x::text, 300) FROM ({rows}) AS r WHERE grp = {number + first} ORDER BY 1 LIMIT 20;"), end='')


def main():
    verb = sys.argv[1] if len(sys.argv) > 1 else 'check'
    if sys.byteorder != 'little':
        print('population: SKIPPED, hashes and keys are others on a big-endian machine')
        print('0 passed, 0 failed')
        return
    p = Population()
    if verb == 'list':
        for name, _, groups in statements(p, ''):
            print(name, *groups)
        return
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        directory.chmod(0o755)
        p.files(directory)
        if verb == 'load':
            load(directory, Path(sys.argv[2]))
            return
        if 'FORMAT_KEEP' not in os.environ:
            load(directory, compile_probe(directory))
        if verb == 'show':
            show(p, directory, sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
        elif verb == 'make':
            make(p, directory)
        elif verb == 'catalog':
            print(*catalog(), sep='\n')
        else:
            check(p, directory)
        if 'FORMAT_KEEP' not in os.environ:
            psql('-c', f'DROP DATABASE {DATABASE}', database='postgres')


def make(p, directory):
    print('# Digests of what version 1.0 (commit 3cbbdca7) made of the population: see run.py. They are never changed.')
    print('population', p.digest())
    last = None
    for name, groups, digests in run(p, directory):
        if len(groups) != len(digests):
            sys.exit(f'{name}: {len(digests)} digests for {len(groups)} groups: {digests[:5]}')
        if groups != last:
            print('groups', *groups)
            last = groups
        print(name, *digests)


def check(p, directory):
    expected, whole = read_digests()
    passed = failed = 0
    expected.update(read_changed())
    if p.digest() != whole:
        print('not ok population.py makes another population')
        failed += 1
    seen = set()
    for name, groups, digests in run(p, directory):
        seen.add(name)
        different = [g for i, g in enumerate(groups) if (digests[i] if len(digests) == len(groups) else None) != expected.get((name, g))]
        for group in different[:10]:
            print(f'not ok {name} of {group} differs from version 1.0: test/format/run.py show {name} {group}')
        if len(different) > 10:
            print(f'not ok {name} of {len(different) - 10} more groups')
        passed, failed = passed + (not different), failed + bool(different)
    missing = {thing for thing, _ in expected} - seen
    for thing in sorted(missing):
        print(f'not ok {thing} was not computed')
        failed += 1
    now = set(catalog())
    for line in (here / 'catalog.txt').read_text().splitlines():
        if line not in now:
            print(f'not ok the catalog lacks: {line}')
            failed += 1
        else:
            passed += 1
    print(f'{passed} passed, {failed} failed')


if __name__ == '__main__':
    main()
