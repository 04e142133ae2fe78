"""
find and findAndModify by the statements that bson_find_sql and bson_find_and_modify_sql give, for documentdb_plugin.py.
"""
import bson
from bson.raw_bson import RawBSONDocument
import pytest

import documentdb_expressions as expressions
import documentdb_plugin as plugin
import documentdb_stages as stages
import documentdb_updates as updates

Collection = plugin.Collection
RAW = bson.CodecOptions(document_class=RawBSONDocument)
# options that change how the server works, and not what comes out; and those that are not offered
NO_MATTER = {'batchSize', 'singleBatch', 'comment', 'maxTimeMS', 'writeConcern', 'bypassDocumentValidation'}
NOT_OFFERED = {'collation', 'hint', 'let', 'max', 'min', 'returnKey', 'showRecordId', 'tailable', 'awaitData', 'noCursorTimeout',
               'allowPartialResults', 'allowDiskUse', 'oplogReplay', 'readConcern'}


def options(command):
    """Those that the functions are told; the first field is the collection"""
    names = list(command)[1:]
    refused = NOT_OFFERED & set(names) | {n for n in names if n.startswith('$')}
    if refused:
        pytest.skip('options ' + ', '.join(sorted(refused)))
    return {n: command[n] for n in names if n not in NO_MATTER}


def given(value, cast=''):
    return "(%s -> 'x')%s" % (plugin.literal({'x': value}), cast)


def answers(self, call, with_rows):
    """The documents that the statement given by a call returns, and those that are there after it"""
    try:
        expressions.ask(';\n'.join(['BEGIN', *stages.tables(self, []), "CREATE UNIQUE INDEX ON %s ((data -> '_id'))" % stages.quoted(self.name)]))
        statement = expressions.ask("SELECT replace((%s), E'\\n', ' ')" % call)
        found = stages.called("WITH x AS (%s) SELECT coalesce(array_to_bson(array_agg(data)), '[]') FROM x" % statement)
        rows = stages.called("SELECT coalesce(array_to_bson(array_agg(data)), '[]') FROM %s" % stages.quoted(self.name)) if with_rows else None
    finally:
        expressions.ask('ROLLBACK')
    return stages.decoded(found)[''], rows


def run_find(self, command):
    wanted = options(command)
    others = set(wanted) - {'filter', 'projection', 'sort', 'skip', 'limit'}
    if others:
        raise plugin.Refused('find has no option ' + ', '.join(sorted(others)))
    arguments = ''.join(', "%s" => %s' % (n, given(v, '::bigint' if n in ('skip', 'limit') else '')) for n, v in wanted.items())
    return self.answer(list(answers(self, "SELECT bson_find_sql('%s'%s)" % (stages.quoted(self.name), arguments), False)[0]))


def run_find_and_modify(self, command):
    wanted = options(command)
    try:
        found, rows = answers(self, "SELECT bson_find_and_modify_sql('%s', %s)" % (stages.quoted(self.name), given(wanted)), True)
    except pytest.skip.Exception:
        # an upsert whose statement would need a lock
        return updates.run_find_and_modify(self, command)
    before = {repr(plugin_id(d)): i for i, d in enumerate(self.documents)}
    after = {repr(d['_id']): d.raw for d in bson.decode(rows, RAW)['']}
    upserted = [bson.decode(d)['_id'] for key, d in after.items() if key not in before]
    kept = [after[key] for key in before if key in after]
    self.documents = kept + [d for key, d in after.items() if key not in before]
    result = {'value': found[0] if found else None, 'ok': 1.0, 'lastErrorObject': {'n': len(found)}}
    if not wanted.get('remove'):
        result['lastErrorObject']['updatedExisting'] = bool(found) and not upserted
        if upserted:
            result['lastErrorObject']['upserted'] = upserted[0]
    return result


def plugin_id(document):
    return bson.decode(document, RAW)['_id']


Collection.run_find = run_find
Collection.run_findAndModify = Collection.run_findandmodify = run_find_and_modify
