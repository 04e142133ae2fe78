"""--apply: what changed after a dump, from the oplog or from a change stream, into the tables that were made of the dump."""
import json
import re
import subprocess

from .archive import dumped, is_archive
from .basics import Damage, Mistake, Progress, megabytes, percent, say, shown, write_fully
from .copyformat import Lines, Rows
from .jsontext import Json
from .metadata import as_json
from .psql import Psql, ask, connect, literal
from .source import Input
from .table import read_comment

# only one's own, as triggers of another role's table would run with the rights of who applies
TABLES = """SELECT coalesce(json_agg(json_build_array(obj_description(c.oid, 'pg_class'), format('%I.%I', nspname, relname))), '[]')
 FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind = 'r' AND pg_get_userbyid(relowner) = current_user AND obj_description(c.oid, 'pg_class') IS NOT NULL AND {}"""

# what comes in, in order: a row for each document of the file
BEGIN = """CREATE TEMP TABLE bson_copy_change (nr bigint GENERATED ALWAYS AS IDENTITY, entry bson) ON COMMIT DROP;
CREATE TEMP TABLE bson_copy_table (namespace text PRIMARY KEY, place text, absent bigint DEFAULT 0) ON COMMIT DROP;
CREATE TEMP TABLE bson_copy_aside (namespace text, id bson, data bson) ON COMMIT DROP"""

# what that means: the operations of a transaction are entries of their own; "put" writes a whole document, "change" a part of it
STEPS = """CREATE TEMP TABLE bson_copy_step ON COMMIT DROP AS
WITH RECURSIVE flat (nr, path, entry) AS (
    SELECT nr, ARRAY[]::bigint[], entry FROM pg_temp.bson_copy_change
    UNION ALL
    SELECT nr, path OPERATOR(pg_catalog.||) place, inner_entry FROM flat, bson_array_elements(entry #> '{o,applyOps}'::text[]) WITH ORDINALITY AS inner_entries (inner_entry, place)
    WHERE entry ->> 'op'::text = 'c'::text AND NOT entry -> 'o'::text ? 'prepare'::text),
named AS (
    SELECT nr, path, entry, coalesce(entry ->> 'op'::text, entry ->> 'operationType'::text) AS op, entry -> 'o'::text AS o,
        CASE WHEN entry ? 'op'::text THEN entry ->> 'ns'::text ELSE pg_catalog.concat_ws('.'::text, entry #>> '{ns,db}'::text[], entry #>> '{ns,coll}'::text[]) END AS namespace,
        CASE WHEN bson_typeof(entry -> 'fullDocument'::text) = 'object'::text THEN entry -> 'fullDocument'::text END AS whole
    FROM flat)
SELECT nr, path, namespace,
    CASE WHEN op = 'n'::text OR op = 'c'::text AND o ? 'applyOps'::text AND NOT o ? 'prepare'::text OR (entry -> 'fromMigrate'::text) = 'true'::bson THEN 'nothing'::text
         WHEN op IN ('i'::text, 'insert'::text, 'replace'::text) OR op = 'u'::text AND NOT o ?| '{$v,$set,$unset}'::text[] OR op = 'update'::text AND whole IS NOT NULL THEN 'put'::text
         WHEN op IN ('u'::text, 'update'::text) THEN 'change'::text
         WHEN op IN ('d'::text, 'delete'::text) THEN 'delete'::text
         ELSE 'command'::text END AS kind,
    coalesce(entry #> '{documentKey,_id}'::text[], entry #> '{o2,_id}'::text[], o -> '_id'::text) AS id,
    CASE WHEN op = 'update'::text THEN coalesce(whole, entry -> 'updateDescription'::text) ELSE coalesce(whole, o) END AS data,
    CASE WHEN op = 'c'::text THEN (SELECT key || ' '::text || left(value, 300) FROM bson_each_text(o) WITH ORDINALITY AS keys (key, value, place) WHERE place = 1) ELSE op END AS said
FROM named;
CREATE INDEX ON pg_temp.bson_copy_step (namespace)"""

