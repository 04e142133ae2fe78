"""A pipeline gives what its stages give one after the other, whatever they are joined, moved or left out for."""
import json

import db
from property import Property

SCALARS = (None, 0, 1, 2, 3, 2.0, 1.5, -1, 'x', 'y', '', True, {'x': 1}, {'x': None}, {'x': [1, 2]}, {})
PATHS = ('a', 'b', 'c', 'k', 'n', '_id', 'a.x', 'b.x', 'c.a.b', 'a.0', 'k.x', 'z')
FIELDS = ('a', 'b', 'c', 'k', 'n', '_id', 'a.x', 'b.x', 'k.x', 'z')
PLACES = ('a', 'b', 'd', 'a.x', 'd.e', 'b.x.y', 'k')


class Stages(Property):
    """Groups of stages, each in one call: one that makes an order is together with what depends on it."""
    functions = ('bson_aggregate(regclass,bson,name)',)
    count = 150
    shrinks = False

    def value(self, r, depth=0):
        kind = r.random()
        if depth < 2 and kind < .22:
            return [self.value(r, depth + 1) for _ in range(r.randrange(4))]
        if depth < 2 and kind < .35:
            return {f: self.value(r, depth + 1) for f in r.sample(('x', 'y', 'a', 'b'), r.randrange(3))}
        return r.choice(SCALARS)

    def document(self, r, i):
        return dict({'_id': i}, **{f: self.value(r) for f in 'abck' if r.random() < .75}, **({'n': r.randrange(6)} if r.random() < .6 else {}))

    def condition(self, r):
        path = r.choice(PATHS)
        return r.choice((
            {path: r.choice(SCALARS)}, {path: {'$gt': r.choice(SCALARS)}}, {path: {'$in': [r.choice(SCALARS), r.choice(SCALARS)]}}, {path: {'$ne': r.choice(SCALARS)}},
            {path: {'$exists': r.random() < .5}}, {path: {'$elemMatch': r.choice(({'$gt': 0}, {'x': 1}))}}, {path: {'$not': {'$gte': r.choice((1, 'x'))}}},
            {'$or': [{path: r.choice(SCALARS)}, {r.choice(PATHS): {'$lte': 2}}]}, {'$expr': {r.choice(('$eq', '$gt', '$ne')): [self.field(r), r.choice((1, 'x', '$n', None))]}}))

    def field(self, r):
        return '$' + r.choice(FIELDS)

    def expression(self, r):
        return r.choice((self.field(r), 1, 'text', {'$ifNull': [self.field(r), self.field(r)]}, {'u': self.field(r), 'v': 2}, [self.field(r), 1], {'$type': self.field(r)},
                         {'$cond': [{'$gt': [self.field(r), 1]}, self.field(r), '$$REMOVE']}))

    def lookup(self, r):
        """$lookup alone, with its documents sorted, or with $unwind and more behind it"""
        name = r.choice(('f', 'f', 'k', 'a.x'))
        options = {'from': 'stages_other', 'localField': r.choice(('a', 'n', 'k', '_id', 'a.x')), 'foreignField': r.choice(('_id', 'n', 'k', 'a')), 'as': name}
        if r.random() < .4:
            options.update(r.choice(({'pipeline': [{'$match': self.condition(r)}]}, {'let': {'v': self.field(r)}, 'pipeline': [{'$match': {'$expr': {r.choice(('$eq', '$gte')): [self.field(r), '$$v']}}}]})))
        if r.random() < .3:
            return [{'$lookup': options}, {'$unset': name} if '.' in name else {'$set': {name: {'$sortArray': {'input': '$' + name, 'sortBy': {'_id': 1}}}}}]
        unwind = {'$unwind': r.choice(('$' + name, {'path': '$' + name, 'preserveNullAndEmptyArrays': True}))}
        return [{'$lookup': options}, unwind] + r.choice(([], [{'$match': r.choice((self.condition(r), {name + '.n': {'$gt': 0}}))}], [{'$project': {'q': '$%s.k' % name, 'n': 1, 'a': 1}}]))

    def group(self, r):
        values = {f: {r.choice(('$sum', '$max', '$min')): self.field(r)} for f in ('n', 'k')}
        return [{'$group': dict({'_id': r.choice((self.field(r), {'p': self.field(r), 'q': self.field(r)}, None, self.expression(r)))}, **values)}]

    def stages(self, r, unique):
        """Some stages, and whether each document has an _id of its own after them"""
        kind = r.randrange(12)
        if kind < 2:
            return [{'$match': self.condition(r)}], unique
        if kind == 2 and unique:
            return [{'$sort': {r.choice(('a', 'n', 'b.x')): r.choice((1, -1)), '_id': 1}}, {'$limit': r.randrange(1, 9)}] + r.choice(([], [{'$match': self.condition(r)}])), True
        if kind == 3:
            return self.group(r), False     # an array and its least element are equal in the order
        if kind == 4:
            return [{'$set': {r.choice(PLACES): self.expression(r)}}], unique
        if kind == 5:
            return [{'$project': r.choice(({'a': 1, 'n': 1}, {'b': 0}, {'a.x': 1, 'k': 1}, {'a.x': 0, 'c': 0}, {'k': 1, 'b': 1, 'n': 1, 'e.f': self.expression(r)}, {'n': 1, 'a': '$b', 'b': '$a'}))}], unique
        if kind in (6, 7):
            path = r.choice(('a', 'b', 'c', 'a.x', 'k'))
            unwind = {'$unwind': r.choice(('$' + path, {'path': '$' + path, 'preserveNullAndEmptyArrays': True}, {'path': '$' + path, 'includeArrayIndex': r.choice(('i', 'k', 'a.i'))}))}
            return [unwind] + r.choice(([], [{'$match': self.condition(r)}], self.group(r))), False
        if kind in (8, 9):
            return self.lookup(r), False
        if kind == 10:
            return [{'$unionWith': {'coll': 'stages_other', 'pipeline': r.choice(([], [{'$match': self.condition(r)}]))}}], False
        if not unique:
            return [{'$replaceWith': {'$mergeObjects': ['$$ROOT', {'a': self.expression(r)}]}}], unique
        return [{'$setWindowFields': {'partitionBy': r.choice(('$n', None)), 'sortBy': {'_id': 1}, 'output': {'w': r.choice(({'$documentNumber': {}}, {'$sum': '$n', 'window': {'documents': [-1, 0]}}))}}},
                {'$match': r.choice(({'w': {'$lte': 2}}, self.condition(r)))}], True

    def cases(self, g, n):
        return [self.case(g.rng) for _ in range(n)]

    def case(self, r):
        groups, unique = [], True
        for _ in range(r.randrange(2, 6)):
            stages, unique = self.stages(r, unique)
            groups.append(stages)
        return [self.document(r, i) for i in range(r.randrange(1, 14))], groups

    def canonical(self, text):
        """The documents in any order, with numbers of any type; which of equal numbers stands for a group is not defined"""
        def plain(value):
            if isinstance(value, dict):
                if len(value) == 1 and next(iter(value)) in ('$numberLong', '$numberDecimal'):
                    return float(next(iter(value.values())))
                return {k: plain(v) for k, v in value.items()}
            if isinstance(value, list):
                return [plain(v) for v in value]
            return float('%.11g' % value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
        return text if text == 'refused' else sorted(json.dumps(plain(d)) for d in json.loads(text))

    def check(self, cases, rng):
        other = [self.document(rng, i) for i in range(8)]
        before = ('DROP TABLE IF EXISTS stages_other; CREATE TABLE stages_other (data bson); CREATE UNIQUE INDEX ON stages_other ((data -> \'_id\')); '
                  'INSERT INTO stages_other SELECT bson_array_elements($q$%s$q$); DROP TABLE IF EXISTS stages_documents; CREATE TABLE stages_documents (data bson); '
                  'CREATE OR REPLACE FUNCTION pg_temp.whole(d bson, p bson) RETURNS bson LANGUAGE plpgsql AS $f$ DECLARE result bson; BEGIN '
                  'DELETE FROM stages_documents; INSERT INTO stages_documents SELECT bson_array_elements(d); '
                  "EXECUTE format('SELECT coalesce(array_to_bson(array_agg(d)), ''[]'') FROM bson_aggregate(''stages_documents'', %%L) AS d', p) INTO result; RETURN result; END $f$; "
                  'CREATE OR REPLACE FUNCTION pg_temp.both(d bson, groups bson) RETURNS text[] LANGUAGE plpgsql AS $f$ DECLARE whole text; stages bson; p bson := \'[]\'; BEGIN '
                  'FOR stages IN SELECT bson_array_elements(groups) LOOP p := p || stages; END LOOP; '
                  "BEGIN whole := pg_temp.whole(d, p)::json; EXCEPTION WHEN invalid_parameter_value THEN whole := 'refused'; END; "
                  "FOR stages IN SELECT bson_array_elements(groups) LOOP d := pg_temp.whole(d, stages); END LOOP; RETURN ARRAY[whole, d::json::text]; "
                  "EXCEPTION WHEN invalid_parameter_value THEN RETURN ARRAY[whole, 'refused']; END $f$; " % json.dumps(other))
        rows = db.query('SELECT r[1], r[2] FROM (SELECT i, pg_temp.both(d::bson, g::bson) AS r FROM t) AS x ORDER BY i', ('d text, g text', [tuple(map(json.dumps, case)) for case in cases]), before=before)
        failures = {}
        for i, (whole, staged) in enumerate(rows):
            if staged != 'refused' and self.canonical(whole) != self.canonical(staged):
                failures[i] = 'other %s\n    is %s\n    not %s' % (json.dumps(other), whole, staged)
        return failures

    def show(self, case):
        return '%s of %s' % tuple(map(json.dumps, reversed(case)))


PROPERTIES = [Stages]
