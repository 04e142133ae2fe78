-- If this failed, deep nesting would crash the server, or some input would refuse 1,000 levels.
\pset format unaligned
\pset tuples_only on

CREATE FUNCTION try(t text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN length(bson_send(bson_in(bson_out(t::bson)))) || ' bytes';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- documents: the limit itself, and one more
SELECT try(repeat('{"a":', 1000) || '1' || repeat('}', 1000));
SELECT try(repeat('{"a":', 1024) || '1' || repeat('}', 1024));
SELECT try(repeat('{"a":', 1025) || '1' || repeat('}', 1025));
-- arrays: the stored document around them is a level
SELECT try(repeat('[', 1023) || repeat(']', 1023));
SELECT try(repeat('[', 1024) || repeat(']', 1024));
SELECT try('{"a":' || repeat('[', 1023) || repeat(']', 1023) || '}');
SELECT try('{"a":' || repeat('[', 1024) || repeat(']', 1024) || '}');
-- wrappers are objects only in the text
SELECT try(repeat('{"a":', 1024) || '{"$dbPointer":{"$ref":"c","$id":{"$oid":"57e193d7a9cc81b4027498b5"}}}' || repeat('}', 1024));
SELECT try(repeat('[', 1023) || '1e400' || repeat(']', 1023));
-- scopes
SELECT try(repeat('{"$code":"","$scope":{"a":', 500) || '1' || repeat('}}', 500));
SELECT try(repeat('{"$code":"","$scope":{"a":', 1023) || '1' || repeat('}}', 1023));
SELECT try(repeat('{"$code":"","$scope":{"a":', 1024) || '1' || repeat('}}', 1024));
SELECT try('{"b":' || repeat('{"$code":"","$scope":{"a":', 1023) || '1' || repeat('}}', 1023) || '}');
SELECT try('{"b":' || repeat('{"$code":"","$scope":{"a":', 1024) || '1' || repeat('}}', 1024) || '}');
SELECT try(repeat('{"$regex":', 1024) || '1' || repeat('}', 1024));
-- text that is much longer than its bytes, and closes every level in the end
SELECT length(b::text), length(b::json::text), bson_identical(b, b::text::bson) FROM (VALUES
    ((repeat('{"$code":"f","$scope":{"a":', 500) || '1' || repeat('}}', 500))::bson),
    (('{"s":"' || repeat('\u0001', 3000) || '","a":' || repeat('{"a":', 1000) || '1' || repeat('}', 1001))::bson),
    (('["' || repeat('\u0001', 3000) || '",' || repeat('[', 1000) || '1' || repeat(']', 1001))::bson)) t(b);
-- far more levels than allowed, closed or not
SELECT try(repeat('[', 100000) || repeat(']', 100000));
SELECT try(repeat('[', 1000000));
SELECT try(repeat('{"a":', 1000000));
SELECT try(repeat('[{"":', 500000));
SELECT try(repeat('{"$code":"","$scope":', 100000));

-- with little stack there is an error or success, but no crash
SET max_stack_depth = '100kB';
SELECT try(repeat('[', 10) || repeat(']', 10));
SELECT try(repeat('{"a":', 1024) || '1' || repeat('}', 1024));
SELECT try(repeat('[', 1023) || repeat(']', 1023));
SELECT try(repeat('{"$code":"","$scope":{"a":', 1023) || '1' || repeat('}}', 1023));
RESET max_stack_depth;
DROP FUNCTION try;

-- ANALYZE looks only into a part of documents that are too deep for its stack, and into all of the others
CREATE TABLE deep_and_flat (d bson);
INSERT INTO deep_and_flat SELECT (repeat('{"deep":', 1000) || '1' || repeat('}', 1000))::bson FROM generate_series(1, 10);
INSERT INTO deep_and_flat SELECT bson_build_object('flat', i) FROM generate_series(1, 90) i;
SET max_stack_depth = '100kB';
ANALYZE deep_and_flat;
SELECT most_common_elems FROM pg_stats WHERE tablename = 'deep_and_flat';
RESET max_stack_depth;
ANALYZE deep_and_flat;
SELECT most_common_elems FROM pg_stats WHERE tablename = 'deep_and_flat';
DROP TABLE deep_and_flat;
