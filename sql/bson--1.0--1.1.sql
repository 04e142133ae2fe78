/* bson 1.1: what is new since 1.0; a fresh installation runs this script after that of 1.0 */

-- complain if the script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION bson UPDATE" to load this file. \quit

-- pipelines and finds with variables of the command, MongoDB's let; the arguments before have no defaults, so no call of 1.0 is ambiguous

CREATE FUNCTION bson_find_sql(relation regclass, filter bson, projection bson, sort bson, skip bigint, "limit" bigint, column_name name, let bson) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_find_sql'
    LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION bson_find_sql(regclass, bson, bson, bson, bigint, bigint, name, bson) IS 'SQL statement that does what MongoDB''s find with variables (let) does';

CREATE FUNCTION bson_pipeline_sql(relation regclass, pipeline bson, column_name name, let bson) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_pipeline_sql'
    LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION bson_pipeline_sql(regclass, bson, name, bson) IS 'SQL statement that does what a MongoDB pipeline with variables (let) does';

CREATE FUNCTION bson_aggregate(relation regclass, pipeline bson, column_name name, let bson) RETURNS SETOF bson
    AS 'MODULE_PATHNAME', 'pgbson_aggregate'
    LANGUAGE C STABLE PARALLEL RESTRICTED SUPPORT bson_aggregate_support;
COMMENT ON FUNCTION bson_aggregate(regclass, bson, name, bson) IS 'documents that a MongoDB pipeline with variables (let) returns, run with the rights of the caller';
