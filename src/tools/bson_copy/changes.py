"""
The statements of --apply, in one transaction: they read the entries, and make the changes that these say.

The extension's schema is in the search path, and others may create functions there.  So each call has exactly the types that its
function is declared with; functions and operators that take any types are the server's, and named with their schema.
"""

# what comes in, in order, and the tables that there are
BEGIN = """CREATE TEMP TABLE bson_copy_change (nr bigint GENERATED ALWAYS AS IDENTITY, entry bson) ON COMMIT DROP;
CREATE TEMP TABLE bson_copy_table (number bigint GENERATED ALWAYS AS IDENTITY, namespace text PRIMARY KEY, place text) ON COMMIT DROP;
CREATE TEMP TABLE bson_copy_wait (number bigint, id bson, data bson, unit bigint) ON COMMIT DROP;
CREATE TEMP TABLE bson_copy_aside (unit bigint, number bigint, id bson, why text) ON COMMIT DROP;
CREATE INDEX ON pg_temp.bson_copy_wait USING hash (id);
CREATE INDEX ON pg_temp.bson_copy_aside USING hash (id);
CREATE TEMP TABLE bson_copy_count (absent bigint, unfit bigint) ON COMMIT DROP;
INSERT INTO pg_temp.bson_copy_count VALUES (0, 0)"""

INVALID = "not valid UTF-8"             # the field that an entry is in whose strings are not; they were made so

