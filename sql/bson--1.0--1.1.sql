/* bson 1.1: what is new since 1.0; a fresh installation runs this script after that of 1.0 */

-- complain if the script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION bson UPDATE" to load this file. \quit

-- version --------------------------------------------------------------

-- This comes first, to say in words that the library which runs is older than this script: a server that loads it when it
-- starts keeps it until it is restarted, and so does a session until it ends.
DO $do$
BEGIN
    -- not IMMUTABLE: ALTER EXTENSION and a new library change what it says
    CREATE FUNCTION bson_version() RETURNS bson
        AS 'MODULE_PATHNAME', 'pgbson_version'
        LANGUAGE C STABLE STRICT PARALLEL SAFE;
EXCEPTION WHEN undefined_function THEN
    RAISE EXCEPTION 'the server runs version 1.0 of the library bson, which is too old for version 1.1 of the extension'
        USING ERRCODE = 'object_not_in_prerequisite_state',
              HINT = 'If bson is in shared_preload_libraries, restart the server; else, begin a new session.';
END
$do$;
COMMENT ON FUNCTION bson_version() IS 'releases of the library, of this script, and of libbson, json-c and PCRE2 as loaded';

-- pipelines and finds with variables of the command, MongoDB's let; the arguments before have no defaults, so no call of 1.0 is ambiguous

