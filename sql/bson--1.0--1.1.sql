/* bson 1.0 to 1.1: what bson--1.1.sql has that bson--1.0.sql has not, in the same sections */

-- complain if the script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION bson UPDATE" to load this file. \quit

-- 1.1: casts and comparison with SQL's types ----------------------------

-- as an expression of type jsonb is to be taken where a bson is wanted
DROP CAST (jsonb AS bson);
CREATE CAST (jsonb AS bson) WITH FUNCTION bson(jsonb) AS IMPLICIT;
COMMENT ON CAST (jsonb AS bson) IS 'jsonb as bson, Extended JSON understood';

CREATE FUNCTION bson_smaller(bson, bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_smaller'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_smaller(bson, bson) IS 'the smaller of two values, by their order';

CREATE FUNCTION bson_larger(bson, bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_larger'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_larger(bson, bson) IS 'the larger of two values, by their order';

CREATE AGGREGATE min(bson) (
    SFUNC = bson_smaller,
    STYPE = bson,
    COMBINEFUNC = bson_smaller,
    SORTOP = <,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(bson) IS 'smallest value of all rows, by the order of bson';

CREATE AGGREGATE max(bson) (
    SFUNC = bson_larger,
    STYPE = bson,
    COMBINEFUNC = bson_larger,
    SORTOP = >,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(bson) IS 'largest value of all rows, by the order of bson';

-- bson and int4

CREATE FUNCTION bson_eq_int4(bson, int4) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_eq_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_eq_int4(bson, int4) IS 'implementation of = operator';

CREATE FUNCTION int4_eq_bson(int4, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_int4_eq_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int4_eq_bson(int4, bson) IS 'implementation of = operator';

CREATE FUNCTION bson_ne_int4(bson, int4) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ne_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ne_int4(bson, int4) IS 'implementation of <> operator';

CREATE FUNCTION int4_ne_bson(int4, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_int4_ne_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int4_ne_bson(int4, bson) IS 'implementation of <> operator';

CREATE FUNCTION bson_lt_int4(bson, int4) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_lt_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_lt_int4(bson, int4) IS 'implementation of < operator';

CREATE FUNCTION int4_lt_bson(int4, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_int4_lt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int4_lt_bson(int4, bson) IS 'implementation of < operator';

CREATE FUNCTION bson_le_int4(bson, int4) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_le_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_le_int4(bson, int4) IS 'implementation of <= operator';

CREATE FUNCTION int4_le_bson(int4, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_int4_le_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int4_le_bson(int4, bson) IS 'implementation of <= operator';

CREATE FUNCTION bson_gt_int4(bson, int4) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_gt_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gt_int4(bson, int4) IS 'implementation of > operator';

CREATE FUNCTION int4_gt_bson(int4, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_int4_gt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int4_gt_bson(int4, bson) IS 'implementation of > operator';

CREATE FUNCTION bson_ge_int4(bson, int4) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ge_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ge_int4(bson, int4) IS 'implementation of >= operator';

CREATE FUNCTION int4_ge_bson(int4, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_int4_ge_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int4_ge_bson(int4, bson) IS 'implementation of >= operator';

CREATE FUNCTION bson_cmp_int4(bson, int4) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_cmp_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_cmp_int4(bson, int4) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION int4_cmp_bson(int4, bson) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_int4_cmp_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int4_cmp_bson(int4, bson) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION bson_hash_int4(int4) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_hash_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_int4(int4) IS 'hash of the bson value that is equal';

CREATE OPERATOR = (
    FUNCTION = bson_eq_int4,
    LEFTARG = bson,
    RIGHTARG = int4,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (bson, int4) IS 'equal';

CREATE OPERATOR = (
    FUNCTION = int4_eq_bson,
    LEFTARG = int4,
    RIGHTARG = bson,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (int4, bson) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = bson_ne_int4,
    LEFTARG = bson,
    RIGHTARG = int4,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bson, int4) IS 'not equal';

CREATE OPERATOR <> (
    FUNCTION = int4_ne_bson,
    LEFTARG = int4,
    RIGHTARG = bson,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (int4, bson) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = bson_lt_int4,
    LEFTARG = bson,
    RIGHTARG = int4,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (bson, int4) IS 'less than';

CREATE OPERATOR < (
    FUNCTION = int4_lt_bson,
    LEFTARG = int4,
    RIGHTARG = bson,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (int4, bson) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = bson_le_int4,
    LEFTARG = bson,
    RIGHTARG = int4,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (bson, int4) IS 'less than or equal';

CREATE OPERATOR <= (
    FUNCTION = int4_le_bson,
    LEFTARG = int4,
    RIGHTARG = bson,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (int4, bson) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = bson_gt_int4,
    LEFTARG = bson,
    RIGHTARG = int4,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (bson, int4) IS 'greater than';

CREATE OPERATOR > (
    FUNCTION = int4_gt_bson,
    LEFTARG = int4,
    RIGHTARG = bson,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (int4, bson) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = bson_ge_int4,
    LEFTARG = bson,
    RIGHTARG = int4,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (bson, int4) IS 'greater than or equal';

CREATE OPERATOR >= (
    FUNCTION = int4_ge_bson,
    LEFTARG = int4,
    RIGHTARG = bson,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (int4, bson) IS 'greater than or equal';

ALTER OPERATOR FAMILY bson_ops USING btree ADD
    OPERATOR 1 < (bson, int4),
    OPERATOR 2 <= (bson, int4),
    OPERATOR 3 = (bson, int4),
    OPERATOR 4 >= (bson, int4),
    OPERATOR 5 > (bson, int4),
    FUNCTION 1 (bson, int4) bson_cmp_int4(bson, int4),
    OPERATOR 1 < (int4, bson),
    OPERATOR 2 <= (int4, bson),
    OPERATOR 3 = (int4, bson),
    OPERATOR 4 >= (int4, bson),
    OPERATOR 5 > (int4, bson),
    FUNCTION 1 (int4, bson) int4_cmp_bson(int4, bson),
    FUNCTION 1 (int4, int4) btint4cmp(int4, int4);

ALTER OPERATOR FAMILY bson_ops USING hash ADD
    OPERATOR 1 = (bson, int4),
    OPERATOR 1 = (int4, bson),
    OPERATOR 1 = (int4, int4),
    FUNCTION 1 (int4, int4) bson_hash_int4(int4);

-- bson and int8

CREATE FUNCTION bson_eq_int8(bson, int8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_eq_int8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_eq_int8(bson, int8) IS 'implementation of = operator';

CREATE FUNCTION int8_eq_bson(int8, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_int8_eq_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int8_eq_bson(int8, bson) IS 'implementation of = operator';

CREATE FUNCTION bson_ne_int8(bson, int8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ne_int8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ne_int8(bson, int8) IS 'implementation of <> operator';

CREATE FUNCTION int8_ne_bson(int8, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_int8_ne_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int8_ne_bson(int8, bson) IS 'implementation of <> operator';

CREATE FUNCTION bson_lt_int8(bson, int8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_lt_int8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_lt_int8(bson, int8) IS 'implementation of < operator';

CREATE FUNCTION int8_lt_bson(int8, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_int8_lt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int8_lt_bson(int8, bson) IS 'implementation of < operator';

CREATE FUNCTION bson_le_int8(bson, int8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_le_int8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_le_int8(bson, int8) IS 'implementation of <= operator';

CREATE FUNCTION int8_le_bson(int8, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_int8_le_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int8_le_bson(int8, bson) IS 'implementation of <= operator';

CREATE FUNCTION bson_gt_int8(bson, int8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_gt_int8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gt_int8(bson, int8) IS 'implementation of > operator';

CREATE FUNCTION int8_gt_bson(int8, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_int8_gt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int8_gt_bson(int8, bson) IS 'implementation of > operator';

CREATE FUNCTION bson_ge_int8(bson, int8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ge_int8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ge_int8(bson, int8) IS 'implementation of >= operator';

CREATE FUNCTION int8_ge_bson(int8, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_int8_ge_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int8_ge_bson(int8, bson) IS 'implementation of >= operator';

CREATE FUNCTION bson_cmp_int8(bson, int8) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_cmp_int8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_cmp_int8(bson, int8) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION int8_cmp_bson(int8, bson) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_int8_cmp_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int8_cmp_bson(int8, bson) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION bson_hash_int8(int8) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_hash_int8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_int8(int8) IS 'hash of the bson value that is equal';

CREATE OPERATOR = (
    FUNCTION = bson_eq_int8,
    LEFTARG = bson,
    RIGHTARG = int8,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (bson, int8) IS 'equal';

CREATE OPERATOR = (
    FUNCTION = int8_eq_bson,
    LEFTARG = int8,
    RIGHTARG = bson,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (int8, bson) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = bson_ne_int8,
    LEFTARG = bson,
    RIGHTARG = int8,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bson, int8) IS 'not equal';

CREATE OPERATOR <> (
    FUNCTION = int8_ne_bson,
    LEFTARG = int8,
    RIGHTARG = bson,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (int8, bson) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = bson_lt_int8,
    LEFTARG = bson,
    RIGHTARG = int8,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (bson, int8) IS 'less than';

CREATE OPERATOR < (
    FUNCTION = int8_lt_bson,
    LEFTARG = int8,
    RIGHTARG = bson,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (int8, bson) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = bson_le_int8,
    LEFTARG = bson,
    RIGHTARG = int8,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (bson, int8) IS 'less than or equal';

CREATE OPERATOR <= (
    FUNCTION = int8_le_bson,
    LEFTARG = int8,
    RIGHTARG = bson,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (int8, bson) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = bson_gt_int8,
    LEFTARG = bson,
    RIGHTARG = int8,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (bson, int8) IS 'greater than';

CREATE OPERATOR > (
    FUNCTION = int8_gt_bson,
    LEFTARG = int8,
    RIGHTARG = bson,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (int8, bson) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = bson_ge_int8,
    LEFTARG = bson,
    RIGHTARG = int8,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (bson, int8) IS 'greater than or equal';

CREATE OPERATOR >= (
    FUNCTION = int8_ge_bson,
    LEFTARG = int8,
    RIGHTARG = bson,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (int8, bson) IS 'greater than or equal';

ALTER OPERATOR FAMILY bson_ops USING btree ADD
    OPERATOR 1 < (bson, int8),
    OPERATOR 2 <= (bson, int8),
    OPERATOR 3 = (bson, int8),
    OPERATOR 4 >= (bson, int8),
    OPERATOR 5 > (bson, int8),
    FUNCTION 1 (bson, int8) bson_cmp_int8(bson, int8),
    OPERATOR 1 < (int8, bson),
    OPERATOR 2 <= (int8, bson),
    OPERATOR 3 = (int8, bson),
    OPERATOR 4 >= (int8, bson),
    OPERATOR 5 > (int8, bson),
    FUNCTION 1 (int8, bson) int8_cmp_bson(int8, bson),
    FUNCTION 1 (int8, int8) btint8cmp(int8, int8);

ALTER OPERATOR FAMILY bson_ops USING hash ADD
    OPERATOR 1 = (bson, int8),
    OPERATOR 1 = (int8, bson),
    OPERATOR 1 = (int8, int8),
    FUNCTION 1 (int8, int8) bson_hash_int8(int8);

-- bson and float8

CREATE FUNCTION bson_eq_float8(bson, float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_eq_float8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_eq_float8(bson, float8) IS 'implementation of = operator';

CREATE FUNCTION float8_eq_bson(float8, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_float8_eq_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION float8_eq_bson(float8, bson) IS 'implementation of = operator';

CREATE FUNCTION bson_ne_float8(bson, float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ne_float8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ne_float8(bson, float8) IS 'implementation of <> operator';

CREATE FUNCTION float8_ne_bson(float8, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_float8_ne_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION float8_ne_bson(float8, bson) IS 'implementation of <> operator';

CREATE FUNCTION bson_lt_float8(bson, float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_lt_float8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_lt_float8(bson, float8) IS 'implementation of < operator';

CREATE FUNCTION float8_lt_bson(float8, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_float8_lt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION float8_lt_bson(float8, bson) IS 'implementation of < operator';

CREATE FUNCTION bson_le_float8(bson, float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_le_float8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_le_float8(bson, float8) IS 'implementation of <= operator';

CREATE FUNCTION float8_le_bson(float8, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_float8_le_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION float8_le_bson(float8, bson) IS 'implementation of <= operator';

CREATE FUNCTION bson_gt_float8(bson, float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_gt_float8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gt_float8(bson, float8) IS 'implementation of > operator';

CREATE FUNCTION float8_gt_bson(float8, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_float8_gt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION float8_gt_bson(float8, bson) IS 'implementation of > operator';

CREATE FUNCTION bson_ge_float8(bson, float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ge_float8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ge_float8(bson, float8) IS 'implementation of >= operator';

CREATE FUNCTION float8_ge_bson(float8, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_float8_ge_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION float8_ge_bson(float8, bson) IS 'implementation of >= operator';

CREATE FUNCTION bson_cmp_float8(bson, float8) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_cmp_float8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_cmp_float8(bson, float8) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION float8_cmp_bson(float8, bson) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_float8_cmp_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION float8_cmp_bson(float8, bson) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION bson_hash_float8(float8) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_hash_float8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_float8(float8) IS 'hash of the bson value that is equal';

CREATE OPERATOR = (
    FUNCTION = bson_eq_float8,
    LEFTARG = bson,
    RIGHTARG = float8,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (bson, float8) IS 'equal';

CREATE OPERATOR = (
    FUNCTION = float8_eq_bson,
    LEFTARG = float8,
    RIGHTARG = bson,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (float8, bson) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = bson_ne_float8,
    LEFTARG = bson,
    RIGHTARG = float8,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bson, float8) IS 'not equal';

CREATE OPERATOR <> (
    FUNCTION = float8_ne_bson,
    LEFTARG = float8,
    RIGHTARG = bson,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (float8, bson) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = bson_lt_float8,
    LEFTARG = bson,
    RIGHTARG = float8,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (bson, float8) IS 'less than';

CREATE OPERATOR < (
    FUNCTION = float8_lt_bson,
    LEFTARG = float8,
    RIGHTARG = bson,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (float8, bson) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = bson_le_float8,
    LEFTARG = bson,
    RIGHTARG = float8,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (bson, float8) IS 'less than or equal';

CREATE OPERATOR <= (
    FUNCTION = float8_le_bson,
    LEFTARG = float8,
    RIGHTARG = bson,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (float8, bson) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = bson_gt_float8,
    LEFTARG = bson,
    RIGHTARG = float8,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (bson, float8) IS 'greater than';

CREATE OPERATOR > (
    FUNCTION = float8_gt_bson,
    LEFTARG = float8,
    RIGHTARG = bson,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (float8, bson) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = bson_ge_float8,
    LEFTARG = bson,
    RIGHTARG = float8,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (bson, float8) IS 'greater than or equal';

CREATE OPERATOR >= (
    FUNCTION = float8_ge_bson,
    LEFTARG = float8,
    RIGHTARG = bson,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (float8, bson) IS 'greater than or equal';

CREATE FUNCTION bson_order_float8(float8, float8) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_order_float8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_order_float8(float8, float8) IS 'order of two float8 values as bson has it';

ALTER OPERATOR FAMILY bson_ops USING btree ADD
    OPERATOR 1 < (bson, float8),
    OPERATOR 2 <= (bson, float8),
    OPERATOR 3 = (bson, float8),
    OPERATOR 4 >= (bson, float8),
    OPERATOR 5 > (bson, float8),
    FUNCTION 1 (bson, float8) bson_cmp_float8(bson, float8),
    OPERATOR 1 < (float8, bson),
    OPERATOR 2 <= (float8, bson),
    OPERATOR 3 = (float8, bson),
    OPERATOR 4 >= (float8, bson),
    OPERATOR 5 > (float8, bson),
    FUNCTION 1 (float8, bson) float8_cmp_bson(float8, bson),
    FUNCTION 1 (float8, float8) bson_order_float8(float8, float8);

ALTER OPERATOR FAMILY bson_ops USING hash ADD
    OPERATOR 1 = (bson, float8),
    OPERATOR 1 = (float8, bson),
    OPERATOR 1 = (float8, float8),
    FUNCTION 1 (float8, float8) bson_hash_float8(float8);

-- bson and numeric

CREATE FUNCTION bson_eq_numeric(bson, numeric) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_eq_numeric'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_eq_numeric(bson, numeric) IS 'implementation of = operator';

CREATE FUNCTION numeric_eq_bson(numeric, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_numeric_eq_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION numeric_eq_bson(numeric, bson) IS 'implementation of = operator';

CREATE FUNCTION bson_ne_numeric(bson, numeric) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ne_numeric'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ne_numeric(bson, numeric) IS 'implementation of <> operator';

CREATE FUNCTION numeric_ne_bson(numeric, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_numeric_ne_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION numeric_ne_bson(numeric, bson) IS 'implementation of <> operator';

CREATE FUNCTION bson_lt_numeric(bson, numeric) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_lt_numeric'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_lt_numeric(bson, numeric) IS 'implementation of < operator';

CREATE FUNCTION numeric_lt_bson(numeric, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_numeric_lt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION numeric_lt_bson(numeric, bson) IS 'implementation of < operator';

CREATE FUNCTION bson_le_numeric(bson, numeric) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_le_numeric'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_le_numeric(bson, numeric) IS 'implementation of <= operator';

CREATE FUNCTION numeric_le_bson(numeric, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_numeric_le_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION numeric_le_bson(numeric, bson) IS 'implementation of <= operator';

CREATE FUNCTION bson_gt_numeric(bson, numeric) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_gt_numeric'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gt_numeric(bson, numeric) IS 'implementation of > operator';

CREATE FUNCTION numeric_gt_bson(numeric, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_numeric_gt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION numeric_gt_bson(numeric, bson) IS 'implementation of > operator';

CREATE FUNCTION bson_ge_numeric(bson, numeric) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ge_numeric'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ge_numeric(bson, numeric) IS 'implementation of >= operator';

CREATE FUNCTION numeric_ge_bson(numeric, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_numeric_ge_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION numeric_ge_bson(numeric, bson) IS 'implementation of >= operator';

CREATE FUNCTION bson_cmp_numeric(bson, numeric) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_cmp_numeric'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_cmp_numeric(bson, numeric) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION numeric_cmp_bson(numeric, bson) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_numeric_cmp_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION numeric_cmp_bson(numeric, bson) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION bson_hash_numeric(numeric) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_hash_numeric'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_numeric(numeric) IS 'hash of the bson value that is equal';

CREATE OPERATOR = (
    FUNCTION = bson_eq_numeric,
    LEFTARG = bson,
    RIGHTARG = numeric,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (bson, numeric) IS 'equal';

CREATE OPERATOR = (
    FUNCTION = numeric_eq_bson,
    LEFTARG = numeric,
    RIGHTARG = bson,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (numeric, bson) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = bson_ne_numeric,
    LEFTARG = bson,
    RIGHTARG = numeric,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bson, numeric) IS 'not equal';

CREATE OPERATOR <> (
    FUNCTION = numeric_ne_bson,
    LEFTARG = numeric,
    RIGHTARG = bson,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (numeric, bson) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = bson_lt_numeric,
    LEFTARG = bson,
    RIGHTARG = numeric,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (bson, numeric) IS 'less than';

CREATE OPERATOR < (
    FUNCTION = numeric_lt_bson,
    LEFTARG = numeric,
    RIGHTARG = bson,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (numeric, bson) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = bson_le_numeric,
    LEFTARG = bson,
    RIGHTARG = numeric,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (bson, numeric) IS 'less than or equal';

CREATE OPERATOR <= (
    FUNCTION = numeric_le_bson,
    LEFTARG = numeric,
    RIGHTARG = bson,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (numeric, bson) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = bson_gt_numeric,
    LEFTARG = bson,
    RIGHTARG = numeric,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (bson, numeric) IS 'greater than';

CREATE OPERATOR > (
    FUNCTION = numeric_gt_bson,
    LEFTARG = numeric,
    RIGHTARG = bson,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (numeric, bson) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = bson_ge_numeric,
    LEFTARG = bson,
    RIGHTARG = numeric,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (bson, numeric) IS 'greater than or equal';

CREATE OPERATOR >= (
    FUNCTION = numeric_ge_bson,
    LEFTARG = numeric,
    RIGHTARG = bson,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (numeric, bson) IS 'greater than or equal';

CREATE FUNCTION bson_order_numeric(numeric, numeric) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_order_numeric'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_order_numeric(numeric, numeric) IS 'order of two numeric values as bson has it';

ALTER OPERATOR FAMILY bson_ops USING btree ADD
    OPERATOR 1 < (bson, numeric),
    OPERATOR 2 <= (bson, numeric),
    OPERATOR 3 = (bson, numeric),
    OPERATOR 4 >= (bson, numeric),
    OPERATOR 5 > (bson, numeric),
    FUNCTION 1 (bson, numeric) bson_cmp_numeric(bson, numeric),
    OPERATOR 1 < (numeric, bson),
    OPERATOR 2 <= (numeric, bson),
    OPERATOR 3 = (numeric, bson),
    OPERATOR 4 >= (numeric, bson),
    OPERATOR 5 > (numeric, bson),
    FUNCTION 1 (numeric, bson) numeric_cmp_bson(numeric, bson),
    FUNCTION 1 (numeric, numeric) bson_order_numeric(numeric, numeric);

ALTER OPERATOR FAMILY bson_ops USING hash ADD
    OPERATOR 1 = (bson, numeric),
    OPERATOR 1 = (numeric, bson),
    OPERATOR 1 = (numeric, numeric),
    FUNCTION 1 (numeric, numeric) bson_hash_numeric(numeric);

-- bson and text

CREATE FUNCTION bson_eq_text(bson, text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_eq_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_eq_text(bson, text) IS 'implementation of = operator';

CREATE FUNCTION text_eq_bson(text, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_text_eq_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION text_eq_bson(text, bson) IS 'implementation of = operator';

CREATE FUNCTION bson_ne_text(bson, text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ne_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_ne_text(bson, text) IS 'implementation of <> operator';

CREATE FUNCTION text_ne_bson(text, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_text_ne_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION text_ne_bson(text, bson) IS 'implementation of <> operator';

CREATE FUNCTION bson_lt_text(bson, text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_lt_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_lt_text(bson, text) IS 'implementation of < operator';

CREATE FUNCTION text_lt_bson(text, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_text_lt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION text_lt_bson(text, bson) IS 'implementation of < operator';

CREATE FUNCTION bson_le_text(bson, text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_le_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_le_text(bson, text) IS 'implementation of <= operator';

CREATE FUNCTION text_le_bson(text, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_text_le_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION text_le_bson(text, bson) IS 'implementation of <= operator';

CREATE FUNCTION bson_gt_text(bson, text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_gt_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_gt_text(bson, text) IS 'implementation of > operator';

CREATE FUNCTION text_gt_bson(text, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_text_gt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION text_gt_bson(text, bson) IS 'implementation of > operator';

CREATE FUNCTION bson_ge_text(bson, text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ge_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_ge_text(bson, text) IS 'implementation of >= operator';

CREATE FUNCTION text_ge_bson(text, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_text_ge_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION text_ge_bson(text, bson) IS 'implementation of >= operator';

CREATE FUNCTION bson_cmp_text(bson, text) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_cmp_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_cmp_text(bson, text) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION text_cmp_bson(text, bson) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_text_cmp_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION text_cmp_bson(text, bson) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION bson_hash_text(text) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_hash_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_text(text) IS 'hash of the bson value that is equal';

CREATE OPERATOR = (
    FUNCTION = bson_eq_text,
    LEFTARG = bson,
    RIGHTARG = text,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (bson, text) IS 'equal';

CREATE OPERATOR = (
    FUNCTION = text_eq_bson,
    LEFTARG = text,
    RIGHTARG = bson,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (text, bson) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = bson_ne_text,
    LEFTARG = bson,
    RIGHTARG = text,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bson, text) IS 'not equal';

CREATE OPERATOR <> (
    FUNCTION = text_ne_bson,
    LEFTARG = text,
    RIGHTARG = bson,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (text, bson) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = bson_lt_text,
    LEFTARG = bson,
    RIGHTARG = text,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (bson, text) IS 'less than';

CREATE OPERATOR < (
    FUNCTION = text_lt_bson,
    LEFTARG = text,
    RIGHTARG = bson,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (text, bson) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = bson_le_text,
    LEFTARG = bson,
    RIGHTARG = text,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (bson, text) IS 'less than or equal';

CREATE OPERATOR <= (
    FUNCTION = text_le_bson,
    LEFTARG = text,
    RIGHTARG = bson,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (text, bson) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = bson_gt_text,
    LEFTARG = bson,
    RIGHTARG = text,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (bson, text) IS 'greater than';

CREATE OPERATOR > (
    FUNCTION = text_gt_bson,
    LEFTARG = text,
    RIGHTARG = bson,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (text, bson) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = bson_ge_text,
    LEFTARG = bson,
    RIGHTARG = text,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (bson, text) IS 'greater than or equal';

CREATE OPERATOR >= (
    FUNCTION = text_ge_bson,
    LEFTARG = text,
    RIGHTARG = bson,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (text, bson) IS 'greater than or equal';

CREATE FUNCTION bson_order_text(text, text) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_order_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_order_text(text, text) IS 'order of two text values as bson has it';

ALTER OPERATOR FAMILY bson_ops USING btree ADD
    OPERATOR 1 < (bson, text),
    OPERATOR 2 <= (bson, text),
    OPERATOR 3 = (bson, text),
    OPERATOR 4 >= (bson, text),
    OPERATOR 5 > (bson, text),
    FUNCTION 1 (bson, text) bson_cmp_text(bson, text),
    OPERATOR 1 < (text, bson),
    OPERATOR 2 <= (text, bson),
    OPERATOR 3 = (text, bson),
    OPERATOR 4 >= (text, bson),
    OPERATOR 5 > (text, bson),
    FUNCTION 1 (text, bson) text_cmp_bson(text, bson),
    FUNCTION 1 (text, text) bson_order_text(text, text);

ALTER OPERATOR FAMILY bson_ops USING hash ADD
    OPERATOR 1 = (bson, text),
    OPERATOR 1 = (text, bson),
    OPERATOR 1 = (text, text),
    FUNCTION 1 (text, text) bson_hash_text(text);

-- bson and boolean

CREATE FUNCTION bson_eq_boolean(bson, boolean) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_eq_boolean'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_eq_boolean(bson, boolean) IS 'implementation of = operator';

CREATE FUNCTION boolean_eq_bson(boolean, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_boolean_eq_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION boolean_eq_bson(boolean, bson) IS 'implementation of = operator';

CREATE FUNCTION bson_ne_boolean(bson, boolean) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ne_boolean'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ne_boolean(bson, boolean) IS 'implementation of <> operator';

CREATE FUNCTION boolean_ne_bson(boolean, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_boolean_ne_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION boolean_ne_bson(boolean, bson) IS 'implementation of <> operator';

CREATE FUNCTION bson_lt_boolean(bson, boolean) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_lt_boolean'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_lt_boolean(bson, boolean) IS 'implementation of < operator';

CREATE FUNCTION boolean_lt_bson(boolean, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_boolean_lt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION boolean_lt_bson(boolean, bson) IS 'implementation of < operator';

CREATE FUNCTION bson_le_boolean(bson, boolean) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_le_boolean'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_le_boolean(bson, boolean) IS 'implementation of <= operator';

CREATE FUNCTION boolean_le_bson(boolean, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_boolean_le_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION boolean_le_bson(boolean, bson) IS 'implementation of <= operator';

CREATE FUNCTION bson_gt_boolean(bson, boolean) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_gt_boolean'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gt_boolean(bson, boolean) IS 'implementation of > operator';

CREATE FUNCTION boolean_gt_bson(boolean, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_boolean_gt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION boolean_gt_bson(boolean, bson) IS 'implementation of > operator';

CREATE FUNCTION bson_ge_boolean(bson, boolean) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ge_boolean'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ge_boolean(bson, boolean) IS 'implementation of >= operator';

CREATE FUNCTION boolean_ge_bson(boolean, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_boolean_ge_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION boolean_ge_bson(boolean, bson) IS 'implementation of >= operator';

CREATE FUNCTION bson_cmp_boolean(bson, boolean) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_cmp_boolean'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_cmp_boolean(bson, boolean) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION boolean_cmp_bson(boolean, bson) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_boolean_cmp_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION boolean_cmp_bson(boolean, bson) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION bson_hash_boolean(boolean) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_hash_boolean'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_boolean(boolean) IS 'hash of the bson value that is equal';

CREATE OPERATOR = (
    FUNCTION = bson_eq_boolean,
    LEFTARG = bson,
    RIGHTARG = boolean,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (bson, boolean) IS 'equal';

CREATE OPERATOR = (
    FUNCTION = boolean_eq_bson,
    LEFTARG = boolean,
    RIGHTARG = bson,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (boolean, bson) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = bson_ne_boolean,
    LEFTARG = bson,
    RIGHTARG = boolean,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bson, boolean) IS 'not equal';

CREATE OPERATOR <> (
    FUNCTION = boolean_ne_bson,
    LEFTARG = boolean,
    RIGHTARG = bson,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (boolean, bson) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = bson_lt_boolean,
    LEFTARG = bson,
    RIGHTARG = boolean,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (bson, boolean) IS 'less than';

CREATE OPERATOR < (
    FUNCTION = boolean_lt_bson,
    LEFTARG = boolean,
    RIGHTARG = bson,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (boolean, bson) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = bson_le_boolean,
    LEFTARG = bson,
    RIGHTARG = boolean,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (bson, boolean) IS 'less than or equal';

CREATE OPERATOR <= (
    FUNCTION = boolean_le_bson,
    LEFTARG = boolean,
    RIGHTARG = bson,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (boolean, bson) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = bson_gt_boolean,
    LEFTARG = bson,
    RIGHTARG = boolean,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (bson, boolean) IS 'greater than';

CREATE OPERATOR > (
    FUNCTION = boolean_gt_bson,
    LEFTARG = boolean,
    RIGHTARG = bson,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (boolean, bson) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = bson_ge_boolean,
    LEFTARG = bson,
    RIGHTARG = boolean,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (bson, boolean) IS 'greater than or equal';

CREATE OPERATOR >= (
    FUNCTION = boolean_ge_bson,
    LEFTARG = boolean,
    RIGHTARG = bson,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (boolean, bson) IS 'greater than or equal';

ALTER OPERATOR FAMILY bson_ops USING btree ADD
    OPERATOR 1 < (bson, boolean),
    OPERATOR 2 <= (bson, boolean),
    OPERATOR 3 = (bson, boolean),
    OPERATOR 4 >= (bson, boolean),
    OPERATOR 5 > (bson, boolean),
    FUNCTION 1 (bson, boolean) bson_cmp_boolean(bson, boolean),
    OPERATOR 1 < (boolean, bson),
    OPERATOR 2 <= (boolean, bson),
    OPERATOR 3 = (boolean, bson),
    OPERATOR 4 >= (boolean, bson),
    OPERATOR 5 > (boolean, bson),
    FUNCTION 1 (boolean, bson) boolean_cmp_bson(boolean, bson),
    FUNCTION 1 (boolean, boolean) btboolcmp(boolean, boolean);

ALTER OPERATOR FAMILY bson_ops USING hash ADD
    OPERATOR 1 = (bson, boolean),
    OPERATOR 1 = (boolean, bson),
    OPERATOR 1 = (boolean, boolean),
    FUNCTION 1 (boolean, boolean) bson_hash_boolean(boolean);

-- bson and timestamptz

CREATE FUNCTION bson_eq_timestamptz(bson, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_eq_timestamptz'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_eq_timestamptz(bson, timestamptz) IS 'implementation of = operator';

CREATE FUNCTION timestamptz_eq_bson(timestamptz, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_timestamptz_eq_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION timestamptz_eq_bson(timestamptz, bson) IS 'implementation of = operator';

CREATE FUNCTION bson_ne_timestamptz(bson, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ne_timestamptz'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ne_timestamptz(bson, timestamptz) IS 'implementation of <> operator';

CREATE FUNCTION timestamptz_ne_bson(timestamptz, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_timestamptz_ne_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION timestamptz_ne_bson(timestamptz, bson) IS 'implementation of <> operator';

CREATE FUNCTION bson_lt_timestamptz(bson, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_lt_timestamptz'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_lt_timestamptz(bson, timestamptz) IS 'implementation of < operator';

CREATE FUNCTION timestamptz_lt_bson(timestamptz, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_timestamptz_lt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION timestamptz_lt_bson(timestamptz, bson) IS 'implementation of < operator';

CREATE FUNCTION bson_le_timestamptz(bson, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_le_timestamptz'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_le_timestamptz(bson, timestamptz) IS 'implementation of <= operator';

CREATE FUNCTION timestamptz_le_bson(timestamptz, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_timestamptz_le_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION timestamptz_le_bson(timestamptz, bson) IS 'implementation of <= operator';

CREATE FUNCTION bson_gt_timestamptz(bson, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_gt_timestamptz'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gt_timestamptz(bson, timestamptz) IS 'implementation of > operator';

CREATE FUNCTION timestamptz_gt_bson(timestamptz, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_timestamptz_gt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION timestamptz_gt_bson(timestamptz, bson) IS 'implementation of > operator';

CREATE FUNCTION bson_ge_timestamptz(bson, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ge_timestamptz'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ge_timestamptz(bson, timestamptz) IS 'implementation of >= operator';

CREATE FUNCTION timestamptz_ge_bson(timestamptz, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_timestamptz_ge_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION timestamptz_ge_bson(timestamptz, bson) IS 'implementation of >= operator';

CREATE FUNCTION bson_cmp_timestamptz(bson, timestamptz) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_cmp_timestamptz'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_cmp_timestamptz(bson, timestamptz) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION timestamptz_cmp_bson(timestamptz, bson) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_timestamptz_cmp_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION timestamptz_cmp_bson(timestamptz, bson) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION bson_hash_timestamptz(timestamptz) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_hash_timestamptz'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_timestamptz(timestamptz) IS 'hash of the bson value that is equal';

CREATE OPERATOR = (
    FUNCTION = bson_eq_timestamptz,
    LEFTARG = bson,
    RIGHTARG = timestamptz,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (bson, timestamptz) IS 'equal';

CREATE OPERATOR = (
    FUNCTION = timestamptz_eq_bson,
    LEFTARG = timestamptz,
    RIGHTARG = bson,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (timestamptz, bson) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = bson_ne_timestamptz,
    LEFTARG = bson,
    RIGHTARG = timestamptz,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bson, timestamptz) IS 'not equal';

CREATE OPERATOR <> (
    FUNCTION = timestamptz_ne_bson,
    LEFTARG = timestamptz,
    RIGHTARG = bson,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (timestamptz, bson) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = bson_lt_timestamptz,
    LEFTARG = bson,
    RIGHTARG = timestamptz,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (bson, timestamptz) IS 'less than';

CREATE OPERATOR < (
    FUNCTION = timestamptz_lt_bson,
    LEFTARG = timestamptz,
    RIGHTARG = bson,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (timestamptz, bson) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = bson_le_timestamptz,
    LEFTARG = bson,
    RIGHTARG = timestamptz,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (bson, timestamptz) IS 'less than or equal';

CREATE OPERATOR <= (
    FUNCTION = timestamptz_le_bson,
    LEFTARG = timestamptz,
    RIGHTARG = bson,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (timestamptz, bson) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = bson_gt_timestamptz,
    LEFTARG = bson,
    RIGHTARG = timestamptz,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (bson, timestamptz) IS 'greater than';

CREATE OPERATOR > (
    FUNCTION = timestamptz_gt_bson,
    LEFTARG = timestamptz,
    RIGHTARG = bson,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (timestamptz, bson) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = bson_ge_timestamptz,
    LEFTARG = bson,
    RIGHTARG = timestamptz,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (bson, timestamptz) IS 'greater than or equal';

CREATE OPERATOR >= (
    FUNCTION = timestamptz_ge_bson,
    LEFTARG = timestamptz,
    RIGHTARG = bson,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (timestamptz, bson) IS 'greater than or equal';

ALTER OPERATOR FAMILY bson_ops USING btree ADD
    OPERATOR 1 < (bson, timestamptz),
    OPERATOR 2 <= (bson, timestamptz),
    OPERATOR 3 = (bson, timestamptz),
    OPERATOR 4 >= (bson, timestamptz),
    OPERATOR 5 > (bson, timestamptz),
    FUNCTION 1 (bson, timestamptz) bson_cmp_timestamptz(bson, timestamptz),
    OPERATOR 1 < (timestamptz, bson),
    OPERATOR 2 <= (timestamptz, bson),
    OPERATOR 3 = (timestamptz, bson),
    OPERATOR 4 >= (timestamptz, bson),
    OPERATOR 5 > (timestamptz, bson),
    FUNCTION 1 (timestamptz, bson) timestamptz_cmp_bson(timestamptz, bson),
    FUNCTION 1 (timestamptz, timestamptz) timestamptz_cmp(timestamptz, timestamptz);

ALTER OPERATOR FAMILY bson_ops USING hash ADD
    OPERATOR 1 = (bson, timestamptz),
    OPERATOR 1 = (timestamptz, bson),
    OPERATOR 1 = (timestamptz, timestamptz),
    FUNCTION 1 (timestamptz, timestamptz) bson_hash_timestamptz(timestamptz);

-- bson and uuid

CREATE FUNCTION bson_eq_uuid(bson, uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_eq_uuid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_eq_uuid(bson, uuid) IS 'implementation of = operator';

CREATE FUNCTION uuid_eq_bson(uuid, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_uuid_eq_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_eq_bson(uuid, bson) IS 'implementation of = operator';

CREATE FUNCTION bson_ne_uuid(bson, uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ne_uuid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ne_uuid(bson, uuid) IS 'implementation of <> operator';

CREATE FUNCTION uuid_ne_bson(uuid, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_uuid_ne_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_ne_bson(uuid, bson) IS 'implementation of <> operator';

CREATE FUNCTION bson_lt_uuid(bson, uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_lt_uuid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_lt_uuid(bson, uuid) IS 'implementation of < operator';

CREATE FUNCTION uuid_lt_bson(uuid, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_uuid_lt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_lt_bson(uuid, bson) IS 'implementation of < operator';

CREATE FUNCTION bson_le_uuid(bson, uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_le_uuid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_le_uuid(bson, uuid) IS 'implementation of <= operator';

CREATE FUNCTION uuid_le_bson(uuid, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_uuid_le_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_le_bson(uuid, bson) IS 'implementation of <= operator';

CREATE FUNCTION bson_gt_uuid(bson, uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_gt_uuid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gt_uuid(bson, uuid) IS 'implementation of > operator';

CREATE FUNCTION uuid_gt_bson(uuid, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_uuid_gt_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_gt_bson(uuid, bson) IS 'implementation of > operator';

CREATE FUNCTION bson_ge_uuid(bson, uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_ge_uuid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ge_uuid(bson, uuid) IS 'implementation of >= operator';

CREATE FUNCTION uuid_ge_bson(uuid, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_uuid_ge_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_ge_bson(uuid, bson) IS 'implementation of >= operator';

CREATE FUNCTION bson_cmp_uuid(bson, uuid) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_cmp_uuid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_cmp_uuid(bson, uuid) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION uuid_cmp_bson(uuid, bson) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_uuid_cmp_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_cmp_bson(uuid, bson) IS 'less than, equal or greater than, as -1, 0 or 1';

CREATE FUNCTION bson_hash_uuid(uuid) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_hash_uuid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_uuid(uuid) IS 'hash of the bson value that is equal';

CREATE OPERATOR = (
    FUNCTION = bson_eq_uuid,
    LEFTARG = bson,
    RIGHTARG = uuid,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (bson, uuid) IS 'equal';

CREATE OPERATOR = (
    FUNCTION = uuid_eq_bson,
    LEFTARG = uuid,
    RIGHTARG = bson,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES
);
COMMENT ON OPERATOR = (uuid, bson) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = bson_ne_uuid,
    LEFTARG = bson,
    RIGHTARG = uuid,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bson, uuid) IS 'not equal';

CREATE OPERATOR <> (
    FUNCTION = uuid_ne_bson,
    LEFTARG = uuid,
    RIGHTARG = bson,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (uuid, bson) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = bson_lt_uuid,
    LEFTARG = bson,
    RIGHTARG = uuid,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (bson, uuid) IS 'less than';

CREATE OPERATOR < (
    FUNCTION = uuid_lt_bson,
    LEFTARG = uuid,
    RIGHTARG = bson,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (uuid, bson) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = bson_le_uuid,
    LEFTARG = bson,
    RIGHTARG = uuid,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (bson, uuid) IS 'less than or equal';

CREATE OPERATOR <= (
    FUNCTION = uuid_le_bson,
    LEFTARG = uuid,
    RIGHTARG = bson,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (uuid, bson) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = bson_gt_uuid,
    LEFTARG = bson,
    RIGHTARG = uuid,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (bson, uuid) IS 'greater than';

CREATE OPERATOR > (
    FUNCTION = uuid_gt_bson,
    LEFTARG = uuid,
    RIGHTARG = bson,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (uuid, bson) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = bson_ge_uuid,
    LEFTARG = bson,
    RIGHTARG = uuid,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (bson, uuid) IS 'greater than or equal';

CREATE OPERATOR >= (
    FUNCTION = uuid_ge_bson,
    LEFTARG = uuid,
    RIGHTARG = bson,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (uuid, bson) IS 'greater than or equal';

ALTER OPERATOR FAMILY bson_ops USING btree ADD
    OPERATOR 1 < (bson, uuid),
    OPERATOR 2 <= (bson, uuid),
    OPERATOR 3 = (bson, uuid),
    OPERATOR 4 >= (bson, uuid),
    OPERATOR 5 > (bson, uuid),
    FUNCTION 1 (bson, uuid) bson_cmp_uuid(bson, uuid),
    OPERATOR 1 < (uuid, bson),
    OPERATOR 2 <= (uuid, bson),
    OPERATOR 3 = (uuid, bson),
    OPERATOR 4 >= (uuid, bson),
    OPERATOR 5 > (uuid, bson),
    FUNCTION 1 (uuid, bson) uuid_cmp_bson(uuid, bson),
    FUNCTION 1 (uuid, uuid) uuid_cmp(uuid, uuid);

ALTER OPERATOR FAMILY bson_ops USING hash ADD
    OPERATOR 1 = (bson, uuid),
    OPERATOR 1 = (uuid, bson),
    OPERATOR 1 = (uuid, uuid),
    FUNCTION 1 (uuid, uuid) bson_hash_uuid(uuid);

-- With a seed, these find a hash partition by a value of another type

CREATE FUNCTION bson_hash_extended_int4(int4, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'pgbson_hash_extended_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_extended_int4(int4, bigint) IS '64-bit hash with a seed, of the bson value that is equal';

CREATE FUNCTION bson_hash_extended_int8(int8, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'pgbson_hash_extended_int8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_extended_int8(int8, bigint) IS '64-bit hash with a seed, of the bson value that is equal';

CREATE FUNCTION bson_hash_extended_float8(float8, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'pgbson_hash_extended_float8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_extended_float8(float8, bigint) IS '64-bit hash with a seed, of the bson value that is equal';

CREATE FUNCTION bson_hash_extended_numeric(numeric, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'pgbson_hash_extended_numeric'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_extended_numeric(numeric, bigint) IS '64-bit hash with a seed, of the bson value that is equal';

CREATE FUNCTION bson_hash_extended_text(text, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'pgbson_hash_extended_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_extended_text(text, bigint) IS '64-bit hash with a seed, of the bson value that is equal';

CREATE FUNCTION bson_hash_extended_boolean(boolean, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'pgbson_hash_extended_boolean'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_extended_boolean(boolean, bigint) IS '64-bit hash with a seed, of the bson value that is equal';

CREATE FUNCTION bson_hash_extended_timestamptz(timestamptz, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'pgbson_hash_extended_timestamptz'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_extended_timestamptz(timestamptz, bigint) IS '64-bit hash with a seed, of the bson value that is equal';

CREATE FUNCTION bson_hash_extended_uuid(uuid, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'pgbson_hash_extended_uuid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_hash_extended_uuid(uuid, bigint) IS '64-bit hash with a seed, of the bson value that is equal';

ALTER OPERATOR FAMILY bson_ops USING hash ADD
    FUNCTION 2 (int4, int4) bson_hash_extended_int4(int4, bigint),
    FUNCTION 2 (int8, int8) bson_hash_extended_int8(int8, bigint),
    FUNCTION 2 (float8, float8) bson_hash_extended_float8(float8, bigint),
    FUNCTION 2 (numeric, numeric) bson_hash_extended_numeric(numeric, bigint),
    FUNCTION 2 (text, text) bson_hash_extended_text(text, bigint),
    FUNCTION 2 (boolean, boolean) bson_hash_extended_boolean(boolean, bigint),
    FUNCTION 2 (timestamptz, timestamptz) bson_hash_extended_timestamptz(timestamptz, bigint),
    FUNCTION 2 (uuid, uuid) bson_hash_extended_uuid(uuid, bigint);

-- 1.1: construction and aggregates --------------------------------------

-- to_bson of a type whose conversion depends on no setting is IMMUTABLE, so that a constant folds and Citus prunes by it

CREATE FUNCTION to_bson(smallint) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(smallint) IS 'smallint as bson';

CREATE FUNCTION to_bson(integer) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(integer) IS 'integer as bson';

CREATE FUNCTION to_bson(bigint) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(bigint) IS 'bigint as bson';

CREATE FUNCTION to_bson(real) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(real) IS 'real as bson';

CREATE FUNCTION to_bson(double precision) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(double precision) IS 'double precision as bson';

CREATE FUNCTION to_bson(numeric) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(numeric) IS 'numeric as bson';

CREATE FUNCTION to_bson(boolean) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(boolean) IS 'boolean as bson';

CREATE FUNCTION to_bson(text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(text) IS 'text as bson';

CREATE FUNCTION to_bson(character) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(character) IS 'character as bson';

CREATE FUNCTION to_bson("char") RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson("char") IS '"char" as bson';

CREATE FUNCTION to_bson(bytea) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(bytea) IS 'bytea as bson';

CREATE FUNCTION to_bson(uuid) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(uuid) IS 'uuid as bson';

CREATE FUNCTION to_bson(timestamptz) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(timestamptz) IS 'timestamptz as bson';

CREATE FUNCTION to_bson(timestamp) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(timestamp) IS 'timestamp as bson';

CREATE FUNCTION to_bson(date) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(date) IS 'date as bson';

CREATE FUNCTION to_bson(oid) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(oid) IS 'oid as bson';

-- these would else be taken for an oid, which they cast to implicitly

CREATE FUNCTION to_bson(regproc) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(regproc) IS 'regproc as bson: a string';

CREATE FUNCTION to_bson(regprocedure) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(regprocedure) IS 'regprocedure as bson: a string';

CREATE FUNCTION to_bson(regoper) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(regoper) IS 'regoper as bson: a string';

CREATE FUNCTION to_bson(regoperator) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(regoperator) IS 'regoperator as bson: a string';

CREATE FUNCTION to_bson(regclass) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(regclass) IS 'regclass as bson: a string';

CREATE FUNCTION to_bson(regcollation) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(regcollation) IS 'regcollation as bson: a string';

CREATE FUNCTION to_bson(regtype) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(regtype) IS 'regtype as bson: a string';

CREATE FUNCTION to_bson(regconfig) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(regconfig) IS 'regconfig as bson: a string';

CREATE FUNCTION to_bson(regdictionary) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(regdictionary) IS 'regdictionary as bson: a string';

CREATE FUNCTION to_bson(regrole) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(regrole) IS 'regrole as bson: a string';

CREATE FUNCTION to_bson(regnamespace) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(regnamespace) IS 'regnamespace as bson: a string';

-- PostgreSQL 19 has one more, which would otherwise be taken for an oid

CREATE FUNCTION bson_add_regdatabase() RETURNS void LANGUAGE sql AS $$
CREATE FUNCTION to_bson(regdatabase) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(regdatabase) IS 'regdatabase as bson: a string';
$$;
SELECT bson_add_regdatabase() WHERE to_regtype('pg_catalog.regdatabase') IS NOT NULL;
DROP FUNCTION bson_add_regdatabase();

-- The types that are compared with bson, but for text: its cast reads JSON.  Citus chooses a shard by key = 5 with such a cast.

CREATE CAST (smallint AS bson) WITH FUNCTION to_bson(smallint) AS ASSIGNMENT;
CREATE CAST (integer AS bson) WITH FUNCTION to_bson(integer) AS ASSIGNMENT;
CREATE CAST (bigint AS bson) WITH FUNCTION to_bson(bigint) AS ASSIGNMENT;
CREATE CAST (real AS bson) WITH FUNCTION to_bson(real) AS ASSIGNMENT;
CREATE CAST (double precision AS bson) WITH FUNCTION to_bson(double precision) AS ASSIGNMENT;
CREATE CAST (numeric AS bson) WITH FUNCTION to_bson(numeric) AS ASSIGNMENT;
CREATE CAST (boolean AS bson) WITH FUNCTION to_bson(boolean) AS ASSIGNMENT;
CREATE CAST (timestamptz AS bson) WITH FUNCTION to_bson(timestamptz) AS ASSIGNMENT;
CREATE CAST (uuid AS bson) WITH FUNCTION to_bson(uuid) AS ASSIGNMENT;
COMMENT ON CAST (smallint AS bson) IS 'smallint as bson, as to_bson makes it';
COMMENT ON CAST (integer AS bson) IS 'integer as bson, as to_bson makes it';
COMMENT ON CAST (bigint AS bson) IS 'bigint as bson, as to_bson makes it';
COMMENT ON CAST (real AS bson) IS 'real as bson, as to_bson makes it';
COMMENT ON CAST (double precision AS bson) IS 'double precision as bson, as to_bson makes it';
COMMENT ON CAST (numeric AS bson) IS 'numeric as bson, as to_bson makes it';
COMMENT ON CAST (boolean AS bson) IS 'boolean as bson, as to_bson makes it';
COMMENT ON CAST (timestamptz AS bson) IS 'timestamptz as bson, as to_bson makes it';
COMMENT ON CAST (uuid AS bson) IS 'uuid as bson, as to_bson makes it';

-- aggregates of declared types: their transition functions need no call site, so Citus lets each shard aggregate its rows

CREATE FUNCTION bson_agg_transfn(internal, bson) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_agg_bson_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_agg_strict_transfn(internal, bson) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_agg_strict_bson_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE bson_agg(bson) (
    SFUNC = bson_agg_transfn,
    STYPE = internal,
    FINALFUNC = bson_agg_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_agg(bson) IS 'values of all rows as a bson array';

CREATE AGGREGATE bson_agg_strict(bson) (
    SFUNC = bson_agg_strict_transfn,
    STYPE = internal,
    FINALFUNC = bson_agg_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_agg_strict(bson) IS 'values of all rows as a bson array, without the NULLs';

CREATE FUNCTION bson_agg_transfn(internal, jsonb) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_agg_jsonb_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_agg_strict_transfn(internal, jsonb) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_agg_strict_jsonb_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE bson_agg(jsonb) (
    SFUNC = bson_agg_transfn,
    STYPE = internal,
    FINALFUNC = bson_agg_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_agg(jsonb) IS 'values of all rows as a bson array';

CREATE AGGREGATE bson_agg_strict(jsonb) (
    SFUNC = bson_agg_strict_transfn,
    STYPE = internal,
    FINALFUNC = bson_agg_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_agg_strict(jsonb) IS 'values of all rows as a bson array, without the NULLs';

CREATE FUNCTION bson_object_agg_transfn(internal, text, bson) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_object_agg_bson_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_object_agg_strict_transfn(internal, text, bson) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_object_agg_strict_bson_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_object_agg_unique_strict_transfn(internal, text, bson) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_object_agg_unique_strict_bson_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE bson_object_agg(text, bson) (
    SFUNC = bson_object_agg_transfn,
    STYPE = internal,
    FINALFUNC = bson_object_agg_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_object_agg(text, bson) IS 'keys and values of all rows as a bson document; of equal keys the last counts';

CREATE AGGREGATE bson_object_agg_strict(text, bson) (
    SFUNC = bson_object_agg_strict_transfn,
    STYPE = internal,
    FINALFUNC = bson_object_agg_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_object_agg_strict(text, bson) IS 'keys and values of all rows as a bson document, without the NULL values';

CREATE AGGREGATE bson_object_agg_unique(text, bson) (
    SFUNC = bson_object_agg_transfn,
    STYPE = internal,
    FINALFUNC = bson_object_agg_unique_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_object_agg_unique(text, bson) IS 'keys and values of all rows as a bson document; equal keys are an error';

CREATE AGGREGATE bson_object_agg_unique_strict(text, bson) (
    SFUNC = bson_object_agg_unique_strict_transfn,
    STYPE = internal,
    FINALFUNC = bson_object_agg_unique_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_object_agg_unique_strict(text, bson) IS 'keys and values of all rows as a bson document, without the NULL values; equal keys are an error';

-- 1.1: MongoDB's queries and sort keys -----------------------------------

CREATE FUNCTION bson_sort_key(doc bson, sort bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_sort_key'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_sort_key(bson, bson) IS 'what orders documents as a MongoDB sort does, for ORDER BY and indexes';

-- 1.1: MongoDB's updates -------------------------------------------------

-- $currentDate is the transaction's time.  The function of two arguments is that of 1.0, which views may use.
CREATE FUNCTION bson_update(doc bson, update bson, query bson, array_filters bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_update'
    LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_update(bson, bson, bson, bson) IS 'the document after a MongoDB update: "$" is the element that the query found, $[name] those that meet an array filter';

-- immutable, as its result depends on its arguments alone; not strict, as some of them are optional
CREATE FUNCTION bson_apply(doc bson, update bson, query bson DEFAULT NULL, array_filters bson DEFAULT NULL, at timestamptz DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_apply'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_apply(bson, bson, bson, bson, timestamptz) IS 'bson_update, but immutable: $currentDate is the argument "at"';

-- volatile, as it makes an ObjectId
CREATE FUNCTION bson_upsert(query bson, update bson, array_filters bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_upsert'
    LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION bson_upsert(bson, bson, bson) IS 'the document that a MongoDB upsert inserts where the query finds none';

-- 1.1: MongoDB's expressions ---------------------------------------------

-- not strict, as the variables are optional
CREATE FUNCTION bson_eval(doc bson, expression bson, variables bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_eval'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_eval(bson, bson, bson) IS 'the value of a MongoDB aggregation expression on a document; NULL where it has none';

-- 1.1: projection, schemas, diff and merge --------------------------------

CREATE FUNCTION bson_diff(a bson, b bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_diff'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_diff(bson, bson) IS 'the delta from a to b, in the form of MongoDB''s oplog; b itself where that is not larger';

CREATE FUNCTION bson_patch(a bson, delta bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_patch'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_patch(bson, bson) IS 'what a delta, as bson_diff makes them, makes of a';

CREATE FUNCTION bson_merge(a bson, b bson, remove_nulls boolean DEFAULT false) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_merge'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_merge(bson, bson, boolean) IS 'a with the fields of b, merged at every level; with remove_nulls a null in b removes a field';

-- not strict, as the query is optional
CREATE FUNCTION bson_project(doc bson, projection bson, query bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_project'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_project(bson, bson, bson) IS 'the document as a MongoDB projection shows it: "$" is the element that the query found';

CREATE FUNCTION bson_schema_errors(data bson, schema bson, OUT path text[], OUT keyword text, OUT expected bson) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'pgbson_schema_errors'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION bson_schema_errors(bson, bson) IS 'where a document does not meet a JSON Schema of MongoDB''s, which keyword it does not, and what that says';

-- 1.1: import ------------------------------------------------------------

CREATE FUNCTION bson_from_extjson(text, numbers text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_from_extjson_numbers'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_from_extjson(text, text) IS 'MongoDB Extended JSON as bson; by the rule "mongodb" a number with a fraction is a double, by "exact" none is rounded';

-- 1.1: planner and indexes -----------------------------------------------

-- STABLE as they are, they fold where their arguments are constants of types that convert alike whatever the settings
CREATE FUNCTION bson_build_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_build_support'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_build_support(internal) IS 'planner support: a document or an array of constants is a constant';
ALTER FUNCTION bson_build_object(VARIADIC "any") SUPPORT bson_build_support;
ALTER FUNCTION bson_build_array(VARIADIC "any") SUPPORT bson_build_support;

-- without the collation of their keys, so that postgres_fdw ships them
ALTER FUNCTION bson_get_bool(bson, VARIADIC text[]) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_int4(bson, VARIADIC text[]) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_int8(bson, VARIADIC text[]) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_float8(bson, VARIADIC text[]) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_numeric(bson, VARIADIC text[]) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_timestamptz(bson, VARIADIC text[]) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_uuid(bson, VARIADIC text[]) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_bytea(bson, VARIADIC text[]) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_bson(bson, VARIADIC text[]) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_datetime(bson, text) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_decimal128(bson, text) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_int32(bson, text) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_int64(bson, text) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_double(bson, text) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_binary(bson, text) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_boolean(bson, text) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_bson(bson, text) SUPPORT bson_walk_support;
ALTER FUNCTION bson_get_jsonb_array(bson, text) SUPPORT bson_walk_support;
ALTER FUNCTION bson_exists(bson, text) SUPPORT bson_walk_support;
ALTER FUNCTION bson_exists_any(bson, text[]) SUPPORT bson_walk_support;
ALTER FUNCTION bson_exists_all(bson, text[]) SUPPORT bson_walk_support;
ALTER FUNCTION bson_delete(bson, text) SUPPORT bson_walk_support;
ALTER FUNCTION bson_delete(bson, VARIADIC text[]) SUPPORT bson_walk_support;
ALTER FUNCTION bson_delete_path(bson, text[]) SUPPORT bson_walk_support;
ALTER FUNCTION bson_set(bson, text[], bson, boolean) SUPPORT bson_walk_support;
ALTER FUNCTION bson_set_lax(bson, text[], bson, boolean, text) SUPPORT bson_walk_support;
ALTER FUNCTION bson_insert(bson, text[], bson, boolean) SUPPORT bson_walk_support;