# What an entry means.  As in MongoDB's server, an update whose document has an _id is that document, whatever else it has.
# What is wrong is said without a namespace if it is about the entry itself, and not about what happens to a document.
READ = """CREATE FUNCTION pg_temp.bson_copy_read(entry bson, OUT namespace text, OUT kind text, OUT id bson, OUT data bson, OUT said text) LANGUAGE plpgsql AS $f$
DECLARE
    op text := CASE WHEN bson_typeof(entry -> 'op'::text) = 'string'::text THEN entry ->> 'op'::text END;
    event text := CASE WHEN bson_typeof(entry -> 'operationType'::text) = 'string'::text THEN entry ->> 'operationType'::text END;
    place text := CASE WHEN bson_typeof(entry -> 'ns'::text) = 'string'::text THEN entry ->> 'ns'::text
                       WHEN bson_typeof(entry #> '{ns,db}'::text[]) = 'string'::text THEN entry #>> '{ns,db}'::text[] || '.'::text || coalesce(entry #>> '{ns,coll}'::text[], ''::text) END;
    o bson := entry -> CASE WHEN op IS NULL THEN 'fullDocument'::text ELSE 'o'::text END;
    whole bool := coalesce(bson_typeof(o) = 'object'::text, false);
    command text;
BEGIN
    kind := 'wrong'::text;
    id := CASE WHEN op IS NULL THEN entry #> '{documentKey,_id}'::text[] WHEN op = 'u'::text THEN entry #> '{o2,_id}'::text[] ELSE o -> '_id'::text END;
    IF op IS NULL AND event IS NULL THEN
        said := 'it is neither an entry of an oplog, which has op, nor an event of a change stream, which has operationType'::text;
    ELSIF place IS NULL AND event IS DISTINCT FROM 'invalidate'::text THEN
        said := 'it has no ns, which says what it is about'::text;
    ELSIF op IS NOT NULL AND NOT whole THEN
        said := 'its field o is not a document'::text;
    ELSIF entry ? 'splitEvent'::text THEN
        said := 'it is a fragment of an event; $changeStreamSplitLargeEvent is not understood'::text;
    ELSIF op = 'n'::text OR event = 'endOfTransaction'::text OR bson_typeof(entry -> 'fromMigrate'::text) = 'bool'::text AND (entry -> 'fromMigrate'::text) = 'true'::bson THEN
        kind := 'nothing'::text;
    ELSIF op = 'c'::text THEN
        SELECT each.key, each.key || ' '::text || left(coalesce(each.value, ''::text), 300) INTO command, said FROM bson_each_text(o) WITH ORDINALITY AS each (key, value, nr) WHERE each.nr = 1;
        IF o ?| '{partialTxn,prepare}'::text[] AND NOT o ? 'applyOps'::text THEN
            command := NULL;
        END IF;
        IF command = 'applyOps'::text AND bson_typeof(o -> command) = 'array'::text OR command IN ('commitTransaction'::text, 'abortTransaction'::text) THEN
            kind := 'nothing'::text;
        ELSIF command = ANY ('{create,renameCollection,dbCheck,drop,collMod,dropDatabase,createIndexes,startIndexBuild,commitIndexBuild,abortIndexBuild,dropIndexes,deleteIndexes,deleteIndex,dropIndex,convertToCapped,emptycapped,importCollection,modifyCollectionShardingIndexCatalog,createDatabaseMetadata,dropDatabaseMetadata}'::text[]) THEN
            kind := 'command'::text;
            namespace := place;
        ELSE
            said := 'its command is not understood: '::text || coalesce(said, 'it is empty'::text);
        END IF;
    ELSIF event = ANY ('{drop,rename,dropDatabase,invalidate,create,createIndexes,dropIndexes,modify,startIndexBuild,abortIndexBuild,shardCollection,refineCollectionShardKey,reshardCollection,reshardBegin,reshardDoneCatchUp,movePrimary,migrateChunkToNewShard,migrateLastChunkFromShard}'::text[]) THEN
        kind := 'command'::text;
        namespace := coalesce(place, '.'::text);
        said := event;
    ELSIF (op IS NULL OR op <> ALL ('{i,u,d}'::text[])) AND (event IS NULL OR event <> ALL ('{insert,replace,update,delete}'::text[])) THEN
        said := 'its kind is not understood: '::text || left(coalesce(op, event), 100);
    ELSE
        namespace := place;
        IF id IS NULL THEN
            said := 'it does not name the _id of its document'::text;
        ELSIF op = 'd'::text OR event = 'delete'::text THEN
            kind := 'delete'::text;
        ELSIF whole AND (op IS DISTINCT FROM 'u'::text OR o ? '_id'::text) THEN
            IF ((o -> '_id'::text) = id) IS NOT TRUE THEN
                said := 'the _id of its document is another one'::text;
            ELSE
                kind := 'put'::text;
                data := o;
            END IF;
        ELSIF event IN ('insert'::text, 'replace'::text) THEN
            said := 'it has no fullDocument'::text;
        ELSE
            data := CASE WHEN op IS NULL THEN entry -> 'updateDescription'::text ELSE o END;
            IF op IS NULL AND bson_typeof(data) = 'object'::text AND (data - '{updatedFields,removedFields,truncatedArrays,disambiguatedPaths}'::text[]) = '{}'::bson
               OR op = 'u'::text AND ((o -> '$v'::text) = '2'::bson
                                      OR coalesce((o -> '$v'::text) = '1'::bson, true) AND (o - '{$v,$set,$unset}'::text[]) = '{}'::bson AND o ?| '{$set,$unset}'::text[]) THEN
                kind := 'change'::text;
            ELSE
                said := 'how it changes its document is not understood'::text;
            END IF;
        END IF;
    END IF;
END $f$"""

