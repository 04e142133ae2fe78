"""
Projections of find by bson_project, and aggregate by bson_aggregate, for documentdb_plugin.py.

Each collection is a table that the statement's transaction makes.  A collection
that is not there is an empty one in MongoDB, so those that stages name are made, too.
"""
from collections.abc import Mapping

import bson
import pymongo
import pytest

import documentdb_expressions as expressions
import documentdb_plugin as plugin

# a string that text cannot hold, a collection whose name cannot be one
plugin.REFUSALS += ('22P05', '42P01')
Collection = plugin.Collection
# options that change how the server works, and not what comes out
NO_MATTER = {'aggregate', 'pipeline', 'cursor', 'allowDiskUse', 'comment', 'maxTimeMS'}


def decoded(document):
    return bson.decode(document, expressions.CODEC)


def called(call):
    return bytes.fromhex(expressions.ask("SELECT encode((%s)::bytea, 'hex')" % call))


def stored(document):
    return "'\\x%s'::bson" % document.hex()


def named(value):
    """The collections that a pipeline's stages name"""
    if isinstance(value, list):
        return set().union(*map(named, value))
    if not isinstance(value, Mapping):
        return set()
    found = set().union(*map(named, value.values()))
    for stage, option in (('$lookup', 'from'), ('$graphLookup', 'from'), ('$unionWith', 'coll')):
        operand = value.get(stage)
        name = operand.get(option) if isinstance(operand, Mapping) else operand
        if type(name) is str and name[:1] not in ('', '.') and '\0' not in name:
            found.add(name)
    return found


def quoted(name):
    return '"%s"' % name.replace('"', '""')


def tables(at, pipeline):
    for name in {at.name} | named(pipeline):
        if len(name.encode()) > 63:
            pytest.skip('a long name')
        yield 'CREATE TEMP TABLE %s (data bson)' % quoted(name)
        documents = at.database.collections[name].documents if name in at.database.collections else []
        if documents:
            yield 'INSERT INTO %s VALUES %s' % (quoted(name), ', '.join('(%s)' % stored(d) for d in documents))
        for keys in at.database[name].indexes:
            yield "DO $$ BEGIN EXECUTE bson_create_index_sql('%s', %s); END $$" % (quoted(name).replace("'", "''"), plugin.literal({'key': keys}))


def run_aggregate(self, command):
    others = set(command) - NO_MATTER
    if others or command.get('cursor'):
        pytest.skip('aggregate with ' + ', '.join(sorted(others or ['cursor'])))
    pipeline = command.get('pipeline')
    relation = 'NULL' if command['aggregate'] == 1 else "'%s'" % quoted(self.name).replace("'", "''")
    try:
        expressions.ask(';\n'.join(['BEGIN', *tables(self, pipeline)]))
        answer = called("SELECT coalesce(array_to_bson(array_agg(d)), '[]') FROM bson_aggregate(%s, %s -> 'p') AS d" % (
            relation, plugin.literal({'p': pipeline})))
    finally:
        expressions.ask('ROLLBACK')
    return self.answer(list(decoded(answer)['']))


def run_find(self, command):
    rest = set(command) - {'find', 'filter', 'sort', 'skip', 'limit', 'batchSize', 'singleBatch', 'projection'}
    if rest:
        pytest.skip('find with ' + ', '.join(sorted(rest)))
    where = command.get('filter') or {}
    found = self.find(where, command.get('sort'), command.get('skip', 0), command.get('limit', 0))
    projection = command.get('projection')
    if not projection:
        return self.answer([decoded(self.documents[i]) for i in found])
    shown = ['bson_project(%s, %s, %s)' % (stored(self.documents[i]), plugin.literal(projection), plugin.literal(where)) for i in found]
    return self.answer([decoded(called(s)) for s in shown])


def without_effect(self, *args, **options):
    """Nothing has to be removed."""


def create_indexes(self, models):
    """Those that stages and queries need; others change no result."""
    keys = [dict(m.document['key']) for m in models]
    self.indexes = [k for k in keys if {'2d', '2dsphere', 'text'} & {*map(str, k.values())}]


def create_index(self, keys, **options):
    create_indexes(self, [pymongo.IndexModel(keys)])


Collection.indexes = []
Collection.create_index, Collection.create_indexes = create_index, create_indexes
plugin.Database.drop_collection = without_effect
Collection.run_aggregate = run_aggregate
Collection.run_find = run_find
