"""psycopg 3: documents in both formats, COPY, arrays, the asynchronous connection, pandas."""
import asyncio
import datetime
import decimal
import importlib.util
import unittest

import bson
import bson.raw_bson
import psycopg
import psycopg.rows
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

    def test_python_values(self):
        for binary in False, True:
            cursor = self.connection.cursor(binary=binary)
            sent = {'price': decimal.Decimal('1.10'), 'at': datetime.datetime(2022, 3, 3, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))}
            fetched, = cursor.execute('SELECT %s', [sent]).fetchone()
            self.assertEqual(kinds(fetched['price']), kinds(bson.Decimal128('1.10')))
            self.assertEqual(fetched['at'], sent['at'])         # which a naive one cannot be compared with
            raw = bson.raw_bson.RawBSONDocument(bson.encode({'n': 1}))
            self.assertEqual(cursor.execute('SELECT %s', [raw]).fetchone(), ({'n': 1},))
        for wrong in decimal.Decimal('1' * 35), decimal.Decimal('1E+7000'):
            with self.assertRaisesRegex(ValueError, 'decimal128'):
                self.connection.execute('SELECT %s', [{'price': wrong}])

    def test_naive(self):
        pg_bson.register(self.connection, pg_bson.CODEC_OPTIONS.with_options(tz_aware=False))
        for binary in False, True:
            fetched, = self.connection.cursor(binary=binary).execute('SELECT %s', [{'at': datetime.datetime(2022, 3, 3)}]).fetchone()
            self.assertEqual(fetched, {'at': datetime.datetime(2022, 3, 3)})

    def test_prices(self):
        """One type for what JSON and what SQL wrote."""
        prices = "SELECT bson_build_object('sql', 12.50::numeric) || '{\"json\": 12.5}', '{\"json\": 12.5}'::bson"
        connection = self.connection
        pg_bson.register(connection, pg_bson.DECIMAL_NUMBERS)
        for binary in False, True:
            both, one = connection.cursor(binary=binary).execute(prices).fetchone()
            self.assertEqual(kinds([both, one]), kinds([{'sql': decimal.Decimal('12.50'), 'json': decimal.Decimal('12.5')}, {'json': decimal.Decimal('12.5')}]))
            self.assertEqual(connection.execute("SELECT bson_typeof(%s -> 'sql')", [both]).fetchone(), ('decimal',))
        pg_bson.register(connection, pg_bson.NATIVE_NUMBERS)
        for binary in False, True:
            both, one = connection.cursor(binary=binary).execute(prices).fetchone()
            self.assertEqual(kinds([both, one]), kinds([{'sql': 12.5, 'json': 12.5}, {'json': 12.5}]))

    def test_rows_of_dicts(self):
        with psycopg.connect(DSN, row_factory=psycopg.rows.dict_row) as connection:
            pg_bson.register(connection)
            self.assertEqual(connection.execute('SELECT %s AS data', [{'n': 1}]).fetchone(), {'data': {'n': 1}})

    def test_query(self):
        self.connection.execute('INSERT INTO doc (data) VALUES (%s)', [SENT])
        for condition, value in (('data @> %s', {'nested': {'list': ['zwei']}}), ('data @~ %s', {'int32': {'$gt': 14}}),
                                 ("data -> 'int32' = %s", pg_bson.Bson(15)), ("data -> 'int32' > %s", 14)):
            found = self.connection.execute(f'SELECT count(*) FROM doc WHERE {condition}', [value]).fetchone()
            self.assertEqual(found, (1,), condition)

    def test_array_and_copy(self):
        several = [SENT, None, pg_bson.Bson([1, 2])]
        for binary in False, True:
            cursor = self.connection.cursor(binary=binary)
            for parameter in '%b', '%t', '%s':
                fetched, = cursor.execute(f'SELECT {parameter}::bson[]', [several]).fetchone()
                self.assertEqual(kinds(fetched), kinds([SENT, None, [1, 2]]))
            fetched, = cursor.execute('SELECT array_agg(data) FROM (VALUES (%s), (NULL)) AS doc (data)', [SENT]).fetchone()
            self.assertEqual(kinds(fetched), kinds([SENT, None]))
            self.assertEqual(cursor.execute('SELECT %s::bson[]', [[[{'a': 1}], [{'a': 2}]]]).fetchone()[0], [[{'a': 1}], [{'a': 2}]])
            self.assertEqual(cursor.execute("SELECT '{}'::bson[]").fetchone()[0], [])
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

    @unittest.skipUnless(importlib.util.find_spec('pandas'), 'not among the oldest versions')
    def test_pandas(self):
        import pandas
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