# The entries, and the units that are applied or refused as a whole: an entry, or all entries of a transaction, where that ends.
# A transaction of several entries has its number in each, and the time of the entry before.
UNITS = f"""CREATE TEMP TABLE bson_copy_entry ON COMMIT DROP AS
SELECT nr, entry ? '{INVALID}'::text AS invalid, CASE WHEN entry ? '{INVALID}'::text THEN entry -> '{INVALID}'::text ELSE entry END AS entry, nr AS unit, false AS held, false AS dropped
FROM pg_temp.bson_copy_change;
CREATE TEMP TABLE bson_copy_part ON COMMIT DROP AS
SELECT *, pg_catalog.lag(ts) OVER (PARTITION BY lsid, txn, unit ORDER BY nr) AS before FROM (
    SELECT nr, lsid, txn, ts, prev, min(CASE WHEN ends THEN nr END) OVER (PARTITION BY lsid, txn ORDER BY nr ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS unit FROM (
        SELECT nr, entry -> 'lsid'::text AS lsid, entry -> 'txnNumber'::text AS txn, entry -> 'ts'::text AS ts, entry #> '{{prevOpTime,ts}}'::text[] AS prev,
            NOT entry -> 'o'::text ?| '{{partialTxn,prepare}}'::text[] AS ends
        FROM pg_temp.bson_copy_entry
        WHERE entry ->> 'op'::text = 'c'::text AND entry -> 'o'::text ?| '{{applyOps,commitTransaction,abortTransaction}}'::text[]
            AND (entry ? 'lsid'::text AND entry ? 'txnNumber'::text OR entry -> 'o'::text ?| '{{partialTxn,prepare,commitTransaction,abortTransaction}}'::text[])
            AND ((entry -> 'multiOpType'::text) = '1'::bson) IS NOT TRUE) AS parts) AS units;
UPDATE pg_temp.bson_copy_entry AS e SET unit = coalesce(p.unit, e.nr), held = p.unit IS NULL,
    dropped = p.unit IS NULL OR (SELECT last.entry -> 'o'::text ? 'abortTransaction'::text FROM pg_temp.bson_copy_entry AS last WHERE last.nr = p.unit)
FROM pg_temp.bson_copy_part AS p WHERE p.nr = e.nr"""

STEPS = """CREATE TEMP TABLE bson_copy_step ON COMMIT DROP AS
WITH RECURSIVE flat (nr, unit, invalid, dropped, path, entry) AS (
    SELECT nr, unit, invalid, dropped, ARRAY[]::bigint[], entry FROM pg_temp.bson_copy_entry
    UNION ALL
    SELECT nr, unit, invalid, dropped, path OPERATOR(pg_catalog.||) place, inner_entry
    FROM flat, bson_array_elements(CASE WHEN entry ->> 'op'::text = 'c'::text AND bson_typeof(entry #> '{o,applyOps}'::text[]) = 'array'::text THEN entry #> '{o,applyOps}'::text[] END) WITH ORDINALITY AS inner_entries (inner_entry, place))
SELECT f.nr, f.unit, f.invalid, f.dropped, f.path, t.number, r.namespace, r.kind, r.id, r.data, r.said
FROM flat AS f, LATERAL pg_temp.bson_copy_read(f.entry) AS r LEFT JOIN pg_temp.bson_copy_table AS t ON t.namespace = r.namespace WHERE r.kind <> 'nothing'::text;
CREATE INDEX ON pg_temp.bson_copy_step (unit, nr);
ANALYZE pg_temp.bson_copy_step"""

# What is not understood stops all, unless it is about a database of which nothing is here.  {} is the number of entries from before.
CHECK = """DO $run$
DECLARE
    it record;
BEGIN
    SELECT s.nr, s.said INTO it FROM pg_temp.bson_copy_step AS s
    WHERE s.kind = 'wrong'::text AND (s.namespace IS NULL OR split_part(s.namespace, '.'::text, 1) IN (SELECT split_part(t.namespace, '.'::text, 1) FROM pg_temp.bson_copy_table AS t))
    ORDER BY s.nr, s.path LIMIT 1;
    IF FOUND THEN
        RAISE 'entry %: %', it.nr - {0}::bigint, it.said;
    END IF;
    SELECT p.nr, p.lsid IS NULL OR p.txn IS NULL AS nameless INTO it FROM pg_temp.bson_copy_part AS p JOIN pg_temp.bson_copy_entry AS e ON e.nr = p.nr
    WHERE p.lsid IS NULL OR p.txn IS NULL OR NOT e.dropped AND p.prev IS NOT NULL AND p.prev <> coalesce(p.before, '{{"$timestamp": {{"t": 0, "i": 0}}}}'::bson)
    ORDER BY p.nr LIMIT 1;
    IF it.nameless THEN
        RAISE 'entry %: it is a part of a transaction, and does not say of which', it.nr - {0}::bigint;
    ELSIF FOUND THEN
        RAISE 'entry %: it is a part of a transaction of which a part before it is not in the file: take the oplog from an earlier time on', it.nr - {0}::bigint;
    END IF;
END $run$"""

