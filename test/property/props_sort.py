"""bson_sort_key orders documents as MongoDB's sort does."""
import db
import gen
import model_sort
import props_match
import raw
from property import Property

NAMES = (b'a', b'a', b'b', b'0', b'1')


class SortKey(Property):
    """Pairs of documents that have much in common, their keys compared by a sort of one to three paths."""
    functions = ('bson_sort_key(bson,bson)',)
    count = 1500
    shrinks = False

    def cases(self, g, n):
        q = props_match.QueryGenerator(g)
        cases = []
        for _ in range(n):
            paths = dict.fromkeys(b'.'.join(g.rng.choice(NAMES) for _ in range(g.rng.choice((1, 1, 2, 3)))) for _ in range(g.rng.choice((1, 1, 2, 3))))
            cases.append((q.document(), q.document(), [(p, g.rng.choice((1, -1))) for p in paths]))
        return cases

    def check(self, cases, rng):
        wanted = [self.want(*case) for case in cases]
        # a refused document ends a statement, so these run one by one
        fine = [i for i, want in enumerate(wanted) if want is not None]
        refused = [i for i, want in enumerate(wanted) if want is None][:10]
        failures = {}
        rows = db.query('SELECT bson_cmp(bson_sort_key(v::bson, s::bson), bson_sort_key(w::bson, s::bson)) FROM t ORDER BY i', ('v bytea, w bytea, s bytea', [
            self.stored(cases[i]) for i in fine]))
        for i, (got,) in zip(fine, rows):
            if (int(got) > 0) - (int(got) < 0) != wanted[i]:
                failures[i] = 'server %s, oracle %s' % (got, wanted[i])
        for i in refused:
            a, b, s = ('\\x' + x.hex() for x in self.stored(cases[i]))
            try:
                db.query("SELECT bson_sort_key('%s'::bytea::bson, '%s'::bytea::bson), bson_sort_key('%s'::bytea::bson, '%s'::bytea::bson)" % (a, s, b, s))
                failures[i] = 'the server does not refuse'
            except db.DbError:
                pass
        return failures

    def stored(self, case):
        a, b, sort = case
        return raw.stored(a), raw.stored(b), raw.stored((raw.DOC, [(p, gen.int32(d)) for p, d in sort]))

    def want(self, a, b, sort):
        try:
            keys = model_sort.key(a, sort), model_sort.key(b, sort)
        except model_sort.Refused:
            return None
        return model_sort.compare(*keys, [d for _, d in sort])

    def show(self, case):
        a, b, sort = case
        return '%s and %s\n          by %s' % (props_match.readable(a), props_match.readable(b), sort)


PROPERTIES = [SortKey]
