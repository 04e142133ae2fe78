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

CREATE FUNCTION bson_eq(bson, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_eq'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_eq(bson, bson) IS 'implementation of = operator';

CREATE FUNCTION bson_ne(bson, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ne'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ne(bson, bson) IS 'implementation of <> operator';

CREATE FUNCTION bson_lt(bson, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_lt'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_lt(bson, bson) IS 'implementation of < operator';

CREATE FUNCTION bson_le(bson, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_le'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_le(bson, bson) IS 'implementation of <= operator';

CREATE FUNCTION bson_gt(bson, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_gt'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gt(bson, bson) IS 'implementation of > operator';

CREATE FUNCTION bson_ge(bson, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ge'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ge(bson, bson) IS 'implementation of >= operator';

CREATE FUNCTION bson_cmp(bson, bson) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_cmp'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_cmp(bson, bson) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION bson_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'pgbson_sortsupport'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_sortsupport(internal) IS 'sort support';

CREATE FUNCTION bson_hash(bson) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_hash'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash(bson) IS 'hash; equal values have equal hashes';

CREATE FUNCTION bson_hash_extended(bson, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'pgbson_hash_extended'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_extended(bson, bigint) IS '64-bit hash with a seed; equal values have equal hashes';

CREATE FUNCTION bson_identical(bson, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_identical'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_identical(bson, bson) IS 'are the stored bytes the same?';

CREATE OPERATOR = (
    FUNCTION = bson_eq,
    LEFTARG = bson,
    RIGHTARG = bson,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES,
    MERGES
);
COMMENT ON OPERATOR = (bson, bson) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = bson_ne,
    LEFTARG = bson,
    RIGHTARG = bson,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bson, bson) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = bson_lt,
    LEFTARG = bson,
    RIGHTARG = bson,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (bson, bson) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = bson_le,
    LEFTARG = bson,
    RIGHTARG = bson,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (bson, bson) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = bson_gt,
    LEFTARG = bson,
    RIGHTARG = bson,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (bson, bson) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = bson_ge,
    LEFTARG = bson,
    RIGHTARG = bson,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (bson, bson) IS 'greater than or equal';

-- no equalimage function: equal values can differ in bytes (1 and 1.0)
CREATE OPERATOR CLASS bson_ops
    DEFAULT FOR TYPE bson USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 bson_cmp(bson, bson),
    FUNCTION 2 bson_sortsupport(internal);

CREATE OPERATOR CLASS bson_ops
    DEFAULT FOR TYPE bson USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 bson_hash(bson),
    FUNCTION 2 bson_hash_extended(bson, bigint);

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
