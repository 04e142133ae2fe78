"""bson_update changes documents as MongoDB's update operators do."""
import db
import gen
import model
import model_change as change
import model_update
import props_match
import raw
from property import Property


class Update(Property):
    """One operator at one path of a random document."""
    functions = ('bson_update(bson,bson)',)
    count = 2000
    shrinks = False
    names = ('$set', '$set', '$unset', '$inc', '$mul', '$min', '$max', '$push', '$addToSet', '$pop', '$pull', '$pullAll')

    def cases(self, g, n):
        """(document, operator, path, operand)"""
        q = props_match.QueryGenerator(g)
        r = g.rng
        cases = []
        for _ in range(n):
            operator = r.choice(self.names)
            path = b'.'.join(r.choice((b'a', b'a', b'b', b'c', b'0', b'1', b'4')) for _ in range(r.choice((1, 1, 2, 2, 3))))
            cases.append((q.document(), operator, path, self.operand(q, operator)))
        return cases

    def operand(self, q, operator):
        r = q.rng
        if operator in ('$inc', '$mul'):
            return r.choice((gen.int32(r.choice((1, -2, 3, 2**31 - 1))), gen.int64(r.choice((1, 2**62, -2**63))), gen.double(r.choice((1.5, -0.25))),
                             gen.decimal(False, r.randrange(30), -1)))
        if operator == '$pop':
            return gen.int32(r.choice((1, -1)))
        if operator == '$pullAll':
            return change.items([q.node(1) for _ in range(r.randrange(4))])
        if operator in ('$push', '$addToSet') and r.random() < .4:
            return raw.DOC, [(b'$each', change.items([q.node(1) for _ in range(r.randrange(4))]))]
        if operator == '$pull' and r.random() < .5:
            return q.operators(0, True) if r.random() < .6 else (raw.DOC, [(k, v) for k, v in q.query(0)[1] if v[0] != raw.DOC])
        return q.node(2)

    def check(self, cases, rng):
        rows = db.query('SELECT pg_temp.try(v::bson, w::bson) FROM t ORDER BY i', ('v bytea, w bytea', [
            (raw.stored(d), raw.stored((raw.DOC, [(operator.encode(), (raw.DOC, [(path, operand)]))])))
            for d, operator, path, operand in cases]), """
            CREATE FUNCTION pg_temp.try(b bson, u bson) RETURNS text LANGUAGE plpgsql AS $$
            BEGIN
                RETURN bson_update(b, u)::bytea;
            EXCEPTION WHEN OTHERS THEN
                RETURN 'error ' || SQLSTATE;
            END $$;\n""")
        failures = {}
        for i, (got,) in enumerate(rows):
            try:
                want = exact(model_update.update(*cases[i]))
            except model_update.Refused:
                want = 'error'
            have = 'error' if got in ('error 22023', 'error 22003') else got if got.startswith('error') else \
                exact(change.normal(raw.root(db.unbytea(got))))
            if have != want:
                failures[i] = 'server %s, oracle %s' % (got if have == 'error' else readable(got), want)
        return failures

    def show(self, case):
        return '%s  {"%s": {"%s": %s}}' % (readable('\\x' + raw.stored(case[0]).hex()), case[1], case[2].decode(),
                                         readable('\\x' + raw.stored(case[3]).hex()))


def exact(node):
    """Decimals and doubles by value: how many zeroes a sum ends in, or a zero's sign, is the arithmetic's affair."""
    if node[0] in raw.CONTAINERS:
        return node[0], [(k, exact(n)) for k, n in node[1]]
    return (node[0], model.number(node)) if node[0] in (raw.DECIMAL, raw.DOUBLE) else node


def readable(text):
    return text if text.startswith('error') else db.query("SELECT '%s'::bson" % text)[0][0]


PROPERTIES = [Update]