# Entries may be older than the documents, as these were read later than the changes began; such entries are part of the documents
# already.  So what cannot be changed, because it is of another type by then, is left for the entry that made it so.  What is not
# understood, whatever the document is, has an SQLSTATE of its own, which nobody catches.
CHANGED = """CREATE FUNCTION pg_temp.bson_copy_field(key text, value bson) RETURNS bson LANGUAGE sql AS $f$
    SELECT bson_set('{}'::bson, ARRAY[key], value, true)
$f$;
CREATE FUNCTION pg_temp.bson_copy_pieces(delta bson) RETURNS SETOF bson LANGUAGE plpgsql AS $f$
DECLARE
    of_array bson := CASE WHEN delta ? 'a'::text THEN '{"a": true}'::bson ELSE '{}'::bson END;
    part record;
BEGIN
    FOR part IN SELECT each.key, each.value FROM bson_each(delta) AS each LOOP
        IF part.key = 'a'::text THEN
            CONTINUE;
        ELSIF part.key ~ '^s'::text THEN
            RETURN QUERY SELECT of_array || pg_temp.bson_copy_field(part.key, inner_delta) FROM pg_temp.bson_copy_pieces(part.value) AS inner_delta;
        ELSE
            RETURN NEXT of_array || pg_temp.bson_copy_field(part.key, part.value);
        END IF;
    END LOOP;
END $f$;
CREATE FUNCTION pg_temp.bson_copy_patched(data bson, delta bson) RETURNS bson LANGUAGE plpgsql AS $f$
DECLARE
    part bson;
BEGIN
    RETURN bson_patch(data, delta);
EXCEPTION
    WHEN object_not_in_prerequisite_state THEN
        FOR part IN SELECT pg_temp.bson_copy_pieces(delta -> 'diff'::text) LOOP
            BEGIN
                data := bson_patch(data, '{"$v": 2}'::bson || pg_temp.bson_copy_field('diff'::text, part));
            EXCEPTION WHEN object_not_in_prerequisite_state THEN
            END;
        END LOOP;
        RETURN data;
    WHEN data_exception THEN
        RAISE USING ERRCODE = 'BC001'::text, MESSAGE = 'a change is not understood: '::text || SQLERRM::text;
END $f$;
CREATE FUNCTION pg_temp.bson_copy_updated(data bson, update bson) RETURNS bson LANGUAGE plpgsql AS $f$
DECLARE
    why text;
BEGIN
    RETURN bson_update(data, update);
EXCEPTION WHEN data_exception THEN
    why := SQLERRM;
    BEGIN
        PERFORM bson_update('{}'::bson, update);
    EXCEPTION WHEN data_exception THEN
        RAISE USING ERRCODE = 'BC001'::text, MESSAGE = 'a change is not understood: '::text || why;
    END;
    RETURN data;
END $f$;
CREATE FUNCTION pg_temp.bson_copy_steps(data bson, path text, names bson) RETURNS bson LANGUAGE plpgsql AS $f$
DECLARE
    steps bson := '[]'::bson;
    here bson := data;
    step text;
    rest text := path;
BEGIN
    IF names ? path THEN
        RETURN names -> path;
    ELSIF path = ''::text THEN
        RETURN '[""]'::bson;
    END IF;
    FOREACH step IN ARRAY string_to_array(path, '.'::text) LOOP
        IF names IS NULL AND EXISTS (SELECT FROM bson_each(CASE WHEN bson_typeof(here) = 'object'::text THEN here ELSE '{}'::bson END) AS each
                                     WHERE strpos(each.key, '.'::text) > 0 AND starts_with(rest || '.'::text, each.key || '.'::text)) THEN
            RAISE USING ERRCODE = 'BC001'::text, MESSAGE = 'a change of '::text || path || ' is not understood, as there is a field whose name has a dot: open the change stream with showExpandedEvents or fullDocument'::text;
        ELSIF bson_typeof(here) = 'object'::text THEN
            steps := steps || to_bson(step);
            here := here -> step;
        ELSIF bson_typeof(here) = 'array'::text AND step ~ '^[0-9]{1,9}$'::text THEN
            steps := steps || to_bson(step::integer);
            here := here -> step::integer;
        ELSE
            RETURN NULL;
        END IF;
        rest := substr(rest, length(step) + 2);
    END LOOP;
    RETURN steps;
END $f$;
CREATE FUNCTION pg_temp.bson_copy_delta(steps bson, leaf bson, OUT delta bson) LANGUAGE plpgsql AS $f$
BEGIN
    delta := leaf;
    FOR nr IN REVERSE bson_array_length(steps) - 1 .. 0 LOOP
        delta := CASE WHEN bson_typeof(steps -> nr) = 'string'::text THEN pg_temp.bson_copy_field('s'::text || (steps ->> nr), delta)
                      ELSE '{"a": true}'::bson || pg_temp.bson_copy_field('s'::text || (steps ->> nr), delta) END;
    END LOOP;
    delta := '{"$v": 2}'::bson || pg_temp.bson_copy_field('diff'::text, delta);
END $f$;
CREATE FUNCTION pg_temp.bson_copy_event(data bson, how bson) RETURNS bson LANGUAGE plpgsql AS $f$
DECLARE
    part record;
    steps bson;
    last integer;
    names bson := how -> 'disambiguatedPaths'::text;
BEGIN
    FOR part IN SELECT 'u'::text AS verb, each.key AS path, each.value FROM bson_each(how -> 'updatedFields'::text) AS each
                UNION ALL SELECT 'd'::text, field #>> '{}'::text[], 'false'::bson FROM bson_array_elements(how -> 'removedFields'::text) AS field
                UNION ALL SELECT 'l'::text, cut ->> 'field'::text, cut -> 'newSize'::text FROM bson_array_elements(how -> 'truncatedArrays'::text) AS cut LOOP
        steps := pg_temp.bson_copy_steps(data, part.path, names);
        IF steps IS NULL THEN
            UPDATE pg_temp.bson_copy_count AS c SET unfit = c.unfit + 1;
            CONTINUE;
        END IF;
        IF part.verb = 'l'::text THEN
            data := pg_temp.bson_copy_patched(data, pg_temp.bson_copy_delta(steps, '{"a": true}'::bson || pg_temp.bson_copy_field('l'::text, part.value)));
            CONTINUE;
        END IF;
        last := bson_array_length(steps) - 1;
        data := pg_temp.bson_copy_patched(data, pg_temp.bson_copy_delta(steps - last,
            CASE WHEN bson_typeof(steps -> last) = 'string'::text THEN pg_temp.bson_copy_field(part.verb, pg_temp.bson_copy_field(steps ->> last, part.value))
                 ELSE '{"a": true}'::bson || pg_temp.bson_copy_field(part.verb || (steps ->> last), part.value) END));
    END LOOP;
    RETURN data;
EXCEPTION WHEN data_exception OR null_value_not_allowed THEN
    RAISE USING ERRCODE = 'BC001'::text, MESSAGE = 'a change is not understood: '::text || SQLERRM::text;
END $f$;
CREATE FUNCTION pg_temp.bson_copy_changed(data bson, how bson) RETURNS bson LANGUAGE plpgsql AS $f$
DECLARE
    part record;
BEGIN
    IF (how -> '$v'::text) = '2'::bson THEN
        RETURN pg_temp.bson_copy_patched(data, how);
    ELSIF NOT how ?| '{$set,$unset}'::text[] THEN
        RETURN pg_temp.bson_copy_event(data, how);
    END IF;
    FOR part IN SELECT verbs.verb, each.key, each.value FROM (VALUES ('$set'::text), ('$unset'::text)) AS verbs (verb), bson_each(how -> verbs.verb) AS each LOOP
        data := pg_temp.bson_copy_updated(data, pg_temp.bson_copy_field(part.verb, pg_temp.bson_copy_field(part.key, part.value)));
    END LOOP;
    RETURN data;
END $f$"""

