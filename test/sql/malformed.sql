-- If this fails, bytes that are not BSON get in, or the error does not say where they are wrong.
\set SHOW_CONTEXT never
CREATE FUNCTION pg_temp.fault(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  d text;
BEGIN
  PERFORM bytes::bson;
  RETURN 'accepted';
EXCEPTION WHEN invalid_binary_representation THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN d;
END $$;

-- each row is one fault
SELECT what, pg_temp.fault(decode(bytes, 'hex')) FROM (VALUES
  (1, 'empty', ''),
  (2, 'four bytes', '04000000'),
  (3, 'length word too small', '0400000000'),
  (4, 'length word too large', '0600000000'),
  (5, 'length word negative', 'ffffffff00'),
  (6, 'no terminator', '0500000001'),
  (7, 'bytes after the document', '050000000000'),
  (8, 'unknown type 0x14', '080000001461 0000'),
  (9, 'unknown type 0x80', '080000008061 0000'),
  (10, 'key without end', '080000000a616200'),
  (11, 'key not UTF-8', '080000000aff0000'),
  (12, 'int32 cut short', '0b000000106100 010000 00'),
  (13, 'boolean 2', '09000000086100 02 00'),
  (14, 'string of length 0', '0d000000026100 00000000 00 00'),
  (15, 'string longer than its document', '0e000000026100 03000000 6200 00'),
  (16, 'string of negative length', '0e000000026100 00000080 6200 00'),
  (17, 'string without terminator', '0e000000026100 02000000 6262 00'),
  (18, 'string with a surrogate', '10000000026100 04000000 eda08000 00'),
  (19, 'string with an overlong form', '0f000000026100 03000000 c08000 00'),
  (20, 'string beyond U+10FFFF', '11000000026100 05000000 f490808000 00'),
  (21, 'document longer than its parent', '0d000000036100 06000000 00 00'),
  (22, 'document shorter than its content', '0f000000036100 05000000 00 0a62 00'),
  (23, 'document without terminator', '0d000000036100 05000000 01 00'),
  (24, 'end inside a document', '0f000000036100 07000000 00 0000 00'),
  (25, 'binary of negative length', '0d000000056100 ffffffff 00 00'),
  (26, 'binary longer than its document', '0e000000056100 02000000 00 01 00'),
  (27, 'subtype 2, inner length wrong', '12000000056100 05000000 02 02000000 01 00'),
  (28, 'subtype 2, too short', '0f000000056100 02000000 02 0000 00'),
  (29, 'regular expression without end', '0a0000000b6100 6161 00'),
  (30, 'options without end', '0b0000000b6100 6100 69 00'),
  (31, 'dbpointer cut short', '140000000c6100 02000000 6200 56e1fc72e0c9 00'),
  (32, 'code with scope too short', '150000000f6100 0d000000 01000000 00 05000000 00'),
  (33, 'code with scope longer than its parts', '170000000f6100 0f000000 01000000 00 05000000 00 00 00'),
  (34, 'scope without terminator', '160000000f6100 0e000000 01000000 00 05000000 01 00'),
  (35, 'ObjectId cut short', '0a000000076100 0102 00'),
  (36, 'decimal128 cut short', '0a000000136100 0102 00'),
  (37, 'type 0 inside', '0a0000000a6100 0000 00')
) AS v(n, what, bytes) ORDER BY n;

-- similar bytes without the fault are valid
SELECT pg_temp.fault(decode(bytes, 'hex')) FROM (VALUES
  ('0500000000'), ('080000000a610000'), ('09000000086100 01 00'), ('0e000000026100 02000000 6200 00'), ('0d000000036100 05000000 00 00'),
  ('12000000056100 05000000 02 01000000 01 00'), ('160000000f6100 0e000000 01000000 00 05000000 00 00')) AS v(bytes);

-- every way of input checks the same
SELECT '\x0500000001'::bson;  -- ERROR
SELECT '\x0500000001'::bytea::bson;  -- ERROR
SELECT '\x050000000'::bson;  -- ERROR, odd
SELECT '\x05000000zz'::bson;  -- ERROR, not hex
SELECT '\x'::bson;  -- ERROR, empty

-- nesting: 160 kB of nested documents crashed others
CREATE FUNCTION pg_temp.nested(levels int) RETURNS bytea LANGUAGE sql AS $$
  SELECT decode(string_agg(lpad(to_hex(n & 255), 2, '0') || lpad(to_hex((n >> 8) & 255), 2, '0') || lpad(to_hex(n >> 16), 2, '0') || '00'
      || CASE WHEN i < levels THEN '036100' ELSE '' END, '' ORDER BY i) || repeat('00', levels), 'hex')
    FROM generate_series(1, levels) AS i, LATERAL (SELECT 5 + 8 * (levels - i)) AS x(n) $$;
SELECT bson_depth(pg_temp.nested(1024)::bson);
SELECT bson_depth(pg_temp.nested(1025)::bson);  -- ERROR, too deep
SELECT bson_is_valid(pg_temp.nested(1025)), bson_is_valid(pg_temp.nested(20000));

-- JSON text where bytes are expected: drivers send that, so the error says what to do
SELECT convert_to('{"a": 1}', 'UTF8')::bson;  -- ERROR, with a hint
SELECT convert_to('  ["a"]', 'UTF8')::bson;  -- ERROR, with a hint
SELECT ('\x01'::bytea || convert_to('{"a": 1}', 'UTF8'))::bson;  -- ERROR, with a hint: jsonb's binary form
SELECT '\x7b00000010610001000000'::bytea::bson;  -- ERROR, a length that is a brace