# Entries may be older than the documents, as these were read later than the changes began; such entries are part of the documents
# already.  So what cannot be changed, because it is of another type by then, is left for the entry that made it so.
CHANGED = """CREATE FUNCTION pg_temp.bson_copy_field(key text, value bson) RETURNS bson LANGUAGE sql AS $f$
    SELECT bson_set('{}'::bson, ARRAY[key], value, true)
$f$;
CREATE FUNCTION pg_temp.bson_copy_pieces(delta bson) RETURNS SETOF bson LANGUAGE plpgsql AS $f$
DECLARE
    of_array bson := CASE WHEN delta ? 'a'::text THEN '{"a": true}'::bson ELSE '{}'::bson END;
    part record;
BEGIN
    FOR part IN SELECT key, value FROM bson_each(delta) LOOP
        IF part.key = 'a'::text THEN
            CONTINUE;
        ELSIF part.key ~ '^s.'::text THEN
            RETURN QUERY SELECT of_array || pg_temp.bson_copy_field(part.key, inner_delta) FROM pg_temp.bson_copy_pieces(part.value) AS inner_delta;
        ELSE
            RETURN NEXT of_array || pg_temp.bson_copy_field(part.key, part.value);
        END IF;
    END LOOP;
END $f$;
CREATE FUNCTION pg_temp.bson_copy_updates(how bson) RETURNS SETOF bson LANGUAGE sql AS $f$
    SELECT pg_temp.bson_copy_field(verb, pg_temp.bson_copy_field(key, value)) FROM (VALUES ('$set'::text, coalesce(how -> '$set'::text, how -> 'updatedFields'::text)), ('$unset'::text, how -> '$unset'::text)) AS verbs (verb, fields), bson_each(fields)
    UNION ALL SELECT pg_temp.bson_copy_field('$unset'::text, pg_temp.bson_copy_field(field #>> '{}'::text[], '1'::bson)) FROM bson_array_elements(how -> 'removedFields'::text) AS field
    UNION ALL SELECT pg_temp.bson_copy_field('$push'::text, pg_temp.bson_copy_field(cut ->> 'field'::text, '{"$each": []}'::bson || pg_temp.bson_copy_field('$slice'::text, cut -> 'newSize'::text))) FROM bson_array_elements(how -> 'truncatedArrays'::text) AS cut
$f$;
CREATE FUNCTION pg_temp.bson_copy_changed(data bson, how bson) RETURNS bson LANGUAGE plpgsql AS $f$
DECLARE
    part bson;
BEGIN
    IF how ? 'diff'::text THEN
        BEGIN
            RETURN bson_patch(data, how);
        EXCEPTION WHEN data_exception THEN
            FOR part IN SELECT pg_temp.bson_copy_pieces(how -> 'diff'::text) LOOP
                BEGIN
                    data := bson_patch(data, '{"$v": 2}'::bson || pg_temp.bson_copy_field('diff'::text, part));
                EXCEPTION WHEN data_exception THEN
                END;
            END LOOP;
            RETURN data;
        END;
    END IF;
    FOR part IN SELECT pg_temp.bson_copy_updates(how) LOOP
        BEGIN
            data := bson_update(data, part);
        EXCEPTION WHEN data_exception THEN
        END;
    END LOOP;
    RETURN data;
END $f$"""

# For each table functions of its own, so that the server plans each statement once.  A document may have a unique value that another
# one has only until a later entry: it waits aside, and takes what follows there.
WRITE = """BEGIN
    IF fresh IS NULL THEN
        DELETE FROM %2$s WHERE data -> '_id'::text = wanted;
        RETURN true;
    END IF;
    UPDATE %2$s SET data = fresh WHERE data -> '_id'::text = wanted;
    IF NOT FOUND THEN
        INSERT INTO %2$s (data) VALUES (fresh);
    END IF;
    RETURN true;
EXCEPTION WHEN unique_violation OR exclusion_violation THEN
    RETURN false;
END"""

