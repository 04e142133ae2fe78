"""What bench/sweep measures: shapes of documents, and everything a user does with them.

In SQL of a case, {t} is the competitor's type, {p} the prefix of its functions (the type again), {table} its table
of the shape. An expression without FROM is selected from the whole table. The keyword arguments bson, jsonb,
json and floor replace the SQL for one competitor.
"""

# {storage: its name in ALTER TABLE}
STORAGE = {'inline': 'SET STORAGE EXTENDED', 'pglz': 'SET STORAGE EXTENDED, ALTER data SET COMPRESSION pglz',
           'lz4': 'SET STORAGE EXTENDED, ALTER data SET COMPRESSION lz4', 'ext': 'SET STORAGE EXTERNAL'}

TOASTED = ('pglz', 'lz4', 'ext')

# The floor: the bytes of a document fetched and decompressed, or the front of them
DETOAST = 'get_byte(data, 0)'
FRONT = 'length(substr(data, 1, 512))'

# Families that read toasted documents; each case has the floor beside it
READS = ('key', 'path', 'size', 'sparse', 'array', 'jsonpath', 'query', 'real')


class Shape:
    """Documents: the SQL that makes the text of number i, the number of documents, and the positions of keys of interest.

    Without SQL they are real ones, of that name in documents.py.
    """

    def __init__(self, name, sql, rows, keys=None):
        self.name, self.sql, self.rows, self.keys = name, sql, rows, keys or {}
        self.real = sql is None


SHAPES = {}


def shape(name, sql, rows, **keys):
    SHAPES[name] = Shape(name, sql, rows, keys)


NAMES = ['id', 'name', 'email', 'age', 'country', 'score', 'active', 'city', 'created', 'visits', 'phone', 'status', 'language',
         'balance', 'last']
