"""asyncpg: documents in binary format, arrays, COPY, and a pool that registers the type."""
import unittest

import asyncpg
import pg_bson
from common import SENT, kinds


class Asyncpg(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.connection = await asyncpg.connect()
        await pg_bson.register(self.connection)
        await self.connection.execute('CREATE TEMP TABLE doc (id serial, data bson)')

    async def asyncTearDown(self):
        await self.connection.close()

    async def test_round_trip(self):
        await self.connection.execute('INSERT INTO doc (data) VALUES ($1)', SENT)
        row = await self.connection.fetchrow("SELECT data, bson_typeof(data -> 'int64') AS kind FROM doc")
        self.assertEqual(kinds(row['data']), kinds(SENT))
        self.assertEqual(row['kind'], 'long')

    async def test_other_values(self):
        for value in [1, 'zwei', {'a': 1}], 5, 'text', {}:
            self.assertEqual(kinds(await self.connection.fetchval('SELECT $1::bson', value)), kinds(value))
        self.assertIsNone(await self.connection.fetchval('SELECT $1::bson', None))

    async def test_query(self):
        await self.connection.execute('INSERT INTO doc (data) VALUES ($1)', SENT)
        count = 'SELECT count(*) FROM doc WHERE '
        self.assertEqual(await self.connection.fetchval(count + 'data @> $1', {'nested': {'list': ['zwei']}}), 1)
        self.assertEqual(await self.connection.fetchval(count + "data -> 'int32' > $1", 14), 1)

    async def test_array_and_copy(self):
        self.assertEqual(await self.connection.fetchval('SELECT $1::bson[]', [{'a': 1}, {'b': 2}]), [{'a': 1}, {'b': 2}])
        several = await self.connection.fetchval('SELECT $1::bson[]', [SENT, None, pg_bson.Bson([1, 2])])
        self.assertEqual(kinds(several), kinds([SENT, None, [1, 2]]))
        await self.connection.copy_records_to_table('doc', columns=['data'], records=[({'n': n},) for n in range(1000)])
        self.assertEqual(await self.connection.fetchval("SELECT count(*) FROM doc WHERE data -#> 'n' >= 0"), 1000)

    async def test_pool(self):
        async with asyncpg.create_pool(min_size=1, max_size=2, init=pg_bson.register) as pool:
            self.assertEqual(kinds(await pool.fetchval('SELECT $1::bson', SENT)), kinds(SENT))


unittest.main()
