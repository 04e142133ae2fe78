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

-- the handler must exist before the type; see src/sql/subscript.c
CREATE FUNCTION bson_subscript_handler(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_subscript_handler'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_subscript_handler(internal) IS 'subscripting support of type bson';

-- so must what ANALYZE calls; see src/planner/analyze.c
CREATE FUNCTION bson_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_typanalyze'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_typanalyze(internal) IS 'ANALYZE of a bson column';

CREATE TYPE bson (
    INPUT = bson_in,
    OUTPUT = bson_out,
    RECEIVE = bson_recv,
    SEND = bson_send,
    SUBSCRIPT = bson_subscript_handler,
    ANALYZE = bson_typanalyze,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = int4,
    STORAGE = extended,
    CATEGORY = 'U'
);
COMMENT ON TYPE bson IS 'BSON document, array or scalar';

CREATE FUNCTION bson(bytea) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_from_bytea'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson(bytea) IS 'the bytes of a BSON document, which are checked';

CREATE CAST (bytea AS bson) WITH FUNCTION bson(bytea) AS ASSIGNMENT;
CREATE CAST (bson AS bytea) WITHOUT FUNCTION;
COMMENT ON CAST (bytea AS bson) IS 'the bytes of a BSON document, which are checked';
COMMENT ON CAST (bson AS bytea) IS 'the stored bytes, unchanged';

-- cast -----------------------------------------------------------------

CREATE FUNCTION bson_accessor_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_accessor_support'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_accessor_support(internal) IS 'planner support: makes one call of a chain of operators such as ->, or of a cast of one';

CREATE FUNCTION bson_walk_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_walk_support'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_walk_support(internal) IS 'planner support: lets the call do without a collation, as keys are compared by bytes';

CREATE FUNCTION bson_to_json(bson) RETURNS json
    AS 'MODULE_PATHNAME', 'pgbson_to_json'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_to_json(bson) IS 'relaxed Extended JSON, with plain numbers';

CREATE FUNCTION bson_to_jsonb(bson) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'pgbson_to_jsonb'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_to_jsonb(bson) IS 'relaxed Extended JSON as jsonb, with plain numbers';

CREATE FUNCTION bson(json) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_from_json'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson(json) IS 'json as bson; Extended JSON is understood';

CREATE FUNCTION bson(jsonb) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_from_jsonb'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson(jsonb) IS 'jsonb as bson; Extended JSON is understood';

-- with functions, so that row_to_json and jsonb_agg nest a bson as JSON
CREATE CAST (bson AS json) WITH FUNCTION bson_to_json(bson) AS ASSIGNMENT;
CREATE CAST (bson AS jsonb) WITH FUNCTION bson_to_jsonb(bson) AS ASSIGNMENT;
CREATE CAST (json AS bson) WITH FUNCTION bson(json) AS ASSIGNMENT;
-- implicit, so that what sends jsonb parameters works with a bson column; json is not: json = json would gain a meaning
CREATE CAST (jsonb AS bson) WITH FUNCTION bson(jsonb) AS IMPLICIT;
COMMENT ON CAST (bson AS json) IS 'relaxed Extended JSON, with plain numbers';
COMMENT ON CAST (bson AS jsonb) IS 'relaxed Extended JSON as jsonb, with plain numbers';
COMMENT ON CAST (json AS bson) IS 'json as bson; Extended JSON is understood';
COMMENT ON CAST (jsonb AS bson) IS 'jsonb as bson; Extended JSON is understood';

-- a scalar as SQL's own type

CREATE FUNCTION bson_to_bool(bson) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_to_bool'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_to_bool(bson) IS 'a boolean';

CREATE FUNCTION bson_to_int2(bson) RETURNS int2
    AS 'MODULE_PATHNAME', 'pgbson_to_int2'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_to_int2(bson) IS 'a number as int2, rounded';

CREATE FUNCTION bson_to_int4(bson) RETURNS int4
    AS 'MODULE_PATHNAME', 'pgbson_to_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_to_int4(bson) IS 'a number as int4, rounded';

CREATE FUNCTION bson_to_int8(bson) RETURNS int8
    AS 'MODULE_PATHNAME', 'pgbson_to_int8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_to_int8(bson) IS 'a number as int8, rounded';

CREATE FUNCTION bson_to_float4(bson) RETURNS float4
    AS 'MODULE_PATHNAME', 'pgbson_to_float4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_to_float4(bson) IS 'a number as float4, the nearest';

CREATE FUNCTION bson_to_float8(bson) RETURNS float8
    AS 'MODULE_PATHNAME', 'pgbson_to_float8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_to_float8(bson) IS 'a number as float8, the nearest';

CREATE FUNCTION bson_to_numeric(bson) RETURNS numeric
    AS 'MODULE_PATHNAME', 'pgbson_to_numeric'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_to_numeric(bson) IS 'a number as numeric, exactly';

CREATE FUNCTION bson_to_timestamptz(bson) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'pgbson_to_timestamptz'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_to_timestamptz(bson) IS 'a date as timestamptz';

CREATE FUNCTION bson_to_timestamp(bson) RETURNS timestamp
    AS 'MODULE_PATHNAME', 'pgbson_to_timestamp'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_to_timestamp(bson) IS 'a date as timestamp, in UTC';

CREATE FUNCTION bson_to_date(bson) RETURNS date
    AS 'MODULE_PATHNAME', 'pgbson_to_date'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_to_date(bson) IS 'a date as date, in UTC';

CREATE FUNCTION bson_to_uuid(bson) RETURNS uuid
    AS 'MODULE_PATHNAME', 'pgbson_to_uuid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_to_uuid(bson) IS 'a UUID (binary subtype 4) as uuid';

CREATE CAST (bson AS bool) WITH FUNCTION bson_to_bool(bson);
CREATE CAST (bson AS int2) WITH FUNCTION bson_to_int2(bson);
CREATE CAST (bson AS int4) WITH FUNCTION bson_to_int4(bson);
CREATE CAST (bson AS int8) WITH FUNCTION bson_to_int8(bson);
CREATE CAST (bson AS float4) WITH FUNCTION bson_to_float4(bson);
CREATE CAST (bson AS float8) WITH FUNCTION bson_to_float8(bson);
CREATE CAST (bson AS numeric) WITH FUNCTION bson_to_numeric(bson);
CREATE CAST (bson AS timestamptz) WITH FUNCTION bson_to_timestamptz(bson);
CREATE CAST (bson AS timestamp) WITH FUNCTION bson_to_timestamp(bson);
CREATE CAST (bson AS date) WITH FUNCTION bson_to_date(bson);
CREATE CAST (bson AS uuid) WITH FUNCTION bson_to_uuid(bson);
COMMENT ON CAST (bson AS bool) IS 'a boolean';
COMMENT ON CAST (bson AS int2) IS 'a number as int2, rounded';
COMMENT ON CAST (bson AS int4) IS 'a number as int4, rounded';
COMMENT ON CAST (bson AS int8) IS 'a number as int8, rounded';
COMMENT ON CAST (bson AS float4) IS 'a number as float4, the nearest';
COMMENT ON CAST (bson AS float8) IS 'a number as float8, the nearest';
COMMENT ON CAST (bson AS numeric) IS 'a number as numeric, exactly';
COMMENT ON CAST (bson AS timestamptz) IS 'a date as timestamptz';
COMMENT ON CAST (bson AS timestamp) IS 'a date as timestamp, in UTC';
COMMENT ON CAST (bson AS date) IS 'a date as date, in UTC';
COMMENT ON CAST (bson AS uuid) IS 'a UUID (binary subtype 4) as uuid';

-- what the planner makes of the cast of a chain of accessors

CREATE FUNCTION bson_walk_to_json(bson, VARIADIC "any") RETURNS json
    AS 'MODULE_PATHNAME', 'pgbson_walk_to_json'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_to_json(bson, VARIADIC "any") IS 'value at the end of a chain of operators, cast to json; in plans it stands for a cast such as (d -> ''a'')::json';

CREATE FUNCTION bson_walk_to_jsonb(bson, VARIADIC "any") RETURNS jsonb
    AS 'MODULE_PATHNAME', 'pgbson_walk_to_jsonb'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_to_jsonb(bson, VARIADIC "any") IS 'value at the end of a chain of operators, cast to jsonb; in plans it stands for a cast such as (d -> ''a'')::jsonb';

CREATE FUNCTION bson_walk_to_bool(bson, VARIADIC "any") RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_walk_to_bool'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_to_bool(bson, VARIADIC "any") IS 'value at the end of a chain of operators, cast to bool; in plans it stands for a cast such as (d -> ''a'')::bool';

CREATE FUNCTION bson_walk_to_int2(bson, VARIADIC "any") RETURNS int2
    AS 'MODULE_PATHNAME', 'pgbson_walk_to_int2'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_to_int2(bson, VARIADIC "any") IS 'value at the end of a chain of operators, cast to int2; in plans it stands for a cast such as (d -> ''a'')::int2';

CREATE FUNCTION bson_walk_to_int4(bson, VARIADIC "any") RETURNS int4
    AS 'MODULE_PATHNAME', 'pgbson_walk_to_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_to_int4(bson, VARIADIC "any") IS 'value at the end of a chain of operators, cast to int4; in plans it stands for a cast such as (d -> ''a'')::int4';

CREATE FUNCTION bson_walk_to_int8(bson, VARIADIC "any") RETURNS int8
    AS 'MODULE_PATHNAME', 'pgbson_walk_to_int8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_to_int8(bson, VARIADIC "any") IS 'value at the end of a chain of operators, cast to int8; in plans it stands for a cast such as (d -> ''a'')::int8';

CREATE FUNCTION bson_walk_to_float4(bson, VARIADIC "any") RETURNS float4
    AS 'MODULE_PATHNAME', 'pgbson_walk_to_float4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_to_float4(bson, VARIADIC "any") IS 'value at the end of a chain of operators, cast to float4; in plans it stands for a cast such as (d -> ''a'')::float4';

CREATE FUNCTION bson_walk_to_float8(bson, VARIADIC "any") RETURNS float8
    AS 'MODULE_PATHNAME', 'pgbson_walk_to_float8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_to_float8(bson, VARIADIC "any") IS 'value at the end of a chain of operators, cast to float8; in plans it stands for a cast such as (d -> ''a'')::float8';

CREATE FUNCTION bson_walk_to_numeric(bson, VARIADIC "any") RETURNS numeric
    AS 'MODULE_PATHNAME', 'pgbson_walk_to_numeric'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_to_numeric(bson, VARIADIC "any") IS 'value at the end of a chain of operators, cast to numeric; in plans it stands for a cast such as (d -> ''a'')::numeric';

CREATE FUNCTION bson_walk_to_timestamptz(bson, VARIADIC "any") RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'pgbson_walk_to_timestamptz'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_to_timestamptz(bson, VARIADIC "any") IS 'value at the end of a chain of operators, cast to timestamptz; in plans it stands for a cast such as (d -> ''a'')::timestamptz';

CREATE FUNCTION bson_walk_to_timestamp(bson, VARIADIC "any") RETURNS timestamp
    AS 'MODULE_PATHNAME', 'pgbson_walk_to_timestamp'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_to_timestamp(bson, VARIADIC "any") IS 'value at the end of a chain of operators, cast to timestamp; in plans it stands for a cast such as (d -> ''a'')::timestamp';

CREATE FUNCTION bson_walk_to_date(bson, VARIADIC "any") RETURNS date
    AS 'MODULE_PATHNAME', 'pgbson_walk_to_date'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_to_date(bson, VARIADIC "any") IS 'value at the end of a chain of operators, cast to date; in plans it stands for a cast such as (d -> ''a'')::date';

CREATE FUNCTION bson_walk_to_uuid(bson, VARIADIC "any") RETURNS uuid
    AS 'MODULE_PATHNAME', 'pgbson_walk_to_uuid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_to_uuid(bson, VARIADIC "any") IS 'value at the end of a chain of operators, cast to uuid; in plans it stands for a cast such as (d -> ''a'')::uuid';

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

CREATE FUNCTION bson_not_identical(bson, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_not_identical'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_not_identical(bson, bson) IS 'do the stored bytes differ?';

-- for those who come from the extension pgbson, as the operators == and <<>> are

CREATE FUNCTION pgbson_compare(bson, bson) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_cmp'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pgbson_compare(bson, bson) IS 'less than, equal or greater than, as -1, 0 or 1 (named as in pgbson)';

CREATE FUNCTION bson_eq_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_eq_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_eq_sel(internal, oid, internal, integer) IS 'restriction selectivity of =';

CREATE FUNCTION bson_ne_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_ne_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ne_sel(internal, oid, internal, integer) IS 'restriction selectivity of <>';

CREATE FUNCTION bson_lt_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_lt_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_lt_sel(internal, oid, internal, integer) IS 'restriction selectivity of <';

CREATE FUNCTION bson_le_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_le_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_le_sel(internal, oid, internal, integer) IS 'restriction selectivity of <=';

CREATE FUNCTION bson_gt_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_gt_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gt_sel(internal, oid, internal, integer) IS 'restriction selectivity of >';

CREATE FUNCTION bson_ge_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_ge_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_ge_sel(internal, oid, internal, integer) IS 'restriction selectivity of >=';

CREATE OPERATOR = (
    FUNCTION = bson_eq,
    LEFTARG = bson,
    RIGHTARG = bson,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = bson_eq_sel,
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
    RESTRICT = bson_ne_sel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bson, bson) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = bson_lt,
    LEFTARG = bson,
    RIGHTARG = bson,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = bson_lt_sel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (bson, bson) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = bson_le,
    LEFTARG = bson,
    RIGHTARG = bson,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = bson_le_sel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (bson, bson) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = bson_gt,
    LEFTARG = bson,
    RIGHTARG = bson,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = bson_gt_sel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (bson, bson) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = bson_ge,
    LEFTARG = bson,
    RIGHTARG = bson,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = bson_ge_sel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (bson, bson) IS 'greater than or equal';

CREATE OPERATOR == (
    FUNCTION = bson_identical,
    LEFTARG = bson,
    RIGHTARG = bson,
    COMMUTATOR = ==,
    NEGATOR = <<>>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel
);
COMMENT ON OPERATOR == (bson, bson) IS 'the same bytes';

CREATE OPERATOR <<>> (
    FUNCTION = bson_not_identical,
    LEFTARG = bson,
    RIGHTARG = bson,
    COMMUTATOR = <<>>,
    NEGATOR = ==,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <<>> (bson, bson) IS 'not the same bytes';

-- no equalimage function: equal values can differ in bytes (1 and 1.0)
-- windows: RANGE BETWEEN '5' PRECEDING AND CURRENT ROW of numbers, '1 day'::interval of dates

CREATE FUNCTION in_range(value bson, base bson, "offset" bson, sub boolean, less boolean) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_in_range_number'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION in_range(bson, bson, bson, boolean, boolean) IS 'is a number within a distance of another one?';

CREATE FUNCTION in_range(value bson, base bson, "offset" interval, sub boolean, less boolean) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_in_range_date'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION in_range(bson, bson, interval, boolean, boolean) IS 'is a date within an interval of another one?';

CREATE OPERATOR CLASS bson_ops
    DEFAULT FOR TYPE bson USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 bson_cmp(bson, bson),
    FUNCTION 2 bson_sortsupport(internal),
    FUNCTION 3 (bson, bson) in_range(bson, bson, bson, boolean, boolean),
    FUNCTION 3 (bson, interval) in_range(bson, bson, interval, boolean, boolean);
COMMENT ON OPERATOR CLASS bson_ops USING btree IS 'equality and order';

CREATE OPERATOR CLASS bson_ops
    DEFAULT FOR TYPE bson USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 bson_hash(bson),
    FUNCTION 2 bson_hash_extended(bson, bigint);
COMMENT ON OPERATOR CLASS bson_ops USING hash IS 'equality';

-- get ------------------------------------------------------------------

CREATE FUNCTION bson_walk(bson, VARIADIC "any") RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_walk'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_walk(bson, VARIADIC "any") IS 'value at the end of a chain of operators; in plans it stands for a chain such as d -> ''a'' -> 0';

CREATE FUNCTION bson_walk_text(bson, VARIADIC "any") RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_walk_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_walk_text(bson, VARIADIC "any") IS 'text at the end of a chain of operators; in plans it stands for a chain such as d -> ''a'' ->> ''b''';

CREATE FUNCTION bson_walk_int4(bson, VARIADIC "any") RETURNS int4
    AS 'MODULE_PATHNAME', 'pgbson_walk_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_walk_int4(bson, VARIADIC "any") IS 'integer at the end of a chain of operators; in plans it stands for a chain such as d -> ''a'' -#> ''b''';

CREATE FUNCTION bson_walk_bool(bson, VARIADIC "any") RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_walk_bool'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_walk_bool(bson, VARIADIC "any") IS 'boolean at the end of a chain of operators; in plans it stands for a chain such as d -> ''a'' -&> ''b''';

CREATE FUNCTION bson_walk_as(bson, VARIADIC "any") RETURNS "any"
    AS 'MODULE_PATHNAME', 'pgbson_walk_as'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_walk_as(bson, VARIADIC "any") IS 'text at the end of a chain of operators, cast to another type; in plans it stands for a cast such as (d ->> ''a'')::numeric';

CREATE FUNCTION bson_walk_equals(bson, VARIADIC "any") RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_walk_equals'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_walk_equals(bson, VARIADIC "any") IS 'does the text at the end of a chain of operators equal the last argument, or an element of it? In plans it stands for a comparison such as d ->> ''a'' = ''x''';

CREATE FUNCTION bson_object_field(bson, text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_object_field'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_object_field(bson, text) IS 'field of a document';

CREATE FUNCTION bson_object_field_text(bson, text) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_object_field_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_object_field_text(bson, text) IS 'field of a document as text';

CREATE FUNCTION bson_object_field_int4(bson, text) RETURNS int4
    AS 'MODULE_PATHNAME', 'pgbson_object_field_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_object_field_int4(bson, text) IS 'field of a document, if it is exactly an integer';

CREATE FUNCTION bson_object_field_bool(bson, text) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_object_field_bool'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_object_field_bool(bson, text) IS 'field of a document, if it is a boolean';

CREATE FUNCTION bson_array_element(bson, int4) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_array_element'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_array_element(bson, int4) IS 'element of an array, negative from the end';

CREATE FUNCTION bson_array_element_text(bson, int4) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_array_element_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_array_element_text(bson, int4) IS 'element of an array as text, negative from the end';

CREATE FUNCTION bson_array_element_int4(bson, int4) RETURNS int4
    AS 'MODULE_PATHNAME', 'pgbson_array_element_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_array_element_int4(bson, int4) IS 'element of an array, if it is exactly an integer';

CREATE FUNCTION bson_array_element_bool(bson, int4) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_array_element_bool'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_array_element_bool(bson, int4) IS 'element of an array, if it is a boolean';

CREATE FUNCTION bson_extract_path(bson, VARIADIC text[]) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_extract_path'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_extract_path(bson, VARIADIC text[]) IS 'value at a path';

CREATE FUNCTION bson_extract_path_text(bson, VARIADIC text[]) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_extract_path_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_extract_path_text(bson, VARIADIC text[]) IS 'value at a path as text';

CREATE FUNCTION bson_extract_path_int4(bson, VARIADIC text[]) RETURNS int4
    AS 'MODULE_PATHNAME', 'pgbson_extract_path_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_extract_path_int4(bson, VARIADIC text[]) IS 'value at a path, if it is exactly an integer';

CREATE FUNCTION bson_extract_path_bool(bson, VARIADIC text[]) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_extract_path_bool'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_extract_path_bool(bson, VARIADIC text[]) IS 'value at a path, if it is a boolean';

CREATE OPERATOR -> (LEFTARG = bson, RIGHTARG = text, FUNCTION = bson_object_field);
COMMENT ON OPERATOR -> (bson, text) IS 'get field of a document';

CREATE OPERATOR -> (LEFTARG = bson, RIGHTARG = int4, FUNCTION = bson_array_element);
COMMENT ON OPERATOR -> (bson, int4) IS 'get element of an array';

CREATE OPERATOR ->> (LEFTARG = bson, RIGHTARG = text, FUNCTION = bson_object_field_text);
COMMENT ON OPERATOR ->> (bson, text) IS 'get field of a document as text';

CREATE OPERATOR ->> (LEFTARG = bson, RIGHTARG = int4, FUNCTION = bson_array_element_text);
COMMENT ON OPERATOR ->> (bson, int4) IS 'get element of an array as text';

CREATE OPERATOR #> (LEFTARG = bson, RIGHTARG = text[], FUNCTION = bson_extract_path);
COMMENT ON OPERATOR #> (bson, text[]) IS 'get value at a path';

CREATE OPERATOR #>> (LEFTARG = bson, RIGHTARG = text[], FUNCTION = bson_extract_path_text);
COMMENT ON OPERATOR #>> (bson, text[]) IS 'get value at a path as text';

CREATE OPERATOR -#> (LEFTARG = bson, RIGHTARG = text, FUNCTION = bson_object_field_int4);
COMMENT ON OPERATOR -#> (bson, text) IS 'get field of a document as integer';

CREATE OPERATOR -#> (LEFTARG = bson, RIGHTARG = int4, FUNCTION = bson_array_element_int4);
COMMENT ON OPERATOR -#> (bson, int4) IS 'get element of an array as integer';

CREATE OPERATOR -#> (LEFTARG = bson, RIGHTARG = text[], FUNCTION = bson_extract_path_int4);
COMMENT ON OPERATOR -#> (bson, text[]) IS 'get value at a path as integer';

CREATE OPERATOR -&> (LEFTARG = bson, RIGHTARG = text, FUNCTION = bson_object_field_bool);
COMMENT ON OPERATOR -&> (bson, text) IS 'get field of a document as boolean';

CREATE OPERATOR -&> (LEFTARG = bson, RIGHTARG = int4, FUNCTION = bson_array_element_bool);
COMMENT ON OPERATOR -&> (bson, int4) IS 'get element of an array as boolean';

CREATE OPERATOR -&> (LEFTARG = bson, RIGHTARG = text[], FUNCTION = bson_extract_path_bool);
COMMENT ON OPERATOR -&> (bson, text[]) IS 'get value at a path as boolean';

-- typed ----------------------------------------------------------------

CREATE FUNCTION bson_get_bool(bson, VARIADIC path text[]) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_get_bool'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_bool(bson, VARIADIC text[]) IS 'boolean at a path; NULL if it is anything else';

CREATE FUNCTION bson_get_int4(bson, VARIADIC path text[]) RETURNS int4
    AS 'MODULE_PATHNAME', 'pgbson_get_int4'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_int4(bson, VARIADIC text[]) IS 'number that is exactly an integer at a path; NULL if it is anything else';

CREATE FUNCTION bson_get_int8(bson, VARIADIC path text[]) RETURNS int8
    AS 'MODULE_PATHNAME', 'pgbson_get_int8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_int8(bson, VARIADIC text[]) IS 'number that is exactly a bigint at a path; NULL if it is anything else';

CREATE FUNCTION bson_get_float8(bson, VARIADIC path text[]) RETURNS float8
    AS 'MODULE_PATHNAME', 'pgbson_get_float8'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_float8(bson, VARIADIC text[]) IS 'number that is exactly a double precision at a path; NULL if it is anything else';

CREATE FUNCTION bson_get_numeric(bson, VARIADIC path text[]) RETURNS numeric
    AS 'MODULE_PATHNAME', 'pgbson_get_numeric'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_numeric(bson, VARIADIC text[]) IS 'number at a path, as numeric; NULL if it is anything else';

CREATE FUNCTION bson_get_text(bson, VARIADIC path text[]) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_get_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_get_text(bson, VARIADIC text[]) IS 'string at a path; NULL if it is anything else';

CREATE FUNCTION bson_get_timestamptz(bson, VARIADIC path text[]) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'pgbson_get_timestamptz'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_timestamptz(bson, VARIADIC text[]) IS 'date at a path; NULL if it is anything else';

CREATE FUNCTION bson_get_uuid(bson, VARIADIC path text[]) RETURNS uuid
    AS 'MODULE_PATHNAME', 'pgbson_get_uuid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_uuid(bson, VARIADIC text[]) IS 'UUID (binary subtype 4) at a path; NULL if it is anything else';

CREATE FUNCTION bson_get_bytea(bson, VARIADIC path text[]) RETURNS bytea
    AS 'MODULE_PATHNAME', 'pgbson_get_bytea'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_bytea(bson, VARIADIC text[]) IS 'binary value at a path; NULL if it is anything else';

CREATE FUNCTION bson_get_objectid(bson, VARIADIC path text[]) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_get_objectid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_get_objectid(bson, VARIADIC text[]) IS 'ObjectId at a path, as its 24 hexadecimal digits; NULL if it is anything else';

CREATE FUNCTION bson_get_bson(bson, VARIADIC path text[]) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_get_bson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_bson(bson, VARIADIC text[]) IS 'value at a path';

CREATE FUNCTION bson_get_string(bson, dotpath text) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_get_string_dotted'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_get_string(bson, text) IS 'string at a dotted path; NULL if it is anything else (named as in pgbson)';

CREATE FUNCTION bson_get_datetime(bson, dotpath text) RETURNS timestamp
    AS 'MODULE_PATHNAME', 'pgbson_get_datetime_dotted'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_datetime(bson, text) IS 'date at a dotted path, in UTC; NULL if it is anything else (named as in pgbson)';

CREATE FUNCTION bson_get_decimal128(bson, dotpath text) RETURNS numeric
    AS 'MODULE_PATHNAME', 'pgbson_get_decimal128_dotted'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_decimal128(bson, text) IS 'number at a dotted path, as numeric; NULL if it is anything else (named as in pgbson)';

CREATE FUNCTION bson_get_int32(bson, dotpath text) RETURNS int4
    AS 'MODULE_PATHNAME', 'pgbson_get_int32_dotted'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_int32(bson, text) IS 'number that is exactly an integer at a dotted path; NULL if it is anything else (named as in pgbson)';

CREATE FUNCTION bson_get_int64(bson, dotpath text) RETURNS int8
    AS 'MODULE_PATHNAME', 'pgbson_get_int64_dotted'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_int64(bson, text) IS 'number that is exactly a bigint at a dotted path; NULL if it is anything else (named as in pgbson)';

CREATE FUNCTION bson_get_double(bson, dotpath text) RETURNS float8
    AS 'MODULE_PATHNAME', 'pgbson_get_double_dotted'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_double(bson, text) IS 'number that is exactly a double precision at a dotted path; NULL if it is anything else (named as in pgbson)';

CREATE FUNCTION bson_get_binary(bson, dotpath text) RETURNS bytea
    AS 'MODULE_PATHNAME', 'pgbson_get_binary_dotted'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_binary(bson, text) IS 'binary value at a dotted path; NULL if it is anything else (named as in pgbson)';

CREATE FUNCTION bson_get_boolean(bson, dotpath text) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_get_boolean_dotted'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_boolean(bson, text) IS 'boolean at a dotted path; NULL if it is anything else (named as in pgbson)';

CREATE FUNCTION bson_get_bson(bson, dotpath text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_get_bson_dotted'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_bson(bson, text) IS 'value at a dotted path (named as in pgbson)';

CREATE FUNCTION bson_get_jsonb_array(bson, dotpath text) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'pgbson_get_jsonb_array_dotted'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_get_jsonb_array(bson, text) IS 'array at a dotted path, as jsonb; NULL if it is anything else (named as in pgbson)';

CREATE FUNCTION bson_as_text(bson, dotpath text) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_as_text_dotted'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_as_text(bson, text) IS 'value as text at a dotted path (named as in pgbson)';

-- inspect --------------------------------------------------------------

CREATE FUNCTION bson_typeof(bson) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_typeof'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_typeof(bson) IS 'type of the value, by its name in MongoDB';

CREATE FUNCTION bson_array_length(bson) RETURNS int4
    AS 'MODULE_PATHNAME', 'pgbson_array_length'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support;
COMMENT ON FUNCTION bson_array_length(bson) IS 'number of elements of an array';

CREATE FUNCTION bson_walk_array_length(bson, VARIADIC "any") RETURNS int4
    AS 'MODULE_PATHNAME', 'pgbson_walk_array_length'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_walk_array_length(bson, VARIADIC "any") IS 'number of elements of an array at the end of a chain of operators; in plans it stands for bson_array_length(d -> ''a'')';

CREATE FUNCTION bson_size(bson) RETURNS int4
    AS 'MODULE_PATHNAME', 'pgbson_size'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_size(bson) IS 'size in bytes, as BSON';

CREATE FUNCTION bson_depth(bson) RETURNS int4
    AS 'MODULE_PATHNAME', 'pgbson_depth'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_depth(bson) IS 'levels of nesting: 0 for a scalar, 1 for a flat document';

CREATE FUNCTION bson_is_valid(bytea) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_is_valid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_is_valid(bytea) IS 'are these bytes one valid BSON document?';

-- each -----------------------------------------------------------------

CREATE FUNCTION bson_expansion_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_expansion_support'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_expansion_support(internal) IS 'planner support: number of rows that a constant expands to';

CREATE FUNCTION bson_each(from_bson bson, OUT key text, OUT value bson) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'pgbson_each'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100 SUPPORT bson_expansion_support;
COMMENT ON FUNCTION bson_each(bson) IS 'key and value of each field of a document';

CREATE FUNCTION bson_each_text(from_bson bson, OUT key text, OUT value text) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'pgbson_each_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100 SUPPORT bson_expansion_support;
COMMENT ON FUNCTION bson_each_text(bson) IS 'key and value as text of each field of a document';

CREATE FUNCTION bson_object_keys(bson) RETURNS SETOF text
    AS 'MODULE_PATHNAME', 'pgbson_object_keys'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100 SUPPORT bson_expansion_support;
COMMENT ON FUNCTION bson_object_keys(bson) IS 'keys of a document';

CREATE FUNCTION bson_array_elements(from_bson bson, OUT value bson) RETURNS SETOF bson
    AS 'MODULE_PATHNAME', 'pgbson_array_elements'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100 SUPPORT bson_expansion_support;
COMMENT ON FUNCTION bson_array_elements(bson) IS 'elements of an array';

CREATE FUNCTION bson_array_elements_text(from_bson bson, OUT value text) RETURNS SETOF text
    AS 'MODULE_PATHNAME', 'pgbson_array_elements_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100 SUPPORT bson_expansion_support;
COMMENT ON FUNCTION bson_array_elements_text(bson) IS 'elements of an array as text';

-- selectivity ----------------------------------------------------------

-- STABLE as their answers depend on statistics

CREATE FUNCTION bson_contains_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_contains_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_contains_sel(internal, oid, internal, integer) IS 'restriction selectivity of @>';

CREATE FUNCTION bson_contained_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_contained_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_contained_sel(internal, oid, internal, integer) IS 'restriction selectivity of <@';

CREATE FUNCTION bson_exists_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_exists_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_exists_sel(internal, oid, internal, integer) IS 'restriction selectivity of ?';

CREATE FUNCTION bson_exists_any_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_exists_any_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_exists_any_sel(internal, oid, internal, integer) IS 'restriction selectivity of ?|';

CREATE FUNCTION bson_exists_all_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_exists_all_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_exists_all_sel(internal, oid, internal, integer) IS 'restriction selectivity of ?&';

CREATE FUNCTION bson_path_exists_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_path_exists_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_path_exists_sel(internal, oid, internal, integer) IS 'restriction selectivity of @?';

CREATE FUNCTION bson_path_match_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_path_match_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_path_match_sel(internal, oid, internal, integer) IS 'restriction selectivity of @@';

CREATE FUNCTION bson_match_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_match_sel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_match_sel(internal, oid, internal, integer) IS 'restriction selectivity of @~';

CREATE FUNCTION bson_contains_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_contains_joinsel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_contains_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of @>';

CREATE FUNCTION bson_match_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME', 'pgbson_match_joinsel'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_match_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of @~';

-- contain --------------------------------------------------------------

CREATE FUNCTION bson_contains(bson, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_contains'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bson_contains(bson, bson) IS 'does the first value contain the second? Key order does not matter, numbers are compared by value';

CREATE FUNCTION bson_contained(bson, bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_contained'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bson_contained(bson, bson) IS 'is the first value contained in the second?';

CREATE FUNCTION bson_exists(bson, text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_exists'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5 SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_exists(bson, text) IS 'is the text a key of the document, or a string element of the array?';

CREATE FUNCTION bson_exists_any(bson, text[]) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_exists_any'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5 SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_exists_any(bson, text[]) IS 'is any of the texts a key of the document, or a string element of the array?';

CREATE FUNCTION bson_exists_all(bson, text[]) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_exists_all'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5 SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_exists_all(bson, text[]) IS 'is each of the texts a key of the document, or a string element of the array?';

CREATE OPERATOR @> (
    LEFTARG = bson, RIGHTARG = bson, FUNCTION = bson_contains,
    COMMUTATOR = <@,
    RESTRICT = bson_contains_sel, JOIN = bson_contains_joinsel
);
COMMENT ON OPERATOR @> (bson, bson) IS 'contains';

CREATE OPERATOR <@ (
    LEFTARG = bson, RIGHTARG = bson, FUNCTION = bson_contained,
    COMMUTATOR = @>,
    RESTRICT = bson_contained_sel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@ (bson, bson) IS 'is contained by';

CREATE OPERATOR ? (
    LEFTARG = bson, RIGHTARG = text, FUNCTION = bson_exists,
    RESTRICT = bson_exists_sel, JOIN = contjoinsel
);
COMMENT ON OPERATOR ? (bson, text) IS 'key or string element exists';

CREATE OPERATOR ?| (
    LEFTARG = bson, RIGHTARG = text[], FUNCTION = bson_exists_any,
    RESTRICT = bson_exists_any_sel, JOIN = contjoinsel
);
COMMENT ON OPERATOR ?| (bson, text[]) IS 'any key or string element exists';

CREATE OPERATOR ?& (
    LEFTARG = bson, RIGHTARG = text[], FUNCTION = bson_exists_all,
    RESTRICT = bson_exists_all_sel, JOIN = contjoinsel
);
COMMENT ON OPERATOR ?& (bson, text[]) IS 'all keys or string elements exist';

-- construct ------------------------------------------------------------

-- STABLE where values of any type come in: their output and cast functions may be no better

CREATE FUNCTION to_bson(anyelement) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_bson(anyelement) IS 'any SQL value as bson';

CREATE FUNCTION row_to_bson(record) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION row_to_bson(record) IS 'row as a bson document';

CREATE FUNCTION row_to_bson(record, pretty bool) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION row_to_bson(record, bool) IS 'row as a bson document; the flag is ignored';

CREATE FUNCTION array_to_bson(anyarray) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION array_to_bson(anyarray) IS 'SQL array as a bson array, one level for each dimension';

CREATE FUNCTION array_to_bson(anyarray, pretty bool) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_to_bson'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION array_to_bson(anyarray, bool) IS 'SQL array as a bson array; the flag is ignored';

-- STABLE as the constructors are, they fold where their arguments are constants of types that convert alike whatever the settings
CREATE FUNCTION bson_build_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_build_support'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_build_support(internal) IS 'planner support: a document or an array of constants is a constant';

-- not STRICT: a NULL value becomes a null
CREATE FUNCTION bson_build_object(VARIADIC "any") RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_build_object'
    LANGUAGE C STABLE PARALLEL SAFE SUPPORT bson_build_support;
COMMENT ON FUNCTION bson_build_object(VARIADIC "any") IS 'document of alternating keys and values';

CREATE FUNCTION bson_build_object() RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_build_object_noargs'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_build_object() IS 'empty document';

-- not STRICT: a NULL value becomes a null
CREATE FUNCTION bson_build_array(VARIADIC "any") RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_build_array'
    LANGUAGE C STABLE PARALLEL SAFE SUPPORT bson_build_support;
COMMENT ON FUNCTION bson_build_array(VARIADIC "any") IS 'array of values of any types';

CREATE FUNCTION bson_build_array() RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_build_array_noargs'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_build_array() IS 'empty array';

CREATE FUNCTION bson_object(text[]) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_object'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_object(text[]) IS 'document of strings, from alternating keys and values or from pairs';

CREATE FUNCTION bson_object(keys text[], vals text[]) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_object_two_arg'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_object(text[], text[]) IS 'document of strings, from an array of keys and one of values';

-- aggregate ------------------------------------------------------------

-- Transition functions are STABLE for the same reason as to_bson, and not
-- STRICT as NULLs are values (or, in the _strict ones, counted as rows seen).

CREATE FUNCTION bson_agg_transfn(internal, anyelement) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_agg_transfn'
    LANGUAGE C STABLE PARALLEL SAFE;

CREATE FUNCTION bson_agg_strict_transfn(internal, anyelement) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_agg_strict_transfn'
    LANGUAGE C STABLE PARALLEL SAFE;

CREATE FUNCTION bson_agg_finalfn(internal) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_agg_finalfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_object_agg_transfn(internal, "any", "any") RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_object_agg_transfn'
    LANGUAGE C STABLE PARALLEL SAFE;

CREATE FUNCTION bson_object_agg_strict_transfn(internal, "any", "any") RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_object_agg_strict_transfn'
    LANGUAGE C STABLE PARALLEL SAFE;

CREATE FUNCTION bson_object_agg_unique_strict_transfn(internal, "any", "any") RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_object_agg_unique_strict_transfn'
    LANGUAGE C STABLE PARALLEL SAFE;

CREATE FUNCTION bson_object_agg_finalfn(internal) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_object_agg_finalfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_object_agg_unique_finalfn(internal) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_object_agg_unique_finalfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

-- shared by all: their states are alike
CREATE FUNCTION bson_agg_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_agg_combine'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_agg_serial(internal) RETURNS bytea
    AS 'MODULE_PATHNAME', 'pgbson_agg_serial'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION bson_agg_deserial(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_agg_deserial'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE bson_agg(anyelement) (
    SFUNC = bson_agg_transfn,
    STYPE = internal,
    FINALFUNC = bson_agg_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_agg(anyelement) IS 'values of all rows as a bson array';

CREATE AGGREGATE bson_agg_strict(anyelement) (
    SFUNC = bson_agg_strict_transfn,
    STYPE = internal,
    FINALFUNC = bson_agg_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_agg_strict(anyelement) IS 'values of all rows as a bson array, without the NULLs';

CREATE AGGREGATE bson_object_agg("any", "any") (
    SFUNC = bson_object_agg_transfn,
    STYPE = internal,
    FINALFUNC = bson_object_agg_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_object_agg("any", "any") IS 'keys and values of all rows as a bson document; of equal keys the last counts';

CREATE AGGREGATE bson_object_agg_strict("any", "any") (
    SFUNC = bson_object_agg_strict_transfn,
    STYPE = internal,
    FINALFUNC = bson_object_agg_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_object_agg_strict("any", "any") IS 'keys and values of all rows as a bson document, without the NULL values';

CREATE AGGREGATE bson_object_agg_unique("any", "any") (
    SFUNC = bson_object_agg_transfn,
    STYPE = internal,
    FINALFUNC = bson_object_agg_unique_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_object_agg_unique("any", "any") IS 'keys and values of all rows as a bson document; equal keys are an error';

CREATE AGGREGATE bson_object_agg_unique_strict("any", "any") (
    SFUNC = bson_object_agg_unique_strict_transfn,
    STYPE = internal,
    FINALFUNC = bson_object_agg_unique_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_object_agg_unique_strict("any", "any") IS 'keys and values of all rows as a bson document, without the NULL values; equal keys are an error';

-- record ---------------------------------------------------------------

-- STABLE, as the columns' input functions may be no better; the first two not
-- STRICT, as the base row may be NULL and need not be

CREATE FUNCTION bson_populate_record(base anyelement, from_bson bson) RETURNS anyelement
    AS 'MODULE_PATHNAME', 'pgbson_populate_record'
    LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_populate_record(anyelement, bson) IS 'row of the type of the first argument, with the fields of a document in its columns';

-- a subtransaction, which parallel workers cannot have
CREATE FUNCTION bson_populate_record_valid(base anyelement, from_bson bson) RETURNS boolean
    AS 'MODULE_PATHNAME', 'pgbson_populate_record_valid'
    LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION bson_populate_record_valid(anyelement, bson) IS 'would bson_populate_record accept the values of this document?';

CREATE FUNCTION bson_populate_recordset(base anyelement, from_bson bson) RETURNS SETOF anyelement
    AS 'MODULE_PATHNAME', 'pgbson_populate_recordset'
    LANGUAGE C STABLE PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION bson_populate_recordset(anyelement, bson) IS 'rows of the type of the first argument, with the fields of the documents of an array in their columns';

CREATE FUNCTION bson_to_record(bson) RETURNS record
    AS 'MODULE_PATHNAME', 'pgbson_to_record'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_to_record(bson) IS 'row with the columns of an AS clause, from the fields of a document';

CREATE FUNCTION bson_to_recordset(bson) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'pgbson_to_recordset'
    LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION bson_to_recordset(bson) IS 'rows with the columns of an AS clause, from the documents of an array';

-- modify ---------------------------------------------------------------

CREATE FUNCTION bson_concat(bson, bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_concat'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_concat(bson, bson) IS 'concatenation of two documents or arrays';

CREATE FUNCTION bson_delete(bson, text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_delete'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_delete(bson, text) IS 'document without a key, or array without the string elements equal to it';

CREATE FUNCTION bson_delete(bson, VARIADIC text[]) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_delete_array'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_delete(bson, text[]) IS 'document without some keys, or array without the string elements equal to one of them';

CREATE FUNCTION bson_delete(bson, integer) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_delete_idx'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_delete(bson, integer) IS 'array without the element at a position; negative from the end';

CREATE FUNCTION bson_delete_path(bson, text[]) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_delete_path'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_delete_path(bson, text[]) IS 'value without what is at a path';

-- not strict: a NULL new value must not turn the document into NULL
CREATE FUNCTION bson_set(target bson, path text[], new_value bson, create_if_missing boolean DEFAULT true) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_set'
    LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_set(target bson, path text[], new_value bson, create_if_missing boolean) IS 'value with a new value at a path; NULL is set as BSON null';

-- not strict: a NULL new value has a meaning
CREATE FUNCTION bson_set_lax(target bson, path text[], new_value bson, create_if_missing boolean DEFAULT true, null_value_treatment text DEFAULT 'use_json_null') RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_set_lax'
    LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_set_lax(target bson, path text[], new_value bson, create_if_missing boolean, null_value_treatment text) IS 'like bson_set; the last argument says what NULL as the new value means';

-- not strict: a NULL new value must not turn the document into NULL
CREATE FUNCTION bson_insert(target bson, path text[], new_value bson, insert_after boolean DEFAULT false) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_insert'
    LANGUAGE C IMMUTABLE PARALLEL SAFE SUPPORT bson_walk_support;
COMMENT ON FUNCTION bson_insert(target bson, path text[], new_value bson, insert_after boolean) IS 'value with a new value inserted at a path; NULL is inserted as BSON null';

CREATE FUNCTION bson_strip_nulls(target bson, strip_in_arrays boolean DEFAULT false) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_strip_nulls'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_strip_nulls(target bson, strip_in_arrays boolean) IS 'value without fields that are null, at every level';

CREATE OPERATOR || (
    LEFTARG = bson, RIGHTARG = bson, FUNCTION = bson_concat
);
COMMENT ON OPERATOR || (bson, bson) IS 'concatenate';

CREATE OPERATOR - (
    LEFTARG = bson, RIGHTARG = text, FUNCTION = bson_delete
);
COMMENT ON OPERATOR - (bson, text) IS 'delete key, or string elements';

CREATE OPERATOR - (
    LEFTARG = bson, RIGHTARG = text[], FUNCTION = bson_delete
);
COMMENT ON OPERATOR - (bson, text[]) IS 'delete keys, or string elements';

CREATE OPERATOR - (
    LEFTARG = bson, RIGHTARG = integer, FUNCTION = bson_delete
);
COMMENT ON OPERATOR - (bson, integer) IS 'delete array element';

CREATE OPERATOR #- (
    LEFTARG = bson, RIGHTARG = text[], FUNCTION = bson_delete_path
);
COMMENT ON OPERATOR #- (bson, text[]) IS 'delete path';

-- jsonpath -------------------------------------------------------------

CREATE FUNCTION bson_path_exists(target bson, path jsonpath, vars bson DEFAULT '{}', silent bool DEFAULT false) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_path_exists'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_path_exists(bson, jsonpath, bson, bool) IS 'does the jsonpath find an item in the value?';

CREATE FUNCTION bson_path_match(target bson, path jsonpath, vars bson DEFAULT '{}', silent bool DEFAULT false) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_path_match'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_path_match(bson, jsonpath, bson, bool) IS 'result of the jsonpath predicate for the value';

CREATE FUNCTION bson_path_query(target bson, path jsonpath, vars bson DEFAULT '{}', silent bool DEFAULT false) RETURNS SETOF bson
    AS 'MODULE_PATHNAME', 'pgbson_path_query'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1000;
COMMENT ON FUNCTION bson_path_query(bson, jsonpath, bson, bool) IS 'the items that the jsonpath finds in the value';

CREATE FUNCTION bson_path_query_array(target bson, path jsonpath, vars bson DEFAULT '{}', silent bool DEFAULT false) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_path_query_array'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_path_query_array(bson, jsonpath, bson, bool) IS 'the items that the jsonpath finds in the value, as an array';

CREATE FUNCTION bson_path_query_first(target bson, path jsonpath, vars bson DEFAULT '{}', silent bool DEFAULT false) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_path_query_first'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_path_query_first(bson, jsonpath, bson, bool) IS 'the first item that the jsonpath finds in the value';

-- stable, as they use the session's time zone to compare datetimes

CREATE FUNCTION bson_path_exists_tz(target bson, path jsonpath, vars bson DEFAULT '{}', silent bool DEFAULT false) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_path_exists_tz'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_path_exists_tz(bson, jsonpath, bson, bool) IS 'does the jsonpath find an item in the value, using the session''s time zone?';

CREATE FUNCTION bson_path_match_tz(target bson, path jsonpath, vars bson DEFAULT '{}', silent bool DEFAULT false) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_path_match_tz'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_path_match_tz(bson, jsonpath, bson, bool) IS 'result of the jsonpath predicate for the value, using the session''s time zone';

CREATE FUNCTION bson_path_query_tz(target bson, path jsonpath, vars bson DEFAULT '{}', silent bool DEFAULT false) RETURNS SETOF bson
    AS 'MODULE_PATHNAME', 'pgbson_path_query_tz'
    LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 1000;
COMMENT ON FUNCTION bson_path_query_tz(bson, jsonpath, bson, bool) IS 'the items that the jsonpath finds in the value, using the session''s time zone';

CREATE FUNCTION bson_path_query_array_tz(target bson, path jsonpath, vars bson DEFAULT '{}', silent bool DEFAULT false) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_path_query_array_tz'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_path_query_array_tz(bson, jsonpath, bson, bool) IS 'the items that the jsonpath finds in the value, as an array, using the session''s time zone';

CREATE FUNCTION bson_path_query_first_tz(target bson, path jsonpath, vars bson DEFAULT '{}', silent bool DEFAULT false) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_path_query_first_tz'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_path_query_first_tz(bson, jsonpath, bson, bool) IS 'the first item that the jsonpath finds in the value, using the session''s time zone';

CREATE FUNCTION bson_path_exists_opr(bson, jsonpath) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_path_exists_opr'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION bson_path_exists_opr(bson, jsonpath) IS 'implementation of @? operator';

CREATE FUNCTION bson_path_match_opr(bson, jsonpath) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_path_match_opr'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION bson_path_match_opr(bson, jsonpath) IS 'implementation of @@ operator';

CREATE OPERATOR @? (
    LEFTARG = bson,
    RIGHTARG = jsonpath,
    FUNCTION = bson_path_exists_opr,
    RESTRICT = bson_path_exists_sel,
    JOIN = contjoinsel
);
COMMENT ON OPERATOR @? (bson, jsonpath) IS 'does the jsonpath find an item?';

CREATE OPERATOR @@ (
    LEFTARG = bson,
    RIGHTARG = jsonpath,
    FUNCTION = bson_path_match_opr,
    RESTRICT = bson_path_match_sel,
    JOIN = contjoinsel
);
COMMENT ON OPERATOR @@ (bson, jsonpath) IS 'does the jsonpath predicate hold?';

-- mongodb --------------------------------------------------------------

CREATE FUNCTION bson_match(doc bson, query bson) RETURNS bool
    AS 'MODULE_PATHNAME', 'pgbson_match'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bson_match(bson, bson) IS 'does the document meet a MongoDB query?';

CREATE OPERATOR @~ (
    LEFTARG = bson, RIGHTARG = bson, FUNCTION = bson_match,
    RESTRICT = bson_match_sel, JOIN = bson_match_joinsel
);
COMMENT ON OPERATOR @~ (bson, bson) IS 'meets a MongoDB query';

-- $currentDate is the transaction's time
CREATE FUNCTION bson_update(doc bson, update bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_update'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_update(bson, bson) IS 'the document after a MongoDB update';

-- a new one at every call
CREATE FUNCTION bson_objectid() RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_objectid'
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_objectid() IS 'a new ObjectId';

CREATE FUNCTION bson_objectid(text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_objectid_from_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_objectid(text) IS 'the ObjectId of 24 hexadecimal digits';

CREATE FUNCTION bson_objectid_timestamp(bson) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'pgbson_objectid_timestamp'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_objectid_timestamp(bson) IS 'when an ObjectId was made, to the second';

CREATE FUNCTION bson_read_dump(bytea) RETURNS SETOF bson
    AS 'MODULE_PATHNAME', 'pgbson_read_dump'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1000;
COMMENT ON FUNCTION bson_read_dump(bytea) IS 'the documents of a .bson file, as mongodump writes it';

-- text -----------------------------------------------------------------

CREATE FUNCTION bson_pretty(bson) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_pretty'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_pretty(bson) IS 'text of the value, indented';

CREATE FUNCTION bson_to_extjson(bson, format text) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_to_extjson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_to_extjson(bson, text) IS 'MongoDB Extended JSON v2, canonical or relaxed';

CREATE FUNCTION bson_from_extjson(text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_from_extjson'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_from_extjson(text) IS 'MongoDB Extended JSON as bson';

CREATE FUNCTION to_tsvector(regconfig, bson) RETURNS tsvector
    AS 'MODULE_PATHNAME', 'pgbson_to_tsvector_byid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_tsvector(regconfig, bson) IS 'the string values of a bson as tsvector';

-- STABLE, as the configuration is a setting
CREATE FUNCTION to_tsvector(bson) RETURNS tsvector
    AS 'MODULE_PATHNAME', 'pgbson_to_tsvector'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_tsvector(bson) IS 'the string values of a bson as tsvector';

CREATE FUNCTION bson_to_tsvector(regconfig, bson, bson) RETURNS tsvector
    AS 'MODULE_PATHNAME', 'pgbson_filter_to_tsvector_byid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_to_tsvector(regconfig, bson, bson) IS 'the strings, numbers, booleans or keys of a bson, as the third argument says, as tsvector';

-- STABLE, as the configuration is a setting
CREATE FUNCTION bson_to_tsvector(bson, bson) RETURNS tsvector
    AS 'MODULE_PATHNAME', 'pgbson_filter_to_tsvector'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_to_tsvector(bson, bson) IS 'the strings, numbers, booleans or keys of a bson, as the second argument says, as tsvector';

CREATE FUNCTION ts_headline(regconfig, bson, tsquery, text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_ts_headline_byid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ts_headline(regconfig, bson, tsquery, text) IS 'the value, with the matches of a query marked in its strings';

CREATE FUNCTION ts_headline(regconfig, bson, tsquery) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_ts_headline_byid'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ts_headline(regconfig, bson, tsquery) IS 'the value, with the matches of a query marked in its strings';

-- STABLE, as the configuration is a setting
CREATE FUNCTION ts_headline(bson, tsquery, text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_ts_headline'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ts_headline(bson, tsquery, text) IS 'the value, with the matches of a query marked in its strings';

-- STABLE, as the configuration is a setting
CREATE FUNCTION ts_headline(bson, tsquery) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_ts_headline'
    LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ts_headline(bson, tsquery) IS 'the value, with the matches of a query marked in its strings';

-- index: gin -----------------------------------------------------------

CREATE FUNCTION bson_gin_extract_value(bson, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_gin_extract_value'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gin_extract_value(bson, internal) IS 'GIN support of bson_ops: keys of a value';

CREATE FUNCTION bson_gin_extract_query(bson, internal, smallint, internal, internal, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_gin_extract_query'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gin_extract_query(bson, internal, smallint, internal, internal, internal, internal) IS 'GIN support of bson_ops: keys of a query';

CREATE FUNCTION bson_gin_extract_value_path(bson, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_gin_extract_value_path'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gin_extract_value_path(bson, internal) IS 'GIN support of bson_path_ops: keys of a value';

CREATE FUNCTION bson_gin_extract_query_path(bson, internal, smallint, internal, internal, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_gin_extract_query_path'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gin_extract_query_path(bson, internal, smallint, internal, internal, internal, internal) IS 'GIN support of bson_path_ops: keys of a query';

CREATE FUNCTION bson_gin_extract_value_range(bson, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_gin_extract_value_range'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gin_extract_value_range(bson, internal) IS 'GIN support of bson_range_ops: keys of a value';

CREATE FUNCTION bson_gin_extract_query_range(bson, internal, smallint, internal, internal, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_gin_extract_query_range'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gin_extract_query_range(bson, internal, smallint, internal, internal, internal, internal) IS 'GIN support of bson_range_ops: keys of a query';

CREATE FUNCTION bson_gin_compare(bytea, bytea) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_gin_compare'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gin_compare(bytea, bytea) IS 'GIN support of bson_ops and bson_range_ops: order of keys';

CREATE FUNCTION bson_gin_compare_partial(bytea, bytea, smallint, internal) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_gin_compare_partial'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gin_compare_partial(bytea, bytea, smallint, internal) IS 'GIN support of bson_range_ops: is a key within the range?';

CREATE FUNCTION bson_gin_triconsistent(internal, smallint, bson, integer, internal, internal, internal) RETURNS "char"
    AS 'MODULE_PATHNAME', 'pgbson_gin_triconsistent'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_gin_triconsistent(internal, smallint, bson, integer, internal, internal, internal) IS 'GIN support: does a row with these keys satisfy the query?';

CREATE OPERATOR CLASS bson_ops
    DEFAULT FOR TYPE bson USING gin AS
    OPERATOR 7 @>,
    OPERATOR 9 ? (bson, text),
    OPERATOR 10 ?| (bson, text[]),
    OPERATOR 11 ?& (bson, text[]),
    OPERATOR 15 @? (bson, jsonpath),
    OPERATOR 16 @@ (bson, jsonpath),
    OPERATOR 17 @~,
    FUNCTION 1 bson_gin_compare(bytea, bytea),
    FUNCTION 2 bson_gin_extract_value(bson, internal),
    FUNCTION 3 bson_gin_extract_query(bson, internal, smallint, internal, internal, internal, internal),
    FUNCTION 6 bson_gin_triconsistent(internal, smallint, bson, integer, internal, internal, internal),
    STORAGE bytea;
COMMENT ON OPERATOR CLASS bson_ops USING gin IS 'keys, and values with their paths: serves @> ? ?| ?& @? @@ @~ ==';

CREATE OPERATOR CLASS bson_path_ops
    FOR TYPE bson USING gin AS
    OPERATOR 7 @>,
    OPERATOR 15 @? (bson, jsonpath),
    OPERATOR 16 @@ (bson, jsonpath),
    OPERATOR 17 @~,
    FUNCTION 1 btint8cmp(bigint, bigint),
    FUNCTION 2 bson_gin_extract_value_path(bson, internal),
    FUNCTION 3 bson_gin_extract_query_path(bson, internal, smallint, internal, internal, internal, internal),
    FUNCTION 6 bson_gin_triconsistent(internal, smallint, bson, integer, internal, internal, internal),
    STORAGE bigint;
COMMENT ON OPERATOR CLASS bson_path_ops USING gin IS 'hashes of paths with values, smaller: serves @> @? @@ @~';

CREATE OPERATOR CLASS bson_range_ops
    FOR TYPE bson USING gin AS
    OPERATOR 7 @>,
    OPERATOR 15 @? (bson, jsonpath),
    OPERATOR 16 @@ (bson, jsonpath),
    OPERATOR 17 @~,
    FUNCTION 1 bson_gin_compare(bytea, bytea),
    FUNCTION 2 bson_gin_extract_value_range(bson, internal),
    FUNCTION 3 bson_gin_extract_query_range(bson, internal, smallint, internal, internal, internal, internal),
    FUNCTION 5 bson_gin_compare_partial(bytea, bytea, smallint, internal),
    FUNCTION 6 bson_gin_triconsistent(internal, smallint, bson, integer, internal, internal, internal),
    STORAGE bytea;
COMMENT ON OPERATOR CLASS bson_range_ops USING gin IS 'paths with values in their order: serves @> @? @@ @~, and comparisons in them';

-- casts and comparison with SQL's types ---------------------------------

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

-- Comparisons with SQL's types, each both ways.  A name of the server's is written with its schema, as a function that
-- fits better could lie in the schema of the extension.

DO LANGUAGE plpgsql $do$
DECLARE
    -- a type, the function that orders two of its values as bson does, and an option of the functions
    types CONSTANT pg_catalog.text[] := '{{int4, btint4cmp, ""}, {int8, btint8cmp, ""}, {float8, bson_order_float8, ""},
        {numeric, bson_order_numeric, ""}, {text, bson_order_text, SUPPORT bson_walk_support}, {boolean, btboolcmp, ""},
        {timestamptz, timestamptz_cmp, ""}, {uuid, uuid_cmp, ""}}';
    -- an operator, its name in functions, its commutator, its negator, its options, and the comment on it
    comparisons CONSTANT pg_catalog.text[] := '{{=, eq, =, <>, "JOIN = eqjoinsel, HASHES", equal}, {<>, ne, <>, =, JOIN = neqjoinsel, not equal},
        {<, lt, >, >=, JOIN = scalarltjoinsel, less than}, {<=, le, >=, >, JOIN = scalarlejoinsel, less than or equal},
        {>, gt, <, <=, JOIN = scalargtjoinsel, greater than}, {>=, ge, <=, <, JOIN = scalargejoinsel, greater than or equal}}';
    -- of %1$s a type, %2$s a name: the two functions with %3$s as their result, %4$s as an option, %5$s as the comment
    comparison CONSTANT pg_catalog.text := $$
        CREATE FUNCTION bson_%2$s_%1$s(bson, %1$s) RETURNS %3$s
            AS 'MODULE_PATHNAME', 'pgbson_%2$s_%1$s'
            LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE %4$s;
        COMMENT ON FUNCTION bson_%2$s_%1$s(bson, %1$s) IS '%5$s';
        CREATE FUNCTION %1$s_%2$s_bson(%1$s, bson) RETURNS %3$s
            AS 'MODULE_PATHNAME', 'pgbson_%1$s_%2$s_bson'
            LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE %4$s;
        COMMENT ON FUNCTION %1$s_%2$s_bson(%1$s, bson) IS '%5$s'
        $$;
    -- of %1$s a type, %2$s a name, %3$s an operator with its %4$s commutator, %5$s negator, %6$s options, %7$s comment
    operators CONSTANT pg_catalog.text := $$
        CREATE OPERATOR %3$s (FUNCTION = bson_%2$s_%1$s, LEFTARG = bson, RIGHTARG = %1$s,
            COMMUTATOR = %4$s, NEGATOR = %5$s, RESTRICT = bson_%2$s_sel, %6$s);
        COMMENT ON OPERATOR %3$s (bson, %1$s) IS '%7$s';
        CREATE OPERATOR %3$s (FUNCTION = %1$s_%2$s_bson, LEFTARG = %1$s, RIGHTARG = bson,
            COMMUTATOR = %4$s, NEGATOR = %5$s, RESTRICT = bson_%2$s_sel, %6$s);
        COMMENT ON OPERATOR %3$s (%1$s, bson) IS '%7$s'
        $$;
    own_order CONSTANT pg_catalog.text := $$
        CREATE FUNCTION bson_order_%1$s(%1$s, %1$s) RETURNS integer
            AS 'MODULE_PATHNAME', 'pgbson_order_%1$s'
            LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
        COMMENT ON FUNCTION bson_order_%1$s(%1$s, %1$s) IS 'order of two %1$s values as bson has it'
        $$;
    -- with a seed, a hash finds a hash partition by a value of another type
    families CONSTANT pg_catalog.text := $$
        CREATE FUNCTION bson_hash_%1$s(%1$s) RETURNS integer
            AS 'MODULE_PATHNAME', 'pgbson_hash_%1$s'
            LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
        COMMENT ON FUNCTION bson_hash_%1$s(%1$s) IS 'hash of the bson value that is equal';
        CREATE FUNCTION bson_hash_extended_%1$s(%1$s, bigint) RETURNS bigint
            AS 'MODULE_PATHNAME', 'pgbson_hash_extended_%1$s'
            LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
        COMMENT ON FUNCTION bson_hash_extended_%1$s(%1$s, bigint) IS '64-bit hash with a seed, of the bson value that is equal';
        ALTER OPERATOR FAMILY bson_ops USING btree ADD
            OPERATOR 1 < (bson, %1$s), OPERATOR 2 <= (bson, %1$s), OPERATOR 3 = (bson, %1$s),
            OPERATOR 4 >= (bson, %1$s), OPERATOR 5 > (bson, %1$s),
            FUNCTION 1 (bson, %1$s) bson_cmp_%1$s(bson, %1$s),
            OPERATOR 1 < (%1$s, bson), OPERATOR 2 <= (%1$s, bson), OPERATOR 3 = (%1$s, bson),
            OPERATOR 4 >= (%1$s, bson), OPERATOR 5 > (%1$s, bson),
            FUNCTION 1 (%1$s, bson) %1$s_cmp_bson(%1$s, bson),
            FUNCTION 1 (%1$s, %1$s) %2$s(%1$s, %1$s);
        ALTER OPERATOR FAMILY bson_ops USING hash ADD
            OPERATOR 1 = (bson, %1$s), OPERATOR 1 = (%1$s, bson), OPERATOR 1 = (%1$s, %1$s),
            FUNCTION 1 (%1$s, %1$s) bson_hash_%1$s(%1$s),
            FUNCTION 2 (%1$s, %1$s) bson_hash_extended_%1$s(%1$s, bigint)
        $$;
    type pg_catalog.text[];
    op pg_catalog.text[];
BEGIN
    FOREACH type SLICE 1 IN ARRAY types LOOP
        FOREACH op SLICE 1 IN ARRAY comparisons LOOP
            EXECUTE pg_catalog.format(comparison, type[1], op[2], 'boolean', type[3], pg_catalog.format('implementation of %s operator', op[1]));
        END LOOP;
        EXECUTE pg_catalog.format(comparison, type[1], 'cmp', 'integer', '', 'less than, equal or greater than, as -1, 0 or 1');
        FOREACH op SLICE 1 IN ARRAY comparisons LOOP
            EXECUTE pg_catalog.format(operators, type[1], op[2], op[1], op[3], op[4], op[5], op[6]);
        END LOOP;
        IF type[2] OPERATOR(pg_catalog.~~) 'bson%' THEN
            EXECUTE pg_catalog.format(own_order, type[1]);
        END IF;
        EXECUTE pg_catalog.format(families, type[1], type[2]);
    END LOOP;
END
$do$;

-- construction and aggregates -------------------------------------------

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

-- an untyped literal is a string here, as in jsonb_object_agg, and not the text of a bson value

CREATE AGGREGATE bson_object_agg(text, text) (
    SFUNC = bson_object_agg_transfn,
    STYPE = internal,
    FINALFUNC = bson_object_agg_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_object_agg(text, text) IS 'keys and values of all rows as a bson document; of equal keys the last counts';

CREATE AGGREGATE bson_object_agg_strict(text, text) (
    SFUNC = bson_object_agg_strict_transfn,
    STYPE = internal,
    FINALFUNC = bson_object_agg_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_object_agg_strict(text, text) IS 'keys and values of all rows as a bson document, without the NULL values';

CREATE AGGREGATE bson_object_agg_unique(text, text) (
    SFUNC = bson_object_agg_transfn,
    STYPE = internal,
    FINALFUNC = bson_object_agg_unique_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_object_agg_unique(text, text) IS 'keys and values of all rows as a bson document; equal keys are an error';

CREATE AGGREGATE bson_object_agg_unique_strict(text, text) (
    SFUNC = bson_object_agg_unique_strict_transfn,
    STYPE = internal,
    FINALFUNC = bson_object_agg_unique_finalfn,
    COMBINEFUNC = bson_agg_combine,
    SERIALFUNC = bson_agg_serial,
    DESERIALFUNC = bson_agg_deserial,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_object_agg_unique_strict(text, text) IS 'keys and values of all rows as a bson document, without the NULL values; equal keys are an error';

-- sums, of which MongoDB's $sum and $avg are the model

CREATE FUNCTION bson_sum_transfn(internal, bson) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_sum_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_sum_invfn(internal, bson) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_sum_invfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_sum_transfn(internal, bson, text[]) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_sum_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_sum_invfn(internal, bson, text[]) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_sum_invfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_sum_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_sum_combine'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_sum_serial(internal) RETURNS bytea
    AS 'MODULE_PATHNAME', 'pgbson_sum_serial'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION bson_sum_deserial(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_sum_deserial'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION bson_sum_finalfn(internal) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_sum_finalfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_avg_finalfn(internal) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_avg_finalfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE sum(bson) (
    SFUNC = bson_sum_transfn,
    STYPE = internal,
    SSPACE = 96,
    FINALFUNC = bson_sum_finalfn,
    COMBINEFUNC = bson_sum_combine,
    SERIALFUNC = bson_sum_serial,
    DESERIALFUNC = bson_sum_deserial,
    MSFUNC = bson_sum_transfn,
    MINVFUNC = bson_sum_invfn,
    MSTYPE = internal,
    MFINALFUNC = bson_sum_finalfn,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE sum(bson) IS 'sum of the numbers of all rows, of the widest of their types; NULL if there is none';

CREATE AGGREGATE sum(bson, VARIADIC text[]) (
    SFUNC = bson_sum_transfn,
    STYPE = internal,
    SSPACE = 96,
    FINALFUNC = bson_sum_finalfn,
    COMBINEFUNC = bson_sum_combine,
    SERIALFUNC = bson_sum_serial,
    DESERIALFUNC = bson_sum_deserial,
    MSFUNC = bson_sum_transfn,
    MINVFUNC = bson_sum_invfn,
    MSTYPE = internal,
    MFINALFUNC = bson_sum_finalfn,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE sum(bson, VARIADIC text[]) IS 'sum of the numbers in the documents of all rows, each at the end of this path of keys';

CREATE AGGREGATE avg(bson) (
    SFUNC = bson_sum_transfn,
    STYPE = internal,
    SSPACE = 96,
    FINALFUNC = bson_avg_finalfn,
    COMBINEFUNC = bson_sum_combine,
    SERIALFUNC = bson_sum_serial,
    DESERIALFUNC = bson_sum_deserial,
    MSFUNC = bson_sum_transfn,
    MINVFUNC = bson_sum_invfn,
    MSTYPE = internal,
    MFINALFUNC = bson_avg_finalfn,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE avg(bson) IS 'mean of the numbers of all rows, a double or a decimal; NULL if there is none';

CREATE AGGREGATE avg(bson, VARIADIC text[]) (
    SFUNC = bson_sum_transfn,
    STYPE = internal,
    SSPACE = 96,
    FINALFUNC = bson_avg_finalfn,
    COMBINEFUNC = bson_sum_combine,
    SERIALFUNC = bson_sum_serial,
    DESERIALFUNC = bson_sum_deserial,
    MSFUNC = bson_sum_transfn,
    MINVFUNC = bson_sum_invfn,
    MSTYPE = internal,
    MFINALFUNC = bson_avg_finalfn,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE avg(bson, VARIADIC text[]) IS 'mean of the numbers in the documents of all rows, each at the end of this path of keys';

-- MongoDB's queries and sort keys ----------------------------------------

CREATE FUNCTION bson_sort_key(doc bson, sort bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_sort_key'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_sort_key(bson, bson) IS 'value that sorts documents as a MongoDB sort does, for ORDER BY and indexes';

CREATE FUNCTION bson_sort_key_desc(doc bson, sort bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_sort_key_desc'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_sort_key_desc(bson, bson) IS 'the same for ORDER BY ... DESC, which is shorter if the first path of the sort descends';

-- MongoDB's pipelines ----------------------------------------------------

-- not STRICT, as the variables may be NULL.  At a COST above 10 the server calls it behind LIMIT, for few documents.
CREATE FUNCTION bson_transform(doc bson, stages bson, variables bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_transform'
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION bson_transform(bson, bson, bson) IS 'document after the stages of a MongoDB pipeline, each of which changes single documents';

-- not STRICT, as the variables may be NULL; NULL where nothing is left
CREATE FUNCTION bson_redact(doc bson, expression bson, variables bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_redact'
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION bson_redact(bson, bson, bson) IS 'document after MongoDBs $redact: an expression keeps ($$KEEP), leaves out ($$PRUNE) or looks into ($$DESCEND) each level';

CREATE FUNCTION bson_unwind(doc bson, unwind bson) RETURNS SETOF bson
    AS 'MODULE_PATHNAME', 'pgbson_unwind'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION bson_unwind(bson, bson) IS 'a document for each element of an array, as the $unwind of a MongoDB pipeline';

CREATE FUNCTION bson_unwind_values(doc bson, unwind bson) RETURNS SETOF bson
    AS 'MODULE_PATHNAME', 'pgbson_unwind_values'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION bson_unwind_values(bson, bson) IS 'values that the $unwind of a MongoDB pipeline puts in place of the array';

CREATE FUNCTION bson_put(doc bson, path text, value bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_put'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_put(bson, text, bson) IS 'document with a value set at a dotted path, or without it if the value is NULL; values on the way that are not documents become documents';

CREATE FUNCTION bson_lookup_values(doc bson, local_field text) RETURNS bson[]
    AS 'MODULE_PATHNAME', 'pgbson_lookup_values'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_lookup_values(bson, text) IS 'values at a dotted path that the $lookup of a MongoDB pipeline looks for';

CREATE FUNCTION bson_lookup_each(doc bson, local_field text) RETURNS SETOF bson
    AS 'MODULE_PATHNAME', 'pgbson_lookup_each'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION bson_lookup_each(bson, text) IS 'the elements of bson_lookup_values';

CREATE FUNCTION bson_lookup_query(doc bson, local_field text, foreign_field text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_lookup_query'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_lookup_query(bson, text, text) IS 'query for the documents that the $lookup of a MongoDB pipeline finds';

CREATE FUNCTION bson_graph_query(docs bson[], connect_from text, connect_to text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_graph_query'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_graph_query(bson[], text, text) IS 'query for the documents that the next round of a MongoDB $graphLookup finds';

-- not STRICT, as a value may be missing
CREATE FUNCTION bson_equality_query(value bson, field text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_equality_query'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_equality_query(bson, text) IS 'query for the documents whose field equals the value, as $eq compares them in an expression of MongoDB';

-- not STRICT, as there may be no other variables
CREATE FUNCTION bson_let(doc bson, variables bson, known bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_let'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_let(bson, bson, bson) IS 'variables of a MongoDB pipeline, with the values of their expressions for a document';

-- STABLE, as they look tables up by their names, and as bson_aggregate reads them; NULL is
-- no relation, or no column.  The statement of bson_aggregate may have workers of its own.

CREATE FUNCTION bson_pipeline_sql(relation regclass, pipeline bson, column_name name DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_pipeline_sql'
    LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION bson_pipeline_sql(regclass, bson, name) IS 'SQL statement that does what a MongoDB pipeline does';

CREATE FUNCTION bson_find_sql(relation regclass, filter bson DEFAULT NULL, projection bson DEFAULT NULL, sort bson DEFAULT NULL,
                              skip bigint DEFAULT NULL, "limit" bigint DEFAULT NULL, column_name name DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_find_sql'
    LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION bson_find_sql(regclass, bson, bson, bson, bigint, bigint, name) IS 'SQL statement that does what MongoDB''s find does';

CREATE FUNCTION bson_update_sql(relation regclass, filter bson, update bson, options bson DEFAULT '{}', column_name name DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_update_sql'
    LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION bson_update_sql(regclass, bson, bson, bson, name) IS 'SQL statement that does what MongoDB''s updateOne does, or with options updateMany, replaceOne or an upsert';

CREATE FUNCTION bson_delete_sql(relation regclass, filter bson, options bson DEFAULT '{}', column_name name DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_delete_sql'
    LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION bson_delete_sql(regclass, bson, bson, name) IS 'SQL statement that does what MongoDB''s deleteOne or, with the option multi, deleteMany does';

CREATE FUNCTION bson_find_and_modify_sql(relation regclass, command bson, column_name name DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_find_and_modify_sql'
    LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION bson_find_and_modify_sql(regclass, bson, name) IS 'SQL statement that does what MongoDB''s findAndModify does';

CREATE FUNCTION bson_distinct_sql(relation regclass, filter bson, field text, column_name name DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_distinct_sql'
    LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION bson_distinct_sql(regclass, bson, text, name) IS 'SQL statement that does what MongoDB''s distinct does';

CREATE FUNCTION bson_count_sql(relation regclass, filter bson DEFAULT NULL, column_name name DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'pgbson_count_sql'
    LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION bson_count_sql(regclass, bson, name) IS 'SQL statement that does what MongoDB''s countDocuments does';

CREATE FUNCTION bson_aggregate_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_aggregate_support'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_aggregate_support(internal) IS 'planner support: how many documents a constant pipeline returns at most';

CREATE FUNCTION bson_aggregate(relation regclass, pipeline bson, column_name name DEFAULT NULL) RETURNS SETOF bson
    AS 'MODULE_PATHNAME', 'pgbson_aggregate'
    LANGUAGE C STABLE PARALLEL RESTRICTED SUPPORT bson_aggregate_support;
COMMENT ON FUNCTION bson_aggregate(regclass, bson, name) IS 'documents that a MongoDB pipeline returns, run with the rights of the caller';

-- accumulators of $group that SQL lacks; not STRICT, as a missing value is null

CREATE FUNCTION bson_first_transfn(bson, bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_first_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_first_combine(bson, bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_first_combine'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE bson_first(bson) (
    SFUNC = bson_first_transfn,
    STYPE = bson,
    COMBINEFUNC = bson_first_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_first(bson) IS 'value of the first row; BSON null if it is NULL';

CREATE FUNCTION bson_last_transfn(bson, bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_last_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_last_combine(bson, bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_last_transfn'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE bson_last(bson) (
    SFUNC = bson_last_transfn,
    STYPE = bson,
    COMBINEFUNC = bson_last_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_last(bson) IS 'value of the last row; BSON null if it is NULL';

CREATE FUNCTION bson_min_transfn(bson, bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_min_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE bson_min(bson) (
    SFUNC = bson_min_transfn,
    STYPE = bson,
    COMBINEFUNC = bson_min_transfn,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_min(bson) IS 'smallest value of all rows that is not null; NULL if there is none';

CREATE FUNCTION bson_max_transfn(bson, bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_max_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE bson_max(bson) (
    SFUNC = bson_max_transfn,
    STYPE = bson,
    COMBINEFUNC = bson_max_transfn,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_max(bson) IS 'largest value of all rows that is not null; NULL if there is none';

CREATE FUNCTION bson_top_transfn(internal, bson, bson, bson) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_top_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_bottom_transfn(internal, bson, bson, bson, boolean) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_bottom_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_top_finalfn(internal) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_top_finalfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE bson_top(value bson, key bson, n bson) (
    SFUNC = bson_top_transfn,
    STYPE = internal,
    FINALFUNC = bson_top_finalfn,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_top(bson, bson, bson) IS 'values of the n rows with the least keys, in ascending order of these; of equal keys the first rows count';

CREATE AGGREGATE bson_bottom(value bson, key bson, n bson, later boolean) (
    SFUNC = bson_bottom_transfn,
    STYPE = internal,
    FINALFUNC = bson_top_finalfn,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_bottom(bson, bson, bson, boolean) IS 'values of the n rows with the greatest keys, in ascending order of these; whether of equal keys a later row replaces one that was kept';

-- not STRICT, as the unit is NULL of numbers; NULL stays NULL

CREATE FUNCTION bson_range_value(value bson, unit text DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_range_value'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_range_value(bson, text) IS 'the value, which must be a number, or, with a unit of time, a date';

-- not STRICT, as a required value is not NULL

CREATE FUNCTION bson_key_value(value bson, required boolean DEFAULT false) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_key_value'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_key_value(bson, boolean) IS 'the value, which must not be an array nor, if it is required, missing or null';

-- not STRICT, as NULL, a missing value, is in the bucket of null

CREATE FUNCTION bson_bucket(value bson, boundaries bson[]) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_bucket'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_bucket(bson, bson[]) IS 'number of the bucket that the value is in, from 1; 0 if it is outside of the boundaries, which ascend';

CREATE FUNCTION bson_bucket(boundaries bson[], doc bson, VARIADIC names text[]) RETURNS integer
    AS 'MODULE_PATHNAME', 'pgbson_bucket'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION bson_bucket(bson[], bson, text[]) IS 'the same for the value in a document at the end of this path of keys';

CREATE FUNCTION bson_series(first bson, last bson, step bson, unit text DEFAULT NULL, known bson[] DEFAULT NULL) RETURNS SETOF bson
    AS 'MODULE_PATHNAME', 'pgbson_series'
    LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION bson_series(bson, bson, bson, text, bson[]) IS 'numbers, or with a unit of time dates, from the first to the last in equal steps, as $densify of MongoDB makes them between known ones';

-- window functions of pipelines that SQL lacks; not STRICT, as a missing value is null

CREATE FUNCTION bson_bucket_auto(value bson, buckets integer, granularity text DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_bucket_auto'
    LANGUAGE C IMMUTABLE PARALLEL SAFE WINDOW;
COMMENT ON FUNCTION bson_bucket_auto(bson, integer, text) IS 'the bucket, {min, max}, that $bucketAuto of MongoDB puts the value into; each has about the same number of rows';

CREATE FUNCTION bson_derivative(x bson, y bson, unit text DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_derivative'
    LANGUAGE C IMMUTABLE PARALLEL SAFE WINDOW;
COMMENT ON FUNCTION bson_derivative(bson, bson, text) IS 'slope of y from the first to the last row of the frame; x is a number, or with a unit of time a date; NULL if both rows have the same x';

CREATE FUNCTION bson_exp_moving_avg(value bson, alpha bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_exp_moving_avg'
    LANGUAGE C IMMUTABLE PARALLEL SAFE WINDOW;
COMMENT ON FUNCTION bson_exp_moving_avg(bson, bson) IS 'exponential moving average of the numbers up to the row; alpha is the weight of a new number';

CREATE FUNCTION bson_linear_fill(x bson, y bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_linear_fill'
    LANGUAGE C IMMUTABLE PARALLEL SAFE WINDOW;
COMMENT ON FUNCTION bson_linear_fill(bson, bson) IS 'y, or if that is null, the value on the straight line between those before and after it; x is a number or a date';

CREATE FUNCTION bson_integral_transfn(internal, bson, bson, text) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_integral_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_integral_finalfn(internal) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_integral_finalfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE bson_integral(x bson, y bson, unit text) (
    SFUNC = bson_integral_transfn,
    STYPE = internal,
    FINALFUNC = bson_integral_finalfn,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_integral(bson, bson, text) IS 'area below the line through the points x, y of all rows, in their order; x is a number, or with a unit of time a date';

CREATE FUNCTION bson_covar_transfn(internal, bson, bson) RETURNS internal
    AS 'MODULE_PATHNAME', 'pgbson_covar_transfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_covar_pop_finalfn(internal) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_covar_pop_finalfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION bson_covar_samp_finalfn(internal) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_covar_samp_finalfn'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE bson_covar_pop(x bson, y bson) (
    SFUNC = bson_covar_transfn,
    STYPE = internal,
    FINALFUNC = bson_covar_pop_finalfn,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_covar_pop(bson, bson) IS 'population covariance of the pairs of numbers of all rows; NULL if there is none';

CREATE AGGREGATE bson_covar_samp(x bson, y bson) (
    SFUNC = bson_covar_transfn,
    STYPE = internal,
    FINALFUNC = bson_covar_samp_finalfn,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE bson_covar_samp(bson, bson) IS 'sample covariance of the pairs of numbers of all rows; NULL if there are not two';

-- MongoDB's updates ------------------------------------------------------

-- $currentDate is the transaction's time
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
COMMENT ON FUNCTION bson_upsert(bson, bson, bson) IS 'the document that a MongoDB upsert inserts if the query finds none';

-- MongoDB's expressions --------------------------------------------------

-- not strict, as the variables are optional
CREATE FUNCTION bson_eval(doc bson, expression bson, variables bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_eval'
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION bson_eval(bson, bson, bson) IS 'value of a MongoDB aggregation expression for a document; NULL if it has none';

-- projection, schemas, diff and merge -------------------------------------

CREATE FUNCTION bson_diff(a bson, b bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_diff'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_diff(bson, bson) IS 'the delta from a to b, in the form of MongoDB''s oplog, or b itself if that is not larger';

CREATE FUNCTION bson_patch(a bson, delta bson) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_patch'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_patch(bson, bson) IS 'the document a, changed by a delta that bson_diff made';

CREATE FUNCTION bson_merge(a bson, b bson, remove_nulls boolean DEFAULT false) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_merge'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_merge(bson, bson, boolean) IS 'a with the fields of b, merged at every level; with remove_nulls a null in b removes a field';

-- not strict, as the query is optional
CREATE FUNCTION bson_project(doc bson, projection bson, query bson DEFAULT NULL) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_project'
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION bson_project(bson, bson, bson) IS 'the document as a MongoDB projection shows it: "$" is the element that the query found';

CREATE FUNCTION bson_schema_errors(data bson, schema bson, OUT path text[], OUT keyword text, OUT expected bson) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'pgbson_schema_errors'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION bson_schema_errors(bson, bson) IS 'violations of a JSON Schema of MongoDB in a document: the path, the keyword, and what the keyword expects';

-- import -----------------------------------------------------------------

CREATE FUNCTION bson_from_extjson(text, numbers text) RETURNS bson
    AS 'MODULE_PATHNAME', 'pgbson_from_extjson_numbers'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bson_from_extjson(text, text) IS 'MongoDB Extended JSON as bson; by the rule "mongodb" a number with a fraction is the nearest double, by "exact" no number is rounded';