# For each table functions of its own, so that the server plans each statement once.  They name nothing that a table could be called,
# or a column of one: their arguments have numbers, and columns their table.
READ_ONE = "BEGIN RETURN (SELECT t.data FROM %2$s AS t WHERE t.data -> '_id'::text = $1); END"
WRITE_ONE = """BEGIN
    IF $2 IS NULL THEN
        DELETE FROM %2$s AS t WHERE t.data -> '_id'::text = $1;
        RETURN true;
    END IF;
    UPDATE %2$s AS t SET data = $2 WHERE t.data -> '_id'::text = $1;
    IF NOT FOUND THEN
        INSERT INTO %2$s AS t (data) VALUES ($2);
    END IF;
    RETURN true;
EXCEPTION WHEN unique_violation OR exclusion_violation THEN
    RETURN false;
END"""

# %1$s is the number of the table, %2$s its name; of those that the changes are about
TABLES = f"""DO $run$
DECLARE
    it record;
    reads text := ''::text;
    writes text := ''::text;
BEGIN
    FOR it IN SELECT t.number, t.place FROM pg_temp.bson_copy_table AS t WHERE t.number IN (SELECT s.number FROM pg_temp.bson_copy_step AS s) LOOP
        EXECUTE pg_catalog.format('CREATE FUNCTION pg_temp.bson_copy_read_%s(bson) RETURNS bson LANGUAGE plpgsql AS %L'::text, it.number, pg_catalog.format($body${READ_ONE}$body$::text, it.number, it.place));
        EXECUTE pg_catalog.format('CREATE FUNCTION pg_temp.bson_copy_write_%s(bson, bson) RETURNS bool LANGUAGE plpgsql AS %L'::text, it.number, pg_catalog.format($body${WRITE_ONE}$body$::text, it.number, it.place));
        reads := reads || pg_catalog.format(' WHEN %1$s::bigint THEN RETURN pg_temp.bson_copy_read_%1$s($2);'::text, it.number);
        writes := writes || pg_catalog.format(' WHEN %1$s::bigint THEN RETURN pg_temp.bson_copy_write_%1$s($2, $3);'::text, it.number);
    END LOOP;
    IF reads = ''::text THEN
        reads := ' WHEN 0::bigint THEN RETURN NULL;'::text;
        writes := reads;
    END IF;
    EXECUTE pg_catalog.format('CREATE FUNCTION pg_temp.bson_copy_get(bigint, bson) RETURNS bson LANGUAGE plpgsql AS %L'::text, 'BEGIN CASE $1'::text || reads || ' END CASE; END'::text);
    EXECUTE pg_catalog.format('CREATE FUNCTION pg_temp.bson_copy_write(bigint, bson, bson) RETURNS bool LANGUAGE plpgsql AS %L'::text, 'BEGIN CASE $1'::text || writes || ' END CASE; END'::text);
END $run$"""

