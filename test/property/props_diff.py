"""bson_diff says what changes one value into another, bson_patch applies it, and bson_merge merges two values."""
import struct

import db
import gen
import raw
from property import Property

FALSE, TRUE = b'\0', b'\1'


class Refused(Exception):
    """The delta does not fit."""


def patch(node, delta):
    """The oracle: what a delta makes of a value."""
    if delta[0] != raw.DOC or not delta[1] or delta[1][0][0] != b'$v':
        return delta
    (_, version), (name, content) = delta[1]
    assert version == (raw.INT32, struct.pack('<i', 2)) and content[0] == raw.DOC
    return content if name == b'replacement' else within(node, content[1])


def within(node, changes):
    if changes and changes[0][0] == b'a':
        return in_array(node, changes)
    if node[0] != raw.DOC:
        raise Refused
    sections = dict(changes)
    assert len(sections) == len(changes)
    names = {key: sections.get(key, (raw.DOC, []))[1] for key in (b'd', b'u', b'i')}
    subs = {key[1:]: value[1] for key, value in changes if key[:1] == b's'}
    assert all(value == (raw.BOOL, FALSE) for _, value in names[b'd'])
    gone = {key for section in (b'd', b'i') for key, _ in names[section]}
    updates = dict(names[b'u'])
    assert len(gone) + len(updates) + len(subs) == sum(map(len, names.values())) + len(subs)
    present = {key for key, _ in node[1]}
    out = [(key, updates[key] if key in updates else within(value, subs[key]) if key in subs else value) for key, value in node[1] if key not in gone]
    if any(key not in present for key in subs):
        raise Refused
    return raw.DOC, out + [(key, value) for key, value in names[b'u'] if key not in present] + names[b'i']


def in_array(node, changes):
    if node[0] != raw.ARRAY or changes[0][1] != (raw.BOOL, TRUE):
        raise Refused
    values = [value for _, value in node[1]]
    for key, value in changes[1:]:
        if key == b'l':
            length = struct.unpack('<i', value[1])[0]
            values = values[:length] + [gen.NULL] * (length - len(values))
            continue
        at = int(key[1:])
        if key[:1] == b's' and at >= len(values):
            raise Refused
        values += [gen.NULL] * (at + 1 - len(values))
        values[at] = within(values[at], value[1]) if key[:1] == b's' else value
    return raw.ARRAY, [(b'%d' % i, value) for i, value in enumerate(values)]


class Diff(Property):
    """Pairs of values, the second most often the first with a few changes."""
    functions = ('bson_diff(bson,bson)', 'bson_patch(bson,bson)')
    count = 1200
    shrinks = False

    def cases(self, g, n):
        out = []
        while len(out) < n:
            a, b = g.stored(), g.stored()
            if g.rng.random() < .8:
                b = raw.stored(self.changed(g, raw.root(a)))
            if g.rng.random() < .1:
                b = raw.stored((raw.DOC, [(b'$v', gen.int32(2)), (g.rng.choice((b'diff', b'replacement')), raw.root(b))]))
            try:
                raw.root(b)
            except raw.TooDeep:
                continue
            out.append((a, b))
        return out

    def changed(self, g, node, chance=.5):
        r = g.rng
        if node[0] not in raw.CONTAINERS:
            return g.scalar() if r.random() < chance else node
        elements = [(key, self.changed(g, value, .1) if r.random() < .5 else value) for key, value in node[1]]
        for _ in range(r.choice((0, 0, 1, 1, 2))):
            kind = r.random()
            if kind < .3 and elements:
                del elements[r.randrange(len(elements))]
            elif kind < .4 and elements:
                elements.insert(r.randrange(len(elements) + 1), elements.pop(r.randrange(len(elements))))
            elif kind < .45 and elements:      # a key twice
                elements.insert(r.randrange(len(elements) + 1), (r.choice(elements)[0], g.scalar()))
            else:
                elements.insert(r.choice((len(elements), r.randrange(len(elements) + 1))), (g.key(), g.scalar()))
        if node[0] == raw.ARRAY and r.random() < .95:
            elements = [(b'%d' % i, value) for i, (_, value) in enumerate(elements)]
        return node[0], elements

    def check(self, cases, rng):
        rows = db.query('SELECT d::bytea, bson_patch(a::bson, d)::bytea FROM t, bson_diff(a::bson, b::bson) AS d ORDER BY i', ('a bytea, b bytea', cases))
        failures = {}
        for i, (delta, result) in enumerate(rows):
            a, b = cases[i]
            delta = db.unbytea(delta)
            if db.unbytea(result) != b:
                failures[i] = 'bson_patch(a, %s) is %s' % (delta.hex(), result)
            elif delta != b and len(delta) >= len(b) and b[4:8] != b'\x10$v\0':
                failures[i] = 'the delta %s is no smaller' % delta.hex()
            elif raw.stored(patch(raw.root(a), raw.root(delta))) != b:
                failures[i] = 'the oracle makes something else of the delta %s' % delta.hex()
        return failures

    def show(self, case):
        return "a '\\x%s', b '\\x%s'" % (case[0].hex(), case[1].hex())


