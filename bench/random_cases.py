"""Documents and statements that nobody chose: tables drawn by chance, and what users do with them.

A seed makes the same tables and statements again. A table has a schema (nested fields, each with a kind of value,
some of them optional, null or of several kinds), a style of keys and a storage; statements take their paths and values from its documents.
"""
import json
import random
import string

from sweep_cases import Case

WORDS = ('id name email age country score active city created visits phone status language balance last first title body user account order item price quantity total '
         'address street zip geo lat lon tags labels meta version type kind value unit source target owner parent children comments likes views url path method code '
         'message level host service duration start end state group role permissions settings theme currency discount tax shipping weight height width color size').split()
BYTES = 3000000                 # of JSON text in a table, about
ROWS = 20000


def sql(text):
    """A string constant, in a template in which braces stand for places."""
    return "'" + text.replace("'", "''").replace('{', '{{').replace('}', '}}') + "'"


def of(value):
    return sql(json.dumps(value, ensure_ascii=False))


class Random(random.Random):
    def count(self, typical, most):
        """A number from 1 on, mostly near the typical one, at times much more."""
        return max(1, min(most, round(self.lognormvariate(0, 0.8) * typical)))

    def word(self, letters):
        return ''.join(self.choices(string.ascii_lowercase, k=letters))