# One step.  A document may have a unique value that another one has only until a later entry: it waits, and takes what follows there.
STEP = """CREATE FUNCTION pg_temp.bson_copy_do(step pg_temp.bson_copy_step) RETURNS void LANGUAGE plpgsql AS $f$
DECLARE
    new_data bson := CASE WHEN step.kind = 'put'::text THEN step.data END;
    since bigint;
BEGIN
    DELETE FROM pg_temp.bson_copy_wait AS w WHERE w.number = step.number AND w.id = step.id RETURNING w.unit, CASE WHEN step.kind = 'change'::text THEN w.data ELSE new_data END INTO since, new_data;
    IF NOT FOUND THEN
        new_data := CASE WHEN step.kind = 'put'::text THEN step.data END;
    END IF;
    IF step.kind = 'change'::text THEN
        IF since IS NULL THEN
            new_data := pg_temp.bson_copy_get(step.number, step.id);
        END IF;
        IF new_data IS NULL THEN
            UPDATE pg_temp.bson_copy_count AS c SET absent = c.absent + 1;
            PERFORM pg_temp.bson_copy_changed('{}'::bson, step.data);
            RETURN;
        END IF;
        new_data := pg_temp.bson_copy_changed(new_data, step.data);
    END IF;
    IF NOT pg_temp.bson_copy_write(step.number, step.id, new_data) THEN
        PERFORM pg_temp.bson_copy_write(step.number, step.id, NULL::bson);
        INSERT INTO pg_temp.bson_copy_wait VALUES (step.number, step.id, new_data, coalesce(since, step.unit));
    END IF;
END $f$;
CREATE FUNCTION pg_temp.bson_copy_wait_end() RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
    it record;
    before bigint;
    waiting bigint := (SELECT count(*) FROM pg_temp.bson_copy_wait AS w);
BEGIN
    LOOP
        before := waiting;
        FOR it IN SELECT w.number, w.id, w.data FROM pg_temp.bson_copy_wait AS w LOOP
            IF pg_temp.bson_copy_write(it.number, it.id, it.data) THEN
                DELETE FROM pg_temp.bson_copy_wait AS w WHERE w.number = it.number AND w.id = it.id;
                waiting := waiting - 1;
            END IF;
        END LOOP;
        IF waiting = 0 OR waiting = before THEN
            RETURN waiting;
        END IF;
    END LOOP;
END $f$"""

