"""bson_update changes documents as MongoDB's update operators do."""
import db
import gen
import model
import model_change as change
import model_match
import model_update
import props_match
import raw
from property import Property


class Update(Property):
    """A few operators at paths of a random document, with an array filter and a query now and then."""
    functions = ('bson_update(bson,bson)', 'bson_update(bson,bson,bson,bson)', 'bson_apply(bson,bson,bson,bson,timestamptz)')
    count = 2000
    shrinks = False
    names = ('$set', '$set', '$unset', '$inc', '$mul', '$bit', '$min', '$max', '$push', '$push', '$addToSet', '$pop', '$pull', '$pull', '$pullAll', '$rename', '$setOnInsert')
    parts = (b'a', b'a', b'a', b'b', b'c', b'0', b'1', b'4', b'10', b'_id', b'$[]', b'$[e]', b'$')

    def cases(self, g, n):
        """(document, [(operator, path, operand)], filters, query)"""
        q = props_match.QueryGenerator(g)
        return [self.case(q) for _ in range(n)]

    def case(self, q):
        r = q.rng
        doc = q.document()
        if r.random() < .3:
            doc[1].insert(r.choice((0, len(doc[1]))), (b'_id', q.leaf()))
        changes = []
        for _ in range(r.choice((1, 1, 1, 2, 3))):
            operator = r.choice(self.names)
            changes.append((operator, self.path(r), self.operand(q, operator)))
        filters = {}
        if any(b'$[e]' in path for _, path, _ in changes) and r.random() < .9:
            filters[b'e'] = raw.DOC, [(r.choice((b'e', b'e', b'e.a', b'e.b')), q.operators(0, True) if r.random() < .7 else q.leaf())]
        query = None
        if any(b'$' in path.split(b'.') for _, path, _ in changes) and r.random() < .9:
            query = raw.DOC, [(b'a', raw_operator(r.choice((b'$eq', b'$gte', b'$lt', b'$in')), q.leaf()))]
        return doc, changes, filters, query

    def path(self, r):
        dynamic = r.random() < .3
        parts = [r.choice(self.parts if dynamic else self.parts[:-3]) for _ in range(r.choice((1, 1, 2, 2, 3)))]
        return b'.'.join(parts)

    def operand(self, q, operator):
        r = q.rng
        if operator in ('$inc', '$mul'):
            return r.choice((gen.int32(r.choice((0, 1, -2, 3, 2**31 - 1))), gen.int64(r.choice((1, 2**62, -2**63))), gen.double(r.choice((1.5, -0.25, 1e300, 0.1))),
                             gen.decimal(False, r.randrange(30), -1), gen.decimal(r.random() < .5, r.randrange(10**r.choice((2, 20, 34))), r.choice((-6176, -40, -3, 0, 5, 36, 6000, 6111)))))
        if operator == '$bit':
            return raw.DOC, [(name, r.choice((gen.int32(r.randrange(-9, 9)), gen.int64(r.randrange(-9, 2**40))))) for name in r.sample((b'and', b'or', b'xor'), r.choice((1, 1, 2)))]
        if operator == '$rename':
            return gen.text(raw.STRING, self.path(r).decode())
        if operator == '$pop':
            return gen.int32(r.choice((1, -1)))
        if operator == '$pullAll':
            return change.items([q.node(1) for _ in range(r.randrange(4))])
        if operator in ('$push', '$addToSet') and r.random() < .6:
            return self.each(q, operator)
        if operator == '$pull' and r.random() < .7:
            return q.operators(1) if r.random() < .6 else q.query(1)
        node = q.node(2)
        return gen.NULL if node[0] == raw.DOC and operator == '$pull' else node

    def each(self, q, operator):
        r = q.rng
        modifiers = [(b'$each', change.items([q.node(1) for _ in range(r.randrange(4))]))]
        if operator == '$push':
            if r.random() < .4:
                modifiers.append((b'$position', gen.int32(r.randrange(-4, 5))))
            if r.random() < .4:
                modifiers.append((b'$slice', gen.int64(r.randrange(-4, 5))))
            if r.random() < .4:
                modifiers.append((b'$sort', gen.double(r.choice((1.0, -1.0))) if r.random() < .5 else
                                  (raw.DOC, [(path, gen.int32(r.choice((1, -1)))) for path in r.sample((b'a', b'b', b'a.b'), r.choice((1, 2)))])))
            if r.random() < .3:
                r.shuffle(modifiers)
        return raw.DOC, modifiers

    def check(self, cases, rng):
        rows = db.query('SELECT pg_temp.try(v::bson, w::bson, x::bson, y::bson) FROM t ORDER BY i', ('v bytea, w bytea, x bytea, y bytea', [
            (raw.stored(d), raw.stored(document(changes)), raw.stored(query or gen.NULL),
             raw.stored(change.items(list(filters.values())) if filters else gen.NULL)) for d, changes, filters, query in cases]), """
            CREATE FUNCTION pg_temp.try(b bson, u bson, q bson, f bson) RETURNS text LANGUAGE plpgsql AS $$
            DECLARE
                r bson;
            BEGIN
                q = CASE WHEN bson_typeof(q) = 'null' THEN NULL ELSE q END;
                f = CASE WHEN bson_typeof(f) = 'null' THEN NULL ELSE f END;
                r = bson_apply(b, u, q, f);
                IF NOT bson_identical(r, bson_update(b, u, q, f)) OR q IS NULL AND f IS NULL AND NOT bson_identical(r, bson_update(b, u)) THEN
                    RETURN 'bson_update differs';
                END IF;
                RETURN r::bytea;
            EXCEPTION WHEN OTHERS THEN
                RETURN 'error ' || SQLSTATE;
            END $$;\n""")
        failures = {}
        for i, (got,) in enumerate(rows):
            doc, changes, filters, query = cases[i]
            try:
                want = model_update.update(doc, gathered(changes), filters, position(doc, query))
            except model_update.Refused as refused:
                want = 'error'
                why = str(refused)
            have = 'error' if got in ('error 22023', 'error 22003') else got if not got.startswith('\\x') else \
                change.normal(raw.root(db.unbytea(got)))
            if have != want:
                failures[i] = 'server %s, oracle %s' % (got if not got.startswith('\\x') else readable(got),
                                                        'error, ' + why if want == 'error' else readable('\\x' + raw.stored(want).hex()))
        return failures

    def show(self, case):
        doc, changes, filters, query = case
        return '%s  %s  %s  %s' % tuple(readable('\\x' + raw.stored(n).hex()) for n in (
            doc, document(changes), query or gen.NULL, change.items(list(filters.values()))))


def raw_operator(name, operand):
    return raw.DOC, [(name, change.items([operand]) if name == b'$in' else operand)]


def gathered(changes):
    """The last of several with one operator and one path counts, as in a document; operators in the order of their first."""
    operators = {}
    for operator, path, operand in changes:
        operators.setdefault(operator, {})[path] = operand
    return [(operator, path, operand) for operator, paths in operators.items() for path, operand in paths.items()]


def document(changes):
    operators = {}
    for operator, path, operand in gathered(changes):
        operators.setdefault(operator.encode(), []).append((path, operand))
    return raw.DOC, [(operator, (raw.DOC, paths)) for operator, paths in operators.items()]


def position(doc, query):
    """The first element of the array a that meets the query, which is about a alone."""
    if query is None or not model_match.matches(doc, query):
        return None
    array = model.field(doc, b'a')
    if array is None or array[0] != raw.ARRAY:
        return None
    (name, operand), = query[1][0][1][1]
    for i, element in enumerate(change.nodes(array)):
        if model_match.single(element, name.decode(), operand):
            return i
    return None


def readable(text):
    return text if text.startswith('error') else db.query("SELECT '%s'::bson" % text)[0][0]


PROPERTIES = [Update]
