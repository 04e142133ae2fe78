"""psycopg 3: documents in both formats, COPY, arrays, the asynchronous connection, pandas."""
import asyncio
import unittest

import pandas
import psycopg
import pg_bson
from common import DSN, SENT, kinds


class Psycopg(unittest.TestCase):
    def setUp(self):
        self.connection = psycopg.connect(DSN)
        self.addCleanup(self.connection.close)
        pg_bson.register(self.connection)
        self.connection.execute('CREATE TEMP TABLE doc (id serial, data bson)')

    def test_round_trip(self):
        for cursor in (self.connection.cursor(binary=True), self.connection.cursor(),
                       psycopg.ClientCursor(self.connection)):
            cursor.execute('INSERT INTO doc (data) VALUES (%s)', [SENT])
            fetched, kind = cursor.execute("SELECT data, bson_typeof(data -> 'int64') FROM doc ORDER BY id DESC").fetchone()
            self.assertEqual(kinds(fetched), kinds(SENT))
            self.assertEqual(kind, 'long')

    def test_text_format(self):
        fetched, = self.connection.execute('SELECT %t::bson', [SENT]).fetchone()
        self.assertEqual(kinds(fetched), kinds(SENT))

    def test_other_values(self):
        for binary in False, True:
            cursor = self.connection.cursor(binary=binary)
            for value in [1, 'zwei', {'a': 1}], [], 5, 'text', None, {}:
                fetched, = cursor.execute('SELECT %s', [pg_bson.Bson(value)]).fetchone()
                self.assertEqual(kinds(fetched), kinds(value))
            self.assertEqual(cursor.execute('SELECT NULL::bson').fetchone(), (None,))

    def test_query(self):
        self.connection.execute('INSERT INTO doc (data) VALUES (%s)', [SENT])
        for condition, value in (('data @> %s', {'nested': {'list': ['zwei']}}), ('data @~ %s', {'int32': {'$gt': 14}}),
                                 ("data -> 'int32' = %s", pg_bson.Bson(15)), ("data -> 'int32' > %s", 14)):
            found = self.connection.execute(f'SELECT count(*) FROM doc WHERE {condition}', [value]).fetchone()
            self.assertEqual(found, (1,), condition)

    def test_array_and_copy(self):
        fetched, = self.connection.execute('SELECT %s::bson[]', [[{'a': 1}, {'b': 2}]]).fetchone()
        self.assertEqual(fetched, [{'a': 1}, {'b': 2}])
        cursor = self.connection.cursor()
        with cursor.copy('COPY doc (data) FROM STDIN (FORMAT binary)') as copy:
            copy.set_types(['bson'])
            for number in range(1000):
                copy.write_row([{'n': number}])
        self.assertEqual(cursor.execute("SELECT count(*) FROM doc WHERE data -#> 'n' >= 0").fetchone(), (1000,))

    def test_async(self):
        async def body():
            async with await psycopg.AsyncConnection.connect(DSN) as connection:
                await pg_bson.register(connection)
                return await (await connection.execute('SELECT %s', [SENT])).fetchone()
        self.assertEqual(kinds(asyncio.run(body())[0]), kinds(SENT))

    def test_pandas(self):
        self.connection.cursor().executemany('INSERT INTO doc (data) VALUES (%s)',
                                             [[{'n': n, 'at': {'city': 'Oslo'}}] for n in range(3)])
        rows = self.connection.execute('SELECT data FROM doc').fetchall()
        frame = pandas.json_normalize([document for document, in rows])
        self.assertEqual(list(frame.columns), ['n', 'at.city'])
        self.assertEqual(frame['n'].sum(), 3)
        cursor = self.connection.execute("SELECT id, bson_get_int8(data, 'n') AS n FROM doc")
        frame = pandas.DataFrame(cursor.fetchall(), columns=[column.name for column in cursor.description])
        self.assertEqual(list(frame['n']), [0, 1, 2])


unittest.main()