# All units, in order.  One that a table refuses is set aside, as are those after it that are about the same documents, unless they
# have all of the document; {} is whether that was asked for.  Which document keeps a unique value is known at the end: if one did not
# get its, all is done again, without the unit since which it waited.
APPLY = """CREATE FUNCTION pg_temp.bson_copy_unit(this bigint) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
    step pg_temp.bson_copy_step;
    why text;
BEGIN
    FOR step IN SELECT s.* FROM pg_temp.bson_copy_step AS s WHERE s.unit = this AND s.number IS NOT NULL AND NOT s.dropped ORDER BY s.nr, s.path LOOP
        PERFORM pg_temp.bson_copy_do(step);
    END LOOP;
    RETURN NULL;
EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded OR raise_exception THEN
    RETURN SQLERRM;
END $f$;
CREATE FUNCTION pg_temp.bson_copy_pass(refused bigint[]) RETURNS bigint[] LANGUAGE plpgsql AS $f$
DECLARE
    it record;
    why text;
    tainted bool := false;
BEGIN
    FOR it IN SELECT s.unit, bool_or(s.invalid) AS invalid FROM pg_temp.bson_copy_step AS s WHERE s.number IS NOT NULL AND NOT s.dropped GROUP BY s.unit ORDER BY s.unit LOOP
        why := CASE WHEN it.invalid THEN 'it has a string that is not valid UTF-8'::text
                    WHEN it.unit = ANY (refused) THEN 'it has a value that is unique, and another document has it, too'::text END;
        IF why IS NULL AND tainted AND EXISTS (SELECT FROM pg_temp.bson_copy_step AS s JOIN pg_temp.bson_copy_aside AS a ON a.number = s.number AND a.id = s.id
                WHERE s.unit = it.unit AND (s.kind = 'change'::text OR EXISTS (SELECT FROM pg_temp.bson_copy_aside AS b WHERE b.unit = a.unit AND (b.number <> a.number OR b.id <> a.id)))) THEN
            why := 'a change of the same document before it is set aside'::text;
        END IF;
        IF why IS NULL THEN
            why := pg_temp.bson_copy_unit(it.unit);
        END IF;
        IF why IS NOT NULL THEN
            tainted := true;
            INSERT INTO pg_temp.bson_copy_aside SELECT DISTINCT it.unit, s.number, s.id, why FROM pg_temp.bson_copy_step AS s WHERE s.unit = it.unit AND s.number IS NOT NULL;
        ELSIF tainted THEN
            -- what was set aside of these documents is in them now
            DELETE FROM pg_temp.bson_copy_aside AS a USING pg_temp.bson_copy_step AS s WHERE s.unit = it.unit AND s.number = a.number AND s.id = a.id;
        END IF;
    END LOOP;
    IF pg_temp.bson_copy_wait_end() > 0 THEN
        SELECT pg_catalog.array_agg(w.unit) INTO refused FROM pg_temp.bson_copy_wait AS w;
        RAISE USING ERRCODE = 'BC002'::text, MESSAGE = refused::text;
    END IF;
    RETURN NULL;
EXCEPTION WHEN SQLSTATE 'BC002' THEN
    RETURN SQLERRM::bigint[];
END $f$;
DO $run$
DECLARE
    refused bigint[] := '{{}}'::bigint[];
    more bigint[];
    it record;
BEGIN
    LOOP
        more := pg_temp.bson_copy_pass(refused);
        EXIT WHEN more IS NULL;
        refused := refused OPERATOR(pg_catalog.||) more;
    END LOOP;
    IF NOT {0}::bool THEN
        SELECT t.namespace, bson_to_extjson(a.id, 'canonical'::text) AS id, a.why INTO it FROM pg_temp.bson_copy_aside AS a JOIN pg_temp.bson_copy_table AS t ON t.number = a.number ORDER BY a.unit LIMIT 1;
        IF FOUND THEN
            RAISE 'in % a change of the document with the _id % is refused: %', it.namespace, it.id, it.why USING HINT = '--skip-invalid FILE sets such changes aside, and applies the others.'::text;
        END IF;
    END IF;
END $run$"""

