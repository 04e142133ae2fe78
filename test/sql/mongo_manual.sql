-- If this fails, a fact of MongoDB's manual, or of its server's tests, has another answer here.
--
-- Each line of test/mongo/manual.jsonl is a collection, which later lines read, or a pipeline and its answer, or that
-- it is an error.  The documents are our own.  Answers are compared as text, which tells the types of numbers apart;
-- documents have an order only where a $sort comes last.  Where the server's order of an array is undefined, the line has ours.

CREATE TEMP TABLE line (n int GENERATED ALWAYS AS IDENTITY, fact bson);
\copy line (fact) FROM 'test/mongo/manual.jsonl' CSV QUOTE E'\x01' DELIMITER E'\x02'

CREATE FUNCTION pg_temp.answer(fact bson) RETURNS text[] LANGUAGE plpgsql AS $$
BEGIN
    RETURN ARRAY(SELECT bson_aggregate(('pg_temp.' || quote_ident(fact ->> 'from'))::regclass, fact -> 'pipeline')::text);
EXCEPTION WHEN data_exception OR feature_not_supported THEN
    RETURN CASE WHEN fact ? 'error' THEN NULL ELSE ARRAY[SQLERRM] END;
END $$;

-- what is there and should not be, and the other way round
CREATE FUNCTION pg_temp.differing() RETURNS TABLE (n int, op text, got text[], wanted text[]) LANGUAGE plpgsql AS $$
DECLARE
    fact bson;
BEGIN
    FOR n, fact IN SELECT * FROM line ORDER BY 1 LOOP
        IF fact ? 'collection' THEN
            EXECUTE format('DROP TABLE IF EXISTS pg_temp.%1$I; CREATE TEMP TABLE %1$I (data bson)', fact ->> 'collection');
            EXECUTE format('INSERT INTO pg_temp.%I SELECT bson_array_elements($1)', fact ->> 'collection') USING fact -> 'documents';
            CONTINUE;
        END IF;
        op := fact ->> 'of';
        got := pg_temp.answer(fact);
        wanted := ARRAY(SELECT bson_array_elements(fact -> 'result')::text);
        CONTINUE WHEN got = wanted OR (got IS NULL AND fact ? 'error');
        IF NOT (fact -> 'pipeline' -> -1) ? '$sort' THEN
            SELECT ARRAY(SELECT unnest(got) EXCEPT ALL SELECT unnest(wanted)), ARRAY(SELECT unnest(wanted) EXCEPT ALL SELECT unnest(got)) INTO got, wanted;
            CONTINUE WHEN got = '{}' AND wanted = '{}';
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
SET client_min_messages = warning;
SELECT * FROM pg_temp.differing();
SELECT count(*) FILTER (WHERE fact ? 'result') AS answers, count(*) FILTER (WHERE fact ? 'error') AS errors FROM line;