APPLY = """DECLARE
    step record;
    new_data bson;
    waiting bigint := 0;
    absent bigint := 0;
    moved bigint;
BEGIN
    FOR step IN SELECT * FROM pg_temp.bson_copy_step WHERE namespace = %3$L::text AND kind IN ('put'::text, 'change'::text, 'delete'::text) ORDER BY nr, path LOOP
        new_data := CASE WHEN step.kind = 'put'::text THEN step.data END;
        IF step.kind = 'change'::text THEN
            IF waiting > 0 THEN
                SELECT a.data INTO new_data FROM pg_temp.bson_copy_aside AS a WHERE a.namespace = step.namespace AND a.id = step.id;
            END IF;
            IF new_data IS NULL THEN
                SELECT t.data INTO new_data FROM %2$s AS t WHERE t.data -> '_id'::text = step.id;
            END IF;
            IF new_data IS NULL THEN
                absent := absent + 1;
                CONTINUE;
            END IF;
            new_data := pg_temp.bson_copy_changed(new_data, step.data);
        END IF;
        IF waiting > 0 THEN
            DELETE FROM pg_temp.bson_copy_aside AS a WHERE a.namespace = step.namespace AND a.id = step.id;
            waiting := waiting - (CASE WHEN FOUND THEN 1 ELSE 0 END);
        END IF;
        IF NOT pg_temp.bson_copy_write_%1$s(step.id, new_data) THEN
            PERFORM pg_temp.bson_copy_write_%1$s(step.id, NULL::bson);
            INSERT INTO pg_temp.bson_copy_aside VALUES (step.namespace, step.id, new_data);
            waiting := waiting + 1;
        END IF;
    END LOOP;
    WHILE waiting > 0 LOOP
        WITH written AS (DELETE FROM pg_temp.bson_copy_aside AS a WHERE a.namespace = %3$L::text AND pg_temp.bson_copy_write_%1$s(a.id, a.data) RETURNING 1) SELECT count(*) INTO moved FROM written;
        waiting := waiting - moved;
        IF moved = 0 THEN
            RAISE unique_violation USING MESSAGE = (SELECT 'in '::text || %3$L::text || ' the document with the _id '::text || bson_to_extjson(a.id, 'canonical'::text)::text
                || ' has a value that is unique, and another has it, too: later changes may be missing, or values that differ there are the same here'::text FROM pg_temp.bson_copy_aside AS a LIMIT 1);
        END IF;
    END LOOP;
    RETURN absent;
END"""

# %1$s is the number of the table, %2$s its name, %3$L the namespace
RUN = f"""DO $run$
DECLARE
    it record;
    number bigint := 0;
    n bigint;
BEGIN
    FOR it IN SELECT * FROM pg_temp.bson_copy_table WHERE namespace IN (SELECT namespace FROM pg_temp.bson_copy_step) LOOP
        number := number + 1;
        EXECUTE pg_catalog.format('CREATE FUNCTION pg_temp.bson_copy_write_%s(wanted bson, fresh bson) RETURNS bool LANGUAGE plpgsql AS %L', number, format($body${WRITE}$body$, number, it.place, it.namespace));
        EXECUTE pg_catalog.format('CREATE FUNCTION pg_temp.bson_copy_apply_%s() RETURNS bigint LANGUAGE plpgsql AS %L', number, format($body${APPLY}$body$, number, it.place, it.namespace));
        EXECUTE pg_catalog.format('SELECT pg_temp.bson_copy_apply_%s()', number) INTO n;
        UPDATE pg_temp.bson_copy_table AS t SET absent = n WHERE t.namespace = it.namespace;
    END LOOP;
END $run$"""

RESULT = """WITH last AS (SELECT entry FROM pg_temp.bson_copy_change ORDER BY nr DESC LIMIT 1)
SELECT pg_catalog.json_build_object('absent'::text, (SELECT sum(absent) FROM pg_temp.bson_copy_table), 'last'::text, (SELECT CASE
    WHEN entry ? 'ts'::text THEN bson_to_extjson(pg_temp.bson_copy_field('ts'::text, pg_temp.bson_copy_field('$gt'::text, entry -> 'ts'::text)), 'canonical'::text)
    WHEN entry ? 'operationType'::text THEN bson_to_extjson(pg_temp.bson_copy_field('resumeAfter'::text, entry -> '_id'::text), 'canonical'::text) END::text FROM last),
'steps'::text, (SELECT coalesce(pg_catalog.json_agg(pg_catalog.json_build_array(namespace, kind, said, known, n) ORDER BY namespace, kind, said), '[]'::json) FROM (
    SELECT namespace, kind, CASE WHEN kind = 'command'::text THEN said END AS said, absent IS NOT NULL AS known, count(*) AS n
    FROM pg_temp.bson_copy_step LEFT JOIN pg_temp.bson_copy_table USING (namespace) WHERE kind <> 'nothing'::text GROUP BY 1, 2, 3, 4) AS t))"""

