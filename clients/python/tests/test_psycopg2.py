"""psycopg 2: documents as literals, results as text."""
import unittest

import psycopg2
import pg_bson
from common import DSN, SENT, Cursors, kinds


class Psycopg2(Cursors, unittest.TestCase):
    def connect(self):
        return psycopg2.connect(DSN)

    def test_round_trip(self):
        for strings in 'on', 'off':
            self.cursor.execute(f'SET standard_conforming_strings = {strings}')
            self.cursor.execute('INSERT INTO doc (data) VALUES (%s)', [SENT])
            self.assertEqual(kinds(self.one('SELECT data FROM doc ORDER BY id DESC')), kinds(SENT))

    def test_query(self):
        self.cursor.execute('INSERT INTO doc (data) VALUES (%s)', [SENT])
        self.assertEqual(self.one('SELECT count(*) FROM doc WHERE data @> %s', [{'nested': {'list': ['zwei']}}]), 1)
        self.assertEqual(self.one("SELECT count(*) FROM doc WHERE data ? 'int64' AND data -> 'int32' > %s", [14]), 1)

    def test_array(self):
        self.assertEqual(self.one('SELECT %s', [[{'a': 1}, {'b': 2}]]), [{'a': 1}, {'b': 2}])
        several = self.one('SELECT %s', [[SENT, None, pg_bson.Bson([1, 2])]])
        self.assertEqual(kinds(several), kinds([SENT, None, [1, 2]]))
        self.assertEqual(kinds(self.one('SELECT array_agg(data) FROM (VALUES (%s), (NULL)) AS doc (data)', [SENT])), kinds([SENT, None]))


unittest.main()