CREATE FUNCTION bson_find_sql(relation regclass, filter bson, projection bson, sort bson, skip bigint, "limit" bigint, column_name name, let bson, collation bson DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_find_sql'
    LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION bson_find_sql(regclass, bson, bson, bson, bigint, bigint, name, bson, bson) IS 'SQL statement that does what MongoDB''s find with variables (let) and a collation does';

CREATE FUNCTION bson_pipeline_sql(relation regclass, pipeline bson, column_name name, let bson, collation bson DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_pipeline_sql'
    LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION bson_pipeline_sql(regclass, bson, name, bson, bson) IS 'SQL statement that does what a MongoDB pipeline with variables (let) and a collation does';

CREATE FUNCTION bson_aggregate(relation regclass, pipeline bson, column_name name, let bson, collation bson DEFAULT NULL) RETURNS SETOF bson
    AS 'MODULE_PATHNAME', 'pgbson_aggregate'
    LANGUAGE C STABLE PARALLEL RESTRICTED SUPPORT bson_aggregate_support;
COMMENT ON FUNCTION bson_aggregate(regclass, bson, name, bson, bson) IS 'documents that a MongoDB pipeline with variables (let) and a collation returns, run with the rights of the caller';

CREATE FUNCTION bson_count_sql(relation regclass, filter bson, column_name name, let bson, collation bson DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_count_sql'
    LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION bson_count_sql(regclass, bson, name, bson, bson) IS 'SQL statement that does what MongoDB''s count with variables (let) and a collation does';

CREATE FUNCTION bson_distinct_sql(relation regclass, filter bson, field text, column_name name, let bson, collation bson DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_distinct_sql'
    LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION bson_distinct_sql(regclass, bson, text, name, bson, bson) IS 'SQL statement that does what MongoDB''s distinct with variables (let) and a collation does';

-- Tables as collections of MongoDB.  Arguments have exactly the types of the functions and operators called, and names of
-- the server's have their schema, as one that fits better could lie in the schema of the extension.

CREATE FUNCTION bson_create_index_sql(relation regclass, spec bson, column_name name DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_create_index_sql'
    LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION bson_create_index_sql(regclass, bson, name) IS 'SQL statements that make the index which MongoDB''s createIndexes describes so; NULL if it has no equal';

CREATE FUNCTION bson_index_spec(spec bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_index_spec'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_index_spec(bson) IS 'what MongoDB''s listIndexes says of the index that createIndexes describes so';

CREATE FUNCTION bson_note(comment text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_note'
    LANGUAGE C IMMUTABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION bson_note(text) IS 'the document of Extended JSON that a comment is; NULL if it is none';

CREATE FUNCTION bson_collection_note(relation regclass) RETURNS bson
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
RETURN (SELECT coalesce(CASE WHEN pg_catalog.starts_with(noted, 'restored by bson-copy from '::text) THEN bson_note(nullif(pg_catalog.split_part(noted, E'\n'::text, 2), ''::text)) END, '{}'::bson)
        FROM (SELECT pg_catalog.obj_description(relation::oid, 'pg_class'::name) AS noted) AS n);
COMMENT ON FUNCTION bson_collection_note(regclass) IS 'what the comment on a table that bson-copy or bsond made says of its collection: options, and indexes that have no equal in PostgreSQL';

CREATE FUNCTION bson_list_collections(schema text) RETURNS TABLE (name text, type text, options bson, relation regclass)
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT CASE WHEN pg_catalog.starts_with(noted, 'restored by bson-copy from '::text) AND pg_catalog.strpos(space, '.'::text) OPERATOR(pg_catalog.>) 0
               THEN pg_catalog.substr(space, pg_catalog.strpos(space, '.'::text) OPERATOR(pg_catalog.+) 1) ELSE c.relname::text END,
        CASE WHEN c.relkind OPERATOR(pg_catalog.=) 'v'::"char" THEN 'view'::text ELSE 'collection'::text END,
        CASE bson_typeof(options) WHEN 'object'::text THEN options ELSE '{}'::bson END || coalesce((
            SELECT bson_note(pg_catalog.obj_description(o.oid, 'pg_constraint'::name)) FROM pg_catalog.pg_constraint AS o
            WHERE o.conrelid OPERATOR(pg_catalog.=) c.oid AND o.contype OPERATOR(pg_catalog.=) 'c'::"char"
              AND pg_catalog.obj_description(o.oid, 'pg_constraint'::name) OPERATOR(pg_catalog.~~) '{"validat%'::text ORDER BY o.oid LIMIT 1), '{}'::bson),
        c.oid::regclass
    FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace,
        LATERAL (SELECT pg_catalog.obj_description(c.oid, 'pg_class'::name) AS noted, bson_collection_note(c.oid::regclass) -> 'options'::text AS options) AS d, LATERAL (SELECT pg_catalog.split_part(pg_catalog.substr(noted, 28), E'\n'::text, 1) AS space) AS s
    WHERE n.nspname OPERATOR(pg_catalog.=) $1::name AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,v,m,f}'::"char"[]) AND NOT c.relispartition
      AND EXISTS (SELECT FROM pg_catalog.pg_attribute AS a WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
                  AND a.atttypid OPERATOR(pg_catalog.=) 'bson'::regtype::oid)
    ORDER BY 1;
END;
COMMENT ON FUNCTION bson_list_collections(text) IS 'tables and views of a schema that have a column of type bson, as MongoDB''s listCollections shows them';

CREATE FUNCTION bson_list_indexes(relation regclass) RETURNS TABLE (spec bson, index regclass)
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT s.spec, s.index FROM (
        SELECT '{"v": 2, "key": {"_id": 1}, "name": "_id_"}'::bson AS spec, (SELECT i.indexrelid::regclass
            FROM pg_catalog.pg_index AS i WHERE i.indrelid OPERATOR(pg_catalog.=) $1::oid AND i.indisunique AND i.indisvalid AND i.indnatts OPERATOR(pg_catalog.=) 1::smallint AND i.indpred IS NULL
              -- not one that is listed by its specification
              AND bson_note(pg_catalog.obj_description(i.indexrelid, 'pg_class'::name)) IS NULL
              -- the expression as it is stored: what deparses it opens the table, which another session may be dropping
              AND i.indexprs::text OPERATOR(pg_catalog.~) ('^\(\{OPEXPR :opno '::text OPERATOR(pg_catalog.||) '->(bson,text)'::regoperator::oid::text
                OPERATOR(pg_catalog.||) ' [^{]*:args \(\{VAR [^}]*\} \{CONST [^}]*:constvalue 7 \[ [0-9 ]* 95 105 100 \]\}\)[^{]*$'::text) ORDER BY i.indexrelid LIMIT 1) AS index, 0 AS place
        WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_index AS i WHERE i.indrelid OPERATOR(pg_catalog.=) $1::oid
            AND pg_catalog.obj_description(i.indexrelid, 'pg_class'::name) OPERATOR(pg_catalog.~~) '{%"name": "\_id\_"%'::text)
        UNION ALL
        SELECT noted, i.indexrelid::regclass, 1 FROM pg_catalog.pg_index AS i, LATERAL (SELECT bson_note(pg_catalog.obj_description(i.indexrelid, 'pg_class'::name)) AS noted) AS d
        WHERE i.indrelid OPERATOR(pg_catalog.=) $1::oid AND bson_typeof(noted -> 'key'::text) OPERATOR(pg_catalog.=) 'object'::text
        UNION ALL
        SELECT e.value, NULL::regclass, 2 FROM (SELECT bson_collection_note($1) -> 'indexes'::text AS list) AS n,
            bson_array_elements(CASE bson_typeof(list) WHEN 'array'::text THEN list ELSE '[]'::bson END) AS e(value) WHERE bson_typeof(e.value -> 'key'::text) OPERATOR(pg_catalog.=) 'object'::text) AS s
    ORDER BY s.place, s.index::oid;
END;
COMMENT ON FUNCTION bson_list_indexes(regclass) IS 'indexes of a table as MongoDB''s createIndexes was asked for them: that on _id, those of bson_create_index_sql, and those that have no equal';


-- What the functions are for that only the server calls
COMMENT ON FUNCTION bson_in(cstring) IS 'I/O: the value that a text spells';
COMMENT ON FUNCTION bson_out(bson) IS 'I/O: the text of a value, from which the same bytes can be read';
COMMENT ON FUNCTION bson_recv(internal) IS 'I/O: the value of bytes that a client sends, which are checked';
COMMENT ON FUNCTION bson_send(bson) IS 'I/O: the bytes of a value, one BSON document';
COMMENT ON FUNCTION bson_agg_transfn(internal, anyelement) IS 'aggregate transition function of bson_agg';
COMMENT ON FUNCTION bson_agg_transfn(internal, bson) IS 'aggregate transition function of bson_agg';
COMMENT ON FUNCTION bson_agg_transfn(internal, jsonb) IS 'aggregate transition function of bson_agg';
COMMENT ON FUNCTION bson_agg_strict_transfn(internal, anyelement) IS 'aggregate transition function of bson_agg_strict';
COMMENT ON FUNCTION bson_agg_strict_transfn(internal, bson) IS 'aggregate transition function of bson_agg_strict';
COMMENT ON FUNCTION bson_agg_strict_transfn(internal, jsonb) IS 'aggregate transition function of bson_agg_strict';
COMMENT ON FUNCTION bson_agg_finalfn(internal) IS 'aggregate final function of bson_agg and bson_agg_strict';
COMMENT ON FUNCTION bson_agg_combine(internal, internal) IS 'aggregate combine function of aggregates that collect values';
COMMENT ON FUNCTION bson_agg_serial(internal) IS 'aggregate serial function of aggregates that collect values';
COMMENT ON FUNCTION bson_agg_deserial(bytea, internal) IS 'aggregate deserial function of aggregates that collect values';
COMMENT ON FUNCTION bson_object_agg_transfn(internal, "any", "any") IS 'aggregate transition function of bson_object_agg and bson_object_agg_unique';
COMMENT ON FUNCTION bson_object_agg_transfn(internal, text, bson) IS 'aggregate transition function of bson_object_agg and bson_object_agg_unique';
COMMENT ON FUNCTION bson_object_agg_strict_transfn(internal, "any", "any") IS 'aggregate transition function of bson_object_agg_strict';
COMMENT ON FUNCTION bson_object_agg_strict_transfn(internal, text, bson) IS 'aggregate transition function of bson_object_agg_strict';
COMMENT ON FUNCTION bson_object_agg_unique_strict_transfn(internal, "any", "any") IS 'aggregate transition function of bson_object_agg_unique_strict';
COMMENT ON FUNCTION bson_object_agg_unique_strict_transfn(internal, text, bson) IS 'aggregate transition function of bson_object_agg_unique_strict';
COMMENT ON FUNCTION bson_object_agg_finalfn(internal) IS 'aggregate final function of bson_object_agg and bson_object_agg_strict';
COMMENT ON FUNCTION bson_object_agg_unique_finalfn(internal) IS 'aggregate final function of bson_object_agg_unique and bson_object_agg_unique_strict';
COMMENT ON FUNCTION bson_sum_transfn(internal, bson) IS 'aggregate transition function of sum and avg';
COMMENT ON FUNCTION bson_sum_transfn(internal, bson, text[]) IS 'aggregate transition function of sums and averages of the numbers at a path';
COMMENT ON FUNCTION bson_sum_invfn(internal, bson) IS 'aggregate inverse transition function of sum and avg';
COMMENT ON FUNCTION bson_sum_invfn(internal, bson, text[]) IS 'aggregate inverse transition function of sums and averages of the numbers at a path';
COMMENT ON FUNCTION bson_sum_combine(internal, internal) IS 'aggregate combine function of sums and averages';
COMMENT ON FUNCTION bson_sum_serial(internal) IS 'aggregate serial function of sums and averages';
COMMENT ON FUNCTION bson_sum_deserial(bytea, internal) IS 'aggregate deserial function of sums and averages';
COMMENT ON FUNCTION bson_sum_finalfn(internal) IS 'aggregate final function of sums';
COMMENT ON FUNCTION bson_avg_finalfn(internal) IS 'aggregate final function of averages';
COMMENT ON FUNCTION bson_first_transfn(bson, bson) IS 'aggregate transition function of bson_first';
COMMENT ON FUNCTION bson_first_combine(bson, bson) IS 'aggregate combine function of bson_first';
COMMENT ON FUNCTION bson_last_transfn(bson, bson) IS 'aggregate transition function of bson_last';
COMMENT ON FUNCTION bson_last_combine(bson, bson) IS 'aggregate combine function of bson_last';
COMMENT ON FUNCTION bson_min_transfn(bson, bson) IS 'aggregate transition function of bson_min';
COMMENT ON FUNCTION bson_max_transfn(bson, bson) IS 'aggregate transition function of bson_max';
COMMENT ON FUNCTION bson_top_transfn(internal, bson, bson, bson) IS 'aggregate transition function of bson_top';
COMMENT ON FUNCTION bson_bottom_transfn(internal, bson, bson, bson, boolean) IS 'aggregate transition function of bson_bottom';
COMMENT ON FUNCTION bson_top_finalfn(internal) IS 'aggregate final function of bson_top and bson_bottom';
COMMENT ON FUNCTION bson_integral_transfn(internal, bson, bson, text) IS 'aggregate transition function of bson_integral';
COMMENT ON FUNCTION bson_integral_finalfn(internal) IS 'aggregate final function of bson_integral';
COMMENT ON FUNCTION bson_covar_transfn(internal, bson, bson) IS 'aggregate transition function of bson_covar_pop and bson_covar_samp';
COMMENT ON FUNCTION bson_covar_pop_finalfn(internal) IS 'aggregate final function of bson_covar_pop';
COMMENT ON FUNCTION bson_covar_samp_finalfn(internal) IS 'aggregate final function of bson_covar_samp';

-- The getters named as in pgbson take one dotted path, the others a key after the other
COMMENT ON FUNCTION bson_get_string(bson, text) IS 'pgbson: string at a path with dots, ''a.b''; NULL if it is anything else. bson_get_text takes keys';
COMMENT ON FUNCTION bson_get_datetime(bson, text) IS 'pgbson: date at a path with dots, ''a.b'', in UTC; NULL if it is anything else. bson_get_timestamptz takes keys';
COMMENT ON FUNCTION bson_get_decimal128(bson, text) IS 'pgbson: number at a path with dots, ''a.b'', as numeric; NULL if it is anything else. bson_get_numeric takes keys';
COMMENT ON FUNCTION bson_get_int32(bson, text) IS 'pgbson: number that is exactly an integer at a path with dots, ''a.b''; NULL if it is anything else. bson_get_int4 takes keys';
COMMENT ON FUNCTION bson_get_int64(bson, text) IS 'pgbson: number that is exactly a bigint at a path with dots, ''a.b''; NULL if it is anything else. bson_get_int8 takes keys';
COMMENT ON FUNCTION bson_get_double(bson, text) IS 'pgbson: number that is exactly a double precision at a path with dots, ''a.b''; NULL if it is anything else. bson_get_float8 takes keys';
COMMENT ON FUNCTION bson_get_binary(bson, text) IS 'pgbson: binary value at a path with dots, ''a.b''; NULL if it is anything else. bson_get_bytea takes keys';
COMMENT ON FUNCTION bson_get_boolean(bson, text) IS 'pgbson: boolean at a path with dots, ''a.b''; NULL if it is anything else. bson_get_bool takes keys';
COMMENT ON FUNCTION bson_get_bson(bson, text) IS 'pgbson: value at a path with dots, ''a.b''. With another number of keys, or VARIADIC, bson_get_bson takes keys';
COMMENT ON FUNCTION bson_get_jsonb_array(bson, text) IS 'pgbson: array at a path with dots, ''a.b'', as jsonb; NULL if it is anything else';

-- The arrays of accumulators and stages of pipelines

CREATE FUNCTION bson_accumulate_transfn(internal, bson, text) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_accumulate_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_accumulate_finalfn(internal) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_accumulate_finalfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE bson_accumulate(value bson, accumulator text) (
    SFUNC = bson_accumulate_transfn,
    STYPE = internal,
    FINALFUNC = bson_accumulate_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON FUNCTION bson_accumulate_transfn(internal, bson, text) IS 'aggregate transition function of bson_accumulate';
COMMENT ON FUNCTION bson_accumulate_finalfn(internal) IS 'aggregate final function of bson_accumulate';
COMMENT ON AGGREGATE bson_accumulate(bson, text) IS 'values of all rows as a bson array, without the NULLs; pipelines call it for this accumulator or stage of MongoDB, whose array must not exceed bson.memory_limit; for $addToSet each value once';

CREATE FUNCTION bson_sum_transfn(internal, bson, bson) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_sum_eval_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;

CREATE AGGREGATE bson_sum(document bson, expression bson) (
    SFUNC = bson_sum_transfn,
    STYPE = internal,
    SSPACE = 96,
    FINALFUNC = bson_sum_finalfn,
    COMBINEFUNC = bson_sum_combine,
    SERIALFUNC = bson_sum_serial,
    DESERIALFUNC = bson_sum_deserial,
    PARALLEL = SAFE
);

CREATE AGGREGATE bson_avg(document bson, expression bson) (
    SFUNC = bson_sum_transfn,
    STYPE = internal,
    SSPACE = 96,
    FINALFUNC = bson_avg_finalfn,
    COMBINEFUNC = bson_sum_combine,
    SERIALFUNC = bson_sum_serial,
    DESERIALFUNC = bson_sum_deserial,
    PARALLEL = SAFE
);
COMMENT ON FUNCTION bson_sum_transfn(internal, bson, bson) IS 'aggregate transition function of bson_sum and bson_avg';
COMMENT ON AGGREGATE bson_sum(bson, bson) IS 'sum of the numbers that a MongoDB aggregation expression has for the documents of all rows; NULL if there is none';
COMMENT ON AGGREGATE bson_avg(bson, bson) IS 'mean of the numbers that a MongoDB aggregation expression has for the documents of all rows; NULL if there is none';

CREATE FUNCTION bson_unmatched(document bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_unmatched'
    LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION bson_unmatched(bson) IS 'raises the error of a MongoDB $merge with whenNotMatched "fail" for a document that matches none';

-- Pipelines as joins, columns and conditions

CREATE FUNCTION bson_eval_match(doc bson, expression bson, query bson, variables bson DEFAULT NULL) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_eval_match'
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION bson_eval_match(bson, bson, bson, bson) IS 'does the value of a MongoDB aggregation expression for a document, a document itself, meet a MongoDB query?';

CREATE FUNCTION bson_lookup_value(doc bson, local_field text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_lookup_value'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_lookup_value(bson, text) IS 'the value at a dotted path that the $lookup of a MongoDB pipeline looks for; NULL if it looks for several';

CREATE FUNCTION bson_lookup_alone_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_lookup_alone_support'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_lookup_alone_support(internal) IS 'planner support function of bson_lookup_alone';

CREATE FUNCTION bson_lookup_alone(doc bson, local_field text) RETURNS SETOF bson
    AS 'MODULE_PATHNAME', 'pgbson_lookup_alone'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1
    SUPPORT bson_lookup_alone_support;
COMMENT ON FUNCTION bson_lookup_alone(bson, text) IS 'the same as bson_lookup_each; only for SELECT lists without other set-returning functions';

CREATE FUNCTION bson_unwind_places(doc bson, unwind bson) RETURNS SETOF bson
    AS 'MODULE_PATHNAME', 'pgbson_unwind_places'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION bson_unwind_places(bson, bson) IS 'places in the array of the values of bson_unwind_values; null for a value that is no array';

-- mongodb --------------------------------------------------------------

-- these try a shorter text in a subtransaction, which a parallel query cannot have, and so gave another text there
ALTER FUNCTION bson_pipeline_sql(regclass, bson, name) PARALLEL UNSAFE;
ALTER FUNCTION bson_find_sql(regclass, bson, bson, bson, bigint, bigint, name) PARALLEL UNSAFE;
ALTER FUNCTION bson_update_sql(regclass, bson, bson, bson, name) PARALLEL UNSAFE;
ALTER FUNCTION bson_delete_sql(regclass, bson, bson, name) PARALLEL UNSAFE;
ALTER FUNCTION bson_find_and_modify_sql(regclass, bson, name) PARALLEL UNSAFE;
ALTER FUNCTION bson_distinct_sql(regclass, bson, text, name) PARALLEL UNSAFE;
ALTER FUNCTION bson_count_sql(regclass, bson, name) PARALLEL UNSAFE;

-- Documents as MongoDB's insert stores them

CREATE FUNCTION bson_with_id(document bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_with_id'
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_with_id(bson) IS 'document as MongoDB''s insert stores it: its _id comes first, and is a new ObjectId if there was none; an error for an _id that MongoDB cannot store';

-- shapes: statements with parameters, to be prepared once for all commands that differ in their constants only

CREATE FUNCTION bson_find_shape(relation regclass, filter bson DEFAULT NULL, projection bson DEFAULT NULL, sort bson DEFAULT NULL, skip bigint DEFAULT NULL, "limit" bigint DEFAULT NULL,
        column_name name DEFAULT NULL, let bson DEFAULT NULL, collation bson DEFAULT NULL, OUT statement text, OUT parameters integer[], OUT constants integer[])
    AS 'MODULE_PATHNAME', 'pgbson_find_shape'
    LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION bson_find_shape(regclass, bson, bson, bson, bigint, bigint, name, bson, bson) IS 'statement of MongoDB''s find to be prepared, which of the filter''s values its parameters are, and which of these may have other values';

CREATE FUNCTION bson_distinct_shape(relation regclass, filter bson, field text, column_name name DEFAULT NULL, let bson DEFAULT NULL, collation bson DEFAULT NULL, OUT statement text, OUT parameters integer[], OUT constants integer[])
    AS 'MODULE_PATHNAME', 'pgbson_distinct_shape'
    LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION bson_distinct_shape(regclass, bson, text, name, bson, bson) IS 'the same of MongoDB''s distinct as bson_find_shape';

CREATE FUNCTION bson_pipeline_shape(relation regclass, pipeline bson, column_name name DEFAULT NULL, let bson DEFAULT NULL, collation bson DEFAULT NULL, OUT statement text, OUT parameters integer[], OUT constants integer[])
    AS 'MODULE_PATHNAME', 'pgbson_pipeline_shape'
    LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION bson_pipeline_shape(regclass, bson, name, bson, bson) IS 'the same of a MongoDB pipeline; its parameters are of a $match that it begins with';

CREATE FUNCTION bson_delete_shape(relation regclass, filter bson, column_name name DEFAULT NULL, let bson DEFAULT NULL, collation bson DEFAULT NULL, OUT statement text, OUT parameters integer[], OUT constants integer[])
    AS 'MODULE_PATHNAME', 'pgbson_delete_shape'
    LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION bson_delete_shape(regclass, bson, name, bson, bson) IS 'the same of a deletion of all documents that the filter finds';

CREATE FUNCTION bson_shape_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_shape_support'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_shape_support(internal) IS 'planner support: looks at the indexes once for each plan, as the server plans again when they change';

CREATE FUNCTION bson_shape_holds(relation regclass, signature bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_shape_holds'
    LANGUAGE C STABLE STRICT PARALLEL RESTRICTED SUPPORT bson_shape_support;
COMMENT ON FUNCTION bson_shape_holds(regclass, bigint) IS 'true if the table has the indexes that a statement was made for, else an error';

-- text search ----------------------------------------------------------

CREATE FUNCTION bson_tsvector(document bson, spec bson) RETURNS tsvector
    AS 'MODULE_PATHNAME', 'pgbson_tsvector'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION bson_tsvector(bson, bson) IS 'words of a document that MongoDB''s text index of this specification has';

CREATE FUNCTION bson_tsquery(spec bson, search bson) RETURNS tsquery
    AS 'MODULE_PATHNAME', 'pgbson_tsquery'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_tsquery(bson, bson) IS 'words that the operand of MongoDB''s $text asks for';

CREATE FUNCTION bson_text_matches(document bson, spec bson, search bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_text_matches'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION bson_text_matches(bson, bson, bson) IS 'has a document that bson_tsquery finds the phrases of $text, and its case or diacritics, if these count?';

CREATE FUNCTION bson_text_score(document bson, spec bson, search bson) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_text_score'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION bson_text_score(bson, bson, bson) IS 'score of a document for $text, by ts_rank';

-- collations -----------------------------------------------------------

-- with the rights of the owner of the extension, as a reader needs it to find and sort; it makes no other collation
-- than one of ICU for a locale that the server knows, in the schema of the extension
CREATE FUNCTION bson_collation(spec bson) RETURNS regcollation
    AS 'MODULE_PATHNAME', 'pgbson_collation'
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
COMMENT ON FUNCTION bson_collation(bson) IS 'collation of PostgreSQL that compares as MongoDB''s collation of this specification, made when it is first asked for; NULL for the locale "simple"';

CREATE TYPE bson_collated;

CREATE FUNCTION bson_collated_in(cstring) RETURNS bson_collated
    AS 'MODULE_PATHNAME', 'pgbson_in'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_in(cstring) IS 'I/O';

CREATE FUNCTION bson_collated_out(bson_collated) RETURNS cstring
    AS 'MODULE_PATHNAME', 'pgbson_out'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_out(bson_collated) IS 'I/O';

CREATE FUNCTION bson_collated_recv(internal) RETURNS bson_collated
    AS 'MODULE_PATHNAME', 'pgbson_recv'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_recv(internal) IS 'I/O';

CREATE FUNCTION bson_collated_send(bson_collated) RETURNS bytea
    AS 'MODULE_PATHNAME', 'pgbson_send'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_send(bson_collated) IS 'I/O';

CREATE TYPE bson_collated (
    INPUT = bson_collated_in,
    OUTPUT = bson_collated_out,
    RECEIVE = bson_collated_recv,
    SEND = bson_collated_send,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = int4,
    STORAGE = extended,
    COLLATABLE = true
);
COMMENT ON TYPE bson_collated IS 'bson values that sort, group and are equal by a collation: d::bson_collated COLLATE "name"';

CREATE FUNCTION bson_collate(value bson) RETURNS bson_collated
    AS 'MODULE_PATHNAME', 'pgbson_collate'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collate(bson) IS 'the value, to be compared by a collation';

CREATE FUNCTION bson_uncollated(value bson_collated) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_uncollated'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_uncollated(bson_collated) IS 'the value that is compared by a collation; of a sort key the first';

CREATE CAST (bson AS bson_collated) WITH FUNCTION bson_collate(bson);
CREATE CAST (bson_collated AS bson) WITH FUNCTION bson_uncollated(bson_collated);

CREATE FUNCTION bson_collated_cmp(bson_collated, bson_collated) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_collated_cmp'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_cmp(bson_collated, bson_collated) IS 'less than, equal or greater than, as a negative number, 0 or a positive one';

CREATE FUNCTION bson_collated_hash(bson_collated) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_collated_hash'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_hash(bson_collated) IS 'hash';

CREATE FUNCTION bson_collated_hash_extended(bson_collated, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'pgbson_collated_hash_extended'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_hash_extended(bson_collated, bigint) IS 'hash';

CREATE FUNCTION bson_collated_lt(bson_collated, bson_collated) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_collated_lt'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_lt(bson_collated, bson_collated) IS 'implementation of < operator';

CREATE FUNCTION bson_collated_le(bson_collated, bson_collated) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_collated_le'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_le(bson_collated, bson_collated) IS 'implementation of <= operator';

CREATE FUNCTION bson_collated_eq(bson_collated, bson_collated) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_collated_eq'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_eq(bson_collated, bson_collated) IS 'implementation of = operator';

CREATE FUNCTION bson_collated_ne(bson_collated, bson_collated) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_collated_ne'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_ne(bson_collated, bson_collated) IS 'implementation of <> operator';

CREATE FUNCTION bson_collated_ge(bson_collated, bson_collated) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_collated_ge'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_ge(bson_collated, bson_collated) IS 'implementation of >= operator';

CREATE FUNCTION bson_collated_gt(bson_collated, bson_collated) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_collated_gt'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_gt(bson_collated, bson_collated) IS 'implementation of > operator';

CREATE OPERATOR < (LEFTARG = bson_collated, RIGHTARG = bson_collated, FUNCTION = bson_collated_lt, COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = bson_collated, RIGHTARG = bson_collated, FUNCTION = bson_collated_le, COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR = (LEFTARG = bson_collated, RIGHTARG = bson_collated, FUNCTION = bson_collated_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (LEFTARG = bson_collated, RIGHTARG = bson_collated, FUNCTION = bson_collated_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
CREATE OPERATOR >= (LEFTARG = bson_collated, RIGHTARG = bson_collated, FUNCTION = bson_collated_ge, COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR > (LEFTARG = bson_collated, RIGHTARG = bson_collated, FUNCTION = bson_collated_gt, COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR < (bson_collated, bson_collated) IS 'less than, by the collation';
COMMENT ON OPERATOR <= (bson_collated, bson_collated) IS 'less than or equal, by the collation';
COMMENT ON OPERATOR = (bson_collated, bson_collated) IS 'equal, by the collation';
COMMENT ON OPERATOR <> (bson_collated, bson_collated) IS 'not equal, by the collation';
COMMENT ON OPERATOR >= (bson_collated, bson_collated) IS 'greater than or equal, by the collation';
COMMENT ON OPERATOR > (bson_collated, bson_collated) IS 'greater than, by the collation';

CREATE OPERATOR CLASS bson_collated_ops
    DEFAULT FOR TYPE bson_collated USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 bson_collated_cmp(bson_collated, bson_collated);
COMMENT ON OPERATOR CLASS bson_collated_ops USING btree IS 'equality and order by a collation';

CREATE OPERATOR CLASS bson_collated_ops
    DEFAULT FOR TYPE bson_collated USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 bson_collated_hash(bson_collated),
    FUNCTION 2 bson_collated_hash_extended(bson_collated, bigint);
COMMENT ON OPERATOR CLASS bson_collated_ops USING hash IS 'equality by a collation';

CREATE FUNCTION bson_collated_match(by text, doc bson, query bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_collated_match'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION bson_collated_match(text, bson, bson) IS 'doc @~ query, whose strings are compared by the collation of the first argument';

CREATE FUNCTION bson_collated_eval(by text, doc bson, expression bson, variables bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_collated_eval'
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION bson_collated_eval(text, bson, bson, bson) IS 'bson_eval, which compares strings by the collation of the first argument';

CREATE FUNCTION bson_collated_transform(by text, doc bson, stages bson, variables bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_collated_transform'
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION bson_collated_transform(text, bson, bson, bson) IS 'bson_transform, which compares strings by the collation of the first argument';

CREATE FUNCTION bson_collated_redact(by text, doc bson, expression bson, variables bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_collated_redact'
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION bson_collated_redact(text, bson, bson, bson) IS 'bson_redact, which compares strings by the collation of the first argument';

CREATE FUNCTION bson_collated_let(by text, doc bson, variables bson, known bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_collated_let'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_let(text, bson, bson, bson) IS 'bson_let, which compares strings by the collation of the first argument';

CREATE FUNCTION bson_collated_project(by text, doc bson, projection bson, query bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_collated_project'
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION bson_collated_project(text, bson, bson, bson) IS 'bson_project, which compares strings by the collation of the first argument';

CREATE FUNCTION bson_collated_update(by text, doc bson, update bson, query bson DEFAULT NULL, array_filters bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_collated_update'
    LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_update(text, bson, bson, bson, bson) IS 'bson_update, which compares strings by the collation of the first argument';

CREATE FUNCTION bson_collated_sort_key(by text, doc bson, sort bson) RETURNS bson_collated
    AS 'MODULE_PATHNAME', 'pgbson_collated_sort_key'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_sort_key(text, bson, bson) IS 'bson_sort_key, whose order is that of the collation of the first argument';

CREATE FUNCTION bson_collated_bucket(by text, value bson, boundaries bson[]) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_collated_bucket'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_bucket(text, bson, bson[]) IS 'bson_bucket, which compares strings by the collation of the first argument';

CREATE FUNCTION bson_collated_min_transfn(bson_collated, bson_collated) RETURNS bson_collated
    AS 'MODULE_PATHNAME', 'pgbson_collated_min_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_min_transfn(bson_collated, bson_collated) IS 'aggregate transition function of bson_collated_min';

CREATE FUNCTION bson_collated_max_transfn(bson_collated, bson_collated) RETURNS bson_collated
    AS 'MODULE_PATHNAME', 'pgbson_collated_max_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_collated_max_transfn(bson_collated, bson_collated) IS 'aggregate transition function of bson_collated_max';

CREATE AGGREGATE bson_collated_min(bson_collated) (
    SFUNC = bson_collated_min_transfn,
    STYPE = bson_collated,
    COMBINEFUNC = bson_collated_min_transfn,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_collated_min(bson_collated) IS 'smallest value of all rows by the collation that is not null; NULL if there is none';

CREATE AGGREGATE bson_collated_max(bson_collated) (
    SFUNC = bson_collated_max_transfn,
    STYPE = bson_collated,
    COMBINEFUNC = bson_collated_max_transfn,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_collated_max(bson_collated) IS 'greatest value of all rows by the collation that is not null; NULL if there is none';

-- geometry -------------------------------------------------------------

CREATE FUNCTION bson_geography(document bson, path text, checked boolean) RETURNS bytea
    AS 'MODULE_PATHNAME', 'pgbson_geography'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION bson_geography(bson, text, boolean) IS 'all that is GeoJSON or a pair of longitude and latitude at a dotted path, as WKB for ST_GeogFromWKB; checked: something else there is an error';

CREATE FUNCTION bson_geometry(document bson, path text, checked boolean) RETURNS bytea
    AS 'MODULE_PATHNAME', 'pgbson_geometry'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION bson_geometry(bson, text, boolean) IS 'all points at a dotted path, pairs of numbers or of GeoJSON, as WKB for ST_GeomFromWKB; checked: something else there is an error';

CREATE FUNCTION bson_geo_values(document bson, path text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_geo_values'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION bson_geo_values(bson, text) IS 'array of all that is GeoJSON or a pair of longitude and latitude at a dotted path';

CREATE FUNCTION bson_update_description(before bson, after bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_update_description'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_update_description(bson, bson) IS 'what an update has changed, as MongoDB''s change streams tell it; NULL if names of fields cannot tell it';