FOREIGN = re.compile(r"[^.]*\.system\.", re.DOTALL)
INDEXES = ("createIndexes", "startIndexBuild", "commitIndexBuild", "abortIndexBuild", "dropIndexes", "collMod", "create")


def tables_of(options):
    """The tables that were restored, by namespace."""
    found = {}
    for comment, place in ask(options, TABLES.format(f"nspname = {literal(options.schema)}" if options.schema else "true")):
        namespace, _ = read_comment(comment)
        if namespace and found.setdefault(namespace, place) != place:
            raise Mistake(f"the tables {shown(found[namespace])} and {shown(place)} were both restored from {shown(namespace)}: choose one with --schema")
    if not found:
        raise Mistake("there is no table of this role that was restored by bson-copy")
    return found


def apply_changes(options):
    connect(options)
    tables = tables_of(options)
    rows = [f"({literal(namespace)}, {literal(place)})" for namespace, place in tables.items()]
    known = [f"INSERT INTO pg_temp.bson_copy_table VALUES {', '.join(rows[number:number + 200])}" for number in range(0, len(rows), 200)]
    source = Input(options.file)
    is_json = bool(options.file) and re.search(r"\.json(\.gz)?$", options.file) is not None
    batches = Json(source).copy_lines() if is_json else ((found, len(found)) for found in dumped(source, "oplog" if is_archive(source) else None))
    psql = Psql(options, [BEGIN, *known, f"COPY pg_temp.bson_copy_change (entry) FROM STDIN (FORMAT {'text' if is_json else 'binary'})",
                          STEPS, CHANGED, RUN, RESULT], stdin=subprocess.PIPE)
    output = (Lines if is_json else Rows)(write_fully(psql.process.stdin.fileno()))
    count = 0
    progress = Progress(options, lambda seconds: f"{count} entries, {megabytes(source.offset, seconds)}{percent(source.done, source.size)}")
    try:
        for documents, number in batches:
            output.put(documents)
            count += number
            progress.show()
        output.end(True)
    except BrokenPipeError:
        pass
    except Damage as damage:
        output.end(False)
        psql.end()
        raise damage if is_json else Damage(f"{source.place}, after {count} entries, and nothing is applied: {damage}")
    psql.process.stdin.close()
    answer = psql.process.stdout.read()
    problem = psql.end()
    if problem:
        raise Mistake(f"nothing is applied: {problem}")
    progress.show(last=True)
    return tell(options, tables, count, json.loads(answer))


def tell(options, tables, count, answer):
    """What was done, and what was not; the status."""
    status, done, missing = 0, {}, {}
    databases = {namespace.partition(".")[0] for namespace in tables}
    for namespace, kind, said, known, number in answer["steps"]:
        if kind == "command" and said.startswith("applyOps"):
            status = 1
            say("a transaction of several shards is not applied: take the changes from a change stream, which has them in one order")
        elif namespace.partition(".")[0] not in databases or FOREIGN.match(namespace):
            continue                    # nothing of that was restored
        elif kind == "command":
            if said.partition(" ")[0] not in INDEXES:
                status = 1
            say(f"{shown(namespace)}: {shown(said)} is not applied ({number} times): make the change by hand")
        elif known:
            done[namespace] = done.get(namespace, 0) + number
        else:
            missing[namespace] = missing.get(namespace, 0) + number
    for namespace, number in missing.items():
        status = 1
        say(f"{shown(namespace)}: {number} changes are not applied, as there is no table of this role: dump and restore this collection, and apply this file again")
    if not options.quiet:
        for namespace, number in done.items():
            say(f"{shown(namespace)}: {number} changes")
        say(f"{count} entries; {answer['absent']} changes were of documents that are not there, as they are deleted later")
    if answer["last"]:
        print(as_json(json.loads(answer["last"])))
    return status
