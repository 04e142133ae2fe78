"""
Pipelines that are long, wide or deep, for run.py: not how they grow, since they are as large as they may be, but that
each is planned and run over an empty table within two seconds of processor time, or refused at once, and that it can
be stopped.
"""
MOST = 1000             # stages
LONGEST = 2000          # milliseconds
REFUSED = ('54000', '54001', '54011')   # too many stages or accumulators; too deep; too many columns


def lookup(pipeline):
    return {'$lookup': {'from': 'none', 'let': {'v': '$a'}, 'pipeline': pipeline, 'as': 'x'}}


def union(pipeline):
    return {'$unionWith': {'coll': 'none', 'pipeline': pipeline}}


def nested(depth, stage, around):
    """Fourteen stages and a pipeline in a stage of the same, and so on."""
    pipeline = []
    for _ in range(depth):
        pipeline = [stage(i) for i in range(14)] + [around(pipeline)]
    return pipeline


STAGES = {
    '$match': lambda i: {'$match': {'a%d' % i: i}},
    '$addFields': lambda i: {'$addFields': {'a': {'$add': ['$a', i]}}},
    '$addFields and $match': lambda i: {'$addFields': {'a': {'$add': ['$a', i]}}} if i % 2 else {'$match': {'a': {'$gt': i}}},
    '$replaceRoot': lambda i: {'$replaceRoot': {'newRoot': '$$ROOT'}},
    '$unwind': lambda i: {'$unwind': '$a'},
    '$redact': lambda i: {'$redact': '$$KEEP'},
    '$sort': lambda i: {'$sort': {'a': 1}},
    '$sort and $limit': lambda i: {'$sort': {'a': 1}} if i % 2 else {'$limit': 5},
    '$sample': lambda i: {'$sample': {'size': 3}},
    '$group': lambda i: {'$group': {'_id': '$_id', 'n': {'$sum': 1}}},
    '$group of all': lambda i: {'$group': {'_id': None, 'n': {'$push': '$a'}}},
    '$count': lambda i: {'$count': 'n'},
    '$sortByCount': lambda i: {'$sortByCount': '$a'},
    '$bucket': lambda i: {'$bucket': {'groupBy': '$a', 'boundaries': [0, 5, 10], 'default': 99}},
    '$bucketAuto': lambda i: {'$bucketAuto': {'groupBy': '$a', 'buckets': 3}},
    '$lookup': lambda i: {'$lookup': {'from': 'none', 'localField': 'a', 'foreignField': '_id', 'as': 'x'}},
    '$lookup and $unwind': lambda i: {'$lookup': {'from': 'none', 'localField': 'a', 'foreignField': '_id', 'as': 'x'}} if i % 2 else {'$unwind': '$x'},
    '$graphLookup': lambda i: {'$graphLookup': {'from': 'none', 'startWith': '$a', 'connectFromField': 'a', 'connectToField': '_id', 'as': 'x'}},
    '$unionWith': lambda i: {'$unionWith': 'none'},
    '$unionWith and $match': lambda i: {'$unionWith': 'none'} if i % 2 else {'$match': {'a': {'$gt': i}}},
    '$setWindowFields': lambda i: {'$setWindowFields': {'partitionBy': '$a', 'sortBy': {'b': 1}, 'output': {'r': {'$rank': {}}}}},
    '$fill': lambda i: {'$fill': {'sortBy': {'a': 1}, 'output': {'x': {'method': 'locf'}}}},
    '$densify': lambda i: {'$densify': {'field': 'a', 'range': {'step': 1, 'bounds': [0, 3]}}},
}
GROUP, LOOKUP = STAGES['$group'], STAGES['$lookup']
LONG = 'x' * 50000000

PIPELINES = {'%s, %d times' % (name, MOST): [stage(i) for i in range(MOST)] for name, stage in STAGES.items()}
PIPELINES.update({
    '$lookup of a pipeline, 330 times': [lookup([{'$match': {'$expr': {'$eq': ['$a', '$$v']}}}])] * 330,
    '$unionWith of a pipeline, 480 times': [union([GROUP(1)])] * 480,
    '$facet, 330 times': [{'$facet': {'f': [{'$match': {'a': 1}}]}}] * 330,
    '$facet of 450': [{'$facet': {'f%d' % i: [GROUP(1)] for i in range(450)}}],
    '$facet of nine $group, 90 times': [{'$facet': {'f': [GROUP(i) for i in range(9)]}}] * 90,
    '$facet of 900 $group': [{'$facet': {'f': [GROUP(i) for i in range(900)]}}],
    '$lookup of 900 $lookup': [lookup([LOOKUP(i) for i in range(900)])],
    '$unionWith of 900 $group': [union([GROUP(i) for i in range(900)])],
    '$group in $lookup in $lookup': nested(20, GROUP, lookup),
    '$graphLookup in $lookup in $lookup': nested(20, STAGES['$graphLookup'], lookup),
    '$group in $unionWith in $unionWith': nested(20, GROUP, union),
    '$facet of 20000 nothings': [{'$facet': {'f%d' % i: [] for i in range(20000)}}],
    '$group of 20000 different sums': [{'$group': {'_id': None, **{'f%d' % i: {'$sum': '$a%d' % i} for i in range(20000)}}}],
    '$group of 1990 different sums': [{'$group': {'_id': None, **{'f%d' % i: {'$sum': '$a%d' % i} for i in range(1990)}}}],
    '$setWindowFields of 1600': [{'$setWindowFields': {'sortBy': {'a': 1}, 'output': {'f%d' % i: {'$sum': '$a%d' % i} for i in range(1600)}}}],
    '$project of 200000 fields': [{'$project': {'f%d' % i: 1 for i in range(200000)}}],
    '$set of 200000 fields': [{'$set': {'f%d' % i: '$a' for i in range(200000)}}],
    '$bucket of 20000': [{'$bucket': {'groupBy': '$a', 'boundaries': list(range(20000))}}],
    '$match of 50 MB': [{'$match': {'a': LONG}}],
    '$set of 50 MB': [{'$set': {'a': LONG}}],
    '$group with 50 MB': [{'$group': {'_id': '$a', 'n': {'$max': LONG}}}],
})
