/*
 * bson_jsonb.sql
 *
 * The functions of jsonb, by their names, for columns of type bson: for an application that calls them
 * and cannot be changed.  It is no part of the extension.  Run it in a database that has the extension:
 *
 *     psql -f bson_jsonb.sql
 *     ALTER DATABASE app SET search_path = "$user", public, bson_jsonb;
 *
 * Each function has two forms here.  The form that takes a bson calls the extension's function.  The form that
 * takes a text calls the function of jsonb: it is for literals.  jsonb_array_length('[1]') would fit both jsonb and
 * bson, which is an error; where one form takes a text, a literal is a text.
 *
 * DROP SCHEMA bson_jsonb CASCADE removes them all.
 */
BEGIN;
-- it is a superuser who runs this: what other users made is not called, whichever schema it is in
SET LOCAL search_path = pg_catalog, pg_temp;
CREATE SCHEMA bson_jsonb;
COMMENT ON SCHEMA bson_jsonb IS 'functions of jsonb that take a bson';

DO $script$
DECLARE
    home text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'bson');
    bson oid := format('%s.bson', home)::regtype;
    jsonb oid := 'pg_catalog.jsonb'::regtype;
    -- in a replacement of regexp_replace() a backslash means something
    type text := replace(home, '\', '\\') || '.bson';
    each record;
BEGIN
    FOR each IN
        SELECT theirs.proname AS name, ours.proname AS twin,
               -- the parameters that a call gives, and those that it gets
               substring(pg_get_function_arguments(theirs.oid) FROM '^(?:(?!OUT ).)*') AS arguments,
               coalesce(substring(pg_get_function_arguments(theirs.oid) FROM 'OUT .*$'), '') AS columns,
               pg_get_function_result(theirs.oid) AS result, theirs.proretset AND theirs.proargmodes IS NOT NULL AS is_table,
               calls.ours AS call, calls.theirs AS call_theirs,
               CASE ours.provolatile WHEN 'i' THEN 'IMMUTABLE' WHEN 's' THEN 'STABLE' ELSE 'VOLATILE' END AS volatility,
               CASE WHEN ours.proisstrict THEN 'STRICT' ELSE '' END AS on_null,
               CASE theirs.provolatile WHEN 'i' THEN 'IMMUTABLE' WHEN 's' THEN 'STABLE' ELSE 'VOLATILE' END AS volatility_theirs,
               CASE WHEN theirs.proisstrict THEN 'STRICT' ELSE '' END AS on_null_theirs
          FROM pg_proc AS theirs
          JOIN pg_proc AS ours ON ours.pronamespace = home::regnamespace AND ours.proname = overlay(theirs.proname PLACING 'bson' FROM 1 FOR 5)
               AND EXISTS (SELECT FROM pg_depend JOIN pg_extension AS e ON e.oid = refobjid WHERE objid = ours.oid AND classid = 'pg_proc'::regclass
                           AND refclassid = 'pg_extension'::regclass AND deptype = 'e' AND extname = 'bson')
               AND theirs.pronargs BETWEEN ours.pronargs - ours.pronargdefaults AND ours.pronargs,
               -- all arguments are given, also those with a default: so no other function can be meant
               LATERAL (SELECT string_agg(spread || '$' || i, ', ' ORDER BY i) || (SELECT coalesce(string_agg(', ' || pg_get_function_arg_default(ours.oid, d), '' ORDER BY d), '')
                               FROM generate_series(theirs.pronargs + 1, ours.pronargs) AS d) AS ours,
                               string_agg(spread || '$' || i || CASE WHEN theirs.proargtypes[i - 1] = jsonb THEN '::pg_catalog.jsonb' ELSE '' END, ', ' ORDER BY i) AS theirs,
                               bool_and(CASE theirs.proargtypes[i - 1] WHEN jsonb THEN bson ELSE theirs.proargtypes[i - 1] END = ours.proargtypes[i - 1]) AS fit
                          FROM generate_series(1, theirs.pronargs) AS i,
                               LATERAL (SELECT CASE WHEN i = theirs.pronargs AND theirs.provariadic <> 0 THEN 'VARIADIC ' ELSE '' END) AS v(spread)) AS calls
         WHERE theirs.pronamespace = 'pg_catalog'::regnamespace AND theirs.proname LIKE 'jsonb\_%' AND calls.fit
               AND theirs.proargtypes::oid[] @> ARRAY[jsonb] AND theirs.prorettype <> 'internal'::regtype
               -- not what makes records: that needs C
               AND NOT theirs.proargtypes::oid[] @> ARRAY['anyelement'::regtype::oid] AND (theirs.prorettype <> 'record'::regtype OR theirs.proargmodes IS NOT NULL)
               -- what operators and indexes call
               AND theirs.proname !~ '_(eq|ne|lt|le|gt|ge|cmp|hash|hash_extended|opr|send|out)$'
    LOOP
        EXECUTE format('CREATE FUNCTION bson_jsonb.%I(%s%s) RETURNS %s LANGUAGE sql %s %s PARALLEL SAFE BEGIN ATOMIC SELECT %s; END',
            each.name, regexp_replace(each.arguments, '\mjsonb\M', type, 'g'), regexp_replace(each.columns, '\mjsonb\M', type, 'g'),
            regexp_replace(each.result, '\mjsonb\M', type, 'g'), each.volatility, each.on_null,
            CASE WHEN each.is_table AND each.columns LIKE '%,%' THEN format('* FROM %s.%I(%s)', home, each.twin, each.call)
                 -- the types of JSON; what JSON has no type for is an object
                 WHEN each.name = 'jsonb_typeof' THEN format($$CASE %s.bson_typeof($1) WHEN 'bool' THEN 'boolean' WHEN 'int' THEN 'number' WHEN 'long' THEN 'number'
                     WHEN 'string' THEN 'string' WHEN 'object' THEN 'object' WHEN 'array' THEN 'array' WHEN 'null' THEN 'null'
                     ELSE pg_catalog.jsonb_typeof($1::pg_catalog.jsonb) END$$, home)
                 ELSE format('%s.%I(%s)', home, each.twin, each.call) END);
        EXECUTE format('CREATE FUNCTION bson_jsonb.%I(%s%s) RETURNS %s LANGUAGE sql %s %s PARALLEL SAFE BEGIN ATOMIC SELECT %s; END',
            each.name, regexp_replace(each.arguments, '\mjsonb\M(?! DEFAULT|::)|\mjsonb(?= DEFAULT)', 'text', 'g'), each.columns,
            each.result, each.volatility_theirs, each.on_null_theirs,
            CASE WHEN each.is_table AND each.columns LIKE '%,%' THEN '* FROM ' ELSE '' END || format('pg_catalog.%I(%s)', each.name, each.call_theirs));
    END LOOP;
END
$script$;
COMMIT;
