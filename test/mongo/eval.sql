-- What the regression tests of bson_eval share: the value of an expression, or its error; and of several, "expression ~ variables"
CREATE FUNCTION pg_temp.ev(d bson, e bson, v bson DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  RETURN coalesce(bson_eval(d, e, v)::text, 'nothing');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ': ' || SQLERRM || coalesce(' - ' || nullif(detail, ''), '');
END $$;
CREATE FUNCTION pg_temp.facts(title text, d bson, VARIADIC cases text[]) RETURNS TABLE (expression text, result text) LANGUAGE sql AS $$
  SELECT one, pg_temp.ev(d, c[1]::bson, c[2]::bson) FROM unnest(cases) AS one, string_to_array(one, ' ~ ') AS c $$;
