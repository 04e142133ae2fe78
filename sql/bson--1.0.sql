/* bson 1.0: the extension's script, in sections in the order of src/sql */

-- complain if the script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION bson" to load this file. \quit

-- io -------------------------------------------------------------------

CREATE TYPE bson;

CREATE FUNCTION bson_in(cstring) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_in'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION bson_out(bson) RETURNS cstring
    AS 'MODULE_PATHNAME', 'pgbson_out'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION bson_recv(internal) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_recv'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION bson_send(bson) RETURNS bytea
    AS 'MODULE_PATHNAME', 'pgbson_send'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE bson (
    INPUT = bson_in,
    OUTPUT = bson_out,
    RECEIVE = bson_recv,
    SEND = bson_send,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = int4,
    STORAGE = extended,
    CATEGORY = 'U'
);
COMMENT ON TYPE bson IS 'a BSON document, array or scalar, stored as real BSON';

CREATE FUNCTION bson(bytea) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_from_bytea'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson(bytea) IS 'raw BSON bytes as bson, after validation';

CREATE CAST (bytea AS bson) WITH FUNCTION bson(bytea) AS ASSIGNMENT;
CREATE CAST (bson AS bytea) WITHOUT FUNCTION;

-- cast -----------------------------------------------------------------

-- operators: equality and order ------------------------------------------

-- get ------------------------------------------------------------------

-- inspect --------------------------------------------------------------

-- each -----------------------------------------------------------------

-- contain --------------------------------------------------------------

-- construct ------------------------------------------------------------

-- aggregate ------------------------------------------------------------

-- record ---------------------------------------------------------------

-- modify ---------------------------------------------------------------

-- subscript ------------------------------------------------------------

-- jsonpath -------------------------------------------------------------

-- text -----------------------------------------------------------------

-- index: gin -----------------------------------------------------------