class PatchOther(Diff):
    """A delta applied to another value than that which it was made from: as the oracle says, and never a crash."""
    count = 1000

    def cases(self, g, n):
        out = []
        for a, b in super().cases(g, n):
            other = raw.stored(self.changed(g, raw.root(a)))
            try:
                raw.root(other)
                out.append((a, b, other))
            except raw.TooDeep:
                pass
        return out

    def check(self, cases, rng):
        rows = db.query('SELECT bson_diff(a::bson, b::bson)::bytea, pg_temp.try(o::bson, bson_diff(a::bson, b::bson)) FROM t ORDER BY i', ('a bytea, b bytea, o bytea', cases), """
            CREATE FUNCTION pg_temp.try(b bson, d bson) RETURNS text LANGUAGE plpgsql AS $$
            BEGIN
                RETURN bson_patch(b, d)::bytea;
            EXCEPTION WHEN object_not_in_prerequisite_state THEN
                RETURN 'refused';
            END $$;\n""")
        failures = {}
        for i, (delta, got) in enumerate(rows):
            try:
                want = '\\x' + raw.stored(patch(raw.root(cases[i][2]), raw.root(db.unbytea(delta)))).hex()
            except Refused:
                want = 'refused'
            if got != want:
                failures[i] = 'delta %s: server %s, oracle %s' % (delta, got, want)
        return failures

    def show(self, case):
        return ' '.join("'\\x%s'" % part.hex() for part in case)


def merge(a, b, remove_nulls):
    """The oracle of bson_merge."""
    if b[0] != raw.DOC:
        return b
    if a[0] != raw.DOC:
        return bare(b) if remove_nulls else b
    first = {}
    for key, value in b[1]:
        first.setdefault(key, value)
    out, seen = [], set()
    for key, value in a[1]:
        if remove_nulls and first.get(key) == gen.NULL:
            continue
        if key in first and key not in seen:
            other = first[key]
            value = merge(value, other, remove_nulls) if value[0] == raw.DOC else bare(other) if remove_nulls else other
        seen.add(key)
        out.append((key, value))
    return raw.DOC, out + [(key, bare(value) if remove_nulls else value) for key, value in first.items()
                           if key not in seen and not (remove_nulls and value == gen.NULL)]


def bare(node):
    if node[0] != raw.DOC:
        return node
    return raw.DOC, [(key, bare(value)) for key, value in node[1] if value != gen.NULL]


class Merge(Diff):
    """The same pairs, merged."""
    functions = ('bson_merge(bson,bson,boolean)',)
    count = 800

    def check(self, cases, rng):
        rows = db.query('SELECT bson_merge(a::bson, b::bson)::bytea, bson_merge(a::bson, b::bson, true)::bytea FROM t ORDER BY i', ('a bytea, b bytea', cases))
        failures = {}
        for i, row in enumerate(rows):
            a, b = map(raw.root, cases[i])
            for got, remove_nulls in zip(row, (False, True)):
                want = merge(a, b, remove_nulls)
                if raw.root(db.unbytea(got)) != want:
                    failures[i] = 'remove_nulls %s: server %s, oracle %s' % (remove_nulls, got, raw.stored(want).hex())
        return failures


PROPERTIES = [Diff, PatchOther, Merge]
