"""bson_aggregate gives what a model of MongoDB's stages gives, for random documents and random pipelines."""
import decimal
import json

import db
import model_pipeline as model
from property import Property

FIELDS = ('a', 'b', 'k', 'ref')


class Pipeline(Property):
    """Stages one after the other: missing fields, nulls, arrays, numbers of two types."""
    functions = ('bson_aggregate(regclass,bson,name)',)
    count = 300
    shrinks = False

    def scalar(self, r):
        return r.choice((None, 0, 1, 2, 3, 2.0, 1.5, 'x', 'y', True, {'x': 1}))

    def value(self, r):
        return [self.scalar(r) for _ in range(r.randrange(4))] if r.random() < .25 else self.scalar(r)

    def document(self, r, i):
        return dict([('_id', i)], **{f: self.value(r) for f in FIELDS if r.random() < .75})

    def cases(self, g, n):
        r = g.rng
        return [([self.document(r, i) for i in range(r.randrange(12))], self.pipeline(r, 5)) for _ in range(n)]

    def pipeline(self, r, most, unique=True):
        """Stages that give one result: what depends on the order comes behind a sort that tells all documents apart."""
        stages, ordered = [], False
        for _ in range(r.randrange(most + 1)):
            f, f2 = r.choice(FIELDS), r.choice(FIELDS)
            kind = r.randrange(21)
            if kind == 0:
                stages.append({'$match': r.choice(({f: r.choice((None, 1, 2, 'x', 1.5))}, {f: {'$gt': r.choice((0, 1, 1.5))}}))})
            elif kind == 1 and unique:
                stages.append({'$sort': {f: r.choice((1, -1)), '_id': r.choice((1, -1))}})
                ordered = True
            elif kind == 2 and ordered:
                stages.append(r.choice(({'$limit': r.randrange(1, 9)}, {'$skip': r.randrange(5)})))
            elif kind == 3:
                stages.append(r.choice(({'$unset': f}, {'$project': {f: 1, f2: 1}}, {'$set': {f: '$' + f2}})))
            elif kind in (4, 5):
                stages.append({'$unwind': {'path': '$' + f, 'preserveNullAndEmptyArrays': r.random() < .5}})
                unique = False
            elif kind in (6, 7):
                names = ['$sum', '$avg', '$min', '$max'] + (['$first', '$last', '$push'] if ordered else [])
                several = {r.choice(['$maxN', '$minN'] + (['$firstN', '$lastN'] if ordered else [])): {'input': '$a', 'n': {'$cond': [{'$eq': ['$k', r.choice((1, 'x'))]}, 1, 2]}}}
                stages.append({'$group': dict({'_id': r.choice(('$' + f, {'k': '$' + f}, {'k': '$' + f, 'l': '$' + f2}))},
                                              **{x: {r.choice(names): '$' + r.choice(FIELDS + ('_id',))} for x in ('a', 'b')}, set={'$addToSet': '$k'}, n=several,
                                              **({'top': self.ranked(r)} if ordered else {}))})
                ordered = unique = False     # an array and its least element are equal in the order
                if r.random() < .5:
                    stages.append({'$group': {'_id': r.choice(('$_id', '$_id.k', '$_id.l.x', '$b', '$b.x', {'k': '$_id.k'})), 'a': {r.choice(('$sum', '$max')): r.choice(('$a', '$_id.k', '$b.x'))}}})
            elif kind == 8:
                stages.append({'$count': 'a'})
                break
            elif kind == 9:
                stages.append({'$lookup': {'from': 'pipeline_other', 'localField': f, 'foreignField': r.choice(('_id', '_id', 'k', 'a')), 'as': 'found'}})
                if r.random() < .6:
                    stages.append({'$unwind': {'path': '$found', 'preserveNullAndEmptyArrays': False}})
                    if r.random() < .4:
                        stages.append({'$match': r.choice(({'found.k': r.choice((None, 1, 'x'))}, {f: 1}, {'found.a': {'$gt': 0}, f2: None}))})
                    if r.random() < .7:
                        stages.append({'$group': dict({'_id': r.choice(('$found.k', '$found', '$' + f))}, **{x: {r.choice(('$sum', '$min', '$max')): r.choice(('$found.a', '$' + f2, '$found'))} for x in ('a', 'b')})})
                    ordered = unique = False
            elif kind == 10:
                stages.append({'$graphLookup': dict({'from': 'pipeline_other', 'startWith': '$' + f, 'connectFromField': 'ref', 'connectToField': 'k', 'as': 'graph'},
                                                    **({'maxDepth': r.randrange(3)} if r.random() < .5 else {}))})
            elif kind == 11 and unique:
                stages.append({'$setWindowFields': {'partitionBy': '$' + f, 'sortBy': {f2: 1, '_id': 1}, 'output': {
                    'run': {'$sum': '$a', 'window': {'documents': ['unbounded', 'current']}}, 'nr': {'$sum': 1, 'window': {'documents': ['unbounded', 'current']}},
                    'prev': {'$shift': {'output': '$a', 'by': -1}}}}})
                ordered = False
            elif kind == 12:
                stages.append({'$unionWith': {'coll': 'pipeline_other', 'pipeline': [{'$match': {f: {'$gt': 0}}}]}})
                ordered = unique = False
            elif kind == 14:
                stages.append({'$redact': {'$cond': [{'$eq': ['$' + r.choice(('x', f)), {'$literal': r.choice((0, 1, 2, None, 'x'))}]}, r.choice(('$$KEEP', '$$PRUNE')), '$$DESCEND']}})
            elif kind == 15:
                group, more = f, {}
                if r.random() < .5:
                    stages += self.numbers(f, True)
                    group, more = 't', r.choice(({}, {'granularity': r.choice(('R5', 'E12', '1-2-5', 'POWERSOF2'))}))
                stages.append({'$bucketAuto': dict({'groupBy': '$' + group, 'buckets': r.randrange(1, 6), 'output': dict({'a': {'$sum': '$' + r.choice(('a', f2))}}, **r.choice(({}, {'set': {'$push': '$' + f2}})))}, **more)})
                ordered = unique = False
            elif kind == 20:
                stages.append({'$bucket': {'groupBy': '$' + f, 'boundaries': r.choice(([0, 1], [1, 1.5, 2.0], [-1, 0, 2, 3], ['', 'x'], ['x', 'y', 'z'], [[], [1]])), 'default': None, 'output': {'a': {r.choice(('$sum', '$max')): '$' + f2}}}})
                ordered = unique = False
            elif kind == 16:
                bounds = r.choice(('full', 'partition', [r.randrange(3), r.randrange(3, 5)]))
                # two of them may be arrays, by which MongoDB does not sort
                more = {'partitionByFields': r.sample(FIELDS, r.randrange(1, 3) if bounds == 'full' else 1)} if bounds == 'partition' or r.random() < .5 else {}
                stages += self.numbers(f, False) + [{'$densify': dict({'field': 't', 'range': {'step': 1 if isinstance(bounds, list) else r.choice((1, 0.5, 2)), 'bounds': bounds}}, **more)}]
                ordered = unique = False
            elif kind == 17 and unique:
                stages += self.windows(r, f, f2)
                ordered = False
            elif kind == 18 and unique:
                stages += self.numbers(f, False) + [{'$fill': {'partitionByFields': [f2], 'sortBy': {'_id': 1}, 'output': r.choice(({'t': {'method': 'linear'}}, {'t': {'method': 'locf'}, 'b': {'value': 7}}))}}]
                ordered = False
            elif kind == 19:
                stages.append({'$setWindowFields': {'partitionBy': '$' + f, 'sortBy': {f2: r.choice((1, -1))}, 'output': {'place': {r.choice(('$rank', '$denseRank')): {}}}}})
                if r.random() < .7:
                    stages.append({'$match': {'place': r.choice((2, {'$lte': 2}, {'$gt': 1}))}})
                stages += r.choice(([], [{'$project': {f: 1, 'place': 1}}], [{'$group': {'_id': r.choice(('$place', '$k')), 'a': {'$sum': '$a'}, 'b': {'$max': '$place'}}}],
                                    [{'$set': {'b': '$place'}}, {'$match': {f2: r.choice((1, 'x'))}}, {'$group': {'_id': '$b', 'k': {'$min': '$' + f}}}], [{'$match': {'place': 1, f: 1}}, {'$count': 'a'}]))
                unique, ordered = unique and '$set' not in stages[-1] and '$group' not in stages[-1] and '$count' not in stages[-1], False
            elif kind == 13 and most > 2:
                stages.append({'$facet': {'p': self.pipeline(r, 2, unique), 'q': []}})
                break
        return stages

    @staticmethod
    def numbers(field, all_of_them):
        """Field t: the number in a field, or missing"""
        return [{'$set': {'t': {'$cond': [{'$isNumber': '$' + field}, '$' + field, '$$REMOVE']}}}] + ([{'$match': {'t': {'$gt': -1}}}] if all_of_them else [])

    @staticmethod
    def ranked(r):
        """$top and its like, with keys that are equal, missing or arrays"""
        name = r.choice(('$top', '$bottom', '$topN', '$bottomN'))
        return {name: dict({'sortBy': {r.choice(FIELDS): r.choice((1, -1))}, 'output': '$' + r.choice(FIELDS + ('_id',))}, **({'n': r.randrange(1, 6)} if name[-1] == 'N' else {}))}

    def windows(self, r, f, f2):
        """A function of a window: over a range of t, or in the order of _id"""
        bound = lambda choices: ['unbounded' if r.random() < .2 else b for b in sorted(r.choice(choices) for _ in range(2))]        # noqa: E731
        if r.random() < .5:
            function = {r.choice(('$sum', '$avg', '$min', '$max')): '$a', 'window': {'range': bound((-2, -1, -.5, 0, 1, 1.5))}}
            return self.numbers(f, True) + [{'$setWindowFields': {'partitionBy': '$' + f2, 'sortBy': {'t': 1}, 'output': {'w': function}}}]
        window = {'documents': bound((-2, -1, 0, 1))}
        function = dict(self.ranked(r), window=window) if r.random() < .4 else r.choice(({'$expMovingAvg': {'input': '$a', 'alpha': .25}}, {'$locf': '$a'}, {'$linearFill': '$t'}, {'$derivative': {'input': '$t'}, 'window': window},
                             {'$integral': {'input': '$t'}, 'window': window}, {'$covariancePop': ['$a', '$t'], 'window': window}, {'$covarianceSamp': ['$a', '$t']}))
        return self.numbers(f, '$derivative' in function or '$integral' in function) + [{'$setWindowFields': {'partitionBy': '$' + f2, 'sortBy': {'_id': 1}, 'output': {'w': function}}}]

    def canonical(self, value, sorts=True):
        """What does not depend on an order that is not defined, nor on which of equal numbers stands for a group"""
        if isinstance(value, dict):
            return {k: self.canonical(v, k in ('found', 'graph', 'p', 'q', 'set')) for k, v in value.items()}
        if isinstance(value, list):
            items = [self.canonical(v, False) for v in value]
            return sorted(items, key=lambda v: json.dumps(v, sort_keys=True)) if sorts else items
        if isinstance(value, float):
            return round(value, 9) + 0.0 if value != int(value) else int(value)
        return value

    def check(self, cases, rng):
        other = [self.document(rng, i) for i in range(8)]
        before = ('DROP TABLE IF EXISTS pipeline_other; CREATE TABLE pipeline_other (data bson); CREATE INDEX ON pipeline_other USING gin (data bson_range_ops); '
                  'INSERT INTO pipeline_other SELECT bson_array_elements($q$%s$q$); '
                  # of a table and a constant the planner makes one query with the one around it
                  'DROP TABLE IF EXISTS pipeline_documents; CREATE TABLE pipeline_documents (data bson); '
                  'CREATE OR REPLACE FUNCTION pg_temp.of_table(p bson) RETURNS bson LANGUAGE plpgsql AS $f$ DECLARE result bson; BEGIN '
                  "DELETE FROM pipeline_documents; INSERT INTO pipeline_documents SELECT bson_array_elements(p -> 0 -> '$documents'); "
                  "EXECUTE format('SELECT array_to_bson(array_agg(d)) FROM bson_aggregate(''pipeline_documents'', %%L) AS d', p - 0) INTO result; RETURN result; END $f$; "
                  'CREATE OR REPLACE FUNCTION pg_temp.result(i int, p bson) RETURNS bson LANGUAGE plpgsql AS $f$ BEGIN RETURN CASE i %% 2 '
                  'WHEN 0 THEN (SELECT array_to_bson(array_agg(d)) FROM bson_aggregate(NULL, p) AS d) ELSE pg_temp.of_table(p) END; '
                  """EXCEPTION WHEN invalid_parameter_value THEN RETURN '["refused"]'; END $f$; """ % json.dumps(other))
        rows = db.query("SELECT pg_temp.result(i::int, p::bson)::json::text FROM t ORDER BY i", ('p text', [
            (json.dumps([{'$documents': docs}] + pipeline),) for docs, pipeline in cases]), before=before)
        failures = {}
        for i, (got,) in enumerate(rows):
            docs, pipeline = cases[i]
            got = self.canonical(json.loads(got) if got else [])
            try:
                want = self.canonical(model.run(docs, pipeline, other))
            except model.Refused:
                continue    # an error of a document that nothing reads is not raised
            if got != want:
                failures[i] = 'other %s\n    is %s\n    not %s' % (json.dumps(other), json.dumps(got), json.dumps(want))
        return failures

    def show(self, case):
        return json.dumps([{'$documents': case[0]}] + case[1])