for _n, _rows in ((3, 20000), (5, 20000), (10, 20000), (15, 20000), (100, 2500), (1000, 300), (10000, 30)):
    _name = (lambda i: NAMES[i - 1]) if _n <= 15 else (lambda i: f'key{i:05}')
    shape(f'flat{_n}', f'bench.flat(i, {_n})', _rows, first=_name(1), middle=_name((_n + 1) // 2), last=_name(_n), missing='zzz')
shape('mixed15', 'bench.mixed(i)', 20000)
shape('nullable15', 'bench.nullable(i)', 20000)
shape('kinds3', 'bench.kinds(i)', 20000)
shape('small', 'bench.small(i)', 20000)
shape('event', 'bench.event(i)', 5000)
shape('message', 'bench.message(i)', 5000)
shape('feature', 'bench.feature(i, 60)', 400)
for _name, _friends, _rows in (('2k', 10, 2000), ('15k', 90, 400), ('150k', 900, 40), ('1500k', 9000, 5)):
    shape(f'people{_name}', f'bench.figure2(i, {_friends})', _rows)
for _kind in ('int', 'long', 'double3', 'double9', 'double17', 'bool', 'string', 'text', 'escaped', 'unicode', 'point', 'object'):
    shape(f'list_{_kind}', f"bench.list(i, '{_kind}', 100)", 200 if _kind == 'text' else 800)
for _n, _rows in ((10, 10000), (100, 5000), (1000, 500), (10000, 50), (100000, 5), (1000000, 1)):
    shape(f'array{_n}', f"bench.list(i, 'int', {_n})", _rows)
    if _n <= 100000:
        shape(f'field{_n}', f"""'{{"id":1,"a":' || bench.list(i, 'int', {_n}) || '}}'""", _rows)
for _n, _rows in ((10, 5000), (100, 1000), (1000, 100)):
    shape(f'deep{_n}', f'bench.deep(i, {_n})', _rows)
shape('gap16k', 'bench.gap(i, 16000)', 150)
shape('gap160k', 'bench.gap(i, 160000)', 60)
shape('purchase', 'bench.purchase(i)', 5000)
shape('prefixed', 'bench.prefixed(i, 14)', 5000)
shape('iso', None, 0)
shape('webhooks', None, 0)
shape('behind', """'{"filler":"' || repeat('abcdefgh ', 1500) || '","n":' || i || '}'""", 300)


class Case:
    def __init__(self, family, name, shape, sql, storage='inline', before='', after='', raw=False, wall=False, **own):
        self.family, self.name, self.shape, self.storage = family, name, shape, storage
        self.before, self.after, self.raw, self.wall = before, after, raw, wall
        self.sql = {who: sql for who in ('jsonb', 'bson')}
        if 'json' in own and own['json'] is True:
            own['json'] = sql
        self.sql.update(own)
        if storage in TOASTED and family in READS and not raw:
            self.sql.setdefault('floor', DETOAST)

    @property
    def label(self):
        return f'{self.family}: {self.name} [{self.shape}{"" if self.storage == "inline" else " " + self.storage}]'


def storages(shape):
    """The storages of a shape; small documents are always stored in the row as they are."""
    return ('inline',) if shape in ('flat3', 'flat5', 'flat10', 'flat15', 'mixed15', 'nullable15', 'kinds3', 'small', 'array10', 'field10', 'deep10', 'array100',
                                     'field100', 'deep100', 'event', 'message', 'purchase', 'prefixed', 'iso') else TOASTED


def texts(keys):
    return 'ARRAY[' + ', '.join(f"'{k}'" for k in keys) + ']'


def keys():
    """By key: every position, every storage."""
    for name in ('flat3', 'flat5', 'flat10', 'flat15', 'flat100', 'flat1000', 'flat10000'):
        at = SHAPES[name].keys
        for storage in storages(name):
            def case(what, sql, **own):
                return Case('key', what, name, sql, storage, **own)
            for position, key in at.items():
                yield case(f"-> {position}", f"data -> '{key}'", floor=DETOAST)
                yield case(f"->> {position}", f"data ->> '{key}'", json=True)
                yield case(f"? {position}", f"data ? '{key}'")
                yield case(f"WHERE ->> = {position}", f"SELECT count(*) FROM {{table}} WHERE data ->> '{key}' = 'x'")
                yield case(f"#>> {position}", f"data #>> '{{{{{key}}}}}'")
                if storage in ('inline', 'lz4'):
                    yield case(f"WHERE IS NULL {position}", f"SELECT count(*) FROM {{table}} WHERE data -> '{key}' IS NULL")
                    yield case(f"get_text {position}", f"bson_get_text(data, '{key}')", jsonb=f"data ->> '{key}'")
            number = at['first']
            yield case('int of first', f"(data ->> '{number}')::int", bson=f"data -#> '{number}'")
            yield case('cast int of first', f"(data -> '{number}')::int")
            yield case('get_int4 of first', f"bson_get_int4(data, '{number}')", jsonb=f"(data ->> '{number}')::int")
            yield case('key from a column', "data -> k")
            yield case('text key from a column', "data ->> k")
            yield case('? from a column', "data ? k")
            some = [at['first'], at['middle'], at['last']]
            yield case('?& 3', f"data ?& {texts(some)}")
            yield case('?| 3 missing', f"data ?| {texts(['zz', 'yy', 'xx'])}")
            yield case('?| last', f"data ?| {texts(['zz', at['last']])}")
            yield case('first, middle, last', ', '.join(f"data ->> '{k}'" for k in some))
            count = {'flat3': 3, 'flat5': 5}.get(name, 10)
            n = int(name[4:])
            every = [NAMES[i] if n <= 15 else f'key{1 + i * n // 10:05}' for i in range(count)]
            for many in (5, 8, 10):
                if many <= count:
                    yield case(f'{many} keys', ', '.join(f"data ->> '{k}'" for k in every[:many]))
            yield case('two conditions', f"SELECT count(*) FROM {{table}} WHERE data ->> '{at['last']}' > 'a' AND data ->> '{at['middle']}' < 'x'")


def paths():
    for sql in ("data -> 'address' -> 'zip'", "data -> 'address' ->> 'street'", "data #>> '{{address,street}}'", "data #> '{{tags,0}}'",
                "data -> 'tags' -> 1", "data -> 'tags' ->> -1", "(data -> 'address' -> 'zip')::int", "data['address']['zip']", "data['tags'][0]",
                "(data ->> 'score')::numeric", "(data ->> 'active')::bool", "(data -> 'active')::bool", "(data -> 'score')::float8",
                "data -> 'address'", "data -> 'tags'", "data ->> 'address'", "{p}_typeof(data)", "{p}_typeof(data -> 'age')",
                "{p}_array_length(data -> 'tags')"):
        yield Case('path', sql.replace('{{', '{').replace('}}', '}'), 'small', sql)
    for sql in ("data -> 'user' ->> 'screen_name'", "data #>> '{{entities,hashtags,0,text}}'", "data -> 'entities' -> 'user_mentions' -> 0 ->> 'screen_name'",
                "data ->> 'lang'", "data -> 'user'", "(data -> 'retweet_count')::int", "data ->> 'text'"):
        yield Case('path', sql.replace('{{', '{').replace('}}', '}'), 'message', sql)
    for sql in ("data ->> 'type'", "data -> 'actor' ->> 'login'", "data #>> '{{payload,commits,0,author,email}}'", "data -> 'payload' -> 'size'"):
        yield Case('path', sql.replace('{{', '{').replace('}}', '}'), 'event', sql)
    for depth in (10, 100, 1000):
        for storage in storages(f'deep{depth}'):
            path = ','.join(['a'] * depth)
            yield Case('path', '#>> to the innermost', f'deep{depth}', f"data #>> '{{{{{path}}}}}'", storage)
            yield Case('path', '-> first', f'deep{depth}', "data -> 'id'", storage)
            yield Case('path', '-> a', f'deep{depth}', "data -> 'a'", storage)
    for size in ('2k', '15k', '150k', '1500k'):
        friends = {'2k': 10, '15k': 90, '150k': 900, '1500k': 9000}[size]
        for storage in TOASTED:
            def case(what, sql, **own):
                return Case('size', what, f'people{size}', sql, storage, **own)
            yield case('early', "data #>> '{{user,age}}'", floor=FRONT)
            yield case('early chain', "data -> 'user' ->> 'name'", json=True)
            yield case('middle', f"data -> 'friends' -> {friends // 2} ->> 'name'", json=True)
            yield case('late', f"data #>> '{{{{friends,{friends - 1},new}}}}'", floor=DETOAST)
            yield case('last by -1', "data -> 'friends' -> -1 ->> 'name'")
            yield case('length', "{p}_array_length(data -> 'friends')")
            yield case('missing root key', "data -> 'zzz'")
            yield case('? user', "data ? 'user'")
            yield case('typeof', "{p}_typeof(data)")
            yield case('element', "data -> 'friends' -> 3")
            yield case('two keys', "data #>> '{{user,age}}', data #>> '{{friends,1,name}}'")
            yield case('@> in WHERE', "SELECT count(*) FROM {table} WHERE data @> '{{\"user\":{{\"age\":30}}}}'")
    for storage in ('pglz', 'lz4'):
        yield Case('size', 'key behind a repetitive string', 'behind', "data -> 'n'", storage, floor=DETOAST)
    for size in ('16k', '160k'):
        for sql in ("data -> 'n'", "(data -> 'n')::int", "data ? 'n'", "data -> 'sub' -> 'n'", "data ->> 'zzz'", "data #>> '{{sub,n}}'",
                    "{p}_typeof(data -> 'n')", "data['n']", "{p}_typeof(data)", "data -> 'body1'", "data -> 'n', data -> 'sub' -> 'n'"):
            for storage in TOASTED:
                yield Case('sparse', sql.replace('{{', '{').replace('}}', '}'), f'gap{size}', sql, storage)
        for query, path in (('{{"n": 5}}', '$ ? (@.n == 5)'), ('{{"sub.n": {{"$gt": 5}}}}', '$ ? (@.sub.n > 5)')):
            for storage in TOASTED:
                yield Case('sparse', f"@~ '{query}'".replace('{{', '{').replace('}}', '}'), f'gap{size}', f"data @? '{path}'", storage, bson=f"data @~ '{query}'")


def arrays():
    for kind, prefix in (('array', 'data'), ('field', "data -> 'a'")):
        for n in (10, 100, 1000, 10000, 100000, 1000000):
            if f'{kind}{n}' not in SHAPES:
                continue
            for storage in storages(f'{kind}{n}'):
                def case(what, sql, **own):
                    return Case('array', what, f'{kind}{n}', sql, storage, **own)
                for what, index in (('0', 0), ('middle', n // 2), ('last', n - 1), ('-1', -1), ('-2', -2), ('from the end, middle', -n // 2), ('missing', n)):
                    yield case(f'-> {what}', f'{prefix} -> {index}')
                yield case('->> -1', f'{prefix} ->> -1')
                yield case('length', f'{{p}}_array_length({prefix})')
                name = "$" if kind == 'array' else '$.a'
                yield case('jsonpath [last]', f"{{p}}_path_query_first(data, '{name}[last]')")
                yield case('jsonpath [0, middle, last]', f"{{p}}_path_query_array(data, '{name}[0, {n // 2}, last]')")
                yield case('jsonpath [*]', f"{{p}}_path_query_array(data, '{name}[*]')")
                yield case('jsonpath .size()', f"{{p}}_path_query_first(data, '{name}.size()')")
                if n <= 10000:
                    yield case('elements', f'SELECT count(*) FROM {{table}}, {{p}}_array_elements({prefix})')
                    yield case('elements_text', f'SELECT count(*) FROM {{table}}, {{p}}_array_elements_text({prefix})')
                    yield case('five subscripts', ', '.join(f'{prefix} -> {i * n // 5}' for i in range(5)))


def irregular():
    """Documents that differ in their keys from row to row: optional keys, and several kinds in one table."""
    for name in ('mixed15', 'kinds3'):
        for sql in ("data -> 'id'", "data ->> 'name'", "data -> 'created'", "data ->> 'status'", "data ->> 'zzz'", "data ? 'status'", "data ?| ARRAY['zzz', 'status']",
                    "bson_get_text(data, 'status')", "data ->> 'id', data ->> 'name', data ->> 'status'", "SELECT count(*) FROM {table} WHERE data ->> 'name' = 'x'",
                    "SELECT count(*) FROM {table} WHERE data @> '{{\"status\":\"x\"}}'", "data['status']",
                    "SELECT count(r) FROM {table}, {p}_to_record(data) AS r(id int, name text, status text)"):
            own = {'jsonb': "data ->> 'status'"} if sql.startswith('bson_get') else {}
            yield Case('irregular', sql.replace('{{', '{').replace('}}', '}'), name, sql, **own)
    for sql in ("data ->> k", "(data -> 'age')::int", "data ?& ARRAY['id', 'name', 'status']", "{p}_set(data, '{{status}}', '\"x\"')", "data - 'name'",
                "SELECT count(*) FROM (SELECT count(*) FROM {table} GROUP BY data -> 'age') AS g"):
        yield Case('irregular', sql.replace('{{', '{').replace('}}', '}'), 'mixed15', sql)
    for sql in ("data ->> 'zzz'", "data ->> 'status'", "coalesce(data ->> 'zzz', data ->> 'status')", "SELECT count(*) FROM {table} WHERE data ->> 'name' IS NOT NULL AND data ->> 'last' IS NULL"):
        yield Case('irregular', sql, 'nullable15', sql)


def jsonpath():
    for query in ('$.age', '$.address.zip', '$.visits ? (@ > 500)', '$.tags[*]', '$.*', '$.**', '$.score.type()', '$.visits + 1', '$.tags.size()',
                  '$.score.floor()', '$.address.keyvalue()', '$.name like_regex "^user 1"'):
        yield Case('jsonpath', f'path_query {query}', 'small', f"SELECT count(*) FROM {{table}}, {{p}}_path_query(data, '{query}')")
    for query in ('$.visits > 500', '$.country == "Japan"', '$.address.zip >= 20000 && $.age < 40', '$.name starts with "user 1"', 'exists($.zzz)'):
        yield Case('jsonpath', f'@@ {query}', 'small', f"SELECT count(*) FROM {{table}} WHERE data @@ '{query}'")
    for query in ('$.visits ? (@ > 500)', '$.tags[*] ? (@ == "ab")', '$.zzz', '$ ? (@.age > 30 && @.country == "Japan")', '$.** ? (@ == 7)'):
        yield Case('jsonpath', f'@? {query}', 'small', f"SELECT count(*) FROM {{table}} WHERE data @? '{query}'")
    for name in ('people2k', 'people15k'):
        for storage in TOASTED:
            for query in ('$.user.age', '$.friends[*].age ? (@ > 60)', '$.friends[3].name', '$.friends[last].name', '$.friends.size()', '$.**.age'):
                yield Case('jsonpath', f'query_array {query}', name, f"{{p}}_path_query_array(data, '{query}')", storage)
            yield Case('jsonpath', '@? friend in Japan', name, "SELECT count(*) FROM {table} WHERE data @? '$.friends[*] ? (@.country == \"Japan\")'", storage)


# A query of MongoDB's, and jsonb's condition of the same meaning, by @@, or by @? if it is a path
QUERIES = {
    'small': (('{"name": "user 7"}', '$.name == "user 7"'), ('{"visits": 500}', '$.visits == 500'), ('{"visits": {"$gt": 500}}', '$.visits > 500'),
              ('{"zzz": 1}', '$.zzz == 1'), ('{"tags": "ab"}', '$.tags == "ab"'), ('{"address.zip": 20000}', '$.address.zip == 20000'),
              ('{"address.zzz": 1}', '$.address.zzz == 1'), ('{"age": {"$gte": 30, "$lt": 40}}', '$.age >= 30 && $.age < 40'),
              ('{"age": {"$gt": 30}, "country": "Japan"}', '$.age > 30 && $.country == "Japan"'),
              ('{"age": {"$gt": 30}, "country": "Japan", "address.zip": {"$lt": 50000}}', '$.age > 30 && $.country == "Japan" && $.address.zip < 50000'),
              ('{"country": {"$in": ["Japan", "Kenya"]}}', '$.country == "Japan" || $.country == "Kenya"'),
              ('{"visits": 500}', '$.visits ? (@ == 500)'), ('{"zzz": 1}', '$.zzz ? (@ == 1)'),
              ('{"age": {"$gt": 30}, "country": "Japan"}', '$ ? (@.age > 30 && @.country == "Japan")')),
    'people15k': (('{"user.age": 30}', '$.user.age == 30'), ('{"friends.age": {"$gt": 83}}', '$.friends.age > 83'), ('{"friends.3.name": "Ada"}', '$.friends[3].name == "Ada"'),
                  ('{"zzz": 1}', '$.zzz == 1'), ('{"user.age": {"$gt": 30}, "user.country": "Brazil"}', '$.user.age > 30 && $.user.country == "Brazil"'),
                  ('{"user.age": {"$gt": 30}, "user.country": "Brazil", "user.new": true}', '$.user.age > 30 && $.user.country == "Brazil" && $.user.new == true'),
                  ('{"user.age": 30}', '$.user.age ? (@ == 30)'), ('{"zzz": 1}', '$.zzz ? (@ == 1)'), ('{"friends.zzz": 1}', '$.friends.zzz ? (@ == 1)'),
                  ('{"friends.age": {"$gt": 100}}', '$.friends.age ? (@ > 100)'),
                  # a number can be the name of a field, too
                  ('{"friends.3.name": "Ada"}', '$ ? (@.friends[3].name == "Ada" || @.friends."3".name == "Ada")'),
                  ('{"friends": {"$elemMatch": {"age": {"$gt": 83}, "country": "Japan"}}}', '$.friends[*] ? (@.age > 83 && @.country == "Japan")')),
}

# What MongoDB sorts by, and the accessor of it, which bson_sort_key should not be much slower than: it is the floor
SORTS = {
    'small': (('{"name": 1}', "data -> 'name'"), ('{"visits": -1}', "data -> 'visits'"), ('{"zzz": 1}', "data -> 'zzz'"),
              ('{"address.zip": 1}', "data -> 'address' -> 'zip'"), ('{"country": 1, "age": -1}', "data -> 'country', data -> 'age'")),
    'people15k': (('{"user.age": 1}', "data -> 'user' -> 'age'"), ('{"zzz": 1}', "data -> 'zzz'")),
}


def braced(sql):
    """SQL without places to fill in."""
    return sql.replace('{', '{{').replace('}', '}}')


def query():
    for name, pairs in QUERIES.items():
        for storage in storages(name):
            for ours, theirs in pairs:
                operator = '@?' if '?' in theirs else '@@'
                yield Case('query', ours if operator == '@@' else f'{ours} beside {theirs}', name, f"SELECT count(*) FROM {{table}} WHERE data @~ '{braced(ours)}'",
                           storage, jsonb=f"SELECT count(*) FROM {{table}} WHERE data {operator} '{theirs}'")
    for name, sorts in SORTS.items():
        for storage in storages(name):
            for sort, accessor in sorts:
                yield Case('query', f'sort_key {sort}', name, f"bson_sort_key(data, '{braced(sort)}')", storage, jsonb=accessor,
                           floor=f"SELECT {accessor} FROM bson_{{suffix}}")


CONVERTED = ['flat3', 'flat15', 'flat100', 'flat1000', 'flat10000', 'small', 'event', 'message', 'feature', 'people2k', 'people15k', 'people150k',
             'deep10', 'deep100', 'deep1000'] + [name for name in SHAPES if name.startswith('list_')]
DECLINED = {'deep200': "repeat('[', 200) || id || repeat(']', 200)", 'one duplicate': "'{\"a\":1,' || substr(data, 2)",
            'dollar root': "'{\"$a\":1,' || substr(data, 2)", 'dollar inside': "'{\"x\":{\"$ab\":1},' || substr(data, 2)",
            '$date': "'{\"x\":{\"$date\":\"2022-03-03T12:13:14Z\"},' || substr(data, 2)",
            '1e23': "'{\"x\":1e23,' || substr(data, 2)", 'long digits': "'{\"x\":12345678901234567890123,' || substr(data, 2)"}


def conversion():
    for name in CONVERTED:
        storage = storages(name)[0] if storages(name)[0] == 'inline' else 'lz4'
        where = dict(storage=storage)
        yield Case('in', 'from text', name, 'SELECT data::{t} FROM text_{shape}', json=True, floor='SELECT ascii(data) FROM text_{shape}', **where)
        yield Case('out', 'to text', name, 'data::text', json=True, floor=DETOAST, **where)
        yield Case('out', 'send', name, '{p}_send(data)', floor='byteasend(data)', **where)
        yield Case('out', 'pretty', name, '{p}_pretty(data)', **where)
        yield Case('cast', 'to jsonb', name, 'data::jsonb', jsonb='data::text::jsonb', **where)
        yield Case('cast', 'to json', name, 'data::json', jsonb='data::json', **where)
        yield Case('cast', 'from jsonb', name, 'SELECT data::bson FROM jsonb_{suffix}', jsonb='data::text::jsonb', **where)
        yield Case('order', 'hash', name, '{p}_hash(data)', **where)
        yield Case('store', 'INSERT ... SELECT', name, 'INSERT INTO empty_{table} SELECT id, k, data::{t} FROM text_{shape}', before='TRUNCATE empty_{table}',
                   raw=True, **where)
    for what, sql in DECLINED.items():
        for name in ('small', 'event'):
            yield Case('in', f'from text, {what}', name, 'SELECT (' + sql.replace('{', '{{').replace('}', '}}') + ')::{t} FROM text_{shape}', json=True)


def contain():
    for sql in ('{{"country":"Japan","active":true}}', '{{"visits":5}}', '{{"address":{{"zip":12345}}}}', '{{"tags":["ab"]}}', '{{}}', '{{"zzz":1}}'):
        yield Case('contain', f'@> {sql}'.replace('{{', '{').replace('}}', '}'), 'small', f"SELECT count(*) FROM {{table}} WHERE data @> '{sql}'")
        yield Case('contain', f'<@ {sql}'.replace('{{', '{').replace('}}', '}'), 'small', f"SELECT count(*) FROM {{table}} WHERE '{sql}' <@ data")
    for name in ('flat3', 'flat15', 'flat100', 'small', 'people2k', 'array100', 'event', 'message'):
        storage = storages(name)[0]
        yield Case('contain', 'd @> d', name, 'data @> data', storage)
        yield Case('contain', 'constant @> d', name, 'SELECT (SELECT data FROM {table} LIMIT 1) @> data FROM {table}', storage)
        yield Case('contain', 'd @> constant', name, 'SELECT data @> (SELECT data FROM {table} LIMIT 1) FROM {table}', storage)
        yield Case('contain', 'd <@ constant', name, 'SELECT data <@ (SELECT data FROM {table} LIMIT 1) FROM {table}', storage)
        yield Case('order', 'd = d', name, 'data = data', storage)
        yield Case('order', 'd < constant', name, 'SELECT data < (SELECT data FROM {table} LIMIT 1) FROM {table}', storage)
        yield Case('order', 'ORDER BY d', name, 'SELECT id FROM {table} ORDER BY data', storage)
        yield Case('order', 'GROUP BY d', name, 'SELECT count(*) FROM (SELECT count(*) FROM {table} GROUP BY data) AS g', storage)
        yield Case('order', 'DISTINCT d', name, 'SELECT count(DISTINCT data) FROM {table}', storage)
    for key in ('name', 'age', 'score', 'active', 'address', 'tags'):
        yield Case('order', f'hash of {key}', 'small', f"{{p}}_hash(data -> '{key}')")
        yield Case('order', f'ORDER BY {key}', 'small', f"SELECT id FROM {{table}} ORDER BY data -> '{key}'")
        yield Case('order', f'GROUP BY {key}', 'small', f"SELECT count(*) FROM (SELECT count(*) FROM {{table}} GROUP BY data -> '{key}') AS g")
        yield Case('order', f'GROUP BY text of {key}', 'small', f"SELECT count(*) FROM (SELECT count(*) FROM {{table}} GROUP BY data ->> '{key}') AS g")
        yield Case('order', f'WHERE {key} = constant', 'small', f"SELECT count(*) FROM {{table}} WHERE data -> '{key}' = '1'")


def change():
    for name, key, path in (('small', 'visits', 'address,zip'), ('flat10', 'last', 'age'), ('flat15', 'last', 'age'), ('flat100', 'key00050', 'key00099'),
                            ('flat1000', 'key00500', 'key00999'), ('event', 'url', 'payload,size'), ('people2k', 'user', 'user,age'),
                            ('people15k', 'user', 'friends,40,age'), ('people150k', 'user', 'friends,400,age')):
        for storage in storages(name):
            for sql in (f"{{p}}_set(data, '{{{{{path}}}}}', '1')", f"{{p}}_set(data, '{{{{extra}}}}', '1')", f"{{p}}_insert(data, '{{{{zzz}}}}', '[1]')",
                        f"data - '{key}'", "data - 'zzz'", f"data #- '{{{{{path}}}}}'", "data || '{{\"extra\":1}}'", f"data || '{{{{\"{key}\":1}}}}'",
                        f"data - {texts([key, 'zz', 'yy'])}", "{p}_strip_nulls(data)"):
                yield Case('change', sql.replace('{{', '{').replace('}}', '}'), name, sql, storage)
            yield Case('store', 'UPDATE of a field', name, f"UPDATE {{table}} SET data = {{p}}_set(data, '{{{{{path}}}}}', '1')", storage, before='BEGIN',
                       after='ROLLBACK; VACUUM {table}', raw=True)
            yield Case('store', 'UPDATE that changes nothing', name, f"UPDATE {{table}} SET data = {{p}}_set(data, '{{{{{path}}}}}', data #> '{{{{{path}}}}}')",
                       storage, before='BEGIN', after='ROLLBACK; VACUUM {table}', raw=True)
    for name in ('array10', 'array100', 'array1000', 'array10000', 'list_string', 'list_object'):
        for storage in storages(name)[:2]:
            for sql in ("data || '[1]'", "'[1]' || data", "data || data", "data - 0", "data - -1", "data #- '{{5}}'", "{p}_set(data, '{{0}}', '1')", "{p}_set(data, '{{-1}}', '1')",
                        "{p}_insert(data, '{{0}}', '1')", "{p}_insert(data, '{{-1}}', '1', true)", "data ? 'ab'", "data @> '[5]'", "data @> '[\"ab\"]'", "data @> '[5, 6, 7, 8]'"):
                family = 'contain' if '@>' in sql or '?' in sql else 'change'
                yield Case(family, sql.replace('{{', '{').replace('}}', '}'), name, sql, storage)
    for name, key in (('small', 'visits'), ('event', 'url'), ('people15k', 'user')):
        storage = storages(name)[0] if storages(name)[0] == 'inline' else 'lz4'
        yield Case('change', 'subscript', name, f"UPDATE {{table}} SET data['{key}'] = '1'", storage, before='BEGIN', after='ROLLBACK; VACUUM {table}', raw=True)
        yield Case('change', 'set_lax', name, f"{{p}}_set_lax(data, '{{{{{key}}}}}', NULL, true, 'delete_key')", storage)
        yield Case('change', 'set of a path that is not there', name, "{p}_set(data, '{{zzz,yyy}}', '1')", storage)
        yield Case('change', 'three changes', name, f"{{p}}_set({{p}}_set(data - 'zzz', '{{{{{key}}}}}', '1'), '{{{{new}}}}', '2')", storage)
        yield Case('expand', 'to_tsvector', name, "to_tsvector('simple', data)", storage)
        yield Case('jsonpath', 'path_exists with a variable', name, f"{{p}}_path_exists(data, '$.{key} ? (@ > $x)', '{{{{\"x\":5}}}}')", storage)
        yield Case('jsonpath', 'path_match', name, f"{{p}}_path_match(data, 'exists($.{key})')", storage)
    yield Case('change', '- text[] of 100', 'flat100', "data - (SELECT array_agg('key' || lpad((i * 2)::text, 5, '0')) FROM generate_series(1, 100) AS i)", 'lz4')


RECORD = ', '.join(f'{name} {kind}' for name, kind in zip(NAMES, ['int', 'text', 'text', 'int', 'numeric'] * 3))


def expand():
    for name in ('flat3', 'flat10', 'flat15', 'flat100', 'flat1000', 'flat10000', 'small', 'event', 'message', 'people2k'):
        storage = storages(name)[0] if storages(name)[0] == 'inline' else 'lz4'
        for function in ('each', 'each_text', 'object_keys'):
            yield Case('expand', function, name, f'SELECT count(*) FROM {{table}}, {{p}}_{function}(data) AS e', storage)
            if function == 'each_text':
                yield Case('expand', 'each_text, used', name, f'SELECT sum(length(key) + length(value)) FROM {{table}}, {{p}}_{function}(data) AS e', storage)
        names = NAMES[:5] if name in ('flat10', 'flat15', 'small') else NAMES[:3] if name == 'flat3' else [f'key{i:05}' for i in range(1, 100, 5)]
        record = ', '.join(f'{n} text' for n in names)
        if name.startswith('flat'):
            yield Case('expand', f'to_record of {len(names)}', name, f'SELECT count(r) FROM {{table}}, {{p}}_to_record(data) AS r({record})', storage)
    yield Case('expand', 'to_record of 15 typed', 'flat15', f'SELECT count(r) FROM {{table}}, {{p}}_to_record(data) AS r({RECORD})')
    yield Case('expand', 'populate_record', 'flat15', 'SELECT count(r) FROM {table}, {p}_populate_record(NULL::bench.flat15, data) AS r')
    yield Case('expand', 'to_recordset', 'list_object', 'SELECT count(r) FROM {table}, {p}_to_recordset(data) AS r(id int, name text, price numeric)', 'lz4')
    for kind in ('int', 'long', 'double3', 'double17', 'string', 'text', 'object'):
        for function in ('array_elements', 'array_elements_text'):
            yield Case('expand', function, f'list_{kind}', f'SELECT count(*) FROM {{table}}, {{p}}_{function}(data) AS e', 'lz4')
        yield Case('expand', 'array_elements_text, used', f'list_{kind}', 'SELECT sum(length(e)) FROM {table}, {p}_array_elements_text(data) AS e', 'lz4')


def build():
    for sql in ("SELECT {p}_build_object('id', id, 'name', k) FROM {table}", "SELECT {p}_build_object('id', id, 'k', k, 'n', id * 1.5, 'b', id > 5, 'd', data) FROM {table}",
                "SELECT {p}_build_array(id, k, true) FROM {table}", "SELECT {p}_object(ARRAY['a', k, 'b', k, 'c', 'x']) FROM {table}",
                "SELECT {p}_object(ARRAY['a', 'b', 'c'], ARRAY[k, k, 'x']) FROM {table}", "SELECT {p}_agg(id) FROM {table}", "SELECT {p}_agg(k) FROM {table}",
                "SELECT {p}_agg(data) FROM {table}", "SELECT {p}_object_agg(id, k) FROM {table}", "SELECT {p}_agg(data -> 'name') FROM {table}",
                "SELECT count(a) FROM (SELECT {p}_agg(id) AS a FROM {table} GROUP BY id / 10) AS g", "SELECT to_{p}(k) FROM {table}", "SELECT to_{p}(id) FROM {table}",
                "SELECT to_{p}(id / 7.0) FROM {table}", "SELECT to_{p}(now()) FROM {table}", "SELECT to_{p}(ARRAY[id, id]) FROM {table}"):
        yield Case('build', sql[7:], 'small', sql)
    yield Case('build', 'of a row', 'small', 'SELECT to_bson(r) FROM {table} AS r', jsonb='SELECT to_jsonb(r) FROM {table} AS r')
    for kind in ('int', 'numeric', 'text', 'bool', 'float8'):
        key = {'int': 'age', 'numeric': 'score', 'text': 'name', 'bool': 'active', 'float8': 'score'}[kind]
        source = f"(data ->> '{key}')" if kind == 'text' else f"(data -> '{key}')::{kind}"
        yield Case('cast', f'to {kind}', 'small', source)


def index():
    gin = dict(raw=True, after='DROP INDEX sweep_index')
    for name in ('small', 'flat15', 'event', 'message', 'people2k', 'deep10', 'deep100', 'list_string', 'array100', 'feature'):
        storage = storages(name)[0] if storages(name)[0] == 'inline' else 'lz4'
        for ops in ('ops', 'path_ops'):
            yield Case('index', f'GIN build {ops}', name, f'CREATE INDEX sweep_index ON {{table}} USING gin (data {{p}}_{ops})', storage, **gin)
        yield Case('index', 'btree build on a hash', name, 'CREATE INDEX sweep_index ON {table} USING hash (data)', storage, **gin)
        yield Case('analyze', 'ANALYZE', name, 'ANALYZE {table}', storage, raw=True)
    for name in ('people15k', 'people150k', 'flat100', 'flat1000', 'gap160k', 'array10000', 'feature'):
        for storage in TOASTED:
            yield Case('analyze', 'ANALYZE', name, 'ANALYZE {table}', storage, raw=True)
    yield Case('index', 'btree build on a field', 'small', "CREATE INDEX sweep_index ON {table} ((data -> 'age'))", **gin)
    yield Case('index', 'btree build on text of a field', 'small', "CREATE INDEX sweep_index ON {table} ((data ->> 'name'))", **gin)
    for name, queries in (('small', ("@> '{{\"country\":\"Japan\",\"age\":30}}'", "@> '{{\"address\":{{\"zip\":12345}}}}'", "? 'zzz'", "@? '$.age ? (@ == 30)'")),
                          ('event', ("@> '{{\"type\":\"ForkEvent\"}}'", "@> '{{\"repo\":{{\"name\":\"org/repo7\"}}}}'", "@? '$.repo.name ? (@ == \"org/repo7\")'"))):
        for ops in ('ops', 'path_ops'):
            for query in queries:
                if ops == 'path_ops' and query.startswith('?'):
                    continue
                yield Case('index', f'GIN {ops} {query}'.replace('{{', '{').replace('}}', '}'), name, f'SELECT count(*) FROM {{table}}_{ops} WHERE data {query}',
                           before=f'SET enable_seqscan = off; CREATE TABLE IF NOT EXISTS {{table}}_{ops} AS TABLE {{table}}; '
                                  f'CREATE INDEX IF NOT EXISTS {{table}}_{ops}_gin ON {{table}}_{ops} USING gin (data {{p}}_{ops})',
                           after='RESET enable_seqscan')


def plpgsql(name, storage, declare, body, what, times):
    return Case('plpgsql', what, name, f"DO $$ DECLARE d {{t}} := (SELECT data FROM {{table}} LIMIT 1); n int := 0; x text; v {{t}}; {declare} "
                f"BEGIN FOR i IN 0..{times - 1} LOOP {body} END LOOP; END $$", storage, raw=True)


def places():
    for name, n in (('array100', 100), ('array1000', 1000), ('array10000', 10000)):
        for storage in storages(name)[:2]:
            yield plpgsql(name, storage, '', 'v := d -> i;', 'd -> i', n)
            yield plpgsql(name, storage, '', 'x := d ->> i;', 'd ->> i', n)
            yield plpgsql(name, storage, '', 'x := d ->> (-1 - i);', 'd ->> -i', n)
            yield plpgsql(name, storage, '', 'n := n + {p}_array_length(d);', 'array_length', min(n, 1000))
            yield Case('plpgsql', 'WHILE i < array_length', name, "DO $$ DECLARE d {t} := (SELECT data FROM {table} LIMIT 1); i int := 0; x text; "
                       "BEGIN WHILE i < {p}_array_length(d) LOOP x := d ->> i; i := i + 1; END LOOP; END $$", storage, raw=True)
    for name, n in (('flat15', 15), ('flat100', 100), ('flat1000', 1000), ('flat10000', 10000)):
        key = "names[1 + i]" if n == 15 else "('key' || lpad((1 + i)::text, 5, '0'))"
        declare = f'names text[] := {texts(NAMES)};'
        for storage in storages(name)[:2]:
            yield plpgsql(name, storage, declare, f'x := d ->> {key};', 'd ->> k', n)
            yield plpgsql(name, storage, declare, f'IF d ? {key} THEN n := n + 1; END IF;', 'd ? k', n)
            yield plpgsql(name, storage, '', f"x := d ->> '{SHAPES[name].keys['last']}';", "d ->> last", 500)
    for name in ('small', 'event'):
        yield plpgsql(name, 'inline', '', "d := {p}_set(d, '{{visits}}', i::text::{t});", 'set a field', 300)
        yield plpgsql(name, 'inline', '', "d := d || {p}_build_object('k', i);", 'concat', 300)
    # a statement planned and run again and again
    for what, sql in (('->>', "SELECT data ->> ''name'' FROM {table} WHERE id = 7"), ('chain', "SELECT data -> ''address'' ->> ''zip'' FROM {table} WHERE id = 7"),
                      ('five keys', "SELECT data ->> ''name'', data ->> ''age'', data ->> ''country'', data ->> ''score'', data ->> ''visits'' FROM {table} WHERE id = 7"),
                      ('@>', "SELECT id FROM {table} WHERE id = 7 AND data @> ''{{\"age\":1}}''"), ('typeof', "SELECT {p}_typeof(data) FROM {table} WHERE id = 7"),
                      ('whole', "SELECT data FROM {table} WHERE id = 7"), ('text', "SELECT data::text FROM {table} WHERE id = 7"),
                      ('@?', "SELECT id FROM {table} WHERE id = 7 AND data @? ''$.age ? (@ > 3)''"), ('->> in WHERE', "SELECT id FROM {table} WHERE data ->> ''name'' = ''x'' AND id = 7"),
                      ('set', "SELECT {p}_set(data, ''{{{{age}}}}'', ''1'') FROM {table} WHERE id = 7")):
        for suffix, before in (('', 'CREATE INDEX IF NOT EXISTS {table}_id ON {table} (id)'),):
            yield Case('one row', what, 'small', f"DO $$ BEGIN FOR i IN 1..200 LOOP EXECUTE '{sql}'; END LOOP; END $$".replace('{{{{', '{{').replace('}}}}', '}}'),
                       raw=True, before=before)
            yield Case('one row', 'planning: ' + what, 'small', f"DO $$ BEGIN FOR i IN 1..200 LOOP EXECUTE 'EXPLAIN {sql}'; END LOOP; END $$".replace('{{{{', '{{').replace('}}}}', '}}'),
                       raw=True, before=before)
    for what, sql in (('@>', "data @> ''{{\"k\":1}}''"), ('? and @?', "data ? ''k'' AND data @? ''$.k ? (@ > 3)''")):
        yield Case('one row', 'planning of a known column: ' + what, 'flat100', f"DO $$ BEGIN FOR i IN 1..200 LOOP EXECUTE 'EXPLAIN SELECT id FROM {{table}} WHERE {sql}'; END LOOP; END $$", raw=True, before='ANALYZE {table}')
    chains = ', '.join(f"data -> ''a{i}'' -> {i} ->> ''b{i}''" for i in range(50))
    yield Case('one row', 'planning of 50 chains', 'small', f"DO $$ BEGIN FOR i IN 1..20 LOOP EXECUTE 'EXPLAIN SELECT {chains} FROM {{table}}'; END LOOP; END $$", raw=True)
    yield Case('one row', '50 chains', 'small', f"DO $$ BEGIN FOR i IN 1..20 LOOP EXECUTE 'SELECT {chains} FROM {{table}} LIMIT 1'; END LOOP; END $$", raw=True)
    long = ' -> '.join(['data'] + ["''a''"] * 50)
    yield Case('one row', 'planning of a chain of 50', 'small', f"DO $$ BEGIN FOR i IN 1..100 LOOP EXECUTE 'EXPLAIN SELECT {long} FROM {{table}}'; END LOOP; END $$", raw=True)
    yield Case('one row', 'several operators on one value', 'people15k', "SELECT data #>> '{{user,age}}', data @> '{{\"user\":{{\"age\":30}}}}', data -> 'friends' -> 80 ->> 'name', "
               "{p}_array_length(data -> 'friends'), data ? 'user' FROM {table}", 'pglz')
    yield Case('one row', 'several operators on one value', 'people15k', "SELECT data #>> '{{user,age}}', data @> '{{\"user\":{{\"age\":30}}}}', data -> 'friends' -> 80 ->> 'name', "
               "{p}_array_length(data -> 'friends'), data ? 'user' FROM {table}", 'lz4')


def application():
    """Statements as applications have them: expansion in a SELECT list, arithmetic in paths, keys as parameters, joins, triggers, long keys."""
    def case(sql, name='purchase', what=None, **keywords):
        return Case('application', what or sql.replace('{{', '{').replace('}}', '}'), name, sql, **keywords)

    for sql in ("id, {p}_object_keys(data)", "id, {p}_array_elements(data -> 'items')", "(data ->> 'status') || '-' || (data -> 'shipping' ->> 'city')",
                "CASE WHEN data ? 'discount' THEN data -> 'discount' ELSE data -> 'total' END", "coalesce(data ->> 'nickname', data ->> 'customer')",
                "{p}_path_query_first(data, '$.total * 1.19')", "{p}_path_query_first(data, '$.total / 3')", "{p}_path_query_first(data, '-$.total')",
                "{p}_path_query_array(data, '$.items[*].price')", "(data -> 'status') || (data -> 'items')",
                "{p}_set(data, '{{shipping}}', (data -> 'shipping') || '{{\"zip\":1}}')", "data ?& ARRAY['items','discount']"):
        yield case(f'SELECT {sql} FROM {{table}}', what=sql.replace('{{', '{').replace('}}', '}'))
    for sql in ("SELECT count(*) FROM {table} WHERE data @? '$.items[*] ? (@.price * @.qty > 500)'", "SELECT count(*) FROM {table} WHERE data @@ '$.total - 10.5 > 200'",
                "SELECT sum((e ->> 'price')::numeric * (e ->> 'qty')::int) FROM {table}, {p}_array_elements(data -> 'items') AS e",
                "SELECT sum(price * qty) FROM {table}, {p}_to_recordset(data -> 'items') AS r(sku text, qty int, price numeric)",
                "SELECT data ->> 'status', sum((data ->> 'total')::numeric), count(*) FILTER (WHERE data ->> 'paid' = 'true') FROM {table} GROUP BY 1",
                "SELECT DISTINCT ON (data ->> 'customer') data FROM {table} ORDER BY data ->> 'customer', data -> 'total' DESC",
                "SELECT rank() OVER (PARTITION BY data ->> 'status' ORDER BY (data ->> 'total')::numeric) FROM {table}",
                "SELECT count(*) FROM {table} AS a JOIN {table} AS b ON a.data ->> '_id' = b.data ->> '_id'", "SELECT count(*) FROM {table} AS a JOIN {table} AS b ON a.data -> '_id' = b.data -> '_id'",
                "SELECT count(*) FROM {table} AS a WHERE a.data ->> 'customer' IN (SELECT data ->> 'customer' FROM {table} WHERE id < 50)",
                "SELECT (SELECT max((e ->> 'price')::numeric) FROM {p}_array_elements(data -> 'items') AS e) FROM {table}",
                "SELECT (SELECT {p}_object_agg(key, value) FROM {p}_each(data) WHERE key <> 'shipping') FROM {table}",
                "SELECT {p}_agg(data -> 'shipping') FILTER (WHERE data ->> 'status' = 'new') FROM {table}",
                "SELECT count(*) FROM (WITH c AS MATERIALIZED (SELECT id, data FROM {table}) SELECT data ->> 'status' FROM c GROUP BY 1) AS s",
                "SELECT data -> 'shipping' FROM {table} UNION SELECT data -> 'shipping' FROM {table}"):
        yield case(sql)
    for parameter, expression, value in (('text', 'data ->> $1', "'status'"), ('text[]', 'data #>> $1', "'{{shipping,city}}'"), ('{t}', 'data @> $1', "'{{\"status\":\"new\"}}'"),
                                         ('text[]', 'data ?| $1', "'{{discount,coupon}}'"), ('int', "data -> 'items' -> $1", '0')):
        yield case(f'EXECUTE sweep_statement({value})', what=f'generic plan: {expression}', raw=True, after='DEALLOCATE sweep_statement; RESET plan_cache_mode',
                   before=f'SET plan_cache_mode = force_generic_plan; PREPARE sweep_statement({parameter}) AS SELECT count({expression}) FROM {{table}}')
    yield case('INSERT INTO empty_{table} SELECT * FROM {table}', what='INSERT with a trigger that reads and changes', raw=True,
               before="TRUNCATE empty_{table}; CREATE OR REPLACE FUNCTION sweep_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                      "IF NEW.data ->> 'status' = 'new' THEN NEW.data := NEW.data || '{{\"seen\":false}}';END IF;RETURN NEW;END $$; "
                      "CREATE OR REPLACE TRIGGER sweep_trigger BEFORE INSERT ON empty_{table} FOR EACH ROW EXECUTE FUNCTION sweep_trigger()",
               after='DROP TRIGGER sweep_trigger ON empty_{table}')
    yield case('UPDATE {table} AS t SET data = t.data || s.data FROM empty_{table} AS s WHERE t.id = s.id', what='UPDATE ... || of a join', raw=True,
               before="TRUNCATE empty_{table}; INSERT INTO empty_{table} SELECT id, k, {p}_build_object('status', 'sent', 'n', id) FROM {table}; ANALYZE empty_{table}; BEGIN",
               after='ROLLBACK; VACUUM {table}')
    key = 'application.settings.feature.option_'
    for sql in (f"data ->> '{key}0001'", f"data ->> '{key}0014'", f"data ->> '{key}0099'", f"data ->> '{key}0002', data ->> '{key}0007', data ->> '{key}0012'",
                f"SELECT count(*) FROM {{table}} WHERE data @> '{{{{\"{key}0007\":5}}}}'", 'SELECT count(*) FROM {table}, {p}_each_text(data)'):
        yield case(sql, 'prefixed')


    key = "k text := 'status'; p text[] := '{{shipping,city}}';"
    for body in ('x := d ->> k;', 'x := d #>> p;', "v := {p}_set(d, p, '1');"):
        yield plpgsql('purchase', 'inline', key, body, body.replace('{p}', 'p'), 5000)


def workers():
    """In parallel workers, by the clock on the wall."""
    for name, storage, columns in (('small', 'inline', ("data ->> 'name'", "data -> 'address' ->> 'zip'", "(data -> 'age')::int", 'data::text')),
                                   ('flat15', 'inline', ("data ->> 'last'", "data ->> 'zzz'")),
                                   ('people15k', 'lz4', ("data #>> '{{user,age}}'", "data -> 'friends' -> 80 ->> 'name'"))):
        def case(what, sql):
            return Case('worker', what, name, sql, storage, wall=True,
                        before='SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0',
                        after='RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; SET max_parallel_workers_per_gather = 0')
        for column in columns:
            yield case(f'max {column}'.replace('{{', '{').replace('}}', '}'), f'SELECT max({column}) FROM {{table}}')
        yield case('@> in WHERE', "SELECT count(*) FROM {table} WHERE data @> '{{\"age\":30}}'")
        yield case('GROUP BY', "SELECT data -> 'country', count(*) FROM {table} GROUP BY 1")


def real():
    """Real documents: records of ISO standards, of many kinds in one table, and what GitHub's webhooks send."""
    gin = dict(raw=True, after='DROP INDEX sweep_index')
    both = ("{p}_hash(data)", 'data = data', 'data::text', "data || '{{\"extra\":1}}'", "data ->> 'zzz'", "data ? 'zzz'", "{p}_strip_nulls(data)",
            'SELECT id FROM {table} ORDER BY data', 'SELECT count(*) FROM {table}, {p}_each(data) AS e', 'SELECT count(*) FROM {table}, {p}_object_keys(data) AS e',
            'SELECT data::{t} FROM text_{shape}', 'data::json')
    own = {
        'iso': ("data ->> 'name'", "data -> 'alpha_3'", "data ? 'common_name'", "data ->> 'type'", "data ->> 'name', data ->> 'alpha_3', data ->> 'type'",
                "SELECT count(*) FROM {table} WHERE data ->> 'alpha_3' = 'DEU'", "SELECT count(*) FROM {table} WHERE data @> '{{\"type\":\"L\"}}'",
                "SELECT count(*) FROM {table} WHERE data @? '$.scope ? (@ == \"I\")'", "data - 'name'", "{p}_set(data, '{{name}}', '\"x\"')",
                "SELECT id FROM {table} ORDER BY data -> 'name'", "SELECT count(*) FROM (SELECT count(*) FROM {table} GROUP BY data -> 'type') AS g"),
        'webhooks': ("data ->> 'action'", "data -> 'sender' ->> 'login'", "data #>> '{{repository,owner,login}}'", "(data -> 'repository' -> 'id')::bigint",
                     "data ? 'installation'", "data ->> 'action', data #>> '{{sender,login}}', data #>> '{{repository,full_name}}'",
                     "SELECT count(*) FROM {table} WHERE data ->> 'action' = 'created'", "SELECT count(*) FROM {table} WHERE data @> '{{\"sender\":{{\"type\":\"User\"}}}}'",
                     "SELECT count(*) FROM {table} WHERE data @? '$.repository.owner ? (@.login == \"Codertocat\")'", "{p}_path_query_array(data, '$.**.login')",
                     "data - 'repository'", "{p}_set(data, '{{sender,login}}', '\"x\"')", "data -> 'repository'",
                     "SELECT count(*) FROM (SELECT count(*) FROM {table} GROUP BY data -> 'sender' -> 'login') AS g")}
    for name, statements in own.items():
        for storage in storages(name):
            for sql in statements + both:
                yield Case('real', sql.replace('{{', '{').replace('}}', '}'), name, sql, storage)
            for ops in ('ops', 'path_ops'):
                yield Case('real', f'GIN build {ops}', name, f'CREATE INDEX sweep_index ON {{table}} USING gin (data {{p}}_{ops})', storage, **gin)


# What --growth measures at n, 10n and 100n: SQL over one document of n elements or keys, and the largest n where
# jsonb takes too long for the usual one, and cannot be cancelled
GROWTH = {
    '-> last key': ('flat', "d -> 'key{n:05}'"), '? missing': ('flat', "d ? 'zzz'"), '-> last element': ('array', 'd -> {last}'), '-> -1': ('array', 'd -> -1'),
    'array_length': ('array', '{p}_array_length(d)'), 'from text': ('array', 'd::text::{t}'), 'to text': ('flat', 'd::text'), 'd @> d': ('flat', 'd @> d'),
    'array @> array': ('array', 'd @> d', 10000), 'd = d': ('flat', 'd = d'), 'hash': ('array', '{p}_hash(d)'), '||': ('flat', 'd || d'), '- key': ('flat', "d - 'key{n:05}'"),
    'set last': ('array', "{p}_set(d, '{{-1}}', '1')"), 'each': ('flat', '(SELECT count(*) FROM {p}_each(d))'), 'elements': ('array', '(SELECT count(*) FROM {p}_array_elements(d))'),
    'strip_nulls': ('flat', '{p}_strip_nulls(d)'), 'jsonpath $[*]': ('array', "{p}_path_query_array(d, '$[*]')"), 'jsonpath filter': ('array', "{p}_path_query_array(d, '$[*] ? (@ > 5)')"),
    'pretty': ('array', '{p}_pretty(d)'),
    'small @> d': ('flat', "'{{\"a\":1,\"b\":2}}'::{t} @> d"), '? of a list': ('array', "'{{\"a\":1}}'::{t} ?| ARRAY(SELECT {p}_array_elements_text(d))"), '1 || array': ('array', "'1'::{t} || d"),
}


def cases():
    for family in (keys, irregular, paths, arrays, jsonpath, query, conversion, contain, change, expand, build, index, places, application, workers, real):
        yield from family()
