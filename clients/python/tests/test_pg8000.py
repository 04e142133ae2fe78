"""pg8000: documents as text, in its three interfaces."""
import unittest

import bson
import pg8000.dbapi
import pg8000.legacy
import pg8000.native
import pg_bson
from common import PG8000, SENT, Cursors, kinds


class Pg8000(Cursors, unittest.TestCase):
    def connect(self):
        return pg8000.dbapi.connect(**PG8000)

    def test_round_trip(self):
        self.cursor.execute('INSERT INTO doc (data) VALUES (%s), (NULL)', [SENT])
        self.assertEqual(kinds(self.one('SELECT data FROM doc WHERE data @> %s', [{'nested': {'list': ['zwei']}}])), kinds(SENT))
        self.assertEqual(kinds(self.one('SELECT array_agg(data ORDER BY id) FROM doc')), kinds([SENT, None]))

    def test_array(self):
        for several in [SENT, None, {'a': 1}], [[{'a': 1}], [{'a': 2}]], []:
            self.assertEqual(kinds(self.one('SELECT CAST(%s AS bson[])', [several])), kinds(several))
        self.assertEqual(self.one('SELECT CAST(%s AS bson[])', [[pg_bson.Bson([1, 2])]]), [[1, 2]])
        self.assertEqual(self.one('SELECT CAST(%s AS int[])', [[1, None]]), [1, None])

    def test_refused(self):
        with self.assertRaises(bson.errors.InvalidDocument):
            self.one('SELECT CAST(%s AS bson)', [{'a': object()}])
        for n in range(3):
            self.assertEqual(self.one('SELECT CAST(%s AS int)', [n]), n)

    def test_interfaces(self):
        native, legacy = pg8000.native.Connection(**PG8000), pg8000.legacy.Connection(**PG8000)
        pg_bson.register(native)
        pg_bson.register(legacy)
        self.assertEqual(kinds(native.run('SELECT CAST(:sent AS bson)', sent=SENT)[0][0]), kinds(SENT))
        self.assertEqual(kinds(legacy.run('SELECT CAST(:sent AS bson)', sent=SENT)[0][0]), kinds(SENT))
        native.close()
        legacy.close()


unittest.main()
