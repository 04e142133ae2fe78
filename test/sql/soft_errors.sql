-- If this failed, pg_input_is_valid and COPY ... ON_ERROR would raise errors that they should report softly.
SELECT current_setting('server_version_num')::int < 160000 AS no_soft_errors \gset
\if :no_soft_errors
\quit
\endif
\pset format unaligned
\pset tuples_only on
SELECT t, pg_input_is_valid(t, 'bson'), (pg_input_error_info(t, 'bson')).*
FROM unnest(ARRAY[
    '{"a":1}', '{"a":}', '', '["\ud800"]', '{"\u0000":1}', '[1e7000]', '{"$oid":5}', '{"$oid":"x","y":1}',
    '{"$code":"f","$scope":{"$date":"x"}}', '{"$code":"f","$scope":[]}', '{"a":[{"$numberInt":"1.5"}]}',
    '\x0500000000', '\x05000000', '\x050000000', '\x05zz', '\x0500000001']) t;
SELECT pg_input_is_valid(repeat('[', 1024) || repeat(']', 1024), 'bson'),
       (pg_input_error_info(repeat('[', 1024) || repeat(']', 1024), 'bson')).*;
SELECT pg_input_is_valid(repeat('{"a":', 5000), 'bson'), (pg_input_error_info(repeat('{"a":', 5000), 'bson')).*;
SELECT pg_input_is_valid(repeat('{"$code":"","$scope":{"a":', 1024) || '1' || repeat('}}', 1024), 'bson');
SELECT count(*) FROM generate_series(1, 10000) WHERE NOT pg_input_is_valid('[1,{"$oid":"x"}]', 'bson');