# {} is the number of entries from before, which are not what the next round follows
RESULT = """WITH last AS (SELECT c.entry FROM pg_temp.bson_copy_entry AS c WHERE c.nr > {0}::bigint ORDER BY c.nr DESC LIMIT 1),
held AS (SELECT c.entry FROM pg_temp.bson_copy_entry AS c WHERE c.held ORDER BY c.nr LIMIT 1)
SELECT pg_catalog.json_build_object('absent'::text, (SELECT c.absent FROM pg_temp.bson_copy_count AS c), 'unfit'::text, (SELECT c.unfit FROM pg_temp.bson_copy_count AS c),
'held'::text, (SELECT count(*) FROM pg_temp.bson_copy_entry AS c WHERE c.held),
'last'::text, coalesce((SELECT bson_to_extjson(pg_temp.bson_copy_field('ts'::text, pg_temp.bson_copy_field('$gte'::text, held.entry -> 'ts'::text)), 'canonical'::text) FROM held), (SELECT CASE
    WHEN last.entry ? 'ts'::text THEN bson_to_extjson(pg_temp.bson_copy_field('ts'::text, pg_temp.bson_copy_field('$gt'::text, last.entry -> 'ts'::text)), 'canonical'::text)
    WHEN last.entry ? 'operationType'::text THEN bson_to_extjson(pg_temp.bson_copy_field('resumeAfter'::text, last.entry -> '_id'::text), 'canonical'::text) END FROM last)),
'refused'::text, (SELECT coalesce(pg_catalog.json_agg(pg_catalog.json_build_array(t.namespace, bson_to_extjson(a.id, 'canonical'::text), a.why) ORDER BY a.unit), '[]'::json)
    FROM pg_temp.bson_copy_aside AS a JOIN pg_temp.bson_copy_table AS t ON t.number = a.number),
'aside'::text, (SELECT coalesce(pg_catalog.json_agg(pg_catalog.json_build_array(c.nr, encode(c.entry::bytea, 'hex'::text)) ORDER BY c.nr), '[]'::json)
    FROM pg_temp.bson_copy_entry AS c WHERE c.unit IN (SELECT a.unit FROM pg_temp.bson_copy_aside AS a)),
'steps'::text, (SELECT coalesce(pg_catalog.json_agg(pg_catalog.json_build_array(s.namespace, s.kind, s.said, s.known, s.n) ORDER BY s.namespace, s.kind, s.said), '[]'::json) FROM (
    SELECT s.namespace, s.kind, CASE WHEN s.kind = 'command'::text THEN s.said END AS said, s.number IS NOT NULL AS known, count(*) AS n
    FROM pg_temp.bson_copy_step AS s WHERE NOT s.dropped AND s.namespace IS NOT NULL AND s.unit NOT IN (SELECT a.unit FROM pg_temp.bson_copy_aside AS a) GROUP BY 1, 2, 3, 4) AS s))"""
