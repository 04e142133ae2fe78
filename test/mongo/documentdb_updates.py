"""
The commands that write, for documentdb_plugin.py: insert, update, delete, findAndModify.

One update of one document is one call of bson_update or bson_upsert.  What the
server answers (how many matched, how many changed) is counted here.
"""
import types

import bson
import pymongo
import pytest

import documentdb_plugin as plugin

# a number that overflows, a document that is too large or too deep
plugin.REFUSALS += ('22003', '54000', '54001')
Collection = plugin.Collection



def filters(statement):
    given = statement.get('arrayFilters')
    if given is None:
        return 'NULL'
    return "(%s -> 'f')" % plugin.literal({'f': given})


def update_literal(update):
    return plugin.literal(update) if isinstance(update, dict) else "(%s -> 'u')" % plugin.literal({'u': update})


def decoded(document):
    return bson.decode(document, bson.CodecOptions(tz_aware=True))


def one(expression):
    return bytes.fromhex(plugin.sql('SELECT encode((%s)::bytea, \'hex\')' % expression)[0])


def matching(self, query, sort=None):
    order = 'bson_sort_key(d, %s), i' % plugin.literal(sort) if sort else 'i'
    return [int(i) for i in plugin.sql('SELECT i FROM %s WHERE i IS NOT NULL AND d @~ %s ORDER BY %s' % (
        self.rows(), plugin.literal(query), order))]


def updated(self, i, statement, update):
    """The document i updated, as bytes."""
    return one("bson_update('\\x%s'::bson, %s, %s, %s)" % (
        self.documents[i].hex(), update_literal(update), plugin.literal(statement.get('q') or statement.get('query') or {}),
        filters(statement)))


def inserted(self, statement, update):
    document = one('bson_upsert(%s, %s, %s)' % (
        plugin.literal(statement.get('q') or statement.get('query') or {}), update_literal(update), filters(statement)))
    if any(bson.decode(d)['_id'] == bson.decode(document)['_id'] for d in self.documents):
        raise plugin.Refused('duplicate _id')
    self.documents.append(document)
    return document


def refuse_options(statement, known):
    others = set(statement) - set(known.split())
    if others:
        pytest.skip('options ' + ', '.join(sorted(others)))


def run_update_statement(self, statement):
    """(matched, changed, the new document's _id or None)"""
    refuse_options(statement, 'q u upsert multi arrayFilters')
    update = statement['u']
    replaces = isinstance(update, dict) and not next(iter(update), '').startswith('$')
    if statement.get('multi') and replaces:
        raise plugin.Refused('many documents cannot be replaced by one')
    found = matching(self, statement['q'])
    if not statement.get('multi'):
        found = found[:1]
    if not found and statement.get('upsert'):
        return 0, 0, [decoded(inserted(self, statement, update))['_id']]
    changed = 0
    for i in found:
        new = updated(self, i, statement, update)
        changed += replaces or new != self.documents[i]     # the server does not look whether a replacement is the same
        self.documents[i] = new
    return len(found), changed, []


def run_update(self, command):
    refuse_options(command, 'update updates ordered')
    result = {'n': 0, 'nModified': 0, 'ok': 1.0}
    for index, statement in enumerate(command['updates']):
        try:
            matched, changed, upserted = run_update_statement(self, statement)
        except plugin.Refused as refused:
            result.setdefault('writeErrors', []).append({'index': index, 'code': refused.code, 'errmsg': str(refused)})
            if command.get('ordered', True):
                break
            continue
        result['n'] += matched + len(upserted)
        result['nModified'] += changed
        for new_id in upserted:
            result.setdefault('upserted', []).append({'index': index, '_id': new_id})
    return result


def run_find_and_modify(self, command):
    refuse_options(command, 'findAndModify findandmodify query update new upsert sort remove arrayFilters')
    found = matching(self, command.get('query') or {}, command.get('sort'))[:1]
    if command.get('remove'):
        old = decoded(self.documents.pop(found[0])) if found else None
        return {'value': old, 'lastErrorObject': {'n': len(found)}, 'ok': 1.0}
    if not found and command.get('upsert'):
        new = decoded(inserted(self, command, command['update']))
        return {'value': new if command.get('new') else None, 'ok': 1.0,
                'lastErrorObject': {'n': 1, 'updatedExisting': False, 'upserted': new['_id']}}
    if not found:
        return {'value': None, 'lastErrorObject': {'n': 0, 'updatedExisting': False}, 'ok': 1.0}
    old = self.documents[found[0]]
    self.documents[found[0]] = updated(self, found[0], command, command['update'])
    return {'value': decoded(self.documents[found[0]] if command.get('new') else old),
            'lastErrorObject': {'n': 1, 'updatedExisting': True}, 'ok': 1.0}


def run_insert(self, command):
    self.insert_many(command['documents'])
    return {'n': len(command['documents']), 'ok': 1.0}


def run_delete(self, command):
    n = 0
    for statement in command['deletes']:
        refuse_options(statement, 'q limit')
        found = matching(self, statement['q'])
        for i in reversed(found[:statement.get('limit') or None]):
            del self.documents[i]
            n += 1
    return {'n': n, 'ok': 1.0}


def count_documents(self, query):
    return len(matching(self, query))


def find_one(self, query=None):
    found = matching(self, query or {})[:1]
    return decoded(self.documents[found[0]]) if found else None


def written(result):
    """What pymongo's methods answer"""
    if 'writeErrors' in result:
        raise plugin.Refused(result['writeErrors'][0]['errmsg'])
    upserted = result.get('upserted', [])
    return types.SimpleNamespace(matched_count=result['n'] - len(upserted), modified_count=result['nModified'],
                                 upserted_count=len(upserted), upserted_id=upserted[0]['_id'] if upserted else None)


def update_one(self, query, update, upsert=False, array_filters=None, multi=False):
    statement = {'q': query, 'u': update, 'upsert': upsert, 'multi': multi}
    if array_filters is not None:
        statement['arrayFilters'] = array_filters
    return written(run_update(self, {'updates': [statement]}))


def update_many(self, query, update, upsert=False, array_filters=None):
    return update_one(self, query, update, upsert, array_filters, multi=True)


def bulk_write(self, requests):
    results = []
    for request in requests:
        if not isinstance(request, (pymongo.UpdateOne, pymongo.UpdateMany, pymongo.ReplaceOne)):
            pytest.skip('bulk_write of %s' % type(request).__name__)
        results.append(update_one(self, request._filter, request._doc, bool(request._upsert),
                                  getattr(request, '_array_filters', None), isinstance(request, pymongo.UpdateMany)))
    return types.SimpleNamespace(**{name: sum(getattr(r, name) for r in results)
                                    for name in ('matched_count', 'modified_count', 'upserted_count')})


for name, function in (('run_update', run_update), ('run_findAndModify', run_find_and_modify),
                       ('run_findandmodify', run_find_and_modify), ('run_insert', run_insert), ('run_delete', run_delete),
                       ('count_documents', count_documents), ('find_one', find_one), ('update_one', update_one),
                       ('replace_one', update_one), ('update_many', update_many), ('bulk_write', bulk_write)):
    setattr(Collection, name, function)
