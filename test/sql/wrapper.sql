-- A field whose value has the bytes of the envelope around roots that are not documents: it would be 5 for some
-- operators
CREATE FUNCTION document_of(body bytea) RETURNS bytea LANGUAGE sql IMMUTABLE AS
    $$ SELECT set_byte('\x00000000'::bytea, 0, length(body) + 5) || body || '\x00' $$;
-- {"": MinKey, "": 5}: as a root it is 5
CREATE TABLE wrapped AS SELECT document_of('\xff00'::bytea || '\x100005000000'::bytea) AS five;
SELECT five::bson FROM wrapped;
-- in a field it is a document of two fields
CREATE TABLE w AS SELECT document_of('\x036100'::bytea || five)::bson AS d FROM wrapped;
SELECT d, bson_typeof(d -> 'a'), d -> 'a' = '5' AS eq, d @> '{"a": 5}' AS contains, d @? '$.a ? (@ == 5)' AS path,
    d @~ '{"a": 5}' AS query, bson_get_int4(d, 'a') AS int4, (d -> 'a')::text = (d #> '{a}')::text AS same FROM w;
SELECT (SELECT count(*) FROM bson_each(d -> 'a')) AS fields, d -> 'a' -> '' AS first, d #> '{a,""}' AS also,
    bson_array_length(bson_build_array(d -> 'a')) AS elements FROM w;
-- the result of -> is that document everywhere
SELECT bson_identical(bson_build_object('a', d -> 'a'), d) AS built, bson_identical(bson_set('{"a": 1}', '{a}', d -> 'a'), d) AS set,
    d @> bson_build_object('a', d -> 'a') AS contains, bson_identical((d -> 'a')::bytea::bson, d -> 'a') AS bytes,
    bson_identical((d -> 'a')::text::bson, d -> 'a') AS text, (bson_build_object('b', d -> 'a') -> 'b') = (d -> 'a') AS eq,
    bson_hash(d -> 'a') = bson_hash(d #> '{a}') AS hash FROM w;
SELECT jsonb_typeof((d -> 'a')::jsonb), bson_typeof(bson_path_query_first(d, '$.a')), bson_path_query(d, '$.a.*') FROM w;
-- and it can be changed like one: to a document that does not look like an envelope, and back
SELECT bson_set(d -> 'a', '{b}', '1') AS more, bson_typeof(bson_set(d -> 'a', '{b}', '1')),
    bson_identical(bson_delete(bson_set(d -> 'a', '{b}', '1'), 'b'), d -> 'a') AS back,
    (d -> 'a') || '{"b": 1}' AS concat, '{}' || (d -> 'a') AS one, bson_delete(d -> 'a', '') AS none FROM w;
-- one level more: the bytes of its envelope in a field are a document with it in a field
CREATE TABLE w2 AS SELECT document_of('\x036100'::bytea || (d -> 'a')::bytea)::bson AS d FROM w;
SELECT bson_typeof(w2.d -> 'a'), bson_typeof(w2.d -> 'a' -> ''), bson_size(w2.d -> 'a') - bson_size(w.d -> 'a') AS more,
    w2.d -> 'a' = w.d -> 'a' AS eq, bson_identical(bson_build_object('a', w2.d -> 'a'), w2.d) AS built FROM w2, w;
-- a document of two fields that is almost an envelope is a document
SELECT bson_typeof(document_of('\xff00'::bytea || '\x0300'::bytea || document_of(''))::bson), bson_size(document_of('\xff00'::bytea || '\x0300'::bytea || document_of(''))::bson);
-- a document that is built may have the bytes, too
SELECT bson_typeof(bson_build_object('', NULL::int, '', 5)),
    bson_typeof(bson_build_object('', '{"$minKey": 1}'::bson, '', 5)), bson_build_object('', '{"$minKey": 1}'::bson, '', 5);
DROP TABLE wrapped, w, w2;
DROP FUNCTION document_of;