class Numbers(Property):
    """Doubles beside decimals: sums by the shortest spelling, and the types that $densify goes on with."""
    functions = ('bson_aggregate(regclass,bson,name)',)
    shrinks = False
    KINDS = {'$numberInt': int, '$numberDouble': float, '$numberDecimal': decimal.Decimal}

    def cases(self, g, n):
        r = g.rng
        return [self.sums(r) if r.random() < .6 else self.steps(r) for _ in range(n)]

    def sums(self, r):
        one = lambda: r.choice((int, lambda v: float(v) / 100, lambda v: decimal.Decimal(v).scaleb(-r.randrange(4))))(r.randrange(-10 ** r.randrange(1, 8), 10 ** 7))    # noqa: E731
        return [one() for _ in range(r.randrange(1, 12))], [{'$group': {'_id': '$none', 'sum': {'$sum': '$v'}, 'avg': {'$avg': '$v'}}}]

    def steps(self, r):
        step = r.choice((1, 2, .5, 1.0, decimal.Decimal('0.5'), decimal.Decimal(1)))
        bounds = [type(step)(r.randrange(3)), type(step)(r.randrange(3, 7))] if r.random() < .4 else 'full'
        values = [r.choice((int, float, decimal.Decimal))(v) for v in r.sample(range(8), r.randrange(1, 6))]
        return values, [{'$densify': {'field': 'v', 'range': {'step': step, 'bounds': bounds}}}]

    @staticmethod
    def spell(value):
        if isinstance(value, dict):
            return {k: Numbers.spell(v) for k, v in value.items()}
        if isinstance(value, list):
            return [Numbers.spell(v) for v in value]
        return {'$numberDecimal': str(value)} if isinstance(value, decimal.Decimal) else value

    @staticmethod
    def read(document):
        """{field: (type, value)}"""
        return {k: (kind, decimal.Decimal(text)) for k, v in document.items() if isinstance(v, dict) for kind, text in v.items()}

    def same(self, got, want):
        kind, value = got
        if not isinstance(want, self.KINDS[kind]):
            return False
        return value == want if kind == '$numberInt' else abs(value - model.worth(want)) <= (0 if want == 0 else abs(model.worth(want))) * decimal.Decimal('1e-15')

    def check(self, cases, rng):
        rows = db.query("SELECT (SELECT bson_to_extjson(array_to_bson(array_agg(d)), 'canonical') FROM bson_aggregate(NULL, p::bson) AS d) FROM t ORDER BY i", ('p text', [(self.show(case),) for case in cases]))
        failures = {}
        for i, (got,) in enumerate(rows):
            values, stages = cases[i]
            got = [self.read(d) for d in json.loads(got)]
            want = [{k: v for k, v in d.items() if k != '_id'} for d in model.run([{'v': v} for v in values], stages, [])]
            want.sort(key=lambda d: model.worth(d.get('v', 0)))
            exact = [k for g, w in zip(got, want) for k in w if k == 'sum' and isinstance(w[k], decimal.Decimal) and g[k][1] != w[k]]
            if len(got) != len(want) or exact or not all(self.same(g[k], w[k]) for g, w in zip(got, want) for k in w):
                failures[i] = 'is %s\n    not %s' % (got, want)
        return failures

    def show(self, case):
        return json.dumps([{'$documents': [{'v': self.spell(v)} for v in case[0]]}] + self.spell(case[1]))


PROPERTIES = [Pipeline, Numbers]
