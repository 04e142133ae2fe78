"""
Projections of find, and the stages that make a new document of each, for documentdb_plugin.py.

$project is bson_project, the other stages are pipelines of bson_update.  As
that keeps the _id, a stage that changes it is left out.
"""
import bson
import pytest

import documentdb_expressions as expressions
import documentdb_plugin as plugin

Collection = plugin.Collection
FIND_ONLY = ('$slice', '$elemMatch')


def decoded(document):
    return bson.decode(document, bson.CodecOptions(tz_aware=True))


def called(call):
    return bytes.fromhex(expressions.ask("SELECT encode((%s)::bytea, 'hex')" % call))


def stored(document):
    return "'\\x%s'::bson" % document.hex()


def mentions(value, names):
    if isinstance(value, dict):
        return any(k in names or mentions(v, names) for k, v in value.items())
    if isinstance(value, list):
        return any(mentions(v, names) for v in value)
    return isinstance(value, str) and any(name in value for name in names)


def project(document, operand):
    if not isinstance(operand, dict) or not operand:
        raise plugin.Refused('$project of nothing')
    if any(k.endswith('.$') for k in operand):
        raise plugin.Refused('"$" in $project')
    if mentions(operand, FIND_ONLY):
        return bson.encode(expressions.project(document, operand))      # find has an operator of this name, too
    return called('bson_project(%s, %s)' % (stored(document), plugin.literal(operand)))


def change(document, name, operand):
    pipeline = "(%s -> 'p')" % plugin.literal({'p': [{name: operand}]})
    if name in ('$replaceRoot', '$replaceWith'):
        if mentions(operand, ('_id', 'ROOT', 'CURRENT', '$let')):
            pytest.skip(name + ' with _id')
        document = bson.encode({k: v for k, v in decoded(document).items() if k != '_id'})
    elif mentions([operand] if name == '$unset' else list(operand) if isinstance(operand, dict) else [], ('_id',)):
        pytest.skip(name + ' of _id')
    return called('bson_update(%s, %s)' % (stored(document), pipeline))


def staged(at, name, operand):
    """The documents behind a stage."""
    if name in ('$match', '$sort'):
        if not isinstance(operand, dict) or (name == '$sort' and not operand):
            raise plugin.Refused(name + ' of no document')
        return [at.documents[i] for i in (at.find(operand, None) if name == '$match' else at.find({}, operand))]
    if name == '$limit' and isinstance(operand, int) and operand > 0:
        return at.documents[:operand]
    if name == '$skip' and isinstance(operand, int) and operand >= 0:
        return at.documents[operand:]
    if name == '$documents' and isinstance(operand, list):
        return [bson.encode(expressions.value_of(bson.encode({}), d)['x']) for d in operand]
    if name == '$project':
        one = project
    elif name in ('$set', '$addFields', '$unset', '$replaceRoot', '$replaceWith'):
        def one(document, operand):
            return change(document, name, operand)
    else:
        pytest.skip('stage ' + name)
    if not at.documents and name not in ('$replaceRoot', '$replaceWith'):
        one(bson.encode({}), operand)       # the stage is looked at where there is no document
    return [one(d, operand) for d in at.documents]


def run_aggregate(self, command):
    if set(command) - {'aggregate', 'pipeline', 'cursor'}:
        pytest.skip('aggregate with options')
    at = self
    for stage in command['pipeline']:
        if not isinstance(stage, dict) or len(stage) != 1:
            raise plugin.Refused('not a stage')
        (name, operand), = stage.items()
        after = Collection(self.database, self.name)
        after.documents = staged(at, name, operand)
        at = after
    return self.answer([decoded(d) for d in at.documents])


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


Collection.run_aggregate = run_aggregate
Collection.run_find = run_find