class Table:
    """Documents of one schema."""

    def __init__(self, r):
        self.r = r
        self.style = r.choices(('word', 'camel', 'snake', 'letter', 'dotted', 'unicode'), (8, 3, 3, 1, 1, 1))[0]
        self.shuffled = r.random() < 0.15
        root = r.choices(('object', 'map', 'objects', 'scalars'), (16, 1, 1, 1))[0]
        self.schema = (root, self.fields(r.count(9, 150), 0)) if root in ('object', 'objects') else (root, self.scalar(), r.count(12, 2000))
        if root == 'objects':
            self.schema += (r.count(8, 500),)
        self.storage = r.choices(('inline', 'pglz', 'lz4', 'ext'), (4, 2, 2, 2))[0]
        first = [self.document() for _ in range(10)]
        size = max(1, sum(len(json.dumps(d)) for d in first) // 10)
        self.documents = first + [self.document() for _ in range(max(3, min(ROWS, BYTES // size)) - 10)]

    def key(self):
        r = self.r
        word = r.choice(WORDS)
        if self.style == 'camel':
            return word + r.choice(WORDS).title()
        if self.style == 'snake':
            return word + '_' + r.choice(WORDS)
        if self.style == 'letter':
            return r.choice(string.ascii_letters)
        if self.style == 'dotted':
            return f'com.example.{word}.{r.choice(WORDS)}'
        return word + r.choice('äöß文') if self.style == 'unicode' else word

    def scalar(self):
        r = self.r
        kind = r.choices(('int', 'bigint', 'price', 'double', 'bool', 'enum', 'short', 'hash', 'time', 'text', 'unicode', 'null', 'numeral'), (6, 2, 3, 1, 3, 4, 5, 2, 2, 2, 1, 0.5, 1))[0]
        return kind, {'enum': [r.word(r.randint(3, 10)) for _ in range(r.randint(2, 12))], 'text': r.count(150, 20000), 'int': 10 ** r.randint(1, 9)}.get(kind)

    def fields(self, count, depth):
        """{key: (kind of value, chance that it is there, that it is null, that it is of another kind)}"""
        r, found = self.r, {}
        for _ in range(count):
            kind = r.choices(('scalar', 'object', 'objects', 'scalars', 'map', 'empty'), (14, 2, 1, 1.5, 0.4, 0.4))[0] if depth < 4 else 'scalar'
            if kind == 'scalar':
                made = self.scalar()
            elif kind == 'object':
                made = (kind, self.fields(r.count(4, 30), depth + 1))
            elif kind == 'objects':
                made = (kind, self.fields(r.count(4, 15), depth + 2), r.count(4, 300))
            elif kind == 'empty':
                made = (kind, r.choice(({}, [])))
            else:
                made = (kind, self.scalar(), r.count(6, 3000))
            some = r.random()
            found[self.key()] = (made, 1 if some < 0.7 else r.random(), r.random() * 0.5 if r.random() < 0.1 else 0, r.random() * 0.3 if r.random() < 0.05 else 0)
        return found

    def value(self, made):
        r, kind = self.r, made[0]
        if kind == 'object':
            return self.object(made[1])
        if kind == 'objects':
            return [self.object(made[1]) for _ in range(r.randint(0, 2 * made[2]))]
        if kind == 'scalars':
            return [self.value(made[1]) for _ in range(r.randint(0, 2 * made[2]))]
        if kind == 'map':
            return {r.word(r.choice((8, 24, 32))): self.value(made[1]) for _ in range(r.randint(0, min(2 * made[2], 100)))}
        if kind == 'text':
            return ' '.join(r.choices(WORDS, k=r.count(made[1] / 6, 5000)))
        return {'int': lambda: r.randrange(made[1]), 'bigint': lambda: r.randrange(10 ** 10, 10 ** 15), 'price': lambda: r.randrange(100000) / 100, 'double': r.random,
                'bool': lambda: r.random() < 0.5, 'enum': lambda: r.choice(made[1]), 'short': lambda: r.word(r.randint(0, 12)), 'hash': lambda: f'{r.getrandbits(128):032x}',
                'time': lambda: f'2024-{r.randint(1, 12):02}-{r.randint(1, 28):02}T{r.randint(0, 23):02}:00:00Z', 'unicode': lambda: 'Žluťoučký ' + r.word(4) + ' 文',
                'null': lambda: None, 'numeral': lambda: str(r.randrange(10 ** 6)), 'empty': lambda: made[1]}[kind]()

    def object(self, fields):
        r, found = self.r, {}
        for key, (made, there, null, other) in fields.items():
            if there < 1 and r.random() >= there:
                continue
            found[key] = None if null and r.random() < null else self.value(self.scalar() if other and r.random() < other else made)
        if self.shuffled:
            items = list(found.items())
            r.shuffle(items)
            found = dict(items)
        return found

    def document(self):
        return self.value(self.schema)

    def path(self, containers=False):
        """A path that some document has, as keys and indexes, and the value there."""
        r = self.r
        value, steps = r.choice(self.documents), []
        while isinstance(value, (dict, list)) and value:
            if steps and (r.random() < 0.15 or containers and r.random() < 0.5):
                break
            step = r.choice(list(value)) if isinstance(value, dict) else r.choice((0, len(value) // 2, len(value) - 1))
            value = value[step]
            if isinstance(step, int) and r.random() < 0.2:
                step = -1
            steps.append(step)
        return steps, value


def chain(steps, text=False):
    parts = ['data'] + [f'-> {sql(s) if isinstance(s, str) else s}' for s in steps]
    if text:
        parts[-1] = parts[-1].replace('->', '->>', 1)
    return ' '.join(parts)


def array(steps):
    return 'ARRAY[' + ', '.join(sql(str(s)) for s in steps) + ']::text[]'


def jsonpath(steps):
    return '$' + ''.join('.' + json.dumps(s, ensure_ascii=False) if isinstance(s, str) else '[last]' if s < 0 else f'[{s}]' for s in steps)


def around(steps, value):
    """A document with the value at the path."""
    for step in reversed(steps):
        value = {step: value} if isinstance(step, str) else [value]
    return value


def idioms(r, steps, value, others, keys):
    """What people write with several of the operators and with other parts of SQL."""
    texts = [chain(p, True) for p in others]
    first, last = (texts or [chain(steps, True)])[0], (texts or [chain(steps, True)])[-1]
    key = sql(keys[0])
    found = [
        ('window', f'SELECT count(n) FROM (SELECT row_number() OVER (PARTITION BY {chain(steps, True)} ORDER BY id) AS n FROM {{table}}) AS w'),
        ('FILTER', 'SELECT ' + ', '.join(f'count(*) FILTER (WHERE {t} IS NOT NULL)' for t in texts or [first]) + ' FROM {table}'),
        ('coalesce', f'coalesce({", ".join(texts or [first])}, {sql("none")})'), ('CASE', f'CASE WHEN data ? {key} THEN {first} ELSE {last} END'),
        ('concatenation', f"concat_ws(' ', {', '.join(texts or [first])})"), ('string_agg', f"SELECT length(string_agg({first}, ',')) FROM {{table}}"),
        ('rebuild', f'(SELECT {{p}}_object_agg(key, value) FROM {{p}}_each(data) WHERE key <> {key})' if not isinstance(steps[0], int) else f'{{p}}_build_array({chain(steps)}, id)'),
        ('group of objects', f'SELECT count(*) FROM (SELECT {first}, {{p}}_agg({{p}}_build_object({sql("id")}, id, {sql("v")}, {chain(steps)}) ORDER BY id) FROM {{table}} GROUP BY 1) AS g'),
        ('- key', f'data - {key}' if not isinstance(steps[0], int) else 'data - 0'), ('- keys', f'data - {array(keys)}'), ('<@', f'SELECT count(*) FROM {{table}} WHERE {chain(steps)} <@ {of([value, 1])}'),
        ('insert', f"{{p}}_insert(data, {array(steps[:-1] + ['new'] if isinstance(steps[-1], str) else steps)}, '{{{{\"a\": [1, 2]}}}}')"), ('ORDER BY data', 'SELECT id FROM {table} ORDER BY data LIMIT 10'),
        ('count DISTINCT data', 'SELECT count(DISTINCT data) FROM {table}'), ('UNION', f'SELECT count(*) FROM (SELECT {chain(steps)} FROM {{table}} UNION SELECT {chain(others[0] if others else steps)} FROM {{table}}) AS u'),
        ('CTE', f'SELECT count(v), count(w) FROM (WITH c AS MATERIALIZED (SELECT id, {chain(steps)} AS v, data FROM {{table}}) SELECT v, {first} AS w FROM c) AS s'), ('two joins', f'SELECT count(*) FROM {{table}} AS a JOIN (SELECT {chain(steps, True)} AS v, count(*) AS n FROM {{table}} GROUP BY 1) AS b ON b.v = {first.replace("data", "a.data", 1)}'),
        ('like_regex', f'SELECT count(*) FROM {{table}} WHERE data @? {sql(jsonpath(steps) + " ? (@ like_regex " + chr(34) + "^[a-m]" + chr(34) + ")")}'), ('exists with variables', f"SELECT count(*) FROM {{table}} WHERE {{p}}_path_exists(data, {sql(jsonpath(steps) + ' ? (@ == $x)')}, {of({'x': value})})"),
        ('jsonpath of two', f"SELECT count(*) FROM {{table}} WHERE data @? {sql('$ ? (exists(' + jsonpath(steps).replace('$', '@', 1) + ') || exists(' + jsonpath(others[0] if others else steps).replace('$', '@', 1) + '))')}"),
        ('expression index', f'CREATE INDEX sweep_index ON {{table}} (md5({chain(steps, True)}))'), ('index of a part', f'CREATE INDEX sweep_index ON {{table}} USING hash (({chain(steps)}))'),
        ('update of two', f"UPDATE {{table}} SET data = {{p}}_set({{p}}_set(data, {array(steps)}, '7'), {array(others[0] if others else steps)}, to_{{p}}(k))"), ('update where', f'UPDATE {{table}} SET k = {first} WHERE {last} IS NOT NULL'),
        ('delete', f'DELETE FROM {{table}} WHERE {chain(steps, True)} IS NOT NULL'), ('copy out', 'COPY {table} (data) TO $$/dev/null$$'), ('copy out, binary', 'COPY {table} (data) TO $$/dev/null$$ (FORMAT binary)'),
    ]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        numeric = f"CASE WHEN {{p}}_typeof({chain(steps)}) IN ('number', 'int', 'long', 'double') THEN ({chain(steps)})::numeric END"
        found += [('sum', f'SELECT sum({numeric}) FROM {{table}}'), ('sum of text', f"SELECT sum(CASE WHEN {chain(steps, True)} ~ '^[0-9.]+$' THEN ({chain(steps, True)})::numeric END) FROM {{table}}"), ('number', f'SELECT count(*) FROM {{table}} WHERE {chain(steps)} > {of(value)}'),
                  ('@@ of a number', f'SELECT count(*) FROM {{table}} WHERE data @@ {sql(f"{jsonpath(steps)} > {value}")}'), ('arithmetic', f"{{p}}_path_query_first(data, {sql('strict ' + jsonpath(steps) + ' + 1')}, '{{{{}}}}', true)"), ('BETWEEN', f'SELECT count(*) FROM {{table}} WHERE {chain(steps)} BETWEEN {of(value)} AND {of(value * 2)}')] * 2
    return found


def of_elements(at, held):
    """What people write about the elements of an array."""
    inside = next((e for e in held if isinstance(e, dict) and e), None)
    found = [('elements as array', f'(SELECT array_agg(e) FROM {{p}}_array_elements_text({at}) AS e)'), ('longer than', f"SELECT count(*) FROM {{table}} WHERE CASE WHEN {{p}}_typeof({at}) = 'array' THEN {{p}}_array_length({at}) > 2 END"),
             ('elements by position', f'SELECT count(e) FROM {{table}}, {{p}}_array_elements({at}) WITH ORDINALITY AS x(e, n) WHERE n <= 3'), ('rebuild array', f'(SELECT {{p}}_agg(e) FROM {{p}}_array_elements({at}) AS e)'), ('&& of a list', f'SELECT count(*) FROM {{table}} WHERE {at} ?| {array([e for e in held if isinstance(e, str)][:3] + ["zz"])}')]
    if inside:
        key, value = next(iter(inside.items()))
        fields = ', '.join(f'"{k}" text' for k in list(inside)[:5] if len(k.encode()) < 60).replace('{', '{{')
        found += [('keys of elements', f'SELECT count(e ->> {sql(key)}) FROM {{table}}, {{p}}_array_elements({at}) AS e'), ('exists in elements', f'SELECT count(*) FROM {{table}} WHERE EXISTS (SELECT FROM {{p}}_array_elements({at}) AS e WHERE e -> {sql(key)} = {of(value)})'),
                  ('keys of elements, as array', f'(SELECT {{p}}_agg(e -> {sql(key)}) FROM {{p}}_array_elements({at}) AS e)'), ('to_recordset', f'SELECT count(r) FROM {{table}}, {{p}}_to_recordset({at}) AS r({fields})'),
                  ('@> of elements', f'SELECT count(*) FROM {{table}} WHERE {at} @> {of([{key: value}])}')]
    return found * 2


def statement(table):
    """(a kind of statement, its SQL)"""
    r = table.r
    steps, value = table.path()
    missing = r.random() < 0.15
    if missing and steps:
        steps, value = steps[:-1] + [r.choice(('zzz', table.key() + 'x'))], 'x'
    if not steps:
        steps, value = ['zzz'], None
    scalar = not isinstance(value, (dict, list))
    text = value if isinstance(value, str) else json.dumps(value)
    inner, held = table.path(containers=True)
    at = chain(inner) if inner else 'data'
    others = [p for p, _ in (table.path() for _ in range(r.randint(2, 6))) if p]
    where = lambda condition: f'SELECT count(*) FROM {{table}} WHERE {condition}'
    keys = [k for k in (r.choice(table.documents) for _ in range(4)) if isinstance(k, dict)]
    keys = [r.choice(list(k)) for k in keys if k] or ['zzz']
    choices = [
        ('->', chain(steps)), ('->>', chain(steps, True)), ('#>>', f'data #>> {array(steps)}'), ('#>', f'data #> {array(steps)}'), ('->>', chain(steps, True)),
        ('subscript', 'data' + ''.join(f'[{sql(s) if isinstance(s, str) else s}]' for s in steps)),
        ('columns', ', '.join(chain(p, True) for p in others) or 'data'), ('columns', ', '.join(f'data #>> {array(p)}' for p in others) or 'data'),
        ('?', f'{chain(steps[:-1])} ? {sql(str(steps[-1]))}'), ('?|', f'data ?| {array(keys + ["zz"])}'), ('?&', f'data ?& {array(keys)}'),
        ('typeof', f'{{p}}_typeof({chain(steps)})'), ('WHERE', where(f'{chain(steps, True)} = {sql(text)}')), ('WHERE', where(f'{chain(steps)} = {of(value)}')),
        ('WHERE IN', where(f'{chain(steps, True)} IN ({sql(text)}, {sql(text[:3])}, {sql("x")})')), ('LIKE', where(f'{chain(steps, True)} LIKE {sql("%" + text[:2].replace("%", "") + "%")}')),
        ('IS NULL', where(f'{chain(steps)} IS NULL')), ('two conditions', where(' AND '.join(f'{chain(p, True)} IS NOT NULL' for p in others[:2]) or 'true')),
        ('@>', where(f'data @> {of(around(steps, value))}')), ('@> of a path', where(f'{at} @> {of(held)}')),
        ('@?', where(f'data @? {sql(jsonpath(steps))}')), ('@? filter', where(f'data @? {sql(jsonpath(steps) + " ? (@ == " + (json.dumps(value, ensure_ascii=False) if scalar else "1") + ")")}')),
        ('@@', where(f'data @@ {sql(jsonpath(steps) + " == " + (json.dumps(value, ensure_ascii=False) if scalar else "1"))}')),
        ('path_query_first', f'{{p}}_path_query_first(data, {sql(jsonpath(steps))})'), ('path_query_array', f'{{p}}_path_query_array(data, {sql(jsonpath([s for s in steps if isinstance(s, str)]))})'),
        ('path_query wildcard', f'{{p}}_path_query_array(data, {sql(jsonpath(inner) + ("[*]" if isinstance(held, list) else ".*"))})'), ('path_query **', f'{{p}}_path_query_array(data, {sql("$.**." + json.dumps(str(steps[-1]), ensure_ascii=False))})'),
        ('set', f"{{p}}_set(data, {array(steps)}, '1')"), ('delete path', f'data #- {array(steps)}'), ('||', 'data || ' + of({'extra': 1, keys[0]: 2})), ('set of a value', f"{{p}}_set(data, {array(steps)}, coalesce({chain(steps)}, '1'))"),
        ('GROUP BY', f'SELECT count(*) FROM (SELECT {chain(steps)}, count(*) FROM {{table}} GROUP BY 1) AS g'), ('GROUP BY text', f'SELECT count(*) FROM (SELECT {chain(steps, True)}, count(*) FROM {{table}} GROUP BY 1) AS g'),
        ('ORDER BY', f'SELECT id FROM {{table}} ORDER BY {chain(steps)}'), ('ORDER BY text LIMIT', f'SELECT id FROM {{table}} ORDER BY ({chain(steps, True)}) COLLATE "C" DESC LIMIT 10'),
        ('DISTINCT', f'SELECT count(DISTINCT {chain(steps)}) FROM {{table}}'), ('max', f'SELECT max({chain(steps, True)}) FROM {{table}}'), ('agg', f'SELECT {{p}}_agg({chain(steps)}) FROM {{table}}'),
        ('object_agg', f'SELECT {{p}}_object_agg(id, {chain(steps)}) FROM {{table}}'), ('build_object', "SELECT {p}_build_object('id', id" + ''.join(f', {sql(str(p[-1]))}, {chain(p)}' for p in others) + ') FROM {table}'),
        ('text', 'data::text'), ('send', '{p}_send(data)'), ('text of a part', f'({at})::text'), ('in', 'SELECT data::{t} FROM text_{shape}'), ('hash', '{p}_hash(data)'), ('strip_nulls', '{p}_strip_nulls(data)'),
        ('pretty', '{p}_pretty(data)'), ('row_to', 'SELECT to_{p}(x) FROM {table} AS x'), ('copy', 'INSERT INTO empty_{table} SELECT id, k, data FROM {table}'),
        ('GIN ops', 'CREATE INDEX sweep_index ON {table} USING gin (data {p}_ops)'), ('GIN path_ops', 'CREATE INDEX sweep_index ON {table} USING gin (data {p}_path_ops)'),
        ('UPDATE', f"UPDATE {{table}} SET data = {{p}}_set(data, {array(steps)}, '7')"), ('hash join', f'SELECT count(*) FROM {{table}} AS a JOIN {{table}} AS b ON a.id = b.id AND a.{chain(steps)} = b.{chain(steps)}'),
        ('planning', f"DO $$ BEGIN FOR i IN 1..100 LOOP EXECUTE 'EXPLAIN SELECT {chain(steps, True)} FROM {{table}} WHERE data @> {of(around(steps, value))}'; END LOOP; END $$".replace("'", "''").replace("EXECUTE ''", "EXECUTE '").replace("''; END", "'; END")),
        ('loop', f'DO $$ DECLARE d {{t}}; n int := 0; BEGIN FOR d IN SELECT data FROM {{table}} LIMIT 2000 LOOP IF {chain(steps, True).replace("data", "d", 1)} IS NOT NULL THEN n := n + 1; END IF; END LOOP; END $$'),
    ]
    choices += idioms(r, steps, value, others, keys)
    if isinstance(held, dict) or not inner and isinstance(table.documents[0], dict):
        choices += [('each', f'SELECT count(*) FROM {{table}}, {{p}}_each({at}) AS e'), ('each_text, used', f'SELECT sum(length(key) + length(value)) FROM {{table}}, {{p}}_each_text({at}) AS e'),
                    ('object_keys', f'SELECT count(*) FROM {{table}}, {{p}}_object_keys({at}) AS e'), ('key from a list', f'SELECT count({at} ->> key) FROM {{table}}, (VALUES {", ".join(f"({sql(k)})" for k in keys)}) AS v(key)')]
        fields = ', '.join(f'"{k}" text' for k in dict.fromkeys(list(held or {}) if isinstance(held, dict) and inner else keys) if len(k.encode()) < 60)
        if fields:
            choices += [('to_record', f'SELECT count(r) FROM {{table}}, {{p}}_to_record({at}) AS r({fields.replace("{", "{{")})')]
    if isinstance(held, list):
        choices += [('array_elements', f'SELECT count(*) FROM {{table}}, {{p}}_array_elements({at}) AS e'), ('elements of text', f'SELECT count(e) FROM {{table}}, {{p}}_array_elements_text({at}) AS e'),
                    ('array_length', f'{{p}}_array_length({at})'), ('-> -1', f'{at} -> -1'), ('||', f"{at} || '[1]'")] * 2 + of_elements(at, held)
    return r.choice(choices)


RAW = {'copy': ('TRUNCATE empty_{table}', ''), 'GIN ops': ('', 'DROP INDEX sweep_index'), 'GIN path_ops': ('', 'DROP INDEX sweep_index'), 'UPDATE': ('BEGIN', 'ROLLBACK; VACUUM {table}'),
       'expression index': ('', 'DROP INDEX sweep_index'), 'index of a part': ('', 'DROP INDEX sweep_index'), 'update of two': ('BEGIN', 'ROLLBACK; VACUUM {table}'), 'update where': ('BEGIN', 'ROLLBACK; VACUUM {table}'),
       'delete': ('BEGIN', 'ROLLBACK'), 'planning': ('', ''), 'loop': ('', ''), 'copy out': ('', ''), 'copy out, binary': ('', '')}


def tables(seed, count, statements):
    """Yields (name, the lines of its documents, its cases)."""
    for i in range(count):
        table = Table(Random(f'{seed} {i}'))
        name, cases, seen = f'random_{seed}_{i}', [], set()
        while len(cases) < statements:
            kind, query = statement(table)
            if query in seen:
                continue
            seen.add(query)
            before, after = RAW.get(kind, ('', ''))
            cases.append(Case('random', f'{kind}: {query}'.replace('{{', '{').replace('}}', '}'), name, query, table.storage, before=before, after=after, raw=kind in RAW))
        yield name, [json.dumps(d, ensure_ascii=False) for d in table.documents], cases
